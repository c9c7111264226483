"""What a judge would be asked, what that would cost, and which answers are stored already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from attribution.judge.labels import QUESTIONS, schema_hash

if TYPE_CHECKING:
    from attribution.features.prices import Prices
    from attribution.judge.prompts import Request
    from collector.storage.store import Store


@dataclass(frozen=True, slots=True)
class PromptRow:
    """What would be sent, word by word. Tokens are estimated."""

    session_id: int
    question: str
    version: str
    turns: int
    characters: int
    input_tokens: int
    output_tokens: int
    input_hash: str
    system: str
    prompt: str


def prompt_rows(requests: Sequence[Request]) -> list[PromptRow]:
    return [
        PromptRow(
            r.session_id, r.question.name, r.question.version, len(r.turns), len(r.system) + len(r.prompt), r.input_tokens,
            r.output_tokens, r.input_hash, r.system, r.prompt,
        )
        for r in requests
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgeCost:
    """Estimated. USD is None when the price of the model is not known."""

    sessions: int
    questions: int
    known: int  # of those, the ones answered before
    input_tokens: int
    output_tokens: int
    usd: float | None
    prices_as_of: str


class _Answer(NamedTuple):
    input_hash: str
    id: int


def stored_answers(store: Store, model: str, asked: Iterable[Request]) -> dict[str, int]:
    """Input hash -> number of the stored answer, of those of these questions that have one."""
    answers: dict[str, int] = {}
    for name in {r.question.name for r in asked}:
        question = QUESTIONS[name]
        rows = store.select(
            _Answer,
            "SELECT input_hash, id FROM judgements WHERE model = ? AND prompt = ? AND prompt_version = ? AND schema_hash = ?",
            (model, name, question.version, schema_hash(question)),
        )
        answers.update(rows)
    return answers


def judge_cost(store: Store, model: str, asked: Sequence[Request], prices: Prices) -> JudgeCost:
    """What asking would cost; a second question with the same words is free."""
    known = stored_answers(store, model, asked)
    new = {r.input_hash: r for r in asked if r.input_hash not in known}
    tokens_in, tokens_out = (sum(getattr(r, name) for r in new.values()) for name in ("input_tokens", "output_tokens"))
    usd = list_price(model, prices, tokens_in, tokens_out)
    return JudgeCost(
        len({r.session_id for r in asked}), len(asked), len(asked) - len(new), tokens_in, tokens_out, usd, prices.as_of
    )


def list_price(model: str, prices: Prices, tokens_in: int, tokens_out: int) -> float | None:
    """At list prices, by the name of the model with or without its vendor."""
    price = prices.of(model) or prices.of(model.rpartition("/")[2])
    return None if price is None else (tokens_in * price["input"] + tokens_out * price["output"]) / 1e6
