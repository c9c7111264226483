"""Our results in the formats of others: one writer per format, found by its `NAME`.

A writer gives files below the place it is told, and nothing else; the analysed clone is never written to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from collector.plugins import modules_of
from collector.runtime.progress import Progress, no_progress
from collector.storage.store import Store


@dataclass(slots=True)
class ExportRequest:
    """What is to be written and where."""

    store: Store
    repos: list[int]
    out: Path
    tables: tuple[str, ...] = ()  # only these; () for all
    ref: str = ""  # the notes ref
    into: Path | None = None  # the repository that gets the notes
    progress: Progress = no_progress


@dataclass(slots=True)
class ExportResult:
    """What a writer did."""

    files: list[Path] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)  # records, lines, or rows by table
    notes: list[str] = field(default_factory=list)


class Export(Protocol):
    """The contract of a module in `attribution/exchange/exports/`."""

    NAME: str
    LABEL: str
    GIVES: str  # what it writes, for people
    OPTIONS: frozenset[str]  # of `--into`, `--ref` and `--table`: those that mean something to it

    def write(self, request: ExportRequest) -> ExportResult: ...


def exports() -> list[Export]:
    return [cast(Export, module) for module in modules_of(__name__)]


def export_named(name: str) -> Export:
    return next(export for export in exports() if name == export.NAME)
