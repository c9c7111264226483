"""Answers of language models: an answer fits and is stored, or is asked for again and said to be
invalid.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attribution.evaluation.judge.labels import QUESTIONS
from attribution.evaluation.judge.prompts import Request
from attribution.evaluation.judge.stage import JudgeOptions, ask_all
from attribution.evaluation.models import ModelAnswer
from attribution.features.prices import standard_prices
from collector.json_values import JsonObject
from collector.runtime.progress import no_progress
from collector.text import decode
from support.fuzz import Target, scratch
from support.fuzz.choices import Choices
from support.fuzz.damage import Sample
from support.judge_answers import session_answer, turns_answer

_FENCES = ("", "```json\n", "```\n", " \n", "Here it is: ")


class _Model:
    name = "fuzzed"
    has_schemas = False

    def __init__(self) -> None:
        self.choices = Choices(b"")
        self.sample = Sample([{}])

    def ask(self, system: str, prompt: str, schema: JsonObject) -> ModelAnswer:
        answer = self.choices.rest() if self.choices.yes(16) else self.sample.damaged(self.choices)
        before = self.choices.one_of(_FENCES)
        return ModelAnswer(
            before + decode(answer) + ("```" if before.startswith("```") else ""), 10, 10**18
        )


@contextmanager
def target() -> Iterator[Target]:
    asked = {
        "session": Request(1, QUESTIONS["session"], "system", "prompt", (1, 2), 3),
        "turns": Request(1, QUESTIONS["turns"], "system", "prompt", (1, 2), 3),
    }
    samples = {
        "session": Sample([session_answer(conflation_turn=1)]),
        "turns": Sample([turns_answer(1, 2)]),
    }
    model = _Model()
    options = JudgeOptions(model=model, prices=standard_prices(), jobs=1)
    with scratch.database() as store:

        def run(data: bytes) -> None:
            model.choices = Choices(data)
            question = model.choices.one_of(sorted(asked))
            model.sample = samples[question]
            done = ask_all(store, [asked[question]], options, no_progress)
            assert done.answered + done.invalid == 1
            with store.transaction() as connection:
                connection.execute("DELETE FROM judge_labels")
                connection.execute("DELETE FROM judgements")

        yield run
