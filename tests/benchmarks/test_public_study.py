"""The study of public repositories: its page comes from a database alone, and its list from
mirrors with checkpoints.
"""

from __future__ import annotations

import csv
from pathlib import Path

import public_study
import pytest
from support import fake_semgrep
from support.builder import git, object_id
from support.commands import analyse, clone

from attribution.weaknesses.scan import engine
from collector.json_values import Texts
from collector.storage.store import Store


def _list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *rows: str) -> Path:
    """The list of the study, and a page that does not exist yet."""
    listed = tmp_path / "list.csv"
    listed.write_text("\n".join(["repository,commit,bytes", *rows]) + "\n")
    monkeypatch.setattr(public_study, "LIST", listed)
    monkeypatch.setattr(public_study, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(public_study, "REPOSITORIES", tmp_path / "repositories.csv")
    return listed


def _rows(listed: Path) -> dict[str, Texts]:
    with listed.open(newline="") as file:
        return {row["repository"]: row for row in csv.DictReader(file)}


def _mirror(tmp_path: Path, name: str) -> Path:
    return _made(tmp_path / "mirrors" / name.replace("/", "+")) / "repo"


def _with_history_of_aider(place: Path) -> str:
    git(_made(place), "init", "-q", "-b", "main")
    edit = (
        "a.py\n```python\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```\n\n> Applied edit to"
        " a.py  \n"
    )
    (place / ".aider.chat.history.md").write_text(
        f"\n# aider chat started at 2025-08-06 12:06:30\n\n#### add\n\n{edit}"
    )
    (place / "a.py").write_text("x = 1\n")
    git(place, "add", "-A")
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    git(place, *who, "commit", "-q", "-m", "Add\n\nAssisted-by: Claude:opus-4-6")
    return object_id(place)


def test_every_mirror_with_a_commit_is_listed_and_rows_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = _list(tmp_path, monkeypatch, "o/older,abc,5")
    head = _with_history_of_aider(_mirror(tmp_path, "o/a+b"))
    git(_made(tmp_path / "mirrors" / "o+empty"), "init", "-q", "--bare", "repo")
    _with_history_of_aider(_mirror(tmp_path, "o/older"))
    public_study.add_mirrors(tmp_path / "mirrors")
    rows = _rows(listed)
    assert {name: row["commit"] for name, row in rows.items()} == {"o/older": "abc", "o/a+b": head}
    assert int(rows["o/a+b"]["bytes"]) > 0


def test_a_run_goes_from_the_list_to_the_page_and_on_where_it_was(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mirrors = tmp_path / "mirrors"
    example = _mirror(tmp_path, "o/example")
    clone("example", tmp_path).rename(example)
    head = object_id(example)
    of_aider = _with_history_of_aider(_mirror(tmp_path, "o/aider"))
    git(_made(mirrors / "o+broken"), "init", "-q", "--bare", "repo")
    listed = _list(
        tmp_path,
        monkeypatch,
        f"o/example,{head},20",
        f"o/aider,{of_aider},10",
        f"o/broken,{'1' * 40},30",
    )
    monkeypatch.setattr(public_study, "MOST_COMMITS", 10)
    public_study.attribute(mirrors, db)
    steps = [line.split(maxsplit=2)[:2] for line in capsys.readouterr().out.splitlines()]
    assert steps == [
        [f"o/{name}", step]
        for step in ("lines", "history", "records")
        for name in ("aider", "example", "broken")
    ]
    rows = _rows(listed)
    assert [rows["o/example"][f"{step}_problem"] for step in ("lines", "history", "records")] == [
        *2 * ["more than 10 commits"],
        "",
    ]
    assert rows["o/broken"]["lines_problem"] and rows["o/broken"]["records_problem"]
    assert {name: row["records"] for name, row in rows.items()} == {
        "o/aider": "commits that name an agent; histories of Aider",
        "o/broken": "",
        "o/example": "checkpoints of Entire",
    }
    public_study.attribute(mirrors, db)
    assert capsys.readouterr().out == ""
    with Store(db) as store:
        assert store.rows(
            "SELECT r.name, COUNT(*) AS n FROM repos r JOIN commits c ON c.repo_id = r.id"
        )[0] == {
            "name": "o/aider",
            "n": 1,
        }
        text = public_study.page(store)
    assert "Of the 3, 1 were attributed, and the lines of 1 were followed" in text
    assert "| o/example | 11 | more than 10 commits |" in text and "| o/broken | 0 | " in text
    assert (
        "| histories of Aider | 1 | 1 | 1 | 0.0 % | 100.0 % | 0.0 % |" in text
        and "| checkpoints of Entire | 1 | 0 | 0 | none |" in text
    )
    assert "2 of 2 public repositories have a record" in text and "Not read: o/broken (" in text
    # another program
    listed.write_text(listed.read_text().replace(rows["o/example"]["lines_by"], "0" * 12))
    monkeypatch.setattr(public_study, "MOST_COMMITS", 11)
    public_study.attribute(mirrors, db)
    assert "o/example lines done" in capsys.readouterr().out


def test_a_step_that_takes_too_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_study, "CPU_SECONDS", 1)
    assert public_study._run(["-c", "while True: pass"]) == ("", "more than 1 s")
    assert public_study._run(["-c", "print('a')"]) == ("a", "")
    assert public_study._run(["-c", "raise SystemExit('no such thing')"]) == ("", "no such thing")


def test_the_page_is_made_of_the_database(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = clone("example", tmp_path)
    head = object_id(repo)
    listed = _list(tmp_path, monkeypatch)
    columns, empty = ",".join(public_study._COLUMNS), 12 * ","
    listed.write_text(f"{columns}\no/example,{head}{empty}\no/missing,{head}{empty}\n")
    analyse(repo, db, "--history", "--name", "o/example")
    with Store(db) as store:
        text = public_study.page(store)
        lines = store.value("SELECT SUM(nonblank) FROM line_spans WHERE kind IN ('source', 'test')")
        assert (
            text.startswith("# What 1 public repositories say")
            and f" commits, {lines:,} non-blank lines of source and tests were added" in text
        )
        public_study.write_repositories(store)
        (row,) = csv.DictReader(public_study.REPOSITORIES.read_text("utf-8").splitlines())
        assert (row["repository"], row["commit"], row["sessions"]) == ("o/example", head[:9], "3")
        assert "| o/missing | 0 | the run was ended before it |" in text
        assert "too few" in text and "{{" not in text
        assert "In\n0 of 1, " in text and "Nothing was scanned." in text
        earlier = text.replace("Nothing was scanned.", "7 findings")
        for _ in range(2):  # what an earlier scan found stays, with a word about it
            public_study.PAGE.write_text(earlier)
            earlier = public_study.page(store)
            assert (
                "7 findings" in earlier
                and earlier.count("Of an earlier run") == 1
                and earlier.count("\n## ") == text.count("\n## ")
            )


def test_small_repositories_are_measured_and_scanned_first_until_the_time_is_over(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pydriller")
    monkeypatch.setenv("WHOWROTE_CACHE", str(tmp_path / "scans.db"))
    monkeypatch.setenv(engine.ENVIRONMENT, str(fake_semgrep.install(tmp_path / "bin")))
    _list(tmp_path, monkeypatch)
    for name, case in (("o/example", "example"), ("o/small", "touched_up_by_human")):
        mirror = _made(tmp_path / "mirrors" / name.replace("/", "+")) / "repo"
        clone(case, tmp_path).rename(mirror)
        analyse(mirror, db, "--history", "--name", name)
    public_study.scan(tmp_path / "mirrors", db, 0.0)
    assert capsys.readouterr().out == ""
    public_study.scan(tmp_path / "mirrors", db, 5.0)
    done = [
        f"{name} {what} done"
        for name in ("o/small", "o/example")
        for what in ("maintainability", "scan")
    ]
    assert capsys.readouterr().out.splitlines() == done
    with Store(db) as store:
        text = public_study.page(store)
        measured = store.value("SELECT COUNT(*) FROM commit_quality")
    assert "In\n2 of 2, " in text and f"that of {measured} commits in 2\n" in text
    assert "| `agent` | 0 | " in text and "{{" not in text


def _made(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory
