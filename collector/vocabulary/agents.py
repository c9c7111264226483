"""The coding agents: one entry for each, the only list of their names. Pure.

An agent has one slug, which is what the database calls it: the `NAME` of its reader in `collector/agents` if it has one.
Whatever else it is called (by a checkpoint, a note of another tool, a trailer, an export) is in its entry. A new agent is a reader,
a sample and an entry here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache


@dataclass(frozen=True, slots=True)
class Agent:
    """One coding agent, and what its name, its commits and its tools look like.

    `accounts` is a regular expression searched for in "Name <address>" of an author or co-author, in any case: accounts of the
    vendor's own. Names in `tools` and `read_only` are in lower case; `tools` maps a kind of call (see
    `attribution/features/tools.py`) to names of tools separated by blanks.
    """

    slug: str
    label: str  # for people
    accounts: str = ""
    subject: str = ""  # how subjects of its commits begin
    aliases: tuple[str, ...] = ()  # other names of it, see `slug_of`
    word: str = ""  # in the free text of an author, it can only mean this agent
    exported: Mapping[str, str] = field(default_factory=dict)  # NAME of an export -> what that format calls it; the slug elsewhere
    tools: Mapping[str, str] = field(default_factory=dict)
    read_only: tuple[str, ...] = ()  # kinds of its subagents that have no tool to change files
    state: str = ""  # regular expression of the directory at the root of a repository that it keeps its own files in


AGENTS = (
    Agent(
        "claude-code",
        "Claude Code",
        accounts=r"noreply@anthropic\.com|claude\[bot\]",
        aliases=("claude", "claudecode"),
        word="claude",
        exported={"git-ai": "claude"},
        tools={
            "read": "read notebookread",
            "grep": "grep",
            "glob": "glob ls",
            "write": "write",
            "edit": "edit multiedit notebookedit",
            "web": "websearch webfetch",
            "agent": "task agent dispatch_agent taskoutput agentoutputtool taskstop",
            "todo": "todowrite todoread taskcreate taskupdate tasklist taskget",
            "ask": "askuserquestion",
            "plan": "exitplanmode enterplanmode",
            "skill": "skill",
        },
        read_only=(
            *("explore", "plan", "claude-code-guide", "statusline-setup", "general-search"),
            # of the plugins that come with Claude Code; their definitions list only tools that look
            *("feature-dev:code-reviewer", "feature-dev:code-explorer", "feature-dev:code-architect"),
        ),
        state=r"claude",
    ),
    Agent(
        "codex",
        "Codex",
        accounts=r"noreply@openai\.com|codex@openai\.com|chatgpt-codex-connector\[bot\]|codex\[bot\]",
        aliases=("codex-cli", "openai-codex"),
        word="codex",
        tools={
            "read": "view_image",
            "edit": "apply_patch",
            "web": "web_search",
            "agent": "spawn_agent wait_agent",
            "todo": "update_plan",
            "ask": "request_user_input",
        },
        state=r"codex",
    ),
    Agent(
        "cursor",
        "Cursor",
        accounts=r"cursoragent@cursor\.com|cursor\[bot\]",
        aliases=("cursor-agent", "cursor-cli"),
        word="cursor",
        tools={
            "read": "read read_file",
            "grep": "grep grep_search codebase_search",
            "glob": "glob ls list_dir file_search",
            "write": "write",
            "edit": "edit_file search_replace",
            "web": "web_search",
            "todo": "todo_write",
        },
        state=r"cursor",
    ),
    # The account of Copilot CLI. Copilot has others, and some of its forms use none of these.
    Agent(
        "copilot-cli",
        "Copilot CLI",
        accounts=r"223556219\+Copilot",
        aliases=("github-copilot-cli",),
        exported={"git-ai": "github-copilot"},
        tools={
            "read": "view",
            "grep": "grep rg",
            "glob": "glob",
            "write": "create",
            "edit": "edit str_replace_editor apply_patch",
            "web": "web_fetch web_search",
            "agent": "task",
            "ask": "ask_user",
            "plan": "exit_plan_mode",
            "skill": "skill",
        },
    ),
    Agent(
        "copilot-coding-agent",
        "Copilot coding agent",  # works on GitHub, in pull requests of its own
        accounts=r"copilot-swe-agent\[bot\]|198982749\+Copilot",
        aliases=("copilot-swe-agent",),
    ),
    Agent(
        "copilot",
        "GitHub Copilot",  # in an editor or a review: what it was, the account does not tell
        accounts=r"copilot@users\.noreply\.github\.com|copilot\[bot\]",
        aliases=("github-copilot",),
        word="copilot",
    ),
    Agent(
        "copilot-chat",
        "Copilot Chat",  # in VS Code, whose own timeline of the files has its edits
        tools={"edit": "textedit"},
    ),
    Agent("devin", "Devin", accounts=r"devin-ai-integration\[bot\]|devin@cognition"),
    Agent(
        "factory-droid",
        "Factory AI Droid",
        accounts=r"factory-droid\[bot\]",
        aliases=("factoryai-droid", "droid"),
        exported={"git-ai": "droid"},
        tools={
            "read": "read",
            "grep": "grep",
            "glob": "glob ls",
            "write": "create",
            "edit": "edit multiedit apply_patch",
            "web": "websearch fetch_url",
            "agent": "task",
            "todo": "todowrite",
        },
    ),
    Agent("jules", "Jules", accounts=r"google-labs-jules\[bot\]|jules@google"),
    Agent("gemini-code-assist", "Gemini Code Assist", accounts=r"gemini-code-assist\[bot\]"),
    Agent(
        "gemini-cli",
        "Gemini CLI",
        accounts=r"gemini-cli",
        aliases=("gemini",),
        word="gemini",
        exported={"git-ai": "gemini"},
        tools={
            "read": "read_file read_many_files",
            "grep": "search_file_content grep_search",
            "glob": "glob list_directory",
            "write": "write_file",
            "edit": "replace",
            "web": "google_web_search web_fetch",
            "agent": "codebase_investigator",
            "todo": "write_todos",
            "ask": "ask_user",
            "plan": "enter_plan_mode exit_plan_mode",
            "skill": "activate_skill",
        },
    ),
    Agent(
        "qwen-code",
        "Qwen Code",
        accounts=r"qwen-coder@alibabacloud\.com",
        aliases=("qwen",),
        tools={
            "read": "read_file read_many_files",
            "write": "write_file",
            "edit": "edit",
            "todo": "todo_write",
        },
    ),
    Agent("windsurf", "Windsurf", accounts=r"noreply@windsurf\.com|noreply@codeium\.com"),
    Agent("crush", "Crush", accounts=r"crush@charm\.land", tools={"grep": "sourcegraph"}),
    Agent("cline", "Cline", aliases=("claude-dev",), tools={"edit": "replace_in_file"}),
    Agent("kiro", "Kiro", aliases=("kiro-cli",), tools={"edit": "fs_write"}),
    Agent("goose", "Goose", tools={"edit": "text_editor developer__text_editor"}),
    Agent("kimi-cli", "Kimi CLI", aliases=("kimi",), tools={"read": "readfile", "write": "writefile", "edit": "strreplacefile"}),
    Agent(
        "kimi-code",
        "Kimi Code",
        tools={"read": "read", "write": "write", "edit": "edit", "agent": "agent"},
    ),
    Agent("continue-dev", "Continue", aliases=("continue",), tools={"write": "create_new_file", "edit": "single_find_and_replace"}),
    Agent("grok", "Grok Build", aliases=("grok-build",), tools={"read": "read_file", "edit": "search_replace"}),
    Agent("zed", "Zed", aliases=("zed-agent",), tools={"read": "read_file", "edit": "edit_file", "write": "write_file"}),
    Agent("kilo-code", "Kilo Code", aliases=("kilo", "kilocode")),
    Agent(
        "roo-code",
        "Roo Code",
        accounts=r"roomote@roocode\.com|roomote\[bot\]",
        aliases=("roo",),
        tools={
            "read": "read_file",
            "grep": "search_files codebase_search",
            "glob": "list_files",
            "write": "write_to_file",
            "edit": "apply_diff insert_content search_and_replace",
            "ask": "ask_followup_question",
        },
    ),
    Agent(
        "opencode",
        "OpenCode",
        accounts=r"noreply@opencode\.ai|opencode-agent\[bot\]|opencode@",
        tools={
            "read": "read",
            "grep": "grep",
            "glob": "glob list",
            "write": "write",
            "edit": "edit multiedit patch apply_patch",
            "web": "webfetch websearch",
            "agent": "task",
            "todo": "todowrite todoread",
            "ask": "question",
            "plan": "plan_exit",
            "skill": "skill",
        },
    ),
    Agent("aider", "Aider", accounts=r"noreply@aider\.chat|aider@aider\.chat|\(aider\)", subject="aider:", state=r"aider[^/]*"),
    Agent(
        "amp",
        "Amp",
        accounts=r"amp@ampcode\.com|noreply@ampcode\.com",
        tools={"read": "read", "write": "create_file", "edit": "edit_file", "agent": "task"},
    ),
    Agent(
        "pi",
        "Pi",
        aliases=("oh-my-pi", "omp"),
        tools={"read": "read", "grep": "grep", "glob": "find ls", "write": "write", "edit": "edit", "todo": "todo"},
    ),
    Agent(
        "antigravity",
        "Antigravity",
        tools={
            "read": "view_file",
            "grep": "grep_search",
            "glob": "list_dir find_by_name",
            "write": "write_to_file",
        },
    ),
    # No agent: the format of Harbor for any of them. A session is called so if the document does not name its agent.
    Agent("atif", "ATIF", exported={"git-ai": "unknown"}),
    # No agent: the form in which Entire keeps the sessions of all of them. A session is called so if it does not name its agent.
    Agent("entire-compact", "Entire compact transcript", exported={"git-ai": "unknown"}),
)  # fmt: skip


@cache
def _by_slug() -> Mapping[str, Agent]:
    return {agent.slug: agent for agent in AGENTS}


@cache
def _slugs() -> Mapping[str, str]:
    return {_plain(name): agent.slug for agent in AGENTS for name in (agent.slug, agent.label, *agent.aliases)}


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip().casefold())


def slug_of(name: str) -> str:
    """The slug of the agent that is called so: by slug, label or alias, whatever the case, `_` and blanks as good as `-`.

    A name that no agent has is returned as it is.
    """
    return _slugs().get(_plain(name), name)


def label_of(slug: str) -> str:
    """The agent's name for people; the slug itself of an agent that is not known."""
    agent = _by_slug().get(slug)
    return agent.label if agent is not None else slug


def exported_name(slug: str, export: str) -> str:
    """What the format of an export (its `NAME`) calls the agent; the slug where the format has no name of its own for it."""
    agent = _by_slug().get(slug)
    return agent.exported.get(export, slug) if agent is not None else slug


@cache
def _accounts() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(agent.accounts, re.I), agent.slug) for agent in AGENTS if agent.accounts)


@lru_cache(10_000)  # a history has far fewer accounts than commits
def agent_of_account(account: str) -> str | None:
    """The slug of the agent whose account "Name <address>" is; None of anybody else's."""
    return next((slug for pattern, slug in _accounts() if pattern.search(account)), None)


def agent_of_subject(subject: str) -> str | None:
    """The slug of the agent that begins the subjects of its commits like this; None when none does."""
    return next((agent.slug for agent in AGENTS if agent.subject and subject.startswith(agent.subject)), None)


@cache
def _words() -> re.Pattern[str]:
    words = "|".join(agent.word for agent in AGENTS if agent.word)
    return re.compile(rf"{words}|gpt|agent|\bai\b|^o\d", re.I)


def sounds_like_an_agent(author: str) -> bool:
    """Whether a name written as free text is that of an agent or a model rather than a person's."""
    return _words().search(author) is not None


@cache
def tool_kinds() -> Mapping[str, str]:
    """Name of a tool in lower case -> kind of call, of all agents together: a name means the same to each that has it."""
    return {name: kind for agent in AGENTS for kind, names in agent.tools.items() for name in names.split()}


@cache
def read_only_subagents() -> frozenset[str]:
    """Kinds of subagents in lower case that change no file, of all agents together."""
    return frozenset(kind for agent in AGENTS for kind in agent.read_only)


@cache
def state_directories() -> tuple[str, ...]:
    """Regular expressions of names, without the dot, of directories in which agents keep files of their own."""
    return tuple(agent.state for agent in AGENTS if agent.state)
