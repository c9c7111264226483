"""The base of all readers: it goes through the records, pairs calls with their results, and asks the reader what a call did."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from collector.agents.common.builder import SessionBuilder
from collector.agents.common.calls import NO_RESULT, Call, Outcome, Result, commits_in, outcome_of, shell_command
from collector.agents.common.documents import documents
from collector.agents.common.jsonl import records
from collector.json_values import get_str, to_json
from collector.model import Command, Edit, FileObservation, Session, Spawn, Status, ToolCall


class RecordReader(SessionBuilder, ABC):
    """A reader of one format is a subclass: it adds what a record says (`take`) and tells what a call did (`edits` and so on)."""

    shells: frozenset[str] = frozenset()  # tools that run a command
    reads: frozenset[str] = frozenset()  # tools that show a file
    spawns: frozenset[str] = frozenset()  # tools that start a subagent
    rejections: tuple[str, ...] = ()  # parts, in lower case, of the error of a call that the user did not allow

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.calls: dict[str, Call] = {}
        self.results: dict[str, Result] = {}

    @abstractmethod
    def take(self, record: dict[str, Any]) -> None:
        """Adds what one JSON object of the transcript says."""

    def read_lines(self, blobs: Iterable[bytes], skip: Callable[[bytes], bool] | None = None) -> Session:
        """The session of transcripts that are JSON lines; `skip` drops lines unread."""
        for record in records(map(self.begin_copy, blobs), self.problems, self.session_id, skip):
            self.take(record)
        return self.session()

    def begin_copy(self, blob: bytes) -> bytes:
        """Called with a copy of the transcript before its lines are read."""
        return blob

    def read_documents(self, blobs: Iterable[bytes]) -> Session:
        """The session of transcripts that are JSON documents."""
        for document in documents(blobs, self.problems, self.session_id):
            if isinstance(document, dict):
                self.take(document)
        return self.session()

    def add_call(self, call: Call, result: Result | None = None) -> None:
        """A call, with its result where one record holds both."""
        if call.id not in self.calls:
            self.calls[call.id] = call
            if result is not None:
                self.add_result(call.id, result)

    def add_result(self, call_id: str, result: Result) -> None:
        self.results.setdefault(call_id, result)

    def session(self) -> Session:
        """The session, once everything is read."""
        return self.build(list(self.completed_calls()))

    # --- what a call did ------------------------------------------------------------------------------------------

    def completed_calls(self) -> Iterator[tuple[int, ToolCall]]:
        """(number of its record, call) of all calls, once everything is read."""
        for call in self.calls.values():
            yield call.order, self.completed(call, self.results.get(call.id, NO_RESULT))

    def completed(self, call: Call, result: Result) -> ToolCall:
        """The call with its result and what it did, which the methods below find out."""
        tool = self.tool(call)
        status, error = self.outcome(call, result)
        command = self.command(call, result) if tool in self.shells else None
        return ToolCall(
            call_id=call.id,
            name=call.name,
            turn=0,
            at=call.at,
            done_at=result.at,
            not_before=call.not_before,
            status=status,
            error=error,
            agent_id=call.agent_id,
            model=call.model,
            message_id=call.message_id,
            input=to_json(call.arguments),
            edits=tuple(self.edits(call, result)),
            command=command,
            seen=self.observation(call, result) if tool in self.reads and status is Status.OK else None,
            spawn=self.spawn(call, result) if tool in self.spawns else None,
            commits=self.commits(command, result) if command else (),
            result_size=len(result.text) if result.recorded else None,
        )

    def tool(self, call: Call) -> str:
        """The name of the tool as the sets of tools of the reader have it."""
        return call.name

    def outcome(self, call: Call, result: Result) -> Outcome:
        return outcome_of(result, self.rejections)

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        """Changes of files, for every call."""
        return ()

    def command(self, call: Call, result: Result) -> Command | None:
        """What a shell ran."""
        return shell_command(get_str(call.arguments, "command"), call.cwd, result.text)

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """The text that a tool which reads files has shown."""
        return None

    def spawn(self, call: Call, result: Result) -> Spawn:
        """The subagent that a call started."""
        return Spawn(kind=get_str(call.arguments, "subagent_type"), visible=False)

    def commits(self, command: Command, result: Result) -> tuple[str, ...]:
        """Ids of the commits that a command made."""
        return commits_in(command, result.text)
