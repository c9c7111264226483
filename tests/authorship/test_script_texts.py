"""Lines that stand in a script of the agent that changes the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builder import World
from support.builder.lines import Line, new_file
from support.line_answers import Answer, answers

from attribution.authorship.script_texts import script_texts
from collector.vocabulary.lines import Author


def _written(script: str) -> set[str]:
    return {
        lines[number]
        for lines, added in script_texts(script)
        for number in added
        if lines[number].strip()
    }


PUT = "open(p, 'w').write(s)\n"


@pytest.mark.parametrize(
    ("script", "written"),
    [
        ("new = '''first line\nsecond line\n'''\n" + PUT, {"first line", "second line"}),
        ('new = """first line\nsecond line\n"""\n' + PUT, {"first line", "second line"}),
        (
            "new = '''def f():\n    \"\"\"What it does.\"\"\"\n'''\n" + PUT,
            {"def f():", '    """What it does."""'},
        ),
        ('s += "first line\\nit\'s the\\tsecond\\n"\n' + PUT, {"first line", "it's the\tsecond"}),
        (r's += "caf\u00e9\n\ud83d\ude00\n"' + "\n" + PUT, {"café", "😀"}),
        (
            "const add = `first line\nsecond \\` line`;\nfs.writeFileSync('a.js', s + add)",
            {"first line", "second \\` line"},
        ),
        ("s = s[:a] + '''first line\n''' + s[b:]\n" + PUT, {"first line"}),
        # what is looked for, and what is only carried along
        ("s = s.replace('''kept\nold line\n''', '''kept\nnew line\n''')\n" + PUT, {"new line"}),
        ("old = '''kept\nold line\n'''\nnew = '''kept\nnew line\n'''\n" + PUT, {"new line"}),
        ("assert s.count('''old\nline''') == 1\n" + PUT, set()),
        ("f.write('''first line\nsecond line\n''')\n", {"first line", "second line"}),
        # the code of the script is no text of it
        ("total = 1\nfor x in y:\n    total += x\n" + PUT, set()),
        ("'''" + "x" * 200_000 + "'''", set()),
    ],
)
def test_lines_that_a_script_writes(script: str, written: set[str]) -> None:
    assert _written(script) == written


# --- through the whole program --------------------------------------------------------------------

OLD = "def start():\n    return 1\n\n\ndef stop():\n    return 2\n"
MIDDLE = '''def wait(seconds):
    """Waits until the clock has moved on by so many seconds."""
    until = clock() + seconds
    while clock() < until:
        rest(until - clock())
    return until


'''
CUT = f"""python3 - <<'PY'
p = 'src/app.py'; s = open(p).read()
a = s.index('def stop')
new = '''{MIDDLE}'''
s = s[:a] + new + s[a:]
open(p, 'w').write(s)
PY
./check"""
RETURN = "sed -i 's/return 2/return 3/' src/app.py"


def _of_app(tmp_path: Path, after: str, command: str = CUT) -> list[Answer]:
    """The agent runs the script, a literal command and a tool; the file is then as `after` says."""
    world = World("scripted")
    world.human_write("src/app.py", OLD)
    world.commit("Start by hand")
    session = world.session(prompt="Add a function that waits")
    session.write("src/other.py", "x = 1\n")
    session.bash(command)
    session.bash(
        RETURN, lambda _: world.put("src/app.py", new_file(after, lambda line: Line(line, "shell")))
    )
    session.bash("./tool")
    session.end_turn()
    return answers(world, world.commit("Wait", [session]), tmp_path)["src/app.py"]


def test_lines_of_a_script_before_a_literal_command_are_the_agents(tmp_path: Path) -> None:
    """The literal command is replayed on a text that lacks what the script wrote: the script is
    still what wrote it.
    """
    found = _of_app(
        tmp_path, OLD.replace("def stop", MIDDLE + "def stop").replace("return 2", "return 3")
    )
    told = [one.text for one in found if one.author == Author.AGENT]
    assert {line for line in MIDDLE.split("\n") if len(line.strip()) > 12} <= set(told)


def test_a_line_that_the_script_does_not_hold_is_not_its_own(tmp_path: Path) -> None:
    after = OLD.replace(
        "def stop", MIDDLE.replace("rest(until - clock())", "nap(0.001 * random())") + "def stop"
    )
    found = {one.text.strip(): one.author for one in _of_app(tmp_path, after)}
    assert found["nap(0.001 * random())"] != "agent"
    assert found["until = clock() + seconds"] == "agent"


def test_a_script_that_names_another_file_explains_nothing(tmp_path: Path) -> None:
    after = OLD.replace("def stop", MIDDLE + "def stop")
    found = _of_app(tmp_path, after, CUT.replace("src/app.py", "src/tool.py"))
    assert "agent" not in {
        one.author for one in found if one.text.strip() == "until = clock() + seconds"
    }


def test_a_script_that_was_written_outside_and_run(tmp_path: Path) -> None:
    script = CUT.partition("\n")[2].partition("PY\n")[0]
    world = World("outside")
    world.human_write("src/app.py", OLD)
    world.commit("Start by hand")
    session = world.session(prompt="Add a function that waits")
    session.write("src/other.py", "x = 1\n")
    session.write_outside("/tmp/claude/insert.py", script)
    after = OLD.replace("def stop", MIDDLE + "def stop")
    put = new_file(after, lambda line: Line(line, "shell"))
    session.bash("python3 /tmp/claude/insert.py", lambda _: world.put("src/app.py", put))
    session.end_turn()
    found = answers(world, world.commit("Wait", [session]), tmp_path)["src/app.py"]
    assert {one.author for one in found if one.text.strip() == "until = clock() + seconds"} == {
        "agent"
    }
