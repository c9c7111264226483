"""Words about what other producers claim, and what checking it gave. Pure."""

from collector.vocabulary import Word


class ClaimedAuthor(Word):
    """The author a producer names, in our words."""

    AGENT = "agent", "an agent"
    HUMAN = "human", "a person"
    MIXED = "mixed", "an agent's line that somebody changed"
    UNKNOWN = "unknown", "the producer does not know"


class ClaimBasis(Word):
    """What a producer's word that a person wrote lines rests on."""

    NOT_SAID = "", "the producer does not say, or it names an agent"
    SEEN = "seen", "an editor saw the person type or save them"
    REST = "rest", "perhaps they are only what was left when the agents' lines were taken away"


class RecordState(Word):
    """Whether a record could be used."""

    READ = "read", "it was read"
    UNKNOWN_VERSION = "unknown_version", "an unknown version of the format"
    UNKNOWN_FORMAT = "unknown_format", "unknown format"
    UNREADABLE = "unreadable", "damaged"
    TOO_LARGE = "too_large", "larger than what is read"
    MISSING_BLOB = "missing_blob", "absent from this clone"
    OWN = "own", "an export of this program"


class Anchor(Word):
    """How the commit a record is checked against was found."""

    NAMED = "named", "the record names it"
    NEXT_COMMIT = "next_commit", "the next one that changes its files"
    SAME_PATCH_ID = (
        "same_patch_id",
        "the one named is beside the branch: the branch's commit with the same patch",
    )
    EARLIER_VERSION = (
        "earlier_version",
        "as before: the branch's commit with the same author, second and subject",
    )
    SQUASH_BY_NUMBER = (
        "squash_by_number",
        "as before: the squash whose message names the pull request",
    )
    NONE = "none", "there is none"


# the record was made of another commit
CARRIED = (Anchor.SAME_PATCH_ID, Anchor.EARLIER_VERSION, Anchor.SQUASH_BY_NUMBER)


class Reach(Word):
    """Where the commit of a record is."""

    BRANCH = "branch", "in the history of the analysed branch"
    REF = "ref", "in the history of another ref only"
    NONE = "none", "in the history of no ref"
    MISSING = "missing", "not in this clone"


class ClaimStatus(Word):
    """What checking a line or a record against its commit gave: the first that applies."""

    COMMIT_MISSING = "commit_missing", "the commit, or what it holds there, is not in this clone"
    UNREACHABLE = "unreachable", "the commit is not in the history of the branch (records only)"
    FILE_MISSING = "file_missing", "the commit has no such file"
    BEYOND_EOF = "beyond_eof", "the file ends before the line"
    NOT_ADDED = "not_added", "the line was there before the commit"
    OVERLAPPING = (
        "overlapping",
        "a later entry of the record claims the line for somebody else; the later one counts",
    )
    DANGLING_KEY = "dangling_key", "the key of the entry matches no author in its record"
    EMPTY = "empty", "it claims no line (records only)"
    OK = "ok", "the commit adds it"


class Agreement(Word):
    """Whether a claim and our verdict agree on a line."""

    AGREE = "agree", "they agree"
    DISAGREE = "disagree", "one says agent, the other human"
    UNDECIDED = "undecided", "one side does not know"
    NOT_CLAIMED = "not_claimed", "the producer does not mention the line"


class Disagreement(Word):
    """Why a claim and our verdict do not agree."""

    NONE = "", "they agree"
    REBASED_NOTE = (
        "rebased_note",
        "the note was copied from another commit, or does not describe this one",
    )
    FORMATTER = "formatter", "only the layout of the line differs from what the agent wrote"
    WHOLE_FILE = "whole_file_claim", "the claim covers every added line of the file"
    WHOLE_COMMIT = "whole_commit_claim", "a trailer is about the whole commit"
    RECOVERED_LINES = (
        "recovered_lines",
        "the producer guesses lines it did not see: human by default, the agent's in small gaps",
    )
    MISSING_SESSION = "missing_session", "there is no transcript to check it against"
    SHELL_COMMAND = "shell_command", "a command whose effect does not follow from its text"
    EDITED_LINE = (
        "edited_line",
        "an agent's line that somebody changed, so both answers are right in part",
    )
    OTHER = "other", "none of these"
