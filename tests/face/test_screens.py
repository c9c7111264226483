"""What people see first: few words, the answer before them, nothing padded."""

from __future__ import annotations

import pytest
from support.commands import Analysed, analyse, clone, run, run_json

import whowrote
from attribution.demo import FILE
from collector.vocabulary.lines import LINE_CLASSES

# The command, the most words that it prints of the example, and how its answer begins.
SCREENS = {
    "repo {clone}": (110, "Agents wrote at least"),
    "blame {clone} {file}:1-9": (130, "A Claude Code"),
    "why {clone} {file}:6": (130, "Claude Code (claude-opus-4-6) wrote this line on"),
    "why {clone} {file}:18": (150, "Probably a person wrote this line."),
    "why {clone} {file}": (200, "birdlog/cli.py"),
    "log {clone}": (160, "commit"),
    "log 43b7400e3 {clone} --show": (100, "43b7400e3 Report the year by season"),
    "log {clone} --total": (90, "96 lines added"),
    "sessions {clone}": (65, "session"),
    "sessions {clone} --by turn": (160, "session"),
    "survival {clone} -q": (140, "example"),
    "report {clone}": (110, "96 lines, agents at least 72 %"),
    "report {clone} --by week --until 2026-03-01": (120, "Week of 2026-02-23"),
    "report {clone} --by week": (120, "Week of 2026-02-23"),  # nothing was committed since
}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    directory = tmp_path_factory.mktemp("screens")
    repo = clone("example", directory)
    db = directory / "x.db"
    analyse(repo, db, "--local", "never")
    return Analysed(repo, db)


@pytest.mark.parametrize("command", SCREENS)
def test_a_screen_has_few_words_and_the_answer(command: str, example: Analysed) -> None:
    words = [word.format(clone=example.clone, file=FILE) for word in command.split()]
    shown = run(*words, db=example.db).stdout
    most, answer = SCREENS[command]
    assert len(shown.split()) <= most and len(shown.splitlines()) <= 20, shown
    assert any(line.startswith(answer) for line in shown.splitlines()), shown
    assert "  \n" not in shown, "nothing is padded"


@pytest.mark.parametrize(
    ("command", "behind"),
    {
        "repo {clone}": ("headline", "evidence", "linked by"),
        "why {clone} {file}:6": ("tool call", "why not someone else", "measured"),
        "log 43b7400e3 {clone} --show": ("files", "sessions"),
        "report {clone}": ("agent or declared share low", "Low coverage is not low use"),
    }.items(),
)
def test_everything_else_is_under_full(
    command: str, behind: tuple[str, ...], example: Analysed
) -> None:
    words = [word.format(clone=example.clone, file=FILE) for word in command.split()]
    short, full = (run(*words, *more, db=example.db).stdout.lower() for more in ((), ("--full",)))
    for text in behind:
        assert text.lower() in full and text.lower() not in short, (text, full)


def test_a_number_is_the_same_wherever_it_is_said(example: Analysed) -> None:
    repo, db = example
    run("survival", repo, "-q", db=db)
    (summary,) = run_json("repo", repo, db=db)
    report = run_json("report", db=db)["whole"]
    total = run_json("log", "HEAD", repo, "--total", db=db)
    log = run_json("log", repo, db=db)
    with whowrote.open(db) as opened:
        commits = opened.commits()
        sessions = opened.sessions()
        turns = opened.turns()
        (sql,) = opened.sql("SELECT * FROM repository_list")
        kinds = opened.sql("SELECT SUM(lines) AS lines, SUM(agent) AS agent FROM kind_lines")[0]
        there = opened.sql("SELECT SUM(agent) AS agent FROM tip_languages")[0]["agent"]
    said = {
        name: [
            summary["headline"][name],
            report[f"{name}_lines"],
            total["lines"][name],
            sum(row[name] for row in log),
            sum(row[name] for row in commits),
            sum(row[f"{name}_lines"] for row in commits),
            sql[name],
        ]
        for name in LINE_CLASSES
    }
    covered = summary["coverage"][0]
    said |= {
        "commits": [summary["commits"], total["commits"], len(log), len(commits), sql["commits"]],
        "sessions": [sum(row["sessions"] for row in summary["sessions"]), len(sessions)],
        "prompts": [report["prompts"], len(turns)],
        "USD": [round(report["cost_usd"], 9), round(sum(turn["cost_usd"] for turn in turns), 9)],
        "lines": [sum(summary["headline"].values()), report["lines"], total["total"], sql["lines"]],
        "coverage": [covered["attributed"] / covered["lines"], report["coverage"]],
        "every kind": [summary["lines"]["agent"], kinds["agent"]],
        "at HEAD": [round(report["agent_at_head"] * report["agent_at_head_of"]), there],
    }
    assert {name: values for name, values in said.items() if len({*values}) > 1} == {}
    text = run("repo", repo, db=db).stdout
    assert f"of {report['lines']} lines" in text and f"{summary['commits']} commits" in text
