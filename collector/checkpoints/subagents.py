"""What a checkpoint says of a subagent whose calls it may lack: `tasks/<call>/task.json`, written since August 2026.

`files` are the paths that the subagent can have left changed. For one that its session waited for, the recorder took all files that
differed from HEAD when it was done, and new files that were not there when it began: at least those that it changed, if it
committed none itself. For one in the background it took only what edit calls of its transcript name.
Source: Entire CLI, `captureTaskFiles` and `materializeTaskRecords` as of September 2026.
"""

from __future__ import annotations

from collections.abc import Mapping

from collector.checkpoints import problem
from collector.git.repository import GitRepo
from collector.json_values import get_list, get_str, parse_json
from collector.model import Problem, SubagentRecord

_MAX_TASKS = 2_000
_MAX_SIZE = 1_000_000  # bytes of one record


def subagent_records(
    repo: GitRepo, entries: Mapping[str, tuple[str, bool]], checkpoint_id: str, problems: list[Problem]
) -> tuple[SubagentRecord, ...]:
    """The records of subagents beside `entries`. One without a transcript is a problem, which names the recorder's reason."""
    tasks = entries.get("tasks")
    results = []
    folders = list(repo.entries(tasks[0]).items())[:_MAX_TASKS] if tasks is not None and tasks[1] else []
    for name, (folder, is_tree) in folders:
        oid, is_folder = repo.entries(folder).get("task.json", ("", True)) if is_tree else ("", True)
        size = repo.blob_size(oid) if oid and not is_folder else None
        record = parse_json((repo.blob(oid) or b"").decode("utf-8", "replace")) if size is not None and size <= _MAX_SIZE else None
        if not isinstance(record, dict):
            continue
        files = tuple(path for path in get_list(record, "files") if isinstance(path, str))
        call, agent = get_str(record, "tool_use_id") or name, get_str(record, "agent_id")
        results.append(SubagentRecord(call, agent, files, bool(get_str(record, "completed_at"))))
        if reason := get_str(record, "transcript_unavailable_reason"):
            problems.append(problem(f"{checkpoint_id}/tasks/{call}", "no_subagent_transcript", reason))
    return tuple(results)
