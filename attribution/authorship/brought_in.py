"""Texts that agents write outside the repository and copy or move into it. Pure.

An agent writes a draft or a script into a directory for temporary files, changes it there and runs `cp` at last. What arrives in
the repository is what its calls left of the draft; a command of unknown effect may have changed it on the way.
"""

from collections.abc import Iterable
from dataclasses import replace

from attribution.authorship.edits import NoFit, text_after
from attribution.authorship.session_edits import RawEdit, SessionEdits
from attribution.authorship.worktree_roots import WorktreeRoots
from attribution.shell import Effect, effects
from collector.model import Status

_INSTANT = 0.001  # seconds
_PLAIN = frozenset({"remove", "move", "copy", "commit"})  # effects that change no text


def bring_in(sessions: Iterable[SessionEdits], worktree_roots: WorktreeRoots) -> None:
    """Makes each copy from outside, of a text that its session wrote as a whole, a write of that text."""
    for session in sessions:
        arrivals = {raw.edit.path for raw in session.edits if _is_arrival(raw, worktree_roots)}
        if arrivals:
            _follow(session, worktree_roots)


def _is_arrival(raw: RawEdit, worktree_roots: WorktreeRoots) -> bool:
    edit = raw.edit
    into = edit.op in ("copy", "move") and raw.status is Status.OK and worktree_roots.place(edit.new_path, raw.cwd) is not None
    return into and edit.path.startswith("/") and worktree_roots.place(edit.path, raw.cwd) is None


def _follow(session: SessionEdits, worktree_roots: WorktreeRoots) -> None:
    """The files outside through time; `texts`: path -> (when it was last changed, text)."""
    texts: dict[str, tuple[float, str]] = {}
    order = sorted(range(len(session.edits)), key=lambda number: (session.edits[number].at, number))
    for number in order:
        raw = session.edits[number]
        edit = raw.edit
        if raw.status is not Status.OK or worktree_roots.place(edit.path, raw.cwd) is not None:
            continue
        if edit.op in ("copy", "move"):
            existing = texts.pop(edit.path, None) if edit.op == "move" else texts.get(edit.path)
            if existing is not None and _is_arrival(raw, worktree_roots):
                session.edits[number] = replace(
                    raw, edit=replace(edit, path=edit.new_path, op="write", content=existing[1], new_path="")
                )
                _carry_doubts(session, edit.path, existing[0], raw.at)
            elif existing is not None:
                texts[edit.new_path] = existing
        else:
            _change(texts, raw)


def _change(texts: dict[str, tuple[float, str]], raw: RawEdit) -> None:
    """A text of which a part is not the session's own is not followed."""
    edit = raw.edit
    existing = texts.pop(edit.path, None)
    if edit.op == "delete" or (existing is None and edit.op != "write"):
        return
    before = existing[1] if existing is not None else ""
    try:
        after = text_after(edit, before)
    except NoFit:
        return
    texts[edit.path] = (raw.at, after.text)


def _carry_doubts(session: SessionEdits, path: str, since: float, until: float) -> None:
    """What a command may have done to the text outside shows in the repository when it arrives there."""
    between = [action for action in session.actions if since < action.at < until]
    known = ((item, effects(item.command, item.cwd) if item.effects is None else item.effects) for item in between)
    doubtful = [
        item
        for item, results in known
        if any(e.kind not in _PLAIN and not e.is_literal and (not e.paths or path in e.paths) for e in results)
    ]
    session.actions += [replace(item, at=until, until=until + _INSTANT, effects=(Effect("opaque"),)) for item in doubtful]
