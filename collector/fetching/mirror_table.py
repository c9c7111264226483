"""What is known about mirrors: rows of `mirrors` in, work to do out; and repositories that are to be forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from collector.errors import NoCheckpoints, UnknownBranch
from collector.fetching.disk import Mirrors
from collector.fetching.mirrors import FetchResult
from collector.load import FACTS, load_repo
from collector.repository_names import BadName, RepositorySource, host_of, name_of, name_with_host, source, tombstone
from collector.runtime import shards
from collector.runtime.progress import no_progress
from collector.runtime.runner import RunOptions
from collector.runtime.stages import StageName, digest
from collector.storage.merge import forget_rows
from collector.storage.session_cache import forget_sessions
from collector.storage.store import Store, iso

# --- what to fetch ----------------------------------------------------------------------------------------------------


class ListedSources(NamedTuple):
    """What a list of repositories names."""

    sources: list[RepositorySource]
    refused: list[BadName]  # what is wrong with the lines that name none


def listed(lines: Iterable[str], server: str) -> ListedSources:
    """The repositories of a list; empty lines and comments (#) are skipped."""
    found: dict[str, RepositorySource] = {}
    refused = []
    for line in lines:
        text = line.partition("#")[0].strip()
        if text:
            try:
                one = source(text, server)
            except BadName as error:
                refused.append(error)
            else:
                found.setdefault(one.place(), one)
    return ListedSources(list(found.values()), refused)


def wanted(store: Store, licences: Sequence[str] = ()) -> list[RepositorySource]:
    """Candidates that discovery confirmed, with one of these licences if any are named."""
    if not store.value("SELECT 1 FROM sqlite_master WHERE name = 'wanted_candidates'"):
        return []
    allowed = {name.lower() for name in licences}
    rows = store.rows("SELECT full_name, clone_url, licence FROM wanted_candidates ORDER BY id")
    kept = (r for r in rows if not allowed or (r["licence"] or "none").lower() in allowed)
    return [RepositorySource("/".join(r["full_name"].split("/")[-2:]), r["clone_url"]) for r in kept]


def told_apart(store: Store, sources: Iterable[RepositorySource]) -> dict[str, RepositorySource]:
    """What each repository is called here, by its place: once, under a name of its own.

    One that was renamed is known by both of its addresses. When two servers have the same owner/name, the one that was there first
    keeps it, and the other is called host/owner/name.
    """
    rows = store.rows("SELECT name, url, address FROM mirrors ORDER BY rowid")
    rows += store.rows(
        "SELECT name, url, NULL AS address FROM repos WHERE url LIKE 'http%' AND name NOT IN (SELECT name FROM mirrors) ORDER BY id"
    )
    known = [RepositorySource(r["name"], r["url"]) for r in rows]
    here = {RepositorySource("", r["address"]).place(): one for r, one in zip(rows, known, strict=True) if r["address"]}
    names = {one.place(): one.name for one in known}
    taken = {one.name.lower() for one in known}
    found = dict[str, RepositorySource]()
    for one in sources:
        if one.place() in found:
            continue
        if one.place() not in names and one.place() in here:
            found[one.place()] = here[one.place()]
            continue
        name = names.get(one.place(), one.name)
        if one.place() not in names and name.lower() in taken and one.url.startswith("http"):
            name = name_with_host(one.url)
        taken.add(name.lower())
        found[one.place()] = replace(one, name=name)
    return found


def called(store: Store, names: Iterable[str]) -> set[str]:
    """The names here, in small letters, of repositories that may be called by what a server calls them now."""
    rows = store.rows("SELECT name, address FROM mirrors")
    here = {r["name"].lower() for r in rows}
    today = {name_at(r["address"]).lower(): r["name"].lower() for r in rows if r["address"]}
    return {name if name in here else today.get(name, name) for name in map(str.lower, names)}


def name_at(address: str) -> str:
    """owner/name at the end of an address that a server gave; the address itself when there is none."""
    try:
        return name_of(address)
    except BadName:
        return address


def mirrored(store: Store) -> list[RepositorySource]:
    """Everything that was fetched, or tried, before."""
    return [RepositorySource(r["name"], r["url"]) for r in store.rows("SELECT name, url FROM mirrors ORDER BY rowid")]


class FetchableSources(NamedTuple):
    """Repositories without those that are not to be fetched again."""

    sources: list[RepositorySource]
    forgotten: int  # how many were left out


def not_forgotten(store: Store, sources: Iterable[RepositorySource]) -> FetchableSources:
    """Those that the user did not have removed."""
    hidden = {r["name_hash"] for r in store.rows("SELECT name_hash FROM forgotten")}
    every = list(sources)
    kept = [one for one in every if hidden.isdisjoint(map(tombstone, _names(one)))]
    return FetchableSources(kept, len(every) - len(kept))


def _names(one: RepositorySource) -> list[str]:
    """What a repository is, or was, called here: another server may have had its owner/name before."""
    return [one.name, name_with_host(one.url)] if host_of(one.url) else [one.name]


# --- what became of it ------------------------------------------------------------------------------------------------


def note(store: Store, done: FetchResult) -> None:
    """Adds an attempt to the row of a mirror; call within a transaction."""
    now = iso(datetime.now(UTC).timestamp())
    run = store.connection.execute
    if done.state == "moved":  # an old name; the row is that of an attempt that failed
        run("DELETE FROM mirrors WHERE name = ? AND refs_key IS NULL", (done.name,))
        return
    run("INSERT OR IGNORE INTO mirrors (name, url, state, tried_at) VALUES (?, ?, ?, ?)", (done.name, done.url, done.state, now))
    values: dict[str, object] = {
        "url": done.url,
        "state": done.state,
        "detail": done.detail or None,
        "tried_at": now,
        "bytes": done.bytes,
    }
    if done.ok():
        values |= {"seen_at": now, "address": done.address or None}
    if done.state in ("fetched", "unchanged"):
        values |= {"path": done.path, "refs_key": done.key, "elsewhere": done.elsewhere or None}
        values |= {"checkpoint_refs": done.checkpoint_refs, "missing": done.missing}
    if done.state == "fetched":
        values["fetched_at"] = now
    run(f"UPDATE mirrors SET {', '.join(f'{name} = ?' for name in values)} WHERE name = ?", (*values.values(), done.name))
    run(
        "UPDATE mirrors SET received = received + ?, checks = checks + ?, transfers = transfers + ?, "
        "seconds = round(seconds + ?, 3), "
        "failures = CASE WHEN ? THEN 0 ELSE failures + 1 END WHERE name = ?",
        (done.received, done.checks, done.transfers, done.seconds, done.ok(), done.name),
    )


# --- loading ----------------------------------------------------------------------------------------------------------


def items(store: Store, names: Sequence[str] = ()) -> list[shards.ShardItem]:
    """Repositories with a complete mirror, by name if any are named; the largest first, so that none is left working alone."""
    chosen = called(store, names)
    rows = store.rows(
        "SELECT name, path, refs_key, missing FROM mirrors WHERE refs_key IS NOT NULL AND path IS NOT NULL "
        "ORDER BY bytes DESC, rowid"
    )
    found = []
    for r in rows:
        if (not chosen or r["name"].lower() in chosen) and Path(r["path"]).is_dir():
            key = digest(FACTS, store.policy.key(), r["refs_key"], str(r["missing"]))
            found.append(shards.ShardItem(r["name"], r["path"], key, digest(key, "anyway")))
    return found


def load_one(name: str, path: str, shard: str, anyway: bool) -> str:
    """The task of a worker: the facts of one mirror into its shard."""
    try:
        with shards.building_shard(Path(shard), checked=True) as store:
            load_repo(store, path, no_progress, anyway)
    except (NoCheckpoints, UnknownBranch):
        return "nothing"
    return "done"


def load(store: Store, chosen: Sequence[shards.ShardItem], how: RunOptions, anyway: bool) -> Iterator[shards.FinishedItem]:
    """Loads what has to be loaded, and yields as each ends."""
    waiting = shards.pending(store, StageName.LOAD, chosen, how.retry, anyway)
    yield from shards.run(store, StageName.LOAD, load_one, waiting, (anyway,), how)


# --- forgetting -------------------------------------------------------------------------------------------------------


def forget(store: Store, name: str, root: Path) -> dict[str, int]:
    """Removes every row, the mirror and the shard of a repository, and remembers only a hash of its names."""
    names = {name.lower(): name} | {one: one for one in called(store, [name])}
    for r in store.rows("SELECT name, address FROM mirrors WHERE address IS NOT NULL"):
        if r["name"].lower() in names:
            names.setdefault(name_at(r["address"]).lower(), name_at(r["address"]))
    store.connection.execute("PRAGMA secure_delete = ON")
    gone = [_forget_name(store, one, root) for one in names.values()]
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return {"rows": sum(g.rows for g in gone), "bytes": sum(g.bytes for g in gone)}


class _Removed(NamedTuple):
    rows: int
    bytes: int  # of the mirror


def _forget_name(store: Store, name: str, root: Path) -> _Removed:
    run = store.connection.execute
    rows = forget_rows(store, [name])
    with store.transaction():
        run("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", (tombstone(name), iso(datetime.now(UTC).timestamp())))
        for table, column in (("mirrors", "name"), ("jobs", "name")):
            rows += max(0, run(f"DELETE FROM {table} WHERE {column} = ? COLLATE NOCASE", (name,)).rowcount)
        rows += max(0, run("DELETE FROM problems WHERE stage = 'repository' AND subject = ? COLLATE NOCASE", (name,)).rowcount)
        rows += _forget_candidate(store, name)
        # Caches that keep what they were made from: answers of a model, and the words of prompts in the index for searching.
        rows += max(0, run("DELETE FROM judgements WHERE id NOT IN (SELECT judgement_id FROM judge_labels)").rowcount)
        run("DELETE FROM survival_reports")  # names of directories
        run("DROP TABLE IF EXISTS turns_fts")
        run("DELETE FROM settings WHERE name = 'prompts_indexed'")
    shards.drop(shards.shard_path(store.path, name))
    forget_sessions(name)
    return _Removed(rows, Mirrors(root).remove(name) if root.is_dir() else 0)


def _forget_candidate(store: Store, name: str) -> int:
    """What discovery knows of it, answers of the server that may name it included."""
    if not store.has("candidates"):
        return 0
    run = store.connection.execute
    rows = 0
    with_host = "replace(replace(server, 'https://', ''), 'http://', '') || '/' || full_name"
    sql = f"SELECT id FROM candidates WHERE full_name = ? COLLATE NOCASE OR {with_host} = ? COLLATE NOCASE"
    numbers = [r["id"] for r in store.rows(sql, (name, name))]
    for number in numbers:
        rows += run("DELETE FROM discoveries WHERE candidate_id = ?", (number,)).rowcount
        rows += run("DELETE FROM candidates WHERE id = ?", (number,)).rowcount
    rows += max(0, run("DELETE FROM http_cache").rowcount)
    return int(rows)


# --- status -----------------------------------------------------------------------------------------------------------


def mirror_states(store: Store, names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """One row per repository that was fetched, loaded or attributed: how far it got and what is wrong with it."""
    chosen = called(store, names)
    rows = store.rows(
        "WITH every AS (SELECT name FROM repos UNION SELECT name FROM mirrors) "
        "SELECT COALESCE(r.name, e.name) AS name, m.state AS mirror, m.seen_at AS seen, m.bytes AS size, m.missing, "
        "m.detail, m.failures, "
        "l.state AS load, l.error AS load_error, n.state AS lines, n.error AS lines_error, r.id, "
        "(SELECT COUNT(*) FROM checkpoints c WHERE c.repo_id = r.id) AS checkpoints, "
        "(SELECT COUNT(*) FROM sessions s WHERE s.repo_id = r.id) AS sessions, "
        "(SELECT COUNT(*) FROM commits c WHERE c.repo_id = r.id) AS commits, "
        "(SELECT COUNT(*) FROM problems p WHERE p.repo_id = r.id) AS problems, "
        "EXISTS (SELECT 1 FROM stage_runs t WHERE t.repo_id = r.id AND t.stage = 'load') AS has_facts, "
        "EXISTS (SELECT 1 FROM stage_runs t WHERE t.repo_id = r.id AND t.stage = 'lines') AS has_lines "
        "FROM every e LEFT JOIN repos r ON r.name = e.name COLLATE NOCASE LEFT JOIN mirrors m ON m.name = e.name "
        "LEFT JOIN jobs l ON l.name = e.name AND l.stage = 'load' LEFT JOIN jobs n ON n.name = e.name AND n.stage = 'lines' "
        "GROUP BY lower(e.name) ORDER BY lower(e.name)"
    )
    return [_stand(r) for r in rows if not chosen or r["name"].lower() in chosen]


def _stand(r: dict[str, Any]) -> dict[str, Any]:
    stage = "attributed" if r["has_lines"] else "loaded" if r["has_facts"] else "fetched" if r["size"] else "tried"
    if "nothing" in (r["load"], r["lines"]):
        stage = "without checkpoints"
    failures = [r["detail"] if r["failures"] else None, r["load_error"], r["lines_error"]]
    names = ("name", "mirror", "seen", "size", "missing", "checkpoints", "sessions", "commits", "problems")
    return {"stage": stage, **{n: r[n] for n in names}, "failure": "; ".join(f for f in failures if f)}


__all__ = [
    "called", "forget", "items", "listed", "load", "mirror_states", "mirrored", "not_forgotten", "note", "told_apart", "wanted",
]  # fmt: skip
