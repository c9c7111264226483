"""How many of everything there are, and which agents: beside what the paper had."""

from __future__ import annotations

from attribution.study import paper
from attribution.study.model import StudyTable
from collector.storage.store import Store

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


def tables(store: Store) -> list[StudyTable]:
    counts = []
    for what, sql in _COUNTS.items():
        v1, v2 = paper.POPULATION.get(what, (None, None))
        counts.append({"what": what, "ours": store.value(sql) or 0, "paper_v1": v1, "paper_v2": v2})
    found = store.rows(
        "SELECT COALESCE(agent, agent_label, '?') AS agent, COUNT(*) AS sessions FROM sessions GROUP BY 1 ORDER BY 2 DESC"
    )
    every, published = sum(r["sessions"] for r in found), sum(paper.AGENTS.values())
    agents = [
        r
        | {
            "share": r["sessions"] / every,
            "paper_v1_sessions": paper.AGENTS.get(r["agent"]),
            "paper_v1_share": paper.AGENTS[r["agent"]] / published if r["agent"] in paper.AGENTS else None,
        }
        for r in found
    ]
    return [
        StudyTable("population", "What was analysed", counts),
        StudyTable("agents", "Sessions by agent", agents, ["Ours by the content of the transcript, the paper's by its label."]),
    ]
