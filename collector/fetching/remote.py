"""What a server says that it has: the one cheap question that is asked before anything is fetched."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from collector.errors import WhoWroteError
from collector.fetching.disk import lay_out
from collector.fetching.refs import Advertised, WantedRefs, advertised, prefixes
from collector.git.program import GitAccess, GitFailed, talk
from collector.github.client import Clock
from collector.github.git_server import GitServers, NoRefs
from collector.github.limits import is_limit_text
from collector.github.pauses import Pauses, SharedPauses
from collector.github.token import Token
from collector.github.transport import Web
from collector.repository_names import is_oid

_LONGEST = 900.0  # seconds that a server may ask us to wait; longer ones are for the next run

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
    """Why a repository could not be fetched; `kind` is a state of `Fetched`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def kind_of(complaint: str) -> str:
    """What kind of failure git's words mean."""
    text = complaint.lower()
    return next((kind for kind, words in _KINDS if any(word in text for word in words)), "failed")


class Remote:
    """Asks servers. A token, if there is one, is for `server` alone. `pauses`: a directory that all workers share."""

    def __init__(
        self, token: str = "", server: str = "https://github.com", pauses: Path | None = None, clock: Clock | None = None
    ) -> None:
        self._server = server.rstrip("/")
        self._servers = GitServers(
            _web(),
            clock or Clock(),
            token=Token("given", token) if token else None,
            server=self._server,
            pauses=SharedPauses(directory=pauses) if pauses is not None else Pauses(),
            longest_wait=_LONGEST,
            tries=1,  # a repository that fails is tried again as a whole
        )

    def refs(self, url: str, wanted: WantedRefs, protocols: tuple[str, ...]) -> Advertised:
        """The wanted refs of a repository. Raises Failure."""
        scheme = url.partition(":")[0]
        if scheme not in protocols:
            raise Failure("refused", f"{scheme} is not among the allowed protocols: {', '.join(protocols)}")
        head, refs, address = (scheme in ("https", "http") and self._by_http(url, wanted)) or (*self._by_git(url, protocols), url)
        return replace(advertised(head, refs, wanted), url=address)

    def _by_http(self, url: str, wanted: WantedRefs) -> tuple[str, Mapping[str, str], str] | None:
        """One request that names the refs; None when the server does not say what HEAD points to, as one of plain files."""
        try:
            served = self._servers.refs(url.removesuffix("/"), prefixes(wanted))
        except NoRefs as error:
            if error.gone:
                raise Failure("gone", f"{error}: removed, private or renamed") from error
            raise Failure("unreachable", str(error)) from error
        if served.protocol < 2 and not served.refs.head:
            return None
        found = served.refs
        refs = {name: oid for name, oid in found.oids.items() if name != "HEAD"}
        if found.head and "HEAD" in found.oids:
            refs[found.head] = found.oids["HEAD"]
        return found.head or "", refs, served.url

    def secrets(self, url: str) -> list[tuple[str, str]]:
        """Settings with the token for git, of the server it belongs to and no other."""
        given = self._servers.authorization(url) if self._server.startswith("https://") else {}
        return [(f"http.{self._server}/.extraHeader", f"Authorization: {value}") for value in given.values()]

    def wait(self, url: str) -> None:
        """Before a transfer: until the server may be asked. Raises Failure."""
        try:
            self._servers.wait(url)
        except NoRefs as error:
            raise Failure("unreachable", str(error)) from error

    def heard(self, url: str, complaint: str) -> None:
        """After a transfer that failed: words about a limit close the server for all processes."""
        if is_limit_text(complaint):
            self._servers.limited(url)

    def _by_git(self, url: str, protocols: tuple[str, ...]) -> tuple[str, Mapping[str, str]]:
        with tempfile.TemporaryDirectory(prefix="whowrote-ask-") as place:
            lay_out(Path(place), url)
            try:
                said = talk(Path(place), ["ls-remote", "--symref", "origin"], GitAccess(protocols, secrets=self.secrets(url)))
            except GitFailed as error:
                raise Failure(kind_of(str(error)), str(error)) from error
        return parsed(said.decode("utf-8", "replace"))


@cache
def _web() -> Web:
    """Connections of this process, kept from one repository to the next."""
    return Web()


def parsed(said: str) -> tuple[str, dict[str, str]]:
    """(branch of HEAD, name -> object id) of what `git ls-remote --symref` prints."""
    head, found = "", {}
    for line in said.split("\n"):
        left, tab, name = line.partition("\t")
        if left.startswith("ref: ") and name == "HEAD":
            head = left[5:]
        elif tab and is_oid(left) and name != "HEAD" and not name.endswith("^{}"):
            found[name] = left
    return head, found
