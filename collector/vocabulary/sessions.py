"""Words about checkpoints, sessions, tool calls and edits, and about jobs that read them. Pure."""

from collector.vocabulary import Word


class CheckpointStore(Word):
    """The layout a checkpoint was read from; if a checkpoint is stored twice, the first of these
    takes precedence.
    """

    REF = "ref", "a ref for each checkpoint"
    V1 = "v1", "the branch of checkpoints"
    LEGACY = "legacy", "the branch of sessions, which came before it"
    V2 = "v2", "the metadata ref of the short-lived second layout"
    V2_FULL = "v2full", "its transcript refs"
    SHADOW = "shadow", "a snapshot at the end of a turn, not tied to a commit"
    TREE = "tree", "no checkpoint: a transcript among the files of a commit"
    LOCAL = "local", "no checkpoint: a transcript that the agent kept on this machine"


class Signature(Word):
    """The kind of signature that a commit carries. That it is there is all that is said: it was
    not verified.
    """

    GPG = "gpg", "OpenPGP"
    SSH = "ssh", "SSH"
    X509 = "x509", "X.509"
    OTHER = "other", "in a form that is not known here"


class StoredTranscript(Word):
    """What one checkpoint has of a session's transcript."""

    PRESENT = "present", "all of it"
    NONE = "none", "nothing"
    MISSING_BLOB = "missing_blob", "it is listed, and objects of it are absent from this clone"
    LOCAL = "local", "a file of this machine, not of the repository"


class TranscriptState(Word):
    """What could be read of a session, from all of its copies."""

    PRESENT = "present", "every copy could be read"
    PARTIAL = "partial", "some copies are unreadable, or readable only in their compact form"
    MISSING_BLOB = "missing_blob", "the copies are absent from this clone"
    NONE = "none", "no checkpoint has a transcript"
    UNREADABLE = "unreadable", "empty or too large"
    UNKNOWN_FORMAT = "unknown_format", "no reader knows the format"
    PENDING = "pending", "not read yet"


class TurnOrigin(Word):
    """Where the text of a turn comes from."""

    PROMPT = "prompt", "typed by the user"
    QUEUED = "queued", "typed while the agent worked"
    PLAN = "plan", "an approved plan"
    COMMAND = "command", "a slash command"
    INJECTED = "injected", "inserted by the harness, and answered by the agent"


class Driver(Word):
    """What sent the prompts of a session to the agent."""

    PERSON = "person", "a person at the agent's own terminal or app"
    IDE = "ide", "a person in an editor"
    PROGRAM = "program", "a program, through the agent's SDK or a command that takes one prompt"
    CI = "ci", "a job of continuous integration"
    UNKNOWN = "unknown", "the record does not tell"


BY_PROGRAM = (Driver.PROGRAM, Driver.CI)  # what they send nobody typed


TYPED = (TurnOrigin.PROMPT, TurnOrigin.QUEUED)
FROM_USER = (*TYPED, TurnOrigin.PLAN)  # text that the user typed, pasted or approved


class CallStatus(Word):
    """How a tool call ended, as its result says."""

    OK = "ok", "without an error"
    ERROR = "error", "with an error"
    REJECTED = "rejected", "the user refused it"
    UNKNOWN = "unknown", "no result is recorded: interrupted, cut off, or the agent records none"


class NoReplay(Word):
    """Why an edit could not be replayed."""

    NO_CONTENT = "no_content", "the new text is not recorded"
    NO_TEXT = "no_text_recorded", "neither texts nor exact hunks are recorded"
    NOT_FOUND = "text_not_found", "the text it replaces is not in the file"
    EMPTY_SEARCH = "empty_search", "it replaces an empty text in a file that has text"
    NO_BASE = "no_base_text", "the text before the edit is not known"
    TOO_LARGE = "text_too_large", "the text is too large to follow line by line"
    TOO_MANY = (
        "too_many_lines",
        "with it, edits that replace every occurrence would change too many lines of this worktree",
    )
    NO_RESULT = "no_result_recorded", "whether the call succeeded is not recorded"
    PATH_REDACTED = (
        "path_redacted",
        (
            "the recorder removed a part of its path; lines of commits can still be found by their"
            " text"
        ),
    )


class Convergence(Word):
    """How a region that several calls edited developed."""

    CONVERGING = "converging", "the edits get smaller"
    OSCILLATING = "oscillating", "an earlier state came back, or there is no trend"
    EXPANDING = "expanding", "the edits get larger"


class SessionOutcome(Word):
    """What became of a session's work: the first that applies."""

    REJECTED = (
        "explicitly_rejected",
        "a person or a later commit reverted most of it, or the user refused the changes",
    )
    ACCEPTED = "accepted", "at least half of its lines were committed, or the user accepted them"
    RESTARTED = (
        "restarted_same_task",
        "another session on the same files followed within half an hour",
    )
    ANSWERED = "answered", "it wrote nothing and ended with the agent's words"
    ABANDONED = "abandoned_mid_session", "none of these"


class JobState(Word):
    """Result of the last run of a job."""

    DONE = "done", "finished"
    NOTHING = "nothing", "there are no checkpoints"
    FAILED = "failed", "failed; the next run tries again"
    GIVEN_UP = (
        "given_up",
        "failed twice on the same input; tried again when that changes, or with --retry",
    )
