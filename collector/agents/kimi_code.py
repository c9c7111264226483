"""Kimi Code: `wire.jsonl` of each agent, a line with the version, then `{type, time, event}`; a
call's events name it.

Its predecessor Kimi CLI has another form (`kimi_cli.py`).
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from collector.agents.common.messages import text_of
from collector.agents.common.reader import Call, RecordReader, Result, is_error
from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Store
from collector.json_values import (
    JsonObject,
    Moment,
    first_of,
    first_text,
    get,
    get_dict,
    get_str,
    get_time,
    has,
    json_bytes,
    parse_json,
    to_json,
)
from collector.model import Spawn
from collector.vocabulary.agents import Agent

NAME = "kimi-code"
AGENT = Agent(
    NAME,
    "Kimi Code",
    tools={"read": "read", "write": "write", "edit": "edit", "agent": "agent"},
)
GIVES = frozenset(
    {
        "times",
        "results",
        "text",
        "commands",
        "commits",
        "subagents",
        "models",
        "tokens",
        "directory",
    }
)
ORDER = 27

_MAIN = "main"
_EVENT = "context.append_loop_event"
_TYPED = ("", "user")  # kinds of origin of what a person typed


def sniff(head: object) -> bool:
    if get(head, "type") == "metadata":
        return has(head, protocol_version=str) and get(head, "created_at") is not None
    return get(head, "type") == _EVENT and has(get(head, "event"), type=str)


class _Reader(RecordReader):
    shells = ("Bash", "Shell")
    writers = ("Write", "Edit", "MultiEdit")
    spawns = ("Agent", "Task")
    rejections = ("rejected by the user", "user rejected", "user denied")
    inside = ""  # the agent whose file is read, "" for the main one

    def prepare(self) -> None:
        self.prompts: list[tuple[str, int]] = []

    def take(self, record: JsonObject) -> None:
        """`work_dir` and `agent` of the first line are put there by `_load`: no line names them."""
        kind = get_str(record, "type")
        time = get_time(record, "time")
        if kind == "metadata":
            self.add_cwd(record.get("work_dir"))
            self.add_version(record.get("app_version"))
            self.inside = get_str(record, "agent")
            return
        self.begin(time)
        agent = get_str(record, "agentId") or self.inside
        if agent == _MAIN:
            agent = ""
        if kind == _EVENT:
            self._event(get_dict(record, "event"), time, agent)
        elif kind in ("turn.prompt", "turn.steer"):
            self._prompt(record, record.get("input"), time, agent)
        elif kind == "context.append_message":
            message = get_dict(record, "message")
            if get_str(message, "role") == "user":
                self._prompt(message, message.get("content"), time, agent)
        elif kind in ("config.update", "llm.request", "usage.record"):
            if not agent:
                self.use_model(first_text(record, "model", "modelAlias"), time)
        elif kind == "context.apply_compaction":
            self.add_event("compaction", time)

    def _prompt(self, about: JsonObject, content: object, time: Moment, agent: str) -> None:
        """A prompt is recorded when it is typed, and again when it is given to the model."""
        text = text_of(content)
        if not agent and get_str(about, "origin", "kind") in _TYPED and text:
            key = (text, round(time or 0.0))
            is_repeated = any(
                other == text and abs(when - key[1]) < 60 for other, when in self.prompts
            )
            self.prompts.append(key)
            if not is_repeated:
                self.add_prompt(key, time, text)

    def _event(self, event: JsonObject, time: Moment, agent: str) -> None:
        kind = get_str(event, "type")
        key = get_str(event, "uuid")
        if kind == "tool.call":
            call_id = get_str(event, "toolCallId") or key
            arguments = event.get("args")
            if isinstance(arguments, str):
                arguments = parse_json(arguments)
            self.call_tool(
                f"{agent}{call_id}", get_str(event, "name"), arguments, time, agent_id=agent
            )
        elif kind == "tool.result":
            result = get_dict(event, "result")
            output = result.get("output")
            text = (
                text_of(output)
                if isinstance(output, str | list)
                else to_json(output)
                if output is not None
                else ""
            )
            value = Result(
                time,
                text or get_str(result, "message"),
                is_error(result.get("isError")),
                details=result,
            )
            self.add_result(f"{agent}{get_str(event, 'toolCallId')}", value)
        elif kind == "content.part" and self.is_new(key):
            thought = get_str(event, "part", "type") == "think"
            text = get_str(event, "part", "think") or get_str(event, "part", "text")
            self.add_message(
                key or self.order, time, "reasoning" if thought else "text", text, agent
            )
        elif kind == "step.end":
            if not key:
                key = f"step {self.order}"
            self.count_tokens(
                key, time, event.get("usage"), cached_among_input=False, agent_id=agent
            )

    def spawn(self, call: Call, result: Result) -> Spawn:
        """Which of the other files is the agent's is not told."""
        return replace(
            super().spawn(call, result),
            visible=any(other.agent_id for other in self.calls.values()),
        )


read = _Reader.line_reader(NAME)


# --- sessions on this machine ---------------------------------------------------------------------

_WIRE = "wire.jsonl"


def _whose(path: Path) -> tuple[str, str]:
    session = path.parents[2]
    cwd = first_of(files.document(session / "state.json"), "cwd", "workDir")
    return session.name, cwd if isinstance(cwd, str) else ""


def _load(session: LocalSession) -> Iterator[bytes]:
    """The records name neither the directory nor the agent: a first line does."""
    for path in session.files:
        agent = path.parent.name
        about = {"work_dir": session.cwd, "agent": "" if agent == _MAIN else agent}
        head = {"type": "metadata", "protocol_version": "", "created_at": 0, **about}
        mine = files.lines(path)
        is_repeated = files.first_line(path)
        if is_repeated.get("type") == "metadata":
            head = {**is_repeated, **about}
            mine = mine.partition(b"\n")[2]
        yield json_bytes(head) + b"\n" + mine


STORES = (
    Store(
        NAME,
        at=("${KIMI_CODE_HOME:-~/.kimi-code}/sessions",),
        patterns=(f"*/*/agents/{_MAIN}/{_WIRE}",),
        whose=_whose,
        beside=lambda path: (
            agent / _WIRE for agent in files.directories(path.parents[1]) if agent.name != _MAIN
        ),
        load=_load,
    ),
)
