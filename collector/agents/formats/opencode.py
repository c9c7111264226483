"""Sessions as OpenCode exports them, and agents that grew out of it: documents
`{info, messages: [{info, parts}]}`.

A tool part holds its call and its result. Part and call ids may be redacted, so a part is known by
its message and its place in it. `apply_patch` records whole texts of each file before and after (up
to 1.2; later versions a diff); the summary of a user message records what the whole turn changed,
shell commands included. A subagent is a session of its own with a `parentID`.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from collector.agents.common.edits import edits_from_patch
from collector.agents.common.messages import recorded_cost
from collector.agents.common.reader import (
    Call,
    RecordReader,
    Result,
    commits_in,
    numbered_lines,
    status_of,
)
from collector.agents.machine import files
from collector.agents.machine.databases import CopiedDatabase, copied
from collector.agents.machine.model import LocalSession, Roots
from collector.git.patches import parse_unified, whole_texts
from collector.groups import group_pairs
from collector.json_values import (
    JsonObject,
    Moment,
    first_text,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    get_time,
    json_bytes,
    load_json,
    objects,
    parse_json,
    time_of,
    to_json,
)
from collector.model import Command, Edit, FileObservation, Hunk, Session, Spawn, Status
from collector.text import decode, first_group, resolve, timestamp
from collector.vocabulary.sessions import Driver

_REDACTED = "REDACTED"
_LINE = re.compile(r"^\s*(\d+)(?:: |\| ?)(.*)$", re.S)
_TAGS = ("content", "file")
_ATTACHED = re.compile(r"<path>([^<>\n]{1,4000})</path>\n<type>file</type>")
_CUT_LINE = "... (line truncated to"


# as `/export` writes it; calls have their input if the user wanted details
_EXPORTED = re.compile(r"# [^\n]*\s+\*\*Session ID:\*\* (ses_\w+)\s")
_ABOUT = 2_000  # bytes; a longer title is not looked at
_CREATED = re.compile(
    r"\*\*Created:\*\* (\d{1,4})[./](\d{1,2})[./](\d{1,4}),? (\d{1,2}):(\d\d:\d\d)(?:\s([AP])M)?"
)
_SPEAKER = re.compile(r"\n---\n\n## (User|Assistant)(?: \((?:[^\n]* · )?([^\n]*) · [\d.]+\w+\))?\n")
# in January 2026 a call stood in a fence of its own
_TOOL = re.compile(r"\n(?:\*\*|```\n)Tool: ([^\s*]+)(?:\*\*)?\n\n\*\*Input:\*\*\n```json\n(?=\{)")
_ANSWER = re.compile(r"\n```\n+\*\*(Output|Error):\*\*\n```\n(.*)\n```", re.S)


def read_exported(agent: str, session_id: str, blobs: Iterable[bytes]) -> Session:
    """A session of its documents, or of its text: of that only the beginning is dated, by a clock
    without a zone.
    """
    began = None
    documents = []
    for blob in blobs:
        text = decode(blob) if session_of_markdown(decode(blob[:_ABOUT])) else ""
        if not began:
            began = _read_creation_time(text[:_ABOUT])
        documents.append(json_bytes(_document_of_markdown(text)) if text else blob)
    session = _Reader(agent, session_id).read_documents(documents)
    if began is None:
        return session
    calls = (replace(call, not_before=began) if call.at is None else call for call in session.calls)
    return replace(session, calls=tuple(calls), local_clock=True)


def session_of_markdown(text: str) -> str:
    """The id of the session of which this is the beginning of an exported text; "" of others."""
    return first_group(_EXPORTED.match(text))


def _read_creation_time(text: str) -> Moment:
    """When an exported session began, by the clock and the customs of its author: the month comes
    first where hours have a half of the day.
    """
    match = _CREATED.search(text)
    if match is None:
        return None
    first, second, third, hour = map(int, match.groups()[:4])
    half = match[6]
    year, month, day = (
        (first, second, third)
        if first > 31
        else (third, first, second)
        if half
        else (third, second, first)
    )
    if half:
        hour = hour % 12 + 12 * (half == "P")
    return timestamp(f"{year}-{month:02}-{day:02}T{hour:02}:{match[5]}")


def _document_of_markdown(text: str) -> JsonObject:
    """An exported text as the document that OpenCode exports; it has no times."""
    _, *said = _SPEAKER.split(text)
    messages = []
    for role, model, body in zip(said[::3], said[1::3], said[2::3], strict=True):
        spoken, *calls = _TOOL.split(body)
        parts = [{"type": "text", "text": spoken.strip()}]
        parts += [
            part
            for name, written in zip(calls[::2], calls[1::2], strict=True)
            for part in _call_of_markdown(name, written)
        ]
        messages.append({"info": {"role": role.lower(), "modelID": model}, "parts": parts})
    return {"info": {}, "messages": messages}


def _call_of_markdown(name: str, written: str) -> Iterator[JsonObject]:
    """A call as a part of a document, if its input is whole."""
    try:
        arguments, end = json.JSONDecoder().raw_decode(written)
    except ValueError:
        return
    # an output that is empty is left out, an error is not
    state = {"status": "completed", "output": "", "input": arguments, "metadata": {"exit": 0}}
    if answer := _ANSWER.match(written, end):
        text = answer[2].removesuffix("\n```")
        failed = {"status": "error", "error": text}
        state |= {"output": text} if answer[1] == "Output" else failed
    yield {"type": "tool", "tool": name, "state": state}


class _Reader(RecordReader):
    shells = ("bash", "shell")
    writers = ("write", "edit", "multiedit")
    reads = ("read",)
    spawns = ("task",)
    rejections = (
        "rejected permission",
        "user rejected",
        "user dismissed",
        "dismissed this question",
    )

    def take(self, record: JsonObject) -> None:
        info = get_dict(record, "info")
        messages = objects(record.get("messages"))
        self.add_cwd(info.get("directory"))
        self.add_version(info.get("version"))
        if not self.parent_id:
            self.parent_id = get_str(info, "parentID")
        if any(
            rule.get("permission") == "question" and rule.get("action") == "deny"
            for rule in objects(info.get("permission"))
        ):
            self.driver = Driver.PROGRAM  # `opencode run` may ask nobody
        ends = _turn_ends(messages)
        for number, message in enumerate(messages):
            key = _message_key(get_dict(message, "info"), number)
            if self.is_new(key):
                self._message(message, key, ends)

    def _message(self, message: JsonObject, key: str, ends: dict[str, float]) -> None:
        info = get_dict(message, "info")
        parts = get_list(message, "parts")
        time = get_time(info, "time", "created")
        self.begin(time)
        if info.get("role") == "user":
            # a prompt names the model that was chosen, an answer the one that gave it
            self.use_model(_model(info), time)
            self._user(key, parts, time)
            self._turn_changes(info, time, ends)
        else:
            self._assistant(info, key, parts, time)

    @property
    def _first_cwd(self) -> str:
        return next(iter(self.cwds), "")

    def _user(self, key: str, parts: list[Any], time: Moment) -> None:
        typed = []
        for part in parts:
            kind = get(part, "type")
            text = get_str(part, "text")
            if kind == "text" and get(part, "synthetic") is True:
                self.add_event("injected", time, text[:80])
                # named with @
                if (attached := _ATTACHED.match(text)) and (listed := _listed_text(text)):
                    shown, start, whole = listed
                    self.add_observation(
                        FileObservation(
                            resolve(self._first_cwd, attached[1]), time, start, shown, whole
                        )
                    )
            elif kind == "text":
                typed.append(text)
            elif kind == "subtask":
                self.add_turn((key, "command"), time, f"/{get_str(part, 'command')}", "command")
            elif kind == "compaction":
                self.add_event("compaction", time, "auto" if get(part, "auto") is True else "")
        self.add_turn(key, time, "\n".join(typed))

    def _turn_changes(self, info: JsonObject, time: Moment, ends: dict[str, float]) -> None:
        """Texts of the files that the turn changed, as they were when it began and when it
        ended.
        """
        ended = ends.get(get_str(info, "id"), time)
        for change in get_list(info, "summary", "diffs"):
            path = resolve(self._first_cwd, get_str(change, "file"))
            before, after = _both_texts(change)
            if before is not None and get(change, "status") != "added":
                self.add_observation(FileObservation(path, time, 1, before, whole=True))
            if after is not None and get(change, "status") != "deleted":
                self.add_observation(FileObservation(path, ended, 1, after, whole=True))

    def _assistant(self, info: JsonObject, key: str, parts: list[Any], time: Moment) -> None:
        self.add_cwd(get(info, "path", "cwd"))
        self.use_model(_model(info), time)
        self.mode = self.switched("mode_change", self.mode, get_str(info, "mode"), time)
        self._usage(info, key, time)
        error = get_str(info, "error", "name")
        if error:
            kind = "interrupt" if error == "MessageAbortedError" else "api_error"
            self.add_event(kind, time, get_str(info, "error", "data", "message") or error)
        for index, part in enumerate(parts):
            if isinstance(part, dict):
                self._part(part, info, f"{key}/{index}", time)

    def _usage(self, info: JsonObject, key: str, time: Moment) -> None:
        self.count_tokens(
            key,
            time,
            info.get("tokens"),
            cached_among_input=False,
            reasoning=get_int(info, "tokens", "reasoning"),
            model=_model(info),
            cost=recorded_cost(info.get("cost")),
        )

    def _part(self, part: JsonObject, info: JsonObject, key: str, time: Moment) -> None:
        kind = part.get("type")
        began = get_time(part, "time", "start") or time
        if kind in ("text", "reasoning"):
            self.add_message(key, began, str(kind), get_str(part, "text"))
        elif kind == "tool":
            self._tool(part, info, key, time)
        elif kind == "patch":
            files = "\n".join(f for f in get_list(part, "files") if isinstance(f, str))
            self.add_event("files_changed", time, files, limit=4000)

    def _tool(self, part: JsonObject, info: JsonObject, key: str, time: Moment) -> None:
        state = get_dict(part, "state")
        # a command that ran when the user stopped it, or too long
        stopped = get_dict(state, "metadata").get("exit", 0) is None
        status = Status.UNKNOWN if stopped else status_of(get_str(state, "status"))
        began = get_time(state, "time", "start") or time
        self.begin(began)
        call_id = get_str(part, "callID")
        unusable = not call_id or _REDACTED in call_id or call_id in self.calls
        text = next((get_str(state, name) for name in ("output", "error") if name in state), None)
        result = Result(
            get_time(state, "time", "end"),
            text or "",
            status,
            get_str(state, "error"),
            state,
            get_str(state, "metadata", "output") or get_str(state, "output"),
            get_int(state, "metadata", "exit"),
            recorded=text is not None,
        )
        self.call_tool(
            key if unusable else call_id,
            get_str(part, "tool"),
            state.get("input"),
            began,
            result,
            model=_model(info),
            message_id=get_str(info, "id"),
            cwd=get_str(info, "path", "cwd") or self._first_cwd,
        )

    def commits(self, command: Command, result: Result) -> tuple[str, ...]:
        return commits_in(command, get_str(result.details, "output"))

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        if call.name not in ("apply_patch", "patch"):
            return super().edits(call, result)
        stated = edits_from_patch(call.arguments, call.cwd)
        by_path = {edit.path: edit for edit in stated}
        files = [
            file
            for file in get_list(result.details, "metadata", "files")
            if get_str(file, "filePath")
        ]
        return [_patched_file(file, call.cwd, by_path) for file in files] or stated

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        metadata = get_dict(result.details, "metadata")
        if call.name == "write":
            return {"before_known": metadata.get("exists") is False}
        change = get_dict(metadata, "filediff")
        return {**_texts(change), "hunks": _display_hunks(change, get_str(metadata, "diff"))}

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """The lines of a file as `read` showed them."""
        if listed := _listed_text(get_str(result.details, "output")):
            return self.display(call, result, *listed)
        return None

    def spawn(self, call: Call, result: Result) -> Spawn:
        return Spawn(
            get_str(result.details, "metadata", "sessionId"),
            get_str(call.arguments, "subagent_type"),
            visible=False,
        )


def body_of(display: str) -> str:
    """What stands in `<content>` or `<file>`, whichever is first, without a line break at either
    end; "" without one of them.

    An output that was cut has no end. Searched without a regular expression, which tries every
    character of the file.
    """
    begins = [(position, tag) for tag in _TAGS if (position := display.find(f"<{tag}>")) >= 0]
    if not begins:
        return ""
    position, tag = min(begins)
    start = position + len(tag) + 2
    start += display.startswith("\n", start)
    end = display.find(f"</{tag}>", start)
    if end < 0:
        end = len(display)
    return display[start : end - (end > start and display[end - 1] == "\n")]


def _listed_text(display: str) -> tuple[str, int, bool] | None:
    """Text, number of its first line, and whether it is the whole file, of a listing with
    numbers; None where lines are cut.
    """
    body = body_of(display)
    listed = numbered_lines(
        "\n".join(line for line in body.split("\n") if _LINE.match(line)), _LINE
    )
    if listed is None or _CUT_LINE in body or listed[0] >= 10**9:
        return None
    return "\n".join(listed[1]) + "\n", listed[0], listed[0] == 1 and "(End of file" in body[-200:]


_BILLS_OTHERWISE = ("github-copilot", "github-copilot-enterprise")


def _model(info: JsonObject) -> str:
    """The model; with the provider where that bills in its own way, and not by the token."""
    model = get_str(info, "modelID") or get_str(info, "model", "modelID")
    provider = get_str(info, "providerID") or get_str(info, "model", "providerID")
    if model and provider in _BILLS_OTHERWISE:
        return f"{provider}/{model}"
    return model


def _message_key(info: JsonObject, number: int) -> str:
    message_id = get_str(info, "id")
    if message_id and _REDACTED not in message_id:
        return message_id
    return f"{info.get('role')}/{to_json(get(info, 'time', 'created'), 40)}/{number}"


def _turn_ends(messages: list[JsonObject]) -> dict[str, float]:
    """Id of a user message -> when the last answer to it was complete."""
    ends = {}
    for message in messages:
        ended = get_time(message, "info", "time", "completed")
        if ended is not None:
            ends[get_str(message, "info", "parentID")] = ended
    return ends


def _both_texts(change: object) -> tuple[str | None, str | None]:
    before = get(change, "before")
    after = get(change, "after")
    if isinstance(before, str) and isinstance(after, str):
        return before, after
    return whole_texts(parse_unified(get_str(change, "patch"))) or (None, None)


def _texts(change: JsonObject) -> JsonObject:
    before = change.get("before")
    after = change.get("after")
    if not isinstance(before, str) or not isinstance(after, str):
        return {}
    return {"before": before, "before_known": True, "after": after}


def _display_hunks(change: object, diff: str = "") -> tuple[Hunk, ...]:
    """Hunks of a display diff: indentation common to all its lines is cut, so positions are
    exact and text is not.
    """
    hunks = parse_unified(first_text(change, "patch", "diff") or diff)
    return tuple(replace(hunk, exact_text=False) for hunk in hunks)


def _patched_file(file: JsonObject, cwd: str, stated: dict[str, Edit]) -> Edit:
    """One file of an applied patch: whole texts where the version records them, else what the
    patch states.
    """
    path = resolve(cwd, get_str(file, "filePath"))
    kind = file.get("type")
    texts = _texts(file)
    of_patch = stated.get(path)
    if kind == "add":
        added = texts.get("after") if texts else of_patch.content if of_patch else None
        return Edit(path, "write", content=added, before_known=True, after=added)
    if kind == "delete":
        return Edit(path, "delete", before=texts.get("before"), before_known=bool(texts))
    new_path = resolve(
        cwd, get_str(file, "movePath") or (get_str(file, "move") if kind == "move" else "")
    )
    hunks = (
        _display_hunks(file)
        if texts or of_patch is None
        else _place_hunks(_display_hunks(file), of_patch.hunks)
    )
    return Edit(path, "move" if new_path else "edit", hunks=hunks, new_path=new_path, **texts)


def _place_hunks(display: tuple[Hunk, ...], stated: tuple[Hunk, ...]) -> tuple[Hunk, ...]:
    """The shown hunks where their lines prove to be uncut, else those of the patch: exact text
    without positions.
    """
    if stated and _changed_lines(display) == _changed_lines(stated):
        return tuple(replace(hunk, exact_text=True) for hunk in display)
    return stated or display


def _changed_lines(hunks: tuple[Hunk, ...]) -> list[str]:
    """Removed and added lines; a patch may state the same change in another order."""
    return sorted(line for hunk in hunks for line in hunk.lines if line[:1] in ("+", "-"))


# --- sessions on this machine ---------------------------------------------------------------------

_TABLES = {
    "session": ("id", "directory"),
    "message": ("id", "session_id", "data"),
    "part": ("id", "message_id", "data"),
}
_INFO = {"parent_id": "parentID", "version": "version", "title": "title"}


def find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    with copied(location) as database:
        if not database.has(_TABLES):
            return
        columns = database.present("session", ("id", "directory", "time_updated"))
        for row in database.rows(f"SELECT {columns} FROM session"):
            number = str(row["id"])
            cwd = str(row["directory"])
            updated = row.get("time_updated")
            if roots.of(cwd):
                stamp = f"{number} {updated}" if updated else ""
                yield LocalSession(
                    number,
                    (location,),
                    f"started in {cwd}",
                    number,
                    cwd,
                    stamp,
                    time_of(updated) or 0.0,
                )


def load(session: LocalSession) -> Iterator[bytes]:
    with copied(session.files[0]) as database:
        yield json.dumps(_session_of_database(database, session.key), default=str).encode()


def _session_of_database(database: CopiedDatabase, session: str) -> JsonObject:
    (row,) = database.rows("SELECT * FROM session WHERE id = ?", (session,))
    messages = database.rows(
        "SELECT id, data FROM message WHERE session_id = ? ORDER BY id", (session,)
    )
    of_session = "message_id IN (SELECT id FROM message WHERE session_id = ?)"
    parts = group_pairs(
        (part["message_id"], _add_id(part["data"], part["id"]))
        for part in database.rows(
            f"SELECT id, message_id, data FROM part WHERE {of_session} ORDER BY id", (session,)
        )
    )
    info = {
        "id": session,
        "directory": row["directory"],
        "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
        "permission": parse_json(row.get("permission")),
        **{theirs: row.get(name) or "" for name, theirs in _INFO.items()},
    }
    return _document(info, [_add_id(entry["data"], entry["id"]) for entry in messages], parts)


def _add_id(written: object, number: str) -> JsonObject:
    return get_dict(parse_json(written)) | {"id": number}


def _document(
    info: JsonObject,
    messages: list[JsonObject],
    parts: Mapping[str, list[JsonObject]],
) -> JsonObject:
    """A session as OpenCode exports it; `parts`: by the id of their message."""
    return {
        "info": info,
        "messages": [{"info": entry, "parts": parts.get(entry["id"], [])} for entry in messages],
    }


# --- sessions in files, before 1.2 ----------------------------------------------------------------


def whose_file(path: Path) -> tuple[str, str]:
    return path.stem, get_str(files.document(path), "directory")


def files_beside(path: Path) -> Iterator[Path]:
    """The messages of a session, `message/SESSION/*`, and their parts, `part/MESSAGE/*`, each in
    their order.
    """
    storage = path.parents[2]
    for message in files.match_files(storage / "message" / path.stem, "*.json"):
        yield message
        yield from files.match_files(storage / "part" / message.stem, "*.json")


def load_files(session: LocalSession) -> Iterator[bytes]:
    """Raises ValueError for a file that is no JSON: it is being written. Names of files are the
    ids, what the files say of them is not.
    """
    below = defaultdict(list)
    for path in session.files:
        value = get_dict(load_json(files.content(path)))
        below[path.parent.name].append(value | {"id": path.stem})
    (info,) = below.pop(session.files[0].parent.name)
    yield json_bytes(_document(info, below[session.id], below))
