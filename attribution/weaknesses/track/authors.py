"""Who wrote the lines of a finding, and who ended it: from the spans of the commit. Pure.

A span is a row: start_line, end_line, nonblank, author, author_class, reason, session_id, turn_index, call_id, model, and the agent
of the session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from attribution.weaknesses.words import Mixture
from collector.vocabulary.lines import Author, LineClass

Row = dict[str, Any]


def authors_of(spans: Iterable[Row], start: int, end: int, blank: Iterable[int] = (), declared: str | None = None) -> Row:
    """The columns of a finding about its added lines with text. The session is the one that wrote most of them.

    `start` to `end`: lines of the match; `blank`: those without text; `declared`: the agent that the commit declares.
    """
    empty = set(blank)
    counted = [(sum(n not in empty for n in _shared(span, start, end)), span) for span in spans]
    lines = [(count, span) for count, span in counted if count]
    authors, classes = Counter[str](), Counter[str]()
    for count, span in lines:
        authors[span["author"]] += count
        classes[span["author_class"]] += count
    reasons = {span["reason"]: count for count, span in lines if span["author"] == Author.UNKNOWN}
    _, most = max(lines, key=lambda pair: (pair[1]["author"] == Author.AGENT, pair[0]), default=(0, {}))
    author_class = _single(classes)
    is_of_agent = most.get("author") == Author.AGENT and most["session_id"] is not None
    return {
        "author": _single(authors),
        "author_class": author_class,
        "reason": max(reasons, key=reasons.__getitem__, default=""),
        "added_lines": authors.total(),
        "agent_lines": authors[Author.AGENT],
        "human_lines": classes[LineClass.HUMAN],
        "unknown_lines": authors[Author.UNKNOWN],
        **{name: most.get(name) for name in ("session_id", "turn_index", "call_id", "model")},
        "agent": (is_of_agent and most["agent"]) or (declared if author_class == LineClass.DECLARED else None),
    }


def _shared(span: Row, start: int, end: int) -> range:
    return range(max(span["start_line"], start), min(span["end_line"], end) + 1)


def _single(names: Iterable[str]) -> str:
    distinct = set(names)
    return distinct.pop() if len(distinct) == 1 else Mixture.MIXED if distinct else Author.UNKNOWN


class FindingEnd(NamedTuple):
    """Who ended a finding."""

    author: str  # class of the lines that did
    session: int | None


def ended_by(
    spans: Sequence[Row], path_lines: Sequence[tuple[int, int]], commit: Sequence[Row], sessions: Sequence[int]
) -> FindingEnd:
    """What ended a finding: the lines in its place, else all lines its commit added to the file, else to any.

    `spans`: of the file; `commit`: of all files; `sessions`: linked to the commit.
    """
    inside = [span for span in spans if any(_shared(span, start, end) for start, end in path_lines)]
    for candidates in (inside, spans, commit):
        telling = [span for span in candidates if span["nonblank"]]
        if telling:
            session_ids = {span["session_id"] for span in telling} - {None}
            session = session_ids.pop() if len(session_ids) == 1 else None
            return FindingEnd(_single(span["author_class"] for span in telling), session)
    return FindingEnd(Mixture.NONE, sessions[0] if len(sessions) == 1 else None)
