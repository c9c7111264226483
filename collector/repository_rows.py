"""Maps clones to rows of a database. A repository is claimed before anything is written about it.

The row says what the repository is: the address of its remote, the first commit of its main line,
and where its clone was. A clone of the same owner/name on another server gets a name with its host,
and one that is only called like its directory the directories above it; any other repository is
refused under the same name, and takes another one with `whowrote repo --name`.
"""

from typing import NamedTuple

from collector.errors import WhoWroteError
from collector.git.releases import first_releases, tags_of
from collector.git.repository import GitRepo
from collector.repository_names import name_with_host, on_other_server
from collector.runtime.stages import RunContext, Stage, StageName, digest
from collector.storage.store import Store
from collector.text import printable

RELEASES = Stage(StageName.RELEASES, "1")


class NameTaken(WhoWroteError):
    """The database has another repository of this name."""


class _Row(NamedTuple):
    id: int
    name: str
    path: str | None
    url: str | None
    root_sha: str | None
    head_sha: str | None


_ROWS = "SELECT id, name, path, url, root_sha, head_sha FROM repos"


def repo_name(repo: GitRepo) -> str:
    """The name that its mirror has, else owner/name from the remote's address, else the
    directory's name; printable.
    """
    if configured := printable(repo.given_name()):
        return configured
    url = printable(repo.remote_url()).removesuffix(".git").rstrip("/")
    if url:
        parts = url.replace(":", "/").split("/")
        if len(parts) > 1:
            return "/".join(parts[-2:])
        return parts[-1]
    return _directory_names(repo)[0]


def _directory_names(repo: GitRepo) -> list[str]:
    """The name of the directory of a clone, then with the directories above it, which tell
    clones of equal names apart.
    """
    path = repo.common_dir()
    path = (
        path.parent
        if path.name == ".git"
        else path.with_name(path.name.removesuffix(".git") or path.name)
    )
    parts = [printable(part) for part in path.parts[1:]]
    return ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)] or [""]


def find_repo(store: Store, repo: GitRepo, name: str = "") -> int | None:
    """Number of the row of a clone, None when it has none.

    `name` is a name that the user chose. Raises NameTaken.
    """
    if not name:
        for row in store.select(_Row, f"{_ROWS} WHERE path = ?", (printable(str(repo.path)),)):
            if _is_same(row, repo):
                return row.id
    return _find_name(store, repo, name)[1]


def _find_name(store: Store, repo: GitRepo, name: str) -> tuple[str, int | None]:
    """The name of a clone in this database, and the number of its row if it has one.

    Raises NameTaken.

    The repository that was there first keeps its name: this one is called host/owner/name when it
    is on another server, and like more of its directories when it has no other name than theirs.
    """
    wanted_name = printable(name) or repo_name(repo)
    row = store.select_one(_Row, f"{_ROWS} WHERE name = ?", (wanted_name,))
    further = iter(() if row is None or name or _is_same(row, repo) else _further_names(row, repo))
    while row is not None and not _is_same(row, repo) and (wanted_name := next(further, "")):
        row = store.select_one(_Row, f"{_ROWS} WHERE name = ? COLLATE NOCASE", (wanted_name,))
    if row is None or _is_same(row, repo):
        if not row:
            return (wanted_name, None)
        return (row.name, row.id)
    raise NameTaken(
        f"{store.path} holds another repository named {row.name}: {row.path}",
        "Choose a name for this one: whowrote repo PATH --name NAME\nOr use another file: --db"
        " FILE",
    )


def _further_names(namesake: _Row, repo: GitRepo) -> list[str]:
    """What a clone is called when another repository has its name."""
    url = repo.remote_url()
    if on_other_server(namesake.url or "", url):
        return [name_with_host(printable(url))]
    if url or repo.given_name():
        return []
    return _directory_names(repo)[1:]


def claim_repo(store: Store, repo: GitRepo, name: str = "") -> int:
    """Number of the row of a clone; a new one says whose it is, and nothing else.

    Raises NameTaken.
    """
    repo_id = find_repo(store, repo, name)
    if (
        repo_id is not None
        and store.value("SELECT root_sha FROM repos WHERE id = ?", (repo_id,)) is not None
    ):
        return repo_id
    root = repo.first_commit()  # outside the transaction: it takes time
    if repo_id is not None and (root is None or store.is_read_only):
        return repo_id
    with store.transaction() as connection:
        # a row that had no first commit yet
        connection.execute("UPDATE repos SET root_sha = ? WHERE id = ?", (root, repo_id))
        repo_id = find_repo(store, repo, name)  # another run may have been faster
        if repo_id is None:
            values = (
                _find_name(store, repo, name)[0],
                str(repo.path),
                repo.remote_url() or None,
                root,
            )
            connection.execute(
                "INSERT INTO repos (name, path, url, root_sha) VALUES (?, ?, ?, ?)", values
            )
    return repo_id or claim_repo(store, repo, name)


def give_up_claim(store: Store, repo_id: int) -> None:
    """Removes the row of a repository about which nothing was written."""
    with store.transaction() as connection:
        connection.execute(
            "DELETE FROM repos WHERE id = ? AND head_sha IS NULL "
            "AND NOT EXISTS (SELECT 1 FROM stage_runs WHERE repo_id = repos.id) "
            "AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE repo_id = repos.id)",
            (repo_id,),
        )


def _is_same(row: _Row, repo: GitRepo) -> bool:
    url = printable(repo.remote_url())
    # a mirror of it has the same commits
    if row.path != printable(str(repo.path)) and on_other_server(row.url or "", url):
        return False
    if row.path is None or (row.url and row.url == url):
        return True
    if row.head_sha and repo.has(row.head_sha):
        return True
    if row.path == printable(str(repo.path)):  # what is there now replaces what was there
        return not row.url or not url
    return not row.head_sha and row.root_sha is not None and row.root_sha == repo.first_commit()


def name_branch(store: Store, repo_id: int, branch: str) -> None:
    """Stores under which name the attributed commit was asked for: newer ones are looked for on
    that branch.
    """
    if store.value("SELECT branch FROM repos WHERE id = ?", (repo_id,)) != branch:
        with store.transaction() as connection:
            connection.execute("UPDATE repos SET branch = ? WHERE id = ?", (branch, repo_id))


def describe_repo(context: RunContext, branch: str, head: str) -> None:
    """Describes the clone as it was when it was attributed.

    Call within the transaction that writes the conclusions.
    """
    repo = context.repo
    censored = repo.censored()
    values = (
        str(repo.path),
        repo.remote_url() or None,
        branch,
        head,
        int(bool(censored.shallow)),
        int(censored.partial),
    )
    context.store.connection.execute(
        "UPDATE repos SET path = ?, url = ?, branch = ?, head_sha = ?, shallow = ?, partial = ?,"
        " root_sha = ? WHERE id = ?",
        (*values, repo.first_commit(), context.repo_id),
    )


def name_releases(store: Store, repo_id: int, repo: GitRepo, head: str) -> None:
    """Stores with which release each commit came out, where tags or commits have changed."""
    tags = tags_of(repo)
    run = RELEASES.start(store, repo_id, digest(head, *map(" ".join, sorted(tags.items()))))
    if run.is_current:
        return
    # releases of other branches have commits of this one too
    found = first_releases(tags, repo.history_of([head, *sorted(tags)])) if tags else {}
    commits = store.rows("SELECT id, commit_sha FROM commits WHERE repo_id = ?", (repo_id,))
    with run.writing() as connection:
        connection.executemany(
            "UPDATE commits SET release = ? WHERE id = ?",
            (
                (store.policy.text(found.get(commit["commit_sha"])), commit["id"])
                for commit in commits
            ),
        )
