"""What became of a session's work: was it taken over, was it undone, how did the session end,
what came after it. Pure.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from attribution.authorship.replay import Change
from attribution.outcomes.regions import Region, history_of
from collector.groups import group_pairs
from collector.json_values import Numbers, Row
from collector.vocabulary.lines import Author
from collector.vocabulary.sessions import SessionOutcome

REOPENED = 86_400.0  # seconds within which the next session counts as reopening this session
RESTARTED = 1_800.0
_HALF = 0.5

Where = Mapping[int, Sequence[int]]
"""Line -> the changes that brought it or took it away."""
Cause = Callable[[str, float, float], str]
"""(path, after, before) -> agent, human or unknown: who changed the file when no recorded call
did.
"""


@dataclass(slots=True)
class TakenBack:
    """Non-blank lines that went, so that the text from before the session is there again."""

    reverted: int = 0  # of the session, gone at the close
    restored: int = 0  # that the session had removed and that are back
    by: Counter[str] = field(default_factory=Counter)  # reverted lines by who took them back

    def add(self, other: Self) -> None:
        self.reverted += other.reverted
        self.restored += other.restored
        self.by.update(other.by)

    @property
    def lines(self) -> int:
        return max(self.reverted, self.restored)


@dataclass(slots=True)
class Undone:
    """The part of a session's lines in one worktree that was undone between its peak and its
    close, in non-blank lines.
    """

    peak: int = 0  # most lines alive at one moment
    gone: int = 0  # lines of the peak that were gone at the close
    # in every region whose text from before the session is back
    places: TakenBack = field(default_factory=TakenBack)
    # of these, in files that ended as before or that an undo command reached
    files: TakenBack = field(default_factory=TakenBack)

    def add(self, other: Self) -> None:
        self.peak += other.peak
        self.gone += other.gone
        self.places.add(other.places)
        self.files.add(other.files)

    @property
    def mostly(self) -> bool:
        """Half of the lines are gone and what they replaced is back."""
        return self.peak > 0 and self.places.reverted >= _HALF * self.peak

    @property
    def taken_back(self) -> TakenBack:
        """What counts as reverted: one place of many that is as before is a change of mind
        within the work.
        """
        return self.places if self.mostly else self.files


class UndoCommand(NamedTuple):
    """A git command that throws away what was not committed."""

    at: float
    since: float  # the commit before it
    paths: frozenset[str]  # as the agent recorded them
    by: str  # agent | human

    def reaches(self, path: str) -> bool:
        return any(recorded == path or recorded.endswith("/" + path) for recorded in self.paths)


def undone(
    close: float,
    regions: Sequence[Region],
    changes: Sequence[Change],
    touching: Where,
    cause: Cause,
    commands: Sequence[UndoCommand] = (),
) -> Undone:
    """`regions` are the session's own in this worktree, `changes` all of it in order, `close` is
    the session's last moment.

    `commands` undo what the replay need not have seen: lines that they reach and that nobody wrote
    again are taken back, too.
    """
    hunks = [n for region in regions for n in region.hunks]
    written = {
        line
        for n in hunks
        for line, text in zip(changes[n].fresh, changes[n].new, strict=True)
        if text.strip()
    }
    # in order of time but for the slack of clocks
    until = bisect_right(changes, close, key=lambda change: change.at)
    numbers = sorted(
        n for n in {*hunks, *(n for line in written for n in touching[line])} if n < until
    )
    at_peak, at_close = _alive(written, [changes[n] for n in numbers])
    result = Undone(len(at_peak), len(at_peak - at_close))
    back = defaultdict(list)
    firsts: Numbers = {}
    for n in sorted(hunks):
        firsts.setdefault(changes[n].path, n)
    new = {path for path, n in firsts.items() if not _file_existed(n, changes)}
    path_of = {line: changes[n].path for n in hunks for line in changes[n].fresh}
    thrown = _thrown_away(commands, [changes[n] for n in sorted(hunks) if n < until])
    again = _Again(changes, [n for n in hunks if n < until], at_close - thrown.keys())
    taken: set[int] = set()
    by_path: dict[str, TakenBack] = defaultdict(TakenBack)
    there = {path_of[line] for line in at_close if line in path_of}
    for region in regions:
        lines = {line for n in region.hunks if n < until for line in changes[n].fresh} & written
        gone = (at_peak & lines) - at_close
        lost = again.not_rewritten(gone)
        path = changes[region.hunks[0]].path
        changed = len(region.rounds) > 1 or not lines <= at_close
        is_back = changed and history_of(region.hunks, changes, touching).is_back(until - 1)
        # a new file thrown away and written again is rewritten, not undone
        is_back &= not (path in new and path in there)
        is_back &= not gone or bool(lost)  # what was written again at once was not undone
        back[path].append(is_back)
        if is_back and lines:
            lost -= taken
            taken |= lost
            who = _main_taker(
                lines,
                [changes[n] for n in sorted({n for line in lines for n in touching[line]})],
                cause,
            )
            restored = len(
                {line for n in region.hunks if n < until for line in changes[n].gone} - written
            )
            by_path[path].add(TakenBack(len(lost), restored, Counter({who: len(lost)})))
    for line in again.not_rewritten(thrown.keys() - taken):
        by_path[path_of[line]].add(TakenBack(1, 0, Counter({thrown[line]: 1})))
    for path, taken_back in by_path.items():
        result.places.add(taken_back)
        if (all(back[path]) and path not in new) or any(
            command.reaches(path) for command in commands
        ):
            result.files.add(taken_back)
    return result


class _Again:
    """Lines that stand at the close: each can be a line that went before, written again."""

    def __init__(self, changes: Sequence[Change], hunks: Sequence[int], at_close: set[int]) -> None:
        self._keys = {
            line: (changes[n].path, text)
            for n in hunks
            for line, text in zip(changes[n].fresh, changes[n].new, strict=True)
        }
        self._written_again = set[int]()
        self._there = group_pairs(
            (self._keys[line], line) for line in sorted(at_close & self._keys.keys())
        )

    def not_rewritten(self, lines: Iterable[int]) -> set[int]:
        """The removed lines whose text was not written again in the same file; ids grow with
        time.
        """
        return {line for line in sorted(lines) if not self._take(line)}

    def _take(self, line: int) -> bool:
        if line in self._written_again:
            return True
        later = self._there[self._keys[line]]
        match = next((position for position in later if position > line), None)
        if match is not None:
            later.remove(match)
            self._written_again.add(line)
        return match is not None


def _thrown_away(commands: Sequence[UndoCommand], hunks: Sequence[Change]) -> dict[int, str]:
    """Line -> who threw it away by a command: lines with text that were written since the commit
    before it and still stood.
    """
    thrown: dict[int, str] = {}
    for command in commands:
        gone = {line for h in hunks if h.at <= command.at for line in h.gone}
        for hunk in hunks:
            if command.since < hunk.at <= command.at and command.reaches(hunk.path):
                lines = zip(hunk.fresh, hunk.new, strict=True)
                thrown |= {
                    line: command.by
                    for line, text in lines
                    if text.strip() and line not in gone and line not in thrown
                }
    return thrown


def _alive(lines: set[int], changes: Sequence[Change]) -> tuple[set[int], set[int]]:
    """The session's lines at the moment when most were alive, and at the close."""
    alive: set[int] = set()
    peak: set[int] = set()
    for change in changes:
        alive.difference_update(change.gone)
        alive.update(line for line in change.fresh if line in lines)
        if len(alive) > len(peak):
            peak = set(alive)
    return peak, alive


def _file_existed(first: int, changes: Sequence[Change]) -> bool:
    """Whether the file held anything before the session's first change: deleting a file that the
    session created undoes nothing.
    """
    change = changes[first]
    return bool(change.gone) or change.before >= 0 or change.below >= 0


def _main_taker(lost: set[int], changes: Sequence[Change], cause: Cause) -> str:
    """Who took most of these lines back."""
    count: Counter[str] = Counter()
    for change in changes:
        lines = len(lost & set(change.gone))
        if lines:
            count[_taker(change, cause)] += lines
    # no line went: the session itself put back what its call had removed
    return count.most_common(1)[0][0] if count else Author.AGENT


def _taker(change: Change, cause: Cause) -> str:
    """Who did it; that a commit alone shows it is no witness of a person."""
    if change.call is not None:
        return Author.AGENT
    who = cause(change.path, change.after, change.at)
    return Author.UNKNOWN if change.committed and who == Author.HUMAN else who


# --- the end of a session -------------------------------------------------------------------------


class Visit(NamedTuple):
    """A session as its neighbours see it."""

    session_id: int
    started: float
    ended: float
    people: frozenset[str]  # e-mails of who stored it
    files: frozenset[str]  # that it changed


class Neighbours(NamedTuple):
    reopened_within: float | None
    restarted: bool


def neighbours(visits: Iterable[Visit]) -> dict[int, Neighbours]:
    """Finds what the same person did next, for each session of a repository."""
    ordered = sorted((v for v in visits if v.started), key=lambda v: (v.started, v.session_id))
    result = {}
    for number, visit in enumerate(ordered):
        later = list(_later(visit, ordered[number + 1 :]))
        restarted = any(
            v.started - visit.ended <= RESTARTED and v.files & visit.files for v in later
        )
        within = round(later[0].started - visit.ended, 3) if later else None
        result[visit.session_id] = Neighbours(within, restarted)
    return result


def _later(visit: Visit, others: Sequence[Visit]) -> Iterator[Visit]:
    """Sessions of the same person that began within a day after the end of this session."""
    for other in others:
        if other.started > visit.ended + REOPENED:
            return
        if other.started >= visit.ended and other.people & visit.people:
            yield other


class Ending(NamedTuple):
    """What is known of the end of a session's work."""

    # share of its lines that stands in commits; None when it wrote none
    applied: float | None = None
    taken_back: float = 0.0  # share of its lines in commits that later commits say to take back
    reverted_by: str | None = None  # who undid most of it before its close
    rejects: bool = False  # the last message refuses
    accepts: bool = False  # it welcomes
    restarted: bool = False
    answered: bool = False  # it wrote nothing, and ended with the agent's words


def session_outcome(ending: Ending) -> SessionOutcome:
    """The first outcome that holds: a deed or word against the work, then for it; lines in
    commits count from half of them.
    """
    if ending.reverted_by == Author.HUMAN or ending.rejects or ending.taken_back >= _HALF:
        return SessionOutcome.REJECTED
    if ending.accepts or (ending.applied or 0.0) >= _HALF:
        return SessionOutcome.ACCEPTED
    if ending.restarted:
        return SessionOutcome.RESTARTED
    return SessionOutcome.ANSWERED if ending.answered else SessionOutcome.ABANDONED


def reverter(by: Numbers, commands: Sequence[Mapping[str, object]]) -> str | None:
    """Who undid most: lines first, else the last undo command, else who restored a file; None
    when nobody did.
    """
    most = max(sorted(by), key=lambda who: by[who]) if by else None
    if most is not None and (by[most] or not commands):
        return most
    return str(commands[-1]["by"]) if commands else None


# --- the place of the first change ----------------------------------------------------------------


def localized_correct_file(
    files: Sequence[Row], linked: Collection[str] | None, touched: Collection[str]
) -> int | None:
    """The feature of that name: whether a file of the first call that changed any is one of the
    linked files.

    `files`: as the feature files_seen; `linked`, `touched`: files of the repository that linked
    commits and the session changed. None without a linked commit, or when no call changed a file.
    The files of an evaluation's reference patch are not known for a session; the files of its
    commits stand in for them.
    """
    changed = [file for file in files if file["changed"] is not None]
    if not linked or not changed:
        return None
    from_root = any(file["path"] in touched for file in changed)
    first = min(file["changed"] for file in changed)
    return int(
        any(
            file["changed"] == first and _is_linked(str(file["path"]), linked, from_root)
            for file in changed
        )
    )


def _is_linked(path: str, linked: Collection[str], from_root: bool) -> bool:
    """Paths of a session that ran in a directory below or above the root are the ends of the
    files' own, or the other way round.
    """
    return path in linked or (
        not from_root
        and any(file.endswith("/" + path) or path.endswith("/" + file) for file in linked)
    )
