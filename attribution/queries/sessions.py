"""Sessions as tables: their counts, features, rounds of edits."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.labels import as_typed
from collector.storage.store import Store
from collector.storage.views import Column, Table, described_view, read_view
from collector.text import split_names


def find_session(store: Store, key: str, repo: int | None = None) -> int:
    """Number of the session whose key is `key` or begins with it, or whose number it is.

    Raises WhoWroteError.
    """
    number = int(key) if key.isascii() and key.isdigit() and len(key) < 10 else -1
    matching = store.rows(
        "SELECT id, key FROM sessions WHERE (? IS NULL OR repo_id = ?) AND (key = ? OR substr(key,"
        " 1, ?) = ? OR id = ?)",
        (repo, repo, key, max(len(key), 4), key, number),
    )
    sessions = [session for session in matching if session["key"] == key] or matching
    if not sessions:
        raise WhoWroteError(f"no such session: {key}", "List the sessions with: whowrote sessions")
    if len(sessions) > 1:
        raise WhoWroteError(
            f"{key} is ambiguous: it matches {len(sessions)} session keys",
            "Use more characters of the key",
        )
    return int(sessions[0]["id"])


def session_list(store: Store, repo: int | None = None) -> Table:
    """All sessions, subagents' included, latest first."""
    return read_view(store, "session_list", {"repo_id": repo}, "repo, started_at DESC, id")


def families(rows: Iterable[Row]) -> list[Row]:
    """The same sessions, each followed by the subagents that it spawned."""
    children = defaultdict(list)
    every = list(rows)
    keys = {(row["repo_id"], row["key"]) for row in every}
    for row in every:
        children[row["repo_id"], row["parent"]].append(row)
    heads = [row for row in every if (row["repo_id"], row["parent"]) not in keys]
    return [member for head in heads for member in (head, *children[head["repo_id"], head["key"]])]


def feature_table(
    store: Store, repo: int | None = None, key: str = "", only: Sequence[str] = ()
) -> Table:
    """All features of each session, or of the one that `key` names; `only`: some features, by name.

    Raises WhoWroteError when none were computed.
    """
    from attribution.features import features
    from attribution.queries.features import SESSION_COLUMNS, features_ready, session_features

    if not features_ready(store):
        raise WhoWroteError(
            "the database has no session features computed by this version",
            "Compute them with: whowrote repo PATH --db FILE",
        )
    rows = session_features(store, repo, find_session(store, key, repo) if key else None, only)
    columns = [
        *(Column(name, "", text) for name, text in SESSION_COLUMNS.items()),
        *(
            Column(f.name, f.type, f"{f.description} [{f.unit}]")
            for f in features()
            if not only or f.name in only
        ),
    ]
    return Table(
        "features",
        "What each session was like.",
        columns,
        [{c.name: row[c.name] for c in columns} for row in rows],
    )


def region_table(store: Store, only: Row | None = None, most: int | None = None) -> Table:
    """Re-edited regions, the most often edited first, `most` of them, each with its `edits`.

    `only`: as for `read_view`.
    """
    table = read_view(store, "region_list", only, "rounds DESC, id", most)
    for row in table:
        edits = read_view(
            store, "region_edit_history", {"region_id": row["id"]}, "round, at, start_line"
        )
        row["edits"] = [{name: edit[name] for name in _EDIT} for edit in edits]
    return table


_EDIT = split_names(
    "round, turn_index, at, tool, call_id, start_line, end_line, lines_added, "
    "lines_removed, removed, added, symbol"
)


def region_edits(table: Table) -> Table:
    """A row for each edit of some regions."""
    edits = described_view("region_edit_history")
    edits.columns = [
        Column("session", "", "the agent's own id of the session"),
        Column("path", "", "file, relative to its worktree"),
    ]
    edits.columns += [
        column for column in described_view("region_edit_history").columns if column.name in _EDIT
    ]
    edits.columns.insert(0, Column("region", "", "number of the region"))
    edits.rows = [
        {"region": row["id"], "session": row["session"], "path": row["path"], **edit}
        for row in table
        for edit in row["edits"]
    ]
    return edits


def region_counts(store: Store, only: Row) -> dict[str | None, int]:
    """Convergence -> number of regions. `only`: as for `read_view`."""
    return dict(Counter(row["convergence"] for row in read_view(store, "region_list", only)))


PAGE = 100
_SUMS = split_names(
    "produced, dictated, changed_next, discarded, committed, places, places_again, "
    "old_1, alive_1, old_7, alive_7, old_30, alive_30, old_90, alive_90"
)


class Prompt(NamedTuple):
    """The message of a turn; empty where there is no such turn, or what is not stored."""

    text: str = ""
    at: str = ""


def prompt(store: Store, session_id: int | None, index: int | None) -> Prompt:
    sql = (
        # a later prompt with the time of the session has none of its own
        "SELECT COALESCE(t.prompt, '') AS text, COALESCE(CASE t.turn_index WHEN 1 THEN t.at ELSE"
        " NULLIF(t.at, s.started_at) END, '') AS at FROM turns t JOIN sessions s ON s.id ="
        " t.session_id WHERE t.session_id = ? AND t.turn_index = ?"
    )
    stored = store.select_one(Prompt, sql, (session_id, index)) or Prompt()
    return stored._replace(text=as_typed(stored.text))


def prompt_of(store: Store, session_id: int | None, index: int | None) -> str:
    """The text of the prompt; "" when there is none."""
    return prompt(store, session_id, index).text


def turn_table(store: Store, repo: int | None = None, session: str = "") -> Table:
    """Turns that did something, of a repository or of all, or of the sessions whose key begins
    with `session`; in order of time.
    """
    keys = None
    if session:
        keys = store.column(
            "SELECT key FROM sessions WHERE substr(key, 1, ?) = ?", (len(session), session)
        )
    table = read_view(
        store, "turn_list", {"repo_id": repo, "key": keys}, "at, session_id, turn_index"
    )
    table.rows = _typed(row for row in table if row["calls"] or row["committed"])
    return table


def _typed(rows: Iterable[Row]) -> list[Row]:
    return [row | {"prompt": as_typed(row["prompt"])} if row["prompt"] else row for row in rows]


def turn_page(store: Store, repo_id: int, first: int = 0) -> Row:
    """Turns of a repository that wrote lines, latest first: a `table` of those from `first` on,
    and sums over all.
    """
    table = read_view(store, "turn_list", {"repo_id": repo_id}, "at DESC, session_id, turn_index")
    table.rows = [row for row in table if row["produced"] + row["committed"]]
    page = {"every": len(table), "first": first, "totals": sums(table), "table": table}
    table.rows = _typed(table.rows[first : first + PAGE])
    return page


def sums(table: Table) -> Row:
    """Column -> sum over all turns; None where no turn has a value."""
    values = {name: [row[name] for row in table if row[name] is not None] for name in _SUMS}
    return {name: sum(of_column) if of_column else None for name, of_column in values.items()}
