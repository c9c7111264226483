"""Files that were renamed, moved or split before they were committed: the path of the edits is not
the path of the commit. Pure.

A session writes a file, which git does not know yet; a commit adds a file under another path that
no session wrote, with that text, and lacks the first one. Or a session edits a file that git knows,
and a commit has it under another path, with a line of the session. Then the file was moved in
between, and the worktree is followed to the new path.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from attribution.authorship.case import SLACK, AddedFile
from attribution.authorship.commits import CommitHistory
from attribution.authorship.replay import ReplayStep
from attribution.authorship.timeline import LAST, Timeline
from collector.model import Commit, Edit

_RECENT = 3 * 86_400.0  # seconds from the last edit to the commit
_TELLING = 8  # characters of a line that shows that a file has a session's work
_SHORT = 4  # characters: a shorter line stands in any file
_ENOUGH = 3  # lines, or
_CHARACTERS = 40  # of fewer lines
_SHARE = 0.75  # of the new file's lines that the sessions' file has, or
# lines that are this share: a few lines of half a file stand in any other
_MANY = 10
_HALF = 0.5


@dataclass(slots=True)
class _Loose:
    """A file that sessions wrote and that no commit had then."""

    steps: list[ReplayStep] = field(default_factory=list)

    def lines(self, before: float) -> set[str]:
        texts = (text for step in self.steps if step.at <= before for text in step.edit.new_texts())
        return {line.strip() for text in texts for line in text.split("\n")}


def follow_renamed(
    lines: Iterable[Timeline],
    history: CommitHistory,
    added: Callable[[str], Sequence[AddedFile]],
    touched: Mapping[str, Set[str]],
) -> None:
    """Adds a step to a timeline for each file that was moved before the commit that adds it.

    `added`: files of a commit with their texts, which are read for it; `touched`: their paths.
    """
    for line in lines:
        _follow_known(line, history, added, touched)
        loose = _loose_files(line, history.last_change)
        for commit in _in_reach(loose.values(), history.commits):
            last = commit.author_time + SLACK
            names = [
                path
                for path, file in loose.items()
                if path not in touched[commit.sha]
                and not history.last_change(path, commit.author_time)  # else it was not moved
                and any(last - _RECENT <= step.at <= last for step in file.steps)
            ]
            if names:
                _follow(line, commit, [f for f in added(commit.sha) if _is_new(f)], names, loose)


def _follow_known(
    line: Timeline,
    history: CommitHistory,
    added: Callable[[str], Sequence[AddedFile]],
    touched: Mapping[str, Set[str]],
) -> None:
    """A rename may be a commit of its own, and the edit one after it."""
    edited: dict[str, _Loose] = defaultdict(_Loose)
    for step in line.steps:
        if step.edit.op in ("write", "edit", "append"):
            edited[step.path].steps.append(step)
    targets = {step.new_path for step in line.steps} | edited.keys()
    names: dict[str, str] = {}
    for commit in _in_reach(edited.values(), history.commits):
        last = commit.author_time + SLACK
        pairs = history.renames(commit.sha)
        gone = edited.keys() & touched[commit.sha]
        if gone and gone.isdisjoint(pairs):
            gone -= history.texts(commit.sha)
            pairs |= _replacements(partial(added, commit.sha), gone, edited, last)
        for path, old in pairs.items():
            known = max(history.last_change(old, commit.author_time), last - _RECENT)
            is_edited = old in edited and any(
                known <= step.at <= last for step in edited[old].steps
            )
            if is_edited and not any(f"{path}/".startswith(f"{each}/") for each in targets if each):
                names[path] = old
        for file in added(commit.sha) if not names.keys().isdisjoint(touched[commit.sha]) else ():
            old = names.get(file.path, "")
            if old and _has_line_of(file, edited[old].lines(last)):
                steps = [step for step in edited[old].steps if step.at <= last]
                _move(line, steps, names.pop(file.path), file.path, 0)


def _in_reach(files: Iterable[_Loose], commits: Iterable[Commit]) -> list[Commit]:
    """The commits that can have what was written into some files, in order of time."""
    moments = [step.at for file in files for step in file.steps]
    first = min(moments, default=math.inf)
    end = max(moments, default=0.0) + _RECENT
    return sorted(
        (one for one in commits if first <= one.author_time + SLACK <= end),
        key=lambda one: one.author_time,
    )


def _replacements(
    files: Callable[[], Sequence[AddedFile]],
    names: set[str],
    edited: Mapping[str, _Loose],
    last: float,
) -> dict[str, str]:
    """New files for those that are gone, where git sees no rename: most of their text is new.

    `files`: those of the commit, which are not read for nothing.
    """
    texts = {name: edited[name].lines(last) for name in sorted(names)}
    return {
        file.path: name
        for file in (files() if names else ())
        if _is_new(file)
        for name in texts
        if _is_from(file, texts[name], _HALF)  # the others are those that the file had
    }


def _has_line_of(file: AddedFile, texts: set[str]) -> bool:
    return any(
        len(text) >= _TELLING and text in texts
        for text in (file.lines[index].strip() for index in file.added)
    )


def _is_new(file: AddedFile) -> bool:
    return not file.before_text and len(file.added) == len(file.lines) and file.by_hand


def _loose_files(line: Timeline, last_change: Callable[[str, float], float]) -> dict[str, _Loose]:
    files: dict[str, _Loose] = defaultdict(_Loose)
    for step in line.steps:
        if step.edit.op in ("write", "edit", "append") and not last_change(step.path, step.at):
            files[step.path].steps.append(step)
    return {path: file for path, file in files.items() if file.steps[0].edit.op != "edit"}


def _follow(
    line: Timeline,
    commit: Commit,
    new: Sequence[AddedFile],
    names: Sequence[str],
    loose: dict[str, _Loose],
) -> None:
    last = commit.author_time + SLACK
    texts = {name: loose[name].lines(last) for name in names}
    written = {step.path for step in line.steps} | {step.new_path for step in line.steps}
    pairs = [
        (max(names, key=lambda name: _share(file, texts[name])), file)
        for file in new
        if file.path not in written
    ]
    found = [(name, file) for name, file in pairs if _is_from(file, texts[name])]
    for number, (name, file) in enumerate(found):
        alone = sum(1 for other, _ in found if other == name) == 1
        steps = [step for step in loose[name].steps if step.at <= last]
        _move(line, steps, name, file.path, number, alone)
        if alone:
            del loose[name]


def _move(
    line: Timeline,
    steps: Sequence[ReplayStep],
    name: str,
    path: str,
    number: int,
    alone: bool = True,
) -> None:
    """Moves or copies a file after its last step, and whatever else happened in that moment."""
    last = max(steps, key=lambda step: step.at)
    edit = Edit(name, "move" if alone else "copy", new_path=path)
    line.steps.append(replace(last, order=LAST + number, edit=edit, new_path=path, edit_id=-1))


def _telling(file: AddedFile) -> Iterator[str]:
    return (text for line in file.lines if len(text := line.strip()) >= _SHORT)


def _share(file: AddedFile, texts: set[str]) -> float:
    lines = [*_telling(file)]
    return sum(1 for line in lines if line in texts) / max(1, len(lines))


def _is_from(file: AddedFile, texts: set[str], least: float = _SHARE) -> bool:
    common = [line for line in _telling(file) if line in texts]
    enough = len(common) >= _ENOUGH or len("".join(common)) >= _CHARACTERS
    share = _HALF if len(common) >= _MANY else least
    return enough and _share(file, texts) >= share
