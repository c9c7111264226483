"""Every reader on damaged input: it never raises, and what it gives can be stored. `make fuzz`
looks longer (`tests/fuzz.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.fuzz import NAMES, Target, opened
from support.fuzz.transcripts import SAMPLES

from collector.agents import readers

EXAMPLES = {"local": 60, "discovery": 30}


@pytest.fixture(scope="module", params=NAMES)
def target(request: pytest.FixtureRequest) -> Iterator[tuple[str, Target]]:
    with opened(request.param) as run:
        yield request.param, run


def test_a_reader_survives_any_input(target: tuple[str, Target]) -> None:
    name, run = target

    @settings(
        max_examples=EXAMPLES.get(name, 200),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(st.binary(max_size=120))
    def survives(data: bytes) -> None:
        run(data)

    survives()


def test_every_reader_of_transcripts_has_a_sample() -> None:
    """All but those of Markdown (Aider, SpecStory) and claude-flow's databases, which their own
    tests damage, Kilo Code's, which are OpenCode's, and Copilot Chat's, which are Copilot CLI's.
    """
    known = {path.parent.name for path in SAMPLES.glob("*/sample.json*")}
    others = {"aider", "specstory", "claude-flow", "kilo-code", "copilot-chat"}
    assert {reader.NAME for reader in readers()} - others <= known
