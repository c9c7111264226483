"""Words about scanning introduced code for weaknesses. Pure."""

from collector.vocabulary import Word


class RuleTier(Word):
    """How much of the data flow a rule sees."""

    TAINT = "taint", "untrusted input reaches the call"
    BUILT = "built", "a concatenated value reaches it"
    API = "api", "the call alone"


class Confidence(Word):
    """How confident a rule is, by its own metadata."""

    HIGH = "HIGH", "high"
    MEDIUM = "MEDIUM", "medium"
    LOW = "LOW", "low"


class Severity(Word):
    """How severe a rule calls what it finds, worst first."""

    ERROR = "ERROR", "high"
    WARNING = "WARNING", "medium"
    INFO = "INFO", "low"


def severity_named(name: str) -> Severity | None:
    """What a rule or a user calls so, in any case: `error`, `high` and `critical` are the same.

    None for other words.
    """
    word = {"critical": "high"}.get(name.lower(), name.lower())
    return next((each for each in Severity if word in (each.lower(), each.meaning)), None)


def severity_word(stated: str | None) -> str | None:
    """What readers see of a rule's severity: high, medium, low, or a word of its own."""
    return getattr(severity_named(stated or ""), "meaning", stated)


class ScanStatus(Word):
    """Result of scanning a text."""

    OK = "ok", "scanned"
    PARTIAL = "partial", "some of it could not be parsed"
    TIMEOUT = "timeout", "some rule did not finish"
    FAILED = "failed", "the scanner failed"
    TOO_LARGE = "too_large", "larger than what is scanned"
    LONG_LINES = "long_lines", "lines longer than what is scanned"
    BINARY = "binary", "a binary file"
    GENERATED = "generated", "generated, according to its text"
    MINIFIED = "minified", "minified"
    MISSING = "missing", "absent from this clone"
    LATER = "later", "not scanned yet: the time was over"
    UNSUPPORTED = "unsupported", "no rule for its language"
    LEFT_OUT = "left_out", "excluded by its location"


SCANNED = (ScanStatus.OK, ScanStatus.PARTIAL)  # a weakness would have been found


class FindingStatus(Word):
    """How a finding appeared."""

    INTRODUCED = "introduced", "the commit introduced it"
    REINTRODUCED = "reintroduced", "the same was fixed in this file before"
    UNCERTAIN = "uncertain", "the rule could not be run on the version before"
    SURFACED = (
        "surfaced",
        "new, but not on a line the commit added: a change elsewhere made it match",
    )


class Mixture(Word):
    """What a finding has instead of one author or class."""

    MIXED = "mixed", "its lines have several"
    NONE = "none", "there is no line"


class FixHow(Word):
    """How a finding disappeared."""

    CHANGED = "changed", "lines of the match were changed or removed"
    ELSEWHERE = "elsewhere", "a change elsewhere"
    FILE_DELETED = "file_deleted", "its file was deleted"
    MERGE = "merge", "a merge dropped it"
    UNSEEN = "unseen", "the rule could no longer be run, or the file is now excluded"


class ReviewVerdict(Word):
    """A reviewer's verdict on a finding."""

    TRUE = "true", "a weakness"
    FALSE = "false", "a false positive"
    UNSURE = "unsure", "the reader cannot tell"
