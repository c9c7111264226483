"""Words about finding and mirroring repositories. Pure."""

from collector.vocabulary import Word


class ProbeOutcome(Word):
    """Result of asking the server for the refs of a candidate."""

    OK = "ok", "it answered"
    PRIVATE_OR_MISSING = "private_or_missing", "it is private, deleted, or was never there"
    UNREACHABLE = "unreachable", "the server gave no usable answer"


class Exclusion(Word):
    """Why a candidate is left out, in the order in which reports list them."""

    FORGOTTEN = "forgotten", "it was removed on request"
    UNREACHABLE = "unreachable", "the server gave no usable answer; it is probed again later"
    PRIVATE_OR_MISSING = "private_or_missing", "it is private, deleted, or was never there"
    RENAMED = "renamed_duplicate", "it has another name now, which is a candidate of its own"
    ELSEWHERE = (
        "elsewhere",
        (
            "its settings say that the checkpoints are in another repository, which is a candidate"
            " of its own"
        ),
    )
    NO_REF = "no_ref", "no ref with checkpoints"
    NO_METADATA = (
        "no_metadata",
        "what a filter needs to know is not known yet; it is asked for again by the next run",
    )
    FORK = "fork", "a fork"
    LICENCE = "licence", "none of the requested licences"
    TOO_LARGE = "too_large", "larger than requested"


class CursorState(Word):
    """How far a slice of a channel's query got."""

    PENDING = "pending", "not begun"
    PART = "part", "some pages were read"
    DONE = "done", "read to the end"
    SPLIT = "split", "cut into smaller slices"
    CAPPED = "capped", "no smaller slice is possible: results were lost"
    REFUSED = "refused", "the server refuses the query; the next run asks again"
    INCOMPLETE = (
        "incomplete",
        "read, but the server could not finish the search; the next run asks again",
    )
    IGNORED = (
        "ignored",
        "the server ignores what this slice was cut by: its sibling has the same results",
    )
    FAILED = "failed", "could not be read; the next run tries again"
