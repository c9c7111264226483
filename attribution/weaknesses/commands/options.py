"""What the commands share: which findings, and how they are listed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.weaknesses.words import Confidence, FindingStatus, Mixture
from collector.files.analysed import ANALYSED
from collector.vocabulary.lines import LINE_CLASSES

if TYPE_CHECKING:
    from collector.storage.store import Store

COLUMNS = ("repo?", "fingerprint", "cwe", "tier?", "author_class", "agent?", "path", "start_line", "commit_sha", "now", "verdicts?",
           "rule_id")  # fmt: skip
LOW = click.option("--low", "include_low", is_flag=True, help="Include findings of low confidence (use of an API alone).")
RULES = click.option(
    "--rules",
    multiple=True,
    metavar="RULES",
    help="A file, a directory, p/NAME (a pulled pack) or own (repeatable).  [default: own]",
)
SEMGREP = click.option(
    "--semgrep",
    default="",
    metavar="PATH",
    help="Path of the semgrep program.  [default: WHOWROTE_SEMGREP, else next to python, else on PATH]",
)
_LEVELS = click.Choice(tuple(Confidence), case_sensitive=False)
_STATUS = (*(status for status in FindingStatus), "all")


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which findings; given to the command as `wanted`."""

    @functools.wraps(command)
    def with_filter(
        cwe: str,
        author: str | None,
        status: str,
        rule: str,
        place: str | None,
        alive: bool,
        confidence: tuple[str, ...],
        **further: Any,
    ) -> Any:
        from attribution.weaknesses.queries.findings import FindingFilter

        levels = tuple(level.upper() for level in confidence)
        selection = FindingFilter(cwe, author or "", "" if status == "all" else status, rule, place or "", alive, levels)
        return command(selection=selection, **further)

    for option in (
        click.option("--confidence", multiple=True, type=_LEVELS, help="Only findings of this confidence (repeatable)."),
        click.option("--alive", is_flag=True, help="Only findings still present at HEAD."),
        click.option("--place", type=click.Choice(tuple(ANALYSED)), help="Only findings in this kind of file."),
        click.option("--rule", default="", metavar="ID", help="Only findings of this rule."),
        click.option(
            "--status",
            type=click.Choice(_STATUS),
            default=FindingStatus.INTRODUCED,
            show_default=True,
            help="Only findings that their commit introduced (reintroduced, …).",
        ),
        click.option("--author", type=click.Choice((*LINE_CLASSES, Mixture.MIXED)), help="Only findings in lines of this class."),
        click.option("--cwe", default="", metavar="NUMBER", help="Only findings of this weakness, for example CWE-89."),
    ):
        with_filter = option(with_filter)
    return with_filter


def repository_number(store: Store, name: str) -> int | None:
    """Number of the repository of this name; None without a name."""
    from attribution.queries.repositories import all_repositories, repository_named

    row = repository_named(store, name) if name else None
    if name and row is None:
        names = ", ".join(repo.name for repo in all_repositories(store))
        raise click.UsageError(f"no repository {name} in the database; it contains: {names}")
    return row.id if row else None


def write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise click.FileError(str(path), str(error)) from error
