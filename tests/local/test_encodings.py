"""Files that are not kept in UTF-8 under transcripts that are: their texts are compared, not
their bytes.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import truth
from support.blame_check import verify
from support.local_clone import Clone, attributed, wrong_lines
from support.local_writers import keep

from attribution.authorship.commits import read_history
from attribution.authorship.texts import RepositoryTexts
from attribution.lineage.walk import HistoryWalk, WalkOptions
from collector.git.repository import GitRepo
from collector.limits import TEXT_BYTES

# encoding -> a comment in a language that it is used for
COMMENTS = {
    "utf-16": "zählt die Einträge",
    "utf-16-le": "\ufeffzählt die Einträge",
    "utf-16-be": "\ufeff集計を行う",
    "utf-8-sig": "zählt die Einträge",
    "latin-1": "zählt die Einträge der Tabelle für später",
    "gbk": "统计表格中的条目数量",
    "shift_jis": "集計を行う関数です",
}


class Encoded(Clone):
    """A clone whose files below `src/` are kept in an encoding."""

    encoding = "utf-8"

    def put(self, path: str, text: str, author: str) -> None:
        super().put(path, text, author)
        if path.startswith("src/"):
            (self.path / path).write_bytes(_encoded(text, self.encoding))


def _encoded(text: str, encoding: str) -> bytes:
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    return (mark + text).encode(encoding)


@pytest.fixture(params=COMMENTS)
def encoded(request: pytest.FixtureRequest, home: Path) -> Encoded:
    clone = Encoded(home / "work" / "tally")
    clone.encoding = request.param
    clone.person("README.md", "# Tally\n")
    clone.commit("Start by hand")
    return clone


def _program(encoding: str) -> str:
    comment = COMMENTS[encoding].removeprefix("\ufeff")
    return f"# {comment}\ndef total(rows):\n    return sum(rows)  # {comment}\n"


def _worked(clone: Encoded) -> str:
    """An agent's file, committed by it, and a person's later line; the text that the agent
    wrote.
    """
    text = _program(clone.encoding)
    session = clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Write it and commit")
    session.write("src/app.py", text)
    session.commit("Add total")
    session.say("Done.")
    keep(session)
    clone.wait(86_400 * 5)
    clone.person_adds("src/app.py", "\n\ndef spread(rows):\n    return max(rows) - min(rows)\n")
    clone.commit("Add spread by hand")
    return text


def test_lines_of_a_file_in_any_encoding_are_the_agents(encoded: Encoded, db: Path) -> None:
    _worked(encoded)
    said, _ = truth.run(encoded.path, db)
    assert wrong_lines(encoded, said) == []
    assert attributed(encoded, said, "agent") == (3, 3)


def test_a_text_is_known_as_committed_in_any_encoding(encoded: Encoded) -> None:
    text = _worked(encoded)
    repo = GitRepo(encoded.path)
    history = read_history(repo, list(repo.history(repo.default_branch().sha)))
    history.characters = frozenset(character for character in text if not character.isascii())
    texts = RepositoryTexts(repo, history)
    assert texts.is_committed("src/app.py", text, encoded.clock)
    (encoded.path / "crlf.py").write_bytes(
        _encoded(text.replace("\n", "\r\n") + "#\r\n", encoded.encoding)
    )
    encoded.git("hash-object", "-w", "crlf.py")
    assert texts.is_committed("crlf.py", text + "#\n", encoded.clock)
    assert not texts.is_committed("src/app.py", text, encoded.clock - 86_400 * 6)
    assert not texts.is_committed("src/app.py", text + "# more\n", encoded.clock)


def test_the_history_of_lines_agrees_with_blame_in_any_encoding(encoded: Encoded) -> None:
    _worked(encoded)
    repo = GitRepo(encoded.path)
    tip = repo.default_branch().sha
    with repo.open_scratch() as git:
        (agreement,) = verify(
            HistoryWalk(repo, git, WalkOptions(TEXT_BYTES)), tip, {tip: None}
        ).values()
    # git splits UTF-16 at bytes, which need not be its lines
    compared = 1 if agreement.skipped else 8
    assert (agreement.lines, agreement.same, agreement.differing) == (compared, compared, [])
    assert agreement.skipped == (encoded.encoding in ("utf-16", "utf-16-le"))
