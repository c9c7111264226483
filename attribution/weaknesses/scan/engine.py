"""The adapter for semgrep, which runs as a program because it has no API.

Only this module and git's start programs.

Texts of other people are laid into a directory of ours under names of ours (the ids of their
blobs), so that nothing they chose is on a command line; an empty `.semgrepignore` there keeps the
built-in list of ignored paths away. Nothing is asked of the network: without
`--disable-version-check` a call that finds none waits for 98 seconds. One single-job process a
core: `-j 2` costs a third more.

A run has limits of time and memory. A run that breaks them, or crashes, is ended with all its
children and its texts are tried again in halves, until the text that caused it is alone.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from importlib import metadata
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from attribution.weaknesses.rules.languages import target_path
from attribution.weaknesses.rules.rulesets import RuleSet
from attribution.weaknesses.words import ScanStatus
from collector.errors import WhoWroteError
from collector.json_values import JsonObject
from collector.runtime.version import install_command

ENVIRONMENT = "WHOWROTE_SEMGREP"
_NAME = "semgrep"
_INHERITED = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")
_POLL = 0.5  # seconds between looks at a running scan
_BOM = b"\xef\xbb\xbf"
_PARSE_ERRORS = (
    "PartialParsing",
    "Syntax error",
    "Lexical error",
    "Other syntax error",
    "AST builder error",
)


class EngineMissing(WhoWroteError):
    """semgrep is not there, or cannot be run."""


class EngineFailed(WhoWroteError):
    """semgrep does not do what it should, whatever the texts."""


class ScanLimits(NamedTuple):
    """Of one run. Defaults keep two of them below two gigabytes."""

    targets: int = 400
    size: int = 6_000_000  # bytes of all targets together
    start: float = 90.0  # seconds granted to start and to load the rules
    pace: float = 8_000.0  # bytes a second; the measured pace is thirty times that
    memory: int = 900_000_000  # bytes, all processes of a run
    rule: int = 5  # seconds for one rule on one text
    alone: int = 30  # the same, for a text that is tried again by itself

    def seconds(self, size: int) -> float:
        return self.start + size / self.pace


class Engine(NamedTuple):
    """A semgrep that can be run."""

    path: str
    version: str

    @property
    def name(self) -> str:
        return f"{_NAME} {self.version}"


class Target(NamedTuple):
    """A text to be scanned."""

    blob: str
    suffix: str
    data: bytes


class RuleMatch(NamedTuple):
    """A place that a rule matched. Lines from 1, bytes from 0, the end outside."""

    rule: str
    start_line: int
    end_line: int
    start: int
    end: int


@dataclass(slots=True)
class Scanned:
    """What became of one target."""

    target: Target
    status: str = ScanStatus.OK
    matches: list[RuleMatch] = field(default_factory=list)
    failed_rules: list[str] = field(default_factory=list)


# --- finding it -----------------------------------------------------------------------------------


def find_engine(path: str = "") -> Engine:
    """The scanner at `path`, else that of the environment, beside the interpreter, on the PATH.

    Raises EngineMissing.
    """
    beside = Path(sys.executable).parent
    name = path or os.environ.get(ENVIRONMENT, "")
    program = (
        shutil.which(name) if name else shutil.which(_NAME, path=str(beside)) or shutil.which(_NAME)
    )
    if program is None and name:
        source = "--semgrep" if path else ENVIRONMENT
        raise EngineMissing(
            f"{source} names {name}, which is not a program",
            "Use the path of the semgrep executable",
        )
    if program is None:
        raise EngineMissing(
            "scanning needs semgrep, which is not installed",
            f"Install it with: {install_command('scan')}, or separately: pipx install semgrep\n"
            f"To use another one: --semgrep PATH, or the variable {ENVIRONMENT}",
        )
    if Path(program).parent == beside:  # asking the program takes two seconds
        with contextlib.suppress(metadata.PackageNotFoundError):
            return Engine(program, metadata.version(_NAME))
    return Engine(program, _version(program))


def _version(program: str) -> str:
    with _scratch_directory() as home:
        command = [program, "--version", "--disable-version-check"]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                cwd=home,
                env=_environment(home),
                timeout=120,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineMissing(
                f"{program} cannot be run: {error}", "Use another semgrep: --semgrep PATH"
            ) from error
    number = re.search(rb"(\d+\.\d+[\w.]*)", done.stdout)
    if done.returncode or number is None:
        complaint = done.stderr.decode("utf-8", "replace").strip()[-200:]
        raise EngineMissing(
            f"{program} does not print its version: {complaint}",
            "Use another semgrep: --semgrep PATH",
        )
    return number[1].decode("ascii")


def _environment(home: Path) -> dict[str, str]:
    """Nothing of the caller's settings; nothing sent anywhere."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    directories = dict.fromkeys(
        ("HOME", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), str(home)
    )
    return (
        inherited
        | directories
        | {
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
            "SEMGREP_SEND_METRICS": "off",
            "SEMGREP_ENABLE_VERSION_CHECK": "0",
            "SEMGREP_SETTINGS_FILE": str(home / "settings.yml"),
            "SEMGREP_LOG_FILE": str(home / "semgrep.log"),
        }
    )


# --- scanning -------------------------------------------------------------------------------------


def scan(
    engine: Engine,
    rules: RuleSet,
    targets: Iterable[Target],
    jobs: int = 1,
    limits: ScanLimits = ScanLimits(),  # noqa: B008 (immutable)
    complain: Callable[[str], None] = lambda text: None,
) -> Generator[list[Scanned], None, None]:
    """What became of the targets, portion by portion as runs end.

    `complain` is told of runs that were ended or crashed. Raises EngineFailed when a run without
    any text fails as well.
    """
    portions = _portions(targets, limits)
    with _scratch_directory() as directory, ThreadPoolExecutor(jobs) as executor:
        scanner = _Scanner(engine, rules.text, limits, complain, directory)
        try:
            running = {executor.submit(scanner.scan, portion) for portion in islice(portions, jobs)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {
                    executor.submit(scanner.scan, portion)
                    for portion in islice(portions, len(done))
                }
                for future in done:
                    yield future.result()
        finally:
            scanner.stop()


def _portions(targets: Iterable[Target], limits: ScanLimits) -> Iterator[list[Target]]:
    portion: list[Target] = []
    size = 0
    for target in targets:
        if portion and (len(portion) >= limits.targets or size + len(target.data) > limits.size):
            yield portion
            portion = []
            size = 0
        portion.append(target)
        size += len(target.data)
    if portion:
        yield portion


@contextlib.contextmanager
def _scratch_directory() -> Iterator[Path]:
    try:
        directory = tempfile.TemporaryDirectory(prefix="whowrote-scan-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _no_scratch_directory(error) from error
    with directory as name:
        yield Path(name).resolve()


def _no_scratch_directory(error: OSError) -> EngineFailed:
    return EngineFailed(
        f"cannot write files for the scanner to {tempfile.gettempdir()}: {error.strerror or error}",
        "Free some space there, or set TMPDIR to another directory. Finished scans are kept.",
    )


class _RunFailed(Exception):
    """A run that ended without a result; the text says why."""


class _Scanner:
    """Scans portions of texts, each in a thread of its own that waits for its processes."""

    def __init__(
        self,
        engine: Engine,
        rules: str,
        limits: ScanLimits,
        complain: Callable[[str], None],
        directory: Path,
    ) -> None:
        self._engine = engine
        self._rules = rules
        self._limits = limits
        self._complain = complain
        self._directory = directory
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_stopped = self._has_succeeded = False
        self._remarks: set[str] = set()

    def scan(self, targets: Sequence[Target]) -> list[Scanned]:
        """Results of all targets.

        One on which a rule took too long is scanned again by itself, with longer limits.
        """
        scanned = self._scan(targets)
        slow = [each.target for each in scanned if each.failed_rules]
        return [each for each in scanned if not each.failed_rules] + [
            self._scan([target], alone=True)[0] for target in slow
        ]

    def stop(self) -> None:
        """Ends the processes at work and starts no other."""
        self._is_stopped = True
        for process in list(self._processes):
            _kill(process)

    def _scan(self, targets: Sequence[Target], alone: bool = False) -> list[Scanned]:
        """Results of a run; after one that failed, of runs of its halves."""
        try:
            scanned = self._run(targets, alone)
        except _RunFailed as failure:
            self._complain(f"texts not scanned: {len(targets)}: {failure}")
            if len(targets) > 1:
                middle = len(targets) // 2
                return self._scan(targets[:middle]) + self._scan(targets[middle:])
            if not self._has_succeeded:
                self._try_without_texts()
            return [
                Scanned(
                    targets[0],
                    ScanStatus.TIMEOUT if str(failure).startswith("time") else ScanStatus.FAILED,
                )
            ]
        self._has_succeeded = True
        return scanned

    def _try_without_texts(self) -> None:
        """When not even an empty text can be scanned, the fault is not the texts'."""
        try:
            self._run([Target("0" * 40, "py", b"\n")], alone=False)
        except _RunFailed as failure:
            raise EngineFailed(
                f"{self._engine.path} fails on every file: {failure}",
                "Run it yourself: semgrep scan --config RULES FILE",
            ) from failure
        self._has_succeeded = True

    def _run(self, targets: Sequence[Target], alone: bool) -> list[Scanned]:
        """Results of one process, in the order of the targets. Raises _RunFailed."""
        scanned = {
            f"targets/{target_path(target.blob, target.suffix)}": Scanned(target)
            for target in targets
        }
        try:
            home = Path(tempfile.mkdtemp(dir=self._directory))
            _write_files(home, scanned, self._rules)
        except OSError as error:
            raise _no_scratch_directory(error) from error
        process = _start(
            self._engine,
            home,
            self._limits.alone if alone else self._limits.rule,
            0 if alone else 3,
        )
        self._processes.add(process)
        try:
            self._wait(
                process,
                self._limits.seconds(sum(len(target.data) for target in targets))
                * (4 if alone else 1),
            )
            for remark in _read_results(home, process.returncode, scanned):
                if remark not in self._remarks:
                    self._remarks.add(remark)
                    self._complain(remark)
            return list(scanned.values())
        finally:
            _kill(process)  # and children that outlived it
            self._processes.discard(process)
            shutil.rmtree(home, ignore_errors=True)

    def _wait(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """Waits for the end of a process. Raises _RunFailed when it breaks a limit."""
        last = time.monotonic() + seconds
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_POLL)
            if self._is_stopped:
                raise CancelledError
            if process.returncode is not None:
                return
            if time.monotonic() > last:
                raise _RunFailed(f"time limit of {seconds:.0f} s")
            if memory_of(process.pid) > self._limits.memory:
                raise _RunFailed(f"memory limit of {self._limits.memory / 1e6:.0f} MB")


def _write_files(home: Path, scanned: Mapping[str, Scanned], rules: str) -> None:
    for path, entry in scanned.items():
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(entry.target.data.removeprefix(_BOM))
    (home / "targets" / ".semgrepignore").touch()
    (home / ".semgrepignore").touch()
    (home / "rules.json").write_text(rules, "ascii")


def _start(engine: Engine, home: Path, seconds: int, threshold: int) -> subprocess.Popen[bytes]:
    """A run over the files in a directory.

    A rule may take so many seconds, and so many rules may do so before a text is left.
    """
    command = [
        engine.path,
        "scan",
        "--metrics=off",
        "--disable-version-check",
        "--json",
        "--quiet",
        "--jobs=1",
        "--disable-nosem",
        "--no-git-ignore",
        "--no-rewrite-rule-ids",
        "--max-target-bytes=0",
        f"--timeout={seconds}",
        f"--timeout-threshold={threshold}",
        f"--config={home / 'rules.json'}",
        "targets",
    ]
    environment = _environment(home)
    nothing = subprocess.DEVNULL
    with (home / "out").open("wb") as out, (home / "errors").open("wb") as errors:
        try:
            return subprocess.Popen(
                command,
                stdin=nothing,
                stdout=out,
                stderr=errors,
                cwd=home,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineMissing(
                f"{engine.path} cannot be run: {error}", "Use another semgrep: --semgrep PATH"
            ) from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and its children."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _read_results(home: Path, code: int, scanned: Mapping[str, Scanned]) -> list[str]:
    """Fills in what a run said of its texts; returns what it said of the rules.

    Raises _RunFailed when there is no result.
    """
    try:
        # Valid JSON is success, whatever the exit code: 2 and 3 still come with results.
        answer = json.loads((home / "out").read_bytes())
        results = answer["results"]
        errors = answer["errors"]
        paths = answer["paths"]["scanned"]
    except (ValueError, KeyError, TypeError):
        tail = (
            (home / "errors").read_bytes()[-300:].decode("utf-8", "replace").strip().split("\n")[-1]
        )
        raise _RunFailed(f"exit code {code}, no result: {tail}") from None
    for result in results:
        entry = scanned.get(_path(result.get("path")))
        if entry is not None:
            entry.matches.append(_match(result, entry.target.data))
    remarks = []
    for error in errors:
        entry = scanned.get(_path(error.get("path")))
        if entry is not None:
            _note_error(entry, error)
        elif error.get("level") == "error":  # about no text: a rule that cannot be parsed
            remarks.append(" ".join(str(error.get("message") or error.get("type")).split())[:300])
    reached = set(map(_path, paths))
    for path, entry in scanned.items():
        if path not in reached and entry.status == ScanStatus.OK and not entry.failed_rules:
            entry.status = ScanStatus.FAILED
    return remarks


def _path(name: object) -> str:
    return str(name or "").replace("\\", "/")


def _match(result: JsonObject, data: bytes) -> RuleMatch:
    shift = len(_BOM) if data.startswith(_BOM) else 0
    start = result["start"]
    end = result["end"]
    return RuleMatch(
        str(result["check_id"]),
        start["line"],
        end["line"],
        start["offset"] + shift,
        end["offset"] + shift,
    )


def _note_error(scanned: Scanned, error: JsonObject) -> None:
    """An entry of `errors` about a text."""
    kind = error.get("type")
    name = str(kind[0] if isinstance(kind, list) and kind else kind)
    if name in _PARSE_ERRORS:
        scanned.status = ScanStatus.PARTIAL if scanned.status == ScanStatus.OK else scanned.status
        return
    scanned.status = ScanStatus.TIMEOUT if "Timeout" in name else ScanStatus.FAILED
    rule = error.get("rule_id")
    if rule and str(rule) not in scanned.failed_rules:
        scanned.failed_rules.append(str(rule))


def memory_of(leader: int) -> int:
    """Bytes of memory of all processes of a session; 0 where the system does not tell."""
    total = 0
    page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (entry / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
            if int(fields[3]) == leader:  # session
                total += int((entry / "statm").read_text().split()[1]) * page
    return total
