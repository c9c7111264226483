"""What is to be scanned of a history: the versions of files that its commits add or change, and the ones before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from attribution.weaknesses.rules.languages import OTHER, Kind, kind_of, suffix_of
from attribution.weaknesses.rules.rulesets import RuleSet
from attribution.weaknesses.track.identity import Changed, VersionFinding
from collector.files.analysed import ANALYSED, place_of
from collector.files.kinds import Attributes
from collector.files.stated import attributes_at, text_of_file
from collector.git.base import is_regular
from collector.git.repository import GitRepo, line_changes
from collector.model import Commit, FileChange, LineChange
from collector.runtime.progress import Progress
from collector.vocabulary.lines import FilePlace

Text = tuple[str, str]
"""(blob, as what it is scanned)."""


class Side(NamedTuple):
    """A file of one version."""

    path: str
    blob: str
    kind: Kind
    place: FilePlace

    @property
    def text(self) -> Text:
        return self.blob, self.kind.suffix


class Pair(NamedTuple):
    """A file that a commit changes. None where it does not exist, or is no regular file."""

    old: Side | None
    new: Side | None


@dataclass(slots=True)
class ScanStep:
    """A commit with what differs from each of its parents; nothing when a tree is missing."""

    commit: Commit
    sides: list[list[Pair]]


@dataclass(slots=True)
class ScanPlan:
    """A history as far as scanning goes."""

    steps: list[ScanStep] = field(default_factory=list)
    texts: dict[Text, str] = field(default_factory=dict)  # to be scanned -> its language
    ignore: str = ""  # the .semgrepignore of the tip
    children: Counter[str] = field(default_factory=Counter)  # commit -> its children


def plan(repo: GitRepo, head: str, rules: RuleSet, progress: Progress) -> ScanPlan:
    """Walks the whole history of `head`."""
    reader = _Reader(repo, attributes_at(repo, head))
    commits = list(repo.history(head))
    history = ScanPlan(ignore=text_of_file(repo, head, ".semgrepignore"))
    for number, commit in enumerate(commits):
        if not number % 50:
            progress("reading commits", number, len(commits))
        count = max(1, len(commit.parents))
        sides = [side for parent in range(count) if (side := reader.pairs(commit, parent)) is not None]
        step = ScanStep(commit, sides if len(sides) == count else [[] for _ in range(count)])
        history.steps.append(step)
        history.children.update(commit.parents)
        for side in step.sides:
            for pair in side:
                _add_texts(history, pair, rules)
    return history


def _add_texts(history: ScanPlan, pair: Pair, rules: RuleSet) -> None:
    """Both versions, when one of them counts: what comes out of a vendored file was there before."""
    both = [side for side in pair if side is not None and rules.covers(side.kind.language)]
    if any(side.place in ANALYSED for side in both):
        history.texts.update((side.text, side.kind.language) for side in both)


class _Reader:
    def __init__(self, repo: GitRepo, attributes: Sequence[Attributes]) -> None:
        self._repo, self._attributes = repo, attributes
        self._places: dict[str, FilePlace] = {}

    def pairs(self, commit: Commit, parent: int) -> list[Pair] | None:
        changes = self._repo.changes(commit, parent)
        return None if changes is None else [pair for pair in map(self._pair, changes) if any(pair)]

    def _pair(self, change: FileChange) -> Pair:
        return Pair(self._side(change.old_path, change.old, change.old_mode), self._side(change.path, change.new, change.new_mode))

    def _side(self, path: str, blob: str | None, mode: int) -> Side | None:
        if blob is None or not is_regular(mode):
            return None
        kind = kind_of(path)
        if kind is OTHER and not suffix_of(path.rpartition("/")[2].lower()):
            kind = kind_of(path, (self._repo.blob(blob) or b"")[:200])
        if path not in self._places:
            self._places[path] = place_of(path, self._attributes)
        return Side(path, blob, kind, self._places[path])


class TextFindings(NamedTuple):
    """What a scan said of a text. `blind`: the rules that were not run on it; None: none was."""

    findings: Sequence[VersionFinding]
    blind: frozenset[str] | None


_NOTHING = TextFindings((), frozenset())
_NOT_SCANNED = TextFindings((), None)


def changed_files(repo: GitRepo, pairs: Iterable[Pair], scans: Mapping[Text, TextFindings]) -> list[Changed]:
    """The files with their findings on both sides. What is left out by its place or its text has none."""
    files = []
    for old, new in pairs:
        before, after = _findings(old, scans), _findings(new, scans)
        if new is not None and new.place not in ANALYSED:
            after = _NOT_SCANNED  # out of sight, not mended
        lines = partial(_lines, repo, old.blob if old else "", new.blob if new else "")
        paths = (old.path if old else None, new.path if new else None)
        files.append(Changed(*paths, before.findings, after.findings, lines, before.blind, after.blind))
    return files


def _findings(side: Side | None, scans: Mapping[Text, TextFindings]) -> TextFindings:
    if side is None or not side.kind.suffix:
        return _NOTHING
    return scans.get(side.text, _NOT_SCANNED)


def _lines(repo: GitRepo, old: str, new: str) -> list[LineChange]:
    a, b = (repo.blob(oid) or b"" if oid else b"" for oid in (old, new))
    return line_changes(a, b)
