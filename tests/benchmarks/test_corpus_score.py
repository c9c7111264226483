"""The scorer of the benchmark finds each kind of wrong answer that is planted, and counts
nothing else as wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from scorer import scoring
from support.answers import pick

from collector.json_values import JsonObject

AXES = dict.fromkeys(("commits", "git", "writes", "person", "lost", "agent"), "nothing")
AGENT: JsonObject = {"author": "agent", "agent": "codex", "how": "tool", "call": "call_1"}
PERSON: JsonObject = {"author": "person", "how": "between"}
BASE = {"author": "person", "how": "base"}
TOOL: JsonObject = {"author": "tool", "by": "agent"}
CHANGED: JsonObject = {"author": "person", "how": "over", "also": "agent"}
NOTHING = {"class": "unknown"}
AS_AGENT, AS_PERSON, AS_TOOL = ({"class": name} for name in ("agent", "person", "tool"))
EDITED = {"class": "agent", "edited_by": "person", "detail": "why"}
BEFORE, LOST = "person, before any session", "agent, session lost"
CALLED_PERSON, CALLED_AGENT = "agent's line called a person's", "person's line called an agent's"
OTHER = "other wrong answer"


def write_rows(target: Path, rows: Iterable[JsonObject]) -> Path:
    target.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return target


def ten_lines(name: str, rows: Iterable[JsonObject]) -> list[JsonObject]:
    """Each row about ten lines of a file of the history."""
    return [
        {"history": name, "commit": name, "path": str(place), "start": 1, "end": 10, **row}
        for place, row in enumerate(rows)
    ]


def plant(corpus: Path, *truth: JsonObject, names: str = "a") -> None:
    for name in names:
        (corpus / name).mkdir(parents=True)
        (corpus / name / "history.json").write_text(json.dumps(AXES), "utf-8")
        write_rows(corpus / name / "truth.jsonl", ten_lines(name, truth))


def answer(corpus: Path, *answers: JsonObject, names: str = "a") -> Path:
    """A file of answers, one for each row of the truth."""
    rows = (row for name in names for row in ten_lines(name, answers))
    return write_rows(corpus / f"{names}.jsonl", rows)


def ask(corpus: Path, truth: Iterable[JsonObject], *answers: JsonObject) -> JsonObject:
    plant(corpus, *truth)
    return scoring.scores(corpus, [answer(corpus, *answers)])


def recall(result: JsonObject, group: str) -> tuple[int, ...]:
    """Lines that are right by hand, right by source, wrong, and not answered."""
    (row,) = [row for row in result["recall"] if row["truth"] == group]
    names = ("right_by_hand", "right_by_source", "wrong", "abstained")
    return tuple(row[name]["part"] for name in names)


def share(result: JsonObject, name: str) -> tuple[int, int]:
    return pick(result["all"][name], "part", "of")


def failures(result: JsonObject) -> list[tuple[str, str, str, int]]:
    """Failure, whose line, cause and lines of each kind that occurred."""
    names = ("failure", "whose", "cause", "lines")
    return [pick(row, *names) for row in result["failures"] if row["lines"]]


def test_right_answers_are_right_and_no_failure_is_left_out(tmp_path: Path) -> None:
    named = AS_AGENT | {"call": "call_1"}
    result = ask(tmp_path, [AGENT, PERSON, TOOL], named, AS_PERSON, AS_TOOL)
    for group in ("agent", "person", "tool"):
        assert recall(result, group) == (10, 10, 0, 0)
    assert share(result, "call_right") == (10, 10)
    assert [pick(row, "failure", "lines") for row in result["failures"]] == [
        (failure.words, 0) for failure in scoring.FAILURES
    ]


@pytest.mark.parametrize(
    ("truth", "said", "group", "kind"),
    [
        (AGENT, "person", "agent", (CALLED_PERSON, "codex", "why")),
        (AGENT, "tool", "agent", (OTHER, "codex", "tool, why")),
        (PERSON, "agent", "person", (CALLED_AGENT, "person", "between, why")),
        (PERSON, "tool", "person", (OTHER, "person", "between, why")),
        (BASE, "agent", BEFORE, (CALLED_AGENT, BEFORE, "base, why")),
        ({**AGENT, "lost": True}, "person", LOST, (CALLED_PERSON, "codex, session lost", "why")),
        (TOOL, "person", "tool", (OTHER, "tool", "why")),
        ({**TOOL, "by": "person"}, "agent", "tool", (OTHER, "tool", "why")),
    ],
)
def test_a_planted_wrong_answer_is_found(
    tmp_path: Path, truth: JsonObject, said: str, group: str, kind: tuple[str, str, str]
) -> None:
    result = ask(tmp_path, [truth, AGENT], {"class": said, "detail": "why"}, AS_AGENT)
    assert recall(result, group)[2] == 10
    assert failures(result) == [(*kind, 10)]
    (row,) = (row for row in result["failures"] if row["lines"])
    assert pick(row, "most", "example") == ({"a": 10}, ["a", "a", "0", 1])
    (precision,) = [row for row in result["precision"] if row["said"] == said]
    assert precision["right_by_source"]["part"] == (10 if said == "agent" else 0)


def test_an_agents_line_called_a_persons_and_the_reverse_have_numbers_of_their_own(
    tmp_path: Path,
) -> None:
    seen = {**PERSON, "seen": True}
    result = ask(tmp_path, [AGENT, seen, BASE, PERSON], AS_PERSON, AS_PERSON, AS_AGENT)
    assert share(result, "agent_called_person") == (10, 10)
    assert share(result, "person_called_agent") == (10, 30)
    assert share(result, "person_found") == (10, 20)
    assert share(result, "person_seen_found") == (10, 10)
    assert share(result, "person_shown_found") == (0, 0)  # no two looks show a line


@pytest.mark.parametrize(
    ("truth", "said", "group", "counts"),
    [
        (CHANGED, AS_PERSON, "person", (10, 10, 0, 0)),
        (CHANGED, AS_AGENT, "person", (0, 10, 0, 0)),
        (CHANGED, AS_TOOL, "person", (0, 0, 10, 0)),
        (TOOL, AS_AGENT, "tool", (0, 10, 0, 0)),
    ],
)
def test_a_line_may_be_theirs_whose_it_was_or_who_ran_the_tool(
    tmp_path: Path, truth: JsonObject, said: JsonObject, group: str, counts: tuple[int, ...]
) -> None:
    assert recall(ask(tmp_path, [truth], said), group) == counts


def test_a_recorded_line_without_an_answer_is_missed_and_not_wrong(tmp_path: Path) -> None:
    result = ask(tmp_path, [AGENT, PERSON], NOTHING, NOTHING | {"detail": "why"})
    assert recall(result, "agent") == (0, 0, 0, 10)
    assert failures(result) == [
        ("no answer: agent's line on record", "codex", "without a detail", 10),
        ("no answer: other line", "person", "why", 10),
    ]
    assert share(result, "unanswered") == (10, 10)
    (missed,) = result["misses"]
    assert pick(missed, "event", "missed") == ("nothing", 10)


def test_a_wrong_call_is_found(tmp_path: Path) -> None:
    calls = (AS_AGENT | {"call": f"call_{number}"} for number in range(2))
    assert share(ask(tmp_path, [AGENT, AGENT], *calls), "call_right") == (10, 20)


def test_lines_that_nobody_is_asked_about_do_not_count(tmp_path: Path) -> None:
    truth = [{**PERSON, "unclear": "shifted"}, {**AGENT, "weak": True}, AGENT]
    result = ask(tmp_path, truth, AS_AGENT, AS_PERSON, AS_AGENT)
    assert (*pick(result, "lines", "scored"), failures(result)) == (20, 10, [])


def test_intervals_are_over_histories_and_not_over_lines(tmp_path: Path) -> None:
    names = "abcdefghijklmnopqrst"
    plant(tmp_path, AGENT, names=names)
    half = answer(tmp_path, AS_AGENT, names=names[::2])
    result = scoring.scores(tmp_path, [half])["all"]
    low, high = result["agent_found"]["interval"]
    assert result["agent_found"]["rate"] == 0.5
    assert 0.2 <= low <= 0.35  # of 200 lines drawn one by one it would be 0.43 to 0.57
    assert 0.65 <= high <= 0.8
    # without an exception it is what so few histories allow
    low, high = result["agent_called_person"]["interval"]
    assert (low, round(high, 2)) == (0, 0.17)
    # another program differs from the first one by as much
    whole = answer(tmp_path, AS_AGENT, names=names)
    found = {row[0].name: row[1:] for row in scoring.differences(tmp_path, half, whole)}
    rates, limits = found["agent_found"]
    assert [rate["rate"] for rate in rates] == [0.5, 1]
    assert limits == pytest.approx((0.3, 0.7), abs=0.1)
    # where neither has an exception, so few histories allow either to be the worse one
    assert found["agent_called_person"][1] == pytest.approx((-0.17, 0.17), abs=0.01)


def test_an_answer_of_no_class_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="human"):
        ask(tmp_path, [AGENT], {"class": "human"})


def test_answers_before_the_commit_are_scored_apart(tmp_path: Path) -> None:
    plant(tmp_path, AGENT, PERSON)
    late = answer(tmp_path, AS_AGENT).rename(tmp_path / "late.jsonl")
    early = answer(tmp_path, AS_PERSON | {"before_commit": True})
    result = scoring.scores(tmp_path, [early, late])
    assert share(result, "agent_found") == (10, 10)
    before = result["before_commit"]
    assert before["lines"] == before["agent_called_person"]["part"] == 10


def test_what_a_history_took_and_whether_it_was_answered_is_said(tmp_path: Path) -> None:
    plant(tmp_path, AGENT, names="abcd")
    spent = zip("abc", (1, 4, 2), strict=True)
    rows = ({"history": name, "cpu_seconds": seconds} for name, seconds in spent)
    result = scoring.scores(tmp_path, [write_rows(tmp_path / "spent.jsonl", rows)])
    assert result["cpu_seconds"] == {"histories": 3, "median": 2, "most": 4}
    assert result["without_answers"] == ["d"]
    # they are older than the axis of events
    events = [pick(row, "value", "lines") for row in result["axes"] if row["axis"] == "event"]
    assert events == [("nothing", 40)]


def test_who_is_named_as_having_changed_a_line_is_found_or_wrongly_named(tmp_path: Path) -> None:
    truth = [{**CHANGED, "shown": True}, AGENT, {**PERSON, "shown": True}]
    result = ask(tmp_path, truth, EDITED, EDITED)
    assert share(result, "person_shown_found") == (10, 20)
    assert share(result, "person_precision") == (10, 20)
    assert failures(result)[0] == ("wrongly said to be changed by a person", "codex", "why", 10)
