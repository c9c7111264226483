"""Options that several commands share: how much runs at once, what is stored."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.console.terminal import DIRECTORY, Reporter, complain, failure, notice
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.limits import RUN_SECONDS
from collector.text import count_of

if TYPE_CHECKING:
    from collector.runtime.workers import TaskLimits
    from collector.storage.store import Store


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class Size(click.ParamType):  # type: ignore[type-arg]
    """Bytes, as 500M or 20G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(str(value).strip())
        if match is None:
            self.fail(f"{value!r} is not a valid size; use for example 500M or 20G", param, ctx)
        return int(float(match[1]) * _UNITS[match[2].lower()])


class Seconds(click.FloatRange):
    """A number of seconds, not negative; `inf` is one."""

    name = "seconds"

    def __init__(self, least: float = 0.0) -> None:
        super().__init__(least)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):  # it is neither less nor more than anything
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return seconds


class ListingCommand(click.Command):
    """A command whose help ends with a list of plug-ins, which are imported only when the help is
    requested.

    `listing` gives a name and a sentence for each, `title` is the heading.
    """

    def __init__(
        self, *args: Any, listing: Callable[[], Iterable[tuple[str, str]]], title: str, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.listing = listing
        self.title = title

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(self.title):
            formatter.write_dl([(name, text.replace("`", "")) for name, text in self.listing()])
        super().format_options(ctx, formatter)


class PluginName(click.ParamType):  # type: ignore[type-arg]
    """The name of a plug-in; `listing` gives what there is, as for `ListingCommand`."""

    name = "name"

    def __init__(self, listing: Callable[[], Iterable[tuple[str, str]]]) -> None:
        self.listing = listing

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        names = [name for name, _ in self.listing()]
        if value not in names:
            self.fail(f"{value!r} is not one of {', '.join(names)}.", param, ctx)
        return str(value)


def _options(*several: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def add(command: Any) -> Any:
        for option in reversed(several):
            command = option(command)
        return command

    return add


def _number(name: str, default: int | float, least: int, text: str) -> Callable[[Any], Any]:
    kind = click.IntRange(least) if isinstance(default, int) else Seconds(least)
    return click.option(name, type=kind, default=default, show_default=True, help=text)


TIMEOUT = _number(
    "--timeout", RUN_SECONDS, 0, "Timeout for one repository, in seconds; 0 for no limit."
)
MEMORY = click.option(
    "--memory",
    type=Size(),
    help=(
        "Memory limit for one repository; 0 for none.  [default: three quarters of this machine's,"
        " divided by --jobs]"
    ),
)
SCALE = _options(
    _number("--jobs", 1, 1, "Number of repositories to process in parallel."),
    TIMEOUT,
    MEMORY,
    click.option("--retry", is_flag=True, help="Also retry repositories that failed twice."),
)
CONTENT = _options(
    click.option(
        "--content",
        type=click.Choice(["none", "prompts", "full"]),
        help="Text of sessions to store.  [default: full in a new database, else unchanged]",
    ),
    click.option(
        "--redact",
        type=click.Choice(["none", "secrets", "emails"]),
        help=(
            "What to remove from stored text; emails removes secrets too.  [default: secrets, or as"
            " before]"
        ),
    ),
)


class Moment(click.DateTime):
    """A day or a moment, in a form that messages show by an example."""

    name = "day"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "|".join(self._examples())

    def _examples(self) -> list[str]:
        return [_EXAMPLE.strftime(form) for form in self.formats]

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        try:
            moment = super().convert(value, param, ctx)
        except click.BadParameter:
            examples = " or ".join(self._examples())
            self.fail(f"{value} is not a date: write it as {examples}", param, ctx)
        return moment


_EXAMPLE = datetime(2026, 3, 9, 14, 30)
# It had an effect once; scripts may still have it.
ALLOW_NO_CHECKPOINTS = click.option(
    "--allow-no-checkpoints", is_flag=True, hidden=True, expose_value=False
)
LOCAL = _options(
    click.option(
        "--local",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        is_flag=False,
        flag_value="always",
        help=(
            "Read transcripts stored on this machine; --local alone means always.  [default: auto,"
            " only without checkpoints]"
        ),
    ),
    click.option(
        "--transcripts",
        type=DIRECTORY,
        multiple=True,
        metavar="DIR",
        help=(
            "Read transcripts in DIR instead: a copy of a home directory, or of an agent's"
            " directory in it (repeatable)."
        ),
    ),
    click.option(
        "--was-at",
        multiple=True,
        metavar="PATH",
        help="Where the clone was when the agents worked in it (repeatable).",
    ),
)


def task_limits(options: Row, jobs: int) -> TaskLimits:
    """What `--timeout` and `--memory` say; takes them out of the options."""
    from collector.runtime.bounds import memory_share
    from collector.runtime.workers import TaskLimits

    seconds = options.pop("timeout")
    memory = options.pop("memory")
    return TaskLimits(seconds, memory_share(jobs) if memory is None else memory)


QUIET = click.option("-q", "--quiet", is_flag=True, help="Print only errors.")


# --- work on many repositories --------------------------------------------------------------------


@contextmanager
def exclusive_store(db: Path, create: bool = True) -> Iterator[Store]:
    """The database, locked against other programs that would fill it at the same time."""
    from collector.runtime.locks import file_lock, lock_path
    from collector.storage.store import Store

    lock = lock_path(db)
    if not db.parent.is_dir():
        raise WhoWroteError(
            f"directory does not exist: {db.parent}", "Create it, or choose another file with --db"
        )
    with file_lock(lock, 0, str(db)):
        try:
            with Store(db, create) as store:
                yield store
        finally:
            lock.unlink(missing_ok=True)


def show_progress(
    doing: str, done_word: str, total: int, results: Iterator[tuple[Any, Any]], quiet: bool
) -> int:
    """Shows how a stage goes on; returns how many failed."""
    states: Counter[str] = Counter()
    with Reporter(count_of(total, "repository"), quiet) as progress:
        progress(doing, 0, total)
        for number, (item, done) in enumerate(results, 1):
            states[done.value or "failed"] += 1
            if done.error:
                message, hint = failure(done)
                complain(f"{item.name}: {message}", hint)
            progress(doing, number, total)
    if not quiet:
        names = {"done": done_word, "nothing": "without checkpoints"}
        words = ", ".join(
            f"{count} {names.get(state, state)}" for state, count in states.most_common()
        )
        notice(words or f"no new repositories were {done_word}")
    return states["failed"]
