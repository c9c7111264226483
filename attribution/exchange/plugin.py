"""The hooks of the plug-in: what other tools say is shown beside our own lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attribution.exchange.words import ClaimStatus
from collector.git.ranges import LineRange, count, intersect, parse, unite
from collector.vocabulary.lines import Author, line_class_sql

if TYPE_CHECKING:
    from attribution.queries.explain import LineSection
    from attribution.queries.repo_report import Aside
    from collector.storage.store import Store


HOOKS = {
    "note_names": "attribution.exchange.producers:note_names",
    "known_formats": "attribution.exchange.producers:known_formats",
}


def browse_tables() -> dict[str, dict[str, Any]]:
    return {
        table: {"hidden": True}
        for table in ("claim_authors", "claim_records", "claim_record_checks")
    }


_CLAIMS = """
SELECT r.producer, a.author, COALESCE(a.tool, '') AS tool, COALESCE(a.model, '') AS model,
  COALESCE(a.session_key, '') AS session,
  COALESCE(c.status, 'ok') AS status, k.path, COALESCE(c.ranges, '') AS ranges
FROM claim_record_checks x JOIN claim_records r ON r.id = x.record_id
JOIN claims k ON k.record_id = r.id JOIN claim_authors a ON a.id = k.author_id
LEFT JOIN claim_checks c ON c.claim_id = k.id
WHERE r.repo_id = ? AND x.commit_sha = ? AND k.path IN ('', ?) ORDER BY r.producer, k.id
"""


def line_section(store: Store, repo_id: int, sha: str, path: str, line: int) -> LineSection:
    """What other tools claim about a line of a commit, each claim once; a trailer's on the whole
    commit among them.
    """
    from attribution.queries.explain import LineSection

    claims: list[dict[str, Any]] = []
    for row in store.rows(_CLAIMS, (repo_id, sha, path)):
        is_whole, ranges = not row.pop("path"), parse(row.pop("ranges"))[0]
        if row not in claims and (is_whole or intersect(ranges, ((line, line),))):
            claims.append(row)
    return LineSection(
        "claims", "claimed by\nother tools", claims, [_words_of(claim) for claim in claims]
    )


def _words_of(claim: dict[str, Any]) -> str:
    who = ", ".join(claim[name] for name in ("author", "tool", "model") if claim[name])
    return f"{claim['producer']}: {who}" + (
        "" if claim["status"] == ClaimStatus.OK else f" ({claim['status'].replace('_', ' ')})"
    )


# --- lines counted beside the attribution ---------------------------------------------------------


def lines_aside(store: Store, repo_id: int) -> Aside:
    """Lines that were claimed and are true of their commit, where no session tells us anything."""
    from attribution.queries.repo_report import Aside

    meaning = "by other tools, all kinds of files, blank lines too; in none of the classes above"
    return Aside("claimed", _count_lines(store, repo_id, "NOT has_session"), meaning)


def undeclared_note(store: Store, repos: Sequence[int]) -> str:
    """Whose the undeclared lines are by other tools' records, and how many of those fit their
    commit; "" when none were read.
    """
    checked = sorted(
        {row["repo_id"] for row in store.rows("SELECT DISTINCT repo_id FROM claim_records")}
        & set(repos)
    )
    among = f"repo_id IN ({', '.join(map(str, checked)) or 'NULL'})"
    undeclared = store.value(
        f"SELECT COALESCE(SUM(lines), 0) FROM line_spans WHERE class = 'undeclared' AND {among}"
    )
    if not undeclared:
        return ""
    agents, people = (
        sum(
            _count_lines(
                store, repo_id, f"claimed_author = '{who}' AND {line_class_sql('x')} = 'undeclared'"
            )
            for repo_id in checked
        )
        for who in (Author.AGENT, Author.HUMAN)
    )
    worth = store.rows(
        "SELECT producer, SUM(consistent) AS fitting, SUM(attesting) AS records FROM claim_worth "
        f"WHERE {among} GROUP BY producer HAVING SUM(attesting) > 0 ORDER BY producer"
    )
    rates = "; ".join(
        f"{row['producer']}: {row['fitting']:,} of {row['records']:,} records fit their commit"
        for row in worth
    )
    return (
        f"{agents:,} of {undeclared:,} added undeclared lines ({agents / undeclared:.1%}) are an"
        " agent's by a verified record of another tool, of squashed commits too as far as the"
        f" clone has them, and {people:,} ({people / undeclared:.1%}) a person's"
        + (f"; {rates}" if rates else "")
    )


def _count_lines(store: Store, repo_id: int, condition: str) -> int:
    """Different lines in `claimed_lines x` that satisfy the condition."""
    ranges: dict[tuple[str, str], list[LineRange]] = defaultdict(list)
    for row in store.rows(
        "SELECT commit_sha, path, start_line, end_line FROM claimed_lines x WHERE repo_id = ? AND"
        f" {condition}",
        (repo_id,),
    ):
        ranges[row["commit_sha"], row["path"]].append((row["start_line"], row["end_line"]))
    return sum(count(unite(spans)) for spans in ranges.values())
