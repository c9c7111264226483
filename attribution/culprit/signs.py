"""Whether a commit is a fix, by its message. Pure."""

import re
from typing import NamedTuple

from attribution.culprit.words import FixTier
from attribution.lineage.reverts import named_commit


class FixSign(NamedTuple):
    """A sign that a commit is a fix, and what it names: an id, `#12`, an advisory; "" for
    nothing.
    """

    tier: FixTier
    name: str


_FIXES = re.compile(r"^Fixes:\s*(?:commit\s+)?([0-9a-f]{7,64})\b", re.MULTILINE | re.IGNORECASE)
_ADVISORY = re.compile(
    r"\b(CVE-\d{4}-\d{4,7}|(?:RUSTSEC|GO|PYSEC)-\d{4}-\d{1,4}|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3})\b",
    re.IGNORECASE,
)
# The keywords that GitHub and GitLab close issues by.
_ISSUE = re.compile(
    r"\b(fix(?:e[sd])?|(?:close|resolve)[sd]?)\b:?\s+(?:[\w.-]+/[\w.-]+)?#(\d+)\b", re.IGNORECASE
)
_CONVENTIONAL = re.compile(r"(?P<type>[a-z]+)(?:\((?P<scope>[^)]*)\))?!?:\s", re.IGNORECASE)
_REPAIR = re.compile(
    r"\b(?:bug|hot)?fix(?:e[sd]|ing)?\b|\b(?:bugs?|repair\w*|mend\w*|correct(?:s|ed|ly)?|broken|crash\w*|regress\w*|leaks?|wrong\w*)\b"
    r"|\b(?:prevent|avoid|handle)s?\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b\w*(?:[a-z0-9][A-Z]|[^\W_]_[^\W_])\w*|\b\w{3,}(?=\()")
_QUOTED = re.compile(r"`([^`\n]{3,80})`")
_TRAILER = re.compile(r"^(?:Fixes|[\w-]+-by):.*$", re.MULTILINE | re.IGNORECASE)
_REPAIRS = frozenset({"fix", "bugfix", "hotfix"})


def names_in(message: str) -> frozenset[str]:
    """Names of code in a message: written as only code is (`a_b`, `aB`), called, or between back
    quotes. Trailers name none.
    """
    text = _TRAILER.sub("", message)
    return frozenset(_NAME.findall(text)).union(
        *(re.findall(r"\w{4,}", quoted) for quoted in _QUOTED.findall(text))
    )


def fix_signs(message: str) -> list[FixSign]:
    """All signs in a message, the strongest first; none when nothing says that the commit repairs
    something.

    `Closes #12` alone does not: issues also ask for features. It counts where the subject speaks of
    a repair.
    """
    type_of_subject = _CONVENTIONAL.match(message)
    subject = type_of_subject["type"].lower() if type_of_subject else ""
    # as Renovate writes it
    is_update = type_of_subject is not None and (type_of_subject["scope"] or "").lower().startswith(
        "deps"
    )
    signs = [
        FixSign(FixTier.NAMED, name.lower()) for name in dict.fromkeys(_FIXES.findall(message))
    ]
    reverted = named_commit(message)
    signs += [FixSign(FixTier.REVERT, reverted)] if reverted else []
    signs += [
        FixSign(FixTier.ADVISORY, name.upper())
        for name in dict.fromkeys(_ADVISORY.findall(message))
    ]
    for keyword, number in dict.fromkeys(_ISSUE.findall(message)):
        if keyword.lower().startswith("fix") or _REPAIR.search(message.partition("\n")[0]):
            signs.append(FixSign(FixTier.ISSUE, f"#{number}"))
    if subject in _REPAIRS and not is_update:
        return [*signs, FixSign(FixTier.CONVENTIONAL, "")]
    return signs
