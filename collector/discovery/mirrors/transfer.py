"""Git commands that bring objects into our mirrors, from servers that may be hostile."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from collector.deadline import current
from collector.discovery.github.git_server import HTTP_AGENT
from collector.git.program import GitFailed, clean_environment, git_found

_POLL = 0.2  # seconds between two looks at a running transfer
_NETWORK = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
            "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO")  # fmt: skip
_TALKING = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.commitGraph=false",
    "credential.helper=",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "fetch.unpackLimit=1",  # a pack for each fetch: its growth can be watched, and a killed one leaves a single file behind
    "gc.auto=0",
    "maintenance.auto=false",
    "http.lowSpeedLimit=1000",  # bytes per second
    "http.lowSpeedTime=60",
    "protocol.version=2",
    f"http.userAgent={HTTP_AGENT}",
)


class Stopped(GitFailed):
    """A transfer that the watcher ended."""


@dataclass(frozen=True, slots=True)
class GitAccess:
    """What a git command is allowed, and with which settings."""

    protocols: Sequence[str] = ()  # these and no others
    settings: Sequence[str] = ()
    secrets: Sequence[tuple[str, str]] = ()  # settings that must not be seen in the list of processes


def talk(
    directory: Path,
    args: Sequence[str],
    access: GitAccess,
    *,
    stdin: bytes = b"",
    watch: Callable[[], str] = lambda: "",
    lock: int | None = None,
) -> bytes:
    """Runs a git command in a bare repository of ours; returns what it prints.

    `watch()` is asked five times a second for a reason to stop: then git and its helpers are killed, as they are at the
    deadline that holds. `lock` is a file descriptor
    that git keeps open as long as it runs, so that the lock outlives us if we are killed. Raises GitFailed with git's words,
    Stopped with the watcher's.
    """
    command = ["git", f"--git-dir={directory}", "--no-pager"]
    for setting in (*_TALKING, *access.settings):
        command += ["-c", setting]
    environment = clean_environment(directory) | {n: os.environ[n] for n in _NETWORK if n in os.environ}
    environment |= {"GIT_ALLOW_PROTOCOL": ":".join(access.protocols) or "none", "GIT_CONFIG_COUNT": str(len(access.secrets))}
    for number, (key, value) in enumerate(access.secrets):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    with tempfile.TemporaryFile() as input_file, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        input_file.write(stdin)
        input_file.seek(0)
        with git_found():
            process = subprocess.Popen(
                [*command, *args],
                stdin=input_file,
                stdout=output,
                stderr=errors,
                cwd=directory,
                env=environment,
                start_new_session=True,  # a group of its own: its helpers end with it
                restore_signals=False,  # a file that may not grow is an error in words, not the silent end of a helper
                pass_fds=() if lock is None else (lock,),
            )
        _attend(process, watch)
        errors.seek(0)
        complaint = errors.read(200_000).decode("utf-8", "replace")
        if process.returncode:
            raise GitFailed(_complaints(complaint) or f"git {args[0]} ended with code {process.returncode}")
        output.seek(0)
        return output.read()


def _attend(process: subprocess.Popen[bytes], watch: Callable[[], str]) -> None:
    """Waits for the end, or makes it."""
    reason, deadline = "", current()
    try:
        while not reason:
            try:
                process.wait(min(_POLL, deadline.seconds_left()))
                return
            except subprocess.TimeoutExpired:
                reason = watch() or (f"it took longer than {deadline.seconds:g} s" if deadline.has_passed else "")
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            _await_group(process.pid)
    raise Stopped(reason)


def _await_group(group: int) -> None:
    """Helpers of a killed command may take a moment to go; what they were writing must be at rest before it is tidied up."""
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(0.1)


def _complaints(output: str) -> str:
    """Git's complaints without its progress, the most telling ones first, on one line."""
    lines = [line.strip() for line in output.replace("\r", "\n").splitlines()]
    grave = [line for line in lines if line.startswith(("fatal:", "error:", "remote: ", "ERR "))]
    return "; ".join(dict.fromkeys(grave or [line for line in lines if line][-1:]))[:1000]
