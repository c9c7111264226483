"""What a run of the judge needs and gives: the model that is asked, limits, totals. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from attribution.features.prices import Prices
from attribution.judge.labels import USUAL
from attribution.judge.model import ModelAnswer


class JudgeModel(Protocol):
    """What is asked: a model of llm, one of a server, or one of a test."""

    name: str
    has_schemas: bool

    def ask(self, system: str, prompt: str, schema: dict[str, Any]) -> ModelAnswer: ...


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """Which questions about which sessions."""

    questions: tuple[str, ...] = USUAL
    session: str = ""  # key of one session, or the beginning of it
    limit: int | None = None  # only so many sessions, the latest


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Who is asked, and within what limits."""

    model: JudgeModel
    prices: Prices
    jobs: int = 2  # questions under way at the same time
    max_usd: float | None = None


@dataclass(slots=True)
class JudgeRun:
    """What a run did."""

    answered: int = 0
    known: int = 0
    invalid: int = 0
    failed: int = 0
    labels: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None
    stopped: str = ""  # why, when questions are left
    failures: list[str] = field(default_factory=list)
