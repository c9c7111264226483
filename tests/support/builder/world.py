"""The whole picture: a worktree with its agents, the commits and branches made of it, the
checkpoints stored beside them, and in the end the repository and the truth about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from collector.json_values import JsonObject, Texts
from support import claude_writer as claude
from support.builder.lines import File
from support.builder.model import ADA, START, USUAL, V1, Commit, Stored
from support.builder.objects import Blob, History, import_stream
from support.builder.session import Session
from support.builder.storage import Writer
from support.builder.truth import Truth
from support.builder.worktree import Worktree

OUTCOMES = ("applied", "tool_error", "rejected", "outside_repo", "unmatched")


class World(Worktree):
    """A worktree, the people and agents who change it, the history that comes of it, and who
    wrote what.
    """

    def __init__(
        self,
        name: str = "world",
        layout: str = "v1",
        cli_version: str = "0.4.7",
        start: float = START,
    ) -> None:
        super().__init__(name, start)
        self.layout = layout
        self.cli_version = cli_version
        self.branch = "main"
        self.tips: dict[str, Commit] = {}
        self.commits: list[Commit] = []
        self.history = History()
        self.sessions: dict[str, Session] = {}
        self.hidden = False
        self.blunt: set[str] = set()
        # files whose whole text some call recorded since they were made
        self.recorded: set[str] = set()
        self.blind: set[str] = set()
        self.members: dict[str, list[Session]] = {}  # of each stored checkpoint
        self.seen: set[str] = set()  # calls whose results are in some stored transcript
        # calls that are in some stored transcript, with or without a result
        self.begun: set[str] = set()
        self.stored: set[str] = set()  # sessions with at least one stored transcript
        self._trees: dict[str, dict[str, Blob]] = {}

    @classmethod
    def holding(cls, name: str, files: Texts) -> World:
        """One with a first commit by hand."""
        world = cls(name)
        for path, text in files.items():
            world.human_write(path, text)
        world.commit("Start")
        return world

    def session(
        self,
        version: str = "2.1.37",
        model: str = "claude-opus-4-6",
        null_original: bool = False,
        cwd: str = "",
        prompt: str = "",
    ) -> Session:
        """`prompt`: its first, at once."""
        session = Session(self, version, model, null_original, cwd or f"/home/ada/work/{self.name}")
        self.sessions[session.id] = session
        if prompt:
            session.prompt(prompt)
        return session

    def note_base(self, path: str, recorded: bool) -> None:
        """A call touched the file, with or without recording its whole text."""
        if recorded:
            self.recorded.add(path)
        elif path not in self.recorded and path not in self.tips[self.branch].files:
            self.blind.add(path)

    # --- commits ----------------------------------------------------------------------------------

    def new_checkpoint_id(self) -> str:
        return self.ids.ulid(self.clock) if self.layout == "refs" else self.ids.hex(12)

    def commit(
        self,
        message: str,
        sessions: Sequence[Session] = (),
        *,
        groups: Sequence[Sequence[Session]] = (),
        names: Sequence[str] = (),
        paths: Iterable[str] | None = None,
        trailer: str = "end",
        stored: Stored | None = USUAL,
        author: str = ADA,
        merge: Commit | None = None,
        later: int = 0,
    ) -> Commit:
        """Commits the worktree, or these paths of it.

        One checkpoint is stored for `sessions`, or one per group of `groups`; with `stored=None`
        the message names checkpoints that do not exist. `names` are further ids for the message.
        `trailer` is `end`, `middle` (as in squash bodies) or `none`. `later` puts the committer's
        time after the author's.
        """
        self.wait(3)
        at = int(self.clock)
        groups = groups or ([sessions] if sessions else [])
        own = [self.new_checkpoint_id() for _ in groups]
        listed = [*names, *own] if trailer != "none" else []
        text = _message(message, listed, trailer)
        parents = tuple(parent for parent in (self.tips.get(self.branch), merge) if parent)
        files = self._staged(paths, parents)
        tree = {path: file.blob() for path, file in files.items()}
        node = self.history.commit(
            tree, [parent.node for parent in parents], author, at, text, later
        )
        commit = Commit(node, at, files, self._renames(files, parents), parents, tuple(listed))
        commit.dangling = bool(own) and stored is None
        commit.declared = "Co-Authored-By: Claude" in text or "[bot]" in author
        commit.hidden = self.hidden
        commit.blunt = frozenset(self.blunt & files.keys())
        commit.blind = frozenset(self.blind & files.keys())
        left = {path for path in self.blunt if self.files.get(path) is not files.get(path)}
        self.hidden = self.hidden and paths is not None
        self.blunt = left
        self.renamed = {}
        self.blind -= files.keys()
        self._advance(commit)
        self.clock = at + 1.3
        if stored:
            for checkpoint_id, members in zip(own, groups, strict=True):
                self.checkpoint(members, checkpoint_id, stored, commit)
        self.wait(8)
        return commit

    def _advance(self, commit: Commit) -> None:
        self.tips[self.branch] = commit
        self.commits.append(commit)
        if not self.branch.startswith("hidden/"):
            self.history.refs[f"refs/heads/{self.branch}"] = commit.node

    def _staged(self, paths: Iterable[str] | None, parents: Sequence[Commit]) -> dict[str, File]:
        if paths is None:
            return dict(self.files)
        staged = dict(parents[0].files) if parents else {}
        for path in paths:
            staged.pop(path, None)
            if path in self.files:
                staged[path] = self.files[path]
        return staged

    def _renames(self, files: Mapping[str, File], parents: Sequence[Commit]) -> Texts:
        before = parents[0].files if parents else {}
        return {
            new: old
            for new, old in self.renamed.items()
            if new in files and new not in before and old in before and old not in files
        }

    # --- branches ---------------------------------------------------------------------------------

    def branch_off(self, name: str) -> None:
        """A new branch from here. Names under `hidden/` get no ref: their commits vanish unless
        merged.
        """
        self.tips[name] = self.tips[self.branch]
        self.switch(name)

    def switch(self, name: str) -> None:
        self.wait(5)
        self.branch = name
        self.files = dict(self.tips[name].files)

    def merge(
        self, name: str, message: str, touch: Callable[[], None] | None = None, **options: Any
    ) -> Commit:
        """A merge of branches that changed different files; `touch` is what the merger changes
        besides.
        """
        other = self.tips[name]
        base = self._fork(name)
        for path in {*other.files, *base.files}:
            if other.files.get(path) == base.files.get(path):
                continue
            if self.files.get(path) != base.files.get(path):
                raise ValueError(f"{path} changed on both sides")
            if path in other.files:
                self.put(path, other.files[path])
            else:
                self.remove(path)
        if touch:
            touch()
        return self.commit(message, merge=other, **options)

    def squash(self, name: str, title: str, listed: bool = True, **options: Any) -> Commit:
        """The branch as one commit on top of this one: the message lists its commits with their
        trailers, as GitHub does.

        `listed=False`: the message is the title alone, so that the trailers are lost.
        """
        line = self._line(name)
        bodies = ["* " + commit.node.message.strip() for commit in line] if listed else []
        names = [checkpoint for commit in line for checkpoint in commit.checkpoints]
        for commit in line:
            self.renamed |= {new: self.renamed.pop(old, old) for new, old in commit.renamed.items()}
        self.files = dict(self.tips[name].files)
        signed = (
            "\n\n".join([title, *bodies, "---------", f"Co-authored-by: {ADA}"])
            if listed
            else title
        )
        squashed = self.commit(signed, trailer="none", **options)
        squashed.checkpoints = tuple(dict.fromkeys(names))
        squashed.dangling = any(one.dangling for one in line)
        squashed.hidden = any(one.hidden for one in line)
        squashed.blunt = frozenset().union(*(one.blunt for one in line)) & squashed.files.keys()
        squashed.blind = frozenset().union(*(one.blind for one in line)) & squashed.files.keys()
        return squashed

    def rebase(self, name: str, retitle: Callable[[str], str] = str, later: int = 3_600) -> None:
        """The branch commit by commit on top of this one, authors and their times kept, trailers
        lost; other files than here.
        """
        for commit in self._line(name):
            tip = self.tips[self.branch]
            before = commit.parents[0].files
            files = {
                path: file
                for path, file in tip.files.items()
                if path not in before or path in commit.files
            }
            files |= {path: file for path, file in commit.files.items() if before.get(path) != file}
            tree = {path: file.blob() for path, file in files.items()}
            title = retitle(commit.node.message.split("\n", 1)[0]) + "\n"
            node = self.history.commit(
                tree, [tip.node], ADA, commit.at, title, int(self.clock) - commit.at + later
            )
            made = Commit(node, commit.at, files, commit.renamed, (tip,), commit.checkpoints)
            made.hidden = commit.hidden
            made.blunt = commit.blunt
            self._advance(made)
        self.files = dict(self.tips[self.branch].files)
        self.wait(later)

    def _line(self, name: str) -> list[Commit]:
        """The commits of a branch since it left this one, oldest first."""
        base = self._fork(name)
        commit = self.tips[name]
        line = list[Commit]()
        while commit is not base:
            line.insert(0, commit)
            commit = commit.parents[0]
        return line

    def _fork(self, name: str) -> Commit:
        mine = set[int]()
        commit = self.tips[self.branch]
        while True:
            mine.add(id(commit))
            if not commit.parents:
                break
            commit = commit.parents[0]
        commit = self.tips[name]
        while id(commit) not in mine:
            commit = commit.parents[0]
        return commit

    def ref(self, name: str, commit: Commit) -> None:
        self.history.refs[name] = commit.node

    # --- checkpoints ------------------------------------------------------------------------------

    def checkpoint(
        self,
        sessions: Sequence[Session],
        checkpoint_id: str = "",
        stored: Stored = USUAL,
        commit: Commit | None = None,
        finalise: bool = False,
    ) -> str:
        """Stores the sessions so far in the layout of this world."""
        checkpoint_id = checkpoint_id or self.new_checkpoint_id()
        copies = [self._copy(session, stored) for session in sessions]
        touched = [
            sorted({path for _, _, path in session.changes} & (commit or self).files.keys())
            for session in sessions
        ]
        self.members[checkpoint_id] = list(sessions)
        writer = Writer(self, checkpoint_id, sessions, copies, touched, stored)
        for ref, files, merged in writer.trees():
            tree = self._trees.setdefault(ref, {}) if merged else {}
            tree.update({path: Blob(data) for path, data in files.items()})
            title = (
                f"Finalize transcript for Checkpoint: {checkpoint_id}"
                if finalise
                else f"Checkpoint: {checkpoint_id}"
            )
            trailers = (
                f"Entire-Session: {sessions[-1].id}\nEntire-Strategy: manual-commit\nEntire-Agent:"
                " Claude Code\n"
            )
            self._store(ref, tree, title if finalise else f"{title}\n\n{trailers}")
        return checkpoint_id

    def snapshot(self, session: Session) -> None:
        """The end of a turn on a shadow branch: the whole worktree and the session's transcript
        so far.
        """
        ref = f"refs/heads/entire/{self.tips[self.branch].sha[:7]}-e3b0c4"
        folder = f".entire/metadata/{session.id}"
        transcript = self._copy(session, USUAL) or ""
        tree = {path: file.blob() for path, file in self.files.items()}
        tree |= {
            f"{folder}/full.jsonl": Blob(transcript.encode()),
            f"{folder}/prompt.txt": Blob(b"a prompt"),
        }
        message = (
            f"A prompt\n\nEntire-Metadata: {folder}\nEntire-Session: {session.id}\nEntire-Strategy:"
            " manual-commit\n"
        )
        tip = self.history.refs.get(ref)
        self.history.refs[ref] = self.history.commit(
            tree, [tip] if tip else [], ADA, int(self.clock) + 1, message
        )
        self.wait(3)

    def finalise(self, commit: Commit, stored: Stored = USUAL) -> None:
        """The end of the turn rewrites the checkpoints of its commits with everything that
        happened since.
        """
        self.wait(1)
        for checkpoint_id in commit.checkpoints:
            self.checkpoint(
                self.members[checkpoint_id], checkpoint_id, stored, commit, finalise=True
            )

    def store_files(
        self, files: Mapping[str, bytes], message: str = "Initialize metadata branch", ref: str = V1
    ) -> None:
        """Anything else on a checkpoint branch: foreign files, or nothing at all."""
        tree = self._trees.setdefault(ref, {})
        tree.update({path: Blob(data) for path, data in files.items()})
        self._store(ref, tree, message)

    def forget(self, checkpoint_id: str, ref: str = V1) -> None:
        """Removes a checkpoint from the tip of the branch; its objects stay in the branch's
        history.
        """
        prefix = f"{checkpoint_id[:2]}/{checkpoint_id[2:]}/"
        self._trees[ref] = {
            path: blob for path, blob in self._trees[ref].items() if not path.startswith(prefix)
        }
        self._store(ref, self._trees[ref], "Cleanup: removed 1 orphaned checkpoint")

    def _store(self, ref: str, tree: Mapping[str, Blob], message: str) -> None:
        tip = self.history.refs.get(ref)
        self.history.refs[ref] = self.history.commit(
            tree, [tip] if tip else [], ADA, int(self.clock) + 1, message
        )

    def _copy(self, session: Session, stored: Stored) -> str | None:
        """The session's transcript as it is stored now, and a note of what can be read from it."""
        if stored.transcript == "none":
            return None
        records = session.log.records
        cut = stored.keep if stored.transcript == "cut" else len(records)
        kept = records[session.kept if stored.transcript == "delta" else 0 : cut]
        self.seen |= {record.finished for record in kept if record.finished}
        self.begun |= {call for record in kept for call in record.begun}
        self.stored.add(session.id)
        session.kept = cut

        def redacted(text: str) -> str:
            for secret in stored.redact:
                text = text.replace(secret, "REDACTED")
            return text

        text = claude.to_jsonl(kept, redacted)
        if stored.glued:
            text = text.replace("\n", "", 1)
        if stored.transcript == "cut" and cut < len(records):
            text += records[cut].text()[:90]
        return text + "\n" * stored.blank_tail

    # --- results ----------------------------------------------------------------------------------

    def stream(self) -> bytes:
        return self.history.stream()

    def build(self, directory: Path, bare: bool = True) -> Path:
        return import_stream(self.stream(), directory, bare)

    def expected(self, description: str = "") -> JsonObject:
        """The truth, in the form of `expected.json`."""
        reachable = {node.sha for node in self.history.reachable()}
        truth = Truth(self)
        return {
            "description": description,
            "branch": "main",
            "commits": [truth.commit(commit) for commit in self.commits if commit.sha in reachable],
            "edits": {
                session.id: {name: self._count(session, name) for name in OUTCOMES}
                for session in self.sessions.values()
                if session.id in self.stored
            },
        }

    def _count(self, session: Session, outcome: str) -> int:
        known = self.begun if outcome == "unmatched" else self.seen
        return sum(1 for call, how in session.outcomes if how == outcome and call in known)


def _message(message: str, ids: Sequence[str], trailer: str) -> str:
    title, _, body = message.strip("\n").partition("\n")
    lines = "\n".join(f"Entire-Checkpoint: {checkpoint_id}" for checkpoint_id in ids)
    parts = (
        [title, lines, body.strip("\n")]
        if trailer == "middle"
        else [title, body.strip("\n"), lines]
    )
    return "\n\n".join(part for part in parts if part) + "\n"
