"""The share of agents in added lines, as every screen, comment, badge, limit and report means it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from collector.vocabulary.lines import LineClass

BY_RECORD = (LineClass.AGENT,)
BY_AGENTS = (LineClass.AGENT, LineClass.DECLARED)
UNANSWERED = (LineClass.UNKNOWN, LineClass.UNDECLARED)


class AgentShare(NamedTuple):
    """Added lines with text of source and test files.

    Lines without an answer can be anybody's: the true share lies between `percent` and `at_most`, if what is answered is right.
    """

    recorded: int  # a recorded action of an agent wrote them
    declared: int  # only their commits say that an agent wrote them
    unanswered: int
    lines: int

    @classmethod
    def of(cls, lines: Mapping[str, int]) -> AgentShare:
        """`lines`: class -> lines."""
        declared, unanswered = lines.get(LineClass.DECLARED, 0), sum(lines.get(name, 0) for name in UNANSWERED)
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
