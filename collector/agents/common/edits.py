"""What a tool was asked to do to files: its arguments, which every agent spells in its own way,
patches, and marked blocks.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from collector.git.patches import parse_unified
from collector.json_values import JsonObject, first_text, get, get_dict, get_list, get_str
from collector.model import Edit, Hunk, Replacement
from collector.text import resolve

_PATH = (
    *(
        "file_path",
        "path",
        "filePath",
        "TargetFile",
        "target_file",
        "notebook_path",
        "ipynb_filepath",
        "filename",
        "filepath",
    ),
    *("absolutePath", "absolute_path", "file", "relative_path", "relativePath", "pathInProject"),
)
_PATCH = ("input", "patch", "patchText", "patch_text")
_OLD = (
    "old_string",
    "old_str",
    "oldText",
    "oldString",
    "old_text",
    "TargetContent",
    "oldStr",
    "old",
)
_NEW = (
    "new_string",
    "new_str",
    "newText",
    "newString",
    "new_text",
    "ReplacementContent",
    "newStr",
    "new",
)
_ALL = ("replace_all", "replaceAll", "change_all", "AllowMultiple", "allow_multiple", "all")
_CONTENT = (
    "content",
    "contents",
    "file_text",
    "CodeContent",
    "text",
    "new_content",
    "new_source",
)
_FRAGMENT = ("body", "repl", "code")  # part of a file
_EXISTING = re.compile(r"^.*\.\.\. ?existing code ?\.\.\..*\n?", re.M)
PATCH_TOOLS = ("apply_patch", "applypatch", "patch")  # in lower case, as those below
DELETE_TOOLS = ("delete", "delete_file")


def text_argument(arguments: object, spellings: Sequence[str]) -> str | None:
    """The first of several spellings of an argument that is text; None where no spelling is."""
    for name in spellings:
        value = get(arguments, name)
        if isinstance(value, str):
            return value
    return None


def path_argument(arguments: object) -> str:
    return first_text(arguments, *_PATH)


def replacements(arguments: object) -> tuple[Replacement, ...]:
    """Search-and-replace pairs in order: those of a list of replacements, or the only one."""
    listed = get_list(arguments, "edits") or get_list(arguments, "ReplacementChunks")
    pairs = []
    for chunk in listed or [arguments]:
        old = text_argument(chunk, _OLD)
        new = text_argument(chunk, _NEW)
        if old is not None or new is not None:
            pairs.append(
                Replacement(old or "", new or "", any(get(chunk, key) is True for key in _ALL))
            )
    return tuple(pairs)


def edits_from_arguments(arguments: object, cwd: str = "", **recorded: Any) -> list[Edit]:
    """What a write or edit tool was asked to do; `recorded` are further fields of the Edit. []
    without a path.
    """
    path = resolve(cwd, path_argument(arguments))
    if not path:
        return [
            edit
            for part in get_list(arguments, "replacements")
            for edit in edits_from_arguments(part, cwd)
        ]
    body = text_argument(arguments, _FRAGMENT)
    if path.endswith(".ipynb") and any(name.startswith("cell") for name in get_dict(arguments)):
        body = _cell_in_file(first_text(arguments, *_CONTENT))
    pairs = replacements(arguments)
    if body is not None and not pairs:
        recorded["hunks"] = recorded.get("hunks") or tuple(_added_hunks(body))
        return [Edit(path, "edit", **recorded)]
    if len(pairs) == 1 and not pairs[0].old:  # an empty old text creates the file
        return [Edit(path, "write", content=pairs[0].new, **recorded)]
    if pairs:
        return [Edit(path, "edit", replacements=pairs, **recorded)]
    content = text_argument(arguments, _CONTENT)
    if content is not None and get(arguments, "mode") == "append":
        return [Edit(path, "append", content=content)]
    return [Edit(path, "edit" if content is None else "write", content=content, **recorded)]


def _cell_in_file(source: str) -> str:
    """The text of a notebook's cell as the lines of the file, laid out as Jupyter does."""
    lines = source.splitlines(keepends=True)
    return ",\n".join(f"    {json.dumps(line, ensure_ascii=False)}" for line in lines)


_WRITES = re.compile(r"write|edit|create|replace|insert|append|patch|update|save|modify", re.I)
# the file is somewhere else
_REMOTE = ("owner", "repo", "repository", "project_id", "url", "bucket")


def edits_of_unknown_tool(name: str, arguments: object, cwd: str = "") -> list[Edit]:
    """What a tool of a server or extension was asked to do to a file, if its name says that it
    writes; else [].
    """
    if not _WRITES.search(name.rpartition("__")[2]) or any(
        get(arguments, key) is not None for key in _REMOTE
    ):
        return []
    edits = edits_from_arguments(arguments, cwd)
    return [edit for edit in edits if edit.content is not None or edit.replacements or edit.hunks]


def _added_hunks(text: str) -> Iterator[Hunk]:
    """Lines of which it is not said where they go: a symbol, a pattern, or comments in the place
    of what stays, tell.
    """
    for part in _EXISTING.split(text):
        if part.strip():
            yield _hunk([f"+{line}" for line in part.removesuffix("\n").split("\n")])


def edits_from_patch(arguments: object, cwd: str = "") -> list[Edit]:
    """What a tool that takes a patch was asked to do: the patch is its whole input, or one of
    its arguments.
    """
    text = arguments if isinstance(arguments, str) else first_text(arguments, *_PATCH)
    if BEGIN in text:
        return parse_patch(text, cwd)
    return []


def displayed_texts(display: JsonObject) -> JsonObject:
    """Texts before and after an edit, and its diff, as Gemini CLI and what grew out of it show
    them: fields of `Edit`.
    """
    before = display.get("originalContent")
    after = display.get("newContent")
    new = display.get("isNewFile") is True
    return {
        "before": before if isinstance(before, str) and not new else None,
        "before_known": isinstance(before, str) or new,
        "after": after if isinstance(after, str) else None,
        "hunks": parse_unified(get_str(display, "fileDiff")),
    }


def deletions(arguments: object, cwd: str = "") -> list[Edit]:
    """What a tool that deletes one file was asked to do."""
    path = resolve(cwd, path_argument(arguments))
    if path:
        return [Edit(path, "delete")]
    return []


def added_lines(path: str, after: int, text: str) -> Edit:
    """Lines put into a file after a line, counted from one."""
    lines = tuple(f"+{line}" for line in text.removesuffix("\n").split("\n"))
    return Edit(
        path, "edit", hunks=(Hunk(after, 0, after + 1, len(lines), lines, exact_text=True),)
    )


# --- the patches of `apply_patch`, which several agents share; unified diffs are in collector.git.p

BEGIN = "*** Begin Patch"
END = "*** End Patch"
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
_MOVE = re.compile(r"^\*\*\* Move to: (.+?)\s*$")


def parse_patch(text: str, cwd: str = "", by_shell: bool = False) -> list[Edit]:
    """The files a patch adds, updates, deletes or moves. Hunks carry exact text and no line
    numbers (`old_start` 0).
    """
    edits = []
    for action, path, lines in _sections(text):
        full = resolve(cwd, path)
        if action == "Add":
            added = [line[1:] for line in lines if line.startswith("+")]
            edits.append(
                Edit(
                    full,
                    "write",
                    content="\n".join(added) + "\n" if added else "",
                    by_shell=by_shell,
                )
            )
        elif action == "Delete":
            edits.append(Edit(full, "delete", by_shell=by_shell))
        else:
            move = _MOVE.match(lines[0]) if lines else None
            hunks = tuple(patch_hunks(lines[1:] if move else lines))
            new_path = resolve(cwd, move[1]) if move else ""
            edits.append(
                Edit(
                    full,
                    "move" if new_path else "edit",
                    hunks=hunks,
                    new_path=new_path,
                    by_shell=by_shell,
                )
            )
    return edits


def _sections(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """(action, path, body lines) of each file of a patch."""
    action = ""
    path = ""
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


def patch_hunks(lines: list[str]) -> Iterator[Hunk]:
    """Hunks between lines that begin with @@, whatever these say of places."""
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
    return Hunk(0, old, 0, sum(1 for line in lines if line[0] != "-"), lines, exact_text=True)


def edits_of_command(text: str, cwd: str = "") -> list[Edit]:
    """What patches do that a shell command passes to `apply_patch`: in a heredoc or a quoted
    argument.
    """
    edits: list[Edit] = []
    position = 0
    while "apply_patch" in text and (start := text.find(BEGIN, position)) >= 0:
        end = text.find(END, start)
        if end < 0:
            break
        position = end + len(END)
        edits += parse_patch(text[start:position], cwd, by_shell=True)
    return edits


# --- blocks of text to search and to put in its place, between marks on lines of their own --------

_SEARCH = re.compile(r"^(?:<{5,9}|-{5,9}) (?:SEARCH|ORIGINAL)>?\s*$")
_MIDDLE = re.compile(r"^={5,9}\s*$")
_REPLACE = re.compile(r"^(?:>{5,9}|\+{5,9}) (?:REPLACE|UPDATED)>?\s*$")


def search_replace_blocks(text: str) -> tuple[Replacement, ...]:
    """The blocks of a text in order; one that is not closed is left out. Their lines end in
    newlines.
    """
    return tuple(_blocks(text.split("\n")))


def _blocks(lines: list[str]) -> Iterator[Replacement]:
    old: list[str] | None = None
    new: list[str] | None = None
    for line in lines:
        if _SEARCH.match(line):
            old = []
            new = None
        elif old is not None and new is None and _MIDDLE.match(line):
            new = []
        elif old is not None and new is not None and _REPLACE.match(line):
            yield Replacement(_join(old), _join(new))
            old = new = None
        elif new is not None:
            new.append(line)
        elif old is not None:
            old.append(line)


def _join(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def text_before(after: str, blocks: Sequence[Replacement]) -> str | None:
    """The text that the blocks, one after the other, turned into this one; None where their
    places cannot be told.
    """
    before = after
    for block in reversed(blocks):
        if not block.new or before.count(block.new) != 1:
            return None
        before = before.replace(block.new, block.old)
    return before
