"""claude-flow (ruflo): a database of what Claude Code does, kept by hooks.

It has the commands, and of edits the file, the time and the size after each, but no text. A session
ends where a row says so, and the next begins with what is put down after it.
"""

import json

from collector.agents.common.reader import RecordReader, Result
from collector.agents.machine.databases import DATABASE, CopiedDatabase, list_sessions, of_bytes
from collector.agents.machine.model import Committed
from collector.json_values import JsonObject, Texts, get_str, get_time, parse_json
from collector.vocabulary.agents import Agent

NAME = "claude-flow"
AGENT = Agent(NAME, "claude-flow", aliases=("ruflo",), runs_others=True)
GIVES = frozenset({"times", "results", "commands", "directory"})
ORDER = 26

_TABLES = {"memory_entries": ("id", "key", "value", "namespace")}
_ROWS = (
    "SELECT CAST(coalesce(key, id) AS TEXT) AS key, value, namespace FROM memory_entries"
    " WHERE namespace IN ('hooks:pre-bash', 'hooks:post-bash', 'sessions')"
    " OR key LIKE 'edit-context:%' ORDER BY id"
)


def sniff(head: object) -> bool:
    return isinstance(head, str) and head.startswith(DATABASE) and " memory_entries" in head


class _Reader(RecordReader):
    shells = ("bash",)
    writers = ("edit",)

    def prepare(self) -> None:
        self.began: Texts = {}  # command -> key of its call

    def begin_copy(self, blob: bytes) -> bytes:
        with of_bytes(blob) as database:
            rows = _read_sessions(database).get(self.session_id, [])
        return "\n".join(map(json.dumps, rows)).encode()

    def take(self, record: JsonObject) -> None:
        self.add_cwd(record["workingDir"])
        command = get_str(record, "command")
        at = get_time(record, "timestamp")
        if "editId" in record:
            at = get_time(record, "editedAt")
            arguments = {"file_path": record.get("file")}
            self.call_tool(get_str(record, "editId"), "edit", arguments, at, Result(at, ""))
        elif "exitCode" in record and command in self.began:
            # that this hook ran says that the command succeeded: the code is always 0
            self.add_result(self.began.pop(command), Result(at, ""))
        else:
            arguments = {"command": command}
            self.began[command] = self.call_tool(get_str(record, "bashId"), "bash", arguments, at)
        self.begin(at)


# Copies are databases: of those, the session's rows.
read = _Reader.line_reader(NAME)


def _read_sessions(database: CopiedDatabase) -> dict[str, list[JsonObject]]:
    """The rows of each session, by the key of its first."""
    found: dict[str, list[JsonObject]] = {}
    rows: list[JsonObject] = []
    directory = ""
    if not database.has(_TABLES):
        return found
    for row in database.rows(_ROWS):
        record = parse_json(row["value"])
        if row["namespace"] == "sessions":
            rows = []
        elif isinstance(record, dict):
            directory = get_str(record, "workingDir") or directory
            if not rows:
                found[row["key"]] = rows
            rows.append(record | {"workingDir": directory})
    return found


COMMITTED = (
    Committed(
        ("**/.swarm/memory.db",),
        list_sessions(_read_sessions),
        every=True,
        found_by=("filename:memory.db path:.swarm",),
    ),
)
