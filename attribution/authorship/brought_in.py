"""Texts that agents write outside the repository and copy or move into it. Pure.

An agent writes a draft or a script into a directory for temporary files, changes it there and runs `cp` at last. What arrives in
the repository is what its calls left of the draft; a command of unknown effect may have changed it on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from attribution.authorship.edits import text_after
from attribution.authorship.substitutes import NoFit
from attribution.authorship.windows import WorktreeAction
from attribution.authorship.worktree_roots import WorktreeRoots
from attribution.shell import Effect, effects
from collector.model import Status

if TYPE_CHECKING:
    from attribution.authorship.timeline import RawEdit, SessionEdits

_INSTANT = 0.001  # seconds
_PLAIN = frozenset({"remove", "move", "copy", "commit"})  # effects that change no text


def bring_in(tracks: Iterable[SessionEdits], places: WorktreeRoots) -> None:
    """Makes each copy from outside, of a text that its session wrote as a whole, a write of that text."""
    for track in tracks:
        arrivals = {raw.edit.path for raw in track.edits if _is_arrival(raw, places)}
        if arrivals:
            _follow(track, places)


def _is_arrival(raw: RawEdit, places: WorktreeRoots) -> bool:
    edit = raw.edit
    into = edit.op in ("copy", "move") and raw.status is Status.OK and places.place(edit.new_path, raw.cwd) is not None
    return into and edit.path.startswith("/") and places.place(edit.path, raw.cwd) is None


def _follow(track: SessionEdits, places: WorktreeRoots) -> None:
    """The files outside through time; `texts`: path -> (when it was last changed, text)."""
    texts: dict[str, tuple[float, str]] = {}
    order = sorted(range(len(track.edits)), key=lambda number: (track.edits[number].at, number))
    for number in order:
        raw = track.edits[number]
        edit = raw.edit
        if raw.status is not Status.OK or places.place(edit.path, raw.cwd) is not None:
            continue
        if edit.op in ("copy", "move"):
            known = texts.pop(edit.path, None) if edit.op == "move" else texts.get(edit.path)
            if known is not None and _is_arrival(raw, places):
                track.edits[number] = replace(
                    raw, edit=replace(edit, path=edit.new_path, op="write", content=known[1], new_path="")
                )
                _carry_doubts(track, edit.path, known[0], raw.at)
            elif known is not None:
                texts[edit.new_path] = known
        else:
            _change(texts, raw)


def _change(texts: dict[str, tuple[float, str]], raw: RawEdit) -> None:
    """A text of which a part is not the session's own is not followed."""
    edit = raw.edit
    known = texts.pop(edit.path, None)
    if edit.op == "delete" or (known is None and edit.op != "write"):
        return
    before = known[1] if known is not None else ""
    try:
        after = text_after(edit, before)
    except NoFit:
        return
    if after.complete:
        texts[edit.path] = (raw.at, after.text)


def _carry_doubts(track: SessionEdits, path: str, since: float, until: float) -> None:
    """What a command may have done to the text outside shows in the repository when it arrives there."""
    between = [one for one in track.actions if since < one.at < until]
    doubtful = [one for one in between if any(_may_change(effect, path) for effect in _effects_of(one))]
    track.actions += [replace(one, at=until, until=until + _INSTANT, effects=(Effect("opaque"),)) for one in doubtful]


def _effects_of(action: WorktreeAction) -> Sequence[Effect]:
    return effects(action.command, action.cwd) if action.effects is None else action.effects


def _may_change(effect: Effect, path: str) -> bool:
    return effect.kind not in _PLAIN and not effect.is_literal and (not effect.paths or path in effect.paths)
