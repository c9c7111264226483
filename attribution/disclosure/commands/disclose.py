"""The command about what a project asks contributors to say about AI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands import common
from collector.console.terminal import data_options, database_option, write_json
from collector.groups import group_pairs
from collector.text import count_of, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from attribution.queries.open_repo import OpenRepo
    from collector.json_values import Row


_MOST_RULES = 12  # of a text
_GROUPS = {
    "refuses": "what the project refuses or limits:",
    "quoted": "what else its texts say about AI:",
}


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
    project's texts ask for plainly is filled in. What they say about AI is quoted with its place,
    first what they refuse or limit, and at most twelve rules of a text: read it, nothing here
    decides whether the branch keeps to it. An agent is named only where a record or a commit shows
    it.
    As a hook: whowrote disclose --hook >> "$1"
    """
    from attribution.disclosure.filled_in import forms, refused_keys

    known = forms()["trailer"]
    if form and form not in known:
        raise click.UsageError(f"there is no form {form}: use one of {', '.join(known)}")
    commits, clone = common.range_and_clone(commits, path)
    with common.open_clone(clone, db) as opened:
        stated = _statement(opened, commits, form, hook)
    if known.get(form, "").lower().partition(":")[0] in refused_keys(stated["said"]):
        click.echo(f"note: the project refuses the trailers of --form {form}", err=True)
    if output_format == "json":
        write_json(stated)
    elif output_format == "csv":
        common.print_rows(output_format, [{"line": line} for line in stated["trailers"]], None)
    else:
        for line in stated["trailers"] if hook else _told_lines(stated):
            click.echo(printable(line))


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


def _told_lines(stated: Row) -> Iterator[str]:
    from attribution.disclosure.filled_in import tell

    known = stated["known"]
    told = (
        f"no agent is on record; added lines: {known['added']}, author not known: {known['open']}."
    )
    if known["agents"]:
        told = tell(known)
    since = f"{count_of(stated['commits'], 'commit')} since {stated['base']}"
    yield f"{stated['branch']}, {since}: {told}"
    yield from _lines_to_copy(stated)
    yield from _quotes(stated["said"])


def _quotes(said: Row) -> Iterator[str]:
    """What the project says about AI, with the place of each sentence, so that it can be
    checked.
    """
    for row in said["absent"]:
        yield f"{row['path']}: a link to {row['text']}, which is not here; read it where it is"
    for kind, what in _GROUPS.items():
        if said[kind]:
            yield what
            yield from _numbered_lines(said[kind])
    if not any(said[kind] for kind in ("absent", "template", *_GROUPS)):
        yield "no sentence about AI was recognised: read what the project says about contributions"


def _numbered_lines(rows: Iterable[Row]) -> Iterator[str]:
    """The rules of each text that ask or refuse, each with the number of its line; where there are
    few of them, others too.
    """
    from attribution.disclosure.policy_words import BINDS

    for path, blocks in group_pairs((row["path"], row) for row in rows).items():
        rules = [rule for block in blocks for rule in block["rules"]]
        shown = sorted(sorted(rules, key=lambda rule: not BINDS.search(rule[1]))[:_MOST_RULES])
        yield f"  {path}, rules: {len(shown)} of {len(rules)}"
        yield from (f"  {number:>5}  {text}" for number, text in shown)


def _lines_to_copy(stated: Row) -> Iterator[str]:
    """What can be copied: trailers, and the template's part about AI."""
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
        path = stated["said"]["template_path"]
        yield f"for the pull request ({path}; what is left open is yours to answer):"
        yield from stated["template"]


COMMANDS = (disclose,)
