"""What the core asks of plug-ins about conclusions.

They fill tables of their own, and add sections to pages and answers. What a section is about is
its subject.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import collector.hooks
from collector.json_values import Row

if TYPE_CHECKING:
    from attribution.addresses import Addresses
    from collector.storage.store import Store
    from collector.storage.views import Table


Chapters = dict[str, "Callable[[Store], list[Table]]"]
"""Name of a chapter -> what makes its tables from a database."""


class OfSession(NamedTuple):
    """The page of a session."""

    session_id: int
    to: Addresses


class OfRepository(NamedTuple):
    """The page of a repository; in `report`, `to` is without a base."""

    repo_id: int
    to: Addresses


class OfCommit(NamedTuple):
    """The page of a commit."""

    commit_id: int
    to: Addresses


class OfSearch(NamedTuple):
    """Results that have all terms; `repo`: only of the repository of that name."""

    terms: Sequence[str]
    repo: str
    to: Addresses


class OfFile(NamedTuple):
    """A file at HEAD: a row has `line`, `head`, `text` and `source` of a note beside a line."""

    repo_id: int
    path: str


class OfLine(NamedTuple):
    """One line explained: rows for JSON, and the same in words."""

    repo_id: int
    sha: str
    path: str
    line: int


class OfComment(NamedTuple):
    """A comment on a pull request with these commits: words are lines of Markdown."""

    shas: Collection[str]


class OfUndeclared(NamedTuple):
    """Whose the undeclared lines of repositories are: a sentence, or none."""

    repos: Sequence[int]


class OfCounts(NamedTuple):
    """Lines counted beside the classes of a repository: a row has `lines`, words a meaning."""

    repo_id: int


Subject = (
    OfSession
    | OfRepository
    | OfCommit
    | OfSearch
    | OfFile
    | OfLine
    | OfComment
    | OfUndeclared
    | OfCounts
)


class Section(NamedTuple):
    """What a plug-in says about a subject; each subject shows what it has a use for."""

    title: str = ""
    html: str = ""
    name: str = ""  # in JSON
    rows: Sequence[Row] = ()
    words: Sequence[str] = ()


class Plugin(collector.hooks.Plugin):
    """What the core asks of a plug-in about conclusions beside what it asks of every plug-in."""

    version: ClassVar[str] = ""
    """Changes when `settled` would fill in other values."""

    def settled(self, store: Store, repo_id: int) -> None:
        """Fills tables of the plug-in when the lines, features, turns or fates of a repository
        have changed, in the same transaction.
        """

    def sections(self, store: Store, subject: Subject) -> Iterable[Section]:
        return ()

    def chapters(self) -> Chapters:
        """Name -> tables of a database, for `Database.chapter`.

        The functions raise WhoWroteError where there is nothing to tell.
        """
        return {}

    def events(self) -> Sequence[str]:
        """SELECTs of events and the lines that they are counted on, behind the columns of a place
        (`attribution/queries/breakdown_facts.py`), for a column of `report --by`.
        """
        return ()


def plugins() -> Iterator[Plugin]:
    return (each for each in collector.hooks.plugins() if isinstance(each, Plugin))


def sections(store: Store, subject: Subject) -> list[Section]:
    """What all plug-ins say about a subject."""
    return [section for each in plugins() for section in each.sections(store, subject)]


def chapters() -> Chapters:
    """The chapters of all plug-ins."""
    return {name: tables for each in plugins() for name, tables in each.chapters().items()}
