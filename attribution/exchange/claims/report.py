"""What `data claims` shows: what is claimed, how much of it is true of its commit, and how it
compares with our own lines.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from attribution.exchange.words import Agreement, ClaimStatus, Disagreement
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of

_COUNTS = ("records", "on_branch", "carried", "on_other_refs", "commit_missing", "unread")
_WRONG = ("not_added", "beyond_eof", "file_missing")
_UNITS = {
    **dict.fromkeys(("status", "claimed", "ours", "verdict", "cause", "code"), "word"),
    "consistent_share": "share",
    "added_share": "share",
}


def checked_repositories(store: Store) -> list[int]:
    """Repositories whose claims were read."""
    return [
        row["repo_id"]
        for row in store.rows(
            "SELECT DISTINCT repo_id FROM stage_runs WHERE stage = 'claims' AND subject = ''"
        )
    ]


def claims_tables(store: Store, repos: Sequence[int], names: Sequence[str]) -> list[Table]:
    """The tables of these names, which are keys of `TABLES`, and one of what could not be used."""
    ids = ", ".join(map(str, repos)) or "NULL"
    tables = [TABLES[name](store, ids) for name in names]
    problems = store.rows(
        "SELECT code, COUNT(*) AS count, MIN(subject || ' ' || COALESCE(detail, '')) AS example"
        f" FROM problems WHERE stage = 'claims' AND repo_id IN ({ids}) GROUP BY code ORDER BY 2"
        " DESC"
    )
    return [*tables, table_of(problems, _UNITS, name="problems", title="What could not be used")]


def unattributed_note(store: Store, repos: Sequence[int]) -> str:
    """A sentence on the repositories whose claims cannot be compared; "" when all can."""
    rows = store.rows(
        f"SELECT name FROM repos WHERE id IN ({', '.join(map(str, repos)) or 'NULL'}) "
        "AND id NOT IN (SELECT repo_id FROM stage_runs WHERE stage = 'lines') ORDER BY id"
    )
    names = ", ".join(row["name"] for row in rows)
    if rows:
        return f"not attributed, so claims cannot be compared: {names}; run: whowrote repo PATH"
    return ""


def _worth(store: Store, ids: str, group: str, counts: Sequence[str] = ()) -> list[Row]:
    """The view `claim_worth` by these columns, with shares; what tells most comes first."""
    sums = ", ".join(
        f"SUM({count}) AS {count}"
        for count in (*counts, "attesting", "consistent", "lines", "added", *_WRONG)
    )
    return store.rows(
        f"SELECT {', '.join((group, *counts))}, attesting, consistent, 1.0 * consistent /"
        " NULLIF(attesting, 0) AS consistent_share, lines, 1.0 * added / NULLIF(lines, 0) AS"
        f" added_share, added, {', '.join(_WRONG)} FROM (SELECT {group}, {sums} FROM claim_worth"
        f" WHERE repo_id IN ({ids}) GROUP BY {group}) ORDER BY {group}"
    )


def _producers(store: Store, ids: str) -> Table:
    notes = [
        "consistent: every line the record names was added by its commit; trailers name no lines",
        "carried: from a commit beside the branch to the squash made of it",
    ]
    return table_of(
        _worth(store, ids, "producer", _COUNTS),
        _UNITS,
        notes,
        "producer",
        "Records by the tool that made them",
    )


def _statuses(store: Store, ids: str) -> Table:
    rows = store.rows(
        "SELECT r.producer, x.status, COUNT(*) AS records, SUM(x.lines) AS lines FROM"
        " claim_records r JOIN claim_record_checks x ON x.record_id = r.id WHERE r.repo_id IN"
        f" ({ids}) AND r.state = 'read' GROUP BY 1, 2",
    )
    rows.sort(key=lambda row: (row["producer"], list(ClaimStatus).index(row["status"])))
    return table_of(
        rows,
        _UNITS,
        (),
        "status",
        "Records by status: where the commit is, otherwise the worst line",
    )


def _versions(store: Store, ids: str) -> Table:
    rows = [row for row in _worth(store, ids, "producer, version") if row["attesting"]]
    return table_of(rows, _UNITS, (), "version", "Records by version of the tool and of the format")


def _agreement(store: Store, ids: str) -> Table:
    rows = store.rows(
        "SELECT producer, claimed, ours, verdict, cause, SUM(lines) AS lines FROM claim_agreement "
        f"WHERE repo_id IN ({ids}) GROUP BY 1, 2, 3, 4, 5 ORDER BY producer, lines DESC"
    )
    causes = dict.fromkeys(row["cause"] for row in rows if row["cause"])
    notes = [f"{cause.replace('_', ' ')}: {Disagreement(cause).meaning}" for cause in causes]
    decided = Counter[tuple[str, str]]()
    for row in rows:
        decided[row["producer"], row["verdict"]] += row["lines"]
    for producer in dict.fromkeys(row["producer"] for row in rows):
        agreed = decided[producer, Agreement.AGREE]
        disputed = decided[producer, Agreement.DISAGREE]
        if agreed + disputed:
            share = f"{100 * agreed / (agreed + disputed):.1f} % of {agreed + disputed:,}"
            notes.append(f"{producer}: agreement on {share} lines that both sides decide")
    return table_of(
        rows, _UNITS, notes, "agreement", "Claims beside our own lines, in commits with a session"
    )


def _added_lines(store: Store, ids: str) -> Table:
    rows = store.rows(
        "SELECT producer, claimed_author AS author, COALESCE(tool, '') AS tool,"
        " COALESCE(claimed_model, '') AS model, COUNT(DISTINCT commit_sha) AS commits, SUM(lines)"
        f" AS lines FROM claimed_lines WHERE repo_id IN ({ids}) AND NOT has_session GROUP BY 1, 2,"
        " 3, 4 ORDER BY 1, 6 DESC"
    )
    title = (
        "Verified lines in commits without a session: declared, counted separately from the"
        " attribution"
    )
    return table_of(rows, _UNITS, (), "added", title)


TABLES: dict[str, Callable[[Store, str], Table]] = {
    "producer": _producers,
    "status": _statuses,
    "version": _versions,
    "agreement": _agreement,
    "added": _added_lines,
}
