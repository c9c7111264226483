"""What text a database keeps: every column is either named in `collector/storage/retention.py`
or holds no free text.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.builder import git, import_stream
from support.commands import run
from support.hostile import rewritten
from support.served import publish
from support.truth import REPOS

from attribution.ensure.lines import AttributeRequest, attribute_clone
from attribution.stages import feature_rows as features
from collector.repository_names import tombstone
from collector.storage.merge import merge
from collector.storage.retention import (
    ADDRESSES,
    CONTENTS,
    FULL,
    PROMPTS,
    Policy,
    Redaction,
    text_columns,
    text_keys,
)
from collector.storage.schema import CACHE, schema_sql, statements
from collector.storage.store import Store

# Tables of names, numbers, times and hashes; of what the user wrote; of what servers say about
# repositories.
NO_TEXT = {
    "blob_findings",
    "blob_scans",
    "candidates",
    "claim_checks",
    "claim_record_checks",
    "claimed_spans",
    "commit_quality",
    "confidence",
    "cursors",
    "deletions",
    "discoveries",
    "finding_reviews",
    "findings",
    "fixed_lines",
    "fixes",
    "forgotten",
    "history_commits",
    "jobs",
    "judge_validations",
    "line_fates",
    "line_lifetimes",
    "line_moves",
    "mirrors",
    "origins",
    "repos",
    "rule_sets",
    "scan_engines",
    "scan_files",
    "scan_rules",
    "session_embeddings",
    # in the cache of the user, too, and without texts
    "session_places",
    "settings",
    # holds whole transcripts, and so is never beside a database:
    # tests/authorship/test_sessions_kept.py
    "sessions_read",
    "stage_runs",
    "survival",
    "survival_reports",
    "text_vectors",
    "tip_files",
    "tip_spans",
    "tip_states",
    "turn_outcomes",
}
# Columns, in whatever table, that hold a word of ours, a name, a path, a number, a time or a hash.
NO_TEXT_COLUMNS = {
    "gone_since",
    "agent",
    "agent_id",
    "agent_label",
    "agent_type",
    "agent_version",
    "at",
    "author",
    "author_at",
    "automation",
    "base_sha",
    "basis",
    "blob",
    "branch",
    "release",
    "call_id",
    "checkpoint_id",
    "checkpoint_key",
    "claimed_at",
    "cli_version",
    "code",
    "coding_mode",
    "commit_sha",
    "committed_at",
    "content",
    "commits",
    "convergence",
    "created_at",
    "dataset",
    "declared_agent",
    "disagreement_reason",
    "done_at",
    "driver",
    "embedding_model",
    "ended_at",
    "final_failure_mode",
    "finished_at",
    "first_at",
    "forked_from",
    "format_version",
    "harness",
    "input_hash",
    "instance",
    "judge_model",
    "judge_prompt_version",
    "key",
    "kind",
    "last_at",
    "left_at",
    "localization_mode",
    "method",
    "model",
    "model_id",
    "name",
    "old_path",
    "op",
    "origin",
    "outcome",
    "parent_key",
    "parts",
    "patch_outcome_label",
    "path",
    "place",
    "plannotator_phases",
    "producer",
    "prompt_version",
    "ranges",
    "reason",
    "recorded_path",
    "recovery_mode",
    "ref",
    "run",
    "session_failure_mode",
    "session_key",
    "session_key_raw",
    "signature",
    "sizes",
    "source",
    "sort",
    "special",
    "stage",
    "stands_in",
    "started_at",
    "state",
    "status",
    "store",
    "strategy",
    "task_type",
    "tests",
    "tier",
    "tier_fitted",
    "tool",
    "tool_version",
    "touched_files",
    "transcript",
    "transcript_blob",
    "treatment",
    "trial",
    "work",
    # of session_features: numbers, moments, names of tools and models, paths
    "interrupted_turns",
    "recorded_cost_by_turn",
    "tokens_by_turn",
    "turn_numbers",
    "typed_turn_numbers",
    "cost_source",
    "tokens_too_low",
    "turn_classes",
    "turn_languages",
    "turn_pushes_back",
    "unrecorded_tokens",
    "first_touched_file",
    "files_seen",
    "interruption_events",
    "per_response_latency_s",
    "reasoning_lengths",
    "agent_hedging_curve",
    "compaction_events",
    "context_growth_curve",
    "model_changes",
    "per_turn_agent_latency_s",
    "phase_transitions",
    "prices_as_of",
    "region_edit_convergence",
    "output_applied_elsewhere",
    "reverted_by",
    "session_outcome",
    "tool_counts",
    "tool_errors_by_type",
    "tool_result_sizes",
    "tool_sequence",
    "turn_roles",
    "turn_timestamps",
    "user_msg_lengths",
}
NO_TEXT_HERE = {
    ("judgements", "prompt"),
    ("judge_labels", "label"),
    ("judge_labels", "value"),
    ("problems", "subject"),
    ("gone_commits", "files"),
}
WRITTEN_APART = {("sessions", "label")}  # load.py asks the policy itself


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("clone"), "o/r")


def filled(clone: Path, db: Path, policy: Policy) -> Path:
    with Store(db) as store, store.transaction():
        store.keep(policy)
    attribute_clone(AttributeRequest(str(clone), db))
    return db


def cells(db: Path) -> list[tuple[str, str, str]]:
    """(table, column, text) of everything that is stored."""
    found = []
    with Store(db) as store:
        for table in store.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ):
            for row in store.rows(f"SELECT * FROM [{table['name']}]"):
                found += [
                    (table["name"], name, value)
                    for name, value in row.items()
                    if isinstance(value, str) and value
                ]
    return found


def test_every_column_of_the_schema_is_known(db: Path) -> None:
    with Store(db) as store:
        for statement in statements(schema_sql(CACHE)):
            store.connection.execute(statement)
        features.prepare(store)
        found = {
            (table["name"], column["name"])
            for table in store.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            )
            for column in store.rows(
                "SELECT name, type FROM pragma_table_info(?)", (table["name"],)
            )
            if column["type"].upper() == "TEXT"
        }
    assert set(text_columns()) | ADDRESSES | WRITTEN_APART <= found and set(text_keys()) <= set(
        text_columns()
    )
    handled = set(text_columns()) | ADDRESSES | WRITTEN_APART | NO_TEXT_HERE
    left = {
        (table, name)
        for table, name in found - handled
        if table not in NO_TEXT and name not in NO_TEXT_COLUMNS
    }
    assert not left, (
        "new columns: if people or agents wrote what they hold, name them in"
        " collector/storage/retention.py, else here"
    )


@pytest.mark.parametrize("content", CONTENTS)
def test_no_more_is_stored_than_is_wanted(
    clone: Path, tmp_path: Path, db: Path, content: str
) -> None:
    every = cells(filled(clone, db, Policy()))
    texts = {
        text for table, name, text in every if text_columns().get((table, name)) in (PROMPTS, FULL)
    }
    assert {(t, n) for t, n, _ in every} >= {
        ("turns", "prompt"),
        ("tool_calls", "input"),
        ("region_symbols", "symbol"),
    }
    here = cells(filled(clone, tmp_path / "some.db", Policy(content)))
    kept = {
        name
        for name, least in text_columns().items()
        if CONTENTS.index(content) >= CONTENTS.index(least)
    }
    assert {(t, n) for t, n, _ in here if (t, n) in text_columns()} == {
        (t, n) for t, n, _ in every if (t, n) in kept
    }
    for table, name, text in here:
        if (table, name) not in kept and " " in text and table not in ("commits", "stage_runs"):
            words = json.loads(text) if text[:1] in "[{" else text
            pieces = [str(w) for w in words] if isinstance(words, list) else [str(words)]
            prompt = (table, name) == ("sessions", "label") and content != "none"
            assert prompt or not [
                p for p in pieces if " " in p and any(p in known for known in texts)
            ], (table, name, text)


def test_a_table_of_text_alone_is_not_written_and_notes_of_a_judge_are_left_out() -> None:
    some = Policy(PROMPTS)
    assert list(some.rows("region_symbols", ("region_id", "symbol"), [(1, "def f():")])) == []
    (row,) = some.rows(
        "judgements", ("id", "output"), [(1, '{"notes": "they wrote so", "success": 0.5}')]
    )
    assert json.loads(row[1]) == {"success": 0.5}
    whole: list[Any] = [(1, '{"notes": "n"}')]
    assert Policy(FULL, Redaction.NONE).rows("judgements", ("id", "output"), whole) is whole


def test_secrets_are_taken_out_unless_they_are_wanted_and_no_verdict_changes(
    tmp_path: Path,
) -> None:
    """Every prompt and command of the transcripts has a secret, and so have the branches and the
    directory that they name and a tag; `attribute` is asked, as `collect` is elsewhere.
    """
    secret = "gh" + "p_" + "x9Y8" * 9
    planted = re.compile(rb'("command": ?"|"gitBranch": ?"|"role": ?"user","content": ?")')
    stream = (REPOS / "example" / "history.fi").read_bytes()
    value = rb"\1TOKEN=%b " % secret.encode()
    stream = rewritten(stream, lambda data: planted.sub(value, data))
    place = b"/home/%b/birdlog" % secret.encode()
    stream = rewritten(stream, lambda data: data.replace(b"/home/ada/work/birdlog", place))
    clone = import_stream(stream, tmp_path / "r")
    git(clone, "tag", f"v-{secret}")
    found = {}
    for name, options in (
        ("plain", ["--redact", "none"]),
        ("default", []),
        ("none", ["--content", "none"]),
    ):
        run("repo", clone, "--db", tmp_path / f"{name}.db", *options)
        found[name] = [c for c in cells(tmp_path / f"{name}.db") if secret in c[2]]
    assert len(found["plain"]) > 5
    assert {c[:2] for c in found["plain"]} >= {
        ("sessions", "cwd"),
        ("sessions", "branch"),
        ("commits", "release"),
    }
    assert not found["default"] and not found["none"]
    with Store(tmp_path / "plain.db") as one, Store(tmp_path / "default.db") as other:
        lines = (
            "SELECT commit_sha, path, start_line, end_line, author, how, evidence, reason, model"
            " FROM line_spans ORDER BY 1, 2, 3"
        )
        assert one.rows(lines) == other.rows(lines) and len(one.rows(lines)) > 10


def test_redaction_reaches_every_column_with_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from collector.storage import redaction

    monkeypatch.setattr(redaction, "secrets_out", lambda text: text.replace("hunter2", "[secret]"))
    for content in CONTENTS:
        for table, name in [*text_columns(), *ADDRESSES]:
            for row in Policy(content, Redaction.EMAILS).rows(
                table, (name,), [['{"a": "hunter2 jo@example.org"}']]
            ):
                assert "hunter2" not in str(row[0]) and "jo@" not in str(row[0])


def test_the_stricter_policy_and_every_removal_survive_a_merge(tmp_path: Path) -> None:
    """In either direction; no byte of what was taken out is left."""
    for strict, name in ((False, "ours"), (True, "theirs")):
        paths = [tmp_path / f"{name}-{n}.db" for n in range(2)]
        for number, path in enumerate(paths):
            with Store(path) as store, store.transaction():
                if strict == bool(number):
                    store.keep(Policy("prompts", Redaction.EMAILS))
                    store.insert(
                        "forgotten", "name_hash, forgotten_at", [(tombstone("o/gone"), "2026")]
                    )
                else:
                    store.insert("repos", "id, name, shallow, partial", [(2, "o/gone", 0, 0)])
                repo = (1, f"o/{number}", 0, 0)
                store.insert("repos", "id, name, shallow, partial", [repo])
                commit = (1, 1, "a" * 40, "x", 0, 0, "jo@example.org", "2026", "2026")
                columns = (
                    "id, repo_id, commit_sha, label, position, parents, author_email, author_at,"
                    " committed_at"
                )
                store.insert("commits", columns, [commit])
                store.connection.execute(
                    "INSERT INTO sessions (repo_id, key, label, transcript) VALUES (1, 'k', 'Ask"
                    " jo@example.org', 'pending')"
                )
        with Store(paths[0]) as store:
            merge(store, paths[1])
            assert store.policy == Policy("prompts", Redaction.EMAILS)
            assert {row["name"] for row in store.rows("SELECT name FROM repos")} == {"o/0", "o/1"}
            assert not store.value("SELECT 1 FROM commits WHERE author_email LIKE 'jo@%'")
        assert b"jo@example.org" not in paths[0].read_bytes()


def test_a_line_of_a_key_that_was_written_whole_goes_wherever_it_is_edited() -> None:
    line = "MIIEvQ9x" * 8
    whole = f"-----BEGIN {'PRIVATE'} KEY-----\n{line}\n-----END {'PRIVATE'} KEY-----"
    tables: dict[str, Any] = {"region_edits": (("id", "removed", "added"), [(1, line, "new")])}
    assert Policy().session_rows(tables, [whole])["region_edits"] == [[1, "[secret]", "new"]]


def test_what_one_text_of_a_session_shows_to_be_a_secret_goes_from_all_of_its_texts() -> None:
    secret = "gl1tter-Harbour42"
    turns = (("session_id", "prompt"), [(1, f"the password is {secret}, log in"), (1, "go on")])
    messages = (
        ("session_id", "text"),
        [(1, f"I use ({secret}) to log in"), (1, "harbour 42 stays")],
    )
    calls = (
        ("session_id", "call_id", "command", "output"),
        [(1, secret, f"login --as me {secret}x", None)],
    )
    tables: dict[str, Any] = {"turns": turns, "messages": messages, "tool_calls": calls}
    kept = Policy().session_rows(tables)
    assert [row[1] for row in kept["turns"]] == ["the password is [secret], log in", "go on"]
    assert [row[1] for row in kept["messages"]] == [
        "I use ([secret]) to log in",
        "harbour 42 stays",
    ]
    assert kept["tool_calls"] == [[1, secret, "login --as me [secret]x", None]]
    with_addresses = {
        "messages": (
            ("session_id", "text"),
            [(1, "ask jo@example.org 1"), (1, f"password is {secret} of jo@example.org")],
        )
    }
    stored = Policy(FULL, Redaction.EMAILS).session_rows(with_addresses)["messages"]
    assert [row[1] for row in stored] == ["ask [e-mail] 1", "password is [secret] of [e-mail]"]
    assert Policy(FULL, Redaction.NONE).session_rows(tables)["messages"] == messages[1]
    assert Policy(PROMPTS).session_rows(tables)["messages"] == []
