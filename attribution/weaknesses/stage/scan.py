"""Brings the findings of a repository up to date: plan, scan what no cache knows, follow, store.

The steps in order.
"""

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from attribution.ensure.writing import sole_writer
from attribution.queries.open_repo import OpenRepo
from attribution.weaknesses.rules.rulesets import OWN, files_of, fingerprint, load
from attribution.weaknesses.scan.engine import ScanLimits, Scanned, Target, find_engine, scan
from attribution.weaknesses.scan.source import (
    CachedScan,
    ScanCache,
    Text,
    changed_files,
    open_cache,
    plan,
)
from attribution.weaknesses.stage import rows
from attribution.weaknesses.stage.rows import ScanResult
from attribution.weaknesses.track.tracker import Tracker
from attribution.weaknesses.words import ScanStatus
from collector.files.analysed import why_left_out
from collector.git.repository import GitRepo
from collector.model import Problem
from collector.runtime.progress import Progress
from collector.runtime.stages import Clock, RunContext, Stage, StageName, digest, last_run
from collector.storage.store import Store
from collector.text import count_of

VERSION = "7"
_LEAST = 40  # texts worth a scanner of their own where there are few for all cores
STAGE = Stage(StageName.WEAKNESSES, VERSION, problems=(StageName.WEAKNESSES,))


@dataclass(frozen=True, slots=True)
class ScanRequest:
    rules: tuple[str, ...] = ()  # files, directories, or own
    semgrep: str = ""
    jobs: int = 0  # 0: one for each core
    cache: Path | None = None  # None: the user's
    limits: ScanLimits = field(default_factory=ScanLimits)
    minutes: float = math.inf  # after which no further run of the scanner begins


@dataclass(slots=True)
class ScanUpdate:
    """What a run did."""

    state: str  # unchanged | scanned
    engine: str
    rules: str
    texts: int = 0  # versions of files that count
    new: int = 0  # of those, not in the cache
    given: int = 0  # of those, passed to the scanner
    given_lines: int = 0
    later: int = 0  # of those, left to a later run because the time was over
    seconds: float = 0.0
    findings: int = 0  # introduced
    notes: list[str] = field(default_factory=list)


def scan_clone(opened: OpenRepo, request: ScanRequest, progress: Progress) -> ScanUpdate:
    """Scans what is new in a clone.

    Raises EngineMissing, EngineFailed, RulesUnusable, DatabaseUnusable.
    """
    with sole_writer(opened, progress):
        return scan_repository(
            RunContext(opened.store, opened.repo, opened.repo_id, progress), opened.head, request
        )


_INTRODUCED = "SELECT COUNT(*) FROM findings WHERE repo_id = ? AND status = 'introduced'"


def scan_repository(context: RunContext, head: str, request: ScanRequest) -> ScanUpdate:
    """Scans what is new up to `head`.

    Raises EngineMissing, EngineFailed, RulesUnusable, DatabaseUnusable.
    """
    notes: list[str] = []
    with open_cache(context.store, request.cache, notes) as cache:
        files = files_of(request.rules)
        name = " ".join(request.rules) or OWN
        engine = find_engine(request.semgrep)
        update = ScanUpdate("unchanged", engine.name, name, notes=notes)
        key = _key(context, head, fingerprint(files), engine.name)
        run = STAGE.start(context.store, context.repo_id, key, clock=Clock())
        if not run.is_current:
            rules = load(files, name)
            result = ScanResult(rules, engine, plan(context.repo, head, rules, context.progress))
            _scan(context, result, cache, request, update)
            if update.later:
                run.key = digest(run.key, "unfinished")
            result.tracker = follow(context.repo, result, head)
            with run.writing():
                rows.write(context, result)
                run.report(_problems(result))
        update.seconds = run.seconds
        update.findings = context.store.value(_INTRODUCED, (context.repo_id,))
    return update


def _key(context: RunContext, head: str, rules: str, engine: str) -> str:
    """The verdicts are written again by any run of the stage before, even one with the same
    inputs.
    """
    lines = last_run(context.store, context.repo_id, StageName.LINES)
    return digest(
        VERSION, head, rules, engine, *([f"{lines.key} {lines.finished_at}"] if lines else ())
    )


def _scan(
    context: RunContext, result: ScanResult, store: Store, request: ScanRequest, update: ScanUpdate
) -> None:
    """Scans the texts that the cache does not hold, and reads from it what is known of all.

    First those of HEAD, then the other versions of files with findings there, then the rest, newest
    first: what is open and who introduced it is known before everything is.
    """
    cache = ScanCache(store, result.rules.sha256, result.engine.name)
    clock = Clock()
    texts = result.plan.texts
    cached = cache.scans(texts)
    new = [text for text in reversed(texts) if text not in cached]
    update.state = "scanned"
    update.texts = len(texts)
    update.new = len(new)
    present = {text for text in texts if text[0] in result.plan.present}
    done = 0

    def scan_some(some: Sequence[Text]) -> None:
        nonlocal done
        targets = _targets(context, cache, some, update)
        jobs = request.jobs or os.cpu_count() or 1
        limits = request.limits._replace(
            targets=min(request.limits.targets, max(_LEAST, math.ceil(len(some) / jobs)))
        )
        with closing(
            scan(result.engine, result.rules, targets, jobs, limits, update.notes.append)
        ) as portions:
            for portion in portions:
                cache.save(portion)
                done += len(portion)
                context.progress("scanning", done, len(new))
                if clock.seconds > 60 * request.minutes:
                    break

    scan_some([text for text in new if text in present])
    telling = result.plan.histories_of(cache.findings(present, result.rules))
    # one after the other: the end of the time takes away what another process has in hand
    for is_telling in (True, False):
        some = [text for text in new if text not in present and (text in telling) == is_telling]
        if clock.seconds <= 60 * request.minutes:
            scan_some(some)
    context.progress("following findings", 0, 0)
    result.scans = cache.scans(texts)
    result.findings = cache.findings(texts, result.rules)
    later = [text for text in new if text not in result.scans and context.repo.has(text[0])]
    result.scans |= dict.fromkeys(later, CachedScan(ScanStatus.LATER, frozenset()))
    if later:
        update.later = len(later)
        update.state = "unfinished"
        update.notes.append(
            f"time is over: {count_of(len(later), 'version')} of files are not scanned yet; the"
            " next run continues"
        )


def _targets(
    context: RunContext, cache: ScanCache, texts: Iterable[Text], update: ScanUpdate
) -> Iterator[Target]:
    """What the scanner is to look at; why a text is left out is recorded at once."""
    for blob, suffix in texts:
        data = context.repo.blob(blob)
        if data is None:  # it may come with the next fetch: nothing is remembered
            continue
        target = Target(blob, suffix, data)
        why = why_left_out(data, suffix)
        if why:
            cache.save([Scanned(target, why)])
            continue
        update.given += 1
        update.given_lines += data.count(b"\n")
        yield target


def _problems(result: ScanResult) -> list[Problem]:
    """Texts that could not be scanned, and how many were left out for each reason."""
    problems = []
    count: Counter[str] = Counter()
    for text in result.plan.texts:
        scan_of_text = result.scan_of(text)
        if scan_of_text.status in (ScanStatus.TIMEOUT, ScanStatus.FAILED):
            detail = " ".join(sorted(scan_of_text.failed))
            problems.append(Problem(STAGE.name, text[0], f"scan_{scan_of_text.status}", detail))
        elif scan_of_text.status != ScanStatus.OK:
            count[scan_of_text.status] += 1
    return problems + [
        Problem(STAGE.name, "texts", f"scan_{name}", f"versions of files: {number}")
        for name, number in count.items()
    ]


def follow(repo: GitRepo, result: ScanResult, head: str) -> Tracker:
    """Findings through all commits."""
    tracker = Tracker(result.plan.children)
    for step in result.plan.steps:
        parents = step.commit.parents
        sides = [changed_files(repo, side, result.scans, result.findings) for side in step.sides]
        if len(parents) > 1:
            tracker.merge(step.commit.sha, parents, sides)
        else:
            tracker.step(step.commit.sha, parents[0] if parents else None, sides[0])
    tracker.finish(head)
    return tracker
