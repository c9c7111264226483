"""Repairs by who wrote the lines: how many per 1,000 lines, how soon, and against other lines.

For `report repairs`.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.survival import LifetimeRecord
from attribution.queries.survival import removed_lines
from attribution.stats import intervals
from attribution.stats.comparison import AGENTS, BASELINES, BOTH, DATED, HUMAN, RECORDED, UNDECLARED
from attribution.stats.intervals import Moments
from attribution.stats.kaplan_meier import Observation, commit_of, estimate, sample_of
from attribution.stats.rates import NO_RATIO, PER, RateCell, mantel_haenszel, ratio, total
from collector.errors import WhoWroteError
from collector.files.kinds import suffix_of
from collector.json_values import Row
from collector.runtime.stages import StageName
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.vocabulary.lines import Author, FileKind, LineClass

HORIZONS = (30, 90, 365)  # days


class WrittenLines(NamedTuple):
    """Lines with one author and one fate, and the fix that ended them."""

    record: LifetimeRecord
    fix: int  # the fix that ended them; 0: none did
    month: str  # in which they were written
    size: int  # stratum of the lines that their commit wrote
    work: str = ""  # kind of work of their session; "" when not known

    @property
    def by_agent(self) -> bool:
        return self.record.author == LineClass.AGENT


_GROUPINGS: Mapping[str, Callable[[WrittenLines], str]] = {
    "class": lambda w: "" if w.record.dated else w.record.author,
    "agent": lambda w: w.record.agent,
    "model": lambda w: w.record.model if w.by_agent else "",
    "kind of work": lambda w: w.work if w.by_agent else "",
    "edited": lambda w: (
        ("edited by a person" if w.record.edited_by == Author.HUMAN else "as written")
        if w.by_agent
        else ""
    ),
}
_UNITS = {"class": "word", "by": "word"} | {f"repaired_{days}_days": "share" for days in HORIZONS}
_SIZES = (10, 100, 1000)  # lines that the commit wrote: limits of the strata


def repair_tables(store: Store, repo_id: int | None = None) -> list[Table]:
    """Rates by groups of lines, and agents' lines against baselines.

    Raises WhoWroteError where no fix was traced.
    """
    lines = _written_lines(store, repo_id)
    return [_rates(lines), _comparisons(lines), _at_equal_age(lines)]


_TRACED = (
    "SELECT EXISTS (SELECT 1 FROM stage_runs WHERE stage = ?1 AND (?2 IS NULL OR repo_id = ?2))"
)


def _written_lines(store: Store, repo_id: int | None) -> list[WrittenLines]:
    """Lines of source files of the repositories whose fixes were traced."""
    rows = store.rows(
        "SELECT DISTINCT repo_id FROM fixes WHERE ?1 IS NULL OR repo_id = ?1 ORDER BY 1", (repo_id,)
    )
    if not rows:
        if store.value(_TRACED, (StageName.CULPRITS, repo_id)):
            raise WhoWroteError(
                "no commit shows that it is a fix",
                "docs/culprit.md has the signs that are looked for",
            )
        raise WhoWroteError(
            "no fix was traced in this database", "Run for each clone: whowrote culprit PATH --all"
        )
    lines = []
    for row in rows:
        commits = {commit["id"]: commit for commit in store.rows(_COMMITS, (row["repo_id"],))}
        works = _kinds_of_work(store, row["repo_id"])
        for removed in removed_lines(store, row["repo_id"]):
            record = removed.record
            if record.kind == FileKind.SOURCE and record.lines:
                birth = commits[record.birth]
                end = commits.get(removed.removed_in)
                size = sum(birth["lines_born"] > limit for limit in _SIZES)
                fix = end["id"] if record.dead and end is not None and end["is_fix"] else 0
                lines.append(
                    WrittenLines(
                        record, fix, birth["author_at"][:7], size, works.get(record.session, "")
                    )
                )
    return lines


def _kinds_of_work(store: Store, repo_id: int) -> dict[int | None, str]:
    """Session -> kind of work, where a plug-in told them apart."""
    sql = "SELECT session_id, work FROM session_scores WHERE repo_id = ? AND work IS NOT NULL"
    rows = store.rows(sql, (repo_id,)) if store.has("session_scores") else []
    return {row["session_id"]: row["work"] for row in rows}


_COMMITS = """
SELECT h.id, h.author_at, h.lines_born, x.id IS NOT NULL AS is_fix FROM history_commits h
LEFT JOIN fixes x ON x.repo_id = h.repo_id AND x.commit_sha = h.commit_sha AND x.outcome = 'removed'
  WHERE h.repo_id = ?
"""


def _rates(lines: Sequence[WrittenLines]) -> Table:
    rows = []
    for by, name_of in _GROUPINGS.items():
        groups = defaultdict(list)
        for line in lines:
            groups[name_of(line)].append(line)
        rows += [_rate_row(by, name, group) for name, group in sorted(groups.items()) if name]
    return table_of(
        rows,
        _UNITS,
        [*_BIAS, *_bounds(lines)],
        "repairs",
        "Lines that fixes repaired, by who wrote them",
    )


_BIAS = (
    (
        "a repair: a fix that changed or removed lines of a commit; lines: non-blank ones of source"
        " files; intervals over commits"
    ),
    (
        "undeclared lines may be those of agents without a record: their rate cannot stand for that"
        " of people"
    ),
)


def _rate_row(by: str, name: str, group: Sequence[WrittenLines]) -> Row:
    cell = _cell(group)
    commits = _by_commit(group)
    few = minimum.RATE.refusal({name: minimum.Sample(cell.lines, len(commits))})
    row = {
        "by": by,
        "name": name,
        "lines": cell.lines,
        "commits": len(commits),
        "repairs": cell.events,
    }
    row |= {"per_1000": None, "low": None, "high": None} if few else _rate_with_interval(commits)
    return row | {
        f"repaired_{each['within_days']}_days": each["repaired"] for each in _shares_repaired(group)
    }


def _rate_with_interval(commits: Collection[Sequence[WrittenLines]]) -> dict[str, float | None]:
    """Repairs per 1,000 lines, with the 95 % interval by commit."""
    parts = [tuple(map(float, _cell(of_commit))) for of_commit in commits]

    def per_1000(sums: Moments) -> float | None:
        return PER * sums[0] / sums[1] if sums[1] else None

    value = per_1000(intervals.total(parts)) or 0.0
    interval = intervals.around(
        value, intervals.jackknife(parts, per_1000), len(parts) - 1, least=0.0
    )
    return {
        "per_1000": value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def _shares_repaired(group: Sequence[WrittenLines], name: str = "") -> list[Row]:
    """The share of lines that were repaired before each age, with its 95 % interval; None where
    none is old enough.

    By Kaplan and Meier; lines that end otherwise are censored.
    """
    seen = [
        Observation(line.record.days, line.fix > 0, line.record.lines, commit_of(line.record))
        for line in group
    ]
    oldest = max((line.record.follow_days for line in group), default=0.0)
    shares = []
    for days, survival in zip(HORIZONS, estimate(seen, HORIZONS), strict=True):
        interval = survival.interval() if oldest >= days else None
        low, high = (1 - interval.high, 1 - interval.low) if interval else (None, None)
        share = 1 - survival.share if oldest >= days else None
        shares.append(
            {"within_days": days, "class": name, "repaired": share, "low": low, "high": high}
        )
    return shares


def _at_equal_age(lines: Sequence[WrittenLines]) -> Table:
    """Agents' lines, those that commits give to agents included, beside those that are older than
    agents, which had more time: shares that were repaired within some days.
    """
    groups = {
        RECORDED: [line for line in lines if line.by_agent],
        BOTH: [line for line in lines if line.record.author in AGENTS[BOTH]],
        DATED: [line for line in lines if line.record.dated],
    }
    enough = {name: minimum.WEAKNESSES.refusal({name: _sample_of(groups[name])}) for name in groups}
    shown = [name for name, few in enough.items() if not few]
    shares = [_shares_repaired(groups[name], name) for name in shown] if DATED in shown else []
    rows = [row for of_age in zip(*shares, strict=True) for row in of_age] if shares[1:] else []
    notes = ["dated lines are of earlier years, when other people repaired and other habits held"]
    units = {"class": "word", "repaired": "share"}
    return table_of(
        rows,
        units,
        notes if rows else [few for few in enough.values() if few],
        "repairs_at_equal_age",
        "Agents' lines beside lines older than agents, at equal age",
    )


def _cell(lines: Sequence[WrittenLines]) -> RateCell:
    """Repairs, each a fix that ended lines of a commit, over the lines."""
    return RateCell(
        len({(line.record.birth, line.fix) for line in lines if line.fix}),
        sum(line.record.lines for line in lines),
    )


def _bounds(lines: Sequence[WrittenLines]) -> list[str]:
    """What the rate of agents would be with the lines whose author is unknown: the direction of
    their bias.
    """
    agent, unknown = (
        [line for line in lines if line.record.author == name]
        for name in (LineClass.AGENT, LineClass.UNKNOWN)
    )
    if not agent or not unknown:
        return []
    alone = _cell(agent)
    both = _cell([*agent, *unknown])
    before, after = (PER * cell.events / cell.lines for cell in (alone, both))
    direction = "too low" if after > before else "too high"
    return [
        f"if all unknown lines were agents', their rate would be {after:.1f} and not {before:.1f}:"
        f" at most so much {direction}"
    ]


def _comparisons(lines: Sequence[WrittenLines]) -> Table:
    """Agents' lines, by record alone and with those that commits give to agents, against each
    baseline, raw and within the same repository, suffix of files, month and size of commit.
    """
    rows = [_comparison(lines, baseline, of) for of in AGENTS for baseline in (HUMAN, UNDECLARED)]
    rows = [row for row in rows if row["agent_lines"] and row["baseline_lines"]]
    notes = [
        "a ratio above 1: agents' lines were repaired more often; strata: repository, suffix,"
        " month, size of the commit",
        "agents may have written undeclared lines too, which brings a ratio nearer to 1",
        f"control: of {_SHUFFLES} times that the authors of a stratum's commits were drawn again,"
        " those in which the interval in strata holds 1; about 95 are to be expected",
    ]
    return table_of(
        rows, {}, notes, "repairs_compared", "Repairs of agents' lines against other lines"
    )


_SHUFFLES = 100
_Sides = tuple[list[WrittenLines], list[WrittenLines]]
_Strata = dict[tuple[Hashable, ...], _Sides]


def _comparison(lines: Sequence[WrittenLines], baseline: str, agents: str = RECORDED) -> Row:
    strata: _Strata = defaultdict(lambda: ([], []))
    for line in lines:
        is_agents = line.record.author in AGENTS[agents]
        if is_agents or (BASELINES[baseline](line.record) and not line.record.dated):
            strata[line.record.repo, suffix_of(line.record.path), line.month, line.size][
                not is_agents
            ].append(line)
    cells = _cells(strata.values())
    agent, other = (total(side) for side in zip(*cells, strict=True)) if cells else _NOTHING
    groups = {
        name: chain.from_iterable(sides[n] for sides in strata.values())
        for n, name in enumerate((agents, baseline))
    }
    few = minimum.WEAKNESSES.refusal({name: _sample_of(group) for name, group in groups.items()})
    raw, like = (NO_RATIO, NO_RATIO) if few else (ratio(agent, other), mantel_haenszel(cells))
    return {
        "agents": agents,
        "baseline": baseline,
        "agent_repairs": agent.events,
        "agent_lines": agent.lines,
        "baseline_repairs": other.events,
        "baseline_lines": other.lines,
        "ratio": raw.ratio,
        "low": raw.low,
        "high": raw.high,
        "ratio_in_strata": like.ratio,
        "strata_low": like.low,
        "strata_high": like.high,
        "strata": like.strata,
        "control": _control(list(strata.values())) if like.ratio is not None else None,
        "refused": few,
    }


_NOTHING = RateCell(0, 0), RateCell(0, 0)


def _cells(strata: Iterable[_Sides]) -> list[tuple[RateCell, RateCell]]:
    return [(_cell(ours), _cell(theirs)) for ours, theirs in strata]


def _control(strata: Sequence[_Sides]) -> int:
    """How many of 100 random assignments of the commits of each stratum, as many to agents as
    there are, have an interval that holds 1: a ratio that chance alone makes.
    """
    chance = random.Random(1)
    mixed = [(_by_commit(ours), _by_commit(theirs)) for ours, theirs in strata if ours and theirs]
    holds = 0
    for _ in range(_SHUFFLES):
        drawn = mantel_haenszel(_cells(_shuffled(sides, chance) for sides in mixed))
        holds += drawn.low is None or drawn.high is None or drawn.low <= 1 <= drawn.high
    return holds


def _by_commit(lines: Sequence[WrittenLines]) -> list[list[WrittenLines]]:
    commits = defaultdict(list)
    for line in lines:
        commits[commit_of(line.record)].append(line)
    return list(commits.values())


def _shuffled(
    sides: tuple[list[list[WrittenLines]], list[list[WrittenLines]]], chance: random.Random
) -> _Sides:
    commits = [*sides[0], *sides[1]]
    chance.shuffle(commits)
    border = len(sides[0])
    return [*chain(*commits[:border])], [*chain(*commits[border:])]


def _sample_of(lines: Iterable[WrittenLines]) -> minimum.Sample:
    return sample_of(line.record for line in lines)
