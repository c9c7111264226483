"""Fixes with the lines that they repaired, who wrote these, and how long they lived."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from attribution.culprit.repaired import FixedLines, TracedFix
from attribution.culprit.words import RepairOutcome
from attribution.queries.sessions import prompt_of
from attribution.queries.survival import seconds
from attribution.queries.verdicts import ATTRIBUTION_COLUMNS, LineAttribution, attribution_of
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.text import count_of

UNITS = {
    "fix": "sha",
    "tier": "word",
    "outcome": "word",
    "basis": "word",
    "culprit": "sha",
    "introduced_at": "UTC",
    "class": "word",
    "evidence": "word",
    "agent": "agent",
    "touched": "list",
    "tests": "list",
    "introduced_by": "sha",
    "fixed_at": "UTC",
}
COLUMNS = (
    "repo?, fix, tier, introduced_by=introduced by, class=written by, agent?, lines, path, "
    "line, days=lived days, outcome=traced by, prompt"
)


_FIXES = """
SELECT x.repo_id, x.commit_sha AS sha, COALESCE(c.subject, '') AS subject, x.fixed_at, x.tier,
  x.names, x.outcome, x.culprit_sha,
  x.basis,
  (SELECT json_group_array(json_array(origin, line, lines))
    FROM (SELECT * FROM fixed_lines WHERE fix_id = x.id ORDER BY rank)) AS lines,
  EXISTS (SELECT 1 FROM fixed_lines l JOIN line_fates t ON t.repo_id = x.repo_id
    AND t.origin = l.origin
    JOIN origins o ON o.id = t.origin_id WHERE l.fix_id = x.id AND o.author = 'agent'
      AND o.session_id IS NOT NULL) AS by_agents
FROM fixes x LEFT JOIN commits c ON c.repo_id = x.repo_id AND c.commit_sha = x.commit_sha
WHERE ?1 IS NULL OR x.repo_id = ?1 ORDER BY x.fixed_at DESC, x.id
"""


def stored_fixes(store: Store, repo_id: int | None = None) -> list[TracedFix]:
    """All fixes that were traced, of a repository or of every one, the latest first."""
    rows = store.rows(_FIXES, (repo_id,))
    return [
        TracedFix(
            **row | {"lines": tuple(FixedLines(*values) for values in json.loads(row["lines"]))}
        )
        for row in rows
    ]


def culprit_table(store: Store, fixes: Iterable[TracedFix], detail: bool = False) -> Table:
    """A row for each author of repaired lines in each commit and file; a fix without any has a row
    of its own.

    `detail`: also which commits moved the lines or changed their layout in between, and the tests
    that came with them.
    """
    rows = [row for fix in fixes for row in _rows(store, fix, detail)]
    return table_of(
        rows, UNITS, name="culprits", title="Repaired lines by the commit that introduced them"
    )


# CROSS JOIN: SQLite takes a list for longer than the table, and would read all lines of the
# repository.
_LINES = f"""
SELECT t.origin, r.name AS repo, b.commit_sha AS introduced_by, b.author_at AS introduced_at,
  b.parents, l.path, json_extract(j.value, '$[1]') AS line, json_extract(j.value, '$[2]') AS lines,
  t.lines AS span, {ATTRIBUTION_COLUMNS}
FROM json_each(?) j
CROSS JOIN line_fates t ON t.repo_id = ? AND t.origin = json_extract(j.value, '$[0]')
JOIN repos r ON r.id = t.repo_id
JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life
JOIN history_commits b ON b.id = l.birth
LEFT JOIN origins o ON o.id = t.origin_id LEFT JOIN sessions s ON s.id = o.session_id
LEFT JOIN commits c ON c.repo_id = t.repo_id AND c.commit_sha = b.commit_sha ORDER BY j.id
"""


def _rows(store: Store, fix: TracedFix, detail: bool) -> list[Row]:
    lines = store.rows(_LINES, (json.dumps(fix.lines), fix.repo_id)) if fix.lines else []
    groups: dict[tuple[Any, ...], Row] = {}
    for line in lines:
        attribution = attribution_of(line) if line["author"] is not None else LineAttribution()
        key = (
            line["introduced_by"],
            line["path"],
            attribution.kind,
            attribution.session_id,
            attribution.turn,
        )
        row = groups.setdefault(key, _row(store, fix, line, attribution))
        row["lines"] += line["lines"]
        if detail:
            row["touched"] += [
                each for each in _commits_between(store, fix, line) if each not in row["touched"]
            ]
    rows = sorted(groups.values(), key=lambda row: not row["likely"])
    for row in rows if detail else ():
        row["tests"] = store.column(_TESTS, (fix.repo_id, row["introduced_by"]))
    return rows or [_row(store, fix, {}, LineAttribution())]


def _row(store: Store, fix: TracedFix, line: Row, of: LineAttribution) -> Row:
    introduced_at = line.get("introduced_at")
    days = (
        max(0.0, (seconds(fix.fixed_at) - seconds(introduced_at)) / 86400)
        if introduced_at
        else None
    )
    return {
        "repo": (
            line.get("repo") or store.value("SELECT name FROM repos WHERE id = ?", (fix.repo_id,))
        ),
        "fix": fix.sha,
        "fixed_at": fix.fixed_at,
        "subject": fix.subject,
        "tier": fix.tier,
        "names": fix.names,
        "outcome": fix.outcome,
        "culprit": fix.culprit_sha,
        "basis": fix.basis,
        "introduced_by": line.get("introduced_by"),
        "introduced_at": introduced_at,
        "likely": bool(line) and line["introduced_by"] == fix.culprit_sha,
        "by_merge": (line.get("parents") or 0) > 1,
        "path": line.get("path"),
        "line": line.get("line"),
        "lines": 0,
        "class": of.kind or None,
        "agent": of.agent,
        "model": of.model,
        "evidence": of.evidence,
        "reason": of.reason,
        "edited_by": of.edited_by,
        "session": of.session,
        "turn": of.turn,
        "prompt": prompt_of(store, of.session_id, of.turn),
        "days": days,
        "touched": [],
        "tests": [],
    }


_TESTS = """
SELECT f.path FROM commit_files f JOIN commits c ON c.id = f.commit_id
WHERE c.repo_id = ? AND c.commit_sha = ? AND f.kind = 'test' AND f.lines_added > 0 ORDER BY f.path
"""
_TOUCHED = """
SELECT DISTINCT h.number, h.commit_sha, m.how FROM line_moves m JOIN history_commits h
  ON h.id = m.commit_id
WHERE m.repo_id = ? AND m.origin < ? AND m.origin + m.end_line - m.start_line >= ?
  AND h.commit_sha <> ? ORDER BY h.number
"""


def _commits_between(store: Store, fix: TracedFix, line: Row) -> list[str]:
    """Commits that moved the lines or changed their layout between, oldest first, with what they
    did.
    """
    of_lines = (fix.repo_id, line["origin"] + line["span"], line["origin"], fix.sha)
    return [f"{row['how']} in {row['commit_sha'][:9]}" for row in store.rows(_TOUCHED, of_lines)]


def summary(fixes: Iterable[TracedFix]) -> list[str]:
    """How many fixes, by what they were traced by, in a sentence."""
    outcomes = Counter(fix.outcome for fix in fixes)
    if not outcomes:
        return ["no fix"]
    without = outcomes[RepairOutcome.NEIGHBOURS] + outcomes[RepairOutcome.NOT_DECIDABLE]
    named = ", ".join(
        f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in outcomes.most_common()
    )
    ghosts = f"; {without:,} only added lines, so that they repaired no line" if without else ""
    return [f"{count_of(outcomes.total(), 'fix')} traced by: {named}{ghosts}"]
