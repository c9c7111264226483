"""Texts of the repository for the replay, read from the clone when they are asked for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from attribution.authorship.align import LEGACY, lines_of, text_of
from attribution.authorship.case import AddedFile, is_after
from attribution.authorship.commits import CommitHistory, added_files
from attribution.authorship.diffs import FileDiff
from attribution.shell.project import FILES, task_text
from collector.checkpoints.pull_requests import is_source
from collector.git.repository import GitRepo, blob_id
from collector.model import Commit
from collector.text import is_binary

_GIT_VERSIONS = 12  # committed texts tried for an edit whose base was not recorded
_LATER_VERSIONS = 4  # of those, from commits after the edit
_MAX_KEPT = 16_000_000  # characters of commits' files
_MAX_ASIDE = 5_000  # commits of other branches in which a line is looked for, the latest ones


class RepositoryTexts:
    """Texts of commits.

    The ones asked for last are kept: a commit is compared with several worktrees, at several
    moments.
    """

    def __init__(self, repo: GitRepo, history: CommitHistory) -> None:
        self._repo = repo
        self._history = history
        self._added: dict[str, list[AddedFile]] = {}  # the one asked for last at the end
        self._characters = 0  # of these
        # blob of a file, its name, task -> its commands
        self._tasks: dict[tuple[str, str, str], str | None] = {}
        self._unicode: dict[str, bool] = {}  # path -> whether its versions are UTF-8

    def added(self, sha: str) -> list[AddedFile]:
        files = self._added.pop(sha, None)
        if files is None:
            files = self._read(sha)
            self._characters += _size(files)
            while self._added and self._characters > _MAX_KEPT:
                self._characters -= _size(self._added.pop(next(iter(self._added))))
        self._added[sha] = files  # the last one now
        return files

    def _read(self, sha: str) -> list[AddedFile]:
        diff = self._history.diffs[sha]
        files = added_files(self._repo, diff, self._history.characters)
        last = self._history.last_change
        before = diff.commit.author_time
        return [
            replace(f, last_commit=max(last(path, before) for path in (f.path, f.old_path)))
            for f in files
        ]

    def first(self, path: str) -> str:
        """What a path had when it was first committed; "" for what is no text."""
        versions = self._history.versions.get(path)
        data = self._repo.text_blob(versions[0][1]) if versions else None
        return text_of(data, self._history.characters) if data is not None else ""

    def versions(self, path: str, moment: float, since: float, later: bool) -> Iterator[str]:
        """Committed texts of a path: the ones before `moment` from the latest on, then (if
        asked) the ones after it.
        """
        existing = [v for v in self._history.versions.get(path, []) if v[0] >= since]
        before = [v for v in existing if not is_after(v[0], moment)]
        after = [v for v in existing if is_after(v[0], moment)]
        gone = [at for at in self._history.deletions.get(path, ()) if not is_after(at, moment)]
        if before and gone and max(gone) > before[-1][0]:
            yield ""  # deleted since
        for _, oid in [
            *before[::-1][: _GIT_VERSIONS - _LATER_VERSIONS],
            *(after[:_LATER_VERSIONS] if later else ()),
        ]:
            if (data := self._repo.blob(oid)) is not None:
                yield text_of(data, self._history.characters)

    def task(self, moment: float, root: str, directory: str, program: str, task: str) -> str | None:
        """The commands of a task of the project, from the version of its file that was committed
        last before `moment`.
        """
        if directory.startswith("/") and directory != root and not directory.startswith(root + "/"):
            return None  # of another project
        folder = directory.removeprefix(root).strip("/")
        for name in FILES.get(program, ()):
            path = f"{folder}/{name}".lstrip("/")
            existing = [
                version for version in self._history.versions.get(path, ()) if version[0] <= moment
            ]
            if not existing:
                continue
            # the same tasks run again and again, and each time the whole file would be parsed
            key = (existing[-1][1], name, task)
            if key not in self._tasks:
                data = self._repo.blob(key[0])
                if data is None:
                    continue
                self._tasks[key] = task_text(name, text_of(data), task)
            return self._tasks[key]
        return None

    def is_tracked(self, path: str, moment: float) -> bool:
        """Whether a commit before that moment holds the path."""
        return any(time < moment for time, _ in self._history.versions.get(path, ()))

    def is_committed(self, path: str, text: str, moment: float) -> bool:
        """Whether some object of the repository holds exactly this text in any encoding, other
        than by commits after `moment`.
        """
        texts = {
            text,
            text.removesuffix("\n"),
            crlf := text.replace("\n", "\r\n"),
            crlf.removesuffix("\r\n"),
        }
        marked = [f"{mark}{same}" for same, mark in product(texts, ("", "\ufeff"))]
        ids = {
            blob_id(same.encode(name, "replace"))
            for name in self._encodings(path, text)
            for same in marked
        }
        times = [time for time, oid in self._history.versions.get(path, ()) if oid in ids]
        if times:
            return not is_after(min(times), moment)
        return any(self._repo.has(oid) for oid in ids)

    def _encodings(self, path: str, text: str) -> Iterable[str]:
        """In which a text of this path may be kept: UTF-8 alone where its first and last version
        are.
        """
        if path not in self._unicode:
            oids = [oid for _, oid in self._history.versions.get(path, ())]
            texts = {
                oid: self._repo.content(oid).decode("utf-8", "replace")
                for oid in (*oids[:1], *oids[-1:])
            }
            self._unicode[path] = bool(oids) and all(
                blob_id(text.encode(), oid) == oid for oid, text in texts.items()
            )
        others = (
            "utf-16-le",
            "utf-16-be",
            *(() if text.isascii() or not self._history.characters else LEGACY),
        )
        return ("utf-8", *(() if self._unicode[path] else others))


def _size(files: Iterable[AddedFile]) -> int:
    """Characters, so that memory is bounded however large files are."""
    return sum(len(file.text) + len(file.before_text) for file in files)


@dataclass(frozen=True)  # without slots: the commits aside are kept
class DiffTexts:
    """Both versions of a changed file, and what the clone holds of it elsewhere."""

    repo: GitRepo
    history: CommitHistory

    def lines(self, file: FileDiff) -> list[str]:
        """The lines of the new version; [] for a deleted file."""
        return lines_of(self._text(file.change.new))

    def before(self, file: FileDiff) -> str:
        """The old version; "" when there is none."""
        return self._text(file.change.old)

    def elsewhere(self, file: FileDiff, moment: float, aside: bool = True) -> str:
        """The versions of the file by commits before `moment`, on any branch or pull request if
        `aside`, joined.
        """
        paths = {file.change.path, file.change.old_path or file.change.path}
        result = {
            oid
            for path in paths
            for time, oid in self.history.versions.get(path, ())
            if time < moment
        }
        earlier = [
            commit.sha for commit in (self.aside if aside else ()) if commit.author_time < moment
        ]
        result.update(
            oid
            for sha in earlier
            for path in paths
            if (oid := self.repo.file_at(sha, path)) is not None
        )
        return "\n".join(self._text(oid) for oid in sorted(result))

    @cached_property
    def aside(self) -> list[Commit]:
        """Commits of other branches, pull requests and the stash."""
        mine = {commit.sha for commit in self.history.commits}
        tips = {
            oid for ref, oid in self.repo.refs().items() if is_source(ref) or ref == "refs/stash"
        } - mine
        heads = [commit.sha for commit in self.history.commits[-1:]]
        return list(self.repo.history_of(sorted(tips), hide=heads))[-_MAX_ASIDE:] if tips else []

    def _text(self, oid: str | None) -> str:
        return text_of(self.repo.content(oid), self.history.characters) if oid is not None else ""


def text_at(repo: GitRepo, commit: str, path: str) -> str | None:
    """Text of a file of a commit; None when there is none, or it is binary or too large."""
    oid = repo.file_at(commit, path)
    data = repo.text_blob(oid) if oid else None
    return None if data is None or is_binary(data) else text_of(data)
