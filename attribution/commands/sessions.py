"""The command about sessions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import PATH, database
from collector.console.tables import print_table
from collector.console.terminal import (
    ANY_PATH,
    FILE,
    data_options,
    database_option,
    notice,
    out,
    writing,
)
from collector.json_values import Row
from collector.text import count_of

if TYPE_CHECKING:
    from collector.storage.store import Store
    from collector.storage.views import Table

_SESSION = click.option(
    "--session", default="", metavar="KEY", help="Only this session, by its key or a prefix of it."
)


@click.command()
@PATH
@_SESSION
@click.option(
    "--by",
    type=click.Choice(["session", "turn", "region", "agent", "language", "driver"]),
    default="session",
    show_default=True,
    help=(
        "A row per session, prompt, or place that was edited again; or how often people push back,"
        " by agent, language or driver."
    ),
)
@click.option(
    "--columns",
    type=click.Choice(["counts", "features"]),
    default="counts",
    show_default=True,
    help=(
        "With --by session: counts, or features of sessions; with --session all of them, with units"
        " and why one is missing."
    ),
)
@click.option(
    "--subagents",
    is_flag=True,
    help="List subagents too; --json and --csv always do, with their parent.",
)
@click.option(
    "--oscillating",
    is_flag=True,
    help="With --by region: only those that were rewritten back and forth.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="With --by region: how many are printed.",
)
@click.option(
    "--prices",
    type=ANY_PATH,
    metavar="FILE",
    help="Use this price table (TOML), or genai-prices, for the costs of the database.",
)
@click.option(
    "--html",
    "page",
    type=FILE,
    metavar="FILE",
    help="With --session: write it as one page to pass on; needs whowrote[browse].",
)
@click.option(
    "--md",
    type=FILE,
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="The same as Markdown, printed without FILE.",
)
@database_option
@data_options
def sessions(path: str | None, db: Path, by: str, output_format: str, **options: Any) -> None:
    """List sessions with their counts, features or prompts.

    Covers the clone at PATH, or the whole database. docs/metrics.md explains every feature.

    --by turn shows what each prompt led to: calls, edits, lines. "again" are places that the next
      turn edited again, "undone" those
    where it put back what this turn had replaced: corrections in deed. What became of committed
    lines needs `whowrote survival`.

    --by region shows code that a session edited more than once, with its rounds. Converging: the
      edits get smaller. Expanding: they
    get larger. Oscillating: an earlier text came back, or there is no trend.

    --by agent, language or driver (person, editor, program, CI) shows how often people push back. A
      message pushes back when it
    refuses, corrects, or reports that something does not work; a small classifier counts such
    messages, and the share is corrected for its measured errors.
    """
    show = {"session": _sessions, "turn": _turns, "region": _regions}.get(by, _pushback)
    if options["page"] or options["md"]:
        show = _page
    # costs and scores are stored for all
    with database(path, db, now=not options["prices"]) as (store, repo):
        show(store, repo, output_format, {"by": by, **options})


def _sessions(store: Store, repo: int | None, output_format: str, options: Row) -> None:
    if options["prices"]:
        _reprice(store, repo, options["prices"])
    if options["columns"] == "features" or options["prices"]:
        _features(store, repo, output_format, options["session"], options["subagents"])
        return
    from attribution.queries.sessions import find_session, session_list

    table = session_list(store, repo)
    if options["session"]:
        number = find_session(store, options["session"], repo)
        table.rows = [row for row in table if row["id"] == number]
    lines = sum(row["agent_lines"] or 0 for row in table)
    if not output_format:
        _leave_out_subagents(
            table,
            "parent",
            options["subagents"],
            f"; {count_of(lines, 'line')} in commits, files of every kind",
        )
    columns = (
        "repo?, key=session, started_at, agent, turns, agent_lines=lines, commits, transcript?, "
        "unlinked_because?=no commit because, gone_since?=not read since, label=first prompt"
    )
    print_table(output_format, table, columns)


def _page(store: Store, repo: int | None, output_format: str, options: Row) -> None:
    from attribution.browse.standalone import session_html, session_markdown
    from attribution.queries.sessions import find_session

    if not options["session"]:
        raise click.UsageError("--html and --md write one session: name it with --session KEY")
    session = find_session(store, options["session"], repo)
    for page, form in ((options["page"], session_html), (options["md"], session_markdown)):
        if page == Path("-"):
            click.echo(form(store, session))
        elif page:
            text = form(store, session)
            with writing(page):
                page.touch(0o600)  # as private as the database, until its owner passes it on
                page.write_text(text, "utf-8")
            notice(f"{page}: {len(text) // 1024} kB")


def _leave_out_subagents(table: Table, parent: str, listed: bool, also: str = "") -> None:
    """Notes how many sessions there are; takes subagents out of the table unless they are to be
    listed.
    """
    people = [row for row in table if not row[parent]]
    spawned = len(table) - len(people)
    apart = f", {count_of(spawned, 'subagent')} stored as a session" if spawned else ""
    table.notes.append(f"{count_of(len(people), 'session')}{apart}{also}")
    if spawned and not listed:
        table.rows = people
        table.notes.append("To list the subagents too: --subagents")


def _reprice(store: Store, repo: int | None, prices: Path) -> None:
    from attribution.ensure.renew import reprice
    from attribution.queries.sessions import feature_table

    # says so when there are none, before anything is changed
    feature_table(store, repo, only=("cost_usd",))
    of = reprice(store, prices)
    costs = [row["cost_usd"] for row in feature_table(store, repo, only=("cost_usd",))]
    notice(
        f"{len(costs) - costs.count(None)} of {count_of(len(costs), 'session')} with a cost, at"
        f" prices as of {of.as_of}"
    )


def _features(
    store: Store, repo: int | None, output_format: str, key: str, subagents: bool
) -> None:
    from attribution.queries.features import SHORT_LIST, null_reasons
    from attribution.queries.sessions import feature_table

    table = feature_table(store, repo, key, () if key or output_format else SHORT_LIST)
    if key and not output_format:
        from attribution.terminal.sessions import feature_list

        feature_list(out(), table, null_reasons(store, table.rows[0]["session_id"]))
        return
    if not output_format:
        _leave_out_subagents(table, "parent_key", subagents)
        table.notes.append("for all features of one: --session KEY, of all: --csv or --json")
    for row in table if not output_format else ():
        row["touched_files"] = len(row["touched_files"] or ())
    columns = (
        "key=session, started_at, user_turn_count=turns, tool_call_count=calls, "
        "tool_errors=errors, touched_files=files, diff_lines=edited, "
        "region_re_edit_count=re-edits, cost_usd, session_outcome=outcome, label=first prompt"
    )
    print_table(output_format, table, columns)


def _turns(store: Store, repo: int | None, output_format: str, options: Row) -> None:
    from attribution.queries.sessions import sums, turn_table

    table = turn_table(store, repo, options["session"])
    total = {name: value or 0 for name, value in sums(table).items()}
    table.notes += [
        (
            f"{count_of(len(table), 'turn')}; the next turn changed {total['changed_next']:,} of"
            f" {count_of(total['produced'], 'non-blank line')}, and edited again"
            f" {total['places_again']:,} of {count_of(total['places'], 'place')}"
        ),
        (
            f"{total['dictated']:,} of the lines stood in what the user had said; later sessions"
            f" removed {total['discarded']:,} before a commit had them"
        ),
    ]
    columns = (
        "key=session, turn_index=turn, at=when, message_class=said, calls, cost_usd, "
        "produced=written, changed_next?=next changed, committed, present?=HEAD, prompt"
    )
    print_table(output_format, table, columns)


def _regions(store: Store, repo: int | None, output_format: str, options: Row) -> None:
    from attribution.queries.sessions import find_session, region_counts, region_edits, region_table

    session = find_session(store, options["session"], repo) if options["session"] else None
    only = {
        "repo_id": repo,
        "session_id": session,
        "convergence": "oscillating" if options["oscillating"] else None,
    }
    table = region_table(store, only, None if output_format else options["limit"])
    if output_format:
        print_table(output_format, region_edits(table) if output_format == "csv" else table)
        return
    from attribution.terminal.sessions import region_list

    region_list(out(), table, region_counts(store, only))


def _pushback(store: Store, repo: int | None, output_format: str, options: Row) -> None:
    from attribution.queries.pushback import By, pushback_table

    columns = (
        f"name={options['by']}, messages=later messages, classified, share=push back, "
        "low=95 % from, high=to, note?=, vector_classified?=by vectors, "
        "vector_share?=push back, vector_low?=95 % from, vector_high?=to, "
        "listed?=by word lists, deeds_answers=after lines, deeds_changed=lines changed, "
        "deeds_undone=undone, deeds_agree=word and deed agree, deeds_kappa=kappa"
    )
    print_table(output_format, pushback_table(store, repo, By(options["by"])), columns)


COMMANDS = (sessions,)
