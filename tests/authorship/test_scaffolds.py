"""Texts that a program writes when somebody sets it up are its own, in files that others write
too; what differs stays nobody's.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.builder import World
from support.line_answers import answers

from collector.vocabulary.agents import scaffolds

GITHUB = "GitHub <noreply@github.com>"
ADA = "Ada <ada@example.org>"
HOOK = [{"matcher": "", "hooks": [{"type": "command", "command": "entire hooks claude-code stop"}]}]
LINT = [{"matcher": "Edit", "hooks": [{"type": "command", "command": "npm run lint"}]}]
HOOKS = {
    "hooks": {"Stop": HOOK, "SessionEnd": HOOK},
    "permissions": {"deny": ["Read(./.entire/metadata/**)"]},
}
RULES = """\
<!-- BEGIN:nextjs-agent-rules -->
# This is NOT the Next.js you know

This version has breaking changes. Read the guide first.
<!-- END:nextjs-agent-rules -->
"""
NEWER_RULES = RULES.replace("# This is", "\n## This is").replace(
    "first.\n", "first.\n\nThis block is written and re-added by `next dev`.\n\n"
)
TEMPLATE = """\
# [PROJECT_NAME] Constitution
<!-- Example: Spec Constitution, TaskFlow Constitution, etc. -->

**Version**: [CONSTITUTION_VERSION] | **Ratified**: [RATIFICATION_DATE]
<!-- Example: Version: 2.1.1 -->
"""
CONTEXT = """\
# ledger Development Guidelines

Auto-generated from all feature plans. Last updated: 2026-01-05

## Active Technologies
- Python 3.12 (001-ledger)

<!-- MANUAL ADDITIONS START -->
<!-- MANUAL ADDITIONS END -->
"""
CARD = """\
"use client"

import * as React from "react"

import { cn } from "@/lib/utils"

function Card({ className, ...props }: React.ComponentProps<"div">) {
  return <div data-slot="card" className={cn("rounded-xl", className)} {...props} />
}

export { Card }
"""
HOOK_SCRIPT = """\
#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.11"
# ///

print("stopped")
"""
CLAUDE = "Co-Authored-By: Claude <noreply@anthropic.com>"


def _sources(
    directory: Path, path: str, text: str, subject: str, author: str, before: str | None = None
) -> list[tuple[str, str]]:
    """(text, source) of the lines with text that a commit adds; `before`: the file in an earlier
    commit, "" for another file.
    """
    world = World("scaffold")
    if before is not None:
        world.human_write(path if before else "other.md", before or "# Other\n")
        world.commit("Start the ledger", author=author)
    world.human_write(path, text)
    found = answers(world, world.commit(subject, author=author), directory)
    return [(line.text.strip(), line.source) for line in found[path] if line.text.strip()]


@pytest.mark.parametrize(
    ("path", "text", "subject", "author", "tool"),
    [
        (".claude/settings.json", json.dumps(HOOKS, indent=2), "Set up", ADA, "Entire"),
        (
            ".entire/settings.json",
            '{\n  "strategy": "manual-commit",\n  "enabled": true\n}\n',
            "Set up",
            ADA,
            "Entire",
        ),
        ("AGENTS.md", RULES, "Set up", ADA, "create-next-app"),
        ("web/AGENTS.md", RULES, "Set up", ADA, "create-next-app"),
        ("AGENTS.md", NEWER_RULES, "Set up", ADA, "create-next-app"),
        ("AGENTS.md", CONTEXT, "Set up", ADA, "spec-kit"),
        ("CLAUDE.md", CONTEXT, "Set up", ADA, "spec-kit"),
        (
            ".specify/memory/constitution.md",
            "# [PROJECT_NAME] Constitution\n### [PRINCIPLE_1_NAME]\n",
            "Set up",
            ADA,
            "spec-kit",
        ),
        (
            "app/page.tsx",
            "export default () => null\n",
            "Initial commit from Create Next App",
            ADA,
            "create-next-app",
        ),
        (
            "CLAUDE.md",
            "@AGENTS.md\n",
            "Initial commit from Create Next App",
            ADA,
            "create-next-app",
        ),
        (
            ".specify/memory/own.md",
            "# Rules\n",
            "Initial commit from Specify template",
            ADA,
            "spec-kit",
        ),
        (
            "src/pages/index.astro",
            "<h1>Astro</h1>\n",
            "Initial commit from Astro",
            ADA,
            "create-astro",
        ),
        (
            ".codex/config.toml",
            '[projects."/home/ada/ledger"]\ntrust_level = "trusted"\n',
            "Set up",
            ADA,
            "Codex",
        ),
        (
            "app/vcpkg_installed/x64-linux/include/ledger.h",
            "#define A 1\n",
            "Add packages",
            ADA,
            "package manager",
        ),
        (".venv/lib/python3.12/site.py", "A = 1\n", "Add the environment", ADA, "package manager"),
        ("_bmad/bmm/workflows/4-implementation/story.md", "# Story\n", "Install BMAD", ADA, "BMAD"),
        (".codex/superpowers/README.md", "# Superpowers\n", "Add skills", ADA, "Superpowers"),
        (
            "AGENTS.md",
            "<!-- omx:generated:agents-md -->\n\n# Rules\n",
            "Set up",
            ADA,
            "oh-my-codex",
        ),
        (
            ".codex/agents/analyst.toml",
            '# oh-my-codex agent: analyst\nname = "analyst"\n',
            "Set up",
            ADA,
            "oh-my-codex",
        ),
        (".specify/memory/constitution.md", TEMPLATE, "Set up", ADA, "spec-kit"),
        (
            ".codex/history.jsonl",
            '{"session_id":"a","ts":1,"text":"Tidy"}\n',
            "Tidy",
            ADA,
            "generator",
        ),
        (".codex/history.jsonl", '{"text":"Tidy"}\n{"text":"More"}\n', "More", ADA, "generator"),
        ("README.md", "# ledger-web", "Initial commit", GITHUB, "GitHub"),
        ("LICENSE", "MIT License\n\nCopyright (c) 2026 Ada\n", "Initial commit", GITHUB, "GitHub"),
        (".gitignore", "node_modules/\n", "Initial commit", GITHUB, "GitHub"),
        ("web/src/components/ui/card.tsx", CARD, "Add a card", ADA, "shadcn"),
        (
            "components/ui/card.tsx",
            CARD.replace('"\n', '";\n').replace('"use client";\n\n', ""),
            "Add a card",
            ADA,
            "shadcn",
        ),
        (".claude/hooks/stop.py", HOOK_SCRIPT, "Add hooks", ADA, "claude-code-hooks-mastery"),
        (
            ".claude/hooks/utils/tts/openai_tts.py",
            HOOK_SCRIPT,
            "Add hooks",
            ADA,
            "claude-code-hooks-mastery",
        ),
        (
            ".claude/status_lines/status_line_v2.py",
            HOOK_SCRIPT,
            "Add hooks",
            ADA,
            "claude-code-hooks-mastery",
        ),
        ("app/windows/runner/utils.cpp", '#include "utils.h"\n', "Start", ADA, "flutter create"),
        ("ios/Runner/AppDelegate.swift", "import Flutter\n", "Start", ADA, "flutter create"),
        ("android/gradlew.bat", "@rem Gradle startup script\n", "Start", ADA, "Gradle"),
        (
            "src/vite-env.d.ts",
            '/// <reference types="vite/client" />\n',
            "Start",
            ADA,
            "create-vite",
        ),
        (
            ".claude/skills/skill-creator/scripts/run_eval.py",
            "RUNS = 3\n",
            "Add skills",
            ADA,
            "Anthropic's skills",
        ),
        (
            ".agents/skills/docx/ooxml/scripts/pack.py",
            "PACK = 1\n",
            "Add skills",
            ADA,
            "Anthropic's skills",
        ),
        (
            ".claude/skills/vercel-react-best-practices/rules/js-cache.md",
            "# Cache\n",
            "Add skills",
            ADA,
            "Vercel's skills",
        ),
        (
            ".github/skills/bmad-agent-builder/scripts/init.py",
            "INIT = 1\n",
            "Install BMAD",
            ADA,
            "BMAD",
        ),
        (".claude/skills/wds-4-ux-design/SKILL.md", "# Design\n", "Install BMAD", ADA, "BMAD"),
        (
            ".entire/settings.json",
            '{\n  "enabled": true\n}\n',
            f"Set up\n\n{CLAUDE}",
            ADA,
            "Entire",
        ),
    ],
)
def test_what_a_program_writes_is_its_own(
    path: str, text: str, subject: str, author: str, tool: str, tmp_path: Path
) -> None:
    assert {source for _, source in _sources(tmp_path, path, text, subject, author)} == {
        f"tool {tool} unknown"
    }


@pytest.mark.parametrize(
    ("path", "text", "subject", "author", "before"),
    [
        (
            ".claude/settings.json",
            json.dumps({"hooks": {"PostToolUse": LINT}}, indent=2),
            "Set up",
            ADA,
            None,
        ),
        (
            ".claude/settings.json",
            '{\n  "permissions": {\n    "deny": []\n  }\n}\n',
            "Set up",
            ADA,
            None,
        ),
        (
            ".entire/settings.json",
            '{\n  "enabled": true,\n  "log_level": "debug"\n}\n',
            "Set up",
            ADA,
            None,
        ),
        (
            ".entire/settings.json",
            '{\n  "enabled": false\n}\n',
            "Off",
            ADA,
            '{\n  "enabled": true\n}\n',
        ),
        ("AGENTS.md", RULES.replace("first", "last"), "Reword", ADA, RULES),
        ("AGENTS.md", "# Rules\n\nRead the guide first.\n", "Set up", ADA, None),
        ("AGENTS.md", CONTEXT.replace("3.12", "3.13"), "Newer", ADA, CONTEXT),
        ("CLAUDE.md", "@AGENTS.md\n", "Set up", ADA, None),
        (
            ".specify/memory/constitution.md",
            "# Ledger Constitution\n### Small steps\n",
            "Set up",
            ADA,
            None,
        ),
        (
            "app/page.tsx",
            "export default () => null\n",
            "Initial commit from Create Next App",
            ADA,
            "",
        ),
        ("docs/plan.md", "# Plan\n", "Initial commit from Create Next App", ADA, None),
        (".claude/rules.md", "# Ours\n", "Initial commit from Create Next App", ADA, None),
        (".travis.yml", "language: node_js\n", "Initial commit from Create Next App", ADA, None),
        ("src/own.py", "OWN = 1\n", "Initial commit from Specify template", ADA, None),
        ("README.md", "# ledger-web", "Initial commit", ADA, None),
        ("README.md", "# ledger-web", "Initial commit", GITHUB, ""),
        ("README.md", "# Our ledger of the year\n", "Initial commit", GITHUB, None),
        ("README.md", "# ledger\n\nHow to use it\n\n## Install\n", "Initial commit", GITHUB, None),
        ("src/app.py", "LEDGER = 1\n", "Initial commit", GITHUB, None),
        ("src/pages/index.astro", "<h1>Astro</h1>\n", "Initial commit from Astro", ADA, ""),
        (".codex/config.toml", 'model = "gpt-5"\n', "Set up", ADA, None),
        (
            ".codex/config.toml",
            '[projects."/home/ada/ledger"]\ntrust_level = "trusted"\n',
            "Trust",
            ADA,
            '[projects."/home/ada/ledger"]\n',
        ),
        (
            "_bmad/bmm/workflows/4-implementation/story.md",
            "# Our story\n",
            "Reword",
            ADA,
            "# Story\n",
        ),
        ("AGENTS.md", "# Rules\n\n<!-- omx:generated:agents-md -->\n", "Set up", ADA, None),
        (".codex/agents/own.toml", 'name = "analyst"\n', "Set up", ADA, None),
        (
            "tests/fixtures/node_modules/ledger/index.js",
            "module.exports = 1\n",
            "Add a fixture",
            ADA,
            None,
        ),
        ("ui/src/Pods/PodList.tsx", "export const PodList = 1\n", "List pods", ADA, None),
        (".bmad/custom/modules/own.md", "# Ours\n", "Add rules", ADA, None),
        ("components/ui/card.tsx", CARD.replace("rounded-xl", "rounded-lg"), "Rounder", ADA, CARD),
        ("components/ui/card.tsx", CARD.replace('data-slot="card" ', ""), "Our card", ADA, None),
        (
            "components/ui/card.tsx",
            CARD.replace("@/lib/utils", "@/lib/names"),
            "Our card",
            ADA,
            None,
        ),
        # it may have written that itself
        ("components/ui/card.tsx", CARD, f"Add a card\n\n{CLAUDE}", ADA, None),
        (".claude/hooks/stop.py", HOOK_SCRIPT, f"Add a hook\n\n{CLAUDE}", ADA, None),
        ("windows/runner/ledger.cpp", "int main() {}\n", "Add the ledger", ADA, None),
        (
            "ios/Runner/AppDelegate.swift",
            "import Flutter\nimport Ledger\n",
            "Use the ledger",
            ADA,
            "import Flutter\n",
        ),
        (".claude/skills/skill-creator/scripts/own.py", "OWN = 1\n", "Add a script", ADA, None),
    ],
)
def test_what_differs_from_it_is_nobodys(
    path: str, text: str, subject: str, author: str, before: str | None, tmp_path: Path
) -> None:
    found = _sources(tmp_path, path, text, subject, author, before)
    assert found
    assert not [line for line in found if line[1].startswith("tool")]


def test_hooks_beside_those_of_others(tmp_path: Path) -> None:
    text = json.dumps({"hooks": {"Stop": HOOK, "PostToolUse": LINT}}, indent=2)
    found = _sources(tmp_path, ".claude/settings.json", text, "Set up", ADA)
    others = [line for line, source in found if not source.startswith("tool")]
    assert '"command": "npm run lint"' in others
    assert not [line for line in others if "entire hooks" in line or '"Stop"' in line]


def test_a_description_is_no_part_of_the_name(tmp_path: Path) -> None:
    found = _sources(
        tmp_path, "README.md", "# ledger\nSmall expenses of every day\n", "Initial commit", GITHUB
    )
    assert [source.split()[0] for _, source in found] == ["tool", "unknown"]


def test_what_an_agent_is_recorded_to_have_written_stays_its_own(tmp_path: Path) -> None:
    world = World("agents")
    session = world.session(prompt="Write the rules down")
    session.write("AGENTS.md", RULES)
    session.end_turn()
    found = answers(world, world.commit("Set up", [session]), tmp_path)
    assert {line.source for line in found["AGENTS.md"] if line.text.strip()} == {"agent"}


@pytest.mark.parametrize(
    "repeated",
    [
        "1",
        '"TodoWrite",',
        '"hooksAb",',
        '"x entire hooks a b",',
        "[",
        '"enabled": true,',
        '"Stop": [{"hooks": [',
        "[PROJECT_NAME]\n",
        "# A Development Guidelines\n\nAuto-generated from all feature plans. Last updated: \n",
    ],
)
@pytest.mark.parametrize("start", ["", '{"entire hooks claude-code stop", '])
def test_no_file_keeps_a_text_of_a_program_from_ending(repeated: str, start: str) -> None:
    """Such a file would never be done, if what was matched were tried in every other way."""
    for scaffold in scaffolds():
        matches = (
            [match[0] for match in scaffold.text.finditer(start + repeated * 400 + "!")]
            if scaffold.text.pattern
            else []
        )
        assert not any(match.endswith("!") for match in matches if scaffold.program == "Entire")
