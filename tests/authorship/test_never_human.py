"""Histories in which nothing but a program, an agent or nobody that is known wrote a line: none of
them makes a person.

Each is run through the whole program. What a line is instead of a person's is part of the case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from support import numbered_text
from support.builder import Session, Shell, Stored, World
from support.builder.lines import Line, new_file
from support.ledger import answers_at_end, finish
from support.line_answers import Answer, about, answers, lines_of, session_count

from collector.vocabulary.lines import Author

TOTAL = """\
import { Row } from './rows'

export function total(rows: Row[]) {
  if (!rows.length) return 0
  return rows.map(row => row.cents).reduce((sum, cents) => sum + cents, 0)
}
"""
TOTAL_FORMATTED = """\
import type { Row } from "./rows";

export function total(rows: Row[]) {
  if (!rows.length) {
    return 0;
  }
  return rows
    .map((row) => row.cents)
    .reduce((sum, cents) => sum + cents, 0);
}
"""
FORM = """\
export const Day = () => (
  <input type="date" className="field wide" id="day" />
)
"""
FORM_FORMATTED = """\
export const Day = () => (
  <input
    id="day"
    className="field wide"
    type="date"
  />
);
"""
RUST = (
    "use std::io;use crate::rows::Row;\nfn total(rows: &[Row]) -> i64 { rows.iter().map(|row|"
    " row.cents).sum() }\n"
)
RUST_FORMATTED = """\
use crate::rows::Row;
use std::io;
fn total(rows: &[Row]) -> i64 {
    rows.iter().map(|row| row.cents).sum()
}
"""
PYTHON = (
    "import sys\nimport csv\ndef load(path): return [dict(row, path = path) for row in"
    " csv.DictReader(open(path))]\n"
)
PYTHON_FORMATTED = """\
import csv
import sys


def load(path):
    return [
        dict(row, path=path)
        for row in csv.DictReader(open(path))
    ]
"""
GO = 'package main\nimport ("os"; "fmt")\nfunc main() { fmt.Println(total(os.Args[1:])) }\n'
GO_FORMATTED = """\
package main

import (
	"fmt"
	"os"
)

func main() { fmt.Println(total(os.Args[1:])) }
"""


def _nobody(found: dict[str, list[Answer]]) -> list[Answer]:
    """The answers of all files; none of them names a person."""
    every = lines_of(found)
    assert every
    assert not [one for one in every if "human" in (one.author, one.edited_by, one.run_by)]
    return every


def _sources(found: dict[str, list[Answer]]) -> set[str]:
    return {one.source for one in _nobody(found) if one.text.strip(" {}()[];,")}


def _begin(name: str, **files: str) -> World:
    """A world with one commit of a person's files that nothing links to any agent; `app_ts`
    stands for `src/app.ts`.
    """
    world = World(name)
    world.human_write("README.md", "# Ledger\n")
    for path, text in files.items():
        world.human_write(_path(path), text)
    world.commit("Start the ledger")
    return world


def _path(name: str) -> str:
    return "src/" + name.replace("_", ".")


def _session(world: World, **options: bool) -> Session:
    session = world.session(**options)  # type: ignore[arg-type]
    session.prompt("Please go on with the ledger")
    return session


def _put(world: World, path: str, text: str) -> Callable[[Shell], None]:
    """A change of the worktree by a command, of which the checkpoint says nothing: it lists no
    file that no edit names.
    """
    return lambda shell: world.put(path, new_file(text, lambda line: Line(line, "shell")))


# --- formatters -----------------------------------------------------------------------------------

FORMATTERS = [
    ("npx prettier --write .", "prettier", "app_ts", TOTAL, TOTAL_FORMATTED),
    ("pnpm exec prettier --write src/day.tsx", "prettier", "day_tsx", FORM, FORM_FORMATTED),
    ("npx biome check --write src", "biome", "app_ts", TOTAL, TOTAL_FORMATTED),
    ("biome check --write --unsafe .", "biome", "day_tsx", FORM, FORM_FORMATTED),
    ("npx vp check --fix", "vp", "app_ts", TOTAL, TOTAL_FORMATTED),
    ("vp fmt", "vp", "day_tsx", FORM, FORM_FORMATTED),
    ("cargo fmt", "cargo", "total_rs", RUST, RUST_FORMATTED),
    ("rustfmt src/total.rs", "rustfmt", "total_rs", RUST, RUST_FORMATTED),
    ("ruff check --fix . && ruff format .", "ruff", "load_py", PYTHON, PYTHON_FORMATTED),
    ("uv run ruff format src/load.py", "ruff", "load_py", PYTHON, PYTHON_FORMATTED),
    ("gofmt -w src", "gofmt", "main_go", GO, GO_FORMATTED),
]


@pytest.mark.parametrize("sighted", [True, False], ids=["read", "unread"])
@pytest.mark.parametrize("writer", ["agent", "person"])
@pytest.mark.parametrize(
    ("command", "tool", "name", "before", "after"), FORMATTERS, ids=[f[0] for f in FORMATTERS]
)
def test_formatter_the_agent_ran(
    command: str,
    tool: str,
    name: str,
    before: str,
    after: str,
    writer: str,
    sighted: bool,
    tmp_path: Path,
) -> None:
    """It adds braces, parentheses and `import type` and sorts attributes: equal words do not
    make it a person's work.
    """
    path = _path(name)
    world = _begin("formatter", **({} if writer == "agent" else {name: before}))
    session = _session(world)
    if writer == "agent":
        session.write(path, before)
    else:
        session.read(path)
        session.write("src/notes.ts", "export const notes = []\n")
    session.bash(command, _put(world, path, after))
    if sighted:
        session.read(path)
    found = answers_at_end(world, session, tmp_path)
    allowed = {
        f"tool {tool} agent",
        "unknown formatter",
        "unknown agent_text",
        "agent",
        "unknown common_line",
    }
    assert _sources({path: found[path]}) <= allowed


COMPACT = numbered_text(
    8, "export const f{n} = (a,b) => { return {sum:a+b,name:'f{n}',list:[a,b,{n}]} }\n"
)
PRETTY = numbered_text(
    8,
    "export const f{n} = (a, b) => {\n"
    '  return { sum: a + b, name: "f{n}", list: [a, b, {n}] };\n};\n',
)


def test_edit_of_unrecorded_base_between_two_formatters(tmp_path: Path) -> None:
    """What a partial edit is laid over is a guess: the rest of the file is not known at that
    moment.
    """
    world = _begin("stale")
    session = _session(world, null_original=True)
    session.write("src/many.js", COMPACT)
    session.bash("npx prettier --write src/many.js", _put(world, "src/many.js", PRETTY))
    old = '  return { sum: a + b, name: "f3", list: [a, b, 3] };\n'
    session.edit("src/many.js", old, old + "  // the third one\n")
    after = (
        world.files["src/many.js"]
        .text()
        .replace("the third one", "The third one")
        .replace("list: [a, b, 5]", "list: [a, b, 5,]")
    )
    session.bash("npx prettier --write src/many.js", _put(world, "src/many.js", after))
    every = _nobody(answers_at_end(world, session, tmp_path))
    assert Counter(one.author for one in every)["agent"] >= 20


# --- programs that write files --------------------------------------------------------------------

PAGE = (
    "<h1>Ledger</h1>\n<p>Keeps track of small expenses of every day.</p>\n<p>See also the"
    " manual.</p>\n<p>Enjoy.</p>\n"
)


@pytest.mark.parametrize(
    ("first", "second"),
    {
        "pandoc notes.md -o docs/a.html": "cp docs/a.html docs/b.html",
        "pandoc notes.md -o docs/a.html; cp docs/a.html docs/b.html": "",
        "pandoc notes.md > docs/a.html": "cp docs/a.html docs/b.html",
        "python convert.py": "cp docs/a.html docs/b.html",
    }.items(),
)
def test_copy_of_what_a_converter_wrote(first: str, second: str, tmp_path: Path) -> None:
    world = _begin("converted")
    session = _session(world)
    session.write("notes.md", "# Ledger\n\nKeeps track of small expenses of every day.\n")
    session.bash(first, _put(world, "docs/a.html", PAGE))
    session.bash(second or "ls docs", _put(world, "docs/b.html", PAGE))
    found = answers_at_end(world, session, tmp_path)
    sources = _sources({path: found[path] for path in ("docs/a.html", "docs/b.html")})
    assert sources <= {
        "agent",
        "tool pandoc agent",
        "unknown brought_in",
        "unknown opaque_shell",
        "unknown unexplained",
    }


@pytest.mark.parametrize(
    ("command", "source"),
    {
        "cp ~/skills/ledger/guide.md docs/guide.md": "unknown brought_in",
        "mv /home/dev/notes/guide.md docs/": "unknown brought_in",
        "mkdir -p docs && cp ../other/docs/*.md docs/": "unknown brought_in",
        "cp /tmp/draft/guide.md docs/guide.md": "unknown brought_in",
        "cp src/guide.md docs/guide.md": "unknown brought_in",
        "mv src/guide.md docs/": "unknown brought_in",
        "rsync -a ~/skills/guide.md docs/": "unknown brought_in",
        "scp build:guide.md docs/guide.md": "unknown brought_in",
        "cat ~/skills/guide.md > docs/guide.md": "unknown brought_in",
        "Copy-Item -Path ~/skills/guide.md -Destination docs/guide.md": "unknown brought_in",
    }.items(),
)
def test_what_the_agent_copies_from_where_nobody_knows_it(
    command: str, source: str, tmp_path: Path
) -> None:
    """It may be anybody's, within the repository as well: a command that moves a text does not
    write it.
    """
    world = _begin("brought")
    session = _session(world)
    session.write("src/a.py", "LEDGER = 1\n")
    session.bash(
        command,
        _put(world, "docs/guide.md", "# Guide\n\nThe ledger keeps track of small expenses.\n"),
    )
    found = answers_at_end(world, session, tmp_path)
    assert {line.source for line in found["docs/guide.md"] if line.text.strip()} == {source}


@pytest.mark.parametrize(
    "command",
    [
        "cp {} {}",
        "cp -p {} {}",
        "rsync -a {} {}",
        "cat {} > {}",
        "mv {} {}",
        "git mv {} {}",
        "Copy-Item -Path {} -Destination {}",
        "Move-Item -Path {} -Destination {}",
    ],
)
def test_copied_text_is_of_whoever_wrote_it(command: str, tmp_path: Path) -> None:
    """The agent wrote one of the files that it copies; the other one, a committed text, is no
    more its own than a moved one.
    """
    world = _begin("copied", app_ts=TOTAL)
    session = _session(world)
    guide = "# Guide\n\nThe ledger keeps track of small expenses.\n"
    session.write("notes/guide.md", guide)
    session.bash(
        command.format("notes/guide.md", "docs/guide.md"), _put(world, "docs/guide.md", guide)
    )
    session.bash(command.format("src/app.ts", "src/total.ts"), _put(world, "src/total.ts", TOTAL))
    session.end_turn()
    found = answers(
        world, world.commit("Go on", [session], paths=["docs/guide.md", "src/total.ts"]), tmp_path
    )
    assert _sources({"docs/guide.md": found["docs/guide.md"]}) == {"agent"}
    assert _sources({"src/total.ts": found["src/total.ts"]}) == {"unknown brought_in"}


def test_text_that_an_agent_moved_and_whose_old_place_another_commit_empties(
    tmp_path: Path,
) -> None:
    """Git calls all of it new, but the agent only moved it."""
    world = _begin("moved", app_ts=TOTAL)
    session = _session(world)
    session.write("src/a.ts", "export const ledger = 1\n")
    session.bash("mv src/app.ts src/total.ts", _put(world, "src/total.ts", TOTAL))
    session.end_turn()
    commit = world.commit("Go on", [session], paths=["src/a.ts", "src/total.ts"])
    assert _sources({"src/total.ts": answers(world, commit, tmp_path)["src/total.ts"]}) == {
        "unknown brought_in"
    }


def test_package_manager_before_the_parent_commit(tmp_path: Path) -> None:
    """`uv sync` ran before the parent was committed, its lock file and list of dependencies were
    left for the next commit.
    """
    world = _begin("older")
    world.human_write("pyproject.toml", '[project]\nname = "ledger"\ndependencies = []\n')
    world.commit("A project")
    session = _session(world)
    session.write("src/a.py", "LEDGER = 1\n")
    resolved = 'version = 1\n\n[[package]]\nname = "httpx"\nversion = "0.28.1"\n'
    listed = '[project]\nname = "ledger"\ndependencies = [\n    "httpx>=0.28.1",\n]\n'
    session.bash("uv add httpx", _put(world, "pyproject.toml", listed))
    session.bash("uv sync", _put(world, "uv.lock", resolved))
    session.end_turn()
    world.commit("The first part", [session], paths=["src/a.py"])
    session.prompt("Now the second part")
    session.write("src/b.py", "LEDGER = 2\n")
    found = answers_at_end(world, session, tmp_path)
    assert {one.source for one in found["uv.lock"]} <= {"tool uv agent", "tool uv unknown"}
    assert _sources({"pyproject.toml": found["pyproject.toml"]}) <= {
        "tool uv agent",
        "unknown unobserved",
    }


def test_work_of_an_unrecorded_hour_left_over_a_commit(tmp_path: Path) -> None:
    """Text that appeared before the parent commit and was left out of it is no person's because
    a later commit shows it.
    """
    world = _begin("left", app_ts=TOTAL)
    world.put("src/left.ts", world.files["src/app.ts"])
    world.files["src/left.ts"] = world.files["src/left.ts"].having(())
    session = _session(world)
    session.bash(
        "node scripts/make.js", _put(world, "src/left.ts", FORM_FORMATTED + TOTAL_FORMATTED)
    )
    session.write("src/a.ts", "export const ledger = 1\n")
    session.end_turn()
    world.commit("The first part", [session], paths=["src/a.ts"])
    session.prompt("Now the second part")
    session.write("src/b.ts", "export const ledger = 2\n")
    _nobody(answers_at_end(world, session, tmp_path))


GENERATED = [
    (
        "src/schema.ts",
        "// Code generated by graphql-codegen. DO NOT EDIT.\nexport type Row = { cents: number }\n",
    ),
    ("api/rows.pb.go", "package api\n\ntype Row struct {\n\tCents int64\n}\n"),
    ("src/__generated__/rows.ts", "export type Row = { cents: number }\n"),
]


@pytest.mark.parametrize(("path", "text"), GENERATED, ids=[path for path, _ in GENERATED])
def test_generated_code(path: str, text: str, tmp_path: Path) -> None:
    world = _begin("generated")
    session = _session(world)
    session.write("src/a.ts", "export const ledger = 1\n")
    world.human_write(path, text)  # whoever ran the generator
    found = answers_at_end(world, session, tmp_path)
    assert _sources({path: found[path]}) == {"tool generator unknown"}


@pytest.mark.parametrize(
    "command",
    ["go generate ./...", "go run github.com/99designs/gqlgen generate", "npm run codegen"],
)
def test_generator_that_adds_to_a_file_of_a_person(command: str, tmp_path: Path) -> None:
    """Its results are named nowhere, and this file does not look generated."""
    world = _begin("resolver", resolver_go="package graph\n\ntype Resolver struct{}\n")
    session = _session(world)
    session.read("src/resolver.go")
    added = (
        "\n// Rows is the resolver for the rows field.\nfunc (r *Resolver) Rows() []string"
        " {\n\tpanic(nil)\n}\n"
    )
    session.bash(
        command, _put(world, "src/resolver.go", world.files["src/resolver.go"].text() + added)
    )
    session.read("src/resolver.go")
    session.edit("src/resolver.go", "panic(nil)", "return rows()")
    _nobody(answers_at_end(world, session, tmp_path))


RECORDS = [
    (".entire/logs/entire.log", "level=INFO msg=started component=hooks\n", "recorder"),
    (
        ".entire/metadata/2026-03-02-1/prompt.txt",
        "Please go on with the ledger of small expenses\n",
        "recorder",
    ),
    ("package-lock.json", '{\n  "name": "ledger",\n  "lockfileVersion": 3\n}\n', "npm"),
    ("uv.lock", 'version = 1\nname = "httpx"\n', "uv"),
    ("Cargo.lock", '[[package]]\nname = "serde"\n', "cargo"),
    ("go.sum", "golang.org/x/text v0.14.0 h1:aaaa=\n", "go"),
    (".codex/skills/.system/maker/SKILL.md", "# Maker of skills\n", "Codex"),
    (".specify/templates/plan-template.md", "# Plan of the feature\n", "spec-kit"),
]


@pytest.mark.parametrize(("path", "text", "tool"), RECORDS, ids=[path for path, _, _ in RECORDS])
def test_records_and_lock_files(path: str, text: str, tool: str, tmp_path: Path) -> None:
    world = _begin("records")
    session = _session(world)
    session.write("src/a.ts", "export const ledger = 1\n")
    world.human_write(path, text)
    found = answers_at_end(world, session, tmp_path)
    assert {one.source for one in _nobody({path: found[path]})} == {f"tool {tool} unknown"}


def test_what_an_agent_or_somebody_later_writes_into_shipped_files_is_not_the_tools(
    tmp_path: Path,
) -> None:
    world = _begin("shipped")
    session = _session(world)
    session.write(".specify/templates/plan-template.md", "# Plan of the ledger\n")
    world.human_write(".specify/templates/spec-template.md", "# What the ledger is for\n")
    found = answers_at_end(world, session, tmp_path)
    assert {one.source.split()[0] for one in found[".specify/templates/plan-template.md"]} == {
        "agent"
    }
    assert {one.source for one in found[".specify/templates/spec-template.md"]} == {
        "tool spec-kit unknown"
    }
    world.human_write(
        ".specify/templates/spec-template.md", "# What the ledger is for\nNot for bonds.\n"
    )
    later = answers(world, world.commit("Say more"), tmp_path)
    assert not [
        one for one in later[".specify/templates/spec-template.md"] if one.source.startswith("tool")
    ]


def test_bot(tmp_path: Path) -> None:
    world = _begin("bot")
    session = _session(world)
    session.write("src/a.ts", "export const ledger = 1\n")
    finish(world, session)
    world.human_write("pins.cfg", "httpx = 0.28.1\nrich = 14.0.0\n")
    bump = world.commit(
        "Bump httpx", author="dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>"
    )
    assert {one.source for one in _nobody(answers(world, bump, tmp_path))} == {
        "tool dependabot[bot] unknown"
    }


ANA = "Ana <ana@x.org>"
RENOVATE = "renovate[bot] <29139614+renovate[bot]@users.noreply.github.com>"
SQUASH = "Update httpx (#12)\n\n* Update httpx\n\n* Add options for the ledger"
OPTIONS = "export const options = { ledger: true }\n"
PINS, BUMPED = (
    "# pinned\nhttpx = 0.28.1\nrich = 14.0.0\n",
    "# pinned\nhttpx = 0.29.0\nrich = 14.0.0\n",
)


@pytest.mark.parametrize(
    ("author", "message", "options", "pins"),
    [
        (
            RENOVATE,
            f"{SQUASH}\n\nCo-authored-by: {ANA}",
            "unknown bot",
            "tool renovate[bot] unknown",
        ),
        (
            RENOVATE,
            f"Update httpx\n\nCo-authored-by: {ANA}",
            "unknown bot",
            "tool renovate[bot] unknown",
        ),
        (RENOVATE, SQUASH, "unknown bot", "tool renovate[bot] unknown"),
        (
            RENOVATE,
            f"Update httpx (#12)\n\nCo-authored-by: {RENOVATE}",
            *["tool renovate[bot] unknown"] * 2,
        ),
        (
            "x[bot] <1+x[bot]@users.noreply.github.com>",
            "Update httpx",
            "unknown bot",
            "tool x[bot] unknown",
        ),
        ("Shop Bot <bot@shop.org>", "Update httpx", "unknown bot", "tool Shop Bot unknown"),
        (ANA, "Update httpx", "unknown no_session", "unknown no_session"),
    ],
)
def test_a_bot_has_what_bots_change_and_nothing_else(
    tmp_path: Path, author: str, message: str, options: str, pins: str
) -> None:
    world = _begin("bot squash")
    session = _session(world)
    session.write("src/a.ts", "export const ledger = 1\n")
    world.human_write("pins.cfg", PINS)
    finish(world, session)
    world.human_write("pins.cfg", BUMPED)
    world.human_write("src/options.ts", OPTIONS)
    found = answers(world, world.commit(message, author=author), tmp_path)
    assert {one.source for one in found["src/options.ts"]} == {options}
    assert [one.source for one in found["pins.cfg"]] == [pins]


@pytest.mark.parametrize(
    ("before", "after", "source"),
    [
        (
            'export const version = "1.4.0";',
            'export const version = "1.5.0";',
            "tool x[bot] unknown",
        ),
        ("# ledger 1.4.0-rc.1", "# ledger 1.4.0-rc.2", "tool x[bot] unknown"),
        ('export const api = "~1.4";', 'export const api = "~1.5";', "tool x[bot] unknown"),
        ("expect(tools.length).toBe(67);", "expect(tools.length).toBe(68);", "unknown bot"),
        ("export const rate = 1.4;", "export const rate = 1.5;", "unknown bot"),
        # it stands there twice now
        ("const index = bm25_index.read();", "const index = bm25_index.read();", "unknown bot"),
        ('export const version = "1.4.0";', 'export const version = "1.4.0";', "unknown bot"),
    ],
)
def test_in_source_files_only_a_new_version_is_a_bots(
    tmp_path: Path, before: str, after: str, source: str
) -> None:
    """An account like that may be the name under which anybody's workflow commits."""
    world = _begin("bot numbers")
    session = _session(world)
    session.write("src/a.ts", "export const ledger = 1\n")
    world.human_write("src/b.ts", f"{before}\n// more\n")
    finish(world, session)
    world.human_write(
        "src/b.ts", f"{after}\n// more\n" + (f"// again\n{after}\n" if after == before else "")
    )
    found = answers(
        world, world.commit("Update", author="x[bot] <1+x[bot]@users.noreply.github.com>"), tmp_path
    )
    assert found["src/b.ts"][-1].source == source


PRE_COMMIT = "pre-commit-ci[bot] <66853113+pre-commit-ci[bot]@users.noreply.github.com>"
HOOKS = (
    "[pre-commit.ci] autoupdate (#12)\n\n* [pre-commit.ci] autoupdate\n\n* [pre-commit.ci] auto"
    " fixes from hooks"
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (HOOKS, "tool pre-commit-ci[bot] unknown"),
        (f"{HOOKS}\n\n* Mend the ledger\n\n---------\n\nCo-authored-by: {ANA}", "unknown bot"),
    ],
)
def test_a_squash_of_several_commits_of_one_bot_is_its_own(
    tmp_path: Path, message: str, expected: str
) -> None:
    world = _begin("bot of hooks")
    session = _session(world)
    session.write("src/a.ts", "export const ledger = 1\n")
    finish(world, session)
    world.human_write("src/options.ts", OPTIONS)
    found = answers(world, world.commit(message, author=PRE_COMMIT), tmp_path)
    assert {one.source for one in found["src/options.ts"]} == {expected}


# --- agents of which a part is not on record ------------------------------------------------------

HELPER = """\
export function monthly(rows: Row[]) {
  const byMonth = new Map<string, number>()
  for (const row of rows) {
    byMonth.set(row.month, (byMonth.get(row.month) ?? 0) + row.cents)
  }
  return byMonth
}
"""


@pytest.mark.parametrize("kind", ["rejected", "error", "cut off"])
def test_edit_without_success_that_is_in_the_file_all_the_same(kind: str, tmp_path: Path) -> None:
    """The user declined and pasted it, the tool failed after it wrote, the program ended before
    it said so.
    """
    world = _begin("refused", app_ts=TOTAL)
    session = _session(world)
    session.read("src/app.ts")
    refused = {
        "rejected": session.edit_rejected,
        "error": session.edit_error,
        "cut off": session.edit_cut_off,
    }[kind]
    refused("src/app.ts", "}\n", "}\n\n" + HELPER)
    world.human_insert("src/app.ts", "\n" + HELPER)
    session.prompt("Go on")
    session.read("src/app.ts")
    session.edit("src/app.ts", "if (!rows.length) return 0", "if (rows.length === 0) return 0")
    found = answers_at_end(world, session, tmp_path)
    assert _sources(found) <= {"agent", "unknown agent_text", "unknown edit_unplaced"}


def test_result_lost_to_compaction(tmp_path: Path) -> None:
    """The edit is on record, that it succeeded is not; the next sighting of the file shows that
    it did.
    """
    world = _begin("compacted", app_ts=TOTAL)
    session = _session(world)
    session.read("src/app.ts")
    session.edit_cut_off("src/app.ts", "}\n", "}\n\n" + HELPER)
    world.human_insert("src/app.ts", "\n" + HELPER)
    session.compact()
    session.read("src/app.ts")
    session.edit("src/app.ts", "if (!rows.length) return 0", "if (rows.length === 0) return 0")
    assert _sources(answers_at_end(world, session, tmp_path)) <= {
        "agent",
        "unknown agent_text",
    }


def test_subagent_without_a_transcript(tmp_path: Path) -> None:
    world = _begin("hidden", app_ts=TOTAL)
    session = _session(world)
    session.read("src/app.ts")
    with session.subagent("Add the monthly sums", visible=False) as child:
        child.edit("src/app.ts", "}\n", "}\n\n" + HELPER)
    session.read("src/app.ts")
    session.edit("src/app.ts", "if (!rows.length) return 0", "if (rows.length === 0) return 0")
    found = answers_at_end(world, session, tmp_path)
    assert about(found, "byMonth.set").source == "unknown invisible_subagent"
    _nobody(found)


def test_session_without_a_transcript_beside_one_with_it(tmp_path: Path) -> None:
    world = _begin("absent", app_ts=TOTAL)
    one, other = _session(world), _session(world)
    one.read("src/app.ts")
    other.edit("src/app.ts", "}\n", "}\n\n" + HELPER)
    one.edit("src/app.ts", "if (!rows.length) return 0", "if (rows.length === 0) return 0")
    one.end_turn()
    commit = world.commit("Go on", [one], stored=None)
    world.checkpoint([one], commit.checkpoints[0])
    world.checkpoint([other], world.new_checkpoint_id(), Stored(transcript="none"))
    assert about(answers(world, commit, tmp_path), "byMonth.set").author != Author.HUMAN


def test_conversations_under_one_placeholder_are_several(tmp_path: Path) -> None:
    """Some recorders write `unknown` where they have no session id: each such record is a
    conversation of its own.
    """
    world = _begin("placeholder", app_ts=TOTAL)
    one, other = _session(world), _session(world)
    one.id = other.id = "unknown"
    one.edit("src/app.ts", "if (!rows.length) return 0", "if (rows.length === 0) return 0")
    one.end_turn()
    first = world.commit("The first part", [one])
    other.write("src/month.ts", HELPER)
    second = finish(world, other)
    found = answers(world, second, tmp_path / "second")
    assert {one.source for one in _nobody(found)} == {"agent"}
    assert _sources(answers(world, first, tmp_path / "first")) == {"agent"}
    assert session_count(tmp_path / "second") == 2


# --- git brings text from elsewhere ---------------------------------------------------------------


def test_stash_and_pop(tmp_path: Path) -> None:
    world = _begin("stash", app_ts=TOTAL)
    world.human_insert("src/app.ts", "\n" + HELPER)
    session = _session(world)
    session.bash("git stash", _put(world, "src/app.ts", TOTAL))
    session.read("src/app.ts")
    session.edit("src/app.ts", "if (!rows.length) return 0", "if (rows.length === 0) return 0")
    after = world.files["src/app.ts"].text() + "\n" + HELPER
    session.bash("git stash pop", _put(world, "src/app.ts", after))
    session.read("src/app.ts")
    found = answers_at_end(world, session, tmp_path)
    assert about(found, "byMonth.set").source in ("unknown git_operation", "unknown other_branch")
    _nobody(found)


@pytest.mark.parametrize("sighted", [True, False])
def test_agents_own_work_is_stashed_and_popped(sighted: bool, tmp_path: Path) -> None:
    """What comes back is compared with earlier states: between the two, the file was changed and
    changed back.
    """
    world = _begin("popped", app_ts=TOTAL)
    session = _session(world)
    session.edit("src/app.ts", "if (!rows.length) return 0", "if (rows.length === 0) return 0")
    session.edit("src/app.ts", "export function total(", HELPER + "\nexport function total(")
    with_work = world.files["src/app.ts"]
    base = TOTAL
    session.bash("git stash", _put(world, "src/app.ts", base))
    if sighted:
        session.read("src/app.ts")
    session.edit("src/app.ts", "sum + cents", "cents + sum")
    session.edit("src/app.ts", "cents + sum", "sum + cents")
    session.bash("git stash pop", lambda _: world.put("src/app.ts", with_work))
    if sighted:
        session.read("src/app.ts")
    found = answers_at_end(world, session, tmp_path)
    assert {one.source for one in found["src/app.ts"] if any(map(str.isalpha, one.text))} == {
        "agent"
    }


def test_merge(tmp_path: Path) -> None:
    """What both sides bring is neither side's work of this commit; nobody types beside it
    unseen.
    """
    world = _begin("merge", app_ts=TOTAL)
    world.branch_off("feature")
    world.human_write("src/month.ts", HELPER)
    world.commit("Add months by hand")
    world.switch("main")
    session = _session(world)
    session.write("src/a.ts", "export const ledger = 1\n")
    finish(world, session)
    merged = world.merge(
        "feature",
        "Merge branch 'feature'",
        lambda: world.human_insert("src/app.ts", "\nexport const resolved = total([])\n"),
    )
    found = answers(world, merged, tmp_path)
    assert "src/month.ts" not in found
    _nobody(found)


def test_merge_by_the_agent(tmp_path: Path) -> None:
    world = _begin("agent-merge", app_ts=TOTAL)
    session = _session(world)
    session.edit("src/app.ts", "if (!rows.length) return 0", "if (rows.length === 0) return 0")
    text = world.files["src/app.ts"].text() + "\n" + HELPER
    session.bash("git merge --no-commit origin/feature", _put(world, "src/app.ts", text))
    session.read("src/app.ts")
    found = answers_at_end(world, session, tmp_path)
    assert about(found, "byMonth.set").source in ("unknown git_operation", "unknown other_branch")


HEREDOC = "def from_heredoc(price):\n    return price * 3\n"
EXTRA = "EOF < /dev/null"
WARNING = (
    "/bin/bash: line 7: warning: here-document at line 4 delimited by end-of-file (wanted `EOF')"
)
MORE_THAN_RECORDED = {
    "heredoc": f"cat > src/triple.py <<'EOF'\n{HEREDOC}EOF",
    "tee": f"tee src/triple.py <<'EOF' > /dev/null\n{HEREDOC}EOF",
    "not ended": f"cat > src/triple.py <<'EOF'\n{HEREDOC}".rstrip("\n"),
    "append": f"cat >> src/triple.py <<'EOF'\n{HEREDOC}EOF",
    "printf": "printf 'def from_heredoc(price):\\n    return price * 3\\n' > src/triple.py",
}


def _run_more_than_recorded(
    name: str, command: str, line: str, output: str = ""
) -> tuple[World, Session]:
    """A command on record that wrote one line more than its text says."""
    world = World(name)
    world.human_write("README.md", "# Prices\n")
    if ">>" in command:
        world.human_write("src/triple.py", "RATE = 3\n")
    world.commit("Start")
    session = world.session(prompt="Write the function")
    if ">>" in command:
        session.read("src/triple.py")
    before = world.files["src/triple.py"].text() if ">>" in command else ""
    session.bash(command, _put(world, "src/triple.py", f"{before}{HEREDOC}{line}\n"), stdout=output)
    return world, session


@pytest.mark.parametrize("line", [EXTRA, "RUNNER_MARK_OF_WRAPPER = 1"])
@pytest.mark.parametrize("later", ["commit", "read"])
@pytest.mark.parametrize("kind", MORE_THAN_RECORDED)
def test_line_that_a_command_wrote_beyond_its_record(
    kind: str, later: str, line: str, tmp_path: Path
) -> None:
    """What ran need not be what the record says: only a text that was shown can lack a line."""
    world, session = _run_more_than_recorded(
        f"beyond-{kind}-{later}".replace(" ", "-"), MORE_THAN_RECORDED[kind], line
    )
    world.wait(60)
    if later == "read":
        session.read("src/triple.py")
    session.end_turn()
    found = answers(world, world.commit("Triple", [session]), tmp_path)
    assert about(found, line).author in ("unknown", "agent")
    assert about(found, "    return price * 3").source == "agent"


@pytest.mark.parametrize("kind", ["heredoc", "tee", "append"])
def test_end_word_that_the_shell_missed_is_written_by_the_command(
    kind: str, tmp_path: Path
) -> None:
    world, session = _run_more_than_recorded(
        f"missed-{kind}", MORE_THAN_RECORDED[kind], EXTRA, WARNING
    )
    session.end_turn()
    found = answers(world, world.commit("Triple", [session]), tmp_path)
    assert about(found, EXTRA).source == "agent"


@pytest.mark.parametrize("kind", MORE_THAN_RECORDED)
def test_line_that_a_person_wrote_after_the_text_of_a_command_was_seen(
    kind: str, tmp_path: Path
) -> None:
    """The control: the same file, shown to the agent after the command and before the line."""
    world, session = _run_more_than_recorded(
        f"control-{kind}".replace(" ", "-"), MORE_THAN_RECORDED[kind], ""
    )
    session.read("src/triple.py")
    session.end_turn()
    world.wait(300)
    world.human_insert("src/triple.py", "LOWEST_CREDIBLE_PRICE = 12\n")
    found = answers(world, world.commit("Triple", [session]), tmp_path)
    assert str(about(found, "LOWEST_CREDIBLE_PRICE = 12").line_class) == "likely_human"
