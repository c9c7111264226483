"""Sessions in the files and databases in which agents keep them on a developer's machine. The texts are ours, the shapes theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from support import claude_writer as claude
from support.claude_writer import Ids, iso
from support.local_clone import AgentSession, touch

Json = dict[str, Any]


def put_lines(path: Path, records: Iterable[Json], at: float) -> Path:
    """JSON lines, last written then."""
    return put_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), at)


def put_text(path: Path, text: str, at: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    touch(path, at)
    return path


def slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path)


# --- Claude Code --------------------------------------------------------------------------------------------------------


def claude_code(home: Path, session: AgentSession) -> Path:
    """`~/.claude/projects/<slug>/<id>.jsonl`, each subagent in a file of its own below `<id>/subagents/`."""
    ids = Ids(session.id)
    main, helpers = _claude_log(session, session.cwd, ids), dict[str, claude.Transcript]()
    for action in session.actions:
        log = main
        if action.agent:
            log = helpers.setdefault(action.agent, _claude_log(session, session.cwd, ids))
        _claude_action(log, action)
    project = home / ".claude" / "projects" / slug(session.cwd)
    for agent, log in helpers.items():
        records = [{**record.data, "isSidechain": True, "agentId": agent} for record in log.records]
        put_lines(project / session.id / "subagents" / f"agent-{agent}.jsonl", records, session.ended)
    return put_text(project / f"{session.id}.jsonl", claude.to_jsonl(main.records), session.ended)


def _claude_log(session: AgentSession, cwd: str, ids: Ids) -> claude.Transcript:
    return claude.Transcript(session.id, cwd, ids, version="2.1.100")


def _claude_action(log: claude.Transcript, action: Any) -> None:
    at = action.at
    if action.kind == "prompt":
        log.prompt(at, action.text)
    elif action.kind == "say":
        log.said(at, action.text)
    elif action.kind == "shell":
        call = log.call(at, "Bash", {"command": action.text})
        log.result(at + 0.1, call, action.output, claude.bash_result(action.output))
    elif action.kind == "write":
        call = log.call(at - 0.2, "Write", {"file_path": action.path, "content": action.text})
        result = claude.write_result(action.path, action.text, action.before)
        log.result(at, call, "The file has been updated.", result)
    else:
        call = log.call(at - 0.2, "Edit", {"file_path": action.path, "old_string": action.old, "new_string": action.text})
        patch = claude.structured_patch(action.before, action.after)
        result = claude.edit_result(action.path, action.old, action.text, action.before, patch, False)
        log.result(at, call, "The file has been updated.", result)


__all__ = ["claude_code", "iso", "put_lines", "put_text", "slug"]
