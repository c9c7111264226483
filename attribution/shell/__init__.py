"""What a shell command of an agent may have done to files. Pure: text in, effects out.

The answer errs towards "may have changed something": a program that is not known is `opaque`. Only
what the text itself decides is exact: a heredoc or an `echo` into a file, `rm`, `mv`, `cp`.
"""

import re

from attribution.shell import tables
from attribution.shell.evaluate import MAX_EFFECTS, effects
from attribution.shell.model import Effect

__all__ = ["MAX_EFFECTS", "Effect", "effects", "mentions"]


def mentions(command: str, path: str) -> bool:
    """Whether the text names this repo-relative path: in full, or by a base name that is
    distinctive, scripts included.
    """
    path = path.strip("/")
    parts = path.split("/")
    if parts[-1] not in command:
        return False
    text = command.replace("\\", "/") if "\\" in command else command
    common = (
        parts[-1] in tables.COMMON_NAMES or len(parts[-1]) < 5 or "." not in parts[-1].strip(".")
    )
    names = [path]
    if not common:
        names.append(parts[-1])
    elif len(parts) > 2:
        names.append("/".join(parts[-2:]))
    lone = common and len(parts) == 1
    return bool(path) and any(_names(text, name, lone) for name in names)


def _names(text: str, name: str, lone: bool) -> bool:
    """`name` as a whole word; `lone`: not as the last part of a longer path, unless that is
    `./`.
    """
    before = r"(?<![\w.\-/])(?:\./)?" if lone else r"(?<![\w\-])(?<![\w\-]\.)"
    return re.search(before + re.escape(name) + r"(?![\w/]|[.\-]\w)", text) is not None
