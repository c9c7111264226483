"""Grade patterns of a database: how the quality of sessions differs by category, harness, model and
week, and what harm they did.

A difference between two agents can come from what they were used for. So it is given twice: raw,
and adjusted for the type of task: the difference within each type counts as much as the type does
among all scored sessions. docs/grades.md explains every number.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

from attribution.evaluation.estimates import (
    REPOSITORIES,
    Estimate,
    Observation,
    difference,
    effective_repositories,
    estimate,
    ratio,
    ratio_over_repositories,
    repository_sums,
)
from attribution.evaluation.judge.queries import latest_labels
from attribution.evaluation.scores.quality import AGREEMENT
from attribution.evaluation.scores.report import iso_week, model_table, started
from attribution.lineage import minimum
from attribution.queries.features import features_ready
from attribution.stats.intervals import Moments, wilson
from collector.errors import WhoWroteError
from collector.json_values import Numbers, Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.text import command_line, count_of

LEAST = minimum.SESSIONS  # a smaller group has no row
# sessions that a type of task needs on both sides, of at least two repositories each, to be
# compared
SUPPORT = 3
# share of all sessions that must be of the compared types: else an adjusted difference is about
# something else
LEAST_WEIGHT = 0.5
UNKNOWN = "unknown"
HIGH = ("ERROR", "HIGH", "CRITICAL")  # severities of findings that count as harm
_WITHIN = (-1.0, 1.0)  # limits of a difference
_WEEK = 7 * 86_400.0

Session = Row
"""A scored session: q, category (type of task), work, harness (agent), model, repository,
started_at, and the columns of harm.
"""


GROUPINGS: Mapping[str, Callable[[Session], str | None]] = {
    "all": lambda session: "all",
    "category": lambda session: session["category"],
    "work": lambda session: session["work"],
    "harness": lambda session: session["harness"],
    "model": lambda session: session["model"],
    "driver": lambda session: session["driver"],
    "category x harness": lambda session: f"{session['category']} x {session['harness']}",
    "repository": lambda session: session["repository"],
    "week": iso_week,
}


def grades(
    store: Store, least: int = LEAST, by_judge: bool = False, drivers: Collection[str] = ()
) -> list[Table]:
    """Means, differences, trend, harm and models of the sessions that one of `drivers` drove, if
    given. Raises WhoWroteError.

    `by_judge`: by the judge's success_score of 0 to 100, divided by 100, instead of Q.
    """
    scored = [s for s in scored_sessions(store) if not drivers or s["driver"] in drivers]
    if by_judge:
        # by the judge that answered last: judges are never mixed
        labels = latest_labels(store)
        given = ((session, labels.get((session["key"], 0, "success_score"))) for session in scored)
        scored = [
            {**session, "q": float(grade) / 100} for session, grade in given if grade is not None
        ]
    if not scored and (by_judge or drivers):
        raise WhoWroteError(
            "no such session is graded",
            "Labels of a judge: whowrote data judge run; drivers: whowrote sessions",
        )
    if not scored:
        raise WhoWroteError(
            f"{store.path} has no scores yet",
            "Compute them with: " + command_line("whowrote", "repo", "PATH", "--db", store.path),
        )
    if len(scored) < least:
        few = (
            f"{count_of(len(scored), 'session')} with a score; {least} are needed for a mean, a"
            " difference or a trend."
        )
        return [_table("means", "Mean quality of sessions", [], [few])]
    agreement = (
        "Graded by a judge: success_score / 100 of the model that answered last."
        if by_judge
        else AGREEMENT
    )
    return [
        _means(scored, least, [agreement, *_left_out(store, scored)]),
        *_differences(scored, least),
        _trend(scored),
        _harm(store, scored, least),
        model_table(scored),
    ]


def _table(name: str, title: str, rows: Sequence[Row], notes: Sequence[str]) -> Table:
    shares = ("weight", "sessions_reverted", "undid_own_changes", "sessions_with_findings")
    return table_of(rows, dict.fromkeys(shares, "share"), notes, name, title)


def _means(scored: Sequence[Session], least: int, notes: Sequence[str]) -> Table:
    rows = [row for grouping in GROUPINGS for row in means(scored, grouping, least)]
    few = sum(len(groups(scored, grouping)) for grouping in GROUPINGS) - len(rows)
    explained = [
        (
            f"{count_of(len(scored), 'session')} with a score; 95 % intervals over repositories,"
            " with fewer than five over sessions, then taken as independent."
        ),
        f"Left out: {count_of(few, 'group')} with fewer than {least} sessions.",
    ]
    return _table("means", "Mean quality of sessions by group", rows, [*explained, *notes])


def groups(sessions: Iterable[Session], grouping: str) -> dict[str, list[Session]]:
    """Sessions by the name of their group; those without a name are left out."""
    members = defaultdict(list)
    for session in sessions:
        name = GROUPINGS[grouping](session)
        if name is not None:
            members[name].append(session)
    return members


def means(scored: Iterable[Session], grouping: str, least: int = LEAST) -> list[Row]:
    """A row for each group of at least `least` sessions, the largest first; weeks in order."""
    rows = [
        _mean_row(grouping, name, members)
        for name, members in groups(scored, grouping).items()
        if len(members) >= least
    ]
    return sorted(
        rows, key=lambda row: row["name"] if grouping == "week" else (-row["sessions"], row["name"])
    )


def _mean_row(grouping: str, name: str, members: Sequence[Session]) -> Row:
    mean = estimate(
        [(session["repository"], (1.0, session["q"])) for session in members], ratio, (0.0, 1.0)
    )
    repositories = [session["repository"] for session in members]
    return {
        "by": grouping,
        "name": name,
        "sessions": len(members),
        "repositories": len(set(repositories)),
        "effective": effective_repositories(repositories),
        "mean_q": mean.value,
        "median_q": statistics.median(session["q"] for session in members),
        "error": mean.error,
        "low": mean.low,
        "high": mean.high,
        "over": mean.over,
    }


def _differences(scored: Sequence[Session], least: int) -> list[Table]:
    """Differences between agents and between models, where two have enough sessions."""
    notes = [
        (
            "Mean of the group minus mean of the reference: of all sessions, within types of task,"
            " and within types of task of one repository. shared: repositories with sessions of"
            " both; where there are none, the difference may be one of repositories."
        ),
    ]
    return [
        _table(f"{grouping}_differences", f"Difference in mean quality by {grouping}", rows, notes)
        for grouping in ("harness", "model")
        if (rows := differences(scored, grouping, least))
    ]


def differences(scored: Sequence[Session], grouping: str, least: int = LEAST) -> list[Row]:
    """Every group of at least `least` sessions against the largest one.

    An unknown harness or model is not compared.
    """
    sides = {
        name: members
        for name, members in groups(scored, grouping).items()
        if len(members) >= least and name != UNKNOWN
    }
    order = sorted(sides, key=lambda name: (-len(sides[name]), name))
    weights = Counter(session["category"] for session in scored)
    return [
        {grouping: name, "reference": order[0]}
        | _difference_row(sides[name], sides[order[0]], weights)
        for name in order[1:]
    ]


def _difference_row(ours: Sequence[Session], theirs: Sequence[Session], weights: Numbers) -> Row:
    repositories = [{session["repository"] for session in side} for side in (ours, theirs)]
    compared = [
        category
        for category in sorted(weights)
        if _has_support(ours, category) and _has_support(theirs, category)
    ]
    others = sorted({session["category"] for session in (*ours, *theirs)} - set(compared))
    weight = sum(weights[category] for category in compared) / sum(weights.values())
    counted: dict[Hashable, float] = (
        {category: float(weights[category]) for category in compared}
        if weight >= LEAST_WEIGHT
        else {}
    )
    raw = difference(_observations(ours, theirs, lambda session: ""), _WITHIN, {"": 1.0})
    adjusted = difference(
        _observations(ours, theirs, lambda session: session["category"]), _WITHIN, counted
    )
    return {
        "sessions": len(ours),
        "reference_sessions": len(theirs),
        "shared": len(repositories[0] & repositories[1]),
        **raw.columns("raw"),
        **adjusted.columns("adjusted"),
        **within_repositories(ours, theirs).columns("within"),
        "weight": weight,
        "categories": ", ".join(compared),
        "left_out": ", ".join(others),
    }


def _observations(
    ours: Iterable[Session], theirs: Iterable[Session], stratum: Callable[[Session], Hashable]
) -> list[Observation]:
    sides = (((1.0, 0.0), ours), ((0.0, 1.0), theirs))
    return [
        Observation(s["repository"], stratum(s), weights, s["q"])
        for weights, side in sides
        for s in side
    ]


def _has_support(side: Sequence[Session], category: str) -> bool:
    """Two repositories at least: leaving out any one of them still leaves something to compare."""
    repositories = [session["repository"] for session in side if session["category"] == category]
    return len(repositories) >= SUPPORT and len(set(repositories)) >= 2


def within_repositories(ours: Sequence[Session], theirs: Sequence[Session]) -> Estimate:
    """Over every repository and type of task that has sessions of both, weighted with how much both
    say there: n m / (n + m).

    Without an interval when fewer than LEAST_CLUSTERS repositories have both.
    """
    within = difference(
        _observations(ours, theirs, lambda session: (session["repository"], session["category"])),
        _WITHIN,
    )
    return within if within.over == REPOSITORIES else Estimate(within.value)


def _trend(scored: Sequence[Session]) -> Table:
    rows = trend(scored)
    without = sum(started(session) is None for session in scored)
    notes = (
        [f"{count_of(without, 'session')} without a recorded time, in no week."] if without else []
    )
    return _table("trend", "Change of quality per week", rows, notes)


def trend(scored: Iterable[Session]) -> list[Row]:
    """Least squares of Q on time: over all sessions, and after the mean of each repository was
    taken away.
    """
    dated = [(session, began) for session in scored if (began := started(session)) is not None]
    first = min((began for _, began in dated), default=None)
    rows = []
    for session, began in dated:
        x = (began - first).total_seconds() / _WEEK if first else 0.0
        q = session["q"]
        rows.append((session["repository"], (1.0, x, q, x * x, x * q)))
    repositories = repository_sums(rows)
    about = {
        "sessions": len(rows),
        "repositories": len(repositories),
        "weeks": len({iso_week(session) for session, _ in dated}),
    }
    within = [
        spread
        for n, x, y, xx, xy in repositories
        if (spread := (xx - x * x / n, xy - x * y / n))[0] > 1e-9
    ]
    slopes = {
        "all sessions": estimate(rows, _slope, _WITHIN, fitted=2),
        "within repositories": ratio_over_repositories(within, _WITHIN),
    }
    return [{"trend": name} | about | slope.columns("slope") for name, slope in slopes.items()]


def _slope(sums: Moments) -> float | None:
    n, x, y, xx, xy = sums
    spread = xx - x * x / n if n else 0.0
    return (xy - x * y / n) / spread if spread > 1e-9 else None


def _harm(store: Store, scored: Sequence[Session], least: int) -> Table:
    rows = [
        row
        for by in ("all", "category", "work", "harness", "model")
        for row in harm(scored, by, least)
    ]
    lost = sum(not session["followed"] for session in scored)
    notes = [
        "Empty: not known, which is not zero. Shares of sessions have Wilson's interval, which"
        " assumes independence."
    ]
    if lost:
        notes.append(
            f"Reverted commits are unknown for {count_of(lost, 'session')}: whowrote survival PATH"
            " follows their lines."
        )
    if all(session["findings"] is None for session in scored):
        notes.append("The database has no scan results: introduced findings are unknown, not zero.")
    return _table("harm", "Harm", rows, notes)


def harm(sessions: Iterable[Session], grouping: str, least: int = LEAST) -> list[Row]:
    """Harm of each group of at least `least` sessions, the largest first."""
    members_of = [
        (name, members)
        for name, members in groups(sessions, grouping).items()
        if len(members) >= least
    ]
    return [
        _harm_row(grouping, name, members)
        for name, members in sorted(members_of, key=lambda pair: (-len(pair[1]), pair[0]))
    ]


def _harm_row(grouping: str, name: str, members: Sequence[Session]) -> Row:
    followed = [session for session in members if session["followed"]]
    scanned = [session["findings"] for session in members if session["findings"] is not None]
    undone = [session["undone"] for session in members if session["undone"] is not None]
    committed = [session for session in followed if session["commits"]]
    return {
        "by": grouping,
        "name": name,
        "sessions": len(members),
        "commits": sum(session["commits"] for session in followed) if followed else None,
        "reverted": sum(session["reverted"] for session in followed) if followed else None,
        **_share(
            "sessions_reverted",
            sum(1 for session in committed if session["reverted"]),
            len(committed),
        ),
        **_share("undid_own_changes", sum(undone), len(undone)),
        "findings": sum(scanned) if scanned else None,
        **_share(
            "sessions_with_findings", sum(1 for findings in scanned if findings), len(scanned)
        ),
    }


def _share(name: str, hits: int, whole: int) -> dict[str, float | None]:
    low, high = wilson(hits, whole) or (None, None)
    return {
        name: hits / whole if whole else None,
        f"{name}_of": whole,
        f"{name}_low": low,
        f"{name}_high": high,
    }


def _left_out(store: Store, scored: Sequence[Session]) -> list[str]:
    notes = [
        f"{count_of(store.value('SELECT COUNT(*) FROM sessions') - len(scored), 'session')} without"
        " a score."
    ]
    empty = sum(session["special"] == "empty" for session in scored)
    if empty:
        notes.append(
            f"{count_of(empty, 'session')} produced nothing at all: a score of 0 by rule, a few of"
            " which change a mean."
        )
    return notes


def scored_sessions(store: Store) -> list[Session]:
    """Sessions with a score and what is known of their harm: NULL where nobody looked."""
    undone = "NULL"
    features = ""
    if features_ready(store):
        undone = "f.changes_reverted"
        features = "LEFT JOIN session_features f ON f.session_id = s.id"
    return store.rows(
        f"""
        SELECT q.session_id, s.key, q.q, q.task_type AS category, q.work,
          COALESCE(s.agent, '{UNKNOWN}') AS harness, s.driver,
          COALESCE(s.model, '{UNKNOWN}') AS model, r.name AS repository, s.started_at, q.special,
          q.cost_usd, t.repo_id IS NOT NULL AS followed, COALESCE(c.commits, 0) AS commits,
          COALESCE(c.reverted, 0) AS reverted, {undone} AS undone,
          CASE WHEN w.repo_id IS NOT NULL THEN COALESCE(i.findings, 0) END AS findings
        FROM scores q JOIN sessions s ON s.id = q.session_id JOIN repos r ON r.id = s.repo_id
        LEFT JOIN tip_states t ON t.repo_id = s.repo_id {features}
        LEFT JOIN (
          SELECT cs.session_id, COUNT(*) AS commits, SUM(h.reverted_by IS NOT NULL) AS reverted
          FROM commit_sessions cs
          JOIN commits c ON c.id = cs.commit_id
          JOIN history_commits h ON h.repo_id = c.repo_id AND h.commit_sha = c.commit_sha
          WHERE cs.agent_lines > 0 GROUP BY cs.session_id) c ON c.session_id = s.id
        LEFT JOIN (SELECT DISTINCT repo_id FROM findings) w ON w.repo_id = s.repo_id
        LEFT JOIN (
          SELECT session_id, COUNT(*) AS findings FROM findings WHERE status = 'introduced'
          AND UPPER(severity) IN {HIGH} GROUP BY session_id) i ON i.session_id = s.id
        WHERE q.q IS NOT NULL ORDER BY r.name, q.q DESC, s.id""",
    )
