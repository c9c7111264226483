"""The house keeps its shape: the core knows no plug-in, no file imports itself in a circle, and
the whole does not grow back.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from house import limits

from collector.plugins import PLUGINS
from collector.vocabulary.schema import vocabularies

ROOT = Path(__file__).parent.parent.parent
TOP = limits.TOP
FILES = limits.files(*TOP)
PLUGIN_FOLDERS = tuple(package.replace(".", "/") for package in PLUGINS)
# Classes that hold an author with its evidence: a verdict, the same read from the database, and the
# tier that an error rate is of.
LINES_WITH_AUTHORS = {"Verdict", "LineAttribution", "MeasuredTier"}


def _tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text("utf-8"))


def _in_core(path: Path) -> bool:
    return not path.as_posix().startswith(PLUGIN_FOLDERS)


def _imports(path: Path) -> Iterator[Path]:
    """Files of the source that one imports, inside functions too."""
    files = {
        file.with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): file
        for file in FILES
    }
    for node in ast.walk(_tree(path)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            target = files.get(name) or files.get(name.rpartition(".")[0])
            if target is not None and target != path:
                yield target


def test_the_core_imports_no_plug_in() -> None:
    core = [path for path in FILES if _in_core(path)]
    assert len(core) > 300
    found = [
        (path.as_posix(), target.as_posix())
        for path in core
        for target in _imports(path)
        if not _in_core(target)
    ]
    assert found == []


def test_no_file_imports_itself_in_a_circle() -> None:
    """Imports inside functions and those for the type checker are imports too."""
    # raises CycleError, which names the circle
    TopologicalSorter({path: set(_imports(path)) for path in FILES}).prepare()


def test_the_house_is_within_its_limits() -> None:
    now = limits.measures()
    most = limits.limits()
    assert now.keys() == most.keys() >= limits.moving().keys()
    assert limits.excess(now, most | limits.moving()) == [], (
        "what is above is not raised: see limits.py"
    )


def test_no_limit_was_raised() -> None:
    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
        return done.stdout

    for sha in git("log", "--first-parent", "--format=%H", "--", limits.NAME).split():
        earlier = json.loads(git("show", f"{sha}:{limits.NAME}") or "{}")
        assert limits.excess(limits.limits(), earlier) == [], sha


def test_a_condition_counts_as_a_path_wherever_it_stands() -> None:
    (function,) = ast.parse("""
def f(a, b):
    if a and b or [x for x in a if x]:
        return 1 if a else 2
    for x in b:
        try:
            pass
        except ValueError:
            pass
    else:
        pass
""").body
    assert isinstance(function, ast.FunctionDef)
    assert limits.complexity(function) == 10


def _classes() -> Iterator[tuple[str, set[str]]]:
    """(name, its fields) of every class."""
    for path in FILES:
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ClassDef):
                fields = (item.target for item in node.body if isinstance(item, ast.AnnAssign))
                yield node.name, {field.id for field in fields if isinstance(field, ast.Name)}


def test_no_new_class_holds_an_author_and_its_evidence() -> None:
    assert {
        name for name, fields in _classes() if {"author", "evidence"} <= fields
    } == LINES_WITH_AUTHORS


# Exclusion: the reasons in the vocabulary of discovery, and a repository that has one.
SHARED_NAMES = {"Exclusion"}


def test_a_word_of_the_vocabulary_and_another_class_do_not_share_a_name() -> None:
    names = [name for name, _ in _classes()]
    assert {name for name in vocabularies() if names.count(name) > 1} <= SHARED_NAMES


COMMANDS = (
    "repo CLONE --db x.db",
    "blame CLONE README.md --db x.db",
    "why CLONE README.md:1 --db x.db",
    "sessions --db x.db",
    "log HEAD CLONE --db x.db",
    "log --show HEAD CLONE --db x.db",
    "log --md HEAD CLONE --db x.db",
    "survival CLONE --no-curves --db x.db",
    "data check --db x.db",
    "report --html page.html --db x.db",
    "--help",
)


PAGES = """
import asyncio, pathlib
from attribution.browse.serve import application
async def pages():
    site = application(pathlib.Path("x.db"))
    await site.invoke_startup()
    home = await site.client.get("/-/whowrote/x")
    name = home.text.partition('href="/-/whowrote/x/')[2].partition('"')[0]
    for kind in ("", "/README.md", "/-/commits", "/-/sessions", "/-/tree", "/-/turns"):
        answer = await site.client.get(f"/-/whowrote/x/{name}{kind}")
        assert answer.status_code == 200, (kind, answer.text)
    print(answer.text)
asyncio.run(pages())
"""


def test_the_core_works_without_any_plug_in(tmp_path: Path) -> None:
    pytest.importorskip("datasette")
    from support.commands import clone

    for top in TOP:
        shutil.copytree(
            ROOT / top, tmp_path / "bare" / top, ignore=shutil.ignore_patterns("__pycache__")
        )
    for folder in PLUGIN_FOLDERS:
        shutil.rmtree(tmp_path / "bare" / folder)
    where = clone("example", tmp_path)
    env = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "bare"),
        "WHOWROTE_SESSIONS": "off",
        "PYTHONSAFEPATH": "1",
    }
    for words in COMMANDS:
        command = [sys.executable, "-m", "whowrote", *words.replace("CLONE", str(where)).split()]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout + done.stderr, (words, done.stderr)
    assert "agent" in (tmp_path / "page.html").read_text("utf-8")
    page = subprocess.run(
        [sys.executable, "-c", PAGES], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert page.returncode == 0 and "ww-table" in page.stdout, page.stderr
