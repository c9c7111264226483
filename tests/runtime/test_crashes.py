"""A library in machine code that crashes costs the repository that it read, by name, and no
program that asked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support import ROOT
from support.answers import column
from support.builder import import_stream
from support.commands import analyse, clone, run
from support.tasks import nest, work
from support.tasks_here import run_tasks

from attribution.ensure.clone import attributed_clone
from collector import load
from collector.errors import (
    EXIT_KILLED,
    DatabaseUnusable,
    WhoWroteError,
)
from collector.git.repository import GitRepo
from collector.runtime import runner, workers
from collector.runtime.workers import Task, TaskLimits, TaskResult
from collector.storage.store import Store

pytestmark = [
    pytest.mark.workers,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals"),
]
CRASH = """
import os, sys
COMMAND = 0 if "spawn_main" in " ".join(sys.orig_argv) else os.getpid()
class Crash:
    def find_spec(self, name, path, target=None):
        if name == "{module}" and os.getpid() != COMMAND:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Crash())
"""
CLIENT = {
    "protocolVersion": "2024-11-05",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}
ASKING = (
    {"method": "initialize", "id": 1, "params": CLIENT},
    {"method": "notifications/initialized"},
    {
        "method": "tools/call",
        "id": 2,
        "params": {"name": "who_wrote", "arguments": {"file": "birdlog/cli.py"}},
    },
    {"method": "tools/list", "id": 3},
)


def crash_in_workers(
    place: Path, monkeypatch: pytest.MonkeyPatch, module: str, number: int = signal.SIGSEGV
) -> None:
    """From now on a worker that imports this module dies, as it does when the module's code
    crashes. None begins with what this process has loaded.
    """
    monkeypatch.setattr(workers, "_has_one_thread", bool)
    (place / "sitecustomize.py").write_text(CRASH.format(module=module, number=int(number)))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(place), str(ROOT)]))


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
@pytest.mark.parametrize("command", ["repo", "blame"])
def test_a_crash_is_a_row_that_names_its_input_and_an_exit_code(
    command: str, number: signal.Signals, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [clone("example", tmp_path), *(["birdlog/cli.py"] if command == "blame" else [])]
    crash_in_workers(tmp_path, monkeypatch, "ahocorasick", number)
    done = run(command, *arguments, code=EXIT_KILLED, db=db)
    assert (
        f"killed by {number.name}" in " ".join(done.stderr.split())
        and "while reading checkpoints" in done.stderr
    )
    with Store(db) as store:
        (problem,) = store.rows(
            "SELECT subject, code, detail FROM problems WHERE stage = 'repository'"
        )
        assert (problem["subject"], problem["code"]) == ("example", "failed")
        assert number.name in problem["detail"]
    monkeypatch.delenv("PYTHONPATH")
    run(command, *arguments, db=db)
    with Store(db) as store:
        assert not store.rows("SELECT * FROM problems WHERE stage = 'repository'")


def test_the_input_that_kills_a_worker_is_named_and_that_of_an_earlier_task_is_not() -> None:
    tasks = [Task("1", ("die at its second input",)), Task("2", ("die",))]
    first, second = workers.run(work, tasks, 1, TaskLimits(attempts=1))
    assert first.error.endswith("while reading the second") and "while" not in second.error


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each worker loads the program")
def test_the_workers_of_a_worker_begin_with_what_it_has_loaded_and_end_when_idle() -> None:
    (done,) = workers.run(work, [Task("1", ("ask two workers",))], 1, TaskLimits())
    assert done.value == f"{['what the first one knows'] * 2} True"


def test_a_process_with_another_thread_is_not_copied() -> None:
    with ThreadPoolExecutor() as pool:
        assert not pool.submit(workers._has_one_thread).result()


def test_a_session_is_named_before_it_is_read(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[str] = []
    monkeypatch.setattr(load, "note_input", noted.append)
    monkeypatch.setattr(runner, "run", run_tasks)
    analyse(clone("example", tmp_path), db)
    keys = set(column(db, "SELECT key FROM sessions"))
    assert set(noted) == {f"reading session {key}" for key in keys}


def test_a_server_answers_after_a_crash(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp")
    crash_in_workers(tmp_path, monkeypatch, "ahocorasick")
    command = [
        sys.executable,
        "-m",
        "whowrote",
        "serve",
        "mcp",
        str(clone("example", tmp_path)),
        "--db",
        str(db),
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.writelines(
            json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in ASKING
        )
        process.stdin.flush()
        answers = {
            answer["id"]: answer["result"]
            for answer in (json.loads(process.stdout.readline()) for _ in range(3))
        }
    assert answers[2]["isError"] and "SIGSEGV" in answers[2]["content"][0]["text"]
    assert {tool["name"] for tool in answers[3]["tools"]} >= {"who_wrote"}


def test_a_script_without_a_guard_asks_once(tmp_path: Path, db: Path) -> None:
    """Where a worker ran the script that starts it, as multiprocessing lets it, it would start
    workers itself.
    """
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, whowrote\nwith whowrote.open(*sys.argv[1:]) as db:\n   "
        " print(len(db.commits()), 'commits')\n"
    )
    command = [
        sys.executable,
        str(script),
        str(clone("example", tmp_path)),
        str(db),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "11 commits\n", "")


@pytest.mark.parametrize(("code", "kind"), [(5, DatabaseUnusable), (3, WhoWroteError)])
def test_what_a_task_raised_is_raised_where_it_was_asked_for(
    code: int, kind: type[WhoWroteError]
) -> None:
    with pytest.raises(kind, match="no room") as raised:
        TaskResult("1", error="no room", hint="make some", exit_code=code).raise_error()
    assert (raised.value.exit_code, raised.value.hint) == (code, "make some")
    TaskResult("1", value=7).raise_error()
    with pytest.raises(RuntimeError, match="KeyError: 1") as bug:
        TaskResult(
            "1", error="KeyError: 1", trace="Traceback of the worker", expected=False
        ).raise_error()
    assert bug.value.__notes__ == ["Traceback of the worker"]


def test_a_clone_without_records_is_attributed_where_it_was_asked_for(
    tmp_path: Path, db: Path
) -> None:
    plain = import_stream(
        b"commit refs/heads/main\ncommitter A <a@example.org> 1790000000 +0000\ndata 1\nx\n",
        tmp_path / "r",
    )
    with Store(db) as store:
        opened = attributed_clone(store, GitRepo(str(plain)), lambda text: None)
        assert (opened.head, opened.newer) == (opened.tip, ())


def test_workers_of_workers_of_workers_start() -> None:
    assert nest(3) == 3
