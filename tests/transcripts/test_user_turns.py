"""Which turns count as the user's."""

from __future__ import annotations

import pytest

from collector.model import Session, Turn, Usage
from collector.user_turns import command_words, is_housekeeping, user_turns


def _usage(turn: int, model: str) -> Usage:
    return Usage(f"m{turn}", None, turn, model, 1, 1)


def test_housekeeping_unanswered_commands_and_injected_text_are_no_turns_of_the_user() -> None:
    review = (
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the diff</command-args>"
    )
    turns = (
        Turn(1, 1.0, "<command-name>/clear</command-name>", "command"),
        Turn(2, 2.0, review, "command"),
        Turn(3, 3.0, "y"),
        Turn(4, 4.0, "a summary of the talk so far", "injected"),
        Turn(5, 5.0, "/mine", "command"),
        Turn(6, 6.0, "<command-name>/exit</command-name>", "command"),
    )
    usage = (_usage(1, "<synthetic>"), _usage(2, "claude"), _usage(4, "claude"), _usage(5, "<synthetic>"), _usage(6, "claude"))
    session = Session("s", "claude-code", turns=turns, usage=usage)
    assert [turn.index for turn in user_turns(session)] == [2, 3]


@pytest.mark.parametrize(
    ("recorded", "words", "housekeeping"),
    [
        ("<command-name>/review</command-name>\n<command-args>the\n diff</command-args>", "/review the diff", False),
        ("/review the diff", "/review the diff", False),
        ("<command-name>/Clear</command-name>\n<command-args></command-args>", "/Clear", True),
        ("<command-message>without a name</command-message>", "", False),
    ],
)
def test_a_command_is_read_as_it_was_typed(recorded: str, words: str, housekeeping: bool) -> None:
    assert (command_words(recorded), is_housekeeping(recorded)) == (words, housekeeping)
