"""Docs that fail when they are wrong: generated pages, named paths, commands, columns."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from house.limits import first_hour

from attribution.features import features
from collector.storage.schema import schema_sql
from collector.vocabulary.lines import LineClass

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(p for p in (ROOT / "docs").rglob("*.md") if p.parent.name != "templates"),
    ]
)
_PATH = re.compile(r"`((?:attribution|collector|tests|docs|fixtures|benchmarks)/[\w./-]+)`")
_LINK = re.compile(r"\]\((?!https?:|mailto:)([\w./-]*)(?:#([\w-]+))?\)")


@pytest.mark.parametrize(
    "program", ["docs/generate.py", "benchmarks/accuracy.py", "benchmarks/rules.py"]
)
def test_generated_pages_are_what_the_code_and_its_numbers_say(program: str) -> None:
    pytest.importorskip("yaml")
    done = subprocess.run(
        [sys.executable, program, "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_page_of_measured_features_has_every_feature_and_no_other() -> None:
    page = (ROOT / "docs" / "features-measured.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)`", page, re.M) == [feature.name for feature in features()]
    repositories = re.findall(r"sessions of (\d+) public repositories", page)
    assert (
        re.findall(
            r"every feature over (\d+) repositories",
            (ROOT / "docs" / "metrics.md").read_text("utf-8"),
        )
        == repositories
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_path_named_in_the_docs_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    missing = [p for p in _PATH.findall(text) if not (ROOT / p.rstrip("/")).exists()]
    for path, anchor in _LINK.findall(text):
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            missing.append(f"{path}#{anchor}")
    assert not missing


_REFERENCE = ("schema.md", "cli.md", "rules.md", "metrics.md")  # looked up, not read


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_a_page_can_be_read_at_once(page: Path) -> None:
    if page.name not in (*_REFERENCE, "CHANGELOG.md"):
        assert len(page.read_text("utf-8").split()) <= 3000


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", ["README.md", "docs/glossary.md"])
def test_a_class_of_lines_means_the_same_everywhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert [kind for kind in LineClass if f"| `{kind}` | {kind.meaning} |" not in text] == []


def test_every_table_and_column_has_a_comment() -> None:
    page = (ROOT / "docs" / "schema.md").read_text("utf-8")
    for table, body in re.findall(
        r"CREATE TABLE IF NOT EXISTS (\w+) \(\n(.*?)\n\)", schema_sql(), re.S
    ):
        assert f"### {table}\n\n" in page
        columns = re.findall(r"^  ([a-z_]+) [A-Z]", body, re.M)
        assert columns
        section = page.split(f"### {table}\n", 1)[1].split("\n### ", 1)[0]
        assert [c for c in columns if f"| `{c}` |" not in section] == []


def test_every_command_is_on_the_page_of_commands() -> None:
    from attribution.cli import cli as whowrote
    from collector.cli import cli as collect

    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    for name in [*whowrote.commands, *collect.commands]:
        assert re.search(rf"\b{name}\b", page), name


def test_the_readme_is_read_in_five_minutes() -> None:
    words = (ROOT / "README.md").read_text("utf-8").split()
    assert sum(bool(re.search(r"\w", word)) for word in words) <= 1_200


def test_every_word_of_the_database_is_explained_in_a_line() -> None:
    from collector.vocabulary.schema import vocabularies

    page = (ROOT / "docs" / "schema.md").read_text("utf-8")
    assert len(vocabularies()) > 30
    for name, words in vocabularies().items():
        assert f"### {name}\n" in page and (words.__doc__ or "").strip().endswith(".")
        assert [word for word in words if not word.meaning or "\n" in word.meaning] == [], name


def test_columns_with_a_closed_set_of_words_refuse_others() -> None:
    import sqlite3

    from collector.vocabulary.lines import Author, LineClass, Reason

    text = re.search(r"^CREATE TABLE IF NOT EXISTS origins \(.*?\n\);", schema_sql(), re.M | re.S)
    assert text is not None
    connection = sqlite3.connect(":memory:")
    connection.execute(text[0])
    insert = (
        "INSERT INTO origins (repo_id, author, how, evidence, reason) VALUES (1, ?, 'none',"
        " 'inferred', ?)"
    )
    for reason in Reason:
        connection.execute(insert, (Author.UNKNOWN, reason))
    for wrong in ((LineClass.UNDECLARED, ""), (Author.UNKNOWN, "because"), ("", "")):
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            connection.execute(insert, wrong)
    assert connection.execute("SELECT DISTINCT author, typeof(author) FROM origins").fetchall() == [
        ("unknown", "text")
    ]


def test_the_first_hour_of_reading_names_files() -> None:
    files = first_hour()
    assert len(files) > 8 and all((ROOT / path).is_file() for path in files)


@pytest.mark.parametrize("page", ["README.md", "docs/glossary.md"])
def test_every_line_class_is_defined_where_a_reader_meets_it(page: str) -> None:
    table = (ROOT / page).read_text("utf-8").split("| class | meaning |", 1)[1].split("\n\n", 1)[0]
    assert re.findall(r"^ *\| `(\w+)` \|", table, re.M) == [
        str(line_class) for line_class in LineClass
    ]
