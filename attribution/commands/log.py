"""The command about commits: log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import here, open_clone, print_one, print_rows
from collector.console.tables import print_table
from collector.console.terminal import data_options, database_option, notice, out, writing
from collector.errors import WhoWroteError
from collector.storage.places import clone_around

if TYPE_CHECKING:
    from attribution.queries.open_repo import OpenRepo


@click.command()
@click.argument("commits", required=False, default="", metavar="[A..B]")
@click.argument("path", required=False)
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), help="Only commits authored on or after this date (UTC)."
)
@click.option("-n", "--max-count", "most", type=click.IntRange(1), metavar="N", help="Show only the newest N commits.")
@click.option("--total", is_flag=True, help="Add up who wrote the lines of all these commits.")
@click.option("--show", is_flag=True, help="Show one commit, named in place of A..B: files, sessions and prompts.")
@click.option("--md", is_flag=True, help="Write a summary of these commits as Markdown, for a pull request.")
@click.option("--prompts", is_flag=True, help="With --md: also the beginning of each session's first prompt.")
@click.option("--limit", type=click.FloatRange(0, 100), metavar="PERCENT", help="Exit with 1 when agents wrote more of the lines.")
@click.option(
    "--badge",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the share of agents' lines for a badge (shields.io).",
)
@database_option
@data_options
def log(
    commits: str, path: str | None, since: datetime | None, most: int | None, db: Path, output_format: str, **more: Any
) -> None:
    """List commits with the authors of their lines.

    A..B are the commits that B has and A does not, for example main..HEAD for a branch; one name stands for all that it has;
    without any, the attributed branch is listed. Newest first.

    --md, --limit and --badge leave merges out, as what they bring was written elsewhere.
    For a pull request: whowrote log BASE..HEAD --md --limit 80 --badge badge.json

    With --show, COMMIT is a commit id or a prefix of one; given the PATH of the clone, it can be any revision, for example HEAD~2.
    """
    if more["show"]:
        _show(commits or "HEAD", path, db, output_format)
        return
    commits, path = _range_and_clone(commits, path)
    with open_clone(path, db) as opened:
        if more["md"] or more["limit"] is not None or more["badge"] is not None:
            _summarise(opened, commits, _iso(since), more)
        elif more["total"]:
            _total(opened, commits, _iso(since), output_format)
        else:
            from attribution.queries.commit_range import log as log_table

            table = log_table(opened, commits, _iso(since), most)
            table.notes.append("lines: non-blank lines added to source and test files")
            columns = ("commit_sha", "author_at=authored", "lines", "classes=written by", "git_author", "subject")
            print_table(output_format, table, columns)


def _total(opened: OpenRepo, commits: str, since: str, output_format: str) -> None:
    from attribution.queries.commit_range import stats

    total = stats(opened, commits, since)
    if output_format == "csv":
        print_rows(output_format, total.rows(), None)
    else:
        print_one(output_format, total, lambda terminal: terminal.commit.stats_view(out(), total))


def _summarise(opened: OpenRepo, commits: str, since: str, more: Mapping[str, Any]) -> None:
    """Prints the Markdown of --md, writes the file of --badge, and exits with 1 above --limit."""
    from attribution.browse.comment import badge, markdown_of
    from attribution.queries.commit_range import commits_of
    from attribution.queries.pull_request import pull_request

    shas = [commit.sha for commit in commits_of(opened, commits, since) if commit.parents < 2]
    if not shas:
        raise WhoWroteError(f"{commits or opened.branch} has no commits other than merges", "Name a range that adds lines")
    request = pull_request(opened.store, shas)
    percent, limit = request.agent_percent, more["limit"]
    if more["md"]:
        out().print(markdown_of(request, more["prompts"], limit), soft_wrap=True, end="")
    if more["badge"] is not None:
        with writing(more["badge"]):
            more["badge"].write_text(badge(percent), "utf-8")
    if limit is not None and percent is not None and percent > limit:
        notice(f"agents wrote {percent:.1f} % of these lines as far as known, more than {limit:g} %")
        raise SystemExit(1)


def _show(commit: str, path: str | None, db: Path, output_format: str) -> None:
    from attribution.queries.commit import commit_report
    from collector.storage.places import clone_of
    from collector.storage.store import Store

    path = path or clone_of(db)
    if path is None:
        with Store(db, create=False) as store:
            report = commit_report(store, commit)
    else:
        with open_clone(path, db) as opened:
            report = commit_report(opened.store, commit, opened)
    if output_format == "csv":
        print_rows(output_format, list(report.span_rows()), None)
    else:
        print_one(output_format, report, lambda terminal: terminal.commit.commit_view(out(), report))


def _range_and_clone(commits: str, path: str | None) -> tuple[str, str]:
    """A clone that stands alone is no range: `log PATH` means all of it."""
    if path is None and commits and ".." not in commits.replace("../", "") and clone_around(commits) == Path(commits).resolve():
        return "", commits
    return commits, path or here()


def _iso(since: datetime | None) -> str:
    from collector.storage.store import iso

    return iso(since.replace(tzinfo=UTC).timestamp()) or "" if since else ""


COMMANDS = (log,)
