"""Files of commits that a pass does not walk through: before the window, or before a saved state.

In window mode such lines are simply older than the window. When a saved history goes on and a
branch is merged that forked before it was saved, `git blame` of the few files concerned says which
of the known origins they hold.
"""

from collections import OrderedDict

from attribution.lineage.files import Contents
from attribution.lineage.git_blame import Introduction, blame
from attribution.lineage.model import BEFORE, LineHistory, vector
from collector.git.program import GitFailed, ScratchGit
from collector.text import decode

Listing = dict[str, tuple[str, int]]  # path -> blob id, mode
_LISTINGS = 8
_BLOB = "blob"


class Outside:
    """Files of commits outside; in a window, all their lines are older."""

    def __init__(self, git: ScratchGit, contents: Contents) -> None:
        self._git = git
        self._contents = contents
        self._known: OrderedDict[str, Listing] = OrderedDict()

    def listing(self, sha: str) -> Listing:
        """All files of a commit."""
        files = self._known.get(sha)
        if files is None:
            files = self._known[sha] = list_files(self._git, sha) or {}
            if len(self._known) > _LISTINGS:
                self._known.popitem(last=False)
        return files

    def entry(self, sha: str, path: str) -> tuple[str, int] | None:
        """Blob id and mode of one file, without listing all files, which takes long where there
        are thousands.
        """
        files = self._known.get(sha)
        return files.get(path) if files is not None else self._contents.entry(sha, path)

    def vector(self, sha: str, path: str, oid: str) -> bytes:
        """Origins of the lines of a file in a commit."""
        return vector([BEFORE]) * self._contents.count(oid)[0]


class Blamed(Outside):
    """Outside lines are looked up among the origins of the saved history."""

    def __init__(self, git: ScratchGit, contents: Contents, saved: LineHistory) -> None:
        super().__init__(git, contents)
        self._origins = saved.origins
        self._shas = saved.shas
        self._tip = saved.tip
        self._state = dict(saved.state)  # as it was saved
        self._touched: dict[str, set[str] | None] = {}
        self._table: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        self._rows = 1
        self._vectors: dict[tuple[str, str], bytes] = {}

    def vector(self, sha: str, path: str, oid: str) -> bytes:
        saved = self._state.get(path)
        if saved is not None and saved.oid == oid and self._is_untouched(sha, path):
            return saved.vector
        cached = self._vectors.get((path, oid))
        if cached is None:
            cached = self._vectors[path, oid] = self._look_up(sha, path, oid)
        return cached

    def _is_untouched(self, sha: str, path: str) -> bool:
        """Whether no commit between an old one and the saved tip changed a path: then its lines
        are those of the tip.
        """
        if sha not in self._touched:
            args = [
                "log",
                "--format=",
                "--name-only",
                "-z",
                "--no-renames",
                "--diff-merges=first-parent",
            ]
            try:
                names = self._git.output([*args, self._tip, f"^{sha}"]).split(b"\0")
                self._touched[sha] = {decode(name.lstrip(b"\n")) for name in names}
            except GitFailed:
                self._touched[sha] = None
        touched = self._touched[sha]
        return touched is not None and path not in touched

    def _look_up(self, sha: str, path: str, oid: str) -> bytes:
        count = self._contents.count(oid)[0]
        if not count:
            return b""
        try:
            lines = blame(self._git, sha, path)
        except GitFailed:
            lines = []
        if len(lines) != count:
            self._contents.report(
                f"{sha}:{path}",
                "origins_unknown",
                "git blame gave no answer for a file of an old branch",
            )
            return super().vector(sha, path, oid)
        self._index()
        return vector(self._number(line) for line in lines)

    def _index(self) -> None:
        for origin, first, count in self._origins.hunks(range(self._rows, len(self._origins))):
            key = (self._shas[origin.commit], origin.path)
            self._table.setdefault(key, []).append((origin.line, first, count))
        self._rows = len(self._origins)

    def _number(self, line: Introduction) -> int:
        for start, first, count in self._table.get((line.sha, line.path), ()):
            if start <= line.line < start + count:
                return first + line.line - start
        return BEFORE


def list_files(git: ScratchGit, sha: str) -> Listing | None:
    """Path -> (blob id, mode) of a commit; None when one of its trees is missing."""
    try:
        data = git.output(["ls-tree", "-r", "-z", "--full-tree", sha])
    except GitFailed:
        return None
    files = {}
    for record in data.split(b"\0"):
        head, _, path = record.partition(b"\t")
        mode, kind, oid = head.decode("ascii").split(" ") if head else ("", "", "")
        if kind == _BLOB:
            files[decode(path)] = (oid, int(mode, 8))
    return files
