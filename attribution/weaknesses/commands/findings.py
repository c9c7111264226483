"""The commands about findings: the list, one finding, SARIF written and read, verdicts of
people, the report.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import (
    COMMIT,
    PATH,
    TakesClone,
    database,
    here,
    open_clone,
    print_one,
)
from attribution.weaknesses.words import (
    Confidence,
    FindingStatus,
    Mixture,
    ReviewVerdict,
    Severity,
    severity_named,
    severity_word,
)
from collector.console.commands import CommandFiles
from collector.console.tables import print_table, print_tables
from collector.console.terminal import (
    EXISTING_FILE,
    FILE,
    Command,
    data_options,
    database_option,
    notice,
    out,
    writing,
)
from collector.files.analysed import ANALYSED
from collector.json_values import Row, Texts
from collector.storage.views import table_of
from collector.text import count_of
from collector.vocabulary.lines import LINE_CLASSES, FilePlace, LineClass

if TYPE_CHECKING:
    from attribution.weaknesses.queries.findings import FindingFilter
    from collector.storage.store import Store
    from collector.storage.views import Table

_CLOSED: dict[str, tuple[str, ...]] = {
    "severity": tuple(Severity),
    "status": (*FindingStatus, "all"),
    "place": tuple(FilePlace),
}
_ANSWERS = {verdict[0]: verdict for verdict in ReviewVerdict}
_REPO = click.option(
    "--repo",
    "name",
    default="",
    metavar="NAME",
    help="Only findings in this repository (owner/name).",
)
_BY = ("mode", "agent", "model", "language", "repo")
_COLUMNS = (
    "repo?, fingerprint, severity, cwe, tier?, class, agent?, path, start_line, commit_sha, now, "
    "verdicts?, rule_id"
)
_LOW = click.option(
    "--low",
    "include_low",
    is_flag=True,
    help="Include findings of low confidence (use of an API alone).",
)
_FILTERS = (
    click.option(
        "--confidence",
        multiple=True,
        type=click.Choice(tuple(Confidence), case_sensitive=False),
        help="Only findings of this confidence (repeatable).",
    ),
    click.option("--alive", is_flag=True, help="Only findings still present at HEAD."),
    click.option(
        "--author",
        type=click.Choice((*LINE_CLASSES, str(Mixture.MIXED))),
        help="Only findings in lines of this class.",
    ),
    click.option(
        "--cwe", metavar="NUMBER", help="Only findings of this weakness, for example CWE-89."
    ),
    click.option(
        "--only",
        multiple=True,
        metavar="NAME=VALUE",
        callback=lambda context, option, values: _choices(values),
        help=(
            "Only findings with this agent, model, place, rule, severity or status (repeatable)."
            " Without a status, those that their commit introduced; status=all lists all."
        ),
    ),
    click.option(
        "--new-since",
        "since",
        metavar="REF",
        help="Only findings of commits that REF, for example origin/main, does not have.",
    ),
)


def _choices(values: Sequence[str]) -> Texts:
    from attribution.weaknesses.queries.findings import COLUMNS

    pairs = dict(value.partition("=")[::2] for value in values)
    for name, value in pairs.items():
        if name not in COLUMNS or not value:
            raise click.BadParameter(
                f"{name!r}: write NAME=VALUE with one of the names {', '.join(COLUMNS)}"
            )
        pairs[name] = (severity_named(value) if name == "severity" else None) or value
        if pairs[name] not in _CLOSED.get(name, (value,)):
            raise click.BadParameter(
                f"no {name} is {value!r}: choose from {', '.join(_CLOSED[name])}"
            )
    return pairs


def _filter_options(command: Command) -> Command:
    """Which findings; given to the command as `selection`, a FindingFilter."""

    @functools.wraps(command)
    def with_filter(**options: Any) -> Any:
        from attribution.weaknesses.queries.findings import FindingFilter

        selection = FindingFilter(
            **{each.name: options.pop(each.name) for each in fields(FindingFilter)}
        )
        return command(selection=selection, **options)

    for option in _FILTERS:
        with_filter = option(with_filter)
    return with_filter


@click.group(cls=TakesClone, commands=CommandFiles("FINDINGS"), invoke_without_command=True)
@_REPO
@_LOW
@_filter_options
@click.option(
    "--fail-on",
    type=click.Choice((*Severity, *(each.meaning for each in Severity)), case_sensitive=False),
    help=(
        "Exit with 1 when a listed finding is still there, not only called false by reviewers, and"
        " so severe or worse; high is error, medium warning, low info. Of low confidence, those of"
        " rules that were right in 80 % of what was measured are listed too."
    ),
)
@database_option
@data_options
@click.pass_context
def findings(
    context: click.Context,
    selection: FindingFilter,
    name: str,
    include_low: bool,
    fail_on: str | None,
    db: Path,
    output_format: str,
) -> None:
    """List weaknesses introduced by commits.

    Each is listed with who wrote the lines and whether it is still there: those that are first, the
    worst first. Findings of low confidence are left out, as in `whowrote report weaknesses`, which
    counts source files alone, unless --low or --confidence asks.

    For a pull request: whowrote findings --new-since origin/main --fail-on high
    """
    if context.invoked_subcommand is not None:
        return
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        table = _list(store, name, selection, include_low, bool(fail_on))
    table.notes.insert(
        0, f"{count_of(len(table), 'finding')}; to see one in context: whowrote findings show ID"
    )
    print_table(output_format, table, _COLUMNS)
    if fail_on:
        _fail(table, fail_on)


def _fail(table: Table, least: str) -> None:
    from attribution.weaknesses.queries.findings import is_refuted

    levels = [each.meaning for each in Severity]
    word = severity_word(least) or ""
    severe = levels[: levels.index(word) + 1]
    count = sum(
        row["alive_at_head"] and row["severity"] in severe and not is_refuted(row)
        for row in table.rows
    )
    if count:
        notice(f"of these findings still there and of severity {word} or worse: {count:,}")
        raise SystemExit(1)


_LATER = """
SELECT r.name, p.detail FROM problems p JOIN repos r ON r.id = p.repo_id
WHERE p.code = 'scan_later' AND (?1 IS NULL OR p.repo_id = ?1) ORDER BY r.name
"""


def _list(
    store: Store, name: str, selection: FindingFilter, include_low: bool, gate: bool = False
) -> Table:
    """Findings, of the repository of this name or of all, with a note of those of low confidence
    that nobody asked for. `gate`: with those of rules that measuring found reliable.
    """
    from attribution.queries.repositories import all_repositories, repository_named
    from attribution.weaknesses.queries import findings as queries
    from attribution.weaknesses.rules.rulesets import reliable_rules

    repo = repository_named(store, name) if name else None
    if name and repo is None:
        names = ", ".join(each.name for each in all_repositories(store))
        raise click.UsageError(f"no repository {name} in the database; it contains: {names}")
    table = queries.findings(store, repo.id if repo else None, selection)
    every = table.rows
    if not (include_low or selection.confidence):
        reliable = reliable_rules() if gate else ()
        table.rows = [
            row
            for row in every
            if row["confidence"] in queries.HEADLINE or row["rule_id"] in reliable
        ]
    if len(table) < len(every):
        table.notes.append(
            f"left out because of low confidence: {len(every) - len(table):,}; to list them too:"
            " --low"
        )
    for row in store.rows(_LATER, (repo.id if repo else None,)):
        table.notes.append(
            f"not scanned yet in {row['name']}: {row['detail']}; to go on: whowrote findings scan; "
            "findings of unseen origin: --only status=all"
        )
    return table


@click.command()
@click.argument("file", type=FILE, metavar="FILE")
@_REPO
@_LOW
@_filter_options
@click.option(
    "--prompts", is_flag=True, help="Also write the prompt behind each finding, where it is stored."
)
@database_option
def sarif(
    file: Path, selection: FindingFilter, name: str, include_low: bool, prompts: bool, db: Path
) -> None:
    """Write findings that are present at HEAD to FILE as SARIF 2.1.0.

    Places are those of HEAD, so that code hosts and editors show them where they are. The commit
    that introduced a finding, who wrote its lines and which session did are properties of each
    result.
    """
    from attribution.weaknesses.queries.sarif import sarif as as_sarif
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = _list(store, name, selection, include_low).rows
        present = [row for row in rows if row["alive_at_head"]]
        with writing(file):
            file.touch(0o600)  # as private as the database: it may hold prompts
            file.write_text(
                json.dumps(as_sarif(store, present, prompts), indent=1, ensure_ascii=True), "utf-8"
            )
    gone = f"; no longer there: {len(rows) - len(present):,}" if len(rows) > len(present) else ""
    notice(f"{count_of(len(present), 'finding')} written to {file}{gone}")


@click.command()
@click.argument("log", type=EXISTING_FILE, metavar="SARIF")
@PATH
@COMMIT
@database_option
@data_options
def authors(log: Path, path: str | None, commit: str, db: Path, output_format: str) -> None:
    """Say who wrote the lines of other scanners' findings.

    SARIF is what CodeQL, Snyk, semgrep or another scanner found in the clone at PATH, at HEAD or
    the commit that --commit names. Each finding is listed with the author of most of its lines, as
    `whowrote blame` has them. Nothing is stored.
    """
    from attribution.stats.accuracy import audited_note
    from attribution.weaknesses.queries.sarif import authored_results

    with open_clone(path or here(), db) as opened:
        rows = authored_results(opened, log, commit)
    if not rows:
        notice("the log has no finding with a place in a file")
    counts = Counter(row["line_class"].replace("_", " ") or "not known" for row in rows)
    notes = [
        f"{count_of(len(rows), 'finding')}:"
        f" {', '.join(f'{n:,} {name}' for name, n in counts.most_common())}"
    ]
    notes += filter(None, [audited_note(LineClass.AGENT, LineClass.HUMAN, LineClass.LIKELY_HUMAN)])
    units = {
        "line_class": "word",
        "level": "word",
        "evidence": "word",
        "agent": "agent",
        "commit": "sha",
    }
    table = table_of(rows, units, notes)
    print_table(
        output_format,
        table,
        "line_class, agent, level, path, start_line, rule, problem?, message",
    )


@click.command()
@click.argument("fingerprint")
@database_option
@data_options
def show(fingerprint: str, db: Path, output_format: str) -> None:
    """Show one finding in context.

    Prints the lines, their author, the prompt behind them, and what became of the finding.
    FINGERPRINT is the id shown in the list, or a prefix of it.
    """
    from attribution.weaknesses.commands.views import finding_view
    from attribution.weaknesses.queries.findings import context, finding_of
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        finding = context(store, finding_of(store, fingerprint))
    print_one(output_format, finding, lambda terminal: finding_view(out(), finding))


@click.command()
@click.argument("fingerprint", required=False, default="")
@click.option(
    "--verdict",
    type=click.Choice([str(verdict) for verdict in ReviewVerdict]),
    help="Of the finding FINGERPRINT; asks without it.",
)
@click.option("--why", "note", default="", metavar="TEXT", help="The reason, with --verdict.")
@click.option("--reviewer", required=True, metavar="NAME", help="Name of the reviewer.")
@click.option(
    "--sample",
    "count",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Number of findings to sample.",
)
@_filter_options
@database_option
def review(
    selection: FindingFilter,
    reviewer: str,
    fingerprint: str,
    verdict: str | None,
    note: str,
    count: int,
    db: Path,
) -> None:
    """Review findings one by one.

    Asks about the finding FINGERPRINT, else about a sample balanced over repositories, tiers,
    authors and rules. Answer if each is a real weakness: t(rue), f(alse), u(nsure), s(kip), q(uit).
    Reviews are stored under your name and survive later scans of the repository.
    """
    from attribution.weaknesses.queries.findings import finding_of, findings, sample, store_review
    from collector.storage.store import Store

    if (verdict or note) and not (verdict and fingerprint):
        raise click.UsageError(
            "a verdict needs a finding, and a reason a verdict: FINGERPRINT --verdict false --why"
            " TEXT"
        )
    with Store(db, create=False) as store:
        if verdict:
            store_review(store, finding_of(store, fingerprint), reviewer, verdict, note)
            return
        if fingerprint:
            _ask(store, [finding_of(store, fingerprint)], reviewer)
            return
        sql = "SELECT fingerprint FROM finding_reviews WHERE reviewer = ?"
        reviewed = set(store.column(sql, (reviewer,)))
        unread = [
            finding
            for finding in findings(store, None, selection)
            if finding["fingerprint"] not in reviewed
        ]
        _ask(store, sample(unread, count), reviewer)


def _ask(store: Store, rows: Sequence[Row], reviewer: str) -> None:
    """Asks for a verdict on each finding."""
    from attribution.weaknesses.commands.views import finding_view
    from attribution.weaknesses.queries.findings import context, store_review

    for number, finding in enumerate(rows):
        finding_view(out(), context(store, finding))
        choice = click.Choice([*_ANSWERS, "s", "q"])
        answer = click.prompt(f"{number + 1} of {len(rows)}: a weakness?", type=choice, err=True)
        if answer == "q":
            break
        if answer in _ANSWERS:
            note = click.prompt("why", default="", show_default=False, err=True)
            store_review(store, finding, reviewer, _ANSWERS[answer], note)


@click.command()
@PATH
@click.option(
    "--by",
    type=click.Choice(_BY),
    multiple=True,
    help="Additional grouping (repeatable); --json and --csv include all.",
)
@click.option("--tests", is_flag=True, help="Include weaknesses in tests and examples.")
@_LOW
@database_option
@data_options
def weaknesses(
    path: str | None,
    by: tuple[str, ...],
    tests: bool,
    include_low: bool,
    db: Path,
    output_format: str,
) -> None:
    """Report weaknesses per 1,000 added lines, by author.

    Compares agents with people, and shows what became of the findings. Covers the clone at PATH, or
    all scanned repositories in the database.
    """
    from attribution.weaknesses.queries.report import BY, weakness_tables

    groupings = BY if output_format else tuple(dict.fromkeys(("class", "cwe", "confidence", *by)))
    with database(path, db) as (store, repo):
        tables = weakness_tables(
            store, repo, groupings, ANALYSED if tests else (FilePlace.SOURCE,), include_low
        )
    print_tables(
        output_format,
        tables if output_format else [table for table in tables if table.rows or table.notes],
    )


COMMANDS = (findings,)
FINDINGS = (show, sarif, authors, review)
REPORTS = (weaknesses,)
