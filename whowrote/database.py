"""A database of attributed repositories: the questions that the commands ask, answered with
typed rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collector.errors import WhoWroteError
from collector.json_values import Row, Texts
from collector.storage.places import clone_around, default_database
from collector.vocabulary.lines import LINE_CLASSES, FileKind
from whowrote.rows import Report, Rows

if TYPE_CHECKING:
    import pandas

    from attribution.queries.blame import BlameLine, Block
    from attribution.queries.commit_range import RangeStats
    from attribution.queries.explain import LineExplanation
    from attribution.queries.open_repo import OpenRepo
    from attribution.queries.repositories import RepositoryRow
    from attribution.queries.session_page import SessionPage
    from attribution.queries.survival import SurvivalReport
    from collector.storage.store import Store

Names = str | Sequence[str]
"""A name, or several."""


def open_database(path: str | Path = ".", db: str | Path | None = None) -> Database:
    """A clone, or a database file. A clone is attributed first when its database does not know it.

    `path` is a database file, a clone or any directory of its worktree. `db` is the database of a
    clone; by default it is the one that the commands use. The clone is only read. Raises
    NotARepository, DatabaseUnusable.
    """
    from collector.git.repository import GitRepo
    from collector.storage.store import Store

    path = Path(path)
    if db is None and not path.is_dir():
        return Database(Store(path, create=False))
    clone = str(clone_around(path) or path)
    GitRepo(clone)  # no database is made for a path that is not a clone
    store = Store(default_database({"path": clone}) if db is None else db)
    try:
        return Database(store, clone)
    except BaseException:
        store.close()
        raise


def example(directory: str | Path) -> Path:
    """Makes the example in a directory: a clone of a small project with three recorded sessions.

    Returns its path.
    """
    from attribution.demo import make

    return make(Path(directory))


def _names(names: Names) -> tuple[str, ...]:
    if isinstance(names, str) and names:
        return (names,)
    return tuple(names)


def _one_of(what: str, names: Names, known: Iterable[str]) -> tuple[str, ...]:
    """The names. Raises WhoWroteError when one is not known."""
    chosen = _names(names)
    every = [str(name) for name in known]
    unknown = [name for name in chosen if name not in every]
    if unknown:
        raise WhoWroteError(f"no {what} {unknown[0]}", f"Choose from: {', '.join(every)}")
    return chosen


def _day(text: str) -> str:
    """A day in ISO 8601, or "". Raises WhoWroteError."""
    try:
        return text and date.fromisoformat(text[:10]).isoformat() + text[10:]
    except ValueError:
        raise WhoWroteError(f"{text} is not a day", "Write it as 2026-03-09") from None


class Database:
    """What `whowrote.open` returns; use it in a `with` statement, or close it.

    Not for several threads at once.

    Opened on a clone, it answers for that repository. Opened on a file, it answers for all
    repositories, and questions about a file or a line need `repo`, the name of one, when there are
    several.
    """

    def __init__(self, store: Store, clone: str = "") -> None:
        """Over an open store; `clone` is attributed first when needed.

        Raises what `attributed_clone` raises.
        """
        self._store = store
        self._clone = clone
        self._repo: int | None = self._open_path(clone).repo_id if clone else None

    def __repr__(self) -> str:
        names = [row.name for row in self.repositories()]
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        return f"<whowrote.Database {self._store.path}: {shown or 'empty'}>"

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    def blocks(self, file: str, commit: str = "", repo: str = "") -> Rows[Block]:
        """The lines of a file in blocks that came the same way, with the prompt of each.

        Raises as `blame`.
        """
        from attribution.queries.blame import blame, blocks

        opened = self._clone_of(repo)
        return Rows(blocks(opened, blame(opened, file, commit)))

    def annotated(
        self, file: str, commit: str = "", repo: str = ""
    ) -> tuple[Rows[BlameLine], Rows[Block]]:
        """Lines as of `blame` and blocks as of `blocks`, for the price of one of them.

        Raises as `blame`.
        """
        from attribution.queries.blame import blame, blocks

        opened = self._clone_of(repo)
        blamed = blame(opened, file, commit)
        return Rows(blamed.lines), Rows(blocks(opened, blamed))

    def blame(self, file: str, commit: str = "", repo: str = "") -> Rows[BlameLine]:
        """Each line of a file with its author and evidence, at a commit or at HEAD of the
        attributed branch.

        Raises UnknownBranch for an unknown file or commit, WhoWroteError.
        """
        from attribution.queries.blame import blame

        return Rows(blame(self._clone_of(repo), file, commit).lines)

    def explain(self, file: str, line: int, commit: str = "", repo: str = "") -> LineExplanation:
        """One line (from 1): who wrote it, how we know, the prompt and the call behind it.

        Raises as `blame`.
        """
        from attribution.queries.explain import explain

        return explain(self._clone_of(repo), file, line, commit)

    def lines(
        self,
        path: Names = (),
        cls: Names = (),
        kind: Names = (),
        evidence: Names = (),
        model: Names = (),
        repo: Names = (),
    ) -> Rows[Row]:
        """Spans of added lines (rows of the view `line_spans`) with the name of their repository,
        chosen by what they are; those that are not committed are of a commit of zeros.

        Each choice is a value or several: paths as in the commits, classes (agent, declared, human,
        …), kinds of file (source, test, …), evidence, models, repositories. Raises WhoWroteError
        for a class, kind or repository that there is not.
        """
        from attribution.queries.verdicts import NO_COMMIT
        from collector.storage.views import read_view

        numbers = {row.name: row.id for row in self.repositories()}
        only = {
            "repo_id": [numbers[name] for name in _one_of("repository", repo, numbers) or numbers],
            "path": _names(path) or None,
            "class": _one_of("class", cls, LINE_CLASSES) or None,
            "kind": _one_of("kind of file", kind, FileKind) or None,
            "evidence": _names(evidence) or None,
            "model": _names(model) or None,
        }
        names = {number: name for name, number in numbers.items()}
        store, pending = self._now(changes=True)
        spans = read_view(store, "line_spans", only, "commit_id, path, start_line")
        for row in spans:
            if row["commit_sha"] in pending:
                row["commit_sha"] = NO_COMMIT
        return Rows(
            [
                {"repo": names[row["repo_id"]]}
                | {name: row[name] for name in row if name != "author"}
                for row in spans
            ]
        )

    def repositories(self) -> Rows[RepositoryRow]:
        """In order of their names."""
        from attribution.queries.repositories import all_repositories

        return Rows(all_repositories(self._store, self._repo))

    def commits(self) -> Rows[Row]:
        """Commits in order of history, with the lines with text that they add to source and test
        files by class, as `log` and the summary count them.
        """
        from collector.storage.views import read_view
        from collector.vocabulary.lines import LINE_CLASSES

        store, _ = self._now()
        rows = read_view(store, "commit_list", {"repo_id": self._repo}, "repo_id, position")
        for row in rows:  # the names of the release before, for one release
            row |= {f"{name}_lines": row[name] for name in LINE_CLASSES}
        return Rows(rows)

    def log(self, commits: str = "", since: str = "", repo: str = "") -> Rows[Row]:
        """The commits of a range (`A..B`, as in git), newest first, with their lines by class;
        `since` is a date.

        Raises UnknownBranch.
        """
        from attribution.queries.commit_range import log

        return Rows(log(self._clone_of(repo), commits, _day(since)))

    def stats(self, commits: str = "", since: str = "", repo: str = "") -> RangeStats:
        """The lines of a range of commits added up by class, kind of file, agent and model.

        Raises UnknownBranch.
        """
        from attribution.queries.commit_range import stats

        return stats(self._clone_of(repo), commits, _day(since))

    def sessions(self) -> Rows[Row]:
        """Recorded sessions of agents with their counts."""
        from attribution.queries.sessions import session_list

        return Rows(session_list(self._now()[0], self._repo))

    def turns(self, session: str = "") -> Rows[Row]:
        """What each prompt led to; `session` is the key of one, or its beginning.

        Raises WhoWroteError when none begins so.
        """
        from attribution.queries.sessions import find_session, turn_table

        store, _ = self._now()
        if session:
            find_session(store, session, self._repo)
        return Rows(turn_table(store, self._repo, session))

    def search(self, words: str) -> Rows[Row]:
        """Prompts that have all of the words, the newest first, each with an `excerpt` around
        the first word.
        """
        from attribution.queries.search import search

        repo = self.repositories()[0].name if self._repo is not None else ""
        return Rows(search(self._now()[0], words, repo)["prompts"])

    def session(self, key: str, first: int = 0) -> SessionPage:
        """One session: its turns from number `first` on, its calls, commits and features.

        `key` or the beginning of it.

        Raises WhoWroteError when none or several match.
        """
        from attribution.queries.session_page import session_page
        from attribution.queries.sessions import find_session

        store, _ = self._now()
        page = session_page(store, find_session(store, key, self._repo), first)
        if page is None:
            raise WhoWroteError(f"no such session: {key}", "Database.sessions() lists them")
        return page

    def regions(self) -> Rows[Row]:
        """Places that a session edited more than once, with each round of edits."""
        from attribution.queries.sessions import region_table

        return Rows(region_table(self._store, {"repo_id": self._repo}))

    def findings(self, confidence: Names = ()) -> Rows[Row]:
        """Weaknesses that commits introduced; `confidence` (high, medium, low) limits them.

        Raises WhoWroteError when nothing was scanned (`whowrote findings scan`).
        """
        levels = _one_of("confidence", confidence, ("high", "medium", "low"))
        return Rows(
            row
            for row in self.chapter("findings")["finding_list"]
            if self._repo in (None, row["repo_id"])
            and (not levels or (row["confidence"] or "").lower() in levels)
        )

    def survival(self, by: Names = ("class",)) -> SurvivalReport:
        """How long lines survive, by class, model, agent, session, directory or language, without
        curves.

        Opened on a clone, the history of its lines is brought up to date first. Raises
        WhoWroteError without any line history.
        """
        from attribution.ensure.history import lines_followed, survival_current
        from attribution.lineage.requests import HistoryRequest
        from attribution.lineage.survival import GROUPINGS
        from attribution.queries.survival import SurvivalOptions, history_coverage, survival_report
        from collector.runtime.progress import no_progress

        groupings = _one_of("grouping", by, GROUPINGS)
        if self._repo is not None:
            lines_followed(self._open_path(self._clone), HistoryRequest(None, None), no_progress)
            followed = [self._repo]
        else:
            followed, _ = history_coverage(self._store)
            survival_current(self._store, followed)
        return survival_report(self._store, followed, SurvivalOptions(groupings))

    def report(
        self,
        by: Names = ("month",),
        since: str = "",
        until: str = "",
        teams: Texts | None = None,
    ) -> Report:
        """Added lines by month, week, repository, team, directory, agent or person, as
        `whowrote report --by`: a row for each.

        `since` and `until` are days, `teams` patterns of e-mail addresses -> team. Raises
        WhoWroteError.
        """
        from attribution.queries.breakdown import NOT_TO_CONCLUDE, breakdown
        from attribution.queries.breakdown_facts import BreakdownOptions

        result = breakdown(
            self._store, BreakdownOptions(_names(by), _day(since), _day(until), teams or {})
        )
        return Report(result.table.rows, NOT_TO_CONCLUDE, result.table.notes)

    def tables(self) -> list[str]:
        """Tables and views in order of their names; docs/schema.md explains them."""
        return sorted(self._store.table_names())

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> Rows[Row]:
        """The rows of a SELECT over the whole database; nothing can be written. Where something
        else is checked out than what was attributed, over a copy with its commits.

        Raises DatabaseUnusable.
        """
        from collector.storage.store import Store, read_only

        if self._clone and (opened := self._open_path(self._clone)).tip != opened.head:
            store, _ = self._now()
            store.connection.execute("PRAGMA query_only = ON")
            return Rows(store.rows(query, parameters))
        with read_only(self._store.path) as connection:
            return Rows(Store.over(connection, self._store.path).rows(query, parameters))

    def frame(self, table: str) -> pandas.DataFrame:
        """A table or view as a data frame.

        Raises WhoWroteError when there is none of that name, or without pandas.
        """
        if table not in self.tables():
            raise WhoWroteError(f"no such table: {table}", "Database.tables() lists them")
        return self.sql('SELECT * FROM "' + table.replace('"', '""') + '"').to_pandas()

    def chapter(self, name: str) -> dict[str, Rows[Row]]:
        """The tables of a chapter of `whowrote report` by their names: study, grades, repairs, …
        Raises WhoWroteError.
        """
        from attribution.hooks import chapters

        every = chapters()
        if name not in every:
            raise WhoWroteError(f"no such chapter: {name}", f"Choose from: {', '.join(every)}")
        return {table.name: Rows(table.rows) for table in every[name](self._store)}

    def _open_path(self, path: str) -> OpenRepo:
        import logging

        from attribution.ensure.clone import attributed_clone
        from collector.git.repository import GitRepo

        return attributed_clone(self._store, GitRepo(path), logging.getLogger(__name__).info)

    def _now(self, changes: bool = False) -> tuple[Store, Sequence[str]]:
        """The rows with the commits and sessions of what is checked out; with `changes` also what
        is not committed, and the ids under which that stands there.
        """
        if not self._clone:
            return self._store, ()
        from attribution.queries.open_repo import with_changes

        opened = self._open_path(self._clone)
        if changes:
            with_changes(opened)
        if opened.complete is not None:
            opened.complete(opened, ())
        return opened.store, opened.unmade

    def _clone_of(self, repo: str) -> OpenRepo:
        """The clone of a repository: the one that was opened, or as it was when the database was
        made.
        """
        if self._clone and not repo:
            return self._open_path(self._clone)
        rows = [row for row in self.repositories() if repo in ("", row.name)]
        if len(rows) != 1:
            names = ", ".join(row.name for row in self.repositories())
            raise WhoWroteError(
                f"no repository {repo}" if repo else "which repository?", f"Name one of: {names}"
            )
        return self._open_path(rows[0].path or "")
