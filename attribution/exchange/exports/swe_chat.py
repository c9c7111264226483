"""SWE-chat's tables (arXiv 2604.20779, release v2) under its own table and column names, so that its notebook reads our data.

A column we cannot fill is null: identities at GitHub, labels made by a language model, texts of the transcripts. Line counts of
sessions and commits are ours, not the vendor's; a session is summed over all its checkpoints. The rows are made in `swe_chat.sql`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from attribution.evaluation.judge.queries import judges, stored_labels
from attribution.exchange.exports import ExportRequest, ExportResult
from collector.storage.store import Store
from collector.storage.tablefiles import Column, Columns, has_parquet, write_csv, write_parquet
from collector.vocabulary import sql_list
from collector.vocabulary.agents import label_of

NAME = "swe-chat"
LABEL = "SWE-chat tables"
GIVES = "a directory with its six tables, as Parquet, or as CSV without `whowrote[parquet]`"
OPTIONS: frozenset[str] = frozenset()

_TOOLS = {
    "research": ("Read", "Grep", "Glob", "WebFetch", "WebSearch", "read_file", "grep", "glob", "list_directory"),
    "action": ("Write", "Edit", "NotebookEdit", "Bash", "write_file", "edit_file", "run_command"),
    "writes": ("Write", "Edit", "write_file", "edit_file"),
    "orchestration": ("Task", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "Skill", "EnterPlanMode", "ExitPlanMode"),
}
_SHELL = frozenset({"bash", "run_shell_command", "exec_command", "exec", "shell_command", "powershell", "execute", "shell"})
_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path")


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

Labels = Mapping[tuple[str, int, str], str | float]
"""(session, turn, label) -> what the judge that answered last said."""


def write(request: ExportRequest) -> ExportResult:
    parquet = has_parquet()
    ending, writer = (".parquet", write_parquet) if parquet else (".csv", write_csv)
    request.out.mkdir(parents=True, exist_ok=True)
    result = ExportResult()
    labels = _labels(request.store)
    for number, (table, columns) in enumerate(TABLES.items()):
        request.progress("writing tables", number, len(TABLES))
        path = request.out / f"{table}{ending}"
        rows = (row for repo in request.repos for row in _rows(request.store, table, repo, labels))
        result.rows[table] = writer(path, columns, _in_order(rows, columns))
        result.files.append(path)
    if not parquet:
        result.notes.append("CSV, because pyarrow is not installed: pip install 'whowrote[parquet]'")
    result.notes.append("conversations contains prompts and tool calls, but not the agents' messages")
    return result


def _in_order(rows: Iterable[Row], columns: Columns) -> Iterator[Sequence[Any]]:
    for row in rows:
        values = ((row.get(column.name), column.kind) for column in columns)
        yield [bool(value) if kind == "bool" and value is not None else value for value, kind in values]


@cache
def _statements() -> dict[str, str]:
    """Table -> the SELECT of its rows."""
    text = resources.files("attribution.exchange.exports").joinpath("swe_chat.sql").read_text("utf-8")
    parts = re.split(r"^-- (\w+)\n", text.format(**{name: sql_list(tools) for name, tools in _TOOLS.items()}), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _rows(store: Store, table: str, repo_id: int, labels: Labels) -> Iterator[Row]:
    cursor = store.connection.execute(_statements()[table], {"repo": repo_id})
    names = [column[0] for column in cursor.description]
    rows = (dict(zip(names, values, strict=True)) for values in cursor)
    complete = _COMPLETED.get(table)
    yield from rows if complete is None else complete(rows, labels)


def _labels(store: Store) -> Labels:
    labels = (item for judge in judges(store)[:1] for item in stored_labels(store, judge).items())
    return {(place.session, place.turn, place.label): value for place, value in labels}


# --- what needs more than SQL -----------------------------------------------------------------------------------------


def _sessions(rows: Iterable[Row], labels: Labels) -> Iterator[Row]:
    for row in rows:
        own = {name: labels.get((row["session_id"], 0, name)) for name in _SESSION_LABELS}
        yield row | {
            "agent": _agent(row),
            "user_persona": own["paper_persona"] if own["paper_persona"] is not None else own["persona"],
            "session_success": own["paper_success_score"] if own["paper_success_score"] is not None else own["success_score"],
        }


_SESSION_LABELS = ("paper_persona", "persona", "paper_success_score", "success_score")
_TURN_LABELS = {"prompt_intent": "intent", "prompt_pushback": "pushback"}


def _agent(row: Row) -> str:
    return label_of(row["agent"] or "unknown")


def _conversations(rows: Iterable[Row], labels: Labels) -> Iterator[Row]:
    """Prompts, tool calls and answers in order, a session at a time, numbered within it."""
    session, number, prompts = "", 0, 0
    for row in rows:
        if row["session_id"] != session:
            session, number, prompts = row["session_id"], 0, 0
        row |= {"turn_id": f"{session}#{number}", "turn_number": number, "agent": _agent(row)}
        if row["content"] is not None:
            row["word_count"] = len(row["content"].split())
        if row["role"] == "user":
            row |= {column: labels.get((session, row["turn_index"], label)) for column, label in _TURN_LABELS.items()}
            row |= _prompt(row["content"], prompts)
            prompts += 1
        elif row["role"] == "tool_use":
            row |= _call(row)
        number += 1
        yield row


def _prompt(text: str, number: int) -> Row:
    return {
        "conversation_turn_number": float(number),
        "is_continuation": text.startswith("This session is being continued"),
        "is_first_turn": number == 0,
        "char_count": len(text),
    }


def _call(row: Row) -> Row:
    arguments = _object(row["tool_input_json"])
    program = re.match(r"\s*(\S+)", row["command"] or "")
    is_git = program is not None and program[1] in ("git", "gh")
    return {
        "file_path": next((str(arguments[key]) for key in _PATH_KEYS if arguments.get(key)), None),
        "pattern": str(arguments["pattern"]) if arguments.get("pattern") else None,
        "bash_category": ("git" if is_git else "other") if row["tool_name"].lower() in _SHELL else None,
    }


def _object(text: str | None) -> Row:
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


_COMPLETED: dict[str, Callable[[Iterable[Row], Labels], Iterator[Row]]] = {
    "sessions": _sessions,
    "conversations": _conversations,
}
