"""Wrong input, typed by hand: what was meant is done, or the mistake is named with what to type."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from support.commands import Analysed, run

from collector import errors

MEANT = {  # command line -> part of the answer
    "summary {repo}": "lines of source",
    "blame {repo} README.md:1": "README.md",
    "log --show {repo} HEAD~1": "commit",
    "log {repo} HEAD~2..HEAD": "git author",
    "report {repo} months --since 2020-01-01": "month",
    "report weeks {repo}": "week",
    "disclose {repo} HEAD~2": "since HEAD~2",
}
WRONG = {  # command line -> part of the message
    "frobnicate": "No such command",
    "reviw {repo}": "Did you mean 'review'?",
    "repo {repo} --branch nope": "no branch, tag or commit named 'nope'",
    "repo {repo} --since May": "write it as 2026-03-09",
    "repo {repo} --since 2026-13-01": "write it as 2026-03-09",
    "repo {repo} --jobs 0": "0 is not in the range",
    "repo {repo} --local maybe": "is not one of 'auto'",
    "repo {repo} --transcripts /nowhere": "'/nowhere' does not exist",
    "repo {repo} --until 2026-01-01": "No such option",
    "repo /nowhere": "/nowhere does not exist",
    "blame": "Missing argument",
    "blame /nowhere x.py": "/nowhere does not exist",
    "blame {repo} nope.py": "there is no file nope.py",
    "blame {repo} sotre.py": "there is no file sotre.py",
    "blame {repo} store.py": "Did you mean: birdlog/store.py",
    "blame {repo} birdlog": "birdlog is a directory",
    "blame {repo} ../outside.py": "there is no file ../outside.py",
    "blame {repo} README.md --commit nope": "no branch, tag or commit named 'nope'",
    "blame {repo} README.md:0": "lines are counted from 1",
    "blame {repo} README.md:9999": "README.md has no line 9999",
    "blame {repo} README.md -L 0,5": "lines are counted from 1",
    "blame {repo} README.md -L 5,2": "these lines are not in order",
    "blame {repo} README.md -L x": "use for example -L 10,20",
    "why {repo} ''": "there is no file",
    "why {repo} README.md:0": "lines are counted from 1",
    "why {repo} README.md:abc": "abc is not a line number",
    "why {repo} README.md:3-1": "the lines 3-1 are not in order",
    "why {repo} README.md:9999": "has no line 9999",
    "why a b c": "name one clone and one file",
    "log --show nope": "is not a commit id",
    "log --show 0123456789": "is not in",
    "log --show nope {repo}": "no branch, tag or commit named 'nope'",
    "log {repo} nope": "no branch, tag or commit named 'nope'",
    "log nope..HEAD {repo}": "no branch, tag or commit named 'nope'",
    "log HEAD...HEAD~1 {repo}": "A...B is not supported",
    "review {repo} nope": "no branch, tag or commit named 'nope'",
    "disclose {repo} nope..HEAD": "no branch, tag or commit named 'nope..HEAD'",
    "disclose {repo} --form nope": "there is no form nope: use one of",
    "sessions {repo} --session nope": "List the sessions with: whowrote sessions",
    "sessions {repo} --by nope": "is not one of 'session'",
    "survival {repo} --by nope": "is not one of 'class'",
    "survival --full": "require the PATH of a clone",
    "findings {repo}": "Scan with: whowrote findings scan",
    "culprit": "name one clone and one fix",
    "culprit {repo} nope": "no branch, tag or commit named 'nope'",
    "report years": "No such command 'years'",
    "report --by nope": "Choose from: month, week",
    "report --last 6": "write for example 6w",
    "report --last 6w --since 2026-01-01": "choose one of them",
    "report --teams /nowhere.csv --by team": "'/nowhere.csv' does not exist",
    "report compare bugs {repo}": "is not one of 'repairs'",
    "report compare repairs {repo}": "For each clone: whowrote survival PATH",
    "data export nope {repo}": "is not one of agent-trace",
    "data export csv {repo} -o /nowhere/x/y": "directory does not exist: /nowhere/x",
    "data import /nowhere.jsonl": "No such file or directory",
    "demo /proc/x": "Choose another directory",
    "demo /etc/passwd": "is a file",
    "doctor /nowhere": "/nowhere does not exist",
}
_WITHOUT_DATABASE = ("frobnicate", "data import", "demo", "doctor")


def answer(line: str, example: Analysed) -> tuple[int, str, str]:
    """Exit code, output and messages of a command that is typed like this."""
    repo, db = example
    words = shlex.split(line.format(repo=repo))
    options = () if line.startswith(_WITHOUT_DATABASE) else ("--db", db)
    if words[0] == "report" and len(words) > 1:
        words = [words[0], *map(str, options), *words[1:]]
        options = ()
    shown = run(*words, *options, code=None)
    assert "%Y" not in shown.output and "Traceback" not in shown.output
    return shown.exit_code, shown.stdout, shown.stderr


@pytest.mark.parametrize("line", MEANT)
def test_what_was_meant_is_done(line: str, example: Analysed) -> None:
    code, output, messages = answer(line, example)
    assert (code, MEANT[line] in output) == (0, True), output + messages


@pytest.mark.parametrize("line", WRONG)
def test_a_mistake_is_named_with_what_to_type(line: str, example: Analysed) -> None:
    code, output, messages = answer(line, example)
    assert (code, output) == (errors.EXIT_USAGE, ""), output + messages
    assert WRONG[line] in " ".join(messages.split())


@pytest.mark.parametrize(
    ("place", "words"), [("nowhere/x.db", "there is no directory"), ("", "is a directory")]
)
def test_a_place_where_no_database_can_be(
    place: str, words: str, example: Analysed, tmp_path: Path
) -> None:
    shown = run("repo", example.clone, db=tmp_path / place, code=errors.EXIT_DATABASE)
    assert words in shown.stderr
