"""Brings the findings of a repository up to date: plan, scan what no cache knows, follow, store. The verbs in order."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from attribution.stages import weakness_rows as tables
from attribution.weaknesses.rules.packs import cache as packs
from attribution.weaknesses.rules.rulesets import OWN, RuleSet, files_of, fingerprint, load, named
from attribution.weaknesses.scan import complexity, exclude
from attribution.weaknesses.scan.cache import CachedScan, ScanCache, default_path, engine_name, keep_engine
from attribution.weaknesses.scan.engine import Engine, ScanLimits, Scanned, Target, locate, scan, stamp, version
from attribution.weaknesses.scan.source import Findings, ScanPlan, Side, Text, changed, plan
from attribution.weaknesses.track.identity import VersionFinding
from attribution.weaknesses.track.tracker import Tracker
from collector.errors import DatabaseUnusable
from collector.git.repository import GitRepo
from collector.load import digest
from collector.model import Problem
from collector.storage.store import Store

VERSION = "3"
STAGE = "weaknesses"
_SEEN = ("ok", "none", "partial")  # a weakness would have been found
_BATCH = 2000  # texts that are put aside at once without being scanned

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ScanRequest:
    rules: tuple[str, ...] = ()  # files, directories, or own
    semgrep: str = ""
    jobs: int = 0  # 0: one for each core
    cache: Path | None = None  # None: the user's
    limits: ScanLimits = field(default_factory=ScanLimits)
    prefilter: bool = True
    complexity: bool = False  # also measure the functions that were changed


@dataclass(slots=True)
class ScanUpdate:
    """What a run did."""

    state: str  # unchanged | scanned
    engine: str
    rules: str
    texts: int = 0  # versions of files that count
    new: int = 0  # of those, not known to the cache
    given: int = 0  # of those, given to the scanner
    given_lines: int = 0
    seconds: float = 0.0
    scan_seconds: float = 0.0
    findings: int = 0  # introduced
    notes: list[str] = field(default_factory=list)


def scan_repository(
    store: Store, repo: GitRepo, repo_id: int, head: str, wanted: ScanRequest, progress: Progress = lambda what, done, total: None
) -> ScanUpdate:
    """Scans what is new up to `head`. Raises EngineMissing, EngineFailed, RulesUnusable, DatabaseUnusable."""
    with ExitStack() as stack:
        notes: list[str] = []
        kept = stack.enter_context(_cache(store, wanted.cache, notes))
        done = _update(store, kept, repo, repo_id, head, wanted, notes, progress)
        if wanted.complexity:
            complexity.update(store, kept, repo, repo_id, lambda: _versions(repo, head, wanted, progress), progress)
    return done


def _update(
    store: Store, kept: Store, repo: GitRepo, repo_id: int, head: str, wanted: ScanRequest, notes: list[str], progress: Progress
) -> ScanUpdate:
    started = time.monotonic()
    files = files_of(wanted.rules, packs())
    engine = find(kept, wanted.semgrep)
    name = " ".join(wanted.rules) or OWN
    key = _key(store, repo_id, head, fingerprint(files), engine.name)
    if store.is_done(repo_id, STAGE, "", key, VERSION):
        seconds = time.monotonic() - started
        return ScanUpdate("unchanged", engine.name, name, seconds=seconds, findings=_count(store, repo_id), notes=notes)
    rules = load(files, name)
    cache = ScanCache(kept, rules.sha256, engine.name)
    found = plan(repo, head, rules, progress)
    done = ScanUpdate("scanned", engine.name, name, len(found.texts), notes=notes)
    begun = time.monotonic()
    _scan(repo, engine, rules, cache, found, wanted, done, progress)
    done.scan_seconds = time.monotonic() - begun
    progress("following findings", 0, 0)
    known, hits = cache.known(found.texts), cache.hits(found.texts, rules)
    tracker = follow(repo, found, head, known, hits)
    with store.transaction():
        problems = _problems(found, known)
        tables.write(store, repo, repo_id, rules, engine.name, found, known, tracker)
        store.connection.execute("DELETE FROM problems WHERE repo_id = ? AND stage = ?", (repo_id, STAGE))
        store.add_problems(repo_id, problems)
        store.done(repo_id, STAGE, "", key, VERSION, time.monotonic() - started, len(problems))
    done.seconds, done.findings = time.monotonic() - started, _count(store, repo_id)
    return done


def _versions(repo: GitRepo, head: str, wanted: ScanRequest, progress: Progress) -> dict[tuple[str, str], Side]:
    return tables.sides_of(plan(repo, head, named(wanted.rules, packs()), progress))


def _count(store: Store, repo_id: int) -> int:
    return int(store.value("SELECT COUNT(*) FROM findings WHERE repo_id = ? AND status = 'introduced'", (repo_id,)))


def _key(store: Store, repo_id: int, head: str, rules: str, engine: str) -> str:
    """The verdicts are written anew by any run of the stage before, even one with the same inputs."""
    lines = store.rows("SELECT input_key, finished_at FROM stage_runs WHERE repo_id = ? AND stage = 'lines'", (repo_id,))
    return digest(VERSION, head, rules, engine, *(f"{r['input_key']} {r['finished_at']}" for r in lines))


def _cache(store: Store, path: Path | None, notes: list[str]) -> Store:
    """The cache, opened; the database itself (once more) when the cache directory cannot be written."""
    wanted = path or default_path()
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        return Store(wanted)
    except (OSError, DatabaseUnusable) as error:
        if path is not None:
            raise DatabaseUnusable(f"the cache {wanted} cannot be used: {error}", "Name another file: --cache FILE") from error
        notes.append(f"the cache {wanted} cannot be used ({error}): scans are kept in {store.path}")
        return Store(store.path)


def find(kept: Store, given: str) -> Engine:
    """The scanner; its version from the cache when the executable is the same. Raises EngineMissing."""
    path = locate(given)
    mark = stamp(path)
    known = engine_name(kept, path, mark)
    if known is None:
        known = version(path)
        keep_engine(kept, path, mark, known)
    return Engine(path, known)


# --- scanning ---------------------------------------------------------------------------------------------------------


def _scan(
    repo: GitRepo,
    engine: Engine,
    rules: RuleSet,
    cache: ScanCache,
    found: ScanPlan,
    wanted: ScanRequest,
    done: ScanUpdate,
    progress: Progress,
) -> None:
    known = cache.known(found.texts)
    new = [text for text in found.texts if text not in known]
    done.new = len(new)
    read = _Reader(repo, rules, cache, found, done, progress, wanted.prefilter)
    seen = 0
    jobs = wanted.jobs or os.cpu_count() or 1
    with closing(scan(engine, rules, read.targets(new), jobs, wanted.limits, done.notes.append)) as portions:
        for portion in portions:
            cache.save(portion)
            seen += len(portion)
            progress("scanning", min(len(new), seen + read.aside), len(new))
    read.flush()


class _Reader:
    """Reads texts; those that need no scan are recorded at once."""

    def __init__(
        self,
        repo: GitRepo,
        rules: RuleSet,
        cache: ScanCache,
        found: ScanPlan,
        done: ScanUpdate,
        progress: Progress,
        prefilter: bool,
    ) -> None:
        self._repo, self._rules, self._cache, self._found, self._done = repo, rules, cache, found, done
        self._progress, self._prefilter = progress, prefilter
        self._waiting: list[Scanned] = []
        self.aside = 0

    def targets(self, texts: Sequence[Text]) -> Iterator[Target]:
        """Texts of one language after the other, with the rules that may match in each."""
        for blob, suffix in sorted(texts, key=lambda text: (self._found.texts[text], text[1])):
            data = self._repo.blob(blob)
            target = Target(blob, suffix, data or b"")
            why = "missing" if data is None else exclude.of_text(data, suffix)
            if not why and self._prefilter:
                target = replace(target, rules=self._rules.prefilter.rules(self._found.texts[blob, suffix], target.data))
                why = "" if target.rules else "none"
            if why:
                self._aside(Scanned(target, why))
                continue
            self._done.given += 1
            self._done.given_lines += target.data.count(b"\n")
            yield target

    def _aside(self, one: Scanned) -> None:
        self._waiting.append(one)
        self.aside += 1
        if len(self._waiting) >= _BATCH:
            self.flush()
            self._progress("scanning", self.aside, self._done.new)

    def flush(self) -> None:
        # A text that is missing may come with the next fetch: it is not remembered.
        self._cache.save(one for one in self._waiting if one.status != "missing")
        self._waiting.clear()


def _problems(found: ScanPlan, known: dict[Text, CachedScan]) -> list[Problem]:
    """Texts that could not be scanned, and how many were left out for each reason."""
    problems = []
    count: Counter[str] = Counter()
    for blob, suffix in found.texts:
        one = known.get((blob, suffix))
        status = one.status if one is not None else "missing"
        if status in ("timeout", "failed"):
            problems.append(Problem(STAGE, blob, f"scan_{status}", " ".join(sorted(one.failed)) if one is not None else suffix))
        elif status not in ("ok", "none"):
            count[status] += 1
    return problems + [Problem(STAGE, "texts", f"scan_{name}", f"{number} versions of files") for name, number in count.items()]


# --- following --------------------------------------------------------------------------------------------------------


def follow(
    repo: GitRepo, found: ScanPlan, head: str, known: dict[Text, CachedScan], hits: dict[Text, tuple[VersionFinding, ...]]
) -> Tracker:
    """Findings through all commits."""

    def blind(text: Text) -> frozenset[str] | None:
        one = known.get(text)
        if one is None or (one.status not in _SEEN and not one.failed):
            return None
        return one.failed

    findings = Findings(lambda text: hits.get(text, ()), blind)
    tracker = Tracker(found.children)
    for step in found.steps:
        parents = step.commit.parents
        sides = [changed(repo, side, findings) for side in step.sides or ([],) * max(1, len(parents))]
        if len(parents) > 1:
            tracker.merge(step.commit.sha, parents, sides)
        else:
            tracker.step(step.commit.sha, parents[0] if parents else None, sides[0])
    tracker.finish(head)
    return tracker
