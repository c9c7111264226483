"""OpenHands: one JSON array of events, `{action, args}` and the `{observation, content, extras}`
that it is the `cause` of.

So it exports a conversation, and people commit that file. Times are those of the server's clock,
without a zone. Tokens are added up over the session, for each model; calls are known by the number
of their event.
"""

from collections.abc import Iterable
from dataclasses import replace

from collector.agents.common.jsonl import documents
from collector.agents.common.reader import AnyAgentReader, Call, Result
from collector.agents.machine.model import Committed, file_is_session
from collector.json_values import (
    JsonObject,
    Moment,
    Numbers,
    first_of,
    get,
    get_dict,
    get_int,
    get_str,
    objects,
)
from collector.model import Edit, Session, Status
from collector.text import resolve, timestamp
from collector.vocabulary.agents import Agent

NAME = "openhands"
AGENT = Agent(
    NAME,
    "OpenHands",
    accounts=(
        r"openhands@all-hands\.dev|openhands-claude@all-hands\.dev|bot@opendevin\.com|opendevin@all-hands\.dev|"
        r"openhands@openhands\.dev|opendevin@opendevin\.ai"
    ),
    aliases=("opendevin", "openhands-bot"),
)
GIVES = frozenset(
    {"times", "results", "text", "before", "commands", "commits", "models", "tokens", "directory"}
)
ORDER = 92

# of calls that do not say their tool
_NAMES = {"run": "execute_bash", "edit": "edit_file", "write": "write_file"}
_CALLS = (
    *_NAMES,
    "read",
    "browse",
    "browse_interactive",
    "run_ipython",
    "call_tool_mcp",
    "delegate",
)
_SILENT = (
    "recall",
    "change_agent_state",
    "condensation_request",
    "task_tracking",
    "loop_recovery",
    "start",
)
_TOKENS = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")


def sniff(head: object) -> bool:
    return any(map(_is_event, _events(head)[:3]))


def _events(document: object) -> list[JsonObject]:
    return objects(
        first_of(document, "history", "trajectory") if isinstance(document, dict) else document
    )


def _is_event(event: JsonObject) -> bool:
    named = isinstance(event.get("action"), str) or isinstance(event.get("observation"), str)
    return (
        named
        and get_str(event, "source") in ("agent", "user", "environment")
        and "timestamp" in event
    )


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(NAME, session_id)
    for document in documents(blobs, reader.problems, session_id):
        for event in _events(document):
            reader.take(event)
    return replace(reader.session(), local_clock=True)


class _Reader(AnyAgentReader):
    def prepare(self) -> None:
        self.counted: dict[str, Numbers] = {}  # model -> tokens so far

    def take(self, event: JsonObject) -> None:
        key = f"event {get_int(event, 'id')}"
        time = timestamp(get_str(event, "timestamp").removesuffix("Z") + "Z")
        if not self.is_new(key):
            return
        self.begin(time)
        if isinstance(event.get("observation"), str):
            self._read_observation(event, time)
        else:
            self._did(get_str(event, "action"), get_dict(event, "args"), event, key, time)
        self._count(get_dict(event, "llm_metrics", "accumulated_token_usage"), key, time)

    def _did(
        self,
        action: str,
        arguments: JsonObject,
        event: JsonObject,
        key: str,
        time: Moment,
    ) -> None:
        said = first_of(arguments, "content", "final_thought", "thought")
        if action == "system":
            self.add_version(arguments.get("openhands_version"))
        elif action == "message" and event.get("source") == "user":
            self.add_prompt(key, time, get_str(arguments, "content"))
        elif action == "condensation":
            self.add_event("compaction", time)
        elif action in ("message", "finish", "think") and said:
            self.add_message(key, time, "reasoning" if action == "think" else "text", str(said))
        elif action in _CALLS:
            self._call(action, arguments, event, key, time)
        elif (
            action not in _SILENT
            and event.get("source") == "agent"
            and action not in ("message", "finish", "think")
        ):
            self.unknown_record_type(action)

    def _call(
        self,
        action: str,
        arguments: JsonObject,
        event: JsonObject,
        key: str,
        time: Moment,
    ) -> None:
        about = get_dict(event, "tool_call_metadata")
        self.use_model(get_str(about, "model_response", "model"), time)
        if get_str(arguments, "thought"):
            self.add_message(key, time, "text", get_str(arguments, "thought"))
        name = get_str(about, "function_name") or _NAMES.get(action, action)
        given = {
            name: value
            for name, value in arguments.items()
            if value not in (None, "") and name != "thought"
        }
        self.call_tool(key, name, given, time, message_id=key)

    def _read_observation(self, event: JsonObject, time: Moment) -> None:
        extras = get_dict(event, "extras")
        text = get_str(event, "content")
        failed = event["observation"] == "error" or text.startswith("ERROR:")
        code = get_int(extras, "metadata", "exit_code") or get_int(extras, "exit_code")
        result = Result(
            time, text, Status.ERROR if failed else Status.OK, details=extras, exit_code=code
        )
        self.add_result(f"event {get_int(event, 'cause')}", result)
        self.add_cwd(get(extras, "metadata", "working_dir"))

    def _count(self, totals: JsonObject, key: str, time: Moment) -> None:
        model = get_str(totals, "model")
        before = self.counted.get(model, {})
        now = {name: get_int(totals, name) for name in _TOKENS}
        self.counted[model] = now
        new = {name: max(0, value - before.get(name, 0)) for name, value in now.items()}
        self.count_tokens(key, time, new)

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        """The whole file before and after, which the result has."""
        path = resolve("", get_str(result.details, "path"))
        after = get(result.details, "new_content")
        if not path or not isinstance(after, str):
            return super().edits(call, result)
        if get(result.details, "prev_exist") is False:
            return [Edit(path, "write", content=after, before_known=True)]
        before = get_str(result.details, "old_content")
        return [
            Edit(
                path,
                "edit",
                before=before,
                before_known="old_content" in get_dict(result.details),
                after=after,
            )
        ]


COMMITTED = (
    Committed(
        ("**/*trajectory*.json",),
        file_is_session(sniff),
        found_by=("agent_state_changed filename:trajectory.json",),
        own=True,
    ),
)
