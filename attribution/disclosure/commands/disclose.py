"""The command about what a project asks contributors to say about AI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands import common
from collector.console.terminal import data_options, database_option, write_json
from collector.text import count_of, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from attribution.queries.open_repo import OpenRepo
    from collector.json_values import Row


@click.command()
@click.argument("commits", required=False, default="", metavar="[BASE]")
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
    project's texts ask for plainly is filled in. All that they say about AI is quoted with its
    place, first what they refuse or limit: read it, nothing here decides whether the branch keeps
    to it. An agent is named only where a record or a commit shows it.
    As a hook: whowrote disclose --hook >> "$1"
    """
    from attribution.disclosure.filled_in import forms

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
    what the project's texts say, see `policies.statements`.
    """
    from attribution.disclosure import filled_in
    from attribution.disclosure.policies import statements
    from attribution.queries.review import base_of, waiting_shas

    name = "HEAD" if hook else base_of(opened, base)
    shas = waiting_shas(opened, name)
    staged, unstaged = opened.pending or ("", "")
    if hook:  # `git commit -a` stages as it commits
        shas = [staged or unstaged]
    known = filled_in.work_of_agents(opened, shas, tracked=hook and not staged)
    said = statements(opened, opened.tip)
    shown = filled_in.forms_shown(said)
    if form:
        text = filled_in.forms()["trailer"][form]
        shown = [{"key": form, "form": text, "path": "", "line": 0, "is_for_request": False}]
    marked = filled_in.marked_commits(shown, known, said)
    return {
        "branch": opened.branch,
        "base": name,
        "commits": len(shas) - bool(staged) - bool(unstaged) if not hook else 0,
        "known": known,
        "forms": shown,
        "marked": marked,
        "trailers": list(dict.fromkeys(line for row in marked for line in row["trailers"])),
        "template": filled_in.fill_template(known, said, shown),
        "said": said,
    }


def _print_statement(stated: Row) -> None:
    from attribution.disclosure.filled_in import tell

    known = stated["known"]
    since = (
        f"{count_of(stated['commits'], 'commit')} since" if stated["commits"] else "nothing beyond"
    )
    added = count_of(known["added"], "non-blank added line")
    nobody = f"no agent is on record for {added}; who wrote {known['open']:,} is not known."
    told = tell(known) if known["agents"] else nobody
    where = f"{stated['branch']}, {since} {stated['base']}"
    for line in (f"{where}: {told}", *_lines_to_copy(stated, told), *_quotes(stated)):
        click.echo(printable(line))


def _quotes(stated: Row) -> Iterator[str]:
    """What the project says about AI, with the place of each line, so that it can be checked."""
    said, known = stated["said"], stated["known"]
    for row in said["absent"]:
        yield f"{row['path']}: a link to {row['text']}, which is not here; read it where it is"
    if said["refuses"]:
        share = f"{known['by_agents'] + known['declared']:,} of {known['added']:,}"
        yield f"what the project refuses or limits (an agent took part in {share} lines here):"
        yield from _numbered_lines(said["refuses"])
    if said["quoted"]:
        yield f"{'the rest' if said['refuses'] else 'all'} that its texts say about AI:"
        yield from _numbered_lines(said["quoted"])
    if not any(said[kind] for kind in ("absent", "refuses", "quoted", "template")):
        yield "no sentence about AI was recognised: read what the project says about contributions"


def _numbered_lines(rows: Iterable[Row]) -> Iterator[str]:
    path = ""
    for row in rows:
        if row["path"] != path:
            path = row["path"]
            yield f"  {path}"
        for number, text in enumerate(row["text"].split("\n"), row["line"]):
            if text.strip():
                yield f"  {number:>5}  {text}"


def _lines_to_copy(stated: Row, told: str) -> Iterator[str]:
    """What can be copied: trailers, the template's part about AI, and a sentence."""
    from attribution.disclosure.policy_words import TELLS

    said, is_known = stated["said"], bool(stated["known"]["agents"])
    at = [f"{row['key']}, {row['path']}:{row['line']}" for row in stated["forms"]]
    places = "; or ".join(place.removesuffix(", :0") for place in at)  # of a form that was named
    for row in stated["marked"]:
        if row["trailers"]:
            yield f"for the message of {row['of']} ({places}):"
            yield from row["trailers"]
        for line in set(row["there"]).difference(row["refused"]):
            yield f"the message of {row['of']} has it already: {line}"
        for line in row["refused"]:
            yield f"take out of the message of {row['of']} what the project refuses: {line}"
    if stated["template"]:
        left = "what is left open is yours to answer" if is_known else "no agent is known"
        yield f"for the pull request ({said['template_path']}; {left}):"
        yield from stated["template"]
    rows = [*said["refuses"], *said["quoted"], *said["template"]]
    is_asked = any(TELLS.search(row["text"]) for row in rows)
    if is_known and is_asked and told not in stated["template"]:
        yield "where a text below asks to be told, and in your own words where it wants them:"
        yield told


COMMANDS = (disclose,)
