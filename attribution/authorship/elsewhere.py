"""Lines of sessions that stand in commits where the replay did not find them: of other branches,
pull requests, squashes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from attribution.authorship.agent_text import each_without_layout
from attribution.authorship.case import SLACK
from attribution.authorship.texts import DiffTexts
from attribution.authorship.worktrees import WorktreeRun
from collector.git.base import is_regular
from collector.git.repository import GitRepo, line_changes
from collector.model import Commit, FileChange
from collector.text import decode, is_binary, split_lines

_NEVER = float("inf")
# fates of lines whose words stand in a commit of the attributed branch
_LANDED = ("survived", "reformatted")
_TELLING = 12  # characters without layout: a shorter line stands anywhere


@dataclass(slots=True)
class LandedElsewhere:
    """Lines of one session that the replay did not find in a commit of the attributed branch,
    and some commit adds. Non-blank.
    """

    # the first one of another branch or pull request; "" when all stand in the attributed branch
    commit: str = ""
    lines: int = 0
    # of those, the ones that no agent overwrote before its worktree was compared with a commit
    left: int = 0


@dataclass(slots=True)
class _OpenLine:
    session: int
    at: float
    left: bool


@dataclass(slots=True)
class _SameText:
    """What the sessions wrote of one text into one file."""

    telling: bool  # long enough to say whose work a commit has, when nobody else wrote it
    writers: set[int] = field(default_factory=set)
    # by session: lines that are known to stand in a commit
    standing: Counter[int] = field(default_factory=Counter)
    open: list[_OpenLine] = field(default_factory=list)  # the others

    @property
    def alone(self) -> int | None:
        """The session that this text tells of."""
        return next(iter(self.writers)) if self.telling and len(self.writers) == 1 else None

    def take(self, session: int, most: int, until: float) -> list[_OpenLine]:
        """So many lines of a session as a commit of this moment shows to stand there."""
        taken = [line for line in self.open if line.session == session and line.at <= until][
            : max(0, most)
        ]
        self.open = [line for line in self.open if line not in taken]
        self.standing[session] += len(taken)
        return taken


_ByText = dict[str, dict[str, _SameText]]
"""Path -> line without layout -> who wrote it."""


def landed_elsewhere(texts: DiffTexts, runs: Sequence[WorktreeRun]) -> dict[int, LandedElsewhere]:
    """Session -> its lines that commits add to the file they were written into, though the replay
    did not find them there.

    A telling line shows that a commit has a session's work: then its other lines of that file which
    the commit adds count as well, those of earlier commits left out where it has some of their
    telling lines again, as a squash does. The commit must not be older than the line. What a stash
    is made of does not count.
    """
    lines = _lines_by_text(runs)
    first = {
        path: min(_telling_times(by_text.values()), default=_NEVER)
        for path, by_text in lines.items()
    }
    result: dict[int, LandedElsewhere] = defaultdict(LandedElsewhere)
    for commit, path, added in _additions(texts, first):
        here = {bare: lines[path][bare] for bare in added if bare in lines[path]}
        for line in _take(here, added, commit.author_time + SLACK):
            landed = result[line.session]
            landed.lines += 1
            landed.left += line.left
            landed.commit = landed.commit or (
                "" if commit.sha in texts.history.diffs else commit.sha
            )
    return dict(result)


def _telling_times(texts: Iterable[_SameText]) -> Iterator[float]:
    """When the lines were written that may show by themselves that a commit has a session's
    work.
    """
    return (line.at for same in texts if same.alone is not None for line in same.open)


def _take(here: Mapping[str, _SameText], added: Counter[str], until: float) -> Iterator[_OpenLine]:
    """Takes out the lines that a commit adds to a file."""
    told = [(same.alone, same) for same in here.values() if same.alone is not None]
    again = {session for session, same in told if same.standing[session]}
    for session in sorted(
        {session for session, same in told if any(line.at <= until for line in same.open)}
    ):
        for bare, same in here.items():
            taken = same.take(
                session, added[bare] - (same.standing[session] if session in again else 0), until
            )
            added[bare] -= len(taken)
            yield from taken


def _lines_by_text(runs: Sequence[WorktreeRun]) -> _ByText:
    fates = {(run.root, fate.line): fate.fate for run in runs for fate in run.fates}
    paths = {fate.path for run in runs for fate in run.fates if fate.fate not in _LANDED}
    result: _ByText = defaultdict(dict)
    for run in runs:
        for change in run.changes:
            if change.call is None or change.path not in paths:
                continue
            for line, bare in zip(change.fresh, _bare(change.new), strict=True):
                fate = fates.get((run.root, line)) if bare else None
                if fate is not None:
                    same = result[change.path].setdefault(bare, _SameText(len(bare) >= _TELLING))
                    same.writers.add(change.call.session_id)
                    same.standing[change.call.session_id] += fate in _LANDED
                    if fate not in _LANDED:
                        same.open.append(
                            _OpenLine(change.call.session_id, change.at, fate != "self_overwritten")
                        )
    return result


def _bare(lines: Sequence[str]) -> list[str]:
    """The lines without layout; those that are nothing else, such as brackets, as they are."""
    return [
        bare or line.strip() for bare, line in zip(each_without_layout(lines), lines, strict=True)
    ]


def _additions(
    texts: DiffTexts, first: Mapping[str, float]
) -> Iterator[tuple[Commit, str, Counter[str]]]:
    """(commit, path, lines without layout) of what commits with one parent at most add to some
    files; other branches first.

    `first`: path -> when the first telling line was written into it that may stand in one; commits
    before it are left out.
    """
    stash = texts.repo.refs().get("refs/stash", "")
    remaining = texts.repo.commit(stash) if stash else None
    parts = {stash, *remaining.parents[1:]} if remaining is not None else set()
    begin = min(first.values(), default=_NEVER)
    for commit in texts.aside if first else ():
        until = commit.author_time + SLACK
        if commit.sha not in parts and not commit.is_merge and begin <= until:
            paths = {path for path, at in first.items() if at <= until}
            for change in texts.repo.changes(commit, renames=False) or ():
                if change.path in paths and change.new is not None:
                    yield commit, change.path, Counter(_bare(list(_lines(texts.repo, change))))
    for commit in texts.history.commits:
        for file in texts.history.diffs[commit.sha].files or () if not commit.is_merge else ():
            if first.get(file.change.path, _NEVER) <= commit.author_time + SLACK:
                lines = texts.lines(file)
                yield (
                    commit,
                    file.change.path,
                    Counter(_bare([line for a, b, _ in file.added for line in lines[a:b]])),
                )


def _lines(repo: GitRepo, change: FileChange) -> Iterator[str]:
    sides = ((change.old, change.old_mode), (change.new, change.new_mode))
    old, new = (
        repo.content(oid) if oid is not None and is_regular(mode) else b"" for oid, mode in sides
    )
    if is_binary(old) or is_binary(new):
        return
    lines = split_lines(new)
    for hunk in line_changes(old, new):
        yield from map(decode, lines[hunk.b0 : hunk.b1])
