"""The commands about a branch and what is not committed yet: review, disclose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands import common
from collector.console.terminal import data_options, database_option, one_line, write_json
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


# kinds of sentences, what is said of them, and how many of each are shown
_QUOTED = {
    "refuses": "the project refuses what AI makes",
    "asks": "the project asks",
    "unwanted": "the project refuses a trailer",
    "says": "other rules about AI; read them yourself, nothing here follows them",
}
_MOST = 6


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
    since BASE (the main branch when it is not named) and what is not committed. Only what the
    project's texts ask for plainly is filled in; everything else about AI in them is quoted with
    its place, for you to read. An agent is named only where a record or a commit shows it; where
    nothing does, or the project refuses what AI makes, nothing is stated.
    As a hook: whowrote disclose --hook >> "$1"
    """
    from attribution.queries.disclosure import forms

    known = forms()["trailer"]
    if form and form not in known:
        raise click.UsageError(f"there is no form {form}: use one of {', '.join(known)}")
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
    """`known`: what the record shows; `trailers`: lines to be copied, and `marked`, the same by
    commits; `template`: lines for the pull request; `forms`: of trailers, that are used; `said`:
    sentences of the project's texts, see `policies.statements`; `refused`: the one that refuses all
    that AI makes; `refused_trailers`: (commit, line) of what they refuse and a commit has.
    """
    from attribution.queries import disclosure
    from attribution.queries.policies import statements
    from attribution.queries.review import base_of, waiting_shas

    name = "HEAD" if hook else base_of(opened, base)
    shas = waiting_shas(opened, name)
    staged, unstaged = opened.pending or ("", "")
    if hook:  # `git commit -a` stages as it commits
        shas = [staged or unstaged]
    known = disclosure.work_of_agents(opened, shas, tracked=hook and not staged)
    said = statements(opened, opened.tip)
    shown = disclosure.forms_shown(said)
    is_open = bool(said["asks"] or shown)
    refused = "" if is_open else "".join(row["text"] for row in said["refuses"][:1])
    if form and not (hook and refused):
        text = disclosure.forms()["trailer"][form]
        shown = [{"key": form, "form": text, "path": "", "line": 0, "is_for_request": False}]
    marked = disclosure.marked_commits(shown, known)
    return {
        "branch": opened.branch,
        "base": name,
        "commits": len(shas) - bool(staged) - bool(unstaged) if not hook else 0,
        "known": known,
        "forms": shown,
        "marked": marked,
        "trailers": list(dict.fromkeys(line for row in marked for line in row["trailers"])),
        "template": [] if refused else disclosure.fill_template(known, said, shown),
        "said": said,
        "refused": refused,
        "refused_trailers": disclosure.refused_trailers(said, known),
    }


def _print_statement(stated: Row) -> None:
    from attribution.queries.disclosure import tell

    known = stated["known"]
    since = (
        f"{count_of(stated['commits'], 'commit')} since" if stated["commits"] else "nothing beyond"
    )
    added = count_of(known["added"], "non-blank added line")
    nobody = f"no agent is on record for {added}; who wrote {known['open']:,} is not known."
    told = tell(known) if known["agents"] else nobody
    where = f"{stated['branch']}, {since} {stated['base']}"
    lines = [*_quotes(stated["said"]), *_lines_to_copy(stated)]
    for line in (f"{where}: {told}", *lines):
        click.echo(printable(line))


def _quotes(said: Row) -> Iterator[str]:
    """What the project says, with the place of each sentence, so that it can be checked."""
    for kind, told in _QUOTED.items():
        rows = said[kind]
        if rows:
            yield f"{told}:"
        last = ""
        for row in rows[:_MOST]:
            lead = "…" if row["lead"] and row["lead"] == last else row["lead"]
            text = f"{lead} {row['text']}".lstrip()
            yield f"  {row['path']}:{row['line']}: {text}"
            last = row["lead"]
        if len(rows) > _MOST:
            yield f"  and {count_of(len(rows) - _MOST, 'more sentence')}: --json"
    if not any(said[kind] for kind in (*_QUOTED, "trailers")):
        yield "no sentence about AI was recognised: read what the project says about contributions"


def _lines_to_copy(stated: Row) -> Iterator[str]:
    forms = stated["forms"]
    at = [f"{row['key']}, {row['path']}:{row['line']}" for row in forms]
    places = "; or ".join(place.removesuffix(", :0") for place in at)  # of a form that was named
    for row in stated["marked"]:
        if row["trailers"]:
            yield f"for the message of {row['of']} ({places}):"
            yield from row["trailers"]
        for line in row["there"]:
            yield f"the message of {row['of']} has it already: {line}"
    if stated["template"]:
        yield _how_to_use(stated)
        yield from stated["template"]
    if not (stated["marked"] or stated["template"]):
        why = "the project refuses it" if stated["refused"] else "nothing plain is asked"
        yield f"nothing is filled in: {why if stated['known']['agents'] else 'no agent is known'}"
    for sha, line in stated["refused_trailers"]:
        yield f"commit {sha[:9]} has a trailer that the project refuses, take it out: {line}"


def _how_to_use(stated: Row) -> str:
    if not stated["known"]["agents"]:
        return "the template's part about AI, where nothing is filled in as no agent is known:"
    for row in stated["said"]["own_words"][:1]:
        place = f"{row['path']}:{row['line']}"
        return f"facts for the pull request, to be said in your own words ({place}):"
    return "for the pull request (boxes and questions left open are yours to answer):"


COMMANDS = (review, disclose)
