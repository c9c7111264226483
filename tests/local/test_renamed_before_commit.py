"""Text before names: a file that was renamed, moved or split before its commit, and text that
comes back from the history.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import run_json
from support.local_clone import Clone, said_of
from support.local_writers import keep

SESSION = "0197f3a1-5d2c-7b4e-8f60-000000000001"
FIRST = "def first(values):\n    return gather_everything(values, 41)\n\n\n"
SECOND = "def second(values):\n    return sorted(values, key=by_first_letter)\n\n\n"
THIRD = "def third(names):\n    return [name.title() for name in names]\n"
TEXT = FIRST + SECOND + THIRD
OTHER = (
    "def walk(cities):\n    return visit_all(cities, 17)\n\n\n"
    "def rest():\n    return no_more_of_it()\n"
)


def _authors(clone: Clone, db: Path, sha: str, path: str) -> set[str]:
    lines = said_of(clone, db, sha, path)
    texts = (clone.text(path) or "").splitlines()
    return {line.author for number, line in lines.items() if texts[number - 1].strip()}


def _take(clone: Clone, path: str) -> None:
    clone.lines.pop(path)
    (clone.path / path).unlink()


@pytest.mark.parametrize("writer", ["claude-code", "codex", "pi"])
@pytest.mark.parametrize("target", ["src/lib.py", "src/deep/er/new.py", "lib.py"])
@pytest.mark.parametrize("by", ["a person", "the session"])
def test_a_new_file_that_was_renamed_before_its_commit_is_its_writers(
    clone: Clone, db: Path, target: str, writer: str, by: str
) -> None:
    session = clone.session(SESSION, prompt="Write it")
    session.write("src/new.py", TEXT)
    session.say("Done.")
    _take(clone, "src/new.py")
    clone.person(target, TEXT)
    sha = clone.commit("Add it") if by == "a person" else session.commit("Add it")
    keep(session, writer)
    assert _authors(clone, db, sha, target) == {"agent"}
    (first, *_) = run_json("why", clone.path, f"{target}:1", db=db)["how_we_know"]
    # the record's path is that of the only new file of its name
    same_name = target.endswith("/new.py")
    assert first.startswith("The agent wrote the line in src/new.py;") != same_name


def test_the_parts_of_a_new_file_that_was_split_are_its_writers(
    clone: Clone, tmp_path: Path
) -> None:
    session = clone.session(SESSION, prompt="Write it")
    session.write("src/new.py", TEXT)
    session.say("Done.")
    _take(clone, "src/new.py")
    parts = {"src/one.py": FIRST + SECOND, "src/two.py": SECOND + THIRD}
    for path, text in parts.items():
        clone.person(path, text)
    sha = clone.commit("Add both")
    keep(session)
    for path in parts:
        assert _authors(clone, tmp_path / f"{Path(path).stem}.db", sha, path) == {"agent"}


KNOWN = "".join(f"setting_{n} = read_setting({n * 7}, 'base')\n" for n in range(24))


@pytest.mark.parametrize("writer", ["claude-code", "codex", "pi"])
@pytest.mark.parametrize("target", ["src/sums.py", "lib/deep/app.py"])
@pytest.mark.parametrize("kind", ["with the edit", "before the edit", "by another", "much changed"])
def test_a_known_file_that_was_renamed_with_an_edit_keeps_its_author(
    clone: Clone, db: Path, target: str, writer: str, kind: str
) -> None:
    last = "    return sum(rows)\n"
    before = (clone.text("src/app.py") or "") + ("rows = []\n" if kind == "much changed" else KNOWN)
    clone.person("src/app.py", before)
    clone.commit("Begin")
    session = clone.session(SESSION, prompt="Add to it")
    session.edit("src/app.py", last, f"{last}\n\n{TEXT}")
    session.say("Done.")
    text = clone.text("src/app.py") or ""
    _take(clone, "src/app.py")
    if kind == "before the edit":
        clone.person(target, before)
        clone.commit("Rename it")
    clone.person(target, text)
    if kind == "by another":
        clone.git("config", "user.email", "bob@example.com")
    sha = clone.commit("Add it")
    keep(session, writer)
    authors = _authors(clone, db, sha, target)
    assert "agent" in authors
    assert not authors & {"human", "likely_human"} or kind == "much changed"  # all of it is new


def test_a_known_file_that_was_renamed_without_the_edit_is_not_followed(
    clone: Clone, db: Path
) -> None:
    before = (clone.text("src/app.py") or "") + KNOWN
    clone.person("src/app.py", before)
    clone.commit("Begin")
    session = clone.session(SESSION, prompt="Add to it")
    session.edit("src/app.py", "    return sum(rows)\n", f"    return sum(rows)\n\n\n{TEXT}")
    session.say("Done.")
    _take(clone, "src/app.py")
    clone.wait(20_000)
    clone.person("src/lib.py", before + OTHER)
    sha = clone.commit("Rename it")
    keep(session)
    assert "agent" not in _authors(clone, db, sha, "src/lib.py")


HEAD = "import os\nimport sys\n\n\ndef main():\n"


@pytest.mark.parametrize("other", [OTHER, f"{HEAD}    print(os.getcwd())\n\n\nmain()\n"])
def test_another_new_file_is_not_the_one_that_was_renamed(
    clone: Clone, db: Path, other: str
) -> None:
    session = clone.session(SESSION, prompt="Write it")
    session.write("src/new.py", f"{HEAD}    run()\n\n\n{TEXT}")
    session.say("Done.")
    _take(clone, "src/new.py")
    clone.wait(20_000)
    clone.person("src/lib.py", other)
    sha = clone.commit("Add another")
    keep(session)
    assert "agent" not in _authors(clone, db, sha, "src/lib.py")


@pytest.mark.parametrize("kind", ["a new file", "an edit", "a deletion of more", "a new name"])
def test_text_that_comes_back_from_the_history_keeps_its_author(
    clone: Clone, db: Path, kind: str
) -> None:
    session = clone.session(SESSION, prompt="Write it")
    path = "src/app.py" if kind == "an edit" else "src/new.py"
    if kind == "an edit":
        session.edit(path, "    return sum(rows)\n", f"    return sum(rows)\n\n\n{TEXT}")
    else:
        session.write(path, FIRST + SECOND)
    session.commit("Add it")
    if kind == "a deletion of more":
        session.edit(path, SECOND, SECOND + THIRD)
        session.commit("Add more")
    session.say("Done.")
    keep(session)
    text = clone.text(path) or ""
    clone.wait(20_000)
    if kind == "an edit":
        clone.person(path, "def total(rows):\n    return sum(rows)\n")
    else:
        _take(clone, path)
    clone.commit("Take it back")
    clone.wait(40_000)
    path = "src/old.py" if kind == "a new name" else path
    clone.person(path, text)
    sha = clone.commit("Bring it back")
    assert _authors(clone, db, sha, path) == {"agent"}
