"""What `read` printed of a file, found without a regular expression: the same as the expression
that says it shortest.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.agents.formats.opencode import body_of

_BODY = re.compile(r"<(content|file)>\n?(.*?)\n?(?:</\1>|\Z)", re.S)
_PIECES = st.sampled_from(
    ["<content>", "</content>", "<file>", "</file>", "\n", "1: a", "<", "", "\n\n"]
)


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_the_body_is_what_the_expression_finds(shown: str) -> None:
    found = _BODY.search(shown)
    assert body_of(shown) == (found[2] if found else "")


@pytest.mark.parametrize(
    ("shown", "body"),
    {
        (
            "<path>a</path>\n<content>\n1: a\n2: b\n\n(End of file)\n</content>"
        ): "1: a\n2: b\n\n(End of file)",
        "<file>\n00001| a\n": "00001| a",
        "<content>\n</content>": "",
        "no file": "",
    }.items(),
)
def test_bodies(shown: str, body: str) -> None:
    assert body_of(shown) == body
