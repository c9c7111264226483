"""A line that only a trailer gives to an agent is `declared` wherever lines are counted or
listed, and never an agent's.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import numbered_text
from support.answers import pick
from support.builder import World
from support.commands import analyse, run, run_json
from support.line_answers import answers

import whowrote
from attribution.terminal.style import LETTER
from collector.storage.store import Store
from collector.vocabulary.lines import LINE_CLASSES

RECORDED = numbered_text(6, "export const row{n} = {n}\n")
DECLARED = numbered_text(5, "export const column{n} = '{n}'\n")


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A clone, its database and the commit that nothing but its trailer gives to an agent."""
    world = World("declared")
    session = world.session(prompt="Please begin with the rows")
    session.write("src/rows.ts", RECORDED)
    session.end_turn()
    world.commit("Add rows", [session])
    world.human_write("src/columns.ts", DECLARED)
    declared = world.commit("Add columns\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    directory = tmp_path_factory.mktemp("declared")
    where = world.build(directory / "repo")
    db = directory / "d.db"
    analyse(where, db)
    return where, db, declared.sha


@pytest.mark.parametrize("recorded", [False, True], ids=["without a session", "with a session"])
def test_more_evidence_gives_no_weaker_class(recorded: bool, tmp_path: Path) -> None:
    """A session that explains nothing of the file leaves its lines declared, as they are without
    any session.
    """
    world = World.holding("weaker", {"src/rows.ts": RECORDED})
    sessions = []
    if recorded:
        session = world.session(prompt="Please look at the rows")
        session.edit("src/rows.ts", "export const row1 = 1", "export const row1 = 11")
        session.end_turn()
        sessions.append(session)
    world.wait(7200)
    world.human_write(
        "src/columns.ts",
        numbered_text(300, "export const place{n} = 'of {n} in the table'\n"),
    )
    commit = world.commit("Add columns\n\nCo-Authored-By: Claude <noreply@anthropic.com>", sessions)
    found = answers(world, commit, tmp_path)["src/columns.ts"]
    assert {str(one.line_class) for one in found} == {"declared"}


def test_in_sql(history: tuple[Path, Path, str]) -> None:
    _, db, sha = history
    with Store(db, create=False) as store:
        classes = {
            pick(r, "author", "class"): r["n"]
            for r in store.rows("SELECT *, SUM(lines) AS n FROM line_spans GROUP BY author")
        }
        assert classes == {("agent", "agent"): 6, ("declared", "declared"): 5}
        (row,) = store.rows("SELECT * FROM commit_lines WHERE commit_sha = ?", (sha,))
        assert pick(row, "agent_lines", "declared_lines") == (0, 5)
        assert (
            store.value(
                "SELECT COUNT(*) FROM origins WHERE author = 'agent' AND evidence = 'declared'"
            )
            == 0
        )
        assert store.value("SELECT SUM(agent_lines) FROM commit_files") == 6


def test_in_the_interface_for_programs(history: tuple[Path, Path, str]) -> None:
    where, db, sha = history
    with whowrote.open(where, db=db) as found:
        assert {line.attribution.author for line in found.blame("src/columns.ts")} == {"declared"}
        assert {line.attribution.author for line in found.blame("src/rows.ts")} == {"agent"}
        (commit,) = (one for one in found.commits() if one["commit_sha"] == sha)
        assert pick(commit, "agent_lines", "declared_lines") == (0, 5)


def test_in_headlines_and_coverage(history: tuple[Path, Path, str]) -> None:
    where, db, _ = history
    (report,) = run_json("repo", where, "-q", db=db)
    assert pick(report["headline"], "agent", "declared") == (6, 5)
    whole = report["coverage"][0]
    assert pick(whole, "lines", "attributed", "missing") == (11, 6, {"declared": 5})
    assert (
        report["audited"]["agent"]["checked"] >= 30
        and report["audited"]["agent"]["low"] < report["audited"]["agent"]["rate"]
    )


@pytest.mark.parametrize("export", ["agent-trace", "git-ai"])
def test_in_exports(export: str, history: tuple[Path, Path, str], tmp_path: Path) -> None:
    pytest.importorskip("attribution.exchange.exports")
    where, db, sha = history
    target = tmp_path / "out"
    run("data", "export", export, where, "--out", target, db=db)
    files = [target] if target.is_file() else [path for path in target.rglob("*") if path.is_file()]
    written = "".join(f"{path.name}\n{path.read_text('utf-8')}" for path in files)
    assert "src/rows.ts" in written
    assert sha not in written and "src/columns.ts" not in written


def test_in_letters(history: tuple[Path, Path, str]) -> None:
    assert len({LETTER[name] for name in LINE_CLASSES}) == len(LINE_CLASSES)
    assert "d1-5" in run("log", "--show", history[2], history[0], db=history[1]).stdout
