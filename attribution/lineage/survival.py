"""How long lines live: numbers over spans of lines, each weighted by its lines with text. Pure.

A line is born at the author time of the commit that wrote it and dies at the author time of the commit that ended it; at the tip
it is censored. Ages in commits count commits of the main line from the one that brought the line to the first that did without
it; a line that never reached the main line is 0 commits old when it dies. Definitions: docs/survival.md.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.minimum import Minimum, Sample

DAYS = (1, 7, 30, 90, 180, 365)
COMMITS = (1, 10, 100)
REWORK_DAYS = 30
AGENT = "agent"
NARROW: tuple[str, ...] = ("human",)  # observed: recorded sessions were there, and none of them did it
WIDE: tuple[str, ...] = ("human", "undeclared")  # and the lines of commits that say nothing of agents
BASELINES: Mapping[str, tuple[str, ...]] = {"human": NARROW, "human + undeclared": WIDE}


@dataclass(frozen=True, slots=True)
class LifetimeRecord:
    """Lines with one author and one fate. Ages are of the death, or of the tip while they are alive."""

    lines: int  # with text
    author: str  # agent | declared | human | unknown | undeclared | "" (not attributed)
    days: float  # 0 where times run backwards
    follow_days: float  # from birth to tip: how long they could be seen
    commits: int
    follow_commits: int
    dead: bool
    lost: bool = False  # not dead, but out of sight from then on
    path: str = ""
    repo: int = 0
    birth: int = 0  # the commit: its lines live and die together
    model: str = ""
    agent: str = ""
    session: int | None = None
    session_name: str = ""
    actor: str = ""
    actor_session: int | None = None
    cause: str = ""
    reverted_later: bool = False


class Point(NamedTuple):
    """Lines alive at a horizon, of those that could be seen for so long."""

    unit: str  # days | commits | head
    horizon: int
    at_risk: int
    alive: int

    @property
    def share(self) -> float | None:
        return self.alive / self.at_risk if self.at_risk else None


# --- alive after a while ----------------------------------------------------------------------------------------------


def alive_at(records: Sequence[LifetimeRecord]) -> list[Point]:
    """Every horizon at which some line is at risk."""
    points = [_days(records, h) for h in DAYS] + [_commits(records, h) for h in COMMITS]
    seen = [r for r in records if not r.lost]
    points.append(Point("head", 0, sum(r.lines for r in seen), sum(r.lines for r in seen if not r.dead)))
    return [p for p in points if p.at_risk]


def _days(records: Iterable[LifetimeRecord], horizon: int) -> Point:
    risk = [r for r in records if r.follow_days >= horizon and not (r.lost and r.days < horizon)]
    return Point("days", horizon, sum(r.lines for r in risk), sum(r.lines for r in risk if not _died(r, r.days, horizon)))


def _commits(records: Iterable[LifetimeRecord], horizon: int) -> Point:
    risk = [r for r in records if r.follow_commits >= horizon and not (r.lost and r.commits < horizon)]
    return Point("commits", horizon, sum(r.lines for r in risk), sum(r.lines for r in risk if not _died(r, r.commits, horizon)))


def _died(record: LifetimeRecord, age: float, horizon: float) -> bool:
    """Dead by the horizon: a line that ends on its 30th day is not alive at 30 days."""
    return record.dead and age <= horizon


GROUPINGS: Mapping[str, Callable[[LifetimeRecord], str]] = {
    "class": lambda r: r.author,
    "model": lambda r: r.model,
    "agent": lambda r: r.agent,
    "session": lambda r: r.session_name,
    "directory": lambda r: r.path.split("/", 1)[0] + "/" if "/" in r.path else ".",
    "language": lambda r: language(r.path),
}
OF_AGENTS = ("model", "agent", "session")  # groupings that only lines of agents have


def grouped(records: Iterable[LifetimeRecord], grouping: str) -> dict[tuple[str, str], list[LifetimeRecord]]:
    """(name, class) -> its records; lines without a name are left out."""
    name = GROUPINGS[grouping]
    found: dict[tuple[str, str], list[LifetimeRecord]] = defaultdict(list)
    for record in records:
        if name(record) and (grouping not in OF_AGENTS or record.author in (AGENT, "declared")):
            found[name(record), record.author].append(record)
    return dict(found)


_NAMES = {"makefile": "make", "dockerfile": "docker", "go.mod": "go", "go.sum": "go", "cmakelists.txt": "cmake"}
_SUFFIXES = {
    "htm": "html", "jsx": "js", "cjs": "js", "mjs": "js", "tsx": "ts", "mts": "ts", "cts": "ts", "yml": "yaml", "bash": "sh",
    "zsh": "sh", "h": "c", "hpp": "cpp", "cc": "cpp", "cxx": "cpp", "hh": "cpp", "markdown": "md", "pyi": "py", "txt": "text",
}  # fmt: skip


def language(path: str) -> str:
    """By the name of the file: the usual suffix of its language; "other" without one."""
    name = path.rpartition("/")[2].lower()
    if name in _NAMES:
        return _NAMES[name]
    stem, dot, suffix = name.rpartition(".")
    return _SUFFIXES.get(suffix, suffix) if dot and stem and suffix.isalnum() and len(suffix) <= 10 else "other"


# --- who ends lines ---------------------------------------------------------------------------------------------------


def ended_by(records: Iterable[LifetimeRecord]) -> dict[str, int]:
    """Dead lines of agents by who ended them: same session, another session, agent (which session is not known), human, unknown."""
    count: Counter[str] = Counter()
    for r in records:
        if r.dead and r.author == AGENT:
            count[_ender(r)] += r.lines
    return {name: count[name] for name in ENDERS}


ENDERS = ("same session", "another session", "agent, session unknown", "human", "unknown")


def _ender(r: LifetimeRecord) -> str:
    if r.actor == "human":
        return "human"
    if r.actor != AGENT:
        return "unknown"
    if r.actor_session is None or r.session is None:
        return "agent, session unknown"
    return "same session" if r.actor_session == r.session else "another session"


# --- agents against people --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """Agent lines against a baseline, within the same files. Null where one side has no lines, or too few of them."""

    baseline: str
    agent_lines: int  # in files where both have lines
    baseline_lines: int
    files: int
    observed: float  # deaths of agent lines
    expected: float  # deaths they would have, did lines of both die alike in each file
    chi_square: float | None  # stratified log-rank, one degree of freedom, lines taken as independent
    p_value: float | None
    rework_agent: Point  # alive at 30 days
    rework_baseline: Point
    excess_rework: float | None  # share dead within 30 days, agent minus baseline, in the whole repository
    refused: str = ""  # why there is no test within the same files, in words
    refused_rework: str = ""  # why there is no excess rework, in words


def compare(records: Sequence[LifetimeRecord], baseline: str, least: Minimum = minimum.SURVIVAL) -> Comparison:
    """The log-rank test is stratified by file (and repository): only files with lines of both count.

    Below `least` on either side there is no test or no excess rework, and the reason instead.
    """
    ours, theirs, strata = sides(records, baseline)
    both = [r for one in strata.values() for r in one]
    refused = refusal(both, baseline, least)
    old = [r for r in (*ours, *theirs) if r.follow_days >= REWORK_DAYS and not (r.lost and r.days < REWORK_DAYS)]
    refused_rework = refusal(old, baseline, least)
    observed = expected = variance = 0.0
    for one in strata.values():
        o, e, v = _log_rank(one)
        observed, expected, variance = observed + o, expected + e, variance + v
    chi = (observed - expected) ** 2 / variance if variance > 0 else None
    a, b = _days(ours, REWORK_DAYS), _days(theirs, REWORK_DAYS)
    excess = b.share - a.share if a.share is not None and b.share is not None and not refused_rework else None
    chi = None if refused else chi
    agent = sum(r.lines for r in both if r.author == AGENT)
    return Comparison(
        baseline, agent, sum(r.lines for r in both) - agent, len(strata), observed, expected, chi,
        math.erfc(math.sqrt(chi / 2)) if chi is not None else None, a, b, excess, refused, refused_rework,
    )  # fmt: skip


def refusal(records: Sequence[LifetimeRecord], baseline: str, least: Minimum) -> str:
    """Why agents' lines and those of a baseline cannot be compared, in words; "" when there are enough of both."""
    return least.refusal(
        {
            AGENT: _sample(r for r in records if r.author == AGENT),
            baseline: _sample(r for r in records if r.author in BASELINES[baseline]),
        }
    )


def _sample(records: Iterable[LifetimeRecord]) -> Sample:
    return minimum.sample((r.lines, (r.repo, r.birth)) for r in records)


class Sides(NamedTuple):
    """Lines that are compared."""

    agent: list[LifetimeRecord]
    baseline: list[LifetimeRecord]
    files: dict[tuple[int, str], list[LifetimeRecord]]  # (repository, path) -> lines of both, where it has both


def sides(records: Sequence[LifetimeRecord], baseline: str) -> Sides:
    authors = BASELINES[baseline]
    ours = [r for r in records if r.author == AGENT]
    theirs = [r for r in records if r.author in authors]
    strata: dict[tuple[int, str], list[LifetimeRecord]] = defaultdict(list)
    for r in (*ours, *theirs):
        strata[r.repo, r.path].append(r)
    mixed = {file: lines for file, lines in strata.items() if len({r.author == AGENT for r in lines}) == 2}
    return Sides(ours, theirs, mixed)


def _log_rank(records: Sequence[LifetimeRecord]) -> tuple[float, float, float]:
    """(observed, expected, variance) of agent deaths in one stratum; weights are counts. Mantel 1966."""
    ages = sorted({r.days for r in records if r.dead})
    if not ages:
        return 0.0, 0.0, 0.0
    risk, risk_agent = _at_risk(records, ages), _at_risk([r for r in records if r.author == AGENT], ages)
    deaths, deaths_agent = [0] * len(ages), [0] * len(ages)
    for r in records:
        if r.dead:
            at = bisect_left(ages, r.days)
            deaths[at] += r.lines
            deaths_agent[at] += r.lines if r.author == AGENT else 0
    observed = expected = variance = 0.0
    for n, n1, d, d1 in zip(risk, risk_agent, deaths, deaths_agent, strict=True):
        observed += d1
        expected += d * n1 / n
        if n > 1:
            variance += d * (n1 / n) * (1 - n1 / n) * (n - d) / (n - 1)
    return observed, expected, variance


def _at_risk(records: Iterable[LifetimeRecord], ages: Sequence[float]) -> list[int]:
    """Lines at least as old as each age when they ended."""
    gone = [0] * (len(ages) + 1)
    total = 0
    for r in records:
        total += r.lines
        gone[_first_after(ages, r.days)] += r.lines
    found = []
    for at in range(len(ages)):
        total -= gone[at]
        found.append(total)
    return found


def _first_after(ages: Sequence[float], age: float) -> int:
    """Index of the first age that is more than `age`."""
    at = bisect_left(ages, age)
    return at + 1 if at < len(ages) and ages[at] == age else at


# --- deletions --------------------------------------------------------------------------------------------------------


class RemovedLines(NamedTuple):
    """Lines with one author and one fate, and the commit that removed them."""

    removed_in: int  # number in `history_commits`; 0 while they are there
    record: LifetimeRecord


class DeletionRow(NamedTuple):
    """Lines of one author that one commit removed: columns of `deletions`, which describes them."""

    commit_id: int
    author: str
    author_session_id: int | None
    actor: str
    actor_session_id: int | None
    cause: str
    lines: int
    youngest_days: float
    mean_days: float
    oldest_days: float


def deletions(removed: Iterable[RemovedLines]) -> list[DeletionRow]:
    """By commit, author, actor and cause."""
    groups: dict[tuple[int, str, int | None, str, int | None, str], list[LifetimeRecord]] = defaultdict(list)
    for commit, r in removed:
        if r.dead and r.lines:
            groups[commit, r.author, r.session, r.actor, r.actor_session, r.cause].append(r)
    rows = []
    for key, records in groups.items():
        lines = sum(r.lines for r in records)
        mean = sum(r.lines * r.days for r in records) / lines
        ages = [r.days for r in records]
        rows.append(DeletionRow(*key, lines, min(ages), mean, max(ages)))
    return rows
