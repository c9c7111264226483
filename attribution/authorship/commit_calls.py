"""Calls of a session that made commits, or may have, and the ids that they and the calls after
them printed. Pure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from attribution.authorship.verdicts import CallRef
from collector.model import Session, Status
from collector.text import unique

_MAKES = re.compile(
    r"\bgit\b[^|;&\n]{0,200}?\s(?:commit|merge|cherry-pick|revert|am|rebase\s+--continue|rebase\b[^|;&\n]{0,100}--autosquash)\b"
    r"|\bjj\b[^|;&\n]{0,200}?\s(?:commit|ci|describe|desc|new|squash)\b|\bgt\s+(?:create|modify|c|m)\b|\bgh\s+pr\s+merge\b"
)
_SERVER_MERGES = re.compile(r"\bgh\s+pr\s+merge\b")
_SHOWS = re.compile(r"\b(?:git|jj|gh)\b")
_ID = re.compile(r"(?<![\w-])[0-9a-f]{7,40}(?![\w-])")
_MOST_SHOWN = 20  # ids, of a log that was printed after a commit


@dataclass(frozen=True, slots=True)
class CommitCall:
    """A call that made commits, or may have."""

    call: CallRef
    started: float  # seconds since the epoch; 0 where the agent records no time
    # with the message of the commit, if the call names one; of a merge on a server also what it
    # printed
    text: str
    # abbreviated ids of the commits that it made, as far as they were printed
    printed: tuple[str, ...]
    shown: tuple[str, ...]  # those that it and the calls after it showed for the first time

    @property
    def on_server(self) -> bool:
        """Whether it had a pull request merged: the commit may be made of commits of several
        sessions.
        """
        return _SERVER_MERGES.search(self.text) is not None


def commit_calls(session: Session, refs: Mapping[str, CallRef]) -> list[CommitCall]:
    """The calls of a session that made commits or may have. `refs`: by id of the call."""
    results: list[CommitCall] = []
    known: set[str] = set()
    for call in session.calls:
        text = call.command.text if call.command is not None else call.input
        shown = (
            _ID.findall(call.command.output)
            if call.command is not None and _SHOWS.search(call.command.text)
            else []
        )
        fresh = unique(short for short in shown if not short.isdigit() and short not in known)
        known.update(fresh)
        if call.commits or (
            call.command is not None and call.status is Status.OK and _MAKES.search(text)
        ):
            started = call.at if call.at is not None and call.done_at is not None else 0.0
            if call.command is not None and _SERVER_MERGES.search(text):
                text += "\n" + call.command.output
            results.append(
                CommitCall(
                    refs[call.call_id],
                    started or 0.0,
                    text,
                    call.commits,
                    fresh[:_MOST_SHOWN],
                )
            )
        elif results and fresh:
            results[-1] = replace(results[-1], shown=(*results[-1].shown, *fresh)[:_MOST_SHOWN])
    return results
