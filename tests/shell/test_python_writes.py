"""Scripts that hold or make the text of a file: what is worked out is what Python itself writes,
or nothing.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attribution.shell import effects
from attribution.shell.python_writes import written_texts

FOLLOWED = {
    "a text": "text = 'a\\nb\\n'\nopen('out.txt', 'w').write(text)\n",
    "a table": (
        "rows = ['id,name\\n'] + [f'{n},item {n % 7},{n * n:03d}\\n' for n in range(5)]\n"
        "open('out.txt', 'w').write(''.join(rows))\n"
    ),
    "a file that is closed": (
        "with open('out.txt', 'w', encoding='utf-8') as f:\n    for i in range(3):\n"
        "        f.write(f'{i}\\n')\n"
    ),
    "a path": (
        "from pathlib import Path\np = Path('.') /"
        " 'out.txt'\np.write_text('''a\nb\n''')\nprint('written', p)\n"
    ),
    "a list": (
        "lines = []\nfor n, word in enumerate(['a', 'b']):\n    lines.append(str(n) +"
        " word.upper())\nlines += ['end']\nopen('out.txt', 'w').write('\\n'.join(lines) + '\\n')\n"
    ),
    "dedent": (
        "import textwrap\nopen('out.txt', 'w').write(textwrap.dedent('''\n    a\n      b\n   "
        " '''))\n"
    ),
    "lines": (
        "f = open('out.txt', 'w')\nf.writelines(['a\\n', 'b\\n'])\nf.write('c' * 3)\nf.close()\n"
    ),
    "a name inside and outside": (
        "x = 'a'\ny = [x for x in 'bc']\nopen('out.txt', 'w').write(x + ''.join(y))\n"
    ),
    "one list by two names": (
        "a = ['x']\nb = a\na += ['y']\nopen('out.txt', 'w').write(''.join(b))\n"
    ),
}


@pytest.mark.parametrize("code", FOLLOWED.values(), ids=FOLLOWED)
def test_text_is_what_python_writes(code: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    assert {path.removeprefix("./"): text for path, text in written_texts(code).items()} == {
        "out.txt": (tmp_path / "out.txt").read_text("utf-8")
    }


NOT_FOLLOWED = {
    "reads a file": (
        "from pathlib import Path\np = Path('out.txt')\np.write_text(p.read_text().replace('a',"
        " 'b'))\n"
    ),
    "opens a file of a short name": "f = open('w')\nopen('out.txt', 'w').write('a')\n",
    "asks the machine": "import os\nopen('out.txt', 'w').write(os.getcwd())\n",
    "a condition": "import sys\nif sys.argv[1:]:\n    open('out.txt', 'w').write('a')\n",
    "appends": "open('out.txt', 'a').write('a')\n",
    "another encoding": "open('out.txt', 'w', encoding='utf-16').write('a')\n",
    "other ends of lines": "open('out.txt', 'w', newline='\\r\\n').write('a\\n')\n",
    "runs a program": (
        "import subprocess\nopen('out.txt', 'w').write('a')\nsubprocess.run(['black', 'out.txt'])\n"
    ),
    "stops": "open('out.txt', 'w').write('a')\nraise SystemExit(1)\n",
    "into another stream": "f = open('out.txt', 'w')\nprint('a', file=f)\n",
    "no Python": "open('out.txt', 'w').write('a'",
    "an own function": "def text():\n    return 'a'\nopen('out.txt', 'w').write(text())\n",
    "too long": "open('out.txt', 'w').write('a' * 10 ** 9)\n",
    "too long by doubling": (
        "x = ['a' * 100]\nfor i in range(99):\n    x = x + x\nopen('out.txt', 'w').writelines(x)\n"
    ),
    "too long as shown": "x = ['a' * 1000] * 10000\nopen('out.txt', 'w').write(str(x))\n",
    "too many rounds": (
        "for a in range(99999):\n    for b in range(99999):\n        x = a\nopen('out.txt',"
        " 'w').write('a')\n"
    ),
    "without an end": "x = [1]\nfor i in x:\n    x.append(1)\n",
    "too wide": "open('out.txt', 'w').write(f'{1:999999999d}')\n",
    "too deep": "(" * 9999,
}


@pytest.mark.parametrize("code", NOT_FOLLOWED.values(), ids=NOT_FOLLOWED)
def test_nothing_is_said_of_a_script_that_does_anything_else(code: str) -> None:
    assert written_texts(code) == {}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="abfxn01 ='\"\\n()[]{}.,:+*%wopenritejng\n", max_size=80))
def test_no_script_makes_it_fail(code: str) -> None:
    written_texts("open('out.txt', 'w').write('a')\n" + code)


@pytest.mark.parametrize(
    ("command", "content"),
    {
        "python3 - <<'E'\nopen('a.py', 'w').write('x = 1\\n')\nE\n": "x = 1\n",
        "python3 -c \"open('a.py', 'w').write('x = 1')\"": "x = 1",
        "cat > /tmp/m.py <<'E'\nopen('a.py', 'w').write('x = 1')\nE\npython3 /tmp/m.py": "x = 1",
        "python3 -c \"open('a.py', 'w').write('$HOME')\"": None,
        "python3 - <<E\nopen('a.py', 'w').write('$HOME')\nE\n": None,
        "node -e \"open('a.py', 'w').write('x = 1')\"": None,
    }.items(),
)
def test_command_writes_a_file_exactly_where_the_shell_changes_nothing_of_the_script(
    command: str, content: str | None
) -> None:
    found = [effect for effect in effects(command, "/w") or () if "/w/a.py" in effect.paths]
    assert [(effect.kind, effect.content) for effect in found] == [
        ("modify" if content is None else "write", content)
    ]
