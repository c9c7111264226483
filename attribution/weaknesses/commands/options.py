"""What the commands share: which findings, and how they are listed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from attribution.weaknesses.words import Confidence, FindingStatus, Mixture
from collector.files.analysed import ANALYSED
from collector.vocabulary.lines import LINE_CLASSES

COLUMNS = ("repo?", "fingerprint", "cwe", "tier?", "author_class", "agent?", "path", "start_line", "commit_sha", "now", "verdicts?",
           "rule_id")  # fmt: skip
LOW = click.option("--low", "include_low", is_flag=True, help="Include findings of low confidence (use of an API alone).")
_FILTERS = (
    click.option(
        "--confidence",
        multiple=True,
        type=click.Choice(tuple(Confidence), case_sensitive=False),
        help="Only findings of this confidence (repeatable).",
    ),
    click.option("--alive", is_flag=True, help="Only findings still present at HEAD."),
    click.option("--place", type=click.Choice(tuple(ANALYSED)), help="Only findings in this kind of file."),
    click.option("--rule", metavar="ID", help="Only findings of this rule."),
    click.option(
        "--status",
        type=click.Choice((*FindingStatus, "all")),
        default=FindingStatus.INTRODUCED,
        show_default=True,
        help="Only findings that their commit introduced (reintroduced, …).",
    ),
    click.option("--author", type=click.Choice((*LINE_CLASSES, Mixture.MIXED)), help="Only findings in lines of this class."),
    click.option("--cwe", metavar="NUMBER", help="Only findings of this weakness, for example CWE-89."),
)


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which findings; given to the command as `selection`, a FindingFilter."""

    @functools.wraps(command)
    def with_filter(**options: Any) -> Any:
        from attribution.weaknesses.queries.findings import FindingFilter

        selection = FindingFilter(**{each.name: options.pop(each.name) for each in fields(FindingFilter)})
        return command(selection=selection, **options)

    for option in _FILTERS:
        with_filter = option(with_filter)
    return with_filter


def write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise click.FileError(str(path), str(error)) from error
