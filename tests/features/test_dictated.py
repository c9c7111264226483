"""Which lines of an agent stood in what the user had said."""

from __future__ import annotations

import pytest

from attribution.outcomes.turn_work import UserTexts

_SAID = [
    (
        1,
        (
            "Add a constant `MAX_RETRIES = 5` and use it.\nPass retryLimit, base_delay and maxWait"
            " to the client."
        ),
    ),
    (
        2,
        (
            "import os\nfrom typing import Any\n\ndef load(path):\n    return open(path,"
            " encoding='utf-8').read()\n"
        ),
    ),
]


@pytest.mark.parametrize(
    ("line", "turn", "stood"),
    [
        ("MAX_RETRIES = 5", 1, True),
        ("    MAX_RETRIES=5", 1, True),  # layout does not matter
        ("MAX_RETRIES = 6", 1, False),
        ("client = Client(retryLimit, base_delay, maxWait)", 1, True),  # the names tell
        ("client = Client(retryLimit, base_delay, maxWait, otherName)", 1, False),
        ("    return open(path, encoding='utf-8').read()", 2, True),
        ("    return open(path, encoding='utf-8').read()", 1, False),  # said later
        ("import os", 2, False),  # everybody writes that
        ("}", 2, False),
    ],
)
def test_a_line(line: str, turn: int, stood: bool) -> None:
    assert UserTexts(_SAID).hold(line, turn) is stood


def test_only_so_much_is_compared() -> None:
    texts = UserTexts([(1, "x" * 200_000), (2, "alpha_beta = gamma_delta")])
    assert not texts.hold("alpha_beta = gamma_delta", 2)
