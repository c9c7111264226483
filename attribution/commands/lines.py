"""The commands about lines and the commits that added them: blame, why, log, survival."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands import common
from collector.console.commands import CommandFiles
from collector.console.options import Moment
from collector.console.terminal import (
    data_options,
    database_option,
    notice,
    out,
    write_json,
    writing,
)
from collector.errors import WhoWroteError
from collector.json_values import jsonable

if TYPE_CHECKING:
    from attribution.queries.open_repo import OpenRepo
    from attribution.queries.survival import SurvivalOptions, SurvivalReport


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] FILE[:LINE[-LINE]]")
@common.COMMIT
@click.option(
    "--history",
    is_flag=True,
    help="First follow the history of lines, as `whowrote survival` does.",
)
@click.option(
    "--full", is_flag=True, help="Print all there is to say; with --history from the first commit."
)
@database_option
@data_options
def why(
    arguments: tuple[str, ...], commit: str, history: bool, full: bool, db: Path, output_format: str
) -> None:
    """Explain who wrote a line, how we know, and what became of it.

    Shows the evidence, the prompt and the edit behind the line, and why it was not somebody else.
    Once lines are followed, also when it was introduced, moved, reformatted and removed, and by
    whom. Use --commit for a line that no longer exists.

    Without :LINE, summarises the whole file in blocks of lines with the same origin; FILE:10-20
    does so with lines 10 to 20.
    """
    path, file = common.clone_and_file(arguments)
    name, lines = common.file_and_lines(file)
    number = lines.first if lines is not None and lines.first == lines.last else None
    with (
        common.follow_clone(path, db, True if full else None, None)
        if history
        else _open_as_stored(path, db)
    ) as (
        opened,
        notes,
    ):
        if number is not None:
            _why_line(opened, (name, number, commit), notes, (output_format, full))
            return
        from attribution.queries.blame import blame as blame_file
        from attribution.queries.blame import blocks

        blamed = blame_file(opened, name, commit, lines or ())
        rows = blocks(opened, blamed)
        common.print_rows(
            output_format,
            rows,
            lambda terminal: terminal.blame.blame_view(out(), blamed, rows, texts=False),
        )


@contextmanager
def _open_as_stored(path: str, db: Path) -> Iterator[tuple[OpenRepo, None]]:
    with common.open_clone(path, db) as opened:
        yield opened, None


def _why_line(
    opened: OpenRepo, line: tuple[str, int, str], notes: list[str] | None, form: tuple[str, bool]
) -> None:
    """`line`: file, number, commit. `notes`: about lines that were followed for this; None: they
    are as they were stored. `form`: of the output, and whether it is to be full.
    """
    from attribution.queries.explain import explain
    from attribution.queries.history import is_followed, line_history

    output_format, full = form
    explanation = explain(opened, *line)
    is_known = notes is not None or is_followed(opened)
    history = line_history(opened, *line) if is_known else None
    if history is not None:
        history.notes = [n for n in history.notes if n not in explanation.notes] + (notes or [])
    if output_format == "csv" and notes is not None and history is not None:
        common.print_rows(output_format, history.events, None)
    elif output_format == "json":
        write_json(
            explanation.data() | {"history": history.data() if history is not None else None}
        )
    else:
        common.print_one(
            output_format,
            explanation,
            lambda terminal: terminal.blame.line_view(out(), explanation, history, full),
        )


_GITS = re.compile(
    r"-[stenfcpMCSb]+\d*|--(git|(line-)?porcelain|incremental|contents|ignore-revs-file|since|date"
    r"|color-(lines|by-age)|abbrev|root|show-(stats|name|number|email)|score-debug|minimal|reverse"
    r"|first-parent|encoding)"
)


class _Blame(click.Command):
    """With an option that only git's blame has, git's blame."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if any(_GITS.fullmatch(word.partition("=")[0]) for word in args):
            words = [word for word in args if word != "--git"]
            CommandFiles("SERVE")["git"].main(["blame", *words])
        return super().parse_args(ctx, args)


@click.command(cls=_Blame)
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] FILE[:LINE[-LINE]]")
@common.COMMIT
@click.option(
    "-L",
    "lines",
    default="",
    metavar="FIRST,LAST",
    help="Show only these lines, as in git: 10,20 or 10,+5 or 10.",
)
@click.option(
    "-w",
    "ignore_space",
    is_flag=True,
    help="Look behind commits that only changed spaces in a line, as in git.",
)
@click.option(
    "--ignore-rev",
    "ignored",
    multiple=True,
    metavar="COMMIT",
    help="Look behind this commit, too, as in git (may be repeated).",
)
@click.option(
    "--git",
    "as_git",
    is_flag=True,
    help="Print as git blame does, whose other options (--porcelain, -C, --date ...) imply this.",
)
@database_option
@data_options
def blame(
    arguments: tuple[str, ...],
    commit: str,
    lines: str,
    ignore_space: bool,
    ignored: tuple[str, ...],
    as_git: bool,  # never: `_Blame` sees to it
    db: Path,
    output_format: str,
) -> None:
    """Show each line of a file with its author and evidence."""
    from attribution.lineage.git_blame import Ignored
    from attribution.queries.blame import blame as blame_file
    from attribution.queries.blame import blocks

    path, argument = common.clone_and_file(arguments)
    file, named = common.file_and_lines(argument)
    only = common.blamed_lines(lines) or named or ()
    with common.open_clone(path, db) as opened:
        revisions = frozenset(opened.repo.resolve(name).sha for name in ignored)
        blamed = blame_file(opened, file, commit, only, Ignored(ignore_space, revisions))
        rows = [] if output_format else blocks(opened, blamed)
    common.print_rows(
        output_format, blamed.lines, lambda terminal: terminal.blame.blame_view(out(), blamed, rows)
    )


_BY = ("class", "model", "agent", "session", "directory", "language")
_FULL = click.option(
    "--full",
    is_flag=True,
    help="Follow the whole history instead of starting at the first commit of an agent.",
)
_EXACT = click.option(
    "--exact",
    is_flag=True,
    help=(
        "Match git blame exactly: moved, re-indented or reformatted lines count as new.  [default:"
        " as the same line]"
    ),
)


@click.command()
@click.argument("path", required=False)
@click.option(
    "--by",
    type=click.Choice(_BY),
    multiple=True,
    help="Additional grouping (repeatable); --json and --csv include all.",
)
@_FULL
@_EXACT
@click.option("--no-curves", is_flag=True, help="Skip curves, medians and hazard ratios.")
@click.option(
    "--all-files", is_flag=True, help="Count files of every kind, not only source and test files."
)
@click.option("--tables", is_flag=True, help="Print all numbers, as tables.")
@click.option("-q", "--quiet", is_flag=True, help="Print no progress, only the result.")
@database_option
@data_options
def survival(
    path: str | None,
    by: tuple[str, ...],
    full: bool,
    exact: bool,
    db: Path,
    output_format: str,
    **more: bool,
) -> None:
    """Show how long lines survive and who removes them.

    Compares lines of agents with lines of people. Of the clone at PATH or around, line history is
    computed first (incrementally). Elsewhere, reports on all repositories in the database that have
    line history.
    """
    from collector.storage.places import clone_of

    path = path or clone_of(db)
    curves = not more["no_curves"] and output_format != "csv"
    if path is None and (full or exact):
        raise click.UsageError("--full and --exact require the PATH of a clone")
    from attribution.queries.survival import SurvivalOptions

    groupings = tuple(dict.fromkeys(("class", *(_BY if output_format else by))))
    how = {"full": full, "exact": exact, "quiet": more["quiet"]}
    report = _report(path, db, SurvivalOptions(groupings, curves, more["all_files"]), how)
    if output_format == "json":
        write_json(jsonable(report))
    else:
        common.print_rows(
            output_format,
            report.groups,
            lambda terminal: terminal.survival.survival_view(out(), report, more["tables"]),
        )


def _report(
    path: str | None, db: Path, options: SurvivalOptions, how: dict[str, bool]
) -> SurvivalReport:
    """`how` the history of lines is followed: arguments of `follow_clone`."""
    from attribution.ensure.history import survival_reported
    from attribution.queries.survival import history_coverage
    from attribution.stats.comparison import available
    from collector.runtime.version import install_command
    from collector.storage.store import Store

    missing = [f"no hazard ratios: they need whowrote[stats] ({install_command('stats')})"]
    missing = missing if options.curves and not available() else []
    if path is None:
        with Store(db, create=False) as store:
            followed, others = history_coverage(store)
            report = survival_reported(store, followed, options)
        report.notes += [*missing, *(f"no line history for {name} yet" for name in others)]
        return report
    with common.follow_clone(path, db, **how) as (opened, notes):
        report = survival_reported(opened.store, [opened.repo_id], options)
        report.notes += [*missing, *notes, *opened.notes]
    return report


@click.command()
@click.argument("commits", required=False, default="", metavar="[A..B]")
@click.argument("path", required=False)
@click.option(
    "--since",
    type=Moment(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    help="Only commits authored on or after this date (UTC).",
)
@click.option(
    "-n",
    "--max-count",
    "most",
    type=click.IntRange(1),
    metavar="N",
    help="Show only the newest N commits.",
)
@click.option("--full", is_flag=True, help="With --total or --show: print all that is known.")
@click.option("--total", is_flag=True, help="Add up who wrote the lines of all these commits.")
@click.option(
    "--show",
    is_flag=True,
    help="Show one commit, named in place of A..B: files, sessions and prompts.",
)
@click.option(
    "--md", is_flag=True, help="Write a summary of these commits as Markdown, for a pull request."
)
@click.option(
    "--prompts", is_flag=True, help="With --md: also the beginning of each session's first prompt."
)
@click.option(
    "--limit",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 when agents wrote more of the lines.",
)
@click.option(
    "--badge",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the share of agents' lines for a badge (shields.io).",
)
@database_option
@data_options
def log(
    commits: str,
    path: str | None,
    since: datetime | None,
    most: int | None,
    db: Path,
    output_format: str,
    **more: Any,
) -> None:
    """List commits with the authors of their lines.

    A..B are the commits that B has and A does not, for example main..HEAD for a branch; one name
    stands for all that it has; without any, what is checked out is listed. Newest first, after a
    row for each file that is not committed. Commits that no run has read are worked out.

    --md, --limit and --badge leave merges out, as what they bring was written elsewhere.
    For a pull request: whowrote log BASE..HEAD --md --limit 80 --badge badge.json

    With --show, COMMIT is a commit id or a prefix of one; given the PATH of the clone, it can be
    any revision, for example HEAD~2.
    """
    if more["show"]:
        if path is not None:
            commits, path = common.range_and_clone(commits, path)
        _show(commits or "HEAD", path, db, output_format, more["full"])
        return
    commits, path = common.range_and_clone(commits, path)
    with common.open_clone(path, db) as opened:
        if more["md"] or more["limit"] is not None or more["badge"] is not None:
            _summarise(opened, commits, _iso(since), more)
        elif more["total"]:
            _total(opened, commits, _iso(since), output_format, more["full"])
        else:
            from attribution.queries.commit_range import log as log_table
            from collector.console.tables import print_table

            table = log_table(opened, commits, _iso(since), most)
            table.notes += ["lines: non-blank lines added to source and test files", *opened.notes]
            columns = (
                "commit_sha",
                "author_at=authored",
                "git_author",
                "lines",
                "classes=written by",
                "subject",
            )
            print_table(output_format, table, columns)


def _total(opened: OpenRepo, commits: str, since: str, output_format: str, full: bool) -> None:
    from attribution.queries.commit_range import stats

    total = stats(opened, commits, since)
    if output_format == "csv":
        common.print_rows(output_format, total.rows(), None)
    else:
        common.print_one(
            output_format, total, lambda terminal: terminal.repo.stats_view(out(), total, full)
        )


def _summarise(opened: OpenRepo, commits: str, since: str, more: Mapping[str, Any]) -> None:
    """Prints the Markdown of --md, writes the file of --badge, and exits with 1 above --limit."""
    from attribution.browse.comment import badge, markdown_of
    from attribution.queries.commit_range import commits_of
    from attribution.queries.pull_request import pull_request

    shas = [commit.sha for commit in commits_of(opened, commits, since) if commit.parents < 2]
    if not shas:
        raise WhoWroteError(
            f"{commits or opened.branch} has no commits other than merges",
            "Name a range that adds lines",
        )
    request = pull_request(opened.store, shas)
    percent = request.agent_percent
    limit = more["limit"]
    if more["md"]:
        out().print(markdown_of(request, more["prompts"], limit), soft_wrap=True, end="")
    if more["badge"] is not None:
        with writing(more["badge"]):
            more["badge"].write_text(badge(percent), "utf-8")
    if limit is not None and percent is not None and percent > limit:
        notice(
            f"agents wrote {percent:.1f} % of these lines as far as known, more than {limit:g} %"
        )
        raise SystemExit(1)


def _show(commit: str, path: str | None, db: Path, output_format: str, full: bool) -> None:
    from attribution.queries.commit import commit_report
    from collector.storage.places import clone_of
    from collector.storage.store import Store

    path = path or clone_of(db)
    if path is None:
        with Store(db, create=False) as store:
            report = commit_report(store, commit)
    else:
        with common.open_clone(path, db) as opened:
            report = commit_report(opened.store, commit, opened)
    if output_format == "csv":
        common.print_rows(output_format, list(report.span_rows()), None)
    else:
        common.print_one(
            output_format, report, lambda terminal: terminal.repo.commit_view(out(), report, full)
        )


def _iso(since: datetime | None) -> str:
    from collector.storage.store import iso

    return iso(since.replace(tzinfo=UTC).timestamp()) or "" if since else ""


COMMANDS = (blame, why, survival, log)
