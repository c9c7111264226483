"""Is what a record claims true of its commit? Pure: commits are seen through an interface.

Every claimed line gets one status, the first of these that applies:

    commit_missing  the commit, or what it holds there, is not in this clone
    file_missing    the commit has no such file
    beyond_eof      the file ends before that line
    not_added       the line was there before the commit, or is not the text that was claimed
    overlapping     a later entry of the same record claims the line for somebody else; the later one counts
    dangling_key    the entry's key names nobody in its record
    ok

A record has the first that applies of `commit_missing`, `unreachable` (the commit is not in the history of the branch),
then the worst of its lines, `empty` when it claims none, and `ok`. It is *consistent* when all its lines are added ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from collector.claims.model import Claim
from collector.git.ranges import Ranges, common, count, of_lines, united, without

LINE_STATUSES = ("commit_missing", "file_missing", "beyond_eof", "not_added", "overlapping", "dangling_key", "ok")
STATUSES = ("commit_missing", "unreachable", *LINE_STATUSES[1:-1], "empty", "ok")
WRONG = LINE_STATUSES[:4]  # what makes a record inconsistent


class FileView(Protocol):
    """A file of a commit."""

    @property
    def known(self) -> bool:
        """False when its text, or the text before, is not in this clone."""
        ...

    @property
    def lines(self) -> int: ...

    def added(self) -> Ranges:
        """Lines that the commit adds, as git's own diff says."""
        ...

    def perhaps_added(self) -> Ranges:
        """Lines that it adds as some other diff says; which of several equal lines is the new one is a matter of taste."""
        ...

    def text(self, line: int) -> str: ...


class CommitView(Protocol):
    """A commit of the clone."""

    def file(self, path: str) -> FileView | None: ...


@dataclass(slots=True)
class CheckedRecord:
    """One claim with its lines by status."""

    claim: Claim
    lines: dict[str, Ranges] = field(default_factory=dict)

    def count(self, status: str) -> int:
        return count(self.lines.get(status, ()))


def check(claims: Sequence[Claim], commit: CommitView | None) -> list[CheckedRecord]:
    """Each claim's lines by status, in order of the claims. A claim without ranges has none."""
    records = [CheckedRecord(claim) for claim in claims]
    if commit is None:
        for record in records:
            _put(record, "commit_missing", united(record.claim.ranges))
        return records
    by_path: dict[str, list[CheckedRecord]] = {}
    for record in records:
        by_path.setdefault(record.claim.path, []).append(record)
    for path, entries in by_path.items():
        file = commit.file(path)
        taken: dict[tuple[str, str, str], Ranges] = {}
        for record in reversed(entries):
            _check(record, file, taken)
    return records


def _check(record: CheckedRecord, file: FileView | None, taken: dict[tuple[str, str, str], Ranges]) -> None:
    left = united(record.claim.ranges)
    if file is None or not file.known:
        _put(record, "file_missing" if file is None else "commit_missing", left)
        return
    inside = common(left, ((1, file.lines),)) if file.lines else ()
    _put(record, "beyond_eof", without(left, inside))
    added = common(inside, file.added())
    if missing := without(inside, added):
        added = united((*added, *common(missing, file.perhaps_added())))
    added = _same_text(record.claim.texts, file, added)
    _put(record, "not_added", without(inside, added))
    who = record.claim.who
    owner = (who.author, who.tool, who.session or who.person)
    others = united(r for name, ranges in taken.items() if name != owner for r in ranges)
    _put(record, "overlapping", common(added, others))
    rest = without(added, others)
    taken[owner] = united((*taken.get(owner, ()), *rest))
    _put(record, "dangling_key" if record.claim.dangling else "ok", rest)


def _same_text(texts: Mapping[int, str] | None, file: FileView, added: Ranges) -> Ranges:
    """The lines whose text is the one claimed; all when the producer gives none."""
    if texts is None:
        return added
    lines = (n for first, last in added for n in range(first, last + 1))
    return of_lines(n for n in lines if texts.get(n, "").rstrip("\r") == file.text(n).rstrip("\r"))


def _put(one: CheckedRecord, status: str, lines: Ranges) -> None:
    if lines:
        one.lines[status] = lines


def worst(checked: Iterable[CheckedRecord]) -> str:
    """What the lines make of their record, the commit's place aside: a line status, or `empty`."""
    found = {status for one in checked for status in one.lines}
    whole = any(not one.claim.ranges for one in checked)
    return next((status for status in LINE_STATUSES if status in found), "ok" if whole else "empty")


def status(findings: str, reach: str) -> str:
    """Of a record: `findings` as `worst` gives them, `reach` is branch, ref, none or missing."""
    if reach == "missing":
        return "commit_missing"
    return findings if reach == "branch" else "unreachable"
