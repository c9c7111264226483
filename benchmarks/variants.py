"""Asks again about a repository of which something was changed. Sessions are read once; the
verdicts are not stored.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT)]

from attribution.authorship.run_data import Replayed, RunInputs, SessionsRead  # noqa: E402
from attribution.authorship.session_edits import SessionEdits  # noqa: E402
from attribution.authorship.verdicts import CommitVerdict, Verdict  # noqa: E402
from attribution.stages import feature_rows, judging  # noqa: E402
from attribution.stages.sessions import read_sessions  # noqa: E402
from collector.checkpoints import read_all  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.load import session_files, store_checkpoints  # noqa: E402
from collector.local.model import NOTHING_LOCAL  # noqa: E402
from collector.model import Checkpoint  # noqa: E402
from collector.repository_rows import claim_repo  # noqa: E402
from collector.runtime.stages import RunContext  # noqa: E402
from collector.storage.store import Store  # noqa: E402

Place = tuple[str, str, int]
"""(commit, path, line number)."""
_AS_READ: Mapping[str, SessionEdits] = {}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the program concludes about one variant."""

    evidence: RunInputs
    replayed: Replayed
    verdicts: Mapping[str, CommitVerdict]  # by commit

    def of_file(self, sha: str, path: str) -> dict[int, Verdict]:
        """Line number -> verdict, of the lines that a commit adds to a file."""
        return {
            number: span.verdict
            for file, spans in self.verdicts[sha].files
            if file.change.path == path
            for span in spans
            for number in range(span.start, span.end + 1)
        }

    def is_complete(self, sha: str) -> bool:
        """Whether all that agents did for a commit is on record, as far as the records themselves
        tell.

        It names its checkpoints, all of them are here, every transcript of its sessions reaches up
        to it, and none of them has a subagent whose calls are in no transcript.
        """
        link = self.evidence.links[sha]
        if (
            not link.is_resolved
            or link.incomplete
            or link.partly
            or self.evidence.missing_transcripts(link)
        ):
            return False
        sessions = {self.evidence.sessions.ids[key] for key in link.sessions}
        since = max(
            (c.author_time for c in self.evidence.history.commits if c.sha in link.commit.parents),
            default=0.0,
        )
        unseen = (
            action
            for timeline in self.replayed.timelines.values()
            if timeline.sessions & sessions
            for action in timeline.windows.actions
            if action.unseen
        )
        return not any(
            action.until > since and action.at < link.commit.author_time for action in unseen
        )

    def lines(self) -> dict[Place, Verdict]:
        """Every added line."""
        return {
            (sha, file.change.path, number): span.verdict
            for sha, verdict in self.verdicts.items()
            for file, spans in verdict.files
            for span in spans
            for number in range(span.start, span.end + 1)
        }


class Variants:
    """A clone whose sessions are in memory."""

    repo: GitRepo
    checkpoints: Sequence[Checkpoint]
    sessions: SessionsRead

    @classmethod
    def of(
        cls, repo: GitRepo, checkpoints: Sequence[Checkpoint], sessions: SessionsRead
    ) -> Variants:
        """With other checkpoints and sessions than those of the clone."""
        made = cls.__new__(cls)
        made.repo, made.checkpoints, made.sessions = repo, checkpoints, sessions
        return made

    def __init__(self, path: Path) -> None:
        self.repo = GitRepo(path)
        self.checkpoints = read_all(self.repo)
        with tempfile.TemporaryDirectory() as name, Store(Path(name) / "read.db") as store:
            feature_rows.prepare(store)
            context = RunContext(store, self.repo, claim_repo(store, self.repo, "read"))
            ids = store_checkpoints(context, self.checkpoints)
            self.sessions = read_sessions(context, session_files(self.checkpoints), ids)

    def ask(
        self,
        repo: GitRepo,
        head: str,
        checkpoints: Sequence[Checkpoint] | None = None,
        remade: tuple[str, str] = ("", ""),
        instead: Mapping[str, SessionEdits] = _AS_READ,
    ) -> Asked:
        """`repo`: this clone or a copy of it with other commits; `checkpoints`: those that are
        known, if not all.

        `instead`: sessions of which another record is known than that of the clone, by key.
        `remade`: id of a commit, and its id in the copy: the call that printed the one printed the
        other.
        """
        known = self.checkpoints if checkpoints is None else checkpoints
        keys = {record.session_id for checkpoint in known for record in checkpoint.sessions}
        read = self.sessions
        kept = SessionsRead(
            {key: number for key, number in read.ids.items() if key in keys},
            {
                key: replace(reach, ended=instead[key].ended) if key in instead else reach
                for key, reach in read.reach.items()
                if key in keys
            },
            [_renamed(instead.get(one.key, one), *remade) for one in read.edits if one.key in keys],
        )
        with Store(":memory:") as store:
            context = RunContext(store, repo, 0)
            judged = judging.judge_lines(context, head, kept, (known, NOTHING_LOCAL))
            return Asked(judged.evidence, judged.replayed, judged.verdicts)


def _renamed(edits: SessionEdits, old: str, new: str) -> SessionEdits:
    if not old:
        return edits
    commits = [
        replace(made, printed=_rename(made.printed, old, new), shown=_rename(made.shown, old, new))
        for made in edits.commits
    ]
    return edits if commits == edits.commits else replace(edits, commits=commits)


def _rename(ids: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    return tuple(new[: len(short)] if old.startswith(short) else short for short in ids)


def name_of(path: Path) -> str:
    """OWNER/NAME of a mirror, the directory of any other clone."""
    return (
        path.resolve().parent.name.replace("+", "/") if path.name in ("repo", ".git") else path.name
    )
