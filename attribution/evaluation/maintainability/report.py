"""What commits do to the maintainability of the code, by who wrote their lines, and how agents'
commits differ from others'.

A commit is often the work of several authors. It counts for each class with the share of its lines
that the class wrote, so the weights of a class add up to a number of whole commits. Two classes are
compared as they are, and among commits that are alike: of the same repository and of similar size.
"""

from collections import Counter
from collections.abc import Sequence

from attribution.evaluation.estimates import Estimate, Observation, difference, estimate, ratio
from attribution.evaluation.maintainability.measure import DMM
from attribution.lineage import minimum
from attribution.stats.accuracy import audited_note
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.text import command_line
from collector.vocabulary.lines import LINE_CLASSES, CodingMode, LineClass, coding_mode

LEAST = minimum.COMMITS
SIZES = (50, 300)  # changed lines up to which a commit is small, medium
REFERENCES = tuple(name for name in LINE_CLASSES if name != LineClass.AGENT)
_NOT_KNOWN = "not known"

Commit = Row
"""A row of `commit_quality` with the name of its repository as `repo`, and the lines it added
and deleted as `changed`.
"""


def maintainability(store: Store, repo: int | None = None, least: int = LEAST) -> list[Table]:
    """Means and differences over the measured commits of one repository, or of all.

    Raises WhoWroteError when none was measured.
    """
    commits = store.rows(
        "SELECT q.*, r.name AS repo, (SELECT SUM(f.lines_added + f.lines_deleted) FROM commits c"
        " JOIN commit_files f ON f.commit_id = c.id WHERE c.repo_id = q.repo_id AND c.commit_sha ="
        " q.commit_sha) AS changed FROM commit_quality q JOIN repos r ON r.id = q.repo_id WHERE ?1"
        " IS NULL OR q.repo_id = ?1 ORDER BY q.repo_id, q.commit_sha",
        (repo,),
    )
    if not commits:
        raise WhoWroteError(
            f"no commit in {store.path} has been measured yet",
            "Measure with: "
            + command_line("whowrote", "report", "maintainability", "PATH", "--db", store.path),
        )
    means_of_groups = [
        row
        for by in ("class", "mode")
        for metric in DMM
        for row in means(commits, by, metric, least)
    ]
    return [
        _table(
            "maintainability",
            "Delta maintainability of commits",
            means_of_groups,
            _notes(commits, least),
        ),
        _differences(commits, least),
    ]


def _table(name: str, title: str, rows: Sequence[Row], notes: Sequence[str]) -> Table:
    return table_of(
        rows, {"metric": "word", "name": "word", "reference": "word"}, notes, name, title
    )


def _notes(commits: Sequence[Commit], least: int) -> list[str]:
    tools = sorted({commit["measured_by"] for commit in commits})
    reasons = Counter(commit["reason"] for commit in commits if commit["reason"])
    notes = [
        (
            "0 to 1, higher is better: the share of changed code that goes into low-risk functions"
            " or out of high-risk ones."
        ),
        (
            "Each commit counts towards a class by its share of the lines (whole); groups with"
            f" fewer than {least} whole commits have no mean."
        ),
        (
            "95 % intervals over repositories; with fewer than five over the commits of these"
            " repositories only."
        ),
        f"commits: {len(commits):,}, {'; '.join(tools)}.",
    ]
    if len(tools) > 1:
        notes.append(
            "Commits were measured with different versions; measure the repositories again before"
            " comparing."
        )
    if reasons:
        missing = (
            f"{count:,} {reason.replace('_', ' ')}" for reason, count in sorted(reasons.items())
        )
        notes.append(f"Commits without a value: {', '.join(missing)}.")
    audited = audited_note(LineClass.AGENT, LineClass.HUMAN)
    return [*notes, *([f"{audited}."] if audited else [])]


def means(commits: Sequence[Commit], by: str, metric: str, least: float = LEAST) -> list[Row]:
    """A row for each class or mode that has any commit; without a mean where its commits are too
    few.
    """
    rows = []
    for name in LINE_CLASSES if by == "class" else (*CodingMode, _NOT_KNOWN):
        weighted = [
            (commit, share(commit, name) if by == "class" else float(mode(commit) == name))
            for commit in commits
        ]
        moments = [
            (c["repo"], (weight, weight * c[metric]))
            for c, weight in weighted
            if weight and _has(c, metric)
        ]
        whole = sum(weight for _, (weight, _) in moments)
        mean = estimate(moments, ratio, (0.0, 1.0)) if whole >= least else Estimate()
        if moments:
            rows.append(
                {
                    "by": by,
                    "name": name,
                    "metric": metric,
                    "commits": len(moments),
                    "whole": whole,
                    **mean.columns("mean"),
                }
            )
    return rows


def share(commit: Commit, name: str) -> float:
    """The share of a commit's lines that a class wrote."""
    return float(commit[name] / (sum(commit[other] for other in LINE_CLASSES) or 1))


def mode(commit: Commit) -> str:
    """How its lines came about, by those that an agent is recorded or a person was seen to have
    written.
    """
    agent = commit[LineClass.AGENT]
    human = commit[LineClass.HUMAN]
    return coding_mode(100 * agent / (agent + human) if agent + human else None) or _NOT_KNOWN


def _has(commit: Commit, metric: str) -> bool:
    return commit[metric] is not None and any(commit[name] for name in LINE_CLASSES)


def _differences(commits: Sequence[Commit], least: int) -> Table:
    rows = [
        compare(commits, metric, reference, least) for metric in DMM for reference in REFERENCES
    ]
    comparable = [row for row in rows if row["all_commits"] is not None]
    notes = [
        "Mean of agents' commits less that of another class: of all, and of commits of the same"
        " repository and similar size."
    ]
    if not comparable:
        notes = ["No comparison: too few commits by agents or by others."]
    return _table("differences", "Commits of agents less commits of others", comparable, notes)


def compare(commits: Sequence[Commit], metric: str, reference: str, least: float = LEAST) -> Row:
    """Agents' commits less those of another class.

    No difference with fewer than `least` whole commits on either side.
    """
    usable = [commit for commit in commits if _has(commit, metric)]
    whole = [sum(share(commit, name) for commit in usable) for name in (LineClass.AGENT, reference)]
    strata = (
        lambda commit: "",
        lambda commit: (commit["repo"], _size(commit)),
    )
    raw, alike = (
        (
            difference(
                [
                    Observation(
                        c["repo"],
                        stratum(c),
                        (share(c, LineClass.AGENT), share(c, reference)),
                        c[metric],
                    )
                    for c in usable
                    if share(c, LineClass.AGENT) or share(c, reference)
                ],
                (-1.0, 1.0),
            )
            if min(whole) >= least
            else Estimate()
        )
        for stratum in strata
    )
    return {
        "metric": metric,
        "reference": reference,
        "whole": whole[0],
        "reference_whole": whole[1],
        **raw.columns("all_commits"),
        **alike.columns("alike"),
    }


def _size(commit: Commit) -> str:
    lines = commit["changed"] or 0
    return "small" if lines <= SIZES[0] else "medium" if lines <= SIZES[1] else "large"
