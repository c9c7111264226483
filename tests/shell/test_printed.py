"""What commands print of files, and what of that is seen."""

from __future__ import annotations

import pytest
from support.local_writers import two_agents

from attribution.authorship.session_edits import session_edits
from attribution.shell.printed import FilePart, lines_traced, parts_shown
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


NUMBERED = "     1\ta = 1\n     2\tb = 2\n"
CUT = "a = 1\n... [12 lines truncated] ...\nb = 2\n"


def part(text: str, start: int = 0, whole: bool = False, path: str = "/w/src/a.py") -> FilePart:
    return FilePart(path, text, start, whole)


WHOLE = {
    "cat src/a.py": TEXT,
    "cd src && cat a.py": TEXT,
    "nl -ba src/a.py": NUMBERED,
    "bat -p src/a.py": TEXT,
    "less src/a.py | head -50": TEXT,
    "nl -b a src/a.py": NUMBERED,
    "cat -n src/a.py": NUMBERED,
    "head -n 40 src/a.py": TEXT,
    "sed -n '1,40p' src/a.py": TEXT,
    "nl -ba src/a.py | sed -n '1,40p'": NUMBERED,
    "cat src/a.py | head -50": TEXT,
    "Get-Content src\\a.py": TEXT,
    "Get-Content -Raw -LiteralPath 'src\\a.py' -Encoding utf8": TEXT,
    "cd src; Get-Content -Path a.py | Select-Object -First 40": TEXT,
}
NOTHING = {
    "Get-Content a.py | Select-String x": TEXT,
    "Get-Content a.py -Tail 3": TEXT,
    "Get-Content a.py | Select-Object -First 40 -Skip 5": TEXT,
    "$c = Get-Content src\\a.py -Raw; $c.Substring(7)": TEXT,
    # of which file a line is, or that it is a file's as it stands there, is not known
    "cat src/a.py src/b.py": TEXT,
    "cat src/a.py; cat src/b.py": TEXT,
    "cat src/a.py | sort": TEXT,
    "cat src/a.py > b.py": TEXT,
    "cat src/*.py": TEXT,
    "bat --line-range=10:20 src/a.py": TEXT,
    "bat -r10:20 src/a.py": TEXT,
    "bat -p --diff src/a.py": TEXT,
    "bat -n src/a.py": NUMBERED,
    "less -N src/a.py": NUMBERED,
    "sed -n '/a/p;s/a/b/p' src/a.py": TEXT,
    "git show HEAD:src/a.py": TEXT,
    "cat 'src/a.py": TEXT,
    "Get-Content src\\a.py": "a = '\ufffdB\ufffde'\nb = 2\n",
    "cat src/a.py": " \n",
}


@pytest.mark.parametrize(
    ("command", "output", "seen"),
    [
        *((command, output, [part(TEXT, 1, True)]) for command, output in WHOLE.items()),
        *((command, output, []) for command, output in NOTHING.items()),
        # lines from a known number on
        ("echo ---; head -n 2 src/a.py", TEXT, [part(TEXT, 1)]),
        ("head -2 src/a.py", TEXT, [part(TEXT, 1)]),
        ("sed -n '1,2p' src/a.py", TEXT, [part(TEXT, 1)]),
        ("sed -n '7,8p' src/a.py", TEXT, [part(TEXT, 7)]),
        ("nl -ba src/a.py | sed -n '7,8p'", "     7\ta = 1\n     8\tb = 2\n", [part(TEXT, 7)]),
        ("git diff", DIFF, [part("a = 1\nb = 2", 1)]),
        ("git diff -- src/a.py", DIFF, [part("a = 1\nb = 2", 1)]),
        ("git diff HEAD", DIFF, [part("a = 1\nb = 2", 1)]),
        (
            "rg -n '=' src",
            "src/a.py:1:a = 1\nsrc/b.py:7:c = 3\n",
            [part("a = 1", 1), part("c = 3", 7, path="/w/src/b.py")],
        ),
        (
            "grep -rn -A1 'a =' src",
            "src/a.py:1:a = 1\nsrc/a.py-2-b = 2\n--\nsrc/a.py:9:a = 3\n",
            [part("a = 1\nb = 2", 1), part("a = 3", 9)],
        ),
        ("grep -n '=' src/a.py", "1:a = 1\n2:b = 2\n", [part("a = 1\nb = 2", 1)]),
        # lines of which the place is not known, or that need not be the worktree's
        ("tail -n 2 src/a.py", TEXT, [part(TEXT)]),
        ("git diff --cached", DIFF, [part("a = 1\nb = 2")]),
        ("git diff HEAD~1 HEAD", DIFF, [part("a = 1\nb = 2")]),
        ("git show", DIFF, [part("a = 1\nb = 2")]),
        # an output that was cut
        ("cat src/a.py", CUT, [part("a = 1", 1), part("b = 2")]),
        ("cat src/a.py", "x\n" * 20_000, [part("x\n" * 20_000, 1)]),
    ],
)
def test_parts_of_files_that_a_command_shows(
    command: str, output: str, seen: list[FilePart]
) -> None:
    assert parts_shown(command, "/w", output) == seen


def test_a_traceback_quotes_lines_of_files() -> None:
    output = (
        'Traceback (most recent call last):\n  File "/w/src/a.py", line 7, in go\n    total = 1 /'
        " parts\nZeroDivisionError\n"
    )
    assert lines_traced(output) == [part("total = 1 / parts")]
    assert lines_traced('  File "<stdin>", line 1, in <module>\n    total = 1 / parts\n') == []


def test_a_failed_test_quotes_lines_of_files() -> None:
    called = "    def test_total():\n>       go()\n\nx_test.py:3: \n_ _ _ _ _\n\n    def go():\n"
    output = (
        f"{called}>       total = 1 / parts\nE       ZeroDivisionError: division by"
        " zero\n\n/w/src/a.py:7: ZeroDivisionError\n"
    )
    assert lines_traced(output) == [part("total = 1 / parts", 0)]
    assert lines_traced("> total = 1 / parts\n> more\n") == []


@pytest.mark.parametrize(("status", "count"), [(Status.OK, 1), (Status.ERROR, 0)])
@two_agents
def test_files_that_are_printed_are_sightings_for_every_agent(
    agent: str, status: Status, count: int
) -> None:
    show = ToolCall(
        "b1",
        "Bash",
        1,
        10.0,
        11.0,
        status,
        command=Command("nl -ba src/a.py", "/w", output="     1\ta = 1\n"),
    )
    other = ToolCall(
        "b2",
        "Bash",
        1,
        12.0,
        13.0,
        Status.OK,
        command=Command("sed -n '3,4p' src/b.py", "/w", output=TEXT),
    )
    edit = ToolCall(
        "e1", "Edit", 1, 20.0, 20.0, Status.OK, edits=(Edit("/w/src/a.py", "write", content=TEXT),)
    )
    sightings = session_edits(Session("s", agent, ("/w",), calls=(show, other, edit)), 1).sightings
    expected = [("/w/src/a.py", 11.0, "a = 1\n", 1, True)] * count + [
        ("/w/src/b.py", 13.0, TEXT, 3, False)
    ]
    assert [(one.path, one.at, one.text, one.start, one.whole) for _, one in sightings] == expected
