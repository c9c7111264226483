"""Kimi Code: `wire.jsonl` of each agent, a line with the version, then `{type, time, event}`; a call's events name it.

Its predecessor Kimi CLI has another form (`kimi_cli.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.arguments import argument, edits_from_arguments
from collector.agents.common.calls import Call, Result, shell_command
from collector.agents.common.jsonl import copies
from collector.agents.common.messages import text_of
from collector.agents.common.prompts import classify, without_reminders
from collector.agents.common.reader import RecordReader
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.json_values import first_of, get, get_dict, get_int, get_str, parse_json, time_of, to_json
from collector.model import Command, Edit, Session, Spawn, Usage
from collector.text import resolve
from collector.vocabulary.agents import Agent

NAME = "kimi-code"
AGENT = Agent(
    NAME,
    "Kimi Code",
    tools={"read": "read", "write": "write", "edit": "edit", "agent": "agent"},
)
GIVES = frozenset({"times", "results", "text", "commands", "commits", "subagents", "models", "tokens", "directory"})
ORDER = 27
UNTESTED = "all of it"

_MAIN = "main"
_EVENT = "context.append_loop_event"
_TYPED = frozenset({"", "user"})  # kinds of origin of what a person typed
_TOKENS = {"input": "inputOther", "output": "output", "cache_read": "inputCacheRead", "cache_write": "inputCacheCreation"}


def sniff(head: object) -> bool:
    if get(head, "type") == "metadata":
        return isinstance(get(head, "protocol_version"), str) and get(head, "created_at") is not None
    return get(head, "type") == _EVENT and isinstance(get(head, "event", "type"), str)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_lines(copies(blobs))


class _Reader(RecordReader):
    shells = frozenset({"Bash", "Shell"})
    spawns = frozenset({"Agent", "Task"})
    rejections = ("rejected by the user", "user rejected", "user denied")
    inside = ""  # the agent whose file is read, "" for the main one

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.prompts: list[tuple[str, int]] = []

    def take(self, record: dict[str, Any]) -> None:
        """`work_dir` and `agent` of the first line are put there by `_load`: no line names them."""
        kind, time = get_str(record, "type"), time_of(record.get("time"))
        if kind == "metadata":
            self.add_cwd(record.get("work_dir"))
            self.add_version(first_of(record, "app_version", "protocol_version"))
            self.inside = get_str(record, "agent")
            return
        self.begin(time)
        agent = get_str(record, "agentId") or self.inside
        agent = "" if agent == _MAIN else agent
        if kind == _EVENT:
            self._event(get_dict(record, "event"), time, agent)
        elif kind in ("turn.prompt", "turn.steer"):
            self._prompt(record, record.get("input"), time, agent)
        elif kind == "context.append_message":
            message = get_dict(record, "message")
            if get_str(message, "role") == "user":
                self._prompt(message, message.get("content"), time, agent)
        elif kind in ("config.update", "llm.request", "usage.record"):
            model = get_str(record, "model") or get_str(record, "modelAlias")
            if not agent:
                self.model = self.switched("model_change", self.model, model, time)
        elif kind == "context.apply_compaction":
            self.add_event("compaction", time)

    def _prompt(self, about: dict[str, Any], content: object, time: float | None, agent: str) -> None:
        """A prompt is recorded when it is typed, and again when it is given to the model."""
        text = without_reminders(text_of(content))
        if not agent and get_str(about, "origin", "kind") in _TYPED and text:
            key = (text, round(time or 0.0))
            is_repeated = any(other == text and abs(when - key[1]) < 60 for other, when in self.prompts)
            self.prompts.append(key)
            if not is_repeated:
                self.add_user_text(key, time, text, classify(text))

    def _event(self, event: dict[str, Any], time: float | None, agent: str) -> None:
        kind, key = get_str(event, "type"), get_str(event, "uuid")
        if kind == "tool.call":
            call_id = get_str(event, "toolCallId") or key
            arguments = event.get("args")
            arguments = parse_json(arguments) if isinstance(arguments, str) else arguments
            call = Call(f"{agent}{call_id}", get_str(event, "name"), arguments, time, self.order, agent, self.model, cwd=self.cwd)
            self.add_call(call)
        elif kind == "tool.result":
            result = get_dict(event, "result")
            output = result.get("output")
            text = text_of(output) if isinstance(output, str | list) else to_json(output) if output is not None else ""
            value = Result(time, text or get_str(result, "message"), result.get("isError") is True, result)
            self.add_result(f"{agent}{get_str(event, 'toolCallId')}", value)
        elif kind == "content.part" and self.is_new(key):
            thought = get_str(event, "part", "type") == "think"
            text = get_str(event, "part", "think") or get_str(event, "part", "text")
            self.add_message(key or self.order, time, "reasoning" if thought else "text", text, agent)
        elif kind == "step.end" and (tokens := get_dict(event, "usage")):
            counted = {name: get_int(tokens, theirs) for name, theirs in _TOKENS.items()}
            self.add_usage(Usage(key or f"step {self.order}", time, 0, self.model, agent_id=agent, **counted))

    # --- what a call did ------------------------------------------------------------------------------------------

    def command(self, call: Call, result: Result) -> Command:
        cwd = resolve(call.cwd, get_str(call.arguments, "cwd")) or call.cwd
        background = get(call.arguments, "run_in_background") is True
        return shell_command(get_str(call.arguments, "command"), cwd, result.text, background)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        path = resolve(call.cwd, argument(call.arguments, "path", "file_path"))
        if call.name not in ("Write", "Edit", "MultiEdit") or not path:
            return []
        if call.name == "Write" and get(call.arguments, "mode") == "append":
            return [Edit(path, "append", content=get_str(call.arguments, "content"))]
        return edits_from_arguments({**get_dict(call.arguments), "file_path": path})

    def spawn(self, call: Call, result: Result) -> Spawn:
        """Which of the other files is the agent's is not told."""
        return Spawn("", get_str(call.arguments, "subagent_type"), visible=bool(self._others()))

    def _others(self) -> set[str]:
        return {call.agent_id for call in self.calls.values() if call.agent_id}


# --- sessions on this machine ----------------------------------------------------------------------------------------

_WIRE, _store_MAIN = "wire.jsonl", "main"


def _places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("KIMI_CODE_HOME", machine.home / ".kimi-code") / "sessions"])


def _session_files(location: Path) -> Iterator[Path]:
    for directory in files.directories(location):
        for session in files.directories(directory):
            main = session / "agents" / _store_MAIN / _WIRE
            if files.is_plain(main):
                yield main


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in _session_files(location):
        session = path.parents[2]
        cwd = get_str(files.document(session / "state.json"), "workDir")
        if roots.of(cwd):
            below = (agent / _WIRE for agent in files.directories(session / "agents") if agent.name != _store_MAIN)
            others = [other for other in below if files.is_plain(other)]
            yield LocalSession(session.name, (path, *others), f"started in {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    """The records name neither the directory nor the agent: a first line does."""
    for path in session.files:
        agent = path.parent.name
        about = {"work_dir": session.cwd, "agent": "" if agent == _store_MAIN else agent}
        head = {"type": "metadata", "protocol_version": "", "created_at": 0, **about}
        mine = files.lines(path)
        is_repeated = files.first_line(path)
        if is_repeated.get("type") == "metadata":
            head, mine = {**is_repeated, **about}, mine.partition(b"\n")[2]
        yield json.dumps(head).encode() + b"\n" + mine


STORES = (
    Store(
        NAME,
        "`~/.kimi-code/sessions/wd_*/<id>/agents/<agent>/wire.jsonl`; `state.json` of a session names the directory.",
        Known.DOCUMENTATION,
        _places,
        _find,
        load=_load,
        stored=_session_files,
        evidence="lines that other projects show from real ones",
    ),
)
