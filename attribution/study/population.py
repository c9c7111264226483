"""How many of everything there are, and which agents: beside what the paper had."""

from __future__ import annotations

from attribution.queries.study import AgentSessions, population, sessions_by_agent
from attribution.study import paper
from attribution.study.model import StudyRow, StudyTable
from collector.storage.store import Store

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
        StudyTable("population", "What was analysed", counts),
        StudyTable(
            "agents", "Sessions by agent", [_agent(agent, every) for agent in agents],
            ["Ours by the content of the transcript, the paper's by its label, also of those labelled unknown or Agent."],
        ),
    ]  # fmt: skip


def _agent(agent: AgentSessions, every: int) -> StudyRow:
    published = paper.AGENTS.get(agent.agent)
    share = published / (sum(paper.AGENTS.values()) + paper.OTHER_AGENTS) if published is not None else None
    ours = {"agent": agent.agent, "sessions": agent.sessions, "share": agent.sessions / every}
    return ours | {"paper_v1_sessions": published, "paper_v1_share": share}
