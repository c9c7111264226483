"""Who wrote the lines of a finding, and who ended it: from the spans of the commit. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from collector.vocabulary.lines import LineClass

MIXED, NOBODY = "mixed", "none"


class OriginSpan(NamedTuple):
    """Added lines of one file of one commit with one origin."""

    start: int
    end: int
    nonblank: int
    author: str
    line_class: str
    reason: str
    session: int | None
    turn: int | None
    call: str | None
    model: str | None
    agent: str | None  # of the session


class FindingLines(NamedTuple):
    """The added lines with text of one finding."""

    author: str
    author_class: str
    reason: str
    added: int
    agent: int
    human: int  # with a witness on record
    unknown: int
    main: OriginSpan | None  # the span with most of them, an agent's if there is one


def lines_of_finding(spans: Iterable[OriginSpan], start: int, end: int, blank: Iterable[int] = ()) -> FindingLines:
    """`start` to `end`: lines of the match; `blank`: those without text."""
    empty = set(blank)
    lines = [(sum(1 for n in range(max(s.start, start), min(s.end, end) + 1) if n not in empty), s) for s in spans]
    lines = [(count, span) for count, span in lines if count > 0]
    count: Counter[str] = Counter()
    for number, span in lines:
        count[span.author] += number
    classes = {span.line_class for _, span in lines}
    reasons = Counter({span.reason: number for number, span in lines if span.author == "unknown"})
    main = max(lines, key=lambda one: (one[1].author == "agent", one[0]), default=(0, None))[1]
    return FindingLines(
        _one(set(count)), _one(classes), reasons.most_common(1)[0][0] if reasons else "", sum(count.values()), count["agent"],
        sum(number for number, span in lines if span.line_class == LineClass.HUMAN), count["unknown"], main,
    )  # fmt: skip


def _one(names: set[str]) -> str:
    return next(iter(names)) if len(names) == 1 else MIXED if names else "unknown"


class FindingEnd(NamedTuple):
    """Who ended a finding."""

    author: str  # class of the lines that did
    session: int | None


def ended_by(
    spans: Sequence[OriginSpan], path_lines: Sequence[tuple[int, int]], commit: Sequence[OriginSpan], sessions: Sequence[int]
) -> FindingEnd:
    """What ended a finding: the lines in its place, else all lines its commit added to the file, else to any.

    `spans`: of the file; `commit`: of all files; `sessions`: linked to the commit.
    """
    inside = [s for s in spans if any(s.start <= end and start <= s.end for start, end in path_lines)]
    for candidates in (inside, spans, commit):
        telling = [s for s in candidates if s.nonblank]
        if telling:
            session_ids = {s.session for s in telling if s.session is not None}
            session = session_ids.pop() if len(session_ids) == 1 else None
            return FindingEnd(_one({s.line_class for s in telling}), session)
    return FindingEnd(NOBODY, sessions[0] if len(sessions) == 1 else None)
