"""The commands about a branch and what is not committed yet: review, disclose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands import common
from collector.console.terminal import data_options, database_option, one_line, out, write_json
from collector.text import command_line, count_of, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from attribution.queries.open_repo import OpenRepo
    from collector.json_values import Row

_BASE = click.argument("commits", required=False, default="", metavar="[BASE]")
# rows of a screen, characters of a prompt
_SHOWN = 13
_PROMPT = 50
_RANKS = (
    "look at first: an agent's, approved by nobody else, no test run after it",
    "an agent's, approved or tested",
    "not known",
)


@click.command()
@_BASE
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
    console = out()
    counts = [sum(_length(b) for b in blocks if b["rank"] == rank) for rank in range(3)]
    console.print(
        f"{printable(found['branch'])}, {count_of(found['commits'], 'commit')} since"
        f" {printable(found['base'])}: {counts[0]:,} of {count_of(found['lines'], 'line')} to look"
        f" at first, {counts[1]:,} more of agents, {counts[2]:,} not known",
        highlight=False,
    )
    last = None
    for block in blocks[:most]:
        if block["rank"] != last:
            last = block["rank"]
            console.print(f"{_RANKS[last]}", style="bold", highlight=False)
        place = f"{block['path']}:{block['start_line']}-{block['end_line']}"
        said = f"“{block['prompt'][:_PROMPT]}”" if block["prompt"] else block["reason"]
        made = "not committed" if not block["commit"].strip("0") else block["commit"][:9]
        told = (place, f"{_length(block):,}", block["agent"] or block["class"], made, said)
        console.print(one_line("  ".join(("", *filter(None, told)))), highlight=False, markup=False)
    if most is not None and len(blocks) > most:
        console.print(f"  and {count_of(len(blocks) - most, 'more block')}: --full, --json")
    for text in found["weaknesses"]:
        console.print(one_line(text), highlight=False, markup=False)
    if blocks:
        first = f"{blocks[0]['path']}:{blocks[0]['start_line']}"
        example = one_line(command_line("whowrote", "why", first))
        console.print(example, highlight=False, markup=False, soft_wrap=True)


def _length(block: Row) -> int:
    return int(block["end_line"] - block["start_line"] + 1)


@click.command()
@_BASE
@common.PATH
@click.option(
    "--form",
    default="",
    metavar="NAME",
    help=(
        "Use this form of trailers: kernel, kernel-2025, assisted-by, generated-by,"
        " co-authored-by, header.  [default: the one that the clone's policies show]"
    ),
)
@click.option(
    "--hook",
    is_flag=True,
    help="Print only the trailers for what is staged, for a prepare-commit-msg hook.",
)
@database_option
@data_options
def disclose(
    commits: str, path: str | None, form: str, hook: bool, db: Path, output_format: str
) -> None:
    """Say which agents took part, as the project asks for it.

    Fills in trailers and the part of the pull-request template that is about AI, for the commits
    since BASE (the main branch when it is not named) and what is not committed. An agent is named
    only where a record or a commit shows it; where nothing does, nothing is stated. As a hook:
    whowrote disclose --hook >> "$1"
    """
    from attribution.queries.disclosure import form_named, forms

    if form and form_named(form) is None:
        names = ", ".join(each["name"] for each in forms()["trailer"])
        raise click.UsageError(f"there is no form {form}: use one of {names}")
    commits, clone = common.range_and_clone(commits, path)
    with common.open_clone(clone, db) as opened:
        stated = _statement(opened, commits, form, hook)
    if output_format == "json":
        write_json(stated)
    elif output_format == "csv":
        common.print_rows(output_format, [{"line": line} for line in stated["trailers"]], None)
    elif hook:
        for line in stated["trailers"]:
            click.echo(printable(line))
    else:
        _print_statement(stated)


def _statement(opened: OpenRepo, base: str, form: str, hook: bool) -> Row:
    """`known`: what the record shows; `trailers` and `template`: lines to be copied; `form`: the
    name of the form; `shown_by`: the file that asks for it; `refused`: the sentence of a policy
    that refuses what was made with AI.
    """
    from attribution.queries import disclosure
    from attribution.queries.review import base_of, waiting_shas

    name = "HEAD" if hook else base_of(opened, base)
    shas = waiting_shas(opened, name)
    staged, unstaged = opened.pending or ("", "")
    if hook:  # `git commit -a` stages as it commits
        shas = [staged or unstaged]
    known = disclosure.work_of_agents(opened, shas, tracked=hook and not staged)
    found, shown_by, template, refused = disclosure.find_form(opened, opened.tip)
    used = disclosure.form_named(form) if form else found
    return {
        "branch": opened.branch,
        "base": name,
        "commits": len(shas) - bool(staged) - bool(unstaged) if not hook else 0,
        "known": known,
        "form": used["name"] if used is not None else "",
        "shown_by": "" if form else shown_by,
        "trailers": disclosure.trailers(used, known) if used is not None else [],
        "template": disclosure.fill_template(template, known),
        "refused": refused,
    }


def _print_statement(stated: Row) -> None:
    from attribution.queries.disclosure import names

    known = stated["known"]
    agents = names(known["agents"])
    shown = known["lines"]
    open_lines = shown["unknown"] + shown["undeclared"]
    since = (
        f"{count_of(stated['commits'], 'commit')} since" if stated["commits"] else "nothing beyond"
    )
    where = f"{stated['branch']}, {since} {stated['base']}"
    if not agents:
        lines = [
            f"{where}: nothing on record shows an agent, so nothing is stated;"
            f" {open_lines:,} of {count_of(known['added'], 'line')} are not known"
        ]
    else:
        lines = [
            f"{where}: {agents} wrote {known['by_agents']:,} of"
            f" {count_of(known['added'], 'added line')}; {open_lines:,} not known",
            *_lines_to_copy(stated),
        ]
    for line in lines:
        click.echo(printable(line))


def _lines_to_copy(stated: Row) -> Iterator[str]:
    if stated["refused"]:
        yield f"the project refuses contributions made with AI: {stated['refused']}"
    if stated["trailers"]:
        asks = f"as in {stated['shown_by']}" if stated["shown_by"] else "as named"
        yield f"for commit messages ({stated['form']}, {asks}):"
        yield from stated["trailers"]
    else:
        yield "no policy of this clone shows a form of trailers: name one with --form"
    if stated["template"]:
        yield "for the pull request:"
        yield from stated["template"]


COMMANDS = (review, disclose)
