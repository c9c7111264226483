"""What a server says that it has: the one cheap question that is asked before anything is fetched."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from collector.discovery.github.git_server import GitServers, NoRefs, OldServer
from collector.discovery.github.limits import is_limit_text
from collector.discovery.github.patience import Clock, LimitReached, server_of
from collector.discovery.github.token import Token
from collector.discovery.github.transport import Web
from collector.discovery.mirrors.disk import lay_out
from collector.discovery.mirrors.refs import Advertised, WantedRefs, keep_wanted
from collector.discovery.mirrors.transfer import GitAccess, talk
from collector.errors import WhoWroteError
from collector.git.program import GitFailed
from collector.repository_names import GITHUB, is_oid

_LONGEST_WAIT = 900.0  # seconds that a server may ask us to wait; longer ones are for the next run
_KINDS = (
    ("disk_full", ("no space left", "disk quota", "file too large", "code -25")),
    ("refused", ("transport '", "protocol '", "is not allowed", "not allowed (")),
    ("damaged", ("repository corruption", "did not receive expected object", "unable to read ", "bad object", "missing blob",
                 "missing tree", "missing commit", "missing necessary objects", "not our ref")),
    ("gone", ("not found", "does not appear to be a git repository", "could not read username", "authentication failed",
              "access denied", "returned error: 401", "returned error: 404", "returned error: 410",
              "returned error: 451", "does not exist", "dmca")),
    ("unreachable", ("could not resolve", "failed to connect", "couldn't connect", "timed out", "timeout", "early eof",
                     "rpc failed",
                     "unexpected disconnect", "hung up", "returned error: 403", "returned error: 429", "returned error: 5",
                     "temporarily limiting", "connection", "ssl", "tls",
                     "operation too slow", "invalid index-pack", "index-pack died", "expected flush", "bad line length")),
)  # fmt: skip


class Failure(WhoWroteError):
    """Why a repository could not be fetched; `kind` is a state of FetchResult."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def kind_of(complaint: str) -> str:
    """What kind of failure git's words mean."""
    text = complaint.lower()
    return next((kind for kind, words in _KINDS if any(word in text for word in words)), "failed")


@dataclass(slots=True)
class Remote:
    """Asks servers; several threads may share one. The token is for `server` alone. `stop` ends all transfers."""

    token: Token | None = None
    server: str = GITHUB
    clock: Clock = field(default_factory=Clock)
    stop: threading.Event = field(default_factory=threading.Event)
    _servers: GitServers = field(init=False)

    def __post_init__(self) -> None:
        self.server = self.server.rstrip("/")
        self._servers = GitServers(
            _web(), self.clock, token=self.token, longest_wait=_LONGEST_WAIT, tries=1, server=self.server
        )  # once: a repository that fails is tried again as a whole

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
        refs = dict(served.refs.oids)
        oid = refs.pop("HEAD", "")
        if served.refs.head and oid:
            refs[served.refs.head] = oid
        return keep_wanted(served.refs.head or "", refs, wanted, served.url)

    def _ask_git(self, url: str) -> tuple[str, Mapping[str, str]]:
        with tempfile.TemporaryDirectory(prefix="whowrote-ask-") as folder:
            lay_out(Path(folder), url)
            try:
                listing = talk(Path(folder), ["ls-remote", "--symref", "origin"], self.access(url))
            except GitFailed as error:
                raise Failure(kind_of(str(error)), str(error)) from error
        return parse_listing(listing.decode("utf-8", "replace"))

    def access(self, url: str, settings: tuple[str, ...] = ()) -> GitAccess:
        """What git is allowed at an address: the protocol of the address alone, and the token of its server and no other."""
        headers = self._servers.authorization(url) if self.server.startswith("https://") else {}
        secrets = [(f"http.{self.server}/.extraHeader", f"Authorization: {value}") for value in headers.values()]
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


def parse_listing(listing: str) -> tuple[str, dict[str, str]]:
    """(branch of HEAD, name -> object id) of what `git ls-remote --symref` prints."""
    head, refs = "", {}
    for line in listing.split("\n"):
        left, tab, name = line.partition("\t")
        if left.startswith("ref: ") and name == "HEAD":
            head = left[5:]
        elif tab and is_oid(left) and name != "HEAD" and not name.endswith("^{}"):
            refs[name] = left
    return head, refs
