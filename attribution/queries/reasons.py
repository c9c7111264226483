"""How we know, in a sentence, and what would tell more: the words for every verdict."""

import re
from typing import NamedTuple

from attribution.queries.blame import BlameLine
from attribution.queries.verdicts import NOT_COMMITTED, NOT_YET, LineAttribution
from collector.vocabulary.lines import Author, Evidence, How, Reason, RunBy, Witness
from collector.vocabulary.releases import steps

_HOW = {
    (
        How.EXACT,
        Evidence.OBSERVED,
    ): "The text before and after the edit is on record: this edit put exactly this line here.",
    (
        How.EXACT,
        Evidence.REPLAYED,
    ): "Replaying the edits of the session in order puts exactly this line here.",
    (How.EXACT, Evidence.INFERRED): "A blank line or bracket between two lines of the agent.",
    (
        How.EXACT,
        Evidence.MATCHED,
    ): (
        "The line stands in the text of an edit that could not be replayed: it was found by its"
        " content."
    ),
    (How.SHELL, Evidence.REPLAYED): "The text of a shell command gives this line literally.",
    (
        How.SHELL,
        Evidence.OBSERVED,
    ): "A shell command of the agent made it; the text before and after is on record.",
    (
        How.SHELL,
        Evidence.INFERRED,
    ): (
        "The file changed while a call of the agent ran; the record of the call does not show the"
        " line."
    ),
}
_HOW_ANY = {
    How.MOVED: (
        "The agent wrote this text elsewhere; here it reappears within a block of three or more"
        " lines that moved together."
    ),
    How.REFORMATTED: (
        "The agent wrote this line; only its layout (blanks, quotes, trailing commas) was changed"
        " since."
    ),
    How.SUBAGENT: (
        "The file appeared while a subagent worked that was told to make it, that its recorder says"
        " changed it, or that alone could write. Its own calls are not on record."
    ),
    How.DECLARED: (
        "A trailer or the author field of the commit names an agent. That is taken on trust:"
        " records do not show the work."
    ),
}
_HUMAN = {
    Witness.RECORDED: (
        "The file was seen without the line{without} and with it{seen}; nothing that can write ran"
        " in between."
    ),
    Witness.NOTICE: (
        "The file was seen without the line{without}; then a notice of a change by others showed"
        " it{seen}."
    ),
    Witness.COMMIT: (
        "The file was known without the line{without}, nothing that can write ran since, and the"
        " commit has it."
    ),
    Witness.UNWATCHED: (
        "The file was known without the line{without} and later had it. What was recorded does not"
        " explain it; for a part of the time sessions were not being recorded, or the commit was"
        " made again later."
    ),
    Witness.BEFORE_EDITS: (
        "The agent committed the file before its own edits, and its earlier ones do not explain the"
        " line."
    ),
    Witness.FIRST_READ: (
        "The line was in the file when the agent first read it{seen}, and in no commit"
        " before{without}."
    ),
    Witness.BEFORE_COMPLETION: (
        "The commit is older than the first program that completes whole lines ({before})."
    ),
    Witness.BEFORE_AGENTS: (
        "The commit is older than the first coding agent ({before}): a person wrote the line, "
        "perhaps with a program that completes lines."
    ),
}
_BESIDE_CALLS = {
    Reason.NO_SESSION: (
        "The commit does not name an agent, and what agents did to the file before it (below) was"
        " not shown to have put the line there."
    ),
    Reason.UNEXPLAINED: (
        "A session is linked to the commit. What it did (below) does not explain the line, and it"
        " is not shown that a person wrote it."
    ),
    Reason.UNCAPTURED: (
        "Sessions were recorded for a part of the time only in which the line appeared (below), so"
        " an agent at work in the rest of it would not be known."
    ),
    Reason.UNOBSERVED: (
        "The commit adds more text than a person is likely to have typed unseen, and what agents"
        " did (below) does not explain it."
    ),
}
"""What is said instead where the list of calls is not empty: it would refute a "nothing"."""
_RUN_BY = {RunBy.AGENT: ", run by a call of the agent", RunBy.HUMAN: ", run by a person"}
_BUSY = re.compile(r"nothing that can write ran (in between|since)")
_PRODUCED = "Agents had not produced its text for this repository before the commit."
_FETCH = "whowrote repo --fetch"
_NEEDED = {
    Reason.NO_SESSION: "A record of the session, if there was one.",
    Reason.TRANSCRIPT_MISSING: "The transcript. If it is on the server: " + _FETCH,
    Reason.TRANSCRIPT_NOT_STORED: (
        "A record of the session. Its recorder stored none, so there is nothing to fetch."
    ),
    Reason.TRANSCRIPT_UNREADABLE: "A reader for that format.",
    Reason.CHECKPOINT_MISSING: "The checkpoint. If it is on the server: " + _FETCH,
    Reason.INVISIBLE_SUBAGENT: "The records of the subagent, which its agent did not store in git.",
    Reason.OPAQUE_SHELL: "What the agent did to the file; git does not know.",
    Reason.GIT_OPERATION: "The commit or stash the text came from.",
    Reason.OTHER_BRANCH: "The branch it comes from, attributed with --branch.",
    Reason.UNCAPTURED: "The session, if there was one that was not recorded.",
    Reason.UNOBSERVED: (
        "Where the text came from: an import, a generator, a session that was not recorded."
    ),
    Reason.BROUGHT_IN: "The history of the place it came from.",
    Reason.SECRET: "The record of the agent itself, where it still exists.",
    Reason.EDIT_UNPLACED: "The text of the file when the agent made that edit.",
    Reason.BASE_UNKNOWN: "The text of the file when the agent first edited it.",
    Reason.UNEXPLAINED: "A record that shows the file before and after the line appeared.",
}
"""What would tell more of a line without an author; nothing is said where nothing can."""


class Reasons(NamedTuple):
    """Sentences about a verdict."""

    evidence: list[str]  # how we know
    needed: list[str]  # what would tell more


_OUTSIDE = Reasons(
    ["The commit that added the line is outside the attributed history."],
    ["Attribute it: without --since, or another --branch"],
)
_NO_VERDICT = {
    NOT_COMMITTED: Reasons(
        ["The line is not committed."], ["A commit: a session is compared with what was committed"]
    ),
    NOT_YET: Reasons(
        ["The commit that added the line is newer than what was attributed."],
        ["Attribute it: whowrote repo"],
    ),
}


def reasons(
    line: BlameLine, busy: bool = False, produced: bool = False, edited: str = ""
) -> Reasons:
    """`busy`: agents worked on the file or its directory while the line can have appeared, between
    the two sightings of a person's line. `produced`: the text of a call of them holds the line.
    `edited`: the call behind the line edited this other file.
    """
    of = line.attribution
    if not of.author:
        return _NO_VERDICT.get(of.reason, _OUTSIDE)
    why = _unknown_because(Reason(of.reason), busy)
    if of.author == Author.UNKNOWN:
        return why
    if of.author == Author.HUMAN:
        # an answer that Aider has not applied yet may hold the line
        told = produced or of.evidence == Evidence.DATED or of.witness == Witness.BEFORE_EDITS
        return Reasons([_witness_text(of, busy), *([] if told else [_PRODUCED])], [])
    if of.author == Author.TOOL:
        return Reasons(
            [
                "A tool wrote the line:"
                f" {of.tool}{_RUN_BY.get(RunBy(of.run_by), '; who ran it is not known')}."
            ],
            [],
        )
    if of.how == How.EDITED:
        share = f"; {of.similarity:.0%} of the words agree" if of.similarity else ""
        who = {RunBy.HUMAN: "a person", RunBy.UNKNOWN: "somebody unknown"}.get(RunBy(of.edited_by))
        edited = (
            f"The agent wrote the line and {who} changed it before the commit{share}. Below is what"
            " the agent wrote."
        )
        return Reasons([edited], [])
    how = (
        _HOW.get((How(of.how), Evidence(of.evidence)))
        or _HOW_ANY.get(How(of.how))
        or f"{of.how}, {of.evidence}"
    )
    if edited and of.how == How.EXACT:
        how = f"The agent wrote the line in {edited}; it was moved or copied here."
    return (
        Reasons([how, *why.evidence], why.needed) if of.how == How.DECLARED else Reasons([how], [])
    )


def _unknown_because(reason: Reason, busy: bool) -> Reasons:
    """Why no record shows who wrote a line; nothing for Reason.NONE."""
    meaning = _BESIDE_CALLS.get(reason, reason.meaning) if busy else reason.meaning
    told = [meaning] if reason else []
    return Reasons(told, [_NEEDED[reason]] if reason in _NEEDED else [])


def _witness_text(of: LineAttribution, busy: bool) -> str:
    """How the line was seen to appear, with the times that are known."""
    sentence = _HUMAN.get(Witness(of.witness)) if of.witness else None
    times = {"without": of.seen_without_at, "seen": of.seen_with_at}
    listing = {
        name: f" at {moment[:16].replace('T', ' ')}" if moment else ""
        for name, moment in times.items()
    }
    day = next((step.day.isoformat() for step in steps() if step.witness == of.witness), "")
    text = (sentence or of.evidence).format(**listing, before=day)
    return _BUSY.sub(r"what agents ran \1 (below) did not write it", text) if busy else text
