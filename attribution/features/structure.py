"""Turns, tool calls, errors, subagents: the shape of a session. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from attribution.features.registry import HEURISTIC, Feature, Values
from attribution.features.tools import SEARCHES, acts, longest_run, program
from attribution.features.view import SessionView, edited_paths, is_edit
from collector.groups import group_pairs
from collector.model import SessionEvent, Status, ToolCall
from collector.text import file_name

NAME = "structure"
TITLE = "Structure"
ORDER = 10
STAGE = "session"
_NO_EDIT = ("no_edit",)
_NO_CALL = ("no_call",)
_SPAWNED = ("spawned",)

FEATURES = (
    Feature(
        "user_turn_count",
        "integer",
        "turns",
        "messages typed by the user, approved plans, and slash commands that the model answered,"
        " without those that only keep house (/exit, /clear, /compact); injected text is not a"
        " turn",
        null=_SPAWNED,
        version=2,
    ),
    Feature(
        "turn_count",
        "integer",
        "responses",
        "responses of the main agent's model, each message id once",
        null=("no_usage",),
    ),
    Feature(
        "user_agent_turn_ratio",
        "real",
        "ratio",
        "user_turn_count / turn_count",
        null=("spawned", "no_usage", "no_response"),
    ),
    Feature("tool_call_count", "integer", "calls", "tool calls, subagents included"),
    Feature(
        "tool_sequence",
        "json",
        "list of kinds",
        "kind of each call in order: read, grep, glob, bash:file, bash:build, bash:net, bash,"
        " git/gh, write, edit, web, agent, mcp, todo, ask, plan, skill, other",
        HEURISTIC,
    ),
    Feature("tool_counts", "json", "calls by kind", "calls of each kind", HEURISTIC),
    Feature(
        "acting_commands",
        "integer",
        "calls",
        "shell commands that do more than look: neither those of kind bash:file nor git and gh"
        " commands that only read (log, diff, show, status, gh pr view, …)",
        HEURISTIC,
    ),
    Feature(
        "edit_calls", "integer", "calls", "calls of edit tools, failed and refused ones included"
    ),
    Feature(
        "files_read_before_edit",
        "integer",
        "files",
        "distinct files that calls of a reading tool read before the first call that changed one;"
        " files that cat, sed -n and the like show count for files_searched_before_edit alone",
        HEURISTIC,
        null=_NO_EDIT,
        version=2,
    ),
    Feature(
        "files_searched_before_edit",
        "integer",
        "paths",
        "distinct paths read, searched or listed before the first call that changed a file",
        HEURISTIC,
        null=_NO_EDIT,
        version=2,
    ),
    Feature(
        "edit_to_read_ratio",
        "real",
        "ratio",
        "calls that changed a file / calls that read one, cat, sed -n and the like included when a"
        " command begins with them",
        HEURISTIC,
        null=("no_read",),
        version=2,
    ),
    Feature(
        "files_seen",
        "json",
        "list of {path, turn, at, read, changed}",
        "each file that a call read, searched or changed, in order of the first such call, with the"
        " number of the call (from 0) that first read and first changed it; paths relative to the"
        " session's directory, without files outside it; paths as recorded where the agent records"
        " no directory",
        HEURISTIC,
        version=2,
    ),
    Feature(
        "first_tool_precision",
        "boolean",
        "0 or 1",
        "1: the first call that names a file names one that an edit call changed",
        HEURISTIC,
        null=("no_edit", "no_file_named"),
        version=2,
    ),
    Feature(
        "tool_error_rate",
        "real",
        "share",
        "failed calls / calls with a known result; calls the user refused count as neither",
        null=("no_call", "no_result"),
    ),
    Feature("tool_errors", "integer", "calls", "failed calls", null=_NO_CALL),
    Feature(
        "tool_errors_by_type",
        "json",
        "calls by tool",
        "failed calls by the agent's name of the tool",
    ),
    Feature(
        "first_attempt_failures",
        "integer",
        "calls",
        "calls that failed, and the calls of the same tool on the same target right after a failure"
        " of it",
        null=_NO_CALL,
    ),
    Feature(
        "longest_error_run",
        "integer",
        "calls",
        "longest run of failed calls one after the other, by one agent",
        null=_NO_CALL,
    ),
    Feature(
        "tool_result_sizes",
        "json",
        "list of characters",
        "size of each call's result, or of its error, in order; null where none is recorded",
        version=2,
    ),
    Feature("interruptions", "integer", "times", "times the user stopped the agent"),
    Feature(
        "interruption_events",
        "json",
        "list of {turn, at, tool}",
        "each of them, with the agent's name of the tool that the main agent had called last in"
        " that turn; null when it had called none",
        version=1,
    ),
    Feature("permission_denials", "integer", "calls", "calls the user refused"),
    Feature("subagent_count", "integer", "subagents", "subagents started"),
    Feature(
        "subagents_succeeded",
        "integer",
        "subagents",
        "of those, the ones whose call ended without an error",
        null=("no_subagent",),
    ),
    Feature(
        "compaction_events",
        "json",
        "list of {turn, at, tokens_before, tokens_after}",
        "times the context was summarised, with the input of the main agent's response before and"
        " after it, caches included; null where no usage or time is recorded",
        version=2,
    ),
    Feature(
        "model_changes",
        "json",
        "list of {turn, from, to}",
        "changes of the main agent's model, by its responses and by the choices of another one that"
        " are on record",
        null=("no_usage",),
        version=2,
    ),
    Feature(
        "ended_normally",
        "boolean",
        "0 or 1",
        "0: the last thing on record is an interruption, an error of the model's service or a call"
        " without result",
        HEURISTIC,
    ),
)


def compute(view: SessionView) -> Values:
    session = view.session
    calls = view.calls
    user_turns = None if session.parent_id else len(view.user_turns)
    responses = len({u.message_id for u in view.responses}) if session.counts_tokens else None
    spawns = [call for call in calls if call.spawn is not None]
    return {
        "user_turn_count": user_turns,
        "turn_count": responses,
        "user_agent_turn_ratio": (
            user_turns / responses if responses and user_turns is not None else None
        ),
        "tool_call_count": len(calls),
        "tool_sequence": list(view.categories),
        "tool_counts": dict(sorted(Counter(view.categories).items())),
        "acting_commands": sum(
            1 for call, kind in zip(calls, view.categories, strict=True) if acts(call, kind)
        ),
        "edit_calls": sum(1 for call in calls if call.edits),
        **_localisation(view),
        **_errors(calls),
        "tool_result_sizes": [call.result_size for call in calls],
        "interruptions": len(view.interruptions),
        "interruption_events": [
            {"turn": m.turn, "at": m.at, "tool": _tool_before(m, calls)} for m in view.interruptions
        ],
        "permission_denials": sum(1 for call in calls if call.status is Status.REJECTED),
        "subagent_count": len(spawns),
        "subagents_succeeded": (
            sum(1 for call in spawns if call.status is Status.OK) if spawns else None
        ),
        "compaction_events": [
            _compaction(m, view) for m in session.marks if m.kind == "compaction"
        ],
        "model_changes": _model_changes(view) if session.counts_tokens else None,
        "ended_normally": int(_ended_normally(view)),
    }


def _localisation(view: SessionView) -> Values:
    """How the agent found the place of its first change."""
    first = view.first_edit
    count = len(view.calls)
    commands = [
        program(call.command.text) if call.command is not None else "" for call in view.calls
    ]
    kinds = [
        kind if name not in SEARCHES else "grep"
        for kind, name in zip(view.categories, commands, strict=True)
    ]
    reading = [
        i for i, paths in enumerate(view.reads) if paths and kinds[i] in ("read", "bash:file")
    ]
    by_tool = [i for i in reading if view.categories[i] == "read"]
    edits = sum(1 for call in view.calls if is_edit(call))
    named = next(
        (
            paths
            for i, call in enumerate(view.calls)
            if (paths := (*view.reads[i], *edited_paths(call)))
        ),
        (),
    )
    return {
        "files_read_before_edit": (
            len({p for i in by_tool if i < first for p in view.reads[i]}) if first < count else None
        ),
        "files_searched_before_edit": (
            len({p for paths in view.reads[:first] for p in paths}) if first < count else None
        ),
        "files_seen": _files_seen(view),
        "edit_to_read_ratio": edits / len(reading) if reading else None,
        "first_tool_precision": (
            int(any(map(view.changes, named))) if named and view.touched else None
        ),
    }


def _files_seen(view: SessionView) -> list[dict[str, object]]:
    files: dict[str, dict[str, object]] = {}
    for number, (call, read) in enumerate(zip(view.calls, view.reads, strict=True)):
        for how, paths in (
            ("read", read),
            ("changed", edited_paths(call) if is_edit(call) else ()),
        ):
            for path in paths:
                inside = _inside(path, view.session.cwds)
                if inside is not None:
                    file = files.setdefault(
                        inside,
                        {
                            "path": inside,
                            "turn": call.turn,
                            "at": call.at,
                            "read": None,
                            "changed": None,
                        },
                    )
                    file[how] = number if file[how] is None else file[how]
    return list(files.values())


def _inside(path: str, directories: Sequence[str]) -> str | None:
    """From the directory on in which the session began, else the uppermost of its directories; None
    outside of all. As recorded where no directory is."""
    if not directories:
        return path or None
    if not path.startswith(("/", "~")) and path[1:2] != ":":
        return None if path.startswith("../") else path.removeprefix("./") or None
    above = [
        prefix
        for directory in directories
        if directory and path.startswith(prefix := directory.rstrip("/") + "/")
    ]
    first = directories[0].rstrip("/") + "/" if directories else ""
    if above:
        return path.removeprefix(first if first in above else min(above, key=len)) or None
    return None


def _tool_before(stop: SessionEvent, calls: Iterable[ToolCall]) -> str | None:
    """Name of the main agent's last call of the turn, of those that began by then."""
    begun = [
        c
        for c in calls
        if c.turn == stop.turn and not c.agent_id and (stop.at is None or (c.at or 0.0) <= stop.at)
    ]
    return begun[-1].name if begun else None


def _compaction(mark: SessionEvent, view: SessionView) -> dict[str, object]:
    timed = sorted((u.at, u.context) for u in view.responses if u.at is not None)
    before = [size for moment, size in timed if mark.at is not None and moment <= mark.at and size]
    after = [size for moment, size in timed if mark.at is not None and moment > mark.at and size]
    sizes = {
        "tokens_before": before[-1] if before else None,
        "tokens_after": after[0] if after else None,
    }
    return {"turn": mark.turn, "at": mark.at, **sizes}


def _errors(calls: tuple[ToolCall, ...]) -> Values:
    failed = [call.status is Status.ERROR for call in calls]
    results = sum(1 for call in calls if call.status in (Status.OK, Status.ERROR))
    by_agent = group_pairs((call.agent_id, call.status is Status.ERROR) for call in calls)
    return {
        "tool_error_rate": sum(failed) / results if results else None,
        "tool_errors": sum(failed) if calls else None,
        "tool_errors_by_type": dict(
            sorted(Counter(c.name for c in calls if c.status is Status.ERROR).items())
        ),
        "first_attempt_failures": _not_at_once(calls) if calls else None,
        "longest_error_run": max(map(longest_run, by_agent.values())) if calls else None,
    }


def _not_at_once(calls: tuple[ToolCall, ...]) -> int:
    """Failed calls and their repetitions: a call of the same agent, tool and target whose last
    try failed.
    """
    count = 0
    broken = set()
    for call in calls:
        key = (call.agent_id, call.name, _target(call))
        count += call.status is Status.ERROR or key in broken
        if call.status is Status.ERROR:
            broken.add(key)
        else:
            broken.discard(key)
    return count


def _target(call: ToolCall) -> str:
    if call.edits:
        return call.edits[0].path
    return call.command.text.split("\n")[0] if call.command is not None else call.input


def _model_changes(view: SessionView) -> list[dict[str, object]]:
    """A model may be chosen and never answer."""
    changes = []
    named = [(usage.turn, usage.at or 0.0, 1, usage.model) for usage in view.responses]
    named += [
        (mark.turn, mark.at or 0.0, 0, mark.detail)
        for mark in view.session.marks
        if mark.kind == "model_change"
    ]
    last = ""
    for turn, _, _, model in sorted(named):
        if last and model and file_name(model) != file_name(last):
            changes.append({"turn": turn, "from": last, "to": model})
        last = model or last
    return changes


def _ended_normally(view: SessionView) -> bool:
    """Whether the agent had the last word: nothing broke off what it was doing."""
    session = view.session
    last_word = max((s.at for s in view.spoken if s.at is not None), default=0.0)
    broken = max(
        (
            m.at
            for m in session.marks
            if m.kind in ("interrupt", "interrupt_tool", "api_error") and m.at
        ),
        default=0.0,
    )
    open_calls = [
        c
        for c in session.calls
        if c.status is Status.UNKNOWN and not c.agent_id and (c.at or 0.0) >= last_word
    ]
    records_results = any(c.status is not Status.UNKNOWN for c in session.calls)
    return (
        broken <= last_word
        and not (open_calls and records_results)
        and bool(session.messages or session.calls)
    )
