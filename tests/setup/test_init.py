"""`whowrote init` in small projects: each file is read by the rules of its client."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from support import ROOT
from support.builder import git
from support.commands import run

from attribution.cli import cli
from collector.errors import EXIT_PARTIAL, EXIT_USAGE

NAMES = ("claude", "codex", "gemini", "opencode", "cursor", "copilot", "hook", "ci", "gitlab-ci")
COMMENTED = """{
\t// what we use
\t"mcp": { // servers, "mcp": {
\t\t"other": {"type": "local", "command": ["x", "// no comment"]}, /* the last one */
\t},
}
"""
TOML = 'model = "m" # ours\n\n[mcp_servers.other]\ncommand = "x"'
CONFIGS = {
    ".mcp.json": ("mcpServers", ["whowrote", "serve", "mcp"]),
    ".gemini/settings.json": ("mcpServers", ["whowrote", "serve", "mcp"]),
    ".cursor/mcp.json": ("mcpServers", ["whowrote", "serve", "mcp", "${workspaceFolder}"]),
    ".vscode/mcp.json": ("servers", ["whowrote", "serve", "mcp", "${workspaceFolder}"]),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    git(tmp_path, "init", "-q", str(root))
    shutil.rmtree(root / ".git/hooks", ignore_errors=True)
    return root


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def contents(root: Path) -> dict[str, bytes]:
    """Files with their bytes; the directories of git's own objects do not change."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else b"a directory"
        for path in root.rglob("*")
    }


def init(root: Path, *words: str, code: int = 0) -> str:
    return run("init", root, *words, program=cli, code=code).output


def test_every_client_can_read_what_is_written(project: Path) -> None:
    init(project, *NAMES, "--yes")
    for name, (key, command) in CONFIGS.items():
        entry = json.loads((project / name).read_text())[key]["whowrote"]
        assert [entry["command"], *entry["args"]] == command
    (opencode,) = json.loads((project / "opencode.json").read_text())["mcp"].values()
    assert opencode == {"type": "local", "command": ["whowrote", "serve", "mcp"]}
    codex = tomllib.loads((project / ".codex/config.toml").read_text())
    assert codex == {"mcp_servers": {"whowrote": {"command": "whowrote", "args": ["serve", "mcp"]}}}
    for name in (".claude/skills/whowrote/SKILL.md", ".agents/skills/whowrote/SKILL.md"):
        _, head, body = (project / name).read_text().split("---\n")
        assert set(yaml.safe_load(head)) == {"name", "description"}
        assert yaml.safe_load(head)["name"] == "whowrote" == Path(name).parent.name
        assert len(head) < 1_024 and len(body) < 2_000 * 4
    _, head, rule = (project / ".cursor/rules/whowrote.mdc").read_text().split("---\n")
    assert yaml.safe_load(head)["alwaysApply"] is True
    for name in ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md"):
        text = (project / name).read_text()
        assert rule.strip() in text and len(text.splitlines()) <= 10


def test_the_tools_that_the_skill_names_are_those_of_the_server(project: Path) -> None:
    pytest.importorskip("mcp")
    from whowrote.servers.mcp_server import server

    init(project, "claude", "--yes")
    skill = (project / ".claude/skills/whowrote/SKILL.md").read_text()
    tools = server(".")._tool_manager.list_tools()
    assert len(tools) == 4 and all(f"`{tool.name}(" in skill for tool in tools)


def test_the_job_is_the_one_of_the_docs(project: Path) -> None:
    init(project, "ci", "gitlab-ci", "--yes")
    written = yaml.safe_load((project / ".github/workflows/whowrote.yml").read_text())
    example = ROOT / "docs/examples/attribution-on-pull-requests.yml"
    assert {**written, "name": ""} == {**yaml.safe_load(example.read_text()), "name": ""}
    included = yaml.safe_load((project / ".gitlab-ci.yml").read_text())["include"]
    assert (ROOT / included.partition("/main/")[2]).is_file()


def test_nothing_is_lost_and_undo_gives_every_byte_back(project: Path) -> None:
    files = {
        "opencode.json": COMMENTED,
        ".codex/config.toml": TOML,
        ".mcp.json": '{"mcpServers": {}, "x": 1}',
        ".vscode/mcp.json": "{}",
        ".cursor/mcp.json": '{\n    "mcpServers": {\n        "a": {"command": "b"}\n    }\n}\n',
        "AGENTS.md": "# Ours",
        "GEMINI.md": "# Ours\r\n",
    }
    put(project, files)
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    before = contents(project)
    shown = init(project, *NAMES)
    assert contents(project) == before and "+# Why is this here?" in shown
    assert "--yes writes it" in shown
    init(project, *NAMES, "--dry-run", "--yes")
    assert contents(project) == before
    init(project, *NAMES, "--yes")
    for name, text in files.items():
        kept = iter((project / name).read_bytes().decode().splitlines())
        if "\n" in text:
            assert all(line in kept for line in text.splitlines()), name
    codex = tomllib.loads((project / ".codex/config.toml").read_text())
    assert list(codex["mcp_servers"]) == ["other", "whowrote"]
    assert json.loads((project / ".mcp.json").read_text())["x"] == 1
    assert '\n        "whowrote": {\n            "command"' in (
        (project / ".cursor/mcp.json").read_text()
    )
    assert (project / "AGENTS.md").read_text().count("end of whowrote") == 1
    once = contents(project)
    assert init(project, *NAMES, "--yes") == "nothing to change\n"
    assert contents(project) == once
    init(project, "--undo", "--yes")
    after = contents(project)
    after.pop(".git/hooks", None)
    assert after == before


def test_undo_keeps_what_was_edited_in_between(project: Path) -> None:
    init(project, "claude", "codex", "gemini", "--yes")
    servers = project / ".mcp.json"
    servers.write_text(
        servers.read_text().replace("]\n    }", ']\n    },\n    "mine": {"command": "x"}')
    )
    settings = project / ".gemini/settings.json"
    settings.write_text(settings.read_text().replace('"serve"', '"serve", "--quiet"'))
    rule = project / "CLAUDE.md"
    rule.write_text("# Mine\n" + rule.read_text())
    block = project / "AGENTS.md"
    block.write_text(block.read_text().replace("nobody knows", "ask Ada"))
    (project / ".codex/config.toml").unlink()
    shown = init(project, "--undo", "--yes", code=EXIT_PARTIAL)
    assert json.loads(servers.read_text()) == {"mcpServers": {"mine": {"command": "x"}}}
    assert rule.read_text() == "# Mine\n"
    assert "ask Ada" in block.read_text() and "--quiet" in settings.read_text()
    assert "AGENTS.md stays as it is" in shown and "settings.json stays as it is" in shown
    assert not (project / ".claude").exists() and not (project / ".agents").exists()
    block.unlink()
    settings.unlink()
    init(project, "--undo", "--yes")
    assert init(project, "--undo") == "nothing to change\n"


def test_undo_of_one_name(project: Path) -> None:
    init(project, "claude", "cursor", "--yes")
    init(project, "--undo", "cursor", "--yes")
    assert not (project / ".cursor").exists() and (project / ".mcp.json").exists()


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (".mcp.json", '{"mcpServers": {', "Expecting"),
        (".mcp.json", "[]", "not a JSON object"),
        (".mcp.json", '{"mcpServers": []}', "mcpServers in it is none"),
        (".mcp.json", '{"mcpServers": {"whowrote": {"command": "x"}}}', "another entry"),
        (".mcp.json", "\xff", "decode"),
        (".claude/skills/whowrote/SKILL.md", "mine", "add what it lacks"),
        ("CLAUDE.md", "<!-- whowrote: why lines are here -->\nmine", "add what it lacks"),
        (".codex/config.toml", "[mcp_servers", "Expected"),
        (".codex/config.toml", "mcp_servers = {}\n", "Cannot"),
        (".git/hooks/prepare-commit-msg", "#!/bin/sh\nexit 0\n", "whowrote disclose --hook"),
    ],
)
def test_what_cannot_be_written_to_stays_as_it_is(
    project: Path, name: str, text: str, why: str
) -> None:
    put(project, {name: ""})
    (project / name).write_bytes(text.encode("latin-1"))
    shown = init(project, "claude", "codex", "hook", "--yes", code=EXIT_PARTIAL)
    assert f"{name} stays as it is" in shown and why in shown
    assert (project / name).read_bytes() == text.encode("latin-1")
    assert shown.count("stays as it is") == 1, "the other files are written"


@pytest.mark.parametrize("target", ["../outside.md", ".git/config"])
def test_a_link_out_of_the_project_is_not_followed(project: Path, target: str) -> None:
    (project.parent / "outside.md").write_text("theirs\n")
    (project / "AGENTS.md").symlink_to(target)
    before = (project / target).read_bytes()
    assert "a link leads out" in init(project, "codex", "--yes", code=EXIT_PARTIAL)
    assert (project / target).read_bytes() == before


def test_the_hook_adds_what_disclose_says_and_is_where_git_looks(
    project: Path, tmp_path: Path
) -> None:
    git(project, "config", "core.hooksPath", ".githooks")
    init(project, "hook", "--yes")
    program = tmp_path / "bin" / "whowrote"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'Assisted-by: Claude Code'\n")
    program.chmod(0o755)
    (project / "a").write_text("a\n")
    git(project, "add", "a")
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("-m", "Add a"), ("--amend", "--no-edit")):
        command = ["git", *person, "commit", "-q", *words]
        subprocess.run(command, cwd=project, env=environment, check=True)
    message = git(project, "log", "-1", "--format=%B").decode().strip()
    assert message == "Add a\n\nAssisted-by: Claude Code"


def test_a_person_is_shown_what_there_is_and_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    put(project, {"GEMINI.md": "# Ours\n"})
    listed = init(project).splitlines()
    assert listed[0].startswith("* gemini") and sum("*" in line for line in listed) == 1
    monkeypatch.setattr("whowrote.setup.commands.init.sys", terminal)
    run("init", project, program=cli, stdin="gemini\nn\n")
    assert (project / "GEMINI.md").read_text() == "# Ours\n"
    run("init", project, program=cli, stdin="gemini\ny\n")
    assert "whowrote" in (project / "GEMINI.md").read_text()


def test_a_mistyped_name_and_a_place_without_a_clone(project: Path, tmp_path: Path) -> None:
    assert "'cluade' is not one of 'claude'" in init(project, "cluade", code=EXIT_USAGE)
    assert "is not in a clone" in init(tmp_path, "claude", code=EXIT_USAGE)


def test_a_home_directory_only_when_asked(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    put(home, {".claude.json": '{"projects": {"/p": {"mcpServers": {"a": {}}}}}'})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    before = contents(home)
    init(project, "claude", "--yes")
    assert contents(home) == before
    run("init", "claude", "opencode", "--user", "--yes", program=cli)
    settings = json.loads((home / ".claude.json").read_text())
    assert (
        settings["mcpServers"]["whowrote"] and settings["projects"]["/p"]["mcpServers"]["a"] == {}
    )
    assert (home / ".config/opencode/opencode.json").is_file()
    run("init", "--undo", "--user", "--yes", program=cli)
    assert contents(home) == before
