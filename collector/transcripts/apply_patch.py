"""Changes as text: the `*** Begin Patch` format and the arguments of search-and-replace tools.

Unified diffs are in collector.git.patches.

Several agents share these; the readers say where they found them and whether they were applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from collector.model import Edit, Hunk, Replacement
from collector.transcripts.jsonl import get, get_list, resolve

BEGIN, END = "*** Begin Patch", "*** End Patch"
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
_MOVE = re.compile(r"^\*\*\* Move to: (.+?)\s*$")
_END_OF_FILE = "*** End of File"

# --- the patch format ---------------------------------------------------------------------------------------------------


def parse_patch(text: str, cwd: str = "", by_shell: bool = False) -> list[Edit]:
    """The files a patch adds, updates, deletes or moves. Hunks carry exact text and no line numbers (`old_start` 0)."""
    edits = []
    for action, path, lines in _sections(text):
        full = resolve(cwd, path)
        if action == "Add":
            added = [line[1:] for line in lines if line.startswith("+")]
            edits.append(Edit(full, "write", content="\n".join(added) + "\n" if added else "", by_shell=by_shell))
        elif action == "Delete":
            edits.append(Edit(full, "delete", by_shell=by_shell))
        else:
            edits.append(_update(full, lines, cwd, by_shell))
    return edits


def _sections(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """(action, path, body lines) of each file of a patch."""
    action, path = "", ""
    lines: list[str] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        header = _FILE.match(line)
        if header or line.startswith(END):
            if action:
                yield action, path, lines
            action, path, lines = (header[1], header[2], []) if header else ("", "", [])
            continue
        if action:
            lines.append(line)
    if action:
        yield action, path, lines


def _update(path: str, lines: list[str], cwd: str, by_shell: bool) -> Edit:
    move = _MOVE.match(lines[0]) if lines else None
    hunks = tuple(_patch_hunks(lines[1:] if move else lines))
    new_path = resolve(cwd, move[1]) if move else ""
    return Edit(path, "move" if new_path else "edit", hunks=hunks, new_path=new_path, by_shell=by_shell)


def _patch_hunks(lines: list[str]) -> Iterator[Hunk]:
    body: list[str] = []
    for line in [*lines, "@@"]:
        if line.startswith("@@"):
            if any(part[:1] in "+-" for part in body):
                yield _hunk(body)
            body = []
        elif line.startswith((" ", "+", "-")):
            body.append(line)
        elif not line:  # writers drop the space of an empty context line
            body.append("")


def _hunk(body: list[str]) -> Hunk:
    while body and not body[-1]:  # blank lines between sections are not context
        body = body[:-1]
    lines = tuple(line or " " for line in body)
    old = sum(1 for line in lines if line[0] != "+")
    new = sum(1 for line in lines if line[0] != "-")
    return Hunk(0, old, 0, new, lines, exact_text=True)


# --- patches inside other text ------------------------------------------------------------------------------------------


def patches_in(text: str) -> list[str]:
    """Patches that a shell command passes to `apply_patch`: a heredoc or a quoted argument."""
    found, position = [], 0
    while "apply_patch" in text and (start := text.find(BEGIN, position)) >= 0:
        end = text.find(END, start)
        if end < 0:
            break
        position = end + len(END)
        found.append(text[start:position])
    return found


_QUOTE_BEFORE = re.compile(r"(String\.raw)?([\"'`])(?:\\n|\s)*$")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|(.))", re.S)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def patches_in_script(script: str) -> list[str]:
    """Patches written as one string literal of a JavaScript program. Text put together at run time is not recovered."""
    found, position = [], 0
    while (start := script.find(BEGIN, position)) >= 0:
        position = start + len(BEGIN)
        opening = _QUOTE_BEFORE.search(script, max(0, start - 40), start)
        literal = _literal(script, opening.end(2), opening[2], bool(opening[1])) if opening else None
        if literal and END in literal[0]:
            text, position = literal
            found.append(text.strip())
    return found


_COMMAND_KEY = re.compile(r"""["']?\b(cmd|command)["']?\s*:\s*(["'`])""")
_WORKDIR_KEY = re.compile(r"""["']?\bworkdir["']?\s*:\s*(["'`])""")


def commands_in_script(script: str) -> list[tuple[str, str]]:
    """(command, working directory) of each `exec_command` call with literal arguments in a JavaScript program."""
    found = []
    starts = [match.end() for match in re.finditer(r"\bexec_command\s*\(", script)]
    for start, stop in zip(starts, [*starts[1:], len(script)], strict=False):
        command = _argument(script, _COMMAND_KEY, start, stop)
        if command:
            found.append((command, _argument(script, _WORKDIR_KEY, start, stop)))
    return found


def _argument(script: str, key: re.Pattern[str], start: int, stop: int) -> str:
    match = key.search(script, start, stop)
    group = match.lastindex if match else None
    literal = _literal(script, match.end(), match[group], False) if match and group else None
    return literal[0] if literal else ""


def _literal(script: str, start: int, quote: str, raw: bool) -> tuple[str, int] | None:
    """The string literal whose text begins at `start`, and where it ends; None when it is open or has `${…}` parts."""
    position = start
    while position < len(script):
        char = script[position]
        if char == "\\":
            position += 2
            continue
        if char == quote:
            text = script[start:position]
            return (text if raw else _ESCAPE.sub(_unescaped, text)), position + 1
        if quote == "`" and script.startswith("${", position):
            return None
        position += 1
    return None


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        value = int(code, 16)
        return chr(value) if value < 0x110000 else "\ufffd"
    return "" if match[4] else _SIMPLE.get(match[5], match[5])


# --- arguments of search-and-replace and write tools ----------------------------------------------------------------------

_PATH = ("file_path", "path", "filePath", "TargetFile", "target_file", "notebook_path", "filename")
_OLD = ("old_string", "old_str", "oldText", "oldString", "old_text", "TargetContent")
_NEW = ("new_string", "new_str", "newText", "newString", "new_text", "ReplacementContent")
_ALL = ("replace_all", "replaceAll", "change_all", "AllowMultiple", "allow_multiple", "all")
_CONTENT = ("content", "contents", "file_text", "CodeContent", "text")


def argument(arguments: object, names: Iterable[str]) -> str | None:
    """The first of several spellings of an argument that is text."""
    for name in names:
        value = get(arguments, name)
        if isinstance(value, str):
            return value
    return None


def path_argument(arguments: object) -> str:
    return argument(arguments, _PATH) or ""


def replacements(arguments: dict[str, Any]) -> tuple[Replacement, ...]:
    """Search-and-replace pairs, in order, of one or of many replacements."""
    chunks = next((found for key in ("edits", "ReplacementChunks") if (found := get_list(arguments, key))), [arguments])
    pairs = []
    for chunk in chunks:
        old, new = argument(chunk, _OLD), argument(chunk, _NEW)
        if old is not None or new is not None:
            pairs.append(Replacement(old or "", new or "", any(get(chunk, key) is True for key in _ALL)))
    return tuple(pairs)


def edit_from_arguments(arguments: dict[str, Any], cwd: str = "", **known: Any) -> Edit | None:
    """What a write or edit tool was asked to do; `known` are further fields of the Edit. None without a path."""
    path = resolve(cwd, path_argument(arguments))
    if not path:
        return None
    pairs = replacements(arguments)
    if len(pairs) == 1 and not pairs[0].old:  # an empty old text creates the file
        return Edit(path, "write", content=pairs[0].new, **known)
    if pairs:
        return Edit(path, "edit", replacements=pairs, **known)
    content = argument(arguments, _CONTENT)
    return Edit(path, "edit" if content is None else "write", content=content, **known)


def edits_from_patch_arguments(arguments: object, cwd: str = "") -> list[Edit]:
    """Edits of a tool that takes a patch: as its whole input, or under one of several names."""
    text = arguments if isinstance(arguments, str) else argument(arguments, ("input", "patch", "patchText", "patch_text"))
    return parse_patch(text or "", cwd) if text and BEGIN in text else []


def deletion(arguments: object, cwd: str = "") -> list[Edit]:
    path = resolve(cwd, path_argument(arguments))
    return [Edit(path, "delete")] if path else []
