"""Is what a record claims true of its commit?

Every claimed line gets one status, the first of `LINE_STATUSES` that applies. A record has the first that applies of
COMMIT_MISSING, UNREACHABLE (the commit is not in the history of the branch), then the worst of its lines, EMPTY when it claims
none, and OK. It is *consistent* when all its lines are added ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from attribution.exchange.claims.commits import CommittedFile, CommittedFiles
from attribution.exchange.producers.model import Claim
from attribution.exchange.words import ClaimStatus, Reach
from collector.git.ranges import Ranges, common, count, of_lines, united, without

LINE_STATUSES = tuple(status for status in ClaimStatus if status not in (ClaimStatus.UNREACHABLE, ClaimStatus.EMPTY))
ADDED = (ClaimStatus.OK, ClaimStatus.DANGLING_KEY)  # lines that count as claimed


@dataclass(slots=True)
class CheckedClaim:
    """One claim with its lines by status."""

    claim: Claim
    lines: dict[ClaimStatus, Ranges] = field(default_factory=dict)

    def count(self, status: ClaimStatus) -> int:
        return count(self.lines.get(status, ()))

    def added_lines(self) -> Ranges:
        """The lines that the commit really adds and no later entry gives to somebody else."""
        return united(lines for status in ADDED for lines in self.lines.get(status, ()))

    def put(self, status: ClaimStatus, lines: Ranges) -> None:
        if lines:
            self.lines[status] = lines


def check(claims: Sequence[Claim], commit: CommittedFiles | None) -> list[CheckedClaim]:
    """Each claim's lines by status, in order of the claims. A claim without ranges has none."""
    checked = [CheckedClaim(claim) for claim in claims]
    if commit is None:
        for entry in checked:
            entry.put(ClaimStatus.COMMIT_MISSING, united(entry.claim.ranges))
        return checked
    by_path: dict[str, list[CheckedClaim]] = {}
    for entry in checked:
        by_path.setdefault(entry.claim.path, []).append(entry)
    for path, entries in by_path.items():
        file = commit.file(path)
        taken: dict[tuple[str, str, str], Ranges] = {}
        for entry in reversed(entries):
            _check(entry, file, taken)
    return checked


def _check(entry: CheckedClaim, file: CommittedFile | None, taken: dict[tuple[str, str, str], Ranges]) -> None:
    claimed = united(entry.claim.ranges)
    if file is None or not file.complete:
        entry.put(ClaimStatus.FILE_MISSING if file is None else ClaimStatus.COMMIT_MISSING, claimed)
        return
    inside = common(claimed, ((1, file.lines),)) if file.lines else ()
    entry.put(ClaimStatus.BEYOND_EOF, without(claimed, inside))
    added = common(inside, file.added_lines)
    if missing := without(inside, added):
        added = united((*added, *common(missing, file.perhaps_added)))
    added = _same_text(entry.claim.texts, file, added)
    entry.put(ClaimStatus.NOT_ADDED, without(inside, added))
    who = entry.claim.who
    owner = (who.author, who.tool, who.session or who.person)
    others = united(lines for name, ranges in taken.items() if name != owner for lines in ranges)
    entry.put(ClaimStatus.OVERLAPPING, common(added, others))
    remaining = without(added, others)
    taken[owner] = united((*taken.get(owner, ()), *remaining))
    entry.put(ClaimStatus.DANGLING_KEY if entry.claim.dangling else ClaimStatus.OK, remaining)


def _same_text(texts: Mapping[int, str] | None, file: CommittedFile, added: Ranges) -> Ranges:
    """The lines whose text is the one claimed; all when the producer gives none."""
    if texts is None:
        return added
    lines = (n for first, last in added for n in range(first, last + 1))
    return of_lines(n for n in lines if texts.get(n, "").rstrip("\r") == file.text(n).rstrip("\r"))


def worst(checked: Iterable[CheckedClaim]) -> ClaimStatus:
    """What the lines make of their record, the commit's place aside: a line status, or EMPTY."""
    statuses, whole = set[ClaimStatus](), False
    for entry in checked:
        statuses.update(entry.lines)
        whole = whole or not entry.claim.ranges
    return next((status for status in LINE_STATUSES if status in statuses), ClaimStatus.OK if whole else ClaimStatus.EMPTY)


def status_of(findings: ClaimStatus, reach: Reach) -> ClaimStatus:
    """The status of a record: `findings` as `worst` gives them."""
    if reach == Reach.MISSING:
        return ClaimStatus.COMMIT_MISSING
    return findings if reach == Reach.BRANCH else ClaimStatus.UNREACHABLE
