"""The truth of the benchmark: which line is which through edits, merges and alike lines, and
what each axis draws.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from random import Random

from corpus.axes import ABLE, CLASHES, COMMANDING, LATER, PUBLISHED, crossed_counts, draw
from corpus.clock import Clock
from corpus.ledger import PERSON, Author, Ledger, edit_place
from corpus.texts import (
    LANGUAGES,
    PROSE,
    Grammar,
    alteration,
    insertion,
    with_context,
)

AGENT = Author("agent")
OLD = "def one():\n    return 0\n\n\ndef two():\n    return 0\n"


def owners(ledger: Ledger, path: str = "a.py") -> str:
    """A letter for each line: the author's first one, a capital for a line that was somebody
    else's before.
    """
    return "".join(
        line.author.who[0].upper() if line.also else line.author.who[0]
        for line in ledger.current[path]
    )


def begun(author: Author = PERSON, text: str = OLD) -> Ledger:
    ledger = Ledger()
    ledger.change("a.py", text, author)
    return ledger


def test_an_inserted_block_between_alike_lines_is_whole() -> None:
    ledger = begun()
    block = "def new():\n    return 0\n\n\n"
    ledger.change(
        "a.py",
        OLD.replace("def two", block + "def two"),
        AGENT,
        ("def two():\n", block + "def two():\n"),
    )
    assert owners(ledger) == "ppppaaaapp"


def test_a_changed_line_knows_whose_it_was() -> None:
    ledger = begun(AGENT)
    ledger.splice("a.py", OLD.replace("return 0\n\n", "return 10\n\n"), PERSON, 1, 1)
    assert owners(ledger) == "aPaaaa"
    assert ledger.current["a.py"][1].also == "agent"


def test_sed_changes_lines_where_they_stand() -> None:
    ledger = begun()
    ledger.change("a.py", OLD.replace("def", "async def"), AGENT)
    assert owners(ledger) == "ApppAp"


def test_lines_of_a_merge_are_those_of_both_sides_and_the_rest_is_new() -> None:
    ledger = begun()
    before, behind = "import os\n", "\n\nTHREE = agent\n"
    ledger.change("a.py", OLD + behind, AGENT)
    ledger.adopt("a.py", OLD, PERSON)
    ledger.change("a.py", before + OLD, PERSON)
    ledger.adopt("a.py", f"{before}{OLD}{behind}FOUR = merged\n", Author("tool"))
    assert owners(ledger) == "pppppppaaat"


def test_a_text_that_comes_back_is_the_lines_that_it_was() -> None:
    ledger = begun(AGENT)
    before = ledger.current["a.py"]
    ledger.change("a.py", "gone = True\n", PERSON)
    ledger.change("a.py", OLD, PERSON)
    assert ledger.current["a.py"] is before


def test_a_line_of_a_merge_that_two_authors_wrote_alike_is_ambiguous() -> None:
    ledger = begun(text="same = 1\n")
    ledger.change("a.py", "same = 1\nother = 2\nsame = 1\n", AGENT)
    ledger.adopt("a.py", "same = 1\nother = 2\n", PERSON)
    assert [line.ambiguous for line in ledger.current["a.py"]] == [True, False]


def test_an_edit_that_did_something_else_has_no_place() -> None:
    for old in (OLD, OLD.replace("\n", "\r\n")):
        assert edit_place(old, old.replace("one", "uno"), "def one():\n", "def uno():\n") == (0, 1)
    assert edit_place(OLD, OLD + "more\n", "def one():\n", "def uno():\n") is None


def test_every_language_is_drawn_again_alike_and_repeats_lines() -> None:
    for language in (*LANGUAGES, *PROSE):
        first, second = (Grammar(Random(language), language, "wide").lines(80) for _ in range(2))
        assert first == second
        assert 80 <= len(first) < 110
    typical = Grammar(Random(3), "rust").lines(300)
    assert Counter(line.strip() for line in typical).most_common(1)[0][1] > 20  # closing braces


def test_changes_name_text_that_stands_once() -> None:
    rng = Random(7)
    for language in LANGUAGES:
        grammar = Grammar(rng, language)
        lines = grammar.lines(60)
        for splice in (insertion(grammar, lines), alteration(rng, lines)):
            assert splice is not None
            old, new = with_context(lines, splice)
            text = "".join(f"{line}\n" for line in lines)
            assert text.count(old) == 1
            assert text.replace(old, new).splitlines() == splice.apply(lines)


def test_the_clock_moves_times_of_the_run_and_no_others() -> None:
    clock = Clock(started=1_700_000_000.0)
    clock.steps.append((1_700_000_010.0, 1_700_000_110.0, 1.0))
    clock.steps.append((1_700_000_020.0, 1_700_000_120.0, 10.0))
    for written, moved in {
        '"2023-11-14T22:13:25.500Z"': '"2023-11-14T22:13:25.500Z"',
        '"2023-11-14T22:13:31.250Z"': '"2023-11-14T22:15:11.250Z"',
        "aider chat started at 2023-11-14 22:13:31": "aider chat started at 2023-11-14 22:15:11",
        "[1700000021000, 1700000021]": "[1700000130000, 1700000130]",
        '"2020-01-01T00:00:00Z", 1600000000000': '"2020-01-01T00:00:00Z", 1600000000000',
    }.items():
        assert clock.move_times(written) == moved
    clock.off.append((1_700_000_010.0, -3600.0))
    assert clock.move_times("1700000021") == "1699996530"


def test_each_value_of_each_axis_is_drawn_often_and_for_several_agents() -> None:
    plans = [draw(seed) for seed in range(LATER, LATER + 500)]
    for axis, value, count, agents in crossed_counts(
        [{"agent": plan.agent, **plan.axes()} for plan in plans]
    ):
        assert count >= 25, (axis, value)
        assert len(agents) >= 3, (axis, value)
    shares = Counter(plan.agent for plan in plans if plan.agent in COMMANDING)
    assert max(shares.values()) <= 1.2 * min(shares.values())
    assert plans[0] != draw(0, salt="a")
    for plan in plans:
        assert plan.lost not in CLASHES.get(plan.event, ())
        for value in plan.axes().values():
            assert plan.agent in ABLE.get(value, [plan.agent]), plan


def test_seeds_of_an_earlier_release_draw_what_they_did() -> None:
    plans = [draw(seed, salt=PUBLISHED["1.0"]) for seed in range(1000, 1047)]
    digest = sha256(str(plans).encode()).hexdigest()
    assert digest[:16] == "668e077b3530026b"
