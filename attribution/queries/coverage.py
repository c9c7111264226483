"""Headline numbers of a repository: added lines of source and test files by class, the other kinds
of files beside them, and how many of the lines of commits with a sign of an agent have a named
author.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from attribution.lineage.survival import UNANSWERED
from collector.json_values import Numbers, Row
from collector.storage.store import Store
from collector.storage.views import Table, described_view
from collector.vocabulary.lines import HEADLINE, LINE_CLASSES, FileKind, LineClass, line_class_sql

AGES = (30, 90, 365)
"""Days before the last commit that coverage is given for, beside the whole history."""
ATTRIBUTED = (LineClass.AGENT, LineClass.HUMAN, LineClass.LIKELY_HUMAN, LineClass.TOOL)
"""Classes that name an author by evidence. `declared` is the commit's own statement and does not
count.
"""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Added source and test lines with text, of commits that have a session or name an agent or
    a checkpoint.
    """

    days: int | None  # commits authored at most so many days before the last one; None: all
    lines: int
    attributed: int
    # why the others are not attributed -> lines, most first; `declared`: only the commit says so
    missing: Numbers


@dataclass(frozen=True, slots=True)
class Headline:
    """What a report shows first."""

    lines: Numbers  # class -> added source and test lines with text
    kinds: Table  # kinds of files that have lines, most lines first, as the view kind_lines
    coverage: list[Coverage]  # the whole history, then the ages

    @property
    def share(self) -> AgentShare:
        return AgentShare.of(self.lines)


_BANDS = " ".join(f"WHEN age <= {days} THEN {days}" for days in AGES)
_LINES = """
WITH dated AS (
  SELECT c.id, julianday(r.last_commit_at) - julianday(c.author_at) AS age,
    c.declared_agent IS NOT NULL OR c.checkpoint_ids > 0
    OR EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id) AS signed
  FROM commits c JOIN repos r ON r.id = c.repo_id {where}
)
SELECT f.kind, {line_class} AS class, o.reason, d.signed, CASE {bands} END AS age,
  SUM(s.nonblank) AS lines
FROM dated d JOIN commit_files f ON f.commit_id = d.id JOIN spans s ON s.file_id = f.id
  JOIN origins o ON o.id = s.origin_id
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
"""


def headline(store: Store, repo_id: int | None) -> Headline:
    """The headline numbers of one repository, or of all of a database (None); zeros without an
    attributed line.

    Ages are before the last commit of each repository.
    """
    # a condition that also lets all pass would not use the index
    where_sql = "" if repo_id is None else "WHERE c.repo_id = ?"
    sql = _LINES.format(where=where_sql, line_class=line_class_sql("o"), bands=_BANDS)
    rows = store.rows(sql, () if repo_id is None else (repo_id,))
    code = [row for row in rows if row["kind"] in HEADLINE]
    signed = [row for row in code if row["signed"]]
    recent = [
        _coverage(days, [row for row in signed if row["age"] is not None and row["age"] <= days])
        for days in AGES
    ]
    kinds = kind_lines(rows)
    return Headline(code_lines(kinds), kinds, [_coverage(None, signed), *recent])


def sum_by_class(rows: Iterable[Row]) -> Numbers:
    """The lines of some rows by class, every class."""
    every = list(rows)
    return {name: sum(row[name] for row in every) for name in LINE_CLASSES}


def code_lines(kinds: Iterable[Row]) -> Numbers:
    """The same of source and test files alone, of rows that `kind_lines` gives."""
    return sum_by_class(row for row in kinds if row["kind"] in HEADLINE)


def kind_lines(rows: Iterable[Row]) -> Table:
    """Rows with kind, class and lines with text -> the kinds that have lines, most lines first, as
    rows of the view `kind_lines`.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row["kind"]][row["class"]] += row["lines"]
    table = described_view("kind_lines")
    table.columns = [column for column in table.columns if column.name not in ("repo_id", "files")]
    order = [str(kind) for kind in FileKind]
    for kind in sorted(counts, key=lambda kind: (-counts[kind].total(), order.index(kind))):
        if counts[kind].total():
            classes = {name: counts[kind][name] for name in LINE_CLASSES}
            table.rows.append({"kind": kind, "lines": counts[kind].total(), **classes})
    return table


def _coverage(days: int | None, rows: Iterable[Row]) -> Coverage:
    attributed = 0
    missing = Counter[str]()
    for row in rows:
        if row["class"] in ATTRIBUTED:
            attributed += row["lines"]
        else:
            missing[row["class"] if row["class"] == LineClass.DECLARED else row["reason"]] += row[
                "lines"
            ]
    result = {reason: lines for reason, lines in missing.most_common() if lines}
    return Coverage(days, attributed + sum(result.values()), attributed, result)


# --- the share of agents --------------------------------------------------------------------------


BY_RECORD = (LineClass.AGENT,)


class AgentShare(NamedTuple):
    """Added lines with text of source and test files.

    Lines without an answer can be anybody's: the true share lies between `percent` and `at_most`,
    if what is answered is right.
    """

    recorded: int  # a recorded action of an agent wrote them
    declared: int  # only their commits say that an agent wrote them
    unanswered: int
    lines: int

    @classmethod
    def of(cls, lines: Numbers) -> AgentShare:
        """`lines`: class -> lines."""
        declared = lines.get(LineClass.DECLARED, 0)
        unanswered = sum(lines.get(name, 0) for name in UNANSWERED)
        return cls(lines.get(LineClass.AGENT, 0), declared, unanswered, sum(lines.values()))

    @property
    def by_agents(self) -> int:
        return self.recorded + self.declared

    @property
    def percent(self) -> float | None:
        """Recorded and declared lines of all; None without lines."""
        return 100 * self.by_agents / self.lines if self.lines else None

    @property
    def at_most(self) -> float | None:
        """The same if agents wrote all lines without an answer."""
        return 100 * (self.by_agents + self.unanswered) / self.lines if self.lines else None
