"""The commands that scan, and about the rules to scan with."""

import math
from dataclasses import asdict
from pathlib import Path

import click

from attribution.commands.common import open_clone
from collector.console.tables import print_table
from collector.console.terminal import FILE, Reporter, data_options, database_option, notice
from collector.storage.views import table_of
from collector.text import count_of

_RULES = click.option(
    "--rules",
    multiple=True,
    metavar="RULES",
    help="A file, a directory or own (repeatable).  [default: own]",
)


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@_RULES
@click.option(
    "--semgrep",
    default="",
    metavar="PATH",
    help=(
        "Path of the semgrep program.  [default: WHOWROTE_SEMGREP, else next to python, else on"
        " PATH]"
    ),
)
@click.option(
    "--scan-jobs",
    type=click.IntRange(0, 256),
    default=0,
    help="Number of parallel scanners.  [default: one per core]",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0),
    default=math.inf,
    metavar="N",
    help=(
        "Stop scanning after this time: files at HEAD and the history of findings in them come"
        " first. The next run continues."
    ),
)
@click.option(
    "--cache",
    type=FILE,
    metavar="FILE",
    help="Scan cache to use.  [default: WHOWROTE_CACHE, else in your cache directory]",
)
@database_option
@data_options
def scan(
    paths: tuple[str, ...],
    rules: tuple[str, ...],
    semgrep: str,
    scan_jobs: int,
    minutes: float,
    cache: Path | None,
    db: Path,
    output_format: str,
) -> None:
    """Scan added lines for weaknesses (CWEs).

    Scans every version of every changed file once, offline, using semgrep with the built-in rules,
    and follows each finding until it is fixed or removed. PATH is a clone, attributed first if
    necessary. Without PATH, scans all repositories in the database whose clones are still in place.
    """
    from attribution.weaknesses.stage.scan import ScanRequest, scan_clone

    request = ScanRequest(rules, semgrep, scan_jobs, cache, minutes=minutes)
    rows = []
    for path in paths or _clones(db):
        with open_clone(path, db) as opened, Reporter(path) as progress:
            update = scan_clone(opened, request, progress)
        for note in dict.fromkeys(update.notes):
            notice(f"note: {note}")
        rows.append({"repo": opened.name, **asdict(update)})
    notes = [
        "texts: versions of files that are scanned; new: not in the cache; given: passed to the"
        " scanner"
    ]
    columns = (
        "repo, state, texts, new, given, given_lines, later?, seconds, findings, rules, engine"
    )
    print_table(output_format, table_of(rows, {"state": "word", "notes": "list"}, notes), columns)


def _clones(db: Path) -> list[str]:
    from attribution.queries.repositories import all_repositories
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        repos = sorted(
            (repo for repo in all_repositories(store) if repo.head_sha is not None),
            key=lambda repo: repo.id,
        )
    paths = []
    for repo in repos:
        if repo.path and Path(repo.path).is_dir():
            paths.append(repo.path)
        else:
            notice(f"note: skipping {repo.name}: its clone is no longer at {repo.path}")
    return paths


@click.command()
@_RULES
@click.option("--cwe", default="", metavar="CWE-89", help="Only rules for this CWE.")
@click.option("--language", default="", metavar="NAME", help="Only rules for this language.")
@data_options
def rules(rules: tuple[str, ...], cwe: str, language: str, output_format: str) -> None:
    """List the weakness rules and how often each was right.

    Tiers: taint (input from a request or command line reaches a dangerous call), built (a
    concatenated string reaches it), api (the call alone).
    """
    from attribution.weaknesses.rules.rulesets import measured, named, rule_row

    rule_set = named(rules)
    counts = measured()
    rows = [
        rule_row(each, counts)
        for each in rule_set.rules
        if (not cwe or cwe.upper() in each.cwes)
        and (not language or language.lower() in each.languages_as_named)
    ]
    if not rows:
        notice("no rule matches")
    units = {
        "tier": "word",
        "confidence": "word",
        "severity": "word",
        "precision": "share",
        "recall": "share",
    }
    table = table_of(rows, units, [f"{count_of(len(rows), 'rule')}, sha256 {rule_set.sha256[:16]}"])
    print_table(
        output_format,
        table,
        "rule, cwe, tier, planted_found, planted_wrong?, read, read_true",
    )


FINDINGS = (scan, rules)
