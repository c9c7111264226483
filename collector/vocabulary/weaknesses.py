"""Words about scanning introduced code for weaknesses. Pure."""

from __future__ import annotations

from collector.vocabulary import Word


class RuleTier(Word):
    """How much of a flow our rules see."""

    TAINT = "taint", "input from outside reaches the call"
    BUILT = "built", "a value that was put together reaches it"
    API = "api", "the call alone"


class Confidence(Word):
    """How sure a rule is, as it says."""

    HIGH = "HIGH", "high"
    MEDIUM = "MEDIUM", "medium"
    LOW = "LOW", "low"


class FilePlace(Word):
    """What kind of file it is to the scanner."""

    SOURCE = "source", "program text"
    TEST = "test", "tests"
    EXAMPLE = "example", "examples and documentation"
    GENERATED = "generated", "generated; not scanned"
    VENDORED = "vendored", "copied from another project; not scanned"
    LOCK = "lock", "a lock file; not scanned"
    MINIFIED = "minified", "minified; not scanned"


SCANNED_PLACES = (FilePlace.SOURCE, FilePlace.TEST, FilePlace.EXAMPLE)


class ScanStatus(Word):
    """What came of scanning a text."""

    OK = "ok", "scanned"
    NONE = "none", "no word of any rule is in it, so it was not given to the scanner"
    PARTIAL = "partial", "some of it could not be parsed"
    TIMEOUT = "timeout", "some rule did not finish"
    FAILED = "failed", "the scanner failed"
    TOO_LARGE = "too_large", "larger than what is scanned"
    LONG_LINES = "long_lines", "lines longer than what is scanned"
    BINARY = "binary", "a binary file"
    GENERATED = "generated", "generated, as its text says"
    MINIFIED = "minified", "minified"
    MISSING = "missing", "absent from this clone"
    UNSUPPORTED = "unsupported", "no rule is for its language"
    LEFT_OUT = "left_out", "left out by its place"


SCANNED = (ScanStatus.OK, ScanStatus.NONE, ScanStatus.PARTIAL)  # a weakness would have been found


class FindingStatus(Word):
    """How a finding came in."""

    INTRODUCED = "introduced", "the commit brought it in"
    REINTRODUCED = "reintroduced", "the same was fixed in this file before"
    UNCERTAIN = "uncertain", "the rule could not be run on the version before"
    SURFACED = "surfaced", "new, but on none of the lines the commit added: a change elsewhere made it match"


class Mixture(Word):
    """What a finding has in place of one author or class."""

    MIXED = "mixed", "its lines are of several"
    NONE = "none", "there is no line"


class FixHow(Word):
    """How a finding went away."""

    CHANGED = "changed", "lines of the match were changed or taken away"
    ELSEWHERE = "elsewhere", "a change elsewhere"
    FILE_DELETED = "file_deleted", "its file was deleted"
    MERGE = "merge", "a merge left it out"
    UNSEEN = "unseen", "the rule could not be run any more, or the file is left out now"


class ReviewVerdict(Word):
    """What somebody who read a finding says of it."""

    TRUE = "true", "a weakness"
    FALSE = "false", "a false positive"
    UNSURE = "unsure", "the reader cannot tell"
