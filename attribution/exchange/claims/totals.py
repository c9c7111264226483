"""How many lines other tools' verified claims cover, each counted once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from collector.git.ranges import LineRange, count, united
from collector.vocabulary.lines import line_class_sql

if TYPE_CHECKING:
    from collector.storage.store import Store


def claimed_lines(store: Store, repo_id: int) -> int:
    """Lines that were claimed and are true of their commit, where no session tells us anything."""
    return _lines(store, repo_id, "NOT has_session")


def undeclared_note(store: Store, repos: Sequence[int]) -> str:
    """How contaminated the baseline of undeclared lines is, as far as other tools' records tell; "" when none were read."""
    checked = {row["repo_id"] for row in store.rows("SELECT DISTINCT repo_id FROM claim_records")} & set(repos)
    of_agents = f"claimed_author = 'agent' AND {line_class_sql('x')} = 'undeclared'"
    agents = sum(_lines(store, repo_id, of_agents) for repo_id in checked)
    undeclared = store.value(
        "SELECT COALESCE(SUM(lines), 0) FROM line_spans WHERE class = 'undeclared' "
        f"AND repo_id IN ({', '.join(map(str, checked)) or 'NULL'})"
    )
    if not undeclared:
        return ""
    return (
        f"{agents:,} of {undeclared:,} added undeclared lines ({agents / undeclared:.1%}) are an agent's by a verified record of "
        "another tool, of squashed commits too as far as the clone has them"
    )


def agent_signs(store: Store, repos: Sequence[int]) -> list[dict[str, Any]]:
    """Commits of which a record gives lines to an agent: `repo_id`, `email` of the author, `at`."""
    return store.rows(
        "SELECT DISTINCT c.repo_id, c.author_email AS email, c.author_at AS at FROM claim_records r JOIN claims k "
        "ON k.record_id = r.id JOIN claim_authors a ON a.id = k.author_id "
        "JOIN commits c ON c.repo_id = r.repo_id AND c.commit_sha = r.commit_sha "
        f"WHERE r.repo_id IN ({', '.join(map(str, repos)) or 'NULL'}) AND a.author = 'agent'"
    )


def _lines(store: Store, repo_id: int, condition: str) -> int:
    """Different lines in `claimed_lines x` that satisfy the condition."""
    ranges: dict[tuple[str, str], list[LineRange]] = defaultdict(list)
    for row in store.rows(
        f"SELECT commit_sha, path, start_line, end_line FROM claimed_lines x WHERE repo_id = ? AND {condition}", (repo_id,)
    ):
        ranges[row["commit_sha"], row["path"]].append((row["start_line"], row["end_line"]))
    return sum(count(united(spans)) for spans in ranges.values())
