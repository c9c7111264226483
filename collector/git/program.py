"""The adapter for the git program.

A repository that we analyse may be hostile: its configuration, hooks, attributes and promisor
remotes can name programs to run. Git therefore never opens it. It opens an empty bare directory of
ours, whose only link to the repository is the directory of its objects (`objects/info/alternates`),
and is told commits by id. Nothing is ever written to the repository, only to one that the user
named for that.

`own_git` alone opens a repository: for a person who asks their own `git blame` through us.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Self

from collector.errors import WhoWroteError
from collector.json_values import Texts
from collector.limits import REFS_BYTES

if sys.platform == "linux":
    import fcntl

_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH")
_SETTINGS = (
    "core.quotePath=false",
    "core.commitGraph=false",  # a forged one could invent a history
    "core.fsmonitor=false",
    "diff.renames=false",
    "diff.algorithm=myers",
    "diff.indentHeuristic=true",
    "gc.auto=0",
    "pack.deltaCacheSize=16m",
    "core.packedGitLimit=256m",
)
# The clone's own commit-graph, for answers about one file that nothing is computed from: its
# filters of changed paths halve the time of `git blame`. Whoever can forge it can forge the packs
# beside it, whose hashes git does not check either.
COMMIT_GRAPH = ("core.commitGraph=true", "commitGraph.readChangedPaths=true")
_FOR_LIBRARIES = (
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.bigFileThreshold=1m",  # larger files have no text diff
)
_CHUNK = 1 << 20
_TABLES = "tables.list"  # of a reftable
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitFailed(WhoWroteError):
    """The git program is absent or ended with an error, for example at an object that the clone
    does not have.
    """


@contextmanager
def git_found() -> Iterator[None]:
    """Around the start of a git command. Raises GitFailed when there is no git."""
    try:
        yield
    except OSError as error:
        raise GitFailed(f"git cannot be run: {error}", "Install git 2.30 or newer") from error


class ScratchGit:
    """Runs reading git commands on the objects of one repository. Use it in a `with` statement."""

    def __init__(
        self,
        objects: Path,
        shallow: Sequence[str] = (),
        sha256: bool = False,
        reftable: Path | None = None,
        beside: Path | None = None,
    ) -> None:
        """`objects`: the repository's object directory; `shallow`: the commits at which a shallow
        clone ends; `reftable`: the directory of its refs, where they are to be seen (they are
        copied); `beside`: another directory of objects."""
        self.directory = Path(tempfile.mkdtemp(prefix="whowrote-git-"))
        self._objects = [objects.resolve(), *([beside] if beside is not None else [])]
        self._shallow = tuple(shallow)
        self._lay_out(sha256, reftable)
        self._running: list[GitStream] = []

    def _lay_out(self, sha256: bool, reftable: Path | None) -> None:
        info = self.directory / "objects" / "info"
        info.mkdir(parents=True)
        (self.directory / "refs").mkdir()
        (self.directory / "HEAD").write_text("ref: refs/heads/none\n")
        extended = sha256 or reftable is not None
        lines = [
            "[core]",
            "\trepositoryformatversion = " + ("1" if extended else "0"),
            "\tbare = true",
            "[extensions]",
        ]
        if sha256:
            lines.append("\tobjectformat = sha256")
        if reftable is not None:
            lines.append("\trefstorage = reftable")
            _copy_tables(reftable, self.directory / "reftable")
        (self.directory / "config").write_text("\n".join(lines) + "\n")
        names = [_quote(os.fsencode(objects)) + b"\n" for objects in self._objects]
        (info / "alternates").write_bytes(b"".join(names))
        if self._shallow:
            (self.directory / "shallow").write_text("".join(f"{sha}\n" for sha in self._shallow))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends what still runs and removes the directory."""
        for stream in self._running:
            stream.close()
        self._running.clear()
        shutil.rmtree(self.directory, ignore_errors=True)

    def output(
        self, args: Sequence[str], stdin: bytes = b"", settings: Sequence[str] = ()
    ) -> bytes:
        """All that a command prints. Raises GitFailed."""
        stream = self.stream(args, stdin, settings)
        data = stream.lines.read()
        if stream.has_failed():
            raise GitFailed(f"git {args[0]} failed: {stream.complaint()}")
        return data

    def _command(self, settings: Sequence[str]) -> list[str]:
        command = [
            "git",
            f"--git-dir={self.directory}",
            "--no-pager",
            "--literal-pathspecs",
            "--no-replace-objects",
        ]
        for setting in (*_SETTINGS, *settings):
            command += ["-c", setting]
        return command

    def _start(
        self, args: Sequence[str], settings: Sequence[str] = (), **pipes: Any
    ) -> subprocess.Popen[bytes]:
        with git_found():
            return subprocess.Popen(
                [*self._command(settings), *args],
                stdout=subprocess.PIPE,
                cwd=self.directory,
                env=clean_environment(self.directory),
                **pipes,
            )

    def talking(self, args: Sequence[str]) -> subprocess.Popen[bytes]:
        """Starts a command that answers what is written to it; whoever asks ends it."""
        return self._start(args, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def stream(
        self, args: Sequence[str], stdin: bytes = b"", settings: Sequence[str] = ()
    ) -> GitStream:
        """Starts a command; `stdin` is handed over as a file, so that neither side waits for the
        other.
        """
        with ExitStack() as failing, tempfile.TemporaryFile() as input_file:
            errors = failing.enter_context(tempfile.TemporaryFile())
            input_file.write(stdin)
            input_file.seek(0)
            # it has its own handles
            process = self._start(args, settings, stdin=input_file, stderr=errors, bufsize=_CHUNK)
            failing.pop_all()  # the stream closes it
        # a larger pipe, where the system has that: fewer turns between git and us
        if sys.platform == "linux" and process.stdout is not None:
            with suppress(OSError):
                fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, _CHUNK)
        stream = GitStream(process, errors)
        self._running = [s for s in self._running if not s.closed]
        self._running.append(stream)
        return stream


class ObjectReader:
    """Objects of a repository by id, from git processes that stay until they are no longer needed.

    An object that is absent or damaged is None.
    """

    def __init__(self, git: ScratchGit) -> None:
        self._git = git
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._process = os.getpid()

    def read(self, oid: str) -> tuple[str, bytes] | None:
        """(kind, content)."""
        answer = self._ask("--batch", oid)
        if answer is None:
            return None
        kind, size, process = answer
        assert process.stdout is not None
        data = process.stdout.read(size + 1)  # and a newline
        if len(data) <= size:
            self._end("--batch")
            return None
        return kind, data[:-1]

    def header(self, oid: str) -> tuple[str, int] | None:
        """(kind, size in bytes)."""
        answer = self._ask("--batch-check", oid)
        if answer:
            return answer[:2]
        return None

    def _ask(self, how: str, oid: str) -> tuple[str, int, subprocess.Popen[bytes]] | None:
        if not _OID.fullmatch(oid):
            return None
        if self._process != os.getpid():  # a fork: these answers are the parent's
            self._running = {}
            self._process = os.getpid()
        process = self._running.get(how)
        if process is None:
            process = self._running[how] = self._git.talking(["cat-file", how])
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):
            process.stdin.write(oid.encode("ascii") + b"\n")
            process.stdin.flush()
        words = process.stdout.readline(1000).split()
        if not words:  # git gave up at a damaged object
            self._end(how)
        if len(words) == 3:
            return (words[1].decode(), int(words[2]), process)
        return None

    def _end(self, how: str) -> None:
        process = self._running.pop(how)
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        process.wait()

    def close(self) -> None:
        """Ends the processes and removes their directory."""
        if self._process == os.getpid():
            for how in list(self._running):
                self._end(how)
            self._git.close()


def _copy_tables(source: Path, target: Path) -> None:
    """The files of a reftable; no links, nothing else that may lie there."""
    target.mkdir()
    size = 0
    if source.is_dir():
        for path in sorted(source.iterdir()):
            about = path.lstat()
            if not stat.S_ISREG(about.st_mode) or not (
                path.name == _TABLES or path.suffix == ".ref"
            ):
                continue
            size += about.st_size
            if size > REFS_BYTES:
                raise GitFailed(f"the reftable in {source} has more than {REFS_BYTES >> 20} MiB")
            shutil.copyfile(path, target / path.name, follow_symlinks=False)


def reftable_refs(objects: Path, shared: Path, worktree: Path, sha256: bool = False) -> Texts:
    """Name -> object id of the refs in the reftable of a repository, symbolic refs resolved; HEAD
    as `ref: NAME` where it is one.

    `shared`: directory of the reftable of all worktrees; `own`: of the worktree's own, the same in
    a main one. Raises GitFailed, also where git is older than 2.45 and knows no reftable.
    """
    with ScratchGit(objects, sha256=sha256, reftable=shared) as git:
        listed = git.output(["for-each-ref", "--format=%(objectname) %(refname)"])
    refs = {
        os.fsdecode(name): oid.decode()
        for line in listed.splitlines()
        for oid, _, name in [line.partition(b" ")]
    }
    with ScratchGit(objects, sha256=sha256, reftable=worktree) as git:
        try:
            refs["HEAD"] = "ref: " + os.fsdecode(git.output(["symbolic-ref", "HEAD"]).strip())
        except GitFailed:  # it names a commit, or nothing
            with suppress(GitFailed):
                refs["HEAD"] = git.output(["rev-parse", "--verify", "HEAD"]).decode().strip()
    return refs


_UNARMED = (
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=" + os.devnull),
)


def own_git(
    settings: Sequence[str], words: Sequence[str], stdin: bytes = b""
) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of `git SETTINGS WORDS`, in the current directory and with the
    user's configuration.

    What this may name to be run is not: no filter, hook, monitor or pager; nothing is fetched or
    written.
    """
    environment = {
        **os.environ,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        with git_found():
            return subprocess.run(
                ["git", *_UNARMED, *arguments],
                input=stdin,
                capture_output=True,
                check=False,
                env=environment,
            )

    named = run(*settings, "config", "-z", "--name-only", "--get-regexp", r"^filter\.")
    off = [f"{os.fsdecode(name)}=" for name in named.stdout.split(b"\0") if name]
    off = [each + "false" if each.lower().endswith(".required=") else each for each in off]
    filters = [word for each in off for word in ("-c", each)]
    done = run(*settings, *filters, *words)
    return done.returncode, done.stdout, done.stderr


def hand_to_git(words: Sequence[str]) -> int:
    """Runs the user's git command as it is, and returns its exit code."""
    with git_found():
        code = subprocess.call(["git", *words])
    return code if code >= 0 else 128 - code  # as a shell says that a signal ended it


def clean_environment(home: Path) -> Texts:
    """Nothing of the caller's git: no configuration, no hooks, no prompts, no network."""
    variables = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return variables | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PROTOCOL_FROM_USER": "0",
        "GIT_ALLOW_PROTOCOL": "none",
    }


def own_copy(directory: Path) -> Path:
    """A scratch directory like the one of a ScratchGit, inside it and removed with it, for a
    library that runs git by itself.

    Each process needs its own: such a library may write to the configuration. Our settings, which
    it would not name on its command lines, are in that configuration. The process must have
    `clean_environment(copy)`.
    """
    copy = Path(tempfile.mkdtemp(prefix="copy-", dir=directory))
    shutil.copytree(directory, copy, ignore=shutil.ignore_patterns("copy-*"), dirs_exist_ok=True)
    with (copy / "config").open("a") as config:
        for setting in (*_SETTINGS, *_FOR_LIBRARIES):
            name, _, value = setting.partition("=")
            section, key = name.split(".")
            config.write(f"[{section}]\n\t{key} = {value}\n")
    return copy


class GitStream:
    """One running command."""

    def __init__(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        assert process.stdout is not None
        self.lines = process.stdout  # what it prints
        self._process = process
        self._errors = errors
        self._complaint = ""
        self.closed = False

    def has_failed(self) -> bool:
        """To be asked at the end of the output: did the command end with an error?"""
        status = self._process.wait()
        self.close()
        return status != 0

    def complaint(self) -> str:
        """The last line that the command wrote to its error output."""
        return self._complaint

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        if self._process.poll() is None:
            self._process.kill()
        self.lines.close()
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read(4000).decode("utf-8", "replace").strip().splitlines()
        self._complaint = lines[-1] if lines else ""
        self._errors.close()


def _quote(path: bytes) -> bytes:
    """A line of the alternates file: as it is, or in C quotes when it could be misread."""
    plain = not re.search(rb'["\\\n]', path) and not path.startswith(b"#")
    if plain:
        return path
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


# --- repositories that were named for writing -----------------------------------------------------


def import_repository(directory: Path, stream: bytes) -> None:
    """A new bare repository of our own from a fast-import stream. Raises GitFailed."""
    _run_git(
        directory,
        ["init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(directory)],
    )
    _run_git(directory, ["fast-import", "--quiet", "--force"], stream)


def write_files(directory: Path, ref: str, files: Mapping[str, bytes], parent: str) -> None:
    """A commit of exactly these files on a ref of a repository that the user named for it.

    Raises GitFailed; runs no hook.
    """
    _run_git(directory, ["fast-import", "--quiet"], _commit_stream(ref, files, parent))


def _run_git(directory: Path, args: Sequence[str], data: bytes = b"") -> None:
    command = ["git", f"--git-dir={directory}", "-c", f"core.hooksPath={os.devnull}", *args]
    with git_found():
        done = subprocess.run(
            command, input=data, capture_output=True, env=clean_environment(directory), check=False
        )
    if done.returncode:
        raise GitFailed(
            f"git {args[0]} failed: {done.stderr.decode('utf-8', 'replace')[:300]}",
            "Nothing was written",
        )


def _commit_stream(ref: str, files: Mapping[str, bytes], parent: str) -> bytes:
    """A fast-import stream. The names of the files must need no quotes."""
    message = b"Notes added by whowrote\n"
    parts = [
        b"commit %s\ncommitter whowrote <whowrote@localhost> %d +0000\ndata %d\n%s"
        % (os.fsencode(ref), time.time(), len(message), message)
    ]
    if parent:
        parts.append(b"from %s\n" % parent.encode("ascii"))
    parts.append(b"deleteall\n")
    parts.extend(
        b"M 100644 inline %s\ndata %d\n%s\n" % (os.fsencode(path), len(data), data)
        for path, data in sorted(files.items())
    )
    return b"".join(parts)


def gh_token(host: str, environment: Mapping[str, str]) -> str | None:
    """What `gh auth token` prints for a host; None without the program or when nobody is logged
    in.
    """
    command = ["gh", "auth", "token", "--hostname", host]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            env=dict(environment),
            check=False,
            timeout=10,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace").strip() or None
    return None
