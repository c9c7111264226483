"""Counts the calls in transcripts of Entire checkpoints, with git and the standard library alone,
beside the program's readers.

    python benchmarks/count_calls.py REPOSITORY ...

Shares no code with the program, so that a call which a reader overlooks is seen to be missing.
Every copy of a session is read; a call counts once for each id within its session (OpenCode: by
message, time and place, since ids may be redacted; Cursor: by the place of the line among those of
a role). Shadow branches count, too; of a session without any readable copy of its own, the compact
copies do. Prints a JSON object for each repository: its path -> session -> {agent, calls, files}.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

_ID = r"(?:[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})"
_PER_REF = re.compile(rf"refs/entire/checkpoints/../{_ID}$")
_BRANCH = re.compile(
    r"(?:entire/(?:checkpoints/v1|sessions(?:-legacy|-old)?)|entire/checkpoints/v2/(?:main|full/[^/]+))$"
)
_FILE = re.compile(
    r"^(?:(?:[0-9a-f]{2}/[0-9a-f]{10})/)?(?:(\d+)/)?(full\.jsonl|raw_transcript|full\.log)(\.\d+)?$"
)
_DATED = re.compile(r"^\d{4}-\d\d-\d\d-")


_SHADOW = re.compile(r"/entire/[0-9a-f]{7,40}(?:-[0-9a-f]{6})?$")
_KEPT = re.compile(r"^\.entire/metadata/([^/]+)/(full\.jsonl|full\.log)(\.\d+)?$")
_PLACE = re.compile(r":([0-9a-f]{2})/([0-9a-f]{10}/\d+)$")
# one word for many sessions
_NO_ID = ("unknown", "none", "null", "undefined", "nil", "n/a", "default", "session")


def git(path: Path, *arguments: str, given: bytes = b"") -> bytes:
    run = subprocess.run(
        ["git", "-C", str(path), *arguments], input=given, capture_output=True, check=False
    )
    return run.stdout


def tips(path: Path) -> Iterator[str]:
    for line in (
        git(path, "for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    ):
        name, oid = line.rsplit(" ", 1)
        if _PER_REF.search(name) or _BRANCH.search(name):
            yield oid


def stored(path: Path) -> dict[str, dict[str, list[str]]]:
    """Directory of a session -> kind of file (metadata, transcript) -> blobs."""
    found: dict[str, dict[str, list[str]]] = {}
    for tip in dict.fromkeys(tips(path)):
        for line in git(path, "ls-tree", "-r", "-z", tip).decode("utf-8", "replace").split("\0"):
            head, _, name = line.partition("\t")
            if not name:
                continue
            oid, place = head.split()[2], f"{tip}:{name.rpartition('/')[0]}"
            match = _FILE.match(name)
            if match:
                found.setdefault(place, {}).setdefault("transcript", []).append(
                    f"{match[3] or ''} {oid}"
                )
            elif name.rpartition("/")[2] == "transcript.jsonl":
                found.setdefault(place, {})["compact"] = [oid]
            elif name.endswith("metadata.json"):
                found.setdefault(place, {})["metadata"] = [oid]
    return found


def shadows(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(session, blobs of its transcript) at every commit of the branches that hold a worktree
    with the transcript so far.
    """
    for line in (
        git(path, "for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    ):
        name, oid = line.rsplit(" ", 1)
        for commit in (
            git(path, "rev-list", "--first-parent", oid).decode().split()
            if _SHADOW.search(name)
            else ()
        ):
            found: dict[str, list[str]] = {}
            for entry in (
                git(path, "ls-tree", "-r", "-z", commit, ".entire/metadata")
                .decode("utf-8", "replace")
                .split("\0")
            ):
                head, _, place = entry.partition("\t")
                match = _KEPT.match(place)
                if match:
                    found.setdefault(_DATED.sub("", match[1]), []).append(
                        f"{match[3] or ''} {head.split()[2]}"
                    )
            for session, parts in found.items():
                yield (
                    session,
                    tuple(
                        part.split(" ")[1]
                        for part in sorted(parts, key=lambda one: (len(one.split(" ")[0]), one))
                    ),
                )


def blobs(path: Path, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    wanted = list(dict.fromkeys(oids))
    for start in range(0, len(wanted), 20):
        out = git(
            path,
            "cat-file",
            "--batch",
            given="".join(f"{o}\n" for o in wanted[start : start + 20]).encode(),
        )
        at = 0
        while at < len(out):
            end = out.index(b"\n", at)
            head = out[at:end].split()
            at = end + 1
            if len(head) == 3:
                yield head[0].decode(), out[at : at + int(head[2])]
                at += int(head[2]) + 1


def documents(data: bytes) -> list[Any]:
    """All JSON values, however they are laid out; a line that is none is left out."""
    text = data.decode("utf-8", "surrogateescape").strip()
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    found, decoder = [], json.JSONDecoder()
    for line in text.split("\n"):
        at = 0
        while at < len(line):
            while at < len(line) and line[at].isspace():
                at += 1
            if at >= len(line):
                break
            try:
                value, at = decoder.raw_decode(line, at)
            except ValueError:
                break
            found.append(value)
    if found:
        return found
    at = 0  # one document in portions that are spread over lines
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            break
        found.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return found


def dig(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def agent_of(values: list[Any]) -> str:
    head = next((v for v in values if isinstance(v, dict)), {})
    kinds = [str(dig(v, "type") or "") for v in values[:400]]
    records = [v for v in values[:50] if isinstance(v, dict)]
    tests = {
        "opencode": "messages" in head and isinstance(head.get("info"), dict),
        "gemini-cli": "messages" in head and "sessionId" in head,
        "kiro": "conversation_id" in head and "history" in head,
        "other": "messages" in head,
        "entire-compact": head.get("v") == 1 and "agent" in head and "cli_version" in head,
        "codex": "session_meta" in kinds or all("payload" in v for v in records[:3]),
        "pi": kinds[:1] == ["session"] or kinds[:2] == ["title", "session"],
        "copilot-cli": any(kind.startswith("session.") for kind in kinds[:3]),
        "cursor": "role" in head and "message" in head and "type" not in head,
        "antigravity": "step_index" in head,
        "factory-droid": (
            kinds[:1] == ["session_start"] or (kinds[:1] == ["message"] and "uuid" not in head)
        ),
        "qwen-code": any("uuid" in v and "parts" in (dig(v, "message") or {}) for v in records),
        "claude-code": any("uuid" in v or "sessionId" in v for v in records),
    }
    return next((name for name, holds in tests.items() if holds), "other")


def _anthropic(number: int, value: Any) -> Iterator[str]:
    for place, names in enumerate(
        (("message", "content"), ("data", "message", "message", "content"))
    ):
        for index, block in enumerate(items(dig(value, *names))):
            if dig(block, "type") == "tool_use":
                yield str(dig(block, "id") or f"{number}/{place}/{index}")


def _cursor(number: int, value: Any) -> Iterator[str]:
    for index, block in enumerate(items(dig(value, "message", "content"))):
        if dig(block, "type") == "tool_use":
            yield f"{number}/{index}"


def _kiro(number: int, value: Any) -> Iterator[str]:
    """An entry may be stored again at another place, and calls may have no id."""
    for entry in items(dig(value, "history")):
        for index, use in enumerate(items(dig(entry, "assistant", "ToolUse", "tool_uses"))):
            yield str(dig(use, "id") or f"{json.dumps(entry, sort_keys=True)}/{index}")


def _codex(number: int, value: Any) -> Iterator[str]:
    payload = dig(value, "payload")
    kind = str(dig(payload, "type"))
    if dig(value, "type") == "response_item" and kind in (
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
    ):
        yield str(
            dig(payload, "call_id") or dig(payload, "id") or f"{kind} {dig(value, 'timestamp')}"
        )


def _opencode(number: int, value: Any) -> Iterator[str]:
    for message in items(dig(value, "messages")):
        for index, part in enumerate(items(dig(message, "parts"))):
            if dig(part, "type") == "tool":
                created = dig(message, "info", "time", "created")
                yield f"{dig(message, 'info', 'id')}/{created}/{index}"


def _gemini(number: int, value: Any) -> Iterator[str]:
    for message in items(dig(value, "messages")):
        yield from (str(dig(call, "id")) for call in items(dig(message, "toolCalls")))


def _pi(number: int, value: Any) -> Iterator[str]:
    for index, block in enumerate(items(dig(value, "message", "content"))):
        if dig(block, "type") == "toolCall":
            yield str(dig(block, "id") or f"{dig(value, 'id')}/{index}")


def _copilot(number: int, value: Any) -> Iterator[str]:
    """A call that the model asked for counts although it was never begun."""
    if dig(value, "type") == "tool.execution_start":
        yield str(dig(value, "data", "toolCallId"))
    yield from (
        str(dig(request, "toolCallId")) for request in items(dig(value, "data", "toolRequests"))
    )


def _antigravity(number: int, value: Any) -> Iterator[str]:
    yield from (
        f"{dig(value, 'step_index')}/{index}"
        for index, _ in enumerate(items(dig(value, "tool_calls")))
    )


def _qwen(number: int, value: Any) -> Iterator[str]:
    for index, part in enumerate(items(dig(value, "message", "parts"))):
        if dig(part, "functionCall"):
            yield str(dig(part, "functionCall", "id") or f"{dig(value, 'uuid')}/{index}")


_CALLS: dict[str, Callable[[int, Any], Iterator[str]]] = {
    "claude-code": _anthropic,
    "factory-droid": _anthropic,
    "cursor": _cursor,
    "codex": _codex,
    "opencode": _opencode,
    "gemini-cli": _gemini,
    "pi": _pi,
    "copilot-cli": _copilot,
    "antigravity": _antigravity,
    "qwen-code": _qwen,
    "kiro": _kiro,
}


def calls(agent: str, values: list[Any]) -> Iterator[str]:
    """One key for each call."""
    reader = _CALLS.get(agent)
    told = [value for value in values if dig(value, "role")] if agent == "cursor" else values
    for number, value in enumerate(told if reader else ()):
        yield from reader(number, value) if reader else ()


def count(path: Path) -> dict[str, dict[str, Any]]:
    places = stored(path)
    wanted = [oid for kinds in places.values() for oid in kinds.get("metadata", [])]
    metadata: dict[str, Any] = {
        oid: next(iter(documents(data)), {}) for oid, data in blobs(path, wanted)
    }
    copies: dict[str, set[tuple[str, ...]]] = {}
    compacts: dict[str, set[str]] = {}
    for place, kinds in places.items():
        about = metadata.get(next(iter(kinds.get("metadata", [])), ""), {})
        session = _DATED.sub("", str(dig(about, "session_id") or place))
        if session in _NO_ID and (named := _PLACE.search(place)):
            session = named[1] + named[2]
        compacts.setdefault(session, set()).update(kinds.get("compact", []))
        if "transcript" not in kinds:
            continue
        parts = sorted(kinds["transcript"], key=lambda one: (len(one.split(" ")[0]), one))
        copies.setdefault(session, set()).add(tuple(part.split(" ")[1] for part in parts))
    for session, one in shadows(path):
        if session in copies or session not in compacts:
            copies.setdefault(session, set()).add(one)
    found: dict[str, dict[str, Any]] = {}
    for session, tuples in copies.items():
        content = dict(blobs(path, (oid for one in tuples for oid in one)))
        keys: dict[str, set[str]] = {}
        for one in tuples:
            if not all(oid in content for oid in one):
                continue
            values = documents(b"\n".join(content[oid] for oid in one))
            agent = agent_of(values)
            keys.setdefault(agent, set()).update(calls(agent, values))
        if keys:
            agent = max(keys, key=lambda name: len(keys[name]))
            found[session] = {"agent": agent, "calls": len(keys[agent]), "files": len(tuples)}
    for session, oids in compacts.items():
        contents = dict(blobs(path, oids)) if session not in found else {}
        if contents:
            ids = {key for content in contents.values() for key in _compact(documents(content))}
            found[session] = {"agent": "entire-compact", "calls": len(ids), "files": len(contents)}
    return found


def _compact(values: list[Any]) -> Iterator[str]:
    for value in values:
        for index, block in enumerate(items(dig(value, "content"))):
            if dig(block, "type") in ("tool_use", "toolCall"):
                yield str(dig(block, "id") or f"{dig(value, 'id')}/{dig(value, 'ts')}/{index}")


def main() -> None:
    for name in sys.argv[1:]:
        print(json.dumps({name: count(Path(name))}))


if __name__ == "__main__":
    main()
