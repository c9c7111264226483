"""Which tools cannot change a file, whatever agent or server offers them. Pure.

Any other tool may write, now or in a later version. Where a call of one names no file, nobody knows
what it changed, so that a line which appeared since need not be a person's.
"""

import re

from collector.json_values import get_str, parse_json
from collector.model import Status, ToolCall
from collector.vocabulary.agents import tool_kinds


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_KINDS = frozenset({"read", "grep", "glob", "web", "todo", "ask", "plan", "skill"})
# The words of a name, `get_issue` or `getIssue`, of which one promises to look and none to act.
_LOOKS = _set("""
    ask await browse check count describe diff docs explain fetch find get glob grep help
    history inspect list log lookup ls memory monitor navigate output outline overview plan
    query read recall resolve search show status summarize symbols think thinking todo todos
    view wait webpage
""")
_ACTS = _set("""
    add append apply bash build call cell command copy create delete edit eval exec execute fix
    format generate insert install invoke kernel make modify move patch put python refactor
    remove rename replace run save script set shell sql stdin str terminal typescript undo
    update upload use write
""")
_NAMES = _set("""
    access_mcp_resource activate_skill ask_followup_question attempt_completion bashoutput
    board_post cancel_wakeup checkbackgroundjob checklist close_agent complete create_goal
    create_todo_list creategoal croncreate crondelete cronlist enterworktree exit exitworktree
    fetchurl get_background_output get_command_or_subagent_output get_terminal_output getgoal
    kill_command_or_subagent killbash killshell list_bash manage_todo_list new_task
    open_simple_browser plan_mode_respond read_bash read_file read_files read_lints
    reportfindings resume_agent save_memory schedule_wakeup scheduler_create scheduler_delete
    scheduler_list schedulewakeup search_codebase search_files send_feedback send_input
    send_message sendmessage sequentialthinking setgoalbudget settodolist skill skills
    slashcommand stop_bash switch_mode task_stop taskoutput taskstop todolist toolsearch
    update_goal update_memory update_plan update_todo_list update_topic updategoal wait_agent
    waitfor web_run
""")
_SERVER = re.compile(r"^mcp_{1,2}.+?(?:__|[./])|^[\w-]+[./]")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FED = ("chars", "input", "text")  # arguments of a tool that types into a running program


def may_write(call: ToolCall) -> bool:
    """Whether a call without a recorded change or command can have changed any file."""
    is_known = call.edits or call.command is not None or call.spawn is not None
    if is_known or call.seen is not None or call.status is Status.REJECTED:
        return False
    kind = tool_kinds().get(call.name.lower(), "")
    if kind in ("write", "edit"):
        return call.status is not Status.ERROR
    return kind not in _KINDS and not _is_harmless(call)


def _is_harmless(call: ToolCall) -> bool:
    name = _SERVER.sub("", call.name)
    words = {word.lower() for word in _WORD.findall(name)}
    if name.lower() in _NAMES or (words & _LOOKS and not words & _ACTS):
        return True
    arguments = parse_json(call.input)
    is_typing = bool(words & {"stdin", "bash", "terminal"}) and "write" in words
    return is_typing and not any(get_str(arguments, key) for key in _FED)
