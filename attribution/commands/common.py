"""What the commands share: the clone or database they work on, the forms in which they print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.console.terminal import Reporter, notice, write_csv, write_json
from collector.json_values import plain

if TYPE_CHECKING:
    from attribution.queries.open_repo import LineRange, OpenRepo
    from collector.local.model import LocalOptions
    from collector.runtime.progress import Progress
    from collector.storage.store import Store

PATH = click.argument("path", required=False)
COMMIT = click.option(
    "--commit",
    default="",
    metavar="SHA",
    help="Show the file as of this commit.  [default: what is checked out]",
)


def file_and_lines(argument: str) -> tuple[str, LineRange | None]:
    """FILE, FILE:10 or FILE:10-20: the file, and lines of it when some are named."""
    from attribution.queries.open_repo import LineRange

    name, _, lines = argument.rpartition(":")
    first, dash, last = lines.partition("-")
    last = last if dash else first
    if not (name and _is_number(first) and _is_number(last)):
        return argument, None
    if int(first) < 1:
        raise click.UsageError(f"{argument}: lines are counted from 1")
    if int(first) > int(last):
        raise click.UsageError(f"{argument}: the lines {lines} are not in order")
    return name, LineRange(int(first), int(last))


def blamed_lines(argument: str) -> LineRange | tuple[()]:
    """`-L` of git blame: `10,20`, `10,+5` (five lines), `10` or `10,` (to the end), `,20`;
    without it, every line.
    """
    from attribution.queries.open_repo import LineRange

    if not argument:
        return ()
    first, _, last = argument.partition(",")
    count = last.startswith("+")
    last = last.removeprefix("+")
    if not all(_is_number(part) for part in (first, last) if part) or not (first or last):
        raise click.UsageError(f"-L {argument}: use for example -L 10,20 or -L 10,+5")
    start = int(first or 1)
    end = (start + int(last) - 1 if count else int(last)) if last else None
    if start < 1:
        raise click.UsageError(f"-L {argument}: lines are counted from 1")
    if end is not None and end < start:
        raise click.UsageError(f"-L {argument}: these lines are not in order")
    return LineRange(start, end)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def here() -> str:
    """The clone around the current directory."""
    from collector.storage.places import clone_around

    clone = clone_around(".")
    if clone is None:
        raise click.UsageError("the current directory is in no clone: name one with PATH")
    return str(clone)


def range_and_clone(commits: str, path: str | None) -> tuple[str, str]:
    """In either order. A clone that stands alone is no range: `log PATH` means all of it."""
    from collector.storage.places import clone_around

    is_clone = (
        commits
        and ".." not in commits.replace("../", "")
        and clone_around(commits) == Path(commits).resolve()
    )
    if is_clone and (path is None or not Path(path).exists()):
        return path or "", commits
    return commits, path or here()


class TakesClone(click.Group):
    """Takes the path of a clone in place of a command: its database is the one that is meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # options may follow these words, as they follow the arguments of other commands
        ctx.allow_interspersed_args = not any(word in self.commands for word in args)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from collector.storage.places import default_database

        word = args[0]
        if word in self.commands or not Path(word).is_dir():
            return super().resolve_command(ctx, args)
        if ctx.get_parameter_source("db") is click.core.ParameterSource.DEFAULT:
            ctx.params["db"] = default_database({"path": word})
        with open_clone(word, ctx.params["db"]):  # attributed first when needed
            pass
        return self.resolve_command(ctx, args[1:]) if args[1:] else (None, click.Command(None), [])


def clone_and_file(arguments: Sequence[str]) -> tuple[str, str]:
    """[PATH] FILE: the clone, and the file from its top.

    Without PATH, FILE is relative to the current directory, as in git.
    """
    from collector.storage.places import file_in_clone

    if len(arguments) > 2:
        raise click.UsageError("name one clone and one file")
    if len(arguments) == 2:
        return arguments[0], arguments[1]
    clone = here()
    return clone, file_in_clone(Path(clone), arguments[0])


def local_options(local: str, transcripts: Sequence[Path], was_at: Sequence[str]) -> LocalOptions:
    """What the options of `LOCAL` say.

    A directory that is named is read also beside checkpoints.
    """
    from collector.local.model import LocalChoice, LocalOptions

    choice = LocalChoice.ALWAYS if transcripts and local == LocalChoice.AUTO else LocalChoice(local)
    return LocalOptions(choice, tuple(transcripts), tuple(was_at))


def _silent(text: str) -> None:
    """Takes a notice that nobody wants."""


@contextmanager
def open_clone(path: str, db: Path, quiet: bool = False) -> Iterator[OpenRepo]:
    """The clone at `path` with its database, attributed first when needed."""
    from attribution.ensure.clone import attributed_clone
    from collector.git.repository import GitRepo
    from collector.storage.store import Store

    clone = GitRepo(path)  # first: no database is created for a path that is not a clone
    with Store(db) as store:
        with Reporter(path, quiet) as progress:
            opened = attributed_clone(store, clone, _silent if quiet else notice, progress)
        yield opened


@contextmanager
def database(
    path: str | None,
    db: Path,
    now: bool = False,
    prepare: Callable[[OpenRepo, Progress], object] = lambda opened, progress: None,
) -> Iterator[tuple[Store, int | None]]:
    """The database, and the number of the repository at `path`, attributed first when needed.

    `now`: with the commits and sessions of what is checked out. `prepare` brings what else is asked
    for up to date.
    """
    from collector.storage.places import clone_of
    from collector.storage.store import Store

    path = path or clone_of(db)
    if path is None:
        with Store(db, create=False) as store:
            yield store, None
        return
    with open_clone(path, db) as opened:
        if now and opened.complete is not None:
            opened.complete(opened, ())
        with Reporter(path) as progress:
            prepare(opened, progress)
        for note in opened.notes:  # what is listed is of another state
            notice(note)
        yield opened.store, opened.repo_id


@contextmanager
def follow_clone(
    path: str, db: Path, full: bool | None, exact: bool | None, quiet: bool = False
) -> Iterator[tuple[OpenRepo, list[str]]]:
    """The clone at `path` with the history of its lines brought up to date; None: as it was
    stored.
    """
    from attribution.ensure.history import lines_followed
    from attribution.lineage.requests import HistoryRequest

    request = HistoryRequest(full, None if exact is None else not exact)
    with open_clone(path, db, quiet) as opened:
        with Reporter(path, quiet) as progress:
            notes = lines_followed(opened, request, progress)
        yield opened, notes


def print_one(output_format: str, value: Any, view: Callable[[Any], None]) -> None:
    if output_format == "csv":
        print_rows(
            output_format,
            [{k: v for k, v in plain(value).items() if not isinstance(v, list | dict)}],
            None,
        )
    elif output_format == "json":
        write_json(plain(value))
    else:
        from attribution import terminal

        view(terminal)


def print_rows(output_format: str, rows: Sequence[Any], view: Callable[[Any], None] | None) -> None:
    if output_format == "json":
        write_json([plain(row) for row in rows])
    elif output_format == "csv":
        values = [plain(row) for row in rows]
        write_csv(list(values[0]) if values else [], values)
    elif view is not None:
        from attribution import terminal

        view(terminal)
