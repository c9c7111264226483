"""What messages of people do, and in which language they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT
from support.answers import pick

from attribution.features import of_session
from attribution.features.turn_classes import (
    TurnClass,
    classify,
    complains,
    language_of,
    shows_error,
    turn_features,
    turn_model,
)
from attribution.queries.pushback import ALL, By, pushback_table
from attribution.stages import feature_rows
from collector.errors import WhoWroteError
from collector.labels import request_of
from collector.model import Session, Turn
from collector.storage.store import Store


@pytest.mark.parametrize(
    ("text", "language"),
    {
        "it still doesn't work": "en",
        "commit and push": "en",
        "修正して": "ja",
        "ROADMAPにもそう書いて": "ja",
        "你帮我审查一下现在的文件结构": "zh",
        "리뷰 스레드 확인해주세요": "ko",
        "то есть задача выполнена": "cyrillic",
        "das ist nicht richtig, bitte noch einmal": "de",
        "no veo los artículos en la factura": "es",
        "la carte n'est pas centrée dans la zone": "fr",
        "isso não está certo, faça de novo": "pt",
        "het werkt niet voor deze pagina": "other",
        "rename los and las in the table": "en",
        "y": None,
        "https://example.com/the/page": None,
        "3": None,
        "": None,
    }.items(),
)
def test_the_language_of_a_message(text: str, language: str | None) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "expected", "back"),
    [
        ("it still doesn't work, same error", TurnClass.PUSHBACK, True),
        ("yes, go ahead", TurnClass.APPROVAL, False),
        ("what is the difference between the two?", TurnClass.QUESTION, False),
        ("commit and push", TurnClass.TASK, False),
        ("continue", TurnClass.PACING, False),
    ],
)
def test_plain_messages_are_classified(text: str, expected: TurnClass, back: bool) -> None:
    found = classify(text)
    assert found is not None and (found.turn_class, found.pushes_back) == (expected, back)


@pytest.mark.parametrize(
    "text",
    [
        "Still doesn't work",
        "Still does not work.",
        "still broken",
        "it's still failing on my machine",
        "nope, same error",
        "no change",
        "that didn't fix it",
        "doesn't seem to work",
        "it got worse",
        "ok but the tests fail",
        "Looks good, but the button is missing",
        "great, however the header is now gone",
        "yes but you forgot the docs",
        "Traceback (most recent call last):\n  File 'a.py', line 3\nValueError: x",
        "npm ERR! code ELIFECYCLE",
        "error[E0425]: cannot find value `x`",
        "TypeError: undefined is not a function",
        "FAIL src/a.test.ts",
        "Build failed: exit code 1",
        "还是不行",
        "まだ動きません",
        "funktioniert immer noch nicht",
        "sigue sin funcionar",
        "ainda não funciona",
        "не работает",
    ],
)
def test_what_says_outright_that_it_did_not_work_complains(text: str) -> None:
    assert complains(text) and shows_error(text)
    found = classify(text)
    assert found is None or (found.turn_class, found.pushes_back) == (TurnClass.PUSHBACK, True)


@pytest.mark.parametrize(
    "text",
    [
        "lgtm, commit",
        "ok but first show me the diff of the failing test",
        "perfect, but also add a test for what is missing",
        "yes, but we don't need to commit",
        "ok but then why would the build fail?",
        "the tests pass now",
        "no longer fails, great",
        "add an error message when the name is missing",
        "still need the docs, add them",
        (
            "Explain in the manual what to do where the program does nothing and the log says that"
            " nothing changed"
        ),
        "今日はどうする",
        "weiter bitte",
        "ok, gracias",
    ],
)
def test_praise_requests_and_news_do_not_complain(text: str) -> None:
    assert not complains(text)


def test_the_first_message_of_a_session_pushes_nothing_back() -> None:
    """An error that opens a session is what is to be worked on."""
    found = classify("Still doesn't work", first=True)
    assert found is not None and not found.pushes_back


def test_the_classifier_is_silent_where_it_was_not_measured() -> None:
    assert classify("これ違う、直して") is None
    assert classify("y") is None


def test_what_an_editor_puts_before_a_request_is_not_read() -> None:
    framed = (
        "# Context from my IDE setup:\n## Open tabs:\n- error.py: error.py\n## My request for"
        " Codex:\nyes"
    )
    assert request_of(framed).strip() == "yes"
    assert turn_features(framed, False) == turn_features("yes", False)


@pytest.mark.parametrize("by_vectors", [False, True])
def test_each_model_was_measured_on_enough_messages(by_vectors: bool) -> None:
    for counts in turn_model(by_vectors).languages.values():
        assert counts["tp"] + counts["fn"] >= 15 and counts["fp"] + counts["tn"] >= 15
        assert (
            counts["tp"] / (counts["tp"] + counts["fn"])
            + counts["tn"] / (counts["tn"] + counts["fp"])
            >= 1.25
        )


def _said(*texts: str) -> dict[str, object]:
    return of_session(
        Session(
            "s",
            "claude-code",
            turns=tuple(Turn(i, float(i), text) for i, text in enumerate(texts, 1)),
        )
    )


def test_features_of_a_session_in_english() -> None:
    found = _said("Please add a mean", "no, that is wrong, it still fails", "yes, go ahead")
    assert found["turn_languages"] == ["en", "en", "en"]
    assert pick(found, "turns_classified", "pushback_turns", "correction_turns") == (
        2,
        1,
        1,
    )


def test_what_no_list_and_no_model_can_tell_is_null() -> None:
    found = _said("Please add a mean", "違う、直して")
    assert found["turn_languages"] == ["en", "ja"] and found["turn_classes"] == ["task", None]
    assert found["turn_pushes_back"] == [0, None]
    assert pick(found, "turns_classified", "pushback_turns") == (0, None)
    assert found["correction_turns"] is None and found["correction_ratio"] is None
    assert found["last_message_rejects"] is None and found["last_message_accepts"] is None


def test_shares_are_corrected_by_agent_and_the_missing_has_a_reason(db: Path) -> None:
    with Store(db) as store:
        feature_rows.prepare(store)
        with pytest.raises(WhoWroteError, match="second message"):
            pushback_table(store)
        with store.transaction() as connection:
            connection.execute("INSERT INTO repos (id, name) VALUES (1, 'o/n')")
            for number, agent in ((1, "claude-code"), (2, "codex")):
                connection.execute(
                    "INSERT INTO sessions (id, repo_id, key, label, agent, transcript) VALUES (?,"
                    " 1, ?, 's', ?, 'present')",
                    (number, f"s{number}", agent),
                )
            feature_rows.write(
                store,
                1,
                _said(
                    "Please add a mean", *(["that is still wrong"] * 30), *(["yes, go ahead"] * 70)
                ),
            )
            feature_rows.write(store, 2, _said("Please add a mean", "違う、直して"))
        first, second, whole = pushback_table(store)
        assert pick(first, "name", "messages", "classified", "counted") == (
            "claude-code",
            100,
            100,
            30,
        )
        assert first["low"] < first["share"] < first["high"]
        assert first["share"] == pytest.approx(whole["share"]) and pick(
            whole, "name", "messages"
        ) == (ALL, 101)
        assert pick(second, "messages", "classified", "share") == (1, 0, None)
        why = store.rows(
            "SELECT feature, reason FROM feature_nulls WHERE session_id = 2 AND feature LIKE"
            " '%_turns'"
        )
        assert {pick(row, "feature", "reason") for row in why} == {
            ("pushback_turns", "not_classified"),
            ("correction_turns", "not_english"),
        }


def test_the_page_is_what_the_labels_say() -> None:
    done = subprocess.run([sys.executable, "benchmarks/turns.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0


def test_shares_by_language_and_deeds_beside_words(db: Path) -> None:
    """Of the messages after turns that wrote lines the one in Japanese undid them, and only
    those in English were read.
    """
    with Store(db) as store:
        feature_rows.prepare(store)
        with store.transaction() as connection:
            connection.execute("INSERT INTO repos (id, name) VALUES (1, 'o/n')")
            connection.execute(
                "INSERT INTO sessions (id, repo_id, key, label, agent, transcript) VALUES (1, 1,"
                " 's', 's', 'codex', 'present')"
            )
            said = (
                "Please add a mean",
                "違う、直して",
                "that is still wrong",
                "y",
                "that is wrong again",
                "yes, go ahead",
            )
            feature_rows.write(store, 1, _said(*said))
            for turn, produced, changed, undone in (
                (1, 5, 5, 1),
                (2, 3, 0, 0),
                (3, 0, 0, 0),
                (4, 2, 1, 0),
                (5, 4, 0, 0),
            ):
                connection.execute(
                    "INSERT INTO turn_outcomes (repo_id, session_id, turn_index, origin, calls,"
                    " failed_calls, edits, lines_written, produced, dictated, changed_next,"
                    " discarded, places, places_again, places_undone, committed) VALUES (1, 1, ?,"
                    " 'prompt', 0, 0, 0, 0, ?, 0, ?, 0, 0, 0, ?, 0)",
                    (turn, produced, changed, undone),
                )
        rows = {row["name"]: row for row in pushback_table(store, by=By.LANGUAGE)}
        assert set(rows) == {"en", "ja", "not known", ALL} and list(rows)[-1] == ALL
        ja = rows["ja"]
        en = rows["en"]
        whole = rows[ALL]
        assert pick(ja, "messages", "classified", "share", "listed") == (1, 0, None, None)
        assert "not measured" in ja["note"]
        assert pick(ja, "deeds_answers", "deeds_changed", "deeds_undone", "deeds_agree") == (
            1,
            1,
            1,
            None,
        )
        assert pick(en, "messages", "classified", "counted") == (3, 3, 2)
        # "that is still wrong" changed nothing, "that is wrong again" did, "yes, go ahead" is
        # neither.
        assert pick(en, "deeds_answers", "deeds_classified", "deeds_said_and_changed") == (
            3,
            3,
            1,
        )
        assert pick(en, "deeds_said_only", "deeds_changed_only") == (1, 0)
        assert en["deeds_agree"] is None, "three messages are too few"
        assert pick(whole, "messages", "deeds_answers", "deeds_changed") == (5, 4, 2)
        assert whole["deeds_undone"] == 1 and pushback_table(store).rows[0]["name"] == "codex"
