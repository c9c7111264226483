"""Weaknesses of one or more repositories: rates by who wrote the lines, comparisons, fates, what was left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from attribution.lineage.survival import BASELINES
from attribution.weaknesses import rates as stats
from attribution.weaknesses.rates import Compared, RateCell, Reviewed, WeaknessRate
from attribution.weaknesses.scan.exclude import SCANNED, SOURCE
from collector.errors import WhoWroteError
from collector.storage.store import Store

CLASSES = ("agent", "declared", "human", "unknown", "undeclared", "mixed")
HEADLINE = ("HIGH", "MEDIUM")
_LEVELS = {"HIGH": 1, "MEDIUM": 2, "LOW": 3}
FEW = 20  # findings below which a comparison is not worth much
BY = ("class", "mode", "agent", "model", "language", "cwe", "confidence", "repo", "complexity")


class ScannedLines(NamedTuple):
    """Scanned lines of one author in one commit and language."""

    repo: str
    commit: int
    place: str
    language: str
    complexity: float | None
    author: str
    agent: str
    model: str
    lines: int


@dataclass(frozen=True, slots=True)
class RateRow:
    """One line of a table of rates."""

    by: str
    name: str
    author: str
    rate: WeaknessRate

    def data(self) -> dict[str, Any]:
        return {"by": self.by, "name": self.name, "author": self.author, **self.rate._asdict()}


@dataclass(slots=True)
class WeaknessReport:
    repos: list[str]
    rules: list[dict[str, Any]]  # rule sets
    places: tuple[str, ...]
    confidence: tuple[str, ...]
    rows: list[RateRow]
    comparisons: list[tuple[str, Compared]]  # what the strata are
    status: dict[str, int]  # introduced, reintroduced, …, moved, reworded, suppressed, ignored
    fates: dict[str, dict[str, int]]  # class -> introduced, alive, fixed by …
    top_rules: list[dict[str, Any]]
    left_out: list[dict[str, Any]]  # added lines that were not scanned, by place and status
    review: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        compared = [
            {"strata": strata, **asdict(c), "agent": c.agent._asdict(), "other": c.other._asdict(), "pooled": c.pooled._asdict(),
             "stratified": c.stratified._asdict()}
            for strata, c in self.comparisons
        ]  # fmt: skip
        return {
            "repositories": self.repos, "rules": self.rules, "places": self.places, "confidence": self.confidence,
            "rates": [row.data() for row in self.rows], "comparisons": compared, "status": self.status, "fates": self.fates,
            "top_rules": self.top_rules, "left_out": self.left_out, "review": self.review, "notes": self.notes,
        }  # fmt: skip


def weakness_report(
    store: Store, repo: int | None = None, by: Sequence[str] = BY, places: Sequence[str] = (SOURCE,), low: bool = False
) -> WeaknessReport:
    """Numbers over the scanned repositories. `low`: findings of low confidence too. Raises WhoWroteError when none was scanned."""
    sets = store.rows(
        "SELECT DISTINCT s.id, s.name, s.hash, s.engine, s.rules FROM rule_sets s JOIN scan_files n ON n.rule_set_id = s.id "
        "JOIN commit_files f ON f.id = n.file_id JOIN commits c ON c.id = f.commit_id WHERE ? IS NULL OR c.repo_id = ?",
        (repo, repo),
    )
    if not sets:
        raise WhoWroteError(f"nothing in {store.path} was scanned yet", f"Scan with: attribute scan PATH --db {store.path}")
    confidence = (*HEADLINE, "LOW", "") if low else HEADLINE
    every = _findings(store, repo)
    findings = [f for f in every if f["place"] in places]
    counted = [f for f in findings if f["status"] == "introduced" and (f["confidence"] or "") in confidence]
    lines = _lines(store, repo, places)
    modes = _modes(store, repo)
    bounds = stats.terciles([(one.complexity, one.lines) for one in lines if one.complexity is not None])
    keys = _keys(modes, bounds)
    found = WeaknessReport(
        sorted({one.repo for one in lines}), sets, tuple(places), confidence,
        [row for name in by for row in _table(name, keys, counted, lines, [f for f in findings if f["status"] == "introduced"])],
        _comparisons(counted, lines, keys, bounds),
        _status(findings, counted), _fates(counted), _top(counted), _left_out(store, repo), _review(store, counted, lines),
    )  # fmt: skip
    if len(sets) > 1:
        found.notes.append("repositories were scanned with different rules or scanners: scan them again before comparing")
    if any(compared.agent.events + compared.other.events < FEW for _, compared in found.comparisons):
        found.notes.append(f"comparisons over fewer than {FEW} findings say little: look at the intervals")
    return found


# --- reading ----------------------------------------------------------------------------------------------------------

_FINDINGS = """
SELECT n.*, r.name AS repo, s.complexity FROM findings n JOIN repos r ON r.id = n.repo_id
LEFT JOIN commit_files f ON f.commit_id = n.commit_id AND f.path = n.path LEFT JOIN scan_files s ON s.file_id = f.id
WHERE ? IS NULL OR n.repo_id = ? ORDER BY n.id
"""
_LINES = """
SELECT r.name AS repo, l.commit_id, l.place, l.language, l.complexity, l.author_class,
  CASE l.author_class WHEN 'agent' THEN COALESCE(s.agent, s.agent_label) WHEN 'declared' THEN c.declared_agent END AS agent,
  CASE WHEN l.author_class IN ('agent', 'declared') THEN COALESCE(l.model, s.model) END AS model, SUM(l.lines) AS lines
FROM scanned_lines l JOIN repos r ON r.id = l.repo_id JOIN commits c ON c.id = l.commit_id
LEFT JOIN sessions s ON s.id = l.session_id WHERE l.scanned = 1 AND (? IS NULL OR l.repo_id = ?)
GROUP BY l.commit_id, l.place, l.language, l.complexity, l.author_class, 7, 8
"""


def _findings(store: Store, repo: int | None) -> list[dict[str, Any]]:
    return store.rows(_FINDINGS, (repo, repo))


def _lines(store: Store, repo: int | None, places: Sequence[str]) -> list[ScannedLines]:
    rows = store.rows(_LINES, (repo, repo))
    return [
        ScannedLines(r["repo"], r["commit_id"], r["place"], r["language"], r["complexity"], r["author_class"], r["agent"] or "",
             r["model"] or "", r["lines"])
        for r in rows if r["place"] in places
    ]  # fmt: skip


def _modes(store: Store, repo: int | None) -> dict[int, str]:
    """Commit -> coding mode by its own lines: human_only (no agent line), collaborative, vibe (99 % and more), not known."""
    rows = store.rows("SELECT commit_id, agent_lines, human_lines FROM commit_lines WHERE ? IS NULL OR repo_id = ?", (repo, repo))
    return {r["commit_id"]: _mode(r["agent_lines"], r["human_lines"]) for r in rows}


def _mode(agent: int, human: int) -> str:
    if not agent + human:
        return "not known"
    share = 100 * agent / (agent + human)
    return "human_only" if not agent else "vibe" if share >= 99 else "collaborative"


# --- rates ------------------------------------------------------------------------------------------------------------

Key = tuple[Callable[[dict[str, Any]], Hashable], Callable[[ScannedLines], Hashable]]
"""Group of a finding, group of lines."""


def _keys(modes: Mapping[int, str], bounds: tuple[float, float]) -> dict[str, Key]:
    def level(value: float | None) -> str:
        if value is None:
            return "not measured"
        return "low" if value <= bounds[0] else "middle" if value <= bounds[1] else "high"

    return {
        "class": (lambda f: f["author_class"], lambda one: one.author),
        "mode": (lambda f: modes.get(f["commit_id"], "not known"), lambda one: modes.get(one.commit, "not known")),
        "agent": (lambda f: f["agent"] or "", lambda one: one.agent),
        "model": (lambda f: f["model"] or "", lambda one: one.model),
        "language": (lambda f: f["language"], lambda one: one.language),
        "repo": (lambda f: f["repo"], lambda one: one.repo),
        "complexity": (lambda f: level(f["complexity"]), lambda one: level(one.complexity)),
    }


def _table(
    by: str,
    keys: Mapping[str, Key],
    findings: Sequence[dict[str, Any]],
    lines: Sequence[ScannedLines],
    introduced: Sequence[dict[str, Any]],
) -> list[RateRow]:
    """Rates by one grouping: for cwe and confidence events differ and the lines below are the same."""
    authors = {one.author for one in lines} | {str(f["author_class"]) for f in findings}
    below = stats.grouped((one.author, RateCell(0, one.lines)) for one in lines)
    rows = []
    if by in ("cwe", "confidence"):
        some = introduced if by == "confidence" else findings  # every confidence, not only the ones of the headline
        count = Counter((str(f[by] or "none"), str(f["author_class"])) for f in some)
        many = Counter({name: sum(c for (m, _), c in count.items() if m == name) for name, _ in count})
        for name in sorted(many, key=lambda n: (_LEVELS.get(n, 0), -many[n], n)):
            for author in _ordered(authors):
                cell = RateCell(count[name, author], below.get(author, stats.ZERO).lines)
                if cell.events or author in ("agent", "human"):
                    rows.append(RateRow(by, name, author, stats.rate(cell)))
        return rows
    of_finding, of_line = keys[by]
    cells = stats.grouped(
        [
            *(((of_finding(f), f["author_class"]), RateCell(1, 0)) for f in findings),
            *(((of_line(one), one.author), RateCell(0, one.lines)) for one in lines),
        ]
    )
    for key, cell in cells.items():
        name, author = key if isinstance(key, tuple) else ("", "")
        if name and (by != "complexity" or name != "not measured"):
            rows.append(RateRow(by, str(name), str(author), stats.rate(cell)))
    weight: Counter[str] = Counter()
    for row in rows:
        weight[row.name] += row.rate.lines
    order = {author: n for n, author in enumerate(CLASSES)}
    return sorted(rows, key=lambda r: (order[r.author] if by == "class" else -weight[r.name], r.name, order[r.author]))


def _ordered(authors: Iterable[str]) -> list[str]:
    return [author for author in CLASSES if author in authors]


def _comparisons(
    findings: Sequence[dict[str, Any]], lines: Sequence[ScannedLines], keys: Mapping[str, Key], bounds: tuple[float, float]
) -> list[tuple[str, Compared]]:
    """Agent against each baseline, within repository and language, and with the complexity of the file where it was measured."""
    found = []
    strata: list[tuple[str, tuple[str, ...]]] = [("repository x language", ("repo", "language"))]
    if bounds[1] > 0:
        strata.append(("repository x language x complexity", ("repo", "language", "complexity")))
    for name, groups in strata:
        for baseline, classes in BASELINES.items():
            table: dict[tuple[Hashable, ...], dict[str, RateCell]] = defaultdict(lambda: {"agent": stats.ZERO, "other": stats.ZERO})
            for f in findings:
                _count(table, tuple(keys[g][0](f) for g in groups), str(f["author_class"]), classes, RateCell(1, 0))
            for one in lines:
                _count(table, tuple(keys[g][1](one) for g in groups), one.author, classes, RateCell(0, one.lines))
            found.append((name, stats.compare(baseline, table)))
    return found


def _count(
    table: dict[tuple[Hashable, ...], dict[str, RateCell]],
    key: tuple[Hashable, ...],
    author: str,
    baseline: Sequence[str],
    cell: RateCell,
) -> None:
    side = "agent" if author == "agent" else "other" if author in baseline else ""
    if side:
        table[key][side] = table[key][side] + cell


# --- fates ------------------------------------------------------------------------------------------------------------


def _status(findings: Sequence[dict[str, Any]], counted: Sequence[dict[str, Any]]) -> dict[str, int]:
    count: Counter[str] = Counter(str(f["status"]) for f in findings)
    return {
        "introduced": len(counted), "introduced_of_other_confidence": count["introduced"] - len(counted),
        "reintroduced": count["reintroduced"], "surfaced": count["surfaced"], "uncertain": count["uncertain"],
        "moved_later": sum(f["moves"] for f in findings), "reworded_later": sum(f["rewords"] for f in findings),
        "suppressed": sum(f["suppressed"] for f in counted), "ignored": sum(f["ignored"] for f in counted),
    }  # fmt: skip


def _fates(findings: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Class -> findings, alive at the tip, fixed by whom."""
    found: dict[str, Counter[str]] = {}
    for author in _ordered({str(f["author_class"]) for f in findings}):
        some = [f for f in findings if f["author_class"] == author]
        count = Counter({"findings": len(some), "alive": sum(f["alive_at_head"] for f in some)})
        for f in some:
            if not f["alive_at_head"]:
                how = f["fixed_how"]
                count[how if how in ("merge", "unseen") else f"by {f['fixed_author']}"] += 1
        found[author] = count
    return {author: dict(count) for author, count in found.items()}


def _top(findings: Sequence[dict[str, Any]], most: int = 10) -> list[dict[str, Any]]:
    """The rules with most findings, so that one that carries everything is seen."""
    count = Counter(str(f["rule_id"]) for f in findings)
    return [{"rule_id": rule, "findings": n, "share": n / len(findings)} for rule, n in count.most_common(most)]


def _left_out(store: Store, repo: int | None) -> list[dict[str, Any]]:
    """Added lines with text by place and status: what the rates are not about."""
    return store.rows(
        "SELECT place, CASE WHEN scanned = 1 THEN 'scanned' ELSE status END AS status, SUM(lines) AS lines, "
        "SUM(CASE WHEN author = 'agent' THEN lines ELSE 0 END) AS agent_lines FROM scanned_lines WHERE ? IS NULL OR repo_id = ? "
        "GROUP BY 1, 2 ORDER BY 3 DESC",
        (repo, repo),
    )


# --- reviews ----------------------------------------------------------------------------------------------------------


def _review(store: Store, counted: Sequence[dict[str, Any]], lines: Sequence[ScannedLines]) -> dict[str, Any]:
    """Share of true findings by class of author from what people said, weighted by rule, and the rate corrected by it.

    By rule, since samples are drawn evenly over rules. Unsure ones are left out.
    """
    verdicts: dict[str, set[str]] = defaultdict(set)
    for r in store.rows("SELECT fingerprint, verdict FROM finding_reviews"):
        verdicts[r["fingerprint"]].add(r["verdict"])
    sides: dict[str, dict[str, Any]] = {}
    below = stats.grouped((one.author, RateCell(0, one.lines)) for one in lines)
    for author in ("", *_ordered({str(f["author_class"]) for f in counted})):
        some = [f for f in counted if not author or f["author_class"] == author]
        strata = []
        for rule in sorted({str(f["rule_id"]) for f in some}):
            mine = [f for f in some if f["rule_id"] == rule]
            said = [verdicts[f["fingerprint"]] for f in mine if f["fingerprint"] in verdicts]
            clear = [v for v in said if v in ({"true"}, {"false"})]
            strata.append(Reviewed(len(mine), len(clear), sum(v == {"true"} for v in clear)))
        found = stats.precision(strata)
        if found is None:
            continue
        whole = sum(cell.lines for name, cell in below.items() if author in ("", name))
        rate = stats.corrected(RateCell(len(some), whole), strata)
        sides[author or "all"] = {
            "read": sum(s.read for s in strata), "true": sum(s.true for s in strata), "precision": found[0], "low": found[1],
            "high": found[2], "corrected_rate": rate and rate.rate, "corrected_low": rate and rate.low,
            "corrected_high": rate and rate.high,
        }  # fmt: skip
    return sides


__all__ = ["BY", "SCANNED", "WeaknessReport", "weakness_report"]
