"""What other tools say, shown beside our own lines."""

from collections import defaultdict
from collections.abc import Sequence

from attribution.exchange.words import ClaimStatus
from attribution.hooks import OfCounts, OfLine, OfUndeclared, Section
from collector.git.ranges import count, intersect, parse, unite
from collector.json_values import Row
from collector.storage.store import Store
from collector.vocabulary.lines import Author, line_class_sql

_CLAIMS = """
SELECT r.producer, a.author, COALESCE(a.tool, '') AS tool, COALESCE(a.model, '') AS model,
  COALESCE(a.session_key, '') AS session,
  COALESCE(c.status, 'ok') AS status, k.path, COALESCE(c.ranges, '') AS ranges
FROM claim_record_checks x JOIN claim_records r ON r.id = x.record_id
JOIN claims k ON k.record_id = r.id JOIN claim_authors a ON a.id = k.author_id
LEFT JOIN claim_checks c ON c.claim_id = k.id
WHERE r.repo_id = ? AND x.commit_sha = ? AND k.path IN ('', ?) ORDER BY r.producer, k.id
"""


def section(store: Store, subject: OfLine | OfCounts | OfUndeclared) -> Section:
    if isinstance(subject, OfLine):
        return _claims(store, subject)
    if isinstance(subject, OfUndeclared):
        return Section(words=_undeclared_sentence(store, subject.repos))
    # claimed, and true of their commit, where no session tells us anything
    lines = _count_lines(store, subject.repo_id, "NOT has_session")
    meaning = "by other tools, all kinds of files, blank lines too; in none of the classes above"
    return Section(name="claimed", rows=[{"lines": lines}], words=[meaning])


def _claims(store: Store, line: OfLine) -> Section:
    """What other tools claim about a line of a commit, each claim once; a trailer's on the whole
    commit among them.
    """
    claims = []
    for row in store.rows(_CLAIMS, (line.repo_id, line.sha, line.path)):
        is_whole = not row.pop("path")
        ranges = parse(row.pop("ranges"))[0]
        if row not in claims and (is_whole or intersect(ranges, ((line.line, line.line),))):
            claims.append(row)
    words = [_words_of(claim) for claim in claims]
    return Section("claimed by\nother tools", name="claims", rows=claims, words=words)


def _words_of(claim: Row) -> str:
    who = ", ".join(claim[name] for name in ("author", "tool", "model") if claim[name])
    return f"{claim['producer']}: {who}" + (
        "" if claim["status"] == ClaimStatus.OK else f" ({claim['status'].replace('_', ' ')})"
    )


def _undeclared_sentence(store: Store, repos: Sequence[int]) -> list[str]:
    """Whose the undeclared lines are by other tools' records, and how many of those fit their
    commit; nothing when none were read.
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
        return []
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
    return [
        f"{agents:,} of {undeclared:,} added undeclared lines ({agents / undeclared:.1%}) are an"
        " agent's by a verified record of another tool, of squashed commits too as far as the"
        f" clone has them, and {people:,} ({people / undeclared:.1%}) a person's"
        + (f"; {rates}" if rates else "")
    ]


def _count_lines(store: Store, repo_id: int, condition: str) -> int:
    """Different lines in `claimed_lines x` that satisfy the condition."""
    ranges = defaultdict(list)
    for row in store.rows(
        "SELECT commit_sha, path, start_line, end_line FROM claimed_lines x WHERE repo_id = ? AND"
        f" {condition}",
        (repo_id,),
    ):
        ranges[row["commit_sha"], row["path"]].append((row["start_line"], row["end_line"]))
    return sum(count(unite(spans)) for spans in ranges.values())
