"""Where a command works when it is not told: the clone around the current directory, and a database
of its own for each clone.

A database holds prompts and must not end up in a commit, so it lies in the user's data directory,
not in the worktree.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from collector.json_values import Row

# a database in the current directory, of several repositories for example, comes first
NAME = "whowrote.db"
_OWN_DATA = Path("~/.local/share/whowrote")  # where data lies when nothing else is configured


def clone_around(path: str | Path) -> Path | None:
    """The worktree or bare repository that holds a path; None outside of any.

    Reads names alone: nothing is opened.
    """
    start = Path(path).resolve()
    for directory in (start, *start.parents):
        is_bare = (
            (directory / "HEAD").is_file()
            and (directory / "objects").is_dir()
            and (directory / "refs").is_dir()
        )
        if is_bare or (directory / ".git").exists():
            return directory
    return None


def is_address(text: str) -> bool:
    """Whether it names a repository on a server, and not a directory."""
    return text.startswith(("https://", "http://", "file://", "git@", "ssh://"))


def database_of(clone: Path) -> Path:
    """Where the database of a clone is by default; all worktrees of a repository share it."""
    common = _common_directory(clone)
    name = common.parent.name if common.name == ".git" else common.name.removesuffix(".git")
    digest = hashlib.sha256(os.fsencode(common)).hexdigest()[:8]
    file = f"{name or 'repository'}-{digest}.db"
    places = [directory / file for directory in (data_directory(), _OWN_DATA.expanduser())]
    for place in places:
        if place.exists():
            return place
    return places[0]


def default_database(parameters: Row) -> Path:
    """The database for a command with these parameters: in the current directory, else of the
    clone that is named or around.
    """
    here = Path(NAME)
    named = _clone_argument(parameters)
    if is_address(named):
        if here.exists() or not clone_around("."):
            return here
        return data_directory() / NAME
    clone = clone_around(named or ".")
    if here.exists() or not clone:
        return here
    return database_of(clone)


def clone_of(db: Path) -> str | None:
    """The clone around the current directory when `db` is its default database."""
    clone = clone_around(".")
    if clone and db == database_of(clone):
        return str(clone)
    return None


def file_in_clone(clone: Path, file: str) -> str:
    """A file as named from the current directory, as the clone names it: with `/`, from its top."""
    return os.path.relpath(Path.cwd() / file, clone).replace(os.sep, "/")


def _clone_argument(parameters: Row) -> str:
    """The clone that the arguments name; "" for none.

    Arguments that were not given may hold a mark of the command-line library.
    """
    path, paths, arguments, commits = map(parameters.get, ("path", "paths", "arguments", "commits"))
    if isinstance(path, str):
        return path
    if isinstance(commits, str) and Path(commits).is_dir():  # `log PATH`
        return commits
    if isinstance(arguments, tuple) and len(arguments) > 1:
        return str(arguments[0])
    if isinstance(paths, tuple) and paths:
        return str(paths[0])
    return ""


def _common_directory(clone: Path) -> Path:
    """The `.git` that all worktrees of a repository share; the directory itself of a bare one."""
    git = clone / ".git"
    if git.is_file():
        git_directory = (
            clone / git.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
        ).resolve()
        if git_directory.parent.name == "worktrees":
            return git_directory.parent.parent
        return git_directory
    if git.exists():
        return git.resolve()
    return clone.resolve()


def data_directory() -> Path:
    """Where what is the user's lies: databases of clones, mirrors, the archive of sessions."""
    configured = Path(os.environ.get("XDG_DATA_HOME", ""))
    if configured.is_absolute():
        return configured / "whowrote"
    return _OWN_DATA.expanduser()


OFF = "off"


def configured_file(variable: str, usual: Path) -> Path | None:
    """The file that a variable of the environment names, else the usual one; None: "off"."""
    named = os.environ.get(variable, "")
    if named == OFF:
        return None
    return Path(named or usual)


def make_private(file: Path) -> None:
    """Lets its owner alone read and write a file, which is made where there is none."""
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    file.chmod(0o600)


def cache_directory() -> Path:
    """Where what can be made again is kept for all databases of the user."""
    home = (
        os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    )
    return Path(home) / "whowrote"


def mirrors_directory() -> Path:
    """Where repositories are mirrored that were named by their address."""
    return data_directory() / "mirrors"


def is_own_mirror(path: str) -> bool:
    return Path(path).is_relative_to(mirrors_directory())


def prepare(db: Path) -> None:
    """Makes the directory of default databases when `db` is to be in it; readable by its owner
    alone.

    Programs that start servers often pass no configuration on: a link where these look first leads
    to a database that is elsewhere.
    """
    if db.parent != data_directory():
        return
    db.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    link = _OWN_DATA.expanduser() / db.name
    if link != db and not db.exists():
        with suppress(OSError):
            link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            link.symlink_to(db)
