"""`whowrote init` in small projects: each file is read by the rules of its client."""

from __future__ import annotations

import json
import os
import re
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

CLIENTS = ("claude", "codex", "gemini", "opencode", "cursor", "copilot")
SERVER = {"command": "whowrote", "args": ["serve", "mcp"]}
KEYS = {
    ".mcp.json": "mcpServers",
    ".gemini/settings.json": "mcpServers",
    ".cursor/mcp.json": "mcpServers",
    ".vscode/mcp.json": "servers",
}
RULES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md")
SKILLS = (".claude/skills/whowrote/SKILL.md", ".agents/skills/whowrote/SKILL.md")
OTHERS = ("opencode.json", ".codex/config.toml", ".cursor/rules/whowrote.mdc")
FILES = {
    "opencode.json": """{
\t// what we use
\t"mcp": { // servers, "mcp": {
\t\t"other": {"type": "local", "command": ["x", "// no comment"]}, /* the last one */
\t},
}
""",
    ".codex/config.toml": 'model = "m" # ours\n\n[mcp_servers.other]\ncommand = "x"',
    ".mcp.json": '{"mcpServers": {}, "x": 1}',
    ".cursor/mcp.json": '{\n    "mcpServers": {\n        "a": {"command": "b"}\n    }\n}\n',
    "AGENTS.md": "# Ours",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    git(tmp_path, "init", "-q", "--template=", str(root))
    return root


def put(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("latin-1"))
    return path


def contents(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def init(root: Path, *words: str, code: int = 0, stdin: str = "") -> str:
    return run("init", root, *words, program=cli, code=code, stdin=stdin).output


def test_every_client_can_read_what_is_written(project: Path) -> None:
    init(project, *CLIENTS, "--yes")
    texts = {name: (project / name).read_text() for name in (*KEYS, *RULES, *SKILLS, *OTHERS)}
    for name, key in KEYS.items():
        entry = json.loads(texts[name])[key]["whowrote"]
        assert entry["command"] == "whowrote" and entry["args"][:2] == ["serve", "mcp"]
    opencode, codex, mdc = (texts[name] for name in OTHERS)
    server = json.loads(opencode)["mcp"]["whowrote"]
    assert server == {"type": "local", "command": ["whowrote", "serve", "mcp"]}
    assert tomllib.loads(codex) == {"mcp_servers": {"whowrote": SERVER}}
    for name in SKILLS:
        head = yaml.safe_load(texts[name].split("---")[1])
        assert head["name"] == "whowrote"
        assert len(texts[name]) < 2_000 * 4
    _, head, rule = mdc.split("---\n")
    assert "alwaysApply: true" in head
    assert all(rule.strip() in texts[name] and texts[name].count("\n") < 10 for name in RULES)


def test_the_tools_that_the_skill_names_are_those_of_the_server() -> None:
    skill = (ROOT / "whowrote/setup/clients.toml").read_text()
    tools = re.findall(r"(?m)^\| `(\w+\()", (ROOT / "docs/mcp.md").read_text())
    assert tools and all(tool in skill for tool in tools)


def test_the_job_is_the_one_of_the_docs(project: Path) -> None:
    init(project, "ci", "--yes")
    example = ROOT / "docs/examples/attribution-on-pull-requests.yml"
    written = project / ".github/workflows/whowrote.yml"
    job, shown = (path.read_text().partition("\non:")[2] for path in (written, example))
    assert job == shown and "uses: whowrote/whowrote" in job


def test_nothing_is_lost_and_undo_gives_every_byte_back(project: Path) -> None:
    for name, text in FILES.items():
        put(project, name, text)
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    before = contents(project)
    assert "--yes writes it" in init(project, *CLIENTS)
    init(project, *CLIENTS, "--dry-run", "--yes")
    assert contents(project) == before
    init(project, *CLIENTS, "--yes")
    kept = (project / "opencode.json").read_text()
    assert {*FILES["opencode.json"].splitlines()} <= {*kept.splitlines()}
    assert tomllib.loads((project / ".codex/config.toml").read_text())["model"] == "m"
    assert '\n        "whowrote": {\n            "c' in (project / ".cursor/mcp.json").read_text()
    assert (project / "AGENTS.md").read_text().count("end of whowrote") == 1
    once = contents(project)
    assert init(project, *CLIENTS, "--yes") == "nothing to change\n"
    assert contents(project) == once
    init(project, "--undo", "--yes")
    assert contents(project) == before


def test_undo_keeps_what_was_edited_in_between(project: Path) -> None:
    init(project, "claude", "codex", "gemini", "cursor", "--yes")
    init(project, "--undo", "cursor", "--yes")
    assert not (project / ".cursor").exists()

    def edit(name: str, old: str, new: str) -> Path:
        return put(project, name, (project / name).read_text().replace(old, new))

    servers = edit(".mcp.json", "]\n    }", ']\n    },\n    "mine": {"command": "x"}')
    rule = edit("CLAUDE.md", "<!-- whowrote", "# Mine\n<!-- whowrote")
    settings = edit(".gemini/settings.json", '"serve"', '"serve", "--quiet"')
    block = edit("AGENTS.md", "nobody knows", "ask Ada")
    (project / ".codex/config.toml").unlink()
    shown = init(project, "--undo", "--yes", code=EXIT_PARTIAL)
    assert json.loads(servers.read_text()) == {"mcpServers": {"mine": {"command": "x"}}}
    assert rule.read_text() == "# Mine\n"
    assert "ask Ada" in block.read_text() and "--quiet" in settings.read_text()
    assert shown.count("stays as it is: what was put there has been changed") == 2
    assert not (project / ".claude").exists()


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (".mcp.json", '{"mcpServers": {', "Expecting"),
        (".mcp.json", '{"mcpServers": {"whowrote": {"command": "x"}}}', "another entry"),
        (".mcp.json", "\xff", "decode"),
        ("CLAUDE.md", "<!-- whowrote: why lines are here -->\nmine", "add what it lacks"),
        (".codex/config.toml", "mcp_servers = {}\n", "Cannot"),
        (".git/hooks/prepare-commit-msg", "#!/bin/sh\nexit 0\n", "whowrote disclose --hook"),
    ],
)
def test_what_cannot_be_written_to_stays_as_it_is(
    project: Path, name: str, text: str, why: str
) -> None:
    path = put(project, name, text)
    before = path.read_bytes()
    shown = init(project, "claude", "codex", "hook", "--yes", code=EXIT_PARTIAL)
    assert f"{name} stays as it is" in shown and why in shown
    assert path.read_bytes() == before


@pytest.mark.parametrize("target", ["../outside.md", ".git/config"])
def test_a_link_out_of_the_project_is_not_followed(project: Path, target: str) -> None:
    put(project.parent, "outside.md", "theirs\n")
    (project / "AGENTS.md").symlink_to(target)
    before = (project / target).read_bytes()
    assert "a link leads out" in init(project, "codex", "--yes", code=EXIT_PARTIAL)
    assert (project / target).read_bytes() == before


def test_the_hook_adds_what_disclose_says_and_is_where_git_looks(project: Path) -> None:
    git(project, "config", "core.hooksPath", ".githooks")
    init(project, "hook", "--yes")
    program = put(project, "bin/whowrote", "#!/bin/sh\necho 'Assisted-by: Claude Code'\n")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    message = put(project, "message", "Add a\n")
    for _ in range(2):
        command = [project / ".githooks/prepare-commit-msg", message]
        subprocess.run(command, env=environment, check=True)
    assert message.read_text() == "Add a\n\nAssisted-by: Claude Code\n"


def test_a_person_is_shown_what_there_is_and_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = put(project, "GEMINI.md", "# Ours\n")
    listed = init(project).splitlines()
    assert listed[0].startswith("* gemini")
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("whowrote.setup.commands.init.sys", terminal)
    init(project, stdin="gemini\nn\n")
    assert rule.read_text() == "# Ours\n"
    init(project, stdin="gemini\ny\n")
    assert "whowrote" in rule.read_text()


def test_a_mistyped_name_and_a_place_without_a_clone(project: Path, tmp_path: Path) -> None:
    assert "'cluade' is not one of 'claude'" in init(project, "cluade", code=EXIT_USAGE)
    init(tmp_path, "claude", code=EXIT_USAGE)


def test_a_home_directory_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = put(tmp_path, ".claude.json", '{"projects": {"/p": {"mcpServers": {"a": {}}}}}')
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    before = contents(tmp_path)
    run("init", "claude", "--user", "--yes", program=cli)
    assert json.loads(settings.read_text())["mcpServers"] == {"whowrote": SERVER}
    run("init", "--undo", "--user", "--yes", program=cli)
    assert contents(tmp_path) == before
