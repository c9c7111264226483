"""Which refs of a repository are wanted, and what they are called in its mirror. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from collector.checkpoints.entire import FETCH_ELSEWHERE, FETCH_MIRROR, PREFIXES, is_on_server
from collector.plugins import hooks

# Heads of pull requests: on GitHub, Gitea and Forgejo, and what GitLab calls merge requests.
PULLS = ("refs/pull/", "refs/merge-requests/")
_UNSAFE = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)")
# Prefix of the checkpoints of another repository there -> in the mirror of the one that uses them.
_ELSEWHERE = dict(spec.lstrip("+").replace("*", "").split(":") for spec in FETCH_ELSEWHERE)


def note_names() -> tuple[str, ...]:
    """Names below `refs/notes/` that are worth fetching: of the tools whose records a plug-in reads."""
    return tuple(sorted({name for names in hooks("note_names") for name in names()}))


@dataclass(frozen=True, slots=True)
class WantedRefs:
    """What of a repository is fetched beside its default branch and its checkpoints."""

    notes: tuple[str, ...] = field(default_factory=note_names)  # below refs/notes/
    pulls: bool = False  # heads of pull requests: they bring back trailers that a squash merge lost

    def prefixes(self) -> list[str]:
        """Refs that begin with one of these are asked for. The default branch comes with HEAD."""
        return ["HEAD", *PREFIXES, *(f"refs/notes/{name}" for name in self.notes), *(PULLS if self.pulls else ())]

    def includes(self, name: str, head: str) -> bool:
        if name == head or is_on_server(name):
            return True
        if name.startswith("refs/notes/"):
            return name.removeprefix("refs/notes/") in self.notes
        return self.pulls and name.startswith(PULLS) and name.endswith("/head")


@dataclass(frozen=True, slots=True)
class Advertised:
    """What a server says that it has."""

    head: str = ""  # the branch that HEAD points to, refs/heads/…; "" in an empty repository
    refs: Mapping[str, str] = field(default_factory=dict)  # name -> object id, only what is wanted
    url: str = ""  # the address that answered, another one than was asked when the repository was renamed

    def key(self) -> str:
        """Changes when anything that is wanted has moved."""
        lines = [f"HEAD {self.head}", *(f"{name} {oid}" for name, oid in sorted(self.refs.items()))]
        return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:32]

    def checkpoints(self) -> dict[str, str]:
        return {name: oid for name, oid in self.refs.items() if is_on_server(name)}


def keep_wanted(head: str, refs: Mapping[str, str], wanted: WantedRefs, url: str) -> Advertised:
    """The wanted ones among the refs of a server; names that git would not accept are left out."""
    matches = {name: oid for name, oid in refs.items() if wanted.includes(name, head) and is_safe(name)}
    return Advertised(head if head in matches else "", matches, url)


def is_safe(name: str) -> bool:
    """A ref as git allows it (`git check-ref-format`), not to be taken for an option or a pattern."""
    return name.startswith("refs/") and not _UNSAFE.search(name) and not name.endswith(("/", ".")) and len(name) < 1000


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
    for prefix in PULLS if wanted.pulls else ():
        if any(name.startswith(prefix) for name in remote.refs):
            specs.append(f"+{prefix}*/head:{prefix}*/head")
    return specs
