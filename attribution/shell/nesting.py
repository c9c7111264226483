"""Programs that run a command given to them: shells, `eval`, `source`, `find -exec`."""

from __future__ import annotations

import re

from attribution.shell.calls import ProgramCall, feed_words
from attribution.shell.model import Effect, join

_MAX_FIND = 500  # words of a `find`


def source(call: ProgramCall) -> list[Effect]:
    """`source x`: harmless for the usual environments, else a script."""
    match = re.search(r"activate|\.env|rc$|profile|nvm|cargo/env|asdf", " ".join(call.texts[:1]))
    if match:
        return []
    text = call.run.files.get(join(call.cwd, call.texts[0])) if call.args else None
    return call.nested_effects(text)


def shell(call: ProgramCall) -> list[Effect]:
    """`sh -c …`, `bash script`, `eval …`, `bash <<EOF`."""
    texts = call.texts
    if call.name in ("eval", "trap"):
        return call.nested_effects(" ".join(texts if call.name == "eval" else texts[:1]))
    for moment, text in enumerate(texts):
        if text in ("-Command", "-c", "/c", "/C") or re.fullmatch(r"-[a-z]*c", text):
            remainder = texts[moment + 1 :]
            whole = call.name in ("powershell", "pwsh", "cmd")
            return call.nested_effects(" ".join(remainder) if whole else remainder[0] if remainder else None)
        if not text.startswith(("-", "+")):
            return [] if "-n" in texts[:moment] else call.nested_effects(call.run.files.get(join(call.cwd, text)))
    if not call.command.stdin and not call.command.fed:
        return []
    return call.nested_effects(call.fed_text())


def find(call: ProgramCall) -> list[Effect]:
    """`find … -exec`, `-delete`, `-fprint`."""
    result = [Effect("remove")] if call.has("-delete") else []
    texts = call.texts
    if len(texts) > _MAX_FIND:
        return [Effect("opaque")]
    for moment, text in enumerate(texts):
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((i for i in range(moment + 1, len(texts)) if texts[i] in (";", "+")), len(texts))
            result += call.program(feed_words(call.args[moment + 1 : end], "{}"))
        elif text in ("-fprint", "-fprintf", "-fls"):
            result += call.make("write", call.args[moment + 1 : moment + 2])
    return result
