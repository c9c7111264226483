"""A database with one of everything: no command says "1 commits"."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest
from support import fake_semgrep
from support.builder import World
from support.commands import Analysed, run

import attribution
import collector
import whowrote
from attribution.cli import cli

RULES = """
rules:
- {id: r, languages: [python], severity: ERROR, message: m, pattern-regex: return,
   metadata: {cwe: CWE-95, tier: taint}}
"""
NOT_A_NOUN = {
    *(
        "accepts",
        "adds",
        "already",
        "and",
        "as",
        "by",
        "contains",
        "deletes",
        "differs",
        "does",
        "fails",
        "has",
        "holds",
        "in",
        "is",
    ),
    *(
        "its",
        "keeps",
        "lists",
        "misses",
        "moves",
        "names",
        "needs",
        "of",
        "or",
        "redirects",
        "refuses",
        "requires",
        "says",
        "takes",
    ),
    *("this", "to", "was", "with", "works"),
}
# Behind a limit or a width that is never 1, in "1 of 1 sessions", or where the case of one has
# words of its own.
NEVER_ONE = {
    "{least} whole commits",
    "bytes",
    "characters",
    "days",
    "points",
    "steps",
    "times",
    "tokens",
    "{console.width} columns",
    *(
        "{path} ends",
        "{least} attempts",
        "{least} sessions",
        "{total} results",
        "{number} lines",
    ),
    *(
        "{len(requests)} repositories",
        "{len(sessions)} session keys",
        "{len(fits):,} findings",
    ),
    *(
        "{len(inside)} files",
        "{len(tables)} tables",
        "{len(blamed)} lines",
        "{drift:.3g} files",
    ),
    *(
        "{values['tool_call_count']} calls",
        "{share} lines",
        "{row['records']:,} records",
        "{which} the class",
    ),
}


def _plurals(text: str) -> list[str]:
    """What stands behind a single 1, where that is a plural."""
    found = re.findall(r"(?<![\w.,:/=-])1 ((?:[a-z-]+ )?[a-z]+s)\b", text)
    return [
        f"1 {phrase}"
        for phrase in found
        if phrase.split()[0] not in NOT_A_NOUN and phrase.split()[-1] not in NOT_A_NOUN
    ]


def test_the_pattern_finds_what_it_should() -> None:
    assert _plurals(
        "1 commits, 1 new commits; 11 lines, 1.1 lines, 1 line is there, 1 has lines"
    ) == ["1 commits", "1 new commits"]


def test_no_number_is_put_before_a_fixed_plural() -> None:
    """In the source: `count_of` has the word for one thing and for several."""
    found = set()
    for package in (collector, attribution, whowrote):
        for path in Path(str(package.__file__)).parent.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                for value, text in zip(
                    getattr(node, "values", ()), getattr(node, "values", ())[1:], strict=False
                ):
                    if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                        words = re.match(r" ((?:[a-z-]+ )?[a-z]+s)\b", str(text.value))
                        shown = ast.unparse(value)
                        if (
                            words
                            and not re.search(r"[A-Z]{4}|count_of", shown)
                            and words[1].split()[0] not in NOT_A_NOUN
                        ):
                            found.add((words[1], f"{shown} {words[1]}"))
    nouns = {
        (phrase, words.split()[-1])
        for words, phrase in found
        if words.split()[-1] not in NOT_A_NOUN
    }
    assert {phrase for phrase, noun in nouns if not {phrase, noun} & NEVER_ONE} == set(), (
        "use count_of, or say why it is never one"
    )
    assert NEVER_ONE - {word for pair in nouns for word in pair} == set(), (
        "these stand nowhere any more"
    )


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    """A clone with one commit of one line by one call of one session, and its database with one
    finding.
    """
    directory = tmp_path_factory.mktemp("single")
    world = World("single", "v1")
    session = world.session(prompt="Say how many birds there are")
    session.write("birds.py", "sparrow = lambda: [return_of_the_goose]\n")
    session.end_turn()
    world.commit("Fix the number of birds", [session])
    repo = world.build(directory / "single")
    db = directory / "s.db"
    run("survival", repo, "-q", db=db)
    (directory / "rules.yaml").write_text(RULES)
    scan = (
        "--rules",
        directory / "rules.yaml",
        "--semgrep",
        fake_semgrep.install(directory / "bin"),
    )
    run("findings", "scan", repo, "--db", db, *scan, "--cache", directory / "scans.db")
    return Analysed(repo, db)


COMMANDS = [
    ("repo", "PATH"),
    ("blame", "PATH", "birds.py"),
    ("why", "PATH", "birds.py:1"),
    ("why", "PATH", "birds.py:1", "--history"),
    ("log", "PATH"),
    ("log", "HEAD", "PATH", "--total"),
    ("log", "HEAD", "PATH", "--md", "--limit", "0"),
    ("log", "PATH", "--show", "HEAD"),
    ("review", "HEAD~1", "PATH"),
    ("disclose", "HEAD~1", "PATH"),
    ("survival", "PATH"),
    ("culprit", "PATH", "--all"),
    ("doctor", "PATH"),
    ("sessions",),
    ("sessions", "--by", "turn"),
    ("sessions", "--by", "agent"),
    ("sessions", "--by", "region"),
    ("sessions", "--columns", "features"),
    ("sessions", "--subagents"),
    ("findings",),
    ("findings", "show", "1"),
    ("findings", "rules"),
    ("findings", "authors", "--help"),
    ("report",),
    ("report", "--by", "week"),
    ("report", "--by", "month,directory"),
    ("report", "--by", "person"),
    ("report", "weaknesses"),
    ("report", "quality"),
    ("report", "grades"),
    ("report", "repairs"),
    ("report", "ownership"),
    ("report", "study"),
    ("data", "check"),
    ("data", "claims", "PATH"),
    ("data", "problems"),
    ("data", "embed", "PATH"),
    ("data", "judge", "--help"),
    ("collect", "status"),
    ("collect", "report"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_says_1_commits(single: Analysed, words: tuple[str, ...]) -> None:
    repo, db = single
    told = run(
        *(repo if word == "PATH" else word for word in words),
        *(() if "--help" in words else ("--db", db)),
        code=None,
    )
    assert _plurals(told.stdout + told.stderr) == []


def test_every_command_that_reads_is_among_them() -> None:
    writes = {"demo", "browse", "serve", "db", "data", "collect", "init"}
    assert set(cli.commands) - {name for name, *_ in COMMANDS} <= writes
    report = cli.commands["report"]
    assert isinstance(report, click.Group)
    assert set(report.commands) - {
        words[1] for words in COMMANDS if words[0] == "report" and len(words) > 1
    } <= {"maintainability", "compare"}
