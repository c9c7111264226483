"""How often the rule about turns is right of lines whose author is known: `python benchmarks/turn_owned.py DATABASE...`.

Each database is one of `whowrote repo`. The rule (`attribution/authorship/turn_owned.py`) is asked as if nothing were known of
the files to which it applies; verdicts of the replay and of witnesses are what it should have said. Lines of the same commits in
files that others had changed show whether a person's lines could have been met at all.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from collector.storage.store import Store

_COUNTS = ("user_added_per_file", "user_removed_per_file")
_PRINTED = "SELECT session_id, commits FROM tool_calls WHERE commits <> '' AND status = 'ok'"
_RECORDS = """
SELECT cs.session_id, cs.vendor_prompts FROM commit_checkpoint_links l
JOIN checkpoint_sessions cs ON cs.checkpoint_id = l.checkpoint WHERE l.commit_id = ?"""
_LINES = """
SELECT f.path, o.author, o.session_id, SUM(s.nonblank) AS lines FROM commit_files f JOIN spans s ON s.file_id = f.id
JOIN origins o ON o.id = s.origin_id WHERE f.commit_id = ? AND f.kind IN ('source', 'test') AND o.how <> 'turn'
AND o.author IN ('agent', 'human', 'tool') GROUP BY 1, 2, 3"""


def main(databases: list[str]) -> None:
    total: Counter[tuple[bool, str]] = Counter()
    for name in databases:
        with Store(Path(name)) as store:
            total += counted(store)
    for owned, where in ((True, "nobody else changed the file"), (False, "others had changed the file")):
        found = {what: lines for (of, what), lines in sorted(total.items()) if of is owned}
        print(f"{where}: {', '.join(f'{what} {lines}' for what, lines in found.items())}")


def counted(store: Store) -> Counter[tuple[bool, str]]:
    """(the rule applies to the file, whose line it is) -> source and test lines with text; and commits and files it applies to."""
    made: dict[str, set[int]] = defaultdict(set)
    for row in store.rows(_PRINTED):
        for sha in re.findall(r"[0-9a-f]{7,64}", row["commits"]):
            made[sha[:7]].add(row["session_id"])
    found: Counter[tuple[bool, str]] = Counter()
    for commit in store.rows("SELECT id, commit_sha FROM commits WHERE parents = 1"):
        records = list(store.rows(_RECORDS, (commit["id"],)))
        sessions = {record["session_id"] for record in records}
        if not made.get(commit["commit_sha"][:7], set()) & sessions or not all(record["vendor_prompts"] for record in records):
            continue
        prompts = [one for record in records for one in json.loads(record["vendor_prompts"])]
        others = {path for one in prompts for name in _COUNTS for path, lines in (one.get(name) or {}).items() if lines}
        files = set()
        for row in store.rows(_LINES, (commit["id"],)):
            own = row["author"] == "tool" or row["session_id"] in sessions
            what = row["author"] if row["author"] == "human" else "of the commit's sessions" if own else "of other sessions"
            found[row["path"] not in others, what] += row["lines"]
            files.add(row["path"])
        found[True, "files"] += len(files - others)
        found[True, "commits"] += bool(files - others)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
