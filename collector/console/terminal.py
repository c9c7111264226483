"""What both commands share at the edge: consoles, notices, progress, data formats, and the end of
every run.

Data goes to stdout, everything else to stderr. Nothing that comes from a repository reaches a
terminal unescaped: texts pass `one_line` or `collector.text.printable`, and consoles read no
markup. rich is imported on first use, so that `--help` is quick.
"""

from __future__ import annotations

import csv
import errno
import gc
import io
import json
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from collector.console.commands import FIRST_PAGE
from collector.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_OUTPUT, WhoWroteError, device_failure
from collector.json_values import Row
from collector.text import error_text, printable, spreadsheet_safe

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from collector.runtime.workers import TaskResult

Command = Callable[..., Any]
# paths that a command is given
ANY_PATH = click.Path(path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)
EXIT_BUG = 70  # sysexits.h EX_SOFTWARE
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)  # errors that make writing impossible
# what the machine refuses, and what allows it
_SCARCE = {
    errno.EMFILE: "Allow more open files (ulimit -n 256) and run it again; finished work is kept",
    errno.ENFILE: "The machine has too many open files: end other programs and run it again",
    **dict.fromkeys(
        (errno.EROFS, errno.ENOTDIR, errno.EPERM, errno.ENAMETOOLONG),
        "Name a place that can be written: --db FILE, XDG_DATA_HOME, XDG_CACHE_HOME",
    ),
    errno.EACCES: "Change its permissions, or name another place: --db FILE, XDG_DATA_HOME",
}

EXIT_CODES = """\b
Exit codes:
    0  success
    1  a check failed (`whowrote data check`, `compare`)
    2  usage error: no such repository, branch, file or option
    3  partial success: some repositories failed or met a limit, the rest is stored
    4  no repository has a record of a coding agent (`collect run` alone)
    5  the database cannot be used
   70  internal error: please report it with the log file it names
   71  the process that did the work was killed: a crash of a native library, or no memory;
       the repository counts as failed
   74  the output cannot be written, or a file cannot be read: disk full, or a disk that fails
  130  interrupted: finished work is kept, the next run resumes
"""

_WIDE = 160  # columns in a file or pipe
# objects between two collections: with 700, what a program is made of is gone through again and
# again
_GARBAGE = 200_000
_LATE = 2.0  # seconds before progress is worth showing
_AGAIN = 30.0  # seconds between two lines of progress in a file or pipe
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def one_line(text: str) -> str:
    """Safe on one line of a terminal: control characters visible, line ends and tabs too."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def out() -> Console:
    """Console for results."""
    return _console(False)


def err() -> Console:
    """Console for everything else."""
    return _console(True)


def _console(stderr: bool) -> Console:
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with 1; `… | head` is not an error

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else _WIDE
    return Plain(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def notice(text: str) -> None:
    """A line on stderr."""
    click.echo("\n".join(map(printable, text.split("\n"))), err=True)


def complain(message: str, hint: str = "") -> None:
    """An error and what to do about it."""
    click.echo(
        click.style("error: ", fg="red", bold=True) + printable(message),
        err=True,
        color=False if os.environ.get("NO_COLOR") else None,
    )
    if hint:
        for line in hint.split("\n"):
            click.echo("  " + printable(line), err=True)


def write_json(value: Any) -> None:
    """Indented JSON on stdout; what a terminal would act on is written as `\\uXXXX`, which reads
    back the same.
    """
    text = json.dumps(value, indent=2, ensure_ascii=not _has_all_letters(sys.stdout), default=str)
    click.echo(_HIDDEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text))


def write_csv(columns: Sequence[str], rows: Iterable[Row]) -> None:
    """CSV on stdout with a header; see `csv_text`."""
    click.echo(csv_text(columns, rows), nl=False)


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """CSV with a header; cells that a spreadsheet would run as a formula get an apostrophe in
    front.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([csv_cell(row.get(name)) for name in columns])
    return buffer.getvalue()


def csv_cell(value: Any) -> Any:
    """A value as a cell of CSV that no spreadsheet runs."""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, str):
        return spreadsheet_safe(value)
    return value


def data_options(command: Command) -> Command:
    """`--json` and `--csv` as one parameter `output_format`: "", "json" or "csv"."""
    as_csv = click.option("--csv", "output_format", flag_value="csv", help="Print the data as CSV.")
    as_json = click.option(
        "--json", "output_format", flag_value="json", help="Print the data as JSON."
    )
    as_text = click.option("--text", "output_format", flag_value="", default=True, hidden=True)
    return as_json(as_csv(as_text(command)))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Around the writing of a file the user named: what fails becomes words, raised as
    WhoWroteError.
    """
    try:
        yield
    except OSError as error:
        raise WhoWroteError(
            f"cannot write {path}: {error.strerror or error}",
            "Choose a file in an existing directory that you can write to",
        ) from error


class Reporter:
    """Says on stderr what is going on, once it has taken two seconds: a bar on a terminal, else a
    line now and then.

    Call it with (what, done, total); use it in a `with` statement.
    """

    def __init__(self, title: str, quiet: bool = False) -> None:
        self._title = one_line(title)
        self._quiet = quiet
        self._started = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._told_at: float | None = None

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if self._quiet or now - self._started < _LATE:
            return
        if not sys.stderr.isatty():
            if self._told_at is None or now - self._told_at >= _AGAIN:
                notice(f"{self._title}: {what} …{f' {done:,} of {total:,}' if total else ''}")
                self._told_at = now
            return
        bar, task = self._running_bar()
        bar.update(
            task,
            description=f"{self._title}: {one_line(what)}",
            completed=done,
            total=total or None,
        )

    def _running_bar(self) -> tuple[Progress, TaskID]:
        if self._bar is None or self._task is None:
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                SpinnerColumn,
                TextColumn,
                TimeElapsedColumn,
            )

            text = TextColumn("{task.description}", markup=False)
            self._bar = Progress(
                SpinnerColumn(),
                text,
                BarColumn(20),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=err(),
                transient=True,
            )
            self._task = self._bar.add_task("", total=None)
            self._bar.start()
        return self._bar, self._task


# --- the end of a run -----------------------------------------------------------------------------


CONTEXT = {"help_option_names": ["-h", "--help"]}


class Program(click.Group):
    """Commands grouped into sections.

    Every run ends with a message and an exit code, never with a traceback.
    """

    def sections(self) -> dict[str, list[click.Command]]:
        """The commands by section of the help, both in order; imports the file of every command."""
        listed = {name for names in FIRST_PAGE.values() for name in names}
        others = tuple(sorted(name for name in self.commands if name not in listed))
        sections = {
            title: [name for name in names if name in self.commands]
            for title, names in FIRST_PAGE.items()
        }
        sections["More" if any(sections.values()) else "Commands"] = list(others)
        return {
            title: [self.commands[name] for name in names]
            for title, names in sections.items()
            if names
        }

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands section by section, with summaries aligned over all of them."""
        width = max(map(len, self.commands))
        for title, commands in self.sections().items():
            with formatter.section(title):
                room = formatter.width - width - 6
                formatter.write_dl(
                    [(str(c.name).ljust(width), c.get_short_help_str(room)) for c in commands]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds a command by its name; scripts may leave out `data`, and say `features` for the
        features of sessions. A clone or an address in place of a command means `repo`.
        """
        if args[0] not in self.commands and "repo" in self.commands:
            args = _meant_words(args)
        data = self.commands.get("data") if args[0] not in self.commands else None
        if isinstance(data, click.Group) and args[0] in data.commands:
            args = ["data", *args]
        if args[0] not in self.commands:
            from difflib import get_close_matches

            for near in get_close_matches(args[0], self.commands, 1):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {near!r}?")
        return super().resolve_command(ctx, args)

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        extra.pop("standalone_mode", None)
        gc.set_threshold(_GARBAGE, 20, 100)
        sys.exit(
            run_guarded(
                lambda: super(Program, self).main(args, prog_name, standalone_mode=False, **extra)
            )
        )


def _meant_words(words: list[str]) -> list[str]:
    """The command line that somebody meant whose first word is no command."""
    from collector.storage.places import is_address

    if words[0] == "features":
        return ["sessions", "--columns", "features", *words[1:]]
    if words[0] == "summary":
        return ["repo", *words[1:]]
    if is_address(words[0]) or Path(words[0]).is_dir():
        return ["repo", *words]
    return words


def run_guarded(run: Callable[[], object]) -> int:
    """Exit code of a command; failures become messages on stderr."""
    _open_streams()
    try:
        with _signals():
            result = run()
        if not sys.stdout.closed:  # a server closes it when its client goes
            sys.stdout.flush()
        return result if isinstance(result, int) else EXIT_OK
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SystemExit as end:
        # click ends with 1 where nobody reads the output any more
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        _discard_output()
        return EXIT_OK
    except WhoWroteError as error:
        complain(str(error), error.hint)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        notice("interrupted: finished work is kept; run the same command again to resume")
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 (the one place where a bug becomes a report)
        return _report_unexpected(error)


def _report_unexpected(error: Exception) -> int:
    """Exit code of a failure that no command expects: output that cannot be written, or a bug."""
    if isinstance(error, BrokenPipeError):  # `whowrote blame … | head`
        _discard_output()
        return EXIT_OK
    if isinstance(error, OSError) and error.errno in _SCARCE:
        complain(f"{error.strerror}: {error.filename or 'in this process'}", _SCARCE[error.errno])
        return EXIT_OUTPUT
    if isinstance(error, OSError) and error.errno in _FULL:
        _discard_output()
        what = error.filename or "the output"
        complain(
            f"cannot write {what}: {error.strerror}",
            "Finished work is kept; make room and run it again",
        )
        return EXIT_OUTPUT
    if failed := device_failure(error):
        _discard_output()
        complain(str(failed), failed.hint)
        return failed.exit_code
    complain(*bug_report(error, "".join(traceback.format_exception(error))))
    return EXIT_BUG


def _open_streams() -> None:
    """Standard streams that the caller closed lead nowhere, so that no file of ours takes their
    numbers.

    Characters that a stream's encoding does not have are escaped.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not _has_all_letters(stream):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _has_all_letters(stream: TextIO) -> bool:
    """Whether the encoding of a stream has every character."""
    return (stream.encoding or "utf-8").lower().replace("_", "-").startswith("utf")


def _discard_output() -> None:
    """Discards pending output, on which Python would fail again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _signals() -> Iterator[None]:
    """A request to end, or a terminal that goes away, is like an interruption: what was begun is
    tidied up, once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [
        getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name)
    ]
    before = {number: signal.getsignal(number) for number in names}
    # not those of nohup
    caught = [
        number for number in names if before[number] in (signal.SIG_DFL, signal.default_int_handler)
    ]

    def end(number: int, frame: object) -> None:
        for signal_number in caught:
            signal.signal(signal_number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, before[number])


def bug_report(error: BaseException | str, trace: str) -> tuple[str, str]:
    """Writes a log with the traceback and versions; returns message and hint."""
    from collector.runtime.version import ISSUES, version

    name = error if isinstance(error, str) else error_text(error)
    versions = ", ".join(
        f"{package} {version(package)}" for package in ("whowrote", "pygit2", "sqlite-utils")
    )
    import tempfile  # it loads every kind of archive

    handle, path = tempfile.mkstemp(prefix="whowrote-", suffix=".log")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(
            f"{versions}, python {sys.version}, {sys.platform}\narguments:"
            f" {sys.argv[1:]}\n\n{trace}"
        )
    return (
        f"internal error in whowrote: {one_line(name)[:200]}",
        (
            f"Details are in {path}\nPlease report it with that file at {ISSUES}\nFinished work is"
            " kept."
        ),
    )


def failure(done: TaskResult) -> tuple[str, str]:
    """Message and hint of a task that failed; a bug becomes a log."""
    if done.expected or not done.trace:
        return (done.error, done.hint)
    return bug_report(done.error, done.trace)


def database_option(command: Command) -> Command:
    return click.option(
        "--db",
        type=click.Path(readable=False, path_type=Path),
        default=_default_database,
        show_default="whowrote.db; inside a clone, a file of its own in your data directory",
        help="Path of the database.",
    )(command)


def _default_database() -> Path:
    from collector.storage.places import default_database

    return default_database(click.get_current_context().params)
