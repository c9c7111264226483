"""The six axes of a history, and which values a seed draws.

Each axis goes through all its values in every round of as many seeds, in an order drawn for that
round: every value occurs equally often, and the axes are independent of each other. The agents take
turns, each at what it can do.
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
    # what happens beside the two tasks of every history (events.py)
    "event": (
        "nothing",
        "small-edit",
        "undo",
        "background",
        "mcp",
        "script-edit",
        "notebook",
        "interleaved",
        "clock-off",
        "at-once",
        "hurry",
        "branch-switch",
        "cut-short",
        "told",
        "mcp-shell",
        "mcp-symbols",
        "mcp-notebook",
    ),
}
AGENTS = (
    "codex",
    "claude-code",
    "pi",
    "copilot-cli",
    "gemini-cli",
    "opencode",
    "qwen-code",
    "kilo-code",
    "aider",
)
# What seeds draw from LATER on; the ones before draw what they always did.
LATER = 2000
ADDED = ("mcp-shell", "mcp-symbols", "mcp-notebook", "kilo-code", "aider")
# Aider has no commands of its own, and writes down neither calls nor sessions.
COMMANDING = AGENTS[:-1]
SERVED = ("claude-code", "codex", "copilot-cli", "gemini-cli", "opencode", "qwen-code", "kilo-code")
# What only some agents can do without a terminal.
ABLE: Mapping[str, Sequence[str]] = {
    "subagent": ("claude-code", "copilot-cli", "opencode", "kilo-code"),
    "compaction": ("claude-code", "codex", "pi"),
    "fork": ("claude-code", "opencode", "pi"),
    # one database holds all of OpenCode's
    "session-deleted": ("claude-code", "codex", "pi", "gemini-cli", "copilot-cli", "qwen-code"),
    # a file in which a line names each call by the id that the model gave it
    "cut-short": ("claude-code", "codex", "pi", "copilot-cli", "qwen-code"),
    # Pi has no servers of tools
    **dict.fromkeys(("mcp", "mcp-shell", "mcp-symbols", "mcp-notebook"), SERVED),
    **dict.fromkeys(("agent-loud", "agent-quiet", "second-agent"), COMMANDING),
    **dict.fromkeys(("undo", "background", "script-edit", "branch-switch"), COMMANDING),
    **dict.fromkeys(("interleaved", "at-once"), COMMANDING),
}
# Ways to write that need commands.
BY_COMMAND = ("patch", "heredoc", "sed", "script", "generator", "formatter", "package-manager")
# Events with values of other axes that leave nothing of them.
CLASHES: Mapping[str, Sequence[str]] = {
    "clock-off": ("clock-behind",),
    "cut-short": ("session-deleted",),
}
HUNDRED = 100  # seeds in which the agents take turns
# Salts of hidden parts that have become open, by their release.
PUBLISHED = {
    "1.0": "fe68ed14f6d434d7f4d6f45d285129908fd202c4de2bde62f606aa6ebdc27501",
    "2.0": "4e4b4b20d855f44b4f272f6108af83f7f226e4fcf89e64a9840253016552bc18",
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


@dataclass(frozen=True)
class Plan:
    """What a seed draws."""

    seed: int
    agent: str
    second: str  # whoever works beside it or after it, where an axis says that somebody does
    commits: str
    git: str
    writes: str
    person: str
    lost: str
    event: str
    language: str
    eol: str  # "\n" or "\r\n"
    encoding: str  # utf-8, utf-8-sig or latin-1
    lines: int  # of the agent's main file
    trailer: bool  # commits by the agent name it as co-author
    reads: bool  # the agent reads a file before it changes it

    @property
    def at_work(self) -> list[str]:
        """The agents of the history."""
        both = self.lost == "second-agent" or self.event in ("interleaved", "at-once")
        return sorted({self.agent, self.second}) if both else [self.agent]

    def axes(self) -> dict[str, str]:
        row = asdict(self)
        return {axis: str(row[axis]) for axis in AXES}


def draw(seed: int, agents: Sequence[str] = AGENTS, salt: str = "") -> Plan:
    """The plan of a seed with the agents that can be had. Another `salt` draws another plan."""
    values, agent = _turn(seed, agents, salt)
    rng = Random(f"{salt}plan:{seed}")
    databases = ("opencode", "kilo-code", "aider")  # and one file of talk
    others = [name for name in agents if name not in (agent, *databases)] or [agent]
    second = rng.choice(others)
    if values["lost"] != "second-agent" and rng.random() < 0.4:
        second = agent  # two of its sessions
    language = rng.choice(LANGUAGES)
    if values["writes"] == "formatter":
        language = "python"
    encoding = rng.choices(("utf-8", "utf-8-sig", "latin-1"), (8, 1, 1))[0]
    long = min(300, int(rng.lognormvariate(4.4, 0.6)) + 30)
    return Plan(
        seed=seed,
        agent=agent,
        second=second,
        **values,
        language=language,
        eol=rng.choices(("\n", "\r\n"), (5, 1))[0],
        encoding=encoding,
        lines=rng.choice((long, rng.randint(15, 30))),
        trailer=rng.random() < 0.5,
        reads=rng.random() < 0.7,
    )


def _turn(seed: int, agents: Sequence[str], salt: str) -> tuple[dict[str, str], str]:
    """The values of the axes, and whose turn it is: of those that can do it, the agent that has
    had the fewest of the hundred's seeds before.
    """
    had: Counter[str] = Counter()
    agents = [name for name in agents if _is_drawn(name, seed)]
    for each in range(seed - seed % HUNDRED, seed + 1):
        values = {axis: _value(axis, each, salt) for axis in AXES}
        if values["lost"] in CLASHES.get(values["event"], ()):
            values["lost"] = "nothing"
        able = _able(agents, values)
        # where no agent can do it all, these give way
        for axis, ordinary in (("lost", "nothing"), ("writes", "tool")):
            if not able:
                values[axis] = ordinary
                able = _able(agents, values)
        Random(f"{salt}agent:{each}").shuffle(able)
        agent = min(able, key=had.__getitem__)
        had[agent] += 1
    if agent not in COMMANDING and values["writes"] in BY_COMMAND:
        values["writes"] = "tool"
    return values, agent


def _is_drawn(name: str, seed: int) -> bool:
    """Whether the seed draws that value or agent."""
    return seed >= LATER or name not in ADDED


def _able(agents: Sequence[str], values: Mapping[str, str]) -> list[str]:
    wanted = [ABLE.get(value, agents) for value in values.values()]
    return [name for name in agents if all(name in able for able in wanted)]


def _value(axis: str, seed: int, salt: str) -> str:
    values = [value for value in AXES[axis] if _is_drawn(value, seed)]
    turn, place = divmod(seed, len(values))
    Random(f"{salt}{axis}:{turn}").shuffle(values)
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
