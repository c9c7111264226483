"""SWE-agent: `NAME.traj`, a document
`{trajectory: [{action, observation, thought, state}], history, info}`. No times are recorded.

An action is a line of a shell with commands of its own: until version 0.7 an editor that replaces
lines of the file that is open (`edit 4:6`), since then `str_replace_editor`, whose options are its
arguments. Nothing was done before there was an SWE-agent.
"""

import re
import shlex
from contextlib import suppress

from collector.agents.common.messages import text_of
from collector.agents.common.reader import AnyAgentReader, Result
from collector.agents.machine.model import Committed, file_is_session
from collector.json_values import JsonObject, get, get_list, get_str, objects, parse_json
from collector.model import Status
from collector.text import resolve
from collector.vocabulary.agents import Agent

NAME = "swe-agent"
AGENT = Agent(NAME, "SWE-agent", aliases=("sweagent",))
GIVES = frozenset({"results", "text", "commands", "commits", "directory"})
ORDER = 92

_FIRST_RELEASE = 1712016000.0  # 2 April 2024
_LINES = re.compile(r"edit (\d{1,9}):(\d{1,9})\n(.*?)\n?(?:end_of_edit)?\s*\Z", re.S)
_FAILED = re.compile(
    r"Your proposed edit has introduced new syntax error|Text not found|No file open|No edit was"
    r" performed|ERROR:|Error:|Invalid "
)
_WORDS = ("edit", "create", "insert", "str_replace_editor")


def sniff(head: object) -> bool:
    steps = objects(get_list(head, "trajectory"))[:3]
    return bool(steps) and all(
        {"action", "observation", "thought"} <= step.keys() for step in steps
    )


class _Reader(AnyAgentReader):
    ids_are_places = True

    def take(self, record: JsonObject) -> None:
        self.add_version(get(record, "info", "swe_agent_version"))
        said = [
            message for message in objects(record.get("history")) if message.get("role") == "user"
        ]
        task = next((message for message in said if not message.get("is_demo")), {})
        if self.is_new("task"):
            self.begin(None)
            self.add_prompt("task", None, text_of(task.get("content")))
        opened = ""
        for number, step in enumerate(objects(record.get("trajectory"))):
            state = step.get("state")
            if isinstance(state, str):
                state = parse_json(state)
            self.add_cwd(get_str(state, "working_dir"))
            opened = get_str(state, "open_file").replace("n/a", "") or opened
            if self.is_new(key := f"step {number}"):
                self.begin(None)
                self._step(step, key, resolve(self.cwd, opened))

    def _step(self, step: JsonObject, key: str, opened: str) -> None:
        if get_str(step, "thought"):
            self.add_message(key, None, "text", get_str(step, "thought"))
        action = get_str(step, "action").strip()
        text = get_str(step, "observation")
        if not action:
            return
        name, arguments = _call(action, opened)
        failed = name != "bash" and _FAILED.search(text)
        result = Result(None, text, Status.ERROR if failed else Status.OK)
        self.call_tool(
            key, name, arguments, None, result, message_id=key, not_before=_FIRST_RELEASE
        )


read = _Reader.document_reader(NAME)


def _call(action: str, opened: str) -> tuple[str, JsonObject]:
    """Tool and arguments of an action; a command of a shell where it is none of the agent's own."""
    if lines := _LINES.match(action):
        return "edit", {
            "path": opened,
            "body": lines[3],
            "start_line": int(lines[1]),
            "end_line": int(lines[2]),
        }
    words = []
    if action.partition(" ")[0] in _WORDS:
        with suppress(ValueError):  # a quote that is not closed
            words = shlex.split(action)
    if len(words) > 2 and words[0] == "str_replace_editor":
        options = dict(
            zip((word.removeprefix("--") for word in words[3::2]), words[4::2], strict=False)
        )
        return words[0], {"command": words[1], "path": words[2], **options}
    if len(words) > 2 and words[0] == "edit":
        return "edit", {
            "path": opened,
            "old_str": words[1],
            "new_str": words[2],
            "replace_all": words[3:] == ["True"],
        }
    return "bash", {"command": action}


COMMITTED = (
    Committed(
        ("**/*.traj",), file_is_session(sniff), found_by=("observation extension:traj",), own=True
    ),
    Committed(("**/*trajectory*.json",), file_is_session(sniff), own=True),
)
