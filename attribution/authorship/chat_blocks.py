"""Lines that stand in the answers of an exported chat which their commit brings along. Pure.

The blocks of such a chat have neither path nor time. Their lines are looked for in the commit that
has the chat first, and only where nothing else is known of a line, since an answer may quote what
stood in the repository before. What the user said as well is the user's.
"""

from collections.abc import Container, Iterator, Mapping, Sequence

from attribution.authorship.agent_text import MIN_LENGTH, lines_without_layout, without_layout
from attribution.authorship.run_data import Judged
from attribution.authorship.session_edits import SessionEdits
from attribution.authorship.span_lines import put_lines, verdicts_by_line
from attribution.authorship.texts import text_at
from attribution.authorship.verdicts import Span, Verdict, unknown
from collector.files.kinds import BY_HAND
from collector.git.repository import GitRepo
from collector.model import Commit
from collector.vocabulary.lines import Author, Evidence, How, Reason

_OPEN = frozenset({unknown(Reason.NO_SESSION), unknown(Reason.AGENT_TEXT)})
# of what was added to a file; an answer repeats parts of what was there, as templates and headers
_SHARE = 0.7

_Bares = tuple[str, ...]  # the lines of a run without layout


def give_lines_to_answers(judged: Judged) -> None:
    """Lines of nobody go to the block that has them and the lines around, in the commit that brings
    the chat.
    """
    # by the path of the record, which is the session's key
    chats = {
        session.key: session
        for session in judged.evidence.sessions.edits
        if any(not raw.edit.path for raw in session.edits)
    }
    for commit, verdict in judged.commits if chats else ():
        written = {
            bares: answer
            for path, chat in chats.items()
            if (record := _record_brought(judged.texts.repo, commit, path))
            for bares, answer in _runs_written(chat, record)
        }
        for file, spans in verdict.files if written else ():
            if file.kind in BY_HAND and file.change.path not in chats:
                lines = judged.texts.lines(file)
                moved = _telling_lines(judged.texts.before(file))
                put_lines(spans, _lines_answered(spans, lines, moved, written), lines)
        if written:
            verdict.note_sessions()


def _record_brought(repo: GitRepo, commit: Commit, path: str) -> str:
    """The text of a record in the commit that has it first; else ""."""
    if any(repo.file_at(parent, path) for parent in commit.parents):
        return ""
    return text_at(repo, commit.sha, path) or ""


def _runs_written(chat: SessionEdits, record: str) -> Iterator[tuple[_Bares, Verdict]]:
    """The runs in the blocks, and whose they are; the first block that has one comes last."""
    said = _telling_lines("\n".join(text for _, text in chat.said))
    for raw in reversed(chat.edits):
        block = raw.edit.content or ""
        answer = Verdict(Author.AGENT, How.EXACT, Evidence.MATCHED, call=raw.call)
        for bares, _ in _runs_of(block.split("\n")) if block in record else ():
            if said.isdisjoint(bares):
                yield bares, answer


def _telling_lines(text: str) -> set[str]:
    return {bare for bare in lines_without_layout(text) if len(bare) >= MIN_LENGTH}


def _runs_of(lines: Sequence[str]) -> Iterator[tuple[_Bares, range]]:
    """Lines in a row, with their numbers; those between them that say nothing have one as well."""
    bares = enumerate(lines_without_layout("\n".join(lines)), 1)
    telling = [(bare, number) for number, bare in bares if len(bare) >= MIN_LENGTH]
    for (one, first), (two, _), (three, last) in zip(
        telling, telling[1:], telling[2:], strict=False
    ):
        yield (one, two, three), range(first, last + 1)


def _lines_answered(
    spans: Sequence[Span],
    lines: Sequence[str],
    moved: Container[str],
    written: Mapping[_Bares, Verdict],
) -> dict[int, Verdict]:
    """Number of a line -> the verdict, of the lines of nobody in a run that is written; none where
    they are a smaller part of what was added.
    """
    added = verdicts_by_line(spans)
    nobodys = {number for number, verdict in added.items() if verdict in _OPEN}
    answered = {
        number: written[bares]
        for bares, numbers in _runs_of(lines)
        if bares in written and nobodys.issuperset(numbers)
        for number in numbers
    }
    if len(answered) < _SHARE * len(added):
        return {}
    return {n: v for n, v in answered.items() if without_layout(lines[n - 1]) not in moved}
