"""The adapter for semgrep, which runs as a program because it has no API. Only this module and git's start programs.

Texts of other people are laid into a directory of ours under names of ours (the ids of their blobs), so that nothing they chose is
on a command line; an empty `.semgrepignore` there keeps the built-in list of ignored paths away. Nothing is asked of the network:
without `--disable-version-check` a call that finds none waits for 98 seconds. One single-job process a core: `-j 2` costs a third
more.

A run has limits of time and memory. A run that breaks them, or crashes, is ended with all its children and its texts are tried
again in halves, until the text that caused it is alone.

Everything lies in one directory per scan, which is locked as long as the scan lives. The next scan removes what a killed one
has left behind, with the processes that are still at work there.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from attribution.weaknesses.rules.languages import target_path
from attribution.weaknesses.rules.rulesets import RuleSet
from attribution.weaknesses.words import ScanStatus
from collector.errors import WhoWroteError

if sys.platform != "win32":
    import fcntl

ENVIRONMENT = "WHOWROTE_SEMGREP"
_NAME = "semgrep"
_INHERITED = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")
_POLL = 0.05  # seconds between looks at the running scans
_MEMORY_POLL = 0.5
_PREFIX = "whowrote-scan-"
_OWNER = "owner"  # a file in the directory of a scan, locked by its process
_FRESH = 600.0  # seconds in which a directory without that file may be one that is being made
_BOM = b"\xef\xbb\xbf"
_PARSE_ERRORS = ("PartialParsing", "Syntax error", "Lexical error", "Other syntax error", "AST builder error")


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


@dataclass(frozen=True, slots=True)
class Target:
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


# --- finding it -------------------------------------------------------------------------------------------------------


def find_engine(path: str = "") -> Engine:
    """The scanner at `path`, else that of the environment, beside the interpreter, on the PATH. Raises EngineMissing."""
    program = _locate(path)
    return Engine(program, _version(program))


def _locate(path: str) -> str:
    for name, source in ((path, "--semgrep"), (os.environ.get(ENVIRONMENT, ""), ENVIRONMENT)):
        if name:
            program = shutil.which(name)
            if program is None:
                raise EngineMissing(f"{source} names {name}, which is not a program", "Use the path of the semgrep executable")
            return program
    beside = Path(sys.executable).parent / (_NAME + (".exe" if os.name == "nt" else ""))
    program = shutil.which(str(beside)) or shutil.which(_NAME)
    if program is None:
        raise EngineMissing(
            "scanning needs semgrep, which is not installed",
            "Install it with: pip install 'whowrote[scan]', or separately: pipx install semgrep\n"
            f"To use another one: --semgrep PATH, or the variable {ENVIRONMENT}",
        )
    return program


def _version(program: str) -> str:
    """That of the package beside the interpreter as installed; any other program is asked, which takes two seconds."""
    if Path(program) == Path(sys.executable).parent / _NAME:
        with contextlib.suppress(metadata.PackageNotFoundError):
            return metadata.version(_NAME)
    with _scratch_directory() as home:
        command = [program, "--version", "--disable-version-check"]
        try:
            done = subprocess.run(command, capture_output=True, cwd=home, env=_environment(home), timeout=120, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineMissing(f"{program} cannot be run: {error}", "Use another semgrep: --semgrep PATH") from error
    number = re.search(rb"(\d+\.\d+[\w.]*)", done.stdout)
    if done.returncode or number is None:
        complaint = done.stderr.decode("utf-8", "replace").strip()[-200:]
        raise EngineMissing(f"{program} does not print its version: {complaint}", "Use another semgrep: --semgrep PATH")
    return number[1].decode("ascii")


def _environment(home: Path) -> dict[str, str]:
    """Nothing of the caller's settings; nothing sent anywhere."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    directories = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), str(home))
    return inherited | directories | {
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "SEMGREP_SEND_METRICS": "off",
        "SEMGREP_ENABLE_VERSION_CHECK": "0",
        "SEMGREP_SETTINGS_FILE": str(home / "settings.yml"),
        "SEMGREP_LOG_FILE": str(home / "semgrep.log"),
    }  # fmt: skip


# --- directories ------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _scratch_directory() -> Iterator[Path]:
    """A directory for one scan, gone afterwards with every process in it."""
    sweep()
    try:
        directory = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
        lock = os.open(directory / _OWNER, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise _no_scratch_directory(error) from error
    try:
        if sys.platform != "win32":
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield directory
    finally:
        _clear(directory)
        os.close(lock)


def _no_scratch_directory(error: OSError) -> EngineFailed:
    return EngineFailed(
        f"cannot write files for the scanner to {tempfile.gettempdir()}: {error.strerror or error}",
        "Free some space there, or set TMPDIR to another directory. Finished scans are kept.",
    )


def sweep() -> None:
    """Removes what scans that were killed have left."""
    if sys.platform == "win32":
        return
    for directory in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):
            about = directory.lstat()
            if stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not _is_owned(directory):
                _clear(directory.resolve())


def _is_owned(directory: Path) -> bool:
    """Whether the scan of a directory still lives."""
    if sys.platform == "win32":
        return True
    try:
        lock = os.open(directory / _OWNER, os.O_RDWR)
    except FileNotFoundError:
        return time.time() - directory.lstat().st_mtime < _FRESH
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def _clear(directory: Path) -> None:
    """Ends what is at work in a directory, where the system tells, and removes it."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            if int(entry.name) != os.getpid() and (entry / "cwd").readlink().is_relative_to(directory):
                os.kill(int(entry.name), signal.SIGKILL)
    shutil.rmtree(directory, ignore_errors=True)


# --- scanning ---------------------------------------------------------------------------------------------------------


def scan(
    engine: Engine,
    rules: RuleSet,
    targets: Iterable[Target],
    jobs: int = 1,
    limits: ScanLimits = ScanLimits(),  # noqa: B008 (immutable)
    complain: Callable[[str], None] = lambda text: None,
) -> Generator[list[Scanned], None, None]:
    """What became of the targets, portion by portion as runs end.

    `complain` is told of runs that were ended or crashed. Raises EngineFailed when a run without any text fails as well.
    """
    with _scratch_directory() as directory:
        scanner = _Scanner(engine, rules.text, limits, complain, directory)
        try:
            yield from scanner.run(_shards(targets, limits), max(1, jobs))
        finally:
            scanner.stop()


@dataclass(slots=True)
class _Shard:
    """Texts of one run. `alone`: a slow text, with longer limits."""

    targets: list[Target]
    alone: bool = False


def _shards(targets: Iterable[Target], limits: ScanLimits) -> Iterator[_Shard]:
    portion: list[Target] = []
    size = 0
    for target in targets:
        if portion and (len(portion) >= limits.targets or size + len(target.data) > limits.size):
            yield _Shard(portion)
            portion, size = [], 0
        portion.append(target)
        size += len(target.data)
    if portion:
        yield _Shard(portion)


@dataclass(slots=True)
class _Scanner:
    """Runs at work, and what must be tried again."""

    engine: Engine
    rules: str  # the file of rules
    limits: ScanLimits
    complain: Callable[[str], None]
    directory: Path
    running: list[_Run] = field(default_factory=list)
    again: list[_Shard] = field(default_factory=list)
    slow: list[Target] = field(default_factory=list)
    succeeded: bool = False  # some run has
    remarks: set[str] = field(default_factory=set)

    def run(self, shards: Iterator[_Shard], jobs: int) -> Iterator[list[Scanned]]:
        while True:
            while len(self.running) < jobs and (shard := self._next(shards)) is not None:
                self.running.append(_Run(self, shard))
            if not self.running:
                return
            has_ended = [run for run in self.running if run.has_ended()]
            if not has_ended:
                time.sleep(_POLL)
            for run in has_ended:
                self.running.remove(run)
                if done := self._finish(run):
                    yield done

    def _next(self, shards: Iterator[_Shard]) -> _Shard | None:
        if self.again:
            return self.again.pop()
        shard = next(shards, None)
        return _Shard([self.slow.pop()], alone=True) if shard is None and self.slow else shard

    def _finish(self, run: _Run) -> list[Scanned]:
        outcome = run.result()
        if isinstance(outcome, str):
            self.complain(f"{len(run.shard.targets)} texts: {outcome}")
            return self._split(run.shard, outcome)
        self.succeeded = True
        for remark in dict.fromkeys(run.remarks):
            if remark not in self.remarks:
                self.remarks.add(remark)
                self.complain(remark)
        if run.shard.alone:
            return outcome
        self.slow += [scanned.target for scanned in outcome if scanned.failed_rules]
        return [scanned for scanned in outcome if not scanned.failed_rules]

    def _split(self, shard: _Shard, why: str) -> list[Scanned]:
        if len(shard.targets) > 1:
            middle = len(shard.targets) // 2
            self.again += [_Shard(shard.targets[:middle], shard.alone), _Shard(shard.targets[middle:], shard.alone)]
            return []
        if not self.succeeded:
            self._test()
        return [Scanned(shard.targets[0], ScanStatus.TIMEOUT if why.startswith("time") else ScanStatus.FAILED)]

    def _test(self) -> None:
        """When not even an empty text can be scanned, the fault is not the texts'."""
        run = _Run(self, _Shard([Target("0" * 40, "py", b"\n")]))
        while not run.has_ended():
            time.sleep(_POLL)
        outcome = run.result()
        if isinstance(outcome, str):
            raise EngineFailed(
                f"{self.engine.path} fails on every file: {outcome}", "Run it yourself: semgrep scan --config RULES FILE"
            )
        self.succeeded = True

    def stop(self) -> None:
        for run in self.running:
            run.end()
        self.running.clear()


class _Run:
    """One process and its directory."""

    def __init__(self, scanner: _Scanner, shard: _Shard) -> None:
        self.shard, self._limits = shard, scanner.limits
        self._directory = Path(tempfile.mkdtemp(dir=scanner.directory))
        self._scanned = {f"targets/{target_path(t.blob, t.suffix)}": Scanned(t) for t in shard.targets}
        self._trouble = ""
        self.remarks: list[str] = []  # about the rules, not about a text
        self._looked = 0.0
        try:
            self._process = self._start(scanner.engine, scanner.rules)
        except OSError as error:
            raise _no_scratch_directory(error) from error
        self._started = time.monotonic()

    def _start(self, engine: Engine, rules: str) -> subprocess.Popen[bytes]:
        here = self._directory
        for path, scanned in self._scanned.items():
            file = here / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(scanned.target.data.removeprefix(_BOM))
        (here / "targets" / ".semgrepignore").touch()
        (here / ".semgrepignore").touch()
        (here / "rules.json").write_text(rules, "ascii")
        alone = self.shard.alone
        command = [
            engine.path, "scan", "--metrics=off", "--disable-version-check", "--json", "--quiet", "--jobs=1", "--disable-nosem",
            "--no-git-ignore", "--no-rewrite-rule-ids", "--max-target-bytes=0",
            f"--timeout={self._limits.alone if alone else self._limits.rule}", f"--timeout-threshold={0 if alone else 3}",
            f"--config={here / 'rules.json'}", "targets",
        ]  # fmt: skip
        environment = _environment(here)
        with (here / "out").open("wb") as out, (here / "errors").open("wb") as errors:
            try:
                return subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, cwd=here, env=environment, start_new_session=True
                )
            except OSError as error:
                raise EngineMissing(f"{engine.path} cannot be run: {error}", "Use another semgrep: --semgrep PATH") from error

    def has_ended(self) -> bool:
        """Looks after the process: ends it when it breaks a limit."""
        if self._process.poll() is not None:
            return True
        now = time.monotonic()
        allowed = self._limits.seconds(sum(len(t.data) for t in self.shard.targets)) * (4 if self.shard.alone else 1)
        if now - self._started > allowed:
            self._trouble = f"time limit of {allowed:.0f} s"
        elif now - self._looked > _MEMORY_POLL:
            self._looked = now
            if memory_of(self._process.pid) > self._limits.memory:
                self._trouble = f"memory limit of {self._limits.memory / 1e6:.0f} MB"
        if self._trouble:
            self._kill()
        return bool(self._trouble)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Nobody waits for it any more."""
        self._kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    def result(self) -> list[Scanned] | str:
        """Results in the order of the targets, or what went wrong."""
        try:
            self._kill()  # children that outlived it
            return self._trouble or self._read()
        finally:
            shutil.rmtree(self._directory, ignore_errors=True)

    def _read(self) -> list[Scanned] | str:
        try:
            # Valid JSON is success, whatever the exit code: 2 and 3 still come with results.
            answer = json.loads((self._directory / "out").read_bytes())
            results, errors, paths = answer["results"], answer["errors"], answer["paths"]["scanned"]
        except (ValueError, KeyError, TypeError):
            tail = (self._directory / "errors").read_bytes()[-300:].decode("utf-8", "replace").strip().split("\n")[-1]
            return f"exit code {self._process.returncode}, no result: {tail}"
        for result in results:
            entry = self._scanned.get(_path(result.get("path")))
            if entry is not None:
                entry.matches.append(_match(result, entry.target.data))
        for error in errors:
            entry = self._scanned.get(_path(error.get("path")))
            if entry is not None:
                _note_error(entry, error)
            elif error.get("level") == "error":  # about no text: a rule that cannot be parsed
                self.remarks.append(" ".join(str(error.get("message") or error.get("type")).split())[:300])
        reached = set(map(_path, paths))
        for path, entry in self._scanned.items():
            if path not in reached and entry.status == ScanStatus.OK and not entry.failed_rules:
                entry.status = ScanStatus.FAILED
        return list(self._scanned.values())


def _path(name: object) -> str:
    return str(name or "").replace("\\", "/")


def _match(result: Mapping[str, Any], data: bytes) -> RuleMatch:
    shift = len(_BOM) if data.startswith(_BOM) else 0
    start, end = result["start"], result["end"]
    return RuleMatch(str(result["check_id"]), start["line"], end["line"], start["offset"] + shift, end["offset"] + shift)


def _note_error(scanned: Scanned, error: Mapping[str, Any]) -> None:
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
