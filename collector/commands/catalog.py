"""The command that lists databases without merging them: catalog."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from collector.commands.common import print_table, shown_size
from collector.commands.sections import Section
from collector.console.terminal import data_options


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="DIR|SHARD...", type=click.Path(path_type=Path))
@data_options
def catalog(places: tuple[Path, ...], output_format: str) -> None:
    """List databases, with what each of them holds.

    DIR is searched for databases, also in its directories; caches and databases of other programs are left out. They are only read:
    one of an earlier version stays as it is. `elsewhere` names repositories that a database further up has too.
    """
    from collector.storage.shard_list import shard_rows, summary

    found = list(shard_rows(places))
    columns = ("path", "state", "repositories", "sessions", "commits", "rows", "schema", "stages", "bytes", "elsewhere")
    rows = [row.data() for row in found]
    if output_format == "csv":
        rows = [_flat(row) for row in rows]
    elif not output_format:
        rows = [_flat(row) | _for_people(row) for row in rows]
    print_table(output_format, rows, columns, summary(found))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Lists and versions in one cell each."""
    stages = " ".join(f"{stage}:{version.replace(' ', '+')}" for stage, version in row["stages"].items())
    return row | {"repositories": " ".join(row["repositories"]), "elsewhere": " ".join(row["elsewhere"]), "stages": stages}


def _for_people(row: dict[str, Any]) -> dict[str, Any]:
    names, other = row["repositories"], row["elsewhere"]
    lines = row["stages"].get("lines", "")
    return {
        "repositories": names[0] if len(names) == 1 else str(len(names)),
        "elsewhere": other[0] if len(other) == 1 else str(len(other) or ""),
        "bytes": shown_size(row["bytes"]),
        "stages": f"lines:{lines}" if lines else "",
    }


SECTION, ORDER = Section.FILL, 12
COMMANDS = (catalog,)
