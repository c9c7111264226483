"""Names and addresses of repositories, checked before anything is made of them. Pure."""

import hashlib
import re
from dataclasses import dataclass

from collector.errors import WhoWroteError

GITHUB = "https://github.com"
_OWNER = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}"
_REPO = r"[A-Za-z0-9_.-]{1,100}"
_NAME = re.compile(rf"({_OWNER})/({_REPO})")
_URL = re.compile(r"(https?|file)://([^/\s]*)(/[^\s?#]*)")
_SCP = re.compile(r"(?:ssh://)?git@([^/:\s]+)(?::\d+(?=/))?[:/](\S+)")
# host/owner/name: owners have no dots
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::\d+)?/[^/\s]+/[^/\s]")
_HOST_NAME = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?")
# as git servers give them out
_TOKEN = re.compile(r"(?:gh[opsur]_|github_pat_|gl[a-z]{2,5}-|ATBB|ATCTT|x-token-)[\w=-]{16,}")
_QUERY = re.compile("[?#]")
_INNER_AT = re.compile(r"[^/]@|@[^/]*[.:]")  # not before an owner, as in /@scope/name
_HIDDEN = re.compile("[\x00-\x20\x7f-\x9f\"'\\\\]")
_HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def public_url(url: str) -> str:
    """An address without what may be secret: user and password, query and fragment, tokens in its
    path.

    The user `git` of ssh is not secret. Passwords may contain separators of addresses: if an
    address can be read in two ways, the reading that keeps less is taken, and "" is returned when
    neither is safe.
    """
    scheme, separator, address = url.rpartition("://") if url.count("://") == 1 else ("", "", url)
    address, _, more = _QUERY.sub("?", address, count=1).partition("?")
    if "@" in more or "://" in address:  # a user or a password that contains a sign of an address
        return ""
    host, slash, path = address.partition("/")
    # a server; else a place on this machine
    within = bool(host or (separator and scheme != "file"))
    if within and "@" in path and (":" in host or "." not in host or _INNER_AT.search(path)):
        host, slash, path = address.rpartition("@")[2].partition("/")
    user, at_sign, server = host.rpartition("@")
    if not server and user:
        return ""
    return _TOKEN.sub(
        "[secret]",
        f"{scheme}{separator}{'git@' if user == 'git' and at_sign else ''}{server}{slash}{path}",
    )


class BadName(WhoWroteError):
    """A name or an address that is not used, with the reason."""


@dataclass(frozen=True)
class RepositorySource:
    name: str  # owner/name, or host/owner/name when another server has the same
    url: str  # without credentials

    def place(self) -> str:
        """Equal for two addresses of one repository."""
        ssh = _SCP.fullmatch(self.url)
        bare = clone_url(f"https://{ssh[1]}/{ssh[2]}" if ssh else self.url).removesuffix(".git")
        if bare.startswith("http"):
            return bare.lower()
        return bare


def source(text: str, server: str = GITHUB) -> RepositorySource:
    """A line of a list: `owner/name` of the server, `host/owner/name`, or an address.

    Raises BadName.

    A repository is called by two parts. Of an address of a page of GitHub or of the server these
    are the first two, of any other (GitLab has groups within groups) the last two; the address
    itself stays whole.
    """
    word = text.strip()
    ssh = _SCP.fullmatch(word)
    if ssh:
        word = f"https://{ssh[1]}/{ssh[2]}"
    elif _HOST.match(word):
        word = f"https://{word}"
    if "://" in word:
        word = _page(word, server)
        return RepositorySource(name_of(word), checked_url(clone_url(word)))
    if word.startswith("/"):
        return RepositorySource(name_of(word), checked_url(f"file://{word}"))
    if word.count("/") > 1 and not word.startswith("."):
        raise BadName(
            f"not a repository name: {word[:200]!r}",
            f"owner/name is of {server}; for another server use the URL: https://HOST/{word[:200]}",
        )
    name = checked_name(word)
    return RepositorySource(name, f"{server.rstrip('/')}/{name}.git")


def _page(url: str, server: str) -> str:
    """The address of a repository from that of one of its pages: what follows owner/name on
    GitHub, or `/-/` on GitLab, goes.
    """
    url = re.sub(
        r"https?://(?:www\.)?github\.com/", f"{GITHUB}/", url, count=1, flags=re.IGNORECASE
    )
    for base in (GITHUB, server.rstrip("/")):
        if url.lower().startswith(f"{base.lower()}/"):
            parts = re.split(r"[?#]", url[len(base) + 1 :])[0].split("/")
            return f"{base}/{'/'.join(parts[:2])}"
    if url.startswith("http"):
        return url.partition("/-/")[0]
    return url


def clone_url(url: str) -> str:
    """The address of a repository for git.

    On a server it ends in `.git`, which all large servers accept.
    """
    bare = url.rstrip("/")
    if not bare.startswith(("http://", "https://")):
        return bare
    scheme, _, address = bare.partition("://")
    host, slash, path = address.partition("/")
    return f"{scheme}://{host.lower()}{slash}{path.removesuffix('.git')}.git"


def same_place(first: str, second: str) -> bool:
    """Whether two addresses are of one repository.

    Servers do not tell upper from lower case, files do.
    """
    return RepositorySource("", first).place() == RepositorySource("", second).place()


def moved_source(url: str) -> RepositorySource:
    """The repository at the address that a server sends us to, under its name there.

    Raises BadName.
    """
    return RepositorySource(name_of(url), checked_url(clone_url(url)))


def host_of(url: str) -> str:
    """The server of an address, with its port unless it is asked by ssh; "" for a place on this
    machine.
    """
    ssh = _SCP.fullmatch(url)
    scheme, _, address = url.partition("://")
    host = (
        ssh[1]
        if ssh
        else address.partition("/")[0].rpartition("@")[2]
        if scheme in ("http", "https")
        else ""
    )
    host = host.lower()
    for p in ("www.", "ssh.", "altssh."):
        if host.startswith(p):
            return host.removeprefix(p)
    return host


def on_other_server(first: str, second: str) -> bool:
    """Whether two addresses are of different servers; never when either is a path on this
    machine.
    """
    host = host_of(first)
    other = host_of(second)
    if _SCP.fullmatch(first) or _SCP.fullmatch(second):  # the port of ssh is not that of the web
        host = host.partition(":")[0]
        other = other.partition(":")[0]
    return bool(host and other) and host != other


def checked_name(name: str) -> str:
    """owner/name, as servers allow them: nothing that could leave a directory or be taken for an
    option. Raises BadName.
    """
    match = _NAME.fullmatch(name.removesuffix(".git"))
    if (
        match is None
        or ".." in name
        or match[2] in (".", "..", ".git", "")
        or match[2].endswith(".lock")
        or match[1].endswith(".")
    ):
        raise BadName(f"not a repository name: {name[:200]!r}", "Use owner/name")
    return match[0]


def name_with_host(url: str) -> str:
    """Name of a repository when another server has a repository of the same owner/name:
    host/owner/name. Raises BadName.
    """
    ssh = _SCP.fullmatch(url)
    path = ssh[2] if ssh else url.partition("://")[2].partition("/")[2]
    return checked_label(f"{host_of(url)}/{path.removesuffix('/').removesuffix('.git')}")


def checked_label(name: str) -> str:
    """owner/name, or host/owner/name of a repository that shares its owner/name with one of
    another server. Raises BadName.
    """
    if name.count("/") < 2:
        return checked_name(name)
    host, *groups, repository = name.removesuffix(".git").split("/")
    if not _HOST_NAME.fullmatch(host) or len(name) > 500 or len(groups) > 6:
        raise BadName(f"not a repository name: {name[:200]!r}", "Use owner/name")
    for group in groups:
        checked_name(f"{group}/{repository}")
    return f"{host}/{'/'.join(groups)}/{repository}"


def checked_url(url: str) -> str:
    """An address that may be given to git: https, http or file, no user, no password, no hidden
    characters. Raises BadName.
    """
    match = _URL.fullmatch(url)
    if match is None or _HIDDEN.search(url):
        raise BadName(f"not a repository URL: {url[:200]!r}", "Use https://HOST/OWNER/NAME.git")
    if "@" in match[2]:
        raise BadName(
            f"URLs with credentials are rejected: {match[1]}://…@{match[2].rpartition('@')[2]}",
            "Pass the token separately",
        )
    return url


def name_of(url: str) -> str:
    """owner/name from the end of an address. Raises BadName."""
    scheme, _, address = url.rpartition("://")
    path = address.partition("/")[2] if scheme.startswith("http") else address
    parts = [part for part in path.removesuffix("/").removesuffix(".git").split("/") if part]
    if len(parts) < 2:
        raise BadName(f"no owner/name in {url[:200]!r}", "Put owner/name before the URL")
    return checked_name("/".join(parts[-2:]))


def sibling_url(url: str, name: str) -> str:
    """Address of `name` on the server of `url`, the address of another repository.

    Raises BadName.
    """
    name_of(url)  # without an owner its host would be taken for one
    whole = url.rstrip("/")
    bare = whole.removesuffix(".git")
    server = bare.rsplit("/", 2)[0]
    return checked_url(f"{server}/{checked_name(name)}{whole[len(bare) :]}")


def directory(name: str) -> str:
    """Path of a repository's mirror below the directory of all mirrors.

    Servers do not tell upper from lower case.
    """
    return checked_label(name).lower().replace(":", "+") + ".git"


def tombstone(name: str) -> str:
    """Hash that stands for the name of a forgotten repository."""
    return hashlib.sha256(
        b"whowrote forgotten\0" + name.lower().encode("utf-8", "replace")
    ).hexdigest()


def is_oid(text: str) -> bool:
    return _HEX.fullmatch(text) is not None
