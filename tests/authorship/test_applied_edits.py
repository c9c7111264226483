"""Lines that the replay lost track of, and the edits that hold them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attribution.authorship.applied_edits import (
    AppliedEdits,
    applied_edits,
    attribute_to_edits,
    give_to_maker,
)
from attribution.authorship.diffs import FileDiff
from attribution.authorship.session_edits import RawEdit, session_edits
from attribution.authorship.timeline import EditFate, timelines
from attribution.authorship.verdicts import CallRef, CommitVerdict, Span, Verdict
from attribution.authorship.worktree_roots import WorktreeRoots
from collector.model import Commit, Edit, FileChange, Hunk, Replacement, Session, Status, ToolCall
from collector.vocabulary.lines import Author, Evidence, How, Reason
from collector.vocabulary.sessions import NoReplay

LINE = "total = sum(prices) + shipping"
ABOVE = "def total_of(prices, shipping):"
BELOW = "return round(total, 2)"
LATER = 500.0


def _commit(at: float = 100.0, committed: float = LATER) -> Commit:
    return Commit(
        "c" * 40,
        ("p" * 40,),
        "t" * 40,
        "Ada",
        "a@example.com",
        at,
        "Ada",
        "a@example.com",
        committed,
        "m",
    )


def _fate(edit: Edit, at: float = 200.0, session: int = 1, outcome: str = "") -> EditFate:
    call = CallRef(session, f"c{at:.0f}", 1, at)
    return EditFate(0, RawEdit(at, 0, edit, call, Status.OK, "/w"), outcome, "/w", edit.path)


class Texts:
    def __init__(self, after: str, before: str = "") -> None:
        self._after, self._before = after.split("\n"), before

    def lines(self, file: FileDiff) -> list[str]:
        return self._after

    def before(self, file: FileDiff) -> str:
        return self._before

    def elsewhere(self, file: FileDiff, moment: float, aside: bool = True) -> str:
        return ""


def _asked(
    known: AppliedEdits,
    line: str = LINE,
    reason: Reason = Reason.REWRITTEN,
    path: str = "a.py",
    before: str = "",
    named: int = 1,
) -> Verdict:
    change = FileChange(path, path, None, "b" * 40, 0, 0o100644, "A")
    span = Span(2, 2, 1, Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, reason))
    verdict = CommitVerdict([(FileDiff(change, "text", ((1, 2, 1),)), [span])], named={named})
    attribute_to_edits(_commit(), verdict, known, Texts(f"{ABOVE}\n{line}\n{BELOW}", before))
    return verdict.files[0][1][0].verdict


def _verdicts(known: AppliedEdits, after: str, before: str, *lines: int) -> list[str]:
    """Authors of these lines, of which the replay knows nothing."""
    change = FileChange("a.py", "a.py", "a" * 40 if before else None, "b" * 40, 0, 0o100644, "M")
    spans = [
        Span(line, line, 1, Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.AGENT_TEXT))
        for line in lines
    ]
    verdict = CommitVerdict(
        [(FileDiff(change, "text", tuple((line - 1, line, 1) for line in lines)), spans)], named={1}
    )
    attribute_to_edits(_commit(), verdict, known, Texts(after, before))
    return [
        span.verdict.author for span in verdict.files[0][1] for _ in range(span.start, span.end + 1)
    ]


def _wrote(
    text: str = LINE, above: str = ABOVE, below: str = BELOW, **more: object
) -> AppliedEdits:
    return applied_edits(
        [_fate(Edit("a.py", "write", content=f"{above}\n\n{text}\n{below}\n"), **more)],  # type: ignore[arg-type]
        {},
    )


def test_a_line_of_an_amended_commit_is_of_the_edit_between_its_two_times() -> None:
    found = _asked(_wrote())
    assert (found.author, found.how, found.evidence) == ("agent", "moved", "matched")
    assert found.call is not None and found.call.call_id == "c200"


def test_an_edit_of_which_no_result_is_on_record_wrote_what_the_commit_has_of_it() -> None:
    edit = Edit("a.py", "write", content=f"{ABOVE}\n\n{LINE}\n{BELOW}\n")
    pending = replace(_fate(edit, outcome="unmatched"), detail=NoReplay.NO_RESULT)
    assert _asked(applied_edits([pending], {})).author == Author.AGENT
    assert (
        _asked(applied_edits([pending], {}), before=f"{ABOVE}\n{LINE}\n{BELOW}").author
        == Author.UNKNOWN
    )
    assert (
        _asked(applied_edits([replace(pending, outcome="rejected", detail="")], {})).author
        == Author.UNKNOWN
    )


def test_with_another_layout_it_was_reformatted() -> None:
    assert _asked(_wrote("total = sum( prices )+shipping")).how == How.REFORMATTED


def test_a_subagent_that_nobody_saw_takes_no_line_from_the_edit_that_holds_it() -> None:
    assert _asked(_wrote(), reason=Reason.INVISIBLE_SUBAGENT).author == Author.AGENT


def test_an_edit_after_the_commit_explains_nothing() -> None:
    assert _asked(_wrote(at=LATER + 60)).author == Author.UNKNOWN


@pytest.mark.parametrize("reason", [Reason.AGENT_TEXT, Reason.OTHER_BRANCH, Reason.UNCAPTURED])
def test_a_new_line_is_of_the_edit_that_has_it_between_the_same_lines_in_any_session(
    reason: Reason,
) -> None:
    found = _asked(_wrote(), reason=reason, named=2)
    assert (found.author, found.how, found.evidence) == ("agent", "moved", "matched")
    assert found.call is not None and found.call.session_id == 1


@pytest.mark.parametrize(
    ("wrote", "asked"),
    [
        # only one of the lines beside it is the same
        ({"above": "def other(prices, shipping):"}, {}),
        ({"below": "return None, total"}, {}),
        ({"text": "total = sum( prices )+shipping"}, {}),  # another layout
        ({"above": ""}, {}),  # at the edge of the edit
        ({}, {"before": f"{LINE}\n"}),  # it stood in the file
        ({"at": LATER + 60}, {}),  # after the commit
        ({"outcome": "rejected"}, {}),
        ({"text": "n += 1"}, {"line": "n += 1"}),  # a short line
        ({}, {"reason": Reason.RESTORED}),  # whoever put it back
    ],
)
def test_an_edit_of_a_session_that_the_commit_is_not_linked_to_explains_nothing_else(
    wrote: dict,  # type: ignore[type-arg]
    asked: dict,  # type: ignore[type-arg]
) -> None:
    assert _asked(_wrote(**wrote), named=2, **asked).author == Author.UNKNOWN


@pytest.mark.parametrize(
    "reason", ["transcript_missing", "transcript_not_stored", "transcript_unreadable"]
)
def test_what_is_missing_of_a_session_takes_nothing_from_what_its_edits_show(reason: str) -> None:
    assert _asked(_wrote(), reason=Reason(reason)).author == Author.AGENT


def test_a_copy_of_what_was_there_may_be_of_what_is_missing() -> None:
    before = f"{ABOVE}\n        {LINE}\n{BELOW}"
    assert _asked(_wrote(), before=before).author == Author.AGENT
    assert (
        _asked(_wrote(), reason=Reason.TRANSCRIPT_MISSING, before=before).author == Author.UNKNOWN
    )


def test_a_failed_edit_explains_nothing() -> None:
    assert _asked(_wrote(outcome="tool_error")).author == Author.UNKNOWN


def test_an_edit_of_another_file_explains_nothing() -> None:
    assert _asked(_wrote(), path="b.py").author == Author.UNKNOWN


def _redacted(
    path: str, known: frozenset[str] = frozenset({"src/app.py", "docs/plan.md"})
) -> AppliedEdits:
    places = WorktreeRoots(known)
    content = f"{ABOVE}\n\n{LINE}\n{BELOW}\n"
    call = ToolCall(
        "c200",
        "Write",
        1,
        200.0,
        status=Status.OK,
        edits=(Edit(f"/w/{path}", "write", content=content),),
    )
    track = session_edits(Session("s", "claude-code", ("/w",), calls=(call,)), 1)
    places.learn(["/w/src/app.py", "/w/docs/plan.md"], ["/w"])
    places.settle()
    lines, fates = timelines([track], places)
    assert [step.path for line in lines.values() for step in line.steps] == [
        path for path in [path] if path in known
    ]
    return applied_edits(fates, lines)


@pytest.mark.parametrize(
    "path", ["REDACTED.py", "src/REDACTED.py", ".REDACTED.py", "REDACTED/a.py"]
)
def test_an_edit_whose_path_was_redacted_is_placed_by_its_text(path: str) -> None:
    dot = "." if path.startswith(".") else ""
    assert _asked(_redacted(path), path=f"{dot}src/a.py").author == Author.AGENT
    assert (
        _asked(_redacted(path), path=f"{dot}src/a.py", line="total = 0  # another line").author
        == Author.UNKNOWN
    )
    assert _asked(_redacted(path), path="docs/a.md").author == Author.UNKNOWN


def test_a_file_that_really_has_that_name_is_a_file() -> None:
    known = _redacted("REDACTED.py", frozenset({"REDACTED.py", "src/app.py", "docs/plan.md"}))
    assert _asked(known, path="REDACTED.py").author == Author.AGENT
    assert _asked(known, path="src/a.py").author == Author.UNKNOWN


def test_a_renamed_file_keeps_its_edits() -> None:
    known = _wrote()
    known.renamed["c.py"]["b.py"] = 300.0
    known.renamed["b.py"]["a.py"] = 250.0
    assert _asked(known, path="c.py").author == Author.AGENT
    # what was written under the old name after that is another file's
    known.renamed["b.py"]["a.py"] = 150.0
    assert _asked(known, path="c.py").author == Author.UNKNOWN


def test_renames_in_a_circle_end() -> None:
    known = _wrote()
    known.renamed["a.py"]["b.py"] = 20.0
    known.renamed["b.py"]["a.py"] = 10.0
    assert known.names_of("a.py") == {"a.py": float("inf"), "b.py": 20.0}


def test_what_an_edit_only_carried_along_is_not_its_own() -> None:
    edit = Edit("a.py", "edit", (Replacement(f"{LINE}\nx = 1", f"{LINE}\nx = 2"),))
    assert _asked(applied_edits([_fate(edit)], {})).author == Author.UNKNOWN


def test_a_line_that_was_seen_before_the_edit_is_not_its_own() -> None:
    known = _wrote()
    known.sightings["a.py"].append((150.0, f"import os\n{LINE}\n"))
    assert _asked(known).author == Author.UNKNOWN


@pytest.mark.parametrize(
    "shown",
    [
        Edit("a.py", "edit", hunks=(Hunk(1, 2, 1, 3, (f" {LINE}", "+x = 1"), exact_text=True),)),
        Edit("a.py", "edit", hunks=(Hunk(1, 2, 1, 3, (f"-{LINE}", "+x = 1"), exact_text=True),)),
        Edit("a.py", "edit", (Replacement(f"import os\n{LINE}", "x = 1"),)),
    ],
)
def test_what_an_earlier_edit_shows_was_there_before(shown: Edit) -> None:
    """The context of a patch and the text it replaces are seen, as what a command prints is."""
    late = _fate(Edit("a.py", "write", content=f"{ABOVE}\n{LINE}\n{BELOW}\n"), 300.0)
    assert _asked(applied_edits([late], {})).author == Author.AGENT
    assert _asked(applied_edits([_fate(shown, 150.0), late], {})).author == Author.UNKNOWN
    assert _asked(applied_edits([late, _fate(shown, 350.0)], {})).author == Author.AGENT


@pytest.mark.parametrize(
    ("reason", "author"), [(Reason.AGENT_TEXT, Author.AGENT), (Reason.UNEXPLAINED, Author.UNKNOWN)]
)
def test_a_line_that_agents_produced_verbatim_needs_no_neighbours(
    reason: Reason, author: Author
) -> None:
    assert _asked(_wrote(above="other = 1", below="names = 2"), reason=reason).author == author


def test_a_line_that_was_seen_after_the_edit_is() -> None:
    known = _wrote()
    known.sightings["a.py"].append((250.0, frozenset({LINE})))
    assert _asked(known).author == Author.AGENT


def test_a_line_of_the_version_before_is_not_new() -> None:
    assert _asked(_wrote(), before=f"x\n{LINE}\n").author == Author.UNKNOWN


def test_short_lines_need_both_neighbours() -> None:
    assert _asked(_wrote("i += 1"), "i += 1").author == Author.AGENT
    assert _asked(_wrote("i += 1", below="another_line_below()"), "i += 1").author == Author.UNKNOWN
    assert _asked(_wrote("i += 1", above=""), "i += 1").author == Author.UNKNOWN
    assert _asked(_wrote("i++"), "i++").author == Author.UNKNOWN


def test_a_missing_checkpoint_takes_no_line_from_the_edit_that_has_it_between_the_same_lines() -> (
    None
):
    assert _asked(_wrote(), reason=Reason.CHECKPOINT_MISSING).author == Author.AGENT
    assert (
        _asked(_wrote(below="return None, total"), reason=Reason.CHECKPOINT_MISSING).author
        == Author.UNKNOWN
    )


def test_a_commit_that_names_only_what_is_missing_is_linked_to_the_session_by_its_content() -> None:
    change = FileChange("a.py", "a.py", None, "b" * 40, 0, 0o100644, "A")
    lost = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.CHECKPOINT_MISSING)
    for after, method, sessions in (
        (f"{ABOVE}\n{LINE}\n{BELOW}", "content", {1}),
        (f"{ABOVE}\ntotal = 3\n{BELOW}", "", set()),
    ):
        verdict = CommitVerdict([(FileDiff(change, "text", ((1, 2, 1),)), [Span(2, 2, 1, lost)])])
        attribute_to_edits(_commit(), verdict, _wrote(), Texts(after))
        assert (verdict.method, verdict.sessions) == (method, sessions)


PLAN = f"# Plan\n\nAdd shipping:\n\n```python\n{ABOVE}\n    {LINE}\n    {BELOW}\n```\n"


@pytest.mark.parametrize(
    ("plan", "path", "more", "author"),
    [
        (PLAN, "docs/plan.md", {}, Author.AGENT),
        # of another session: the one that carries it out is not on record
        (PLAN, "docs/plan.mdx", {"named": 2}, Author.AGENT),
        (PLAN, "docs/plan.md", {"reason": Reason.CHECKPOINT_MISSING}, Author.AGENT),
        (PLAN, "src/b.py", {}, Author.UNKNOWN),
        (PLAN.replace("```", ""), "docs/plan.md", {}, Author.UNKNOWN),  # no code stands there
        (PLAN.replace(BELOW, "return None, total"), "docs/plan.md", {}, Author.UNKNOWN),
        (PLAN.replace(ABOVE, "def other(prices):"), "docs/plan.md", {}, Author.UNKNOWN),
        (PLAN, "docs/plan.md", {"before": f"{LINE}\n"}, Author.UNKNOWN),
        # one document is not made by another
        (PLAN, "docs/plan.md", {"path": "README.md"}, Author.UNKNOWN),
        (PLAN, "docs/plan.md", {"reason": Reason.NO_SESSION}, Author.UNKNOWN),
    ],
)
def test_code_of_a_plan_that_others_carried_out_is_its_writers(
    plan: str,
    path: str,
    more: dict,  # type: ignore[type-arg]
    author: Author,
) -> None:
    known = applied_edits([_fate(Edit(path, "write", content=plan))], {})
    found = _asked(known, **more)
    assert found.author == author
    assert author == Author.UNKNOWN or (found.how, found.evidence) == (How.MOVED, Evidence.MATCHED)
    later = applied_edits([_fate(Edit(path, "write", content=plan), at=LATER + 60)], {})
    assert _asked(later, **more).author == Author.UNKNOWN


@pytest.mark.parametrize(("seen", "author"), [(150.0, Author.UNKNOWN), (250.0, Author.AGENT)])
def test_code_that_was_seen_in_the_file_before_a_document_had_it_is_quoted_there(
    seen: float, author: Author
) -> None:
    known = applied_edits([_fate(Edit("docs/review.md", "write", content=PLAN))], {})
    known.sightings["a.py"].append((seen, f"{ABOVE}\n    {LINE}\n    {BELOW}\n"))
    assert _asked(known).author == author
    assert _asked(known, named=2, reason=Reason.CHECKPOINT_MISSING).author == author


def test_of_several_edits_the_last_before_the_commit_counts() -> None:
    text = f"{ABOVE}\n{LINE}\n{BELOW}\n"
    edits = [_fate(Edit("a.py", "write", content=text), at) for at in (120.0, 300.0, LATER + 100)]
    call = _asked(applied_edits(edits, {})).call
    assert call is not None and call.call_id == "c300"


MIDDLE = "total += price + tax"  # not so long that the file is likely to have it only once


def test_equal_text_in_another_function_proves_nothing() -> None:
    assert _asked(_wrote(MIDDLE), MIDDLE).author == Author.AGENT
    assert _asked(_wrote(MIDDLE, above="def other(x):"), MIDDLE).author == Author.UNKNOWN
    assert _asked(_wrote(MIDDLE, below="return None or x"), MIDDLE).author == Author.UNKNOWN


def test_of_a_long_line_that_the_file_has_once_one_neighbour_is_enough() -> None:
    assert _asked(_wrote(above="def other(x):")).author == Author.AGENT
    assert _asked(_wrote(below="return None or x")).author == Author.AGENT
    assert _asked(_wrote(above="def other(x):", below="return None or x")).author == Author.UNKNOWN
    assert _asked(_wrote(above="def other(x):"), f"{LINE}\n{LINE}").author == Author.UNKNOWN
    assert (
        _asked(_wrote(above="def other(x):"), reason=Reason.TRANSCRIPT_MISSING).author
        == Author.UNKNOWN
    )


def test_a_second_line_of_that_text_is_new_where_both_neighbours_are_the_edits() -> None:
    elsewhere = f"def other(x):\n{LINE}\nreturn x or None\n"
    change = f"def other(x):\n{LINE}\nreturn x or None\n{ABOVE}\n{LINE}\n{BELOW}"
    assert _verdicts(_wrote(), change, elsewhere, 5) == ["agent"]
    assert _verdicts(_wrote(below="return None or x"), change, elsewhere, 5) == ["unknown"]
    # it was moved there
    assert _verdicts(_wrote(), f"{ABOVE}\n{LINE}\n{BELOW}", elsewhere, 2) == ["unknown"]


def test_brackets_between_lines_of_the_agent_follow_them() -> None:
    text = f"{ABOVE}\n{LINE}\n}}\n{BELOW}\n}}\nreturn None or x"
    known = applied_edits([_fate(Edit("a.py", "write", content=text))], {})
    assert _verdicts(known, text, "", 1, 2, 3, 4) == ["agent"] * 4
    assert _verdicts(known, f"{ABOVE}\n{LINE}\n}}\nelse:\n", "", 2, 3, 4) == [
        "agent",
        "unknown",
        "unknown",
    ]


def test_brackets_at_the_edge_of_a_block_that_is_wholly_the_agents_are_its_own() -> None:
    text = f"{ABOVE}\n{LINE}\n}})\n}}\n\nreturn None or x"
    known = applied_edits([_fate(Edit("a.py", "write", content=f"{ABOVE}\n{LINE}"))], {})
    assert _verdicts(known, text, "", 1, 2, 3, 4, 5) == ["agent"] * 5
    assert _verdicts(known, text, "", 1, 2, 3, 4, 5, 6) == [
        "agent",
        "agent",
        "unknown",
        "unknown",
        "unknown",
        "unknown",
    ]
    assert (
        _verdicts(known, f"{ABOVE}\n{LINE}\n" + "}\n" * 6, "", *range(1, 9))
        == ["agent"] * 6 + ["unknown"] * 2
    )


def test_at_the_edge_of_an_edit_one_neighbour_is_enough() -> None:
    edit = Edit("a.py", "edit", (Replacement("x = 1", f"{LINE}\n{BELOW}"),))
    assert _asked(applied_edits([_fate(edit)], {})).author == Author.AGENT
    alone = Edit("a.py", "edit", (Replacement("x = 1", LINE),))
    assert _asked(applied_edits([_fate(alone)], {})).author == Author.UNKNOWN


def test_the_new_side_of_a_patch_gives_neighbours_too() -> None:
    hunk = Hunk(1, 2, 1, 3, (f" {ABOVE}", f"+{LINE}", f" {BELOW}"), exact_text=True)
    assert (
        _asked(applied_edits([_fate(Edit("a.py", "edit", hunks=(hunk,)))], {})).author
        == Author.AGENT
    )
    context = Hunk(1, 2, 1, 3, (f"+{ABOVE}", f" {LINE}", f"+{BELOW}"), exact_text=True)
    assert (
        _asked(applied_edits([_fate(Edit("a.py", "edit", hunks=(context,)))], {})).author
        == Author.UNKNOWN
    )


@pytest.mark.parametrize(
    ("above", "call"),
    [
        (
            Verdict(Author.AGENT, How.EXACT, Evidence.REPLAYED, call=CallRef(1, "made", 1, 90.0)),
            "made",
        ),
        (
            Verdict(Author.AGENT, How.EXACT, Evidence.REPLAYED, call=CallRef(2, "other", 1, 90.0)),
            "brace",
        ),
        (
            Verdict(
                Author.UNKNOWN,
                How.NONE,
                Evidence.INFERRED,
                Reason.GIT_OPERATION,
                CallRef(1, "checkout", 1, 95.0),
            ),
            "brace",
        ),
    ],
    ids=["of the session that made the commit", "of another session", "of nobody known"],
)
def test_a_bracket_goes_with_the_line_above_only_where_that_is_the_makers(
    above: Verdict, call: str
) -> None:
    """A call beside an unknown line is what may have changed it: nothing that wrote the bracket."""
    change = FileChange("a.go", "a.go", None, "b" * 40, 0, 0o100644, "A")
    brace = Verdict(Author.AGENT, How.EXACT, Evidence.REPLAYED, call=CallRef(2, "brace", 1, 80.0))
    verdict = CommitVerdict(
        [(FileDiff(change, "text", ((0, 2, 0),)), [Span(1, 1, 1, above), Span(2, 2, 1, brace)])]
    )
    give_to_maker(_commit(), verdict, 1, AppliedEdits(), Texts("x := 1\n}"))
    by_line = verdict.files[0][1][-1].verdict
    assert by_line.call is not None and by_line.call.call_id == call
