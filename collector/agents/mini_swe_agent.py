"""mini-SWE-agent: `NAME.traj.json`, a document `{info, messages, trajectory_format}`. Its only tool
is a shell.

Version 2 names the commands of an answer in `extra`; before, an answer has one in a fenced text.
What the user's side says next is the result. The directory is that of the configuration, where it
names one.
"""

import re
from collections import Counter

from collector.agents.common.messages import recorded_cost
from collector.agents.common.reader import AnyAgentReader, Result
from collector.agents.formats.chat import ChatMessage, chat_messages
from collector.agents.machine.model import Committed, file_is_session
from collector.json_values import (
    JsonObject,
    Moment,
    get,
    get_dict,
    get_int,
    get_str,
    objects,
    time_of,
)
from collector.vocabulary.agents import Agent

NAME = "mini-swe-agent"
AGENT = Agent(NAME, "mini-SWE-agent", aliases=("minisweagent",))
GIVES = frozenset({"times", "results", "commands", "commits", "models", "tokens", "directory"})
ORDER = 92

_FENCED = re.compile(r"```(?:bash|sh|mswea_bash_command)\s*\n(.*?)\n?```", re.S)
_PRINTED = re.compile(
    r"<returncode>(-?\d{1,9})</returncode>\s*(?:<(?:warning|output\w*)>\n?)?(.*?)(?:</output>)?\s*\Z",
    re.S,
)
_RESULTS = ("user", "tool")


def sniff(head: object) -> bool:
    return get_str(head, "trajectory_format").startswith(NAME) and isinstance(
        get(head, "messages"), list
    )


class _Reader(AnyAgentReader):
    def take(self, record: JsonObject) -> None:
        info = get_dict(record, "info")
        self.add_version(info.get("mini_version"))
        self.add_cwd(get(info, "config", "environment", "cwd"))
        self.model = get_str(info, "config", "model", "model_name")
        waiting: list[str] = []  # calls without a result
        repeats: Counter[str] = Counter()
        for message in chat_messages(record):
            repeats[message.key] += 1
            key = f"{message.key}/{repeats[message.key]}"
            time = time_of(
                get(message.record, "extra", "timestamp") or message.record.get("timestamp")
            )
            self.begin(time)
            if waiting and message.role in _RESULTS:
                self._result(message, message.answers or waiting[0], time)
                waiting.pop(0)
            elif message.role == "user":
                self.add_prompt(key, time, message.text)
            elif message.role == "assistant":
                waiting = self._read_message(message, key, time)

    def _read_message(self, message: ChatMessage, key: str, time: Moment) -> list[str]:
        """The calls of an answer."""
        extra = get_dict(message.record, "extra")
        self.add_message(key, time, "text", message.text)
        self.count_tokens(
            key,
            time,
            get_dict(extra, "response", "usage"),
            cost=recorded_cost(extra.get("cost")),
        )
        actions = objects(extra.get("actions")) or [
            {"command": command} for command in _FENCED.findall(message.text)[:1]
        ]
        ids = []
        for index, action in enumerate(actions):
            call_id = get_str(action, "tool_call_id") or f"{key}/{index}"
            command = {"command": get_str(action, "command")}
            ids.append(self.call_tool(call_id, "bash", command, time, message_id=key))
        return ids

    def _result(self, message: ChatMessage, call_id: str, time: Moment) -> None:
        extra = get_dict(message.record, "extra")
        printed = _PRINTED.search(message.text)
        code = get_int(extra, "returncode") or (int(printed[1]) if printed else 0)
        output = get_str(extra, "raw_output") or (printed[2] if printed else message.text)
        self.add_result(call_id, Result(time, message.text, printed=output, exit_code=code))


read = _Reader.document_reader(NAME)


COMMITTED = (
    Committed(
        ("**/*.traj.json",),
        file_is_session(sniff),
        found_by=("mini_version extension:json filename:traj.json",),
        own=True,
    ),
    Committed(("**/*trajectory*.json",), file_is_session(sniff), own=True),
)
