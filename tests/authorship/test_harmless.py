"""Which calls may have written a file although they name none."""

import json

import pytest

from attribution.authorship.harmless import may_write
from attribution.authorship.session_edits import session_edits
from collector.model import Command, Session, Status, ToolCall


def _call(name: str, status: Status = Status.OK, **arguments: object) -> ToolCall:
    return ToolCall("c1", name, 1, 10.0, 11.0, status, input=json.dumps(arguments))


@pytest.mark.parametrize(
    "name",
    [
        "Read", "Grep", "WebSearch", "TodoWrite", "update_plan", "ask_user_question", "BashOutput",
        "mcp__github__get_issue", "mcp__context7__resolve-library-id", "board_read", "ToolSearch",
        "mcp__memory__search_nodes", "serena.find_symbol", "list_code_usages", "taskOutput",
    ],
)  # fmt: skip
def test_tools_that_only_look_write_nothing(name: str) -> None:
    assert not may_write(_call(name))


@pytest.mark.parametrize(
    "name",
    [
        "mcp__serena__execute_shell_command", "mcp__ide__executeCode", "mcp__jupyter__run_cell",
        "mcp__x__find_and_replace", "run_typescript", "use_mcp_tool", "never_heard_of", "Edit",
        "mcp__filesystem__move_file", "mcp__db__query_and_update", "generate_image",
    ],
)  # fmt: skip
def test_any_other_tool_may_write(name: str) -> None:
    assert may_write(_call(name))


def test_an_edit_that_failed_and_a_call_that_was_refused_wrote_nothing() -> None:
    assert not may_write(_call("Edit", Status.ERROR))
    assert not may_write(_call("mcp__ide__executeCode", Status.REJECTED))


def test_waiting_for_a_running_program_is_no_typing_into_it() -> None:
    assert may_write(_call("write_stdin", session_id=4, chars="go()\n"))
    assert not may_write(_call("write_stdin", session_id=4, chars=""))


@pytest.mark.parametrize(
    ("command", "until"),
    {
        "./tools/step": 11.0,
        "(sleep 40; ./tools/step) > /dev/null 2>&1 &": 90.0,
        "nohup ./tools/step": 90.0,
        "./a & ./b": 90.0,
        "./a && ./b 2>&1": 11.0,
        "./a 'x & y'": 11.0,
    }.items(),
)
def test_what_a_command_leaves_running_may_write_until_the_session_ends(
    command: str, until: float
) -> None:
    call = ToolCall("c1", "Bash", 1, 10.0, 11.0, Status.OK, command=Command(command, "/w"))
    session = Session(id="s", agent="claude-code", cwds=("/w",), calls=(call,), ended_at=90.0)
    (action,) = session_edits(session, 1).actions
    assert action.until == until
