"""What else may have to do with a line: earlier texts of agents that hold it, commands that work
on the directory of its file.
"""

import json
import re
from fnmatch import fnmatch
from typing import Any

from attribution.authorship.agent_text import MIN_LENGTH, without_layout
from attribution.queries.calls import CALLS
from collector.json_values import Row, load_json
from collector.storage.store import Store

# kinds of effects that concern every file when no path is given
_WHOLE = ("format", "generate", "restore")
_MOST = 2000  # calls that are looked through
_SHOWN = 3  # of those that hold a line


_EARLIER = f"""
SELECT c.at, c.session, c.call_id, c.name, COALESCE(e.path, '') AS path,
  COALESCE(e.outcome, c.status) AS outcome,
  COALESCE(c.error, '') AS error, COALESCE(c.command, '') AS command, COALESCE(c.input, '') AS input
FROM {CALLS} c LEFT JOIN edits e ON e.session_id = c.session_id AND e.call_id = c.call_id
WHERE c.repo_id = ? AND c.not_before <= ? AND (instr(c.input, ?) > 0 OR instr(c.command, ?) > 0)
  ORDER BY c.not_before DESC LIMIT ?
"""


def earlier_texts(store: Store, repo_id: int, line: str, until: str) -> list[Row]:
    """Calls up to a moment (ISO 8601) whose text holds the line, layout aside, each with `text`,
    its line that does.

    Those that were refused or failed come first, then the latest. `path` is that of the edited
    file, "" for a command; `outcome` what became of the edit (applied, tool_error, rejected, …),
    else the status of the call; `error` its first words.
    """
    bare = without_layout(line)
    words = "".join(c if c.isalnum() or c == "_" else " " for c in line).split()
    if len(bare) < MIN_LENGTH or not words:
        return []
    longest = max(words, key=len)
    holding = []
    for call in store.rows(_EARLIER, (repo_id, until, longest, longest, _MOST)):
        text = f"{call.pop('command')} {produced(call.pop('input'))}"
        if bare in without_layout(text):
            lines = re.split(r'\\n|\n|": "|", "|"}', text)
            call["text"] = next(
                (line.replace('\\"', '"') for line in lines if bare in without_layout(line)), ""
            )
            holding += [call] if call not in holding else []
    return sorted(holding, key=lambda call: call["outcome"] in ("applied", "ok"))[:_SHOWN]


_REPLACED = frozenset({"old_string", "old_str", "oldString", "oldText", "old_text"})


def produced(written: str) -> str:
    """The input of a call (JSON) without the texts that it would replace: they were in the file,
    whoever wrote them.
    """
    try:
        return json.dumps(_drop_replaced(load_json(written)), ensure_ascii=False)
    except (ValueError, RecursionError):  # cut off, or not JSON
        return written


def _drop_replaced(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _drop_replaced(item) for key, item in value.items() if key not in _REPLACED}
    return [_drop_replaced(item) for item in value] if isinstance(value, list) else value


def works_on(command: str, path: str) -> bool:
    """Whether a command may write to the file, or to a directory that holds it, by what its text
    says.
    """
    # few lines need it, and it takes longer to load than all else here
    from attribution.shell import effects

    for effect in effects(command):
        if effect.kind in _WHOLE and not effect.paths:
            return True
        if effect.kind != "commit" and any(
            _holds(item, path) for item in (*effect.paths, effect.target) if item
        ):
            return True
    return False


def _holds(written: str, path: str) -> bool:
    location = written.rstrip("/").removeprefix("./") or "."
    if location in (".", "*", "**", path) or path.startswith(f"{location}/"):
        return True
    # ** may stand for no directory at all
    if fnmatch(path, location) or fnmatch(path, location.replace("**/", "")):
        return True
    parts = path.split("/")
    return location.startswith("/") and any(
        location.endswith("/" + "/".join(parts[:n])) for n in range(1, len(parts) + 1)
    )
