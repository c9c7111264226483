"""Agents' lines beside other lines of the same repository: how often they were repaired or removed,
or brought a weakness, with controls that could refute a difference.

For `report compare`.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from attribution.lineage.survival import BY_AGENTS, REWORK_DAYS, language
from attribution.queries.survival import removed_lines
from attribution.stats import matched
from attribution.stats.comparison import BIAS, DATED, OTHERS, agent_groups
from attribution.stats.matched import Observed
from attribution.stats.rates import NO_RATIO
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.runtime.stages import StageName, last_run
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.text import count_of
from collector.vocabulary import sql_list
from collector.vocabulary.lines import FileKind, FilePlace

COMMITS = 30
"""Commits on each side, before a ratio is printed."""
_SIZES = (10, 100, 1000)  # lines that the commit wrote: limits of the strata
_OTHERS = "others"
_LAYOUT = "reformatted"
_NEW_FILES = (
    "SELECT c.commit_sha, f.path FROM commit_files f JOIN commits c ON c.id = f.commit_id"
    " WHERE f.status = 'A'"
)
_UNITS = {"lines of": "word", "against": "word", "commit": "sha", "class": "word"}


class Written(NamedTuple):
    """Lines of one commit, class, directory and language, and what happened to them."""

    repo: int
    sha: str
    author: str
    month: str
    size: int  # number of the limits of `_SIZES` that the commit's lines exceed
    path: str
    line_class: str
    dated: bool  # older than agents
    events: int
    lines: int
    event: Hashable = None  # of several rows with the same event, one counts
    soon: int = 0  # counted separately: in the same pull request or within a day
    new_file: bool = False  # the commit made the file


class Outcome(NamedTuple):
    """What is counted on lines."""

    says: str
    needs: str  # commands that find it
    stage: StageName  # that fills what is read
    read: Callable[[Store, int], Iterator[Written]]


_HISTORY = """
SELECT h.id, h.commit_sha, h.author_at, h.lines_born, h.landed, {fix} AS is_fix,
  COALESCE(c.author_email, c.author_name, '') AS author
FROM history_commits h LEFT JOIN commits c ON c.repo_id = h.repo_id AND c.commit_sha = h.commit_sha
WHERE h.repo_id = ?
"""
_IS_FIX = (
    "EXISTS (SELECT 1 FROM fixes x WHERE x.repo_id = h.repo_id AND x.commit_sha = h.commit_sha"
    " AND x.outcome = 'removed')"
)


def _repairs(store: Store, repo_id: int) -> Iterator[Written]:
    """A repair is a fix that changed or removed lines of a commit. It is counted separately when it
    came within a day, or to the main line in one merge with them.
    """
    commits = _history(store, repo_id, _IS_FIX)
    for removed in removed_lines(store, repo_id):
        record = removed.record
        birth = commits[record.birth]
        end = commits.get(removed.removed_in)
        fix = end if record.dead and end and end["is_fix"] else None
        soon = fix is not None and (record.days <= 1 or fix["landed"] == birth["landed"])
        event = (birth["id"], fix["id"], record.author) if fix else None
        if record.kind == FileKind.SOURCE and record.lines:
            yield _new_lines(repo_id, birth, record.path)._replace(
                line_class=record.author,
                dated=record.dated,
                events=int(fix is not None and not soon),
                lines=record.lines,
                event=event,
                soon=int(soon),
            )


def _survival(store: Store, repo_id: int) -> Iterator[Written]:
    """A line that was removed within 30 days, of those that could be followed so long. One whose
    statement was reformatted lives on in the others.
    """
    commits = _history(store, repo_id, "0")
    for removed in removed_lines(store, repo_id):
        record = removed.record
        if record.kind == FileKind.SOURCE and record.lines and record.is_old:
            gone = record.dead and record.days < REWORK_DAYS and record.cause != _LAYOUT
            yield _new_lines(repo_id, commits[record.birth], record.path)._replace(
                line_class=record.author,
                dated=record.dated,
                events=record.lines * gone,
                lines=record.lines,
            )


def _history(store: Store, repo_id: int, fix: str) -> Mapping[int, Row]:
    rows = store.rows(_HISTORY.format(fix=fix), (repo_id,))
    return {row["id"]: row for row in rows}


def _new_lines(repo_id: int, commit: Row, path: str) -> Written:
    size = sum(commit["lines_born"] > limit for limit in _SIZES)
    month = commit["author_at"][:7]
    return Written(
        repo_id, commit["commit_sha"], commit["author"], month, size, path, "", False, 0, 0
    )


_SCANNED = f"""
SELECT c.commit_sha, c.author_at, COALESCE(c.author_email, c.author_name, '') AS author, x.path,
  x.class, SUM(x.events) AS events, SUM(x.lines) AS lines,
  SUM(SUM(x.lines)) OVER (PARTITION BY x.commit_id) AS lines_born
FROM (
  SELECT commit_id, path, class, 0 AS events, lines FROM scanned_lines
  WHERE scanned = 1 AND place = '{FilePlace.SOURCE}' AND repo_id = ?1
  UNION ALL
  SELECT commit_id, path, class, 1, 0 FROM findings
  WHERE status = 'introduced' AND confidence IN ('HIGH', 'MEDIUM')
    AND place = '{FilePlace.SOURCE}' AND repo_id = ?1
) x JOIN commits c ON c.id = x.commit_id
WHERE x.class IN ({sql_list((*OTHERS, *BY_AGENTS))})
GROUP BY x.commit_id, x.path, x.class
"""


def _weaknesses(store: Store, repo_id: int) -> Iterator[Written]:
    """A finding of high or medium confidence that a commit introduced, on scanned lines."""
    for row in store.rows(_SCANNED, (repo_id,)):
        yield _new_lines(repo_id, row, row["path"])._replace(
            line_class=row["class"], events=row["events"], lines=row["lines"]
        )


OUTCOMES: Mapping[str, Outcome] = {
    "repairs": Outcome(
        "fixes that changed or removed lines later than a day, in another pull request",
        "whowrote survival PATH; whowrote culprit PATH --all",
        StageName.CULPRITS,
        _repairs,
    ),
    "survival": Outcome(
        f"lines that were removed within {REWORK_DAYS} days",
        f"whowrote survival PATH (lines younger than {REWORK_DAYS} days do not count)",
        StageName.SURVIVAL,
        _survival,
    ),
    "weaknesses": Outcome(
        "weaknesses of high or medium confidence that were introduced",
        "whowrote findings scan PATH",
        StageName.WEAKNESSES,
        _weaknesses,
    ),
}
"""Name of an outcome -> how it is counted. All count lines of source files."""


def compare_tables(store: Store, outcome: str, repo_id: int | None = None) -> list[Table]:
    """Rates of each side, ratios of matched lines with their controls, and the commits behind them.

    Raises WhoWroteError where nothing was counted.
    """
    counted = OUTCOMES[outcome]
    repos = store.rows("SELECT id FROM repos WHERE ?1 IS NULL OR id = ?1 ORDER BY id", (repo_id,))
    ready = [repo["id"] for repo in repos if last_run(store, repo["id"], counted.stage)]
    rows = [written for repo in ready for written in counted.read(store, repo)]
    if not rows:
        raise WhoWroteError(
            f"no lines whose {outcome} can be compared are in this database",
            f"For each clone: {counted.needs}",
        )
    made = {(row["commit_sha"], row["path"]) for row in store.rows(_NEW_FILES)}
    written = [row._replace(new_file=(row.sha, row.path) in made) for row in _each_event_once(rows)]
    return [
        table_of(_sides(written), _UNITS, [], "sides", f"Per 1,000 lines: {counted.says}"),
        table_of(
            _ratios(written),
            _UNITS,
            _DOES_NOT_SHOW,
            "matched",
            "Ratio to others of the same month, size of commit, directory, language, in new files"
            " or others",
        ),
        table_of(_commits(written), _UNITS, [], "commits", "The commits behind these numbers"),
    ]


_DOES_NOT_SHOW = (
    BIAS,
    "who chose which work to give to an agent is not in the numbers: harder work breaks more often",
    "lines that are unknown, likely human or a tool's are on no side",
    "what nobody noticed, or repaired without saying so, is not counted",
    "one repository does not stand for others",
)


def _each_event_once(rows: Iterable[Written]) -> list[Written]:
    counted: set[Hashable] = set()
    result = []
    for row in rows:
        again = row.event is not None and row.event in counted
        counted.add(row.event)
        result.append(row._replace(events=0, soon=0) if again else row)
    return result


def _groups(written: Iterable[Written]) -> dict[str, list[Written]]:
    """Those of agents; then the others, of the years of agents and before."""
    rows = list(written)
    groups = {
        name: [row for row in rows if row.line_class in classes]
        for name, classes in agent_groups({row.line_class for row in rows}).items()
    }
    others = [row for row in rows if row.line_class in OTHERS]
    groups[_OTHERS] = [row for row in others if not row.dated]
    groups[DATED] = [row for row in others if row.dated]
    return groups


def _sides(written: Sequence[Written]) -> list[Row]:
    return [
        {
            "lines of": name,
            **matched.rate_of(_observe(group, True))._asdict(),
            "at_once": sum(row.soon for row in group),
        }
        for name, group in _groups(written).items()
        if group
    ]


def _observe(group: Iterable[Written], ours: bool, by_author: bool = False) -> list[Observed]:
    """What each commit wrote in each stratum."""
    sums: dict[tuple[Hashable, Hashable], list[int]] = {}
    for row in group:
        top = row.path.partition("/")[0] if "/" in row.path else ""
        author = (row.author or row.sha) if by_author else ""
        stratum = row.repo, row.month, row.size, top, language(row.path), row.new_file, author
        cell = sums.setdefault(((row.repo, row.sha), stratum), [0, 0])
        cell[0] += row.events
        cell[1] += row.lines
    return [
        Observed(commit, ours, stratum, events, lines)
        for (commit, stratum), (events, lines) in sums.items()
    ]


def _ratios(written: Sequence[Written]) -> list[Row]:
    groups = _groups(written)
    rows = []
    for name in [name for name in groups if name not in (_OTHERS, DATED)]:
        for against, by_author in (("others of the same author", True), (_OTHERS, False)):
            both = matched.matched_parts(
                [
                    *_observe(groups[name], True, by_author),
                    *_observe(groups[_OTHERS], False, by_author),
                ]
            )
            rows.append({"lines of": name, "against": against, **_ratio(both)})
    return rows


def _ratio(both: Sequence[Observed]) -> Row:
    ours, others = ([part for part in both if part.ours == side] for side in (True, False))
    few = _refusal(ours, others)
    ratio = NO_RATIO if few else matched.matched_ratio(both)
    if ratio.low is None or ratio.high is None or ratio.high > matched.WIDEST * ratio.low:
        few = few or "the interval is too wide to say anything"
        ratio = NO_RATIO
    compared = [] if few else both
    held, shuffles = matched.shuffles_that_hold(compared)
    # an outcome that nobody can choose: all lines of a commit whose id ends so, or none
    chance = matched.matched_ratio(
        [part._replace(events=part.lines * _is_even(part.commit)) for part in compared]
    )
    return {
        "commits": _count(ours),
        "commits_of_others": _count(others),
        "events": sum(part.events for part in ours),
        "events_of_others": sum(part.events for part in others),
        "strata": len({part.stratum for part in both}),
        "ratio": ratio.ratio,
        "low": ratio.low,
        "high": ratio.high,
        "shuffles_that_hold_1": held,
        "shuffles": shuffles,
        "by_chance": chance.ratio,
        "by_chance_low": chance.low,
        "by_chance_high": chance.high,
        "refused": few,
    }


def _count(parts: Iterable[Observed]) -> int:
    return len({part.commit for part in parts})


def _refusal(ours: Sequence[Observed], others: Sequence[Observed]) -> str:
    """Why the sides are not compared, in words."""
    for name, parts in (("agents", ours), (_OTHERS, others)):
        if _count(parts) < COMMITS:
            alike = count_of(_count(parts), "commit")
            return f"{alike} of {name} with others like them; needed {COMMITS}"
        events = sum(part.events for part in parts)
        if events < matched.FEW_EVENTS:
            return f"{count_of(round(events), 'event')} of {name}; needed {matched.FEW_EVENTS}"
    return ""


def _is_even(commit: Hashable) -> bool:
    """Whether the id of a commit ends so: nobody can choose it."""
    return isinstance(commit, tuple) and str(commit[1])[-1] in "02468ace"


def _commits(written: Sequence[Written]) -> list[Row]:
    """The lines and events of each commit by class, most events first."""
    sums: dict[tuple[str, str], list[int]] = {}
    for row in written:
        cell = sums.setdefault((row.sha, row.line_class), [0, 0])
        cell[0] += row.events
        cell[1] += row.lines
    ordered = sorted(sums.items(), key=lambda item: (-item[1][0], item[0]))
    return [
        {"commit": sha, "class": line_class, "events": events, "lines": lines}
        for (sha, line_class), (events, lines) in ordered
    ]
