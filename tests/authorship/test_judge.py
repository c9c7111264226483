"""Who wrote the lines a commit adds: the replayed state against the committed text."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from attribution.authorship.align import lines_of
from attribution.authorship.case import (
    AddedFile,
    AttributionWindow,
    CandidateAuthor,
    InlineScript,
    Moments,
    StateAlignment,
)
from attribution.authorship.commits import CommitHistory
from attribution.authorship.conclude import MissingTranscript, NamedSessions, conclude
from attribution.authorship.diffs import CommitDiff, FileDiff
from attribution.authorship.judge import assign_low_information, judge
from attribution.authorship.links import CommitLinks
from attribution.authorship.moved_lines import MoveCandidates, lost_sources, moved_lines
from attribution.authorship.people import downgrade_unplaced
from attribution.authorship.replay import ReplayStep, Worktree
from attribution.authorship.run_data import RunInputs, SessionsRead, TranscriptReach
from attribution.authorship.state_alignment import align_state
from attribution.authorship.verdicts import CallRef, Verdict
from attribution.authorship.worktrees import CommitProbe, FileProbe, ProbeResult
from collector.model import Commit, Edit, FileChange, Replacement, SessionRecord
from collector.vocabulary.lines import Author, Evidence, How, Reason
from collector.vocabulary.sessions import StoredTranscript

F = "app.py"
CALL = CallRef(7, "c1", 1, 10.0)
AGENT = Verdict(Author.AGENT, How.EXACT, Evidence.OBSERVED, call=CALL)
SHELL = Verdict(Author.AGENT, How.SHELL, Evidence.INFERRED, call=CALL)
BY_HAND = Verdict(Author.HUMAN, How.NONE, Evidence.OBSERVED)
GUESSED = Verdict(Author.HUMAN, How.NONE, Evidence.INFERRED)
OPAQUE = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.OPAQUE_SHELL)
HUMAN = CandidateAuthor(Author.HUMAN)
WHEN = Moments(100, 1)
Ask = Callable[[AttributionWindow], CandidateAuthor]


class Asked:
    """Answers every question about a gap the same way and remembers the questions."""

    def __init__(self, answer: CandidateAuthor = HUMAN) -> None:
        self.answer = answer
        self.questions: list[AttributionWindow] = []

    def __call__(self, gap: AttributionWindow) -> CandidateAuthor:
        self.questions.append(gap)
        return self.answer


class Stage:
    """A worktree on a clock, and commits to compare it with. The commit is made at 100, its
    parent at 1.
    """

    def __init__(self, base: str | None = None, in_git: bool = True) -> None:
        self.tree = Worktree(
            lambda *_: [base] if base is not None else (),
            lambda _, text, at: in_git and text == base,
        )
        self.at = 0.0
        self.count = 0
        self.base = base

    def _step(self, edit: Edit, new_path: str = "") -> CallRef:
        self.at += 10
        self.count += 1
        call = CallRef(7, f"c{self.count}", 1, self.at, by_shell=edit.by_shell)
        assert self.tree.apply(
            ReplayStep(self.at, self.count, edit.path, edit, call, new_path)
        ).applied
        return call

    def edit(self, old: str, new: str, path: str = F, by_shell: bool = False) -> CallRef:
        return self._step(Edit(path, "edit", (Replacement(old, new),), by_shell=by_shell))

    def create(self, text: str, path: str = F) -> CallRef:
        return self._step(Edit(path, "write", content=text, before_known=True))

    def move(self, path: str, new_path: str) -> CallRef:
        return self._step(Edit(path, "move", new_path=new_path, by_shell=True), new_path)

    def see(self, text: str) -> None:
        self.at += 10
        self.tree.observe(F, text, self.at)

    def said(
        self,
        text: str,
        added: Sequence[int],
        ask: Ask | None = None,
        when: Moments = WHEN,
        committed: Callable[[int, str | None], bool] = lambda *_: False,
        path: str = F,
        old_path: str = "",
        before: Sequence[str] = (),
    ) -> dict[int, Verdict]:
        """Verdicts by 1-based line number; `before`: lines of the version before."""
        file = AddedFile(
            path,
            old_path or path,
            tuple(lines_of(text)),
            tuple(n - 1 for n in added),
            frozenset(before),
            before_text="\n".join(before),
        )
        found = judge(self.tree, align_state(self.tree, file), ask or Asked(), when, committed)
        return {index + 1: verdict for index, verdict in found.items()}


def short(verdicts: dict[int, Verdict]) -> dict[int, str]:
    """Line -> author, how, and the call or the reason."""
    return {
        n: " ".join(
            x
            for x in (v.author, v.how, v.call.call_id if v.call else "", v.reason)
            if x and x != "none"
        )
        for n, v in verdicts.items()
    }


# --- where the replay has the line ----------------------------------------------------------------


def test_line_that_stands_in_the_replayed_state_is_its_calls() -> None:
    stage = Stage("a\nz\n")
    stage.edit("a\n", "a\nnew\n")
    verdicts = stage.said("a\nnew\nz\n", [2])
    assert short(verdicts) == {2: "agent exact c1"}
    assert verdicts[2].evidence == Evidence.REPLAYED


def test_line_put_in_by_hand_after_the_last_edit_is_human() -> None:
    stage = Stage()
    stage.create("a\nb\n")
    asked = Asked()
    assert short(stage.said("a\nby hand\nb\n", [1, 2, 3], asked)) == {
        1: "agent exact c1",
        2: "human",
        3: "agent exact c1",
    }
    # from when the text was last known to the commit
    assert asked.questions == [AttributionWindow(F, 10.0, 100, last=True)]


def test_line_put_in_by_hand_between_edits_is_human_and_was_seen() -> None:
    stage = Stage()
    stage.create("a\nb\n")
    stage.see("a\nby hand\nb\n")
    asked = Asked()
    verdicts = stage.said("a\nby hand\nb\n", [1, 2, 3], asked)
    assert short(verdicts)[2] == "human"
    assert verdicts[2].evidence == Evidence.OBSERVED
    assert asked.questions == [AttributionWindow(F, 10.0, 20.0)]


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (CandidateAuthor(Author.HUMAN), "human"),
        (
            CandidateAuthor(
                Author.UNKNOWN, reason=Reason.OPAQUE_SHELL, call=CallRef(7, "sh", 1, 5.0)
            ),
            "unknown sh opaque_shell",
        ),
        (CandidateAuthor(Author.AGENT, How.SHELL, call=CallRef(7, "sh", 1, 5.0)), "agent shell sh"),
    ],
)
def test_unexplained_line_goes_to_whoever_may_have_acted(cause: CandidateAuthor, said: str) -> None:
    stage = Stage()
    stage.create("a\n")
    assert short(stage.said("a\nmore\n", [2], Asked(cause))) == {2: said}


def test_file_no_agent_ever_opened_goes_to_whoever_may_have_acted_since_the_parent() -> None:
    asked = Asked()
    assert short(Stage().said("x\n", [1], asked)) == {1: "human"}
    since, before = asked.questions
    assert since == AttributionWindow(F, 1, 100, last=True, made=True, unseen=True)
    # what an agent did then may have been left uncommitted
    assert before == AttributionWindow(F, 0, 1, made=True, unseen=True)


@pytest.mark.parametrize(
    ("old", "new", "editor"),
    [
        ("*Phase 12.3 of the whole plan*", "_Phase 12.3 of the whole plan_", "unknown"),
        ("const total = first + second // both", "const total = first - second // both", "unknown"),
        ("const total = first + second // 12", "const total = first + second // 13", "human"),
        ("*Phase 12.3 of the whole long plan*", "*Phase 12.4 of the whole long plan*", "human"),
    ],
)
def test_who_changed_nothing_but_signs_of_an_agents_line_is_not_named(
    old: str, new: str, editor: str
) -> None:
    stage = Stage()
    stage.create(f"{old}\nend\n")
    (verdict,) = stage.said(f"{new}\nend\n", [1]).values()
    assert (verdict.author, verdict.how, verdict.edited_by) == ("agent", "edited", editor)


def test_agent_line_touched_up_stays_the_agents_and_names_the_editor() -> None:
    stage = Stage()
    stage.create("total = price * count + shipping\nend\n")
    (verdict,) = stage.said("total = price * count + shipping_cost\nend\n", [1]).values()
    assert (verdict.author, verdict.how, verdict.edited_by) == ("agent", "edited", "human")
    assert verdict.call is not None and verdict.call.call_id == "c1"
    assert verdict.similarity is not None and 0.6 <= verdict.similarity < 1


def test_agent_line_replaced_by_something_else_is_not_the_agents() -> None:
    stage = Stage()
    stage.create("total = price * count\nend\n")
    assert short(stage.said("raise NotImplementedError\nend\n", [1])) == {1: "human"}


def test_line_like_an_old_one_of_others_is_not_the_agents() -> None:
    stage = Stage("total = price * count + shipping\nend\n")
    stage.edit("end", "END")
    assert short(stage.said("total = price * count + shipping_cost\nEND\n", [1, 2])) == {
        1: "human",
        2: "agent exact c1",
    }


def test_agent_line_reformatted_is_the_agents() -> None:
    stage = Stage()
    stage.create("x = ['a'];\nend\n")
    assert short(stage.said('x = [ "a" ]\nend\n', [1])) == {1: "agent reformatted c1"}


def test_old_line_of_others_reformatted_asks_for_a_formatter() -> None:
    stage = Stage("x = ['a'];\nend\n")
    stage.edit("end", "END")
    asked = Asked()
    stage.said('x = [ "a" ]\nEND\n', [1], asked)
    assert asked.questions == [AttributionWindow(F, 10.0, 100, layout=True, last=True)]


def test_line_with_a_secret_cut_out_is_still_the_agents() -> None:
    stage = Stage()
    stage.create('key = "REDACTED"\nend\n')
    assert short(stage.said('key = "sk1234567890abcdef"\nend\n', [1])) == {1: "agent exact c1"}


def test_line_written_by_a_command_says_so() -> None:
    stage = Stage("a\n")
    stage.edit("a", "b", by_shell=True)
    assert short(stage.said("b\n", [1])) == {1: "agent shell c1"}


def test_moved_file_is_found_under_its_old_path() -> None:
    stage = Stage()
    stage.create("a\nb\n", "old.py")
    verdicts = stage.said("a\nb\n", [1, 2], path="new.py", old_path="old.py")
    assert short(verdicts) == {1: "agent exact c1", 2: "agent exact c1"}


def test_file_moved_by_a_command_does_not_make_old_lines_the_agents() -> None:
    """Git saw no rename: every line of the new path counts as added."""
    stage = Stage("a\nb\n")
    stage.move("old.py", "new.py")
    verdicts = stage.said("a\nb\n", [1, 2], path="new.py")
    assert {(v.author, v.reason) for v in verdicts.values()} == {("unknown", "brought_in")}


def test_equal_text_elsewhere_in_the_file_proves_nothing() -> None:
    stage = Stage("start\nmiddle\nend\n")
    stage.edit("start\n", "start\nreturn None\n")
    verdicts = stage.said("start\nreturn None\nmiddle\nend\nreturn None\n", [2, 5])
    assert short(verdicts) == {2: "agent exact c1", 5: "human"}


# --- equal lines ----------------------------------------------------------------------------------


def test_of_equal_lines_as_many_are_the_agents_as_the_agent_wrote() -> None:
    """Git may call another of several equal lines the new one than the replay does."""
    stage = Stage("f {\n}\n")
    stage.edit("f {\n}\n", "f {\n}\ng {\n}\n")
    state = stage.tree.files[F]
    new = [n for n, line in enumerate(state.ids, 1) if stage.tree.origin(line).call]
    assert len(new) == 2
    for added in ([2, 3], [3, 4]):
        assert short(stage.said("f {\n}\ng {\n}\n", added)) == dict.fromkeys(
            added, "agent exact c1"
        )


def test_exchange_takes_the_nearest_of_equal_lines() -> None:
    stage = Stage("x\n1\n2\n3\n")
    stage.edit("1\n", "1\nx\n")  # x 1 X 2 3
    stage.edit("3\n", "3\nx\n")  # x 1 X 2 3 X
    assert short(stage.said("x\n1\nx\n2\n3\nx\n", [1, 6])) == {
        1: "agent exact c1",
        6: "agent exact c2",
    }
    assert short(stage.said("x\n1\nx\n2\n3\nx\n", [1])) == {1: "agent exact c1"}


def test_exchange_never_makes_more_agent_lines_than_there_are() -> None:
    stage = Stage("x\n1\nx\n2\n")
    stage.edit("1\n", "1\nnew\n")
    # Both x are called new by git (as if the file had been rewritten); no agent wrote any of them.
    verdicts = stage.said("x\n1\nnew\nx\n2\n", [1, 3, 4])
    assert [v.author for v in verdicts.values()] == ["unknown", "agent", "unknown"]


def test_line_that_git_calls_old_is_not_judged() -> None:
    stage = Stage()
    stage.create("a\nb\n")
    assert set(stage.said("a\nb\n", [2])) == {2}


# --- lines from before ----------------------------------------------------------------------------


def test_uncommitted_work_from_before_the_session_is_human() -> None:
    stage = Stage("a\nnot committed yet\n", in_git=False)
    stage.edit("a\n", "A\n")
    asked = Asked()
    verdicts = stage.said("A\nnot committed yet\n", [1, 2], asked)
    assert short(verdicts) == {1: "agent exact c1", 2: "human"}
    # between the parent and the first sight
    assert asked.questions == [AttributionWindow(F, 1, 10.0)]


def test_text_that_another_commit_had_is_of_another_branch() -> None:
    stage = Stage("a\nof the other branch\n", in_git=True)
    stage.edit("a\n", "A\n")
    assert short(stage.said("A\nof the other branch\n", [1, 2])) == {
        1: "agent exact c1",
        2: "unknown other_branch",
    }


def test_file_seen_before_the_parent_was_made_stood_on_another_base() -> None:
    stage = Stage("a\nold\n", in_git=False)
    stage.edit("a\n", "A\n")
    assert short(stage.said("A\nold\n", [2], when=Moments(100, 50))) == {2: "unknown other_branch"}


def test_after_a_rebase_what_nobody_wrote_may_be_anybodys() -> None:
    stage = Stage("a\nold\n", in_git=False)
    stage.edit("a\n", "A\n")
    verdicts = stage.said("A\nold\nnew\n", [1, 2, 3], when=Moments(100, 1, redone=True))
    # decided with the witnesses
    assert short(verdicts) == {1: "agent exact c1", 2: "unknown other_branch", 3: "human rewritten"}


def test_what_is_known_from_after_the_commit_was_made_first_is_no_witness_of_what_it_lacked() -> (
    None
):
    stage = Stage("a\nold\n", in_git=False)
    stage.edit("a\n", "A\n")
    when = Moments(100, 1, redone=True, authored=0.5)
    assert short(stage.said("A\nold\nnew\n", [1, 3], when=when)) == {
        1: "agent exact c1",
        3: "unknown rewritten",
    }


def test_after_a_rebase_a_known_cause_still_counts() -> None:
    stage = Stage()
    stage.create("a\n")
    cause = CandidateAuthor(Author.AGENT, How.SHELL, call=CallRef(7, "sh", 1, 5.0))
    assert short(stage.said("a\nmore\n", [2], Asked(cause), Moments(100, 1, redone=True))) == {
        2: "agent shell sh"
    }


def test_file_known_only_in_parts_leaves_the_rest_unknown() -> None:
    stage = Stage()
    stage.edit("old\n", "new\n")
    assert short(stage.said("above\nnew\nbelow\n", [1, 2, 3])) == {
        1: "unknown base_unknown",
        2: "agent exact c1",
        3: "unknown base_unknown",
    }


def test_line_that_an_ancestor_had_and_lost_was_brought_back() -> None:
    stage = Stage()
    stage.create("a\nb\n")
    second = stage.tree.files[F].ids[1]
    verdicts = stage.said(
        "a\nb\n", [1, 2], committed=lambda line, text: (line, text) == (second, "b")
    )
    assert short(verdicts) == {1: "agent exact c1", 2: "unknown c1 restored"}


def test_agent_line_of_an_earlier_commit_changed_by_hand_is_the_changers() -> None:
    old = "total = price * count + shipping"
    new = "total = price * count + shipping_cost"
    stage = Stage()
    stage.create(f"{old}\nend\n")
    assert short(stage.said(f"{new}\nend\n", [1], before=[old, "end"])) == {1: "human"}
    assert short(stage.said(f"{new}\nend\n", [1], committed=lambda *_: True)) == {1: "human"}
    stage.see(f"{new}\nend\n")  # the same, seen in between
    assert short(stage.said(f"{new}\nend\n", [1], before=[old, "end"])) == {1: "human"}
    assert stage.said(f"{new}\nend\n", [1])[1].how == How.EDITED


def test_lines_that_changed_while_a_formatter_ran_are_marked() -> None:
    stage = Stage()
    stage.create("a = 1\n")
    ran = Asked(
        CandidateAuthor(Author.HUMAN, reason=Reason.FORMATTER, call=CallRef(7, "fmt", 1, 5.0))
    )
    said = short(stage.said("import os\na = 1\nb = 2\n", [1, 3], ran))
    # whether a word is new is decided with the witnesses
    assert said == {1: "human fmt formatter", 3: "human fmt formatter"}


# --- lines that say nothing -----------------------------------------------------------------------


def _settled(text: str, **authors: str) -> str:
    """Verdicts after the weak lines followed their neighbours: one letter per line; `authors`
    gives them before.
    """
    lines = tuple(lines_of(text))
    verdicts = {
        i: {"a": AGENT, "h": BY_HAND, "u": OPAQUE}[who] for i, who in enumerate(authors["who"])
    }
    assign_low_information(AddedFile(F, F, lines, tuple(range(len(lines)))), verdicts)
    return "".join(verdicts[i].author[0] for i in range(len(lines)))


@pytest.mark.parametrize(
    ("text", "who", "settled"),
    [
        ("f {\n}\ng {\n", "aha", "aaa"),  # between two lines of an agent
        ("f {\n\n}\ng {\n", "ahha", "aaaa"),
        ("f {\n}\n", "ah", "au"),  # at the edge of the agent's block
        ("}\nf {\n", "ha", "ua"),
        ("f {\n}\ng {\n", "ahh", "ahh"),  # between an agent and a person
        ("f {\n}\ng {\n", "hhh", "hhh"),
        ("f {\n}\n", "au", "au"),
        ("f {\n}\ng {\n", "aua", "aaa"),
        ("}\n\n", "hh", "hh"),  # nobody to follow
        ("f {\nx\ng {\n", "aha", "aha"),  # a line with a word speaks for itself
    ],
)
def test_brackets_and_blank_lines_follow_their_neighbours(
    text: str, who: str, settled: str
) -> None:
    assert _settled(text, who=who) == settled


@pytest.mark.parametrize(
    ("above", "below", "session"),
    [(1, 1, 1), (1, None, 1), (1, 2, 1), (3, 3, 3), (2, 3, 2), (2, 1, 1)],
)
def test_a_bracket_between_lines_of_another_session_is_that_sessions(
    above: int, below: int | None, session: int
) -> None:
    """Which of several `}` is the new one is chance: it shows no part of a session that wrote
    nothing else there.
    """
    agents = {n: replace(AGENT, call=replace(CALL, session_id=n)) for n in (1, 2, 3)}
    verdicts = {0: agents[above], 1: agents[1], **({} if below is None else {2: agents[below]})}
    lines = ("first of all", "}", "last of all")[: len(verdicts)]
    assign_low_information(AddedFile(F, F, lines, tuple(range(len(lines)))), verdicts)
    assert verdicts[1].call is not None and verdicts[1].call.session_id == session


def test_many_blank_lines_take_time_in_proportion() -> None:
    count = 300_000
    file = AddedFile(F, F, ("f {", *[""] * count, "g {"), tuple(range(count + 2)))
    verdicts = {0: AGENT, count + 1: AGENT} | dict.fromkeys(range(1, count + 1), BY_HAND)
    started = time.process_time()
    assign_low_information(file, verdicts)
    assert time.process_time() - started < 10  # every line against every other one would take hours
    assert {v.author for v in verdicts.values()} == {"agent"}


def test_neighbours_are_those_of_the_same_added_block() -> None:
    file = AddedFile(F, F, ("f {", "}", "old line", "g {"), (0, 1, 3))
    verdicts = {0: AGENT, 1: BY_HAND, 3: AGENT}
    assign_low_information(file, verdicts)
    assert verdicts[1].author == Author.UNKNOWN  # the agent's on one side only


SED = (InlineScript("sed -i 's/oldName/newName/g' app.py", CALL),)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        # A bracket has no words; what stands in neither the command nor the file is not the
        # command's.
        (
            ("call = oldName(1)",),
            {3: "agent shell c1", 4: "human c1 opaque_shell", 5: "agent shell c1"},
        ),
        # Of a file whose text before is not known no line is ruled out, and none shown to be the
        # command's.
        ((), {3: "unknown c1 opaque_shell", 4: "unknown c1 opaque_shell", 5: "agent shell c1"}),
    ],
)
def test_command_that_changes_in_place_wrote_only_its_words_and_those_of_the_file(
    before: Sequence[str], said: dict[int, str]
) -> None:
    stage = Stage("top\nend\n")
    stage.edit("top\n", "top\nthe agent wrote this\n")
    sed = CandidateAuthor(Author.AGENT, How.SHELL, call=CALL, scripts=SED)
    text = "top\nthe agent wrote this\ncall = newName(1)\nsomething else entirely\n}\nend\n"
    assert short(stage.said(text, [3, 4, 5], Asked(sed), before=before)) == said


def test_edit_that_could_not_be_replayed_leaves_no_line_to_a_human() -> None:
    verdicts = {0: BY_HAND, 1: AGENT, 2: GUESSED, 3: OPAQUE}
    downgrade_unplaced(verdicts)
    assert short(verdicts) == {
        0: "unknown edit_unplaced",
        1: "agent exact c1",
        2: "unknown edit_unplaced",
        3: "unknown opaque_shell",
    }


def test_lone_bracket_of_an_agent_amid_lines_of_nobody_is_nobodys() -> None:
    nobody = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.TRANSCRIPT_MISSING)
    for around, said in ((nobody, "common_line"), (AGENT, "agent")):
        verdicts = {0: around, 1: AGENT, 2: around}
        assign_low_information(
            AddedFile(F, F, ("first of all", ")", "last of all"), (0, 1, 2)), verdicts
        )
        assert (verdicts[1].reason or verdicts[1].author) == said


def test_lines_outside_the_known_parts_are_nobodys_even_when_the_whole_is_seen_later() -> None:
    stage = Stage()
    stage.tree.apply(ReplayStep(5.0, 1, F, Edit(F, "edit", (Replacement("known", "new"),)), CALL))
    stage.see("top\nnew\nend\n")
    assert short(stage.said("top\nnew\nend\n", [1, 2, 3])) == {
        1: "unknown base_unknown",
        2: "agent exact c1",
        3: "unknown base_unknown",
    }


# --- moved text -----------------------------------------------------------------------------------

LOST = ("def area(w, h):", "    checked = max(w, 0)", "    return checked * h")


def _moved(
    lines: Sequence[str],
    source: Sequence[str],
    common: Sequence[str] = (),
    verdict: Verdict = GUESSED,
    **more: Any,
) -> dict[int, str]:
    file = AddedFile("other.py", "other.py", tuple(lines), tuple(range(len(lines))))
    verdicts = dict.fromkeys(range(len(lines)), verdict)
    sources = [MoveCandidates(tuple((text, CALL) for text in source), **more)]
    found = moved_lines(
        [(file, verdicts)], sources, lambda text: text.strip() in common or len(text.strip()) < 4
    )
    return {index + 1: f"{v.author} {v.how} {v.evidence}" for _, index, v in found}


def test_three_lines_in_a_row_found_elsewhere_were_moved() -> None:
    assert _moved(["x = 1", *LOST, "y = 2"], LOST) == dict.fromkeys(
        (2, 3, 4), "agent moved matched"
    )


def test_moved_lines_may_change_their_indentation() -> None:
    assert set(_moved(["    " + line for line in LOST], LOST)) == {1, 2, 3}


@pytest.mark.parametrize(
    "lines",
    [
        LOST[:2],  # too few
        (LOST[0], "between", LOST[1], "between", LOST[2]),  # not in a row
        (LOST[2], LOST[1], LOST[0]),  # in another order
        (LOST[0], "", LOST[1]),  # a blank line is no evidence, and it was not there
    ],
)
def test_fewer_than_three_neighbours_prove_nothing(lines: Sequence[str]) -> None:
    assert _moved(lines, LOST) == {}


def test_blank_lines_do_not_count_as_neighbours() -> None:
    assert _moved(["alpha = 1", "", "beta = 2"], ["alpha = 1", "", "beta = 2"]) == {}


def test_lines_that_many_files_have_prove_nothing() -> None:
    usual = ("if err != nil {", "return nil, err", "}")
    assert _moved(usual, usual, common=usual) == {}
    assert set(_moved((*usual, "unusual(thing)"), (*usual, "unusual(thing)"), common=usual)) == {
        1,
        2,
        3,
        4,
    }


def test_line_with_a_certain_author_is_not_taken_over() -> None:
    certain = Verdict(Author.AGENT, How.EXACT, Evidence.OBSERVED, call=CallRef(8, "other", 1, 1.0))
    assert _moved(LOST, LOST, verdict=certain) == {}
    guessed = Verdict(Author.AGENT, How.SHELL, Evidence.INFERRED, call=CallRef(8, "other", 1, 1.0))
    assert set(_moved(LOST, LOST, verdict=guessed)) == {1, 2, 3}


def test_text_of_a_file_reappears_in_that_file_only() -> None:
    assert _moved(LOST, LOST, path="app.py", how="exact") == {}
    assert _moved(LOST, LOST, path="other.py", how="exact") == dict.fromkeys(
        (1, 2, 3), "agent exact matched"
    )


def test_neighbours_in_the_old_file_make_up_for_few_lines() -> None:
    lines = ["before()", "lonely_line(1)", "after()"]
    file = AddedFile("other.py", "other.py", tuple(lines), (1,))
    verdicts = {1: Verdict(Author.HUMAN, How.NONE, Evidence.INFERRED)}

    def found(before: str, after: str) -> int:
        sources = [
            MoveCandidates((("lonely_line(1)", CALL),), path="other.py", before=before, after=after)
        ]
        return len(moved_lines([(file, verdicts)], sources, lambda _: False))

    assert found("before()", "after()") == 1
    assert found("before()", "elsewhere()") == 0
    assert found("", "") == 0


def test_of_several_sources_the_longest_run_counts() -> None:
    file = AddedFile("other.py", "other.py", (*LOST, "extra = 4"), (0, 1, 2, 3))
    verdicts = {i: Verdict(Author.HUMAN, How.NONE, Evidence.INFERRED) for i in range(4)}
    long = CallRef(9, "long", 1, 1.0)
    sources = [
        MoveCandidates(tuple((text, CALL) for text in LOST)),
        MoveCandidates(tuple((text, long) for text in (*LOST, "extra = 4"))),
    ]
    found = moved_lines([(file, verdicts)], sources, lambda _: False)
    assert [v.call.call_id for _, _, v in found if v.call] == ["long"] * 4


def test_sources_are_what_the_commit_lacks_of_the_agents_text() -> None:
    stage = Stage("top\nend\n")
    stage.edit("top\n", "top\n" + "".join(line + "\n" for line in LOST))
    found = align_state(stage.tree, AddedFile(F, F, ("top", "end"), ()))
    assert [text for _, text in found.lost] == list(LOST)
    assert found.overwritten == {}
    assert [[text for text, _ in source.lines] for source in lost_sources(stage.tree, [found])] == [
        list(LOST)
    ]


def test_lost_line_whose_place_other_text_took_was_overwritten() -> None:
    stage = Stage("top\nend\n")
    stage.edit("top\n", "top\nthe agent wrote this\n")
    found: StateAlignment = align_state(stage.tree, AddedFile(F, F, ("top", "42", "end"), (1,)))
    assert {line for line, _ in found.lost} == set(found.overwritten) != set()


def test_reformatted_line_is_not_lost() -> None:
    stage = Stage("top\nend\n")
    stage.edit("top\n", "top\nx = ['a'];\n")
    assert align_state(stage.tree, AddedFile(F, F, ("top", 'x = [ "a" ]', "end"), (1,))).lost == []


# --- the verdict on a whole commit ----------------------------------------------------------------


def _commit(message: str = "m", email: str = "ada@example.com", name: str = "Ada") -> Commit:
    return Commit("c" * 40, ("p" * 40,), "t" * 40, name, email, 100.0, name, email, 100.0, message)


def _diff(commit: Commit, *files: tuple[str, int]) -> CommitDiff:
    """A commit that adds that many lines to each path."""
    return CommitDiff(
        commit,
        [
            FileDiff(FileChange(path, path, None, "b" * 40, 0, 0o100644, "A"), "text", ((0, n, n),))
            for path, n in files
        ],
    )


def _record(**more: object) -> SessionRecord:
    return SessionRecord("a" * 12, 0, "s", "s", **more)  # type: ignore[arg-type]


def _judged(
    path: str,
    verdicts: Sequence[Verdict],
    followed: bool = True,
    main: bool = True,
    at: float = 100.0,
) -> ProbeResult:
    seen = FileProbe(path, dict(enumerate(verdicts)), frozenset(range(len(verdicts))), followed)
    return ProbeResult(CommitProbe(at, "c" * 40, 1, main=main), "/w", [seen])


def _conclude(
    seen: Sequence[ProbeResult],
    *files: tuple[str, int],
    commit: Commit | None = None,
    records: Sequence[SessionRecord] = (_record(),),
    named: tuple[str, ...] = ("a" * 12,),
    incomplete: bool = False,
    missing: Sequence[MissingTranscript] = (),
    readable: bool = True,
    claimed: Mapping[str, Reason] | None = None,
) -> dict[str, list[str]]:
    commit = commit or _commit()
    link = CommitLinks(commit, named, list(records), incomplete)
    found = conclude(
        _diff(commit, *files), link, seen, NamedSessions(missing, readable, claimed or {})
    )
    return {
        f.change.path: [
            f"{s.start}-{s.end} {s.verdict.author} {s.verdict.reason or s.verdict.how}"
            for s in spans
        ]
        for f, spans in found.files
    }


def test_neighbours_with_one_verdict_are_one_span() -> None:
    seen = _judged(F, [AGENT, AGENT, BY_HAND, AGENT])
    assert _conclude([seen], (F, 4)) == {
        F: ["1-2 agent exact", "3-3 human none", "4-4 agent exact"]
    }


def test_commit_that_names_nothing_is_nobodys() -> None:
    assert _conclude([], (F, 2), records=(), named=()) == {F: ["1-2 unknown no_session"]}


def test_commit_that_names_a_checkpoint_this_clone_lacks_says_so() -> None:
    assert _conclude([], (F, 2), records=(), incomplete=True) == {
        F: ["1-2 unknown checkpoint_missing"]
    }


def test_commit_of_a_dependency_bot_is_a_tools() -> None:
    bot = _commit(name="dependabot[bot]", email="49699333+dependabot[bot]@users.noreply.github.com")
    assert _conclude([], (F, 2), records=(), named=(), commit=bot) == {F: ["1-2 tool none"]}


def test_commit_with_an_agents_trailer_is_declared() -> None:
    commit = _commit("m\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    link = CommitLinks(commit, ())
    ((_, (span,)),) = conclude(_diff(commit, (F, 2)), link, [], NamedSessions([], False, {})).files
    assert (span.verdict.author, span.verdict.how, span.verdict.evidence) == (
        "declared",
        "declared",
        "declared",
    )


def test_linked_commit_trusts_the_transcript_more_than_the_trailer() -> None:
    commit = _commit("m\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    assert _conclude([_judged(F, [BY_HAND])], (F, 1), commit=commit) == {F: ["1-1 human none"]}


def test_missing_transcript_leaves_only_what_other_sessions_prove() -> None:
    seen = [_judged(F, [AGENT, BY_HAND])]
    everything = MissingTranscript(frozenset())
    assert _conclude(seen, (F, 2), missing=[everything]) == {
        F: ["1-1 agent exact", "2-2 unknown transcript_missing"]
    }


def test_missing_transcript_of_a_session_that_touched_other_files_says_nothing_here() -> None:
    seen = [_judged(F, [AGENT, BY_HAND])]
    assert _conclude(seen, (F, 2), missing=[MissingTranscript(frozenset({"else.py"}))]) == {
        F: ["1-1 agent exact", "2-2 human none"]
    }


def test_of_a_transcript_that_was_never_stored_a_more_telling_reason_stays() -> None:
    opaque = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.OPAQUE_SHELL)
    seen, never = (
        [_judged(F, [AGENT, BY_HAND, opaque])],
        MissingTranscript(frozenset(), Reason.TRANSCRIPT_NOT_STORED),
    )
    assert _conclude(seen, (F, 3), missing=[never]) == {
        F: ["1-1 agent exact", "2-2 unknown transcript_not_stored", "3-3 unknown opaque_shell"]
    }
    assert _conclude(seen, (F, 3), missing=[never, MissingTranscript(frozenset())]) == {
        F: ["1-1 agent exact", "2-3 unknown transcript_missing"]
    }


def test_session_that_claims_a_file_it_does_not_show_makes_it_unknown() -> None:
    seen = [_judged(F, [GUESSED], followed=False)]
    assert _conclude(seen, (F, 1)) == {F: ["1-1 human none"]}
    found = _conclude(seen, (F, 1), claimed={F: Reason.TRANSCRIPT_NOT_STORED})
    assert found == {F: ["1-1 unknown transcript_not_stored"]}


def _claimed(state: str, reach: TranscriptReach, edited: Container[str] = ()) -> dict[str, Reason]:
    """What is said of a file that the record of a session names, whose commit was made at 100."""
    record = _record(files_touched=(F,), transcript_state=StoredTranscript(state))
    link = CommitLinks(_commit(), ("a" * 12,), [record])
    evidence = RunInputs([], SessionsRead({"s": 1}, {"s": reach}, []), CommitHistory([], {}), {})
    assert [one.reason for one in evidence.missing_transcripts(link)] == [
        reason
        for reason in evidence.claimed_paths(link, {"s": ()}).values()
        if reason is not Reason.UNEXPLAINED
    ]
    return evidence.claimed_paths(link, {"s": edited})


@pytest.mark.parametrize(
    ("state", "reach", "reason"),
    [
        # recorders name all files of the commit
        ("present", TranscriptReach("present", 90.0), Reason.UNEXPLAINED),
        # another copy reaches up to the commit
        ("missing_blob", TranscriptReach("partial", 90.0), Reason.UNEXPLAINED),
        ("missing_blob", TranscriptReach("partial", 10.0), Reason.TRANSCRIPT_MISSING),
        ("missing_blob", TranscriptReach("missing_blob"), Reason.TRANSCRIPT_MISSING),
        ("none", TranscriptReach("missing_blob"), Reason.TRANSCRIPT_MISSING),  # stored elsewhere
        ("none", TranscriptReach("none"), Reason.TRANSCRIPT_NOT_STORED),
        ("present", TranscriptReach("unknown_format"), Reason.TRANSCRIPT_UNREADABLE),
    ],
)
def test_the_reason_says_what_is_wrong_with_a_transcript(
    state: str, reach: TranscriptReach, reason: Reason
) -> None:
    assert _claimed(state, reach) == {F: reason}


def test_file_the_session_edits_only_after_the_commit_is_no_unshown_claim() -> None:
    """The end of a turn stores the checkpoint again, with the files of what came after the
    commit.
    """
    assert _claimed("present", TranscriptReach("present", 90.0), edited={F}) == {}


def test_unknown_further_sessions_make_human_lines_unknown() -> None:
    seen = [_judged(F, [AGENT, BY_HAND])]
    assert _conclude(seen, (F, 2), incomplete=True) == {
        F: ["1-1 agent exact", "2-2 unknown checkpoint_missing"]
    }


def test_without_a_trailer_most_lines_must_be_proven() -> None:
    enough = [_judged(F, [AGENT, AGENT, AGENT, GUESSED])]
    half = [_judged(F, [AGENT, AGENT, AGENT, *[GUESSED] * 3])]
    few = [_judged(F, [AGENT, AGENT])]
    mostly_not = [_judged(F, [AGENT, AGENT, AGENT, *[GUESSED] * 4])]
    no_proof = [_judged(F, [SHELL] * 5)]
    common = {"records": (), "named": ()}
    assert _conclude(enough, (F, 4), **common) == {  # type: ignore[arg-type]
        F: ["1-3 agent exact", "4-4 unknown unexplained"]
    }
    assert _conclude(half, (F, 6), **common) == {F: ["1-3 agent exact", "4-6 unknown unexplained"]}  # type: ignore[arg-type]
    assert _conclude(few, (F, 2), **common) == {F: ["1-2 unknown no_session"]}  # type: ignore[arg-type]
    assert _conclude(mostly_not, (F, 7), **common) == {F: ["1-7 unknown no_session"]}  # type: ignore[arg-type]
    assert _conclude(no_proof, (F, 5), **common) == {F: ["1-5 unknown no_session"]}  # type: ignore[arg-type]


def test_without_a_trailer_files_the_agent_did_not_follow_are_nobodys() -> None:
    seen = [_judged(F, [AGENT] * 4), _judged("else.py", [GUESSED], followed=False)]
    found = _conclude(seen, (F, 4), ("else.py", 1), records=(), named=())
    assert found == {F: ["1-4 agent exact"], "else.py": ["1-1 unknown unexplained"]}


def test_confidence_without_a_trailer_is_the_share_proven_and_never_certain() -> None:
    commit = _commit()
    for verdicts, expected in (([AGENT] * 3 + [GUESSED], 0.75), ([AGENT] * 3, 0.95)):
        found = conclude(
            _diff(commit, (F, len(verdicts))),
            CommitLinks(commit, ()),
            [_judged(F, verdicts)],
            NamedSessions([], False, {}),
        )
        assert (found.method, found.confidence, found.sessions) == ("time_and_files", expected, {7})


def test_of_several_moments_the_one_that_proves_most_counts() -> None:
    early = _judged(F, [AGENT, AGENT, BY_HAND], main=False, at=50.0)
    late = _judged(F, [AGENT, BY_HAND, BY_HAND], at=100.0)
    assert _conclude([late, early], (F, 3)) == {F: ["1-2 agent exact", "3-3 human none"]}


def test_worktree_that_followed_the_file_is_asked_before_one_that_did_not() -> None:
    followed = _judged(F, [BY_HAND], followed=True)
    other = _judged(F, [SHELL], followed=False)
    assert _conclude([other, followed], (F, 1)) == {F: ["1-1 human none"]}


def test_where_nobody_followed_the_file_the_most_cautious_answer_counts() -> None:
    seen = [
        _judged(F, [GUESSED, GUESSED], followed=False),
        _judged(F, [OPAQUE, GUESSED], followed=False),
    ]
    assert _conclude(seen, (F, 2)) == {F: ["1-1 unknown opaque_shell", "2-2 human none"]}


def test_file_no_worktree_saw_is_unexplained() -> None:
    assert _conclude([_judged(F, [AGENT])], (F, 1), ("blob.txt", 2))["blob.txt"] == [
        "1-2 unknown unexplained"
    ]
