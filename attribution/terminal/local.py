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
    for item in found:
        size = f"{item.bytes / _MEGABYTE:.1f}"
        table.add_row(
            plain(label_of(item.agent)), item.written, number(item.files), size, plain(item.why), Text(one_line(item.path), "dim")
        )
    show(console, table)
    console.print(Text("only what shows whose sessions these are was read; nothing was stored", "dim"))


def survey(console: Console, found: Sequence[Survey]) -> None:
    """Which agents keep sessions where."""
    if not found:
        console.print(Text("no coding agent has left sessions in the usual places of this machine", "yellow"))
        return
    table = grid("<", ">", ">", "<", "<", "<", "<~", "<~", head=_HEAD)
    for item in found:
        size = f"{item.bytes / _MEGABYTE:.1f}" if item.files else ""
        count = number(item.files) if item.tested else ""
        tested = Text(item.tested or "not readable", "" if item.tested == "real" else "yellow")
        dates = (item.oldest[:10], item.newest[:10])
        table.add_row(plain(label_of(item.agent)), count, size, *dates, tested, plain(item.note), Text(one_line(item.path), "dim"))
    show(console, table)


_HEAD = ("agent", "files", "MB", "oldest", "newest", "read from", "", "where")
