"""Puts the mirror of one repository up to date: history whole, checkpoints without their large files, transcripts when wanted.

Every step leaves a usable mirror; the file that says "complete" is written last. Transcripts are nearly all of the bytes of a
checkpoint branch, so they come last, in one batch, and only when they are wanted (27 times fewer bytes without them).
"""

from __future__ import annotations

import errno
import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from collector.checkpoints import is_checkpoint_ref, read_all
from collector.checkpoints.entire import (
    FETCH_ELSEWHERE,
    FETCH_MIRROR,
    SETTINGS,
    is_on_server,
    remote_setting,
)
from collector.deadline import Deadline, current, until
from collector.errors import UnknownBranch
from collector.fetching import disk, refs
from collector.fetching.disk import Mirrors, State
from collector.fetching.refs import Advertised, WantedRefs
from collector.fetching.remote import Failure, Remote, kind_of
from collector.git.program import GitAccess, GitFailed, ScratchGit, Stopped, talk
from collector.git.repository import GitRepo
from collector.repository_names import BadName, RepositorySource, beside, checked_name, is_oid, same_place

FILTER = "--filter=blob:limit=64k"
_FETCH = (
    "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no", "--force",
)  # fmt: skip
_FSCK = ("fetch.fsckObjects=true", "transfer.fsckObjects=true")
_MAX_SETTINGS = 1_000_000
_NO_SPACE = (errno.EFBIG, errno.ENOSPC, errno.EDQUOT)
_NOT_THERE = re.compile(r"not our ref ([0-9a-f]{40,64})")
_MOST_PACKS = 50  # then a mirror's packs are put together, as git's own housekeeping would
_PACKING = ("core.bigFileThreshold=32m", "pack.threads=1", "pack.windowMemory=256m")  # transcripts are large
_ROUNDS = 500  # batches tried without the objects that the server turned out not to have


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one repository may cost."""

    bytes: int = 20 << 30  # size of the mirror
    seconds: float = 3600.0
    free: int = 1 << 30  # bytes that stay free on the disk
    source: str = "--max-size"  # where `bytes` is from


@dataclass(frozen=True, slots=True)
class FetchOptions:
    wanted: WantedRefs = field(default_factory=WantedRefs)
    transcripts: str = "all"  # all, last (the longest copy of each session), none
    protocols: tuple[str, ...] = ("https",)
    limits: FetchLimits = field(default_factory=FetchLimits)
    fsck: bool = True
    patience: float = 60.0  # seconds to wait for another run at the same mirror
    pauses: tuple[float, ...] = (2.0, 10.0)  # seconds before a server that could not be reached is tried again


@dataclass(slots=True)
class FetchResult:
    """What became of one repository."""

    name: str
    url: str
    state: str  # fetched, unchanged, empty, moved, gone, unreachable, too_large, too_slow, refused, disk_full, failed
    path: str = ""
    bytes: int = 0  # of the mirror
    received: int = 0  # bytes by which its packs grew
    checks: int = 0  # times a server was asked for its refs
    transfers: int = 0  # times objects were asked for
    seconds: float = 0.0
    key: str = ""
    elsewhere: str = ""
    checkpoint_refs: int = 0
    missing: int = 0  # large files of checkpoints that were left out
    detail: str = ""
    address: str = ""  # where the server has it now, when that is another place than `url`
    same_as: str = ""  # of a moved one: the name that it has here
    news: str = ""  # what is to be said although it was fetched

    def ok(self) -> bool:
        return self.state in ("fetched", "unchanged", "empty")


def update_mirror(source: RepositorySource, mirrors: Mirrors, remote: Remote, options: FetchOptions) -> FetchResult:
    """Makes or updates one mirror. What went wrong is in the result. All attempts together have the time of one. Raises InUse.

    An old name never gets a mirror: the state is `moved`, and the repository is to be fetched at `address`. A mirror that was there
    before its repository was moved stays, and is updated from where that is now.
    """
    started = time.monotonic()
    done = FetchResult(source.name, source.url, "failed", str(mirrors.path(source.name)))
    with mirrors.lock(source.name, options.patience) as lock, until(Deadline.after(options.limits.seconds)) as deadline:
        for pause in (*options.pauses, None):
            _attempt(_Work(source, mirrors, remote, options, lock, done), done)
            if done.state != "unreachable" or pause is None:
                break
            if pause >= deadline.left():
                done.state, done.detail = "too_slow", f"{done.detail} (--max-time)"
                break
            time.sleep(pause)
        done.bytes = disk.size_of(mirrors.path(source.name))
    done.seconds = round(time.monotonic() - started, 3)
    return done


def _attempt(work: _Work, done: FetchResult) -> None:
    try:
        work.run()
    except Failure as failure:
        done.state, done.detail = failure.kind, str(failure)
    except Stopped as error:
        done.state, done.detail = work.stopped, str(error)
    except GitFailed as error:
        done.state, done.detail = kind_of(str(error)), str(error)
    except OSError as error:
        done.state = "disk_full" if error.errno in _NO_SPACE else "failed"
        done.detail = f"{type(error).__name__}: {error}"
    finally:
        work.end()


class _Work:
    """One update of one mirror, its lock held."""

    def __init__(
        self, source: RepositorySource, mirrors: Mirrors, remote: Remote, options: FetchOptions, lock: int, done: FetchResult
    ) -> None:
        self.source, self.mirrors, self.remote, self.options, self.lock, self.done = source, mirrors, remote, options, lock, done
        self.final = mirrors.path(source.name)
        self.path = self.final
        self.deadline = current()
        self.stopped = "failed"
        self.state = State()
        self.notes: list[str] = []
        self.moved: dict[str, str] = {}  # address -> where the server has the repository now

    def run(self) -> None:
        own, other = self._look()
        if self.done.address and not self.final.is_dir():
            self.done.state, self.done.detail = "moved", f"it is {self.done.address} now"
            return
        key = self._key(own, other)
        self.done.key = key
        if self.state.key == key and self._enough():
            self.done.state, self.done.elsewhere, self.done.detail = "unchanged", self.state.elsewhere, self.state.note
            self.done.checkpoint_refs, self.done.missing = self.state.checkpoint_refs, self.state.missing
            return
        if not own.head:
            self.done.state, self.done.detail = "empty", "no branch on the server"
            return
        self._open(own)
        self._history(own)
        self._checkpoints(own)
        elsewhere = self._settle_elsewhere(own)
        if elsewhere != self.state.elsewhere:
            other = self._ask_elsewhere(elsewhere)
        self._checkpoints_of(elsewhere, other)
        self.done.elsewhere = elsewhere
        self.done.missing = self._transcripts(other)
        if not self.done.missing:
            self._complete()
        note = "; ".join([*self.state.lasting, *self.notes])
        self.done.key, self.done.elsewhere, self.done.state, self.done.detail = self._key(own, other), elsewhere, "fetched", note
        self.done.checkpoint_refs = len(own.checkpoints()) + len(other.checkpoints())
        state = State(self.source.url, self.done.key, self.options.transcripts, elsewhere, note, self.state.lasting)
        state.checkpoint_refs, state.missing, state.address = self.done.checkpoint_refs, self.done.missing, self.done.address
        disk.save_state(self.path, state)
        self._put_together()

    def end(self) -> None:
        """Removes what is not to stay."""
        if self.path != self.final:
            shutil.rmtree(self.path, ignore_errors=True)
        elif self.final.is_dir():
            disk.tidy(self.final)

    # --- what is there --------------------------------------------------------------------------------------------

    def _look(self) -> tuple[Advertised, Advertised]:
        """The refs of the repository, and of the one with its checkpoints."""
        if self.final.is_dir():
            self.state = disk.load_state(self.final)
        if self.state.url and not same_place(self.state.url, self.source.url):
            raise Failure("failed", f"its mirror was made from another URL: {self.state.url}")
        own = self._own()
        self.done.address = "" if same_place(own.url, self.source.url) else own.url
        if self.done.address != self.state.address and self.final.is_dir():
            self.state = replace(self.state, url=self.source.url, address=self.done.address)
            disk.save_state(self.final, self.state)
        return own, self._ask_elsewhere(self.state.elsewhere)

    def _own(self) -> Advertised:
        """The refs of the repository, wherever it is now: who takes its old name ends the redirect to it."""
        before, direct = self.state.address, None
        try:
            direct = self._ask(self.source.url)
        except Failure as failure:
            if not before or failure.kind != "gone":
                raise
        if direct is not None and (not before or not same_place(direct.url, self.source.url)):
            return direct
        there = self._ask(before)
        if direct is not None and same_place(there.url, self.source.url):  # it was given its old name again
            self.moved.clear()
            return direct
        self.moved[self.source.url] = there.url
        self.notes.append("its old address is that of another repository" if direct is not None else "its old address is gone")
        return there

    def _ask(self, url: str) -> Advertised:
        self.done.checks += 1
        found = self.remote.refs(url, self.options.wanted, self.options.protocols)
        if found.url != url:
            self.moved[url] = found.url
        return found

    def _ask_elsewhere(self, name: str) -> Advertised:
        if not name:
            return Advertised()
        try:
            found = self._ask(beside(self.source.url, self.source.name, name))
        except (Failure, BadName) as error:
            self.notes.append(f"its checkpoints are in {name}: {error}")
            return Advertised()
        return Advertised("", {n: oid for n, oid in found.refs.items() if is_on_server(n)})

    def _key(self, own: Advertised, other: Advertised) -> str:
        return f"{own.key()}{other.key()[:8] if other.refs else ''}"

    def _enough(self) -> bool:
        order = ("", "none", "last", "all")
        return order.index(self.state.transcripts) >= order.index(self.options.transcripts)

    # --- steps ----------------------------------------------------------------------------------------------------

    def _open(self, own: Advertised) -> None:
        if self.final.is_dir():
            disk.tidy(self.final)
            disk.set_url(self.final, self.source.url)
            return
        self.path = self.mirrors.incoming(self.source.name)
        disk.lay_out(self.path, self.source.url, len(own.refs[own.head]) == 64, self.source.name)

    def _history(self, own: Advertised) -> None:
        """Default branch, notes and pull requests, whole; then the mirror is there."""
        specs = refs.main_specs(own, self.options.wanted)
        try:
            self._fetch("--no-filter", "--prune", "origin", *specs)
        except Stopped:
            raise
        except GitFailed as error:
            if kind_of(str(error)) != "damaged":
                raise
            self._remember("without files over 4 MiB: the server lacks objects", error)
            disk.tidy(self.path)
            self._fetch("--filter=blob:limit=4m", "--prune", "origin", *specs)
        disk.set_head(self.path, own.head)
        if self.path != self.final:
            self.final.parent.mkdir(parents=True, exist_ok=True)
            if self.state.lasting:
                disk.save_state(self.path, self.state)
            self.path.rename(self.final)
            self.path = self.final

    def _checkpoints(self, own: Advertised) -> None:
        if own.checkpoints() or any(map(is_on_server, GitRepo(self.path).refs())):
            self._fetch(FILTER, "--prune", "origin", *FETCH_MIRROR)

    def _settle_elsewhere(self, own: Advertised) -> str:
        """owner/name of the repository that the settings name as the place of the checkpoints; '' when it is this one."""
        repo = GitRepo(self.path)
        try:
            oid = repo.file_at(repo.default_branch().sha, SETTINGS)
        except UnknownBranch:
            return ""
        name = checkpoint_remote(repo.blob(oid) if oid and (repo.blob_size(oid) or 0) < _MAX_SETTINGS else None)
        now = self.done.address.lower().removesuffix(".git")
        return "" if name.lower() == self.source.name.lower() or now.endswith(f"/{name.lower()}") else name

    def _checkpoints_of(self, name: str, other: Advertised) -> None:
        if name and other.refs:
            self._fetch(FILTER, "--prune", beside(self.source.url, self.source.name, name), *FETCH_ELSEWHERE)

    def _transcripts(self, other: Advertised) -> int:
        """Brings the large files of checkpoints that are wanted, from where their checkpoint is; returns how many stay away."""
        missing = missing_objects(self.path)
        if not missing or self.options.transcripts == "none":
            return len(missing)
        wanted = missing if self.options.transcripts == "all" else last_copies(self.path) & missing
        if other.refs and (foreign := wanted & missing_objects(self.path, _is_elsewhere)):
            self._batch(beside(self.source.url, self.source.name, self.done.elsewhere), foreign)
        if own := wanted & missing_objects(self.path, is_on_server):
            self._batch("origin", own)
        return len(missing_objects(self.path))

    def _batch(self, url: str, wanted: set[str]) -> None:
        """Objects by their ids, in one batch; again without those that the server does not have."""
        absent: set[str] = set()
        for _ in range(_ROUNDS):
            stdin = "".join(f"{oid}\n" for oid in sorted(wanted - absent)).encode()
            try:
                if stdin:
                    self._fetch("--filter=blob:none", "--stdin", url, stdin=stdin, settings=("fetch.negotiationAlgorithm=noop",))
                break
            except Stopped:
                raise
            except GitFailed as error:
                found = set(_NOT_THERE.findall(str(error))) & wanted
                if not found:
                    raise
                absent |= found
        if absent:
            self.notes.append(f"{len(absent)} large files of checkpoints are not on the server")

    def _complete(self) -> None:
        """Nothing is missing: the mirror is an ordinary repository."""
        for marker in self.path.glob("objects/pack/*.promisor"):
            marker.unlink()
        config = (self.path / "config").read_text("utf-8", "replace")
        disk.configure(self.path, self.source.url, "objectformat" in config, name=self.source.name)

    def _put_together(self) -> None:
        """One pack of many: every fetch adds some. Nothing is lost when it fails or is killed, and the next update tries again.

        A mirror that lacks objects on purpose gets a pack with the promise of them, which git makes only without `-k`; the others
        keep what no ref reaches any more as well.
        """
        packs = list(self.path.glob("objects/pack/*.pack"))
        size, limits = self._packs(), self.options.limits
        if len(packs) <= _MOST_PACKS or 2 * size > limits.bytes or disk.free_space(self.path) - size < limits.free:
            return
        partial = any(self.path.glob("objects/pack/*.promisor"))
        try:
            command = ["repack", "-q", "-a", "-d", *([] if partial else ["-k"])]
            talk(self.path, command, GitAccess(settings=_PACKING), watch=self._watch, lock=self.lock)
        except GitFailed as error:
            disk.tidy(self.path)
            self.done.detail = "; ".join(filter(None, (self.done.detail, f"{len(packs)} packs were not repacked: {error}")))[:500]

    # --- git ------------------------------------------------------------------------------------------------------

    def _fetch(self, *args: str, stdin: bytes = b"", settings: Sequence[str] = ()) -> None:
        before = self._packs()
        self.done.transfers += 1
        try:
            self._talk([*_FETCH, *args], stdin, [*settings, *(_FSCK if self.options.fsck else ())])
        except Stopped:
            raise
        except GitFailed as error:
            if not (self.options.fsck and "fsck" in str(error).lower()) and "malformed" not in str(error):
                raise
            # Old histories have objects that git would not write today. They are only read here, so they are taken, and noted.
            self._remember("kept although fsck complains", error)
            disk.tidy(self.path)
            self.done.transfers += 1
            self._talk([*_FETCH, *args], stdin, settings)
        finally:
            self.done.received += max(0, self._packs() - before)

    def _remember(self, what: str, error: GitFailed) -> None:
        """Notes what later updates will not meet again, at once: this one may be killed."""
        if not any(note.startswith(what) for note in self.state.lasting):
            self.state = replace(self.state, url=self.source.url, lasting=[*self.state.lasting, f"{what}: {error}"[:300]])
            if self.path == self.final:
                disk.save_state(self.path, self.state)

    def _talk(self, args: Sequence[str], stdin: bytes, settings: Sequence[str]) -> None:
        moved = [(f"url.{new}.insteadOf", old) for old, new in self.moved.items()]
        access = GitAccess(self.options.protocols, settings, [*self.remote.secrets(self.source.url), *moved])
        self.remote.wait(self.source.url)
        try:
            talk(self.path, args, access, stdin=stdin, watch=self._watch, lock=self.lock)
        except GitFailed as error:
            self.remote.heard(self.source.url, str(error))
            raise
        if reason := self._watch():  # it was quicker than the watcher
            raise Stopped(reason)

    def _packs(self) -> int:
        return disk.size_of(self.path / "objects")

    def _watch(self) -> str:
        limits = self.options.limits
        if self.deadline.passed:
            self.stopped = "too_slow"
            return f"it took longer than {limits.seconds:.0f} s (--max-time)"
        if self._packs() > limits.bytes:
            self.stopped = "too_large"
            return f"it is larger than {limits.bytes} bytes ({limits.source})"
        if disk.free_space(self.path) < limits.free:
            self.stopped = "disk_full"
            return f"less than {limits.free} bytes are free on the disk (--keep-free)"
        return ""


# --- what is missing --------------------------------------------------------------------------------------------------


def _is_elsewhere(name: str) -> bool:
    return is_checkpoint_ref(name) and not is_on_server(name)


def missing_objects(path: Path, which: Callable[[str], bool] = is_checkpoint_ref) -> set[str]:
    """Objects that the checkpoints of a mirror refer to and that it does not have; `which`: of these refs."""
    repo = GitRepo(path)
    found = repo.refs()
    tips = {oid for name, oid in found.items() if which(name)}
    if not tips:
        return set()
    rest = {oid for name, oid in found.items() if name.startswith("refs/heads/") and not is_checkpoint_ref(name)}
    stdin = "".join([*(f"{oid}\n" for oid in sorted(tips)), *(f"^{oid}\n" for oid in sorted(rest - tips))]).encode()
    with ScratchGit(repo.common_dir() / "objects", sha256=repo.sha256) as git:
        lines = git.output(["rev-list", "--objects", "--missing=print", "--stdin"], stdin).decode("ascii", "replace").split("\n")
    return {line[1:] for line in lines if line.startswith("?") and is_oid(line[1:])}


def last_copies(path: Path) -> set[str]:
    """Large files of the last copy of each session, which nearly always contains the ones before it."""
    latest: dict[str, tuple[float, set[str]]] = {}
    for checkpoint in read_all(GitRepo(path)):
        for record in checkpoint.sessions:
            when = record.created_at or checkpoint.created_at or 0.0
            if record.transcript and when >= latest.get(record.session_id, (-1.0, set()))[0]:
                latest[record.session_id] = (when, {*record.transcript, *([record.compact] if record.compact else [])})
    return {oid for _, oids in latest.values() for oid in oids}


def checkpoint_remote(settings: bytes | None) -> str:
    """owner/name of the repository that the settings name as the place of the checkpoints; '' for none or an unusable name."""
    named = remote_setting(settings)
    try:
        return checked_name(named.repository) if named is not None else ""
    except BadName:
        return ""


__all__ = ["FetchLimits", "FetchOptions", "FetchResult", "checkpoint_remote", "last_copies", "missing_objects", "update_mirror"]
