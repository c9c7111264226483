"""ATIF, the Agent Trajectory Interchange Format of Harbor: one JSON document
`{schema_version, agent, steps: [...]}` of any agent.

A step is a prompt, or a response of the agent with its calls, their results and its tokens. Steps
that were copied from an earlier document are left out; documents of subagents are inside
(`subagent_trajectories`). That a call failed is no part of the format: some writers say so in
`extra`.
"""

from collections.abc import Iterable
from typing import Any

from collector.agents.common.messages import recorded_cost, text_of
from collector.agents.common.reader import FACETS, AnyAgentReader, Call, Result
from collector.json_values import get, get_dict, get_int, get_list, get_str, time_of
from collector.model import Session, Spawn, Status
from collector.vocabulary.agents import Agent, slug_of

NAME = "atif"
AGENT = Agent(NAME, "ATIF", exported={"git-ai": "unknown"})
GIVES = frozenset(FACETS) - {"before", "positions", "reads"}
ORDER = 5
UNPROVEN = True

_TOKENS = {
    "input": "prompt_tokens",
    "output": "completion_tokens",
    "cache_read": "cached_tokens",
    "cache_write": "extra.cache_creation_input_tokens",
}
_DEPTH = 8  # of documents inside documents


def sniff(head: object) -> bool:
    return (
        isinstance(head, dict)
        and get_str(head, "schema_version").startswith("ATIF-v")
        and isinstance(head.get("steps"), list)
    )


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_documents(blobs)


class _Reader(AnyAgentReader):
    def take(self, record: dict[str, Any]) -> None:
        self._document(record, "", 0)

    def _document(self, document: dict[str, Any], agent_id: str, depth: int) -> None:
        agent = get_dict(document, "agent")
        if self.agent == NAME and get_str(agent, "name"):
            self.agent = slug_of(get_str(agent, "name"))
        if not agent_id:
            self.add_version(agent.get("version"))
        for location in (
            *get_list(agent, "extra", "cwds"),
            get(agent, "extra", "cwd"),
            get(document, "extra", "cwd"),
        ):
            self.add_cwd(location)
        self.cwd = next(iter(self.cwds), "")
        for branch in get_list(agent, "extra", "git_branches"):
            self.add_branch(branch)
        for number, step in enumerate(get_list(document, "steps"), 1):
            key = f"{agent_id}/{get_int(step, 'step_id') or number}"
            if get(step, "is_copied_context") is not True and self.is_new(key):
                self._step(step, key, get_str(agent, "model_name"), agent_id)
        for inner in get_list(document, "subagent_trajectories") if depth < _DEPTH else ():
            if isinstance(inner, dict):
                self._document(
                    inner, get_str(inner, "trajectory_id") or f"{agent_id}/subagent", depth + 1
                )

    def _step(self, step: object, key: str, model: str, agent_id: str) -> None:
        time = time_of(get(step, "timestamp"))
        self.begin(time)
        source, text = get_str(step, "source"), text_of(get(step, "message"))
        if source == "agent":
            self._response(
                get_dict(step), text, key, time, get_str(step, "model_name") or model, agent_id
            )
        elif source == "user" and not agent_id:
            self.add_prompt(key, time, text)
        elif source not in ("user", "system"):
            self.unknown_record_type(source)

    def _response(
        self,
        step: dict[str, Any],
        text: str,
        key: str,
        time: float | None,
        model: str,
        agent_id: str,
    ) -> None:
        if not agent_id:
            self.use_model(model, time)
        if get_str(step, "reasoning_content"):
            self.add_message(
                (key, "reasoning"), time, "reasoning", get_str(step, "reasoning_content"), agent_id
            )
        if text:
            self.add_message(key, time, "text", text, agent_id)
        # tokens of the prompt include those read from, and with some written to, a cache
        if metrics := get_dict(step, "metrics"):
            reasoning, cost = (
                get_int(metrics, "extra", "reasoning_tokens") or None,
                recorded_cost(metrics.get("cost_usd")),
            )
            self.count_tokens(
                key,
                time,
                metrics,
                _TOKENS,
                model=model,
                reasoning=reasoning,
                agent_id=agent_id,
                cost=cost,
            )
        results = {
            get_str(r, "source_call_id"): r
            for r in reversed(get_list(step, "observation", "results"))
        }
        for number, request in enumerate(get_list(step, "tool_calls")):
            call_id = get_str(request, "tool_call_id")
            name, result = (
                get_str(request, "function_name"),
                results.get(call_id) if call_id else None,
            )
            more = {"agent_id": agent_id, "model": model, "message_id": key}
            answer = _result(get_dict(result)) if result is not None else None
            self.call_tool(
                f"{key}/{call_id or number}", name, get(request, "arguments"), time, answer, **more
            )

    def spawn(self, call: Call, result: Result) -> Spawn:
        started = get_list(result.details, "subagent_trajectory_ref")
        existing = next(
            (value for entry in started if (value := get_str(entry, "trajectory_id"))), ""
        )
        return Spawn(existing, super().spawn(call, result).kind, visible=bool(existing))


def _result(result: dict[str, Any]) -> Result:
    """A recorded result is a success unless the writer says something else beside it."""
    extra = get_dict(result, "extra") or result
    failed = (
        extra.get("is_error") is True
        or extra.get("success") is False
        or extra.get("status") in ("error", "failed")
    )
    status = Status.ERROR if failed or get_int(extra, "exit_code") else Status.OK
    return Result(
        None, text_of(result.get("content")), status, get_str(extra, "error"), details=result
    )
