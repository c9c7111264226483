"""What a server says that it has: the one cheap question that is asked before anything is fetched.

And the git commands that bring objects into our mirrors, from servers that may be hostile.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from collector.checkpoints.entire import FETCH_ELSEWHERE, FETCH_MIRROR, PREFIXES, is_on_server
from collector.discovery.github.git_server import HTTP_AGENT, GitServers, NoRefs, OldServer
from collector.discovery.github.patience import Clock, LimitReached, Token, is_limit_text, server_of
from collector.discovery.github.transport import Web
from collector.discovery.mirrors.disk import lay_out
from collector.errors import WhoWroteError
from collector.git.program import GitFailed, clean_environment, git_found
from collector.hooks import plugins
from collector.json_values import Texts
from collector.repository_names import GITHUB, is_oid
from collector.runtime.bounds import current

# Heads of pull requests: on GitHub, Gitea and Forgejo, and what GitLab calls merge requests.
PULLS = ("refs/pull/", "refs/merge-requests/")
_UNSAFE = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)")
# Prefix of the checkpoints of another repository there -> in the mirror of the one that uses them.
_ELSEWHERE = dict(spec.lstrip("+").replace("*", "").split(":") for spec in FETCH_ELSEWHERE)


def note_names() -> tuple[str, ...]:
    """Names below `refs/notes/` that are worth fetching: of the tools whose records a plug-in
    reads.
    """
    formats = (each for plugin in plugins() for each in plugin.formats())
    return tuple(sorted({name for each in formats for name in each.notes}))


@dataclass(frozen=True)
class WantedRefs:
    """What of a repository is fetched beside its default branch and its checkpoints."""

    notes: tuple[str, ...] = field(default_factory=note_names)  # below refs/notes/
    pulls: bool = False  # heads of pull requests: they bring back trailers that a squash merge lost

    def prefixes(self) -> list[str]:
        """Refs that begin with one of these are asked for. The default branch comes with HEAD."""
        return [
            "HEAD",
            *PREFIXES,
            *(f"refs/notes/{name}" for name in self.notes),
            *(PULLS if self.pulls else ()),
        ]

    def includes(self, name: str, head: str) -> bool:
        if name == head or is_on_server(name):
            return True
        if name.startswith("refs/notes/"):
            return name.removeprefix("refs/notes/") in self.notes
        return self.pulls and name.startswith(PULLS) and name.endswith("/head")


@dataclass(frozen=True)
class Advertised:
    """What a server says that it has."""

    head: str = ""  # the branch that HEAD points to, refs/heads/…; "" in an empty repository
    refs: Texts = field(default_factory=dict)  # name -> object id, only what is wanted
    # the address that answered, another one than was asked when the repository was renamed
    url: str = ""

    def key(self) -> str:
        """Changes when anything that is wanted has moved."""
        lines = [f"HEAD {self.head}", *(f"{name} {oid}" for name, oid in sorted(self.refs.items()))]
        return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:32]

    def checkpoints(self) -> Texts:
        return {name: oid for name, oid in self.refs.items() if is_on_server(name)}


def keep_wanted(head: str, refs: Texts, wanted: WantedRefs, url: str) -> Advertised:
    """The wanted ones among the refs of a server; names that git would not accept are left out."""
    matches = {
        name: oid for name, oid in refs.items() if wanted.includes(name, head) and is_safe(name)
    }
    return Advertised(head if head in matches else "", matches, url)


def is_safe(name: str) -> bool:
    """A ref as git allows it (`git check-ref-format`), not to be taken for an option or a
    pattern.
    """
    return (
        name.startswith("refs/")
        and not _UNSAFE.search(name)
        and not name.endswith(("/", "."))
        and len(name) < 1000
    )


def elsewhere_name(name: str) -> str:
    """What a ref with checkpoints of another repository is called in the mirror."""
    prefix = next(prefix for prefix in _ELSEWHERE if name.startswith(prefix))
    return _ELSEWHERE[prefix] + name.removeprefix(prefix)


def is_elsewhere(name: str) -> bool:
    """Whether a ref of a mirror is one of another repository."""
    return name.startswith(tuple(_ELSEWHERE.values()))


def refspecs(remote: Advertised, wanted: WantedRefs) -> list[str]:
    """For git: everything that is wanted."""
    specs = [f"+{remote.head}:{remote.head}", *FETCH_MIRROR]
    specs += [f"+{name}:{name}" for name in sorted(remote.refs) if name.startswith("refs/notes/")]
    if wanted.pulls:
        for prefix in PULLS:
            if any(name.startswith(prefix) for name in remote.refs):
                specs.append(f"+{prefix}*/head:{prefix}*/head")
    return specs


_LONGEST_WAIT = 900.0  # seconds that a server may ask us to wait; longer ones are for the next run
_KINDS = (
    ("disk_full", ("no space left", "disk quota", "file too large", "code -25")),
    ("refused", ("transport '", "protocol '", "is not allowed", "not allowed (")),
    (
        "damaged",
        (
            "repository corruption",
            "did not receive expected object",
            "unable to read ",
            "bad object",
            "missing blob",
            "missing tree",
            "missing commit",
            "missing necessary objects",
            "not our ref",
        ),
    ),
    (
        "gone",
        (
            "not found",
            "does not appear to be a git repository",
            "could not read username",
            "authentication failed",
            "access denied",
            "returned error: 401",
            "returned error: 404",
            "returned error: 410",
            "returned error: 451",
            "does not exist",
            "dmca",
        ),
    ),
    (
        "unreachable",
        (
            "could not resolve",
            "failed to connect",
            "couldn't connect",
            "timed out",
            "timeout",
            "early eof",
            "rpc failed",
            "unexpected disconnect",
            "hung up",
            "returned error: 403",
            "returned error: 429",
            "returned error: 5",
            "temporarily limiting",
            "connection",
            "ssl",
            "tls",
            "operation too slow",
            "invalid index-pack",
            "index-pack died",
            "expected flush",
            "bad line length",
        ),
    ),
)


class Failure(WhoWroteError):
    """Why a repository could not be fetched; `kind` is a state of FetchResult."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def kind_of(complaint: str) -> str:
    """What kind of failure git's words mean."""
    text = complaint.lower()
    for kind, words in _KINDS:
        if any(word in text for word in words):
            return kind
    return "failed"


@dataclass
class Remote:
    """Asks servers; several threads may share one.

    The token is for `server` alone. `stop` ends all transfers.
    """

    token: Token | None = None
    server: str = GITHUB
    clock: Clock = field(default_factory=Clock)
    stop: threading.Event = field(default_factory=threading.Event)
    _servers: GitServers = field(init=False)

    def __post_init__(self) -> None:
        self.server = self.server.rstrip("/")
        # Once: a repository that fails is tried again as a whole.
        self._servers = GitServers(
            _web(),
            self.clock,
            token=self.token,
            longest_wait=_LONGEST_WAIT,
            tries=1,
            server=self.server,
        )

    def refs(self, url: str, wanted: WantedRefs) -> Advertised:
        """The wanted refs of a repository. Raises Failure."""
        if not url.startswith("file://"):
            try:
                return self._ask_http(url, wanted)
            except OldServer:
                pass  # git can ask it
            except NoRefs as error:
                words = f"{error}: removed, private or renamed" if error.gone else str(error)
                raise Failure("gone" if error.gone else "unreachable", words) from error
        return keep_wanted(*self._ask_git(url), wanted, url)

    def _ask_http(self, url: str, wanted: WantedRefs) -> Advertised:
        served = self._servers.refs(url.removesuffix("/"), wanted.prefixes())
        oid = served.oids.pop("HEAD", "")
        if served.head and oid:
            served.oids[served.head] = oid
        return keep_wanted(served.head or "", served.oids, wanted, served.url)

    def _ask_git(self, url: str) -> tuple[str, Texts]:
        with tempfile.TemporaryDirectory(prefix="whowrote-ask-") as folder:
            lay_out(Path(folder), url)
            try:
                listing = talk(Path(folder), ["ls-remote", "--symref", "origin"], self.access(url))
            except GitFailed as error:
                raise Failure(kind_of(str(error)), str(error)) from error
        return parse_listing(listing.decode("utf-8", "replace"))

    def access(self, url: str, settings: Sequence[str] = ()) -> GitAccess:
        """What git is allowed at an address: the protocol of the address alone, and the token of
        its server and no other.
        """
        headers = self._servers.authorization(url) if self.server.startswith("https://") else {}
        secrets = [
            (f"http.{self.server}/.extraHeader", f"Authorization: {value}")
            for value in headers.values()
        ]
        return GitAccess((url.partition(":")[0],), settings, secrets)

    def wait(self, url: str) -> None:
        """Before a transfer: until the server may be asked. Raises Failure."""
        try:
            self._servers.wait(server_of(url))
        except LimitReached as error:
            raise Failure("unreachable", str(error)) from error

    def note_complaint(self, url: str, complaint: str) -> None:
        """After a transfer that failed: words about a limit close the server for all threads."""
        if is_limit_text(complaint):
            self._servers.budgets.close(server_of(url), "secondary", {}, self.clock.now())


@cache
def _web() -> Web:
    """Connections of this process, kept from one repository to the next."""
    return Web()


def parse_listing(listing: str) -> tuple[str, Texts]:
    """(branch of HEAD, name -> object id) of what `git ls-remote --symref` prints."""
    head = ""
    refs = {}
    for line in listing.split("\n"):
        left, tab, name = line.partition("\t")
        if left.startswith("ref: ") and name == "HEAD":
            head = left[5:]
        elif tab and is_oid(left) and name != "HEAD" and not name.endswith("^{}"):
            refs[name] = left
    return head, refs


_POLL = 0.2  # seconds between two looks at a running transfer
_NETWORK = (
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GIT_SSL_CAINFO",
)
_TALKING = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.commitGraph=false",
    "credential.helper=",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    # a pack for each fetch: its growth can be watched, and a killed one leaves a single file behind
    "fetch.unpackLimit=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.lowSpeedLimit=1000",  # bytes per second
    "http.lowSpeedTime=60",
    "protocol.version=2",
    f"http.userAgent={HTTP_AGENT}",
)


class Stopped(GitFailed):
    """A transfer that the watcher ended."""


class GitAccess(NamedTuple):
    """What a git command is allowed, and with which settings."""

    protocols: Sequence[str] = ()  # these and no others
    settings: Sequence[str] = ()
    # settings that must not be seen in the list of processes
    secrets: Sequence[tuple[str, str]] = ()


def talk(
    directory: Path,
    args: Sequence[str],
    access: GitAccess,
    *,
    watch: Callable[[], str] = lambda: "",
    lock: int | None = None,
) -> bytes:
    """Runs a git command in a bare repository of ours; returns what it prints.

    `watch()` is asked five times a second for a reason to stop: then git and its helpers are
    killed, as they are at the deadline that holds. `lock` is a file descriptor
    that git keeps open as long as it runs, so that the lock outlives us if we are killed. Raises
    GitFailed with git's words, Stopped with the watcher's.
    """
    command = ["git", f"--git-dir={directory}", "--no-pager"]
    for setting in (*_TALKING, *access.settings):
        command += ["-c", setting]
    environment = clean_environment(directory) | {
        n: os.environ[n] for n in _NETWORK if n in os.environ
    }
    environment |= {
        "GIT_ALLOW_PROTOCOL": ":".join(access.protocols) or "none",
        "GIT_CONFIG_COUNT": str(len(access.secrets)),
    }
    for number, (key, value) in enumerate(access.secrets):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with git_found():
            process = subprocess.Popen(
                [*command, *args],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                cwd=directory,
                env=environment,
                start_new_session=True,  # a group of its own: its helpers end with it
                # a file that may not grow is an error in words, not the silent end of a helper
                restore_signals=False,
                pass_fds=() if lock is None else (lock,),
            )
        _attend(process, watch)
        errors.seek(0)
        complaint = errors.read(200_000).decode("utf-8", "replace")
        if process.returncode:
            raise GitFailed(
                _complaints(complaint) or f"git {args[0]} ended with code {process.returncode}"
            )
        output.seek(0)
        return output.read()


def _attend(process: subprocess.Popen[bytes], watch: Callable[[], str]) -> None:
    """Waits for the end, or makes it."""
    reason = ""
    deadline = current()
    try:
        while not reason:
            try:
                process.wait(min(_POLL, deadline.seconds_left()))
                return
            except subprocess.TimeoutExpired:
                reason = watch() or (
                    f"it took longer than {deadline.seconds:g} s" if deadline.has_passed else ""
                )
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            _await_group(process.pid)
    raise Stopped(reason)


def _await_group(group: int) -> None:
    """Helpers of a killed command may take a moment to go; what they were writing must be at
    rest before it is tidied up.
    """
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(0.1)


def _complaints(output: str) -> str:
    """Git's complaints without its progress, the most telling ones first, on one line."""
    lines = [line.strip() for line in output.replace("\r", "\n").splitlines()]
    grave = [line for line in lines if line.startswith(("fatal:", "error:", "remote: ", "ERR "))]
    return "; ".join(dict.fromkeys(grave or [line for line in lines if line][-1:]))[:1000]
