"""Arguments of tools that change files, which every agent spells in its own way."""

from __future__ import annotations

from typing import Any

from collector.agents.common.apply_patch import BEGIN, parse_patch
from collector.json_values import get, get_list
from collector.model import Edit, Replacement
from collector.text import resolve

_PATH = ("file_path", "path", "filePath", "TargetFile", "target_file", "notebook_path", "filename")
_PATCH = ("input", "patch", "patchText", "patch_text")
_OLD = ("old_string", "old_str", "oldText", "oldString", "old_text", "TargetContent")
_NEW = ("new_string", "new_str", "newText", "newString", "new_text", "ReplacementContent")
_ALL = ("replace_all", "replaceAll", "change_all", "AllowMultiple", "allow_multiple", "all")
_CONTENT = ("content", "contents", "file_text", "CodeContent", "text")


def argument(arguments: object, *spellings: str) -> str:
    """The first of several spellings of an argument that is text, or ""."""
    return _text(arguments, spellings) or ""


def _text(arguments: object, spellings: tuple[str, ...]) -> str | None:
    for name in spellings:
        value = get(arguments, name)
        if isinstance(value, str):
            return value
    return None


def path_argument(arguments: object) -> str:
    return argument(arguments, *_PATH)


def replacements(arguments: object) -> tuple[Replacement, ...]:
    """Search-and-replace pairs in order: those of a list of replacements, or the only one."""
    listed = get_list(arguments, "edits") or get_list(arguments, "ReplacementChunks")
    pairs = []
    for chunk in listed or [arguments]:
        old, new = _text(chunk, _OLD), _text(chunk, _NEW)
        if old is not None or new is not None:
            pairs.append(Replacement(old or "", new or "", any(get(chunk, key) is True for key in _ALL)))
    return tuple(pairs)


def edits_from_arguments(arguments: object, cwd: str = "", **recorded: Any) -> list[Edit]:
    """What a write or edit tool was asked to do; `recorded` are further fields of the Edit. [] without a path."""
    path = resolve(cwd, path_argument(arguments))
    if not path:
        return []
    pairs = replacements(arguments)
    if len(pairs) == 1 and not pairs[0].old:  # an empty old text creates the file
        return [Edit(path, "write", content=pairs[0].new, **recorded)]
    if pairs:
        return [Edit(path, "edit", replacements=pairs, **recorded)]
    content = _text(arguments, _CONTENT)
    return [Edit(path, "edit" if content is None else "write", content=content, **recorded)]


def edits_from_patch(arguments: object, cwd: str = "") -> list[Edit]:
    """What a tool that takes a patch was asked to do: the patch is its whole input, or one of its arguments."""
    text = arguments if isinstance(arguments, str) else argument(arguments, *_PATCH)
    return parse_patch(text, cwd) if BEGIN in text else []


def deletions(arguments: object, cwd: str = "") -> list[Edit]:
    """What a tool that deletes one file was asked to do."""
    path = resolve(cwd, path_argument(arguments))
    return [Edit(path, "delete")] if path else []
