"""Since when agents took part in the versions that a lock file pins, as clones of their sources
tell.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from attribution.queries.breakdown import LOOKED_FOR, first_sign, share_of_agents
from attribution.queries.breakdown_facts import BreakdownOptions, commit_signs, line_cells
from attribution.queries.open_repo import OpenRepo
from collector.errors import WhoWroteError
from collector.git.releases import tag_of
from collector.git.repository import GitRepo
from collector.json_values import Row, get, get_str, load_json
from collector.repository_rows import repo_name
from collector.storage.places import clone_around
from collector.storage.views import Table, table_of

_GROUPS = ("package", "packages", "packages-dev", "dependencies", "default", "develop")
_MANIFESTS = {
    "package.json": ("name",),
    "composer.json": ("name",),
    "Cargo.toml": ("package", "name"),
    "pyproject.toml": ("project", "name"),
}
_PINNED = re.compile(
    r"^(?P<pip>[A-Za-z0-9][\w.-]*)(?:\[[^]\n]*\])? *==([^\s;\\]+)"
    r"|^(?P<go>\S+\.\S+/\S+) v([^\s/]+) h1:"
    r"|^ {4}(?P<bundler>[\w.-]+) \(([^()\s]+)\)$"
    r"|^\"?(?P<yarn>@?[^@\"\s]+)@[^\n]+:\n +version:? \"?([^\"\s]+)"
    r"|^ {2}['\"]?/?(?P<pnpm>@?[^@\s'\"]+)@([^:('\"\s]+)[^\n]*:$",
    re.MULTILINE,
)
_MODULE = re.compile(r"\s*module\s+(\S+)")
_HOST = re.compile(r"^[\w-]+(?:\.[\w-]+)+/([^/]+/[^/]+).*")  # of a module of Go


NO_SOURCE = "no source given"


class Dependency(NamedTuple):
    dependency: str
    version: str


def dependencies(lock: Path) -> list[Dependency]:
    """What a lock file of npm, yarn, pnpm, Composer, pip, Poetry, uv, PDM, Pipenv, Cargo, Go or
    Bundler pins, in order of names.

    Raises WhoWroteError where nothing is pinned.
    """
    text = lock.read_text("utf-8", "replace")
    pinned = _pinned_in_data(text) or [
        tuple(filter(None, match.groups())) for match in _PINNED.finditer(text)
    ]
    found = {
        Dependency(name, version.lstrip("=v").removesuffix("+incompatible"))
        for name, version in pinned
        if version
    }
    if not found:
        raise WhoWroteError(f"no version of a package is pinned in {lock}")
    return sorted(found)


def _pinned_in_data(text: str) -> list[tuple[str, ...]]:
    """The names and versions of a file in TOML or JSON; none of any other."""
    data = _parse(text)
    groups = (get(data, name) for name in _GROUPS)
    return [pair for group in groups for pair in _pairs(group)]


def _parse(text: str) -> object:
    for read in (tomllib.loads, load_json):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _pairs(packages: object) -> Iterator[tuple[str, str]]:
    """Of a list of packages, or of a mapping from their names or directories."""
    if isinstance(packages, dict):
        named = [(key.rpartition("node_modules/")[2], each) for key, each in packages.items()]
    else:
        named = [("", each) for each in packages] if isinstance(packages, list) else []
    for name, package in named:
        yield get_str(package, "name") or name, get_str(package, "version")


def sources(directories: Sequence[Path]) -> dict[str, Path]:
    """Name of a package -> the clone of its source, of these directories and those directly in
    them.

    A clone has the name that its manifest has, else its origin's, else its directory's.
    """
    named: list[tuple[int, str, Path]] = []
    for given in directories:
        for directory in (given, *given.iterdir()):
            if clone_around(directory) == directory.resolve():
                names = _names(GitRepo(directory))
                named += [(rank, name, directory) for rank, name in enumerate(names) if name]
    return {_plain(name): directory for _, name, directory in sorted(named, reverse=True)}


def _names(repo: GitRepo) -> Iterator[str]:
    """By falling reliability; "" where there is none."""
    head = repo.default_branch().sha
    for manifest, keys in _MANIFESTS.items():
        yield get_str(get(_parse(_text(repo, head, manifest)), *keys[:-1]), keys[-1])
    module = _MODULE.match(_text(repo, head, "go.mod"))
    yield module[1] if module else ""
    name = repo_name(repo)
    yield from (name, name.rpartition("/")[2], repo.path.name)


def _text(repo: GitRepo, commit: str, path: str) -> str:
    oid = repo.file_at(commit, path)
    content = repo.text_blob(oid) if oid else None
    return (content or b"").decode("utf-8", "replace")


def _plain(name: str) -> str:
    """Package indexes tell neither case nor `-`, `_` and `.` apart."""
    return re.sub(r"[-_.]+", "-", _HOST.sub(r"\1", name).lower())


def source_of(dependency: Dependency, found: Mapping[str, Path]) -> Path | None:
    return found.get(_plain(dependency.dependency))


def row_of(dependency: Dependency, clone: OpenRepo | None) -> Row:
    """What is known of a version; its lines are those of the commits that its tag has."""
    row: Row = {**dependency._asdict(), "found": NO_SOURCE}
    if clone is None:
        return row
    tag = tag_of(clone.repo, dependency.dependency, dependency.version)
    if tag is None:
        return row | {"source": clone.name, "found": "no tag of this version"}
    ids = {commit.sha for commit in clone.repo.history(tag.sha)}
    commits = clone.store.rows(
        "SELECT id, commit_sha FROM commits WHERE repo_id = ?", (clone.repo_id,)
    )
    read = {commit["id"] for commit in commits if commit["commit_sha"] in ids}
    options = BreakdownOptions(repository=clone.name)
    cells = [cell for cell in line_cells(clone.store, options) if cell.commit_id in read]
    signs = commit_signs(clone.store, options)
    sign = first_sign([each for each in signs if each.commit_id in read])
    return row | {
        "found": "agents" if sign else "no sign of an agent",
        "source": clone.name,
        "tag": tag.name,
        "since_release": sign.release if sign else None,
        "since_day": sign.day if sign else None,
        "commits": len(read),
        "commits_not_attributed": len(ids) - len(read),
        "lines": sum(cell.lines for cell in cells),
        **share_of_agents(cells),
    }


def dependency_table(rows: Sequence[Row]) -> Table:
    """The rows, with how many there are of each kind."""
    kinds = Counter(row["found"] for row in rows)
    notes = [", ".join(f"{kind}: {count}" for kind, count in kinds.items())]
    if any(row.get("commits_not_attributed") for row in rows):
        notes.append("some versions have commits that the attributed branch has not")
    units = {"agent_or_declared_share": "share", "since_day": "date"}
    return table_of(rows, units, [*notes, f"no sign is not no agent; {LOOKED_FOR}"])
