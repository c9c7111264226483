"""What does an unrecorded session look like? Forgets one recorded session at a time and asks again
about the lines it wrote.

    python benchmarks/leave_one_out.py [--sessions N] [--seed N] [--part first|last|subagent|copy]
    CLONE...

Of a session all records are forgotten, the trailers that name only its checkpoints, and the
co-author lines of those commits; the trees stay. Lines with a word in them that the whole run gives
to the session with the text of an edit (observed or replayed) are the truth. Right is `unknown` (or
`declared`), or that another session wrote the line and somebody changed it since; a line said to be
human, or to stand as another session wrote it, is wrong.

With `--part` only a part of each session is forgotten (`part_of_session.py`); the lines asked about
are those of its calls. That another call of the same session wrote such a line names the right
session.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from part_of_session import Part, Remainder, without_part  # noqa: E402
from variants import Place, Variants, name_of  # noqa: E402

from attribution.authorship.align import is_low_information  # noqa: E402
from attribution.authorship.verdicts import Verdict  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.model import Checkpoint, Commit  # noqa: E402
from collector.vocabulary.lines import Author, Evidence, How, Reason  # noqa: E402

_CO_AUTHOR = re.compile(r"^co-authored-by:.*$\n?", re.IGNORECASE | re.MULTILINE)


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
        kept = [
            line
            for line in commit.message.split("\n")
            if not any(key in line for key in self._forgotten)
        ]
        message = "\n".join(kept)
        return (
            commit
            if message == commit.message
            else replace(commit, message=_CO_AUTHOR.sub("", message))
        )


def forget(
    checkpoints: Sequence[Checkpoint], session: str
) -> tuple[list[Checkpoint], frozenset[str]]:
    """(checkpoints without the session, ids of those that held nothing else)."""
    kept, gone = [], set()
    for checkpoint in checkpoints:
        others = tuple(record for record in checkpoint.sessions if record.session_id != session)
        if others:
            kept.append(replace(checkpoint, sessions=others))
        elif checkpoint.sessions:
            gone.add(checkpoint.id)
    return kept, frozenset(gone)


def answer(verdict: Verdict, session: int = 0) -> str:
    """human observed, human inferred, changed, same session, another session, or the author.

    *changed*: the program says that another session wrote the line and that somebody it does not
    know changed it since, or its layout, which is what the forgotten session did. Another session's
    line is one that is said to stand as that session wrote it. `session`: number of the session of
    which only a part was forgotten.
    """
    if (
        verdict.author == Author.AGENT
        and verdict.call is not None
        and verdict.call.session_id == session
    ):
        return "same session"
    if verdict.author == Author.AGENT:
        return "changed" if verdict.how in (How.EDITED, How.REFORMATTED) else "another session"
    return f"human {verdict.evidence}" if verdict.author == Author.HUMAN else verdict.author


class _Lines:
    """Texts of committed lines."""

    def __init__(self, repo: GitRepo) -> None:
        self._repo = repo
        self._known: dict[tuple[str, str], list[str]] = {}

    def says_something(self, place: Place) -> bool:
        """Whether the line has a word: whose a bracket is, nobody can tell when the same bracket
        is written again and again.
        """
        sha, path, number = place
        if (sha, path) not in self._known:
            data = self._repo.blob(self._repo.file_at(sha, path) or "")
            self._known[sha, path] = (data or b"").decode("utf-8", "replace").split("\n")
        lines = self._known[sha, path]
        return number <= len(lines) and not is_low_information(lines[number - 1])


_NOT_ADDED = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.NO_SESSION)


@dataclass(frozen=True, slots=True)
class Written:
    """A line that the whole run gives to a call with the text of an edit."""

    place: Place
    call_id: str


def written_lines(variants: Variants, head: str) -> dict[str, list[Written]]:
    """Session -> lines with a word that it is known to have written."""
    keys = {number: key for key, number in variants.sessions.ids.items()}
    found: dict[str, list[Written]] = defaultdict(list)
    texts = _Lines(variants.repo)
    for place, verdict in variants.ask(variants.repo, head).lines().items():
        if (
            verdict.author == Author.AGENT
            and verdict.evidence in (Evidence.OBSERVED, Evidence.REPLAYED)
            and verdict.call is not None
            and texts.says_something(place)
        ):
            found[keys[verdict.call.session_id]].append(Written(place, verdict.call.call_id))
    return found


def measure(path: Path, sessions: int, rng: random.Random, part: Part | None = None) -> Forgotten:
    """Forgets up to `sessions` sessions of a clone, or a part of each, one at a time."""
    variants = Variants(path)
    _, head = variants.repo.default_branch()
    written = written_lines(variants, head)
    chosen = sorted(written)
    rng.shuffle(chosen)
    result = Forgotten(name_of(path))
    for session in chosen:
        if result.sessions == sessions:
            break
        rest = without_part(variants, session, part, rng) if part is not None else _NOTHING
        lost = [
            one
            for one in written[session]
            if part is None or (rest is not None and one.call_id in rest.forgotten)
        ]
        if rest is not None and lost:
            _ask_again(result, variants, head, session, lost, rest)
    result.worst.sort(reverse=True)
    return result


_NOTHING = Remainder(frozenset(), None)


def _ask_again(
    result: Forgotten,
    variants: Variants,
    head: str,
    session: str,
    lost: Sequence[Written],
    rest: Remainder,
) -> None:
    """Counts what is said of the lines of what was forgotten."""
    gone: frozenset[str] = frozenset()
    kept = variants.checkpoints
    if rest.edits is None:
        kept, gone = forget(kept, session)
    elif rest.checkpoints is not None:
        gone = frozenset(one.id for one in kept) - {one.id for one in rest.checkpoints}
        kept = rest.checkpoints
    instead = {session: rest.edits} if rest.edits is not None else {}
    again = variants.ask(Forgetful(variants.repo.path, gone), head, kept, instead=instead).lines()
    own = variants.sessions.ids[session] if rest.edits is not None else 0
    humans = 0
    for one in lost:
        now = again.get(one.place, _NOT_ADDED)
        result.answers[answer(now, own)] += 1
        result.reasons[now.reason or now.evidence] += 1
        humans += now.author == Author.HUMAN
    result.sessions += 1
    result.lines += len(lost)
    if humans:
        result.worst.append((humans, session))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=12, help="sessions of each clone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--part", type=Part, choices=list(Part), help="forget only this part of each session"
    )
    parser.add_argument("clones", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    for path in options.clones:
        found = measure(path, options.sessions, random.Random(options.seed), options.part)
        print(
            json.dumps(
                {
                    "repository": found.repository,
                    "sessions": found.sessions,
                    "lines": found.lines,
                    **found.answers,
                }
            ),
            flush=True,
        )
        print(
            "   ", dict(found.reasons.most_common(6)), found.worst[:3], file=sys.stderr, flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
