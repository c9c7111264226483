"""Counts signals of sessions a second time, from raw transcripts, beside those of a database.
Shares no code with the program.

    python benchmarks/recompute.py DB OWNER/NAME=CLONE … [--sessions N]

For each repository and agent the N longest transcripts of the branch `entire/checkpoints/v1` are
read with git and json alone. What is compared: reasoning, stops and the tool before them, contexts
around compactions, the number of responses, cache reads, files changed, turns of the user and
whether the first of these files is in a commit of the session. docs/metrics.md has what came of it.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

BRANCH = "entire/checkpoints/v1"
_EDITS = (
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "edit",
    "write",
    "multiedit",
    "replace",
    "write_file",
)
_INPUT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
Found = dict[str, Any]


def git(clone: str, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=True).stdout


def transcripts(clone: str) -> dict[str, tuple[str, str, bytes]]:
    """Session id -> (agent, commit of the branch, text of its longest transcript); sessions in
    one piece only.
    """
    refs = git(clone, "for-each-ref", "--format=%(refname)").decode().split()
    branch = next(ref for ref in refs if ref.endswith(BRANCH))
    names = git(clone, "ls-tree", "-r", "-l", branch).decode().splitlines()
    sizes = {
        line.split("\t")[1]: int(line.split()[3]) for line in names if line.split()[3].isdigit()
    }
    best: dict[str, tuple[int, str, str]] = {}
    for name in sizes:
        folder = name.removesuffix("/metadata.json")
        if (
            folder == name
            or f"{folder}/full.jsonl" not in sizes
            or f"{folder}/full.jsonl.001" in sizes
        ):
            continue
        about = json.loads(git(clone, "show", f"{branch}:{name}"))
        size = sizes[f"{folder}/full.jsonl"]
        if size > best.get(about.get("session_id", ""), (0, "", ""))[0]:
            best[about["session_id"]] = (size, about.get("agent", ""), f"{folder}/full.jsonl")
    return {
        key: (agent, path, git(clone, "show", f"{branch}:{path}"))
        for key, (_, agent, path) in best.items()
    }


# --- one agent each -------------------------------------------------------------------------------


class _Claude:
    """One JSON object on each line; the main thread only."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.thoughts: list[int] = []
        self.stops: list[str | None] = []
        self.compacts: list[list[int | None]] = []
        self.usage: dict[str, dict[str, int]] = {}
        self.responses: set[str] = set()
        self.changed: list[list[str]] = []
        self.pending: dict[str, str] = {}
        self.tool: str | None = None
        self.context: int | None = None

    def take(self, line: Found) -> None:
        if line.get("uuid") in self.seen or line.get("isSidechain"):
            return
        self.seen.add(line.get("uuid", ""))
        if line.get("type") == "system" and line.get("subtype") == "compact_boundary":
            self.compacts.append([self.context, None])
        message = line.get("message") or {}
        if line.get("type") == "assistant" and message.get("model") != "<synthetic>":
            self._response(message, bool(line.get("timestamp")))
        for part in _parts(line):
            self._part(part)
            if line.get("type") == "user" and part.get("type") == "text":
                self._said(part["text"], bool(line.get("isMeta")))

    def _response(self, message: Found, timed: bool) -> None:
        one, key = message.get("usage") or {}, message["id"]
        if key not in self.usage or self.usage[key]["output_tokens"] < one.get("output_tokens", 0):
            self.usage[key] = {name: one.get(name) or 0 for name in (*_INPUT, "output_tokens")}
        self.context = sum(self.usage[key][name] for name in _INPUT) or self.context
        for pair in self.compacts:
            pair[1] = self.context if pair[1] is None else pair[1]
        if timed:
            self.responses.add(key)

    def _part(self, part: Found) -> None:
        if part.get("type") == "thinking" and part.get("thinking"):
            self.thoughts.append(len(part["thinking"]))
        if part.get("type") == "tool_use":
            self.tool = part["name"]
            if self.tool in _EDITS:
                self.pending[part["id"]] = (
                    part["input"].get("file_path") or part["input"].get("notebook_path") or ""
                )
        if (
            part.get("type") == "tool_result"
            and not part.get("is_error")
            and part.get("tool_use_id") in self.pending
        ):
            self.changed.append([self.pending[part["tool_use_id"]]])

    def _said(self, text: str, injected: bool) -> None:
        if text.startswith("[Request interrupted by user"):
            self.stops.append(self.tool)
        elif not injected:
            self.tool = None


def claude(data: bytes) -> Found | None:
    lines = [json.loads(line) for line in data.decode().splitlines() if line.strip()]
    if not any(line.get("type") == "assistant" for line in lines):
        return None
    read = _Claude()
    for line in lines:
        read.take(line)
    cached = sum(one["cache_read_input_tokens"] for one in read.usage.values())
    fresh = sum(one["input_tokens"] for one in read.usage.values())
    return {
        "thoughts": read.thoughts,
        "stops": read.stops,
        "compactions": read.compacts,
        "responses": len(read.responses),
        "cache": cached / (cached + fresh) if cached + fresh else None,
        "changed": read.changed,
        "subagents": any(
            part.get("name") in ("Task", "Agent") for line in lines for part in _parts(line)
        ),
    }


def _parts(line: Found) -> list[Found]:
    content = (line.get("message") or {}).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content or () if isinstance(part, dict)]


def codex(data: bytes) -> Found | None:
    lines = [json.loads(line) for line in data.decode().splitlines() if line.strip()]
    patches, changed, stops, compacts = dict[str, str](), list[list[str]](), 0, 0
    for line in lines:
        inner = line.get("payload") or {}
        if inner.get("type") == "custom_tool_call" and inner.get("name") == "apply_patch":
            patches[inner["call_id"]] = inner["input"]
        if inner.get("type") == "custom_tool_call_output" and "Success" in str(inner.get("output")):
            changed.append(_patched(patches.get(inner["call_id"], "")))
        stops += inner.get("type") == "turn_aborted"
        compacts += line.get("type") == "compacted"
    return {"changed": changed, "stop_count": stops, "compaction_count": compacts}


def _patched(patch: str) -> list[str]:
    heads = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
    return [row.split(": ", 1)[1].strip() for row in patch.splitlines() if row.startswith(heads)]


def opencode(data: bytes) -> Found | None:
    messages = json.loads(data)["messages"]
    tokens = [
        m["info"]["tokens"]
        for m in messages
        if m["info"]["role"] == "assistant" and m["info"].get("tokens")
    ]
    parts = [part for m in messages for part in m["parts"]]
    read, fresh = sum(t["cache"]["read"] for t in tokens), sum(t["input"] for t in tokens)
    done = [p for p in parts if p["type"] == "tool" and p["state"]["status"] == "completed"]
    return {
        "thoughts": [len(p["text"]) for p in parts if p["type"] == "reasoning" and p["text"]],
        "cache": read / (read + fresh) if read + fresh else None,
        "changed": [
            (
                _patched(p["state"]["input"]["patchText"])
                if p["tool"] == "apply_patch"
                else [p["state"]["input"].get("filePath", "")]
            )
            for p in done
            if p["tool"] in (*_EDITS, "apply_patch")
        ],
    }


def gemini(data: bytes) -> Found | None:
    messages = json.loads(data)["messages"]
    calls = [
        call
        for m in messages
        for call in m.get("toolCalls") or ()
        if call.get("status") == "success"
    ]
    return {
        "changed": [[call["args"].get("file_path", "")] for call in calls if call["name"] in _EDITS]
    }


def pi(data: bytes) -> Found | None:
    lines = [json.loads(line) for line in data.decode().splitlines() if line.strip()]
    messages = [line["message"] for line in lines if line.get("type") == "message"]
    answers = [m for m in messages if m["role"] == "assistant"]
    failed = {m["toolCallId"] for m in messages if m["role"] == "toolResult" and m.get("isError")}
    parts = [part for m in answers for part in m["content"]]
    usage = [m["usage"] for m in answers if m.get("usage")]
    read, fresh = sum(one["cacheRead"] for one in usage), sum(one["input"] for one in usage)
    return {
        "thoughts": [
            len(part["thinking"])
            for part in parts
            if part["type"] == "thinking" and part["thinking"]
        ],
        "cache": read / (read + fresh) if read + fresh else None,
        "turns": sum(m["role"] == "user" for m in messages),
        "changed": [
            [part["arguments"].get("path", "")]
            for part in parts
            if part["type"] == "toolCall" and part["name"] in _EDITS and part["id"] not in failed
        ],
    }


def copilot(data: bytes) -> Found | None:
    lines = [json.loads(line) for line in data.decode().splitlines() if line.strip()]
    told = [(line["type"], line.get("data") or {}) for line in lines]
    done = {
        one["toolCallId"]
        for kind, one in told
        if kind == "tool.execution_complete" and one.get("success")
    }
    return {
        "thoughts": [
            len(one["reasoningText"])
            for kind, one in told
            if kind == "assistant.message" and one.get("reasoningText")
        ],
        "turns": sum(kind == "user.message" for kind, _ in told),
        "changed": [
            [one["arguments"].get("path", "")]
            for kind, one in told
            if kind == "tool.execution_start"
            and one["toolName"] in (*_EDITS, "create")
            and one["toolCallId"] in done
        ],
    }


READERS: dict[str, Callable[[bytes], Found | None]] = {
    "Claude Code": claude,
    "Codex": codex,
    "OpenCode": opencode,
    "Gemini CLI": gemini,
    "Pi": pi,
    "Copilot CLI": copilot,
}


# --- compared -------------------------------------------------------------------------------------


def compare(
    db: sqlite3.Connection, clone: str, key: str, found: Found
) -> Iterator[tuple[str, Any, Any]]:
    """(column, here, in the database)"""
    query = (
        "SELECT f.*, s.id AS number, s.cwd FROM session_features f JOIN sessions s ON s.id ="
        " f.session_id WHERE s.key = ?"
    )
    rows = db.execute(query, (key,)).fetchall()
    if len(rows) != 1 or rows[0]["tool_call_count"] is None:
        return
    row = rows[0]
    if "thoughts" in found:
        yield "reasoning_lengths", found["thoughts"], json.loads(row["reasoning_lengths"] or "[]")
    if "stops" in found:
        yield (
            "interruption_events",
            found["stops"],
            [one["tool"] for one in json.loads(row["interruption_events"])],
        )
        told = json.loads(row["compaction_events"])
        yield (
            "compaction_events",
            found["compactions"],
            [[one["tokens_before"], one["tokens_after"]] for one in told],
        )
        yield (
            "per_response_latency_s",
            found["responses"],
            len(json.loads(row["per_response_latency_s"] or "[]")),
        )
    if "turns" in found:
        yield "user_turn_count", found["turns"], row["user_turn_count"]
    if "stop_count" in found:
        yield (
            "interruption_events",
            found["stop_count"],
            len(json.loads(row["interruption_events"])),
        )
        yield (
            "compaction_events",
            found["compaction_count"],
            len(json.loads(row["compaction_events"])),
        )
    if found.get("cache") is not None and not found.get("subagents"):
        yield "cache_read_ratio", round(found["cache"], 9), round(row["cache_read_ratio"] or 0.0, 9)
    calls = [
        some
        for call in found["changed"]
        if (some := [path for one in call if (path := _inside(one, row["cwd"] or ""))])
    ]
    inside = [path for some in calls for path in some]
    told = sorted(
        one["path"] for one in json.loads(row["files_seen"]) if one["changed"] is not None
    )
    yield "files_seen (changed)", sorted(set(inside)), told
    linked = db.execute(
        "SELECT c.commit_sha FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id WHERE"
        " cs.session_id = ?",
        (row["number"],),
    )
    files = {
        name
        for (sha,) in linked
        for name in (
            git(clone, "show", "-m", "--first-parent", "--format=", "--name-only", sha)
            .decode()
            .splitlines()
        )
    }
    if inside and files:
        yield (
            "localized_correct_file",
            int(any(_ends(path, files) for path in calls[0])),
            row["localized_correct_file"],
        )


def _inside(path: str, directory: str) -> str | None:
    if not path.startswith("/") or not directory:
        return path or None
    return (
        path.removeprefix(directory + "/")
        if directory and path.startswith(directory + "/")
        else None
    )


def _ends(path: str, files: set[str]) -> bool:
    return any(
        path == file or path.endswith("/" + file) or file.endswith("/" + path) for file in files
    )


def main(arguments: list[str]) -> None:
    most = int(arguments[arguments.index("--sessions") + 1]) if "--sessions" in arguments else 5
    db = sqlite3.connect(f"file:{arguments[0]}?mode=ro", uri=True)
    db.row_factory = sqlite3.Row
    same: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    sessions: dict[str, int] = defaultdict(int)
    for pair in (argument for argument in arguments[1:] if "=" in argument):
        clone = pair.split("=", 1)[1]
        by_agent: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
        for key, (agent, _, data) in transcripts(clone).items():
            by_agent[agent].append((key, data))
        for agent, some in sorted(by_agent.items()):
            some.sort(key=lambda one: (-len(one[1]), one[0]))
            for key, data in some[:most] if agent in READERS else ():
                found = READERS[agent](data)
                compared = list(compare(db, clone, key, found)) if found else []
                sessions[agent] += bool(compared)
                for column, here, there in compared:
                    same[column][0] += here == there
                    same[column][1] += 1
                    if here != there:
                        print(
                            f"{key[:13]} {agent} {column}: here {str(here)[:160]} | database"
                            f" {str(there)[:160]}"
                        )
    print(dict(sessions))
    for column, (agree, of) in sorted(same.items()):
        print(f"{column}: {agree} of {of}")


if __name__ == "__main__":
    main(sys.argv[1:])
