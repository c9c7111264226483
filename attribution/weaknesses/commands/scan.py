"""The command that scans."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from attribution.commands.common import open_clone
from attribution.weaknesses.commands.options import RULES, SEMGREP
from collector.console.tables import print_table
from collector.console.terminal import Reporter, data_options, database_option, notice


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--complexity", is_flag=True, help="Also measure the complexity of the changed functions, to adjust comparisons for it."
)
@RULES
@SEMGREP
@click.option("--scan-jobs", type=click.IntRange(0, 256), default=0, help="Number of parallel scanners.  [default: one per core]")
@click.option(
    "--cache",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Scan cache to use.  [default: WHOWROTE_CACHE, else in your cache directory]",
)
@database_option
@data_options
def scan(
    paths: tuple[str, ...],
    complexity: bool,
    rules: tuple[str, ...],
    semgrep: str,
    scan_jobs: int,
    cache: Path | None,
    db: Path,
    output_format: str,
) -> None:
    """Scan added lines for weaknesses (CWEs).

    Scans every version of every changed file once, offline, using semgrep with the built-in rules, and follows each finding until
    it is fixed or removed. PATH is a clone, attributed first if necessary. Without PATH, scans all repositories in the database
    whose clones are still in place.
    """
    from attribution.weaknesses.commands.lists import scan_table
    from attribution.weaknesses.stage.scan import ScanRequest, scan_clone

    request = ScanRequest(rules, semgrep, scan_jobs, cache, complexity=complexity)
    rows = []
    for path in paths or _clones(db):
        with open_clone(path, db) as opened, Reporter(path) as progress:
            update = scan_clone(opened, request, progress)
        for note in dict.fromkeys(update.notes):
            notice(f"note: {note}")
        rows.append({"repo": opened.name, **asdict(update)})
    table = scan_table(rows)
    table.notes.append("texts: versions of files that are scanned; new: not in the cache; given: passed to the scanner")
    columns = ("repo", "state", "texts", "new", "given", "given_lines", "seconds", "findings", "rules", "engine")
    print_table(output_format, table, columns)


def _clones(db: Path) -> list[str]:
    from attribution.queries.repositories import all_repositories
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        repos = sorted((repo for repo in all_repositories(store) if repo.head_sha is not None), key=lambda repo: repo.id)
    paths = []
    for repo in repos:
        if repo.path and Path(repo.path).is_dir():
            paths.append(repo.path)
        else:
            notice(f"note: skipping {repo.name}: its clone is no longer at {repo.path}")
    return paths


FINDINGS = (scan,)
