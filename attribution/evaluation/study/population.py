"""How many of everything there are, which agents, and how many lines have an author: beside what the paper had."""

from __future__ import annotations

from attribution.evaluation.study import paper
from attribution.evaluation.study.numbers import audited_notes
from attribution.evaluation.study.sessions import Row
from attribution.queries.coverage import Coverage, headline
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.vocabulary.lines import LineClass

NAME = "population"
ORDER = 10

_COUNTS = {
    "repositories": "SELECT COUNT(*) FROM repos",
    "sessions": "SELECT COUNT(*) FROM sessions",
    "sessions with a transcript": "SELECT COUNT(*) FROM sessions WHERE transcript IN ('present', 'partial')",
    "checkpoints": "SELECT COUNT(*) FROM checkpoints",
    "commits": "SELECT COUNT(*) FROM commits",
    "commits linked to sessions": "SELECT COUNT(DISTINCT commit_id) FROM commit_sessions",
    "user prompts": "SELECT COUNT(*) FROM turns",
    "tool calls": "SELECT COUNT(*) FROM tool_calls",
    "edits applied": "SELECT COUNT(*) FROM edits WHERE outcome = 'applied'",
    "edits that could not be replayed": "SELECT COUNT(*) FROM edits WHERE outcome = 'unmatched'",
    "lines added": "SELECT SUM(lines_added) FROM commits",
}


def tables(store: Store, sessions: list[Row]) -> list[Table]:
    counts = []
    for what, sql in _COUNTS.items():
        v1, v2 = paper.POPULATION.get(what, (None, None))
        counts.append({"what": what, "ours": store.value(sql) or 0, "paper_v1": v1, "paper_v2": v2})
    return [_coverage(store), table_of(counts, name="population", title="What was analysed"), _agents(store)]


def _coverage(store: Store) -> Table:
    """How many lines have a named author, by age, and why the others have none."""
    ages = headline(store, None).coverage
    parts = {"with a named author": [coverage.attributed for coverage in ages]}
    for reason in ages[0].missing:
        name = "declared, no session" if reason == LineClass.DECLARED else f"unknown, {reason.replace('_', ' ')}"
        parts[name] = [coverage.missing.get(reason, 0) for coverage in ages]
    rows: list[Row] = [{"lines": "all (n)", "n": ages[0].lines} | {_age(age): age.lines for age in ages if ages[0].lines}]
    for name, lines in parts.items():
        shares = {_age(age): n / age.lines if age.lines else None for age, n in zip(ages, lines, strict=True)}
        rows.append({"lines": name, "n": lines[0]} | shares)
    notes = [
        "Non-blank lines added to source and test files, in commits that have a session or name an agent or a checkpoint. Named: "
        "agent, human, likely human or tool. Days are before the last commit of each repository.",
        *audited_notes(),
    ]
    title = "Coverage: lines with a named author, by age, and why the others have none"
    return table_of(rows, notes=notes, name="coverage", title=title)


def _age(coverage: Coverage) -> str:
    return "whole history" if coverage.days is None else f"last {coverage.days} days"


def _agents(store: Store) -> Table:
    agents = store.rows(
        "SELECT COALESCE(agent, agent_label, '?') AS agent, COUNT(*) AS sessions FROM sessions GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    every, published = sum(row["sessions"] for row in agents), sum(paper.AGENTS.values()) + paper.OTHER_AGENTS
    for row in agents:
        count = paper.AGENTS.get(row["agent"])
        share = count / published if count is not None else None
        row |= {"share": row["sessions"] / every, "paper_v1_sessions": count, "paper_v1_share": share}
    notes = ["Ours by the content of the transcript, the paper's by its label, also of those labelled unknown or Agent."]
    return table_of(agents, notes=notes, name="agents", title="Sessions by agent")
