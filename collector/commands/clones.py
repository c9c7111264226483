"""The commands about a clone as it is: checkpoints, formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from collector.console.tables import print_table
from collector.console.terminal import Reporter, data_options
from collector.storage.views import table_of

if TYPE_CHECKING:
    from collector.git.repository import GitRepo
    from collector.model import Checkpoint, SessionRecord
    from collector.runtime.progress import Progress


@click.command()
@click.argument("path")
@data_options
def checkpoints(path: str, output_format: str) -> None:
    """List the checkpoints in a clone.

    Shows where each is stored, its sessions and agents, and whether the transcripts are complete.
    """
    with Reporter(path) as progress:
        progress("starting", 0, 0)
        rows = survey(path, progress)
    columns = ("checkpoint", "stored", "layout", "sessions", "agents", "transcripts")
    sessions = {key for row in rows for key in row["session_ids"]}
    notes = [f"{len(rows)} checkpoints, {len(sessions)} sessions"]
    print_table(output_format, table_of(rows, {"stored": "date"}, notes), columns)


@click.command()
@data_options
def formats(output_format: str) -> None:
    """List the supported agents and checkpoint layouts.

    Also lists the other tools whose claims this version reads.
    """
    notes = ["Agents are recognised by the content of their transcripts, not by labels."]
    print_table(output_format, table_of(known_formats(), notes=notes), ("kind", "name", "label", "gives"))


# --- what is printed --------------------------------------------------------------------------------------------------


def survey(path: str, progress: Progress) -> list[dict[str, Any]]:
    """One row per checkpoint of a clone, in order of time. Raises NotARepository, NoCheckpoints."""
    from collector.checkpoints import read_all
    from collector.checkpoints.entire import fetch_command
    from collector.errors import NoCheckpoints
    from collector.git.repository import GitRepo

    repo = GitRepo(path)
    progress("reading checkpoints", 0, 0)
    stored = sorted(read_all(repo), key=lambda c: (c.created_at or 0.0, c.id))
    if not stored:
        raise NoCheckpoints(f"no agent checkpoints in {path}", f"They may not have been fetched:\n  {fetch_command(path)}")
    agents: dict[str, str] = {}
    rows = []
    for number, checkpoint in enumerate(stored):
        progress("reading transcripts", number, len(stored))
        rows.append(_checkpoint_row(repo, checkpoint, agents))
    return rows


def _checkpoint_row(repo: GitRepo, checkpoint: Checkpoint, agents: dict[str, str]) -> dict[str, Any]:
    from collector.storage.store import iso

    records = checkpoint.sessions
    return {
        "checkpoint": checkpoint.id,
        "stored": iso(checkpoint.created_at) or "",
        "layout": checkpoint.store,
        "ref": checkpoint.ref,
        "branch": checkpoint.branch,
        "sessions": len(records),
        "session_ids": list(dict.fromkeys(r.session_id for r in records)),
        "agents": ", ".join(dict.fromkeys(_agent(repo, r, agents) for r in records)),
        "transcripts": ", ".join(dict.fromkeys(r.transcript_state for r in records)),
        "problems": len(checkpoint.problems),
    }


def _agent(repo: GitRepo, record: SessionRecord, read: dict[str, str]) -> str:
    """The agent according to the transcript, read once per session; the checkpoint's label if there is no transcript."""
    from collector.agents import reader_for
    from collector.vocabulary.agents import slug_of

    if record.session_id not in read and record.transcript:
        reader = reader_for(repo.blob(record.transcript[0]) or b"")
        read[record.session_id] = reader.NAME if reader is not None else "unknown format"
    return read.get(record.session_id) or f"{slug_of(record.agent_label) or 'unknown'} (by label)"


def known_formats() -> list[dict[str, Any]]:
    """Agents, layouts and what plug-ins read, from the registries."""
    from collector.agents import readers
    from collector.agents.common.reader import FACETS
    from collector.checkpoints import layouts
    from collector.plugins import hooks
    from collector.vocabulary.agents import label_of

    agents = [
        {"kind": "agent", "name": r.NAME, "label": label_of(r.NAME), "gives": " ".join(f for f in FACETS if f in r.GIVES)}
        for r in readers()
    ]
    stores = [{"kind": "layout", "name": m.NAME, "label": _first_line(m.__doc__), "gives": ""} for m in layouts()]
    others = [row for rows in hooks("known_formats") for row in rows()]
    return agents + stores + others


def _first_line(text: str | None) -> str:
    return (text or "").split("\n", 1)[0].replace("`", "").rstrip(".")


COLLECT = (checkpoints, formats)
