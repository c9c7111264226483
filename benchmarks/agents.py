"""How each agent's real transcripts are read: calls against an independent count, edits that could
be replayed, what is recorded.

    python benchmarks/agents.py DATABASE COUNTS

DATABASE: real clones that `whowrote repo --name OWNER/NAME --db DATABASE` read; COUNTS: what
benchmarks/count_calls.py and benchmarks/count_local_calls.py printed for the same clones (paths
that end with OWNER+NAME/repo). Writes benchmarks/data/agents.json; docs/generate.py makes a table
of it.

Calls are compared, and edits counted, in sessions of which every copy is in the clone; edits are
those of tools that edit, not of commands. A session that was read from compact copies alone counts
for these, whatever agent it is of.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "agents.json"
COMPACT = "entire-compact"
_SESSIONS = """
SELECT r.name, s.id, s.key, s.agent, s.tool_calls, s.transcript, s.agent_version,
  s.model IS NOT NULL AS models,
  COALESCE(s.output_tokens, 0) > 0 AS tokens,
  (SELECT COUNT(*) FROM tool_calls c WHERE c.session_id = s.id AND c.at IS NOT NULL) AS timed,
  (SELECT COUNT(*) FROM tool_calls c WHERE c.session_id = s.id AND c.status <> 'unknown') AS ended,
  (SELECT COUNT(*) FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0
  AND e.outcome = 'applied') AS applied,
  (SELECT COUNT(*) FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0
  AND e.outcome = 'unmatched') AS unmatched
FROM sessions s JOIN repos r ON r.id = s.repo_id WHERE s.agent IS NOT NULL ORDER BY r.name, s.key
"""


def counted(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """(repository, session) -> what the independent count found."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for line in path.read_text("utf-8").splitlines():
        for name, sessions in json.loads(line).items():
            repository = Path(name).parent.name.replace("+", "/", 1)
            found |= {(repository, key): one for key, one in sessions.items()}
    return found


def measure(database: Path, counts: Path) -> dict[str, dict[str, Any]]:
    """Agent -> numbers."""
    known = counted(counts)
    rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows.row_factory = sqlite3.Row
    found: dict[str, dict[str, Any]] = {}
    for row in rows.execute(_SESSIONS):
        other = known.get((row["name"], row["key"]))
        compact = other is not None and other["agent"] == COMPACT
        one = found.setdefault(COMPACT if compact else row["agent"], _empty())
        one["sessions"] += 1
        one["files"] += other["files"] if other is not None else 0
        one["repositories"][row["name"]] = None
        version = row["agent_version"] or ""
        one["versions"][version.rpartition(" ")[2] if compact else version.split(" ")[0]] = None
        for name in ("models", "tokens", "timed", "ended"):
            one[name] += row[name]
        one["all_calls"] += row["tool_calls"]
        if other is not None and (compact or row["transcript"] == "present"):
            one["calls"] += row["tool_calls"]
            one["independent"] += other["calls"]
            for name in ("applied", "unmatched"):
                one[name] += row[name]
    for one in found.values():
        one["repositories"] = sorted(one["repositories"])
        one["versions"] = sorted(filter(None, one["versions"]))
    return dict(sorted(found.items()))


def _empty() -> dict[str, Any]:
    names = (
        "sessions",
        "files",
        "calls",
        "independent",
        "all_calls",
        "timed",
        "ended",
        "models",
        "tokens",
        "applied",
        "unmatched",
    )
    return {**dict.fromkeys(names, 0), "repositories": {}, "versions": {}}


def main() -> None:
    database, counts = map(Path, sys.argv[1:])
    DATA.write_text(json.dumps(measure(database, counts), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
