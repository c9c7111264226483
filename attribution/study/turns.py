"""How turns go: interruptions, questions of the agent, how long it works alone, which tools it uses."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from attribution.queries.features import features_ready
from attribution.study import paper
from attribution.study.model import MODES, StudyTable, StudyUnit, pooled, quantile
from collector.storage.store import Store

NAME = "turns"
ORDER = 50

_ROWS = """
SELECT s.id, s.repo_id, s.agent, t.coding_mode, s.turns, s.interruptions, f.tool_counts, f.per_turn_agent_latency_s AS latency,
  (SELECT COUNT(DISTINCT c.turn_index) FROM tool_calls c WHERE c.session_id = s.id AND c.name = 'AskUserQuestion') AS asked
FROM sessions s JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id
"""


def tables(store: Store) -> list[StudyTable]:
    rows = store.rows(_ROWS) if features_ready(store) else []
    claude = [r for r in rows if r["agent"] == "claude-code" and r["turns"]]
    return [_outcomes(claude), _autonomy(claude), _tools(rows)]


def _outcomes(rows: list[dict[str, Any]]) -> StudyTable:
    found = []
    for mode in (*MODES, "all"):
        some = [r for r in rows if mode in ("all", r["coding_mode"])]
        for what, name, published in (
            ("interrupted by the user", "interruptions", paper.INTERRUPTED),
            ("agent asks", "asked", paper.ASKED),
        ):
            one = pooled([StudyUnit(r["repo_id"], r[name], r["turns"]) for r in some])
            found.append(
                {
                    "turns": what,
                    "mode": mode,
                    **one,
                    "number of turns": sum(r["turns"] for r in some),
                    "paper_v1": published.get(mode),
                }
            )
    return StudyTable(
        "turn_outcomes", "Turns of Claude Code that were interrupted, or in which the agent asked", found,
        ["Pushback needs a judge and is not in this table (`attribute judge`)."],
    )  # fmt: skip


def _autonomy(rows: list[dict[str, Any]]) -> StudyTable:
    latencies = [x for r in rows for x in json.loads(r["latency"] or "[]") if isinstance(x, int | float)]
    published = {0.5: "< 1 min", 0.9: "< 7 min", 0.99: "", 0.999: "> 100 min"}
    found = [
        {
            "quantile": at,
            "minutes": q / 60 if (q := quantile(latencies, at)) is not None else None,
            "n": len(latencies),
            "paper_v1": text,
        }
        for at, text in published.items()
    ]
    return StudyTable("autonomy", "How long Claude Code works on one prompt", found)


def _tools(rows: list[dict[str, Any]]) -> StudyTable:
    counts: Counter[str] = Counter()
    for r in rows:
        counts.update({k: v for k, v in json.loads(r["tool_counts"] or "{}").items() if isinstance(v, int)})
    every = sum(counts.values())
    found = [
        {"category": name, "calls": counts.get(name, 0), "share": counts.get(name, 0) / every if every else None,
         "paper_v1": paper.TOOLS.get(name, (None, None))[0], "paper_v2": paper.TOOLS.get(name, (None, None))[1]}
        for name in dict.fromkeys((*paper.TOOLS, *counts))
    ]  # fmt: skip
    return StudyTable(
        "tools", "Tool calls by category", found,
        ["Ours files a command under its first effective program (`cd x && pytest` is a build), the paper under its first word: "
         "bash:file. The paper's parser kept the last block of a message only and so lost one call in seven."],
    )  # fmt: skip
