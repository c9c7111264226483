"""How the interactive programs of agents are started: settings that answer the questions of a first
start, and arguments.

Each function gets the start and whether the person wants to be asked before calls; `prompt` is not
used, since it is typed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from lab.agents import BY_NAME, KEY, Command, Start

REPOSITORY = "/home/dev/shop"


def _settings(start: Start, path: str, more: Mapping[str, Any]) -> None:
    """Adds to a JSON file of settings in the home."""
    target = start.home / path
    settings = json.loads(target.read_text("utf-8")) if target.exists() else {}
    start.put(path, {**settings, **more})


def _claude_code(start: Start, asked: bool, directory: str) -> Command:
    command = BY_NAME["claude-code"].start(start)
    known = json.loads((start.home / ".claude.json").read_text("utf-8"))
    trusted = {
        "hasTrustDialogAccepted": True,
        "hasCompletedProjectOnboarding": True,
        "projectOnboardingSeenCount": 5,
    }
    projects = known.get("projects", {})
    projects[directory] = {**projects.get(directory, {}), **trusted}
    answered = {
        "theme": "dark",
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": projects,
        "numStartups": 20,
    }
    _settings(start, ".claude.json", answered)
    arguments = [
        "--model",
        "claude-sonnet-4-5",
        *([] if asked else ["--dangerously-skip-permissions"]),
    ]
    if start.more:
        arguments += ["--resume", start.session] if start.session else ["--continue"]
    if start.more == "fork":
        arguments.append("--fork-session")
    return Command(arguments, command.environment)


def _codex(start: Start, asked: bool, directory: str) -> Command:
    command = BY_NAME["codex"].start(start)
    settings = (start.home / ".codex/config.toml").read_text("utf-8")
    trusted = f'[projects."{directory}"]\ntrust_level = "trusted"\n'
    notices = "[notice]\nhide_full_access_warning = true\nhide_rate_limit_model_nudge = true\n"
    start.put(".codex/config.toml", settings + trusted + notices)
    careful = ["--ask-for-approval", "on-request", "--sandbox", "read-only"]
    arguments = careful if asked else ["--dangerously-bypass-approvals-and-sandbox"]
    more = {"continue": ["resume", "--last"], "fork": ["fork", "--last"]}.get(start.more, [])
    return Command([*more, *arguments], command.environment)


def _gemini_cli(start: Start, asked: bool, directory: str) -> Command:
    command = BY_NAME["gemini-cli"].start(start)
    _settings(
        start,
        ".gemini/settings.json",
        {
            "ui": {"hideTips": True, "theme": "Default"},
            "ide": {"enabled": False, "hasSeenNudge": True},
            "security": {
                "auth": {"selectedType": "gemini-api-key"},
                "folderTrust": {"enabled": False},
            },
            "general": {
                "disableAutoUpdate": True,
                "enableAutoUpdate": False,
                "checkpointing": {"enabled": True},
            },
        },
    )
    arguments = [
        "-m",
        "gemini-2.5-pro",
        *([] if asked else ["--yolo"]),
        *start.when_continued("--resume", "latest"),
    ]
    return Command(arguments, command.environment)


def _opencode(start: Start, asked: bool, directory: str) -> Command:
    command = BY_NAME["opencode"].start(start)
    if asked:
        _settings(
            start, ".config/opencode/opencode.json", {"permission": {"edit": "ask", "bash": "ask"}}
        )
    return Command(start.when_continued("--continue"), command.environment)


INTERACTIVE: Mapping[str, Callable[[Start, bool, str], Command]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
    "opencode": _opencode,
}
# On the screen of an interface that waits for a prompt.
READY = {
    "claude-code": r"shift\+tab|\? for shortcuts",
    "codex": r"\? for shortcuts",
    "gemini-cli": r"Type your message",
    "opencode": r"ctrl\+p commands",
}
