"""The command about a branch and what is not committed yet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands import common
from collector.console.terminal import data_options, database_option, one_line, write_json
from collector.text import command_line, count_of

if TYPE_CHECKING:
    from collector.json_values import Row

# rows of a screen, characters of a prompt
_SHOWN = 13
_PROMPT = 50
_RANKS = (
    "look at first: an agent's, approved by nobody else, no test run after it",
    "an agent's, approved or tested",
    "not known",
)


@click.command()
@click.argument("commits", required=False, default="", metavar="[BASE]")
@common.PATH
@click.option("--full", is_flag=True, help="List all blocks of lines, not only the first ones.")
@database_option
@data_options
def review(commits: str, path: str | None, full: bool, db: Path, output_format: str) -> None:
    """Show what to look at in a branch before it is merged.

    Lists the lines that the branch and the working tree have beyond BASE and that no person is
    known to have written, in blocks with the prompt behind each. First come lines of an agent that
    nobody but their author approved and after which its session ran no test. BASE is the main
    branch when it is not named.
    """
    from attribution.queries.review import base_of
    from attribution.queries.review import review as review_of

    commits, clone = common.range_and_clone(commits, path)
    with common.open_clone(clone, db) as opened:
        found = review_of(opened, base_of(opened, commits))
    if output_format == "json":
        write_json(found)
    elif output_format == "csv":
        common.print_rows(output_format, found["blocks"], None)
    else:
        _print_review(found, None if full else _SHOWN)


def _print_review(found: Row, most: int | None) -> None:
    blocks = found["blocks"]
    counts = [sum(_length(b) for b in blocks if b["rank"] == rank) for rank in range(3)]
    lines = [
        f"{found['branch']}, {count_of(found['commits'], 'commit')} since"
        f" {found['base']}: {counts[0]:,} of {count_of(found['lines'], 'line')} to look"
        f" at first, {counts[1]:,} more of agents, {counts[2]:,} not known",
    ]
    last = None
    for block in blocks[:most]:
        if block["rank"] != last:
            last = block["rank"]
            lines.append(_RANKS[last])
        place = f"{block['path']}:{block['start_line']}-{block['end_line']}"
        said = f"“{block['prompt'][:_PROMPT]}”" if block["prompt"] else block["reason"]
        made = block["commit"][:9] if block["commit"].strip("0") else "not committed"
        told = (place, f"{_length(block):,}", block["agent"] or block["class"], made, said)
        lines.append("  ".join(("", *filter(None, told))))
    if most is not None and len(blocks) > most:
        lines.append(f"  and {count_of(len(blocks) - most, 'more block')}: --full, --json")
    lines += found["weaknesses"]
    if blocks:
        first = f"{blocks[0]['path']}:{blocks[0]['start_line']}"
        lines.append(command_line("whowrote", "why", first))
    for line in lines:
        click.echo(one_line(line))


def _length(block: Row) -> int:
    return int(block["end_line"] - block["start_line"] + 1)


COMMANDS = (review,)
