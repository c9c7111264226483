"""A database taken apart by month, week, directory, team, agent: who wrote the lines, what became
of them, what they cost.

Lines are added non-blank lines of source and test files. Every share comes with the lines and
commits it rests on and an interval over commits; where `attribution.lineage.minimum` asks for more
lines than there are, there is none. Nothing here ranks: groups are in order of their names.
"""

from __future__ import annotations

import fnmatch
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.survival import BY_AGENTS, REWORK_DAYS, LifetimeRecord
from attribution.queries.breakdown_facts import (
    BreakdownOptions,
    CommitSign,
    Facts,
    LineCell,
    Place,
    Prompt,
    facts,
)
from attribution.queries.coverage import ATTRIBUTED, BY_RECORD
from attribution.queries.overview import monday
from attribution.queries.repo_report import undeclared_notes
from attribution.stats import intervals
from attribution.stats.accuracy import audited_note
from attribution.stats.kaplan_meier import commit_of, estimate, observations, sample_of
from attribution.stats.rates import rate_if_enough, total
from collector.errors import WhoWroteError
from collector.groups import positions
from collector.json_values import Numbers, Row, Texts
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.text import count_of
from collector.vocabulary.lines import LINE_CLASSES, LineClass

DIMENSIONS = (
    *("month", "week", "release", "repository"),
    *("team", "directory", "agent", "driver", "person"),
)
"""What groups can be made of. `person` is the git author, and nobody's merit: who commits a line
need not have written it.
"""
NO_TEAM = "no team"
NO_AGENT = "no agent"
NO_DRIVER = "no session"
NO_RELEASE = "not released"
_WITHOUT = {"agent": NO_AGENT, "driver": NO_DRIVER, "release": NO_RELEASE}
# a prompt has these, and no directory, team or person
_OF_TURNS = frozenset({"month", "week", "repository", "agent", "driver"})
_BASELINE = str(LineClass.UNDECLARED)


Share = tuple[float | None, float | None, float | None, int | None]
"""A part of lines, its 95 % interval, and the lines that it is of. No value where there are too
few; no interval of one commit.
"""
_NOT_KNOWN: Share = (None, None, None, None)


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The groups, in order of their names, and all of them together: rows of `_row`."""

    options: BreakdownOptions
    table: Table
    whole: Row
    months: Mapping[str, Numbers]  # month -> class -> lines


def breakdown(store: Store, options: BreakdownOptions) -> Breakdown:
    """Raises WhoWroteError for an unknown dimension, teams that nobody named, and a database in
    which no line is left.
    """
    check(options)
    result = facts(store, options)
    if not result.cells:
        raise no_lines(store)
    scope = _scope(result, options)
    rows = group_rows(result, options)
    whole = _row(result, scope._replace(of_prompts=True, shares=True))
    units = {
        name: "share" for name in whole if f"{name}_low" in whole and name != _WEAKNESSES[2]
    } | {"agent": "agent"}
    notes = [
        *([since_when(result.signs)] if "release" in options.by else ()),
        *_notes(options, scope),
        *undeclared_notes(store, store.column("SELECT id FROM repos")),
    ]
    return Breakdown(
        options,
        table_of(rows, units, notes),
        whole,
        _months(result.cells, options),
    )


def no_lines(store: Store) -> WhoWroteError:
    latest = store.value("SELECT substr(MAX(author_at), 1, 10) FROM commits")
    return WhoWroteError(
        f"{store.path} has no attributed line of these days",
        f"Its newest commit is of {latest}: add --until {latest}" if latest else "",
    )


def group_rows(result: Facts, options: BreakdownOptions) -> list[Row]:
    """The names and numbers of the groups that have lines, in order of their names."""
    scope = _scope(result, options)
    groups = result.grouped(_Naming(options, result).key)
    return [
        dict(zip(options.by, key, strict=True)) | _row(groups[key], scope)
        for key in _in_time(groups, options.by)
        if groups[key].cells
    ]


def _in_time(groups: Mapping[tuple[str, ...], Facts], by: Sequence[str]) -> list[tuple[str, ...]]:
    """Groups in order of their names, and releases in order of their last lines."""
    if "release" not in by:
        return sorted(groups)
    place = list(by).index("release")
    cells = {key: group.cells for key, group in groups.items() if group.cells}
    releases = _releases(itertools.chain.from_iterable(cells.values()))
    place_of = positions(releases)
    order = {key: min(place_of[_release(cell)] for cell in cells[key]) for key in cells}
    return sorted(cells, key=lambda key: (*key[:place], order[key], *key[place:]))


def _release(of: LineCell | CommitSign) -> str:
    return of.place.release or NO_RELEASE


def _releases(of: Iterable[LineCell | CommitSign]) -> Texts:
    """Release -> its last day, in order of time; what is in none comes last."""
    last: Texts = {}
    for each in of:
        name = _release(each)
        last[name] = max(each.place.day, last.get(name, ""))
    return dict(sorted(last.items(), key=_version))


def _version(release: tuple[str, str]) -> tuple[bool, str, list[str | int]]:
    """1.10 comes after 1.9 of the same day."""
    name, day = release
    parts = re.split("([0-9]+)", name)
    return name == NO_RELEASE, day, [int(part) if part.isdecimal() else part for part in parts]


def since_when(commits: Sequence[CommitSign]) -> str:
    """The first release with a sign of an agent, and the last one before it without, in words."""
    sign = first_sign(commits)
    if sign is None:
        count = count_of(len(_releases(commits).keys() - {NO_RELEASE}), "release")
        return f"no sign of an agent in {count}; {LOOKED_FOR}"
    before = f"; last one before it: {sign.before}" if sign.before else ""
    first = f"first release with a sign of an agent: {sign.release}, from {sign.day}"
    return f"{first}{before}; {LOOKED_FOR}"


class FirstSign(NamedTuple):
    """Of an agent: the first release with one, its day there, the release before ("" for none)."""

    release: str
    day: str
    before: str


LOOKED_FOR = "looked for: sessions on record, and commits that name an agent"


def first_sign(commits: Sequence[CommitSign]) -> FirstSign | None:
    before = ""
    for name in _releases(commits):
        days = [each.place.day for each in commits if each.signed and _release(each) == name]
        if days:
            return FirstSign(name, min(days), before)
        before = name
    return None


def _scope(result: Facts, options: BreakdownOptions) -> _Asked:
    return _Asked(
        {"agent", "driver"}.isdisjoint(options.by),
        bool(result.lives),
        set(options.by) <= _OF_TURNS,
        bool(result.weak),
    )


def check(options: BreakdownOptions) -> None:
    """Raises WhoWroteError for what cannot be grouped so."""
    unknown = [name for name in options.by if name not in DIMENSIONS]
    if unknown or not options.by:
        raise WhoWroteError(
            f"lines cannot be grouped by {', '.join(unknown) or 'nothing'}",
            f"Choose from: {', '.join(DIMENSIONS)}",
        )
    if "team" in options.by and not options.teams:
        raise WhoWroteError(
            "no teams are known", "Name a CSV file with the columns email and team: --teams FILE"
        )


class _Naming:
    """Names of groups as they are shown.

    Months, and releases of one repository, before and between those with a sign of an agent are
    one group, where that is asked for.
    """

    def __init__(self, options: BreakdownOptions, result: Facts) -> None:
        self._options = options
        self._teams: Texts = {}
        self._quiet: Texts = {}
        if options.fold:
            self._quiet = _quiet_months(result.cells) | _quiet_releases(result.signs)

    def key(self, location: Place) -> tuple[str, ...]:
        return tuple(self._name(dimension, location) for dimension in self._options.by)

    def _name(self, dimension: str, location: Place) -> str:
        if dimension == "month":
            return self._quiet.get(location.day[:7], location.day[:7])
        if dimension == "release":
            return self._quiet.get(location.release, location.release or NO_RELEASE)
        if dimension == "week":
            return monday(location.day)
        if dimension == "team":
            return self._team(location.email)
        value: str = getattr(location, "name" if dimension == "person" else dimension)
        return value or _WITHOUT.get(dimension, "")

    def _team(self, email: str) -> str:
        if email not in self._teams:
            fits = (
                team
                for pattern, team in self._options.teams.items()
                if fnmatch.fnmatchcase(email, pattern.lower())
            )
            self._teams[email] = next(fits, NO_TEAM)
        return self._teams[email]


def _quiet_months(cells: Sequence[LineCell]) -> Texts:
    """Month without a line of agents, beside another such month -> the name of all of them."""
    agents = {cell.place.day[:7] for cell in cells if cell.line_class in BY_AGENTS}
    return _join_quiet(sorted({cell.place.day[:7] for cell in cells}), agents)


def _quiet_releases(commits: Sequence[CommitSign]) -> Texts:
    """The same for releases; those of several repositories have no common order."""
    signed = {_release(commit) for commit in commits if commit.signed}
    if len({commit.place.repository for commit in commits}) > 1:
        return {}
    return _join_quiet([name for name in _releases(commits) if name != NO_RELEASE], signed)


def _join_quiet(every: Sequence[str], agents: Collection[str]) -> Texts:
    """Name -> the name of its run of names without agents, where it is not alone."""
    result: Texts = {}
    for of_agents, run in itertools.groupby(every if agents else (), agents.__contains__):
        names = list(run)
        if not of_agents and len(names) > 1:
            result |= dict.fromkeys(names, f"{names[0]} to {names[-1]}")
    return result


class _Asked(NamedTuple):
    """What can be said of the groups at all."""

    shares: bool  # groups by agent have all lines of an agent, or none
    followed: bool
    of_prompts: bool
    scanned: bool


_WEAKNESSES = (
    "findings",
    "scanned_lines",
    "findings_per_1000",
    "findings_per_1000_low",
    "findings_per_1000_high",
)


def _row(group: Facts, scope: _Asked) -> Row:
    """The numbers of a group; None for what is not known, or has too few lines.

    coverage: lines with a named author, of those of commits with any sign of an agent. agent_share:
    lines that a recorded action of an agent wrote, of all; agent_or_declared_share: these, and
    those of commits that name an agent without a record of it. Groups by agent have none of the
    three. agent_kept_30_days: agent lines that are still there 30 days later (Kaplan-Meier);
    undeclared_kept_30_days: the same for lines of commits that nothing links to an agent;
    agent_at_head: agent lines that HEAD still has, whatever their age;
    agent_or_declared_share_at_head: of all followed lines that HEAD still has, those of agents.
    Beside each are its 95 % interval and the number of lines that it is of. cost_usd: of prompts
    with a known cost; cost_per_line_at_head: at least so much for each agent line at HEAD.
    findings: introduced in agents' lines.
    """
    lines: Counter[str] = Counter()
    for cell in group.cells:
        lines[cell.line_class] += cell.lines
    signed = [cell for cell in group.cells if cell.signed]
    records = [life.record for life in group.lives]
    agents = [record for record in records if record.author in BY_AGENTS]
    undeclared = [record for record in records if record.author == _BASELINE]
    cost, priced = cost_of(group.prompts) if scope.of_prompts else (None, None)
    at_head = (
        (commit_of(record), record.lines, not record.dead) for record in agents if not record.lost
    )
    standing = (
        (commit_of(record), record.lines, record.author in BY_AGENTS)
        for record in records
        if not record.dead and not record.lost
    )
    there = sum(
        record.lines
        for record in agents
        if record.author == LineClass.AGENT and not record.dead and not record.lost
    )
    weaknesses = (
        rate_if_enough(total(weak.cell for weak in group.weak))
        if scope.scanned
        else (None,) * len(_WEAKNESSES)
    )
    return {
        "commits": len({cell.commit_id for cell in group.cells}),
        "lines": lines.total(),
        **{f"{name}_lines": lines[name] for name in LINE_CLASSES},
        **_columns("coverage", _share(signed, ATTRIBUTED) if scope.shares else _NOT_KNOWN),
        **_columns("agent_share", _share(group.cells, BY_RECORD) if scope.shares else _NOT_KNOWN),
        **_columns(
            "agent_or_declared_share",
            _share(group.cells, BY_AGENTS) if scope.shares else _NOT_KNOWN,
        ),
        **_columns(
            "agent_kept_30_days", _share_after_30_days(agents) if scope.followed else _NOT_KNOWN
        ),
        **_columns(
            "undeclared_kept_30_days",
            _share_after_30_days(undeclared) if scope.followed else _NOT_KNOWN,
        ),
        **_columns("agent_at_head", _ratio(at_head) if scope.followed else _NOT_KNOWN),
        **_columns(
            "agent_or_declared_share_at_head", _ratio(standing) if scope.followed else _NOT_KNOWN
        ),
        "cost_usd": cost,
        "cost_per_line_at_head": (
            cost / there if cost is not None and there >= minimum.PART.lines else None
        ),
        "prompts": len(group.prompts) if scope.of_prompts else None,
        "prompts_with_cost": priced,
        **dict(zip(_WEAKNESSES, weaknesses, strict=True)),
    }


def _columns(name: str, share: Share) -> Row:
    """`of` are the lines that the share is of."""
    return dict(zip((name, f"{name}_low", f"{name}_high", f"{name}_of"), share, strict=True))


def _share(cells: Iterable[LineCell], classes: Collection[str]) -> Share:
    return _ratio((cell.commit_id, cell.lines, cell.line_class in classes) for cell in cells)


def _ratio(lines: Iterable[tuple[Hashable, int, bool]]) -> Share:
    """The part that counts of (commit, lines, whether they count); the interval leaves out one
    commit after the other.
    """
    commits: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for commit, count, counts in lines:
        commits[commit][0] += count if counts else 0
        commits[commit][1] += count
    parts = [(hit, of) for hit, of in commits.values()]
    hit, of = (int(sum(column)) for column in zip(*parts, strict=True)) if parts else (0, 0)
    value = minimum.part_of(hit, of)
    if value is None or hit in (0, of):  # all or nothing says nothing about how much commits differ
        return value, None, None, of
    error = intervals.jackknife(parts, lambda sums: sums[0] / sums[1] if sums[1] else None)
    low, high = intervals.around(value, error, len(parts) - 1, 0.0, 1.0) or (None, None)
    return value, low, high, of


def _share_after_30_days(records: Sequence[LifetimeRecord]) -> Share:
    """The share of the lines that are old enough."""
    old = [record for record in records if record.is_old]
    lines = sum(r.lines for r in old)
    if not old or minimum.SHARE.refusal({"": sample_of(old)}):
        return None, None, None, lines
    (result,) = estimate(observations(records), [REWORK_DAYS])
    low, high = result.interval() or (None, None)
    return result.share, low, high, lines


def cost_of(prompts: Iterable[Prompt]) -> tuple[float | None, int]:
    """USD, and prompts with a known cost."""
    priced = [prompt.cost_usd for prompt in prompts if prompt.cost_usd is not None]
    return sum(priced) if priced else None, len(priced)


def _months(cells: Sequence[LineCell], options: BreakdownOptions) -> dict[str, Numbers]:
    """Without those that are folded."""
    folded = _quiet_months(cells) if options.fold else {}
    result: dict[str, Counter[str]] = defaultdict(Counter)
    for cell in cells:
        result[cell.place.day[:7]][cell.line_class] += cell.lines
    return {month: dict(result[month]) for month in sorted(result) if month not in folded}


NOT_TO_CONCLUDE = (
    (
        "Low coverage is not low use: where sessions were not recorded, agents' lines are"
        " undeclared or unknown. Compare shares only between groups of like coverage."
    ),
    "The share of agents is a lower bound. Lines that are undeclared are not people's by that.",
    (
        "Lines do not measure work, value or skill, neither of a person nor of a team, and a line"
        " that was rewritten need not have been wrong: code that is in use is changed."
    ),
    (
        "Groups differ in what they work on. A difference between two of them is not what an agent"
        " did to them; intervals say how much chance there is in each, not that the groups are"
        " alike otherwise."
    ),
    (
        "Costs are list prices of recorded tokens, and often too low: some agents record the tokens"
        " of a response at its start."
    ),
)
"""What must not be read into these numbers; printed with them."""


def _notes(options: BreakdownOptions, scope: _Asked) -> list[str]:
    result = [note for note in (audited_note("agent", "human", "likely_human"),) if note]
    if not scope.followed:
        result.append(
            "what became of lines is not known: run whowrote survival PATH for each repository"
            " first"
        )
    if not scope.scanned:
        result.append(
            "weaknesses are not known: run whowrote findings scan PATH for each repository first"
        )
    if not scope.of_prompts:
        beyond = [name for name in options.by if name not in _OF_TURNS]
        result.append(f"a prompt belongs to no {' and no '.join(beyond)}, so groups have no cost")
    return result
