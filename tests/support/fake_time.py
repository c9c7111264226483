"""Time that passes only when somebody sleeps."""

from __future__ import annotations

from dataclasses import dataclass, field

from collector.discovery.github.client import Clock


@dataclass
class FakeTime:
    at: float = 1_790_000_000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> Clock:
        return Clock(lambda: self.at, self.sleep, lambda: 0.0)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds
