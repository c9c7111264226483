"""Weaknesses of one or more repositories: rates by who wrote the lines, comparisons, fates, what was left out.

Findings and scanned lines are rows of the database: dictionaries with `repo`, `commit_id`, `place`, `language`, `complexity`,
`author_class`, `agent` and `model`; those of lines have the number of `lines`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attribution.lineage import minimum
from attribution.stats.accuracy import audited_note
from attribution.stats.comparison import HUMAN, UNDECLARED
from attribution.stats.rates import RateCell, rate_if_enough
from attribution.weaknesses.queries import rates
from attribution.weaknesses.queries.findings import HEADLINE, not_scanned, scanned_rule_sets
from attribution.weaknesses.queries.rates import NO_RATIO, Compared, Reviewed, Terciles
from attribution.weaknesses.words import Confidence, FindingStatus, FixHow, Mixture, ReviewVerdict
from collector.vocabulary.lines import LINE_CLASSES, FilePlace, LineClass

if TYPE_CHECKING:
    from collector.storage.store import Store

CLASSES = (*LINE_CLASSES, Mixture.MIXED)
BY = ("class", "mode", "agent", "model", "language", "cwe", "confidence", "repo", "complexity")
_BASELINES: Mapping[str, tuple[str, ...]] = {
    HUMAN: (LineClass.HUMAN,), UNDECLARED: (LineClass.HUMAN, LineClass.UNDECLARED),
}  # fmt: skip
_LEVELS: dict[str, int] = {level: number for number, level in enumerate(Confidence, 1)}
_NOT_KNOWN, _NOT_MEASURED = "not known", "not measured"

Row = dict[str, Any]


def weakness_report(
    store: Store,
    repo: int | None = None,
    by: Sequence[str] = BY,
    file_places: Sequence[str] = (FilePlace.SOURCE,),
    low: bool = False,
) -> dict[str, Any]:
    """Numbers over the scanned repositories, as --json prints them. `low`: findings of low confidence too.

    Raises WhoWroteError when no repository was scanned.
    """
    rule_sets = scanned_rule_sets(store, repo)
    if not rule_sets:
        raise not_scanned(store)
    confidence = (*HEADLINE, Confidence.LOW, "") if low else HEADLINE
    findings = [row for row in store.rows(_FINDINGS, (repo, repo)) if row["place"] in file_places]
    introduced = [row for row in findings if row["status"] == FindingStatus.INTRODUCED]
    counted = [row for row in introduced if (row["confidence"] or "") in confidence]
    lines = [row for row in store.rows(_LINES, (repo, repo)) if row["place"] in file_places]
    bounds = rates.terciles([(row["complexity"], row["lines"]) for row in lines if row["complexity"] is not None])
    groupings = _groupings(_modes(store, repo), bounds)
    tables = [row for name in by for row in _table(name, groupings, counted, lines, introduced)]
    comparisons = _comparisons(counted, lines, groupings, bounds)
    return {
        "repositories": sorted({row["repo"] for row in lines}),
        "rules": rule_sets,
        "places": tuple(file_places),
        "confidence": confidence,
        "rates": tables,
        "comparisons": comparisons,
        "status": _counts(findings, counted),
        "fates": _fates(counted),
        "top_rules": _top(counted),
        "left_out": store.rows(_LEFT_OUT, (repo, repo)),
        "review": _review(store, counted, lines),
        "notes": _notes(tables, len(rule_sets), comparisons),
    }


def _notes(tables: Iterable[Row], rule_sets: int, comparisons: Iterable[Row]) -> list[str]:
    notes = []
    if any(row["lines"] and row["rate"] is None for row in tables):
        notes.append(f"no rate with fewer than {minimum.RATE.lines:,} scanned lines")
    if rule_sets > 1:
        notes.append("repositories were scanned with different rules or scanners; scan them again before comparing")
    if any(c["agent"]["events"] + c["other"]["events"] < minimum.FINDINGS for c in comparisons):
        notes.append(f"comparisons over fewer than {minimum.FINDINGS} findings say little; look at the intervals")
    return [*notes, *filter(None, [audited_note(LineClass.AGENT, LineClass.HUMAN)])]


_FINDINGS = """
SELECT r.name AS repo, n.commit_id, n.fingerprint, n.rule_id, n.cwe, n.confidence, n.status, n.language, n.place, n.author_class,
  n.agent, n.model, s.complexity, n.suppressed, n.ignored, n.fixed_how, n.fixed_author, n.moves, n.rewords, n.alive_at_head
FROM findings n JOIN repos r ON r.id = n.repo_id
LEFT JOIN commit_files f ON f.commit_id = n.commit_id AND f.path = n.path LEFT JOIN scan_files s ON s.file_id = f.id
WHERE ? IS NULL OR n.repo_id = ? ORDER BY n.id
"""
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
# By place and status, the scanned ones among them: what the rates are not about.
_LEFT_OUT = """
SELECT place, CASE WHEN scanned = 1 THEN 'scanned' ELSE status END AS status, SUM(lines) AS lines,
  SUM(CASE WHEN author = 'agent' THEN lines ELSE 0 END) AS agent_lines
FROM scanned_lines WHERE ? IS NULL OR repo_id = ? GROUP BY 1, 2 ORDER BY 3 DESC
"""


def _modes(store: Store, repo: int | None) -> dict[int, str]:
    """Commit -> coding mode by its own lines: human_only (no agent line), collaborative, vibe (99 % and more), not known."""
    sql = "SELECT commit_id, agent_lines, human_lines FROM commit_lines WHERE ? IS NULL OR repo_id = ?"
    return {row["commit_id"]: _mode(row["agent_lines"], row["human_lines"]) for row in store.rows(sql, (repo, repo))}


def _mode(agent: int, human: int) -> str:
    if not agent + human:
        return _NOT_KNOWN
    share = 100 * agent / (agent + human)
    return "human_only" if not agent else "vibe" if share >= 99 else "collaborative"


# --- rates ------------------------------------------------------------------------------------------------------------


Grouping = Callable[[Row], str]
"""Name of the group of a finding, or of lines."""


def _groupings(modes: Mapping[int, str], bounds: Terciles) -> dict[str, Grouping]:
    def level(complexity: float | None) -> str:
        if complexity is None:
            return _NOT_MEASURED
        return "low" if complexity <= bounds.first else "middle" if complexity <= bounds.second else "high"

    return {
        "class": lambda row: str(row["author_class"]),
        "mode": lambda row: modes.get(row["commit_id"], _NOT_KNOWN),
        "agent": lambda row: row["agent"] or "",
        "model": lambda row: row["model"] or "",
        "language": lambda row: str(row["language"]),
        "repo": lambda row: str(row["repo"]),
        "complexity": lambda row: level(row["complexity"]),
    }


def _cells(findings: Iterable[Row], lines: Iterable[Row]) -> list[tuple[Row, RateCell]]:
    return [*((row, RateCell(1, 0)) for row in findings), *((row, RateCell(0, row["lines"])) for row in lines)]


def _rate_row(by: str, name: str, author: str, cell: RateCell) -> Row:
    return {"by": by, "name": name, "author": author, **rate_if_enough(cell)._asdict()}


def _table(
    by: str, groupings: Mapping[str, Grouping], findings: Sequence[Row], lines: Sequence[Row], introduced: Sequence[Row]
) -> list[Row]:
    """Rates by one grouping. Confidence is of every introduced finding, not only of those of the headline."""
    if by == "cwe":
        return _property_table(by, findings, lines, {row["author_class"] for row in findings})
    if by == "confidence":
        return _property_table(by, introduced, lines, {row["author_class"] for row in findings})
    cells = rates.sum_by_key(((groupings[by](row), row["author_class"]), cell) for row, cell in _cells(findings, lines))
    rows = [_rate_row(by, *key, cell) for key, cell in cells.items() if key[0] and key[0] != _NOT_MEASURED]
    weight: Counter[str] = Counter()
    for row in rows:
        weight[row["name"]] += row["lines"]
    order = {author: n for n, author in enumerate(CLASSES)}
    if by == "class":
        return sorted(rows, key=lambda row: order[row["author"]])
    return sorted(rows, key=lambda row: (-weight[row["name"]], row["name"], order[row["author"]]))


def _property_table(by: str, findings: Sequence[Row], lines: Sequence[Row], authors: set[str]) -> list[Row]:
    """Rates by something that only findings have: events differ, and the lines below are the same."""
    below = rates.sum_by_key((row["author_class"], RateCell(0, row["lines"])) for row in lines)
    count = Counter((row[by] or "none", row["author_class"]) for row in findings)
    totals = Counter(row[by] or "none" for row in findings)
    rows = []
    for name in sorted(totals, key=lambda n: (_LEVELS.get(n, 0), -totals[n], n)):
        for author in _in_order(authors | set(below)):
            cell = RateCell(count[name, author], below.get(author, rates.ZERO).lines)
            if cell.events or author in (LineClass.AGENT, LineClass.HUMAN):
                rows.append(_rate_row(by, name, author, cell))
    return rows


def _in_order(authors: Iterable[str]) -> list[str]:
    present = set(authors)
    return [author for author in CLASSES if author in present]


_WITHIN = ("repo", "language")
_WITHIN_COMPLEXITY = ("repo", "language", "complexity")


def _comparisons(findings: Sequence[Row], lines: Sequence[Row], groupings: Mapping[str, Grouping], bounds: Terciles) -> list[Row]:
    """Agent against each baseline, within repository and language, and with the complexity of the file where it was measured."""
    cells = _cells(findings, lines)
    comparisons = []
    for strata in (_WITHIN, _WITHIN_COMPLEXITY) if bounds.second > 0 else (_WITHIN,):
        for baseline, classes in _BASELINES.items():
            refused = _refusal(lines, baseline)
            compared = rates.compare(baseline, _sides(cells, [groupings[name] for name in strata], classes))
            name = " x ".join(strata).replace("repo", "repository")
            comparisons.append({"strata": name, **_plain(compared, bool(refused)), "refused": refused})
    return comparisons


def _plain(compared: Compared, refused: bool) -> Row:
    """A comparison as plain values. What is left of one that is refused: counts, and the rates of sides with enough lines."""
    if refused:
        agent, other = (rate_if_enough(RateCell(side.events, side.lines)) for side in (compared.agent, compared.other))
        compared = Compared(compared.baseline, agent, other, NO_RATIO, NO_RATIO, None, "")
    nested = {name: getattr(compared, name)._asdict() for name in ("agent", "other", "pooled", "stratified")}
    return compared._asdict() | nested


def _refusal(lines: Sequence[Row], baseline: str) -> str:
    """Why weaknesses of agents and of a baseline are not compared, in words."""
    sides = {"agent": (LineClass.AGENT,), baseline: _BASELINES[baseline]}
    samples = {
        name: minimum.sample((row["lines"], row["commit_id"]) for row in lines if row["author_class"] in classes)
        for name, classes in sides.items()
    }
    return minimum.WEAKNESSES.refusal(samples)


def _sides(
    cells: Iterable[tuple[Row, RateCell]], groupings: Sequence[Grouping], baseline: Sequence[str]
) -> dict[tuple[Hashable, ...], dict[str, RateCell]]:
    """Stratum -> side (agent, other) -> events and lines."""
    pairs = []
    for row, cell in cells:
        author = row["author_class"]
        side = "agent" if author == LineClass.AGENT else "other" if author in baseline else ""
        if side:
            pairs.append(((tuple(grouping(row) for grouping in groupings), side), cell))
    table: dict[tuple[Hashable, ...], dict[str, RateCell]] = defaultdict(dict)
    for (stratum, side), cell in rates.sum_by_key(pairs).items():
        table[stratum][side] = cell
    return table


# --- fates ------------------------------------------------------------------------------------------------------------


def _counts(findings: Sequence[Row], counted: Sequence[Row]) -> dict[str, int]:
    """Findings by what their commit did, and what is to know of those that count: only these are in rates."""
    count = Counter(row["status"] for row in findings)
    return {
        "introduced": len(counted),
        "introduced_of_other_confidence": count[FindingStatus.INTRODUCED] - len(counted),
        "reintroduced": count[FindingStatus.REINTRODUCED],
        "surfaced": count[FindingStatus.SURFACED],
        "uncertain": count[FindingStatus.UNCERTAIN],
        "moved_later": sum(row["moves"] for row in findings),
        "reworded_later": sum(row["rewords"] for row in findings),
        "suppressed": sum(row["suppressed"] for row in counted),
        "ignored": sum(row["ignored"] for row in counted),
    }


def _fates(findings: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Author -> findings, those still alive at the tip, and others by who removed them, or how where nobody can be named."""
    fates = {}
    for author in _in_order(row["author_class"] for row in findings):
        of_author = [row for row in findings if row["author_class"] == author]
        gone = [row for row in of_author if not row["alive_at_head"]]
        nobody = (FixHow.MERGE, FixHow.UNSEEN)
        fixed = Counter(row["fixed_how"] if row["fixed_how"] in nobody else f"by {row['fixed_author']}" for row in gone)
        fates[author] = {"findings": len(of_author), "alive": len(of_author) - len(gone), **fixed}
    return fates


def _top(findings: Sequence[Row], most: int = 10) -> list[Row]:
    """The rules with most findings, so that one that carries everything is seen."""
    count = Counter(row["rule_id"] for row in findings)
    return [{"rule_id": rule, "findings": n, "share": n / len(findings)} for rule, n in count.most_common(most)]


# --- reviews ----------------------------------------------------------------------------------------------------------


def _review(store: Store, counted: Sequence[Row], lines: Sequence[Row]) -> dict[str, Row]:
    """By class of author and of all, from what people said of findings, weighted by rule: samples are even over rules.

    Share of true findings among those that people read with its 95 % interval, and the rate corrected by it. Unsure verdicts are
    left out.
    """
    verdicts: dict[str, set[str]] = defaultdict(set)
    for row in store.rows("SELECT fingerprint, verdict FROM finding_reviews"):
        verdicts[row["fingerprint"]].add(row["verdict"])
    reviews: dict[str, Row] = {}
    for author in ("", *_in_order(row["author_class"] for row in counted)):
        of_author = [row for row in counted if author in ("", row["author_class"])]
        rules = sorted({row["rule_id"] for row in of_author})
        strata = [_reviewed_stratum([row for row in of_author if row["rule_id"] == rule], verdicts) for rule in rules]
        precision = rates.precision(strata)
        if precision is None:
            continue
        cell = RateCell(len(of_author), sum(row["lines"] for row in lines if author in ("", row["author_class"])))
        rate = rates.corrected_rate(cell, strata) if rate_if_enough(cell).rate is not None else None
        reviews[author or "all"] = {
            "read": sum(s.read for s in strata), "true": sum(s.true for s in strata), "precision": precision.share,
            "low": precision.low, "high": precision.high, "corrected_rate": rate.rate if rate else None,
            "corrected_low": rate.low if rate else None, "corrected_high": rate.high if rate else None,
        }  # fmt: skip
    return reviews


def _reviewed_stratum(findings: Sequence[Row], verdicts: Mapping[str, set[str]]) -> Reviewed:
    true: set[str] = {ReviewVerdict.TRUE}
    false: set[str] = {ReviewVerdict.FALSE}
    agreed = [verdict for row in findings if (verdict := verdicts.get(row["fingerprint"])) in (true, false)]
    return Reviewed(len(findings), len(agreed), agreed.count(true))
