"""Line lifetimes of a database joined to authors: fills `line_fates`, `deletions`, `survival` and
the lines of the tip.

Adding up all lines of a large database takes half a minute, and nothing of it changes between two
runs: the numbers of `whowrote survival` are kept, digit by digit, in the cache beside the database
until a stage runs again on one of their repositories.
"""

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from attribution.lineage import minimum, survival, tip
from attribution.lineage.fates import (
    SESSION_SLACK,
    AuthoredSpan,
    CommitVerdicts,
    StoredLifetime,
    fates,
)
from attribution.lineage.model import runs
from attribution.lineage.survival import DELETION, LifetimeRecord
from attribution.queries.survival import (
    SurvivalOptions,
    SurvivalReport,
    followed_histories,
    lifetimes_of,
    notes_on,
    removed_lines,
    report_of,
    seconds,
)
from attribution.stages.feature_rows import fill_what_follows
from attribution.stages.history import stored_history
from attribution.stages.turn_outcomes import fill_turn_fates
from attribution.stats.kaplan_meier import Point, survival_points
from collector.errors import DatabaseUnusable
from collector.files.kinds import kind_of
from collector.groups import group_pairs
from collector.json_values import jsonable
from collector.runtime.stages import Stage, StageName, digest, last_run
from collector.runtime.version import version
from collector.storage.store import Store
from collector.text import printable
from collector.vocabulary.lines import HEADLINE, LINE_CLASSES, line_class, line_class_sql

VERSION = "7"
STAGE = Stage(StageName.SURVIVAL, VERSION)


def fill_survival(store: Store, repo_id: int) -> None:
    """Fills the tables again when the history or the verdicts are others than last time.

    Raises DatabaseUnusable.
    """
    inputs = [
        (name, last_run(store, repo_id, name)) for name in (StageName.HISTORY, StageName.LINES)
    ]
    run = STAGE.start(
        store,
        repo_id,
        digest(VERSION, *(f"{name}={last.key}" for name, last in inputs if last is not None)),
    )
    if run.is_current:
        return
    with run.writing():
        store.connection.execute("DELETE FROM line_fates WHERE repo_id = ?", (repo_id,))
        verdicts = CommitVerdicts(_spans(store, repo_id), _removers(store, repo_id))
        store.insert(
            "line_fates",
            _FATE,
            ((repo_id, *fate) for fate in fates(_lifetimes(store, repo_id), verdicts)),
        )
        removed = removed_lines(store, repo_id)
        store.connection.execute("DELETE FROM deletions WHERE repo_id = ?", (repo_id,))
        rows = survival.deletions(removed)
        store.insert("deletions", ("repo_id", *DELETION), ((repo_id, *row) for row in rows))
        _fill_survival(
            store, repo_id, [lines.record for lines in removed if lines.record.kind in HEADLINE]
        )
        _fill_tip(store, repo_id)
        fill_turn_fates(store, repo_id)
        fill_what_follows(store, repo_id)


_FATE = "repo_id, origin, life, lines, nonblank, origin_id, actor, actor_session_id, actor_how"


def _lifetimes(store: Store, repo_id: int) -> Iterable[StoredLifetime]:
    rows = store.rows("SELECT * FROM line_lifetimes WHERE repo_id = ? ORDER BY origin", (repo_id,))
    for r in rows:
        blank = tuple(map(int, (r["blank_lines"] or "").split()))
        into = (
            (r["into_path"], r["into_start"], r["into_end"]) if r["into_path"] is not None else None
        )
        yield StoredLifetime(
            r["origin"],
            r["birth"],
            r["path"],
            r["start_line"],
            r["end_line"],
            blank,
            r["death"],
            r["cause"],
            into,
        )


def _spans(store: Store, repo_id: int) -> dict[tuple[int, str], list[AuthoredSpan]]:
    """(id in history_commits, path) -> spans."""
    spans = defaultdict(list)
    rows = store.rows(
        "SELECT h.id, f.path, s.start_line, s.end_line, s.nonblank, o.id AS origin,"
        f" {line_class_sql('o')} AS class, o.session_id FROM history_commits h JOIN commits c ON"
        " c.repo_id = h.repo_id AND c.commit_sha = h.commit_sha JOIN commit_files f ON f.commit_id"
        " = c.id JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id WHERE"
        " h.repo_id = ? ORDER BY s.file_id, s.start_line",
        (repo_id,),
    )
    for commit, path, *span in (row.values() for row in rows):
        spans[commit, path].append(AuthoredSpan(*span))
    return spans


def _removers(store: Store, repo_id: int) -> dict[tuple[int, str], set[int]]:
    """(commit, path) -> its sessions that took lines from that file since the commit before it
    that changed the file.
    """
    edits = group_pairs(
        ((r["session_id"], r["path"]), seconds(r["at"]))
        for r in store.rows(
            "SELECT e.session_id, e.path, e.at FROM edits e JOIN sessions s ON s.id = e.session_id"
            " WHERE s.repo_id = ? AND e.at IS NOT NULL AND e.outcome = 'applied' AND"
            " (e.lines_removed > 0 OR e.op IN ('delete', 'move'))",
            (repo_id,),
        )
    )
    for times in edits.values():
        times.sort()
    sessions = group_pairs(
        (r["commit_id"], r["session_id"])
        for r in store.rows(
            "SELECT cs.commit_id, cs.session_id FROM commit_sessions cs JOIN commits c ON c.id ="
            " cs.commit_id WHERE c.repo_id = ?",
            (repo_id,),
        )
    )
    before: dict[str, float] = {}
    removers = {}
    for r in store.rows(
        "SELECT c.id, h.id AS number, c.author_at, f.path, f.old_path FROM commits c JOIN"
        " commit_files f ON f.commit_id = c.id LEFT JOIN history_commits h ON h.repo_id = c.repo_id"
        " AND h.commit_sha = c.commit_sha WHERE c.repo_id = ? ORDER BY c.position",
        (repo_id,),
    ):
        now = seconds(r["author_at"])
        names = {r["path"], r["old_path"] or r["path"]}
        since = max((before.get(name, 0.0) for name in names), default=0.0)
        touched = (
            (s, edits.get((s, name), ())) for s in sessions.get(r["id"], ()) for name in names
        )
        took = {
            s
            for s, moments in touched
            if bisect_left(moments, since) < bisect_right(moments, now + SESSION_SLACK)
        }
        if took and r["number"] is not None:
            removers[r["number"], r["path"]] = took
        before[r["path"]] = now
    return removers


def _fill_survival(store: Store, repo_id: int, records: Sequence[LifetimeRecord]) -> None:
    store.connection.execute("DELETE FROM survival WHERE repo_id = ?", (repo_id,))
    columns = ("repo_id", "grouping", "name", "author", *Point._fields)
    rows = (
        (repo_id, grouping, name, author, *point)
        for grouping in survival.GROUPINGS
        for (name, author), group in survival.group_records(records, grouping).items()
        for point in survival_points(group, minimum.share_of(grouping))
    )
    store.insert("survival", columns, rows)


def _kinds(store: Store, repo_id: int) -> dict[str, tuple[str, str]]:
    """Path -> kind and content of its latest attributed version."""
    rows = store.rows(
        "SELECT f.path, f.kind, f.content FROM commit_files f JOIN commits c ON c.id = f.commit_id"
        " WHERE c.repo_id = ? ORDER BY c.position",
        (repo_id,),
    )
    return {row["path"]: (row["kind"], row["content"]) for row in rows}


def _fill_tip(store: Store, repo_id: int) -> None:
    store.connection.execute("DELETE FROM tip_files WHERE repo_id = ?", (repo_id,))
    history_and_lifetimes = stored_history(store, repo_id)
    if history_and_lifetimes is None:
        return
    history, lifetimes = history_and_lifetimes
    classes = {
        row["id"]: line_class(row["author"], row["evidence"], row["reason"])
        for row in store.rows(
            "SELECT id, author, evidence, reason FROM origins WHERE id IN (SELECT origin_id FROM"
            " line_fates WHERE repo_id = ?)",
            (repo_id,),
        )
    }
    kinds = _kinds(store, repo_id)
    authors = tip.Authors(_written_lines(store, repo_id), lifetimes.blank)
    start = store.next_id("tip_files")
    files = []
    spans = []
    for number, path in enumerate(sorted(history.state), start):
        name = printable(path)
        kind, content = kinds.get(name) or (kind_of(path), "")
        # git counts lines in it, people do not
        vector = history.state[path].vector if content != "binary" else b""
        parts = tip.join_neighbours(authors.pieces(runs(vector)))
        counts = dict.fromkeys((*LINE_CLASSES, "older"), 0)
        for piece in parts:
            origin_id = piece.written.origin_id if piece.written is not None else None
            if origin_id is not None:
                counts[classes[origin_id]] += piece.nonblank
            else:
                counts["older"] += piece.end - piece.start + 1
            spans.append((number, piece.start, piece.end, piece.nonblank, *_birth(piece, name)))
        top = path.split("/", 1)[0] if "/" in path else ""
        lines = parts[-1].end if parts else 0
        files.append(
            (
                number,
                repo_id,
                name,
                printable(top),
                survival.language(path),
                kind,
                lines,
                *counts.values(),
            )
        )
    store.insert(
        "tip_files",
        ("id", "repo_id", "path", "directory", "language", "kind", "lines", *LINE_CLASSES, "older"),
        files,
    )
    columns = "file_id, start_line, end_line, nonblank, origin_id, birth, birth_path, birth_line"
    store.insert("tip_spans", columns, spans)


def _written_lines(store: Store, repo_id: int) -> list[tip.WrittenLines]:
    return store.select(
        tip.WrittenLines,
        "SELECT t.origin, t.lines, t.origin_id, l.birth, l.path, l.start_line + t.origin - l.origin"
        " AS line FROM line_fates t JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin ="
        " t.life WHERE t.repo_id = ? ORDER BY t.origin",
        (repo_id,),
    )


def _birth(piece: tip.TipPiece, path: str) -> tuple[int | None, int | None, str | None, int | None]:
    written = piece.written
    if written is None:
        return None, None, None, None
    return (
        written.origin_id,
        written.birth,
        None if written.path == path else written.path,
        written.line,
    )


# --- the numbers of a report ----------------------------------------------------------------------


MANY = 2_000  # records; fewer are added up in a tenth of a second
KEPT_VERSION = "4"  # of the numbers: what another one kept, or another release, is computed again


def kept_report(store: Store, repo_ids: Sequence[int], options: SurvivalOptions) -> SurvivalReport:
    """The stored report, or else a new one. Raises what `survival_report` raises."""
    request = digest(
        KEPT_VERSION,
        version(),
        *map(str, (*repo_ids, *options.groupings, options.curves, options.every_kind)),
    )
    key = _inputs(store, repo_ids)
    with store.cache(create=False) as cache:
        stored = cache.value(
            "SELECT numbers FROM survival_reports WHERE request = ? AND input_key = ?",
            (request, key),
        )
    if stored is not None:
        report = SurvivalReport(**json.loads(stored))
        followed = followed_histories(store, repo_ids)
        return replace(report, repositories=followed, notes=notes_on(followed, report.notes))
    lines = lifetimes_of(store, repo_ids, options.every_kind)
    report = report_of(lines, store.path, options)
    if not store.is_read_only and len(lines.records) >= MANY:
        numbers = json.dumps(jsonable(replace(report, repositories=[], notes=lines.notes)))
        # else they are added up again
        with suppress(DatabaseUnusable), store.cache() as cache, cache.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO survival_reports VALUES (?, ?, ?)", (request, key, numbers)
            )
    return report


def _inputs(store: Store, repo_ids: Sequence[int]) -> str:
    """Key that changes with every run of a stage on one of the repositories: stages write
    everything the numbers rest on.
    """
    sql = (
        "SELECT stage, subject, input_key, version, finished_at FROM stage_runs WHERE repo_id = ?"
        " ORDER BY stage, subject"
    )
    words = []
    for repo_id in repo_ids:
        words += [
            word for run in store.rows(sql, (repo_id,)) for word in (str(repo_id), *run.values())
        ]
    return digest(*words)
