"""A file that the replay had wrong: the edits since the parent commit, tried on the parent's own text. Pure.

Where agents record no text before their edits, an edit may fit the text that an older session had left, although the file has been
reset since. If the edits turn the version before the commit into exactly the committed one, they were made on it, whatever the
replay had.
"""

from __future__ import annotations

from collections.abc import Sequence

from attribution.authorship.case import AddedFile
from attribution.authorship.edits import fits, normal_text
from attribution.authorship.replay import AGENT, ReplayStep, Worktree
from attribution.authorship.verdicts import Verdict
from collector.vocabulary.lines import Author, Evidence, How

_IN_PLACE = frozenset({"edit", "write", "append", "substitute"})


def replay_on_parent(file: AddedFile, steps: Sequence[ReplayStep]) -> dict[int, Verdict]:
    """Verdicts on added lines, by index, when `steps` lead from the version before exactly to the committed one; else none."""
    if not steps or not file.before_text or any(step.edit.op not in _IN_PLACE for step in steps):
        return {}
    tree = Worktree(lambda *_: (), lambda *_: False)
    tree.observe(file.path, file.before_text, 0.0)
    state = tree.files.get(file.path)
    for step in sorted(steps, key=lambda item: (item.at, item.order)):
        if state is None or (step.edit.before_known and normal_text(step.edit.before or "") != state.text):
            return {}
        if not fits(step.edit, state.text, exactly=False) or not tree.apply(step).applied:
            return {}
    if state is None or state.text != file.text or len(state.ids) != len(file.lines):
        return {}
    result = {}
    for index in file.added:
        origin = tree.origin(state.ids[index])
        if origin.kind == AGENT and origin.call is not None:
            result[index] = Verdict(
                Author.AGENT, How.SHELL if origin.call.by_shell else How.EXACT, Evidence.REPLAYED, call=origin.call
            )
    return result
