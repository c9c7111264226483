"""What does an unrecorded session look like? Forgets one recorded session at a time and asks again about the lines it wrote.

    python benchmarks/leave_one_out.py [--sessions N] [--seed N] CLONE...

Of a session all records are forgotten, the trailers that name only its checkpoints, and the co-author lines of those commits; the
trees stay. Lines that the whole run gives to the session with the text of an edit (observed or replayed) are the truth. Right is
`unknown` (or `declared`); a line said to be human, or given to another session, is wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from attribution.authorship.options import AttributeOptions  # noqa: E402
from attribution.stages import lines as stage  # noqa: E402
from attribution.stages.lines import attribute_repo  # noqa: E402
from collector.checkpoints import read_all  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.model import Checkpoint, Commit  # noqa: E402
from collector.storage.store import Store  # noqa: E402

Place = tuple[str, str, int]
"""(commit, path, line number)."""
_CO_AUTHOR = re.compile(r"^co-authored-by:.*$\n?", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Said:
    """What a run said about one line."""

    answer: str  # human observed, human inferred, agent, declared, unknown
    session: str  # key of the session; "" for none
    reason: str


@dataclass(slots=True)
class Forgotten:
    """Lines of forgotten sessions of one repository by what became of them."""

    repository: str
    sessions: int = 0
    lines: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    worst: list[tuple[int, str]] = field(default_factory=list)  # (human lines, session)


class Forgetful(GitRepo):
    """A clone in which nothing names the forgotten checkpoints."""

    def __init__(self, path: str | Path, checkpoints: frozenset[str]) -> None:
        super().__init__(path)
        self._forgotten = checkpoints

    def commit(self, sha: str) -> Commit | None:
        found = super().commit(sha)
        return self._without(found) if found is not None else None

    def history_of(self, tips: list[str], hide: list[str] | None = None) -> Iterator[Commit]:
        for commit in super().history_of(tips, hide):
            yield self._without(commit)

    def _without(self, commit: Commit) -> Commit:
        kept = [line for line in commit.message.split("\n") if not any(key in line for key in self._forgotten)]
        message = "\n".join(kept)
        return commit if message == commit.message else replace(commit, message=_CO_AUTHOR.sub("", message))


def forget(checkpoints: Sequence[Checkpoint], session: str) -> tuple[list[Checkpoint], frozenset[str]]:
    """(checkpoints without the session, ids of those that held nothing else)."""
    kept, gone = [], set()
    for checkpoint in checkpoints:
        others = tuple(record for record in checkpoint.sessions if record.session_id != session)
        if others:
            kept.append(replace(checkpoint, sessions=others))
        elif checkpoint.sessions:
            gone.add(checkpoint.id)
    return kept, frozenset(gone)


def said(repo: GitRepo, checkpoints: Sequence[Checkpoint]) -> dict[Place, Said]:
    """Every non-blank added line of the commits that are linked to a session or once were."""
    with (
        tempfile.TemporaryDirectory() as directory,
        patch.object(stage, "read_all", lambda _: list(checkpoints)),
        Store(Path(directory) / "out.db") as store,
    ):
        attribute_repo(store, repo, AttributeOptions(anyway=True))
        return dict(_lines(store))


def _lines(store: Store) -> Iterator[tuple[Place, Said]]:
    rows = store.rows(
        "SELECT l.*, s.key FROM line_spans l LEFT JOIN sessions s ON s.id = l.session_id "
        "WHERE l.reason <> 'no_session' OR l.author <> 'unknown'"
    )
    for row in rows:
        found = Said(_answer(row), row["key"] or "", row["reason"] if row["author"] == "unknown" else row["evidence"])
        for number in range(row["start_line"], row["end_line"] + 1):
            yield (row["commit_sha"], row["path"], number), found


def _answer(row: dict[str, object]) -> str:
    if row["author"] == "human":
        return f"human {row['evidence']}"
    return str(row["author"])


def measure(path: Path, sessions: int, rng: random.Random) -> Forgotten:
    """Forgets up to `sessions` sessions of a clone, one at a time."""
    repo = GitRepo(path)
    checkpoints = read_all(repo)
    whole = said(repo, checkpoints)
    written: dict[str, list[Place]] = defaultdict(list)
    for place, found in whole.items():
        if found.answer == "agent" and found.reason in ("observed", "replayed"):
            written[found.session].append(place)
    chosen = sorted(written)
    rng.shuffle(chosen)
    result = Forgotten(_name(path))
    for session in chosen[:sessions]:
        kept, gone = forget(checkpoints, session)
        again = said(Forgetful(path, gone), kept)
        result.sessions += 1
        humans = 0
        for place in written[session]:
            now = again.get(place, Said("unknown", "", "no_session"))
            result.lines += 1
            result.answers["another session" if now.answer == "agent" else now.answer] += 1
            result.reasons[now.reason] += 1
            humans += now.answer.startswith("human")
        if humans:
            result.worst.append((humans, session))
    result.worst.sort(reverse=True)
    return result


def _name(path: Path) -> str:
    return path.resolve().parent.name.replace("+", "/") if path.name in ("repo", ".git") else path.name


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=12, help="sessions of each clone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("clones", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    for path in options.clones:
        found = measure(path, options.sessions, random.Random(options.seed))
        print(
            json.dumps({"repository": found.repository, "sessions": found.sessions, "lines": found.lines, **found.answers}),
            flush=True,
        )
        print("   ", dict(found.reasons.most_common(6)), found.worst[:3], file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
