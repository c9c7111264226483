"""The study of public repositories: its page comes from a database alone, and its list from mirrors with checkpoints."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pytest
from support import fake_semgrep
from support.builder import git
from support.commands import clone, run

from attribution.weaknesses.scan import engine
from collector.storage.store import Store

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "docs")]

import public_study  # noqa: E402


def test_the_page_is_made_of_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db, listed = tmp_path / "study.db", tmp_path / "list.csv"
    repo = clone("example", tmp_path)
    head = git(repo, "rev-parse", "HEAD").decode().strip()
    listed.write_text(f"repository,commit\no/example,{head}\no/missing,{head}\n")
    monkeypatch.setattr(public_study, "LIST", listed)
    assert run("repo", repo, "--db", db, "--history", "-q", "--name", "o/example").exit_code == 0
    with Store(db) as store:
        text = public_study.page(store)
        lines = store.value("SELECT SUM(nonblank) FROM line_spans WHERE kind IN ('source', 'test')")
    assert text.startswith("# What 1 public repositories say") and f"added\n{lines:,} non-blank lines" in text
    assert f"| o/example | `{head[:9]}` | 3 | " in text and "not attributed: o/missing." in text
    assert "too few" in text and "{{" not in text
    assert re.search(r"\| histories of Aider \| \d+ \|", text)
    assert "0 of 1 were scanned" in text and "Nothing was scanned." in text and "Nothing was measured." in text


def test_mirrors_with_checkpoints_are_listed_and_attributed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_records = tmp_path / "mirrors" / "o+example" / "repo"
    clone("example", tmp_path).rename(_made(with_records.parent) / "repo")
    git(_made(tmp_path / "mirrors" / "o+plain"), "init", "-q", "--bare", "repo")
    head = git(with_records, "rev-parse", "HEAD").decode().strip()
    found = public_study.listed(tmp_path / "mirrors")
    assert found == [("o/example", head)]
    listed = tmp_path / "list.csv"
    listed.write_text(f"repository,commit\no/example,{head}\n")
    monkeypatch.setattr(public_study, "LIST", listed)
    public_study.attribute(tmp_path / "mirrors", tmp_path / "study.db")
    assert capsys.readouterr().out == "o/example done\n"
    with Store(tmp_path / "study.db") as store:
        assert store.value("SELECT COUNT(*) FROM commits") == 11


def test_the_records_of_mirrors_are_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror = _made(tmp_path / "mirrors" / "o+example") / "repo"
    clone("example", tmp_path).rename(mirror)
    history = _made(tmp_path / "mirrors" / "o+aider") / "repo"
    git(_made(history), "init", "-q", "-b", "main")
    edit = "a.py\n```python\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```\n\n> Applied edit to a.py  \n"
    (history / ".aider.chat.history.md").write_text(f"\n# aider chat started at 2025-08-06 12:06:30\n\n#### add\n\n{edit}")
    (history / "a.py").write_text("x = 1\n")
    git(history, "add", "-A")
    git(
        history,
        "-c",
        "user.name=Ana",
        "-c",
        "user.email=ana@example.org",
        "commit",
        "-q",
        "-m",
        "Add\n\nAssisted-by: Claude:opus-4-6",
    )
    git(_made(tmp_path / "mirrors" / "o+empty"), "init", "-q", "--bare", "repo")  # it has no commit: the next run asks again
    table = tmp_path / "records.csv"
    monkeypatch.setattr(public_study, "RECORDS", table)
    public_study.count_records(tmp_path / "mirrors")
    capsys.readouterr()
    public_study.count_records(tmp_path / "mirrors")
    assert capsys.readouterr().out.split()[0] == "o/empty"  # it has no commit, and is the only one that is asked again
    with table.open(newline="") as file:
        rows = {row["repository"]: row for row in csv.DictReader(file)}
    assert bool(rows.pop("o/empty")["problem"]) and not any(row["problem"] for row in rows.values())
    assert {name: row["records"] for name, row in rows.items()} == {
        "o/example": "checkpoints of Entire",
        "o/aider": "commits that name an agent; histories of Aider",
    }
    assert len(table.read_text().splitlines()) == 4 and int(rows["o/aider"]["bytes"]) > 0
    filled = public_study._records()
    assert "| histories of Aider | 1 |" in filled["records"] and (filled["recorded"], filled["recorded_of"]) == ("2", "2")
    assert filled["recorded_unread"] == "1 more could not be read in 120 seconds each: o/empty."
    of_another_program = table.read_text().replace(rows["o/aider"]["program"], "0" * 12)
    table.write_text(of_another_program)
    public_study.count_records(tmp_path / "mirrors")
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == {"o/empty", "o/aider", "o/example"}


def test_small_repositories_are_measured_and_scanned_first_until_the_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pydriller")
    db, listed = tmp_path / "study.db", tmp_path / "list.csv"
    monkeypatch.setenv("WHOWROTE_CACHE", str(tmp_path / "scans.db"))
    monkeypatch.setenv(engine.ENVIRONMENT, str(fake_semgrep.install(tmp_path / "bin")))
    listed.write_text("repository,commit\n")
    monkeypatch.setattr(public_study, "LIST", listed)
    for name, case in (("o/example", "example"), ("o/small", "touched_up_by_human")):
        mirror = _made(tmp_path / "mirrors" / name.replace("/", "+")) / "repo"
        clone(case, tmp_path).rename(mirror)
        assert run("repo", mirror, "--db", db, "--history", "-q", "--name", name).exit_code == 0
    public_study.scan(tmp_path / "mirrors", db, 0.0)
    assert capsys.readouterr().out == ""
    public_study.scan(tmp_path / "mirrors", db, 5.0)
    done = [(f"{name} {what} done") for name in ("o/small", "o/example") for what in ("maintainability", "scan")]
    assert capsys.readouterr().out.splitlines() == done
    with Store(db) as store:
        text = public_study.page(store)
        measured = store.value("SELECT COUNT(*) FROM commit_quality")
    assert "2 of 2 were scanned" in text and f"of {measured} commits in 2 repositories" in text
    assert "| `agent` | 0 | " in text and "{{" not in text


def _made(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory
