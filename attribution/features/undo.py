"""git commands that throw away what the session had edited and not yet committed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attribution.features.view import SessionView, edited_paths, is_edit
from collector.model import Command, Status

_GIT = re.compile(r"(?:^|[;&|\n(]\s*)git\s+(?:-C\s+\S+\s+)?(checkout|restore|reset|revert|stash)\b([^;&|\n<>)]{0,2000})")
_FAILED = re.compile(
    r"^(?:fatal|error): |No local changes to save|not a git repository", re.M
)  # after a pipe the status says nothing
_POPPED = re.compile(r"git\s+stash\s+(?:pop|apply)")
_QUIET_STASH = ("list", "show", "drop", "clear", "create", "store", "branch")
_EVERYTHING = ("",)


def undos(view: SessionView) -> list[dict[str, object]]:
    """Each undo with the moment, who typed it, its text and the number of edited files it reaches."""
    found: list[dict[str, object]] = []
    pending: set[str] = set()  # edited since the last commit
    for at, kind, by, text, paths in sorted(_events(view), key=lambda e: e[0]):
        if kind == "edit":
            pending.update(paths)
        elif kind == "commit":
            pending.clear()
        else:
            reached = {p for target in _targets(text, view) for p in pending if _covers(target, p)}
            if reached:
                found.append({"at": at, "by": by, "command": text[:200], "files": len(reached)})
                pending -= reached
    return found


def _events(view: SessionView) -> Iterator[tuple[float, str, str, str, tuple[str, ...]]]:
    """(moment, edit | commit | command, who, text, paths)."""
    for call in view.calls:
        at = call.done_at if call.done_at is not None else call.at or 0.0
        if is_edit(call):
            yield at, "edit", "agent", "", tuple(edited_paths(call))
        if call.commits:
            yield at, "commit", "agent", "", ()
        if call.command is not None and call.status is Status.OK and "git" in call.command.text and not _failed(call.command):
            yield at, "command", "agent", call.command.text, ()
    for mark in view.session.marks:
        if mark.kind == "user_shell" and "git" in mark.detail:
            yield mark.at or 0.0, "command", "human", re.sub(r"</?bash-input>", "", mark.detail), ()


def _targets(text: str, view: SessionView) -> list[str]:
    """What the command's undoing parts reach: paths, "" for everything."""
    return [target for match in _GIT.finditer(text) for target in _of(match[1], match[2].split(), view)]


def _of(name: str, words: list[str], view: SessionView) -> Iterable[str]:
    named = words[words.index("--") + 1 :] if "--" in words else None
    plain = [w.strip("'\"") for w in (words if named is None else named) if not w.startswith("-")]
    if name == "checkout":
        switches = any(w in ("-b", "-B", "--orphan", "--detach") for w in words)
        return () if switches else plain if named is not None else [w for w in plain if w == "." or _like_file(w)]
    if name == "restore":
        return () if "--staged" in words and "--worktree" not in words else plain
    if name == "reset":
        return _EVERYTHING if "--hard" in words else ()
    if name == "revert":
        return () if any(w in ("--abort", "--continue", "--quit", "--skip") for w in words) else _EVERYTHING
    return _stashed(words, plain, named is not None, view)


def _stashed(words: list[str], plain: list[str], named: bool, view: SessionView) -> Iterable[str]:
    if words[:1] and words[0] in (*_QUIET_STASH, "pop", "apply"):
        return ()
    typed = (mark.detail for mark in view.session.marks if mark.kind == "user_shell")
    commands = (call.command.text for call in view.calls if call.command is not None)
    return () if any(_POPPED.search(text) for text in (*commands, *typed)) else plain if named else _EVERYTHING


def _failed(command: Command) -> bool:
    """Whether the command is one that git refused, as its output says."""
    return _FAILED.search(command.output) is not None


def _like_file(word: str) -> bool:
    return re.search(r"\.[A-Za-z]\w*$|\*", word) is not None and not word.startswith(("origin/", "HEAD"))


def _covers(target: str, path: str) -> bool:
    target = target.removeprefix("./").rstrip("/")
    return target in ("", ".", ":", ":/") or path == target or path.endswith("/" + target) or f"/{target}/" in path
