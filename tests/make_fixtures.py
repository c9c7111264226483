"""Writes `fixtures/repos/<case>/history.fi` and `expected.json`. Run by hand:
`python tests/make_fixtures.py [case …]`.

One idea per case. `history.fi` goes into `git fast-import`; `expected.json` holds the truth that
the builder kept on the way: for each commit and path the lines it adds, as
`[line, author, [allowed how values], session, call, flags]`. Flags:

- `ambiguous`, `authors=a|b`: any of these authors is right; the first column holds the likeliest
- `maybe`: new, but an equal line stood nearby and git may take this one for it, and then does not
  report it
- `possible`: not new, but git may report it in the place of an equal new line
- `common`: a line that many files hold, or that occurs twice in this one
- `reason=…`: why the author is unknown; `truth=…`: who wrote it although the repository cannot tell
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from support.builder import Session, Shell, Stored, World

HERE = Path(__file__).resolve().parent.parent / "fixtures" / "repos"
CASES: dict[str, Callable[[], World]] = {}


def case(make: Callable[[], World]) -> Callable[[], World]:
    """A function that builds one fixture; its name names the fixture, its docstring describes
    it.
    """
    CASES[make.__name__] = make
    return make


def pretty(value: Any, indent: str = "") -> str:
    """JSON with one attributed line per line of text."""
    inner = indent + " "
    if isinstance(value, dict) and value:
        rows = [f"{inner}{json.dumps(key)}: {pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict | list):
        return "[\n" + ",\n".join(inner + pretty(item, inner) for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def render(name: str) -> tuple[bytes, str]:
    """The two files of a case."""
    make = CASES[name]
    world = make()
    description = " ".join((make.__doc__ or "").split())
    return world.stream(), pretty(world.expected(description)) + "\n"


def begin(name: str, **options: Any) -> World:
    """A world with one commit that nothing links to any agent."""
    world = World(name, **options)
    world.human_write("README.md", "# Pocket ledger\n\nKeeps track of small expenses.\n")
    world.human_write("ledger.py", LEDGER)
    world.commit("Start the ledger")
    return world


def begin_session(name: str, prompt: str) -> tuple[World, Session]:
    world = begin(name)
    return world, world.session(prompt=prompt)


def end(world: World, session: Session, message: str) -> World:
    """The turn ends, and its work is committed."""
    session.end_turn()
    world.commit(message, [session])
    return world


LEDGER = """\
import csv

FIELDS = ["day", "what", "cents"]


def load(path):
    with open(path, newline="") as source:
        return list(csv.DictReader(source))


def total(entries):
    return sum(int(entry["cents"]) for entry in entries)
"""

MONTHLY = """\
from collections import defaultdict


def by_month(entries):
    months = defaultdict(int)
    for entry in entries:
        months[entry["day"][:7]] += int(entry["cents"])
    return dict(months)


def busiest(entries):
    months = by_month(entries)
    return max(months, key=months.get)
"""


# --- who wrote it ---------------------------------------------------------------------------------


@case
def write_and_edit() -> World:
    """The agent writes one file and edits another; everything it adds is its own."""
    w, s = begin_session(
        "write_and_edit", "Add monthly totals, and let load() skip rows without an amount."
    )
    s.read("ledger.py")
    s.write("monthly.py", MONTHLY, say="I will start with the monthly totals.")
    old = "        return list(csv.DictReader(source))"
    s.edit(
        "ledger.py",
        old,
        "        rows = csv.DictReader(source)\n        return [row for row in rows if"
        ' row["cents"]]',
    )
    return end(w, s, "Monthly totals")


@case
def human_between_edits() -> World:
    """A person adds and changes lines between two edits of the agent in the same file."""
    w, s = begin_session("human_between_edits", "Write a report function.")
    s.write(
        "report.py",
        'def report(entries):\n    head = "day        amount"\n    rows = []\n    return head,'
        " rows\n",
    )
    w.human_insert(
        "report.py",
        "    # amounts are in cents, the report shows euros\n    scale = 100",
        after="    rows = []",
    )
    w.human_replace(
        "ledger.py",
        'FIELDS = ["day", "what", "cents"]',
        'FIELDS = ["day", "shop", "what", "cents"]',
    )
    s.prompt("Fill in the rows.")
    s.read("report.py")
    fill = (
        "    for entry in entries:\n        rows.append(f\"{entry['day']} {int(entry['cents']) /"
        ' scale:9.2f}")\n'
    )
    s.edit("report.py", "    return head, rows", fill + "    return head, rows")
    return end(w, s, "A report")


@case
def human_after_last_edit() -> World:
    """A person goes on after the agent's last edit: new lines in its file, and a file the agent
    never saw.
    """
    w, s = begin_session("human_after_last_edit", "Add monthly totals.")
    s.write("monthly.py", MONTHLY)
    s.end_turn()
    w.human_insert(
        "monthly.py",
        "\n\ndef quietest(entries):\n    totals = by_month(entries)\n    return min(totals,"
        " key=totals.get)",
    )
    w.human_insert(
        "monthly.py",
        '    """Cents spent per month, keyed like 2026-03."""',
        after="def by_month(entries):",
    )
    w.human_write("notes.txt", "Ask Bo about the missing receipts.\nCurrency is always euro.\n")
    w.commit("Monthly totals", [s])
    return w


@case
def formatter_after_agent() -> World:
    """An editor reformats the agent's lines on save: other quotes, blanks around `=`, no blank
    at the end of a line.
    """
    w, s = begin_session("formatter_after_agent", "Add settings with sensible defaults.")
    lines = [
        "DEFAULTS={'currency':'EUR','places':2}   ",
        "THEMES=['plain','dark']",
        "",
        "",
        "def setting(name):",
    ]
    s.write(
        "settings.py", "\n".join([*lines, "    found=DEFAULTS.get(name)", "    return found", ""])
    )
    s.end_turn()
    w.formatter("settings.py")
    w.commit("Settings", [s])
    return w


@case
def sed_by_agent() -> World:
    """The agent changes lines with sed: some of its own, some that were there before."""
    w, s = begin_session(
        "sed_by_agent", "Add monthly totals and call the entries expenses everywhere."
    )
    s.write("monthly.py", MONTHLY)
    s.bash(
        "sed -i 's/entries/expenses/g' ledger.py monthly.py",
        lambda sh: _sub(sh, ("ledger.py", "monthly.py"), "entries", "expenses"),
    )
    return end(w, s, "Call them expenses")


@case
def heredoc_file() -> World:
    """The agent creates a file with a heredoc, so the command holds the text; a generator writes
    another, so none does.
    """
    w, s = begin_session("heredoc_file", "Add a Makefile, and generate the table of currencies.")
    recipe = "check:\n\tpython -m pytest\n\nledger:\n\tpython ledger.py expenses.csv\n"
    s.bash(
        f"cat > Makefile <<'EOF'\n{recipe}EOF", lambda sh: sh.write("Makefile", recipe), exact=True
    )
    table = "code,places\nEUR,2\nJPY,0\nTND,3\n"
    s.bash(
        "python tools/currencies.py",
        lambda sh: sh.write("currencies.csv", table),
        blunt=True,
        stdout="3 currencies\n",
    )
    return end(w, s, "Makefile and currencies")


# --- lines that move or change their looks --------------------------------------------------------


@case
def touched_up_by_human() -> World:
    """A person changes a word here and there in the agent's lines, and writes one line anew."""
    w, s = begin_session("touched_up_by_human", "Add a budget check.")
    s.write("budget.py", BUDGET)
    s.end_turn()
    w.human_tweak(
        "budget.py", "    remaining = limit - spent", "    remaining = limit - spent - reserved"
    )
    w.human_tweak("budget.py", "def check(limit, spent):", "def check(limit, spent, reserved):")
    w.human_replace("budget.py", '    return "over budget"', "    raise BudgetExceeded(-remaining)")
    w.commit("Budget check", [s])
    return w


BUDGET = """\
def check(limit, spent):
    remaining = limit - spent
    if remaining > limit // 10:
        return "plenty left"
    if remaining >= 0:
        return "nearly used up"
    return "over budget"


def warn(limit, spent, out):
    verdict = check(limit, spent)
    if verdict != "plenty left":
        out.write(f"warning: {verdict}\\n")
    out.flush()
"""


@case
def block_moved_in_file() -> World:
    """A person cuts a block of the agent's new file and pastes it further down."""
    w, s = begin_session("block_moved_in_file", "Add a budget check.")
    s.write("budget.py", BUDGET)
    s.end_turn()
    block = (
        '    if remaining > limit // 10:\n        return "plenty left"\n    if remaining >= 0:\n   '
        '     return "nearly used up"'
    )
    w.human_move("budget.py", block, after="    out.flush()")
    w.human_insert(
        "budget.py",
        "    # the order of the two checks does not matter here",
        after="    out.flush()",
    )
    w.commit("Budget check", [s])
    return w


@case
def block_moved_to_other_file() -> World:
    """A person moves a function that the agent has just written into an old file."""
    w, s = begin_session("block_moved_to_other_file", "Add a budget check.")
    s.write("budget.py", BUDGET)
    s.end_turn()
    block = BUDGET[BUDGET.index("def warn") :]
    w.human_insert("ledger.py", "\n# warnings, moved here from the budget module")
    w.human_move(
        "budget.py", block, after="# warnings, moved here from the budget module", to="ledger.py"
    )
    w.commit("Budget check", [s])
    return w


@case
def rename_with_edit() -> World:
    """The agent renames a file with git mv and edits it; another is renamed by a person and
    edited by the agent.
    """
    w = begin("rename_with_edit")
    w.human_write(
        "export.py",
        "def export(entries, out):\n    for entry in entries:\n        out.write(entry['what'])\n  "
        "  out.close()\n",
    )
    w.commit("Export")
    s = w.session(prompt="Rename ledger.py to book.py and let total() take a start value.")
    s.bash("git mv ledger.py book.py", lambda sh: sh.move("ledger.py", "book.py"))
    s.read("book.py")
    s.edit(
        "book.py",
        "def total(entries):\n    return sum(",
        "def total(entries, start=0):\n    return start + sum(",
    )
    w.human_rename("export.py", "exporting/plain.py")
    s.prompt("Export amounts too.")
    s.read("exporting/plain.py")
    s.edit(
        "exporting/plain.py",
        "out.write(entry['what'])",
        "out.write(f\"{entry['what']} {entry['cents']}\")",
    )
    return end(w, s, "Rename modules")


@case
def deleted_and_recreated() -> World:
    """A file is removed by one commit and comes back in the next, written by the agent; another
    vanishes and returns in between.
    """
    w = begin("deleted_and_recreated")
    w.human_write("rates.py", "EUR_TO_USD = 1.08\nEUR_TO_JPY = 161.2\n")
    w.commit("Rates")
    w.human_remove("ledger.py")
    w.commit("Start over")
    s = w.session(prompt="Write the ledger again, as classes. The rates belong into a table.")
    s.write(
        "ledger.py",
        LEDGER_CLASS,
    )
    s.bash("rm rates.py", lambda sh: sh.remove("rates.py"))
    s.write("rates.py", 'RATES = {\n    "USD": 1.08,\n    "JPY": 161.2,\n}\n')
    return end(w, s, "Ledger as a class")


LEDGER_CLASS = """\
class Ledger:
    def __init__(self):
        self.entries = []

    def add(self, day, cents):
        self.entries.append((day, cents))
"""


# --- bytes ----------------------------------------------------------------------------------------


@case
def crlf() -> World:
    """Files with CRLF line ends: the agent sees and sends plain newlines."""
    w = begin("crlf")
    w.human_write(
        "setup.bat",
        "@echo off\nset LEDGER=expenses.csv\npython ledger.py %LEDGER%\npause\n",
        eol="\r\n",
    )
    w.commit("Batch file")
    s = w.session(prompt="Let the batch file check that Python is there.")
    s.read("setup.bat")
    s.edit(
        "setup.bat",
        "set LEDGER=expenses.csv",
        "where python >nul || exit /b 1\nset LEDGER=expenses.csv",
    )
    s.write("clean.bat", "@echo off\ndel /q *.tmp\nrmdir /s /q build\n", eol="\r\n")
    w.human_insert("setup.bat", "rem keep the window open\ntitle Pocket ledger", before="pause")
    return end(w, s, "Check for Python")


@case
def no_final_newline() -> World:
    """Files that end without a newline, and edits right there."""
    w = begin("no_final_newline")
    w.human_write("version.txt", "ledger\n0.1.0\nfirst of March")
    w.human_write("people.txt", "Ada\nBo\nCleo")
    w.commit("Versions")
    s = w.session(prompt="New version, and add Dov to the people.")
    s.read("version.txt")
    s.edit("version.txt", "0.1.0\nfirst of March", "0.2.0\nnineteenth of March")
    s.edit("people.txt", "Cleo", "Cleo\nDov")
    s.write("changes.txt", "0.2.0 knows about Dov\n0.1.0 knew nothing")
    w.human_insert("changes.txt", "0.0.1 was a napkin")
    return end(w, s, "0.2.0")


@case
def tabs() -> World:
    """Go code: the patch shown in the transcript draws tabs as two spaces."""
    w = begin("tabs")
    w.human_write("main.go", GO)
    w.commit("A Go port")
    s = w.session(prompt="Skip negative amounts.")
    s.read("main.go")
    s.edit(
        "main.go",
        "\t\tsum += cents\n",
        "\t\tif cents < 0 {\n\t\t\tcontinue\n\t\t}\n\t\tsum += cents\n",
    )
    s.edit(
        "main.go",
        "\tfmt.Println(Total([]int{120, 80}))",
        '\tamounts := []int{120, 80, -5}\n\tfmt.Println("total:", Total(amounts))',
    )
    w.human_insert("main.go", "\t\t// a negative amount is a refund", before="\t\tif cents < 0 {")
    return end(w, s, "Skip refunds")


GO = """\
package main

import "fmt"

func Total(amounts []int) int {
\tsum := 0
\tfor _, cents := range amounts {
\t\tsum += cents
\t}
\treturn sum
}

func main() {
\tfmt.Println(Total([]int{120, 80}))
}
"""


@case
def redacted_tokens() -> World:
    """Long random words are replaced in the stored transcript, also inside the text of edits."""
    w, s = begin_session("redacted_tokens", "Add a client for the rates service with our test key.")
    key, digest = "kQ7vTz2LmX9bRw4cHs8JdYf1Np6", "sha256-Zp3uGw8Tq1LxVb7NcYr5KdMf2Hj9"
    fetch = "\n\ndef fetch(day):\n    return get(API + day, key=TEST_KEY)\n"
    text = f'API = "https://rates.example/v1/"\nTEST_KEY = "{key}"\n{fetch}'
    s.write("rates.py", text)
    s.edit(
        "rates.py",
        "\n\ndef fetch(day):",
        f'PINNED = "{digest}"  # of the first answer\n\n\ndef fetch(day):',
    )
    w.human_insert(
        "rates.py",
        'OTHER_KEY = "for the staging server, see the wiki"',
        after='TEST_KEY = "' + key + '"',
    )
    s.end_turn()
    w.commit("Rates client", [s], stored=Stored(redact=(key, digest)))
    return w


@case
def odd_files() -> World:
    """A binary file, a long generated one, Latin-1 text, a symbolic link, a submodule, odd
    names, form feeds and U+2028.
    """
    w = begin("odd_files")
    w.human_raw("logo.bin", b"\x89LOGO\0\0\x01\x02\n\0\n")
    w.human_raw("latest", b"ledger.py", mode="120000")
    w.human_raw("vendor/dates", b"5d41402abc4b2a76b9719d911017c592ae1f3b07", mode="160000")
    w.human_write("caf\udce9.txt", "caf\udce9 au lait\nth\udce9 vert\n")
    s = w.session(prompt="Make test data and a page break.")
    rows = "".join(f"{i},{i * 37 % 1009}\n" for i in range(1_500))
    s.bash("python tools/make_rows.py > rows.csv", lambda sh: sh.write("rows.csv", rows))
    s.write("my notes (draft).txt", "first page\n\fsecond page\nstill the\u2028same line\n")
    s.end_turn()
    w.commit("Odds and ends", [s])
    w.human_raw("logo.bin", b"\x89LOGO\0\0\x01\x03\n\0\n")
    w.human_insert("caf\udce9.txt", "limonade press\udce9e")
    w.commit("New logo")
    return w


# --- commits and sessions -------------------------------------------------------------------------


@case
def merge_with_own_lines() -> World:
    """A merge commit adds lines that neither side has; the rest of it belongs to the merged
    commits.
    """
    w = begin("merge_with_own_lines")
    w.branch_off("budget")
    s = w.session(prompt="Add a budget check.")
    s.write("budget.py", BUDGET)
    s.end_turn()
    w.commit("Budget check", [s])
    w.switch("main")
    w.human_insert("README.md", "Amounts are in cents.")
    w.commit("Say what amounts mean")

    def touch() -> None:
        w.human_insert("README.md", "Budgets are checked since the merge.")
        w.human_insert("budget.py", "LIMIT = 100_00\n\n", before="def check(limit, spent):")

    w.merge("budget", "Merge branch 'budget'", touch)
    return w


@case
def two_sessions_one_file() -> World:
    """Two sessions of the same worktree take turns in one file; one commit, one checkpoint with
    both.
    """
    w = begin("two_sessions_one_file")
    first, second = w.session(), w.session(version="2.1.84")
    first.prompt("Write the parser.")
    first.write(
        "parse.py",
        "def parse(line):\n    day, what, cents = line.split(';')\n    return day, what,"
        " int(cents)\n",
    )
    second.prompt("The parser should accept comments.")
    second.read("parse.py")
    second.edit(
        "parse.py",
        "def parse(line):\n",
        "def parse(line):\n    line = line.partition('#')[0].strip()\n",
    )
    first.prompt("Report bad lines.")
    first.read("parse.py")
    first.edit(
        "parse.py",
        "    return day, what, int(cents)",
        "    if not cents.isdigit():\n        raise ValueError(line)\n    return day, what,"
        " int(cents)",
    )
    second.edit(
        "parse.py",
        "    line = line.partition('#')[0].strip()\n",
        "    line = line.partition('#')[0].strip()\n    if not line:\n        return None  # only a"
        " comment\n",
    )
    first.end_turn()
    second.end_turn()
    w.commit("A parser", [first, second])
    return w


@case
def two_commits_one_session() -> World:
    """One session, two commits: the second checkpoint holds the transcript from the start again."""
    w, s = begin_session("two_commits_one_session", "Add monthly totals.")
    s.write("monthly.py", MONTHLY)
    s.end_turn()
    w.commit("Monthly totals", [s])
    w.human_insert(
        "monthly.py", "# months are keyed like 2026-03", after="from collections import defaultdict"
    )
    s.prompt("And the budget.")
    s.write("budget.py", BUDGET)
    s.edit(
        "monthly.py",
        "    return max(months, key=months.get)",
        "    return max(months, key=months.get, default=None)",
    )
    return end(w, s, "Budgets")


@case
def files_committed_apart() -> World:
    """The agent changes two files in one turn; a person commits them one by one, the second much
    later.
    """
    w, s = begin_session("files_committed_apart", "Add monthly totals and budgets.")
    s.write("monthly.py", MONTHLY)
    s.write("budget.py", BUDGET)
    s.end_turn()
    w.commit("Monthly totals", [s], paths=["monthly.py"])
    w.wait(5_400)
    w.human_insert("budget.py", "# limits are per month", before="def check(limit, spent):")
    w.commit("Budgets", [s])
    return w


@case
def two_ids_one_commit() -> World:
    """A commit message with two checkpoint ids, each with a session of its own."""
    w = begin("two_ids_one_commit")
    first, second = w.session(), w.session()
    first.prompt("Add monthly totals.")
    first.write("monthly.py", MONTHLY)
    second.prompt("Add a budget check.")
    second.write("budget.py", BUDGET)
    w.human_insert("README.md", "Monthly totals and budgets.")
    w.commit("Totals and budgets", groups=[[first], [second]])
    return w


@case
def one_id_two_commits() -> World:
    """Two commits of one turn carry the same checkpoint id; only the first time the checkpoint
    was stored.
    """
    w, s = begin_session(
        "one_id_two_commits", "Add monthly totals and a budget check, as two commits."
    )
    s.write("monthly.py", MONTHLY)
    s.write("budget.py", BUDGET)
    first = w.commit("Monthly totals", [s], paths=["monthly.py"])
    w.human_write("todo.txt", "write tests for the budget check\n")
    w.commit("Budget check", names=first.checkpoints)
    return w


@case
def trailer_mid_message() -> World:
    """The checkpoint id stands in the middle of the message, with other paragraphs after it."""
    w, s = begin_session("trailer_mid_message", "Add a budget check.")
    s.write("budget.py", BUDGET)
    s.end_turn()
    w.commit(
        "Budget check (#12)\n\nReviewed in the kitchen.\n\nSigned-off-by: Bo Example"
        " <bo@example.com>",
        [s],
        trailer="middle",
    )
    return w


@case
def no_session() -> World:
    """Commits that nothing links to a session: plain ones, one that names Claude as co-author,
    one by a bot.
    """
    w = begin("no_session")
    w.human_write("budget.py", BUDGET)
    w.commit("Budget check\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    w.human_write("requirements.txt", "click==8.1.7\nrich==13.7.1\n")
    w.commit("Bump requirements", author="helper[bot] <helper[bot]@users.noreply.example.com>")
    w.human_insert("README.md", "No agent was near this line.")
    w.commit("Mention agents\n\nWe do not use Entire-Checkpoint: lines here.")
    return w


@case
def transcript_missing() -> World:
    """A trailer without a checkpoint, a checkpoint without a transcript: nothing can be said
    about those lines.
    """
    w = begin("transcript_missing")
    lost, bare = w.session(), w.session()
    lost.prompt("Add monthly totals.")
    lost.write("monthly.py", MONTHLY)
    w.commit("Monthly totals", [lost], stored=None)
    bare.prompt("Add a budget check.")
    bare.write("budget.py", BUDGET)
    w.human_insert("README.md", "Budgets are checked.")
    w.commit("Budget check", [bare], stored=Stored(transcript="none"))
    w.human_insert("README.md", "Totals are monthly.")
    w.commit("More in the README")
    return w


@case
def cut_transcript() -> World:
    """The stored transcript ends in the middle of a record: what came after it is unknown."""
    w, s = begin_session("cut_transcript", "Add monthly totals, then budgets.")
    s.write("monthly.py", MONTHLY)
    kept = len(s.log.records)
    s.write("budget.py", BUDGET)
    s.end_turn()
    w.human_insert("README.md", "Totals are monthly.")
    w.commit("Totals and budgets", [s], stored=Stored(transcript="cut", keep=kept))
    return w


@case
def invisible_subagent() -> World:
    """A subagent's edits appear nowhere but in the numbers of its result: its lines are unknown,
    not human.
    """
    w = begin("invisible_subagent")
    s = w.session(
        version="2.1.150", prompt="Delegate the budget check, then mention it in the README."
    )
    with s.subagent("Write budget.py with a check and a warning.", visible=False) as sub:
        sub.write("budget.py", BUDGET)
        sub.edit("ledger.py", "import csv\n", "import csv\n\nimport budget\n")
    s.read("README.md")
    s.edit(
        "README.md",
        "Keeps track of small expenses.",
        "Keeps track of small expenses and of budgets.",
    )
    return end(w, s, "Budget check")


@case
def visible_subagent() -> World:
    """A subagent whose messages are in the transcript as progress records, with calls but
    without results in detail.
    """
    w, s = begin_session(
        "visible_subagent", "Delegate the budget check, then mention it in the README."
    )
    with s.subagent("Write budget.py with a check and a warning.") as sub:
        sub.write("budget.py", BUDGET)
        sub.edit("budget.py", "    out.flush()", "    out.flush()\n    return verdict")
    s.edit(
        "README.md",
        "Keeps track of small expenses.",
        "Keeps track of small expenses and of budgets.",
    )
    s.end_turn()
    w.human_insert(
        "budget.py", "# used by the command line only", before="def warn(limit, spent, out):"
    )
    w.commit("Budget check", [s])
    return w


@case
def errors_and_rejections() -> World:
    """Edits that never happened: refused by the tool, declined by the user, cut off. A person
    later types one of those lines.
    """
    w, s = begin_session("errors_and_rejections", "Make loading stricter.")
    s.edit_error("ledger.py", "def load(file):", "def load(path, strict=True):")
    s.edit_error(
        "ledger.py",
        "import csv",
        "import csv\nimport sys",
        "File has not been read yet. Read it first before writing to it.",
    )
    s.read("ledger.py")
    s.edit_rejected("ledger.py", "def load(path):", "def load(path, strict=False):")
    s.prompt("No, strict by default please.")
    s.edit_rejected(
        "ledger.py",
        "import csv",
        "import csv\nfrom pathlib import Path",
        saying="we do not need pathlib here",
    )
    s.edit("ledger.py", "def load(path):", "def load(path, strict=True):")
    s.edit_cut_off("ledger.py", "def total(entries):", "def total(entries, strict=True):")
    w.human_insert("ledger.py", "from pathlib import Path", after="import csv")
    s.write_outside("/home/ada/.claude/plans/strict-loading.md", "# Plan\n\nMake load() strict.\n")
    w.commit("Strict loading", [s])
    return w


@case
def original_file_null() -> World:
    """Newer transcripts leave the text before an edit out: it must be replayed from what was
    known.
    """
    w = begin("original_file_null")
    s = w.session(
        version="2.1.150",
        null_original=True,
        prompt="Add totals per month, keep the README in step.",
    )
    s.read("ledger.py")
    s.edit(
        "ledger.py",
        'FIELDS = ["day", "what", "cents"]',
        'FIELDS = ["day", "what", "cents"]\nMONTH = slice(0, 7)',
    )
    s.edit(
        "ledger.py",
        "def total(entries):\n",
        "def month_of(entry):\n    return entry['day'][MONTH]\n\n\ndef total(entries):\n",
    )
    s.edit(
        "README.md",
        "Keeps track of small expenses.",
        "Keeps track of small expenses, month by month.",
    )
    s.end_turn()
    w.human_insert(
        "ledger.py",
        "# a month is the first seven characters of a day",
        before="MONTH = slice(0, 7)",
    )
    w.commit("Months", [s])
    return w


@case
def edit_after_commit() -> World:
    """The transcript was stored again at the end of the turn and holds edits made after the
    commit: they explain nothing in it.
    """
    w, s = begin_session("edit_after_commit", "Add a budget check. Commit early.")
    s.write("budget.py", BUDGET)
    w.human_insert(
        "budget.py", "    # flushed so that the warning is seen at once", before="    out.flush()"
    )
    first = s.git_commit("Budget check")
    s.read("budget.py")
    s.edit(
        "budget.py",
        "    # flushed so that the warning is seen at once\n    out.flush()",
        "    out.flush()\n    return verdict",
    )
    s.edit(
        "budget.py",
        "    verdict = check(limit, spent)",
        "    # flushed so that the warning is seen at once\n    verdict = check(limit, spent)",
    )
    s.end_turn()
    w.finalise(first)
    w.commit("Return the verdict", [s])
    return w


@case
def uncommitted_before_session() -> World:
    """A person had written lines before the session began; the agent finds them in the file."""
    w = begin("uncommitted_before_session")
    w.human_insert(
        "ledger.py",
        "\n\ndef cheapest(entries):\n    return min(entries, key=lambda entry:"
        " int(entry['cents']))",
    )
    w.human_write(
        "shops.py", "SHOPS = {}\n\n\ndef remember(name, street):\n    SHOPS[name] = street\n"
    )
    s = w.session(prompt="Add the dearest entry too, and let shops be forgotten.")
    s.read("ledger.py")
    s.edit(
        "ledger.py",
        "\n\ndef cheapest(",
        "\n\ndef dearest(entries):\n    return max(entries, key=lambda entry:"
        " int(entry['cents']))\n\n\ndef cheapest(",
    )
    s.read("shops.py")
    s.edit(
        "shops.py",
        "    SHOPS[name] = street\n",
        "    SHOPS[name] = street\n\n\ndef forget(name):\n    SHOPS.pop(name, None)\n",
    )
    return end(w, s, "Extremes and shops")


@case
def common_lines() -> World:
    """Lines that say nothing by themselves: the person's `}` and `return nil` are equal to the
    agent's elsewhere.
    """
    w = begin("common_lines")
    w.human_write("store.go", STORE_GO)
    w.commit("A store")
    s = w.session(prompt="Add Close.")
    s.read("store.go")
    s.edit(
        "store.go",
        "func (s *Store) Open() error {",
        CLOSE_GO + "func (s *Store) Open() error {",
    )
    s.end_turn()
    w.human_insert(
        "store.go",
        "\nfunc (s *Store) Flush() error {\n\tif !s.open {\n\t\treturn nil\n\t}\n\ts.dirty ="
        " false\n\treturn nil\n}",
    )
    w.commit("Close and flush", [s])
    return w


CLOSE_GO = """\
func (s *Store) Close() error {
\tif s.file == nil {
\t\treturn nil
\t}
\ts.open = false
\treturn nil
}

"""
STORE_GO = """\
package ledger

type Store struct {
\tfile  *os.File
\topen  bool
\tdirty bool
}

func (s *Store) Open() error {
\ts.open = true
\treturn nil
}
"""


@case
def squash() -> World:
    """A branch arrives as one squash commit that lists several ids; its own commits are
    reachable from a pull ref only.
    """
    w = begin("squash")
    w.branch_off("hidden/months")
    first, second = w.session(), w.session()
    first.prompt("Add monthly totals.")
    first.write("monthly.py", MONTHLY)
    w.commit("Monthly totals", [first])
    w.human_insert(
        "monthly.py", "# months are keyed like 2026-03", after="from collections import defaultdict"
    )
    second.prompt("Add budgets.")
    second.write("budget.py", BUDGET)
    last = w.commit("Budgets", [second])
    w.ref("refs/pull/7/head", last)
    w.switch("main")
    w.squash("hidden/months", "Months and budgets (#7)")
    return w


@case
def squash_without_originals() -> World:
    """The same, but the branch is gone: the squash commit is all there is."""
    w = begin("squash_without_originals")
    w.branch_off("hidden/months")
    first, second = w.session(), w.session()
    first.prompt("Add monthly totals.")
    first.write("monthly.py", MONTHLY)
    w.commit("Monthly totals", [first])
    second.prompt("Rename months to sums.")
    second.read("monthly.py")
    second.edit(
        "monthly.py",
        "    months = by_month(entries)\n    return max(months, key=months.get)",
        "    sums = by_month(entries)\n    return max(sums, key=sums.get)",
    )
    w.human_insert("README.md", "Totals are monthly.")
    w.commit("Say sums", [second])
    w.switch("main")
    w.squash("hidden/months", "Monthly totals (#8)")
    return w


def _months_and_budgets(name: str, branch: str, unnamed: bool = False) -> World:
    """A branch with two sessions, ready to be merged in some way."""
    w = begin(name)
    w.branch_off(branch)
    first, second = w.session(), w.session()
    first.prompt("Add monthly totals.")
    first.write("monthly.py", MONTHLY)
    w.commit("Monthly totals", [first])
    if unnamed:
        w.human_write(
            "todo.txt", "Ask Bo which months are closed.\nPrint the busiest month first.\n"
        )
        w.commit("Note what is left to do")
    second.prompt("Add budgets.")
    second.read("monthly.py")
    second.edit("monthly.py", "    return dict(months)", "    return dict(sorted(months.items()))")
    second.write("budget.py", BUDGET)
    w.commit("Budgets", [second])
    return w


@case
def squash_by_number() -> World:
    """A squash with nothing but the number of its pull request; the pull ref still has the
    commits with their trailers.
    """
    w = _months_and_budgets("squash_by_number", "hidden/months")
    w.ref("refs/pull/7/head", w.tips["hidden/months"])
    w.switch("main")
    w.human_insert("README.md", "Amounts are in cents.")
    w.commit("Say what amounts mean (#6)")
    w.wait(7_200)
    w.files |= w.tips["hidden/months"].files | {"README.md": w.files["README.md"]}
    squashed = w.commit("Months and budgets (#7)")
    squashed.checkpoints = w.commits[1].checkpoints + w.commits[2].checkpoints
    return w


@case
def squash_of_a_branch() -> World:
    """A squash without number and trailers; the branch it was made of is still there."""
    w = _months_and_budgets("squash_of_a_branch", "months")
    w.switch("main")
    w.wait(7_200)
    w.squash("months", "Months and budgets", listed=False)
    return w


@case
def squash_partly_named() -> World:
    """One of the squashed commits names no checkpoint: its file was written by nobody we know."""
    w = _months_and_budgets("squash_partly_named", "hidden/months", unnamed=True)
    w.ref("refs/pull/7/head", w.tips["hidden/months"])
    w.switch("main")
    w.wait(7_200)
    w.squash("hidden/months", "Months and budgets (#7)", listed=False)
    w.commits[-1].hidden = True
    return w


@case
def squash_by_content() -> World:
    """A squash by somebody else, without number, trailers or originals: only its text tells
    which sessions wrote it.
    """
    w = _months_and_budgets("squash_by_content", "hidden/months")
    w.switch("main")
    w.wait(7_200)
    w.squash(
        "hidden/months", "Months and budgets", listed=False, author="Bo Example <bo@example.com>"
    )
    return w


@case
def same_words_by_another() -> World:
    """Somebody else writes a file of the same name with a few of the same lines while the
    agent's is never committed.
    """
    w = begin("same_words_by_another")
    w.branch_off("hidden/never")
    s = w.session(prompt="Add a budget check.")
    s.write("budget.py", BUDGET)
    w.commit("Budget check", [s])
    w.switch("main")
    w.wait(3_600)
    w.human_write("budget.py", OTHER_BUDGET)
    w.commit("Compare with the limit", author="Bo Example <bo@example.com>")
    return w


OTHER_BUDGET = """\
LIMITS = {"food": 400_00, "rent": 900_00}


def check(limit, spent):
    if spent > limit:
        raise ValueError(f"{spent - limit} cents too much")
    return "over budget" if spent == limit else ""


def over(entries):
    for what, limit in LIMITS.items():
        spent = sum(int(entry["cents"]) for entry in entries if entry["what"] == what)
        if check(limit, spent):
            yield what
"""


@case
def shadow_branch() -> World:
    """A session that no checkpoint holds, only snapshots at the end of its turns; then a commit
    that names nothing.
    """
    w, s = begin_session("shadow_branch", "Add monthly totals.")
    s.write("monthly.py", MONTHLY)
    s.end_turn()
    w.snapshot(s)
    s.prompt("And a budget check.")
    s.write("budget.py", BUDGET)
    s.edit("monthly.py", "    return dict(months)", "    return dict(sorted(months.items()))")
    s.end_turn()
    w.snapshot(s)
    made = w.commit("Months and budgets")
    w.members["snapshots"], made.checkpoints = [s], ("snapshots",)
    return w


@case
def rebase_merge() -> World:
    """A pull request is rebased onto the branch; the trailers get lost, authors and their times
    stay.
    """
    w = _months_and_budgets("rebase_merge", "hidden/months")
    w.ref("refs/pull/7/head", w.tips["hidden/months"])
    w.switch("main")
    w.human_insert("README.md", "Amounts are in cents.")
    w.commit("Say what amounts mean")
    w.rebase("hidden/months")
    return w


@case
def cherry_pick() -> World:
    """Commits of another branch are picked, with other subjects and without their trailers."""
    w = _months_and_budgets("cherry_pick", "next")
    w.switch("main")
    w.human_insert("README.md", "Amounts are in cents.")
    w.commit("Say what amounts mean")
    w.rebase("next", lambda title: f"{title}, for the release")
    return w


@case
def revert_by_human() -> World:
    """A person reverts the agent's commit, then brings part of it back by hand."""
    w, s = begin_session("revert_by_human", "Skip rows without an amount and add budgets.")
    s.write("budget.py", BUDGET)
    s.read("ledger.py")
    s.edit(
        "ledger.py",
        "        return list(csv.DictReader(source))",
        "        rows = csv.DictReader(source)\n        return [row for row in rows if"
        ' row["cents"]]',
    )
    s.end_turn()
    agent = w.commit("Budgets, stricter loading", [s])
    w.human_revert(agent)
    w.commit('Revert "Budgets, stricter loading"')
    w.human_write("limits.py", "LIMITS = {'food': 250_00}\n")
    w.commit("Only limits for now")
    return w


@case
def rebased_commit() -> World:
    """The committer's time is an hour after the author's, as after a rebase; a later edit must
    not count.
    """
    w, s = begin_session("rebased_commit", "Add a budget check.")
    s.write("budget.py", BUDGET)
    w.human_insert("budget.py", "MARGIN = 10", before="def check(limit, spent):")
    w.commit("Budget check", [s], later=3_600)
    s.prompt("Use a margin.")
    s.edit("budget.py", "MARGIN = 10", "MARGIN = 25")
    s.edit("budget.py", "    if remaining > limit // 10:", "    if remaining > limit // MARGIN:")
    w.commit("Margin", [s])
    return w


# --- layouts and storage --------------------------------------------------------------------------


def _two_commits(name: str, layout: str, **options: Any) -> World:
    """The same small story in any layout."""
    w = begin(name, layout=layout, **options)
    s = w.session(prompt="Add a budget check.")
    s.write("budget.py", BUDGET)
    s.end_turn()
    first = w.commit("Budget check", [s])
    s.prompt("Return the verdict.")
    s.edit("budget.py", "    out.flush()", "    out.flush()\n    return verdict")
    s.end_turn()
    w.finalise(first)
    w.human_insert("README.md", "Budgets are checked.")
    w.commit("Return the verdict", [s])
    return w


@case
def per_checkpoint_refs() -> World:
    """One ref per checkpoint, named by the last two characters of a ULID; one of them was
    finalised.
    """
    return _two_commits("per_checkpoint_refs", "refs", cli_version="0.7.9")


@case
def v2_only() -> World:
    """The two v2 refs: metadata and compact transcripts in one, raw transcripts in the other."""
    return _two_commits("v2_only", "v2", cli_version="0.5.4")


@case
def v1_and_v2() -> World:
    """The same checkpoints on the v1 branch and on the v2 refs: counted once."""
    return _two_commits("v1_and_v2", "both", cli_version="0.5.6")


@case
def legacy() -> World:
    """The first layout: the session's metadata is the checkpoint's, session ids start with a
    date, an older session in `1/`.
    """
    w = begin("legacy", layout="legacy", cli_version="0.1.0")
    first, second = w.session(version="2.0.76"), w.session(version="2.0.76")
    first.prompt("Add a budget check.")
    first.write("budget.py", BUDGET)
    second.prompt("Mention it in the README.")
    second.edit(
        "README.md",
        "Keeps track of small expenses.",
        "Keeps track of small expenses and of budgets.",
    )
    w.human_insert("README.md", "Written by hand.")
    w.commit("Budget check", [first, second], stored=Stored(date_prefix=True, label=None))
    return w


@case
def remote_tracking() -> World:
    """What a plain clone has: the checkpoint branch exists only as a remote-tracking ref."""
    w = _two_commits("remote_tracking", "v1-remote")
    w.ref("refs/remotes/origin/main", w.tips["main"])
    return w


@case
def untidy_branch() -> World:
    """Gapped directories, dangling pointers, wrong and missing labels, chunks, glued records,
    blank lines, foreign files.
    """
    w = begin("untidy_branch")
    w.store_files(
        {
            "vercel.json": b"{}\n",
            "apps/web/index.html": b"<p>not a checkpoint</p>\n",
            "ab": b"a file\n",
        }
    )
    idle, s = w.session(), w.session()
    idle.prompt("What does this repository do?")
    idle.say("It keeps a ledger.")
    s.prompt("Add a budget check.")
    s.write("budget.py", BUDGET)
    w.commit(
        "Budget check",
        [idle, s],
        stored=Stored(numbers=(0, 3), dangling=True, label="Gemini CLI", parts=2, hashed=False),
    )
    s.prompt("Return the verdict.")
    s.edit("budget.py", "    out.flush()", "    out.flush()\n    return verdict")
    odd = Stored(label=None, date_prefix=True, glued=True, blank_tail=3, prompt=False)
    second = w.commit("Return the verdict", [s], stored=odd)
    s.prompt("Explain the verdict.")
    s.edit("budget.py", "    return verdict", "    return verdict  # for the caller's exit code")
    w.commit("Explain", [s])
    w.forget(second.checkpoints[0])
    return w


@case
def delta_transcripts() -> World:
    """The oldest meaning of a stored transcript: only what is new since the previous checkpoint."""
    w = begin("delta_transcripts", cli_version="0.3.9")
    s = w.session(version="2.0.76", prompt="Add a budget check.")
    s.write("budget.py", BUDGET)
    w.commit("Budget check", [s], stored=Stored(transcript="delta"))
    s.prompt("Return the verdict.")
    s.edit("budget.py", "    out.flush()", "    out.flush()\n    return verdict")
    w.human_insert("README.md", "Budgets are checked.")
    w.commit("Return the verdict", [s], stored=Stored(transcript="delta"))
    return w


@case
def empty_branch() -> World:
    """The checkpoint branch exists and holds nothing."""
    w = begin("empty_branch")
    w.store_files({})
    w.human_insert("README.md", "Nothing to see yet.")
    w.commit("Enable checkpoints")
    return w


@case
def noisy_session() -> World:
    """Interrupts, queued prompts, injected text, a compaction, a notice of an outside edit,
    plans, a Windows home.
    """
    w = begin("noisy_session")
    s = w.session(
        version="2.1.160", cwd="C:\\Users\\Ada\\work\\noisy_session", prompt="Add a budget check."
    )
    s.log.injected(w.clock, "Base directory for this skill: C:\\Users\\Ada\\skills\\budgets")
    s.write("budget.py", BUDGET, say="First the check itself.")
    s.queued_prompt("The verdict should be returned, too.")
    s.interrupt()
    w.human_tweak(
        "budget.py", "    remaining = limit - spent", "    remaining = limit - spent  # in cents"
    )
    s.prompt("Go on.")
    s.outside_edit_notice("budget.py")
    s.compact()
    s.edit("budget.py", "    out.flush()", "    out.flush()\n    return verdict")
    s.multi_edit(
        "ledger.py",
        ("import csv\n", "import csv\nimport budget\n"),
        ("return sum(", "return budget.LIMIT - sum("),
    )
    s.rewrite(
        "README.md",
        (
            "Keeps track of small expenses.",
            "Keeps track of small expenses and of budgets.\nAmounts are in cents.",
        ),
    )
    s.git_commit("Budget check")
    s.end_turn()
    return w


# --- the example that the README shows ------------------------------------------------------------


@case
def example() -> World:
    """A small bird log: two people, three sessions, a formatter, shell commands, a subagent
    nobody recorded, a bot.
    """
    w = World("birdlog", cli_version="0.3.9", start=JANUARY)
    _bird_start(w)
    _bird_store(w)
    _bird_command_line(w)
    _bird_report(w)
    return w


def _bird_start(w: World) -> None:
    w.human_write("README.md", "# birdlog\n\nWrites down which birds were seen where.\n")
    w.human_write("birdlog/sighting.py", SIGHTING)
    w.commit("One bird, seen once")
    w.wait(5_000)
    w.human_write("birdlog/store.py", STORE)
    w.commit("Keep sightings in a text file")


def _bird_store(w: World) -> None:
    s = w.session(
        prompt="append() writes one line per sighting. Please add load(), which reads them back and"
        " names the line that is wrong."
    )
    s.read("birdlog/store.py")
    s.edit(
        "birdlog/store.py",
        "from pathlib import Path\n",
        "from collections.abc import Iterator\nfrom datetime import date\nfrom pathlib import"
        " Path\n",
    )
    s.edit(
        "birdlog/store.py",
        "def append(",
        LOAD + "def append(",
        say="load() yields sightings; a bad line raises with its number.",
    )
    s.end_turn("load() is in place.")
    w.human_insert(
        "birdlog/store.py", SKIP, after="        for number, line in enumerate(lines, 1):"
    )
    w.commit("Read sightings back", [s], stored=Stored(transcript="delta"))
    w.wait(900)
    s.prompt("Now counts: how many of each species, most frequent first. With a test.")
    s.write("birdlog/counts.py", COUNTS)
    s.write("tests/test_counts.py", TEST_COUNTS)
    s.bash("python -m pytest -q", stdout="1 passed in 0.02s\n")
    s.end_turn("Counts are there, and tested.")
    w.human_tweak(
        "birdlog/counts.py",
        "    return totals.most_common()",
        "    return totals.most_common(limit)",
    )
    w.human_tweak(
        "birdlog/counts.py", COUNTS_HEAD, COUNTS_HEAD.replace(")", ", limit: int | None = None)", 1)
    )
    w.commit("Count birds by species", [s], stored=Stored(transcript="delta"))
    w.wait(40_000)
    w.human_insert(
        "README.md", "\nOne line per sighting:\n\n    2026-01-12 | blackbird | garden | 2"
    )
    w.commit("Show the format", author=BO)


def _bird_command_line(w: World) -> None:
    w.wait(30_000)
    s = w.session(
        version="2.1.84",
        prompt="A command line please: `birdlog add`, `birdlog top`. Standard library only.",
    )
    s.write("birdlog/cli.py", CLI)
    s.end_turn("Try `python -m birdlog.cli top`.")
    w.formatter("birdlog/cli.py")
    w.human_insert(
        "birdlog/cli.py",
        '    add.add_argument("--place", default="garden")',
        after='    add.add_argument("species")',
    )
    w.human_tweak("birdlog/cli.py", APPEND, APPEND.replace('"garden"', "options.place"))
    w.commit("A command line", [s], stored=Stored(transcript="delta"))
    w.wait(1_200)
    s.prompt("Call the file sightings.txt everywhere, and ignore it in git.")
    s.bash(
        "sed -i 's/birds\\.txt/sightings.txt/g' birdlog/cli.py",
        lambda sh: sh.sub("birdlog/cli.py", r"birds\.txt", "sightings.txt"),
    )
    ignored = "__pycache__/\nsightings.txt\n"
    s.bash(
        f"cat > .gitignore <<'EOF'\n{ignored}EOF",
        lambda sh: sh.write(".gitignore", ignored),
        exact=True,
    )
    w.commit("Call the file sightings.txt", [s], stored=Stored(transcript="delta"))
    w.human_write("requirements-dev.txt", "pytest==8.3.4\nruff==0.9.6\n")
    w.commit(
        "Bump pytest from 8.3.3 to 8.3.4", author="deps[bot] <deps[bot]@users.noreply.example.com>"
    )


def _bird_report(w: World) -> None:
    w.wait(4_000_000)
    w.cli_version = "0.5.6"
    s = w.session(
        version="2.1.160",
        null_original=True,
        prompt="I would like a report of the year by season. Let a subagent write the module, you"
        " wire it up and commit.",
    )
    with s.subagent(
        "Write birdlog/report.py: by_season(sightings) returns counts per season.", visible=False
    ) as sub:
        sub.write("birdlog/report.py", REPORT)
    s.read("birdlog/cli.py", 1, 26)
    s.edit(
        "birdlog/cli.py",
        "from birdlog.counts import by_species\n",
        "from birdlog.counts import by_species\nfrom birdlog.report import by_season\n",
    )
    s.edit(
        "birdlog/cli.py",
        '    commands.add_parser("top")\n',
        '    commands.add_parser("top")\n    commands.add_parser("year")\n',
    )
    s.edit(
        "birdlog/cli.py",
        "    for species, count in by_species(",
        YEAR + "    for species, count in by_species(",
    )
    s.git_commit("Report the year by season")
    s.end_turn("Committed.")
    w.wait(3_000)
    w.human_insert(
        "README.md",
        "\n`birdlog year` counts by season. Winter is the start and the end of a year.",
        after="    2026-01-12 | blackbird | garden | 2",
    )
    w.human_replace("birdlog/report.py", "(month % 12) // 3", "SEASON_OF[month]")
    w.human_insert(
        "birdlog/report.py",
        "SEASON_OF = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0]",
        after='SEASONS = ("winter", "spring", "summer", "autumn")',
    )
    w.commit("Look seasons up", author=BO)
    w.wait(70_000)
    w.human_write("tests/test_report.py", TEST_REPORT)
    w.commit("Test December")


# the 12th, 2026; up to the 21st a checkpoint held only what was new in its sessions
JANUARY = 1_768_208_400.0
BO = "Bo Example <bo@example.com>"

SIGHTING = '''\
"""One bird, seen once."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Sighting:
    day: date
    species: str
    place: str
    count: int = 1
'''

STORE = '''\
"""Sightings in a plain text file, one per line."""

from pathlib import Path

from birdlog.sighting import Sighting


def append(path: Path, seen: Sighting) -> None:
    with path.open("a") as out:
        print(seen.day, seen.species, seen.place, seen.count, sep=" | ", file=out)
'''

SKIP = """\
            # blank lines and remarks are welcome in the file
            if not line.strip() or line.startswith("#"):
                continue
"""
LOAD = '''\
def load(path: Path) -> Iterator[Sighting]:
    """Every sighting of the file, in order."""
    with path.open() as lines:
        for number, line in enumerate(lines, 1):
            try:
                day, species, place, count = (part.strip() for part in line.split("|"))
                yield Sighting(date.fromisoformat(day), species, place, int(count))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None


'''

COUNTS_HEAD = "def by_species(sightings: Iterable[Sighting]) -> list[tuple[str, int]]:"
COUNTS = f'''\
"""How many of each."""

from collections import Counter
from collections.abc import Iterable

from birdlog.sighting import Sighting


{COUNTS_HEAD}
    """Species with the number of birds, most frequent first."""
    totals = Counter[str]()
    for seen in sightings:
        totals[seen.species] += seen.count
    return totals.most_common()
'''

TEST_COUNTS = """\
from datetime import date

from birdlog.counts import by_species
from birdlog.sighting import Sighting

MONDAY = date(2026, 1, 12)


def test_most_frequent_species_first():
    seen = [Sighting(MONDAY, "wren", "hedge"), Sighting(MONDAY, "sparrow", "roof", 12)]
    assert by_species(seen) == [("sparrow", 12), ("wren", 1)]
"""

APPEND = '        append(LOG, Sighting(date.today(), options.species, "garden", options.count))'
CLI = f"""\
import argparse
from datetime import date
from pathlib import Path

from birdlog.counts import by_species
from birdlog.sighting import Sighting
from birdlog.store import append, load

LOG = Path('birds.txt')


def parser():
    top = argparse.ArgumentParser(prog='birdlog')
    commands = top.add_subparsers(dest='command',required=True)
    add = commands.add_parser('add')
    add.add_argument("species")
    add.add_argument('--count',type=int,default=1)
    commands.add_parser("top")
    return top


def main():
    options = parser().parse_args()
    if options.command == 'add':
{APPEND}
        return
    for species, count in by_species(load(LOG)):
        print(f"{{count:5}} {{species}}")


if __name__ == "__main__":
    main()
"""

YEAR = """\
    if options.command == "year":
        for season, count in by_season(load(LOG)).items():
            print(f"{season:8} {count}")
        return
"""

REPORT = '''\
"""The year, season by season."""

SEASONS = ("winter", "spring", "summer", "autumn")


def season(month):
    return SEASONS[(month % 12) // 3]


def by_season(sightings):
    totals = {}
    for seen in sightings:
        name = season(seen.day.month)
        totals[name] = totals.get(name, 0) + seen.count
    return totals
'''

TEST_REPORT = """\
from datetime import date

from birdlog.report import by_season
from birdlog.sighting import Sighting


def test_december_is_winter():
    robin = Sighting(date(2026, 12, 24), "robin", "feeder", 3)
    assert by_season([robin]) == {"winter": 3}
"""


def _sub(shell: Shell, paths: Sequence[str], pattern: str, new: str) -> None:
    for path in paths:
        shell.sub(path, pattern, new)


def main(names: Sequence[str]) -> None:
    for name in names or CASES:
        stream, expected = render(name)
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "history.fi").write_bytes(stream)
        (folder / "expected.json").write_text(expected, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
