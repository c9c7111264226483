"""A database taken apart by month, directory, team, agent: who wrote the lines, what became of them, what they cost.

Lines are added non-blank lines of source and test files. Every share comes with the lines and commits it rests on and an interval
over commits; where `attribution.lineage.minimum` asks for more lines than there are, there is none. Nothing here ranks: groups are
in order of their names.
"""

from __future__ import annotations

import fnmatch
import hashlib
import secrets
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from attribution.lineage import minimum
from attribution.lineage.survival import REWORK_DAYS, LifetimeRecord
from attribution.queries.breakdown_facts import BreakdownOptions, Facts, LineCell, Place, Prompt, facts
from attribution.queries.coverage import ATTRIBUTED
from attribution.stats import intervals
from attribution.stats.accuracy import audited_note
from attribution.stats.intervals import Interval
from attribution.stats.kaplan_meier import commit_of, estimate, observations
from attribution.stats.rates import Rate, rate_if_enough, total
from collector.errors import WhoWroteError
from collector.storage.store import Store
from collector.vocabulary.lines import LINE_CLASSES, LineClass

DIMENSIONS = ("month", "repository", "team", "directory", "agent", "person")
"""What groups can be made of. `person` is the git author, and nobody's merit: who commits a line need not have written it."""
NO_TEAM, NO_AGENT = "no team", "no agent"
_OF_TURNS = frozenset({"month", "repository", "agent"})  # a prompt has these, and no directory, team or person
_BASELINE = str(LineClass.UNDECLARED)


@dataclass(frozen=True, slots=True)
class Share:
    """Part of `of` lines. No value where there are too few; no interval of a single commit."""

    lines: int
    of: int
    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class BreakdownRow:
    """One group."""

    group: tuple[str, ...]  # in the order of the dimensions
    commits: int
    lines: Mapping[str, int]  # class -> added lines, every class
    coverage: Share | None  # lines with a named author, of those of commits with any sign of an agent; None by agent
    agent: Share | None  # lines that a recorded action of an agent wrote, of all; None by agent
    agent_or_declared: Share | None  # these, and those of commits that name an agent without a record of it; None by agent
    kept: Share | None  # agent lines that are still there 30 days later (Kaplan-Meier); None without line history
    kept_undeclared: Share | None  # the same for lines of commits that nothing links to an agent
    present: Share | None  # agent lines that HEAD still has, whatever their age
    cost_usd: float | None  # of prompts with a known cost; None where the group is not one of prompts
    priced: Share | None  # prompts with a known cost, of all: counted in prompts
    cost_per_line: float | None  # USD per line that HEAD still has, of prompts with a known cost
    weaknesses: Rate | None  # introduced in agents' lines; None where nothing was scanned

    @property
    def total(self) -> int:
        return sum(self.lines.values())


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The groups, in order of their names, and all of them together."""

    options: BreakdownOptions
    rows: list[BreakdownRow]
    whole: BreakdownRow
    months: Mapping[str, Mapping[str, int]]  # month -> class -> lines
    notes: list[str]

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {"by": list(self.options.by), "rows": self.table(), "whole": _flat((), self.whole), "notes": self.notes}

    def table(self) -> list[dict[str, Any]]:
        """One flat row per group, for --csv."""
        return [_flat(tuple(zip(self.options.by, row.group, strict=True)), row) for row in self.rows]


def breakdown(store: Store, options: BreakdownOptions) -> Breakdown:
    """Raises WhoWroteError for an unknown dimension, teams that nobody named, and a database in which no line is left."""
    _check(options)
    result = facts(store, options)
    if not result.cells:
        raise WhoWroteError(f"{store.path} has no attributed line of these days")
    scope = _Asked("agent" not in options.by, bool(result.lives), set(options.by) <= _OF_TURNS, bool(result.weak))
    groups = result.grouped(_Naming(options).key)
    rows = [_row(key, groups[key], scope) for key in sorted(groups) if groups[key].cells]
    whole = _row((), result, scope._replace(of_prompts=True, shares=True))
    return Breakdown(options, rows, whole, _months(result.cells), _notes(options, scope))


def _check(options: BreakdownOptions) -> None:
    unknown = [name for name in options.by if name not in DIMENSIONS]
    if unknown or not options.by:
        raise WhoWroteError(
            f"lines cannot be grouped by {', '.join(unknown) or 'nothing'}", f"Choose from: {', '.join(DIMENSIONS)}"
        )
    if "team" in options.by and not options.teams:
        raise WhoWroteError("no teams are known", "Name a CSV file with the columns email and team: --teams FILE")


# --- names ------------------------------------------------------------------------------------------------------------


class _Naming:
    """Names of groups as they are shown."""

    def __init__(self, options: BreakdownOptions) -> None:
        self._options = options
        self._teams: dict[str, str] = {}
        self._key = secrets.token_bytes(32)

    def key(self, location: Place) -> tuple[str, ...]:
        return tuple(self._name(dimension, location) for dimension in self._options.by)

    def _name(self, dimension: str, location: Place) -> str:
        if dimension == "month":
            return location.month
        if dimension == "directory":
            return location.directory
        if dimension == "agent":
            return location.agent or NO_AGENT
        if dimension == "team":
            return self._hidden("team", self._team(location.email))
        return self._hidden(dimension, location.repository if dimension == "repository" else location.name)

    def _team(self, email: str) -> str:
        if email not in self._teams:
            fits = (team for pattern, team in self._options.teams.items() if fnmatch.fnmatchcase(email, pattern.lower()))
            self._teams[email] = next(fits, NO_TEAM)
        return self._teams[email]

    def _hidden(self, kind: str, name: str) -> str:
        """A pseudonym, with a key of this run alone: otherwise whoever has a list of names could tell which is whose."""
        if not self._options.anonymous or name == NO_TEAM:
            return name
        digest = hashlib.blake2b(f"{kind}:{name}".encode("utf-8", "surrogatepass"), digest_size=4, key=self._key)
        return f"{kind} {digest.hexdigest()}"


# --- one group --------------------------------------------------------------------------------------------------------


class _Asked(NamedTuple):
    """What can be said of the groups at all."""

    shares: bool  # groups by agent have all lines of an agent, or none
    followed: bool
    of_prompts: bool
    scanned: bool


def _row(key: tuple[str, ...], found: Facts, scope: _Asked) -> BreakdownRow:
    lines: Counter[str] = Counter()
    for cell in found.cells:
        lines[cell.line_class] += cell.lines
    signed = [cell for cell in found.cells if cell.signed]
    records = [life.record for life in found.lives]
    agents = [record for record in records if record.author == LineClass.AGENT]
    undeclared = [record for record in records if record.author == _BASELINE]
    cost, priced, per_line = _cost(found.prompts) if scope.of_prompts else (None, None, None)
    return BreakdownRow(
        group=key,
        commits=len({cell.commit_id for cell in found.cells}),
        lines={name: lines[name] for name in LINE_CLASSES},
        coverage=_share(signed, ATTRIBUTED) if scope.shares else None,
        agent=_share(found.cells, (LineClass.AGENT,)) if scope.shares else None,
        agent_or_declared=_share(found.cells, (LineClass.AGENT, LineClass.DECLARED)) if scope.shares else None,
        kept=_share_after_30_days(agents) if scope.followed else None,
        kept_undeclared=_share_after_30_days(undeclared) if scope.followed else None,
        present=_present(agents) if scope.followed else None,
        cost_usd=cost,
        priced=priced,
        cost_per_line=per_line,
        weaknesses=rate_if_enough(total(weak.cell for weak in found.weak)) if scope.scanned else None,
    )


def _share(cells: Sequence[LineCell], classes: Collection[str]) -> Share:
    parts: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for cell in cells:
        parts[cell.commit_id][0] += cell.lines if cell.line_class in classes else 0
        parts[cell.commit_id][1] += cell.lines
    return _ratio([(float(hit), float(of)) for hit, of in parts.values()])


def _present(records: Sequence[LifetimeRecord]) -> Share:
    parts: dict[object, list[int]] = defaultdict(lambda: [0, 0])
    for record in records:
        if not record.lost:
            parts[commit_of(record)][0] += 0 if record.dead else record.lines
            parts[commit_of(record)][1] += record.lines
    return _ratio([(float(hit), float(of)) for hit, of in parts.values()])


def _ratio(parts: Sequence[tuple[float, float]]) -> Share:
    """(lines that count, lines) of each commit; the interval leaves out one commit after the other."""
    hit, of = (int(sum(column)) for column in zip(*parts, strict=True)) if parts else (0, 0)
    value = minimum.part_of(hit, of)
    if value is None or hit in (0, of):  # all or nothing says nothing about how much commits differ
        return Share(hit, of, value, None)
    error = intervals.jackknife(parts, lambda sums: sums[0] / sums[1] if sums[1] else None)
    return Share(hit, of, value, intervals.around(value, error, len(parts) - 1, 0.0, 1.0))


def _share_after_30_days(records: Sequence[LifetimeRecord]) -> Share:
    """Of the lines that are old enough; `lines` are those still at risk after 30 days."""
    old = [r for r in records if r.follow_days >= REWORK_DAYS and not (r.lost and r.days < REWORK_DAYS)]
    lines = sum(r.lines for r in old)
    there = sum(r.lines for r in old if r.days > REWORK_DAYS or not r.dead)
    if not old or minimum.SHARE.refusal({"": minimum.sample((r.lines, commit_of(r)) for r in old)}):
        return Share(there, lines, None, None)
    (result,) = estimate(observations(records), [REWORK_DAYS])
    return Share(there, lines, result.share, result.interval())


def _cost(prompts: Sequence[Prompt]) -> tuple[float | None, Share, float | None]:
    priced_prompts = [prompt for prompt in prompts if prompt.cost_usd is not None]
    priced = Share(len(priced_prompts), len(prompts), len(priced_prompts) / len(prompts) if prompts else None, None)
    if not priced_prompts:
        return None, priced, None
    cost = sum(prompt.cost_usd or 0.0 for prompt in priced_prompts)
    there = [prompt.present for prompt in priced_prompts if prompt.present is not None]
    lines = sum(there)
    return cost, priced, cost / lines if len(there) == len(priced_prompts) and lines >= minimum.PART.lines else None


def _months(cells: Iterable[LineCell]) -> dict[str, dict[str, int]]:
    result: dict[str, Counter[str]] = defaultdict(Counter)
    for cell in cells:
        result[cell.place.month][cell.line_class] += cell.lines
    return {month: dict(result[month]) for month in sorted(result)}


# --- words ------------------------------------------------------------------------------------------------------------

NOT_TO_CONCLUDE = (
    "Low coverage is not low use: where sessions were not recorded, agents' lines are undeclared or unknown. Compare shares only "
    "between groups of like coverage.",
    "The share of agents is a lower bound. Lines that are undeclared are not people's by that.",
    "Lines do not measure work, value or skill, neither of a person nor of a team, and a line that was rewritten need not have "
    "been wrong: code that is in use is changed.",
    "Groups differ in what they work on. A difference between two of them is not what an agent did to them; intervals say how much "
    "chance there is in each, not that the groups are alike otherwise.",
    "Costs are list prices of recorded tokens, and often too low: some agents record the tokens of a response at its start.",
)
"""What must not be read into these numbers; printed with them."""


def _notes(options: BreakdownOptions, scope: _Asked) -> list[str]:
    result = [note for note in (audited_note("agent", "human", "likely_human"),) if note]
    if not scope.followed:
        result.append("what became of lines is not known: run whowrote survival PATH for each repository first")
    if not scope.scanned:
        result.append("weaknesses are not known: run whowrote findings scan PATH for each repository first")
    if not scope.of_prompts:
        beyond = [name for name in options.by if name not in _OF_TURNS]
        result.append(f"a prompt belongs to no {' and no '.join(beyond)}, so groups have no cost")
    return result


def _flat(group: tuple[tuple[str, str], ...], row: BreakdownRow) -> dict[str, Any]:
    flat: dict[str, Any] = dict(group) | {"commits": row.commits, "lines": row.total}
    flat |= {f"{name}_lines": lines for name, lines in row.lines.items()}
    flat |= _flat_share("coverage", row.coverage) | _flat_share("agent_share", row.agent)
    flat |= _flat_share("agent_or_declared_share", row.agent_or_declared)
    flat |= _flat_share("agent_kept_30_days", row.kept) | _flat_share("undeclared_kept_30_days", row.kept_undeclared)
    flat |= _flat_share("agent_at_head", row.present)
    flat |= {"cost_usd": row.cost_usd, "cost_per_line_at_head": row.cost_per_line}
    flat |= {"prompts": row.priced.of if row.priced else None, "prompts_with_cost": row.priced.lines if row.priced else None}
    names = ("findings", "scanned_lines", "findings_per_1000", "findings_per_1000_low", "findings_per_1000_high")
    return flat | dict(zip(names, row.weaknesses or (None,) * len(names), strict=True))


def _flat_share(name: str, share: Share | None) -> dict[str, Any]:
    """`of` are the lines that the share is of."""
    low, high = (share.interval if share else None) or (None, None)
    value, of = (share.value, share.of) if share else (None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high, f"{name}_of": of}
