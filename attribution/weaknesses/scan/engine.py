"""The adapter for semgrep, which runs as a program because it has no API. Only this module and git's start programs.

Texts of other people are laid into a directory of ours under names of ours (the ids of their blobs), so that nothing they chose is
on a command line; an empty `.semgrepignore` there keeps the built-in list of ignored paths away. Nothing is asked of the network:
without `--disable-version-check` a call that finds none waits for 98 seconds. One single-job process a core: `-j 2` costs a third
more.

A run has limits of time and memory. One that breaks them, or crashes, is ended with all its children and its texts are tried
again in halves, until the one that did it is alone.

Everything lies in one directory per scan, which is locked as long as the scan lives. The next scan removes what one that was killed
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
from collector.errors import WhoWroteError

if sys.platform != "win32":
    import fcntl

ENVIRONMENT = "WHOWROTE_SEMGREP"
_NAME = "semgrep"
_KEPT = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")
_POLL = 0.05  # seconds between looks at the running scans
_MEMORY_POLL = 0.5
_PREFIX = "whowrote-scan-"
_OWNER = "owner"  # a file in the directory of a scan, locked by its process
_FRESH = 600.0  # seconds in which a directory without that file may be one that is being made
BOM = b"\xef\xbb\xbf"


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


@dataclass(frozen=True, slots=True)
class Engine:
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
    status: str = "ok"  # ok | partial | timeout | failed
    matches: list[RuleMatch] = field(default_factory=list)
    failed_rules: list[str] = field(default_factory=list)


# --- finding it -------------------------------------------------------------------------------------------------------


def locate(given: str = "") -> str:
    """The executable: as given, of the environment, beside the interpreter, on the PATH. Raises EngineMissing."""
    for name, source in ((given, "--semgrep"), (os.environ.get(ENVIRONMENT, ""), ENVIRONMENT)):
        if name:
            path = shutil.which(name)
            if path is None:
                raise EngineMissing(f"{source} names {name}, which is not a program", "Use the path of the semgrep executable")
            return path
    beside = Path(sys.executable).parent / (_NAME + (".exe" if os.name == "nt" else ""))
    path = shutil.which(str(beside)) or shutil.which(_NAME)
    if path is None:
        raise EngineMissing(
            "scanning needs semgrep, which is not installed",
            "Install it with: pip install 'whowrote[scan]', or separately: pipx install semgrep\n"
            f"To use another one: --semgrep PATH, or the variable {ENVIRONMENT}",
        )
    return path


def stamp(path: str) -> str:
    """Changes when the executable does."""
    found = Path(path).stat()
    return f"{found.st_size} {found.st_mtime_ns}"


def version(path: str) -> str:
    """Of the package beside the interpreter as installed, else by asking, which takes seconds. Raises EngineMissing."""
    if Path(path) == Path(sys.executable).parent / _NAME:
        with contextlib.suppress(metadata.PackageNotFoundError):
            return metadata.version(_NAME)
    with _scratch_directory() as home:
        try:
            done = subprocess.run(
                [path, "--version", "--disable-version-check"],
                capture_output=True,
                cwd=home,
                env=_environment(home),
                timeout=120,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineMissing(f"{path} cannot be run: {error}", "Use another semgrep: --semgrep PATH") from error
    found = re.search(rb"(\d+\.\d+[\w.]*)", done.stdout)
    if done.returncode or found is None:
        said = done.stderr.decode("utf-8", "replace").strip()[-200:]
        raise EngineMissing(f"{path} does not print its version: {said}", "Use another semgrep: --semgrep PATH")
    return found[1].decode("ascii")


def _environment(home: Path) -> dict[str, str]:
    """Nothing of the caller's settings; nothing sent anywhere."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "HOME": str(home),
        "TMPDIR": str(home),
        "TEMP": str(home),
        "TMP": str(home),
        "XDG_CONFIG_HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "SEMGREP_SEND_METRICS": "off",
        "SEMGREP_ENABLE_VERSION_CHECK": "0",
        "SEMGREP_SETTINGS_FILE": str(home / "settings.yml"),
        "SEMGREP_LOG_FILE": str(home / "semgrep.log"),
    }


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
            found = directory.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not _is_owned(directory):
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


def shards(targets: Iterable[Target], limits: ScanLimits) -> Iterator[list[Target]]:
    """Targets in portions for one run each."""
    portion: list[Target] = []
    size = 0
    for target in targets:
        if portion and (len(portion) >= limits.targets or size + len(target.data) > limits.size):
            yield portion
            portion, size = [], 0
        portion.append(target)
        size += len(target.data)
    if portion:
        yield portion


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
        scanner = _Scanner(engine, rules, jobs, limits, complain, directory)
        try:
            yield from scanner.run(shards(targets, limits))
        finally:
            scanner.stop()


@dataclass(slots=True)
class _Shard:
    targets: list[Target]
    alone: bool = False  # slow texts: longer limits


class _Scanner:
    def __init__(
        self, engine: Engine, rules: RuleSet, jobs: int, limits: ScanLimits, complain: Callable[[str], None], directory: Path
    ) -> None:
        self._scratch_directory = directory
        self._engine, self._rules, self._jobs, self._limits, self._complain = engine, rules, max(1, jobs), limits, complain
        self._running: list[_Run] = []
        self._again: list[_Shard] = []
        self._slow: list[Target] = []
        self._good = False  # some run has succeeded
        self._told: set[str] = set()

    def run(self, portions: Iterator[list[Target]]) -> Iterator[list[Scanned]]:
        while True:
            while len(self._running) < self._jobs and (shard := self._next(portions)) is not None:
                self._running.append(_Run(self._engine, self._rules, shard, self._limits, self._scratch_directory))
            if not self._running:
                return
            ended = [run for run in self._running if run.ended()]
            if not ended:
                time.sleep(_POLL)
                continue
            for run in ended:
                self._running.remove(run)
                done = self._finish(run)
                if done:
                    yield done

    def _next(self, portions: Iterator[list[Target]]) -> _Shard | None:
        if self._again:
            return self._again.pop()
        portion = next(portions, None)
        if portion is not None:
            return _Shard(portion)
        if self._slow:
            return _Shard([self._slow.pop()], alone=True)
        return None

    def _finish(self, run: _Run) -> list[Scanned]:
        shard = run.shard
        outcome = run.result()
        if isinstance(outcome, str):
            self._complain(f"{len(shard.targets)} texts: {outcome}")
            return self._halved(shard, outcome)
        self._good = True
        for remark in run.remarks:
            if remark not in self._told:
                self._told.add(remark)
                self._complain(remark)
        if shard.alone:
            return outcome
        done = []
        for scanned in outcome:
            if scanned.failed_rules:
                self._slow.append(scanned.target)
            else:
                done.append(scanned)
        return done

    def _halved(self, shard: _Shard, why: str) -> list[Scanned]:
        if len(shard.targets) > 1:
            middle = len(shard.targets) // 2
            self._again += [_Shard(shard.targets[:middle], shard.alone), _Shard(shard.targets[middle:], shard.alone)]
            return []
        if not self._good:
            self._test()
        return [Scanned(shard.targets[0], "timeout" if why.startswith("time") else "failed")]

    def _test(self) -> None:
        """Not even an empty text can be scanned: the fault is not the texts'."""
        probe = _Shard([Target("0" * 40, "py", b"\n")])
        run = _Run(self._engine, self._rules, probe, self._limits, self._scratch_directory)
        while not run.ended():
            time.sleep(_POLL)
        found = run.result()
        if isinstance(found, str):
            raise EngineFailed(
                f"{self._engine.path} fails on every file: {found}", "Run it yourself: semgrep scan --config RULES FILE"
            )
        self._good = True

    def stop(self) -> None:
        for run in self._running:
            run.end()
        self._running.clear()


class _Run:
    """One process and its directory."""

    def __init__(self, engine: Engine, rules: RuleSet, shard: _Shard, limits: ScanLimits, directory: Path) -> None:
        self.shard = shard
        self._limits = limits
        self._dir = Path(tempfile.mkdtemp(dir=directory))
        self._paths = [target_path(target.blob, target.suffix) for target in shard.targets]
        self._trouble = ""
        self.remarks: list[str] = []  # about the rules, not about a text
        self._looked = 0.0
        try:
            self._process = self._start(engine, rules.text)
        except OSError as error:
            raise _no_scratch_directory(error) from error
        self._started = time.monotonic()

    def _start(self, engine: Engine, rules: str) -> subprocess.Popen[bytes]:
        root = self._dir / "targets"
        for target, path in zip(self.shard.targets, self._paths, strict=True):
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(target.data.removeprefix(BOM))
        (root / ".semgrepignore").touch()
        (self._dir / ".semgrepignore").touch()
        (self._dir / "rules.json").write_text(rules, "ascii")
        command = [
            engine.path, "scan", "--metrics=off", "--disable-version-check", "--json", "--quiet", "--jobs=1", "--disable-nosem",
            "--no-git-ignore", "--no-rewrite-rule-ids", "--max-target-bytes=0", f"--timeout={self._rule_seconds()}",
            f"--timeout-threshold={0 if self.shard.alone else 3}", f"--config={self._dir / 'rules.json'}", "targets",
        ]  # fmt: skip
        with (self._dir / "out").open("wb") as out, (self._dir / "errors").open("wb") as errors:
            try:
                return subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=errors,
                    cwd=self._dir,
                    env=_environment(self._dir),
                    start_new_session=True,
                )
            except OSError as error:
                raise EngineMissing(f"{engine.path} cannot be run: {error}", "Use another semgrep: --semgrep PATH") from error

    def _rule_seconds(self) -> int:
        return self._limits.alone if self.shard.alone else self._limits.rule

    def ended(self) -> bool:
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
            return True
        return False

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
        shutil.rmtree(self._dir, ignore_errors=True)

    def result(self) -> list[Scanned] | str:
        """Results in the order of the targets, or what went wrong."""
        try:
            self._kill()  # children that outlived it
            if self._trouble:
                return self._trouble
            return self._read()
        finally:
            shutil.rmtree(self._dir, ignore_errors=True)

    def _read(self) -> list[Scanned] | str:
        try:
            # Valid JSON is success, whatever the exit code: 2 and 3 still come with results.
            said = json.loads((self._dir / "out").read_bytes())
            results, errors, scanned = said["results"], said["errors"], said["paths"]["scanned"]
        except (ValueError, KeyError, TypeError):
            tail = (self._dir / "errors").read_bytes()[-300:].decode("utf-8", "replace").strip().split("\n")[-1]
            return f"exit code {self._process.returncode}, no result: {tail}"
        by_path = {f"targets/{path}": Scanned(target) for path, target in zip(self._paths, self.shard.targets, strict=True)}
        for result in results:
            entry = by_path.get(_path(result))
            if entry is not None:
                entry.matches.append(_match(result, entry.target.data))
        for error in errors:
            if not _note(by_path, error) and error.get("level") == "error":
                self.remarks.append(" ".join(str(error.get("message") or error.get("type")).split())[:300])
        reached = {str(path).replace("\\", "/") for path in scanned}
        for path, entry in by_path.items():
            if path not in reached and entry.status == "ok" and not entry.failed_rules:
                entry.status = "failed"
        return list(by_path.values())


def _path(entry: Mapping[str, Any]) -> str:
    return str(entry.get("path") or "").replace("\\", "/")


def _match(result: Mapping[str, Any], data: bytes) -> RuleMatch:
    shift = len(BOM) if data.startswith(BOM) else 0
    start, end = result["start"], result["end"]
    return RuleMatch(str(result["check_id"]), start["line"], end["line"], start["offset"] + shift, end["offset"] + shift)


def _note(by_path: Mapping[str, Scanned], error: Mapping[str, Any]) -> bool:
    """One entry of `errors`. False when it is about no target: a rule that cannot be parsed."""
    scanned = by_path.get(_path(error))
    if scanned is None:
        return False
    kind = error.get("type")
    name = str(kind[0] if isinstance(kind, list) and kind else kind)
    if name in ("PartialParsing", "Syntax error", "Lexical error", "Other syntax error", "AST builder error"):
        scanned.status = "partial" if scanned.status == "ok" else scanned.status
    else:
        scanned.status = "timeout" if "Timeout" in name else "failed"
        rule = error.get("rule_id")
        if rule and str(rule) not in scanned.failed_rules:
            scanned.failed_rules.append(str(rule))
    return True


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
