"""SWE-chat's tables (arXiv 2604.20779, release v2) under its own table and column names, so that its notebook reads our data.

A column we cannot fill is null: identities at GitHub, labels made by a language model, texts of the transcripts. Line counts of
sessions and commits are ours, not the vendor's; a session is summed over all its checkpoints.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.tablefiles import Columns, has_parquet, write_csv, write_parquet
from collector.storage.store import Store

NAME = "swe-chat"
LABEL = "SWE-chat tables"
GIVES = "a directory with its six tables, Parquet, or CSV without the extra `parquet`"

_RESEARCH = frozenset({"Read", "Grep", "Glob", "WebFetch", "WebSearch", "read_file", "grep", "glob", "list_directory"})
_ACTION = frozenset({"Write", "Edit", "NotebookEdit", "Bash", "write_file", "edit_file", "run_command"})
_WRITES = frozenset({"Write", "Edit", "write_file", "edit_file"})
_ORCHESTRATION = frozenset({"Task", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "Skill", "EnterPlanMode", "ExitPlanMode"})
_SHELL = frozenset({"bash", "run_shell_command", "exec_command", "exec", "shell_command", "powershell", "execute", "shell"})
# Name in the database -> what SWE-chat calls the agent.
_AGENTS = {
    "claude-code": "Claude Code", "codex": "Codex", "gemini-cli": "Gemini CLI", "opencode": "OpenCode", "cursor": "Cursor",
    "copilot-cli": "Copilot CLI", "factory-droid": "Factory AI Droid", "pi": "Pi",
}  # fmt: skip


def _columns(text: str) -> Columns:
    """`name` is a string; `name:int` and so on otherwise."""
    return [(name, kind or "str") for name, _, kind in (word.partition(":") for word in text.split())]


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


def write(request: ExportRequest) -> ExportResult:
    parquet = has_parquet()
    ending, writer = (".parquet", write_parquet) if parquet else (".csv", write_csv)
    request.out.mkdir(parents=True, exist_ok=True)
    done = ExportResult()
    for number, (table, columns) in enumerate(TABLES.items()):
        request.progress("writing tables", number, len(TABLES))
        path = request.out / f"{table}{ending}"
        rows = (row for repo in request.repos for row in _ROWS[table](request.store, repo))
        done.rows[table] = writer(path, columns, _in_order(rows, columns))
        done.files.append(path)
    if not parquet:
        done.notes.append("CSV, because pyarrow is not installed: pip install 'whowrote[parquet]'")
    done.notes.append("conversations holds prompts and tool calls; what the agents said stays in the transcripts")
    return done


def _in_order(rows: Iterator[Row], columns: Columns) -> Iterator[Sequence[Any]]:
    names = [name for name, _ in columns]
    for row in rows:
        yield [row.get(name) for name in names]


def _json(values: Any) -> str:
    return json.dumps(list(values), ensure_ascii=False)


def _repo(store: Store, repo: int) -> Row:
    return store.rows("SELECT * FROM repos WHERE id = ?", (repo,))[0]


def _owner(name: str) -> str:
    return name.rpartition("/")[0] or name


# --- repositories -----------------------------------------------------------------------------------------------------


def _repositories(store: Store, repo: int) -> Iterator[Row]:
    r = _repo(store, repo)
    of_repo = (repo,)
    linked = store.rows(
        "SELECT COUNT(DISTINCT c.id) AS commits, COUNT(DISTINCT c.author_email) AS people FROM commits c "
        "JOIN commit_checkpoint_links l ON l.commit_id = c.id WHERE c.repo_id = ? AND l.checkpoint IS NOT NULL",
        of_repo,
    )[0]
    sums = store.rows(
        "SELECT SUM(lines_added) AS added, SUM(lines_deleted) AS deleted FROM commits c WHERE repo_id = ? AND EXISTS "
        "(SELECT 1 FROM commit_checkpoint_links l WHERE l.commit_id = c.id AND l.checkpoint IS NOT NULL)",
        of_repo,
    )[0]
    ever = store.rows(
        "SELECT COUNT(*) AS commits, SUM(lines_added) AS added, SUM(lines_deleted) AS deleted, "
        "SUM(declared_agent IS NOT NULL) AS agents, "
        "SUM(CASE WHEN declared_agent IS NOT NULL THEN lines_added END) AS agents_added, "
        "SUM(CASE WHEN declared_agent IS NOT NULL THEN lines_deleted END) AS agents_deleted FROM commits WHERE repo_id = ?",
        of_repo,
    )[0]
    yield {
        "repo_id": r["name"],
        "owner_id": _owner(r["name"]),
        "name": r["name"].rpartition("/")[2],
        "url": r["url"],
        "num_checkpoints": store.value("SELECT COUNT(*) FROM checkpoints WHERE repo_id = ?", of_repo),
        "num_sessions": store.value("SELECT COUNT(*) FROM sessions WHERE repo_id = ?", of_repo),
        "num_commits": linked["commits"],
        "num_contributors_in_dataset": linked["people"],
        "total_additions_in_dataset": sums["added"],
        "total_deletions_in_dataset": sums["deleted"],
        "total_repo_commits_ever": ever["commits"],
        "total_repo_additions_ever": ever["added"],
        "total_repo_deletions_ever": ever["deleted"],
        "total_agent_commits_ever": ever["agents"],
        "total_agent_additions_ever": ever["agents_added"],
        "total_agent_deletions_ever": ever["agents_deleted"],
        "last_scraped_at": store.value("SELECT MAX(finished_at) FROM stage_runs WHERE repo_id = ?", of_repo),
    }


# --- checkpoints ------------------------------------------------------------------------------------------------------


def _grouped(store: Store, sql: str, repo: int) -> Mapping[Any, list[Row]]:
    """Rows by their first column."""
    found: dict[Any, list[Row]] = defaultdict(list)
    for row in store.rows(sql, (repo,)):
        found[next(iter(row.values()))].append(row)
    return found


_COMMITS_OF = (
    "SELECT l.checkpoint, c.commit_sha, c.author_email, c.lines_added, c.lines_deleted FROM commit_checkpoint_links l "
    "JOIN commits c ON c.id = l.commit_id WHERE c.repo_id = ? AND l.checkpoint IS NOT NULL ORDER BY c.position"
)


def _checkpoints(store: Store, repo: int) -> Iterator[Row]:
    name = _repo(store, repo)["name"]
    sessions = _grouped(
        store,
        "SELECT cs.checkpoint_id, s.key FROM checkpoint_sessions cs JOIN sessions s ON s.id = cs.session_id WHERE s.repo_id = ? "
        "ORDER BY cs.position",
        repo,
    )
    commits = _grouped(store, _COMMITS_OF, repo)
    for c in store.rows("SELECT * FROM checkpoints WHERE repo_id = ? AND store <> 'shadow' ORDER BY created_at", (repo,)):
        made, held = commits.get(c["id"], []), sessions.get(c["id"], [])
        people = sorted({m["author_email"] for m in made if m["author_email"]})
        yield {
            "checkpoint_pk": f"{name}#{c['checkpoint_id']}",
            "checkpoint_id": c["checkpoint_id"],
            "repo_id": name,
            "session_pks": _json(dict.fromkeys(s["key"] for s in held)),
            "session_count": len({s["key"] for s in held}),
            "commit_shas": _json(m["commit_sha"] for m in made),
            "commit_count": len(made),
            "author_user_ids": _json(people),
            "unique_author_count": float(len(people)),
            "user_id": people[0] if people else c["author_email"],
            "cli_version": c["cli_version"],
            "strategy": c["strategy"],
            "branch": c["branch"],
            "files_touched_count": c["files_touched"],
            "total_additions": sum(m["lines_added"] or 0 for m in made),
            "total_deletions": sum(m["lines_deleted"] or 0 for m in made),
        }


# --- sessions ---------------------------------------------------------------------------------------------------------

_SESSIONS = """
SELECT s.*, t.agent_lines AS our_agent, t.human_lines AS our_human, t.agent_percentage,
  (SELECT COUNT(*) FROM tool_calls c WHERE c.session_id = s.id) AS calls,
  (SELECT COUNT(DISTINCT name) FROM tool_calls c WHERE c.session_id = s.id) AS tools,
  (SELECT MIN(c.author_email) FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id WHERE cs.session_id = s.id) AS person,
  (SELECT SUM(cs.human_overwritten) FROM commit_sessions cs WHERE cs.session_id = s.id) AS modified,
  (SELECT SUM(cs.human_deleted) FROM commit_sessions cs WHERE cs.session_id = s.id) AS removed,
  (SELECT finished_at FROM stage_runs g WHERE g.repo_id = s.repo_id AND g.stage = 'lines' AND g.subject = '') AS judged
FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id WHERE s.repo_id = ? ORDER BY s.started_at, s.id
"""


def _sessions(store: Store, repo: int) -> Iterator[Row]:
    name = _repo(store, repo)["name"]
    held = _held(store, repo)
    files = _grouped(
        store, "SELECT DISTINCT e.session_id, e.path FROM edits e JOIN sessions s ON s.id = e.session_id WHERE s.repo_id = ? AND "
        "e.root IS NOT NULL ORDER BY e.path", repo,
    )  # fmt: skip
    tools = _grouped(
        store,
        "SELECT c.session_id, c.name FROM tool_calls c JOIN sessions s ON s.id = c.session_id WHERE s.repo_id = ? ORDER BY c.id",
        repo,
    )
    for s in store.rows(_SESSIONS, (repo,)):
        records, touched = held.get(s["id"], []), [f["path"] for f in files.get(s["id"], [])]
        used = [t["name"] for t in tools.get(s["id"], [])]
        last = records[-1] if records else {}
        total = (s["our_agent"] or 0) + (s["our_human"] or 0)
        yield {
            "session_id": s["key"],
            "repo_id": name,
            "owner_id": _owner(name),
            "user_id": s["person"],
            "checkpoint_ids": _json(dict.fromkeys(f"{name}#{r['checkpoint']}" for r in records)),
            "canonical_checkpoint_pk": f"{name}#{last['checkpoint']}" if last else None,
            "agent": _agent(s),
            "strategy": last.get("strategy"),
            "branch": s["branch"],
            "created_at": s["started_at"],
            "cli_version": last.get("cli_version"),
            "files_touched": _json(touched),
            "files_touched_count": len(touched),
            "checkpoints_count": s["checkpoints"],
            "input_tokens": s["input_tokens"],
            "output_tokens": s["output_tokens"],
            "cache_creation_tokens": s["cache_write_tokens"],
            "cache_read_tokens": s["cache_read_tokens"],
            "agent_lines": s["our_agent"],
            "human_added": s["our_human"],
            "human_modified": s["modified"],
            "human_removed": s["removed"],
            "total_committed": total if s["our_agent"] is not None else None,
            "agent_percentage": s["agent_percentage"],
            "attribution_calculated_at": s["judged"],
            "tool_call_count": s["calls"],
            "unique_tools_count": s["tools"],
            "research_count": sum(t in _RESEARCH for t in used),
            "action_count": sum(t in _ACTION for t in used),
            "first_write_position": next(
                (i for i, t in enumerate(used) if t in ("Write", "Edit", "write_file", "edit_file")), None
            ),
            "duration_seconds": _seconds(s["started_at"], s["ended_at"]),
            "turn_count": s["turns"],
            "prompt_count": s["turns"],
        }


def _held(store: Store, repo: int) -> Mapping[Any, list[Row]]:
    """Session -> the checkpoints that hold it, oldest first."""
    return _grouped(
        store,
        "SELECT cs.session_id, c.checkpoint_id AS checkpoint, c.strategy, c.cli_version, cs.metadata, cs.transcript_blob "
        "FROM checkpoint_sessions cs JOIN checkpoints c ON c.id = cs.checkpoint_id WHERE c.repo_id = ? AND c.store <> 'shadow' "
        "ORDER BY COALESCE(cs.created_at, c.created_at)",
        repo,
    )


def _agent(session: Row) -> str:
    return _AGENTS.get(session["agent"] or "", session["agent_label"] or session["agent"] or "unknown")


def _seconds(start: str | None, end: str | None) -> float | None:
    from datetime import datetime

    if not start or not end:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _session_logs(store: Store, repo: int) -> Iterator[Row]:
    held = _held(store, repo)
    for s in store.rows("SELECT id, key FROM sessions WHERE repo_id = ? ORDER BY started_at, id", (repo,)):
        metadata = next((r["metadata"] for r in reversed(held.get(s["id"], [])) if r["metadata"]), None)
        yield {"session_id": s["key"], "session_metadata_raw": metadata}


# --- commits ----------------------------------------------------------------------------------------------------------


def _commits(store: Store, repo: int) -> Iterator[Row]:
    """Commits that a checkpoint of this clone is linked to, as in the release."""
    r = _repo(store, repo)
    files = _grouped(
        store, "SELECT f.commit_id, f.path, f.status, f.lines_added, f.lines_deleted, f.agent_lines, f.human_lines "
        "FROM commit_files f JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? ORDER BY f.path", repo,
    )  # fmt: skip
    links = _grouped(
        store, "SELECT l.commit_id, l.checkpoint_key, l.checkpoint FROM commit_checkpoint_links l "
        "JOIN commits c ON c.id = l.commit_id WHERE c.repo_id = ? AND l.checkpoint IS NOT NULL ORDER BY l.rowid", repo,
    )  # fmt: skip
    of_checkpoint = _grouped(store, _COMMITS_OF, repo)
    for c in store.rows("SELECT * FROM commits WHERE repo_id = ? ORDER BY position", (repo,)):
        if c["id"] not in links:
            continue
        link, changed = links[c["id"]][0], files.get(c["id"], [])
        siblings = [s["commit_sha"] for s in of_checkpoint.get(link["checkpoint"], [])]
        yield {
            "commit_sha": c["commit_sha"],
            "checkpoint_pk": f"{r['name']}#{link['checkpoint_key']}",
            "repo_id": r["name"],
            "commit_index": siblings.index(c["commit_sha"]) if c["commit_sha"] in siblings else 0,
            "num_commits": len(siblings),
            "user_id": c["author_email"],
            "author_name": c["author_name"],
            "author_email": c["author_email"],
            "author_date": c["author_at"],
            "commit_date": c["committed_at"],
            "commit_message": c["subject"],
            "branch": r["branch"],
            "is_agent_author": c["declared_agent"] is not None,
            "files_changed_count": len(changed),
            "total_additions": c["lines_added"],
            "total_deletions": c["lines_deleted"],
            "files_changed": "\n".join(f"{f['status']}\t{f['path']}" for f in changed),
            "numstat": "\n".join(f"{f['lines_added']}\t{f['lines_deleted']}\t{f['path']}" for f in changed),
            "file_attribution": json.dumps({f["path"]: _whose(f) for f in changed}, ensure_ascii=False),
            "status": "ok" if c["files"] is not None else "missing_tree",
        }


def _whose(file: Row) -> str | None:
    if file["agent_lines"]:
        return "mixed" if file["human_lines"] else "agent_only"
    return "human_only" if file["human_lines"] else None


# --- conversations ----------------------------------------------------------------------------------------------------


def _conversations(store: Store, repo: int) -> Iterator[Row]:
    """Prompts and tool calls in order, a session at a time."""
    name = _repo(store, repo)["name"]
    held = _held(store, repo)
    for s in store.rows("SELECT * FROM sessions WHERE repo_id = ? ORDER BY started_at, id", (repo,)):
        last = held[s["id"]][-1] if held.get(s["id"]) else {}
        shared = {
            "session_id": s["key"],
            "checkpoint_pk": f"{name}#{last['checkpoint']}" if last else None,
            "repo_id": name,
            "agent": _agent(s),
            "strategy": last.get("strategy"),
        }
        for number, row in enumerate(_turns(store, s["id"])):
            yield shared | row | {"turn_id": f"{s['key']}#{number}", "turn_number": number}


def _turns(store: Store, session: int) -> Iterator[Row]:
    turns = {row["turn_index"]: row for row in store.rows("SELECT * FROM turns WHERE session_id = ?", (session,))}
    calls = _grouped(store, "SELECT turn_index, * FROM tool_calls WHERE session_id = ? ORDER BY at, id", session)
    told = 0
    for index in sorted({*turns, *calls}):
        if index in turns:
            yield _prompt(turns[index], told)
            told += 1
        for call in calls.get(index, []):
            yield _call(call)


def _prompt(turn: Row, number: int) -> Row:
    text = turn["prompt"] or ""
    return {
        "conversation_turn_number": float(number),
        "role": "user",
        "turn_type": "user_prompt" if turn["origin"] in ("prompt", "queued", "command") else "system_injected",
        "is_conversational": True,
        "content": text,
        "timestamp": turn["at"],
        "is_continuation": text.startswith("This session is being continued"),
        "is_first_turn": number == 0,
        "word_count": len(text.split()),
        "char_count": len(text),
    }


_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path")


def _call(call: Row) -> Row:
    given = _object(call["input"])
    shell = call["name"].lower() in _SHELL
    first = re.match(r"\s*(\S+)", call["command"] or "")
    return {
        "role": "tool_use",
        "turn_type": "tool_use",
        "is_conversational": False,
        "model": call["model"],
        "timestamp": call["at"],
        "tool_name": call["name"],
        "tool_call_id": call["call_id"],
        "file_path": next((str(given[key]) for key in _PATH_KEYS if given.get(key)), None),
        "command": call["command"],
        "pattern": str(given["pattern"]) if given.get("pattern") else None,
        "tool_input_json": call["input"],
        "category": _category(call["name"]),
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
