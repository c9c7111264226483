"""Weaknesses of one or more repositories: rates by who wrote the lines, comparisons, fates, what was left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.lineage import minimum
from attribution.lineage.minimum import Sample
from attribution.queries.findings import ScannedRuleSet, scanned_rule_sets
from attribution.stats.accuracy import audited_note
from attribution.stats.comparison import HUMAN, UNDECLARED
from attribution.weaknesses import rates as stats
from attribution.weaknesses.rates import Compared, RateCell, Reviewed, Terciles, WeaknessRate, Weighted
from attribution.weaknesses.scan.exclude import SOURCE
from collector.errors import WhoWroteError
from collector.vocabulary.lines import LINE_CLASSES

if TYPE_CHECKING:
    from collector.storage.store import Store

CLASSES = (*LINE_CLASSES, "mixed")
HEADLINE = ("HIGH", "MEDIUM")
_BASELINES: Mapping[str, tuple[str, ...]] = {HUMAN: ("human",), UNDECLARED: ("human", "undeclared")}
_LEVELS = {"HIGH": 1, "MEDIUM": 2, "LOW": 3}
BY = ("class", "mode", "agent", "model", "language", "cwe", "confidence", "repo", "complexity")


# --- what is shown ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RateRow:
    """One line of a table of rates."""

    by: str
    name: str
    author: str
    rate: WeaknessRate

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        return {"by": self.by, "name": self.name, "author": self.author, **self.rate._asdict()}


@dataclass(frozen=True, slots=True)
class StratifiedComparison:
    """Agents against a baseline, within strata."""

    strata: str  # what they are
    compared: Compared
    refused: str = ""  # why there is no ratio, in words

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        c = self.compared
        rates = {"agent": c.agent._asdict(), "other": c.other._asdict()}
        ratios = {"pooled": c.pooled._asdict(), "stratified": c.stratified._asdict()}
        return {"strata": self.strata, **asdict(c), **rates, **ratios, "refused": self.refused}


@dataclass(frozen=True, slots=True)
class FindingCounts:
    """Findings by what their commit did, and what is to know of those that count."""

    introduced: int  # of the confidence that is asked for; only these are in rates
    introduced_of_other_confidence: int
    reintroduced: int
    surfaced: int
    uncertain: int
    moved_later: int
    reworded_later: int
    suppressed: int
    ignored: int


@dataclass(frozen=True, slots=True)
class FindingFates:
    """What became of the findings of one class of author."""

    author: str
    findings: int
    alive: int  # at the tip
    fixed: dict[str, int]  # by whom ("by agent"), or how where nobody can be named (merge, unseen)

    def data(self) -> dict[str, int]:
        """Plain values, for --json."""
        return {"findings": self.findings, "alive": self.alive, **self.fixed}


@dataclass(frozen=True, slots=True)
class RuleCount:
    """A rule with its share of all findings."""

    rule_id: str
    findings: int
    share: float


@dataclass(frozen=True, slots=True)
class LinesLeftOut:
    """Added lines with text of one kind of file: scanned, or why not."""

    place: str
    status: str
    lines: int
    agent_lines: int


@dataclass(frozen=True, slots=True)
class ReviewedRate:
    """Share of true findings among those that people read, with its 95 % interval, and the rate corrected by it."""

    read: int
    true: int
    precision: float
    low: float
    high: float
    corrected_rate: float | None
    corrected_low: float | None
    corrected_high: float | None


@dataclass(slots=True)
class WeaknessReport:
    repos: list[str]
    rules: list[ScannedRuleSet]
    places: tuple[str, ...]
    confidence: tuple[str, ...]
    rows: list[RateRow]
    comparisons: list[StratifiedComparison]
    status: FindingCounts
    fates: list[FindingFates]
    top_rules: list[RuleCount]
    left_out: list[LinesLeftOut]
    review: dict[str, ReviewedRate]  # class or "all"
    notes: list[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "repositories": self.repos, "rules": [asdict(rules) for rules in self.rules], "places": self.places,
            "confidence": self.confidence, "rates": [row.data() for row in self.rows],
            "comparisons": [comparison.data() for comparison in self.comparisons], "status": asdict(self.status),
            "fates": {fates.author: fates.data() for fates in self.fates},
            "top_rules": [asdict(rule) for rule in self.top_rules], "left_out": [asdict(lines) for lines in self.left_out],
            "review": {author: asdict(rate) for author, rate in self.review.items()}, "notes": self.notes,
        }  # fmt: skip


def weakness_report(
    store: Store, repo: int | None = None, by: Sequence[str] = BY, places: Sequence[str] = (SOURCE,), low: bool = False
) -> WeaknessReport:
    """Numbers over the scanned repositories. `low`: findings of low confidence too. Raises WhoWroteError when none was scanned."""
    rule_sets = scanned_rule_sets(store, repo)
    if not rule_sets:
        raise WhoWroteError(f"nothing in {store.path} has been scanned yet", f"Scan with: whowrote scan PATH --db {store.path}")
    confidence = (*HEADLINE, "LOW", "") if low else HEADLINE
    findings = [f for f in store.select(RatedFinding, _FINDINGS, (repo, repo)) if f.place in places]
    introduced = [f for f in findings if f.status == "introduced"]
    counted = [f for f in introduced if (f.confidence or "") in confidence]
    lines = [some for some in store.select(ScannedLines, _LINES, (repo, repo)) if some.place in places]
    bounds = stats.terciles([Weighted(some.complexity, some.lines) for some in lines if some.complexity is not None])
    groupings = _groupings(_modes(store, repo), bounds)
    report = WeaknessReport(
        sorted({some.repo for some in lines}), rule_sets, tuple(places), confidence,
        [row for name in by for row in _table(name, groupings, counted, lines, introduced)],
        _comparisons(counted, lines, groupings, bounds), _counts(findings, counted), _fates(counted), _top(counted),
        _left_out(store, repo), _review(store, counted, lines),
    )  # fmt: skip
    if any(row.rate.lines and row.rate.rate is None for row in report.rows):
        report.notes.append(f"no rate with fewer than {minimum.RATE.lines:,} scanned lines")
    if len(rule_sets) > 1:
        report.notes.append("repositories were scanned with different rules or scanners; scan them again before comparing")
    if any(c.compared.agent.events + c.compared.other.events < minimum.FINDINGS for c in report.comparisons):
        report.notes.append(f"comparisons over fewer than {minimum.FINDINGS} findings say little; look at the intervals")
    report.notes += [note for note in [audited_note("agent", "human")] if note]
    return report


# --- reading ----------------------------------------------------------------------------------------------------------


class RatedFinding(NamedTuple):
    """What rates need of a finding."""

    repo: str
    commit_id: int
    fingerprint: str
    rule_id: str
    cwe: str | None
    confidence: str | None
    status: str
    language: str
    place: str
    author_class: str
    agent: str | None
    model: str | None
    complexity: float | None  # of the changed functions of the file
    suppressed: int
    ignored: int
    fixed_how: str | None
    fixed_author: str | None
    moves: int
    rewords: int
    alive_at_head: int


_FINDINGS = """
SELECT r.name AS repo, n.commit_id, n.fingerprint, n.rule_id, n.cwe, n.confidence, n.status, n.language, n.place, n.author_class,
  n.agent, n.model, s.complexity, n.suppressed, n.ignored, n.fixed_how, n.fixed_author, n.moves, n.rewords, n.alive_at_head
FROM findings n JOIN repos r ON r.id = n.repo_id
LEFT JOIN commit_files f ON f.commit_id = n.commit_id AND f.path = n.path LEFT JOIN scan_files s ON s.file_id = f.id
WHERE ? IS NULL OR n.repo_id = ? ORDER BY n.id
"""


class ScannedLines(NamedTuple):
    """Scanned lines of one author in one commit and language."""

    repo: str
    commit_id: int
    place: str
    language: str
    complexity: float | None
    author_class: str
    agent: str
    model: str
    lines: int


_LINES = """
SELECT r.name AS repo, l.commit_id, l.place, l.language, l.complexity, l.author_class,
  COALESCE(CASE l.author_class WHEN 'agent' THEN COALESCE(s.agent, s.agent_label) WHEN 'declared' THEN c.declared_agent END, '')
    AS agent,
  COALESCE(CASE WHEN l.author_class IN ('agent', 'declared') THEN COALESCE(l.model, s.model) END, '') AS model,
  SUM(l.lines) AS lines
FROM scanned_lines l JOIN repos r ON r.id = l.repo_id JOIN commits c ON c.id = l.commit_id
LEFT JOIN sessions s ON s.id = l.session_id WHERE l.scanned = 1 AND (? IS NULL OR l.repo_id = ?)
GROUP BY l.commit_id, l.place, l.language, l.complexity, l.author_class, 7, 8
"""


class CommitLines(NamedTuple):
    """Added lines of a commit with text, by who wrote them."""

    commit_id: int
    agent_lines: int
    human_lines: int


def commit_lines(store: Store, repo: int | None = None) -> list[CommitLines]:
    return store.select(
        CommitLines, "SELECT commit_id, agent_lines, human_lines FROM commit_lines WHERE ? IS NULL OR repo_id = ?", (repo, repo)
    )


def _modes(store: Store, repo: int | None) -> dict[int, str]:
    """Commit -> coding mode by its own lines: human_only (no agent line), collaborative, vibe (99 % and more), not known."""
    return {row.commit_id: _mode(row.agent_lines, row.human_lines) for row in commit_lines(store, repo)}


def _mode(agent: int, human: int) -> str:
    if not agent + human:
        return "not known"
    share = 100 * agent / (agent + human)
    return "human_only" if not agent else "vibe" if share >= 99 else "collaborative"


# --- rates ------------------------------------------------------------------------------------------------------------


Rated = RatedFinding | ScannedLines
Grouping = Callable[[Rated], str]
"""Name of the group of a finding, or of lines."""


def _groupings(modes: Mapping[int, str], bounds: Terciles) -> dict[str, Grouping]:
    def level(complexity: float | None) -> str:
        if complexity is None:
            return "not measured"
        return "low" if complexity <= bounds.first else "middle" if complexity <= bounds.second else "high"

    return {
        "class": lambda rated: rated.author_class,
        "mode": lambda rated: modes.get(rated.commit_id, "not known"),
        "agent": lambda rated: rated.agent or "",
        "model": lambda rated: rated.model or "",
        "language": lambda rated: rated.language,
        "repo": lambda rated: rated.repo,
        "complexity": lambda rated: level(rated.complexity),
    }


def _table(
    by: str,
    groupings: Mapping[str, Grouping],
    findings: Sequence[RatedFinding],
    lines: Sequence[ScannedLines],
    introduced: Sequence[RatedFinding],
) -> list[RateRow]:
    """Rates by one grouping. Confidence is of every introduced finding, not only of those of the headline."""
    if by == "cwe":
        return _by_property(by, findings, [f.cwe for f in findings], lines)
    if by == "confidence":
        return _by_property(by, introduced, [f.confidence for f in introduced], lines, {f.author_class for f in findings})
    cells = stats.grouped(
        [
            *(((groupings[by](f), f.author_class), RateCell(1, 0)) for f in findings),
            *(((groupings[by](some), some.author_class), RateCell(0, some.lines)) for some in lines),
        ]
    )
    rows = [
        RateRow(by, name, author, rated(cell))
        for (name, author), cell in cells.items()
        if name and (by != "complexity" or name != "not measured")
    ]
    weight: Counter[str] = Counter()
    for row in rows:
        weight[row.name] += row.rate.lines
    order = {author: n for n, author in enumerate(CLASSES)}
    return sorted(rows, key=lambda r: (order[r.author] if by == "class" else -weight[r.name], r.name, order[r.author]))


def _by_property(
    by: str,
    findings: Sequence[RatedFinding],
    values: Sequence[str | None],
    lines: Sequence[ScannedLines],
    authors: Iterable[str] | None = None,
) -> list[RateRow]:
    """Rates by something that only findings have: events differ, and the lines below are the same."""
    below = stats.grouped((some.author_class, RateCell(0, some.lines)) for some in lines)
    known = {some.author_class for some in lines} | set(authors if authors is not None else (f.author_class for f in findings))
    count = Counter((value or "none", f.author_class) for value, f in zip(values, findings, strict=True))
    totals = Counter(value or "none" for value in values)
    rows = []
    for name in sorted(totals, key=lambda n: (_LEVELS.get(n, 0), -totals[n], n)):
        for author in _ordered(known):
            cell = RateCell(count[name, author], below.get(author, stats.ZERO).lines)
            if cell.events or author in ("agent", "human"):
                rows.append(RateRow(by, name, author, rated(cell)))
    return rows


def rated(cell: RateCell) -> WeaknessRate:
    """Events per 1,000 lines; no rate where there are fewer lines than `minimum.RATE` asks for."""
    found = stats.rate(cell)
    few = minimum.RATE.refusal({"lines": Sample(cell.lines, minimum.RATE.commits)})
    return found._replace(rate=None, low=None, high=None) if few else found


def _ordered(authors: Iterable[str]) -> list[str]:
    present = set(authors)
    return [author for author in CLASSES if author in present]


_WITHIN = (("repository x language", ("repo", "language")),)
_WITHIN_COMPLEXITY = ("repository x language x complexity", ("repo", "language", "complexity"))


def _comparisons(
    findings: Sequence[RatedFinding], lines: Sequence[ScannedLines], groupings: Mapping[str, Grouping], bounds: Terciles
) -> list[StratifiedComparison]:
    """Agent against each baseline, within repository and language, and with the complexity of the file where it was measured."""
    strata = (*_WITHIN, _WITHIN_COMPLEXITY) if bounds.second > 0 else _WITHIN
    rated: list[tuple[Rated, RateCell]] = [
        *((f, RateCell(1, 0)) for f in findings),
        *((some, RateCell(0, some.lines)) for some in lines),
    ]
    refused = {baseline: _refusal(lines, baseline) for baseline in _BASELINES}
    return [
        StratifiedComparison(name, _shown(compared) if refused[baseline] else compared, refused[baseline])
        for name, groups in strata
        for baseline, classes in _BASELINES.items()
        for compared in [stats.compare(baseline, _sides(rated, [groupings[group] for group in groups], classes))]
    ]


def _shown(compared: Compared) -> Compared:
    """What is left of a comparison that is refused: counts, and the rates of sides with enough lines."""
    sides = [rated(RateCell(side.events, side.lines)) for side in (compared.agent, compared.other)]
    return replace(stats.without_ratios(compared), agent=sides[0], other=sides[1])


def _refusal(lines: Sequence[ScannedLines], baseline: str) -> str:
    """Why weaknesses of agents and of a baseline are not compared, in words."""
    sides = {"agent": ("agent",), baseline: _BASELINES[baseline]}
    samples = {
        name: minimum.sample((some.lines, some.commit_id) for some in lines if some.author_class in classes)
        for name, classes in sides.items()
    }
    return minimum.WEAKNESSES.refusal(samples)


def _sides(
    rated: Iterable[tuple[Rated, RateCell]], groupings: Sequence[Grouping], baseline: Sequence[str]
) -> dict[tuple[Hashable, ...], dict[str, RateCell]]:
    """Stratum -> side (agent, other) -> events and lines."""
    table: dict[tuple[Hashable, ...], dict[str, RateCell]] = defaultdict(lambda: {"agent": stats.ZERO, "other": stats.ZERO})
    for item, cell in rated:
        author = item.author_class
        side = "agent" if author == "agent" else "other" if author in baseline else ""
        if side:
            stratum = tuple(grouping(item) for grouping in groupings)
            table[stratum][side] = table[stratum][side] + cell
    return table


# --- fates ------------------------------------------------------------------------------------------------------------


def _counts(findings: Sequence[RatedFinding], counted: Sequence[RatedFinding]) -> FindingCounts:
    count = Counter(f.status for f in findings)
    return FindingCounts(
        len(counted), count["introduced"] - len(counted), count["reintroduced"], count["surfaced"], count["uncertain"],
        sum(f.moves for f in findings), sum(f.rewords for f in findings), sum(f.suppressed for f in counted),
        sum(f.ignored for f in counted),
    )  # fmt: skip


def _fates(findings: Sequence[RatedFinding]) -> list[FindingFates]:
    fates = []
    for author in _ordered(f.author_class for f in findings):
        own = [f for f in findings if f.author_class == author]
        gone = [f for f in own if not f.alive_at_head]
        fixed = Counter(f.fixed_how if f.fixed_how in ("merge", "unseen") else f"by {f.fixed_author}" for f in gone)
        fates.append(FindingFates(author, len(own), len(own) - len(gone), dict(fixed)))
    return fates


def _top(findings: Sequence[RatedFinding], most: int = 10) -> list[RuleCount]:
    """The rules with most findings, so that one that carries everything is seen."""
    count = Counter(f.rule_id for f in findings)
    return [RuleCount(rule, n, n / len(findings)) for rule, n in count.most_common(most)]


def _left_out(store: Store, repo: int | None) -> list[LinesLeftOut]:
    """By place and status, the scanned ones among them: what the rates are not about."""
    return store.select(
        LinesLeftOut,
        "SELECT place, CASE WHEN scanned = 1 THEN 'scanned' ELSE status END AS status, SUM(lines) AS lines, "
        "SUM(CASE WHEN author = 'agent' THEN lines ELSE 0 END) AS agent_lines FROM scanned_lines WHERE ? IS NULL OR repo_id = ? "
        "GROUP BY 1, 2 ORDER BY 3 DESC",
        (repo, repo),
    )


# --- reviews ----------------------------------------------------------------------------------------------------------


def _review(store: Store, counted: Sequence[RatedFinding], lines: Sequence[ScannedLines]) -> dict[str, ReviewedRate]:
    """By class of author and of all, from what people said of findings, weighted by rule: samples are even over rules.

    Unsure verdicts are left out.
    """
    verdicts: dict[str, set[str]] = defaultdict(set)
    for row in store.rows("SELECT fingerprint, verdict FROM finding_reviews"):
        verdicts[row["fingerprint"]].add(row["verdict"])
    rates: dict[str, ReviewedRate] = {}
    for author in ("", *_ordered(f.author_class for f in counted)):
        own = [f for f in counted if not author or f.author_class == author]
        strata = [_reviewed([f for f in own if f.rule_id == rule], verdicts) for rule in sorted({f.rule_id for f in own})]
        precision = stats.precision(strata)
        if precision is None:
            continue
        below = sum(some.lines for some in lines if author in ("", some.author_class))
        cell = RateCell(len(own), below)
        rate = stats.corrected(cell, strata) if rated(cell).rate is not None else None
        rates[author or "all"] = ReviewedRate(
            sum(s.read for s in strata), sum(s.true for s in strata), precision.share, precision.low, precision.high,
            rate.rate if rate else None, rate.low if rate else None, rate.high if rate else None,
        )  # fmt: skip
    return rates


def _reviewed(findings: Sequence[RatedFinding], verdicts: Mapping[str, set[str]]) -> Reviewed:
    agreed = [said for f in findings if (said := verdicts.get(f.fingerprint)) in ({"true"}, {"false"})]
    return Reviewed(len(findings), len(agreed), sum(said == {"true"} for said in agreed))
