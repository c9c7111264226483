"""Weaknesses of one or more repositories: rates by who wrote the lines, fates, what
was left out.

Findings and scanned lines are rows of the database with a column for each grouping; those of lines
have the number of `lines`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attribution.lineage import minimum
from attribution.queries.breakdown_facts import (
    AGENT,
    asked_for,
    place_columns,
)
from attribution.stats.accuracy import audited_note
from attribution.stats.rates import RateCell, rate_if_enough
from attribution.weaknesses.queries import rates
from attribution.weaknesses.queries.findings import HEADLINE, not_scanned, scanned_rule_sets
from attribution.weaknesses.queries.rates import Reviewed
from attribution.weaknesses.words import Confidence, FindingStatus, FixHow, Mixture, ReviewVerdict
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.vocabulary import sql_list
from collector.vocabulary.lines import LINE_CLASSES, FilePlace, LineClass, coding_mode

CLASSES = (*LINE_CLASSES, Mixture.MIXED)
BY = ("class", "mode", "agent", "model", "language", "cwe", "confidence", "repo")
# groupings that lines do not have: all lines of a class stand below each of their rates
_OF_FINDINGS = ("cwe", "confidence")
_NOT_KNOWN = "not known"
_REMOVED_BY = "by: the author of the lines that replaced them, else of the commit"
_UNITS = {"author": "word", "status": "word", "share": "share", "precision": "share", "hash": "sha"}


def weakness_tables(
    store: Store,
    repo: int | None = None,
    by: Sequence[str] = BY,
    file_places: Sequence[str] = (FilePlace.SOURCE,),
    low: bool = False,
) -> list[Table]:
    """Numbers over the scanned repositories: a table of rates for each grouping, then
    fates and what was left out.

    `low`: findings of low confidence too. Raises WhoWroteError when no repository was scanned.
    """
    rule_sets = scanned_rule_sets(store, repo)
    if not rule_sets:
        raise not_scanned(store)
    confidence = (*HEADLINE, Confidence.LOW, "") if low else HEADLINE
    findings = [row for row in store.rows(_FINDINGS, (repo, repo)) if row["place"] in file_places]
    lines = [row for row in store.rows(_LINES, (repo, repo)) if row["place"] in file_places]
    modes = _modes(store, repo)
    for row in (*findings, *lines):
        row["mode"] = modes.get(row["commit_id"], _NOT_KNOWN)
    introduced = [row for row in findings if row["status"] == FindingStatus.INTRODUCED]
    counted = [row for row in introduced if row["confidence"] in confidence]
    few = f"no rate with fewer than {minimum.RATE.lines:,} scanned lines"
    tables = []
    for name in by:
        # Confidence is of every introduced finding, not only of those of the headline.
        rows = _rates(name, introduced if name == "confidence" else counted, lines)
        notes = [few] if any(row["lines"] and row["rate"] is None for row in rows) else []
        tables.append(
            table_of(
                rows,
                _UNITS,
                notes,
                name,
                f"Weaknesses per 1,000 lines of {' and '.join(file_places)} by {name}",
            )
        )
    more = [
        ("fates", _fates(counted), [_REMOVED_BY], "What became of them"),
        (
            "status",
            _statuses(findings, counted),
            [],
            "Findings by what their commit did; the first are in rates",
        ),
        (
            "reviews",
            _reviews(store, counted, lines),
            [],
            "Share of true findings among those reviewed, and the corrected rate",
        ),
        ("rules", _top(counted), [], "Rules with the most findings"),
        (
            "lines",
            store.rows(_LEFT_OUT, (repo, repo)),
            [],
            "Non-blank added lines; rates are per scanned line",
        ),
        ("rule_sets", rule_sets, _notes(rule_sets), "Rules and scanners"),
    ]
    for name, rows, notes, heading in more:
        units = _UNITS | dict.fromkeys(("low", "high") if name == "reviews" else (), "share")
        tables.append(table_of(rows, units, notes, name, heading))
    return tables


def _notes(rule_sets: Sequence[Row]) -> list[str]:
    several = (
        "repositories were scanned with different rules or scanners; scan them again before"
        " comparing"
    )
    return [
        *([several] if len(rule_sets) > 1 else []),
        *filter(None, [audited_note(LineClass.AGENT, LineClass.HUMAN)]),
    ]


_FINDINGS = """
SELECT r.name AS repo, n.commit_id, n.fingerprint, n.rule_id, COALESCE(n.cwe, 'none') AS cwe,
  n.status, COALESCE(n.confidence, '') AS confidence, n.language, n.place, n.class,
  COALESCE(n.agent, '') AS agent, COALESCE(n.model, '') AS model, n.suppressed, n.ignored,
  n.fixed_how, n.fixed_author, n.moves, n.rewords, n.alive_at_head
FROM findings n JOIN repos r ON r.id = n.repo_id
WHERE ? IS NULL OR n.repo_id = ? ORDER BY n.id
"""
_LINES = """
SELECT r.name AS repo, l.commit_id, l.place, l.language, l.class,
  COALESCE(CASE l.class WHEN 'agent' THEN COALESCE(s.agent, s.agent_label)
    WHEN 'declared' THEN c.declared_agent END, '') AS agent,
  COALESCE(CASE WHEN l.class IN ('agent', 'declared') THEN COALESCE(l.model, s.model)
    END, '') AS model,
  SUM(l.lines) AS lines
FROM scanned_lines l JOIN repos r ON r.id = l.repo_id JOIN commits c ON c.id = l.commit_id
LEFT JOIN sessions s ON s.id = l.session_id WHERE l.scanned = 1 AND (? IS NULL OR l.repo_id = ?)
GROUP BY l.commit_id, l.place, l.language, l.class, 6, 7
"""
# By place and status, the scanned ones among them: what the rates are not about.
_LEFT_OUT = """
SELECT place, CASE WHEN scanned = 1 THEN 'scanned' ELSE status END AS status, SUM(lines) AS lines,
  SUM(CASE WHEN class = 'agent' THEN lines ELSE 0 END) AS agent_lines
FROM scanned_lines WHERE ? IS NULL OR repo_id = ? GROUP BY 1, 2 ORDER BY 3 DESC
"""


def _modes(store: Store, repo: int | None) -> dict[int, str]:
    """Commit -> coding mode by its own lines: human_only (no agent line), collaborative, vibe
    (99 % and more), not known.
    """
    rows = store.rows(
        "SELECT commit_id, 100.0 * agent_lines / NULLIF(agent_lines + human_lines, 0) AS percentage"
        " FROM commit_lines WHERE ?1 IS NULL OR repo_id = ?1",
        (repo,),
    )
    return {row["commit_id"]: coding_mode(row["percentage"]) or _NOT_KNOWN for row in rows}


def _rates(by: str, findings: Iterable[Row], lines: Iterable[Row]) -> list[Row]:
    """Rates by one grouping and class of author; the group with most lines, or most findings,
    first.
    """
    events = Counter((row[by], row["class"]) for row in findings)
    below = Counter[tuple[str, str]]()
    for row in lines:
        below["" if by in _OF_FINDINGS else row[by], row["class"]] += row["lines"]
    if by in _OF_FINDINGS:
        compared = {
            (name, author)
            for name, _ in events
            for author in (LineClass.AGENT, LineClass.HUMAN)
            if below["", author]
        }
        cells = {
            (name, author): RateCell(events[name, author], below["", author])
            for name, author in compared | set(events)
        }
        weight = Counter(name for name, _ in events.elements())
    else:
        cells = {key: RateCell(events[key], below[key]) for key in events | below if key[0]}
        weight = Counter[str]()
        for (name, _), cell in cells.items():
            weight[name] += cell.lines
    ordered = sorted(cells, key=lambda key: (-weight[key[0]], key[0], CLASSES.index(key[1])))
    return [
        {"name": key[0], "author": key[1], **rate_if_enough(cells[key])._asdict()}
        for key in ordered
    ]


def _statuses(findings: Sequence[Row], counted: Sequence[Row]) -> list[Row]:
    """Findings by what their commit did, and what is to know of those that count: only these are
    in rates.
    """
    count = Counter(row["status"] for row in findings)
    numbers = {
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
    return [{"status": name, "findings": number} for name, number in numbers.items() if number]


def _fates(findings: Sequence[Row]) -> list[Row]:
    """By author: findings, those still present at the tip, and others by who removed them, or
    how where nobody can be named.
    """
    fates = []
    for author in _in_order(row["class"] for row in findings):
        of_author = [row for row in findings if row["class"] == author]
        gone = [row for row in of_author if not row["alive_at_head"]]
        nobody = (FixHow.MERGE, FixHow.UNSEEN)
        fixed = Counter(
            row["fixed_how"] if row["fixed_how"] in nobody else f"by {row['fixed_author']}"
            for row in gone
        )
        present = len(of_author) - len(gone)
        share = present / len(of_author) if len(of_author) >= minimum.FINDINGS else None
        fates.append(
            {
                "author": author,
                "findings": len(of_author),
                "present": present,
                "share": share,
                **fixed,
            }
        )
    return fates


def _in_order(authors: Iterable[str]) -> list[str]:
    return sorted(set(authors), key=CLASSES.index)


def _top(findings: Sequence[Row], most: int = 10) -> list[Row]:
    """The rules with most findings, so that one that carries everything is seen."""
    count = Counter(row["rule_id"] for row in findings)
    return [
        {"rule": rule, "findings": n, "share": n / len(findings)}
        for rule, n in count.most_common(most)
    ]


def _reviews(store: Store, counted: Sequence[Row], lines: Sequence[Row]) -> list[Row]:
    """By class of author and of all, from what people said of findings, weighted by rule: samples
    are even over rules.

    Share of true findings among those that people read with its 95 % interval, and the rate
    corrected by it. Unsure verdicts are left out.
    """
    verdicts = defaultdict(set)
    for row in store.rows("SELECT fingerprint, verdict FROM finding_reviews"):
        verdicts[row["fingerprint"]].add(row["verdict"])
    reviews = []
    for author in ("", *_in_order(row["class"] for row in counted)):
        of_author = [row for row in counted if author in ("", row["class"])]
        rules = sorted({row["rule_id"] for row in of_author})
        strata = [
            _reviewed_stratum([row for row in of_author if row["rule_id"] == rule], verdicts)
            for rule in rules
        ]
        precision = rates.precision(strata)
        if precision is None:
            continue
        cell = RateCell(
            len(of_author), sum(row["lines"] for row in lines if author in ("", row["class"]))
        )
        rate = rates.corrected_rate(cell, strata) if rate_if_enough(cell).rate is not None else None
        reviews.append(
            {
                "author": author or "all",
                "read": sum(s.read for s in strata),
                "true": sum(s.true for s in strata),
                "precision": precision.share,
                "low": precision.low,
                "high": precision.high,
                "corrected_rate": rate.rate if rate else None,
                "corrected_low": rate.low if rate else None,
                "corrected_high": rate.high if rate else None,
            }
        )
    return reviews


def _reviewed_stratum(findings: Sequence[Row], verdicts: Mapping[str, set[str]]) -> Reviewed:
    true: set[str] = {ReviewVerdict.TRUE}
    agreed = [
        verdicts[row["fingerprint"]]
        for row in findings
        if verdicts[row["fingerprint"]] in (true, {ReviewVerdict.FALSE})
    ]
    return Reviewed(len(findings), len(agreed), agreed.count(true))


_SCANNED = f"""
SELECT {place_columns("l.path", AGENT)}, 0 AS events, SUM(l.lines) AS lines
FROM scanned_lines l JOIN repos r ON r.id = l.repo_id JOIN commits c ON c.id = l.commit_id
LEFT JOIN sessions s ON s.id = l.session_id
WHERE l.scanned = 1 AND l.place = '{FilePlace.SOURCE}' AND l.class = '{LineClass.AGENT}'
  AND {asked_for("c.author_at")}
GROUP BY c.id, 1, 2, 3, 4, 5, 6, 7 ORDER BY c.id, 3, 4
"""
_FOUND = f"""
SELECT {place_columns("n.path", "COALESCE(n.agent, '')")}, COUNT(*) AS events, 0 AS lines
FROM findings n JOIN repos r ON r.id = n.repo_id JOIN commits c ON c.id = n.commit_id
  LEFT JOIN sessions s ON s.id = n.session_id
WHERE n.status = 'introduced' AND n.place = '{FilePlace.SOURCE}' AND n.class = '{LineClass.AGENT}'
  AND n.confidence IN ({sql_list(HEADLINE)}) AND {asked_for("c.author_at")}
GROUP BY c.id, 1, 2, 3, 4, 5, 6, 7 ORDER BY c.id, 3, 4
"""

EVENTS = (_SCANNED, _FOUND)
"""Scanned lines of agents and the findings in them by month, directory, agent and person."""
