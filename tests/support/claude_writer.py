"""Writes session transcripts in the record shapes of Claude Code: one JSON value per line, one
record per content block.

The texts are ours; only the shapes are Claude Code's. Shapes that changed over its versions follow
`version`.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from collector.json_values import JsonObject, Texts

_BASE_58 = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz"
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was"
    " a file edit, the new_string was NOT written to the file). STOP what you are doing and wait"
    " for the user to tell you how to proceed."
)
REJECTED_SAYING = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was"
    " a file edit, the new_string was NOT written to the file). To tell you how to proceed, the"
    " user said:\n"
)
CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. The"
    " summary below covers it.\n"
)


def iso(at: float, digits: int = 3) -> str:
    """RFC 3339 in UTC with a `Z` and that many fraction digits."""
    whole, fraction = divmod(round(at * 10**digits), 10**digits)
    return (
        datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        + f".{fraction:0{digits}d}Z"
    )


class Ids:
    """Ids that look like the real ones and are the same on every run."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0

    def hex(self, length: int) -> str:
        self._count += 1
        return hashlib.sha256(f"{self._seed}:{self._count}".encode()).hexdigest()[:length]

    def uuid(self) -> str:
        h = self.hex(32)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def token(self, prefix: str, length: int = 22) -> str:
        return f"{prefix}01{self._letters(length, _BASE_58)}"

    def ulid(self, at: float) -> str:
        alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
        moment = int(at * 1000)
        head = ""
        for _ in range(10):
            moment, digit = divmod(moment, 32)
            head = alphabet[digit] + head
        return head + self._letters(16, alphabet)

    def _letters(self, length: int, alphabet: str) -> str:
        number = int(self.hex(40), 16)
        text = ""
        for _ in range(length):
            number, digit = divmod(number, len(alphabet))
            text += alphabet[digit]
        return text


def structured_patch(old: str, new: str) -> list[JsonObject]:
    """The hunks shown to the user, three lines of context, tabs drawn as two spaces: positions
    are exact, text is not.
    """
    a = _with_ends(old)
    b = _with_ends(new)
    hunks = []
    for group in difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, a0, a1, b0, b1 in group:
            if tag == "equal":
                lines += _drawn(" ", a[a0:a1])
            else:
                lines += _drawn("-", a[a0:a1]) + _drawn("+", b[b0:b1])
        a0, a1 = (group[0][1], group[-1][2])
        b0, b1 = (group[0][3], group[-1][4])
        hunks.append(
            {
                "oldStart": a0 + (a1 > a0),
                "oldLines": a1 - a0,
                "newStart": b0 + (b1 > b0),
                "newLines": b1 - b0,
                "lines": lines,
            }
        )
    return hunks


def _with_ends(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [line + "\n" for line in whole] + ([last] if last else [])


def _drawn(mark: str, lines: list[str]) -> list[str]:
    out = []
    for line in lines:
        out.append(mark + line.rstrip("\n").replace("\t", "  "))
        if not line.endswith("\n"):
            out.append("\\ No newline at end of file")
    return out


def numbered(text: str, start: int = 1) -> str:
    return "\n".join(f"{i:6d}→{line}" for i, line in enumerate(text.split("\n"), start))


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a transcript; `finished` names the tool call whose result it holds."""

    at: float
    data: JsonObject
    finished: str = ""

    @property
    def begun(self) -> list[str]:
        """Calls that this line begins."""
        message = self.data.get("message") or {}
        content = message.get("content") if isinstance(message, dict) else None
        return (
            [b["id"] for b in content if b.get("type") == "tool_use"]
            if isinstance(content, list)
            else []
        )

    def text(self) -> str:
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))


@dataclass
class Transcript:
    session_id: str
    cwd: str
    ids: Ids
    version: str = "2.1.37"
    model: str = "claude-opus-4-6"
    branch: str = "main"
    records: list[Record] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    _last: str | None = None
    _prompt_id: str = ""
    _callers: Texts = field(default_factory=dict)

    def since(self, version: tuple[int, int, int]) -> bool:
        return tuple(int(part) for part in self.version.split(".")) >= version

    # --- the envelope -----------------------------------------------------------------------------

    def _chained(self, at: float, body: JsonObject, finished: str = "") -> str:
        """Adds a record that knows its parent; returns its uuid."""
        uuid = self.ids.uuid()
        data: JsonObject = {
            "parentUuid": self._last,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": self.version,
            "gitBranch": self.branch,
        }
        if self.since((2, 1, 85)):
            data["entrypoint"] = "cli"
            if body["type"] == "user" and self._prompt_id:
                data["promptId"] = self._prompt_id
        data |= body | {"uuid": uuid, "timestamp": iso(at)}
        self.records.append(Record(at, data, finished))
        self._last = uuid
        return uuid

    def _loose(self, at: float, data: JsonObject) -> None:
        self.records.append(Record(at, data))

    def _usage(self) -> JsonObject:
        return {
            "input_tokens": 4,
            "cache_creation_input_tokens": 310,
            "cache_read_input_tokens": 18_400,
            "output_tokens": 120 + len(self.records),
            "service_tier": "standard",
        }

    # --- what the user does -----------------------------------------------------------------------

    def prompt(self, at: float, text: str) -> None:
        if self.since((2, 1, 85)):
            self._prompt_id = self.ids.uuid()
        snapshot = {"messageId": self.ids.uuid(), "trackedFileBackups": {}, "timestamp": iso(at)}
        self._loose(
            at,
            {
                "type": "file-history-snapshot",
                "messageId": snapshot["messageId"],
                "snapshot": snapshot,
                "isSnapshotUpdate": False,
            },
        )
        self._chained(at, {"type": "user", "message": {"role": "user", "content": text}})
        self.prompts.append(text)

    def injected(self, at: float, text: str) -> None:
        """Text that the harness puts in the user's mouth; not a prompt."""
        self._chained(
            at, {"type": "user", "message": {"role": "user", "content": text}, "isMeta": True}
        )

    def interrupt(self, at: float, for_tool: bool = False) -> None:
        text = (
            "[Request interrupted by user for tool use]"
            if for_tool
            else "[Request interrupted by user]"
        )
        self._chained(
            at,
            {
                "type": "user",
                "message": {"role": "user", "content": [{"type": "text", "text": text}]},
            },
        )

    def queued(self, at: float, text: str) -> None:
        """A prompt typed while the agent works: an operation on the queue, and an attachment in
        newer versions.
        """
        base = {"type": "queue-operation", "sessionId": self.session_id}
        self._loose(at, base | {"operation": "enqueue", "timestamp": iso(at), "content": text})
        if self.since((2, 1, 91)):
            self._loose(at + 2, base | {"operation": "remove", "timestamp": iso(at + 2)})
            attachment = {"type": "queued_command", "prompt": text, "commandMode": "prompt"}
            self._chained(at + 2, {"attachment": attachment, "type": "attachment"})
        else:
            self._loose(at + 2, base | {"operation": "dequeue", "timestamp": iso(at + 2)})
            self._chained(at + 2, {"type": "user", "message": {"role": "user", "content": text}})
        self.prompts.append(text)

    def outside_edit(self, at: float, path: str, text: str) -> None:
        """The notice that a file the agent had read was changed by somebody else."""
        snippet = "\n".join(f"{i}\t{line}" for i, line in enumerate(text.split("\n"), 1))
        self.attachment(at, {"type": "edited_text_file", "filename": path, "snippet": snippet})

    def attachment(self, at: float, attachment: JsonObject) -> None:
        """What the agent's program puts beside a prompt or a result."""
        self._chained(at, {"attachment": attachment, "type": "attachment"})

    def compact(self, at: float) -> None:
        before = self._last
        self._last = None
        self._chained(
            at,
            {
                "logicalParentUuid": before,
                "type": "system",
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "isMeta": False,
                "level": "info",
                "compactMetadata": {"trigger": "auto", "preTokens": 155_000},
            },
        )
        self._chained(
            at,
            {
                "type": "user",
                "message": {
                    "role": "user",
                    "content": CONTINUED + "Summary: the work goes on as planned.",
                },
                "isVisibleInTranscriptOnly": True,
                "isCompactSummary": True,
            },
        )

    # --- what the agent does ----------------------------------------------------------------------

    def said(self, at: float, text: str) -> None:
        self._blocks(at, [{"type": "text", "text": text}])

    def call(self, at: float, tool: str, arguments: JsonObject, say: str = "") -> str:
        """A tool call; with `say`, a text block of the same message goes before it. Returns the
        id of the call.
        """
        call_id = self.ids.token("toolu_")
        blocks: list[JsonObject] = [{"type": "text", "text": say}] if say else []
        blocks.append({"type": "tool_use", "id": call_id, "name": tool, "input": arguments})
        self._callers[call_id] = self._blocks(at, blocks)
        return call_id

    def _blocks(self, at: float, blocks: list[JsonObject]) -> str:
        """One message: a record per block, the same id and usage on each."""
        message_id = self.ids.token("msg_")
        request_id = self.ids.token("req_")
        usage = self._usage()
        uuid = ""
        for i, block in enumerate(blocks):
            message = {
                "model": self.model,
                "id": message_id,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": usage,
            }
            moment = at - 0.4 * (len(blocks) - 1 - i)
            uuid = self._chained(
                moment, {"message": message, "requestId": request_id, "type": "assistant"}
            )
        return uuid

    def result(
        self, at: float, call_id: str, content: object, result: object, error: bool = False
    ) -> None:
        block: JsonObject = {"tool_use_id": call_id, "type": "tool_result", "content": content}
        if error:
            block = {
                "type": "tool_result",
                "content": content,
                "is_error": True,
                "tool_use_id": call_id,
            }
        body = {
            "type": "user",
            "message": {"role": "user", "content": [block]},
            "toolUseResult": result,
            "sourceToolAssistantUUID": self._callers[call_id],
        }
        self._chained(at, body, finished=call_id)

    def failed(self, at: float, call_id: str, reason: str) -> None:
        """A tool that refused: the content carries tags, the result is a plain string."""
        self.result(
            at,
            call_id,
            f"<tool_use_error>{reason}</tool_use_error>",
            f"Error: {reason}",
            error=True,
        )

    def rejected(self, at: float, call_id: str, saying: str = "") -> None:
        text = REJECTED_SAYING + saying if saying else REJECTED
        self.result(
            at, call_id, text, f"Error: {text}" if saying else "User rejected tool use", error=True
        )
        if not saying:
            self.interrupt(at, for_tool=True)

    def turn_ended(self, at: float, seconds: float) -> None:
        body = {
            "type": "system",
            "subtype": "turn_duration",
            "durationMs": round(seconds * 1000),
            "isMeta": False,
        }
        self._chained(at, body)

    # --- subagents --------------------------------------------------------------------------------

    def progress(
        self, at: float, parent: str, agent_id: str, message: JsonObject, finished: str = ""
    ) -> None:
        """A message of a subagent as old versions showed it, inside the parent's transcript."""
        data = {
            "message": message,
            "normalizedMessages": [],
            "type": "agent_progress",
            "prompt": "",
            "agentId": agent_id,
        }
        tool_use_id = self.ids.token("agent_msg_")
        body = {
            "type": "progress",
            "data": data,
            "toolUseID": tool_use_id,
            "parentToolUseID": parent,
        }
        self._chained(at, body, finished)

    def hook_progress(self, at: float, call: str, command: str) -> None:
        """A hook that begins after an edit."""
        data = {
            "type": "hook_progress",
            "hookEvent": "PostToolUse",
            "hookName": "PostToolUse:Edit",
            "command": command,
        }
        self._chained(
            at, {"type": "progress", "data": data, "toolUseID": call, "parentToolUseID": call}
        )

    def subagent_call(
        self, at: float, parent: str, agent_id: str, tool: str, arguments: JsonObject
    ) -> str:
        call_id = self.ids.token("toolu_")
        message = {
            "model": "claude-haiku-4-5",
            "id": self.ids.token("msg_"),
            "type": "message",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": call_id, "name": tool, "input": arguments}],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": self._usage(),
        }
        outer = {
            "type": "assistant",
            "timestamp": iso(at),
            "message": message,
            "uuid": self.ids.uuid(),
        }
        self.progress(at, parent, agent_id, outer)
        return call_id

    def subagent_result(
        self, at: float, parent: str, agent_id: str, call_id: str, content: str
    ) -> None:
        block = {"tool_use_id": call_id, "type": "tool_result", "content": content}
        outer = {
            "type": "user",
            "message": {"role": "user", "content": [block]},
            "uuid": self.ids.uuid(),
            "timestamp": iso(at),
        }
        self.progress(at, parent, agent_id, outer, finished=call_id)


# --- the shapes of results ------------------------------------------------------------------------


def edit_result(
    path: str, old: str, new: str, before: str | None, patch: list[JsonObject], replace_all: bool
) -> JsonObject:
    return {
        "filePath": path,
        "oldString": old,
        "newString": new,
        "originalFile": before,
        "structuredPatch": patch,
        "userModified": False,
        "replaceAll": replace_all,
    }


def write_result(path: str, content: str, before: str | None) -> JsonObject:
    return {
        "type": "create" if before is None else "update",
        "filePath": path,
        "content": content,
        "structuredPatch": [] if before is None else structured_patch(before, content),
        "originalFile": before,
    }


def read_result(path: str, content: str, start: int, total: int) -> JsonObject:
    count = len(content.split("\n"))
    file = {
        "filePath": path,
        "content": content,
        "numLines": count,
        "startLine": start,
        "totalLines": total,
    }
    return {"type": "text", "file": file}


def bash_result(stdout: str, stderr: str = "") -> JsonObject:
    return {"stdout": stdout, "stderr": stderr, "interrupted": False, "isImage": False}


# --- stored forms ---------------------------------------------------------------------------------


def to_jsonl(records: Iterable[Record], change: Callable[[str], str] = str) -> str:
    return "".join(change(record.text()) + "\n" for record in records)


def to_compact(records: Iterable[Record], version: str) -> str:
    """The cross-agent form of a transcript: what was said and called, without positions."""
    results = {
        r.finished: r.data["message"]["content"][0]["content"]
        for r in records
        if r.finished and "message" in r.data
    }
    lines = []
    for record in records:
        entry = _compact_entry(record, results)
        if entry:
            head = {"v": 1, "agent": "claude-code", "cli_version": version, "ts": iso(record.at)}
            lines.append(json.dumps(head | entry, ensure_ascii=False, separators=(",", ":")) + "\n")
    return "".join(lines)


def _compact_entry(record: Record, results: dict[str, object]) -> JsonObject | None:
    data = record.data
    if data["type"] == "user" and isinstance(data["message"]["content"], str):
        return {"type": "user", "content": [{"text": data["message"]["content"]}]}
    if data["type"] != "assistant":
        return None
    block = dict(data["message"]["content"][0])
    if block["type"] == "tool_use":
        block["result"] = {"status": "success", "output": results.get(block["id"], "")}
    return {"type": "assistant", "id": data["message"]["id"], "content": [block]}
