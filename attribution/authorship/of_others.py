"""Lines that an agent said were there before its own edits: it committed the file first, because
somebody had changed it. Pure.

The texts of agents and the kind of the file still decide afterwards
(`attribution.authorship.people`).
"""

from collections.abc import Iterable, Mapping

from attribution.authorship.commits import CommitHistory
from attribution.authorship.person_lines import Texts
from attribution.authorship.session_edits import SessionEdits
from attribution.authorship.span_lines import put_lines
from attribution.authorship.verdicts import CommitVerdict, SightingPair, Verdict
from collector.git.ranges import Ranges, unite
from collector.vocabulary.lines import Author, Evidence, How, Reason, Witness

# A line that is unknown for another reason than these has an explanation of its own.
_OPEN = frozenset(
    {
        Reason.NONE,
        Reason.NO_SESSION,
        Reason.UNEXPLAINED,
        Reason.UNCAPTURED,
        Reason.UNOBSERVED,
        Reason.OPAQUE_SHELL,
        Reason.BASE_UNKNOWN,
        Reason.CHECKPOINT_MISSING,
        Reason.TRANSCRIPT_MISSING,
        Reason.TRANSCRIPT_NOT_STORED,
        Reason.TRANSCRIPT_UNREADABLE,
        Reason.INVISIBLE_SUBAGENT,
    }
)
_SHORT = 7  # digits of a commit id that agents print
# lines of a file: more at once are as likely those of another agent, which nobody recorded
_MOST = 200


def lines_of_others(
    sessions: Iterable[SessionEdits], history: CommitHistory
) -> dict[str, dict[str, tuple[Ranges, Reason]]]:
    """Commit -> path -> all lines that the commit adds to a file of which the committing agent said
    that others had changed it.

    With what else may have made them: an editor may have formatted the agent's own text, where that
    was not committed yet.
    """
    shas = {commit.sha[:_SHORT]: commit.sha for commit in history.commits}
    lines: dict[str, dict[str, tuple[Ranges, Reason]]] = {}
    changes = {change for session in sessions for change in session.of_others}
    for change in sorted(changes):  # where two histories say different things, the doubt wins
        sha = shas.get(change.commit[:_SHORT], "")
        diff = history.diffs.get(sha)
        for file in (
            (diff.files or ()) if diff is not None and sha.startswith(change.commit) else ()
        ):
            path = file.change.path
            if change.path in ("", path):
                added = unite((start + 1, end) for start, end, _ in file.added)
                lines.setdefault(sha, {})[path] = (
                    added,
                    Reason.FORMATTER if change.beside_own else Reason.NONE,
                )
    return lines


def testify(
    verdict: CommitVerdict, lines: Mapping[str, tuple[Ranges, Reason]], since: float, texts: Texts
) -> None:
    """Nobody's lines among these become a person's, for the other witnesses to confirm.

    `since`: time of the parent.

    Not those of a new file: it may have been copied, or set up by a program, and nothing showed it
    without them.
    """
    witness = SightingPair(Witness.BEFORE_EDITS, since)
    for file, spans in verdict.files:
        ranges, doubt = lines.get(file.change.path if file.change.old else "", ((), Reason.NONE))
        persons = Verdict(Author.HUMAN, How.NONE, Evidence.INFERRED, doubt, witness=witness)
        open_lines = {
            line for span in spans if ranges and _is_open(span.verdict) for line in span.lines
        }
        if 0 < len(open_lines) <= _MOST:
            sighted = [
                line for line in open_lines if any(first <= line <= last for first, last in ranges)
            ]
            put_lines(spans, dict.fromkeys(sighted, persons), texts.lines(file))


def _is_open(verdict: Verdict) -> bool:
    # so far only the commit speaks for a person
    by_commit = verdict.author == Author.HUMAN and verdict.is_unseen
    return by_commit or (
        verdict.author in (Author.UNKNOWN, Author.DECLARED) and verdict.reason in _OPEN
    )
