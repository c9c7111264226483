"""The commands about weaknesses in introduced code: scan, findings, report weaknesses."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import at, database, plain, print_one, print_rows
from collector.console.terminal import Reporter, csv_text, data_options, database_option, notice, out, write_json
from collector.vocabulary.lines import LINE_CLASSES

if TYPE_CHECKING:
    from attribution.queries.findings import Finding
    from attribution.queries.open_repo import OpenRepo
    from attribution.weaknesses.scan.request import ScanRequest, ScanUpdate
    from collector.storage.store import Store


_BY = ("mode", "agent", "model", "language", "repo", "complexity")
_CACHE = "Where scans of texts are kept.  [default: WHOWROTE_CACHE, else in your cache directory]"
_SEMGREP = "The semgrep program.  [default: WHOWROTE_SEMGREP, beside python, PATH]"


def scan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--rules`, `--semgrep`, `--scan-jobs`, `--cache`."""
    for option in (
        click.option("--cache", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help=_CACHE),
        click.option("--scan-jobs", type=click.IntRange(0, 256), default=0, help="Scanners at once.  [default: one a core]"),
        click.option("--semgrep", default="", metavar="PATH", help=_SEMGREP),
        click.option("--rules", multiple=True, metavar="PATH", help="Rules: a file or directory; repeatable.  [default: own]"),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--complexity", is_flag=True, help="Also measure how complex the changed functions are, to compare like with like.")
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
    form: str,
) -> None:
    """Look for weaknesses (CWEs) in the lines that commits add, and follow them to their end.

    Every version of every file is scanned once, by semgrep with rules of our own, without network. PATH is a clone, attributed
    first when needed. Without PATH: all repositories of the database whose clones are still where they were.
    """
    from attribution.weaknesses.scan.request import ScanRequest

    wanted = ScanRequest(rules, semgrep, scan_jobs, cache, complexity=complexity)
    updates = {}
    for path in paths or _clones(db):
        with at(path, db) as where:
            updates[where.name] = scanned(where, path, wanted)
    rows = [{"repo": name, **asdict(update)} for name, update in updates.items()]
    print_rows(form, rows, lambda terminal: terminal.weaknesses.scan_list(out(), updates))


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
            notice(f"note: the clone of {row.name} is not at {row.path} any more: left out")
    return paths


# --- findings ---------------------------------------------------------------------------------------------------------

_CLASSES = (*LINE_CLASSES, "mixed")
_STATUS = ("introduced", "reintroduced", "surfaced", "uncertain", "all")


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
        click.option("--confidence", multiple=True, type=_LEVELS, help="Only of this confidence; repeatable."),
        click.option("--alive", is_flag=True, help="Only those that are there at the tip."),
        click.option("--place", type=click.Choice(("source", "test", "example")), help="Only in such files."),
        click.option("--rule", default="", metavar="ID", help="Only of this rule."),
        click.option("--status", type=click.Choice(_STATUS), default="introduced", show_default=True, help="What the commit did."),
        click.option("--author", type=click.Choice(_CLASSES), help="Only by this class of author."),
        click.option("--cwe", default="", metavar="NUMBER", help="Only of this weakness, for example CWE-89."),
    ):
        filtered = option(filtered)
    return filtered


@click.group(invoke_without_command=True)
@click.option("--repo", "name", default="", metavar="NAME", help="Only of this repository (owner/name).")
@click.option("--sarif", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also write them as SARIF 2.1.0.")
@filter_options
@database_option
@data_options
@click.pass_context
def findings(context: click.Context, wanted: Any, name: str, sarif: Path | None, db: Path, form: str) -> None:
    """Weaknesses that commits brought in: who wrote the lines, whether they are still there."""
    if context.invoked_subcommand is not None:
        return
    from attribution.exports.sarif import sarif as as_sarif
    from attribution.queries.findings import findings as find
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = find(store, _repo_id(store, name), wanted)
        if sarif is not None:
            _write(sarif, json.dumps(as_sarif(store, rows, _version()), indent=1, ensure_ascii=True))
            notice(f"{len(rows)} findings written to {sarif}")
    print_rows(form, rows, lambda terminal: terminal.weaknesses.finding_list(out(), rows))


@findings.command()
@click.argument("fingerprint")
@database_option
@data_options
def show(fingerprint: str, db: Path, form: str) -> None:
    """One finding in context: the lines, the author, the prompt behind it, what became of it.

    FINGERPRINT is the id that the list prints, or its beginning.
    """
    from attribution.queries.findings import FindingFilter, context
    from attribution.queries.findings import findings as find
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = [row for row in find(store, None, FindingFilter(status="")) if row.fingerprint.startswith(fingerprint)]
        if not rows:
            raise click.UsageError(f"no finding begins with {fingerprint}; see: attribute findings --db {db}")
        shown = context(store, rows[0])
    print_one(form, shown, lambda terminal: terminal.weaknesses.finding_view(out(), shown))


@findings.command()
@click.argument("count", type=click.IntRange(1), metavar="N")
@click.option("--seed", default=1, show_default=True, help="For drawing.")
@filter_options
@database_option
@data_options
def sample(wanted: Any, count: int, seed: int, db: Path, form: str) -> None:
    """Draw N findings for review, evenly over repositories, tiers, authors and rules."""
    from attribution.queries.findings import findings as find
    from attribution.queries.findings import sample as draw
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = draw(find(store, None, wanted), count, seed)
    print_rows(form, rows, lambda terminal: terminal.weaknesses.finding_list(out(), rows))


@findings.command()
@click.option("--reviewer", default="", metavar="NAME", help="Who reads; needed to review at the terminal.")
@click.option("--sample", "count", type=click.IntRange(1), default=20, show_default=True, help="Findings to draw.")
@click.option("--seed", default=1, show_default=True, help="For drawing.")
@click.option("--export", type=click.Path(dir_okay=False, path_type=Path), metavar="CSV", help="Write all verdicts to a file.")
@click.option(
    "--import", "taken", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="CSV", help="Read verdicts."
)
@filter_options
@database_option
def review(wanted: Any, reviewer: str, count: int, seed: int, export: Path | None, taken: Path | None, db: Path) -> None:
    """Read findings one by one and say whether they are weaknesses: t(rue), f(alse), u(nsure), s(kip), q(uit).

    Verdicts are kept with your name, also when the repository is scanned again.
    """
    from attribution.queries.findings import findings as find
    from attribution.queries.findings import sample as draw
    from attribution.weaknesses.reviews import COLUMNS, import_reviews, reviews
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        if taken is not None:
            notice(f"{import_reviews(store, taken.read_text('utf-8'))} verdicts read")
        if export is not None:
            rows = reviews(store)
            _write(export, csv_text(COLUMNS, [plain(row) for row in rows]))
            notice(f"{len(rows)} verdicts written to {export}")
        if taken is not None or export is not None:
            return
        if not reviewer:
            raise click.UsageError("say who reads with --reviewer NAME; or use --export and --import")
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
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Also by this; may be repeated. With --json and --csv: all.")
@click.option("--tests", is_flag=True, help="Also weaknesses in tests and examples.")
@click.option("--low", is_flag=True, help="Also findings of low confidence (use of an API alone).")
@database_option
@data_options
def weaknesses(path: str | None, by: tuple[str, ...], tests: bool, low: bool, db: Path, form: str) -> None:
    """Weaknesses in introduced code: rates per 1,000 added lines by who wrote them, agents against people, what became of them.

    Of the clone at PATH, or of all scanned repositories of the database.
    """
    from attribution.queries.weaknesses import BY, weakness_report
    from attribution.weaknesses.scan.exclude import SCANNED, SOURCE

    wanted = BY if form else tuple(dict.fromkeys(("class", "cwe", "confidence", *by)))
    with database(path, db) as (store, repo):
        result = weakness_report(store, repo, wanted, SCANNED if tests else (SOURCE,), low)
    if form == "json":
        write_json(result.data())
    else:
        print_rows(form, result.rows, lambda terminal: terminal.weaknesses.report_view(out(), result))


def _repo_id(store: Store, name: str) -> int | None:
    from attribution.queries.repositories import all_repositories, repository_named

    if not name:
        return None
    row = repository_named(store, name)
    if row is None:
        names = ", ".join(repo.name for repo in all_repositories(store))
        raise click.UsageError(f"no repository {name} in the database; there are: {names}")
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


COMMANDS: tuple[click.Command, ...] = (scan, findings)
REPORTS: tuple[click.Command, ...] = (weaknesses,)
