"""Findings that only constants of the same file reach are none; whatever may come from elsewhere stays one."""

from __future__ import annotations

import pytest

from attribution.weaknesses.constants import only_constants
from attribution.weaknesses.constants.javascript import without_texts

PYTHON = "whowrote.python.sql-structure"
SCRIPT = "whowrote.javascript.command-built"


def decide(rule: str, suffix: str, text: str, found: str) -> bool:
    data = text.encode()
    start = data.index(found.encode())
    return only_constants(rule, suffix, data, start, start + len(found.encode()))


SQL = 'f"SELECT * FROM {table}"'


@pytest.mark.parametrize(
    "text",
    [
        f"def _all(db, table):\n    db.execute({SQL})\n_all(db, 'a')\n_all(db, table='b')\n",
        f"NAMES = ('a', 'b')\nfor table in NAMES:\n    db.execute({SQL})\n",
        f"PAIRS = [('a', 1), ('b', 2)]\ndef all(db):\n    for table, size in PAIRS:\n        db.execute({SQL})\n",
        f"def all(db, wide):\n    table = 'a' if wide else 'b'\n    table += '_x'\n    db.execute({SQL})\n",
        f"class A:\n    def _all(self, db, table='a'):\n        db.execute({SQL})\n    def go(self):\n        self._all(1)\n",
        f"def outer(db):\n    def all(table):\n        db.execute({SQL})\n    all('a')\n",
        f"def go(db, ids):\n    table = ', '.join('?' for _ in ids)\n    db.execute({SQL})\n",
        f"def go(db, x):\n    p = ['a']\n    if x:\n        p.append('b')\n    table = ' '.join(p)\n    db.execute({SQL})\n",
        f"# grüße\ndef _all(db, table):\n    db.execute({SQL}, 'ä')\n_all(db, 'a')\n",
    ],
)
def test_constants_of_a_python_file(text: str) -> None:
    assert decide(PYTHON, "py", text, SQL)


@pytest.mark.parametrize(
    "text",
    [
        f"def all(db, table):\n    db.execute({SQL})\nall(db, 'a')\n",  # any file may call it
        f"def _all(db, table):\n    db.execute({SQL})\n",  # nobody does
        f"def _all(db, table):\n    db.execute({SQL})\n_all(db, 'a')\n_all(db, given)\n",
        f"def _all(db, table):\n    db.execute({SQL})\n_all(db, 'a')\nrun(_all)\n",
        f"def _all(db, table):\n    db.execute({SQL})\n_all(*given)\n",
        f"def _all(db, table):\n    db.execute({SQL})\n_all(db, 'a')\ngetattr(x, '_all')(db, y)\n",
        f"@route\ndef _all(db, table):\n    db.execute({SQL})\n_all(db, 'a')\n",
        f"def _all(db, table):\n    table = read()\n    db.execute({SQL})\n_all(db, 'a')\n",
        f"def _one(db, table):\n    db.execute({SQL})\ndef _two(db, name):\n    _one(db, name)\n_two(db, 'a')\n",  # two steps
        f"def go(db):\n    table = input()\n    db.execute({SQL})\n",
        f"table = 'a'\ndef go():\n    global table\n    table = input()\ndef all(db):\n    db.execute({SQL})\n",
        f"from names import table\ndef all(db):\n    db.execute({SQL})\n",
        f"def go(db, given):\n    parts = ['a']\n    parts.append(given)\n    table = ' '.join(parts)\n    db.execute({SQL})\n",
        f"def go(db, rows):\n    table = ', '.join(rows[0].keys())\n    db.execute({SQL} + 'x')\n",
        f"def go(db):\n    for table in db.tables():\n        db.execute({SQL})\n",
        f"table = {{}}\ntable[read()] = 'b'\ndb.execute({SQL})\n",
        f"db.execute({SQL}\n",  # no Python
    ],
)
def test_what_may_come_from_outside_a_python_file(text: str) -> None:
    assert not decide(PYTHON, "py", text, SQL)


def test_the_first_argument_of_a_call_counts() -> None:
    text = "import subprocess\nsubprocess.run('ls -l', shell=True, cwd=where)\nsubprocess.run(what, shell=True)\n"
    rule = "whowrote.python.shell-true"
    assert decide(rule, "py", text, "subprocess.run('ls -l', shell=True, cwd=where)")
    assert not decide(rule, "py", text, "subprocess.run(what, shell=True)")


RUN = "execSync(`git ${name} --all`)"


@pytest.mark.parametrize(
    "text",
    [
        f"function git(name) {{\n  {RUN};\n}}\ngit('log');\ngit(\"status\");\n",
        f"const git = async (name: string, wide = 1): Promise<void> => {{\n  {RUN};\n}};\nconst WHAT = 'a';\nawait git(WHAT, 2);\n",
        f"const name = 'log';\n{RUN};\n",
        f"function git(kind) {{\n  const name = kind === 'x'\n    ? 'log'\n    : `status`;\n  {RUN};\n}}\nexport {{ other }};\n",
        f"// it's git's (name) =>\nfunction git(name) {{\n  const at = /[`'\"]/;\n  {RUN};\n}}\ngit('log');\n",
    ],
)
def test_constants_of_a_script(text: str) -> None:
    assert decide(SCRIPT, "ts", text, RUN)


@pytest.mark.parametrize(
    "text",
    [
        f"export function git(name) {{\n  {RUN};\n}}\ngit('log');\n",
        f"function git(name) {{\n  {RUN};\n}}\nexport {{ git }};\ngit('log');\n",
        f"function git(name) {{\n  {RUN};\n}}\nmodule.exports = {{ git }};\ngit('log');\n",
        f"function git(name) {{\n  {RUN};\n}}\n",
        f"function git(name) {{\n  {RUN};\n}}\ngit('log');\ngit(argv[2]);\n",
        f"function git(name) {{\n  {RUN};\n}}\ngit(`log ${{given}}`);\n",
        f"function git(name) {{\n  {RUN};\n}}\ngit(...given);\n",
        f"function git(name) {{\n  {RUN};\n}}\ngit('log');\n['a'].map(git);\n",
        f"function git(name) {{\n  name = read();\n  {RUN};\n}}\ngit('log');\n",
        f"function git(name) {{\n  list.forEach((name) => {{ {RUN}; }});\n}}\ngit('log');\n",
        f"function git(name) {{\n  for (const name of read()) {RUN};\n}}\ngit('log');\n",
        f"function git(name) {{\n  const {{ name }} = read();\n  {RUN};\n}}\ngit('log');\n",
        f"function one(name) {{\n  {RUN};\n}}\nfunction two(what) {{ one(what); }}\ntwo('log');\n",
        f"let name = 'log';\n{RUN};\n",
        f"const name = read();\n{RUN};\n",
        f"{RUN};\n",
    ],
)
def test_what_may_come_from_outside_a_script(text: str) -> None:
    assert not decide(SCRIPT, "ts", text, RUN)


def test_other_rules_and_languages_are_left_alone() -> None:
    text = "const name = 'log';\n" + RUN
    assert not decide("whowrote.javascript.path-tainted", "ts", text, RUN)
    assert not decide("other.javascript.command-built", "ts", text, RUN)
    assert not decide("whowrote.go.command-built", "go", text, RUN)
    assert not only_constants(SCRIPT, "ts", b"\xff" + text.encode(), 21, 30)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a('b') // c", "a(' ')     "),
        ("x = `a ${b + `c${d}`} e` + f", "x = `  ${b + ` ${d}`}  ` + f"),
        ("/* ' */ if (/['`]/.test(a)) 'b\\'c'", "        if (/    /.test(a)) '    '"),
        ("a / b / c", "a / b / c"),
        ("'open\nnext", "'    \nnext"),
    ],
)
def test_masked_scripts(text: str, left: str) -> None:
    assert without_texts(text) == left and len(left) == len(text)
