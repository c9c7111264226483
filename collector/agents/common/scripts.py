"""JavaScript programs that call tools: the patches and commands that they hold as literal text."""

import re

from collector.agents.common.edits import BEGIN, END

_QUOTE_BEFORE = re.compile(r"(String\.raw)?([\"'`])(?:\\n|\s)*$")
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|(.))", re.S
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def patches_in_script(script: str) -> list[str]:
    """Patches written as one string literal of a JavaScript program. Text put together at run
    time is not recovered.
    """
    matches = []
    position = 0
    while (start := script.find(BEGIN, position)) >= 0:
        position = start + len(BEGIN)
        opening = _QUOTE_BEFORE.search(script, max(0, start - 40), start)
        literal = (
            _literal(script, opening.end(2), opening[2], bool(opening[1])) if opening else None
        )
        if literal and END in literal[0]:
            text, position = literal
            matches.append(text.strip())
    return matches


_COMMAND_KEY = re.compile(r"""["']?\b(cmd|command)["']?\s*:\s*(["'`])""")
_WORKDIR_KEY = re.compile(r"""["']?\bworkdir["']?\s*:\s*(["'`])""")


def commands_in_script(script: str) -> list[tuple[str, str]]:
    """(command, directory) of each `exec_command` call with literal arguments in a JavaScript
    program.
    """
    results = []
    starts = [match.end() for match in re.finditer(r"\bexec_command\s*\(", script)]
    for start, stop in zip(starts, [*starts[1:], len(script)], strict=False):
        command = _argument(script, _COMMAND_KEY, start, stop)
        if command:
            results.append((command, _argument(script, _WORKDIR_KEY, start, stop)))
    return results


def _argument(script: str, key: re.Pattern[str], start: int, stop: int) -> str:
    match = key.search(script, start, stop)
    group = match.lastindex if match else None
    literal = _literal(script, match.end(), match[group], False) if match and group else None
    if literal:
        return literal[0]
    return ""


def _literal(script: str, start: int, quote: str, raw: bool) -> tuple[str, int] | None:
    """The string literal whose text begins at `start`, and where it ends; None when it is open
    or has `${…}` parts.
    """
    position = start
    while position < len(script):
        char = script[position]
        if char == "\\":
            position += 2
            continue
        if char == quote:
            text = script[start:position]
            return (text if raw else _ESCAPE.sub(_unescape, text)), position + 1
        if quote == "`" and script.startswith("${", position):
            return None
        position += 1
    return None


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        value = int(code, 16)
        if value < 0x110000:
            return chr(value)
        return "\ufffd"
    if match[4]:
        return ""
    return _SIMPLE.get(match[5], match[5])
