"""The side of the lab within the namespaces: loopback alone, and the home of a developer at a
neutral place.

    python -m lab.inside PLAN.json

Started by `lab.machine` with `unshare`. Mounts the home at /home/dev, starts the scripted model if
the plan has a script, runs the commands of the plan one after the other and says in `result.json`
how they ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lab.actions import Action, Style
from lab.mock import Model, Turns, serve

HOME = Path("/home/dev")
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, _SIOCSIFFLAGS, struct.pack("16sH", b"lo", _IFF_UP))


def mount_home(home: str) -> None:
    """Puts `home` at /home/dev; what else is in /home stays where it is."""

    def mount(*arguments: str | Path) -> None:
        subprocess.run(["mount", *map(str, arguments)], check=True)

    mount("--make-rprivate", "/")
    others = (
        [entry for entry in HOME.parent.iterdir() if entry.is_dir() and entry != HOME]
        if HOME.parent.exists()
        else []
    )
    mount("-t", "tmpfs", "lab", "/mnt")
    Path("/mnt/home").mkdir()
    Path("/mnt/dev").mkdir()
    mount("--rbind", HOME.parent, "/mnt/home")
    mount("--bind", home, "/mnt/dev")
    mount("-t", "tmpfs", "lab", HOME.parent)
    for entry in others:
        entry.mkdir()
        mount("--rbind", Path("/mnt/home") / entry.name, entry)
    HOME.mkdir()
    mount("--bind", "/mnt/dev", HOME)


def run(command: dict[str, Any], log: Path) -> dict[str, Any]:
    started = time.time()
    stem = command["name"]
    with (log / f"{stem}.out").open("wb") as out, (log / f"{stem}.err").open("wb") as err:
        try:
            done = subprocess.run(
                ["nice", *command["argv"]],
                cwd=command["cwd"],
                env=command["environment"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                timeout=command["timeout"],
                check=False,
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = -1
    return {"name": stem, "status": status, "seconds": round(time.time() - started, 1)}


def run_in_terminal(command: dict[str, Any], terminal: int) -> dict[str, Any]:
    """The command with an inherited pseudo-terminal as its own; whoever has the other side
    presses the keys.
    """
    started = time.time()
    child = subprocess.Popen(
        ["nice", *command["argv"]],
        cwd=command["cwd"],
        env=command["environment"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0),
    )
    os.close(terminal)
    try:
        status = child.wait(command["timeout"])
    except subprocess.TimeoutExpired:
        child.kill()
        status = -1
    return {"name": command["name"], "status": status, "seconds": round(time.time() - started, 1)}


def settle_when_asked(model: Model) -> None:
    """A line of the input asks for the changes so far to be logged; a line of the output says
    that they are.
    """
    for _ in sys.stdin:
        model.settle()
        print("settled", flush=True)


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    log = Path(plan["log"])
    log.mkdir(parents=True, exist_ok=True)
    raise_loopback()
    mount_home(plan["home"])
    os.umask(0o022)
    model = None
    if "script" in plan:
        script = {
            step: [[Action(**action) for action in response] for response in todo]
            for step, todo in plan["script"].items()
        }
        model = Model(
            script,
            Style(**plan["style"]),
            plan["run"],
            plan["directory"],
            log,
            plan.get("delay", 0.0),
            plan.get("used", 1000),
            Turns(plan.get("together", 1)),
        )
        serve(model)
        if "terminal" in plan:
            threading.Thread(target=settle_when_asked, args=[model], daemon=True).start()
    *before, last = plan["commands"]
    if "together" in plan:
        with ThreadPoolExecutor() as pool:
            results = list(pool.map(lambda command: run(command, log), plan["commands"]))
    else:
        results = [run(command, log) for command in before]
        results.append(
            run_in_terminal(last, plan["terminal"]) if "terminal" in plan else run(last, log)
        )
    if model is not None:
        time.sleep(0.5)  # what an agent still writes when it has said that it is done
        model.changed()
    (log / "result.json").write_text(json.dumps(results), "utf-8")


if __name__ == "__main__":
    main()
