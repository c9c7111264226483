"""New files of one commit with the same content share one author."""

from __future__ import annotations

from attribution.authorship.conclude import CommitVerdict, VerdictSpan
from attribution.authorship.copies import share_authors
from attribution.authorship.diffs import FileDiff
from attribution.authorship.lines import Verdict
from attribution.authorship.replay import CallRef
from collector.model import FileChange

CALL = CallRef(1, "c1", 1, 10.0)
AGENT = Verdict("agent", "exact", "observed", call=CALL)
TOOL = Verdict("tool", "none", "inferred", call=CALL, tool="pandoc", run_by="agent")
NOBODY = Verdict("unknown", "none", "inferred", "opaque_shell")
PERSON = Verdict("human", "none", "observed")
LINES = ["a = 1", "", "b = 2", "c = 3"]


class Lines:
    def lines(self, file: FileDiff) -> list[str]:
        return LINES if file.change.new != "short" else ["a = 1"]

    def before(self, file: FileDiff) -> str:
        return ""


def _file(path: str, blob: str, *verdicts: Verdict, old: str | None = None) -> tuple[FileDiff, list[VerdictSpan]]:
    """A file with one span for each verdict; the last one is as long as is left."""
    change = FileChange(path, path, old, blob, 0o100644, 0o100644, "M" if old else "A")
    spans = [VerdictSpan(n, n, int(bool(LINES[n - 1])), one) for n, one in enumerate(verdicts[:-1], 1)]
    texts = sum(1 for line in LINES[len(spans) :] if line)
    return FileDiff(change, "text"), [*spans, VerdictSpan(len(verdicts), len(LINES), texts, verdicts[-1])]


def _shared(*files: tuple[FileDiff, list[VerdictSpan]]) -> list[list[tuple[int, int, int, str]]]:
    verdict = CommitVerdict(list(files))
    share_authors(verdict, Lines())
    return [[(s.start, s.end, s.nonblank, s.verdict.author) for s in spans] for _, spans in verdict.files]


def test_copy_has_the_author_of_its_source() -> None:
    source, copy = _file("a.html", "x", AGENT), _file("b.html", "x", NOBODY)
    assert _shared(source, copy) == [[(1, 4, 3, "agent")]] * 2
    assert _shared(_file("b.html", "x", NOBODY), _file("a.html", "x", TOOL))[0] == [(1, 4, 3, "tool")]


def test_lines_that_the_source_does_not_know_stay_unknown() -> None:
    parts = _shared(_file("a.py", "x", AGENT, AGENT, NOBODY), _file("b.py", "x", NOBODY))
    assert parts[1] == [(1, 2, 1, "agent"), (3, 4, 2, "unknown")]


def test_only_new_files_with_the_same_content_are_copies() -> None:
    nobody = [[(1, 4, 3, "unknown")]]
    assert _shared(_file("a.py", "x", AGENT), _file("b.py", "y", NOBODY))[1:] == nobody
    assert _shared(_file("a.py", "x", AGENT), _file("b.py", "x", NOBODY, old="w"))[1:] == nobody
    assert _shared(_file("a.py", "x", AGENT), _file("b.py", "x", PERSON))[1:] == [[(1, 4, 3, "human")]]
    assert _shared(_file("a.py", "x", PERSON), _file("b.py", "x", NOBODY))[1:] == nobody
