"""How many of everything there are, and which agents: beside what the paper had."""

from __future__ import annotations

from attribution.queries.coverage import Coverage, headline
from attribution.queries.study import AgentSessions, population, sessions_by_agent
from attribution.study import paper
from attribution.study.model import StudyRow, StudyTable, audited_notes
from collector.storage.store import Store
from collector.vocabulary.lines import LineClass

NAME = "population"
ORDER = 10


def tables(store: Store) -> list[StudyTable]:
    counts = []
    for what, number in population(store):
        v1, v2 = paper.POPULATION.get(what, (None, None))
        counts.append({"what": what, "ours": number, "paper_v1": v1, "paper_v2": v2})
    agents = sessions_by_agent(store)
    every = sum(agent.sessions for agent in agents)
    return [
        _coverage(store),
        StudyTable("population", "What was analysed", counts),
        StudyTable(
            "agents", "Sessions by agent", [_agent(agent, every) for agent in agents],
            ["Ours by the content of the transcript, the paper's by its label, also of those labelled unknown or Agent."],
        ),
    ]  # fmt: skip


def _coverage(store: Store) -> StudyTable:
    """How many lines have a named author, by age, and why the others have none."""
    ages = headline(store, None).coverage
    parts = {"with a named author": [of.attributed for of in ages]}
    for reason in ages[0].missing:
        name = "declared, no session" if reason == LineClass.DECLARED else f"unknown, {reason.replace('_', ' ')}"
        parts[name] = [of.missing.get(reason, 0) for of in ages]
    rows: list[StudyRow] = [{"lines": "all (n)", "n": ages[0].lines} | {_age(of): of.lines for of in ages if ages[0].lines}]
    for name, lines in parts.items():
        shares = {_age(of): n / of.lines if of.lines else None for of, n in zip(ages, lines, strict=True)}
        rows.append({"lines": name, "n": lines[0]} | shares)
    notes = [
        "Non-blank lines added to source and test files, in commits that have a session or name an agent or a checkpoint. Named: "
        "agent, human, likely human or tool. Days are before the last commit of each repository.",
        *audited_notes(),
    ]
    return StudyTable("coverage", "Coverage: lines with a named author, by age, and why the others have none", rows, notes)


def _age(of: Coverage) -> str:
    return "whole history" if of.days is None else f"last {of.days} days"


def _agent(agent: AgentSessions, every: int) -> StudyRow:
    published = paper.AGENTS.get(agent.agent)
    share = published / (sum(paper.AGENTS.values()) + paper.OTHER_AGENTS) if published is not None else None
    ours = {"agent": agent.agent, "sessions": agent.sessions, "share": agent.sessions / every}
    return ours | {"paper_v1_sessions": published, "paper_v1_share": share}
