"""What is known about mirrors: rows of `mirrors` in, work to do out; and repositories that are to
be forgotten.

Many repositories are fetched several at a time, each of them once whatever names it is given. Only
a server knows that two names are of one repository: it sends who asks at the old name to the new
one. A mirror that is there keeps its name; a new one has the name that its repository has today.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

from collector.discovery.mirrors.disk import Mirrors
from collector.discovery.mirrors.remote import Remote
from collector.discovery.mirrors.update import FetchOptions, FetchResult, update_mirror
from collector.errors import NoCheckpoints, UnknownBranch, WhoWroteError
from collector.json_values import Numbers, Row
from collector.limits import REDIRECTS
from collector.load import FACTS, load_repo
from collector.local.archived import forget as forget_archived
from collector.repository_names import (
    BadName,
    RepositorySource,
    host_of,
    moved_source,
    name_of,
    name_with_host,
    same_place,
    source,
    tombstone,
)
from collector.runtime import shards
from collector.runtime.progress import no_progress
from collector.runtime.stages import StageName, digest
from collector.storage import session_cache
from collector.storage.merge import forget_rows, forgotten_names
from collector.storage.store import Store, utc_now
from collector.vocabulary.sessions import JobState


def read_list(lines: Iterable[str], server: str) -> tuple[list[RepositorySource], list[BadName]]:
    """The repositories of a list, and what is wrong with the lines that name none; empty lines
    and comments (#) are skipped.
    """
    sources: dict[str, RepositorySource] = {}
    refused = []
    for line in lines:
        text = line.partition("#")[0].strip()
        if text:
            try:
                repository = source(text, server)
            except BadName as error:
                refused.append(error)
            else:
                sources.setdefault(repository.place(), repository)
    return list(sources.values()), refused


def confirmed_sources(store: Store) -> list[RepositorySource]:
    """Candidates that discovery takes."""
    rows = store.rows("SELECT full_name, clone_url FROM wanted_candidates ORDER BY id")
    return [
        RepositorySource("/".join(row["full_name"].split("/")[-2:]), row["clone_url"])
        for row in rows
    ]


def mirrored_sources(store: Store) -> list[RepositorySource]:
    """Everything that was fetched, or tried, before."""
    return store.select(RepositorySource, "SELECT name, url FROM mirrors ORDER BY rowid")


def name_sources(store: Store, sources: Iterable[RepositorySource]) -> dict[str, RepositorySource]:
    """What each repository is called here, by its place: once, under a name of its own.

    When two servers have the same owner/name, the one that was there first keeps it, and the other
    is called host/owner/name.
    """
    sql = (
        "SELECT name, url FROM repos WHERE url LIKE 'http%' AND name NOT IN (SELECT name FROM"
        " mirrors) ORDER BY id"
    )
    existing = [
        *mirrored_sources(store),
        *store.select(RepositorySource, sql),
    ]
    names = {repository.place(): repository.name for repository in existing}
    taken = {repository.name.lower() for repository in existing}
    by_place = {}
    for repository in sources:
        key = repository.place()
        if key in by_place:
            continue
        name = names.get(key, repository.name)
        if key not in names and name.lower() in taken and repository.url.startswith("http"):
            name = name_with_host(repository.url)
        taken.add(name.lower())
        by_place[key] = replace(repository, name=name)
    return by_place


def name_at(address: str) -> str:
    """owner/name at the end of an address that a server gave; the address itself when there is
    none.
    """
    try:
        return name_of(address)
    except BadName:
        return address


def names_here(store: Store, names: Iterable[str]) -> set[str]:
    """The names here, in small letters, of repositories that may be called by what a server
    calls them now.
    """
    rows = store.rows("SELECT name, url FROM mirrors")
    here = {row["name"].lower() for row in rows}
    today = {name_at(row["url"]).lower(): row["name"].lower() for row in rows}
    return {name if name in here else today.get(name, name) for name in map(str.lower, names)}


def not_forgotten(store: Store, sources: Iterable[RepositorySource]) -> list[RepositorySource]:
    """Those that the user did not have removed."""
    hidden = forgotten_names(store)
    return [
        repository
        for repository in sources
        if hidden.isdisjoint(map(tombstone, _names(repository)))
    ]


def _names(repository: RepositorySource) -> list[str]:
    """What a repository is, or was, called here: another server may have had its owner/name
    before.
    """
    name = repository.name
    url = repository.url
    if host_of(url):
        return [name, name_with_host(url)]
    return [name]


# --- what became of it ----------------------------------------------------------------------------


def note(store: Store, result: FetchResult) -> None:
    """Adds an attempt to the row of a mirror; call within a transaction."""
    now = utc_now()
    run = store.connection.execute
    if result.state == "moved":  # an old name; the row is that of an attempt that failed
        run("DELETE FROM mirrors WHERE name = ? AND refs_key IS NULL", (result.name,))
        return
    name = result.name
    state = result.state
    run(
        "INSERT OR IGNORE INTO mirrors (name, url, state, tried_at) VALUES (?, ?, ?, ?)",
        (name, result.url, state, now),
    )
    values = {
        "url": result.url,
        "state": state,
        "tried_at": now,
        "bytes": result.bytes,
    }
    if state != "unchanged":
        values["detail"] = result.detail or None
    if result.is_usable():
        values["seen_at"] = now
    if state in ("fetched", "unchanged"):
        values |= {
            "path": result.path,
            "refs_key": result.key,
            "elsewhere": result.elsewhere or None,
        }
        values["checkpoint_refs"] = result.checkpoint_refs
    if state == "fetched":
        values["fetched_at"] = now
    run(
        f"UPDATE mirrors SET {', '.join(f'{column} = ?' for column in values)} WHERE name = ?",
        (*values.values(), name),
    )
    run(
        "UPDATE mirrors SET failures = CASE WHEN ? THEN 0 ELSE failures + 1 END WHERE name = ?",
        (result.is_usable(), name),
    )


def items(store: Store, names: Sequence[str] = ()) -> list[shards.ShardItem]:
    """Repositories with a complete mirror, by name if any are named; the largest first, so that
    none is left working alone. Those in which nothing was found must be named.
    """
    chosen = names_here(store, names)
    with store.cache(create=False) as cache:
        empty = set(
            cache.column(
                "SELECT name FROM jobs WHERE stage = ? AND state = ?",
                (StageName.LOAD, JobState.NOTHING),
            )
        )
    rows = store.rows(
        "SELECT name, path, refs_key FROM mirrors WHERE refs_key IS NOT NULL AND path IS NOT NULL"
        " ORDER BY bytes DESC, rowid"
    )
    mirrors = []
    for row in rows:
        is_meant = row["name"].lower() in chosen if chosen else row["name"] not in empty
        if is_meant and Path(row["path"]).is_dir():
            key = digest(FACTS, store.policy.key(), row["refs_key"])
            mirrors.append(shards.ShardItem(row["name"], row["path"], key))
    return mirrors


def load_one(name: str, path: str, shard: str, named: bool) -> str:
    """The task of a worker: the facts of one mirror into its shard."""
    try:
        with shards.building_shard(Path(shard)) as store:
            load_repo(store, path, no_progress, named)
    except (NoCheckpoints, UnknownBranch):
        return JobState.NOTHING
    return JobState.DONE


_SESSIONS = (
    "SELECT r.path, s.key FROM repos r LEFT JOIN sessions s ON s.repo_id = r.id WHERE r.name = ?"
    " COLLATE NOCASE"
)


def forget(store: Store, name: str, root: Path) -> Numbers:
    """Removes every row, the mirror and the shard of a repository, and remembers only a hash of its
    names.

    Returns the number of `rows` and `bytes` removed, and `in_use`: how many files keep traces
    because somebody else reads them.
    """
    names = {name.lower(): name} | {here: here for here in names_here(store, [name])}
    mirrors = {
        repository.name.lower(): name_at(repository.url) for repository in mirrored_sources(store)
    }
    # one that was renamed must not come back under its present name
    for here, present in mirrors.items():
        if here in names and here.count("/") == 1 and present.lower() not in mirrors:
            names.setdefault(present.lower(), present)
    found = [row for each in names.values() for row in store.rows(_SESSIONS, (each,))]
    sessions = {row["key"] for row in found}
    sessions.update(forget_archived((), {row["path"] for row in found}))
    rows = sum(_forget_name(store, each) for each in names.values())
    with store.cache(create=False) as cache:
        wiped = [store.wipe(), cache.wipe(), session_cache.forget(names.values(), sessions)]
    mirrors_of = Mirrors(root)
    size = sum(_remove_mirror(mirrors_of, each) for each in names.values()) if root.is_dir() else 0
    return {"rows": rows, "bytes": size, "in_use": wiped.count(False)}


def _remove_mirror(mirrors: Mirrors, name: str) -> int:
    """Its bytes."""
    try:
        return mirrors.remove(name)
    except BadName:  # a clone's own name: nothing was fetched under it
        return 0


def _forget_name(store: Store, name: str) -> int:
    """Removes the rows, the shard and what caches have; returns how many rows."""
    run = store.connection.execute
    rows = forget_rows(store, [name])
    with store.transaction():
        run(
            "INSERT OR IGNORE INTO forgotten VALUES (?, ?)",
            (tombstone(name), utc_now()),
        )
        rows += run("DELETE FROM mirrors WHERE name = ? COLLATE NOCASE", (name,)).rowcount
        rows += run(
            "DELETE FROM problems WHERE stage = 'repository' AND subject = ? COLLATE NOCASE",
            (name,),
        ).rowcount
        rows += _forget_candidate(store, name)
        # What keeps the words that it was made from: answers of a model, and the index for
        # searching.
        if store.has("judgements"):
            rows += run(
                "DELETE FROM judgements WHERE id NOT IN (SELECT judgement_id FROM judge_labels)"
            ).rowcount
        run("DROP TABLE IF EXISTS turns_fts")
        run("DELETE FROM settings WHERE name = 'prompts_indexed'")
    with store.cache(create=False) as cache, cache.transaction() as connection:
        rows += connection.execute("DELETE FROM jobs WHERE name = ?", (name,)).rowcount
        connection.execute("DELETE FROM survival_reports")  # names of directories
    shards.drop(shards.shard_path(store.path, name))
    return rows


def _forget_candidate(store: Store, name: str) -> int:
    """What discovery knows of it."""
    run = store.connection.execute
    with_host = "replace(replace(server, 'https://', ''), 'http://', '') || '/' || full_name"
    chosen = (
        f"SELECT id FROM candidates WHERE full_name = ? COLLATE NOCASE OR {with_host} = ? COLLATE"
        " NOCASE"
    )
    rows = run(f"DELETE FROM discoveries WHERE candidate_id IN ({chosen})", (name, name)).rowcount
    return int(rows + run(f"DELETE FROM candidates WHERE id IN ({chosen})", (name, name)).rowcount)


def mirror_states(store: Store, names: Sequence[str] = ()) -> list[Row]:
    """One row per repository that was fetched, loaded or attributed: how far it got and what is
    wrong with it.
    """
    chosen = names_here(store, names)
    with store.cache(create=False) as cache:
        jobs = {
            (job["name"].lower(), job["stage"]): job
            for job in cache.rows("SELECT name, stage, state, error FROM jobs")
        }
    rows = store.rows(
        "WITH every AS (SELECT name FROM repos UNION SELECT name FROM mirrors) SELECT"
        " COALESCE(r.name, e.name) AS name, m.state AS mirror, m.seen_at AS seen, m.bytes AS size,"
        " m.detail, m.failures, (SELECT COUNT(*) FROM checkpoints c WHERE c.repo_id = r.id) AS"
        " checkpoints, (SELECT COUNT(*) FROM sessions s WHERE s.repo_id = r.id) AS sessions,"
        " (SELECT COUNT(*) FROM commits c WHERE c.repo_id = r.id) AS commits, (SELECT COUNT(*) FROM"
        " problems p WHERE p.repo_id = r.id) AS problems, EXISTS (SELECT 1 FROM stage_runs t WHERE"
        " t.repo_id = r.id AND t.stage = 'load') AS has_facts, EXISTS (SELECT 1 FROM stage_runs t"
        " WHERE t.repo_id = r.id AND t.stage = 'lines') AS has_lines FROM every e LEFT JOIN repos r"
        " ON r.name = e.name COLLATE NOCASE LEFT JOIN mirrors m ON m.name = e.name GROUP BY"
        " lower(e.name) ORDER BY lower(e.name)"
    )
    return [_state_of(row, jobs) for row in rows if not chosen or row["name"].lower() in chosen]


def _state_of(row: Row, jobs: Mapping[tuple[str, str], Row]) -> Row:
    mine = [job for stage in ("load", "lines") if (job := jobs.get((row["name"].lower(), stage)))]
    stage = (
        "attributed"
        if row["has_lines"]
        else "loaded"
        if row["has_facts"]
        else "fetched"
        if row["size"]
        else "tried"
    )
    if any(job["state"] == JobState.NOTHING for job in mine):
        stage = "without checkpoints"
    failures = [row["detail"] if row["failures"] else None, *(job["error"] for job in mine)]
    columns = ("name", "mirror", "seen", "size", "checkpoints", "sessions", "commits", "problems")
    return {
        "stage": stage,
        **{name: row[name] for name in columns},
        "failure": "; ".join(filter(None, failures)),
    }


JOBS = 4  # transfers at a time


@dataclass(frozen=True)
class FetchPlan:
    """How mirrors are brought up to date."""

    root: Path  # of all mirrors
    options: FetchOptions = field(default_factory=FetchOptions)
    remote: Remote = field(default_factory=Remote)


def fetch(
    store: Store, sources: Sequence[RepositorySource], plan: FetchPlan
) -> Iterator[FetchResult]:
    """Fetches each and notes what became of it.

    Ends early when the disk is full: the others are left for the next run.

    A name whose repository has another one has the state `moved` and no row; the repository has a
    result of its own.
    """
    mirrors = Mirrors(plan.root)
    fetched = set()
    # Mirrors come first: then it is known which of them were renamed when a name comes that is new.
    batch = [repository for repository in sources if mirrors.path(repository.name).is_dir()]
    requests = [(repository.name, repository) for repository in sources if repository not in batch]
    for _ in range(REDIRECTS):
        fetched |= {repository.name for repository in batch}
        for result in _fetch_each(batch, plan):
            with store.transaction():
                note(store, result)
            if result.state == "moved":
                try:
                    requests.append((result.name, moved_source(result.address)))
                    continue
                except BadName as error:
                    result = replace(
                        result,
                        state="failed",
                        detail=f"the server sends us to another address: {error}",
                    )
            if result.news:
                result.news += _twin(store, result)
            yield result
            if result.state == "disk_full":
                return
        here = name_sources(store, (repository for _, repository in requests))
        present = ((name, here[repository.place()]) for name, repository in requests)
        yield from (
            _result_of_old_name(store, name, today) for name, today in present if today.name != name
        )
        allowed = not_forgotten(store, here.values())
        batch = list(
            {
                repository.name: repository
                for repository in allowed
                if repository.name not in fetched
            }.values()
        )
        requests = []
        if not batch:
            return
    for repository in batch:
        yield FetchResult(
            repository.name, repository.url, detail="the server sends us from address to address"
        )


def _result_of_old_name(store: Store, name: str, present: RepositorySource) -> FetchResult:
    """What became of an old name."""
    if not not_forgotten(store, [present]):
        return FetchResult(
            name,
            present.url,
            "moved",
            detail=f"it is {present.name}, which was removed with collect forget",
        )
    return FetchResult(
        name, present.url, "moved", detail=f"it is {present.name}", same_as=present.name
    )


def _twin(store: Store, result: FetchResult) -> str:
    """Words about a second mirror of a repository that was renamed."""
    for other in mirrored_sources(store):
        if other.name != result.name and same_place(other.url, result.url):
            return (
                f"; {other.name} is the same, and to keep one of the two, run: collect forget"
                f" {result.name}"
            )
    return ""


def _fetch_each(sources: Iterable[RepositorySource], plan: FetchPlan) -> Iterator[FetchResult]:
    """Results as they come; threads are enough, because git does the work."""
    mirrors = Mirrors(plan.root)

    def work(repository: RepositorySource) -> FetchResult:
        try:
            return update_mirror(repository, mirrors, plan.remote, plan.options)
        except WhoWroteError as error:
            return FetchResult(repository.name, repository.url, detail=str(error))

    with ThreadPoolExecutor(JOBS, "fetch") as pool:
        try:
            for future in as_completed([pool.submit(work, repository) for repository in sources]):
                yield future.result()
        # also when nobody asks for more results: transfers would go on for an hour
        except BaseException:
            plan.remote.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
