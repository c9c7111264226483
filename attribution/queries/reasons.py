"""How we know, in a sentence, and what would tell more: the words for every verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from collector.checkpoints.entire import fetch_command
from collector.vocabulary.lines import Witness

if TYPE_CHECKING:
    from attribution.queries.blame import BlameLine
    from attribution.queries.verdicts import LineAttribution

_HOW = {
    ("exact", "observed"): "The text before and after the edit is on record: this edit put exactly this line here.",
    ("exact", "replayed"): "Replaying the edits of the session in order puts exactly this line here.",
    ("exact", "inferred"): "A blank line or bracket between two lines of the agent.",
    ("exact", "matched"): "The line stands in the text of an edit whose place could not be replayed: it was found by its content.",
    ("shell", "replayed"): "The text of a shell command gives this line literally.",
    ("shell", "observed"): "A shell command of the agent made it; the text before and after is on record.",
    (
        "shell",
        "inferred",
    ): "The file changed while a shell command of the agent worked on it; the command does not show the line itself.",
}
_HOW_ANY = {
    "moved": "The agent wrote this text elsewhere; here it reappears within a block of three or more lines that moved together.",
    "reformatted": "The agent wrote this line; only its layout (blanks, quotes, trailing commas) was changed since.",
    "subagent": "The file appeared while a subagent worked that was told to make it, that its recorder says changed it, or that "
    "alone could write. "
    "Its own calls are not on record.",
    "declared": "A trailer or the author field of the commit names an agent. No session shows the work, so this is taken on trust.",
}
_HUMAN = {
    Witness.RECORDED: "The file was seen without the line{without} and with it{seen}; nothing that can write ran in between.",
    Witness.NOTICE: "The file was seen without the line{without}; then a notice of a change by others showed it{seen}.",
    Witness.COMMIT: "The file was known without the line{without}, nothing that can write ran since, and the commit has it.",
    Witness.UNWATCHED: "The file was known without the line{without} and later had it; no recorded session wrote it, but for a "
    "part of the time none was being recorded, a command ran that could have written anything, or the commit was redone.",
    Witness.TYPED: "A tool that watches the editor (git-ai) saw a person type the line.",
    Witness.FIRST_READ: "The line was in the file when the agent first read it{seen}, and in no commit before{without}.",
}
_BUSY = re.compile(r"nothing that can write ran (in between|since)")
_PRODUCED = "Its text is in nothing that an agent produced for this repository before the commit."
_FETCH = f"{fetch_command()}, then whowrote repo again"
_REASONS = {
    "no_session": (
        "Nothing links this commit to an agent: no checkpoint, no trailer, no bot, no session that wrote its lines.",
        "A record of the session, if there was one. Checkpoints may not be in this clone: " + _FETCH,
    ),
    "transcript_missing": (
        "The commit belongs to a session of which this clone lacks the transcript, or the copy that reaches up to the commit.",
        "The transcript. If it is on the server: " + _FETCH,
    ),
    "transcript_not_stored": (
        "The commit belongs to a session of which no checkpoint holds the transcript, or none its beginning.",
        "A record of the session. Its recorder stored none, so there is nothing to fetch.",
    ),
    "transcript_unreadable": (
        "The commit belongs to a session whose transcript is in a format that is not read yet, empty or too large.",
        "A reader for that format.",
    ),
    "checkpoint_missing": (
        "The commit names a checkpoint that this clone does not have.",
        "The checkpoint. If it is on the server: " + _FETCH,
    ),
    "invisible_subagent": (
        "A subagent worked in that time, and its own actions are in no transcript.",
        "The records of the subagent, which its agent did not store in git.",
    ),
    "opaque_shell": (
        "In that time the agent ran a command that could have written anything (a script, a program of the project).",
        "What the command did to the file; git does not know.",
    ),
    "git_operation": (
        "In that time the agent had git bring text from elsewhere (checkout, stash, merge, restore).",
        "The commit or stash the text came from.",
    ),
    "other_branch": (
        "An agent saw the line before the parent commit was made, which lacks it: it comes from another branch or a lost commit.",
        "The branch it comes from, attributed with --branch.",
    ),
    "restored": ("An agent wrote this line earlier; it was deleted and came back; who restored it is unknown.", ""),
    "rewritten": ("The commit was amended or rebased after the sessions: the text it started from is not certain.", ""),
    "uncaptured": (
        "No session was being recorded when the line appeared, so an agent at work would not be known.",
        "The session, if there was one that was not recorded.",
    ),
    "unobserved": (
        "The commit adds more text that nobody was seen writing than a person is likely to have typed unseen.",
        "Where the text came from: an import, a generator, a session that was not recorded.",
    ),
    "formatter": ("Only the layout differs, or imports were put in order: the work of a formatter that somebody ran.", ""),
    "agent_text": (
        "An agent produced this very text for this repository before (an edit, perhaps refused, a command, a message), "
        "but the replay cannot say that this is it.",
        "",
    ),
    "brought_in": (
        "The agent copied or moved the file here from outside the repository: who wrote it there is on no record.",
        "The history of the place it came from.",
    ),
    "edit_unplaced": (
        "An edit of this file by an agent could not be replayed, so the line may be part of it.",
        "The text of the file when the agent made that edit.",
    ),
    "common_line": ("The line says nothing by itself and stands at the edge of an agent's block: it may be of either side.", ""),
    "base_unknown": (
        "Only the parts of the file around the agent's edits are on record; the rest may be anybody's.",
        "The text of the file when the agent first edited it.",
    ),
    "unexplained": (
        "A session is linked to the commit; nothing it did explains the line, and nothing shows that a person wrote it.",
        "A record that shows the file before and after the line appeared.",
    ),
}


class Reasons(NamedTuple):
    """Sentences about a verdict."""

    evidence: list[str]  # how we know
    needed: list[str]  # what would tell more


def reasons(line: BlameLine, busy: bool = False) -> Reasons:
    """`busy`: between the two sightings of a person's line agents worked on the file or its directory."""
    of = line.attribution
    if not of.author:
        outside = "The commit that added the line is outside the attributed history."
        return Reasons([outside], ["Attribute it: without --since, or another --branch"])
    if of.author == "unknown":
        why, needed = _REASONS.get(of.reason, (f"Reason: {of.reason.replace('_', ' ')}.", ""))
        return Reasons([why], [needed] if needed else [])
    if of.author == "human":
        return Reasons([_witnessed(of, busy), _PRODUCED], [])
    if of.author == "tool":
        return Reasons([_by_tool(of)], [])
    if of.how == "edited":
        share = f"; {of.similarity:.0%} of the words agree" if of.similarity else ""
        who = {"human": "a person", "unknown": "somebody unknown"}.get(of.edited_by, of.edited_by)
        edited = f"The agent wrote the line and {who} changed it before the commit{share}. Below is what the agent wrote."
        return Reasons([edited], [])
    how = _HOW.get((of.how, of.evidence)) or _HOW_ANY.get(of.how) or f"{of.how}, {of.evidence}"
    return Reasons([how], ["A session record: " + _FETCH] if of.how == "declared" else [])


def _witnessed(of: LineAttribution, busy: bool) -> str:
    """How the line was seen to appear, with the times that are known."""
    sentence = _HUMAN.get(Witness(of.witness)) if of.witness else None
    times = {"without": of.seen_without_at, "seen": of.seen_with_at}
    shown = {name: f" at {at[:16].replace('T', ' ')}" if at else "" for name, at in times.items()}
    text = (sentence or of.evidence).format(**shown)
    return _BUSY.sub(r"what agents ran \1 (below) did not write it", text) if busy else text


def _by_tool(of: LineAttribution) -> str:
    by = {"agent": ", run by a call of the agent", "human": ", run by a person"}.get(of.run_by, "; who ran it is not known")
    return f"A tool wrote the line: {of.tool}{by}."
