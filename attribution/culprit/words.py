"""Words about fixes and the lines that they repaired. Pure."""

from collector.vocabulary import Word


class FixTier(Word):
    """What shows that a commit is a fix, the strongest sign first."""

    NAMED = "named", "its message names the commit that it fixes (Fixes: ID)"
    REVERT = "revert", "it takes a commit back, by its message or as the exact inverse"
    ADVISORY = "advisory", "its message names a security advisory (CVE, GHSA, RUSTSEC, GO, PYSEC)"
    WEAKNESS = "weakness", "a weakness that a scan had found disappeared with it"
    ISSUE = "issue", "its message closes an issue (Fixes #12)"
    CONVENTIONAL = "conventional", "its subject begins with fix:, as conventional commits have it"
    ASKED = "asked", "only the question says that it is a fix"


class RepairOutcome(Word):
    """What a fix was traced by."""

    REMOVED = "removed", "lines that it changed or removed"
    NEIGHBOURS = (
        "neighbours",
        (
            "it added lines and removed no statement: the lines around what it added, in the same"
            " function"
        ),
    )
    NOT_DECIDABLE = "not_decidable", "it added code outside any function, and removed none"
    NO_LINES = (
        "no_lines",
        "it changed nothing but comments, layout, generated files or names of files",
    )
    DEPENDENCY = "dependency", "it changed the version of a dependency, in whose code the fault was"
    MERGE = "merge", "a merge: ask about the commits that it brought"
    OLDER = "older", "its lines are older than the followed part of history"


class CulpritBasis(Word):
    """Why a commit is the likeliest to have introduced what was repaired."""

    STATED = "stated", "the message of the fix names it"
    REVERTED = "reverted", "the fix takes it back"
    LINES = "lines", "it wrote most of the repaired lines; of several, the latest"
    NONE = "none", "no commit is known"
