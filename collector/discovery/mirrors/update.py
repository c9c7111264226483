"""Brings the mirror of one repository up to date with `git fetch`; a mirror that is under its
name is complete.
"""

import errno
import shutil
import time
from dataclasses import dataclass, field

from collector.checkpoints.entire import FETCH_ELSEWHERE, SETTINGS, remote_setting
from collector.discovery.github.patience import find_token
from collector.discovery.mirrors import disk
from collector.discovery.mirrors.disk import Mirrors
from collector.discovery.mirrors.remote import (
    Advertised,
    Failure,
    GitAccess,
    Remote,
    Stopped,
    WantedRefs,
    elsewhere_name,
    is_elsewhere,
    kind_of,
    refspecs,
    talk,
)
from collector.errors import WhoWroteError
from collector.git.program import GitFailed
from collector.limits import SETTING_BYTES
from collector.repository_names import (
    BadName,
    RepositorySource,
    checked_name,
    moved_source,
    same_place,
    sibling_url,
    source,
)
from collector.runtime.bounds import Deadline, current, deadline_until
from collector.runtime.progress import Progress
from collector.storage.places import mirrors_directory
from collector.text import error_text

_FETCH = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--recurse-submodules=no",
    "--force",
    "--prune",
)
FSCK: tuple[str, ...] = ("fetch.fsckObjects=true", "transfer.fsckObjects=true")
_NO_SPACE = (errno.EFBIG, errno.ENOSPC, errno.EDQUOT)
# After a fetch git puts more than 50 packs together; what no ref reaches any more stays.
# Transcripts are large.
_HOUSEKEEPING = (
    "maintenance.auto=true",
    "gc.auto=1000000",
    "gc.autoPackLimit=50",
    "gc.autoDetach=false",
    "gc.pruneExpire=never",
    "gc.writeCommitGraph=false",
    "core.bigFileThreshold=32m",
    "pack.threads=1",
    "pack.windowMemory=256m",
)


@dataclass(frozen=True)
class FetchOptions:
    """What is fetched, and what one repository may cost."""

    wanted: WantedRefs = field(default_factory=WantedRefs)
    max_bytes: int = 20 << 30  # of the mirror
    seconds: float = 3600.0  # of all attempts together; 0 for no limit
    keep_free: int = 1 << 30  # bytes that stay free on the disk
    patience: float = 60.0  # seconds to wait for another run at the same mirror
    # seconds before a server that could not be reached is tried again
    pauses: tuple[float, ...] = (2.0, 10.0)


@dataclass
class FetchResult:
    """What became of one repository."""

    name: str
    url: str
    state: str = "failed"  # a word of mirrors.state, or moved
    path: str = ""
    bytes: int = 0  # of the mirror
    key: str = ""
    elsewhere: str = ""  # owner/name of the repository with its checkpoints
    checkpoint_refs: int = 0
    detail: str = ""
    address: str = ""  # of a moved one: where the server has it now
    same_as: str = ""  # of a moved one: the name that it has here
    news: str = ""  # what is to be said although it was fetched

    def is_usable(self) -> bool:
        return self.state in ("fetched", "unchanged", "empty")


def update_mirror(
    source: RepositorySource, mirrors: Mirrors, remote: Remote, options: FetchOptions
) -> FetchResult:
    """Makes or updates one mirror. What went wrong is in the result. Raises InUse.

    An old name never gets a mirror: the state is `moved`, and the repository is to be fetched at
    `address`. A mirror that was there before its repository was moved keeps its name, and is
    updated from where that is now.
    """
    result = FetchResult(source.name, source.url, path=str(mirrors.path(source.name)))
    with (
        mirrors.lock(source.name, options.patience) as lock,
        deadline_until(Deadline.from_now(options.seconds)) as deadline,
    ):
        for pause in (*options.pauses, None):
            _Update(source, mirrors, remote, options, lock, result).attempt()
            if result.state != "unreachable" or pause is None:
                break
            if pause >= deadline.seconds_left():
                result.state = "too_slow"
                result.detail = f"{result.detail} (--timeout)"
                break
            time.sleep(pause)
        result.bytes = disk.size_of(mirrors.path(source.name))
    return result


def mirror(address: str, progress: Progress) -> str:
    """Fetches the default branch, checkpoints and notes; returns the mirror's directory.

    Raises WhoWroteError, BadName, InUse.
    """
    repository = source(address)
    remote = Remote(find_token())
    mirrors = Mirrors(mirrors_directory())
    progress("fetching", 0, 0)
    result = update_mirror(repository, mirrors, remote, FetchOptions())
    if result.state == "moved":  # one mirror, whichever of its names is used
        result = update_mirror(moved_source(result.address), mirrors, remote, FetchOptions())
    if not result.is_usable():
        state = result.state.replace("_", " ")
        raise WhoWroteError(
            f"{result.url}: {state}: {result.detail}", "Check the address, or clone it with git"
        )
    return result.path


@dataclass
class _Update:
    """One update of one mirror, its lock held."""

    source: RepositorySource
    mirrors: Mirrors
    remote: Remote
    options: FetchOptions
    lock: int
    result: FetchResult

    def __post_init__(self) -> None:
        self.final = self.mirrors.path(self.source.name)
        self.path = self.final
        self.deadline = current()
        self.stopped = "failed"
        self.notes: list[str] = []

    def attempt(self) -> None:
        """Runs it; what went wrong is in the result, and nothing stays that is not to stay."""
        result = self.result
        try:
            self._run()
        except Failure as failure:
            result.state = failure.kind
            result.detail = str(failure)
        except Stopped as error:
            result.state = self.stopped
            result.detail = str(error)
        except GitFailed as error:
            result.state = kind_of(str(error))
            result.detail = str(error)
        except OSError as error:
            result.state = "disk_full" if error.errno in _NO_SPACE else "failed"
            result.detail = error_text(error)
        finally:
            if self.path != self.final:
                shutil.rmtree(self.path, ignore_errors=True)
            elif self.final.is_dir():
                disk.tidy(self.final)

    def _run(self) -> None:
        result = self.result
        has_mirror = self.final.is_dir()
        main = self.remote.refs(self.source.url, self.options.wanted)
        if not same_place(main.url, self.source.url) and not has_mirror:
            result.state = "moved"
            result.address = main.url
            result.detail = f"it is {main.url} now"
            return
        if has_mirror:
            self._follow(main)
        if not main.head:
            result.state = "empty"
            result.detail = "no branch on the server"
            return
        other = self._ask_elsewhere(main.url) if has_mirror else None
        if not has_mirror or not self._is_current(main, other):
            self._open(main)
            self._fetch(main.url, "origin", *refspecs(main, self.options.wanted))
            disk.set_head(self.path, main.head)
            if self.path != self.final:
                self.final.parent.mkdir(parents=True, exist_ok=True)
                self.path = self.path.rename(self.final)
            other = self._ask_elsewhere(main.url)
            if other is not None and other.refs:
                self._fetch(other.url, other.url, *FETCH_ELSEWHERE)
            result.state = "fetched"
        else:
            result.state = "unchanged"
        result.detail = "; ".join(self.notes)
        result.key = f"{main.key()}{other.key()[:8] if other is not None and other.refs else ''}"
        result.checkpoint_refs = len(main.checkpoints()) + (len(other.refs) if other else 0)

    def _follow(self, main: Advertised) -> None:
        """Takes over the address that the repository has now.

        From then on, who takes its old name does not take the mirror.
        """
        before = disk.url_of(self.final)
        if not same_place(before, main.url):
            if not same_place(before, self.source.url):
                raise Failure("failed", f"its mirror was made from another URL: {before}")
            self.result.news = f"it is {main.url} now, and keeps its name here"
        if before != main.url:
            disk.set_url(self.final, main.url)
        self.result.url = main.url

    def _ask_elsewhere(self, url: str) -> Advertised | None:
        """The refs of the repository with the checkpoints, if the settings name another one;
        None when it cannot be asked.
        """
        name = checkpoint_remote(self._settings())
        if not name or url.lower().removesuffix(".git").endswith(f"/{name.lower()}"):
            return Advertised()
        self.result.elsewhere = name
        try:
            address = sibling_url(url, name)
            there = self.remote.refs(address, WantedRefs(()))
        except (Failure, BadName) as error:
            self.notes.append(f"its checkpoints are in {name}: {error}")
            return None
        return Advertised("", there.checkpoints(), there.url)

    def _settings(self) -> bytes:
        """The settings of the producer on the default branch."""
        try:
            entry = self._talk("ls-tree", "-l", "HEAD", "--", SETTINGS).split()
            if len(entry) == 5 and entry[3].isdigit() and int(entry[3]) < SETTING_BYTES:
                return self._talk("cat-file", "blob", entry[2].decode())
        except GitFailed:
            pass  # no commit yet, or a file that the server lacks
        return b""

    def _is_current(self, main: Advertised, other: Advertised | None) -> bool:
        """Whether the mirror has what the servers have; what cannot be asked stays as it is."""
        lines = (
            self._talk("for-each-ref", "--format=%(refname) %(objectname)")
            .decode("utf-8", "replace")
            .splitlines()
        )
        refs = dict(line.rsplit(" ", 1) for line in lines)
        expected = dict(main.refs)
        if other is not None:
            expected |= {elsewhere_name(name): oid for name, oid in other.refs.items()}
        wanted = self.options.wanted
        actual = {
            name: oid
            for name, oid in refs.items()
            if wanted.includes(name, main.head) or (is_elsewhere(name) and other is not None)
        }
        return (
            actual == expected
            and (self.final / "HEAD").read_text("utf-8").strip() == f"ref: {main.head}"
        )

    def _open(self, main: Advertised) -> None:
        if self.final.is_dir():
            disk.tidy(self.final)
        else:
            self.path = self.mirrors.incoming(self.source.name)
            disk.lay_out(self.path, main.url, len(main.refs[main.head]) == 64, self.source.name)

    def _fetch(self, url: str, *arguments: str) -> None:
        """Fetches; again without what old or damaged repositories fail at.

        Raises GitFailed, Failure.
        """
        options = ["--no-filter"]
        settings = FSCK
        for _ in range(3):
            try:
                self._transfer(url, [*_FETCH, *options, *arguments], settings)
                return
            except Stopped:
                raise
            except GitFailed as error:
                if settings and ("fsck" in str(error).lower() or "malformed" in str(error)):
                    # Old histories have objects that git would not write today. They are only read
                    # here.
                    settings = ()
                    self.notes.append(f"kept although fsck complains: {error}"[:300])
                elif options == ["--no-filter"] and kind_of(str(error)) == "damaged":
                    options = ["--filter=blob:limit=4m"]
                    self.notes.append(
                        f"without files over 4 MiB: the server lacks objects: {error}"[:300]
                    )
                else:
                    raise
                disk.tidy(self.path)

    def _transfer(self, url: str, arguments: list[str], settings: tuple[str, ...]) -> None:
        self.remote.wait(url)
        try:
            talk(
                self.path,
                arguments,
                self.remote.access(url, _HOUSEKEEPING + settings),
                watch=self._watch,
                lock=self.lock,
            )
        except GitFailed as error:
            self.remote.note_complaint(url, str(error))
            raise
        if reason := self._watch():  # git was quicker than the watcher
            raise Stopped(reason)

    def _talk(self, *arguments: str) -> bytes:
        """Asks git about the mirror, without any network."""
        return talk(self.path, arguments, GitAccess(), lock=self.lock)

    def _watch(self) -> str:
        """Why the transfer is to end; "" as long as it may go on."""
        options = self.options
        if self.remote.stop.is_set():
            return "interrupted"
        if self.deadline.has_passed:
            self.stopped = "too_slow"
            return f"it took longer than {options.seconds:.0f} s (--timeout)"
        if disk.size_of(self.path / "objects") > options.max_bytes:
            self.stopped = "too_large"
            return f"it is larger than {options.max_bytes} bytes (--max-size)"
        if disk.free_space(self.path) < options.keep_free:
            self.stopped = "disk_full"
            return f"less than {options.keep_free} bytes are free on the disk"
        return ""


def checkpoint_remote(settings: bytes) -> str:
    """owner/name of the repository that the settings name as the place of the checkpoints; ""
    for none or an unusable name.
    """
    setting = remote_setting(settings)
    try:
        if setting:
            return checked_name(setting.repository)
        return ""
    except BadName:
        return ""
