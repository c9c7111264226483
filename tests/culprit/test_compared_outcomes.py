"""`report compare`: agents' lines beside others of a constructed history."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import numbered_text
from support.builder import git
from support.commands import Analysed, run, run_json
from support.histories import Build, text

from collector.json_values import Row

AGENT = "\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
DAY = 86_400
START = 1_750_000_000
COMMITS = 36  # of each side, one after the other in the same months


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    """Agents and others write files of 20 lines in turn; two days later a fix repairs each other
    one of the agents', and each sixth of the others.
    """
    top = tmp_path_factory.mktemp("compared")
    build = Build(top / "r.git")
    files: dict[str, bytes] = {}

    def commit(name: str, message: str, day: int) -> None:
        moment = f"Ann <ann@example.org> {START + day * DAY // 8} +0000"
        build.commit(name, dict(files), message=message, author=moment)

    for number in range(COMMITS):
        for side, message in (("agent", f"add {number}{AGENT}"), ("other", f"write {number}")):
            files[f"{side}{number}.py"] = numbered_text(20, f"{side}_{number} = {{n}}\n").encode()
            commit(f"{side}{number}", message, number)
    for number in range(COMMITS):
        for side, every in (("agent", 2), ("other", 6)):
            if number % every == 0:
                name = f"{side}{number}.py"
                before = f"{side}_{number} = 3\n".encode()
                files[name] = files[name].replace(before, b"x = 4\n")
                commit(f"fix-{side}{number}", "fix: wrong value", COMMITS + 60 + number)
    files["end.py"] = text("end = 1")
    commit("end", "the last", 8 * 60)
    build.done()
    git(build.where, "symbolic-ref", "HEAD", f"refs/heads/x{2 * COMMITS + 25}")
    db = top / "r.db"
    for command in (
        ("repo", build.where, "--db", db, "-q"),
        ("survival", build.where, "--db", db, "-q", "--full"),
        ("culprit", build.where, "--all", "--db", db),
    ):
        run(*command)
    return Analysed(build.where, db)


def tables(outcome: str, compared: Analysed) -> dict[str, list[Row]]:
    repo, db = compared
    found = run_json("report", "compare", outcome, repo, db=db)
    return {table["name"]: table["rows"] for table in found}


def test_repairs_of_each_side_and_the_ratio_of_those_alike(compared: Analysed) -> None:
    found = tables("repairs", compared)
    sides = {row["lines of"]: (row["events"], row["lines"]) for row in found["sides"]}
    assert sides["declared"] == (18, 720) and sides["others"] == (6, 720 + 25)
    same_author, ratio = found["matched"]
    assert not ratio["refused"] and ratio["ratio"] == pytest.approx(3.0, rel=0.05)
    assert 1 < ratio["low"] < 3 < ratio["high"]
    assert ratio["shuffles_that_hold_1"] >= 85
    assert ratio["by_chance_low"] < 1 < ratio["by_chance_high"]
    assert same_author["against"] == "others of the same author"


def test_every_number_can_be_followed_to_its_commits(compared: Analysed) -> None:
    found = tables("repairs", compared)
    for name, classes in (("declared", {"declared"}), ("others", {"undeclared"})):
        (side,) = (row for row in found["sides"] if row["lines of"] == name)
        commits = [row for row in found["commits"] if row["class"] in classes]
        assert sum(row["events"] for row in commits) == side["events"]
        assert sum(row["lines"] for row in commits) == side["lines"]


def test_the_screen_says_the_ratio_its_controls_and_its_limits(
    compared: Analysed,
) -> None:
    repo, db = compared
    shown = " ".join(run("report", "compare", "repairs", repo, db=db).stdout.split())
    assert "agents' lines beside others: 3." in shown or "agents' lines beside others: 2." in shown
    assert "the interval holds 1 in" in shown and "What this does not show" in shown


def test_few_commits_give_a_sentence_and_no_ratio(
    compared: Analysed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attribution.queries.compared.COMMITS", COMMITS + 1)
    repo, db = compared
    (_, ratio) = tables("repairs", compared)["matched"]
    assert ratio["ratio"] is None and ratio["refused"].startswith(f"{COMMITS} commits of agents")
    shown = run("report", "compare", "repairs", repo, db=db).stdout
    assert "agents' lines beside others: no ratio:" in shown


def test_what_was_not_worked_out_is_named_with_its_command(compared: Analysed) -> None:
    repo, db = compared
    refused = run("report", "compare", "weaknesses", repo, db=db, code=2)
    assert "whowrote findings scan PATH" in refused.stderr


def test_layout_names_and_places_end_no_line_and_a_fix_of_the_same_request_is_no_later_repair(
    tmp_path: Path,
) -> None:
    """A fix comes three days after declared lines, and both are merged; then their file is renamed,
    each call joined to one line, and a part of them moved.
    """
    build = Build(tmp_path / "r.git")
    joined = [f"value_{n} = compute({n})" for n in range(9)]
    calls = [line for call in joined for line in (call[:-2], f"    {call[-2]},", ")")]
    last = ["value_9 = compute(", "    other,", ")"]
    for day, (name, parents, files) in enumerate(
        (
            ("base", "", {}),
            ("add", "base", {"a.py": [*calls, *last[:1], "    9,", ")"]}),
            ("fix", "add", {"a.py": [*calls, *last]}),
            ("merged", "base fix", {"a.py": [*calls, *last]}),
            ("renamed", "merged", {"b.py": [*calls, *last]}),
            ("joined", "renamed", {"b.py": [*joined, *last]}),
            ("moved", "joined", {"b.py": [*joined[5:], *last], "c.py": joined[:5]}),
        )
    ):
        message = {"add": f"add{AGENT}", "fix": "fix: compute"}.get(name, name)
        whole = {"z.py": ["z = 1"], **files}
        build.commit(name, whole, parents, START + 3 * day * DAY, message)
    build.commit("end", {**whole, "e.py": ["e = 1"]}, time=START + 60 * DAY)
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x8")
    db = tmp_path / "r.db"
    run("survival", build.where, "-q", "--full", db=db)
    run("culprit", build.where, "--all", db=db)
    for outcome, expected in (("repairs", (0, 1)), ("survival", (1, 0))):
        (side, _) = tables(outcome, Analysed(build.where, db))["sides"]
        assert (side["lines of"], side["lines"]) == ("declared", 30)
        assert (side["events"], side["at_once"]) == expected
