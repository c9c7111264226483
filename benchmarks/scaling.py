"""How the cost of a run grows with each size that a repository decides: twice the input may cost
2.5 times as much.

    python benchmarks/scaling.py [SIZE...]

Each size is measured at N and at 2N by turns, in processes that are forked when everything is
loaded; the ratio is that of the medians of their processor seconds, less what an almost empty
repository costs. Exit code 1 when a ratio is above 2.5. `tests/benchmarks/test_scaling.py` counts
calls at small sizes instead, which is the same on every machine.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from attribution.cli import cli
from collector.git.program import import_repository

MOST = 2.5
TIMES = 3
Stream = Iterator[bytes]
_WHO = b"A <a@example.org> %d +0000"
_START = 1_700_000_000
_CHECKPOINT = "0123456789ab"
_SESSION = "03631055-2723-4ca5-a450-ed932d8efdaa"
_CWD = "/home/a/r"

# --- histories ------------------------------------------------------------------------------------


def _commit(
    number: int,
    files: dict[bytes, bytes],
    parents: Sequence[int] | None = None,
    more: Sequence[bytes] = (),
    trailer: bytes = b"",
    ref: bytes = b"refs/heads/main",
) -> bytes:
    """A commit with the mark `number`, after the one before it unless others are named."""
    who = _WHO % (_START + number * 60)
    message = b"change %d\n%s" % (number, trailer)
    parts = [
        b"commit %s\nmark :%d\nauthor %s\ncommitter %s\ndata %d\n%s"
        % (ref, number, who, who, len(message), message)
    ]
    for at, parent in enumerate(
        parents if parents is not None else [number - 1] if number > 1 else []
    ):
        parts.append((b"from :%d\n" if at == 0 else b"merge :%d\n") % parent)
    parts += more
    parts += [
        b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(text), text)
        for path, text in files.items()
    ]
    return b"".join(parts)


def _text(lines: int, seed: int = 0) -> bytes:
    return b"".join(
        b"value_%d = compute(%d)\n" % (seed * 1_000_003 + n, n * 7 % 1009) for n in range(lines)
    )


def lines(n: int) -> Stream:
    yield _commit(1, {b"a.py": _text(n)})


def blank_lines(n: int) -> Stream:
    yield _commit(1, {b"a.py": b"x = 1\n" + b"\n" * n + b"y = 2\n"})
    yield _commit(2, {b"a.py": b"x = 1\n" + b"\n" * (2 * n) + b"y = 2\n"})


def same_lines(n: int) -> Stream:
    yield _commit(1, {b"a.py": b"    return None\n" * n})
    yield _commit(2, {b"a.py": b"first = 1\n" + b"    return None\n" * 2 * n})


def line_length(n: int) -> Stream:
    yield _commit(1, {b"a.py": b"x = '" + b"abcdefgh " * n + b"'\n"})


def commits(n: int) -> Stream:
    for number in range(1, n + 1):
        yield _commit(number, {b"a.py": _text(5, number)})


def merges(n: int) -> Stream:
    yield _commit(1, {b"a.py": _text(5)})
    last = 1
    for number in range(2, 2 * n, 2):
        yield _commit(number, {b"b%d.py" % number: _text(3, number)}, [last])
        yield _commit(number + 1, {}, [last, number])
        last = number + 1


def parents(n: int) -> Stream:
    yield _commit(1, {b"a.py": _text(5)})
    for number in range(2, n + 2):
        yield _commit(number, {b"b%d.py" % number: _text(3, number)}, [1])
    yield _commit(n + 2, {}, list(range(2, n + 2)))


def files(n: int) -> Stream:
    yield _commit(1, {b"d%d/f%d.py" % (k % 50, k): _text(3, k) for k in range(n)})


def depth(n: int) -> Stream:
    for number in range(1, 6):
        yield _commit(number, {b"d/" * n + b"f%d.py" % k: _text(2, number * k) for k in range(50)})


def hunks(n: int) -> Stream:
    before = [b"value_%d = 1\n" % k for k in range(4 * n)]
    yield _commit(1, {b"a.py": b"".join(before)})
    yield _commit(
        2,
        {
            b"a.py": b"".join(
                b"other_%d = 2\n" % k if k % 4 == 0 else line for k, line in enumerate(before)
            )
        },
    )


def renames(n: int) -> Stream:
    yield _commit(1, {b"old/f%d.py" % k: _text(6, k) for k in range(n)})
    yield _commit(2, {}, more=[b"R old new\n"])


def tags(n: int) -> Stream:
    yield _commit(1, {b"a.py": _text(5)})
    for number in range(n):
        yield b"reset refs/tags/v%d\nfrom :1\n\n" % number


def notes(n: int) -> Stream:
    yield from commits(n)
    yield b"commit refs/notes/ai\ncommitter %s\ndata 1\nx\n" % (_WHO % (_START + 10**7))
    for number in range(1, n + 1):
        yield b"N inline :%d\ndata 3\n{}\n\n" % number


# --- sessions -------------------------------------------------------------------------------------


def _record(second: int, kind: str, content: Any, **more: Any) -> bytes:
    """A record of a transcript of Claude Code, as far as it is read."""
    at = (
        datetime.fromtimestamp(_START + 60 + second / 1000, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )
    value = {
        "type": kind,
        "sessionId": _SESSION,
        "cwd": _CWD,
        "version": "2.1.37",
        "timestamp": at,
        "uuid": f"u{second}",
    }
    return (
        json.dumps(value | {"message": {"role": kind, "content": content}} | more).encode() + b"\n"
    )


def _call(second: int, name: str, given: dict[str, Any], result: Any = "") -> bytes:
    number = f"toolu_{second}"
    asked = _record(
        second, "assistant", [{"type": "tool_use", "id": number, "name": name, "input": given}]
    )
    content = [{"type": "tool_result", "tool_use_id": number, "content": "done"}]
    return asked + _record(second + 1, "user", content, toolUseResult=result)


def _session(
    records: Iterator[bytes], before: bytes, *after: bytes, more: dict[bytes, bytes] | None = None
) -> Stream:
    """A commit, others with a checkpoint in which a session changed `a.py`, the last also with
    `more`, and the checkpoint.
    """
    trailer = b"\nEntire-Checkpoint: %s\n" % _CHECKPOINT.encode()
    yield _commit(1, {b"a.py": before})
    for number, text in enumerate(after, 2000):
        files = {b"a.py": text} | (more or {} if number == 1999 + len(after) else {})
        yield _commit(number, files, [number - 1 if number > 2000 else 1], trailer=trailer)
    place = f"{_CHECKPOINT[:2]}/{_CHECKPOINT[2:]}"
    about = {
        "checkpoint_id": _CHECKPOINT,
        "strategy": "manual-commit",
        "branch": "main",
        "files_touched": ["a.py"],
    }
    own = about | {
        "session_id": _SESSION,
        "agent": "Claude Code",
        "created_at": "2023-11-16T07:33:20Z",
    }
    whole = about | {
        "sessions": [
            {"metadata": f"/{place}/0/metadata.json", "transcript": f"/{place}/0/full.jsonl"}
        ]
    }
    held = {"0/full.jsonl": b"".join(records)}
    held |= {
        "0/metadata.json": json.dumps(own).encode(),
        "metadata.json": json.dumps(whole).encode(),
    }
    paths = {f"{place}/{name}".encode(): data for name, data in held.items()}
    yield _commit(2000 + len(after), paths, [], ref=b"refs/heads/entire/checkpoints/v1")


def _prompt(second: int, text: str = "Please change a.py.") -> bytes:
    return _record(second, "user", text)


def _edit(number: int, old: str, new: str, every: bool = False) -> bytes:
    given = {
        "file_path": f"{_CWD}/a.py",
        "old_string": old,
        "new_string": new,
        "replace_all": every,
    }
    return _call(
        10 + 2 * number,
        "Edit",
        given,
        {"filePath": f"{_CWD}/a.py", "oldString": old, "newString": new},
    )


def edits(n: int) -> Stream:
    """Of a file with 500 lines: a file of other length makes each edit another one."""
    lines = 500
    made = (
        _edit(k, f"value_{k % lines} = {k // lines}\n", f"value_{k % lines} = {k // lines + 1}\n")
        for k in range(n)
    )
    before = b"".join(b"value_%d = 0\n" % k for k in range(lines))
    after = b"".join(b"value_%d = %d\n" % (k, (n - k + lines - 1) // lines) for k in range(lines))
    yield from _session(itertools.chain([_prompt(0)], made), before, after)


def edits_of_long_file(n: int) -> Stream:
    """As many edits as the file has lines."""
    made = (_edit(k, f"value_{k} = 0\n", f"value_{k} = 1\n") for k in range(n))
    before, after = (
        b"".join(b"value_%d = %d\n" % (k, value) for k in range(n)) for value in (0, 1)
    )
    yield from _session(itertools.chain([_prompt(0)], made), before, after)


def edits_of_what_was_written(n: int) -> Stream:
    """As many edits as the file has lines, all of which the session wrote."""
    text = "".join(f"value_{k} = 0\n" for k in range(n))
    given = {"file_path": f"{_CWD}/a.py", "content": text}
    wrote = _call(2, "Write", given, {"filePath": f"{_CWD}/a.py", "content": text})
    made = (_edit(k, f"value_{k} = 0\n", f"value_{k} = 1\n") for k in range(n))
    after = text.replace(" = 0", " = 1").encode()
    yield from _session(itertools.chain([_prompt(0), wrote], made), b"first = 1\n", after)


def every_end_of_line_doubled(n: int) -> Stream:
    """Again and again, in a file of as many lines."""
    before = "".join(f"value_{k} = 0\n" for k in range(n))
    made = [_edit(k, "\n", "\n\n", every=True) for k in range(3)]
    after = before.replace("\n", "\n" * 8)
    yield from _session(iter([_prompt(0), *made]), before.encode(), after.encode())


def same_lines_elsewhere(n: int) -> Stream:
    """Equal lines that the agent wrote into one file, and a commit has in another."""
    same = "    return None\n" * n
    made = [_prompt(0), _edit(0, "x = 1\n", "x = 1\n" + same)]
    yield from _session(iter(made), b"x = 1\n", b"x = 2\n", more={b"b.py": same.encode()})


def secrets(n: int) -> Stream:
    """Each in a prompt, and all of them in a command."""
    texts = [f"Xk{k * 7919 % 10007:05d}!q{k:05d}" for k in range(n)]
    asked = (_prompt(4 * k, f"the password is {text}") for k, text in enumerate(texts))
    ran = _call(4 * n + 4, "Bash", {"command": "echo " + " ".join(texts)}, {"stdout": "x"})
    yield from _session(itertools.chain(asked, [ran]), b"a = 1\n", b"a = 1\nb = 2\n")


def taken_out_again(n: int) -> Stream:
    """Lines that the agent wrote and took out again, before a quarter as many commits of the
    file by somebody else.
    """
    made = (
        (
            _edit(2 * k + 1, f"first = 1\nvalue_{k} = {k}\n", "first = 1\n")
            if out
            else _edit(2 * k, "first = 1\n", f"first = 1\nvalue_{k} = {k}\n")
        )
        for k in range(n)
        for out in (False, True)
    )
    versions = (b"first = 1\nlast = %d\n" % number for number in range(n // 4))
    yield from _session(itertools.chain([_prompt(0)], made), b"first = 1\n", *versions)


def files_beside_commands(n: int) -> Stream:
    """Files that nobody edited, and as many commands of which nobody knows what they write."""
    made = (
        _call(
            10 + 2 * k,
            "Bash",
            {"command": f"./run step_{k} src/file_{k}.py && git pull"},
            {"stdout": "x"},
        )
        for k in range(n)
    )
    more = {b"src/file_%d.py" % k: b"value = %d\n" % k for k in range(n)}
    yield from _session(itertools.chain([_prompt(0)], made), b"a = 1\n", b"a = 2\n", more=more)


def replaced_everywhere(n: int) -> Stream:
    """Edits that replace every occurrence, of which there are 40."""
    made = (_edit(k, f"name_{k}", f"name_{k + 1}", every=True) for k in range(n))
    before, after = (
        b"".join(b"use(name_%d, %d)\n" % (k, line) for line in range(40)) for k in (0, n)
    )
    yield from _session(itertools.chain([_prompt(0)], made), before, after)


def calls(n: int) -> Stream:
    made = (
        _call(
            10 + 2 * k, "Bash", {"command": f"ls src/{k} && grep -rn value_{k} ."}, {"stdout": "x"}
        )
        for k in range(n)
    )
    yield from _session(itertools.chain([_prompt(0)], made), b"a = 1\n", b"a = 1\nb = 2\n")


def prompts(n: int) -> Stream:
    made = (
        _prompt(4 * k, f"Now change number {k}.") + _call(4 * k + 1, "Bash", {"command": "ls"})
        for k in range(n)
    )
    yield from _session(made, b"a = 1\n", b"a = 1\nb = 2\n")


def record_length(n: int) -> Stream:
    yield from _session(
        iter([_prompt(0, "word and another one " * n)]), b"a = 1\n", b"a = 1\nb = 2\n"
    )


def output_length(n: int) -> Stream:
    text = "".join(f"src/file_{k}.py:{k}: value\n" for k in range(n))
    made = [_prompt(0), _call(10, "Bash", {"command": "grep -rn value ."}, {"stdout": text})]
    yield from _session(iter(made), b"a = 1\n", b"a = 1\nb = 2\n")


# name -> (history, N here, N where calls are counted)
SIZES: dict[str, tuple[Callable[[int], Stream], int, int]] = {
    make.__name__: (make, large, small)
    for make, large, small in (
        (lines, 100_000, 500),
        (blank_lines, 100_000, 500),
        (same_lines, 50_000, 500),
        (line_length, 2_000_000, 500),
        (commits, 1_000, 20),
        (merges, 600, 15),
        (parents, 1_000, 20),
        (files, 4_000, 60),
        (depth, 800, 20),
        (hunks, 8_000, 60),
        (renames, 3_000, 60),
        (tags, 10_000, 100),
        (notes, 600, 20),
        (edits, 10_000, 40),
        (edits_of_long_file, 4_000, 40),
        (edits_of_what_was_written, 2_000, 40),
        (every_end_of_line_doubled, 500, 10),
        (same_lines_elsewhere, 4_000, 60),
        (secrets, 1_000, 40),
        (taken_out_again, 2_000, 40),
        (files_beside_commands, 1_000, 40),
        (replaced_everywhere, 400, 20),
        (calls, 4_000, 60),
        (prompts, 2_000, 40),
        (record_length, 500_000, 500),
        (output_length, 100_000, 500),
    )
}

# --- measuring ------------------------------------------------------------------------------------


def attributed(repository: Path, db: Path) -> None:
    """`whowrote repo --history` in this process."""
    command = [
        "repo",
        str(repository),
        "--db",
        str(db),
        "--history",
        "-q",
    ]
    done = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output


def made(make: Callable[[int], Stream], n: int, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    repository = folder / f"{make.__name__}-{n}.git"
    import_repository(repository, b"".join(make(n)))
    return repository


def seconds(repository: Path) -> float:
    """Processor seconds of a run, with those of the programs that it starts."""
    with tempfile.TemporaryDirectory(dir=repository.parent) as place:
        child = os.fork()
        if not child:
            attributed(repository, Path(place) / "x.db")
            os._exit(0)
        _, status, used = os.wait4(child, 0)
        assert status == 0
    return used.ru_utime + used.ru_stime


def measured(make: Callable[[int], Stream], n: int, folder: Path) -> tuple[float, float]:
    """Medians of the seconds at N and 2N."""
    both = [made(make, n, folder), made(make, 2 * n, folder)]
    found = [(seconds(both[0]), seconds(both[1])) for _ in range(TIMES)]
    once, twice = zip(*found, strict=True)
    return statistics.median(once), statistics.median(twice)


def main(names: list[str]) -> int:
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="whowrote-scaling-") as place:
        folder = Path(place)
        attributed(made(lines, 5, folder), folder / "first.db")  # everything is loaded
        attributed(made(edits, 5, folder), folder / "first.db")
        nothing = measured(lines, 6, folder)[0]
        print(
            f"An almost empty repository: {nothing:.2f} s\n\n| size | N | N (s) | 2N (s) | ratio"
            " |\n|---|---|---|---|---|",
            flush=True,
        )
        for name, (make, n, _) in SIZES.items():
            if names and name not in names:
                continue
            once, twice = (max(0.001, value - nothing) for value in measured(make, n, folder))
            worst = max(worst, twice / once)
            print(f"| {name} | {n:,} | {once:.2f} | {twice:.2f} | {twice / once:.2f} |", flush=True)
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
