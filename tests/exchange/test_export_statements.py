"""Statements about the files of a commit: their official validators accept them, they say what the
database says, and a changed one does not hold.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from support import ROOT
from support.answers import column, select
from support.builder import commit_by_ada, git
from support.commands import Analysed, analyse, clone, run
from support.histories import Build

FORMATS = ("in-toto", "cyclonedx", "spdx", "reuse")
NAMES = (
    'a "b".py',
    "line\nend.py",
    "caf\udce9.py",  # not UTF-8
    "back\\slash*.py",
    "{path}.py",
    "–ß.py",
)
BY = "One\n\nCo-authored-by: Claude <noreply@anthropic.com>"
HISTORIES = {
    "odd names": ({name: ["x = 1"] for name in NAMES}, {name: ["", "y"] for name in NAMES}),
    "no files": ({"a.py": ["x = 1"]}, {}),
}


@pytest.fixture(scope="module", params=["example", "odd_files", *HISTORIES])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    directory = tmp_path_factory.mktemp("case")
    if request.param in HISTORIES:
        build = Build(directory / "r")
        for number, files in enumerate(HISTORIES[request.param]):
            build.commit(str(number), files, message=BY)
        build.done()
        git(build.where, "symbolic-ref", "HEAD", "refs/heads/x2")
        repo = build.where
    else:
        repo = clone(request.param, directory)
    return Analysed(repo, directory / "s.db")


EXAMPLE = pytest.mark.parametrize("case", ["example"], indirect=True)


def export(format_: str, of: Analysed) -> str:
    out = of.db.with_suffix(f".{format_}")
    run("data", "export", format_, of.clone, "-o", out, "--force", db=of.db)
    return out.read_bytes().decode()


def head_of(repo: Path) -> str:
    return git(repo, "rev-parse", "HEAD").decode().strip()


def verify(text: str, of: Analysed, code: int) -> str:
    file = of.db.with_suffix(".statement")
    file.write_text(text, "utf-8")
    return run("data", "verify-statement", file, of.clone, db=of.db, code=code).output


# --- what the formats ask for ---------------------------------------------------------------------


def check_in_toto(text: str) -> None:
    import jsonschema
    from google.protobuf import json_format
    from in_toto_attestation.v1 import statement_pb2
    from in_toto_attestation.v1.statement import Statement

    message = json_format.Parse(text, statement_pb2.Statement())
    Statement.copy_from_pb(message).validate()
    schema = json.loads((ROOT / "docs" / "statements.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))


def check_cyclonedx(text: str) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def check_spdx(text: str) -> None:
    from spdx_tools.spdx.parser.jsonlikedict.json_like_dict_parser import JsonLikeDictParser
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    assert validate_full_spdx_document(JsonLikeDictParser().parse(json.loads(text))) == []


def check_reuse(text: str) -> None:
    from reuse.global_licensing import ReuseTOML

    assert ReuseTOML.from_toml(text, "REUSE.toml").version == 1


CHECKS = (check_in_toto, check_cyclonedx, check_spdx, check_reuse)


@pytest.mark.parametrize(("format_", "check"), [*zip(FORMATS, CHECKS, strict=True)])
def test_the_official_validator_accepts_it_and_it_holds(
    format_: str, check: Callable[[str], None], case: Analysed
) -> None:
    text = export(format_, case)
    check(text)
    assert export(format_, case) == text
    assert "the statement holds" in verify(text, case, 0)
    for prompt in column(case.db, "SELECT prompt FROM turns WHERE length(prompt) > 20"):
        assert prompt[:20] not in text


# --- what they say --------------------------------------------------------------------------------

LINES = """
SELECT
  CASE
    WHEN author IS NULL THEN 'older'
    WHEN author = 'human' AND evidence = 'inferred' THEN 'likely_human'
    WHEN author = 'unknown' AND reason = 'no_session' THEN 'undeclared'
    ELSE author
  END,
  SUM(CASE WHEN author IS NULL THEN end_line - start_line + 1 ELSE nonblank END)
FROM tip_files f
JOIN tip_spans t ON t.file_id = f.id
LEFT JOIN origins o ON o.id = origin_id
WHERE path = ?
GROUP BY 1
"""


def test_the_shares_are_those_of_the_database(case: Analysed) -> None:
    in_toto, cyclonedx, spdx = (json.loads(export(name, case)) for name in FORMATS[:3])
    files = zip(in_toto["predicate"]["files"], cyclonedx["components"], spdx["files"], strict=True)
    for file, component, of_spdx in files:
        said = {each["class"]: each["lines"] for each in file["classes"]}
        known = {name: lines for name, lines in select(case.db, LINES, file["path"]) if lines}
        assert said == known or not known  # it is not followed
        shares = [round(lines / sum(said.values()), 4) for lines in said.values()]
        assert shares == [each["share"] for each in file["classes"]]
        assert json.loads(of_spdx["annotations"][0]["comment"])["classes"] == file["classes"]
        properties = {each["name"]: each["value"] for each in component["properties"]}
        assert said == {name: int(properties[f"whowrote:lines:{name}"]) for name in said}


def test_digests_and_error_rates_are_right(case: Analysed) -> None:
    document = json.loads(export("in-toto", case))
    digests = [subject["digest"] for subject in document["subject"]]
    assert digests.pop(0) == {"gitCommit": head_of(case.clone)}
    listed = git(case.clone, "ls-tree", "-rz", "HEAD").decode("utf-8", "replace").split("\0")
    blobs = [line.split()[2] for line in listed if line.startswith("100")]
    assert sorted(blobs) == sorted(digest["gitBlob"] for digest in digests)
    for digest in digests:
        content = git(case.clone, "cat-file", "blob", digest["gitBlob"])
        assert digest["sha256"] == hashlib.sha256(content).hexdigest()
    rows = hashlib.sha256()
    for file in document["predicate"]["files"]:
        for value in (file["path"], *file["spans"]):
            line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            rows.update(f"{line}\n".encode())
    assert document["predicate"]["rows"]["sha256"] == rows.hexdigest()
    rates = select(case.db, "SELECT checked - correct, round(1 - rate, 4) FROM confidence")
    measured = document["predicate"]["measured"]
    assert {(each["wrong"], each.get("error_rate")) for each in measured} <= set(rates)


def test_snippets_are_the_lines_at_their_bytes(case: Analysed) -> None:
    document = json.loads(export("spdx", case))
    notes = {file["SPDXID"]: file["annotations"][0]["comment"] for file in document["files"]}
    for snippet in document["snippets"]:
        blob = json.loads(notes[snippet["snippetFromFile"]])["gitBlob"]
        content = git(case.clone, "cat-file", "blob", blob)
        offsets, _ = snippet["ranges"]
        row = json.loads(snippet["comment"])
        lines = content.splitlines(True)[row["start_line"] - 1 : row["end_line"]]
        at = slice(offsets["startPointer"]["offset"] - 1, offsets["endPointer"]["offset"])
        assert content[at] == b"".join(lines)


# --- what does not hold ---------------------------------------------------------------------------


@EXAMPLE
@pytest.mark.parametrize("format_", FORMATS)
def test_one_changed_digit_is_found(format_: str, case: Analysed) -> None:
    changed = export(format_, case).replace("claude-opus-4-6", "claude-opus-4-7", 1)
    said = verify(changed, case, 1)
    assert ".gitignore" in said and "opus-4-6" in said and "opus-4-7" in said


def commit_file(name: str, text: str, repo: Path) -> str:
    """The commit before."""
    before = head_of(repo)
    git(repo, "reset", "-q", "--hard")
    (repo / name).parent.mkdir(exist_ok=True)
    (repo / name).write_text(text)
    git(repo, "add", name)
    commit_by_ada(repo, "Add a file")
    return before


def test_a_statement_is_about_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = Analysed(clone("example", tmp_path, bare=False), tmp_path / "x.db")
    git(of.clone, "remote", "add", "origin", str(tmp_path))
    texts = [export(format_, of) for format_ in FORMATS]
    assert str(tmp_path) not in "".join(texts)
    before = commit_file("birdlog/store.py", "changed = True\n", of.clone)
    after = head_of(of.clone)
    analyse(of.clone, of.db)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert "2001-09-09T01:46:40Z" in export("spdx", of)
    for text in texts:
        assert "holds" in verify(text, of, 0)  # of the commit that it names
        assert "birdlog/store.py" in verify(text.replace(before, after), of, 1)
        assert "no commit" in verify(text.replace(before, "0" * 40), of, 1)


@EXAMPLE
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "version = 1",
        '{"bomFormat": "CycloneDX"}',
        "[1",
    ],
)
def test_what_is_no_statement_is_refused(text: str, case: Analysed) -> None:
    assert "not a statement of whowrote" in verify(text, case, 2)


# --- REUSE ----------------------------------------------------------------------------------------

OWN = """version = 1

[[annotations]]
path = "**"
SPDX-FileCopyrightText = "2026 Ada"
SPDX-License-Identifier = "MIT"

[[annotations]]
path = ["birdlog/*.py"]
precedence = "aggregate"
SPDX-FileCopyrightText = ["2025 Ada"]
SPDX-License-Identifier = "0BSD"
SPDX-FileContributor = "Bo"
"""


def lint(repo: Path) -> list[str]:
    """What it found of each file."""
    words = [sys.executable, "-m", "reuse", "--root", str(repo), "lint", "--json"]
    done = subprocess.run(words, capture_output=True, check=False)
    return sorted(map(str, json.loads(done.stdout)["files"]))


def test_reuse_finds_the_licences_that_it_found_before(tmp_path: Path) -> None:
    of = Analysed(clone("example", tmp_path, bare=False), tmp_path / "x.db")
    for own in ("version = 1\n", OWN):
        commit_file("REUSE.toml", own, of.clone)
        analyse(of.clone, of.db)
        before = lint(of.clone)
        text = export("reuse", of)
        commit_file("REUSE.toml", text, of.clone)
        assert lint(of.clone) == before and text.startswith(own.rstrip())
        tables = tomllib.loads(text)["annotations"]
        table = next(table for table in tables if "birdlog/cli.py" in table["path"])
        assert table["SPDX-FileContributor"][-1] == "Claude Code (claude-opus-4-6)"
    assert table["precedence"] == "aggregate" and table["SPDX-License-Identifier"] == "0BSD"
    analyse(of.clone, of.db)  # another export takes the place of the first
    assert tomllib.loads(export("reuse", of))["annotations"] == tables


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".reuse/dep5", "Format: x\n"),
        ("REUSE.toml", 'version = 1\nannotations = [{path = "a"}]\n'),
        ("REUSE.toml", f'[[annotations]]\npath = "{"*a" * 30}"\n'),
    ],
)
def test_nothing_is_added_where_it_would_break(name: str, text: str, tmp_path: Path) -> None:
    repo = clone("example", tmp_path, bare=False)
    commit_file(name, text, repo)
    refused = run("data", "export", "reuse", repo, "-o", tmp_path / "o", db=tmp_path / "d", code=2)
    assert "REUSE.toml" in refused.stderr and not (tmp_path / "o").exists()
