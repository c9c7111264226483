"""Agents on this machine, and their transcripts that would be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, number, plain, show
from collector.console.terminal import one_line
from collector.vocabulary.agents import label_of

if TYPE_CHECKING:
    from collector.local.report import FoundTranscript, Survey

_MEGABYTE = 1_000_000


def would_read(console: Console, found: Sequence[FoundTranscript]) -> None:
    """The files that `whowrote repo` would open."""
    if not found:
        console.print(Text("no transcripts on this machine would be read; checkpoints in the clone are read in any case", "yellow"))
        return
    table = grid("<", "<", ">", ">", "<~", "<~", head=("agent", "last written", "files", "MB", "why", "file"))
    for one in found:
        size = f"{one.bytes / _MEGABYTE:.1f}"
        table.add_row(
            plain(label_of(one.agent)), one.written, number(one.files), size, plain(one.why), Text(one_line(one.path), "dim")
        )
    show(console, table)
    console.print(Text("only what shows whose sessions these are was read; nothing was stored", "dim"))


def survey(console: Console, found: Sequence[Survey]) -> None:
    """Which agents keep sessions where."""
    if not found:
        console.print(Text("no coding agent has left sessions in the usual places of this machine", "yellow"))
        return
    table = grid("<", ">", ">", "<", "<", "<", "<~", "<~", head=_HEAD)
    for one in found:
        size = f"{one.bytes / _MEGABYTE:.1f}" if one.files else ""
        count = number(one.files) if one.tested else ""
        tested = Text(one.tested or "not readable", "" if one.tested == "real" else "yellow")
        dates = (one.oldest[:10], one.newest[:10])
        table.add_row(plain(label_of(one.agent)), count, size, *dates, tested, plain(one.note), Text(one_line(one.path), "dim"))
    show(console, table)


_HEAD = ("agent", "files", "MB", "oldest", "newest", "read from", "", "where")
