"""Who wrote and who ended the lines of each lifetime: lifetimes joined to the verdicts on commits.

Pure.

The author of a line is what the spans of the commit that wrote it say. Who ended it is told only
where there is a reason: lines that came in its place were written by one session, one person, or
agents only (`replaced`); or nothing came, and of the sessions linked to that commit exactly one
took lines away from that file, and nobody else wrote into it there (`file`). Everything else is
unknown.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from collector.groups import only
from collector.vocabulary.lines import Author, LineClass

SESSION_SLACK = 5.0  # seconds: a call may end just after the commit it made


class AuthoredSpan(NamedTuple):
    """Added lines of one commit with one verdict."""

    start: int
    end: int
    nonblank: int
    origin_id: int
    line_class: str  # agent | declared | human | likely_human | tool | unknown | undeclared
    session: int | None


class StoredLifetime(NamedTuple):
    """A row of line_lifetimes, with ids of history_commits."""

    origin: int
    birth: int
    path: str
    start: int
    end: int
    blank: tuple[int, ...]  # line numbers
    death: int | None
    cause: str | None
    into: tuple[str, int, int] | None  # path, first and last line


class LineFate(NamedTuple):
    """A row of line_fates."""

    origin: int
    life: int
    lines: int
    nonblank: int
    origin_id: int | None
    actor: str | None
    actor_session: int | None
    actor_how: str | None


Actor = tuple[str, int | None, str]
"""agent, human or unknown; the session; how we know."""

NOBODY: Actor = (Author.UNKNOWN, None, "none")


@dataclass(slots=True)
class CommitVerdicts:
    """What is known about commits, by ids of history_commits."""

    spans: Mapping[tuple[int, str], Sequence[AuthoredSpan]]  # (commit, path) -> spans in order
    # sessions linked to the commit that took lines away
    removers: Mapping[tuple[int, str], set[int]] = field(default_factory=dict)
    _actors: dict[tuple[int, str, int, int], Actor] = field(
        default_factory=lambda: defaultdict(lambda: NOBODY)
    )

    def spans_between(self, commit: int, path: str, start: int, end: int) -> list[AuthoredSpan]:
        """Spans of a file with at least one line from `start` to `end`."""
        spans = self.spans.get((commit, path), ())
        first = bisect_left(spans, start, key=lambda s: s.end)
        return list(spans[first : bisect_right(spans, end, lo=first, key=lambda s: s.start)])

    def actor(self, commit: int, into: tuple[str, int, int]) -> Actor:
        key = (commit, *into)
        if key not in self._actors:
            path, start, end = into
            self._actors[key] = (
                self._replacing(commit, path, start, end)
                if end >= start
                else self._removing(commit, path)
            )
        return self._actors[key]

    def _replacing(self, commit: int, path: str, start: int, end: int) -> Actor:
        spans = self.spans_between(commit, path, start, end)
        return _one_author([s for s in spans if s.nonblank] or spans)

    def _removing(self, commit: int, path: str) -> Actor:
        sessions = self.removers.get((commit, path), set())
        written = [s for s in self.spans.get((commit, path), ()) if s.nonblank]
        if len(sessions) != 1 or any(
            s.line_class != LineClass.AGENT or s.session not in (None, *sessions) for s in written
        ):
            return NOBODY
        return (Author.AGENT, next(iter(sessions)), "file")


def _one_author(spans: Sequence[AuthoredSpan]) -> Actor:
    classes = {s.line_class for s in spans}
    sessions = {s.session for s in spans}
    if classes == {LineClass.AGENT}:
        return (Author.AGENT, only(sessions), "replaced")
    # The commit alone is not enough to say that a person took an agent's line away.
    if classes == {LineClass.HUMAN}:
        return (Author.HUMAN, None, "replaced")
    return NOBODY


def fates(lifetimes: Iterable[StoredLifetime], verdicts: CommitVerdicts) -> Iterator[LineFate]:
    """Each lifetime cut where its author changes."""
    for lifetime in lifetimes:
        actor: tuple[str | None, int | None, str | None] = (None, None, None)
        if lifetime.death is not None:
            actor = (
                verdicts.actor(lifetime.death, lifetime.into)
                if lifetime.into is not None
                else NOBODY
            )
        for start, end, origin_id in _pieces(
            lifetime,
            verdicts.spans_between(lifetime.birth, lifetime.path, lifetime.start, lifetime.end),
        ):
            blank = bisect_right(lifetime.blank, end) - bisect_left(lifetime.blank, start)
            lines = end - start + 1
            yield LineFate(
                lifetime.origin + start - lifetime.start,
                lifetime.origin,
                lines,
                lines - blank,
                origin_id,
                *actor,
            )


def _pieces(
    lifetime: StoredLifetime, spans: Sequence[AuthoredSpan]
) -> Iterator[tuple[int, int, int | None]]:
    """(first line, last line, who wrote it) over the whole lifetime; None where no verdict is."""
    next_line = lifetime.start
    for span in spans:
        start = max(span.start, lifetime.start)
        end = min(span.end, lifetime.end)
        if start > next_line:
            yield next_line, start - 1, None
        yield start, end, span.origin_id
        next_line = end + 1
    if next_line <= lifetime.end:
        yield next_line, lifetime.end, None
