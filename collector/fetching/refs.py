"""Which refs of a repository are wanted, and what they are called in its mirror. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from collector.checkpoints.entire import PREFIXES, is_on_server
from collector.plugins import hooks

_UNSAFE = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)")


# Heads of pull requests: on GitHub, Gitea and Forgejo, and what GitLab calls merge requests.
PULLS = ("refs/pull/", "refs/merge-requests/")


def note_names() -> tuple[str, ...]:
    """Names below `refs/notes/` that are worth fetching: of the tools whose records a plug-in reads."""
    return tuple(sorted({name for names in hooks("note_names") for name in names()}))


@dataclass(frozen=True, slots=True)
class WantedRefs:
    """What of a repository is fetched beside its default branch and its checkpoints."""

    notes: tuple[str, ...] = field(default_factory=note_names)  # below refs/notes/
    pulls: bool = False  # heads of pull requests: they bring back trailers that a squash merge lost


@dataclass(frozen=True, slots=True)
class Advertised:
    """What a server says that it has."""

    head: str = ""  # the branch that HEAD points to, refs/heads/…; '' in an empty repository
    refs: Mapping[str, str] = field(default_factory=dict)  # name -> object id, only what is wanted
    url: str = ""  # the address that answered, another one than was asked when the repository was renamed

    def key(self) -> str:
        """Changes when anything that is wanted has moved."""
        lines = [f"HEAD {self.head}", *(f"{name} {oid}" for name, oid in sorted(self.refs.items()))]
        return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:32]

    def checkpoints(self) -> list[str]:
        return [name for name in self.refs if is_on_server(name)]


def prefixes(wanted: WantedRefs) -> list[str]:
    """For `ls-refs`: names that begin with one of these are asked for. The default branch comes with HEAD."""
    found = ["HEAD", *PREFIXES, *(f"refs/notes/{name}" for name in wanted.notes)]
    return [*found, *PULLS] if wanted.pulls else found


def advertised(head: str, refs: Mapping[str, str], wanted: WantedRefs) -> Advertised:
    """The wanted ones among the refs of a server; names that git would not accept are left out."""
    kept = {name: oid for name, oid in refs.items() if is_wanted(name, head, wanted) and is_safe(name)}
    return Advertised(head if head in kept else "", kept)


def is_wanted(name: str, head: str, wanted: WantedRefs) -> bool:
    if name == head or is_on_server(name):
        return True
    if name.startswith("refs/notes/"):
        return name.removeprefix("refs/notes/") in wanted.notes
    return wanted.pulls and name.startswith(PULLS) and name.endswith("/head")


def is_safe(name: str) -> bool:
    """A ref as git allows it (`git check-ref-format`), not to be taken for an option or a pattern."""
    return name.startswith("refs/") and not _UNSAFE.search(name) and not name.endswith(("/", ".")) and len(name) < 1000


def main_specs(remote: Advertised, wanted: WantedRefs) -> list[str]:
    """Refspecs of the history that is fetched whole."""
    specs = [f"+{remote.head}:{remote.head}"] if remote.head else []
    specs += [f"+{name}:{name}" for name in sorted(remote.refs) if name.startswith("refs/notes/")]
    for prefix in PULLS if wanted.pulls else ():
        if any(name.startswith(prefix) for name in remote.refs):
            specs.append(f"+{prefix}*/head:{prefix}*/head")
    return specs
