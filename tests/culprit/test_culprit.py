"""From a fix back to who introduced what it repaired: constructed histories whose culprit is
known by construction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.builder import git
from support.commands import analyse, clone, run, run_json
from support.histories import Build, Files
from support.invariants import broken_checks

from attribution.culprit.repaired import (
    AddedBlock,
    TracedLines,
    code_lines,
    first_answer,
    is_code,
    is_inner_test,
    likeliest,
    neighbours,
    weight_of,
)
from attribution.culprit.signs import fix_signs, names_in
from attribution.culprit.words import FixTier, RepairOutcome
from collector.json_values import Row, RowValues
from collector.storage.store import Store

OTHER = [f"value_{n} = compute(argument_{n})" for n in range(8)]
GOOD = [
    "def total(items):",
    "    result = 0",
    "    for item in items:",
    "        result += item.price",
    "    return result",
]
BAD = ["def mean(items):", "    count = len(items)", "    return total(items) / count"]
FIXED = ["def mean(items):", "    count = len(items) or 1", "    return total(items) / count"]

Commit = tuple[str, Files] | tuple[str, Files, str]


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "r.git"


def history(where: Path, *commits: Commit) -> Build:
    """Commits in a row, each with its files and, where it is not its name, its message; HEAD is
    the last.
    """
    build = Build(where)
    for name, files, *message in commits:
        build.commit(name, files, message=message[0] if message else "")
    build.done()
    git(where, "symbolic-ref", "HEAD", f"refs/heads/x{len(commits)}")
    return build


def followed(build: Build, *, full: bool = True) -> Path:
    """The database, with the lines followed."""
    db = build.where.with_suffix(".db")
    analyse(build.where, db)
    run("survival", build.where, "--db", db, "-q", *(["--full"] if full else []))
    return db


def traced(build: Build, *fix: str, db: Path | None = None) -> list[Row]:
    """Rows of the command; commits by their names in the history."""
    done = run(
        "culprit",
        build.where,
        *(build.sha.get(name, name) for name in fix),
        "--json",
        db=db or followed(build),
    )
    rows: list[Row] = json.loads(done.stdout)
    for row in rows:
        for column in ("fix", "culprit", "introduced_by"):
            row[column] = build.name.get(row[column], row[column])
    return rows


def pick(rows: Sequence[Row], *columns: str) -> list[RowValues]:
    return [tuple(row[column] for column in columns) for row in rows]


# --- lines that a fix changed or removed ----------------------------------------------------------


def test_a_changed_line_leads_to_the_commit_that_wrote_it(where: Path) -> None:
    build = history(
        where,
        ("start", {"a.py": [*GOOD]}),
        ("mean", {"a.py": [*GOOD, *BAD], "test_a.py": ["assert mean([1]) == 1"]}),
        ("more", {"a.py": [*GOOD, *BAD, *OTHER], "test_a.py": ["assert mean([1]) == 1"]}),
        (
            "repair",
            {"a.py": [*GOOD, *FIXED, *OTHER], "test_a.py": ["assert mean([1]) == 1"]},
        ),
    )
    (row,) = traced(build, "repair")
    assert (row["culprit"], row["introduced_by"], row["path"], row["line"], row["lines"]) == (
        "mean",
        "mean",
        "a.py",
        7,
        1,
    )
    assert (row["tier"], row["outcome"], row["basis"], row["likely"]) == (
        "asked",
        "removed",
        "lines",
        True,
    )
    assert (
        row["class"] == "undeclared"
        and row["tests"] == ["test_a.py"]
        and row["days"] == pytest.approx(2 / 24, abs=0.05)
    )


def test_moves_new_layout_and_renames_are_looked_through(where: Path) -> None:
    indented = [f"    {line}" for line in BAD]
    laid_out = [
        indented[0],
        "        count = (",
        "            len(items)",
        "        )",
        indented[2],
    ]
    repaired = [line.replace("len(items)", "len(items) or 1") for line in laid_out]
    build = history(
        where,
        ("start", {"a.py": [*OTHER]}),
        ("mean", {"a.py": [*OTHER, *BAD]}),
        ("moved", {"a.py": [*OTHER], "b.py": [*BAD]}),
        ("renamed", {"a.py": [*OTHER], "c.py": [*BAD]}),
        ("indented", {"a.py": [*OTHER], "c.py": ["class Numbers:", *indented]}),
        ("laid out", {"a.py": [*OTHER], "c.py": ["class Numbers:", *laid_out]}),
        ("repair", {"a.py": [*OTHER], "c.py": ["class Numbers:", *repaired]}),
    )
    (row,) = traced(build, "repair")
    assert (row["introduced_by"], row["path"], row["line"]) == ("mean", "a.py", 10)
    touched = [
        (how, build.name[next(sha for sha in build.name if sha.startswith(short))])
        for how, _, short in map(str.split, row["touched"])
    ]
    assert touched == [("moved", "moved"), ("whitespace", "indented"), ("reformatted", "laid out")]


def test_most_of_the_lines_decide_and_the_others_are_listed(where: Path) -> None:
    build = history(
        where,
        ("first", {"a.py": [*OTHER, *BAD]}),
        (
            "second",
            {
                "a.py": [
                    *OTHER,
                    *BAD,
                    "wrong_one = 1 / 0",
                    "wrong_two = 2 / 0",
                    "wrong_three = 3 / 0",
                ]
            },
        ),
        (
            "repair",
            {"a.py": [*OTHER, *FIXED, "wrong_one = 1", "wrong_two = 2", "wrong_three = 3"]},
        ),
    )
    rows = traced(build, "repair")
    assert pick(rows, "introduced_by", "lines", "likely") == [
        ("second", 3, True),
        ("first", 1, False),
    ]


def test_of_two_with_as_many_lines_the_later_is_likelier(where: Path) -> None:
    build = history(
        where,
        ("first", {"a.py": [*OTHER, "wrong_one = 1 / 0"]}),
        ("second", {"a.py": ["wrong_two = 2 / 0", *OTHER, "wrong_one = 1 / 0"]}),
        ("repair", {"a.py": ["wrong_two = 2", *OTHER, "wrong_one = 1"]}),
    )
    assert traced(build, "repair")[0]["culprit"] == "second"


# --- which of the lines come first ----------------------------------------------------------------


def test_lines_that_the_message_names_come_first_and_decide(tmp_path: Path) -> None:
    """One old line is named; three later ones are not, and are listed behind it."""
    later = [f"limit_{n} = {n}" for n in range(3)]
    before = (
        ("first", {"a.py": [*OTHER, *BAD]}),
        ("second", {"a.py": [*OTHER, *BAD], "b.py": [*later]}),
    )
    repaired = {"a.py": [*OTHER, *FIXED], "b.py": [*(f"{line}0" for line in later)]}
    named = history(
        tmp_path / "n.git",
        *before,
        ("repair", repaired, "fix: no division by zero when `count` is"),
    )
    assert pick(traced(named, "repair"), "introduced_by", "lines", "likely") == [
        ("first", 1, True),
        ("second", 3, False),
    ]
    plain = history(tmp_path / "p.git", *before, ("repair", repaired, "fix: no division by zero"))
    assert pick(traced(plain, "repair"), "introduced_by", "lines", "likely") == [
        ("second", 3, True),
        ("first", 1, False),
    ]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "b.py",
            ["from x import a", "import b", "import c"],
            ["from y import a", "import bb", "import cc"],
        ),
        (
            "b.css",
            [".a {", "  color: red;", "  margin: 0;", "}"],
            [".b {", "  color: blue;", "  margin: 1;", "}"],
        ),
        (
            "b.py",
            ["def f(a):", "class A:", "def g(x):"],
            ["def f(a, b):", "class A(B):", "def g(x, y):"],
        ),
        ("b.yml", ["a: 1", "b: 2", "c: 3"], ["a: 2", "b: 3", "c: 4"]),
    ],
    ids=["imports", "style sheet", "heads that gain words", "configuration"],
)
def test_side_lines_come_behind_one_statement(
    path: str, before: list[str], after: list[str], where: Path
) -> None:
    build = history(
        where,
        ("first", {"a.py": [*OTHER, *BAD]}),
        ("side", {"a.py": [*OTHER, *BAD], path: [*before]}),
        ("repair", {"a.py": [*OTHER, *FIXED], path: [*after]}),
    )
    assert pick(traced(build, "repair"), "introduced_by", "likely") == [
        ("first", True),
        ("side", False),
    ]


def test_a_head_that_loses_a_word_is_a_statement() -> None:
    kept, lost = (
        weight_of("a.py", "source", "def f(a, b):", [after], frozenset())
        for after in ("def f(a, b, c):", "def f(a):")
    )
    assert (kept.statement, lost.statement) == (0, 2)
    # a variable has no head
    assert (
        weight_of("a.c", "source", "static int x;", ["static int x, y;"], frozenset()).statement
        == 2
    )


def test_added_code_beside_a_changed_import_is_traced_by_its_neighbours(where: Path) -> None:
    guarded = [*BAD[:2], "    if not items:", "        return 0", BAD[2]]
    build = history(
        where,
        ("mean", {"a.py": ["import old", *GOOD, *BAD]}),
        ("last", {"a.py": ["import older", *GOOD, *BAD]}),
        ("repair", {"a.py": ["import new", *GOOD, *guarded]}),
        ("import", {"a.py": ["import newer", *GOOD, *guarded]}),
    )
    db = followed(build)
    assert pick(traced(build, "repair", db=db), "outcome", "introduced_by", "lines") == [
        ("neighbours", "mean", 2)
    ]
    assert pick(traced(build, "import", db=db), "outcome", "introduced_by", "lines") == [
        ("removed", "repair", 1)
    ]


def test_a_document_beside_new_code_is_not_what_was_repaired(where: Path) -> None:
    build = history(
        where,
        ("start", {"TODO.md": ["8 things to do"], "a.py": [*GOOD]}),
        (
            "repair",
            {
                "TODO.md": ["9 things to do"],
                "a.py": [*GOOD],
                "migration.py": ["create_table = 1"],
            },
        ),
        (
            "document",
            {
                "TODO.md": ["9 more things to do"],
                "a.py": [*GOOD],
                "migration.py": ["create_table = 1"],
            },
        ),
    )
    db = followed(build)
    assert pick(traced(build, "repair", db=db), "outcome", "culprit") == [("not_decidable", None)]
    assert pick(traced(build, "document", db=db), "outcome", "culprit") == [("removed", "repair")]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("go.mod", "require golang.org/x/net v0.1.0", "require golang.org/x/net v0.17.0"),
        ("web/package.json", '  "lodash": "^4.17.20",', '  "lodash": "^4.17.21",'),
        ("Cargo.toml", 'hyper = "0.14.9"', 'hyper = "0.14.10"'),
        ("requirements.txt", "jinja2==3.1.2", "jinja2==3.1.3"),
    ],
)
def test_a_version_of_a_dependency_is_no_culprit_among_the_code(
    path: str, before: str, after: str, where: Path
) -> None:
    """Code that had to follow the new version is: there a fault may have been."""
    build = history(
        where,
        ("start", {path: ["a list", before], "a.py": [*OTHER, *BAD]}),
        (
            "update",
            {path: ["a list", after], "a.py": [*OTHER, *BAD]},
            "fix: bump it, CVE-2024-12345",
        ),
        (
            "back",
            {path: ["a list", before], "a.py": [*OTHER, *FIXED]},
            "fix: bump it back, CVE-2024-12345",
        ),
    )
    db = followed(build)
    assert pick(traced(build, "update", db=db), "tier", "outcome", "culprit") == [
        ("advisory", "dependency", None)
    ]
    assert traced(build, "back", db=db)[0]["path"] == "a.py"


def test_the_rank_of_repaired_lines_is_stored(where: Path) -> None:
    build = history(
        where,
        ("start", {"a.py": ["import old", *OTHER, "x = 1", *OTHER[::-1], "load_all = 1"]}),
        (
            "repair",
            {"a.py": ["import new", *OTHER, "x = 2", *OTHER[::-1], "load_all = 2"]},
            "fix: load_all loads all",
        ),
    )
    db = followed(build)
    assert [row["line"] for row in traced(build, "--all", db=db)] == [19]
    with Store(db) as store:
        assert [
            row["line"] for row in store.rows("SELECT line FROM repaired_lines ORDER BY rank")
        ] == [19, 10, 1]


@pytest.mark.parametrize(
    ("message", "expected"),
    {
        "Guard against an empty list": set(),
        "fix: load_all and readFile": {"load_all", "readFile"},
        "fix: mean() of nothing": {"mean"},
        "fix: `count` of `IsValid b`": {"count", "IsValid"},
        (
            'x: zero\n\nFixes: 0123456789ab ("x: add load_all")\nSigned-off-by: A_b <a@example.org>'
        ): set(),
    }.items(),
)
def test_names_in_a_message(message: str, expected: set[str]) -> None:
    assert names_in(message) == expected


# --- what does not count --------------------------------------------------------------------------


def test_comments_tests_and_generated_files_beside_the_repair_do_not_count(where: Path) -> None:
    extra = {"test_a.py": ["assert 1 == 1"], "package-lock.json": ['{"x": 1}']}
    changed = {"test_a.py": ["assert 2 == 2"], "package-lock.json": ['{"x": 2}']}
    build = history(
        where,
        ("start", {"a.py": [*OTHER, *BAD]}),
        (
            "noise",
            {"a.py": ["# an older remark on this", "# and more of it", *OTHER, *BAD], **extra},
        ),
        (
            "repair",
            {
                "a.py": ["# a newer remark on this", "# and more of that", *OTHER, *FIXED],
                **changed,
            },
        ),
    )
    assert pick(traced(build, "repair"), "introduced_by", "lines") == [("start", 1)]


def test_a_fix_of_nothing_but_a_test_repairs_the_test(where: Path) -> None:
    build = history(
        where,
        ("start", {"a.py": [*OTHER]}),
        ("tested", {"a.py": [*OTHER], "test_a.py": ["assert 1 == 2", "print('a line')"]}),
        ("repair", {"a.py": [*OTHER], "test_a.py": ["assert 1 == 1", "print('a line')"]}),
    )
    assert pick(traced(build, "repair"), "introduced_by", "path") == [("tested", "test_a.py")]


@pytest.mark.parametrize(
    "after",
    [
        {"a.py": ["# another remark", *OTHER]},
        {"a.py": ["# a remark", "", *OTHER]},
        {"b.py": ["# a remark", *OTHER]},
        {"a.py": ["# a remark", *(f"  {line}" for line in OTHER)]},
    ],
    ids=["comment", "blank line", "rename", "layout"],
)
def test_what_changes_no_code_has_no_culprit(after: dict[str, bytes], where: Path) -> None:
    build = history(where, ("start", {"a.py": ["# a remark", *OTHER]}), ("repair", after))
    assert pick(traced(build, "repair"), "outcome", "culprit", "lines") == [("no_lines", None, 0)]


def test_a_merge_points_to_its_commits(where: Path) -> None:
    build = Build(where)
    build.commit("start", {"a.py": [*OTHER, *BAD]})
    build.commit("side", {"a.py": [*OTHER, *FIXED]}, message="fix: no division by zero")
    build.commit("main", {"a.py": [*OTHER, *BAD], "b.py": ["x = 1"]}, "start")
    build.commit(
        "merge",
        {"a.py": [*OTHER, *FIXED], "b.py": ["x = 1"]},
        "main side",
        message="fix: merged",
    )
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x4")
    db = followed(build)
    assert pick(traced(build, "merge", db=db), "outcome", "culprit") == [("merge", None)]
    assert pick(traced(build, "--all", db=db), "fix", "introduced_by") == [("side", "start")]


# --- fixes that only add lines --------------------------------------------------------------------


def test_an_added_line_is_traced_by_its_neighbours_and_says_so(where: Path) -> None:
    guarded = [*BAD[:2], "    if not items:", "        return 0", BAD[2]]
    build = history(
        where,
        ("start", {"a.py": [*GOOD]}),
        ("mean", {"a.py": [*GOOD, *BAD]}),
        ("last", {"a.py": [*GOOD, *BAD, *OTHER]}),
        ("repair", {"a.py": [*GOOD, *guarded, *OTHER]}),
    )
    rows = traced(build, "repair")
    assert pick(rows, "outcome", "culprit", "introduced_by", "lines") == [
        ("neighbours", "mean", "mean", 2)
    ]


def test_neighbours_that_were_only_indented_are_those_they_were(where: Path) -> None:
    wrapped = [BAD[0], BAD[1], "    if count > 0:", "        return total(items) / count"]
    build = history(
        where,
        ("mean", {"a.py": [*GOOD, *BAD]}),
        ("last", {"a.py": [*GOOD, *BAD, *OTHER]}),
        ("repair", {"a.py": [*GOOD, *wrapped, *OTHER]}),
    )
    assert pick(traced(build, "repair"), "outcome", "introduced_by", "lines") == [
        ("neighbours", "mean", 2)
    ]


@pytest.mark.parametrize(
    "added", [["limit = 10"], ["def extra():", "    return 1"]], ids=["statement", "function"]
)
def test_lines_outside_any_function_are_not_decidable_and_nobody_is_named(
    added: list[str], where: Path
) -> None:
    build = history(
        where,
        ("start", {"a.py": [*GOOD]}),
        ("repair", {"a.py": [*GOOD, *added]}),
    )
    (row,) = traced(build, "repair")
    assert (row["outcome"], row["culprit"], row["basis"], row["path"]) == (
        "not_decidable",
        None,
        "none",
        None,
    )


def test_neighbours_belong_to_the_same_function() -> None:
    lines = [
        *GOOD,
        "",
        "def other():",
        "    extra = 1",
        "    return extra",
        "",
        "def last():",
        "    return 2",
    ]
    assert neighbours("a.py", lines, AddedBlock(8, 8), {8}) == [7, 9]
    assert neighbours("a.py", lines, AddedBlock(9, 9), {9}) == [8]  # below begins another function
    assert neighbours("a.py", lines, AddedBlock(7, 9), {7, 8, 9}) == []  # a function of its own
    assert neighbours("a.py", ["import x", "    y = 1"], AddedBlock(2, 2), {2}) == []


# --- which commits are fixes ----------------------------------------------------------------------

ID = "0123456789abcdef0123456789abcdef01234567"


def test_tests_inside_a_source_file_are_tests() -> None:
    texts = ["fn main() {", "}", "#[cfg(test)]", "mod tests {", "    fn works() {", "    }", "}"]
    assert [is_inner_test("src/main.rs", texts, line) for line in (1, 2, 3, 5, 7)] == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert not is_inner_test("src/main.py", texts, 5)


@pytest.mark.parametrize(
    ("message", "expected"),
    {
        f'x: handle zero\n\nFixes: {ID[:12]} ("x: count")\n': [("named", ID[:12])],
        f"Revert it\n\nThis reverts commit {ID}.": [("revert", ID)],
        "Bound the length (CVE-2024-12345)": [("advisory", "CVE-2024-12345")],
        "Escape it (RUSTSEC-2021-0078, GO-2022-0969)": [
            ("advisory", "RUSTSEC-2021-0078"),
            ("advisory", "GO-2022-0969"),
        ],
        "Escape it, see GHSA-jfh8-c2jp-5v3q": [("advisory", "GHSA-JFH8-C2JP-5V3Q")],
        "Fixes #12": [("issue", "#12")],
        "Handle zero\n\nResolves: owner/name#7": [("issue", "#7")],
        "fix(api): handle zero\n\nCloses #3": [("issue", "#3"), ("conventional", "")],
        "fix!: handle zero": [("conventional", "")],
        "hotfix: handle zero": [("conventional", "")],
        "fix(deps): update serde to 1.2": [],
        "fix(deps-dev): update x (CVE-2024-12345)": [("advisory", "CVE-2024-12345")],
        "feat: a page\n\nCloses #12": [],
        "Add a page\n\nCloses #12": [],
        "Crash on an empty list\n\nResolves #12": [("issue", "#12")],
        "feat: a page\n\nFixes #12": [("issue", "#12")],
        "Refactor the prefix: shorter": [],
        "See #12 and fixture #3": [],
        "docs: how to fix: it": [],
        f"Prefixes: {ID}": [],
    }.items(),
)
def test_signs_of_a_fix(message: str, expected: list[tuple[str, str]]) -> None:
    assert fix_signs(message) == [(FixTier(tier), name) for tier, name in expected]


def test_the_named_commit_is_the_culprit_and_the_lines_are_listed_beside_it(
    tmp_path: Path, where: Path
) -> None:
    before = (
        ("first", {"a.py": [*OTHER, *BAD]}),
        ("second", {"a.py": [*OTHER, *BAD], "b.py": ["size = 0"]}),
    )
    named = history(tmp_path / "before.git", *before).sha["second"]
    repair = {"a.py": [*OTHER, *FIXED], "b.py": ["size = 0"]}
    (row,) = traced(
        history(where, *before, ("repair", repair, f"x\n\nFixes: {named[:9]}")),
        "repair",
    )
    assert (row["tier"], row["culprit"], row["basis"]) == ("named", "second", "stated")
    assert (row["introduced_by"], row["likely"]) == ("first", False)


def test_a_revert_leads_to_what_it_takes_back_also_without_a_word(where: Path) -> None:
    build = history(
        where,
        ("start", {"a.py": [*OTHER]}),
        ("mean", {"a.py": [*OTHER, *BAD]}),
        ("back", {"a.py": [*OTHER]}),
    )
    (row,) = traced(build, "back")
    assert (row["tier"], row["basis"], row["culprit"], row["lines"]) == (
        "revert",
        "reverted",
        "mean",
        3,
    )


def test_a_range_and_an_issue_stand_for_their_fixes(where: Path) -> None:
    build = history(
        where,
        ("start", {"a.py": [*OTHER, *BAD, "x = 1 / 0"]}),
        ("one", {"a.py": [*OTHER, *FIXED, "x = 1 / 0"]}, "handle zero\n\nFixes #12"),
        ("plain", {"a.py": [*OTHER, *FIXED, "x = 1 / 0", "y = 2"]}),
        ("two", {"a.py": [*OTHER, *FIXED, "x = 1", "y = 2"]}, "fix: x"),
    )
    db = followed(build)
    between = f"{build.sha['start']}..{build.sha['two']}"
    assert {row["fix"] for row in traced(build, between, db=db)} == {"one", "two"}
    assert pick(traced(build, "#12", db=db), "fix", "tier", "names") == [("one", "issue", "#12")]
    assert {row["fix"] for row in traced(build, "--all", db=db)} == {"one", "two"}
    refused = run("culprit", build.where, "#13", code=2, db=db)
    assert "nothing shows a fix in #13" in refused.stderr


# --- what is stored, and what is missing ----------------------------------------------------------


def test_lines_are_followed_first(where: Path, tmp_path: Path) -> None:
    build = history(
        where,
        ("start", {"a.py": [*BAD]}),
        ("repair", {"a.py": [*FIXED]}, "fix: zero"),
    )
    for fix in ("HEAD", "--all"):
        db = tmp_path / f"{fix}.db"
        analyse(build.where, db)
        assert [row["fix"] for row in traced(build, fix, db=db)] == ["repair"]


def test_all_fixes_are_stored_and_traced_again_only_after_a_change(
    where: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = history(
        where,
        ("start", {"a.py": [*OTHER, *BAD]}),
        ("repair", {"a.py": [*OTHER, *FIXED]}, "fix: zero"),
    )
    db = followed(build)
    first = traced(build, "--all", db=db)
    assert first == [row | {"tests": [], "touched": []} for row in traced(build, "repair", db=db)]
    with Store(db) as store:
        assert not broken_checks(store)
        assert store.rows("SELECT tier, outcome, basis FROM fixes") == [
            {"tier": "conventional", "outcome": "removed", "basis": "lines"}
        ]
    monkeypatch.setattr(
        "attribution.culprit.stage.culprits._trace", lambda *arguments: pytest.fail("traced again")
    )
    assert traced(build, "--all", db=db) == first


def test_lines_from_before_the_followed_part_are_said_to_be_older(where: Path) -> None:
    build = history(
        where,
        ("start", {"a.py": [*GOOD, *BAD]}),
        (
            "agent",
            {"a.py": [*GOOD, *BAD, "z = 1"]},
            "add z\n\nCo-Authored-By: Claude <noreply@anthropic.com>",
        ),
        ("repair", {"a.py": [*GOOD, *FIXED, "z = 1"]}, "fix: zero"),
        (
            "guard",
            {"a.py": [*GOOD[:2], "    assert items", *GOOD[2:], *FIXED, "z = 1"]},
            "fix: nothing",
        ),
    )
    db = followed(build, full=False)
    assert pick(traced(build, "--all", db=db), "fix", "outcome", "culprit") == [
        ("guard", "older", None),
        ("repair", "older", None),
    ]


def test_what_an_agent_introduced_comes_with_its_session_and_prompt(
    tmp_path: Path, db: Path
) -> None:
    repo = clone("example", tmp_path)
    analyse(repo, db)
    run("survival", repo, "-q", db=db)
    with Store(db) as store:
        ended = store.rows(
            "SELECT d.commit_sha AS sha, s.key AS session FROM line_fates t JOIN line_lifetimes l"
            " ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits d ON d.id ="
            " l.death JOIN origins o ON o.id = t.origin_id JOIN sessions s ON s.id = o.session_id"
            " WHERE l.cause = 'modified' AND l.path LIKE '%.py' AND o.author = 'agent'"
        )
    assert ended
    rows = run_json("culprit", repo, ended[0]["sha"], db=db)
    by_agent = [row for row in rows if row["class"] == "agent"]
    assert by_agent and all(row["prompt"] and row["agent"] and row["evidence"] for row in by_agent)
    assert ended[0]["session"] in {row["session"] for row in by_agent}


# --- the rules alone ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("a.py", "x = 1  # why", True),
        ("a.py", "  # why", False),
        ("a.c", "#include <x.h>", True),
        ("a.c", " * of a comment", False),
        ("a.c", "*pointer = 1;", True),
        ("a.c", "// why", False),
        ("a.js", "});", False),
        ("a.sql", "-- why", False),
        ("a.c", "--count;", True),
        ("Makefile", "# why", False),
        ("a.py", "+ '!!'", True),
        ("a.py", '"""', False),
    ],
)
def test_lines_of_code(path: str, line: str, expected: bool) -> None:
    assert is_code(path, line) is expected


@pytest.mark.parametrize(
    ("path", "lines", "expected"),
    [
        ("a.c", ["/* why", "   it is", " */", "x = 1;"], {4}),
        ("a.py", ["def f():", '    """What', "    it does", '    """', "    return 1"], {1, 5}),
        ("a.py", ['"""What it is"""', "x = 1"], {2}),
        ("a.py", ['x = """', "text", '"""', "y = 1"], {1, 2, 4}),  # not a docstring
        ("a.ts", ["const all = 'src/**/*.ts';", "go();"], {1, 2}),
        ("a.lean", ["/-- What", "    holds -/", "def f := 1"], {3}),
        ("config.toml.example", ["# size = 1", "size = 2"], {2}),
    ],
)
def test_comments_of_several_lines_and_docstrings_are_no_code(
    path: str, lines: list[str], expected: set[int]
) -> None:
    assert code_lines(path, lines) == expected


def line_of(commit: int, lines: int, kind: str = "source") -> TracedLines:
    return TracedLines(
        1,
        commit,
        f"c{commit}",
        "a.py",
        1,
        lines,
        kind,
        weight=weight_of("a.py", kind, "x = 1", (), frozenset()),
    )


def test_removed_code_comes_before_neighbours_and_these_before_other_files() -> None:
    code = line_of(1, 1)
    test = line_of(2, 9, "test")
    near = line_of(3, 1)

    def answer(
        removed: list[TracedLines], around: list[TracedLines]
    ) -> tuple[RepairOutcome | None, list[TracedLines]]:
        return first_answer(removed, lambda: around, lambda: False)

    assert answer([code, test], [near]) == (RepairOutcome.REMOVED, [code])
    assert answer([test], [near]) == (RepairOutcome.NEIGHBOURS, [near])
    assert answer([test], []) == (RepairOutcome.REMOVED, [test])
    assert answer([line_of(1, 1, "generated")], []) == (None, [])


def test_the_likeliest_commit_has_most_lines_then_is_the_latest() -> None:
    assert likeliest([line_of(1, 2), line_of(2, 1), line_of(1, 1)]) == "c1"
    assert likeliest([line_of(1, 2), line_of(2, 2)]) == "c2"
    assert likeliest([]) == ""
