"""The agents of the lab: where each comes from, and how it is started without an account against
a model on the loopback.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.actions import Style
from lab.mock import PORT

URL = f"http://127.0.0.1:{PORT}"
V1 = f"{URL}/v1"
KEY = "lab-key"
MODEL = "lab-model"
PATIENCE = 120_000  # milliseconds that a server of tools may take to start


@dataclass
class Start:
    """One start of an agent. `more` is "" for a new session, "continue" for the last one, "fork"
    for a copy of it.
    """

    home: Path  # the agent's home, as the lab sees it
    prompt: str
    more: str = ""
    session: str = ""  # id of the last session, of agents that resume by it
    files: Sequence[str] = ()  # files that the prompt is about, for agents that must be given them
    servers: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of tools: name -> command

    def described_servers(self, **more: Any) -> dict[str, Any]:
        """The servers as most agents have them in their settings."""
        return {
            name: {"command": program, "args": arguments, **more}
            for name, (program, *arguments) in self.servers.items()
        }

    def put(self, path: str, content: str | Mapping[str, Any]) -> None:
        """A settings file in the home."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            content if isinstance(content, str) else json.dumps(content, indent=1), "utf-8"
        )

    def when_continued(self, *arguments: str) -> list[str]:
        return list(arguments) if self.more else []


@dataclass(frozen=True)
class Command:
    """Arguments after the program's name, and variables of the environment."""

    arguments: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    before: Sequence[Sequence[str]] = ()  # arguments of runs that set it up


@dataclass(frozen=True)
class Agent:
    name: str  # as in the database of the product, where it has a reader
    package: str
    program: str
    start: Callable[[Start], Command]
    registry: str = "npm"
    transcripts: Sequence[str] = ()  # patterns below the home
    style: Style = field(default_factory=Style)
    pinned: str = ""  # the version to take instead of the newest
    python: str = "3.12"  # of PyPI's agents
    # scenarios that it cannot go through without a terminal or an account, as `note` says
    lacks: Sequence[str] = ()
    note: str = ""


def _claude_code(start: Start) -> Command:
    start.put(
        ".claude.json",
        {
            "hasCompletedOnboarding": True,
            "bypassPermissionsModeAccepted": True,
            **_existing(start, ".claude.json"),
            "mcpServers": start.described_servers(),
        },
    )
    arguments = [
        "-p",
        start.prompt,
        "--dangerously-skip-permissions",
        "--model",
        "claude-sonnet-4-5",
        "--output-format",
        "json",
    ]
    arguments += start.when_continued("--resume", start.session)
    if start.more == "fork":
        arguments.append("--fork-session")
    return Command(arguments, CLAUDE)


def _existing(start: Start, path: str) -> Any:
    target = start.home / path
    return json.loads(target.read_text("utf-8")) if target.exists() else {}


CLAUDE = {
    "ANTHROPIC_BASE_URL": URL,
    "ANTHROPIC_API_KEY": KEY,
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "IS_SANDBOX": "1",  # it refuses to run without permissions as root otherwise
    "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "1",
    "MCP_TIMEOUT": str(PATIENCE),
}


def _codex(start: Start) -> Command:
    start.put(
        ".codex/config.toml",
        f"""model = "gpt-5-codex"
model_provider = "lab"
model_reasoning_summary = "auto"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.lab]
name = "lab"
base_url = "{V1}"
env_key = "LAB_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""
        + "".join(
            f"[mcp_servers.{name}]\ncommand = {json.dumps(row['command'])}\n"
            f"args = {json.dumps(row['args'])}\nrequired = true\nstartup_timeout_sec = 120\n"
            for name, row in start.described_servers().items()
        ),
    )
    arguments = ["exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
    if start.more:  # old versions want the options before it, and take no prompt beside `--last`
        newest = max(
            start.home.glob(".codex/sessions/**/rollout-*.jsonl"), key=lambda path: path.name
        )
        arguments += ["resume", newest.stem[-36:]]
    return Command([*arguments, start.prompt], {"LAB_KEY": KEY})


def _compatible_provider(**costs: float) -> dict[str, Any]:
    """The provider as OpenCode and Kilo, which grew out of it, have it in their settings."""
    limits = {"context": 200_000, "output": 8000}
    model = {
        "name": MODEL,
        "tool_call": True,
        "cost": {"input": 1, "output": 2, **costs},
        "limit": limits,
    }
    options = {"baseURL": V1, "apiKey": KEY}
    return {
        "autoupdate": False,
        "share": "disabled",
        "model": f"lab/{MODEL}",
        "small_model": f"lab/{MODEL}",
        "permission": {"edit": "allow", "bash": "allow"},
        "provider": {
            "lab": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "lab",
                "options": options,
                "models": {MODEL: model},
            }
        },
    }


def _local_servers(start: Start) -> dict[str, Any]:
    """The servers in the settings of OpenCode and Kilo."""
    more = {"type": "local", "enabled": True, "timeout": PATIENCE}
    return {"mcp": {name: {"command": [*words], **more} for name, words in start.servers.items()}}


def _opencode(start: Start) -> Command:
    provider = _compatible_provider(cache_read=0.1)
    start.put(".config/opencode/opencode.json", provider | _local_servers(start))
    arguments = ["run", start.prompt, *start.when_continued("--continue")]
    if start.more == "fork":
        arguments.append("--fork")
    names = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    return Command(arguments, {f"OPENCODE_DISABLE_{name}": "1" for name in names})


def _kilo_code(start: Start) -> Command:
    start.put(".config/kilo/kilo.json", _compatible_provider() | _local_servers(start))
    environment = {
        "KILO_DISABLE_AUTOUPDATE": "1",
        "KILO_DISABLE_MODELS_FETCH": "1",
        "KILO_TELEMETRY": "0",
    }
    return Command(
        ["run", "--auto", start.prompt, *start.when_continued("--continue")], environment
    )


def _gemini_cli(start: Start) -> Command:
    start.put(
        ".gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {
                "disableAutoUpdate": True,
                "enableAutoUpdate": False,
                "disableUpdateNag": True,
            },
            "mcpServers": start.described_servers(trust=True),
        },
    )
    environment = {
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": URL,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "1",
    }
    arguments = [
        "-p",
        start.prompt,
        "--yolo",
        "-m",
        "gemini-2.5-pro",
        *start.when_continued("--resume", "latest"),
    ]
    return Command(arguments, environment)


def _qwen_code(start: Start) -> Command:
    start.put(
        ".qwen/settings.json",
        {
            "security": {"auth": {"selectedType": "openai"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
            "mcpServers": start.described_servers(trust=True),
        },
    )
    arguments = [
        "-p",
        start.prompt,
        "--yolo",
        "--auth-type",
        "openai",
        *start.when_continued("--continue"),
    ]
    return Command(arguments, {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": V1, "OPENAI_MODEL": MODEL})


def _pi(start: Start) -> Command:
    cost = {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}
    limits = {"contextWindow": 200_000, "maxTokens": 8000}
    model = {
        "id": MODEL,
        "name": MODEL,
        "reasoning": False,
        "input": ["text"],
        "cost": cost,
        **limits,
    }
    provider = {"baseUrl": V1, "api": "openai-completions", "apiKey": KEY, "models": [model]}
    start.put(".pi/agent/models.json", {"providers": {"lab": provider}})
    arguments = [
        "--provider",
        "lab",
        "--model",
        MODEL,
        *start.when_continued("--continue"),
        "-p",
        start.prompt,
    ]
    if start.more == "fork":
        newest = max(start.home.glob(".pi/agent/sessions/*/*.jsonl"), key=lambda path: path.name)
        arguments[4:5] = ["--fork", f"/home/dev/{newest.relative_to(start.home)}"]
    return Command(arguments, {"PI_SKIP_VERSION_CHECK": "1", "PI_OFFLINE": "1"})


def _cline(start: Start) -> Command:
    # an endpoint of one's own needs no account
    settings = ["auth", "-p", "openai", "-k", KEY, "-m", MODEL, "-b", V1]
    environment = {
        "OPENAI_API_KEY": KEY,
        "CLINE_TELEMETRY_DISABLED": "1",
        "CLINE_NO_AUTO_UPDATE": "1",
    }
    return Command(["-P", "openai", "-m", MODEL, start.prompt], environment, [settings])


def _continue_dev(start: Start) -> Command:
    start.put(
        ".continue/config.yaml",
        f"""name: lab
version: 0.0.1
schema: v1
models:
  - name: lab
    provider: openai
    model: {MODEL}
    apiKey: {KEY}
    apiBase: {V1}
    roles: [chat, edit, apply]
    capabilities: [tool_use]
""",
    )
    names = (
        "CONTINUE_TELEMETRY_ENABLED",
        "CONTINUE_CLI_ENABLE_TELEMETRY",
        "CONTINUE_ALLOW_ANONYMOUS_TELEMETRY",
    )
    arguments = [
        "-p",
        start.prompt,
        "--auto",
        "--config",
        "/home/dev/.continue/config.yaml",
        *start.when_continued("--resume"),
    ]
    return Command(arguments, dict.fromkeys(names, "0"))


def _copilot_cli(start: Start) -> Command:
    if start.servers:
        servers = start.described_servers(type="local", tools=["*"])
        start.put(".copilot/mcp-config.json", {"mcpServers": servers})
    environment = {
        "COPILOT_PROVIDER_BASE_URL": V1,
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "gpt-5",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }
    arguments = [
        "-p",
        start.prompt,
        "--allow-all-tools",
        "--allow-all-paths",
        *start.when_continued("--continue"),
    ]
    return Command(arguments, environment)


def _factory_droid(start: Start) -> Command:
    model = {
        "model": MODEL,
        "displayName": "lab",
        "baseUrl": V1,
        "apiKey": KEY,
        "provider": "generic-chat-completion-api",
    }
    settings = {
        "customModels": [{**model, "maxOutputTokens": 8000}],
        "cloudSessionSync": False,
        "enableTelemetry": False,
    }
    start.put(".factory/settings.json", settings)
    arguments = ["exec", "--skip-permissions-unsafe", "-m", "custom:lab-model", start.prompt]
    environment = {
        "FACTORY_API_KEY": f"fk-{KEY}",
        "FACTORY_DISABLE_AUTO_UPDATE": "1",
        "DROID_DISABLE_AUTO_UPDATE": "true",
    }
    return Command(arguments, environment)


def _kimi_settings(kind: str) -> str:
    return f"""default_model = "lab"
telemetry = false
[models.lab]
provider = "lab"
model = "{MODEL}"
max_context_size = 200000
[providers.lab]
type = "{kind}"
base_url = "{V1}"
api_key = "{KEY}"
"""


def _kimi_cli(start: Start) -> Command:
    start.put(".kimi/config.toml", _kimi_settings("openai_legacy"))
    return Command(
        ["--print", "--yolo", "-p", start.prompt, *start.when_continued("--continue")],
        {"KIMI_CLI_NO_AUTO_UPDATE": "1"},
    )


def _kimi_code(start: Start) -> Command:
    start.put(".kimi-code/config.toml", _kimi_settings("openai"))
    environment = {"KIMI_CODE_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1"}
    return Command(["-p", start.prompt, *start.when_continued("--continue")], environment)


def _grok(start: Start) -> Command:
    start.put(
        ".grok/config.toml",
        f"""[cli]
auto_update = false
[models]
default = "lab"
[model.lab]
model = "{MODEL}"
base_url = "{V1}"
name = "lab"
api_key = "{KEY}"
context_window = 200000
api_backend = "chat_completions"
""",
    )
    environment = {"XAI_API_KEY": KEY, "GROK_DISABLE_AUTOUPDATER": "1", "GROK_TELEMETRY": "0"}
    return Command(
        ["-p", start.prompt, "--yolo", "-m", "lab", *start.when_continued("--continue")],
        environment,
    )


def _aider(start: Start) -> Command:
    switches = (
        "yes-always",
        "no-check-update",
        "no-analytics",
        "analytics-disable",
        "no-show-model-warnings",
        "no-gitignore",
    )
    switches += (
        "no-pretty",
        "no-show-release-notes",
        "no-auto-commits",
        *(("restore-chat-history",) if start.more else ()),
    )
    arguments = [
        "--model",
        f"openai/{MODEL}",
        "--edit-format",
        "diff",
        *(f"--{name}" for name in switches),
    ]
    environment = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_API_BASE": V1,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    return Command([*arguments, "--message", start.prompt, *start.files], environment)


def _gptme(start: Start) -> Command:
    start.put(
        ".config/gptme/config.toml", '[user]\nname = "Dev"\n[prompt]\nabout_user = ""\n[env]\n'
    )
    arguments = [
        "--non-interactive",
        "-m",
        f"local/{MODEL}",
        "--tools",
        "save,patch,shell,read",
        *start.when_continued("--resume"),
    ]
    return Command(
        [*arguments, start.prompt],
        {"OPENAI_BASE_URL": V1, "OPENAI_API_KEY": KEY, "GPTME_TELEMETRY": "0"},
    )


def _mistral_vibe(start: Start) -> Command:
    start.put(
        ".vibe/config.toml",
        f"""active_model = "lab"
enable_update_checks = false
enable_auto_update = false
enable_telemetry = false
[[providers]]
name = "lab"
api_base = "{V1}"
api_key_env_var = "LAB_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "{MODEL}"
provider = "lab"
alias = "lab"
temperature = 0.2
input_price = 1.0
output_price = 2.0
[session_logging]
enabled = true
""",
    )
    return Command(
        ["-p", start.prompt, "--auto-approve", *start.when_continued("--continue")],
        {"LAB_KEY": KEY, "MISTRAL_API_KEY": KEY},
    )


def _mini_swe_agent(start: Start) -> Command:
    environment = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_API_BASE": V1,
        "MSWEA_CONFIGURED": "true",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "MSWEA_SILENT_STARTUP": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    # committed with the code: on a machine it keeps its last run alone
    number = len(list(start.home.glob("shop/.runs/*")))
    output = f"/home/dev/shop/.runs/{number}.traj.json"
    return Command(
        ["--yolo", "--exit-immediately", "-m", f"openai/{MODEL}", "-t", start.prompt, "-o", output],
        environment,
    )


_RELATIVE = Style(absolute=False, shell_patch=True)
AGENTS = (
    Agent(
        "claude-code",
        "@anthropic-ai/claude-code",
        "claude",
        _claude_code,
        transcripts=(".claude/projects/**/*.jsonl",),
    ),
    Agent(
        "codex",
        "@openai/codex",
        "codex",
        _codex,
        transcripts=(".codex/sessions/**/*.jsonl",),
        style=_RELATIVE,
    ),
    Agent(
        "gemini-cli",
        "@google/gemini-cli",
        "gemini",
        _gemini_cli,
        transcripts=(
            ".gemini/projects.json",
            ".gemini/tmp/*/.project_root",
            ".gemini/tmp/*/chats/**/*.json*",
        ),
    ),
    Agent(
        "opencode",
        "opencode-ai",
        "opencode",
        _opencode,
        transcripts=(".local/share/opencode/opencode.db*",),
    ),
    Agent(
        "qwen-code",
        "@qwen-code/qwen-code",
        "qwen",
        _qwen_code,
        transcripts=(".qwen/projects/*/chats/*.jsonl",),
    ),
    Agent(
        "pi",
        "@earendil-works/pi-coding-agent",
        "pi",
        _pi,
        transcripts=(".pi/agent/sessions/*/*.jsonl",),
    ),
    Agent(
        "copilot-cli",
        "@github/copilot",
        "copilot",
        _copilot_cli,
        transcripts=(".copilot/session-state/*/events.jsonl",),
    ),
    Agent(
        "factory-droid",
        "droid",
        "droid",
        _factory_droid,
        transcripts=(".factory/sessions/*/*",),
        lacks=("resume", "person", "branches", "sessions"),
        note="asks its maker's server before it resumes",
    ),
    Agent(
        "cline",
        "cline",
        "cline",
        _cline,
        transcripts=(".cline/data/sessions/*/*.json",),
        lacks=("resume", "person", "branches", "sessions"),
        note="resumes only in a terminal",
    ),
    Agent(
        "kilo-code",
        "@kilocode/cli",
        "kilo",
        _kilo_code,
        transcripts=(".local/share/kilo/kilo.db*",),
    ),
    Agent(
        "continue-dev",
        "@continuedev/cli",
        "cn",
        _continue_dev,
        transcripts=(".continue/sessions/*.json",),
    ),
    Agent(
        "grok",
        "@xai-official/grok",
        "grok",
        _grok,
        transcripts=tuple(
            f".grok/sessions/*/*/{name}.json*"
            for name in ("chat_history", "summary", "updates", "usage")
        ),
    ),
    Agent(
        "kimi-code",
        "@moonshot-ai/kimi-code",
        "kimi",
        _kimi_code,
        transcripts=(".kimi-code/sessions/wd_*/*/**/*.json*",),
    ),
    Agent(
        "kimi-cli",
        "kimi-cli",
        "kimi",
        _kimi_cli,
        "pypi",
        (".kimi/sessions/*/*/*.jsonl", ".kimi/kimi.json"),
        pinned="1.40.0",
        python="3.13",
        note="later versions only say where Kimi Code is",
    ),
    Agent(
        "mistral-vibe",
        "mistral-vibe",
        "vibe",
        _mistral_vibe,
        "pypi",
        tuple(
            f".vibe/logs/session/unified/*/{path}"
            for path in (
                "CURRENT",
                "meta.json",
                "generations/*/manifest.json",
                "generations/*/projection-state.json",
                "chunks/*.json",
                "journal/*.jsonl",
            )
        ),
    ),
    Agent(
        "gptme",
        "gptme",
        "gptme",
        _gptme,
        "pypi",
        (".local/share/gptme/logs/*/conversation.jsonl",),
        Style(text="gptme"),
    ),
    Agent(
        "mini-swe-agent",
        "mini-swe-agent",
        "mini",
        _mini_swe_agent,
        "pypi",
        ("shop/.runs/*.traj.json",),
        note="has no sessions to resume: each prompt is one of its own",
    ),
    Agent(
        "aider",
        "aider-chat",
        "aider",
        _aider,
        "pypi",
        ("shop/.aider.chat.history.md",),
        Style(text="aider"),
    ),
)
BY_NAME = {agent.name: agent for agent in AGENTS}
