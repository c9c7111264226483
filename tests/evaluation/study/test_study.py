"""The study: its estimates against numbers computed by hand, its tables against SQL on a built
database, the frames of the API.
"""

from __future__ import annotations

import csv
import json
import math
import shutil
from pathlib import Path

import pytest
from support.answers import column, pick
from support.commands import follow_cases, run, run_json

import whowrote
from attribution.evaluation.study import (
    _sessions,
    add_rates,
    file_type,
    mean_ratio,
    pooled_ratio,
    published_values,
    quantile,
    ratio_rows,
    study,
)
from attribution.lineage import minimum
from collector.json_values import Row
from collector.storage.store import Store
from collector.vocabulary.lines import CodingMode, coding_mode


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return follow_cases(
        tmp_path_factory.mktemp("study") / "study.db",
        "example",
        "two_sessions_one_file",
        "touched_up_by_human",
        "human_between_edits",
        "two_commits_one_session",
    )


@pytest.fixture
def copy(db: Path, tmp_path: Path) -> Path:
    """The same database, to be written into."""
    return Path(shutil.copy(db, tmp_path / "copy.db"))


# --- within sessions ------------------------------------------------------------------------------


def test_what_happens_within_sessions(copy: Path) -> None:
    """The numbers of one database, with stops and languages written into it."""
    with Store(copy) as store:
        sessions = column(store, "SELECT session_id FROM session_features ORDER BY 1")
        stops = [
            [{"turn": 1, "at": 1.0, "tool": "ExitPlanMode"}, {"turn": 2, "at": 2.0, "tool": None}],
            [{"tool": "Bash"}] * 2,
        ]
        with store.transaction() as connection:
            connection.execute(
                "UPDATE sessions SET agent = 'claude-code', started_at = '2026-05-01T00:00:00Z'"
            )
            connection.execute(
                'UPDATE session_features SET turn_languages = \'["en", "ja", null, "en"]\''
            )
            for number, events in zip(sessions, stops, strict=False):
                connection.execute(
                    "UPDATE session_features SET interruption_events = ? WHERE session_id = ?",
                    (json.dumps(events), number),
                )
        tables = {table.name: table for table in study(store)}
        calls = store.value("SELECT COUNT(*) FROM tool_calls WHERE agent_id IS NULL")
        long = store.value(
            "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM tool_calls WHERE agent_id IS NULL GROUP"
            " BY session_id HAVING n >= 5)"
        )
    shown = {
        row["tool"]: pick(row, "interruptions", "share", "paper_v1")
        for row in tables["last_tools"].rows
    }
    assert shown == {
        "ExitPlanMode": (1, 0.25, 0.32),
        "Bash": (2, 0.5, None),
        "no call before": (1, 0.25, None),
    }
    positions = tables["tools_by_position"].rows
    assert sum(row["calls"] for row in positions) == (long or 0) <= calls
    for part in ("first fifth", "last fifth"):
        assert not positions or math.fsum(row[part] for row in positions) == pytest.approx(1)
    languages = {
        pick(row, "month", "language"): pick(row, "n", "of", "pooled")
        for row in tables["prompt_languages"].rows
    }
    for language, share in (("en", 0.5), ("ja", 0.25), ("not told", 0.25)):
        for month in ("2026-05", "all"):
            assert languages.pop((month, language)) == (len(sessions), 4 * len(sessions), share)
    assert languages == {}


def test_pushback_by_coding_mode_and_time_alone_by_fortnight(copy: Path) -> None:
    with Store(copy) as store:
        sessions = column(store, "SELECT session_id FROM corpus_sessions ORDER BY 1")
        with store.transaction() as connection:
            connection.execute(
                "UPDATE sessions SET agent = 'claude-code', started_at = '2026-01-06T00:00:00Z'"
            )
            connection.execute("UPDATE session_stats SET coding_mode = 'vibe'")
            connection.execute(
                "UPDATE session_features SET per_turn_agent_latency_s = '[60, 120, null]'"
            )
            connection.execute(
                "INSERT INTO judgements VALUES (1, 'm', 'turns', '1', 'i', '{}', 1, NULL, NULL,"
                " NULL, '2026')"
            )
            for number in sessions:
                for turn, value in enumerate(
                    ("correction", "none", "takeover", "failure_report", None), 1
                ):
                    connection.execute(
                        "INSERT INTO judge_labels VALUES (?, ?, 'pushback', ?, NULL, 'm', '1', 1)",
                        (number, turn, value),
                    )
        assert len(sessions) >= minimum.SESSIONS
        tables = {table.name: table for table in study(store)}
    shown = {
        pick(row, "pushback", "mode"): pick(row, "of", "pooled", "paper_v1")
        for row in tables["pushback_by_mode"].rows
    }
    told = 4 * len(sessions)
    assert shown["any", "vibe"] == (told, 0.5, 0.396) and shown["correction", "all"] == (
        told,
        0.25,
        None,
    )
    assert shown["rejection", "vibe"] == (told, 0.0, 0.013) and shown["any", "human_only"] == (
        0,
        None,
        0.419,
    )
    (row,) = tables["autonomy_over_time"].rows
    assert pick(row, "fortnight from", "sessions", "turns") == (
        "2026-01-05",
        len(sessions),
        2 * len(sessions),
    )
    assert row["p50 minutes"] == 1.5 and row["p99.9 minutes"] is None


def test_what_sessions_are_made_of(copy: Path) -> None:
    """Sizes, file types, the largest repositories, classes of messages and oversight, from
    values written into the database.
    """
    with Store(copy) as store:
        sessions = column(store, "SELECT session_id FROM corpus_sessions ORDER BY 1")
        n = len(sessions)
        files = [
            {"path": "a/b.PY", "changed": 3},
            {"path": "Makefile", "changed": None},
            {"path": "c.py", "changed": None},
        ]
        with store.transaction() as connection:
            connection.execute(
                "UPDATE sessions SET agent = 'claude-code', started_at = '2026-01-06T00:00:00Z',"
                " turns = 4, interruptions = 1"
            )
            connection.execute(
                "UPDATE session_features SET files_seen = ?, turn_classes = ?, pushback_turns = 1,"
                " turns_classified = 2",
                (json.dumps(files), '["task", "pushback", null, "task"]'),
            )
            connection.execute(
                "UPDATE scores SET task_type = 'coding', work = CASE WHEN session_id = ? THEN"
                " 'self-review' END",
                (sessions[0],),
            )
            connection.execute("UPDATE turn_outcomes SET calls = 7, origin = 'prompt'")
            connection.execute(
                "INSERT INTO session_embeddings (session_id, backend, model, version, texts,"
                " turns_classified, pushback_turns) SELECT id, 'usem3', 'use-multilingual-3', 'v',"
                " 1, 4, 1 FROM sessions UNION ALL SELECT id, 'ngrams', 'ngrams-1', 'v', 1, NULL,"
                " NULL FROM sessions"
            )
        tables = {table.name: table.rows for table in study(store)}
        events = [
            store.value(f"SELECT COUNT(*) FROM {table}")
            for table in ("turns", "messages", "tool_calls")
        ]
        events.append(store.value("SELECT COUNT(*) FROM tool_calls WHERE status <> 'unknown'"))
        largest = store.value(
            "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM corpus_sessions k JOIN sessions s ON"
            " s.id = k.session_id GROUP BY s.repo_id)"
        )
    population = {row["what"]: row for row in tables["population"]}
    assert pick(population["logged events"], "ours", "paper_v1") == (
        sum(events),
        2_700_000,
    )
    sizes = {row["measure"]: pick(row, "median", "largest") for row in tables["interaction_sizes"]}
    assert sizes == {"turns per session": (4, 4), "tool calls per turn": (7, 7)}
    types = {row["type"]: pick(row, "files", "changed", "share") for row in tables["file_types"]}
    assert types == {
        ".py": (2 * n, n, pytest.approx(2 / 3)),
        "no ending": (n, 0, pytest.approx(1 / 3)),
    }
    curve = [pick(row, "largest repositories", "sessions") for row in tables["top_repositories"]]
    assert curve[0] == (1, largest) and curve[-1] == (5, n)
    classes = {row["class"]: pick(row, "n", "of", "pooled") for row in tables["message_classes"]}
    assert classes == {
        "task": (n, 3 * n, pytest.approx(2 / 3)),
        "pushback": (n, 3 * n, pytest.approx(1 / 3)),
    }
    subjects = {row["subject"]: pick(row, "n", "of", "pooled") for row in tables["prompt_subjects"]}
    assert len(subjects) == 17 and {row[0] for row in subjects.values()} == {n}
    outcomes = {pick(row, "turns", "mode"): row for row in tables["turn_outcomes"]}
    words, vectors = (outcomes[f"user pushes back{way}", "all"] for way in ("", ", by vectors"))
    assert pick(words, "n", "of", "pooled", "paper_v1") == (n, 2 * n, 0.5, 0.39)
    assert pick(vectors, "n", "of", "pooled", "paper_v1") == (
        n,
        4 * n,
        0.25,
        0.39,
    )
    over_time = {
        row["turns"]: pick(row, "fortnight from", "of", "pooled")
        for row in tables["oversight_over_time"]
    }
    assert over_time["interrupted by the user"] == ("2026-01-05", 4 * n, 0.25)
    assert over_time["user pushes back"] == ("2026-01-05", 2 * n, 0.5)
    activity = {
        pick(row, "turns", "activity"): pick(row, "n", "pooled")
        for row in tables["oversight_by_activity"]
    }
    assert activity["user pushes back", "writing"] == (n - 1, 0.5 if n > minimum.SESSIONS else None)
    assert activity["user pushes back", "reviewing"] == (1, None), "one session is too few"


@pytest.mark.parametrize(
    ("path", "kind"),
    {
        "a/B.Go": ".go",
        "a.d\\b.rs": ".rs",
        "Makefile": "no ending",
        ".gitignore": "no ending",
        "a.b/c": "no ending",
    }.items(),
)
def test_file_types(path: str, kind: str) -> None:
    assert file_type(path) == kind


def test_introduced_weaknesses_by_rule_and_cwe(copy: Path) -> None:
    with Store(copy) as store:
        _scan(store, 600, 400)
        for number in range(36):
            row = (f"rule-{number % 20:02}", "CWE-79")
            store.connection.execute(
                "INSERT INTO temp.findings VALUES (1, 'source', 'introduced', 'HIGH', NULL, ?, ?)",
                row,
            )
        store.connection.execute(
            "INSERT INTO temp.findings VALUES (1, 'test', 'introduced', 'HIGH', NULL, 'x', 'CWE-1')"
        )
        tables = {table.name: table.rows for table in study(store)}
    rules = [pick(row, "rule", "findings") for row in tables["introduced_rules"]]
    assert rules[0] == ("r", 3) and len(rules) == 16
    assert rules[-1] == ("others", 39 - sum(findings for _, findings in rules[:15]))
    cwes = [pick(row, "cwe", "findings", "share") for row in tables["introduced_cwes"]]
    assert cwes == [("CWE-79", 36, 36 / 39), ("none named", 3, 3 / 39)]


def test_without_stops_and_messages_the_reason_is_printed(tmp_path: Path) -> None:
    with Store(tmp_path / "empty.db") as store:
        tables = {table.name: table for table in study(store)}
    for name in ("last_tools", "tools_by_position", "prompt_languages"):
        assert not tables[name].rows and tables[name].notes


# --- estimates ------------------------------------------------------------------------------------


def test_pooled_is_sum_over_sum_and_mean_is_the_mean_of_ratios() -> None:
    some = [(1, 1, 2), (1, 3, 4), (2, 0, 10)]
    assert pooled_ratio(some).value == pytest.approx(4 / 16)
    assert mean_ratio(some).value == pytest.approx((0.5 + 0.75 + 0) / 3)


def test_the_interval_is_a_jackknife_over_repositories() -> None:
    """Three repositories with means 1, 2 and 6: leaving one out gives 4, 3.5 and 1.5; t of 2
    degrees of freedom is 4.3027.
    """
    one = mean_ratio([(1, 1, 1), (2, 2, 1), (3, 6, 1)])
    middle = 3.0
    error = math.sqrt(2 / 3 * sum((x - middle) ** 2 for x in (4, 3.5, 1.5)))
    assert one.value == middle
    assert one.high == pytest.approx(middle + 4.302653 * error, rel=1e-5)
    assert one.low == 0.0


def test_shares_stay_between_nothing_and_all() -> None:
    one = pooled_ratio([(repo, 9, 10) for repo in range(3)] + [(4, 0, 10)])
    assert one.low is not None and one.value is not None and one.high is not None
    assert 0 <= one.low <= one.value <= one.high <= 1


@pytest.mark.parametrize("value", [0, 1])
def test_a_share_that_is_the_same_everywhere_is_not_certain(value: int) -> None:
    one = mean_ratio([(repo, 3 * value, 3) for repo in range(6) for _ in range(33)])
    assert one.value == value and one.low is not None and one.high is not None
    # Wilson's interval of 6 in 6 repositories
    assert one.high - one.low == pytest.approx(0.3903, abs=1e-4)


@pytest.mark.parametrize("some", [[], [(1, 0, 0)]])
def test_nothing_gives_no_number(some: list[tuple[int, float, float]]) -> None:
    assert pooled_ratio(some).value is None and mean_ratio(some).value is None


def test_two_repositories_have_no_interval() -> None:
    assert pooled_ratio([(1, 1, 2), (2, 1, 4)]).low is None


def test_an_estimate_over_few_sessions_has_its_n_and_no_number() -> None:
    def row(n: int) -> Row:
        units = [{"sessions": "all", "repo_id": repo, "top": 1, "bottom": 2} for repo in range(n)]
        return next(
            r
            for r in ratio_rows("made_up", units, ["sessions"], ["pooled", "median"])
            if r["sessions"] == "all"
        )

    assert (
        row(4)["n"],
        row(4)["of"],
        row(4)["pooled"],
        row(4)["pooled_low"],
        row(4)["median"],
    ) == (4, 8, None, None, None)
    assert (row(5)["n"], row(5)["pooled"], row(5)["median"]) == (5, 0.5, 0.5)


@pytest.mark.parametrize(
    "name",
    ["coding_modes", "agent_share", "coding_efficiency"],
)
def test_audited_rates_stand_below_every_table_that_rests_on_people(db: Path, name: str) -> None:
    with Store(db) as store:
        (table,) = (one for one in study(store) if one.name == name)
    assert any("readers checked" in note and "human" in note for note in table.notes)


def test_quantiles_lie_between_neighbours() -> None:
    assert (
        quantile([4, 1, 3], 0.5) == 3 and quantile([1, 2], 0.5) == 1.5 and quantile([], 0.5) is None
    )
    assert quantile([0, 10], 0.9) == pytest.approx(9)


@pytest.mark.parametrize(
    ("percentage", "mode"),
    {
        0.0: "human_only",
        0.1: "collaborative",
        98.9: "collaborative",
        99.0: "vibe",
        None: None,
    }.items(),
)
def test_modes_are_the_papers(percentage: float | None, mode: str | None) -> None:
    assert coding_mode(percentage) == mode


# --- tables ---------------------------------------------------------------------------------------


def test_every_table_is_made_and_has_a_name_of_its_own(db: Path) -> None:
    with Store(db) as store:
        found = study(store)
    names = [table.name for table in found]
    assert len(names) == len(set(names)) >= 15
    empty = {
        "weaknesses",
        "introduced_rules",
        "introduced_cwes",
        "vendor_disagreement",
        "judge_labels",
        "pushback_by_mode",
        "last_tools",
        "modes_compared",
    }
    assert {table.name for table in found if not table.rows} <= empty
    for table in found:
        json.dumps(table.rows)


def test_modes_count_every_session_once(db: Path) -> None:
    with Store(db) as store:
        (table,) = (table for table in study(store) if table.name == "coding_modes")
        n = store.value("SELECT COUNT(*) FROM session_stats WHERE coding_mode IS NOT NULL")
        vibe = store.value("SELECT COUNT(*) FROM session_stats WHERE coding_mode = 'vibe'")
    rows = {pick(row, "mode", "counted_by"): row for row in table.rows}
    assert sum(rows[mode, "ours"]["pooled"] for mode in CodingMode) == pytest.approx(1)
    assert (
        rows["vibe", "ours"]["pooled"] == pytest.approx(vibe / n) and rows["vibe", "ours"]["n"] == n
    )
    assert rows["vibe", "widest"]["pooled"] <= rows["vibe", "ours"]["pooled"]
    assert rows["vibe", "vendor"]["paper_v1"] == 0.408 and list(
        dict.fromkeys(mode for mode, _ in rows)
    ) == list(CodingMode)


def test_the_canonical_record_is_the_one_with_most_output_tokens(copy: Path) -> None:
    with Store(copy) as store:
        rows = store.rows(
            "SELECT session_id, COUNT(*) AS n FROM checkpoint_sessions GROUP BY 1 HAVING n > 1"
            " LIMIT 1"
        )
        session = rows[0]["session_id"]
        records = store.rows(
            "SELECT id FROM checkpoint_sessions WHERE session_id = ? ORDER BY created_at",
            (session,),
        )
        for number, record in enumerate(records):
            tokens = json.dumps({"token_usage": {"output_tokens": 900 if number == 0 else 5}})
            values = (tokens, 25.0 + number, record["id"])
            store.connection.execute(
                "UPDATE checkpoint_sessions SET metadata = ?, vendor_percentage = ? WHERE id = ?",
                values,
            )
        store.connection.execute(
            "DELETE FROM checkpoint_sessions WHERE session_id <> ?", (session,)
        )
        assert _vendor_share(store) == pytest.approx(0.25)
        store.connection.execute(
            "UPDATE checkpoint_sessions SET metadata = 'not json [' WHERE session_id = ?",
            (session,),
        )
        assert _vendor_share(store) == pytest.approx(0.25 + (len(records) - 1) / 100)


def _vendor_share(store: Store) -> float:
    """The median of the vendor's percentages, of one session."""
    with _sessions(store):
        return float(
            store.value("SELECT vendor / 100 FROM study_sessions WHERE vendor IS NOT NULL")
        )


def test_what_became_of_produced_lines_sums_to_one(db: Path) -> None:
    with Store(db) as store:
        tables = {table.name: table for table in study(store)}
        sums = store.rows(
            "SELECT SUM(survived) AS top, SUM(produced) AS bottom FROM session_stats WHERE produced"
            " > 0 AND commits > 0"
        )[0]
    parts = tables["produced_lines"].rows
    ratio, *_ = tables["coding_efficiency"].rows
    assert sum(row["pooled"] for row in parts if row["sessions"] == "all") == pytest.approx(1)
    assert {row["n"] for row in parts if row["sessions"] == "all"} == {ratio["n"]} and ratio[
        "n"
    ] >= minimum.SESSIONS
    few = [row for row in parts if row["n"] < minimum.SESSIONS]
    assert few and all(row["pooled"] is None for row in few)  # printed with n, and refused
    assert ratio["pooled"] == pytest.approx(sums["top"] / sums["bottom"])


def test_an_empty_database_makes_empty_tables(tmp_path: Path) -> None:
    with Store(tmp_path / "empty.db") as store:
        for table in study(store):
            assert isinstance(table.rows, list)


# --- commands and frames --------------------------------------------------------------------------


def test_the_command_prints_all_or_some(db: Path, tmp_path: Path) -> None:
    shown = run("report", "study", db=db)
    assert "coding_efficiency" in shown.stdout and "paper v1" in shown.stdout
    data = run_json("report", "study", "--table", "tools", db=db)
    assert [table["name"] for table in data] == ["tools"]
    assert sum(row["calls"] for row in data[0]["rows"]) > 0
    wrong = run("report", "study", "--table", "nothing", code=2, db=db)
    assert "coding_modes" in wrong.stderr
    run("report", "study", code=5, db=tmp_path / "none.db")


def test_the_tables_as_csv(db: Path) -> None:
    tables = csv.DictReader(run("report", "study", "--csv", db=db).stdout.splitlines())
    rows = {row["what"]: row for row in tables if row["table"] == "population"}
    assert int(rows["repositories"]["ours"]) == 5 and rows["repositories"]["paper_v1"] == "205"


def test_the_tables_from_python(db: Path) -> None:
    pytest.importorskip("pandas")
    with whowrote.open(db) as found:
        spans = found.frame("line_spans")
        assert len(spans) == found.sql("SELECT COUNT(*) AS n FROM line_spans")[0]["n"] > 0
        assert "category" in found.chapter("study")["tools"].to_pandas().columns
        assert "sessions" in found.tables()
        with pytest.raises(whowrote.WhoWroteError, match="no such chapter: nothing"):
            found.chapter("nothing")
        with pytest.raises(whowrote.WhoWroteError, match="no such table: nothing"):
            found.frame("nothing")


def test_published_shares_are_of_all_sessions_and_of_what_a_version_says() -> None:
    """Worked out from the counts that the paper and its notebook give."""
    agents = published_values("agents")
    every = sum(row["paper_v1_sessions"] for row in agents.values()) + 52 + 24  # of unknown agents
    assert all(
        row["paper_v1_share"] == round(row["paper_v1_sessions"] / every, 4)
        for row in agents.values()
    )
    assert published_values("tools")["plan"]["paper_v2"] == round((608 + 2_966) / 1_996_558, 4)
    assert published_values("coding_modes")["collaborative | vendor"]["paper_v2"] is None


def test_fixed_weaknesses_stand_beside_introduced_ones(copy: Path) -> None:
    with Store(copy) as store:
        lines = _scan(store, 600, 400)
        (table,) = (table for table in study(store) if table.name == "weaknesses")
    rows = [row for row in table.rows if row["mode of the commit"] == "all"]
    assert {row["lines"] for row in rows} == {lines}
    found = {
        pick(r, "what", "rules"): pick(r, "findings", "per 1,000 lines", "paper_v1") for r in rows
    }
    assert found == {
        ("introduced", "all rules"): (3, 3.0, 0.11),
        ("introduced", "without low confidence"): (2, 2.0, None),
        ("fixed", "all rules"): (2, 2.0, 0.06),
        ("fixed", "without low confidence"): (1, 1.0, None),
    }
    assert any("readers checked" in note for note in table.notes)


def _scan(store: Store, *lines: int) -> int:
    """Scanned lines of two commits: three weaknesses of the first, one of low confidence; two
    that the commits fixed.
    """
    first, second = (row["id"] for row in store.rows("SELECT id FROM commits ORDER BY id LIMIT 2"))
    run = store.connection.execute
    run("CREATE TEMP TABLE scanned_lines (commit_id, lines, scanned, place)")
    for commit, number in zip((first, second), lines, strict=True):
        run("INSERT INTO temp.scanned_lines VALUES (?, ?, 1, 'source')", (commit, number))
    run("CREATE TEMP TABLE findings (commit_id, place, status, confidence, fixed_by, rule_id, cwe)")
    for confidence, fixed_by in (("HIGH", first), ("HIGH", None), ("LOW", second)):
        run(
            "INSERT INTO temp.findings VALUES (?, 'source', 'introduced', ?, ?, 'r', NULL)",
            (first, confidence, fixed_by),
        )
    return sum(lines)


def test_no_rate_of_weaknesses_over_few_lines() -> None:
    few, enough = add_rates([{"findings": 3, "lines": 999}, {"findings": 3, "lines": 1000}])
    assert few["per 1,000 lines"] is None and enough["per 1,000 lines"] == 3.0
