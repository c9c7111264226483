"""What looks like an agent's record and is not read is a problem, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.builder import commit_by_ada, git
from support.commands import run

from collector.checkpoints.unread import CHATS, PATHS, is_unread_ref, looks_recorded
from collector.storage.store import Store

CALLS = json.dumps([{"tool_name": "Edit", "tool_input_keys": ["a"], "response_preview": "b"}])
TALK = json.dumps({"role": "user", "content": "x", "sessionId": "1"}) + "\n"
TURNS = "## User\n\nAdd a file\n\n## Assistant\n\nDone.\n"


@pytest.mark.parametrize(
    ("path", "text"),
    {
        "logs/post_tool_use.json": CALLS,
        ".claude/hooks/logs/tool_use.jsonl": CALLS,
        ".hive-mind/sessions/session-1.json": TALK,
        ".goose/sessions/20260101.jsonl": TALK,
        ".roo/tasks/1/api_conversation_history.json": TALK,
        ".kilocode/tasks/1/ui_messages.json": TALK,
        ".continue/sessions/a.json": TALK,
        ".windsurf/cascade/a.json": TALK,
        ".junie/events.jsonl": TALK,
        ".factory/sessions/a.jsonl": TALK,
        ".amp/threads/T-1.json": TALK,
        ".qoder/history/a.json": TALK,
        ".trae/chat.md": TURNS,
        ".augment/chats/a.md": TURNS,
        ".aider.llm.history": TURNS,
        "docs/cursor_add_a_cart.md": (
            "# Cart\n_Exported on 5/27/2025 at 13:38 GMT+3 from Cursor (1)_"
        ),
        "session-ses_3f83.md": "# Cart\n\n**Session ID:** ses_3f83\n",
        "2026-01-02-add-a-cart.txt": " ▐▛███▜▌   Claude Code v2.1.104\n",
        "chat.json": '{\n  "responderUsername": "GitHub Copilot",\n  "requests": []}',
    }.items(),
)
def test_a_record_is_known_by_its_place_and_shape(path: str, text: str) -> None:
    assert PATHS.fullmatch(path) or CHATS.fullmatch(path)
    assert looks_recorded(path, text.encode())


@pytest.mark.parametrize(
    ("path", "text"),
    {
        ".claude/settings.json": '{"hooks": {}, "prompt": "a", "role": "b"}',
        ".claude/settings.local.json": '{"permissions": {"allow": []}}',
        ".cursor/mcp.json": '{"mcpServers": {"a": {"prompt": "x", "role": "y"}}}',
        ".claude/commands/review.md": TURNS,
        ".claude/skills/talk/examples.jsonl": TALK,
        ".codex/rules/default.md": TURNS,
        ".continue/prompts/a.json": TALK,
        ".claude/notes.md": "## User stories\n\nThe user speaks to the assistant.\n",
        ".roo/data.json": '{"session_id": 1}',
        ".claude/worktrees/a/.claude/x.json": TALK,
        "docs/cursor_styles.md": TURNS,
        "notes/2026-01-02-meeting.txt": "user:\nassistant:\n",
        "src/chat.json": TALK,
    }.items(),
)
def test_settings_and_prose_are_no_records(path: str, text: str) -> None:
    assert not looks_recorded(path, text.encode())


def test_refs_of_agents_that_nothing_reads() -> None:
    assert is_unread_ref("refs/posthog-code-checkpoint/checkpoint-1")
    assert is_unread_ref("refs/agent-sessions/1")
    for ref in (
        "refs/heads/claude/fix-1",
        "refs/tags/agent-1",
        "refs/notes/sessions",
        "refs/odd/x",
    ):
        assert not is_unread_ref(ref)


def test_a_record_that_is_not_understood_is_a_row_and_a_line_of_the_summary(
    tmp_path: Path, db: Path
) -> None:
    repo = tmp_path / "r"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    for name, text in (
        ("logs/post_tool_use.json", CALLS),
        (".roo/tasks/1.json", TALK),
        (".claude/settings.json", "{}"),
        ("src/session.json", TALK),
    ):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    git(repo, "add", "-A")
    commit_by_ada(repo, "x")
    git(repo, "update-ref", "refs/agent-sessions/1", "HEAD")
    summary = run("repo", repo, db=db).stdout
    (line,) = [line for line in summary.splitlines() if "records not understood" in line]
    assert "3 records" in line
    assert "no sign of an agent" not in summary
    with Store(db, create=False) as store:
        rows = store.rows("SELECT subject FROM problems WHERE code = 'record_not_understood'")
    assert sorted(row["subject"] for row in rows) == [
        ".roo/tasks/1.json",
        "logs/post_tool_use.json",
        "refs/agent-sessions/1",
    ]
