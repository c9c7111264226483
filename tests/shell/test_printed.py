"""What commands print of files, and what of that is seen."""

from __future__ import annotations

import pytest

from attribution.authorship.session_edits import session_edits
from attribution.shell.printed import FilePart, parts_shown
from collector.model import Command, Edit, Session, Status, ToolCall

TEXT = "a = 1\nb = 2\n"
DIFF = """\
diff --git a/src/a.py b/src/a.py
index 111..222 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@ def f():
 a = 1
-b = 0
+b = 2
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-c = 3
"""


@pytest.mark.parametrize(
    ("command", "output", "seen"),
    [
        ("cat src/a.py", TEXT, {"/w/src/a.py": TEXT}),
        ("cd src && cat a.py", TEXT, {"/w/src/a.py": TEXT}),
        ("echo ---; head -n 2 src/a.py", TEXT, {"/w/src/a.py": TEXT}),
        ("head -2 src/a.py", TEXT, {"/w/src/a.py": TEXT}),
        ("tail -n 2 src/a.py", TEXT, {"/w/src/a.py": TEXT}),
        ("sed -n '1,2p' src/a.py", TEXT, {"/w/src/a.py": TEXT}),
        ("nl -ba src/a.py", "     1\ta = 1\n     2\tb = 2\n", {"/w/src/a.py": TEXT}),
        ("nl -b a src/a.py", "     1\ta = 1\n     2\tb = 2\n", {"/w/src/a.py": TEXT}),
        ("cat -n src/a.py", "     1\ta = 1\n     2\tb = 2\n", {"/w/src/a.py": TEXT}),
        ("rg -n '=' src", "src/a.py:1:a = 1\nsrc/b.py:7:c = 3\n", {"/w/src/a.py": "a = 1", "/w/src/b.py": "c = 3"}),
        ("git diff", DIFF, {"/w/src/a.py": "a = 1\nb = 2"}),
        ("git diff -- src/a.py", DIFF, {"/w/src/a.py": "a = 1\nb = 2"}),
        # of which file a line is, or that it is a file's as it stands there, is not known
        ("cat src/a.py src/b.py", TEXT, {}),
        ("cat src/a.py; cat src/b.py", TEXT, {}),
        ("cat src/a.py | sort", TEXT, {}),
        ("cat src/a.py > b.py", TEXT, {}),
        ("cat src/*.py", TEXT, {}),
        ("sed -n '/a/p;s/a/b/p' src/a.py", TEXT, {}),
        ("git diff HEAD~1 HEAD", DIFF, {}),
        ("git diff --cached", DIFF, {}),
        ("git show HEAD:src/a.py", TEXT, {}),
        ("cat 'src/a.py", TEXT, {}),
        ("cat src/a.py", " \n", {}),
    ],
)
def test_parts_of_files_that_a_command_shows(command: str, output: str, seen: dict[str, str]) -> None:
    assert parts_shown(command, "/w", output) == [FilePart(path, text) for path, text in seen.items()]


@pytest.mark.parametrize(("status", "count"), [(Status.OK, 1), (Status.ERROR, 0)])
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_parts_of_edited_files_are_sightings_for_every_agent(agent: str, status: Status, count: int) -> None:
    show = ToolCall("b1", "Bash", 1, 10.0, 11.0, status, command=Command("nl -ba src/a.py", "/w", output="     1\ta = 1\n"))
    other = ToolCall("b2", "Bash", 1, 12.0, 13.0, Status.OK, command=Command("cat src/b.py", "/w", output=TEXT))
    edit = ToolCall("e1", "Edit", 1, 20.0, 20.0, Status.OK, edits=(Edit("/w/src/a.py", "write", content=TEXT),))
    glimpses = session_edits(Session("s", agent, ("/w",), calls=(show, other, edit)), 1).glimpses
    assert [(one.path, one.at, one.text, one.whole) for one in glimpses] == [("/w/src/a.py", 11.0, "a = 1\n", False)] * count
