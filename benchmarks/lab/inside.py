"""The side of the lab within the namespaces: loopback alone, and the home of a developer at a neutral place.

    python -m lab.inside PLAN.json

Started by `lab.machine` with `unshare`. Mounts the home at /home/dev, starts the scripted model if the plan has a script, runs the
commands of the plan one after the other and says in `result.json` how they ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from lab.actions import Action, Style
from lab.mock import Model, serve

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
    others = [entry for entry in HOME.parent.iterdir() if entry.is_dir() and entry != HOME] if HOME.parent.exists() else []
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
                ["nice", *command["argv"]], cwd=command["cwd"], env=command["environment"], stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, timeout=command["timeout"], check=False,
            )  # fmt: skip
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = -1
    return {"name": stem, "status": status, "seconds": round(time.time() - started, 1)}


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    log = Path(plan["log"])
    log.mkdir(parents=True, exist_ok=True)
    raise_loopback()
    mount_home(plan["home"])
    os.umask(0o022)
    model = None
    if "script" in plan:
        script = {step: [[Action(**action) for action in response] for response in todo] for step, todo in plan["script"].items()}
        model = Model(
            script, Style(**plan["style"]), plan["run"], plan["directory"], log, plan.get("delay", 0.0), plan.get("used", 1000)
        )
        serve(model)
    results = [run(command, log) for command in plan["commands"]]
    if model is not None:
        time.sleep(0.5)  # what an agent still writes when it has said that it is done
        model.changed()
    (log / "result.json").write_text(json.dumps(results), "utf-8")


if __name__ == "__main__":
    main()
