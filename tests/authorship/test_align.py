"""Aligning two texts: which lines are equal, which only look different, and which are somebody
else's.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builder import git

from attribution.authorship import align
from attribution.authorship.align import (
    EDITED,
    Kin,
    changes,
    closest,
    kinship,
    layout_sources,
    lines_of,
    pairing,
    redacted_equal,
    similarity,
    text_of,
    tokens,
)
from collector.model import LineChange

_WORD = st.sampled_from(["a", "b", "}", "", "  }", "x = 1", "return x", "for a in b:"])
_LINES = st.lists(_WORD, max_size=12)


def _kin(old: Sequence[str], new: Sequence[str], edits: bool = True) -> list[str]:
    return [
        "-" if kin is None else f"{kin.source} {kin.kind}{' split' if kin.split else ''}"
        for kin in kinship(old, new, edits)
    ]


# --- texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lines"),
    {
        "": [],
        "\n": [""],
        "a": ["a"],
        "a\n": ["a"],
        "a\n\n": ["a", ""],
        "a\r\nb": ["a\r", "b"],
        "a\x0cb\u2028c\x85d\x1ee\n": ["a\x0cb\u2028c\x85d\x1ee"],
    }.items(),
)
def test_a_line_ends_at_a_newline_and_nowhere_else(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


def test_content_of_a_file_is_decoded_as_agents_show_it() -> None:
    assert text_of(b"\xef\xbb\xbfa\r\nb\r\n") == "a\nb\n"
    assert text_of(b"caf\xe9\n") == "caf\ufffd\n"
    assert text_of(b"caf\xe9\n", frozenset("éü")) == "café\n"
    assert (
        text_of(b"caf\xe9\n", frozenset("数")) == "caf\ufffd\n"
    )  # nothing speaks for any encoding
    assert text_of(b"caf\xc3\xa9\n", frozenset("Ã©")) == "café\n"
    assert text_of(b"a\rb\n") == "a\rb\n"


# --- equal lines ----------------------------------------------------------------------------------


def test_changes_are_half_open_ranges() -> None:
    assert changes(["a", "b", "c"], ["a", "x", "y", "c"]) == [LineChange(1, 2, 1, 3)]
    assert changes([], ["a"]) == [LineChange(0, 0, 0, 1)]
    assert changes(["a"], []) == [LineChange(0, 1, 0, 0)]
    assert changes(["a"], ["a"]) == []
    assert changes([], []) == []


def test_common_lines_are_decided_by_order() -> None:
    old = ["f {", "}", "g {", "}"]
    new = ["f {", "}", "h {", "}", "g {", "}"]
    pairs = pairing(len(old), len(new), changes(old, new))
    assert [new[i] for i, p in enumerate(pairs) if p < 0] in (["h {", "}"], ["}", "h {"])
    assert pairs[0] == 0 and pairs[4] == 2 and pairs[5] == 3


def test_pairing_gives_each_new_line_its_old_one() -> None:
    assert pairing(3, 4, [LineChange(1, 2, 1, 3)]) == [0, -1, -1, 2]
    assert pairing(2, 0, [LineChange(0, 2, 0, 0)]) == []


@given(old=_LINES, new=_LINES)
def test_pairs_are_equal_never_cross_and_use_no_line_twice(old: list[str], new: list[str]) -> None:
    pairs = pairing(len(old), len(new), changes(old, new))
    assert len(pairs) == len(new)
    used = [p for p in pairs if p >= 0]
    assert used == sorted(set(used))
    assert all(p < 0 or old[p] == line for p, line in zip(pairs, new, strict=True))


@given(old=_LINES, new=_LINES)
def test_lines_at_both_ends_that_agree_are_paired(old: list[str], new: list[str]) -> None:
    pairs = pairing(
        len(old),
        len(new),
        changes(["top", *old, "end"], ["top", *new, "end"]) and changes(old, new),
    )
    assert len(pairs) == len(new)
    whole = pairing(
        len(old) + 2, len(new) + 2, changes(["first!", *old, "last!"], ["first!", *new, "last!"])
    )
    assert (whole[0], whole[-1]) == (0, len(old) + 1)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("diff")


def test_changes_are_where_git_puts_them(empty: Path) -> None:
    """Including the indentation rule, long common tails, and texts that only grow."""
    body = [f"line {i} of a longer text that fills a block" for i in range(60)]
    cases = [
        (
            ["def a():", "    pass", "", "def b():", "    pass"],
            ["def a():", "    pass", "", "def c():", "    pass", "", "def b():", "    pass"],
        ),
        (["{", "  x", "}", "{", "  y", "}"], ["{", "  x", "}", "{", "  z", "}", "{", "  y", "}"]),
        (body, [*body[:10], "new", *body[10:]]),
        (body, [*body, *body[-3:]]),
        (["x"] * 5, ["x"] * 8),
        (["a", "b", "a", "b"], ["b", "a", "b", "a"]),
    ]
    for old, new in cases:
        found = [f"@@ -{_range(c.a0, c.a1)} +{_range(c.b0, c.b1)} @@" for c in changes(old, new)]
        assert found == _git_hunks(empty, old, new)


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + (length > 0)}" + ("" if length == 1 else f",{length}")


def _git_hunks(directory: Path, old: Sequence[str], new: Sequence[str]) -> list[str]:
    for name, lines in (("old", old), ("new", new)):
        (directory / name).write_text("".join(line + "\n" for line in lines))
    try:
        git(
            directory,
            "diff",
            "--no-index",
            "--no-ext-diff",
            "--indent-heuristic",
            "-U0",
            "old",
            "new",
        )
    except subprocess.CalledProcessError as differs:
        lines = differs.stdout.decode().split("\n")
        return [line[: line.index("@@", 3) + 2] for line in lines if line.startswith("@@")]
    return []


# --- alike ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    {
        "x=1": "  x  =  1",
        "f('a', \"b\")": "f( 'a','b' )",
        "return x;": "return x",
        "a, b,": "a, b",
        "`a`": "'a'",
        "\tfoo(bar)": "    foo(bar)",
    }.items(),
)
def test_layout_quotes_and_trailing_marks_make_no_difference(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize(
    ("one", "other"),
    {
        "x = 1": "x = 2",
        "foobar": "foo bar",
        "a - b": "a + b",
        "f(a)": "f[a]",
        "Foo": "foo",
    }.items(),
)
def test_everything_else_makes_one(one: str, other: str) -> None:
    assert tokens(one) != tokens(other)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("total = price * count", "total = price * count", True),
        ("total = price * count", "total = price * quantity", True),
        ("total = price * count", "subtotal = price * count + tax", True),
        ("total = price * count", "raise ValueError(price)", False),
        ("}", "}", False),  # no word in common
        ("({[", "({[", False),
        ("", "", False),
        ("a", "b", False),
        ("a = 1", "b = 2", False),  # only a sign in common
        ("x", "x y z w v u", False),
    ],
)
def test_likeness_needs_words_in_common(one: str, other: str, alike: bool) -> None:
    assert (similarity(one, other) >= EDITED) == alike


@given(one=st.text(alphabet="ab =(1)", max_size=12), other=st.text(alphabet="ab =(1)", max_size=12))
def test_likeness_is_a_share(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) <= 1
    if tokens(one) == tokens(other) and any(t.isalnum() for t in tokens(one)):
        assert similarity(one, other) == 1


# --- reformatted ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "sources"),
    [
        (["x=1", "y=2"], ["x = 1", "y = 2"], [0, 1]),
        # One line broken in two or three, several joined in one.
        (["f(alpha, beta)"], ["f(", "    alpha,", "    beta,", ")"], [0, 0, 0, 0]),
        (["call(alpha, beta)"], ["call(alpha,", "     beta)"], [0, 0]),
        (["call(alpha,", "     beta)"], ["call(alpha, beta)"], [0]),
        (["if (a) { return b }"], ["if (a) {", "  return b", "}"], [0, 0, 0]),
        (["f(alpha, beta)", "}"], ["f(", "    alpha, beta", ")", " }"], [0, 0, 0, -1]),
        # Reordered, changed, or not there at all.
        (["x=1", "y=2"], ["y = 2", "x = 1"], None),
        (["x=1"], ["x = 2"], [-1]),
        (["call(alpha, beta)"], ["call(alpha, beta, gamma)"], [-1]),
        (["call(alpha, beta)", "more()"], ["call(alpha)"], [-1]),
        ([], ["x"], [-1]),
        (["x"], [], []),
        # A lone bracket proves nothing.
        (["{"], [" {"], [-1]),
        (["}"], ["  }"], [-1]),
        ([""], ["   "], [-1]),
        (["x=1", "new"], ["x = 1", "inserted", "new "], [0, -1, 1]),
    ],
)
def test_reformatted_lines_are_found_across_line_breaks(
    old: list[str], new: list[str], sources: list[int] | None
) -> None:
    found = layout_sources(old, new)
    if sources is None:  # one of two that changed places can be kept, never both
        assert sorted(found)[0] == -1 and max(found) >= 0
    else:
        assert found == sources


def test_blocks_too_large_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "MAX_BLOCK", 3)
    assert layout_sources(["x=1"] * 4, ["x = 1"] * 4) == [-1] * 4
    assert layout_sources(["x=1"] * 3, ["x = 1"] * 3) == [0, 1, 2]


@given(old=_LINES, new=_LINES)
def test_reformatting_keeps_the_order_and_all_words(old: list[str], new: list[str]) -> None:
    found = layout_sources(old, new)
    assert len(found) == len(new)
    sources = [source for source in found if source >= 0]
    assert sources == sorted(sources)
    for index, source in enumerate(found):
        if source >= 0:
            assert tokens(new[index])  # a line without a word or sign is never found


# --- changed --------------------------------------------------------------------------------------


def test_each_line_is_given_the_line_it_most_resembles() -> None:
    old = ["total = price * count", "return total + shipping"]
    new = ["return total + shipping_cost", "unrelated()"]
    (first, ratio), second = closest(old, new)
    assert first == 1 and EDITED <= ratio < 1
    assert second == (-1, 0.0)


def test_lines_do_not_change_places() -> None:
    old = ["alpha = compute(one)", "beta = compute(two)"]
    new = ["beta = compute(two, 2)", "alpha = compute(one, 1)"]
    assert [source for source, _ in closest(old, new)] == [1, -1]


def test_line_that_is_taken_is_not_used_again() -> None:
    old = ["alpha = compute(one)"]
    assert closest(old, ["alpha = compute(one, 1)"], [0]) == [(-1, 0.0)]
    assert [source for source, _ in closest(old * 2, ["alpha = compute(one, 1)"] * 2)] == [0, 1]


def test_taken_lines_bound_where_the_others_are_looked_for() -> None:
    old = ["alpha = compute(one)", "fixed()", "alpha = compute(one)"]
    new = ["fixed( )", "alpha = compute(one, 1)"]
    assert [source for source, _ in closest(old, new, [1, -1])] == [-1, 2]
    new = ["alpha = compute(one, 1)", "fixed( )"]
    assert [source for source, _ in closest(old, new, [-1, 1])] == [0, -1]


def test_blocks_with_too_many_pairs_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "MAX_PAIRS", 3)
    assert closest(["x = 1", "x = 1"], ["x = 1 "] * 2) == [(-1, 0.0)] * 2


@given(old=_LINES, new=_LINES)
def test_changed_lines_never_cross(old: list[str], new: list[str]) -> None:
    sources = [source for source, _ in closest(old, new) if source >= 0]
    assert sources == sorted(set(sources))


# --- kinship --------------------------------------------------------------------------------------


def test_kin_is_reformatted_before_redacted_before_edited() -> None:
    old = ["x=1", "token = 'REDACTED'", "total = price * count"]
    new = ["x = 1", "token = 'abcdefgh12345'", "total = price * quantity", "nothing alike"]
    assert _kin(old, new) == ["0 reformatted", "1 redacted", "2 edited", "-"]
    assert _kin(old, new, edits=False) == ["0 reformatted", "1 redacted", "-", "-"]


_BLOCK = ["<nav>", "<button", "onClick={open}", ">", "Menu", "</button>", "</nav>"]


@pytest.mark.parametrize(
    ("new", "found"),
    [
        # Written anew: any block has a `<button` somewhere.
        (["<aside>", "<Row>", "  <button", "onKey={close}", "</aside>"], ["-", "-", "-", "-", "-"]),
        # Two neighbours are known by each other, and what says enough by itself needs none.
        (
            ["<aside>", "  <button", "  onClick={open}", "</aside>"],
            ["-", "1 reformatted", "2 reformatted", "-"],
        ),
        # A blank line between them makes no difference.
        (
            ["<aside>", "  <button", "", "  onClick={open}", "</aside>"],
            ["-", "1 reformatted", "-", "2 reformatted", "-"],
        ),
        # The ends of the block stand beside lines that did not change.
        (["  <nav>", "<Row>", "</Row>"], ["0 reformatted", "-", "-"]),
        (["<Row>", "</Row>", "  </nav>"], ["-", "-", "6 reformatted"]),
    ],
)
def test_common_lines_are_known_by_their_neighbours(new: list[str], found: list[str]) -> None:
    assert _kin(_BLOCK, new, edits=False) == found


def test_a_telling_line_needs_no_neighbour() -> None:
    line = "const total = rows.map(row => row.cents)"
    assert _kin(["a()", line, "b()"], ["c()", f"  {line}", "d()"], edits=False) == [
        "-",
        "1 reformatted",
        "-",
    ]
    assert _kin([line, "a()", line, "b()"], ["c()", f"  {line}", "d()"], edits=False) == [
        "-",
        "-",
        "-",
    ]


def test_line_broken_in_two_is_a_split() -> None:
    assert _kin(["call(alpha, beta)"], ["call(alpha,", "     beta)"]) == [
        "0 reformatted",
        "0 reformatted split",
    ]


def test_edited_kin_knows_how_alike_it_is() -> None:
    (kin,) = kinship(["total = price * count"], ["total = price * quantity"])
    assert kin is not None and kin.kind == "edited" and kin.similarity == 0.8


def test_nothing_has_no_kin() -> None:
    assert kinship([], ["a"]) == [None]
    assert kinship(["a"], []) == []


@settings(max_examples=60)
@given(old=_LINES, new=_LINES)
def test_no_old_line_is_kin_to_two_unless_it_was_split(old: list[str], new: list[str]) -> None:
    seen: set[int] = set()
    for kin in kinship(old, new):
        if isinstance(kin, Kin) and not kin.split:
            assert kin.source not in seen
            seen.add(kin.source)


# --- redacted -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "real", "equal"),
    [
        ("key = REDACTED", "key = abcdefgh", True),
        ("key = REDACTED", "key = abcdefg", False),  # what is hidden has eight characters at least
        ("key = REDACTED", "key = abcd efgh", False),  # and no blanks
        ("[REDACTED] x", "sk-1234567890 x", True),
        ("mail [REDACTED_EMAIL] now", "mail ada@example.com now", True),
        ("REDACTED/REDACTED end", "abcdefgh/ijklmnop end", True),
        ("key = REDACTED;", "key = abcdefgh", False),
        ("KEY = REDACTED", "key = abcdefgh", False),
        ("REDACTED", "anything-at-all", False),  # nothing but the marker fits everything
        ("  REDACTED  ", "  anything-at-all  ", False),
        ("no marker", "no marker", False),
        ("a(REDACTED).*", "a(12345678).*", True),  # the rest is text, not a pattern
        ("a(REDACTED).*", "a(12345678)xx", False),
        ("x REDACTED", "x REDACTED", True),
    ],
)
def test_marker_stands_for_one_long_word(seen: str, real: str, equal: bool) -> None:
    assert redacted_equal(seen, real) == equal


@pytest.fixture
def one_second() -> Iterator[None]:
    """The test fails after a second, however it spends it."""

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("seen", "real"),
    [
        ("x " + "REDACTED" * 19, "x " + "a" * 4000 + " "),
        ("x " + "REDACTED-" * 15 + "y", "x " + "-abcdefgh" * 400),
    ],
)
@pytest.mark.usefixtures("one_second")
def test_line_of_many_markers_takes_no_time(seen: str, real: str) -> None:
    assert redacted_equal(seen, real) is False


def test_line_of_too_many_markers_is_given_up() -> None:
    assert redacted_equal("x" + "REDACTED" * 1000, "x" + "a" * 5000) is False


def test_redacted_line_is_used_once() -> None:
    kin = kinship(["key = REDACTED"], ["key = abcdefgh", "key = ijklmnop"], edits=False)
    assert [k.kind if k else None for k in kin] == ["redacted", None]
