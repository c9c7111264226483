"""Words about added lines: who wrote them, how we know, and the classes of every report. Pure."""

from typing import Self

from collector.vocabulary import Word


class Author(Word):
    """Who wrote a line."""

    AGENT = "agent", "a coding agent: one of its recorded actions wrote the line"
    DECLARED = (
        "declared",
        "a coding agent, by what the commit or a note says; no recorded action shows it",
    )
    HUMAN = (
        "human",
        (
            "a person: no agent ever produced the text and something saw it appear, or the commit"
            " is older than agents"
        ),
    )
    TOOL = (
        "tool",
        (
            "a program that writes files by itself: package manager, generator, formatter, bot,"
            " recorder"
        ),
    )
    UNKNOWN = "unknown", "the author cannot be determined; the reason says why"


class How(Word):
    """What the agent did to a line."""

    EXACT = "exact", "the agent wrote exactly this line"
    MOVED = (
        "moved",
        "the agent wrote the line elsewhere; it reappears here in a block of three or more lines",
    )
    REFORMATTED = "reformatted", "the agent wrote the line; only its layout was changed since"
    EDITED = "edited", "the agent wrote the line and somebody else changed it before the commit"
    SHELL = "shell", "a shell command of the agent wrote the line"
    SUBAGENT = (
        "subagent",
        "a subagent whose own calls are not on record made the file, or its task holds the line",
    )
    DECLARED = "declared", "only the commit says that an agent wrote it"
    NONE = "none", "no agent wrote it, as far as we know"


class RunBy(Word):
    """Who ran the tool that wrote a line."""

    AGENT = "agent", "a call of an agent ran it"
    HUMAN = "human", "a person ran it"
    UNKNOWN = "unknown", "not known"


class Witness(Word):
    """What shows that a person wrote a line. But for dates, its text is in nothing that an agent
    produced before.
    """

    RECORDED = (
        "recorded",
        (
            "the file was seen without and then with the line, and no call that can write ran in"
            " between"
        ),
    )
    NOTICE = (
        "notice",
        (
            "the agent was told that somebody had changed the file, or what it proposed, and the"
            " notice shows the line"
        ),
    )
    COMMIT = (
        "commit",
        (
            "only the commit shows the line: the file was known without it, and no call that can"
            " write ran since"
        ),
    )
    UNWATCHED = (
        "unwatched",
        (
            "the line is in the commit or a later sighting, and in between no session was being"
            " recorded for a time, a command ran that could have written anything, or the commit"
            " was amended or rebased"
        ),
    )
    FIRST_READ = (
        "first_read",
        "the line stood in the file when the agent first read it, and in no commit before",
    )
    BEFORE_EDITS = (
        "before_edits",
        (
            "the agent committed the file before its own edits, because somebody had changed it,"
            " and no earlier edit explains the line"
        ),
    )
    BEFORE_COMPLETION = (
        "before_completion",
        "the commit is older than programs that complete whole lines (June 2021), and agents",
    )
    BEFORE_AGENTS = (
        "before_agents",
        "the commit is older than coding agents (April 2023), perhaps with completion",
    )


class Evidence(Word):
    """How we know who wrote a line."""

    OBSERVED = "observed", "the texts before and after are on record"
    REPLAYED = "replayed", "follows from the recorded edits in order"
    MATCHED = "matched", "found by its content"
    DECLARED = "declared", "the commit says so and nothing else does"
    DATED = "dated", "the commit is older than the first programs of that sort"
    INFERRED = "inferred", "follows from what else happened at that time"


class Reason(Word):
    """Why the author of a line is unknown; also kept with a declared line, of which nothing else
    is known.
    """

    NONE = "", "no reason is needed"
    NO_SESSION = (
        "no_session",
        (
            "Nothing links this commit to an agent: no checkpoint, no trailer, no bot, no session"
            " that wrote its lines."
        ),
    )
    NOT_COMMITTED = (
        "not_committed",
        "The line is not committed, and no record shows that an agent wrote it.",
    )
    NOT_YET = (
        "not_attributed_yet",
        "The commit is newer than what was attributed, and only a run can tell.",
    )
    TRANSCRIPT_MISSING = (
        "transcript_missing",
        (
            "The commit belongs to a session of which this clone lacks the transcript, or the copy"
            " that reaches up to the commit."
        ),
    )
    TRANSCRIPT_NOT_STORED = (
        "transcript_not_stored",
        (
            "The commit belongs to a session of which no checkpoint holds the transcript, or none"
            " its beginning."
        ),
    )
    TRANSCRIPT_UNREADABLE = (
        "transcript_unreadable",
        (
            "The commit belongs to a session whose transcript is in a format that is not read yet,"
            " empty or too large."
        ),
    )
    CHECKPOINT_MISSING = (
        "checkpoint_missing",
        "The commit names a checkpoint that this clone does not have.",
    )
    INVISIBLE_SUBAGENT = (
        "invisible_subagent",
        "A subagent worked in that time, and its own actions are in no transcript.",
    )
    OPAQUE_SHELL = (
        "opaque_shell",
        (
            "In that time the agent did something of which no record says what it wrote: a command"
            " that could have written anything, or an edit without its text."
        ),
    )
    GIT_OPERATION = (
        "git_operation",
        (
            "In that time the agent had git bring text from elsewhere (checkout, stash, merge,"
            " restore)."
        ),
    )
    OTHER_BRANCH = (
        "other_branch",
        (
            "An agent saw the line before the parent commit was made, which lacks it: it comes from"
            " another branch or a lost commit."
        ),
    )
    REWRITTEN = (
        "rewritten",
        (
            "The commit was amended or rebased after the sessions: the text it started from is not"
            " certain."
        ),
    )
    RESTORED = (
        "restored",
        (
            "An agent wrote this line earlier; it was deleted and came back; who restored it is"
            " unknown."
        ),
    )
    BASE_UNKNOWN = (
        "base_unknown",
        (
            "Only the parts of the file around the agent's edits are on record; the rest may be"
            " anybody's."
        ),
    )
    UNCAPTURED = (
        "uncaptured",
        (
            "No session was being recorded when the line appeared, so an agent at work would not be"
            " known."
        ),
    )
    AGENT_TEXT = (
        "agent_text",
        (
            "An agent produced this very text for this repository before (an edit, perhaps refused,"
            " a command, a message), but the replay cannot say that this is it."
        ),
    )
    BROUGHT_IN = (
        "brought_in",
        "The agent copied or moved the text here: who wrote it where it was is on no record.",
    )
    SECRET = (
        "secret",
        (
            "A record has the line with a secret that was taken out of it, and no text that is left"
            " shows that it was this one."
        ),
    )
    EDIT_UNPLACED = (
        "edit_unplaced",
        "An edit of this file by an agent could not be replayed, so the line may be part of it.",
    )
    FORMATTER = (
        "formatter",
        (
            "A formatter or linter ran that may have written the line, or only the layout or the"
            " order of imports differs."
        ),
    )
    UNOBSERVED = (
        "unobserved",
        (
            "The commit adds more text that nobody was seen writing than a person is likely to have"
            " typed unseen."
        ),
    )
    COMMON_LINE = (
        "common_line",
        (
            "The line is a bracket or as common a text at the edge of an agent's block: it may be"
            " of either side."
        ),
    )
    BOT = (
        "bot",
        (
            "The account of a program made the commit, which is not known to write such lines, or"
            " holds others' commits."
        ),
    )
    SQUASHED = (
        "squashed",
        (
            "The commit is a squash that names an agent; the commit of its pull request that added"
            " the line names none."
        ),
    )
    UNEXPLAINED = (
        "unexplained",
        (
            "A session is linked to the commit; nothing it did explains the line, and nothing shows"
            " that a person wrote it."
        ),
    )


class LineClass(Word):
    """The classes of lines in reports, in the order in which they are shown, each with its
    letter and its colour in a terminal.
    """

    letter: str
    colour: str

    def __new__(cls, text: str, meaning: str = "", letter: str = "", colour: str = "") -> Self:
        member = str.__new__(cls, text)
        member._value_ = text
        member.meaning = meaning
        member.letter = letter
        member.colour = colour
        return member

    AGENT = "agent", "a recorded action of an agent wrote the line", "A", "cyan"
    DECLARED = "declared", "only the commit says that an agent wrote it", "d", "blue"
    HUMAN = (
        "human",
        "a person wrote it: it was seen to appear with no agent at work, or is older than agents",
        "H",
        "green",
    )
    LIKELY_HUMAN = (
        "likely_human",
        "probably a person: no two recorded sightings show it",
        "h",
        "green",
    )
    TOOL = (
        "tool",
        "a package manager, generator, formatter, bot or recorder wrote it",
        "t",
        "magenta",
    )
    UNKNOWN = "unknown", "an agent may have written it; the evidence is missing", "?", "yellow"
    UNDECLARED = (
        "undeclared",
        "nothing links the commit to an agent: a person, or an agent without a record",
        "·",
        "bright_black",
    )


LINE_CLASSES = tuple(map(str, LineClass))
"""The classes in the order in which they are shown."""


# The one rule: an author is the class of its lines, but for these. (author, column, its value,
# class)
_EXCEPTIONS = (
    (Author.HUMAN, "evidence", Evidence.INFERRED, LineClass.LIKELY_HUMAN),
    (Author.UNKNOWN, "reason", Reason.NO_SESSION, LineClass.UNDECLARED),
    (Author.UNKNOWN, "reason", Reason.SQUASHED, LineClass.UNDECLARED),
)
_CLASSES: dict[tuple[str, str], LineClass] = {(a, value): c for a, _, value, c in _EXCEPTIONS}


def line_class(author: str, evidence: str, reason: str) -> LineClass:
    """The class of a line in reports."""
    return _CLASSES.get((author, evidence)) or _CLASSES.get((author, reason)) or LineClass(author)


def line_class_sql(origins: str = "o") -> str:
    """The same rule as SQL over the table `origins` (or a view with its columns) under that
    name; NULL where there is no origin.
    """
    cases = (
        f"WHEN {origins}.author = '{a}' AND {origins}.{column} = '{v}' THEN '{c}'"
        for a, column, v, c in _EXCEPTIONS
    )
    return f"CASE {' '.join(cases)} ELSE {origins}.author END"


class FileKind(Word):
    """What kind of file a version is. Headlines count source and test; only the first four are
    typed by people.
    """

    SOURCE = "source", "program text: programming and markup languages"
    TEST = "test", "program text of tests and their helpers"
    DOCS = "docs", "prose"
    CONFIG = "config", "settings, and lists of dependencies that people edit"
    DATA = "data", "data and other text that nobody reads as a program"
    LOCK = "lock", "resolved dependencies, written by a package manager"
    GENERATED = "generated", "written by a generator or a build"
    VENDORED = "vendored", "a copy of somebody else's code"
    MINIFIED = "minified", "compressed for delivery"
    RECORDER = "recorder", "records of a tool that follows agents, committed with the code"


HEADLINE = frozenset({FileKind.SOURCE, FileKind.TEST})
"""Kinds that headline numbers count."""


class FilePlace(Word):
    """What kind of file it is to programs that read code: scanners, measures."""

    SOURCE = "source", "program text"
    TEST = "test", "tests"
    EXAMPLE = "example", "examples and documentation"
    GENERATED = "generated", "generated; not read"
    VENDORED = "vendored", "copied from another project; not read"
    LOCK = "lock", "a lock file; not read"
    MINIFIED = "minified", "minified; not read"


class CodingMode(Word):
    """Share of a session's committed lines that its agents wrote."""

    HUMAN_ONLY = "human_only", "none"
    COLLABORATIVE = "collaborative", "some"
    VIBE = "vibe", "99 % or more"


def coding_mode(percentage: float | None) -> CodingMode | None:
    """The mode of this percentage of agents' lines, by the paper's thresholds: 0, below 99, 99
    and more.
    """
    if not percentage:
        if percentage is None:
            return None
        return CodingMode.HUMAN_ONLY
    if percentage >= 99:
        return CodingMode.VIBE
    return CodingMode.COLLABORATIVE


class LineKind(Word):
    """What is known about the introduction of lines."""

    TEXT = "text", "lines of a text"
    BINARY = "binary", "binary to git"
    UNCERTAIN = "uncertain", "a file or parent is missing: they may be older than they seem"
    COPY = "copy", "a new file with exactly the content of another file of the commit"


class RateOf(Word):
    """Which of the lines that were read a measured rate is about."""

    TIER = "tier", "lines of the same author, how, evidence and reason"
    REASON = "reason", "lines of the same author, evidence and reason"
    EVIDENCE = "evidence", "lines of the same class and evidence"
    CLASS = "class", "lines of the same class"
