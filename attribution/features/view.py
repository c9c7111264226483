"""What several groups of features need of a session, worked out once. Pure.

Only what the user typed counts as the user's: prompts and messages queued while the agent worked.
Approved plans and slash commands are actions of the user whose text somebody else wrote; everything
else a harness puts in the user's mouth (reminders, task notifications, command output, hook output,
summaries of an earlier context) is no turn at all. In a session that another one spawned nobody
typed anything.
"""

from collections.abc import Iterable
from typing import NamedTuple

from attribution.features.tools import category, paths_read
from attribution.features.word_lists import UNSPACED
from collector.model import AgentMessage, Session, SessionEvent, Status, ToolCall, Turn, Usage

TYPED = ("prompt", "queued")


class SessionView(NamedTuple):
    session: Session
    categories: tuple[str, ...]  # of each call
    reads: tuple[tuple[str, ...], ...]  # of each call: paths it reads or searches
    typed: tuple[Turn, ...]  # what the user typed
    # typed, approved plans, and slash commands that the model answered
    user_turns: tuple[Turn, ...]
    spoken: tuple[AgentMessage, ...]  # text of the main agent
    thought: tuple[AgentMessage, ...]  # its recorded reasoning
    responses: tuple[Usage, ...]  # of the main agent
    touched: frozenset[str]  # paths that edit calls changed, as recorded

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.session.calls

    @property
    def first_edit(self) -> int:
        """Number of the first call that changed a file; the number of calls when none did."""
        return next((i for i, call in enumerate(self.calls) if is_edit(call)), len(self.calls))

    @property
    def interruptions(self) -> list[SessionEvent]:
        """The moments when the user stopped the agent."""
        return [mark for mark in self.session.marks if mark.kind in ("interrupt", "interrupt_tool")]

    def changes(self, path: str) -> bool:
        """Whether an edit call changed this file; a path may be recorded relative to the working
        directory, an edit's is absolute.
        """
        return path in self.touched or any(
            touched.endswith("/" + path.removeprefix("./")) for touched in self.touched
        )


def is_edit(call: ToolCall) -> bool:
    """A call of an edit tool that was neither refused nor failed.

    Agents that record no results leave the status unknown.
    """
    return bool(call.edits) and call.status in (Status.OK, Status.UNKNOWN)


def view_of(session: Session) -> SessionView:
    categories = tuple(category(call) for call in session.calls)
    main = [s for s in session.messages if not s.agent_id]
    return SessionView(
        session=session,
        categories=categories,
        reads=tuple(
            paths_read(call, kind) for call, kind in zip(session.calls, categories, strict=True)
        ),
        typed=tuple(t for t in session.turns if t.origin in TYPED),
        user_turns=session.user_turns,
        spoken=tuple(s for s in main if s.kind == "text"),
        thought=tuple(s for s in main if s.kind == "reasoning" and s.text),
        responses=tuple(u for u in session.usage if not u.agent_id and u.model != "<synthetic>"),
        touched=frozenset(
            path for call in session.calls if is_edit(call) for path in edited_paths(call)
        ),
    )


def edited_paths(call: ToolCall) -> Iterable[str]:
    for edit in call.edits:
        yield edit.path
        if edit.new_path:
            yield edit.new_path


def words_in(text: str) -> int:
    """Words of a text: runs without blanks, and each character of scripts that are written
    without blanks.
    """
    count = len(text.split())
    return count if text.isascii() else count + len(UNSPACED.findall(text))
