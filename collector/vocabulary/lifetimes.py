"""Words about what became of lines after their commit. Pure."""

from __future__ import annotations

from collector.vocabulary import Word


class LineKind(Word):
    """What is known about the introduction of lines."""

    TEXT = "text", "lines of a text"
    BINARY = "binary", "binary to git"
    UNCERTAIN = "uncertain", "a file or parent is missing: they may be older than they seem"
    COPY = "copy", "a new file with exactly the content of another file of the commit"


class EndCause(Word):
    """How lines were removed."""

    MODIFIED = "modified", "other lines replaced them"
    DELETED = "deleted", "nothing replaced them"
    FILE_DELETED = "file_deleted", "their file was deleted"
    UNREADABLE = "unreadable", "they cannot be followed further: a file or parent is missing"
    MERGE = "merge", "a merge dropped them, and their text"
    REFORMATTED = "reformatted", "only their layout was changed"
    REVERTED = "reverted", "the commit that wrote them was reverted"


class Kept(Word):
    """Changes that keep a line's identity."""

    WHITESPACE = "whitespace", "white space only"
    REFORMATTED = "reformatted", "the same text with other line breaks, quotes or separators"
    MOVED = "moved", "moved within the files of the commit"


class RemoverEvidence(Word):
    """How we know who removed lines."""

    REPLACED = "replaced", "lines of that author replaced them"
    FILE = "file", "nothing replaced them; the only session linked to the commit removed lines from that file"
    NONE = "none", "we do not know"


class SurvivalGrouping(Word):
    """What survival is grouped by."""

    CLASS = "class", "class of the author"
    MODEL = "model", "model that wrote the lines"
    AGENT = "agent", "agent that wrote the lines"
    SESSION = "session", "session that wrote the lines"
    DIRECTORY = "directory", "first directory of the path"
    LANGUAGE = "language", "language of the file"


class SurvivalUnit(Word):
    """What a horizon of survival is counted in."""

    DAYS = "days", "since the author time of the commit that wrote the lines"
    COMMITS = "commits", "of the main line since the lines were there"
    HEAD = "head", "present at HEAD"
