"""The commands about weaknesses in introduced code: scan, findings, report weaknesses."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import COMMIT, at, database, here, print_one, print_rows
from collector.console.terminal import Reporter, csv_text, data_options, database_option, notice, out, write_json
from collector.plain_values import plain
from collector.vocabulary.lines import LINE_CLASSES

if TYPE_CHECKING:
    from attribution.queries.findings import Finding
    from attribution.queries.open_repo import OpenRepo
    from attribution.weaknesses.scan.request import ScanRequest, ScanUpdate
    from collector.storage.store import Store


_BY = ("mode", "agent", "model", "language", "repo", "complexity")
_CACHE = "Scan cache to use.  [default: WHOWROTE_CACHE, else in your cache directory]"
_SEMGREP = "Path of the semgrep program.  [default: WHOWROTE_SEMGREP, else next to python, else on PATH]"


def scan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--rules`, `--semgrep`, `--scan-jobs`, `--cache`."""
    for option in (
        click.option("--cache", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help=_CACHE),
        click.option(
            "--scan-jobs", type=click.IntRange(0, 256), default=0, help="Number of parallel scanners.  [default: one per core]"
        ),
        click.option("--semgrep", default="", metavar="PATH", help=_SEMGREP),
        click.option(
            "--rules", multiple=True, metavar="PATH", help="Rules to use: a file or directory (repeatable).  [default: own]"
        ),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--complexity", is_flag=True, help="Also measure the complexity of the changed functions, to adjust comparisons for it."
)
@scan_options
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
    from attribution.weaknesses.scan.request import ScanRequest

    wanted = ScanRequest(rules, semgrep, scan_jobs, cache, complexity=complexity)
    updates = {}
    for path in paths or _clones(db):
        with at(path, db) as where:
            updates[where.name] = scanned(where, path, wanted)
    rows = [{"repo": name, **asdict(update)} for name, update in updates.items()]
    print_rows(output_format, rows, lambda terminal: terminal.weaknesses.scan_list(out(), updates))


def scanned(where: OpenRepo, path: str, wanted: ScanRequest, quiet: bool = False) -> ScanUpdate:
    """Brings the findings of a clone up to date."""
    from attribution.ensure.weaknesses import weaknesses_found

    with Reporter(path, quiet) as progress:
        done = weaknesses_found(where, wanted, progress)
    for note in dict.fromkeys(done.notes):
        notice(f"note: {note}")
    return done


def _clones(db: Path) -> list[str]:
    from attribution.queries.repositories import all_repositories
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = sorted((row for row in all_repositories(store) if row.head_sha is not None), key=lambda row: row.id)
    paths = []
    for row in rows:
        if row.path and Path(row.path).is_dir():
            paths.append(row.path)
        else:
            notice(f"note: skipping {row.name}: its clone is no longer at {row.path}")
    return paths


# --- findings ---------------------------------------------------------------------------------------------------------

_CLASSES = (*LINE_CLASSES, "mixed")
_STATUS = ("introduced", "reintroduced", "surfaced", "uncertain", "all")


_LOW = click.option("--low", "include_low", is_flag=True, help="Include findings of low confidence (use of an API alone).")
_LEVELS = click.Choice(("HIGH", "MEDIUM", "LOW"), case_sensitive=False)


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which findings; given to the command as `wanted`."""

    @functools.wraps(command)
    def filtered(
        cwe: str,
        author: str | None,
        status: str,
        rule: str,
        place: str | None,
        alive: bool,
        confidence: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        from attribution.queries.findings import FindingFilter

        levels = tuple(one.upper() for one in confidence)
        wanted = FindingFilter(cwe, author or "", "" if status == "all" else status, rule, place or "", alive, levels)
        return command(wanted=wanted, **rest)

    for option in (
        click.option("--confidence", multiple=True, type=_LEVELS, help="Only findings of this confidence (repeatable)."),
        click.option("--alive", is_flag=True, help="Only findings still present at HEAD."),
        click.option("--place", type=click.Choice(("source", "test", "example")), help="Only findings in this kind of file."),
        click.option("--rule", default="", metavar="ID", help="Only findings of this rule."),
        click.option(
            "--status",
            type=click.Choice(_STATUS),
            default="introduced",
            show_default=True,
            help="Only findings that their commit introduced (reintroduced, …).",
        ),
        click.option("--author", type=click.Choice(_CLASSES), help="Only findings in lines of this class."),
        click.option("--cwe", default="", metavar="NUMBER", help="Only findings of this weakness, for example CWE-89."),
    ):
        filtered = option(filtered)
    return filtered


@click.group(invoke_without_command=True)
@click.option("--repo", "name", default="", metavar="NAME", help="Only findings in this repository (owner/name).")
@click.option(
    "--sarif", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also write the findings as SARIF 2.1.0."
)
@_LOW
@filter_options
@database_option
@data_options
@click.pass_context
def findings(
    context: click.Context, wanted: Any, name: str, sarif: Path | None, include_low: bool, db: Path, output_format: str
) -> None:
    """List weaknesses introduced by commits.

    Each is listed with who wrote the lines and whether it is still there. Findings of low confidence are left out, as in `whowrote
    report weaknesses`, unless --low or --confidence asks for them.
    """
    if context.invoked_subcommand is not None:
        return
    from attribution.exports.sarif import sarif as as_sarif
    from attribution.queries.findings import findings as find
    from attribution.queries.weaknesses import HEADLINE
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        found = find(store, _repo_id(store, name), wanted)
        rows = found if include_low or wanted.confidence else [row for row in found if row.confidence in HEADLINE]
        if sarif is not None:
            _write(sarif, json.dumps(as_sarif(store, rows, _version()), indent=1, ensure_ascii=True))
            notice(f"{len(rows)} findings written to {sarif}")
    print_rows(output_format, rows, lambda terminal: terminal.weaknesses.finding_list(out(), rows, len(found) - len(rows)))


@findings.command()
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="SARIF")
@click.argument("path", required=False)
@COMMIT
@database_option
@data_options
def authors(log: Path, path: str | None, commit: str, db: Path, output_format: str) -> None:
    """Say who wrote the lines of other scanners' findings.

    SARIF is what CodeQL, Snyk, semgrep or another scanner found in the clone at PATH, at HEAD or the commit that --commit names.
    Each finding is listed with the author of most of its lines, as `whowrote blame` has them. Nothing is stored.
    """
    from attribution.queries.other_findings import authored_results

    with at(path or here(), db) as where:
        rows = authored_results(where, log, commit)
    print_rows(output_format, rows, lambda terminal: terminal.weaknesses.authored_list(out(), rows))


@findings.command()
@click.argument("fingerprint")
@database_option
@data_options
def show(fingerprint: str, db: Path, output_format: str) -> None:
    """Show one finding in context.

    Prints the lines, their author, the prompt behind them, and what became of the finding. FINGERPRINT is the id shown in the list,
    or a prefix of it.
    """
    from attribution.queries.findings import FindingFilter, context
    from attribution.queries.findings import findings as find
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = [row for row in find(store, None, FindingFilter(status="")) if row.fingerprint.startswith(fingerprint)]
        if not rows:
            raise click.UsageError(f"no finding has an id starting with {fingerprint}; see: whowrote findings --db {db}")
        shown = context(store, rows[0])
    print_one(output_format, shown, lambda terminal: terminal.weaknesses.finding_view(out(), shown))


@findings.command()
@click.argument("count", type=click.IntRange(1), metavar="N")
@click.option("--seed", default=1, show_default=True, help="Random seed.")
@filter_options
@database_option
@data_options
def sample(wanted: Any, count: int, seed: int, db: Path, output_format: str) -> None:
    """Sample N findings for review.

    The sample is balanced over repositories, tiers, authors and rules.
    """
    from attribution.queries.findings import findings as find
    from attribution.queries.findings import sample as draw
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = draw(find(store, None, wanted), count, seed)
    print_rows(output_format, rows, lambda terminal: terminal.weaknesses.finding_list(out(), rows))


@findings.command()
@click.option("--reviewer", default="", metavar="NAME", help="Name of the reviewer (required for interactive review).")
@click.option("--sample", "count", type=click.IntRange(1), default=20, show_default=True, help="Number of findings to sample.")
@click.option("--seed", default=1, show_default=True, help="Random seed.")
@click.option("--export", type=click.Path(dir_okay=False, path_type=Path), metavar="CSV", help="Write all reviews to a file.")
@click.option(
    "--import",
    "taken",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CSV",
    help="Import reviews from a file.",
)
@filter_options
@database_option
def review(wanted: Any, reviewer: str, count: int, seed: int, export: Path | None, taken: Path | None, db: Path) -> None:
    """Review findings one by one.

    Answer whether each is a real weakness: t(rue), f(alse), u(nsure), s(kip), q(uit). Reviews are stored under your name and
    survive later scans of the repository.
    """
    from attribution.queries.findings import findings as find
    from attribution.queries.findings import sample as draw
    from attribution.weaknesses.reviews import COLUMNS, import_reviews, reviews
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        if taken is not None:
            notice(f"{import_reviews(store, taken.read_text('utf-8'))} reviews imported")
        if export is not None:
            rows = reviews(store)
            _write(export, csv_text(COLUMNS, [plain(row) for row in rows]))
            notice(f"{len(rows)} reviews written to {export}")
        if taken is not None or export is not None:
            return
        if not reviewer:
            raise click.UsageError("missing --reviewer NAME (or use --export or --import)")
        reviewed = {review.fingerprint for review in reviews(store) if review.reviewer == reviewer}
        unread = [finding for finding in find(store, None, wanted) if finding.fingerprint not in reviewed]
        _read(store, draw(unread, count, seed), reviewer)


_ANSWERS = {"t": "true", "f": "false", "u": "unsure"}


def _read(store: Store, findings: Sequence[Finding], reviewer: str) -> None:
    """Asks for a verdict on each."""
    from attribution import terminal
    from attribution.queries.findings import context
    from attribution.weaknesses.reviews import FindingReview, moment, store_review

    for number, finding in enumerate(findings):
        terminal.weaknesses.finding_view(out(), context(store, finding))
        choice = click.Choice([*_ANSWERS, "s", "q"])
        answer = click.prompt(f"{number + 1} of {len(findings)}: a weakness?", type=choice, err=True)
        if answer == "q":
            break
        if answer in _ANSWERS:
            note = click.prompt("why", default="", show_default=False, err=True)
            place = (finding.repo, finding.commit_sha, finding.path, finding.start_line, finding.rule_id)
            store_review(store, FindingReview(finding.fingerprint, reviewer, _ANSWERS[answer], note, moment(), *place))


# --- report -----------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("path", required=False)
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Additional grouping (repeatable); --json and --csv include all.")
@click.option("--tests", is_flag=True, help="Include weaknesses in tests and examples.")
@_LOW
@database_option
@data_options
def weaknesses(path: str | None, by: tuple[str, ...], tests: bool, include_low: bool, db: Path, output_format: str) -> None:
    """Report weaknesses per 1,000 added lines, by author.

    Compares agents with people, and shows what became of the findings. Covers the clone at PATH, or all scanned repositories in the
    database.
    """
    from attribution.queries.weaknesses import BY, weakness_report
    from attribution.weaknesses.scan.exclude import SCANNED, SOURCE

    wanted = BY if output_format else tuple(dict.fromkeys(("class", "cwe", "confidence", *by)))
    with database(path, db) as (store, repo):
        result = weakness_report(store, repo, wanted, SCANNED if tests else (SOURCE,), include_low)
    if output_format == "json":
        write_json(result.data())
    else:
        print_rows(output_format, result.rows, lambda terminal: terminal.weaknesses.report_view(out(), result))


def _repo_id(store: Store, name: str) -> int | None:
    from attribution.queries.repositories import all_repositories, repository_named

    if not name:
        return None
    row = repository_named(store, name)
    if row is None:
        names = ", ".join(repo.name for repo in all_repositories(store))
        raise click.UsageError(f"no repository {name} in the database; it contains: {names}")
    return row.id


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise click.FileError(str(path), str(error)) from error


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("whowrote")
    except PackageNotFoundError:
        return "0"


COMMANDS = (scan, findings)
REPORTS: tuple[click.Command, ...] = (weaknesses,)
