"""The command about what fixes repaired, culprit, and the chapters of `whowrote report` about
repairs and ownership.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import PATH, database, here, open_clone
from collector.console.tables import print_table, print_tables
from collector.console.terminal import Reporter, data_options, database_option
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from attribution.culprit.repaired import TracedFix
    from attribution.queries.open_repo import OpenRepo


@click.command()
@click.argument("arguments", nargs=-1, metavar="[PATH] FIX")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Trace every fix of the clone, and store the result for reports and pages.",
)
@database_option
@data_options
def culprit(arguments: tuple[str, ...], every: bool, db: Path, output_format: str) -> None:
    """Trace a fix back to who introduced what it repaired.

    FIX is a commit, a range A..B (its fixes) or an issue (#12: the commits that close it). The
    lines that a fix changed or removed are followed back through moves and new layout to the
    commit, the session and the prompt that wrote them. Comments, layout, tests, generated files and
    renames do not count. A fix that only adds lines is traced by the lines around them in the same
    function.
    """
    path, fix = _path_and_fix(arguments, every)
    with open_clone(path, db) as opened:
        from attribution.culprit.queries.culprits import (
            COLUMNS,
            culprit_table,
            stored_fixes,
            summary,
        )

        if every:
            from attribution.culprit.stage.culprits import trace_all_fixes

            with Reporter(path) as progress:
                trace_all_fixes(opened, progress)
            fixes = stored_fixes(opened.store, opened.repo_id)
        else:
            fixes = _trace_fixes(opened, fix)
        table = culprit_table(opened.store, fixes, detail=not every)
    table.notes += [*summary(fixes), *opened.notes]
    print_table(output_format, table, COLUMNS if table.rows else ())


def _path_and_fix(arguments: tuple[str, ...], every: bool) -> tuple[str, str]:
    most = 1 if every else 2
    if len(arguments) > most or (not arguments and not every):
        raise click.UsageError(
            "name one clone with --all" if every else "name one clone and one fix, or use --all"
        )
    if every:
        return (arguments[0] if arguments else here()), ""
    return (arguments[0] if len(arguments) == 2 else here()), arguments[-1]


def _trace_fixes(opened: OpenRepo, fix: str) -> list[TracedFix]:
    """The fixes that FIX stands for. Raises UnknownBranch, WhoWroteError."""
    from attribution.culprit.trace.fixes import finder_of, fixes_among
    from attribution.ensure.history import follow_newer
    from attribution.queries.open_repo import stand_at

    last = "" if fix.startswith("#") else fix.rpartition("..")[2]
    stand_at(opened, opened.repo.resolve(last).sha if last else opened.tip)
    follow_newer(opened)
    finder = finder_of(opened)
    if fix.startswith("#"):
        history = opened.repo.history_of([opened.tip])
        commits = [
            commit for commit in history if any(sign.name == fix for sign in finder.signs(commit))
        ]
    elif ".." in fix:
        first, _, last = fix.partition("..")
        tips, hidden = (
            [opened.repo.resolve(name).sha if name else opened.tip] for name in (last, first)
        )
        commits = list(fixes_among(finder, opened.repo.history_of(tips, hidden)))
    else:
        commits = list(filter(None, [opened.repo.commit(opened.repo.resolve(fix).sha)]))
    if not commits:
        raise WhoWroteError(
            f"nothing shows a fix in {fix}", "Name the commit itself: any commit can be asked about"
        )
    return [finder.trace(commit) for commit in commits]


COMMANDS = (culprit,)


@click.command()
@PATH
@database_option
@data_options
def repairs(path: str | None, db: Path, output_format: str) -> None:
    """Compare how often fixes repaired lines, by their author.

    Counts fixes per 1,000 lines by class, agent and model, and shares of lines that were repaired
    within some days. Covers the clone at PATH or around, or all repositories in the database whose
    fixes were traced (whowrote culprit --all).
    """
    from attribution.culprit.queries.repairs import repair_tables
    from attribution.culprit.stage.culprits import trace_all_fixes

    with database(path, db, prepare=trace_all_fixes) as (store, repo):
        tables = repair_tables(store, repo)
    print_tables(output_format, tables)


@click.command()
@PATH
@database_option
@data_options
def ownership(path: str | None, db: Path, output_format: str) -> None:
    """Show who wrote what still stands, by directory.

    Also how much of the agents' code no person is known to have touched since, and the bus factor
    with and without agents. Covers the clone at PATH or around, or all repositories in the database
    whose lines are followed (whowrote survival PATH).
    """
    from attribution.culprit.queries.ownership import ownership_tables
    from attribution.ensure.history import follow_first

    with database(path, db, prepare=partial(follow_first, full=True)) as (store, repo):
        tables = ownership_tables(store, repo)
    print_tables(output_format, tables)


REPORTS = (repairs, ownership)
