"""Scanned lines of agents and the findings in them by month, directory, agent and person, for `report --by`."""

from __future__ import annotations

from attribution.queries.breakdown_facts import AGENT, BreakdownOptions, Place, days, place_columns, placed
from attribution.stats.rates import RateCell
from attribution.weaknesses.queries.findings import HEADLINE
from collector.storage.store import Store
from collector.vocabulary import sql_list
from collector.vocabulary.lines import FilePlace, LineClass

_SCANNED = f"""
SELECT {place_columns("l.path", AGENT)}, 0 AS events, SUM(l.lines) AS lines
FROM scanned_lines l JOIN repos r ON r.id = l.repo_id JOIN commits c ON c.id = l.commit_id
LEFT JOIN sessions s ON s.id = l.session_id
WHERE l.scanned = 1 AND l.place = '{FilePlace.SOURCE}' AND l.author_class = '{LineClass.AGENT}' AND {days("c.author_at")}
GROUP BY c.id, 1, 2, 3, 4, 5, 6 ORDER BY c.id, 3, 4
"""
_FOUND = f"""
SELECT {place_columns("n.path", "COALESCE(n.agent, '')")}, COUNT(*) AS events, 0 AS lines
FROM findings n JOIN repos r ON r.id = n.repo_id JOIN commits c ON c.id = n.commit_id
WHERE n.status = 'introduced' AND n.place = '{FilePlace.SOURCE}' AND n.author_class = '{LineClass.AGENT}'
  AND n.confidence IN ({sql_list(HEADLINE)}) AND {days("c.author_at")}
GROUP BY c.id, 1, 2, 3, 4, 5, 6 ORDER BY c.id, 3, 4
"""


def finding_counts(store: Store, options: BreakdownOptions) -> list[tuple[Place, RateCell]]:
    return [(place, RateCell(*values)) for sql in (_SCANNED, _FOUND) for place, values in placed(store, sql, options)]
