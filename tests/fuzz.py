"""Coverage-guided fuzzing of every reader: python tests/fuzz.py [READER…] [--seconds 60] [--runs N]

Atheris (libFuzzer) changes the choices that `support/fuzz` makes and keeps those that reach new
code; without it they are random. What fails is printed once for each place, with the bytes that
show it, and the run goes on. Seeds are the samples of `tests/data` and the writers of
`tests/support`, all written by hand: structure, and nobody's text.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from collector.json_values import JsonObject, Texts

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

LONGEST = 400  # bytes of choices
SEEDS = 64
MEMORY = Path("/dev/shm")  # files that are rewritten thousands of times a minute need no disk


@dataclass(slots=True)
class Tally:
    """What was tried, and what failed, once for each place."""

    reader: str
    runs: int
    seconds: float
    report: Path
    tried: int = 0
    failed: int = 0
    guided: bool = False
    places: Texts = field(default_factory=dict)
    begun: float = field(default_factory=time.monotonic)

    def attempt(self, run: Callable[[bytes], None], slowest: float, data: bytes) -> None:
        """One input; ends the process when there were enough."""
        begun = time.process_time()
        try:
            run(data)
            took = time.process_time() - begun
            if took > slowest:
                self._note("too slow", f"{took:.1f} s", data)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is what is looked for)
            where = traceback.extract_tb(error.__traceback__)[-1]
            self._note(
                f"{type(error).__name__} {Path(where.filename).name}:{where.lineno}",
                traceback.format_exc(),
                data,
            )
        self.tried += 1
        if self.tried >= self.runs or time.monotonic() - self.begun > self.seconds:
            values = {
                name: getattr(self, name)
                for name in ("reader", "tried", "failed", "guided", "places")
            }
            self.report.write_text(
                json.dumps(values | {"seconds": round(time.monotonic() - self.begun)})
            )
            sys.stdout.flush()
            os._exit(0)  # libFuzzer comes to no end of its own without ending the process

    def _note(self, place: str, detail: str, data: bytes) -> None:
        self.failed += 1
        if place not in self.places:
            self.places[place] = data.hex()
            print(f"{self.reader}: {place}: {data.hex()}\n{detail}", file=sys.stderr)


def one(reader: str, tally: Tally, seed: int) -> None:
    """Fuzzes one reader in this process, which it ends."""
    try:
        import atheris
    except ImportError:
        atheris = None
    if atheris is None:
        from support.fuzz import SLOWEST, opened

        chance = random.Random(seed)
        with opened(reader) as run:
            while True:
                tally.attempt(run, SLOWEST, chance.randbytes(chance.randint(0, LONGEST)))
    # it names each module
    with (
        redirect_stderr(StringIO()),
        atheris.instrument_imports(include=["collector", "attribution"]),
    ):
        from support.fuzz import SLOWEST, opened

        context = opened(reader)
        run = context.__enter__()
        with suppress(Exception):
            run(b"")  # what is imported late
    tally.guided, tally.begun = True, time.monotonic()
    corpus = HERE.parent / "build" / "fuzz" / reader
    corpus.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    for number in range(SEEDS):
        (corpus / f"seed-{number}").write_bytes(chance.randbytes(chance.randint(20, 120)))
    options = [
        f"-max_len={LONGEST}",
        "-len_control=0",
        f"-seed={seed}",
        "-verbosity=0",
        "-rss_limit_mb=0",
        "-timeout=600",
    ]
    atheris.Setup(
        [sys.argv[0], *options, str(corpus)], lambda data: tally.attempt(run, SLOWEST, data)
    )
    atheris.Fuzz()


def main() -> int:
    from support.fuzz import NAMES

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "readers",
        nargs="*",
        metavar="READER",
        help=f"of {', '.join(NAMES)}; all when none is named",
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of each reader")
    parser.add_argument("--runs", type=int, default=10**9, help="inputs of each reader")
    parser.add_argument("--seed", type=int, default=1)
    # this process is to fuzz one reader
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--show", metavar="HEX", help="runs one reader on these bytes alone")
    given = parser.parse_args()
    if given.show is not None:
        from support.fuzz import opened

        with opened(given.readers[0]) as run:
            run(bytes.fromhex(given.show))
        return 0
    if given.report:
        one(
            given.readers[0],
            Tally(given.readers[0], given.runs, given.seconds, given.report),
            given.seed,
        )
    results = [_child(reader, given) for reader in given.readers or NAMES]
    for found in results:
        how = "guided by coverage" if found["guided"] else "random, atheris is not installed"
        failures = f"{found['failed']} failed in {len(found['places'])} places"
        print(
            f"{found['reader']:12} {found['tried']:>9,} inputs in {found['seconds']:>6,} s ({how}):"
            f" {failures}"
        )
    return int(any(found["failed"] for found in results))


def _child(reader: str, given: argparse.Namespace) -> JsonObject:
    with tempfile.TemporaryDirectory(
        prefix="whowrote-fuzz-", dir=MEMORY if MEMORY.is_dir() else None
    ) as place:
        report = Path(place) / "report.json"
        command = [
            sys.executable,
            __file__,
            reader,
            "--report",
            str(report),
            "--runs",
            str(given.runs),
            "--seconds",
            str(given.seconds),
            "--seed",
            str(given.seed),
        ]
        subprocess.run(command, env={**os.environ, "TMPDIR": place}, check=False)
        if not report.is_file():
            return {
                "reader": reader,
                "tried": 0,
                "failed": 1,
                "guided": False,
                "places": {"died": ""},
                "seconds": 0,
            }
        return dict(json.loads(report.read_text()))


if __name__ == "__main__":
    sys.exit(main())
