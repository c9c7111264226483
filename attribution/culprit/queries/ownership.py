"""Who wrote what still stands in each directory, and how much of it no person has touched.

For `report ownership`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from attribution.lineage.survival import BY_AGENTS, UNANSWERED
from attribution.queries.survival import history_coverage
from attribution.stats.comparison import DATED
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.runtime.stages import StageName, last_run
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.vocabulary.lines import Evidence, LineClass, line_class_sql

_ALL = ""  # the row of the whole repository

# A person touched a file after a commit when a later commit has a line of it that is a witnessed
# person's; `edited_by` is of the lines themselves. History numbers commits so that parents come
# first.
_LINES = f"""
WITH person AS MATERIALIZED (
  SELECT f.path, MAX(h.number) AS last FROM commits c
  JOIN history_commits h ON h.repo_id = c.repo_id AND h.commit_sha = c.commit_sha
  JOIN commit_files f ON f.commit_id = c.id WHERE c.repo_id = ?1
    AND f.human_lines + f.likely_human_lines > 0 GROUP BY f.path
)
SELECT f.directory,
  CASE WHEN o.evidence = '{Evidence.DATED}' THEN '{DATED}' ELSE {line_class_sql("o")} END AS class,
  COALESCE(c.author_email, c.author_name, '') AS person, SUM(s.nonblank) AS lines,
  COALESCE(o.edited_by = 'human', 0) OR COALESCE(p.last > b.number, 0) AS touched,
  EXISTS (SELECT 1 FROM commit_reviews w WHERE w.repo_id = f.repo_id
    AND w.commit_sha = b.commit_sha) AS reviewed
FROM tip_spans s JOIN tip_files f ON f.id = s.file_id JOIN origins o ON o.id = s.origin_id
JOIN history_commits b ON b.id = s.birth
LEFT JOIN commits c ON c.repo_id = f.repo_id AND c.commit_sha = b.commit_sha
LEFT JOIN person p ON p.path = f.path
WHERE f.repo_id = ?1 AND f.kind IN ('source', 'test') AND s.nonblank > 0 GROUP BY 1, 2, 3, 5, 6
"""


_NOTES = (
    (
        "lines: non-blank lines of source and test files at HEAD, by who wrote them; without those"
        " older than the followed history"
    ),
    (
        "by_agents: agent (by record) and declared (only the commit says so); dated: of commits"
        " older than agents; people: of others, with a witness; undeclared: nothing links the"
        " commit to an agent, which may have written it all the same"
    ),
    (
        "untouched: lines of agents that no person changed, in files in which no person is known to"
        " have written a line since; people who left no witness are not seen, so that it is an"
        " upper limit"
    ),
    (
        "reviewed: untouched lines whose commit names a person who reviewed it (Reviewed-by,"
        " Acked-by, Approved-by); the clone lacks approvals on a forge; NULL until whowrote culprit"
        " PATH --all has looked"
    ),
    (
        "bus factor: the fewest committing people who brought in more than half of the lines;"
        " without agents: of the lines that no agent is known to have written"
    ),
)


def ownership_tables(store: Store, repo_id: int | None = None) -> list[Table]:
    """One table: a row for each directory, and one for each whole repository.

    Raises WhoWroteError where no lines are followed.
    """
    followed = [repo_id] if repo_id is not None else history_coverage(store)[0]
    rows = [row for repo in followed for row in _rows(store, repo)]
    if not rows:
        raise WhoWroteError(
            "the lines of no repository are followed yet",
            "Run for each clone: whowrote survival PATH --full",
        )
    return [
        table_of(
            rows,
            {"untouched_share": "share"},
            _NOTES,
            "ownership",
            "Lines at HEAD by directory and who wrote them",
        )
    ]


def _rows(store: Store, repo_id: int) -> list[Row]:
    name = store.value("SELECT name FROM repos WHERE id = ?", (repo_id,))
    directories = defaultdict(list)
    for line in store.rows(_LINES, (repo_id,)):
        directories[line["directory"] or "."].append(line)
        directories[_ALL].append(line)
    looked = last_run(store, repo_id, StageName.CULPRITS) is not None
    owners = (
        (directory or "(all)", _owners(lines, looked))
        for directory, lines in sorted(directories.items())
    )
    return [{"repo": name, "directory": directory, **row} for directory, row in owners]


def _owners(lines: Iterable[Row], looked: bool) -> Row:
    """`looked`: reviews were read."""
    classes = Counter[str]()
    people = Counter[str]()
    without = Counter[str]()
    untouched = Counter[bool]()
    for line in lines:
        by_agent = line["class"] in BY_AGENTS
        classes[line["class"]] += line["lines"]
        people[line["person"].lower()] += line["lines"]
        without[line["person"].lower()] += 0 if by_agent else line["lines"]
        if by_agent and not line["touched"]:
            untouched[bool(line["reviewed"])] += line["lines"]
    by_agents = sum(classes[name] for name in BY_AGENTS)
    return {
        "lines": classes.total(),
        "by_agents": by_agents,
        **{name: classes[name] for name in (*BY_AGENTS, DATED)},
        "people": classes[LineClass.HUMAN] + classes[LineClass.LIKELY_HUMAN],
        **{name: classes[name] for name in UNANSWERED},
        "untouched": untouched.total(),
        "untouched_share": untouched.total() / by_agents if by_agents else None,
        "reviewed": untouched[True] if looked else None,
        "bus_factor": bus_factor(people),
        "bus_factor_without_agents": bus_factor(without),
    }


def bus_factor(lines: Counter[str]) -> int | None:
    """The fewest people who together have more than half of the lines; None without lines."""
    covered = 0
    for number, (_, count) in enumerate(lines.most_common(), 1):
        covered += count
        if 2 * covered > lines.total():
            return number
    return None
