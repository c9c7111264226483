"""What was read of this machine once stays known, whatever becomes of the transcripts."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
import zlib
from pathlib import Path

import pytest
from support import ROOT
from support.answers import value
from support.commands import analyse, collect, run
from support.invariants import broken_checks
from support.local_clone import AgentSession, Clone
from support.local_writers import WRITERS, keep
from support.truth import Line, program_lines

from attribution.authorship.options import AttributeOptions
from attribution.stages.lines import attribute_repo
from collector.json_values import Texts
from collector.storage import archive, session_cache
from collector.storage.archive import without_secrets
from collector.storage.retention import Policy
from collector.storage.store import Store

DATA = ROOT / "tests" / "data" / "archive"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SESSION = "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f"


def attribute(clone: Clone, db: Path, content: str = "full") -> dict[str, Line]:
    """Text of each line -> what is said of it."""
    with Store(db) as store:
        if content != "full":
            with store.transaction():
                store.keep(Policy(content))
        done = attribute_repo(store, clone.path, AttributeOptions())
        assert not broken_checks(store)
        said = program_lines(store, done.repo_id)
    found = {}
    for sha, files in said.items():
        for path, lines in files.items():
            texts = clone.git("show", f"{sha}:{path}").split("\n")
            found.update({texts[number - 1]: line for number, line in lines.items()})
    return found


def work(clone: Clone, name: str, writer: str = "claude-code", secret: str = "") -> AgentSession:
    """A session that wrote three lines; they hold its name."""
    session = clone.session(f"0197f3a1-5d2c-7b4e-8f60-{int(name, 36):012x}", prompt=f"Add {name}")
    lines = [f"{name}_{number} = compute({number}, '{name} {secret}')\n" for number in range(3)]
    session.write(f"src/{name}.py", "".join(lines))
    session.commit(f"Add {name}")
    WRITERS[writer](clone.path.parent.parent, session)
    return session


def delete_all(clone: Clone) -> None:
    """Every record that is not in a commit."""
    home = clone.path.parent.parent
    for path in [*home.iterdir(), *clone.path.glob(".aider*"), *clone.path.glob(".crush")]:
        if path != clone.path.parent:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def agents_lines(said: dict[str, Line], name: str) -> list[str]:
    return [line.author for text, line in sorted(said.items()) if text.startswith(f"{name}_")]


def kept() -> list[tuple[str, list[list[bytes]]]]:
    """Sessions, and the versions of their files."""
    with archive.opened(create=False) as found:
        rows = found.sessions() if found is not None else []
        return [(r["id"], found.copies(r["source"], r["id"])) for r in rows if found is not None]


@pytest.mark.parametrize("writer", WRITERS)
def test_lines_keep_their_author_when_every_record_is_deleted(
    writer: str, clone: Clone, tmp_path: Path, db: Path
) -> None:
    work(clone, "one", writer)
    before = agents_lines(attribute(clone, db), "one")
    delete_all(clone)
    clone.person("notes.py", "kept = True\n")
    clone.commit("Later")
    for name in ("out.db", "second.db"):
        assert agents_lines(attribute(clone, tmp_path / name), "one") == before, name


@pytest.mark.parametrize("writer", ["claude-code", "codex", "pi"])
def test_of_a_record_that_lost_its_beginning_the_rest_is_kept(
    writer: str, clone: Clone, db: Path
) -> None:
    session = work(clone, "one", writer)
    session.prompt("Go on")
    session.write("src/two.py", "two_1 = compute(1, 'two')\n")
    session.commit("Add two")
    path = keep(session, writer)
    attribute(clone, db)
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"".join(rest[len(rest) * 2 // 3 :]))
    session.prompt("And on")
    clone.person("notes.py", "kept = True\n")
    clone.commit("Later")
    said = attribute(clone, db)
    assert agents_lines(said, "one") == ["agent"] * 3 and agents_lines(said, "two") == ["agent"]
    ((_, copies),) = kept()
    assert len(copies) == 2


def test_a_record_that_grows_is_kept_once(clone: Clone, db: Path) -> None:
    session = work(clone, "one")
    for number in range(3):
        session.prompt(f"Go on {number}")
        path = keep(session)
        attribute(clone, db)
        ((_, copies),) = kept()
        assert copies == [[path.read_bytes()]]


def test_no_secret_is_kept_and_its_line_keeps_its_author(
    clone: Clone, tmp_path: Path, db: Path
) -> None:
    work(clone, "one", secret=TOKEN)
    attribute(clone, db)
    ((_, ((content,),)),) = kept()
    assert TOKEN.encode() not in content and content.count(b"[secret:") >= 3
    assert all(json.loads(line) for line in content.splitlines())
    delete_all(clone)
    clone.person("notes.py", "kept = True\n")
    clone.commit("Later")
    assert agents_lines(attribute(clone, db), "one") == ["agent"] * 3
    assert stat.S_IMODE((archive.path() or tmp_path).stat().st_mode) == 0o600


def test_a_kind_of_secret_that_is_learnt_later_is_taken_out(
    clone: Clone, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(archive, "without_secrets", lambda pieces, key: list(pieces))
        patch.setattr(archive, "search_version", lambda: "before")
        work(clone, "one", secret=TOKEN)
        attribute(clone, db)
        assert TOKEN.encode() in b"".join(kept()[0][1][0])
    work(clone, "two")
    attribute(clone, db)
    assert TOKEN.encode() not in b"".join(kept()[0][1][0])


@pytest.mark.parametrize("secret", [TOKEN, "qV7-mirabelle-42", "correcthorse"])
def test_a_secret_comes_back_where_a_file_has_it(secret: str) -> None:
    line = json.dumps({"say": f"export PASSWORD='{secret}'\nthat is all"}).encode()
    (clean,) = without_secrets([line], b"key")
    assert secret not in json.loads(clean)["say"]
    texts = [f"one\nexport PASSWORD='{secret}'\n"]
    assert archive.restored([clean], [b"other", b"key"], lambda: texts) == [line]
    (gone,) = archive.restored([clean], [b"key"], lambda: ["export PASSWORD='hunter2-hunter2'"])
    assert b"[secret:" not in gone


def test_of_secrets_that_begin_alike_each_has_a_mark_of_its_own() -> None:
    texts = [f"export PASSWORD='qV7-mirabelle-4{number}'\n" for number in range(120)]
    lines = [json.dumps({"say": text}).encode() for text in texts]
    clean = without_secrets(lines, b"key")
    assert not any(b"mirabelle" in line for line in clean)
    assert archive.restored(clean, [b"key"], lambda: texts) == lines


def test_nobody_is_named_for_a_secret_that_nothing_shows_any_more(
    clone: Clone, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(session_cache.ENVIRONMENT, "off")
    session = clone.session(SESSION, prompt="Add a token")
    text = f"""one_0 = 'a line of one'\none_1 = "{TOKEN}"\none_2 = compute(one_1)\n"""
    session.write("src/one.py", text)
    keep(session)
    clone.commit("Add one")
    attribute(clone, db)
    delete_all(clone)
    clone.git("update-ref", "-d", "HEAD")
    clone.put("src/one.py", text.replace(TOKEN, "ghp_" + TOKEN[:3:-1]), "human")
    clone.commit("Add one, with another token")
    for name in ("out.db", "second.db"):
        said = attribute(clone, tmp_path / name)
        assert agents_lines(said, "one") == ["agent", "unknown", "agent"]
        assert [s.reason for text, s in said.items() if text.startswith("one_1")] == ["secret"]


@pytest.mark.parametrize("content", ["none", "prompts"])
def test_a_database_that_keeps_less_keeps_no_record(content: str, clone: Clone, db: Path) -> None:
    work(clone, "one")
    attribute(clone, db, content)
    assert kept() == []


def test_nothing_is_kept_where_that_was_chosen(
    clone: Clone, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(clone, "one")
    attribute(clone, db)
    run("data", "archive", "--limit", "0")
    attribute(clone, tmp_path / "second.db")
    assert kept() == []
    monkeypatch.setenv(archive.ENVIRONMENT, "off")
    attribute(clone, tmp_path / "third.db")
    run("data", "archive", code=2)


def test_what_still_exists_elsewhere_leaves_first(clone: Clone, home: Path, db: Path) -> None:
    for name in ("one", "two", "six"):
        work(clone, name)
    attribute(clone, db)
    files = sorted(home.glob(".claude/projects/*/*.jsonl"))
    files[1].unlink()
    with archive.opened() as found:
        assert found is not None
        found.keep_at_most(found.size() // 2)
    assert [session for session, _ in kept()] == [files[1].stem]


def _keeps(directory: Path, text: str) -> bool:
    """Whether a file that the program wrote has it in its bytes."""
    written = (
        path for path in directory.rglob("*") if path.is_file() and ".claude" not in str(path)
    )
    return any(text.encode() in path.read_bytes() for path in written)


@pytest.mark.parametrize("command", ["data", "collect"])
def test_forgetting_leaves_no_byte_and_nothing_is_read_again(
    clone: Clone, home: Path, tmp_path: Path, db: Path, command: str
) -> None:
    for name in ("one", "two"):
        work(clone, name)
    run("repo", clone.path, db=db)
    one, two = sorted(session for session, _ in kept())
    other = Clone(home / "work" / "other")
    work(other, "three")
    copies = tmp_path / "copies"
    copies.mkdir()
    copy = shutil.copy(db, copies)
    run("data", "forget", one, "--yes", db=db)
    run("repo", other.path, db=tmp_path / "other.db")
    collect("merge", copy, "-o", copies / "merged.db")
    run("repo", clone.path, db=copy)
    assert not _keeps(tmp_path, one)
    shutil.rmtree(copies)
    said = attribute(clone, db)
    assert agents_lines(said, "one") != ["agent"] * 3 and agents_lines(said, "two") == ["agent"] * 3
    run("data", "forget", "typo", "--yes", code=2, db=db)
    assert _keeps(tmp_path, two)
    if command == "data":
        run("data", "forget", clone.path, "--yes", db=db)
    else:
        collect("forget", "tally", "--yes", db=db)
    assert len(kept()) == 1 and not _keeps(tmp_path, two)


def test_an_archive_moves_to_another_machine(
    clone: Clone, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(clone, "one", secret=TOKEN)
    attribute(clone, db)
    run("data", "archive", "export", tmp_path / "copy")
    delete_all(clone)
    monkeypatch.setenv(archive.ENVIRONMENT, str(tmp_path / "other.sqlite"))
    run("data", "archive", "import", tmp_path / "copy")
    second = tmp_path / "second.db"
    assert agents_lines(attribute(clone, second, "none"), "one") == ["agent"] * 3
    assert not value(second, "SELECT COUNT(prompt) FROM turns")


def test_what_either_archive_forgot_is_in_neither(
    clone: Clone, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        work(clone, name)
    attribute(clone, db)
    run("data", "archive", "export", tmp_path / "both")
    forgotten = min(session for session, _ in kept())
    run("data", "forget", forgotten, "--yes", db=db)
    run("data", "archive", "export", tmp_path / "one")
    monkeypatch.setenv(archive.ENVIRONMENT, str(tmp_path / "other.sqlite"))
    for copy in ("both", "one", "both"):
        run("data", "archive", "import", tmp_path / copy)
    assert len(kept()) == 1 and forgotten.encode() not in (tmp_path / "other.sqlite").read_bytes()


def test_a_run_says_how_many_lines_lost_their_author(
    clone: Clone, tmp_path: Path, db: Path
) -> None:
    one = work(clone, "one")
    analyse(clone.path, db)
    run("data", "forget", one.id, "--yes", db=tmp_path / "second.db")
    clone.person("notes.py", "kept = True\n")
    clone.commit("Later")
    said = run("repo", clone.path, db=db).stdout
    assert "not now: 3 of commits that are still there" in " ".join(said.split())
    work(clone, "two")
    analyse(clone.path, db)
    clone.git("reset", "-q", "--hard", "HEAD~1")
    said = run("repo", clone.path, db=db).stdout
    assert "not now: 3 of commits that are no longer in the history" in " ".join(said.split())


@pytest.mark.parametrize("content", [b"no archive" * 1000, b"SQLite format 3\0" + b"x" * 5000])
def test_a_damaged_archive_is_said_and_left_alone(
    content: bytes, clone: Clone, tmp_path: Path, db: Path
) -> None:
    file = archive.path() or tmp_path
    file.write_bytes(content)
    work(clone, "one")
    assert agents_lines(attribute(clone, db), "one") == ["agent"] * 3
    assert file.read_bytes() == content
    assert value(db, "SELECT 1 FROM problems WHERE code = 'archive_unusable'")


@pytest.mark.parametrize("number", [1])
def test_an_archive_of_every_format_is_read(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "old.sqlite"
    shutil.copy(DATA / f"format-{number}.sqlite", file)
    monkeypatch.setenv(archive.ENVIRONMENT, str(file))
    ((session, copies),) = kept()
    assert session == SESSION and len(copies) == 2
    assert [zlib.crc32(part) for copy in copies for part in copy] == [2193259493, 4288702832]
    with archive.opened() as found:
        assert found is not None
        facts = {**found.sessions()[0], "stamp": "new"}
        found.keep({n: facts[n] for n in ("source", "id", "stamp", "read_at")}, [b"{}\n"])
    assert len(kept()[0][1]) == 3


def test_what_was_known_of_a_record_that_is_gone_stays(
    clone: Clone, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(archive.ENVIRONMENT, "off")
    one = work(clone, "one")
    attribute(clone, db)
    with Store(db) as store:
        before = store.rows("SELECT * FROM session_stats")
    delete_all(clone)
    work(clone, "two")
    for message in ("Later", "Later still"):
        clone.person(f"{message}.py", "kept = True\n")
        clone.commit(message)
        said = attribute(clone, db)
        assert agents_lines(said, "one") == agents_lines(said, "two") == ["agent"] * 3
    with Store(db) as store:
        first, last = store.rows("SELECT * FROM session_list ORDER BY started_at")
        assert (first["key"], bool(first["gone_since"])) == (one.id, True)
        assert last["gone_since"] is None and first["commits"] == last["commits"] == 1
        assert store.rows("SELECT * FROM session_stats WHERE commits")[:1] == before
    assert "not read since" in run("sessions", clone.path, db=db).stdout
    keep(one)
    clone.person("back.py", "back = True\n")
    clone.commit("Back")
    attribute(clone, db)
    assert not value(db, "SELECT 1 FROM sessions WHERE gone_since IS NOT NULL")


def test_commits_that_were_made_again_keep_what_was_known_of_them(
    clone: Clone, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(archive.ENVIRONMENT, "off")
    work(clone, "one")
    attribute(clone, db)
    delete_all(clone)
    sha = clone.git("rev-parse", "HEAD").strip()
    clone.git("commit", "-q", "--amend", "-m", "Add it, as asked")
    assert agents_lines(attribute(clone, db), "one") == ["agent"] * 3
    with Store(db) as store:
        assert store.rows("SELECT commit_sha FROM gone_commits") == [{"commit_sha": sha}]
    clone.git("reset", "-q", "--hard", sha)
    assert agents_lines(attribute(clone, db), "one") == ["agent"] * 3
    clone.git("commit", "-q", "--amend", "-m", "Again")
    attribute(clone, db)
    one = SESSION[:-12] + f"{int('one', 36):012x}"
    run("data", "forget", one, "--yes", db=db)
    assert value(db, "SELECT COUNT(*) FROM gone_commits") == 0


def test_no_person_is_named_where_a_record_is_gone(
    clone: Clone, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(archive.ENVIRONMENT, "off")
    session = work(clone, "one")
    session.write("src/late.py", "late_0 = compute(0, 'a line of late')\n")
    keep(session)
    attribute(clone, db)
    delete_all(clone)
    clone.commit("Add late")
    work(clone, "two")
    said = attribute(clone, db)
    assert agents_lines(said, "late") == ["unknown"]


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("seed", range(int(os.environ.get("WHOWROTE_ORDERS", "4"))))
def test_no_order_of_events_makes_a_decided_line_undeclared(
    seed: int,
    kept: bool,
    clone: Clone,
    tmp_path: Path,
    db: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance, names = random.Random(seed), iter("abcdefghijklmnop")
    databases = [db, tmp_path / "second.db"]
    if not kept:  # only the database knows then
        monkeypatch.setenv(archive.ENVIRONMENT, "off")
        del databases[1]
    decided: Texts = {}
    for _ in range(9):
        step = chance.choice(["work", "work", "delete", "person", "rebase", "gc", "run"])
        name = next(names)
        if step == "work":
            work(clone, name, chance.choice(["claude-code", "codex", "opencode", "gemini-cli"]))
        elif step == "delete":
            delete_all(clone)
        elif step == "person":
            clone.person(f"src/{name}.txt", f"{name}_0 = by hand, a line of {name}\n")
            clone.commit(f"By hand {name}")
        elif step == "rebase":
            clone.rebase(f"Another message {name}", chance.randrange(3))
        elif step == "gc":
            clone.git("reflog", "expire", "--expire=now", "--all")
            clone.git("gc", "-q", "--prune=now")
        else:
            said = attribute(clone, chance.choice(databases))
            for text, author in decided.items():
                assert said[text].author not in ("undeclared", "unknown"), (text, author)
            decided |= {t: s.author for t, s in said.items() if s.author in ("agent", "human")}
