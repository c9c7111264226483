"""Replaying edits: the text after each call, who wrote each line, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import numbered_text
from support.answers import pick

from attribution.authorship import replay
from attribution.authorship.align import lines_of
from attribution.authorship.edits import NoFit, apply_hunks, overlaid
from attribution.authorship.replay import AGENT, BASE, OUTSIDE, ReplayStep, StepOutcome, Worktree
from attribution.authorship.verdicts import CallRef
from collector.model import Edit, Hunk, Replacement
from collector.vocabulary.sessions import NoReplay

F = "src/app.py"


class Play:
    """A worktree and what is in git, on a clock of whole seconds."""

    def __init__(
        self, git: dict[str, Sequence[str]] | None = None, committed: Iterable[str] = ()
    ) -> None:
        self.git = git or {}
        self.committed = {text for texts in self.git.values() for text in texts} | set(committed)
        self.asked: list[tuple[str, float, float, bool]] = []
        self.tree = Worktree(self._versions, lambda _, text, at: text in self.committed)
        self.at = 0.0
        self.count = 0

    def _versions(self, path: str, at: float, since: float, later: bool) -> Iterable[str]:
        self.asked.append((path, at, since, later))
        return self.git.get(path, ())

    def apply(self, edit: Edit, new_path: str = "") -> StepOutcome:
        self.at += 10
        self.count += 1
        call = CallRef(7, f"c{self.count}", 1, self.at, by_shell=edit.by_shell)
        return self.tree.apply(ReplayStep(self.at, self.count, edit.path, edit, call, new_path))

    def edit(
        self, *pairs: tuple[str, str], all: bool = False, hunks: Sequence[Hunk] = (), path: str = F
    ) -> StepOutcome:
        return self.apply(
            Edit(path, "edit", tuple(Replacement(a, b, all) for a, b in pairs), hunks=tuple(hunks))
        )

    def write(self, text: str, path: str = F) -> StepOutcome:
        return self.apply(Edit(path, "write", content=text))

    def create(self, text: str, path: str = F) -> StepOutcome:
        """A write of which the agent recorded that there was no file before."""
        return self.apply(Edit(path, "write", content=text, before_known=True))

    def recorded(self, before: str, old: str, new: str) -> StepOutcome:
        """A replacement with the text before it, as agents record it."""
        return self.apply(
            Edit(F, "edit", (Replacement(old, new),), before=before, before_known=True)
        )

    def see(self, text: str, path: str = F) -> bool:
        self.at += 10
        return self.tree.observe(path, text, self.at)

    # --- what there is ----------------------------------------------------------------------------

    def text(self, path: str = F) -> str:
        return self.tree.files[path].text

    def ids(self, path: str = F) -> list[int]:
        return list(self.tree.files[path].ids)

    def who(self, path: str = F) -> list[tuple[str, str]]:
        """(line, who) of each line: `base`, `outside`, or the id of the call."""
        state = self.tree.files[path]
        found = []
        for text, line in zip(lines_of(state.text), state.ids, strict=True):
            origin = self.tree.origin(line)
            found.append((text, origin.call.call_id if origin.call else origin.kind))
        return found

    def line(self, text: str, path: str = F) -> int:
        """Id of the only line that reads so."""
        (found,) = [
            i for t, i in zip(lines_of(self.text(path)), self.ids(path), strict=True) if t == text
        ]
        return found


def _git(*texts: str) -> Play:
    """A worktree whose file was committed with these texts, most probable first."""
    return Play({F: texts})


# --- single operations ----------------------------------------------------------------------------


def test_edit_makes_only_the_lines_it_changes_the_calls() -> None:
    play = _git("a = 1\nb = 2\nc = 3\n")
    assert play.edit(("b = 2", "b = 20\nbb = 21")) == StepOutcome(True, "", 2, 1)
    assert play.who() == [("a = 1", BASE), ("b = 20", "c1"), ("bb = 21", "c1"), ("c = 3", BASE)]


def test_the_place_of_an_edit_is_the_recorded_one_where_the_file_is_not_known() -> None:
    lines = (
        " def f():",
        "-    b = 2",
        "+    b = 20",
        "+    bb = 21",
        "     c = 3",
        "     d = 4",
        "-    e = 5",
        "+    e = 50",
    )
    play = Play({F: ()})
    play.edit(
        (
            "    b = 2\n    c = 3\n    d = 4\n    e = 5",
            "    b = 20\n    bb = 21\n    c = 3\n    d = 4\n    e = 50",
        ),
        hunks=[Hunk(40, 5, 45, 6, lines)],
    )
    assert [change.start for change in play.tree.changes] == [46, 50]


def test_lines_that_a_replacement_repeats_stay_who_they_were() -> None:
    play = _git("def f():\n    pass\n\ndef g():\n    pass\n")
    play.edit(("def f():\n    pass\n", "def f():\n    return 1\n    pass\n"))
    assert play.who() == [
        ("def f():", BASE),
        ("    return 1", "c1"),
        ("    pass", BASE),
        ("", BASE),
        ("def g():", BASE),
        ("    pass", BASE),
    ]


def test_part_of_a_line_makes_the_whole_line_the_calls() -> None:
    play = _git("total = price * count\n")
    play.edit(("price", "net_price"))
    assert play.who() == [("total = net_price * count", "c1")]


def test_write_of_an_existing_file_keeps_the_lines_that_stay() -> None:
    play = _git("one\ntwo\nthree\n")
    assert play.write("one\n2\nthree\nfour\n") == StepOutcome(True, "", 2, 1)
    assert play.who() == [("one", BASE), ("2", "c1"), ("three", BASE), ("four", "c1")]


def test_write_of_a_new_file_is_all_the_calls() -> None:
    play = Play()
    assert play.create("x\n\ny\n") == StepOutcome(True, "", 3, 0)
    assert play.who() == [("x", "c1"), ("", "c1"), ("y", "c1")]
    assert [play.tree.origin(i).evidence for i in play.ids()] == ["observed"] * 3


def test_write_that_changes_nothing_takes_nothing_over() -> None:
    play = _git("same\n")
    assert play.write("same\n") == StepOutcome(True)
    assert play.who() == [("same", BASE)]


def test_several_replacements_of_one_call_build_on_each_other() -> None:
    play = _git("a\nb\n")
    assert play.edit(("a", "first"), ("first", "second")).applied
    assert play.who() == [("second", "c1"), ("b", BASE)]


def test_one_replacement_that_does_not_fit_undoes_the_whole_call() -> None:
    play = _git("a\nb\n")
    play.edit(("a", "A"))
    edit = Edit(
        F,
        "edit",
        (Replacement("b", "B"), Replacement("nowhere", "C")),
        before="A\nb\n",
        before_known=True,
    )
    assert play.apply(edit) == StepOutcome(False, "text_not_found")
    assert play.who() == [("A", "c1"), ("b", BASE)]
    assert [(path, call.call_id, lines) for path, call, lines in play.tree.fragments] == [
        (F, "c2", ["B"]),
        (F, "c2", ["C"]),
    ]


def test_replace_all_changes_every_place_and_no_other_line() -> None:
    play = _git("x = old\nkeep\ny = old + old\n")
    play.apply(Edit(F, "edit", (Replacement("old", "new", all=True),)))
    assert play.who() == [("x = new", "c1"), ("keep", BASE), ("y = new + new", "c1")]


def test_edits_of_all_occurrences_stop_when_they_have_changed_too_many_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replay, "REPEATED_LINES", 500)
    play = _git("a x\n" * 100)
    done = [
        play.apply(Edit(F, "edit", (Replacement(f"{o} x", f"{n} x", all=True),)))
        for o, n in ("ab", "ba") * 20
    ]
    assert [one.applied for one in done] == [True] * 5 + [False] * 35
    assert done[-1].why == NoReplay.TOO_MANY
    assert play.tree.unplaced[F] == play.at  # so nobody takes the lines that follow for a person's
    assert play.apply(Edit(F, "edit", (Replacement("a x\na x\n", "first\n"),))).applied


def test_an_edit_that_would_change_too_many_lines_is_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replay, "REPEATED_LINES", 500)
    play = _git("a x\n" * 300)
    doubled = play.apply(Edit(F, "edit", (Replacement("\n", "\n\n", all=True),)))
    assert not doubled.applied and doubled.why == NoReplay.TOO_MANY
    assert len(play.tree.nonblank) == 300, "no line was made for it"
    assert play.apply(Edit(F, "edit", (Replacement("a x", "b x", all=True),))).applied


def test_append_leaves_what_was_there_and_ends_the_last_line() -> None:
    play = _git("a\nb\n")
    assert play.apply(Edit(F, "append", content="c\nd")) == StepOutcome(True, "", 2, 0)
    assert play.who() == [("a", BASE), ("b", BASE), ("c", "c1"), ("d", "c1")]


def test_deleting_a_whole_line_leaves_no_empty_one() -> None:
    play = _git("a\nb\nc\n")
    play.edit(("b", ""))
    assert play.text() == "a\nc\n"


def test_deleting_the_end_of_a_line_joins_it_to_the_next_as_the_tool_does() -> None:
    play = _git("a # note\nb\n")
    play.edit((" # note", ""))
    assert play.text() == "ab\n"


def test_search_with_a_final_newline_fits_a_file_without_one() -> None:
    play = Play()
    play.create("a\nlast")
    assert play.edit(("last\n", "final\n")).applied
    assert play.text() == "a\nfinal\n"


def test_empty_search_fills_an_empty_file_and_no_other() -> None:
    play = Play()
    play.create("")
    assert play.edit(("", "new\n")).applied
    assert play.who() == [("new", "c2")]
    assert not play.edit(("", "again\n")).applied


def test_edit_without_any_text_cannot_be_replayed() -> None:
    play = _git("a\n")
    assert (
        play.apply(Edit(F, "edit")) == StepOutcome(False, "text_not_found") or play.tree.files == {}
    )
    assert play.apply(Edit(F, "write")).applied is False


def test_text_recorded_after_the_edit_is_taken_as_it_is() -> None:
    play = Play()
    play.apply(
        Edit(
            F,
            "edit",
            (Replacement("b", "guess"),),
            before="a\nb\n",
            before_known=True,
            after="a\nreal\n",
        )
    )
    assert play.who() == [("a", BASE), ("real", "c1")]
    assert play.tree.files[F].seen_at == play.tree.files[F].certain_at > 0


def test_delete_takes_all_lines_away_and_says_who_did_it() -> None:
    play = Play()
    play.create("a\nb\n")
    ids = play.ids()
    assert play.apply(Edit(F, "delete", by_shell=True)) == StepOutcome(True, "", 0, 2)
    assert not play.tree.files[F].exists and play.ids() == []
    assert [by.call_id if by else "" for by in (play.tree.removed[i].by for i in ids)] == [
        "c2",
        "c2",
    ]


def test_delete_of_a_file_nobody_saw_is_no_failure() -> None:
    assert Play().apply(Edit(F, "delete")) == StepOutcome(True)


def test_move_takes_lines_and_authors_along() -> None:
    play = _git("a\nb\n")
    play.edit(("b", "B"))
    before = play.ids()
    assert play.apply(Edit(F, "move", new_path="src/b.py"), "src/b.py") == StepOutcome(True)
    assert play.ids("src/b.py") == before
    assert play.who("src/b.py") == [("a", BASE), ("B", "c1")]
    assert not play.tree.files[F].exists
    moved_by = play.tree.files["src/b.py"].moved_by
    assert moved_by is not None and moved_by.call_id == "c2"
    assert play.tree.born["src/b.py"] == [before[1]] and F not in play.tree.born


def test_move_of_a_file_from_git_starts_from_its_text() -> None:
    play = _git("a\n")
    assert play.apply(Edit(F, "move", new_path="b.py"), "b.py").applied
    assert play.who("b.py") == [("a", BASE)]


def test_move_of_a_file_nobody_knows_cannot_be_replayed() -> None:
    play = Play()
    assert play.apply(Edit(F, "move", new_path="b.py"), "b.py") == StepOutcome(
        False, "no_base_text"
    )
    assert "b.py" not in play.tree.files


def test_copy_is_of_whoever_wrote_the_text_and_leaves_the_old_lines() -> None:
    play = _git("a\nb\n")
    play.edit(("b", "B"))
    assert play.apply(Edit(F, "copy", new_path="b.py", by_shell=True), "b.py") == StepOutcome(
        True, "", 2, 0
    )
    assert play.who() == play.who("b.py") == [("a", BASE), ("B", "c1")]
    assert not set(play.ids()) & set(play.ids("b.py"))
    assert play.tree.born["b.py"] == [play.ids("b.py")[1]]
    copied_by = play.tree.files["b.py"].moved_by
    assert copied_by is not None and copied_by.call_id == "c2"
    play.apply(Edit("b.py", "edit", replacements=(Replacement("a", "A"),)), "b.py")
    assert play.who() == [("a", BASE), ("B", "c1")] and play.who("b.py") == [
        ("A", "c3"),
        ("B", "c1"),
    ]


def test_ids_above_and_below_an_edit_stay() -> None:
    play = _git(numbered_text(100, "line {n}\n"))
    play.edit(("line 50", "line fifty"))
    before = play.ids()
    play.edit(("line 10\n", "line ten\nline ten and a half\n"))
    after = play.ids()
    assert after[:10] == before[:10] and after[12:] == before[11:]
    assert len(after) == len(set(after)) == 101


@pytest.mark.parametrize(
    ("before", "after", "who"),
    [
        # The same text stands on both sides of the change: only the new lines are new.
        ("}\n}\n", "}\n}\n}\n", ["base", "base", "new"]),
        ("a\n\nb\n", "a\n\n\nb\n", ["base", "base", "new", "base"]),
        ("x\nab\n", "x\nabb\n", ["base", "new"]),
        ("aa\n", "a\naa\n", ["new", "base"]),
        ("aa\nb\n", "b\n", ["base"]),
        ("", "a\n", ["new"]),
        ("a\n", "", []),
        ("ab\nab\n", "ab\nab\nab\nab\n", ["base", "base", "new", "new"]),
        ("a\nb", "a\nb\nc", ["base", "base", "new"]),
        ("tail\n", "head\ntail\n", ["new", "base"]),
    ],
)
def test_only_new_lines_are_new_where_texts_repeat(before: str, after: str, who: list[str]) -> None:
    play = _git(before)
    play.apply(Edit(F, "write", content=after, before=before, before_known=True))
    said = ["base" if kind == BASE else "new" for _, kind in play.who()]
    assert sorted(said) == sorted(who) and len(said) == len(who)
    if len(set(lines_of(after))) == len(lines_of(after)):
        assert said == who


# --- positions ------------------------------------------------------------------------------------

_TWICE = (
    numbered_text(10, "head {n}\n") + "x = 1\n" + numbered_text(10, "mid {n}\n") + "x = 1\nend\n"
)


def _patch(line: int) -> Hunk:
    """A patch with three lines of context around a change of that line, as Claude Code draws it."""
    return Hunk(line - 3, 7, line - 3, 7, (" a", " b", " c", "-x = 1", "+x = 2", " d", " e", " f"))


@pytest.mark.parametrize("line", [11, 22])
def test_patch_position_chooses_between_equal_places(line: int) -> None:
    play = _git(_TWICE)
    play.edit(("x = 1", "x = 2"), hunks=[_patch(line)])
    assert [number for number, (text, _) in enumerate(play.who(), 1) if text == "x = 2"] == [line]


def test_without_positions_the_first_place_is_taken() -> None:
    play = _git(_TWICE)
    play.edit(("x = 1", "x = 2"))
    assert [number for number, (text, _) in enumerate(play.who(), 1) if text == "x = 2"] == [11]


def test_patch_position_chooses_between_committed_versions() -> None:
    """Several commits hold the text; only in one of them does it stand where the patch says."""
    far = numbered_text(40, "new {n}\n") + "x = 1\nend\n"
    near = "a\nb\nc\nx = 1\nend\n"
    play = _git(far, near)
    play.edit(
        ("x = 1", "x = 2"), hunks=[Hunk(1, 5, 1, 5, (" a", " b", " c", "-x = 1", "+x = 2", " end"))]
    )
    assert play.text() == "a\nb\nc\nx = 2\nend\n"


def test_stale_state_gives_way_to_a_committed_text_that_fits() -> None:
    """The branch was switched between two edits whose bases were not recorded."""
    play = _git("a\nb\n")
    play.edit(("a", "A"))
    play.git[F] = ["other\nworld\n"]
    play.committed.add("other\nworld\n")
    assert play.edit(("world", "planet")).applied
    assert play.who() == [("other", BASE), ("planet", "c2")]


def test_state_with_an_agents_work_in_it_is_preferred_to_git() -> None:
    play = _git("a\nb\n")
    play.edit(("a", "A"))
    play.edit(("b", "B"))
    assert play.who() == [("A", "c1"), ("B", "c2")]


def test_committed_state_gives_way_to_a_newer_commit_although_it_fits() -> None:
    """Nothing was written since the old commit, and the file has been committed again: that is
    what the agent had before it.
    """
    play = _git("a\nb\n")
    play.edit(("a", "A"))
    play.git[F] = ["A\nnot seen\nb\n"]
    play.committed |= {"A\nb\n", "A\nnot seen\nb\n"}
    play.edit(("b", "B"))
    assert play.who() == [("A", "c1"), ("not seen", BASE), ("B", "c2")]


def test_older_commit_is_the_last_resort() -> None:
    """A commit from before the last edit would undo it: it is taken only when nothing else fits."""
    play = Play()
    play.create("one\n")
    play.tree._git_versions = lambda path, at, since, later: () if since > 5 else ["two\nmore\n"]
    play.tree.files[F].known_at = 5.0
    assert play.apply(Edit(F, "edit", (Replacement("more", "less"),), by_shell=True)).applied
    assert play.text() == "two\nless\n"


def test_commit_shows_the_file_as_it_is() -> None:
    play = Play()
    play.create("a\nb\n")
    play.committed.add("a\nby hand\nb\n")
    play.tree.note_commit(F, "a\nby hand\nb\n", 50.0)
    assert play.who() == [("a", "c1"), ("by hand", BASE), ("b", "c1")]
    assert play.tree.files[F].known_at == 50.0


def test_commit_from_before_an_edit_shows_nothing() -> None:
    play = Play()
    play.create("a\nb\n")
    play.tree.note_commit(F, "old\n", 5.0)
    assert play.who() == [("a", "c1"), ("b", "c1")]


def test_base_that_was_not_recorded_is_laid_over_the_last_commit() -> None:
    """A person had changed the committed file before the agent's first edit, which names one of
    the new lines only.
    """
    play = _git("one\ntwo\nthree\n")
    assert play.edit(("two and a half", "2.5")).applied
    assert play.who()[0] == ("one", BASE)
    assert "three" in play.text() and not play.tree.files[F].sparse


def test_edit_that_could_not_be_placed_is_remembered_with_its_moment() -> None:
    play = Play()
    assert not play.apply(Edit(F, "edit", (Replacement("a", "b"),), by_shell=True)).applied
    assert play.tree.unplaced == {F: 10.0}


def test_hunks_with_exact_text_are_applied_where_they_fit() -> None:
    hunk = Hunk(2, 2, 2, 3, (" b", "-c", "+C", "+CC"), exact_text=True)
    assert apply_hunks("a\nb\nc\nd\n", [hunk]) == "a\nb\nC\nCC\nd\n"


@pytest.mark.parametrize("start", [0, 1, 9])
def test_hunks_are_found_where_their_number_is_absent_or_off(start: int) -> None:
    hunk = Hunk(start, 2, start, 2, (" b", "-c", "+C"), exact_text=True)
    assert apply_hunks("a\nx\nb\nc\nd\n", [hunk]) == "a\nx\nb\nC\nd\n"


def test_hunk_number_chooses_between_equal_places() -> None:
    hunk = Hunk(3, 1, 3, 1, ("-x", "+X"), exact_text=True)
    assert apply_hunks("x\na\nx\na\nx\n", [hunk]) == "x\na\nX\na\nx\n"


def test_hunk_that_only_inserts_goes_after_its_line() -> None:
    assert apply_hunks("a\nb\n", [Hunk(1, 0, 2, 1, ("+new",), exact_text=True)]) == "a\nnew\nb\n"
    assert apply_hunks("a\nb\n", [Hunk(0, 0, 0, 1, ("+new",), exact_text=True)]) == "a\nb\nnew\n"


def test_several_hunks_keep_their_order() -> None:
    hunks = [
        Hunk(0, 1, 0, 1, ("-x", "+1"), exact_text=True),
        Hunk(0, 1, 0, 1, ("-x", "+2"), exact_text=True),
    ]
    assert apply_hunks("x\nx\nx\n", hunks) == "1\n2\nx\n"


def test_hunk_that_fits_nowhere_is_refused() -> None:
    with pytest.raises(NoFit, match="text_not_found"):
        apply_hunks("a\nb\n", [Hunk(1, 1, 1, 1, ("-absent", "+x"), exact_text=True)])


# --- somebody else was there ----------------------------------------------------------------------


def test_recorded_text_that_differs_shows_what_came_from_outside() -> None:
    play = Play()
    play.create("a\nb\n")
    play.recorded("a\nwritten by hand\nb\n", "\nb\n", "\nB\n")
    assert play.who() == [("a", "c1"), ("written by hand", OUTSIDE), ("B", "c2")]
    origin = play.tree.origin(play.line("written by hand"))
    assert (origin.after, origin.before, origin.evidence) == (10.0, 20.0, "observed")


def test_seen_text_that_differs_shows_what_came_from_outside() -> None:
    play = Play()
    play.create("a\nb\n")
    assert play.see("a\nb\nby hand\n") is True
    assert play.see("a\nb\nby hand\n") is False
    assert play.who() == [("a", "c1"), ("b", "c1"), ("by hand", OUTSIDE)]


def test_lines_from_outside_date_from_when_the_text_was_last_known() -> None:
    play = Play()
    play.create("a\n")
    play.see("a\n")  # still the same at 20
    play.see("a\nlate\n")
    origin = play.tree.origin(play.line("late"))
    assert (origin.after, origin.before) == (20.0, 30.0)


def test_text_that_comes_from_a_commit_is_not_from_outside() -> None:
    """A branch was switched, or pulled: the new lines have authors of their own."""
    play = Play(committed=["a\nb\nmerged\n"])
    play.create("a\nb\n")
    play.see("a\nb\nmerged\n")
    assert play.who() == [("a", "c1"), ("b", "c1"), ("merged", BASE)]


def test_first_sight_is_base_and_remembers_whether_git_has_it() -> None:
    play = Play(committed=["in git\n"])
    play.see("in git\n", "one.py")
    play.see("not in git\n", "two.py")
    assert play.who("one.py") == [("in git", BASE)] and play.who("two.py") == [("not in git", BASE)]
    assert play.tree.from_git == {"one.py"}
    assert play.tree.first_seen == {"one.py": 10.0, "two.py": 20.0}


def test_agent_line_changed_outside_remembers_what_it_was() -> None:
    play = Play()
    play.create("total = price * count + shipping\nend\n")
    line = play.line("total = price * count + shipping")
    play.see("total = price * count + shipping_cost\nend\n")
    origin = play.tree.origin(play.line("total = price * count + shipping_cost"))
    assert origin.kind == OUTSIDE and origin.changed == line
    assert 0.6 <= origin.similarity < 1


def test_agent_line_reformatted_outside_stays_itself() -> None:
    play = Play()
    play.create("x = ['a', 'b'];\nend\n")
    line = play.line("x = ['a', 'b'];")
    play.see('x = [ "a", "b" ]\nend\n')
    assert play.line('x = [ "a", "b" ]') == line
    assert line in play.tree.reformatted


def test_line_of_others_reformatted_outside_is_only_layout() -> None:
    play = _git("x = ['a', 'b'];\nend\n")
    play.edit(("end", "END"))
    play.see('x = [ "a", "b" ]\nEND\n')
    origin = play.tree.origin(play.line('x = [ "a", "b" ]'))
    assert (origin.kind, origin.layout, origin.changed) == (OUTSIDE, True, -1)


def test_agent_line_broken_in_two_is_the_agents_twice() -> None:
    play = Play()
    play.create("result = compute(first_value, second_value)\nend\n")
    play.see("result = compute(\n    first_value, second_value)\nend\n")
    assert [who for _, who in play.who()] == ["c1", "c1", "c1"]
    assert len(set(play.ids())) == 3


def test_line_taken_out_by_hand_is_gone_between_two_moments() -> None:
    play = Play()
    play.create("a\nb\nc\n")
    gone = play.line("b")
    play.see("a\nc\n")
    removal = play.tree.removed[gone]
    assert (removal.by, removal.after, removal.at, removal.replaced) == (None, 10.0, 20.0, False)


def test_line_overwritten_by_hand_says_that_other_text_took_its_place() -> None:
    play = Play()
    play.create("a\nnothing alike here\nc\n")
    gone = play.line("nothing alike here")
    play.see("a\n42\nc\n")
    assert play.tree.removed[gone].by is None
    assert play.tree.removed[gone].replaced is True


def test_line_taken_out_by_a_call_names_the_call() -> None:
    play = Play()
    play.create("a\nb\nc\n")
    a, b = play.line("a"), play.line("b")
    play.edit(("b\n", ""))
    play.edit(("a", "A"))
    assert {
        line: (r.by.call_id if r.by else None, r.replaced) for line, r in play.tree.removed.items()
    } == {
        a: ("c3", True),
        b: ("c2", False),
    }


def test_line_that_was_never_an_agents_has_no_fate() -> None:
    play = _git("a\nb\n")
    play.edit(("a\n", ""))
    assert play.tree.removed == {}


def test_what_was_only_staged_is_lost_with_a_reset() -> None:
    play = Play({F: ["a = 1\n"]}, committed=["a = 2\n"])  # git has it, no commit
    play.edit(("1", "2"))
    play.tree.undo([F], "head", 11, CallRef(7, "c2", 1, 11))
    assert play.text() == "a = 1\n"


def test_branch_switched_away_and_back_brings_the_lines_back_with_their_authors() -> None:
    play = Play(committed=["start\n"])
    play.see("start\n")
    play.edit(("start", "start\nwork\nmore work"))
    before = play.ids()
    play.see("start\n")
    assert play.who() == [("start", BASE)]
    assert set(play.tree.removed) == set(before[1:])
    play.see("start\nwork\nmore work\n")
    assert play.ids() == before
    assert play.tree.removed == {}


def test_recall_brings_no_line_back_twice() -> None:
    play = Play()
    play.create("a\nb\n")
    b = play.line("b")
    play.see("a\n")
    play.see("a\nb\nb\n")
    assert len(set(play.ids())) == 3
    assert play.ids().count(b) == 1
    assert sorted(who for _, who in play.who()) == ["c1", "c1", OUTSIDE]


def test_base_not_recorded_and_in_no_commit_is_laid_over_what_is_known() -> None:
    play = Play()
    assert play.edit(("old line\n", "new line\n")).applied
    assert play.tree.files[F].sparse
    assert play.who() == [("new line", "c1")]


def test_overlay_keeps_the_rest_of_what_is_known() -> None:
    play = Play()
    play.create("a\nb\nc\n")
    hunk = Hunk(2, 2, 2, 2, (" b", "-unseen", "+seen"))
    assert play.edit(("b\nunseen", "b\nseen"), hunks=[hunk]).applied
    assert play.text().startswith("a\nb\nseen\n")
    who = dict(play.who())
    assert pick(who, "a", "b", "seen") == ("c1", "c1", "c2")


@pytest.mark.parametrize(
    ("text", "old", "start", "result"),
    [
        ("", "x\ny", 1, "x\ny\n"),
        ("", "x\ny", 3, "\0\n\0\nx\ny\n"),  # numbers of lines hold where nothing is known
        ("x\n\0\n\0\nx\n", "a\nb", 2, "x\na\nb\nx\n"),  # lines that were not seen give way
        ("a\nb\nc\n", "b", 1, "a\nb\nc\n"),  # already there
        ("a\nb\nc\nd\n", "b\nX\nd", 2, "a\nb\nX\nd\n"),  # around the lines both have
        ("a\nb\n", "new", 2, "a\nnew\nb\n"),  # at the recorded place
        ("a\nb\n", "new", 99, "a\nb\nnew\n"),  # as far as the file goes
    ],
)
def test_overlay_puts_the_old_side_at_the_most_probable_place(
    text: str, old: str, start: int, result: str
) -> None:
    edit = Edit(F, "edit", (Replacement(old, "whatever"),), hunks=(Hunk(start, 1, start, 1),))
    assert overlaid(text, edit) == result


def _changes(*hunks: tuple[int, str, str, str, str]) -> Edit:
    """Hunks of one changed line each: (first line, line before, old, new, line after)."""
    return Edit(
        F,
        "edit",
        hunks=tuple(
            Hunk(n, 3, n, 3, (f" {a}", f"-{x}", f"+{y}", f" {b}"), True) for n, a, x, y, b in hunks
        ),
    )


def test_equal_hunks_of_an_unknown_file_are_laid_one_after_the_other() -> None:
    play = Play()
    patch = _changes(*((n, "call({", "  issuer: a,", "  verified: a,", "}),") for n in (2, 9, 16)))
    assert play.apply(patch).applied
    assert play.text().split("\n").count("  verified: a,") == 3
    assert [
        number for number, line in enumerate(play.text().split("\n"), 1) if "verified" in line
    ] == [3, 10, 17]


def test_later_patch_of_an_unknown_file_finds_its_place_between_the_known_parts() -> None:
    play = Play()
    play.apply(_changes((10, "b {", "old", "new", "}")))
    assert play.apply(
        _changes(
            (2, "a {", "x", "y", "}"), (10, "b {", "new", "newer", "}"), (20, "c {", "p", "q", "}")
        )
    ).applied
    known = [line for line in play.text().split("\n") if line not in ("\0", "")]
    assert known == ["a {", "y", "}", "b {", "newer", "}", "c {", "q", "}"]
    assert [line for line, who in play.who() if who == "c2"] == ["y", "newer", "q"]


def test_shell_edit_without_a_base_is_never_guessed() -> None:
    play = Play()
    assert play.apply(
        Edit(F, "edit", (Replacement("a", "b", all=True),), by_shell=True)
    ) == StepOutcome(False, "no_base_text")
    assert F not in play.tree.files


def test_edit_that_fits_nothing_keeps_its_text_as_a_fragment() -> None:
    play = Play()
    play.create("")
    play.recorded("something else\n", "absent", "wanted\ntext")
    assert [(path, lines) for path, _, lines in play.tree.fragments] == [(F, ["wanted", "text"])]


# --- ends of lines --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a\nb", "a\nb\n"])
def test_missing_newline_at_the_end_is_no_change(text: str) -> None:
    play = Play()
    play.create("a\nb\n")
    before = play.ids()
    assert play.see(text) is False
    assert play.ids() == before


def test_file_without_final_newline_grows_by_whole_lines() -> None:
    play = Play()
    play.create("a")
    play.recorded("a", "a", "a\nb")
    assert play.who() == [("a", "c1"), ("b", "c2")]


@pytest.mark.parametrize("recorded", [False, True])
def test_windows_line_ends_are_no_change(recorded: bool) -> None:
    """Some agents record CRLF files as they are, others with LF only; it is the same text."""
    play = Play()
    play.create("if x {\n\n}\n")
    before = play.ids()
    if recorded:
        play.recorded("if x {\r\n\r\n}\r\n", "absent", "")
    else:
        play.see("if x {\r\n\r\n}\r\n")
    assert play.ids() == before
    assert not play.tree.reformatted and not play.tree.removed


def test_form_feeds_and_odd_separators_do_not_end_lines() -> None:
    play = Play()
    play.create("a\x0cb\u2028c\x85d\n")
    assert play.who() == [("a\x0cb\u2028c\x85d", "c1")]


# --- memory ---------------------------------------------------------------------------------------


def test_born_lines_are_kept_by_path() -> None:
    play = Play()
    play.create("a\n")
    play.edit(("a", "a\nb"))
    assert play.tree.born[F] == [play.line("a"), play.line("b")]


def test_buried_lines_remember_their_neighbours() -> None:
    play = _git("top\nbottom\n")
    play.edit(("top\n", "top\none\ntwo\n"))
    play.edit(("one\ntwo\n", ""))
    (buried,) = play.tree.buried[F]
    assert [text for text, _ in buried.lines] == ["one", "two"]
    assert (buried.before, buried.after) == ("top", "bottom")


def test_text_of_others_is_not_buried() -> None:
    play = _git("top\nby hand\nbottom\n")
    play.edit(("by hand\n", ""))
    assert play.tree.buried == {}


def test_text_too_large_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "REPLAYED_CHARACTERS", 10)
    play = Play()
    assert play.create("much too long for this\n") == StepOutcome(False, "text_too_large")
    assert play.see("also much too long\n") is False


# --- any sequence ---------------------------------------------------------------------------------

_LINE = st.sampled_from(
    [
        "a",
        "b",
        "}",
        "",
        "x = 1",
        "x = 2",
        "return total",
        "return  total;",
        "long line with several words",
    ]
)
_TEXT = st.lists(_LINE, max_size=8).map(lambda lines: "".join(line + "\n" for line in lines))
_MOVE = st.tuples(
    st.sampled_from(["write", "see", "recorded", "insert", "cut", "delete", "append"]),
    _TEXT,
    st.integers(0, 9),
)


def _insert(play: Play, lines: list[str], text: str, at: int) -> None:
    head, tail = lines[:at], lines[at:]
    before = "".join(x + "\n" for x in lines)
    after = "".join(x + "\n" for x in [*head, *lines_of(text), *tail])
    play.apply(Edit(F, "write", content=after, before=before, before_known=True))


def _cut(play: Play, lines: list[str], _: str, at: int) -> None:
    play.apply(Edit(F, "write", content="".join(x + "\n" for x in [*lines[:at], *lines[at + 2 :]])))


_MOVES: dict[str, Callable[[Play, list[str], str, int], object]] = {
    "write": lambda play, _, text, at: play.write(text),
    "see": lambda play, _, text, at: play.see(text),
    "recorded": lambda play, _, text, at: play.recorded(text + "here\n", "here", "there"),
    "insert": _insert,
    "cut": _cut,
    "delete": lambda play, _, text, at: play.apply(Edit(F, "delete")),
    "append": lambda play, _, text, at: play.apply(Edit(F, "append", content=text)),
}


@settings(max_examples=150, deadline=None)
@given(start=_TEXT, moves=st.lists(_MOVE, max_size=8))
def test_after_any_sequence_every_line_has_one_id_and_old_lines_keep_theirs(
    start: str, moves: list[tuple[str, str, int]]
) -> None:
    play = _git(start)
    play.see(start)
    texts: dict[int, str] = {}
    agents: set[int] = set()
    for name, text, at in moves:
        old_ids, old_lines = play.ids(), lines_of(play.text())
        _MOVES[name](play, old_lines, text, at)
        ids, lines = play.ids(), lines_of(play.text())
        assert len(ids) == len(lines) == len(set(ids))
        for line, content in zip(ids, lines, strict=True):
            if line not in play.tree.reformatted:
                # a line that keeps its id keeps its text
                assert texts.setdefault(line, content) == content
        top = next(
            (i for i, (a, b) in enumerate(zip(old_lines, lines, strict=False)) if a != b),
            min(len(old_lines), len(lines)),
        )
        if (
            name == "insert"
            and lines_of(text)
            and len({*old_lines, *lines_of(text)}) == len(old_lines) + len(lines_of(text))
        ):
            assert ids[:top] == old_ids[:top]
            assert [i for i in ids if i in set(old_ids)] == old_ids
        agents |= {i for i in ids if play.tree.origin(i).kind == AGENT}
        # Every line an agent wrote is there or has a fate.
        for line in agents:
            assert (line in ids) != (line in play.tree.removed)


@settings(max_examples=100, deadline=None)
@given(before=_TEXT, after=_TEXT)
def test_one_write_gives_the_call_no_line_that_the_old_text_could_supply(
    before: str, after: str
) -> None:
    """The number of new lines is that of a shortest difference: common text is never claimed for
    the agent.
    """
    play = _git(before)
    play.apply(Edit(F, "write", content=after, before=before, before_known=True))
    mine = sum(1 for _, who in play.who() if who != BASE)
    assert mine == len(lines_of(after)) - _common(lines_of(before), lines_of(after))


def _common(a: list[str], b: list[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        last = row[:]
        for j, y in enumerate(b):
            row[j + 1] = last[j] + 1 if x == y else max(last[j + 1], row[j])
    return row[-1]
