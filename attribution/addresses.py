"""Addresses of our pages: names, paths, ids of commits, the agents' ids of sessions; never numbers
of rows.

Below `/-/whowrote/DATABASE`: `OWNER/NAME`, `OWNER/NAME/PATH@COMMIT`, `OWNER/NAME/-/commit/ID`;
`-/search` for all.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, unquote, urlencode

REPOSITORY = (
    "commits",
    "commit",
    "tree",
    "file",
    "sessions",
    "session",
    "turns",
    "since",
    "compare",
)
DATABASE = ("search", "go")
_COMMIT = re.compile(r"(.+)@([0-9a-f]{4,64})", re.DOTALL)
_ORIGIN = re.compile(
    r"(?:https://|ssh://git@|git@)([A-Za-z0-9.-]+\.[A-Za-z]{2,})[/:]([\w.~-]+(?:/[\w.~-]+)+)"
)
_DIGITS = 12  # of a commit in the address of a file
_MARK = "-"


class Place(NamedTuple):
    """What an address names."""

    repo: str  # "" for all repositories
    kind: str  # of REPOSITORY or DATABASE; "" is the overview
    rest: str  # path, id or key
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Makes addresses below `base`; "" where there are no pages to link to."""

    base: str

    def __bool__(self) -> bool:
        return bool(self.base)

    def repo(self, repo: str, kind: str = "", name: str = "", **parameters: object) -> str:
        """A page of a repository."""
        parts = [self.base, *(quote(part, safe="") for part in repo.split("/"))]
        parts += [_MARK, kind] if kind else []
        parts += [quote(name, safe="/" if kind == "tree" else "")] if name else []
        return "/".join(parts) + _query(parameters)

    def file(self, repo: str, path: str, commit: str, **parameters: object) -> str:
        segments = path.split("/")
        marked = [_MARK, "file"] if _MARK in segments else []
        parts = [self.base, *repo.split("/"), *marked, *segments]
        quoted = "/".join([parts[0], *(quote(part, safe="") for part in parts[1:])])
        return f"{quoted}@{commit[:_DIGITS]}" + _query(parameters)

    def commit(self, repo: str, sha: str) -> str:
        return self.repo(repo, "commit", sha[:_DIGITS])

    def session(self, repo: str, key: str, turn: int | None = None) -> str:
        """A session, at one of its turns where one is given."""
        return self.repo(repo, "session", key) + (
            f"?from={turn}#T{turn}" if turn is not None else ""
        )

    def all(self, kind: str, path: str = "", **parameters: object) -> str:
        """A page of the whole database."""
        return "/".join(
            [self.base, _MARK, kind, *([quote(path, safe="/")] if path else [])]
        ) + _query(parameters)


def _query(parameters: dict[str, object]) -> str:
    filled = {name: value for name, value in parameters.items() if value not in (None, "")}
    return f"?{urlencode(filled)}" if filled else ""


def place(address: str, repos: Collection[str], further: Collection[str] = ()) -> Place | None:
    """What an address, as the browser sent it, names below the one of a database; None for nothing
    that can exist.

    `further`: kinds of pages of a repository beside ours.
    """
    segments = [unquote(part, errors="replace") for part in address.split("/")]
    if "\0" in "".join(segments):
        return None
    if segments[0] == _MARK:
        is_page = len(segments) > 1 and segments[1] in DATABASE
        return Place("", segments[1], "/".join(segments[2:])) if is_page else None
    for count in range(len(segments), 0, -1):
        name = "/".join(segments[:count])
        if name in repos:
            return _page_of(name, segments[count:], {*REPOSITORY, *further})
    return None


def _page_of(name: str, segments: list[str], kinds: Collection[str]) -> Place:
    if not any(segments):
        return Place(name, "", "")
    if segments[0] == _MARK and len(segments) > 1 and segments[1] in kinds:
        kind = segments[1]
        path = "/".join(segments[2:])
        return _file(name, path) if kind == "file" else Place(name, kind, path)
    return _file(name, "/".join(segments))


def _file(name: str, path: str) -> Place:
    match = _COMMIT.fullmatch(path)
    return Place(name, "file", match[1], match[2]) if match else Place(name, "file", path)


def forge(url: str | None) -> str:
    """The page of a repository on its forge; "" unless origin is plain https or ssh to a host
    with a name.
    """
    match = _ORIGIN.fullmatch((url or "").rstrip("/").removesuffix(".git"))
    return f"https://{match[1]}/{match[2]}" if match else ""
