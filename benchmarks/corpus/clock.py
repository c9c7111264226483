"""Time that passes in a history without anybody waiting for it.

A person who types needs time, and days lie between commits. The lab does not wait: it counts how
far the history's clock is from the machine's, dates commits by it, and at the end moves every time
in the transcripts by as much as the clock was away just then. A model that answers at once is made
slower in the same way.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

_ISO = re.compile(r"\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")
# without a zone, as Aider writes it
_STARTED = re.compile(r"(?<=aider chat started at )(\S+) (\S+)")
_MILLISECONDS = re.compile(r"(?<![\w.-])(\d{13})(?![\w.-])")
_SECONDS = re.compile(r"(?<![\w.-])(\d{10})(?:(\.\d+))?(?![\w-])")
DAYS = 1e9  # seconds; more than a clock is off
_BEFORE = 2.0  # seconds; what an agent notes is at most so much older than its start


@dataclass
class Clock:
    """Runs as the machine's, but for jumps and for a time in which it is faster."""

    started: float = field(default_factory=time.time)
    # From which machine's time on, what the history's is there, and how many of its seconds pass in
    # one.
    steps: list[tuple[float, float, float]] = field(default_factory=list)
    # From which machine's time on, and by how many seconds the clock of an agent is off there.
    off: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 0.0)])

    def __post_init__(self) -> None:
        self.steps.append((self.started - _BEFORE, self.started - _BEFORE, 1.0))

    def step(self, seconds: float = 0.0, rate: float = 1.0) -> None:
        """So many seconds pass at once; from now on `rate` in one."""
        now = time.time()
        self.steps.append((now, self._at(now) + seconds, rate))

    def set_off(self, seconds: float) -> None:
        """From now on what agents write down is so many seconds ahead of the history's time."""
        self.off.append((time.time(), seconds))

    def now(self) -> float:
        return self._at(time.time())

    def _at(self, moment: float) -> float:
        since, then, rate = self.steps[
            bisect_right(self.steps, moment, key=lambda step: step[0]) - 1
        ]
        return then + (moment - since) * rate

    def moved(self, moment: float) -> float | None:
        """What an agent wrote down of a machine's time; None for one that is not of the run."""
        if not self.started - _BEFORE <= moment <= self.steps[-1][0] + 3600:
            return None
        return self._at(moment) + self.off[bisect_right(self.off, (moment, DAYS)) - 1][1]

    def move_times(self, text: str) -> str:
        """The text with each time of the run moved, in the form that it has."""
        text = _ISO.sub(self._iso, _STARTED.sub(self._started, text))
        text = _MILLISECONDS.sub(self._number(1000), text)
        return _SECONDS.sub(self._number(1), text)

    def _started(self, match: re.Match[str]) -> str:
        moved = _ISO.sub(self._iso, f"{match[1]}T{match[2]}Z")
        return moved.removesuffix("Z").replace("T", " ")

    def _iso(self, match: re.Match[str]) -> str:
        moment = datetime.fromisoformat(
            match[1] + (match[2] or "") + match[3].replace("Z", "+00:00")
        )
        moved = self.moved(moment.timestamp())
        if moved is None:
            return match[0]
        digits = len(match[2] or ".") - 1
        written = (
            datetime.fromtimestamp(moved, UTC)
            .astimezone(moment.tzinfo)
            .strftime("%Y-%m-%dT%H:%M:%S.%f")
        )
        fraction = written[19 : 20 + digits].ljust(digits + 1, "0") if digits else ""
        return written[:19] + fraction + match[3]

    def _number(self, unit: int) -> Callable[[re.Match[str]], str]:
        def move(match: re.Match[str]) -> str:
            moved = self.moved(int(match[1]) / unit)
            if moved is None:
                return match[0]
            fraction = match[2] or "" if unit == 1 else ""
            return f"{int(moved * unit)}{fraction}"

        return move
