"""The five axes of a history, and which values a seed draws.

Each axis goes through all its values in every round of as many seeds, in an order drawn for that
round: every value occurs equally often, and the axes are independent of each other. Then an agent
is drawn from those that can do what was drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random

AXES: Mapping[str, Sequence[str]] = {
    "commits": ("agent-loud", "agent-quiet", "person", "partly"),
    "git": (
        "nothing",
        "amend",
        "rebase",
        "squash",
        "cherry-pick",
        "conflict",
        "branch-deleted",
        "days",
    ),
    "writes": (
        "tool",
        "patch",
        "heredoc",
        "sed",
        "script",
        "generator",
        "formatter",
        "package-manager",
        "hook",
        "subagent",
    ),
    "person": ("nothing", "before", "between", "after", "over", "pastes", "reverts"),
    "lost": (
        "nothing",
        "session-deleted",
        "compaction",
        "fork",
        "second-agent",
        "other-machine",
        "clock-behind",
        "worktree-gone",
    ),
}
# Agents with how often each is drawn; slow starters less.
WEIGHTS = {"codex": 6, "claude-code": 6, "pi": 4, "copilot-cli": 3, "gemini-cli": 2, "opencode": 1}
# What only some agents can do without a terminal.
ABLE: Mapping[str, Sequence[str]] = {
    "subagent": ("claude-code", "copilot-cli", "opencode"),
    "compaction": ("claude-code", "codex", "pi"),
    "fork": ("claude-code", "opencode", "pi"),
    # one database holds all of OpenCode's
    "session-deleted": ("claude-code", "codex", "pi", "gemini-cli", "copilot-cli"),
}
LANGUAGES = (
    "python",
    "typescript",
    "go",
    "rust",
    "java",
    "c",
    "python",
    "typescript",
    "markdown",
    "yaml",
    "csv",
)
HELD_OUT = 5  # every fifth seed


@dataclass(frozen=True)
class Plan:
    """What a seed draws."""

    seed: int
    agent: str
    second: str  # another agent, where the axis of what is lost says so
    commits: str
    git: str
    writes: str
    person: str
    lost: str
    language: str
    eol: str  # "\n" or "\r\n"
    encoding: str  # utf-8, utf-8-sig or latin-1
    lines: int  # of the agent's main file
    trailer: bool  # commits by the agent name it as co-author
    reads: bool  # the agent reads a file before it changes it

    @property
    def held_out(self) -> bool:
        return self.seed % HELD_OUT == HELD_OUT - 1

    def axes(self) -> dict[str, str]:
        row = asdict(self)
        return {axis: str(row[axis]) for axis in AXES}


def draw(seed: int, agents: Sequence[str] = tuple(WEIGHTS)) -> Plan:
    """The plan of a seed with the agents that can be had."""
    values = {axis: _value(axis, seed) for axis in AXES}
    rng = Random(f"plan:{seed}")
    able = [
        name for name in agents if all(name in ABLE.get(value, agents) for value in values.values())
    ]
    # where no agent can do it all, these give way
    for axis, ordinary in (("lost", "nothing"), ("writes", "tool")):
        if not able:
            values[axis] = ordinary
            able = [
                name
                for name in agents
                if all(name in ABLE.get(value, agents) for value in values.values())
            ]
    agent = rng.choices(able, [WEIGHTS[name] for name in able])[0]
    others = [name for name in agents if name not in (agent, "opencode")] or [agent]
    language = rng.choice(LANGUAGES)
    if values["writes"] == "formatter":
        language = "python"
    encoding = rng.choices(("utf-8", "utf-8-sig", "latin-1"), (8, 1, 1))[0]
    return Plan(
        seed=seed,
        agent=agent,
        second=rng.choice(others),
        **values,
        language=language,
        eol=rng.choices(("\n", "\r\n"), (5, 1))[0],
        encoding=encoding,
        lines=min(300, int(rng.lognormvariate(4.4, 0.6)) + 30),
        trailer=rng.random() < 0.5,
        reads=rng.random() < 0.7,
    )


def _value(axis: str, seed: int) -> str:
    values = list(AXES[axis])
    turn, place = divmod(seed, len(values))
    Random(f"{axis}:{turn}").shuffle(values)
    return values[place]


def crossed_counts(
    histories: Iterable[Mapping[str, str]],
) -> list[tuple[str, str, int, dict[str, int]]]:
    """Axis, value, histories, histories by agent. Each history has its axes and its agent."""
    rows = list(histories)
    table = []
    for axis, values in AXES.items():
        for value in values:
            agents = Counter(row["agent"] for row in rows if row[axis] == value)
            table.append((axis, value, sum(agents.values()), dict(sorted(agents.items()))))
    return table
