"""Finds the lines of a committed version in the replayed state of its file. Pure."""

from collections import defaultdict
from collections.abc import Sequence

from attribution.authorship.align import (
    changes,
    is_relaid,
    kinship,
    lines_of,
    pairing,
    text_changes,
)
from attribution.authorship.case import AddedFile, Committed, StateAlignment
from attribution.authorship.replay import AGENT, BASE, OUTSIDE, Worktree
from collector.model import LineChange


def align_state(tree: Worktree, file: AddedFile) -> StateAlignment:
    """Aligns the replayed state with the committed version."""
    state = tree.files.get(file.path)
    if (state is None or not state.exists) and file.old_path != file.path:
        state = tree.files.get(file.old_path) or state
    if state is None:
        return StateAlignment(file, None, [-1] * len(file.lines))
    if file.text and file.text == state.text:
        return StateAlignment(file, state, list(state.ids))
    old = lines_of(state.text)
    hunks = text_changes(state.text, file.text) if file.text else changes(old, file.lines)
    ids = [state.ids[p] if p >= 0 else -1 for p in pairing(len(old), len(file.lines), hunks)]
    alignment = StateAlignment(file, state, ids)
    added = set(file.added)
    for hunk in hunks:
        # A difference where the commit adds nothing is one to another base than its parent: nobody
        # asks.
        if not added.isdisjoint(range(hunk.b0, hunk.b1)):
            _relate(tree, alignment, state.ids, old, hunk)
    _note_lost(tree, alignment, state.ids, old, hunks)
    return alignment


def _relate(
    tree: Worktree,
    alignment: StateAlignment,
    ids: Sequence[int],
    old: Sequence[str],
    hunk: LineChange,
) -> None:
    """What the new lines of a replaced block have to do with the old ones."""
    agent = tree.has_agent(ids[hunk.a0 : hunk.a1])
    kin = kinship(old[hunk.a0 : hunk.a1], alignment.file.lines[hunk.b0 : hunk.b1], agent)
    for index, relation in enumerate(kin, hunk.b0):
        if relation is None:
            continue
        line = ids[hunk.a0 + relation.source]
        if relation.kind == "redacted":
            alignment.ids[index] = line
        else:
            alignment.kin[index] = (line, relation)
            alignment.was[index] = old[hunk.a0 + relation.source]


def _note_lost(
    tree: Worktree,
    alignment: StateAlignment,
    ids: Sequence[int],
    old: Sequence[str],
    hunks: Sequence[LineChange],
) -> None:
    """Agent lines of the state that the version lacks."""
    remaining = set(alignment.ids) | {
        line for line, relation in alignment.kin.values() if relation.kind == "reformatted"
    }
    for hunk in hunks:
        place = range(hunk.b0, hunk.b1)
        relaid = is_relaid(old[hunk.a0 : hunk.a1], alignment.file.lines[hunk.b0 : hunk.b1])
        for index in range(hunk.a0, hunk.a1):
            line = ids[index]
            if line not in remaining and tree.origin(line).kind == AGENT:
                alignment.lost.append((line, old[index]))
                if place:
                    alignment.overwritten[line] = place, relaid


def balance(tree: Worktree, alignment: StateAlignment, committed: Committed) -> None:
    """Git and the replay may disagree which of several equal lines is the new one; the number of
    new ones is the same.

    An added line that the replay calls old is exchanged with the nearest equal line that git calls
    old and the replay new.
    """
    file = alignment.file
    ids = alignment.ids
    added = set(alignment.file.added)
    want = [
        index
        for index in file.added
        if ids[index] >= 0 and _is_old(tree, ids[index], index, file, committed)
    ]
    texts = {file.lines[index] for index in want}
    have: dict[str, list[int]] = defaultdict(list)
    for index, line in enumerate(ids) if want else ():
        text = file.lines[index]
        if (
            line >= 0
            and index not in added
            and text in texts
            and tree.origin(line).kind == AGENT
            and not committed(line, text)
        ):
            have[text].append(index)
    for index in want:
        if free := have[file.lines[index]]:
            nearest = min(free, key=lambda other: abs(other - index))
            free.remove(nearest)
            ids[index], ids[nearest] = ids[nearest], ids[index]


def _is_old(tree: Worktree, line: int, index: int, file: AddedFile, committed: Committed) -> bool:
    """Not new in this commit, as far as the replay can tell."""
    kind = tree.origin(line).kind
    text = file.lines[index]
    return (
        kind == BASE
        or (kind == OUTSIDE and text in file.before)
        or (kind == AGENT and committed(line, text))
    )
