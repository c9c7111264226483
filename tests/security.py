"""The attacks and accidents of docs/security.md, as one program: python tests/security.py [--small]
[NAME…]

Each is a program of `tests/support`, the fuzzing of `tests/fuzz.py` or a file of tests. What came
of them is kept in `tests/data/security.json`, from which `docs/generate.py` makes the table;
`--small` tries a little of each and keeps nothing. It ends with code 1 when anything was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "data" / "security.json"
MEMORY = Path("/dev/shm")
Outcome = tuple[int, int]  # how much was tried, and how much of it was lost


def _lines(script: str, *arguments: object) -> list[dict[str, object]]:
    """What a program of `support` prints: a line of JSON for each loss, and perhaps one with
    counts.
    """
    with tempfile.TemporaryDirectory(
        prefix="whowrote-security-", dir=MEMORY if MEMORY.is_dir() else None
    ) as folder:
        command = [sys.executable, str(HERE / "support" / script), folder, *map(str, arguments)]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(HERE), str(HERE.parent)))}
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _counted(script: str, *arguments: object) -> Outcome:
    """Of a program that prints its counts: `wrong` is what was lost."""
    *_, last = _lines(script, *arguments)
    counts = dict(last["counts"])  # type: ignore[call-overload]
    lost = counts.pop("wrong", 0)
    return sum(counts.values()), lost


def _interleaved(count: int) -> Outcome:
    return count + (count + 3) // 4, len(_lines("interleaved.py", count, 1))


def _fuzzed(reader: str, count: int) -> Outcome:
    command = [
        sys.executable,
        str(HERE / "fuzz.py"),
        reader,
        "--runs",
        str(count),
        "--seconds",
        "86400",
    ]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    tried, failed = re.findall(r"([\d,]+) inputs in .*: (\d+) failed", done.stdout)[0]
    return int(tried.replace(",", "")), int(failed)


def _tested(path: str, count: int) -> Outcome:
    """Tests of a file, or of those of it whose name has a word."""
    file, _, word = path.partition(" ")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        "-q",
        "-p",
        "no:cacheprovider",
        file,
        *(["-k", word] if word else []),
    ]
    done = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=False)
    counts = {
        name: int(number)
        for number, name in re.findall(r"(\d+) (passed|failed|error)", _summary(done.stdout))
    }
    return sum(counts.values()), counts.get("failed", 0) + counts.get("error", 0)


def _summary(output: str) -> str:
    """pytest's last line; with -q twice it is missing, so dots are counted."""
    last = output.strip().rsplit("\n", 1)[-1]
    dots = sum(
        line.count(".") for line in re.findall(r"^[.sFEx]+(?: +\[ *\d+%\])?$", output, re.MULTILINE)
    )
    wrong = sum(
        line.count("F") + line.count("E")
        for line in re.findall(r"^[.sFEx]+(?: +\[ *\d+%\])?$", output, re.MULTILINE)
    )
    return last if "passed" in last else f"{dots} passed, {wrong} failed"


def _planted(name: str, count: int) -> Outcome:
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    from storage.test_redaction import missed
    from support.planted_secrets import planted

    kinds = planted(name)
    return len(kinds), sum(1 for secret in kinds if missed(secret))


@dataclass(frozen=True, slots=True)
class Attack:
    what: str
    unit: str
    run: Callable[[int], Outcome]
    full: int
    small: int
    by: str


_READERS = {
    "transcripts": "transcripts",
    "checkpoints": "checkpoints",
    "local": "sessions on a machine",
    "discovery": "answers of servers, each a whole discovery",
    "claims": "claims of other tools",
    "commits": "commits",
    "judge": "answers of a language model",
}
_RUNS = {"claims": 250_000, "judge": 200_000, "commits": 120_000, "discovery": 40_000}
ATTACKS = {
    "interleaved": Attack(
        "commands at the same time, with pauses at random places, as if in order",
        "schedules, a fifth of namesakes",
        _interleaved,
        400,
        4,
        "`tests/support/interleaved.py`",
    ),
    "killed": Attack(
        "a command killed at a random statement, or the power gone there",
        "trials",
        lambda count: _counted("killed.py", count, 1, "squash"),
        1_000,
        12,
        "`tests/support/killed.py`",
    ),
    "workers": Attack(
        "a worker of `--jobs` killed",
        "trials",
        lambda count: _counted("killed_workers.py", count, 1),
        12,
        1,
        "`tests/support/killed_workers.py`",
    ),
    **{
        f"fuzz-{reader}": Attack(
            f"damaged {what}, by coverage",
            "inputs",
            partial(_fuzzed, reader),
            _RUNS.get(reader, 130_000),
            500,
            "`tests/fuzz.py`",
        )
        for reader, what in _READERS.items()
    },
    **{
        f"secrets-{name}": Attack(
            f"planted secrets, each plain and in up to three layers of JSON: {what}",
            "kinds",
            partial(_planted, name),
            0,
            0,
            "`tests/storage/test_redaction.py`",
        )
        for name, what in {
            "first": "rules were made for them",
            "second": "rules were made for them later",
            "third": "planted before the rules were changed",
        }.items()
    },
    **{
        path: Attack(what, "tests", partial(_tested, path), 0, 0, f"`{path.partition(' ')[0]}`")
        for path, what in {
            "tests/storage/test_failing_disk.py": (
                "a disk that is full or fails, a clock that jumps"
            ),
            "tests/storage/test_foreign_objects.py": (
                "a database that somebody sent, with triggers and tables of other making"
            ),
            "tests/browse/test_private.py": (
                "pages: other hosts, other web pages, tokens, SQL, addresses of other files"
            ),
            "tests/git/test_regular.py": (
                "pipes, devices and directories in place of a repository's files"
            ),
            "tests/commands/test_cli.py signal": "a signal while modules are imported",
        }.items()
    },
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(ATTACKS)}; all when none is named"
    )
    parser.add_argument(
        "--small", action="store_true", help="a little of each; the table stays as it is"
    )
    parser.add_argument(
        "--portion",
        type=int,
        default=1,
        metavar="N",
        help="the N-th part of each, for numbers that take hours",
    )
    given = parser.parse_args()
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {}
    lost_in_all = 0
    for name in given.names or ATTACKS:
        attack = ATTACKS[name]
        tried, lost = attack.run(attack.small if given.small else attack.full // given.portion)
        print(f"{name}: {tried:,} {attack.unit}, {lost:,} lost", flush=True)
        lost_in_all += lost if name != "secrets-third" else 0
        results[name] = {
            "what": attack.what,
            "unit": attack.unit,
            "tried": tried,
            "lost": lost,
            "by": attack.by,
            "at": datetime.now(UTC).date().isoformat(),
        }
        if not given.small:
            ordered = {key: results[key] for key in ATTACKS if key in results}
            RESULTS.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return int(lost_in_all > 0)


if __name__ == "__main__":
    sys.exit(main())
