"""Lines that a tool saw a person type: ranges of git-ai's notes from before it filled in the rest. Pure.

A note counts only if it names an agent's lines too: an agent that git-ai does not know looks like a person who types, as far as an
editor tells. And for a file only if all lines that it names there are lines that its commit adds: where some are not, it describes
another text. The texts of agents and the kind of the file still decide afterwards (`attribution.authorship.witness`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attribution.authorship.commits import CommitHistory
from attribution.authorship.conclude import CommitVerdict, VerdictSpan, append_span
from attribution.authorship.diffs import FileDiff
from attribution.authorship.lines import SightingPair, Verdict
from attribution.authorship.witness import Texts
from collector.claims.git_ai import saw_typing
from collector.claims.model import Claim, ClaimRecord
from collector.git.ranges import Ranges, united, without
from collector.vocabulary.lines import Author, Reason, Witness

# A line that is unknown for another reason than these has an explanation of its own.
_OPEN = frozenset(
    {
        Reason.NONE, Reason.NO_SESSION, Reason.UNEXPLAINED, Reason.UNCAPTURED, Reason.UNOBSERVED, Reason.OPAQUE_SHELL,
        Reason.BASE_UNKNOWN, Reason.CHECKPOINT_MISSING, Reason.TRANSCRIPT_MISSING, Reason.TRANSCRIPT_NOT_STORED,
        Reason.TRANSCRIPT_UNREADABLE, Reason.INVISIBLE_SUBAGENT,
    }
)  # fmt: skip


def typed_lines(records: Iterable[ClaimRecord], history: CommitHistory) -> dict[str, dict[str, Ranges]]:
    """Commit -> path -> lines that were seen being typed, all of them added by the commit."""
    found: dict[str, dict[str, Ranges]] = {}
    for record in records:
        if record.commit not in history.diffs or not saw_typing(record):
            continue
        if all(claim.who.author != "agent" for claim in record.claims):
            continue
        for file in history.diffs[record.commit].files or ():
            claims = [claim for claim in record.claims if claim.path == file.change.path]
            typed = united(part for claim in claims if claim.who.author == "human" for part in claim.ranges)
            if typed and _describes(claims, file):
                found.setdefault(record.commit, {})[file.change.path] = typed
    return found


def _describes(claims: Iterable[Claim], file: FileDiff) -> bool:
    claimed = united(part for claim in claims for part in claim.ranges)
    return not without(claimed, united((start + 1, end) for start, end, _ in file.added))


def testify(verdict: CommitVerdict, typed: Mapping[str, Ranges], since: float, texts: Texts) -> None:
    """Nobody's lines that were seen being typed become a person's, for the witnesses to confirm. `since`: time of the parent."""
    witness = SightingPair(Witness.TYPED, since)
    persons = Verdict("human", "none", "inferred", witness=witness)
    for file, spans in verdict.files:
        ranges = typed.get(file.change.path, ())
        if ranges and any(_is_open(span.verdict) for span in spans):
            lines, parts = texts.lines(file), list[VerdictSpan]()
            for span in spans:
                for line in range(span.start, span.end + 1):
                    seen = _is_open(span.verdict) and any(first <= line <= last for first, last in ranges)
                    whose = persons if seen else span.verdict
                    append_span(parts, VerdictSpan(line, line, int(bool(lines[line - 1].strip())), whose))
            spans[:] = parts


def _is_open(verdict: Verdict) -> bool:
    return verdict.author in (Author.UNKNOWN, Author.DECLARED) and verdict.reason in _OPEN
