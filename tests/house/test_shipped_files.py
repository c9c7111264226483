"""Files that other programs read: the container's recipe, the hook, the job for GitLab. Their
paths, extras and commands exist.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest

from attribution.cli import cli

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent.parent


def test_the_container_is_the_same_tomorrow_and_is_not_root() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    images = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert images and all(
        re.fullmatch(r"[a-z0-9:.-]+@sha256:[0-9a-f]{64}", image) for image in images
    )
    installed = re.findall(r"pip install (.+?)(?: &&|$| \\)", text, re.MULTILINE)
    assert installed and all(
        "--require-hashes" in command or "--no-deps" in command for command in installed
    )
    # git opens no repository that is analysed, so none has to be trusted
    assert "safe.directory" not in text
    assert text.index("USER whowrote") < text.index("ENTRYPOINT") and "\nUSER root" not in text
    assert ".git\n" not in (ROOT / ".dockerignore").read_text("utf-8").replace(".gitignore", "")


def test_the_hook_calls_a_command_that_exists() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    program, *path = hook["entry"].split()
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    assert program == "whowrote" and path
    assert {"id", "name", "entry", "language"} <= set(hook)


def test_the_job_for_gitlab_is_a_script_that_a_shell_reads() -> None:
    job: Any = yaml.safe_load((ROOT / "docs" / "examples" / "gitlab-ci.yml").read_text("utf-8"))[
        "who-wrote-it"
    ]
    script = "\n".join(job["script"])
    assert (
        subprocess.run(
            ["bash", "-n"], input=script, text=True, capture_output=True, check=False
        ).returncode
        == 0
    )
    called = set(re.findall(r"\bwhowrote ([a-z]+) ", script))
    assert called and called <= set(cli.commands)
    assert "--content none" in script and job["variables"]["GIT_DEPTH"] == "0"
