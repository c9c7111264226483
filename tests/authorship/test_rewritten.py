"""Lines that an agent's replacement makes of the version before a commit are no person's, whatever the replay knew of the file."""

from __future__ import annotations

import pytest

from attribution.authorship.agent_text import without_layout
from attribution.authorship.diffs import FileDiff
from attribution.authorship.passes import add_rewritten
from attribution.authorship.person_lines import PersonLines, VersionBefore
from attribution.authorship.session_edits import RawEdit
from attribution.authorship.substitutes import rewritten
from attribution.authorship.timeline import EditFate
from attribution.authorship.verdicts import CallRef, Span, Verdict
from attribution.shell import effects
from collector.model import Edit, FileChange, Replacement, Status
from collector.vocabulary.lines import Author, Evidence, How

BEFORE = "func one() {\n\terr := store(body, &wire, false)\n\treturn err\n}\n"
SED = r"sed -i.bak 's|go(no)|go(no, nil)|g; s|store(body, \&wire, false)|store(body, \&wire, false, nil)|g' /w/a.go"
AFTER = "\terr := store(body, &wire, false, nil)"


def _changes(command: str) -> tuple[Replacement, ...]:
    (effect,) = effects(command, "/w")
    return effect.changes


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        (SED, {AFTER}),
        ("sed -i 's|absent|present|' /w/a.go", set()),
        ("sed -i '2s|false|true|' /w/a.go", set()),  # the number of the line is one of a text that may be another
        ("sed -i 's|false|true|; 2d' /w/a.go", {"\terr := store(body, &wire, true)"}),
    ],
)
def test_rewritten(command: str, lines: set[str]) -> None:
    assert rewritten(BEFORE, _changes(command)) == lines


def _asked(path: str, *texts: str) -> PersonLines:
    change = FileChange(path, path, "a", "b", 0o100644, 0o100644, "M")
    span = Span(2, 1 + len(texts), len(texts), Verdict(Author.HUMAN, How.NONE, Evidence.INFERRED))
    return PersonLines(FileDiff(change, "text", ((1, 2, 1),)), span, texts, VersionBefore(BEFORE))


def _edit(at: float) -> EditFate:
    edit = Edit("/w/a.go", "substitute", _changes(SED), by_shell=True)
    return EditFate(0, RawEdit(at, 0, edit, CallRef(1, "call", 1, at), Status.OK, "/w"), "", "/w", "a.go")


def test_the_first_moment_of_such_a_line_is_that_of_the_command() -> None:
    first = {"other": 5.0}
    add_rewritten(first, [_asked("a.go", AFTER, "\treturn nil")], [_edit(200.0), _edit(100.0)])
    assert first == {"other": 5.0, without_layout(AFTER): 100.0}


def test_of_another_file_nothing_is_known() -> None:
    first: dict[str, float] = {}
    add_rewritten(first, [_asked("b.go", AFTER)], [_edit(100.0)])
    assert first == {}
