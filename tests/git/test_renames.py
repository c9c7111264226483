"""Renames are paired as the git program pairs them, and similarity is measured as it measures
it.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.git.renames import (
    FULL,
    Getter,
    RenameSources,
    RenameTexts,
    pair,
    sort_by_path,
    spans,
)

REGULAR = 0o100644
SYMLINK = 0o120000
Tree = dict[str, tuple[str, bytes]]  # path -> mode, content


def text(*numbers: int) -> bytes:
    return b"".join(b"this is line number %d of the text\n" % n for n in numbers)


def blobs(**content: bytes) -> Getter:
    return lambda oid: content.get(oid)


NONE = blobs()


def similarity(old: bytes, new: bytes) -> float:
    return RenameTexts(blobs(old=old, new=new)).score("old", "new") / FULL


def test_equal_content_is_a_rename() -> None:
    assert pair([("a", "x", REGULAR)], [("b", "x", REGULAR)], NONE) == {"b": "a"}


def test_same_file_name_goes_first_among_equal_contents() -> None:
    deleted = [("a/one", "x", REGULAR), ("b/two", "x", REGULAR)]
    added = [("c/two", "x", REGULAR), ("d/three", "x", REGULAR)]
    assert pair(deleted, added, NONE) == {"c/two": "b/two", "d/three": "a/one"}


def test_one_source_serves_one_destination_only() -> None:
    get = blobs(o=text(*range(10)), p=text(*range(9)), q=text(*range(8)))
    found = pair([("old", "o", REGULAR)], [("first", "q", REGULAR), ("second", "p", REGULAR)], get)
    assert found == {"second": "old"}


def test_for_blame_a_source_serves_every_destination() -> None:
    get = blobs(o=text(*range(10)), p=text(*range(9)), q=text(*range(8)))
    sources = RenameSources([("old", "o", REGULAR)])
    assert sources.best("first", "q", REGULAR, RenameTexts(get)) == "old"
    assert sources.best("second", "p", REGULAR, RenameTexts(get)) == "old"


def test_renamed_files_are_found_without_a_look_at_all_others() -> None:
    """A directory of many files that is renamed: a look at each source for each of them takes
    the square of their number.
    """
    sources = RenameSources((f"old/f{n}", f"o{n}", REGULAR) for n in range(100))

    class Untouched(list[tuple[str, str, int]]):
        def __iter__(self) -> Iterator[tuple[str, str, int]]:
            raise AssertionError("every source was looked at")

        __len__ = __getitem__ = __iter__  # type: ignore[assignment]

    get = blobs(
        **{
            f"{kind}{n}": text(*range(n, n + 20), *more)
            for n in range(100)
            for kind, more in (("o", ()), ("q", (900,)))
        }
    )
    sources.files = Untouched(sources.files)
    for n in range(100):
        # the same content
        assert sources.best(f"new/f{n}", f"o{n}", REGULAR, RenameTexts(get)) == f"old/f{n}"
        # the same name
        assert sources.best(f"new/f{n}", f"q{n}", REGULAR, RenameTexts(get)) == f"old/f{n}"


def test_a_unique_file_name_beats_a_better_match_elsewhere() -> None:
    get = blobs(o=text(*range(10)), p=text(*range(9)), new=text(*range(9), 20))
    deleted = [("x/name", "p", REGULAR), ("x/other", "o", REGULAR)]
    assert pair(deleted, [("y/name", "new", REGULAR)], get) == {"y/name": "x/name"}


def test_less_than_half_is_no_rename() -> None:
    get = blobs(o=text(*range(10)), p=text(*range(4), *range(50, 56)))
    assert pair([("a", "o", REGULAR)], [("b", "p", REGULAR)], get) == {}


def test_links_are_paired_only_with_equal_links() -> None:
    assert pair([("a", "x", SYMLINK)], [("b", "x", REGULAR)], NONE) == {}
    assert pair([("a", "x", SYMLINK)], [("b", "x", SYMLINK)], NONE) == {"b": "a"}


def test_executable_bit_does_not_matter() -> None:
    assert pair([("a", "x", 0o100755)], [("b", "x", REGULAR)], NONE) == {"b": "a"}


def test_missing_blobs_are_similar_to_nothing() -> None:
    assert pair([("a", "x", REGULAR)], [("b", "y", REGULAR)], NONE) == {}


def test_above_the_limit_only_equal_contents_and_unique_names_count() -> None:
    body = text(*range(30))
    get = {f"o{n}": body + b"old %d\n" % n for n in range(1003)} | {
        f"n{n}": body + b"new %d\n" % n for n in range(1003)
    }
    deleted = [(f"old/{n}", f"o{n}", REGULAR) for n in range(1003)]
    added = [(f"new/x{n}", f"n{n}", REGULAR) for n in range(1002)] + [("new/7", "n1002", REGULAR)]
    assert pair(deleted, added, blobs(**get)) == {"new/7": "old/7"}


def test_thousands_of_equal_files_are_quick() -> None:
    deleted = [(f"a/{n}", "x", REGULAR) for n in range(3000)]
    added = [(f"b/{n}", "x", REGULAR) for n in range(3000)]
    assert len(pair(deleted, added, NONE)) == 3000


def test_carriage_returns_do_not_count_in_text_but_in_binary() -> None:
    unix = text(*range(20))
    dos = text(*range(20)).replace(b"\n", b"\r\n")
    assert similarity(unix, dos) == pytest.approx(len(unix) / len(dos), abs=1e-4)
    assert similarity(b"\0\n" + unix, b"\0\r\n" + dos) < 0.5


def test_a_last_piece_without_newline_does_not_count() -> None:
    assert spans(b"abc") == {}
    assert spans(b"x" * 70) == {b"x" * 64: 64}


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_similarity_is_a_symmetric_share(a: bytes, b: bytes) -> None:
    assert 0 <= similarity(a, b) <= 1
    assert similarity(a, b) == similarity(b, a)


@given(
    st.lists(
        st.sampled_from([b"alpha\n", b"beta\n", b"gamma\n", b"\n", b"x" * 80 + b"\n"]),
        min_size=1,
        max_size=30,
    )
)
def test_a_text_equals_itself_in_any_order(lines: list[bytes]) -> None:
    assert similarity(b"".join(lines), b"".join(reversed(lines))) == 1


# --- against the git program ----------------------------------------------------------------------


def random_text(rng: random.Random) -> bytes:
    kind = rng.randrange(12)
    if kind == 0:
        return b""
    words = [
        b"value",
        b"return",
        b"if",
        b"self",
        b"import",
        b"data",
        b"(x)",
        b"{",
        b"}",
        b"=",
        b"# note",
    ]
    ending = b"\r\n" if kind == 1 else b"\n"
    lines = [
        b" ".join(rng.choices(words, k=rng.randrange(1, 20))) for _ in range(rng.randrange(1, 60))
    ]
    data = ending.join(lines) + ending
    return b"\0" + data if kind == 2 else data


def changed_text(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    for _ in range(rng.randrange(0, max(2, len(lines)))):
        at = rng.randrange(len(lines))
        choice = rng.randrange(3)
        if choice == 0:
            lines[at] = b"changed %d" % rng.randrange(100)
        elif choice == 1:
            lines.insert(at, b"new %d" % rng.randrange(100))
        elif len(lines) > 1:
            del lines[at]
    return b"\n".join(lines)


def random_change(rng: random.Random) -> tuple[Tree, Tree]:
    names = [
        "a.py",
        "b.py",
        "main.go",
        "x/a.py",
        "x/b.py",
        "y/a.py",
        "y/z/main.go",
        "README",
        "docs/README",
        "c",
        "d",
        "e",
    ]
    rng.shuffle(names)
    cut = rng.randrange(1, len(names))
    old: Tree = {}
    for name in names[:cut]:
        data = rng.choice(list(old.values()))[1] if old and rng.random() < 0.2 else random_text(rng)
        old[name] = (rng.choice(["100644", "100644", "100755", "120000"]), data or b"-")
    new: Tree = {}
    for name in names[cut:]:
        mode, data = rng.choice(list(old.values()))
        if rng.random() < 0.7:
            data = changed_text(rng, data).rstrip(b"\n") + b"\n"  # git 2.44 counts other ends
        new[name] = (mode if rng.random() < 0.9 else "100644", data or b"-")
    return old, new


def import_changes(where: Path, changes: list[tuple[Tree, Tree]]) -> None:
    stream: list[bytes] = []
    for number, change in enumerate(changes):
        for side, tree in enumerate(change):
            stream.append(
                b"commit refs/heads/c%d\ncommitter T <t@example.org> %d +0000\ndata 0\n"
                % (number, side)
            )
            stream.append(b"deleteall\n")
            for path, (mode, data) in tree.items():
                stream.append(
                    b"M %s inline %s\ndata %d\n%s\n"
                    % (mode.encode(), path.encode(), len(data), data)
                )
    subprocess.run(["git", "init", "-q", "--bare", str(where)], check=True)
    subprocess.run(
        ["git", "-C", str(where), "fast-import", "--quiet"], input=b"".join(stream), check=True
    )


def raw(where: Path, branch: str, *options: str) -> list[list[str]]:
    command = [
        "git",
        "-C",
        str(where),
        "diff-tree",
        "-r",
        "--raw",
        "--no-abbrev",
        *options,
        f"{branch}~1",
        branch,
    ]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [re.split(r"[ \t]", line[1:]) for line in lines]


def test_random_changes_are_paired_and_scored_like_git(tmp_path: Path) -> None:
    rng = random.Random(7)
    changes = [random_change(rng) for _ in range(60)]
    import_changes(tmp_path, changes)
    renames = 0
    for number, (old, new) in enumerate(changes):
        rows = raw(tmp_path, f"c{number}", "--no-renames")
        deleted = [(r[5], r[2], int(r[0], 8)) for r in rows if r[4] == "D"]
        added = [(r[5], r[3], int(r[1], 8)) for r in rows if r[4] == "A"]
        content = {r[2]: old[r[5]][1] for r in rows if r[4] == "D"} | {
            r[3]: new[r[5]][1] for r in rows if r[4] == "A"
        }
        theirs = {
            r[6]: (r[5], int(r[4][1:])) for r in raw(tmp_path, f"c{number}", "-M") if r[4][0] == "R"
        }
        ours = pair(deleted, added, blobs(**content))
        assert ours == {path: source for path, (source, _) in theirs.items()}, number
        for path, (source, score) in theirs.items():
            same = old[source][1] == new[path][1]
            assert same or int(similarity(old[source][1], new[path][1]) * 100) == score
        renames += len(theirs)
    assert renames > 100


def test_paths_are_met_in_byte_order() -> None:
    files = [("é", "", 0), ("z", "", 0), ("Z", "", 0), ("a/b", "", 0), ("a.b", "", 0)]
    assert [f[0] for f in sort_by_path(files)] == ["Z", "a.b", "a/b", "z", "é"]
