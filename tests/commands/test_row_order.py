"""Answers over a database of several repositories do not depend on the order of rows that no
statement asks for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.commands import clone, collect, run

from collector.plugins import plugin_directories
from collector.storage.store import Store

CASES = {
    "example": "acme/it's=100%?",
    "squash": "größe/日本",
    "cherry_pick": "acme/cherry_pick",
    "revert_by_human": "acme/reverted",
}


def _row(store: Store, table: str, **values: Any) -> None:
    """A row with something in every column that needs a value."""
    columns = store.rows(
        "SELECT name, type, [notnull] AS needed FROM pragma_table_info(?)", (table,)
    )
    row = {c["name"]: 0 if c["type"] == "INTEGER" else "x" for c in columns if c["needed"]} | values
    store.connection.execute(
        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
        tuple(row.values()),
    )


def _scanned(store: Store, rules: int) -> None:
    """Files that were scanned, with findings. `rules`: number of the rule set, which is the same
    in each database otherwise.
    """
    _row(
        store,
        "rule_sets",
        id=rules,
        hash="h",
        engine="semgrep 1",
        name="own",
        rules=1,
        languages="python",
    )
    _row(store, "scan_rules", rule_set_id=rules, rule_id="r.one", cwe="CWE-89")
    for file in store.rows("SELECT id FROM commit_files ORDER BY id"):
        _row(
            store,
            "scan_files",
            file_id=file["id"],
            rule_set_id=rules,
            place="source",
            language="python",
            status="ok",
            scanned=1,
        )
    commits = store.rows(
        "SELECT c.id, c.repo_id, c.commit_sha, f.path FROM commits c JOIN commit_files f ON"
        " f.commit_id = c.id"
    )
    session = store.value("SELECT MIN(id) FROM sessions")
    for number, commit in enumerate(commits):
        _row(
            store,
            "findings",
            repo_id=commit["repo_id"],
            rule_set_id=rules,
            fingerprint=f"f{number}",
            rule_id="r.one",
            cwe="CWE-89",
            severity="ERROR",
            confidence=("HIGH", "MEDIUM", "LOW")[number % 3],
            status="introduced",
            commit_id=commit["id"],
            commit_sha=commit["commit_sha"],
            path=commit["path"],
            language="python",
            place="source",
            **{"class": "agent"},
            session_id=session,
            agent="claude-code",
            fixed_by=commits[0]["id"] if number % 2 else None,
        )


def _judged(store: Store, answer: int) -> None:
    _row(
        store,
        "judgements",
        id=answer,
        model="m",
        prompt="turns",
        prompt_version="1",
        input_hash=f"i{answer % 2}",
        output="{}",
        at="2026",
    )
    for session in store.rows("SELECT id FROM sessions"):
        for turn, value in enumerate(("correction", "none", "failure_report", None), 1):
            _row(
                store,
                "judge_labels",
                session_id=session["id"],
                turn_index=turn,
                label="pushback",
                value=value,
                model="m",
                prompt_version="1",
                judgement_id=answer,
            )
    store.connection.execute("UPDATE sessions SET agent = 'claude-code'")


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database merged from shards of one repository each, with findings and labels."""
    folder = tmp_path_factory.mktemp("merged")
    shards = [folder / f"{number}.db" for number in range(len(CASES))]
    for number, (case, name) in enumerate(CASES.items()):
        run(
            "repo",
            clone(case, folder),
            "--name",
            name,
            "-q",
            "--history",
            db=shards[number],
        )
        with Store(shards[number]) as store, store.transaction():
            _scanned(store, number + 1)
            _judged(store, number + 5)
    collect("merge", *shards, "-o", folder / "merged.db")
    return folder / "merged.db"


EVALUATION: tuple[tuple[str, ...], ...] = (
    ("report", "study", "--json"),
    ("report", "study"),
    ("report", "study", "--csv"),
    ("report", "grades", "--min-n", "2", "--json"),
    (
        "report",
        "grades",
    ),
    ("report", "grades", "--csv"),
)
WORDS: tuple[tuple[str, ...], ...] = (
    *(EVALUATION if "attribution.evaluation" in plugin_directories() else ()),
    ("survival", "--json"),
    ("survival", "--by", "agent"),
    ("survival", "--all-files", "--no-curves", "--csv"),
    ("report",),
    ("report", "--html", "FILE"),
    ("report", "--by", "month,agent", "--json"),
    ("report", "--by", "directory"),
    ("report", "--by", "repository,person", "--since", "2020-01-01", "--csv"),
    ("report", "--by", "month", "--html", "FILE"),
)


def _said(words: tuple[str, ...], db: Path, file: Path) -> tuple[str, str]:
    file.unlink(missing_ok=True)
    done = run(*(file if word == "FILE" else word for word in words), db=db)
    return done.stdout, file.read_text("utf-8") if file.exists() else ""


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_no_answer_depends_on_the_order_of_rows_that_nobody_asked_for(
    words: tuple[str, ...], merged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite can return such rows in reverse."""
    first = _said(words, merged, tmp_path / "file")
    prepare = Store._prepare

    def reversed_rows(store: Store) -> None:
        prepare(store)
        store.connection.execute("PRAGMA reverse_unordered_selects = ON")

    monkeypatch.setattr(Store, "_prepare", reversed_rows)
    assert _said(words, merged, tmp_path / "file") == first
