"""SWE-chat's tables (arXiv 2604.20779, release v2) under its own table and column names, so that its notebook reads our data.

A column we cannot fill is null: identities at GitHub, labels made by a language model, texts of the transcripts. Line counts of
sessions and commits are ours, not the vendor's; a session is summed over all its checkpoints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.tablefiles import Column, Columns, has_parquet, write_csv, write_parquet
from attribution.queries import dataset
from attribution.queries.dataset import ChangedFile, DatasetSession, SessionCopy
from attribution.queries.judge_labels import judges, stored_labels
from attribution.queries.repositories import RepositoryRow, all_repositories
from attribution.queries.turns import CallRow, MessageRow, TurnRow, calls_by_time, messages_in_order, turns
from collector.storage.store import Store
from collector.vocabulary.agents import label_of

NAME = "swe-chat"
LABEL = "SWE-chat tables"
GIVES = "a directory with its six tables, as Parquet, or as CSV without `whowrote[parquet]`"
OPTIONS: frozenset[str] = frozenset()

_RESEARCH = frozenset({"Read", "Grep", "Glob", "WebFetch", "WebSearch", "read_file", "grep", "glob", "list_directory"})
_ACTION = frozenset({"Write", "Edit", "NotebookEdit", "Bash", "write_file", "edit_file", "run_command"})
_WRITES = frozenset({"Write", "Edit", "write_file", "edit_file"})
_ORCHESTRATION = frozenset({"Task", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "Skill", "EnterPlanMode", "ExitPlanMode"})
_SHELL = frozenset({"bash", "run_shell_command", "exec_command", "exec", "shell_command", "powershell", "execute", "shell"})


def _columns(text: str) -> Columns:
    """`name` is a string; `name:int` and so on otherwise."""
    return [Column(name, kind or "str") for name, _, kind in (word.partition(":") for word in text.split())]


TABLES: dict[str, Columns] = {
    "repositories": _columns(
        "repo_id owner_id name url is_fork:bool settings num_checkpoints:int num_sessions:int num_commits:int "
        "num_contributors_in_dataset:int total_additions_in_dataset:int total_deletions_in_dataset:int total_repo_commits_ever:int "
        "total_repo_additions_ever:int total_repo_deletions_ever:int total_agent_commits_ever:int total_agent_additions_ever:int "
        "total_agent_deletions_ever:int last_scraped_at:time license_type repo_github_metadata repo_type_domain repo_type_audience"
    ),
    "checkpoints": _columns(
        "checkpoint_pk checkpoint_id repo_id session_pks session_count:int commit_shas commit_count:int author_user_ids "
        "unique_author_count:float user_id cli_version strategy branch checkpoints_count:int files_touched files_touched_count:int "
        "cp_input_tokens:int cp_output_tokens:int cp_cache_creation_tokens:int cp_cache_read_tokens:int cp_api_call_count:int "
        "total_additions:int total_deletions:int checkpoint_metadata_raw"
    ),
    "sessions": _columns(
        "session_id repo_id owner_id user_id checkpoint_ids canonical_checkpoint_pk agent strategy branch created_at:time "
        "cli_version files_touched files_touched_count:int checkpoints_count:int input_tokens:int output_tokens:int "
        "cache_creation_tokens:int "
        "cache_read_tokens:int api_call_count:int agent_lines:float human_added:float human_modified:float human_removed:float "
        "total_committed:float agent_percentage:float attribution_calculated_at:time transcript_identifier_at_start "
        "transcript_path tool_call_count:int unique_tools_count:int research_count:int action_count:int first_write_position:int "
        "duration_seconds:float turn_count:int prompt_count:int content_hash user_persona session_success"
    ),
    "session_logs": _columns("session_id transcript_path context_md session_metadata_raw"),
    "commits": _columns(
        "commit_sha checkpoint_pk repo_id commit_index:int num_commits:int user_id github_username author_name author_email "
        "author_date:time commit_date:time commit_message branch is_agent_author:bool files_changed_count:int total_additions:int "
        "total_deletions:int files_changed numstat patch agent_changes file_attribution status"
    ),
    "conversations": _columns(
        "turn_id session_id checkpoint_pk repo_id user_id turn_number:int conversation_turn_number:float role turn_type "
        "is_conversational:bool content model timestamp:time input_tokens:int output_tokens:int cache_creation_input_tokens:int "
        "cache_read_input_tokens:int is_continuation:bool is_first_turn:bool word_count:int char_count:int tool_name tool_call_id "
        "file_path command pattern tool_input_json category bash_category queue_op_subtype agent strategy language prompt_intent "
        "prompt_pushback"
    ),
}

Row = dict[str, Any]
"""Column of the release -> value."""


def write(request: ExportRequest) -> ExportResult:
    parquet = has_parquet()
    ending, writer = (".parquet", write_parquet) if parquet else (".csv", write_csv)
    request.out.mkdir(parents=True, exist_ok=True)
    result = ExportResult()
    repos = all_repositories(request.store)
    for number, (table, columns) in enumerate(TABLES.items()):
        request.progress("writing tables", number, len(TABLES))
        path = request.out / f"{table}{ending}"
        rows = (row for repo in repos if repo.id in request.repos for row in _ROWS[table](request.store, repo))
        result.rows[table] = writer(path, columns, _in_order(rows, columns))
        result.files.append(path)
    if not parquet:
        result.notes.append("CSV, because pyarrow is not installed: pip install 'whowrote[parquet]'")
    result.notes.append("conversations contains prompts and tool calls, but not the agents' messages")
    return result


def _in_order(rows: Iterator[Row], columns: Columns) -> Iterator[Sequence[Any]]:
    for row in rows:
        yield [row.get(column.name) for column in columns]


def _json(values: Any) -> str:
    return json.dumps(list(values), ensure_ascii=False)


def _owner(name: str) -> str:
    return name.rpartition("/")[0] or name


Key = TypeVar("Key")
Member = TypeVar("Member")


def _grouped(rows: Iterable[Member], key: Callable[[Member], Key]) -> dict[Key, list[Member]]:
    groups: dict[Key, list[Member]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


# --- repositories -----------------------------------------------------------------------------------------------------


def _repositories(store: Store, repo: RepositoryRow) -> Iterator[Row]:
    totals = dataset.repository_totals(store, repo.id)
    yield {
        "repo_id": repo.name,
        "owner_id": _owner(repo.name),
        "name": repo.name.rpartition("/")[2],
        "url": repo.url,
        "num_checkpoints": totals.checkpoints,
        "num_sessions": totals.sessions,
        "num_commits": totals.linked_commits,
        "num_contributors_in_dataset": totals.linked_people,
        "total_additions_in_dataset": totals.linked_added,
        "total_deletions_in_dataset": totals.linked_deleted,
        "total_repo_commits_ever": totals.commits,
        "total_repo_additions_ever": totals.added,
        "total_repo_deletions_ever": totals.deleted,
        "total_agent_commits_ever": totals.declared_commits,
        "total_agent_additions_ever": totals.declared_added,
        "total_agent_deletions_ever": totals.declared_deleted,
        "last_scraped_at": totals.last_run_at,
    }


# --- checkpoints ------------------------------------------------------------------------------------------------------


def _checkpoints(store: Store, repo: RepositoryRow) -> Iterator[Row]:
    sessions = _grouped(dataset.checkpoint_sessions(store, repo.id), lambda row: row.checkpoint_id)
    commits = _grouped(dataset.checkpoint_commits(store, repo.id), lambda row: row.checkpoint)
    for checkpoint in dataset.checkpoints(store, repo.id):
        linked, keys = commits.get(checkpoint.id, []), [session.key for session in sessions.get(checkpoint.id, [])]
        people = sorted({commit.author_email for commit in linked if commit.author_email})
        yield {
            "checkpoint_pk": f"{repo.name}#{checkpoint.checkpoint_id}",
            "checkpoint_id": checkpoint.checkpoint_id,
            "repo_id": repo.name,
            "session_pks": _json(dict.fromkeys(keys)),
            "session_count": len(set(keys)),
            "commit_shas": _json(commit.commit_sha for commit in linked),
            "commit_count": len(linked),
            "author_user_ids": _json(people),
            "unique_author_count": float(len(people)),
            "user_id": people[0] if people else checkpoint.author_email,
            "cli_version": checkpoint.cli_version,
            "strategy": checkpoint.strategy,
            "branch": checkpoint.branch,
            "files_touched_count": checkpoint.files_touched,
            "total_additions": sum(commit.lines_added or 0 for commit in linked),
            "total_deletions": sum(commit.lines_deleted or 0 for commit in linked),
        }


# --- sessions ---------------------------------------------------------------------------------------------------------


def _sessions(store: Store, repo: RepositoryRow) -> Iterator[Row]:
    copies, said = _copies(store, repo), _labels(store)
    paths = _grouped(dataset.edited_paths(store, repo.id), lambda row: row.session_id)
    tools = _grouped(dataset.called_tools(store, repo.id), lambda row: row.session_id)
    for session in dataset.dataset_sessions(store, repo.id):
        checkpoints, touched = copies.get(session.id, []), [edited.path for edited in paths.get(session.id, [])]
        used = [tool.name for tool in tools.get(session.id, [])]
        last = checkpoints[-1] if checkpoints else None
        yield {
            "session_id": session.key,
            "repo_id": repo.name,
            "owner_id": _owner(repo.name),
            "user_id": session.author_email,
            "checkpoint_ids": _json(dict.fromkeys(f"{repo.name}#{copy.checkpoint}" for copy in checkpoints)),
            "canonical_checkpoint_pk": f"{repo.name}#{last.checkpoint}" if last else None,
            "agent": _agent(session),
            "strategy": last.strategy if last else None,
            "branch": session.branch,
            "created_at": session.started_at,
            "cli_version": last.cli_version if last else None,
            "files_touched": _json(touched),
            "files_touched_count": len(touched),
            "checkpoints_count": session.checkpoints,
            "input_tokens": session.input_tokens,
            "output_tokens": session.output_tokens,
            "cache_creation_tokens": session.cache_write_tokens,
            "cache_read_tokens": session.cache_read_tokens,
            "agent_lines": session.agent_lines,
            "human_added": session.human_lines,
            "human_modified": session.human_overwritten,
            "human_removed": session.human_deleted,  # with a witness, or not committed
            "total_committed": _sum(session.agent_lines, session.human_lines),
            "agent_percentage": session.agent_percentage,
            "attribution_calculated_at": session.attributed_at,
            "tool_call_count": session.tool_calls,
            "unique_tools_count": session.tools,
            "research_count": sum(name in _RESEARCH for name in used),
            "action_count": sum(name in _ACTION for name in used),
            "first_write_position": next((i for i, name in enumerate(used) if name in _WRITES), None),
            "duration_seconds": _seconds(session.started_at, session.ended_at),
            "turn_count": session.turns,
            "prompt_count": session.turns,
            "user_persona": _first(said.get((session.key, 0, name)) for name in ("paper_persona", "persona")),
            "session_success": _first(said.get((session.key, 0, name)) for name in ("paper_success_score", "success_score")),
        }


_Said = Mapping[tuple[str, int, str], str | float]
"""(session, turn, label) -> what the judge that answered last said."""


def _labels(store: Store) -> _Said:
    known = judges(store)
    labels = stored_labels(store, known[0]) if known else {}
    return {(place.session, place.turn, place.label): value for place, value in labels.items()}


def _first(values: Iterable[str | float | None]) -> str | float | None:
    return next((value for value in values if value is not None), None)


def _sum(agent: int | None, human: int | None) -> int | None:
    return None if agent is None else agent + (human or 0)


def _copies(store: Store, repo: RepositoryRow) -> dict[int, list[SessionCopy]]:
    """Session -> the checkpoints that hold it, oldest first."""
    return _grouped(dataset.session_copies(store, repo.id), lambda row: row.session_id)


def _agent(session: DatasetSession) -> str:
    return label_of(session.agent or session.agent_label or "unknown")


def _seconds(start: str | None, end: str | None) -> float | None:
    if not start or not end:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _session_logs(store: Store, repo: RepositoryRow) -> Iterator[Row]:
    copies = _copies(store, repo)
    for session in dataset.dataset_sessions(store, repo.id):
        metadata = next((copy.metadata for copy in reversed(copies.get(session.id, [])) if copy.metadata), None)
        yield {"session_id": session.key, "session_metadata_raw": metadata}


# --- commits ----------------------------------------------------------------------------------------------------------


def _commits(store: Store, repo: RepositoryRow) -> Iterator[Row]:
    """Commits that a checkpoint of this clone is linked to, as in the release."""
    files = _grouped(dataset.changed_files(store, repo.id), lambda row: row.commit_id)
    links = _grouped(dataset.commit_checkpoints(store, repo.id), lambda row: row.commit_id)
    of_checkpoint = _grouped(dataset.checkpoint_commits(store, repo.id), lambda row: row.checkpoint)
    for commit in dataset.dataset_commits(store, repo.id):
        if commit.id not in links:
            continue
        link, changed = links[commit.id][0], files.get(commit.id, [])
        siblings = [sibling.commit_sha for sibling in of_checkpoint.get(link.checkpoint, [])]
        yield {
            "commit_sha": commit.commit_sha,
            "checkpoint_pk": f"{repo.name}#{link.checkpoint_key}",
            "repo_id": repo.name,
            "commit_index": siblings.index(commit.commit_sha) if commit.commit_sha in siblings else 0,
            "num_commits": len(siblings),
            "user_id": commit.author_email,
            "author_name": commit.author_name,
            "author_email": commit.author_email,
            "author_date": commit.author_at,
            "commit_date": commit.committed_at,
            "commit_message": commit.subject,
            "branch": repo.branch,
            "is_agent_author": commit.declared_agent is not None,
            "files_changed_count": len(changed),
            "total_additions": commit.lines_added,
            "total_deletions": commit.lines_deleted,
            "files_changed": "\n".join(f"{f.status}\t{f.path}" for f in changed),
            "numstat": "\n".join(f"{f.lines_added}\t{f.lines_deleted}\t{f.path}" for f in changed),
            "file_attribution": json.dumps({f.path: _whose(f) for f in changed}, ensure_ascii=False),
            "status": "ok" if commit.files is not None else "missing_tree",
        }


def _whose(file: ChangedFile) -> str | None:
    """None where nobody is known, or where people are only likely to have written beside an agent."""
    if file.agent_lines and file.likely_human_lines and not file.human_lines:
        return None
    if file.agent_lines:
        return "mixed" if file.human_lines else "agent_only"
    return "human_only" if file.human_lines else None


# --- conversations ----------------------------------------------------------------------------------------------------


def _conversations(store: Store, repo: RepositoryRow) -> Iterator[Row]:
    """Prompts and tool calls in order, a session at a time."""
    copies, said = _copies(store, repo), _labels(store)
    for session in dataset.dataset_sessions(store, repo.id):
        held = copies.get(session.id)
        shared = {
            "session_id": session.key,
            "checkpoint_pk": f"{repo.name}#{held[-1].checkpoint}" if held else None,
            "repo_id": repo.name,
            "agent": _agent(session),
            "strategy": held[-1].strategy if held else None,
        }
        for number, row in enumerate(_turns(store, session.id, session.key, said)):
            yield shared | row | {"turn_id": f"{session.key}#{number}", "turn_number": number}


def _turns(store: Store, session: int, key: str, said: _Said) -> Iterator[Row]:
    asked = turns(store, session)
    events: list[tuple[int, str | None, Row]] = [(call.turn_index, call.at, _call(call)) for call in calls_by_time(store, session)]
    events += [(message.turn_index, message.at, _answer(message)) for message in messages_in_order(store, session)]
    by_turn = _grouped(sorted(events, key=lambda event: event[1] or ""), lambda event: event[0])
    prompts = 0
    for index in sorted({*asked, *by_turn}):
        if index in asked:
            judged = {name: said.get((key, index, label)) for name, label in _TURN_LABELS.items()}
            yield _prompt(asked[index], prompts) | judged
            prompts += 1
        yield from (row for _, _, row in by_turn.get(index, []))


_TURN_LABELS = {"prompt_intent": "intent", "prompt_pushback": "pushback"}


def _answer(message: MessageRow) -> Row:
    return {
        "role": "assistant", "turn_type": "assistant_response", "is_conversational": True, "content": message.text,
        "timestamp": message.at, "word_count": len(message.text.split()), "char_count": message.length,
    }  # fmt: skip


def _prompt(turn: TurnRow, number: int) -> Row:
    text = turn.prompt or ""
    return {
        "conversation_turn_number": float(number),
        "role": "user",
        "turn_type": "user_prompt" if turn.origin in ("prompt", "queued", "command") else "system_injected",
        "is_conversational": True,
        "content": text,
        "timestamp": turn.at,
        "is_continuation": text.startswith("This session is being continued"),
        "is_first_turn": number == 0,
        "word_count": len(text.split()),
        "char_count": len(text),
    }


_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path")


def _call(call: CallRow) -> Row:
    arguments = _object(call.input)
    shell = call.name.lower() in _SHELL
    first = re.match(r"\s*(\S+)", call.command or "")
    return {
        "role": "tool_use",
        "turn_type": "tool_use",
        "is_conversational": False,
        "model": call.model,
        "timestamp": call.at,
        "tool_name": call.name,
        "tool_call_id": call.call_id,
        "file_path": next((str(arguments[key]) for key in _PATH_KEYS if arguments.get(key)), None),
        "command": call.command,
        "pattern": str(arguments["pattern"]) if arguments.get("pattern") else None,
        "tool_input_json": call.input,
        "category": _category(call.name),
        "bash_category": ("git" if first and first[1] in ("git", "gh") else "other") if shell else None,
    }


def _category(name: str) -> str:
    for words, category in ((_RESEARCH, "Research"), (_ACTION, "Action"), (_ORCHESTRATION, "Orchestration")):
        if name in words:
            return category
    return "Other"


def _object(text: str | None) -> Row:
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


_ROWS = {
    "repositories": _repositories,
    "checkpoints": _checkpoints,
    "sessions": _sessions,
    "session_logs": _session_logs,
    "commits": _commits,
    "conversations": _conversations,
}
