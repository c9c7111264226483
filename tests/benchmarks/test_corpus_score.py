"""The scorer of the benchmark finds each kind of wrong answer that is planted, and counts
nothing else as wrong.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from scorer import scoring
from support.answers import pick

from collector.json_values import JsonObject

AXES = {
    "commits": "person",
    "git": "nothing",
    "writes": "tool",
    "person": "nothing",
    "lost": "nothing",
    "agent": "codex",
}
AGENT = {"author": "agent", "agent": "codex", "how": "tool", "call": "call_1"}
PERSON = {"author": "person", "how": "between"}
BASE = {"author": "person", "how": "base"}
FORMATTED = {"author": "tool", "how": "formatter", "by": "agent", "also": "agent"}
EARLIER, LOST = "person, before any session", "agent, session lost"
AS_PERSON, AS_AGENT = "agent's line called a person's", "person's line called an agent's"
OTHER = "other wrong answer"
CHANGED = {"author": "person", "how": "over", "also": "agent"}


def plant(
    corpus: Path,
    truth: dict[str, list[JsonObject]],
    answers: list[tuple[str, str, JsonObject]],
) -> JsonObject:
    """Scores of a corpus with ten lines for each row of truth; an answer names history, path
    (the row's number) and class.
    """
    for name, rows in truth.items():
        (corpus / name).mkdir(parents=True)
        (corpus / name / "history.json").write_text(json.dumps(AXES), "utf-8")
        lines = [
            {"history": name, "commit": name, "path": f"{place}.py", "start": 1, "end": 10, **row}
            for place, row in enumerate(rows)
        ]
        (corpus / name / "truth.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
        )
    said = [
        {"commit": name, "path": path, "start": 1, "end": 10, **answer}
        for name, path, answer in answers
    ]
    return scoring.scores(corpus, [write_rows(corpus / "answers.jsonl", said)])


def write_rows(target: Path, rows: list[JsonObject]) -> Path:
    target.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return target


def failures(result: JsonObject) -> list[tuple[str, str, str, int]]:
    """Failure, whose line, cause and lines of each kind that occurred."""
    names = ("failure", "whose", "cause", "lines")
    return [pick(row, *names) for row in result["failures"] if row["lines"]]


def recall(result: JsonObject, group: str) -> JsonObject:
    (row,) = [row for row in result["recall"] if row["truth"] == group]
    return {
        name: row[name]["part"]
        for name in ("right_by_hand", "right_by_source", "wrong", "abstained")
    } | {"lines": row["lines"]}


def test_right_answers_are_right(tmp_path: Path) -> None:
    result = plant(
        tmp_path,
        {"a": [AGENT, PERSON, {"author": "tool", "by": "agent"}]},
        [
            ("a", "0.py", {"class": "agent", "call": "call_1"}),
            ("a", "1.py", {"class": "person"}),
            ("a", "2.py", {"class": "tool"}),
        ],
    )
    for group in ("agent", "person", "tool"):
        assert recall(result, group) == {
            "lines": 10,
            "right_by_hand": 10,
            "right_by_source": 10,
            "wrong": 0,
            "abstained": 0,
        }
    assert failures(result) == []
    assert result["all"]["call_right"]["rate"] == 1


@pytest.mark.parametrize(
    ("truth", "said", "group", "kind"),
    [
        (AGENT, "person", "agent", (AS_PERSON, "codex", "why")),
        (AGENT, "tool", "agent", (OTHER, "codex", "tool, why")),
        (PERSON, "agent", "person", (AS_AGENT, "person", "between, why")),
        (PERSON, "tool", "person", (OTHER, "person", "between, why")),
        (BASE, "agent", "person, before any session", (AS_AGENT, EARLIER, "base, why")),
        ({**AGENT, "lost": True}, "person", LOST, (AS_PERSON, "codex, session lost", "why")),
        ({"author": "tool", "by": "agent"}, "person", "tool", (OTHER, "tool", "why")),
        ({"author": "tool", "by": "person"}, "agent", "tool", (OTHER, "tool", "why")),
    ],
)
def test_a_planted_wrong_answer_is_found(
    tmp_path: Path, truth: JsonObject, said: str, group: str, kind: tuple[str, str, str]
) -> None:
    result = plant(
        tmp_path,
        {"a": [truth, AGENT]},
        [("a", "0.py", {"class": said, "detail": "why"}), ("a", "1.py", {"class": "agent"})],
    )
    assert recall(result, group)["wrong"] == 10
    assert failures(result) == [(*kind, 10)]
    (row,) = (row for row in result["failures"] if row["lines"])
    assert pick(row, "histories", "most", "example") == (1, {"a": 10}, ["a", "a", "0.py", 1])
    (precision,) = [row for row in result["precision"] if row["said"] == said]
    assert precision["right_by_source"]["part"] == (10 if said == "agent" else 0)


def test_an_agents_line_called_a_persons_and_the_reverse_have_numbers_of_their_own(
    tmp_path: Path,
) -> None:
    result = plant(
        tmp_path,
        {"a": [AGENT, PERSON, BASE]},
        [("a", "0.py", {"class": "person"}), ("a", "2.py", {"class": "agent"})],
    )
    assert result["all"]["agent_called_person"]["part"] == 10
    assert pick(result["all"]["person_called_agent"], "part", "of") == (10, 20)
    assert result["all"]["person_found"] == {"part": 0, "of": 10, "rate": 0, "interval": None}


def test_a_changed_line_is_its_authors_by_the_hand_and_both_theirs_by_the_source(
    tmp_path: Path,
) -> None:
    for name, said, by_hand in (("person", "person", 10), ("agent", "agent", 0)):
        result = plant(tmp_path / name, {"a": [CHANGED]}, [("a", "0.py", {"class": said})])
        assert recall(result, "person") == {
            "lines": 10,
            "right_by_hand": by_hand,
            "right_by_source": 10,
            "wrong": 0,
            "abstained": 0,
        }
    tool = plant(tmp_path / "tool", {"a": [CHANGED]}, [("a", "0.py", {"class": "tool"})])
    assert recall(tool, "person")["wrong"] == 10


def test_what_a_tool_wrote_may_be_theirs_who_ran_it(tmp_path: Path) -> None:
    result = plant(tmp_path, {"a": [FORMATTED]}, [("a", "0.py", {"class": "agent"})])
    assert recall(result, "tool") == {
        "lines": 10,
        "right_by_hand": 0,
        "right_by_source": 10,
        "wrong": 0,
        "abstained": 0,
    }


def test_a_recorded_line_without_an_answer_is_missed_and_not_wrong(tmp_path: Path) -> None:
    result = plant(
        tmp_path, {"a": [AGENT, PERSON]}, [("a", "1.py", {"class": "unknown", "detail": "why"})]
    )
    assert recall(result, "agent") == {
        "lines": 10,
        "right_by_hand": 0,
        "right_by_source": 0,
        "wrong": 0,
        "abstained": 10,
    }
    assert failures(result) == [
        ("no answer: agent's line on record", "codex", "without a detail", 10),
        ("no answer: other line", "person", "why", 10),
    ]
    assert result["all"]["unanswered"]["rate"] == 1


def test_a_wrong_call_is_found(tmp_path: Path) -> None:
    result = plant(
        tmp_path,
        {"a": [AGENT, AGENT]},
        [("a", f"{n}.py", {"class": "agent", "call": f"call_{n}"}) for n in range(2)],
    )
    assert pick(result["all"]["call_right"], "part", "of") == (10, 20)


def test_lines_that_nobody_is_asked_about_do_not_count(tmp_path: Path) -> None:
    shifted, brace = {**PERSON, "unclear": "shifted"}, {**AGENT, "weak": True}
    answers = [
        ("a", "0.py", {"class": "agent"}),
        ("a", "1.py", {"class": "person"}),
        ("a", "2.py", {"class": "agent"}),
    ]
    result = plant(tmp_path, {"a": [shifted, brace, AGENT]}, answers)
    assert (*pick(result, "lines", "scored"), failures(result)) == (20, 10, [])
    assert result["with_weak"]["agent_called_person"]["part"] == 10


def test_intervals_are_over_histories_and_not_over_lines(tmp_path: Path) -> None:
    truth = {f"h{number}": [AGENT] for number in range(20)}
    answers = [
        (name, "0.py", {"class": "agent" if number % 2 else "person"})
        for number, name in enumerate(truth)
    ]
    found = plant(tmp_path, truth, answers)["all"]["agent_found"]
    low, high = found["interval"]
    assert found["rate"] == 0.5
    assert 0.2 <= low <= 0.35  # of 200 lines drawn one by one it would be 0.43 to 0.57
    assert 0.65 <= high <= 0.8


def test_an_answer_of_no_class_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="human"):
        plant(tmp_path, {"a": [AGENT]}, [("a", "0.py", {"class": "human"})])


def test_the_scorer_needs_nothing_but_python() -> None:
    for path in Path(scoring.__file__).parent.glob("*.py"):
        imported = [
            line.split()[1]
            for line in path.read_text("utf-8").splitlines()
            if line.startswith(("import ", "from ")) and not line.startswith("from .")
        ]
        assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names, path


def test_a_failure_that_did_not_occur_is_shown_with_no_lines(tmp_path: Path) -> None:
    result = plant(tmp_path, {"a": [AGENT]}, [("a", "0.py", {"class": "agent"})])
    assert [(row["failure"], row["lines"]) for row in result["failures"]] == [
        (failure.words, 0) for failure in scoring.FAILURES
    ]


def test_who_is_wrongly_said_to_have_changed_a_line_is_a_failure(tmp_path: Path) -> None:
    changed = {"class": "agent", "detail": "why", "edited_by": "person"}
    result = plant(tmp_path, {"a": [AGENT]}, [("a", "0.py", changed)])
    assert failures(result) == [("wrongly said to be changed by a person", "codex", "why", 10)]


def test_answers_before_the_commit_are_scored_apart(tmp_path: Path) -> None:
    early = {"class": "person", "before_commit": True}
    result = plant(
        tmp_path,
        {"a": [AGENT, PERSON]},
        [("a", "0.py", {"class": "agent"}), ("a", "0.py", early)],
    )
    assert result["all"]["agent_found"]["rate"] == 1
    assert pick(result["before_commit"], "lines", "agent_found") == (
        10,
        {"part": 0, "of": 10, "rate": 0, "interval": None},
    )
    assert result["before_commit"]["agent_called_person"]["rate"] == 1


def test_what_a_history_took_and_whether_it_was_answered_is_said(tmp_path: Path) -> None:
    plant(tmp_path, {name: [AGENT] for name in "abcd"}, [])
    spent = [
        {"history": name, "cpu_seconds": seconds}
        for name, seconds in zip("abc", (1, 4, 2), strict=True)
    ]
    result = scoring.scores(tmp_path, [write_rows(tmp_path / "spent.jsonl", spent)])
    assert result["cpu_seconds"] == {"histories": 3, "median": 2, "most": 4}
    assert result["without_answers"] == 1


def test_two_programs_are_compared_on_the_same_histories(tmp_path: Path) -> None:
    names = [f"h{number}" for number in range(20)]
    plant(tmp_path, {name: [AGENT] for name in names}, [])
    rows = [
        {"commit": name, "path": "0.py", "start": 1, "end": 10, "class": "agent"} for name in names
    ]
    half = write_rows(tmp_path / "half.jsonl", rows[::2])
    whole = write_rows(tmp_path / "whole.jsonl", rows)
    found = {row[0].name: row[1:] for row in scoring.differences(tmp_path, half, whole)}
    rates, limits = found["agent_found"]
    assert [rate["rate"] for rate in rates] == [0.5, 1]
    assert limits is not None and 0.2 < limits[0] < 0.5 < limits[1] < 0.8
    assert found["person_found"][1] is None


def test_histories_from_before_an_axis_have_nothing_of_it(tmp_path: Path) -> None:
    result = plant(tmp_path, {"a": [AGENT]}, [])
    assert [pick(row, "value", "lines") for row in result["axes"] if row["axis"] == "event"] == [
        ("nothing", 10)
    ]


def test_without_an_exception_the_interval_is_what_so_few_histories_allow(tmp_path: Path) -> None:
    result = plant(tmp_path, {f"h{number}": [AGENT] for number in range(10)}, [])
    low, high = result["all"]["agent_called_person"]["interval"]
    assert low == 0
    assert 0.3 < high < 0.31


def test_who_is_named_as_having_changed_a_line_is_found_or_wrongly_named(tmp_path: Path) -> None:
    changed = [
        ("a", f"{number}.py", {"class": "agent", "edited_by": "person"}) for number in range(2)
    ]
    result = plant(
        tmp_path, {"a": [{**CHANGED, "shown": True}, AGENT, {**PERSON, "shown": True}]}, changed
    )["all"]
    assert pick(result["person_shown_found"], "part", "of") == (10, 20)
    assert pick(result["person_precision"], "part", "of") == (10, 20)


def test_lines_that_no_two_looks_show_do_not_count_among_those_shown(tmp_path: Path) -> None:
    result = plant(
        tmp_path, {"a": [{**PERSON, "seen": True}, PERSON]}, [("a", "0.py", {"class": "person"})]
    )["all"]
    assert (result["person_found"]["part"], result["person_seen_found"]["part"]) == (10, 10)
    assert result["person_shown_found"]["of"] == 0
