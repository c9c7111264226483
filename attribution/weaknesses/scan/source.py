"""What is to be scanned of a history: the versions of files that its commits add or change, and the ones before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from attribution.weaknesses.rules.languages import OTHER, Kind, kind_of, suffix_of
from attribution.weaknesses.rules.rulesets import RuleSet
from attribution.weaknesses.scan import exclude
from attribution.weaknesses.track.identity import VersionFinding
from attribution.weaknesses.track.tracker import Changed
from collector.files.kinds import Attributes
from collector.files.stated import attributes_at, text_of_file
from collector.git.repository import GitRepo, is_regular, line_changes
from collector.model import Commit, FileChange, LineChange
from collector.runtime.progress import Progress

Text = tuple[str, str]
"""(blob, as what it is scanned)."""


class Side(NamedTuple):
    """A file of one version."""

    path: str
    blob: str
    kind: Kind
    place: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A file that a commit changes. None where it does not exist, or is no regular file."""

    old: Side | None
    new: Side | None


@dataclass(slots=True)
class ScanStep:
    """A commit with what differs from each of its parents; None when a tree is missing."""

    commit: Commit
    sides: list[list[Pair]] | None


@dataclass(slots=True)
class ScanPlan:
    """A history as far as scanning goes."""

    steps: list[ScanStep]
    texts: dict[Text, str]  # to be scanned -> its language
    ignore: str = ""  # the .semgrepignore of the tip
    children: dict[str, int] = field(default_factory=dict)


def plan(repo: GitRepo, head: str, rules: RuleSet, progress: Progress) -> ScanPlan:
    """Walks the whole history of `head`."""
    reader = _Reader(repo, rules, attributes_at(repo, head))
    commits = list(repo.history(head))
    found = ScanPlan([], {}, text_of_file(repo, head, ".semgrepignore"))
    for number, commit in enumerate(commits):
        if not number % 50:
            progress("reading commits", number, len(commits))
        sides = [reader.pairs(commit, parent) for parent in range(max(1, len(commit.parents)))]
        whole = None if any(side is None for side in sides) else [side or [] for side in sides]
        found.steps.append(ScanStep(commit, whole))
        for parent in commit.parents:
            found.children[parent] = found.children.get(parent, 0) + 1
        for side in whole or ():
            for pair in side:
                _want(found, pair, rules)
    return found


def _want(found: ScanPlan, pair: Pair, rules: RuleSet) -> None:
    """Both versions, when one of them counts: what comes out of a vendored file was there before."""
    both = [side for side in (pair.old, pair.new) if side is not None and rules.covers(side.kind.language)]
    if any(side.place in exclude.SCANNED for side in both):
        for side in both:
            found.texts[side.blob, side.kind.suffix] = side.kind.language


class _Reader:
    def __init__(self, repo: GitRepo, rules: RuleSet, attributes: Sequence[Attributes]) -> None:
        self._repo, self._rules, self._attributes = repo, rules, attributes
        self._places: dict[str, str] = {}

    def pairs(self, commit: Commit, parent: int) -> list[Pair] | None:
        changes = self._repo.changes(commit, parent)
        if changes is None:
            return None
        return [pair for pair in map(self._pair, changes) if pair.old is not None or pair.new is not None]

    def _pair(self, change: FileChange) -> Pair:
        return Pair(self._side(change.old_path, change.old, change.old_mode), self._side(change.path, change.new, change.new_mode))

    def _side(self, path: str, blob: str | None, mode: int) -> Side | None:
        if blob is None or not is_regular(mode):
            return None
        kind = kind_of(path)
        if kind is OTHER and not suffix_of(path.rpartition("/")[2].lower()):
            kind = kind_of(path, (self._repo.blob(blob) or b"")[:200])
        if path not in self._places:
            self._places[path] = exclude.place_of(path, self._attributes)
        return Side(path, blob, kind, self._places[path])


class Findings(NamedTuple):
    """What is known of the texts: findings, and the rules that were not run on them (None: none was)."""

    hits: Callable[[Text], Sequence[VersionFinding]]
    blind: Callable[[Text], frozenset[str] | None]


def changed(repo: GitRepo, pairs: Iterable[Pair], findings: Findings) -> list[Changed]:
    """The files with their findings on both sides. What is left out by its place or its text has none."""
    found = []
    for pair in pairs:
        before, blind_before = _known(pair.old, findings)
        after, blind_after = _known(pair.new, findings)
        if pair.new is not None and pair.new.place not in exclude.SCANNED:
            after, blind_after = (), None  # out of sight, not mended
        lines = partial(_lines, repo, pair.old.blob if pair.old else "", pair.new.blob if pair.new else "")
        old, new = pair.old.path if pair.old else None, pair.new.path if pair.new else None
        found.append(Changed(old, new, before, after, lines, blind_before, blind_after))
    return found


def _known(side: Side | None, findings: Findings) -> tuple[Sequence[VersionFinding], frozenset[str] | None]:
    if side is None or not side.kind.suffix:
        return (), frozenset()
    text = (side.blob, side.kind.suffix)
    return findings.hits(text), findings.blind(text)


def _lines(repo: GitRepo, old: str, new: str) -> list[LineChange]:
    a, b = (repo.blob(oid) or b"" if oid else b"" for oid in (old, new))
    return line_changes(a, b)
