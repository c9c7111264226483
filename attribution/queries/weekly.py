"""What a lead reads every week: the last whole week beside the one before, what became of the weeks
before, what is open, what cannot be known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from attribution.hooks import chapters
from attribution.lineage import minimum
from attribution.lineage.survival import BY_AGENTS, ENDERS, LifetimeRecord, ended_by
from attribution.queries.breakdown import check, cost_of, group_rows, no_lines
from attribution.queries.breakdown_facts import BreakdownOptions, Prompt, facts
from attribution.queries.coverage import AgentShare
from attribution.queries.overview import Section, monday
from attribution.stats.accuracy import audited_note
from collector.console.formats import percent
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.vocabulary.lines import LINE_CLASSES

WEEKS_BEFORE = 4
"""Weeks before this one whose agent lines are followed: the last month, in whole weeks."""
_SEVERITIES = ("high", "medium", "low")
_UNITS = dict.fromkeys(
    ("coverage", "agent_share", "agent_or_declared_share", "agent_at_head", "share"), "share"
) | {
    "cost_usd": "USD",
}
_COLUMNS = "coverage, lines, commits, agent_or_declared_share=agents, cost_usd?=cost"


@dataclass(frozen=True, slots=True)
class WeeklyReport:
    """`days`: Monday of the last whole week, and the last day that is counted.

    Sections are tables for people, in order of importance.
    """

    days: tuple[str, str]
    sections: Sequence[Section]
    unknowable: Sequence[str]
    notes: Sequence[str]


def weekly_report(store: Store, options: BreakdownOptions) -> WeeklyReport:
    """The last week that is over at the end of `options.until`, and those since `options.since`;
    the other names of `by` make groups of it. By default the last week that is over today, or the
    last one with a commit where nothing was committed for weeks.

    Raises WhoWroteError as `breakdown` does.
    """
    check(options)
    until = date.fromisoformat(options.until) if options.until else _last_day(store)
    sunday = until - timedelta((until.weekday() + 1) % 7)  # the last week that is over
    this = date.fromisoformat(monday(sunday.isoformat()))
    first = min(options.since or "9999", _weeks_before(this, WEEKS_BEFORE))
    result = facts(store, replace(options, since=first, until=until.isoformat()))
    if not result.cells:
        raise no_lines(store)
    weeks = {row["week"]: row for row in group_rows(result, replace(options, by=("week",)))}
    these = [_weeks_before(this, weeks) for weeks in (0, 1)]
    now = weeks.get(these[0], {})
    by_week = result.grouped(lambda place: (monday(place.day),))
    month = [by_week[(_weeks_before(this, number),)] for number in range(WEEKS_BEFORE, 0, -1)]
    before = {week for week in weeks if week >= (options.since or first)}
    shown = [
        _add_classes(weeks.get(week, {"week": week, "lines": 0, "commits": 0}))
        for week in sorted({*before, *these}, reverse=True)
    ]
    sections = [
        Section(
            f"Week of {this.isoformat()}, and those before",
            table_of(shown, _UNITS),
            f"week, {_COLUMNS}, classes=by class",
        ),
        _became(
            [life.record for part in month for life in part.lives],
            [prompt for part in month for prompt in part.prompts],
        ),
        _open_weaknesses(store, this),
        *_groups(group_rows(result, options), options, these),
    ]
    notes = [note for note in (audited_note("agent", "human", "likely_human"),) if note]
    return WeeklyReport((this.isoformat(), until.isoformat()), sections, _unknowable(now), notes)


def _last_day(store: Store) -> date:
    today = datetime.now(UTC).date()
    newest = store.value("SELECT substr(MAX(author_at), 1, 10) FROM commits")
    if not newest or newest >= _weeks_before(today, WEEKS_BEFORE):
        return today
    day = date.fromisoformat(newest)
    return day + timedelta(6 - day.weekday())


def _weeks_before(day: date, weeks: int) -> str:
    return (day - timedelta(weeks=weeks)).isoformat()


def _add_classes(row: Row) -> Row:
    return {**row, **{name: row.get(f"{name}_lines", 0) for name in LINE_CLASSES}}


# --- what became of the weeks before --------------------------------------------------------------


def _became(lives: Sequence[LifetimeRecord], prompts: Sequence[Prompt]) -> Section:
    """The agents' lines of the weeks before this one, by what became of them, and what those
    that are left cost.
    """
    title = f"What became of the agents' lines of the {WEEKS_BEFORE} weeks before"
    agents = [life for life in lives if life.author in BY_AGENTS]
    every = sum(life.lines for life in agents)
    if not every:
        note = "none is known: none was added, or whowrote survival PATH has not followed them yet"
        return Section(title, Table("", "", [], [], [note]), ())
    fates = {"still there": sum(life.lines for life in agents if not life.dead and not life.lost)}
    fates |= {
        f"changed or removed by {_ENDERS.get(name, name)}": lines
        for name, lines in ended_by(agents).items()
    }
    fates["not followed further"] = sum(life.lines for life in agents if life.lost)
    rows = [
        {"lines of agents": name, "lines": lines, "share": lines / every}
        for name, lines in fates.items()
        if lines
    ]
    note = _cost_note(prompts, fates["still there"])
    return Section(title, table_of(rows, _UNITS, [note]), "lines of agents, lines, share")


_WHO = (
    "the session that wrote them",
    "another session",
    "an agent, the session is not known",
    "a person",
    "somebody not known",
)
_ENDERS = dict(zip(ENDERS, _WHO, strict=True))


def _cost_note(prompts: Sequence[Prompt], there: int) -> str:
    """`there`: the lines that the table calls still there, so that a reader who divides gets the
    number that is printed.
    """
    cost, priced = cost_of(prompts)
    if cost is None:
        return "what they cost is not known: no prompt of these weeks has a price"
    known = (
        f"the prompts of these weeks cost USD {cost:,.2f} ({priced:,} of {len(prompts):,} have a"
        " price)"
    )
    least = "at least " if priced < len(prompts) else ""
    return (
        f"{known}, {least}USD {cost / there:.4f} for each line that is still there"
        if there >= minimum.PART.lines
        else known
    )


# --- what is open, and in which group -------------------------------------------------------------


def _open_weaknesses(store: Store, this: date) -> Section:
    """Findings of high and medium confidence that HEAD still has, by severity."""
    title = "Open weaknesses"
    try:
        rows = [
            row
            for read in [chapters().get("findings")]
            for table in (read(store) if read else ())
            for row in table
            if row["alive_at_head"] and row["confidence"] in ("HIGH", "MEDIUM")
        ]
    except WhoWroteError as error:
        return Section(title, Table("", "", [], [], [error.hint or str(error)]), ())
    by_severity = [
        _severity(name, [row for row in rows if row["severity"] == name], this)
        for name in _SEVERITIES
    ]
    return Section(title, table_of(by_severity), tuple(by_severity[0]))


def _severity(name: str, rows: Sequence[Row], this: date) -> Row:
    weeks = [monday(row["author_at"]) for row in rows]
    return {
        "severity": name,
        "open": len(rows),
        "in lines of agents": sum(row["class"] in BY_AGENTS for row in rows),
        "introduced this week": weeks.count(this.isoformat()),
        "last week": weeks.count(_weeks_before(this, 1)),
    }


def _groups(rows: Sequence[Row], options: BreakdownOptions, weeks: Sequence[str]) -> list[Section]:
    """These weeks by the other names, the group with the most lines first."""
    by = [name for name in options.by if name != "week"]
    shown = [row for row in rows if row["week"] in weeks]
    shown.sort(key=lambda row: row["lines"], reverse=True)
    shown.sort(key=lambda row: str(row["week"]), reverse=True)
    table = table_of(shown, _UNITS | {"agent": "agent"})
    return (
        [Section(f"By {', '.join(by)}", table, f"week, {', '.join(by)}, {_COLUMNS}")] if by else []
    )


def _unknowable(now: Row) -> list[str]:
    share = AgentShare.of({name: now.get(f"{name}_lines", 0) for name in LINE_CLASSES})
    between = ""
    if share.lines:
        low = percent(share.by_agents, share.lines)
        high = percent(share.by_agents + share.unanswered, share.lines)
        between = f": this week it lies between {low} and {high}" if share.unanswered else ""
    return [
        (
            "How much agents wrote where nobody recorded them: low coverage is not low use, and"
            f" the share of agents is a lower bound{between}."
        ),
        (
            "Whether the lines are good, or whose merit they are: code that is in use is changed,"
            " and lines do not measure work."
        ),
        (
            "What the lines really cost: these are list prices of recorded tokens, often too low,"
            " without anybody's time."
        ),
    ]
