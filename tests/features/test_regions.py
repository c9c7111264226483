"""Regions and what was undone, on the replay's line identity: cases with a known truth, and the
rule of convergence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import numbered_text

from attribution.authorship.replay import ReplayStep, Worktree
from attribution.authorship.verdicts import CallRef
from attribution.outcomes.outcome import (
    Ending,
    UndoCommand,
    Undone,
    Visit,
    neighbours,
    reverter,
    session_outcome,
    undone,
)
from attribution.outcomes.regions import Region, Regions, convergence_of, first_return, regions_of
from collector.model import Edit, Replacement

BASE = "one\ntwo\nthree\nfour\nfive\nsix\n"


class File:
    """One file under the hands of sessions; each edit gives the whole text it leads to."""

    def __init__(self, text: str = BASE) -> None:
        self.tree = Worktree(lambda *_: [text] if text else [], lambda *_: False)
        self.text = text
        self.at = 0.0

    def to(self, text: str, session: int = 1, path: str = "f") -> File:
        self.at += 1
        edit = Edit(path, "write", content=text, before=self.text, before_known=True)
        self.tree.apply(
            ReplayStep(
                self.at, 0, path, edit, CallRef(session, f"c{self.at:.0f}", int(self.at), self.at)
            )
        )
        self.text = text
        return self

    def swap(self, old: str, new: str, session: int = 1) -> File:
        self.at += 1
        edit = Edit("f", "edit", (Replacement(old, new),), before=self.text, before_known=True)
        self.tree.apply(
            ReplayStep(
                self.at, 0, "f", edit, CallRef(session, f"c{self.at:.0f}", int(self.at), self.at)
            )
        )
        self.text = self.text.replace(old, new, 1)
        return self

    def remove(self, session: int = 1) -> File:
        self.at += 1
        self.tree.apply(
            ReplayStep(
                self.at,
                0,
                "f",
                Edit("f", "delete"),
                CallRef(session, f"c{self.at:.0f}", int(self.at), self.at),
            )
        )
        self.text = ""
        return self

    def seen(self, text: str) -> File:
        self.at += 1
        self.tree.observe("f", text, self.at)
        self.text = text
        return self

    def regions(self) -> Regions:
        return regions_of(self.tree.changes)

    def edited(self) -> list[Region]:
        return [r for r in self.regions().regions if r.convergence]

    def undone(
        self,
        session: int = 1,
        cause: str = "human",
        close: float = 99.0,
        commands: Sequence[UndoCommand] = (),
    ) -> Undone:
        found = self.regions()
        own = [r for r in found.regions if r.session_id == session]
        return undone(close, own, self.tree.changes, found.where, lambda *_: cause, commands)


# --- which hunks are one region -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "re_edited"),
    {
        "one\nTWO\nthree\nfour\nfive\nsix\n": 1,  # changes the line that the first edit wrote
        "one\nthree\nfour\nfive\nsix\n": 1,  # removes it
        "one\n2\nthree\nfour\nFIVE\nsix\n": 0,  # another line
        "one\n2\nnew\nthree\nfour\nfive\nsix\n": 0,  # inserts below it, not inside
        # above it: only the number of the line changes
        "zero\nzero\none\n2\nthree\nfour\nfive\nsix\n": 0,
        "one\nTWO\nTHREE\nfour\nfive\nsix\n": 1,  # changes it and a neighbour
    }.items(),
)
def test_a_later_edit_of_the_same_lines(second: str, re_edited: int) -> None:
    file = File().to("one\n2\nthree\nfour\nfive\nsix\n").to(second)
    assert len(file.edited()) == re_edited


def test_edits_above_do_not_matter() -> None:
    file = File().swap("five\n", "5\n").swap("one\n", "0\n0\n0\none\n").swap("5\n", "cinque\n")
    (region,) = file.edited()
    assert [len(r) for r in region.rounds] == [1, 1]
    assert file.tree.changes[region.hunks[-1]].start == 8


def test_an_insertion_strictly_inside_belongs_to_the_region() -> None:
    file = File().swap("two\n", "a\nb\n").swap("a\nb\n", "a\nx\nb\n")
    assert [(r.sizes, r.convergence) for r in file.edited()] == [([3, 1], "converging")]


def test_lines_put_back_where_they_were_taken_away_are_one_region() -> None:
    file = File().swap("three\n", "").swap("two\n", "two\nthree\n")
    assert [(r.sizes, r.convergence, r.returned_to) for r in file.edited()] == [
        ([1, 1], "oscillating", 0)
    ]
    assert (file.undone().files.restored, dict(file.undone().files.by)) == (1, {"agent": 0})


def test_the_text_before_is_what_the_session_found_not_what_the_first_one_did() -> None:
    file = (
        File()
        .swap("two\n", "zwei\n", session=1)
        .swap("zwei\n", "deux\n", session=2)
        .swap("deux\n", "zwei\n", session=2)
    )
    (region,) = file.edited()
    assert (region.session_id, region.convergence, region.returned_to) == (2, "oscillating", 0)
    assert (file.undone(2).files.reverted, dict(file.undone(2).files.by)) == (1, {"agent": 1})


def test_lines_put_elsewhere_than_where_some_were_taken_away_are_another_region() -> None:
    assert File().swap("three\n", "").swap("one\n", "one\nthree\n").edited() == []
    assert (
        File().swap("three\n", "", session=1).swap("two\n", "two\nthree\n", session=2).edited()
        == []
    )


def test_two_places_joined_by_a_later_edit_are_one_region() -> None:
    file = File().swap("two\n", "2\n").swap("four\n", "4\n").swap("2\nthree\n4\n", "x\ny\nz\n")
    (region,) = file.edited()
    assert len(region.rounds) == 3 and len(file.regions().regions) == 1


def test_one_call_with_several_hunks_is_one_round() -> None:
    file = File().to("1\ntwo\nthree\nfour\nfive\n6\n")
    assert [(len(r.rounds), r.convergence) for r in file.regions().regions] == [(1, ""), (1, "")]


def test_each_session_has_regions_of_its_own() -> None:
    file = File().swap("two\n", "2\n", session=1).swap("2\n", "II\n", session=2)
    assert file.edited() == []
    assert file.regions().prior == {2: {1}}


def test_prior_sessions_count_once_each_and_only_whose_lines_are_changed() -> None:
    file = (
        File()
        .swap("two\n", "2\n", 1)
        .swap("five\n", "5\n", 2)
        .swap("2\n", "II\n", 3)
        .swap("one\n", "1\n", 3)
    )
    assert file.regions().prior == {3: {1}}


# --- how it develops ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["a\nb\nc\n", "a\nB\nc\n"], ("converging", -1)),  # 4 lines, then 2
        (["a\n", "a1\nb\nc\nd\n"], ("expanding", -1)),  # 2, then 5
        (["a\n", "b\n"], ("converging", -1)),  # the same size
        (["a\n", "b\n", "a\n"], ("oscillating", 1)),
        (["a\n", "two\n"], ("oscillating", 0)),  # as before the session
        # whitespace is no other state, and nothing came back
        (["a\n", "  a\n"], ("converging", -1)),
        (["a\n", "b\n", "  a\n"], ("oscillating", 1)),
        (["a\n", "b\n", "c\n", "b\n"], ("oscillating", 2)),
    ],
)
def test_convergence_of_a_region(texts: Sequence[str], expected: tuple[str, int]) -> None:
    file = File()
    last = "two\n"
    for text in texts:
        file.swap(last, text)
        last = text
    (region,) = file.edited()
    assert (region.convergence, region.returned_to) == expected


def test_a_wider_edit_does_not_hide_that_the_text_came_back() -> None:
    file = (
        File()
        .swap("three\n", "3\n")
        .swap("two\n3\nfour\n", "x\n")
        .swap("x\n", "two\nthree\nfour\n")
    )
    (region,) = file.edited()
    assert (region.convergence, region.returned_to) == ("oscillating", 0)


def test_lines_added_and_taken_out_again_are_back() -> None:
    file = File().swap("two\n", "two\nprint()\n").swap("print()\n", "")
    assert [(r.convergence, r.returned_to) for r in file.edited()] == [("oscillating", 0)]


def test_lines_that_change_places_are_not_back() -> None:
    file = File().swap("two\n", "a\nb\n").swap("a\nb\n", "b\na\n")
    assert [r.convergence for r in file.edited()] == ["converging"]


def test_what_a_person_changed_in_between_is_part_of_the_text() -> None:
    file = (
        File()
        .swap("two\n", "a\n")
        .seen(BASE.replace("two", "quite another thing"))
        .swap("quite another thing\n", "b\n")
    )
    assert [c.call is None for c in file.tree.changes] == [False, True, False]


sizes = st.lists(st.integers(1, 50), min_size=2, max_size=12)


def _distinct(count: int) -> list[tuple[str, ...]]:
    return [(str(i),) for i in range(count + 1)]


@given(sizes)
def test_convergence_follows_the_trend_of_the_sizes(values: list[int]) -> None:
    label, back = convergence_of(values, _distinct(len(values)))
    pairs = [(a, b) for i, a in enumerate(values) for b in values[i + 1 :]]
    larger = sum(b > a for a, b in pairs)
    smaller = sum(b < a for a, b in pairs)
    assert back == -1
    if larger > smaller:
        assert label == "expanding"
    elif larger < smaller:
        assert label == "converging"
    else:
        assert label == ("converging" if len(set(values)) == 1 else "oscillating")


@given(st.lists(st.integers(0, 3), max_size=10))
def test_a_state_comes_back_only_after_another_one(numbers: list[int]) -> None:
    states = [(str(n),) for n in numbers]
    expected = [
        (i, j)
        for j in range(len(states))
        for i in range(j)
        if states[i] == states[j] and any(states[k] != states[i] for k in range(i, j))
    ]
    found = first_return(states)
    assert (found >= 0) == bool(expected)
    if expected:
        first = min(j for _, j in expected)
        assert found == min(i for i, j in expected if j == first)


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), min_size=1, max_size=6))
def test_the_states_of_a_whole_file_are_its_texts(texts: list[list[str]]) -> None:
    """A file rewritten again and again: where all its lines are one region, two states
    of the region are the same where the file was.
    """
    file = File("x\ny\n")
    seen = [file.text]
    for letters in texts:
        file.to("".join(f"{c}\n" for c in letters))
        seen += [file.text] if file.text != seen[-1] else []
    regions = file.edited()
    if len(file.regions().regions) == 1 and regions and len(regions[0].states) == len(seen):
        pairs = list(combinations(zip(regions[0].states, seen, strict=True), 2))
        assert all((a == b) == (x == y) for (a, x), (b, y) in pairs)
    assert all(file.regions().where.values())


# --- undone ---------------------------------------------------------------------------------------


def test_nothing_is_undone_when_all_stands() -> None:
    found = File().swap("two\n", "a\nb\n").undone()
    assert (found.peak, found.gone, found.taken_back.lines) == (2, 0, 0)


def test_the_agent_takes_its_own_change_back() -> None:
    found = File().swap("two\n", "a\nb\n").swap("a\nb\n", "two\n").undone()
    assert (found.peak, found.gone, found.files.reverted) == (2, 2, 2)
    assert found.taken_back.lines == 2 and found.taken_back.by == {"agent": 2}


@pytest.mark.parametrize("who", ["human", "unknown"])
def test_somebody_else_takes_it_back(who: str) -> None:
    found = File().swap("two\n", "alpha\nbeta\n").seen(BASE).undone(cause=who)
    assert (found.files.reverted, dict(found.taken_back.by)) == (2, {who: 2})


def test_what_happens_after_the_close_is_no_revert() -> None:
    file = File().swap("two\n", "alpha\nbeta\n").seen(BASE)
    assert file.undone(close=1.5).taken_back.lines == 0
    assert file.undone(close=2.5).taken_back.lines == 2


def test_rewriting_is_not_undoing() -> None:
    found = File().swap("two\n", "a\nb\n").swap("a\nb\n", "c\n").undone()
    assert (found.gone, found.taken_back.lines) == (2, 0)


def test_half_of_the_lines_must_be_undone() -> None:
    file = File().swap("two\n", "a\nb\n").swap("five\n", "c\nd\ne\n").swap("a\nb\n", "two\n")
    assert (file.undone().peak, file.undone().places.reverted, file.undone().taken_back.lines) == (
        5,
        2,
        0,
    )
    file.swap("c\nd\ne\n", "five\n")
    assert file.undone().taken_back.lines == 5


def test_a_file_put_back_counts_without_the_places_that_changed_back_in_others() -> None:
    back = File().swap("two\n", "a\nb\n").swap("a\nb\n", "two\n").undone()
    other = (
        File()
        .swap("two\n", "c\n")
        .swap("five\n", numbered_text(9, "{n}\n"))
        .swap("c\n", "two\n")
        .undone()
    )
    back.add(other)
    assert (back.peak, back.places.reverted, back.taken_back.lines) == (12, 3, 2)


def test_removing_ones_own_new_file_undoes_nothing() -> None:
    found = File("").to("a\nb\n").remove().undone()
    assert found.files.lines == 0
    # its lines are gone and what was there before, nothing, is back
    assert found.places.reverted == 2


def test_a_command_that_the_replay_did_not_see_takes_lines_back() -> None:
    file = File().swap("two\n", "alpha\nbeta\n").swap("five\n", "gamma\n")
    command = UndoCommand(2.5, 0.0, frozenset({"/home/ada/repo/f"}), "agent")
    found = file.undone(commands=[command])
    assert (found.files.reverted, dict(found.taken_back.by)) == (3, {"agent": 3}) and found.mostly
    # a commit came between the edits
    late = file.undone(commands=[UndoCommand(2.5, 1.5, frozenset({"f"}), "human")]).taken_back
    assert (late.lines, dict(late.by)) == (1, {"human": 1})
    assert (
        file.undone(
            commands=[UndoCommand(2.5, 0.0, frozenset({"other"}), "agent")]
        ).taken_back.lines
        == 0
    )


def test_what_is_written_again_at_once_was_not_undone() -> None:
    file = File().swap("two\n", "alpha\nbeta\n").seen(BASE).swap("two\n", "alpha\nbeta\n")
    found = file.undone(commands=[UndoCommand(1.5, 0.0, frozenset({"f"}), "agent")])
    assert (found.places.lines, found.taken_back.lines) == (0, 0)


# --- neighbours and the end -----------------------------------------------------------------------


def _visit(number: int, started: float, ended: float, who: str = "ada", *files: str) -> Visit:
    return Visit(number, started, ended, frozenset({who}), frozenset(files))


def test_neighbours() -> None:
    day = 86_400.0
    found = neighbours(
        [
            _visit(1, 1000, 2000, "ada", "a", "b"),
            _visit(2, 1500, 2500, "ada", "a"),  # at the same time as the first
            _visit(3, 2100, 2200, "bob", "a"),
            _visit(4, 3000, 4000, "ada", "b"),
            _visit(5, 4000 + day + 1, 4000 + day + 2, "ada"),
            _visit(6, 0, 0, "ada"),  # without a time
        ]
    )
    assert [found[i].reopened_within for i in (1, 2, 3, 4, 5)] == [1000, 500, None, None, None]
    assert [found[i].restarted for i in (1, 2, 3, 4)] == [True, False, False, False]
    assert 6 not in found


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        (Ending(1.0), "accepted"),
        (Ending(0.5), "accepted"),
        (Ending(0.49), "abandoned_mid_session"),
        (Ending(0.01, restarted=True), "restarted_same_task"),
        (Ending(0.01, accepts=True), "accepted"),
        (Ending(1.0, reverted_by="human"), "explicitly_rejected"),
        (Ending(1.0, reverted_by="agent"), "accepted"),
        (Ending(1.0, rejects=True), "explicitly_rejected"),
        (Ending(1.0, taken_back=0.5), "explicitly_rejected"),
        (Ending(1.0, taken_back=0.4), "accepted"),
        (Ending(0.0, accepts=True, restarted=True), "accepted"),
        (Ending(0.0, restarted=True), "restarted_same_task"),
        (Ending(), "abandoned_mid_session"),
        (Ending(0.0), "abandoned_mid_session"),
        (Ending(answered=True), "answered"),
        (Ending(restarted=True, answered=True), "restarted_same_task"),
    ],
)
def test_outcome(ending: Ending, outcome: str) -> None:
    assert session_outcome(ending) == outcome


def test_reverter() -> None:
    assert reverter({}, []) is None
    assert reverter({"agent": 2, "human": 5}, [{"by": "agent"}]) == "human"
    assert reverter({}, [{"by": "human"}, {"by": "agent"}]) == "agent"
    assert reverter({"human": 0}, [{"by": "agent"}]) == "agent"
    assert reverter({"human": 0}, []) == "human"
