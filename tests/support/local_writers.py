"""Every way in which agents keep sessions on a developer's machine, and who writes it for the
tests.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from collector.agents.machine.model import Machine
from support import local_layouts as layouts
from support import local_stores as stores
from support import local_threads as threads
from support.local_clone import AgentSession, Clone

Writer = Callable[[Path, AgentSession], Path]

WRITERS: dict[str, Writer] = {
    "aider": stores.aider,
    "antigravity": layouts.antigravity,
    "claude-code": layouts.claude_code,
    "cline": stores.cline,
    "cline-cli": threads.cline_cli,
    "codex": layouts.codex,
    "continue-dev": threads.continue_dev,
    "copilot-chat": layouts.copilot_chat,
    "copilot-cli": layouts.copilot_cli,
    "crush": stores.crush,
    "cursor": layouts.cursor,
    "factory-droid": layouts.factory_droid,
    "gemini-cli": layouts.gemini_cli,
    "grok": threads.grok,
    "kilo-code": threads.kilo_cli,
    "kimi-cli": stores.kimi_cli,
    "kimi-code": threads.kimi_code,
    "opencode": layouts.opencode,
    "opencode-files": layouts.opencode_files,
    "pi": layouts.pi,
    "qwen-code": layouts.qwen_code,
}


two_agents = pytest.mark.parametrize("agent", ["claude-code", "codex"])
three_agents = pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli"])


def keep(session: AgentSession, agent: str = "claude-code") -> Path:
    """Keeps a session as its agent does, in the home directory of this machine."""
    return WRITERS[agent](Machine.here().home, session)


def short(clone: Clone, id: str, cwd: str = "") -> AgentSession:
    """A session that wrote one file."""
    session = clone.session(id, cwd, prompt="Add a file")
    session.write(f"src/{id}.py", f"value = '{id}'\n")
    return session
