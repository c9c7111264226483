"""Programs that run a command given to them: shells, `eval`, `source`, `find -exec`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from attribution.shell.calls import Call
from attribution.shell.model import Effect, Word, join

_MAX_FIND = 500  # words of a `find`


def source(call: Call) -> list[Effect]:
    known = re.search(r"activate|\.env|rc$|profile|nvm|cargo/env|asdf", " ".join(call.texts[:1]))
    if known:
        return []
    text = call.run.files.get(join(call.cwd, call.texts[0])) if call.args else None
    return nested(call, text)


def nested(call: Call, text: str | None) -> list[Effect]:
    """The effects of a text that another shell reads."""
    if text is None:
        return [Effect("opaque")]
    before = len(call.run.found)
    _read(text, call.cwd, call.run)
    found = call.run.found[before:]
    del call.run.found[before:]
    return found


def shell(call: Call) -> list[Effect]:
    texts = call.texts
    if call.name in ("eval", "trap"):
        return nested(call, " ".join(texts if call.name == "eval" else texts[:1]))
    for at, text in enumerate(texts):
        if text in ("-Command", "-c", "/c", "/C") or re.fullmatch(r"-[a-z]*c", text):
            rest = texts[at + 1 :]
            whole = call.name in ("powershell", "pwsh", "cmd")
            return nested(call, " ".join(rest) if whole else rest[0] if rest else None)
        if not text.startswith(("-", "+")):
            return [] if "-n" in texts[:at] else nested(call, call.run.files.get(join(call.cwd, text)))
    if not call.command.stdin and not call.command.fed:
        return []
    return nested(call, call.command.stdin.body if call.command.stdin else call.given())


def find(call: Call) -> list[Effect]:
    found = [Effect("remove")] if call.has("-delete") else []
    texts = call.texts
    if len(texts) > _MAX_FIND:
        return [Effect("opaque")]
    for at, text in enumerate(texts):
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((i for i in range(at + 1, len(texts)) if texts[i] in (";", "+")), len(texts))
            found += _program(replace(call, args=tuple(fed(call.args[at + 1 : end], "{}"))))
        elif text in ("-fprint", "-fprintf", "-fls"):
            found += call.make("write", call.args[at + 1 : at + 2])
    return found
