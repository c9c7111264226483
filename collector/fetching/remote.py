"""What a server says that it has: the one cheap question that is asked before anything is fetched."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from collector.errors import WhoWroteError
from collector.fetching.disk import lay_out
from collector.fetching.refs import Advertised, WantedRefs, advertised, prefixes
from collector.git.pktline import BadProtocol, ServerSays, ls_refs_request, parse_ls_refs
from collector.git.program import GitAccess, GitFailed, talk
from collector.github.transport import HttpResponse, Unreachable, Web
from collector.repository_names import is_oid

_GONE = (401, 403, 404, 410, 451)
_MOST = 256 << 20  # bytes of refs
_PATIENCE, _LONGEST = 4, 120  # times and seconds that a server may ask us to wait

_KINDS = (
    ("disk_full", ("no space left", "disk quota", "file too large", "code -25")),
    ("refused", ("transport '", "protocol '", "is not allowed", "not allowed (")),
    ("damaged", ("repository corruption", "did not receive expected object", "unable to read ", "bad object", "missing blob",
                 "missing tree", "missing commit", "missing necessary objects", "not our ref")),
    ("gone", ("not found", "does not appear to be a git repository", "could not read username", "authentication failed",
              "access denied", "returned error: 401", "returned error: 403", "returned error: 404", "returned error: 410",
              "returned error: 451", "does not exist", "dmca")),
    ("unreachable", ("could not resolve", "failed to connect", "couldn't connect", "timed out", "timeout", "early eof",
                     "rpc failed",
                     "unexpected disconnect", "hung up", "returned error: 429", "returned error: 5", "connection", "ssl", "tls",
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
    """Asks servers. A token, if there is one, is for `server` alone."""

    def __init__(self, token: str = "", server: str = "https://github.com") -> None:
        self._token, self._server = token, server.rstrip("/") + "/"

    def refs(self, url: str, wanted: WantedRefs, protocols: tuple[str, ...]) -> Advertised:
        """The wanted refs of a repository. Raises Failure."""
        scheme = url.partition(":")[0]
        if scheme not in protocols:
            raise Failure("refused", f"{scheme} is not among the allowed protocols: {', '.join(protocols)}")
        found = self._by_ls_refs(url, wanted) if scheme in ("https", "http") else None
        head, refs = found or self._by_git(url, protocols)
        return advertised(head, refs, wanted)

    def _by_ls_refs(self, url: str, wanted: WantedRefs) -> tuple[str, Mapping[str, str]] | None:
        """One request that names the refs; None when the server does not understand it."""
        try:
            answer = self._ask(url, ls_refs_request(prefixes(wanted)))
            if answer.status in _GONE:
                raise Failure("gone", f"the server answered {answer.status}: removed, private or renamed")
            if answer.status >= 429:
                raise Failure("unreachable", f"the server answered {answer.status}")
            if answer.status != 200:
                return None
            said = parse_ls_refs([answer.body])
        except Unreachable as error:
            raise Failure("unreachable", str(error)) from error
        except (BadProtocol, ServerSays):
            return None
        refs = {name: oid for name, oid in said.oids.items() if name != "HEAD"}
        if said.head and "HEAD" in said.oids:
            refs[said.head] = said.oids["HEAD"]
        return said.head or "", refs

    def _ask(self, url: str, body: bytes) -> HttpResponse:
        headers = {"Git-Protocol": "version=2", "Content-Type": "application/x-git-upload-pack-request"}
        for _, secret in self.secrets(url):
            headers["Authorization"] = secret.partition(": ")[2]
        for _ in range(_PATIENCE):
            answer = _web().send("POST", f"{url}/git-upload-pack", headers, body, _MOST)
            after = answer.headers.get("retry-after", "")
            if answer.status not in (403, 429, 503) or not after.isdigit() or int(after) > _LONGEST:
                break
            time.sleep(int(after))
        return answer

    def secrets(self, url: str) -> list[tuple[str, str]]:
        """Settings with the token for git, of the server it belongs to and no other."""
        if not self._token or not self._server.startswith("https://") or not url.startswith(self._server):
            return []
        import base64

        value = base64.b64encode(f"x-access-token:{self._token}".encode()).decode()
        return [(f"http.{self._server}.extraHeader", f"Authorization: Basic {value}")]

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
