"""The data model of the collector. A vendor's JSON never leaves the module that reads it.

Times are seconds since 1970 (UTC, float) or None when the source gives none. Paths of edits are as
recorded by the agent (absolute in the author's home, usually), normalised by `text.normal_path`;
which of them lie in the repository is decided later.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from collector.commit_model import Censored as Censored
from collector.commit_model import Commit as Commit
from collector.commit_model import FileChange as FileChange
from collector.commit_model import LineChange as LineChange
from collector.commit_model import Problem as Problem
from collector.json_values import Moment
from collector.vocabulary.sessions import CallStatus, CheckpointStore, Driver, StoredTranscript

Status = CallStatus


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the user that starts work, and everything that follows until the next
    message.
    """

    index: int
    at: Moment
    text: str
    # prompt | queued (typed while the agent worked) | plan (approved plan) | command (slash) |
    # injected
    origin: str = "prompt"
    driver: Driver = Driver.UNKNOWN  # what sent it
    turn_id: str = ""  # the agent's own, where no two turns have it by chance


@dataclass(frozen=True, slots=True)
class Replacement:
    old: str
    new: str
    all: bool = False


@dataclass(frozen=True, slots=True)
class Hunk:
    """Position of a change, 1-based as in a unified diff; `lines` keep their ` `, `-`, `+` mark.

    Claude Code renders tabs in `lines` as two spaces: positions are reliable, text is not
    (`exact_text` says which).
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[str, ...] = ()
    exact_text: bool = False

    def side(self, mark: str) -> list[str]:
        """The text before (`-`) or after it (`+`)."""
        return [line[1:] for line in self.lines if line[:1] in (" ", mark)]


@dataclass(frozen=True, slots=True)
class Edit:
    """One file changed (or meant to be changed) by one tool call.

    What is known varies by agent: `before`/`after` are whole file texts where recorded; else
    `content` (whole new text), `replacements` (search and replace, in order) or `hunks` with exact
    text. `before_known` tells "the file did not exist" (before None, known) from "not recorded".
    """

    path: str
    op: str  # edit | write | append | delete | move | copy
    replacements: tuple[Replacement, ...] = ()
    content: str | None = None
    before: str | None = None
    before_known: bool = False
    after: str | None = None
    hunks: tuple[Hunk, ...] = ()
    new_path: str = ""  # move, copy
    # done by a shell command whose text gives the effect exactly (heredoc, mv, rm, …)
    by_shell: bool = False
    # new text as the agent proposed it, when the user changed it before accepting
    proposed: str | None = None

    def new_texts(self) -> Iterator[str]:
        """The texts that it wrote, with lines around them that it repeats."""
        texts = (*(replacement.new for replacement in self.replacements), self.content, self.after)
        yield from (text for text in texts if text is not None)
        yield from (line[1:] for hunk in self.hunks for line in hunk.lines if line.startswith("+"))


@dataclass(frozen=True, slots=True)
class Command:
    """A shell command; what it may have done to files is judged in `attribution.shell`."""

    text: str
    cwd: str = ""
    background: bool = False
    output: str = ""  # the first 100,000 characters


@dataclass(frozen=True, slots=True)
class Spawn:
    """A subagent was started.

    `visible` is False when its own tool calls are in no transcript we have.
    """

    agent_id: str = ""
    kind: str = ""
    visible: bool = True
    edits: int | None = None  # as the launcher reports them
    asynchronous: bool = False


@dataclass(frozen=True, slots=True)
class FileObservation:
    """A whole or partial text of a file as the agent saw it at that moment (a Read result, a
    notice of an outside edit).
    """

    path: str
    at: Moment
    start: int  # 1-based line number of the first line of `text`
    text: str
    whole: bool
    outside_edit: bool = False  # the agent was told: this file was changed by the user or a linter


@dataclass(frozen=True, slots=True)
class ToolCall:
    call_id: str
    name: str  # the agent's own name of the tool
    turn: int
    at: Moment
    done_at: Moment = None
    status: Status = Status.UNKNOWN
    error: str = ""  # first 300 characters of the error
    agent_id: str = ""  # "" is the main thread, else the subagent
    model: str = ""
    message_id: str = ""
    input: str = ""  # the arguments as JSON text, for people
    edits: tuple[Edit, ...] = ()
    command: Command | None = None
    seen: FileObservation | None = None
    spawn: Spawn | None = None
    commits: tuple[str, ...] = ()  # (abbreviated) ids of commits that this call made
    result_size: int | None = None  # characters
    searches: int = 0  # of the web, which the vendor of the model ran and bills by number
    # where no time of the call is recorded: the latest moment known to lie before it
    not_before: Moment = None
    # afterwards a hook of the user's ran, which may have changed the files again
    hook_ran: bool = False
    over_at: Moment = None  # when what it had left running was over, where the record says so


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model response; counted once per message id."""

    message_id: str
    at: Moment
    turn: int
    model: str
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0  # of cache_write, tokens kept for an hour, which cost more
    reasoning: int | None = None
    agent_id: str = ""
    cost: float | None = None  # USD, as the agent reckoned it
    fast: bool = False  # of the vendor's faster tier, which costs more
    # further ways of serving that have prices of their own, as the vendor calls them: us, batch,
    # flex, priority
    tiers: tuple[str, ...] = ()

    @property
    def context(self) -> int:
        """What the model read."""
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """Text of the agent (kind `text`) or the fact that it reasoned (kind `reasoning`, text may
    be empty).
    """

    at: Moment
    turn: int
    kind: str
    text: str
    agent_id: str = ""
    not_before: Moment = None  # as of a call
    after: str = ""  # where no time is recorded: the call that it follows


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """Something that happened to a session besides turns, calls and messages.

    Kinds: bridged (another id of it), interrupt and interrupt_tool (the user stopped the agent,
    during a call), compaction, api_error, model_change, mode_change, permission_denied, injected
    (the harness inserted text as the user), user_shell (the user ran a command), pull_request,
    resumed, forked, branched (the conversation continued from an earlier message), rolled_back
    (turns were taken back), files_changed (outside the agent's calls), totals (the agent recorded
    them), queue (a message was queued), command (a slash command to the agent's program, such as
    `/clear`).
    """

    kind: str
    at: Moment
    turn: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """Where a session left the one that it repeats."""

    session: str  # id of that one
    at: Moment  # the last event that both have
    turns: int  # of the user that both have
    calls: int
    responses: int


class ChangeOfOthers(NamedTuple):
    """A file whose changes in a commit the agent says to be of somebody else: they were there
    before its edits.
    """

    commit: str  # the beginning of its id
    path: str  # in the repository; "": all that the commit changes
    # earlier edits of the agent were not committed yet: the commit may hold these, too
    beside_own: bool


@dataclass(frozen=True, slots=True)
class Session:
    """Everything one agent session recorded, each event once, in time order."""

    id: str
    agent: str  # slug of the format found in the content, e.g. claude-code
    cwds: tuple[str, ...] = ()  # working directories in order of first appearance
    turns: tuple[Turn, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    messages: tuple[AgentMessage, ...] = ()
    usage: tuple[Usage, ...] = ()
    notices: tuple[FileObservation, ...] = ()
    marks: tuple[SessionEvent, ...] = ()
    versions: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    parent_id: str = ""  # the session that spawned this one, when they are stored apart
    driver: Driver = Driver.UNKNOWN  # of most of its turns
    forked_from: str = ""  # the session that the agent names as the origin of this one
    fork: ForkPoint | None = None  # of one that repeats another: what both have is left out here
    started_at: Moment = None
    ended_at: Moment = None
    of_others: tuple[ChangeOfOthers, ...] = ()
    # moments before which calls were not made are those of the author's clock, taken for UTC
    local_clock: bool = False
    # the first record continues a record that no copy has: earlier work is not on record
    truncated_start: bool = False
    # (after, before): records of the time between are missing
    holes: tuple[tuple[float, float], ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def user_turns(self) -> tuple[Turn, ...]:
        """The turns that the user asked for: typed messages, approved plans, and slash commands
        that the model answered.
        """
        return tuple(turn for turn in self.turns if turn.origin != "injected")

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are on record, if only those of responses that count elsewhere; an
        empty fork has spent none.
        """
        return bool(
            self.usage
            or (
                self.fork is not None and (self.fork.responses or not (self.calls or self.messages))
            )
        )


class TranscriptReader(Protocol):
    """The contract of a module in `collector/agents/`.

    Pure: bytes in, values out, never an exception for bad input.
    """

    NAME: str  # slug of the agent, see `collector.vocabulary.agents`
    # what a transcript of the format can hold, see `FACETS` in `collector.agents.common.reader`
    GIVES: frozenset[str]

    def sniff(self, head: object) -> bool:
        """Whether a transcript whose first JSON value is `head` is of this format; a text shows
        its first line.
        """
        ...

    def read(self, session_id: str, blobs: Iterable[bytes]) -> Session:
        """All stored copies of one session, in any order: events are kept once, by the agent's
        own ids.
        """
        ...


@dataclass(frozen=True, slots=True)
class SubagentRecord:
    """What a checkpoint says of a subagent."""

    call_id: str  # of the call that started it
    agent_id: str
    files: tuple[str, ...]  # that it can have left changed, see `collector.checkpoints.tree`
    completed: bool  # otherwise it was still at work, and the list is empty


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One session as one checkpoint stores it.

    The same session usually sits in many checkpoints.
    """

    checkpoint_id: str
    index: int  # number of its directory; -1 in the legacy layout
    session_id: str  # the agent's id without the date that old versions put before it
    session_id_raw: str
    agent_label: str = ""  # what the checkpoint says; the content decides
    model: str = ""
    branch: str = ""
    strategy: str = ""
    created_at: Moment = None
    transcript: tuple[str, ...] = ()  # blob ids of the chunks, in order; empty when there is none
    transcript_state: StoredTranscript = StoredTranscript.NONE
    compact: str = ""  # blob id of the compact transcript
    content_hash: str = ""  # blob id of the file with the hash of the transcript
    tasks: tuple[str, ...] = ()  # blob ids of the transcripts of subagents stored beside it
    subagents: tuple[SubagentRecord, ...] = ()  # of all sessions of the checkpoint
    # where this checkpoint's slice of the transcript starts (lines, or messages); unreliable
    start: int = 0
    files_touched: tuple[str, ...] = ()
    turn_id: str = ""
    kind: str = ""  # "" | agent_review | agent_investigate | imported
    cli_version: str = ""
    vendor: str = ""  # the producer's own attribution, JSON text, untouched
    # its counts of the lines that agent and person had changed at each prompt, JSON text, untouched
    vendor_prompts: str = ""
    commit_sha: str = (
        # of an imported session: the commit a turn made if the transcript says so, else HEAD at the
        # time of the import
        ""
    )
    metadata: str = ""  # the session's metadata.json, minus prompts, JSON text


@dataclass(frozen=True, slots=True)
class Checkpoint:
    id: str
    store: CheckpointStore
    ref: str
    strategy: str = ""
    branch: str = ""
    cli_version: str = ""
    created_at: Moment = None
    files_touched: tuple[str, ...] = ()
    sessions: tuple[SessionRecord, ...] = ()
    vendor: str = ""  # combined attribution, JSON text
    author_email: str = ""  # of the commit that stored it, when known: the developer
    # a Signature of the commits that stored it, not verified; empty when a commit has none
    signature: str = ""
    problems: tuple[Problem, ...] = ()
