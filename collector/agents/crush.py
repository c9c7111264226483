"""Crush: lines `{session}`, `{file}` and `{message}`, the rows of its database; every version of a
file that it changed is one.

A call stands in a message of the assistant, its result in one of the tool. Ids of calls repeat with
some models. Times are whole seconds, those of commands milliseconds. Edits record the whole text
before and after; that of a write is in the versions. Each command starts where the session did: the
directory in its result is where it ended, and moves nothing after it.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from collector.agents.common.messages import recorded_cost
from collector.agents.common.reader import FACETS, Call, Outcome, RecordReader, Result, is_error
from collector.agents.machine.databases import (
    DATABASE,
    CopiedDatabase,
    copied,
    list_sessions,
    of_bytes,
)
from collector.agents.machine.model import Committed, LocalSession, Roots, Store
from collector.json_values import (
    JsonObject,
    Moment,
    Numbers,
    Texts,
    get,
    get_dict,
    get_int,
    get_str,
    get_time,
    objects,
    parse_json,
)
from collector.model import FileObservation, Session, Spawn, Status, Usage
from collector.text import normal_path
from collector.vocabulary.agents import Agent

NAME = "crush"
AGENT = Agent(
    NAME, "Crush", common="word", accounts=r"crush@charm\.land", tools={"grep": "sourcegraph"}
)
GIVES = frozenset(FACETS) - {"positions", "tokens"}
ORDER = 24

_DENIED = ("user denied permission", "permission denied")
_ALL = "session"
_MORE = "(File has more lines"


def sniff(head: object) -> bool:
    if isinstance(head, str):
        return head.startswith(DATABASE) and " messages" in head
    about = get_dict(head, "session")
    return isinstance(head, dict) and "message_count" in about and "completion_tokens" in about


class _Reader(RecordReader):
    shells = ("bash",)
    writers = ("edit", "multiedit", "write")
    exits = re.compile(r"^Exit code (\d{1,9})\s*(?:<cwd>|\Z)", re.M)
    reads = ("view",)
    spawns = ("agent",)

    def prepare(self) -> None:
        self.models: Counter[str] = Counter()  # of answers
        self.started: set[str] = set()  # subagents
        self.open: Texts = {}  # id of a call -> its key here
        self.versions_of: dict[str, list[str]] = defaultdict(list)  # path -> its texts in order
        self.reached: Numbers = {}  # path -> number of the version after its latest edit

    def begin_copy(self, blob: bytes) -> bytes:
        if not blob.startswith(DATABASE.encode()):
            return blob
        with of_bytes(blob) as database:
            return _lines(database, self.session_id, "")

    def take(self, record: JsonObject) -> None:
        session, file, message = (get_dict(record, name) for name in ("session", "file", "message"))
        if session:
            self._session(session, record)
        elif file:
            self.versions_of[normal_path(get_str(file, "path"))].append(get_str(file, "content"))
        elif message:
            agent = get_str(record, "agent")
            self.started |= {agent} - {""}
            self._message(message, agent)
        else:
            self.unknown_record_type("no row")

    def _session(self, session: JsonObject, record: JsonObject) -> None:
        self.begin(get_time(session, "created_at"))
        self.add_cwd(record.get("cwd"))
        self.add_usage(
            Usage(
                _ALL,
                get_time(session, "updated_at"),
                0,
                "",
                cost=recorded_cost(session.get("cost")),
            )
        )

    def session(self) -> Session:
        """Cost is recorded for the whole session; it is put down to the model that answered
        most.
        """
        if _ALL in self.usage and self.models:
            order, whole = self.usage[_ALL]
            self.usage[_ALL] = (order, replace(whole, model=self.models.most_common(1)[0][0]))
        return super().session()

    def _message(self, message: JsonObject, agent: str) -> None:
        key = get_str(message, "id")
        role = get_str(message, "role")
        if not self.is_new(key):
            return
        time = get_time(message, "created_at")
        self.begin(time)
        if message.get("is_summary_message"):
            self.add_event("compaction", time)
            return
        if role == "assistant":
            self.use_model(get_str(message, "model"), time)
            self.models.update([self.model] if self.model else [])
        for index, part in enumerate(objects(parse_json(message.get("parts")))):
            self._part(part, f"{key}/{index}", role, time, agent)

    def _part(self, part: JsonObject, key: str, role: str, time: Moment, agent: str) -> None:
        kind = get_str(part, "type")
        data = get_dict(part, "data")
        if kind == "text" and role == "user":
            if not agent:
                self.add_turn(key, time, get_str(data, "text"))
        elif kind == "text":
            self.add_message(key, time, "text", get_str(data, "text"), agent)
        elif kind == "reasoning":
            self.add_message(key, time, "reasoning", get_str(data, "thinking"), agent)
        elif kind == "tool_call":
            self._call(data, key, time, agent)
        elif kind == "tool_result":
            self._result(data, time)
        elif kind == "shell_command":
            self.add_event("user_shell", time, get_str(data, "command"))

    def _call(self, data: JsonObject, key: str, time: Moment, agent: str) -> None:
        chosen = get_str(data, "id")
        call_id = chosen if chosen and chosen not in self.calls else key
        self.open[chosen] = call_id
        arguments = get_dict(parse_json(data.get("input")))
        message_id = key.rpartition("/")[0]
        self.call_tool(
            call_id, get_str(data, "name"), arguments, time, agent_id=agent, message_id=message_id
        )

    def _result(self, data: JsonObject, time: Moment) -> None:
        call_id = self.open.pop(get_str(data, "tool_call_id"), "")
        call = self.calls.get(call_id)
        if call is None:
            return
        details = get_dict(parse_json(data.get("metadata")))
        began = get_time(details, "start_time")
        ended = get_time(details, "end_time")
        if began is not None:
            call.at = began
        done = ended if ended is not None else time
        if done is not None and call.at is not None:
            done = max(done, call.at)
        text = get_str(data, "content")
        printed = get_str(details, "output") or None
        self.add_result(
            call_id,
            Result(done, text, is_error(get(data, "is_error")), details=details, printed=printed),
        )

    def outcome(self, call: Call, result: Result) -> Outcome:
        status, error = super().outcome(call, result)
        denied = result.status is Status.ERROR and result.text.strip().lower().startswith(_DENIED)
        return (Status.REJECTED if denied else status), error

    def spawn(self, call: Call, result: Result) -> Spawn:
        return Spawn(kind="agent", visible=bool(self.started))

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        path = call.path
        after = get(result.details, "new_content")
        if isinstance(after, str):
            self._reach(path, after)
            return self._texts(get_str(result.details, "old_content"), after)
        if call.name == "write" and result.status is Status.OK:
            number = self._reach(path, after := get_str(call.arguments, "content"))
            # the version before tells the text before, if it was not known
            if number:
                return self._texts(self.versions_of[path][number - 1], after)
            return {}
        return {}

    def _reach(self, path: str, text: str) -> int:
        """The number of the next version with this text; 0 where there is none."""
        versions = self.versions_of.get(path, [])
        numbers = range(self.reached.get(path, 0) + 1, len(versions))
        value = next((number for number in numbers if versions[number] == text), 0)
        self.reached[path] = value or self.reached.get(path, 0)
        return value

    def _texts(self, before: str, after: str) -> JsonObject:
        """An empty text before is that of a file that was not there."""
        return {"before": before or None, "before_known": True, "after": after}

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        path = get_str(result.details, "file_path")
        start = max(get_int(call.arguments, "offset"), 0)
        whole = (
            start == 0 and get_int(call.arguments, "limit") <= 0 and _MORE not in result.text[-500:]
        )
        shown = replace(call, arguments={"path": path}) if path else call
        return self.display(shown, result, get_str(result.details, "content"), start + 1, whole)


# Copies are lines, or databases as people commit them: of those, the session's rows.
read = _Reader.line_reader(NAME)


# --- sessions on this machine ---------------------------------------------------------------------

# No row names a directory: a session belongs when it changed files of the worktree, or none that
# has an absolute path.
_INSIDE = ".crush/crush.db"
_TABLES = {
    "sessions": ("id", "created_at"),
    "messages": ("id", "session_id", "parts"),
    "files": ("path", "content", "version"),
}
_ABOUT = (
    "id",
    "parent_session_id",
    "message_count",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "created_at",
    "updated_at",
)
_MESSAGE = ("id", "role", "parts", "model", "created_at", "is_summary_message")


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    if not roots.of(str(location.parents[1])):
        return
    with copied(location) as database:
        if not database.has(_TABLES):
            return
        rows = database.rows(
            f"SELECT {database.present('sessions', _ABOUT)} FROM sessions ORDER BY created_at, id"
        )
        for row in rows:
            files_of = database.rows(
                "SELECT DISTINCT path FROM files WHERE session_id = ?", (row["id"],)
            )
            paths = [str(entry["path"]) for entry in files_of]
            cwd = _directory(location, paths, roots)
            # one without messages says nothing
            if cwd and not row.get("parent_session_id") and row.get("message_count") != 0:
                number = str(row["id"])
                time = get_time(row, "updated_at") or 0.0
                why = f"changed files of {cwd}" if paths else f"kept in {cwd}"
                stamp = f"{number} {row.get('updated_at')} {row.get('message_count')}"
                yield LocalSession(number, (location,), why, number, cwd, stamp, time)


def _load(session: LocalSession) -> Iterator[bytes]:
    with copied(session.files[0]) as database:
        yield _lines(database, session.key, session.cwd)


def _lines(database: CopiedDatabase, session: str, cwd: str) -> bytes:
    return "\n".join(map(json.dumps, _records(database, session, cwd))).encode()


def _session_ids(database: CopiedDatabase) -> Iterator[str]:
    """Sessions with messages; those that another one started are read with it."""
    sql = (
        "SELECT id FROM sessions WHERE message_count > 0 AND parent_session_id IS NULL"
        " ORDER BY created_at, id"
    )
    if database.has(_TABLES):
        yield from (str(row["id"]) for row in database.rows(sql))


def _directory(location: Path, paths: list[str], roots: Roots) -> str:
    absolute = [path for path in paths if path.startswith("/") or path[1:3] in (":\\", ":/")]
    if absolute:
        for path in absolute:
            if root := roots.of(path):
                return root
        return ""
    if roots.of(str(location.parents[1])):
        return str(location.parents[1])
    return ""


def _records(database: CopiedDatabase, session: str, cwd: str) -> Iterator[JsonObject]:
    """A session, the versions of its files, its messages, and those of the sessions that it
    started.
    """
    (row,) = database.rows(
        f"SELECT {database.present('sessions', _ABOUT)} FROM sessions WHERE id = ?", (session,)
    )
    yield {"session": row, "cwd": cwd}
    sql = "SELECT path, content FROM files WHERE session_id = ? ORDER BY path, version"
    for file in database.rows(sql, (session,)):
        yield {"file": file}
    columns = database.present("messages", _MESSAGE)
    messages = f"SELECT {columns} FROM messages WHERE session_id = ? ORDER BY created_at, rowid"
    for message in database.rows(messages, (session,)):
        yield {"message": message}
    for child in database.rows(
        "SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY created_at, id", (session,)
    ):
        for message in database.rows(messages, (child["id"],)):
            yield {"message": message, "agent": str(child["id"])}


COMMITTED = (
    Committed(
        ("**/.crush/crush.db",),
        list_sessions(_session_ids),
        every=True,
        found_by=("filename:crush.db path:.crush",),
    ),
)
STORES = (
    Store(
        NAME,
        find=_find,
        load=_load,
        inside=_INSIDE,
    ),
)
