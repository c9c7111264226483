"""Files and refs that look like an agent's record and that nothing here reads. Pure.

A record is told by where it is and by its shape. What configures an agent is none: settings, rules,
commands, skills.
"""

import re

ROOTS = (
    "claude|codex|cursor|aider[^/]*|specstory|swarm|hive-mind|goose|roo|kilocode|continue|windsurf|junie|factory|amp|qoder|trae|augment"
    "|gemini|qwen|kiro|cline|opencode|crush|copilot|openhands|hermes|grok|vibe"
)
ENDINGS = (
    "jsonl",
    "ndjson",
    "json",
    "md",
    "txt",
    "log",
    "db",
    "sqlite",
    "sqlite3",
    "vscdb",
    "traj",
    "history",
)
_KEPT = (
    rf"\.(?:{ROOTS})(?:/.+)?\.(?:{'|'.join(ENDINGS)})|\.aider[^/]*\.(?:md|history)"
    r"|(?:logs?/(?:.+/)?|\.?hooks?[\w-]*[/.])[\w.-]*(?:tool_use|tool-use|hook|transcript|session)[\w.-]*\.(?:jsonl?|log)"
)
# under the names that Cursor, OpenCode, Claude Code and Copilot Chat give it
_CHATS = r"cursor_[^/]+\.md|session-ses_[^/]+\.md|20\d\d-\d\d-\d\d-[^/]+\.txt|chat[\w.-]*\.json"
PATHS = re.compile(rf"(?:.*/)?(?:{_KEPT})")
"""Paths at which records of agents may be: below the directories of agents, and logs of hooks."""
CHATS = re.compile(rf"(?:.*/)?(?:{_CHATS})")
"""Paths of chats that people export: many other files are named so, so that only what the branch
has now is looked at, and not its history.
"""

_SETTINGS = re.compile(
    r"(?:^|/)(?:rules|commands|skills|agents|prompts|templates|plugins|workflows|modes|steering|specs|worktrees|node_modules)(?:/|$)"
    r"|(?:^|/)(?:settings|config|mcp|package|hooks|permissions|launch|tsconfig|models)[\w.-]*\.json$",
    re.IGNORECASE,
)
_HEAD = 65_536  # bytes
# Two different ones show that something was said or called; a text with one may be a setting.
_KEYS = re.compile(
    rb"\"(role|messages|tool_?name|tool_?calls?|tool_?input\w*|tool_?use_?id|tool_?response|response_preview|session_?id|conversation_?id"
    rb"|transcript_path|hook_event_name|parentUuid|prompt|completion)\"\s*:",
    re.IGNORECASE,
)
_SPEAKERS = re.compile(
    rb"^\W{0,8}(user|human|you|assistant|agent|ai|claude|codex|cursor|gemini|copilot)\b\W{0,12}(?:\(.{0,80}\)\W{0,8})?$",
    re.IGNORECASE | re.MULTILINE,
)
# how a chat begins that was exported
_EXPORTED = re.compile(
    r"# .*\s+(?:_Exported on .* from Cursor \(|\*\*Session ID:\*\* ses_)|\s*▐▛.*Claude Code v\d"
    r"|\{\s*\"responderUsername\": *\"GitHub Copilot".encode()
)
_PEOPLE = frozenset({b"user", b"human", b"you"})
_GITS_OWN = re.compile(
    r"refs/(?:heads|remotes|tags|notes|pull|pulls|merge-requests|changes|stash|replace|original|bisect|jj|keep-around|pipelines|environments|rewritten|worktree)(?:/|$)"
)
_SPEAKS_OF_AGENTS = re.compile(
    rf"checkpoint|session|transcript|agent|(?:^|[/-])(?:{ROOTS})(?:[/-]|$)"
)


def looks_recorded(path: str, data: bytes) -> bool:
    """Whether the file at one of `PATHS` or `CHATS` has the shape of a record."""
    if _SETTINGS.search(path):
        return False
    head = data[:_HEAD]
    if head.startswith(b"SQLite format 3\0") or _EXPORTED.match(head):
        return True
    if not PATHS.fullmatch(path):
        return False
    if path.endswith((".md", ".txt", ".history")):
        names = {name.lower() for name in _SPEAKERS.findall(head)}
        return bool(names & _PEOPLE) and bool(names - _PEOPLE)
    return len({key.lower() for key in _KEYS.findall(head)}) > 1


def is_unread_ref(ref: str) -> bool:
    """Whether a ref that no layout knows is named like one in which agents keep something."""
    return _GITS_OWN.match(ref) is None and _SPEAKS_OF_AGENTS.search(ref) is not None
