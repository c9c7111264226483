"""Lines that a tool saw a person type, as plug-ins read its records. Pure.

A record counts for a file only if all lines that it names there are lines that its commit adds: where some are not, it describes
another text. The texts of agents and the kind of the file still decide afterwards (`attribution.authorship.people`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from attribution.authorship.commits import CommitHistory
from attribution.authorship.person_lines import Texts
from attribution.authorship.verdicts import CommitVerdict, SightingPair, Verdict, spans_of, verdicts_by_line
from collector.git.ranges import Ranges, subtract, unite
from collector.vocabulary.lines import Author, Evidence, How, Reason, Witness

# A line that is unknown for another reason than these has an explanation of its own.
_OPEN = frozenset(
    {
        Reason.NONE, Reason.NO_SESSION, Reason.UNEXPLAINED, Reason.UNCAPTURED, Reason.UNOBSERVED, Reason.OPAQUE_SHELL,
        Reason.BASE_UNKNOWN, Reason.CHECKPOINT_MISSING, Reason.TRANSCRIPT_MISSING, Reason.TRANSCRIPT_NOT_STORED,
        Reason.TRANSCRIPT_UNREADABLE, Reason.INVISIBLE_SUBAGENT,
    }
)  # fmt: skip


class TypingRecord(NamedTuple):
    """What a tool says about the lines that a commit adds to one file."""

    commit: str
    path: str
    typed: Ranges  # lines that it saw a person type
    named: Ranges  # all lines that it names in the file


def typed_lines(records: Iterable[TypingRecord], history: CommitHistory) -> dict[str, dict[str, Ranges]]:
    """Commit -> path -> lines that were seen being typed, all of them added by the commit."""
    lines: dict[str, dict[str, Ranges]] = {}
    for record in records:
        diff = history.diffs.get(record.commit)
        for file in (diff.files or ()) if diff is not None else ():
            added = unite((start + 1, end) for start, end, _ in file.added)
            if file.change.path == record.path and not subtract(record.named, added):
                lines.setdefault(record.commit, {})[record.path] = record.typed
    return lines


def testify(verdict: CommitVerdict, typed: Mapping[str, Ranges], since: float, texts: Texts) -> None:
    """Nobody's lines that were seen being typed become a person's, for the witnesses to confirm. `since`: time of the parent."""
    witness = SightingPair(Witness.TYPED, since)
    persons = Verdict(Author.HUMAN, How.NONE, Evidence.INFERRED, witness=witness)
    for file, spans in verdict.files:
        ranges = typed.get(file.change.path, ())
        open_lines = {line for span in spans if _is_open(span.verdict) for line in span.lines} if ranges else set()
        if open_lines:
            sighted = {line for line in open_lines if any(first <= line <= last for first, last in ranges)}
            spans[:] = spans_of(verdicts_by_line(spans) | dict.fromkeys(sighted, persons), texts.lines(file))


def _is_open(verdict: Verdict) -> bool:
    return verdict.author in (Author.UNKNOWN, Author.DECLARED) and verdict.reason in _OPEN
