"""How turns go: interruptions, questions of the agent, how long it works alone, which tools it uses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from attribution.queries.study import SessionTurns, session_turns
from attribution.study import paper
from attribution.study.model import MODES, StudyTable, StudyUnit, pooled, quantile
from collector.storage.store import Store

NAME = "turns"
ORDER = 50


def tables(store: Store) -> list[StudyTable]:
    sessions = session_turns(store)
    claude = [session for session in sessions if session.agent == "claude-code" and session.turns]
    return [_outcomes(claude), _autonomy(claude), _tools(sessions)]


def _outcomes(sessions: Sequence[SessionTurns]) -> StudyTable:
    rows = []
    for mode in (*MODES, "all"):
        own = [session for session in sessions if mode in ("all", session.coding_mode)]
        for what, name, published in (
            ("interrupted by the user", "interruptions", paper.INTERRUPTED),
            ("agent asks", "asked", paper.ASKED),
        ):
            estimate = pooled([StudyUnit(session.repo_id, getattr(session, name), session.turns) for session in own])
            turns = sum(session.turns for session in own)
            head = {"turns": what, "mode": mode, **estimate._asdict()}
            rows.append(head | {"number of turns": turns, "paper_v1": published.get(mode)})
    return StudyTable(
        "turn_outcomes", "Turns of Claude Code that were interrupted, or in which the agent asked", rows,
        ["Pushback needs a judge and is not in this table (`whowrote data judge`)."],
    )  # fmt: skip


def _autonomy(sessions: Sequence[SessionTurns]) -> StudyTable:
    latencies = [x for session in sessions for x in json.loads(session.latency) if isinstance(x, int | float)]
    published = {0.5: "< 1 min", 0.9: "< 7 min", 0.99: "", 0.999: "> 100 min"}
    rows = [
        {
            "quantile": share,
            "minutes": seconds / 60 if (seconds := quantile(latencies, share)) is not None else None,
            "n": len(latencies),
            "paper_v1": text,
        }
        for share, text in published.items()
    ]
    return StudyTable("autonomy", "How long Claude Code works on one prompt", rows)


def _tools(sessions: Sequence[SessionTurns]) -> StudyTable:
    counts: Counter[str] = Counter()
    for session in sessions:
        counts.update({k: v for k, v in json.loads(session.tool_counts).items() if isinstance(v, int)})
    every = sum(counts.values())
    rows = [
        {"category": name, "calls": counts.get(name, 0), "share": counts.get(name, 0) / every if every else None,
         "paper_v1": paper.TOOLS.get(name, (None, None))[0], "paper_v2": paper.TOOLS.get(name, (None, None))[1]}
        for name in dict.fromkeys((*paper.TOOLS, *counts))
    ]  # fmt: skip
    return StudyTable(
        "tools", "Tool calls by category", rows,
        ["Ours files a command under its first effective program (`cd x && pytest` is a build), the paper under its first word: "
         "bash:file. The paper's parser kept the last block of a message only and so lost one call in seven."],
    )  # fmt: skip
