"""What is to be scanned of a history: the versions of files that its commits add or change, and the
ones before.

And what scans said of texts: in the user's cache, which serves all databases, so that a fork,
another database or a run after a kill scans only texts that are new, or beside the database.
"""

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from attribution.weaknesses.rules.languages import OTHER, Kind, kind_of, suffix_of
from attribution.weaknesses.rules.rulesets import RuleSet
from attribution.weaknesses.scan.engine import Scanned
from attribution.weaknesses.track.tracker import Changed, VersionFinding, strongest
from attribution.weaknesses.words import SCANNED
from collector.errors import DatabaseUnusable
from collector.files.analysed import ANALYSED, place_of
from collector.files.kinds import Attributes
from collector.files.stated import attributes_at, text_of_file
from collector.git.base import is_regular
from collector.git.repository import GitRepo, line_changes
from collector.json_values import JsonObject
from collector.model import Commit, FileChange, LineChange
from collector.runtime.progress import Progress
from collector.storage.connection import cache_path
from collector.storage.places import cache_directory
from collector.storage.store import Store
from collector.text import file_name
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
    present: frozenset[str] = frozenset()  # blobs at the tip

    def histories_of(self, texts: Collection[Text]) -> set[Text]:
        """All versions of the files that are one of the texts, also under earlier names."""
        paths: set[str] = set()
        versions: set[Text] = set()
        for pair in (pair for step in reversed(self.steps) for side in step.sides for pair in side):
            if pair.new is not None and (pair.new.text in texts or pair.new.path in paths):
                sides = [side for side in pair if side is not None]
                paths.update(side.path for side in sides)
                versions.update(side.text for side in sides)
        return versions


def plan(repo: GitRepo, head: str, rules: RuleSet, progress: Progress) -> ScanPlan:
    """Walks the whole history of `head`."""
    reader = _Reader(repo, attributes_at(repo, head))
    commits = list(repo.history(head))
    present = frozenset(repo.paths(commits[-1].tree if commits else "").values())
    history = ScanPlan(ignore=text_of_file(repo, head, ".semgrepignore"), present=present)
    for number, commit in enumerate(commits):
        if not number % 50:
            progress("reading commits", number, len(commits))
        count = max(1, len(commit.parents))
        sides = [
            side for parent in range(count) if (side := reader.pairs(commit, parent)) is not None
        ]
        step = ScanStep(commit, sides if len(sides) == count else [[] for _ in range(count)])
        history.steps.append(step)
        history.children.update(commit.parents)
        for side in step.sides:
            for pair in side:
                _add_texts(history, pair, rules)
    return history


def _add_texts(history: ScanPlan, pair: Pair, rules: RuleSet) -> None:
    """Both versions, when one of them counts: what comes out of a vendored file was there
    before.
    """
    both = [side for side in pair if side is not None and rules.covers(side.kind.language)]
    if any(side.place in ANALYSED for side in both):
        history.texts.update((side.text, side.kind.language) for side in both)


class _Reader:
    def __init__(self, repo: GitRepo, attributes: Sequence[Attributes]) -> None:
        self._repo = repo
        self._attributes = attributes
        self._places: dict[str, FilePlace] = {}

    def pairs(self, commit: Commit, parent: int) -> list[Pair] | None:
        changes = self._repo.changes(commit, parent)
        return None if changes is None else [pair for pair in map(self._pair, changes) if any(pair)]

    def _pair(self, change: FileChange) -> Pair:
        return Pair(
            self._side(change.old_path, change.old, change.old_mode),
            self._side(change.path, change.new, change.new_mode),
        )

    def _side(self, path: str, blob: str | None, mode: int) -> Side | None:
        if blob is None or not is_regular(mode):
            return None
        kind = kind_of(path)
        if kind is OTHER and not suffix_of(file_name(path).lower()):
            kind = kind_of(path, self._repo.content(blob)[:200])
        if path not in self._places:
            self._places[path] = place_of(path, self._attributes)
        return Side(path, blob, kind, self._places[path])


def changed_files(
    repo: GitRepo,
    pairs: Iterable[Pair],
    scans: "Mapping[Text, CachedScan]",
    findings: Mapping[Text, Sequence[VersionFinding]],
) -> list[Changed]:
    """The files with their findings on both sides.

    What is left out by its place or its text has none.
    """

    def of_side(side: Side | None) -> tuple[Sequence[VersionFinding], frozenset[str] | None]:
        if side is None or not side.kind.suffix:
            return (), frozenset()
        return findings.get(side.text, ()), scans[side.text].blind if side.text in scans else None

    files = []
    for old, new in pairs:
        before = of_side(old)
        after = of_side(new)
        if new is not None and new.place not in ANALYSED:
            after = (), None  # out of sight, not mended
        lines = partial(_lines, repo, old.blob if old else "", new.blob if new else "")
        paths = (old.path if old else None, new.path if new else None)
        files.append(Changed(*paths, before[0], after[0], lines, before[1], after[1]))
    return files


def _lines(repo: GitRepo, old: str, new: str) -> list[LineChange]:
    a, b = (repo.content(oid) if oid else b"" for oid in (old, new))
    return line_changes(a, b)


# --- kept by blob, rule set and scanner -----------------------------------------------------------


ENVIRONMENT = "WHOWROTE_CACHE"
_AT_ONCE = 500
_WEAKEST = (9, 9)
_NOSEM = re.compile(rb"nosem(?:grep)?\b", re.IGNORECASE)


def open_cache(store: Store, path: Path | None, notes: list[str]) -> Store:
    """The cache at `path`, else WHOWROTE_CACHE, else scans.db in the user's cache directory.

    It is a file beside the database when none was named and the cache directory cannot be written.
    Raises DatabaseUnusable.
    """
    file = path or Path(os.environ.get(ENVIRONMENT) or cache_directory() / "scans.db")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return Store(file, is_cache=True)
    except (OSError, DatabaseUnusable) as error:
        if path is not None:
            remove = getattr(error, "hint", "")  # other hints name --db
            hint = remove if "only a cache" in remove else "Choose another file with --cache FILE"
            raise DatabaseUnusable(f"the cache {file} cannot be used: {error}", hint) from error
        beside = cache_path(store.path)
        notes.append(
            f"the cache {file} cannot be used ({error}): scan results are stored in {beside}"
        )
        return Store(beside, is_cache=True)


class CachedScan(NamedTuple):
    """One text: status as in blob_scans, and the rules that did not finish."""

    status: str
    failed: frozenset[str]

    @property
    def blind(self) -> frozenset[str] | None:
        """The rules that were not run on it; None: none was."""
        return self.failed if self.status in SCANNED or self.failed else None


class ScanCache(NamedTuple):
    """Scans of one rule set by one scanner."""

    store: Store
    rules: str
    engine: str

    def scans(self, texts: Iterable[Text]) -> dict[Text, CachedScan]:
        """Those of the texts that were scanned."""
        return {
            (row["blob"], row["suffix"]): CachedScan(
                row["status"], frozenset(json.loads(row["failed_rules"] or "[]"))
            )
            for row in self._rows("blob_scans", texts)
        }

    def findings(
        self, texts: Iterable[Text], rules: RuleSet
    ) -> dict[Text, tuple[VersionFinding, ...]]:
        """Findings by text, of overlapping ones with one CWE the strongest; texts without any
        are left out.
        """
        findings: dict[Text, list[VersionFinding]] = {}
        for row in self._rows("blob_findings", texts):
            rule = rules.by_id.get(row["rule_id"])
            place = (row["start_line"], row["end_line"], row["start_byte"], row["end_byte"])
            finding = VersionFinding(
                row["rule_id"],
                rule.cwe if rule else "",
                row["text_hash"],
                *place,
                bool(row["suppressed"]),
            )
            findings.setdefault((row["blob"], row["suffix"]), []).append(finding)

        def strength(name: str) -> tuple[int, int]:
            rule = rules.by_id.get(name)
            return rule.strength if rule is not None else _WEAKEST

        return {text: strongest(of_text, strength) for text, of_text in findings.items()}

    def _rows(self, table: str, texts: Iterable[Text]) -> Iterator[JsonObject]:
        blobs = sorted({blob for blob, _ in texts})
        for start in range(0, len(blobs), _AT_ONCE):
            portion = blobs[start : start + _AT_ONCE]
            marks = ",".join("?" * len(portion))
            sql = f"SELECT * FROM {table} WHERE rules = ? AND engine = ? AND blob IN ({marks})"
            yield from self.store.rows(sql, (self.rules, self.engine, *portion))

    def save(self, scanned: Iterable[Scanned]) -> None:
        """In one transaction: a kill leaves whole portions."""
        scans = []
        findings = []
        for each in scanned:
            target = each.target
            key = (target.blob, target.suffix, self.rules, self.engine)
            failed = json.dumps(sorted(each.failed_rules)) if each.failed_rules else None
            scans.append((*key, each.status, target.data.count(b"\n") + 1, failed))
            lines = target.data.split(b"\n") if each.matches else []
            for m in each.matches:
                place = (m.start_line, m.end_line, m.start, m.end)
                findings.append(
                    (
                        *key,
                        m.rule,
                        *place,
                        hash_of(target.data[m.start : m.end]),
                        is_suppressed(lines, m.start_line),
                    )
                )
        with self.store.transaction() as connection:
            connection.executemany(
                f"INSERT OR REPLACE INTO blob_scans VALUES ({','.join('?' * 7)})", scans
            )
            connection.executemany(
                f"INSERT OR REPLACE INTO blob_findings VALUES ({','.join('?' * 11)})", findings
            )


def hash_of(text: bytes) -> str:
    """Of a text without its white space."""
    return hashlib.sha256(b"".join(text.split())).hexdigest()[:24]


def is_suppressed(lines: Sequence[bytes], start: int) -> bool:
    """Whether a comment asks semgrep to hide a match: on its first line, or alone on the line
    above.
    """
    here = lines[start - 1] if start <= len(lines) else b""
    if _NOSEM.search(here):
        return True
    above = lines[start - 2].strip() if start >= 2 else b""
    return bool(_NOSEM.search(above)) and above.startswith((b"//", b"/*", b"--", b"<!", b"#"))
