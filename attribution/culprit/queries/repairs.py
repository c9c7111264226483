"""Repairs by who wrote the lines: how many per 1,000 lines, and how soon.

For `report repairs`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.survival import BY_AGENTS, GROUPINGS, LifetimeRecord
from attribution.queries.survival import removed_lines
from attribution.stats.comparison import BIAS, BOTH
from attribution.stats.kaplan_meier import Observation, commit_of, estimate
from attribution.stats.matched import Observed, rate_of
from attribution.stats.rates import PER, RateCell
from collector.errors import WhoWroteError
from collector.groups import group_pairs
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
    work: str = ""  # kind of work of their session; "" when not known

    @property
    def by_agent(self) -> bool:
        return self.record.author in BY_AGENTS


_GROUPINGS: Mapping[str, Callable[[WrittenLines], str]] = {
    "agents": lambda w: BOTH if w.by_agent else "",
    "class": lambda w: GROUPINGS["class"](w.record),
    "agent": lambda w: w.record.agent,
    "model": lambda w: w.record.model if w.by_agent else "",
    "kind of work": lambda w: w.work if w.by_agent else "",
    "edited": lambda w: (
        ("edited by a person" if w.record.edited_by == Author.HUMAN else "as written")
        if w.record.author == LineClass.AGENT  # of a declared line nobody knows
        else ""
    ),
}
_UNITS = {"by": "word"} | {f"repaired_{days}_days": "share" for days in HORIZONS}


def repair_tables(store: Store, repo_id: int | None = None) -> list[Table]:
    """Rates by groups of lines. Raises WhoWroteError where no fix was traced."""
    return [_rates(_written_lines(store, repo_id))]


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
                end = commits.get(removed.removed_in)
                fix = end["id"] if record.dead and end is not None and end["is_fix"] else 0
                lines.append(WrittenLines(record, fix, works.get(record.session, "")))
    return lines


def _kinds_of_work(store: Store, repo_id: int) -> dict[int | None, str]:
    """Session -> kind of work, where a plug-in told them apart."""
    sql = "SELECT session_id, work FROM session_scores WHERE repo_id = ? AND work IS NOT NULL"
    return store.pairs(sql, (repo_id,)) if store.has("session_scores") else {}


_COMMITS = """
SELECT h.id, x.id IS NOT NULL AS is_fix FROM history_commits h
LEFT JOIN fixes x ON x.repo_id = h.repo_id AND x.commit_sha = h.commit_sha AND x.outcome = 'removed'
  WHERE h.repo_id = ?
"""


def _rates(lines: Sequence[WrittenLines]) -> Table:
    rows = []
    for by, name_of in _GROUPINGS.items():
        groups = group_pairs((name_of(line), line) for line in lines)
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
    BIAS,
)


def _rate_row(by: str, name: str, group: Sequence[WrittenLines]) -> Row:
    commits = _group_by_commit(group)
    cells = [(number, _cell(lines)) for number, lines in enumerate(commits)]
    rate = rate_of(Observed(number, True, "", *cell) for number, cell in cells)
    few = minimum.RATE.refusal({name: minimum.Sample(rate.lines, rate.commits)})
    row = {
        "by": by,
        "name": name,
        "lines": rate.lines,
        "commits": rate.commits,
        "repairs": rate.events,
        **{end: None if few else getattr(rate, end) for end in ("per_1000", "low", "high")},
    }
    return row | _shares_repaired(group)


def _shares_repaired(group: Sequence[WrittenLines]) -> Row:
    """The share of lines that were repaired before each age; None where none is old enough.

    By Kaplan and Meier; lines that end otherwise are censored.
    """
    seen = [
        Observation(line.record.days, line.fix > 0, line.record.lines, commit_of(line.record))
        for line in group
    ]
    oldest = max((line.record.follow_days for line in group), default=0.0)
    shares = {}
    for days, survival in zip(HORIZONS, estimate(seen, HORIZONS), strict=True):
        shares[f"repaired_{days}_days"] = 1 - survival.share if oldest >= days else None
    return shares


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
    agent = [line for line in lines if line.by_agent]
    unknown = [line for line in lines if line.record.author == LineClass.UNKNOWN]
    if not (agent and unknown):
        return []
    alone = _cell(agent)
    both = _cell([*agent, *unknown])
    before, after = (PER * cell.events / cell.lines for cell in (alone, both))
    direction = "too low" if after > before else "too high"
    return [
        f"if all unknown lines were agents', their rate would be {after:.1f} and not {before:.1f}:"
        f" at most so much {direction}"
    ]


def _group_by_commit(lines: Sequence[WrittenLines]) -> list[list[WrittenLines]]:
    commits = group_pairs((commit_of(line.record), line) for line in lines)
    return list(commits.values())
