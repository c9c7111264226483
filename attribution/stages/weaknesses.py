"""Brings the findings of a repository up to date: plan, scan what no cache knows, follow, store. The steps in order."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from attribution.stages import weakness_rows as tables
from attribution.stages.complexity import measure
from attribution.stages.weakness_rows import ScanResult
from attribution.weaknesses import constants
from attribution.weaknesses.rules.packs import cache as packs
from attribution.weaknesses.rules.rulesets import OWN, RuleSet, files_of, fingerprint, load, named
from attribution.weaknesses.scan import exclude
from attribution.weaknesses.scan.cache import CachedScan, ScanCache, default_path, engine_name, keep_engine
from attribution.weaknesses.scan.engine import Engine, Scanned, Target, locate, scan, stamp, version
from attribution.weaknesses.scan.request import ScanRequest, ScanUpdate
from attribution.weaknesses.scan.source import Findings, ScanPlan, Side, Text, changed, plan
from attribution.weaknesses.track.identity import VersionFinding
from attribution.weaknesses.track.tracker import Tracker
from collector.errors import DatabaseUnusable
from collector.git.repository import GitRepo
from collector.model import Problem
from collector.runtime.stages import Clock, RunContext, Stage, StageName, digest, last_run
from collector.storage.store import Store

VERSION = "6"
STAGE = Stage(StageName.WEAKNESSES, VERSION, problems=(StageName.WEAKNESSES,))
_SEEN = ("ok", "partial")  # a weakness would have been found
_BATCH = 2000  # texts that are put aside at once without being scanned


def scan_repository(context: RunContext, head: str, wanted: ScanRequest) -> ScanUpdate:
    """Scans what is new up to `head`. Raises EngineMissing, EngineFailed, RulesUnusable, DatabaseUnusable."""
    with ExitStack() as stack:
        notes: list[str] = []
        cache = stack.enter_context(_cache(context.store, wanted.cache, notes))
        done = _update(context, cache, head, wanted)
        done.notes = [*notes, *done.notes]
        if wanted.complexity:
            measure(context, cache, lambda: _versions(context, head, wanted))
    return done


def _update(context: RunContext, cache_store: Store, head: str, wanted: ScanRequest) -> ScanUpdate:
    store, repo_id, clock = context.store, context.repo_id, Clock()
    files = files_of(wanted.rules, packs())
    engine = find(cache_store, wanted.semgrep)
    name = " ".join(wanted.rules) or OWN
    run = STAGE.start(store, repo_id, _key(store, repo_id, head, fingerprint(files), engine.name), clock=clock)
    if run.unchanged:
        return ScanUpdate("unchanged", engine.name, name, seconds=run.seconds, findings=_count(store, repo_id))
    rules = load(files, name)
    cache = ScanCache(cache_store, digest(rules.sha256, constants.VERSION), engine.name)
    findings = plan(context.repo, head, rules, context.progress)
    done = ScanUpdate("scanned", engine.name, name, len(findings.texts))
    _Scan(context, engine, rules, cache, findings, wanted, done).run()
    context.progress("following findings", 0, 0)
    known, hits = cache.known(findings.texts), cache.hits(findings.texts, rules)
    result = ScanResult(rules, engine.name, findings, known, follow(context.repo, findings, head, known, hits))
    with run.writing():
        tables.write(context, result)
        run.report(_problems(findings, known))
    done.seconds, done.findings = run.seconds, _count(store, repo_id)
    return done


def _versions(context: RunContext, head: str, wanted: ScanRequest) -> dict[tuple[str, str], Side]:
    return tables.sides_of(plan(context.repo, head, named(wanted.rules, packs()), context.progress))


def _count(store: Store, repo_id: int) -> int:
    return int(store.value("SELECT COUNT(*) FROM findings WHERE repo_id = ? AND status = 'introduced'", (repo_id,)))


def _key(store: Store, repo_id: int, head: str, rules: str, engine: str) -> str:
    """The verdicts are written again by any run of the stage before, even one with the same inputs."""
    lines = last_run(store, repo_id, StageName.LINES)
    return digest(VERSION, head, rules, engine, *([f"{lines.key} {lines.finished_at}"] if lines else ()))


def _cache(store: Store, path: Path | None, notes: list[str]) -> Store:
    """The cache, opened; the database itself (once more) when the cache directory cannot be written."""
    wanted = path or default_path()
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        return Store(wanted, is_cache=True)
    except (OSError, DatabaseUnusable) as error:
        if path is not None:
            raise DatabaseUnusable(
                f"the cache {wanted} cannot be used: {error}", "Choose another file with --cache FILE"
            ) from error
        notes.append(f"the cache {wanted} cannot be used ({error}): scan results are stored in {store.path}")
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


@dataclass(slots=True)
class _Scan:
    """Scans the texts that the cache does not know; those that need no scan are recorded at once."""

    context: RunContext
    engine: Engine
    rules: RuleSet
    cache: ScanCache
    found: ScanPlan
    wanted: ScanRequest
    done: ScanUpdate
    waiting: list[Scanned] = field(default_factory=list)
    aside: int = 0

    def run(self) -> None:
        clock = Clock()
        known = self.cache.known(self.found.texts)
        new = [text for text in self.found.texts if text not in known]
        self.done.new = len(new)
        seen = 0
        jobs = self.wanted.jobs or os.cpu_count() or 1
        with closing(
            scan(self.engine, self.rules, self._targets(new), jobs, self.wanted.limits, self.done.notes.append)
        ) as portions:
            for portion in portions:
                self.cache.save(map(_without_constants, portion))
                seen += len(portion)
                self.context.progress("scanning", min(len(new), seen + self.aside), len(new))
        self._flush()
        self.done.scan_seconds = clock.seconds

    def _targets(self, texts: Sequence[Text]) -> Iterator[Target]:
        """Texts of one language after the other."""
        for blob, suffix in sorted(texts, key=lambda text: (self.found.texts[text], text[1])):
            data = self.context.repo.blob(blob)
            target = Target(blob, suffix, data or b"")
            why = "missing" if data is None else exclude.of_text(data, suffix)
            if why:
                self._put_aside(Scanned(target, why))
                continue
            self.done.given += 1
            self.done.given_lines += target.data.count(b"\n")
            yield target

    def _put_aside(self, one: Scanned) -> None:
        self.waiting.append(one)
        self.aside += 1
        if len(self.waiting) >= _BATCH:
            self._flush()
            self.context.progress("scanning", self.aside, self.done.new)

    def _flush(self) -> None:
        # A text that is missing may come with the next fetch: it is not remembered.
        self.cache.save(one for one in self.waiting if one.status != "missing")
        self.waiting.clear()


def _without_constants(one: Scanned) -> Scanned:
    target = one.target
    left = [m for m in one.matches if not constants.only_constants(m.rule, target.suffix, target.data, m.start, m.end)]
    return replace(one, matches=left)


def _problems(found: ScanPlan, known: dict[Text, CachedScan]) -> list[Problem]:
    """Texts that could not be scanned, and how many were left out for each reason."""
    problems = []
    count: Counter[str] = Counter()
    for blob, suffix in found.texts:
        one = known.get((blob, suffix))
        status = one.status if one is not None else "missing"
        if status in ("timeout", "failed"):
            problems.append(
                Problem(STAGE.name, blob, f"scan_{status}", " ".join(sorted(one.failed)) if one is not None else suffix)
            )
        elif status != "ok":
            count[status] += 1
    return problems + [
        Problem(STAGE.name, "texts", f"scan_{name}", f"{number} versions of files") for name, number in count.items()
    ]


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
