"""Since when agents took part in the versions that a lock file pins."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builder import git
from support.commands import clone, run, run_json

from attribution.queries.dependencies import dependencies
from collector.errors import WhoWroteError
from collector.json_values import Row

_LOCKS = Path(__file__).parent.parent / "data" / "locks"


@pytest.mark.parametrize("name", [file.name for file in _LOCKS.iterdir() if file.name != "go.sum"])
def test_what_is_pinned(name: str) -> None:
    assert dependencies(_LOCKS / name) == [("bar", "3.0b1"), ("foo", "1.2")]


def test_modules_of_go_have_a_version_of_their_source() -> None:
    pinned = [("e.org/a/foo/v2", "2.1.0"), ("e.org/c/bar", "3.0.0")]
    assert dependencies(_LOCKS / "go.sum") == pinned


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"packages": 3}', "hello\n", "[" * 100_000])
def test_a_file_that_pins_nothing_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(text, "utf-8")
    with pytest.raises(WhoWroteError, match="no version of a package"):
        dependencies(tmp_path / "lock")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """Dependency -> what is said of it, where one has its source, with tags."""
    directory = tmp_path_factory.mktemp("sources")
    source = clone("example", directory)
    commits = git(source, "rev-list", "--reverse", "main").decode().split()
    git(source, "tag", "v1.0", commits[0])
    git(source, "tag", "example-2.0", commits[-1])
    lock = directory / "requirements.txt"
    lock.write_text("example==1.0\nExample==2.0\nEXAMPLE==3.0\nother==1.0\n", "utf-8")
    rows = run_json("report", "--deps", lock, directory)
    shown = run("report", "--deps", lock, directory).stdout
    assert "no source given: 1" in shown and "other" not in shown
    return {row["dependency"] + row["version"]: row for row in rows}


def test_each_version_counts_the_commits_of_its_tag(found: dict[str, Row]) -> None:
    first = found["example1.0"]
    second = found["Example2.0"]
    assert (first["found"], first["commits"], first["since_day"]) == (
        "no sign of an agent",
        1,
        None,
    )
    assert (second["found"], second["tag"]) == ("agents", "example-2.0")
    assert second["since_release"] == "example-2.0" and second["commits_not_attributed"] == 0
    assert second["lines"] > first["lines"] and second["agent_or_declared_share"] > 0


def test_what_cannot_be_looked_up_is_said(found: dict[str, Row]) -> None:
    assert found["EXAMPLE3.0"]["found"] == "no tag of this version"
    assert found["other1.0"]["found"] == "no source given"


def test_directories_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "go.sum").write_text("", "utf-8")
    said = run("report", "--deps", tmp_path / "go.sum", code=2).stderr
    assert "name directories with clones of the sources" in said
