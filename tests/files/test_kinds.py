"""The kind of a file version by its path, its bytes and what the repository says of it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.files.kinds import (
    BY_HAND,
    attributes_of,
    has_long_line,
    head_of,
    kind_of,
    kind_of_text,
    kind_of_version,
)
from collector.vocabulary.agents import shipped_by
from collector.vocabulary.lines import HEADLINE, FileKind

PATHS = {
    FileKind.SOURCE: (
        "src/app.ts main.go lib/a.py index.html style.css Makefile Dockerfile a/b/contest.py"
        " src/latest.rs bin/run app/deps/auth.py src/_build/ledger.py lib/logs.ex cmd/logs/main.go"
    ),
    FileKind.TEST: (
        "tests/test_a.py src/a.test.ts a_test.go spec/a_spec.rb src/AppTest.java e2e/login.cy.ts"
        " conftest.py __tests__/a.js testdata/a.go pkg/fixtures/a.py benches/speed.rs"
    ),
    FileKind.DOCS: (
        "README.md README LICENSE CHANGELOG docs/guide.rst a.txt notes.adoc CONTRIBUTING.md"
        " LICENSE.txt"
    ),
    FileKind.CONFIG: (
        "pyproject.toml package.json .gitignore tsconfig.json tsconfig.build.json"
        " .github/workflows/ci.yml go.mod setup.cfg .claude/settings.json"
        " .claude/settings.local.json .mcp.json requirements.txt requirements-dev.txt .env.example"
        " biome.json .prettierrc CODEOWNERS .entire/settings.json .cursor/rules/own.yaml"
        " src/Ledger.csproj public/manifest.webmanifest"
    ),
    FileKind.DATA: (
        "data/rows.csv a.json icon.svg book.ipynb server.log fix.patch locale/de.po Ledger.sln"
        " demo.cast runs/1/logs part.stl"
    ),
    FileKind.LOCK: (
        "package-lock.json yarn.lock pnpm-lock.yaml uv.lock poetry.lock Cargo.lock go.sum"
        " Gemfile.lock web/bun.lock composer.lock flake.lock Package.resolved deno.lock"
    ),
    FileKind.GENERATED: (
        "api/rows.pb.go api/rows_pb2.py src/__generated__/a.ts dist/index.js schema.gen.ts"
        " zz_generated.deepcopy.go __snapshots__/a.snap.js a.test.tsx.snap .next/server.js"
        " Tally.xcodeproj/project.pbxproj Base.lproj/MainMenu.xib board.kicad_pcb player.gd.uid"
        " lib/a.g.dart l/app_localizations_pt_BR.dart a.freezed.dart next-env.d.ts"
        " drizzle/meta/0001_snapshot.json src/ledger.egg-info/PKG-INFO playwright-report/index.html"
        " htmlcov/index.html web/tsconfig.tsbuildinfo _build/test/lib/ledger/ebin/ledger.app"
        " docs/_build/html/index.html obj/Debug/net8.0/Ledger.cs obj/Ledger.csproj.nuget.g.props"
        " .codex/history.jsonl .codex/auth.json .codex/version.json .codex/models_cache.json"
        " .codex/.personality_migration .codex/shell_snapshots/a.sh .claude/file-history/a/b@v1"
        " .claude/plugins/marketplaces/own/README.md .claude/history.jsonl"
        " .codex/tmp/path/a/apply_patch.bat lib/tally.d.ts.map _site/index.html"
        " allure-report/index.html public/build/app.js"
        " .claude/debug/439a9b22-0442-41b6-b93e-68eb3699ae65.txt .claude/data/sessions/a.json"
    ),
    FileKind.VENDORED: (
        "node_modules/a/index.js vendor/github.com/a/b.go third_party/a.c .yarn/releases/yarn.cjs"
        " vendors/a.py .claude/skills/gitbutler/references/concepts.md app/vcpkg_installed/x64/a.h"
        " managed_components/mdns/mdns.c contracts/lib/forge-std/Test.sol .pio/libdeps/uno/a.cpp"
        " packages/Newtonsoft.Json.13.0.3/lib/a.cs android/gradlew build-aux/config.guess"
        " .claude/agents/kfc/spec-impl.md .claude/skills/gitnexus/gitnexus-cli/SKILL.md"
        " .codex/skills/.system/skill-creator/scripts/init_skill.py"
        " web/.specify/scripts/bash/setup-plan.sh .specify/templates/spec-template.md"
        " .codex/prompts/speckit.plan.md .gemini/commands/speckit.tasks.toml"
        " .github/prompts/speckit.specify.prompt.md .taskmaster/templates/example_prd_rpg.txt"
        " _bmad/bmm/workflows/1-analysis/research/workflow.md .bmad/core/tasks/shard-doc.xml"
        " bmad/bmb/docs/workflows.md .codex/prompts/bmad-bmm-agents-pm.md"
        " .claude/commands/bmad/bmm/agents/pm.md .bmad/_cfg/files-manifest.csv"
        " .codex/superpowers/skills/brainstorming/SKILL.md .venv/lib/python3.12/os.py"
        " api/venv/pyvenv.cfg .bmad-core/agents/dev.md .claude/commands/BMad/tasks/shard-doc.md"
        " .claude/commands/openspec/apply.md static/jquery-3.6.0.js js/jquery.js"
        " css/tailwind-2.0.4.css game/Library/PackageCache/com.unity.a/b.cs"
    ),
    FileKind.MINIFIED: "a.min.js public/app.bundle.js style-min.css main.js.map",
    FileKind.RECORDER: (
        ".entire/logs/entire.log .entire/metadata/2026-03-02-1/full.jsonl .aider.chat.history.md"
        " .specstory/history/a.md .cursor/rules/derived-cursor-rules.mdc"
        " .claude/logs/pre_tool_use.json logs/4ab0ce60/post_tool_use.json logs/subagent_stop.json"
        " logs/subagent_start.json logs/pre_compact.json runs/one.traj runs/one.traj.json"
        " docs/session-ses_3f83.md"
    ),
}


@pytest.mark.parametrize(
    ("kind", "path"), [(kind, path) for kind, paths in PATHS.items() for path in paths.split()]
)
def test_kind_of_a_path(kind: FileKind, path: str) -> None:
    assert kind_of(path) is kind


OWN = {
    FileKind.DOCS: [
        ".codex/skills/own/SKILL.md",
        ".claude/debug/notes.md",
        ".bmad/custom/modules/rules.md",
        ".claude/commands/bmad.md",
        "venv.md",
        ".specify/memory/constitution.md",
        ".claude/commands/speckit.own.md",
        "specs/001-ledger/spec.md",
        ".taskmaster/docs/prd.txt",
        "docs/speckit.plan.md",
        "docs/session-notes.md",
    ],
    FileKind.CONFIG: [
        ".codex/rules/default.rules",
        "app/.cursor/rules/style.mdc",
        ".windsurf/rules/style",
        ".cursorrules",
        ".goosehints",
        ".roomodes",
        ".codex/config.toml",
        "_bmad/_config/agents/bmm-pm.customize.yaml",
        "_bmad/bmm/config.yaml",
        ".bmad/bmm/workflows/own/workflow.yaml",
        ".bmad-core/core-config.yaml",
    ],
    FileKind.SOURCE: [
        ".claude/hooks/check",
        ".claude/hooks/check.py",
        "src/business.rules",
        "lib/python/a.py",
        "src/logs/chat.ts",
        "trajectories/plan.py",
        ".specify/scripts/bash/own.sh",
        "components/ui/button.tsx",
        "db/upgrade-1.2.3.js",
        "src/jquery.cart.js",
        "src/react-app.js",
    ],
    FileKind.VENDORED: [
        "tools/env/bin/activate",
        "myenv/lib/python3.11/os.py",
        ".venv-linux/a.py",
    ],
    FileKind.GENERATED: [
        "docs/.ipynb_checkpoints/a.py",
        "public/_next/static/chunks/a.js",
    ],
    FileKind.DATA: [
        "logs/build.json",
        "chat.json",
        "logs/notification.json",
        ".claude/version.json",
        "src/history.jsonl",
    ],
}


@pytest.mark.parametrize(
    ("path", "kind"),
    [(path, kind) for kind, paths in OWN.items() for path in paths],
)
def test_files_that_people_write_beside_shipped_ones_are_theirs(path: str, kind: FileKind) -> None:
    assert kind_of(path) is kind
    assert not shipped_by(path)


def test_every_kind_has_paths() -> None:
    assert set(PATHS) == set(FileKind)
    assert HEADLINE < BY_HAND


@pytest.mark.parametrize(
    ("attributes", "path", "kind"),
    [
        ("*.ts linguist-generated", "src/app.ts", FileKind.GENERATED),
        ("*.ts linguist-generated=true", "src/app.ts", FileKind.GENERATED),
        ("*.ts linguist-generated=false", "dist/app.ts", FileKind.SOURCE),
        ("*.ts -linguist-generated", "dist/app.ts", FileKind.SOURCE),
        ("*.pb.go -linguist-generated", "api/rows.pb.go", FileKind.SOURCE),
        ("vendor/** -linguist-vendored", "vendor/a.go", FileKind.SOURCE),
        ("lib/** linguist-vendored", "lib/a/b.go", FileKind.VENDORED),
        ("*.md -linguist-documentation", "README.md", FileKind.SOURCE),
        ("guide/** linguist-documentation", "guide/a.py", FileKind.DOCS),
        ("* linguist-generated\n*.ts -linguist-generated", "src/app.ts", FileKind.SOURCE),
        ("*.ts -linguist-generated\n* linguist-generated", "src/app.ts", FileKind.GENERATED),
        ("# *.ts linguist-generated", "src/app.ts", FileKind.SOURCE),
        ("*.ts text eol=lf", "src/app.ts", FileKind.SOURCE),
        ("*.ts", "src/app.ts", FileKind.SOURCE),
        ("", "src/app.ts", FileKind.SOURCE),
        ("*.lock -linguist-generated", "uv.lock", FileKind.LOCK),
    ],
)
def test_attributes_have_the_last_word(attributes: str, path: str, kind: FileKind) -> None:
    assert kind_of(path, attributes_of(attributes)) is kind


def test_attributes_of_a_directory_hold_below_it() -> None:
    rules = attributes_of("*.ts linguist-generated", "api")
    assert kind_of("api/v1/rows.ts", rules) is FileKind.GENERATED
    assert kind_of("src/rows.ts", rules) is FileKind.SOURCE


HEADS = [
    b"// Code generated by protoc-gen-go. DO NOT EDIT.\n",
    (
        b"// Auto-generated by `tool enable --agent x`.\n// Do not edit manually - changes will be"
        b" overwritten.\n"
    ),
    b"/* @generated by the build */\n",
    b"# This file was automatically generated by make; do not edit.\n",
    b"// THIS FILE IS AUTOGENERATED\n",
    b"# Generated by the protocol buffer compiler.\n",
    b"\n" * 30 + b"// Code generated by sqlc. DO NOT EDIT.\n",
]


@pytest.mark.parametrize("head", HEADS)
def test_generated_head(head: bytes) -> None:
    assert kind_of_version("src/app.go", head + b"package main\n") is FileKind.GENERATED
    kept = attributes_of("*.go -linguist-generated")
    assert kind_of_version("src/app.go", head + b"package main\n", kept) is FileKind.SOURCE
    assert kind_of_version("uv.lock", head) is FileKind.LOCK


@pytest.mark.parametrize(
    "text",
    [
        b"// The code is generated once a day and then edited.\n",
        b"\n" * 60 + b"// Code generated by sqlc. DO NOT EDIT.\n",
        b"def generated(): return 1\n",
        b"",
    ],
)
def test_text_that_is_not_generated(text: bytes) -> None:
    assert kind_of_version("src/app.go", text) is FileKind.SOURCE


@pytest.mark.parametrize(
    "head",
    [
        b'<meta name="generator" content="pandoc" />',
        b"<!-- Generated by javadoc (17) on Fri Jan 12 -->",
        b"<!-- saved from url=(0026)https://example.com/ -->",
        b'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL">',
        b'<link rel="preload" as="script" href="/_next/static/chunks/webpack-1.js"/>',
        b"<script>window.PlotlyConfig = {MathJaxConfig: 'local'};</script>",
        b'<script src="https://cdnjs.cloudflare.com/ajax/libs/require.js/2.1.10/require.min.js">',
    ],
)
def test_converted_documents(head: bytes) -> None:
    page = b"<!DOCTYPE html>\n<html>\n<head>\n" + head + b"\n</head>\n"
    assert kind_of_version("docs/a.xhtml", page) is FileKind.GENERATED
    assert kind_of_version("docs/a.html", page) is FileKind.GENERATED
    assert kind_of_version("src/a.py", page) is FileKind.SOURCE


def test_pointers_of_git_lfs_are_no_source() -> None:
    pointer = (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"
    )
    assert (
        kind_of_version("model.bin", pointer)
        is kind_of_version("src/a.py", pointer)
        is FileKind.DATA
    )
    assert kind_of_version("src/a.py", b"# " + pointer) is FileKind.SOURCE


@pytest.mark.parametrize(
    "name", ["chat", "notification", "stop", "session_start", "status_line", "4ab0ce60/stop"]
)
def test_logs_that_hooks_write_are_told_by_their_text(name: str) -> None:
    path = f"logs/{name}.json"
    hooks = (
        b'[\n  {\n    "input_data": {\n      "session_id": "a",\n      "transcript_path":'
        b' "/home/ada/.claude/projects/a.jsonl"'
    )
    chat = b'[\n  {\n    "type": "summary",\n    "leafUuid": "f4fa"\n  }'
    assert kind_of_version(path, hooks) is kind_of_version(path, chat) is FileKind.RECORDER
    assert (
        kind_of_version(path, b'[\n  {\n    "session_id": "a",\n    "title": "Paid"\n  }')
        is FileKind.DATA
    )
    assert kind_of_version("data/rows.json", hooks) is FileKind.DATA


def test_minified_text() -> None:
    assert kind_of_text(b"a" * 6_000, "js") is FileKind.MINIFIED
    assert kind_of_text(b"a" * 6_000, "py") is None
    assert kind_of_text(b"short = 1;\n" * 500, "js") is None
    dense = b"x" * 1_500 + b"\n" + b"y" * 200 + b"\n" * 6
    assert kind_of_text(dense, "css") is FileKind.MINIFIED
    assert has_long_line(b"a" * 5_001) and not has_long_line(b"a" * 5_000 + b"\n" + b"b" * 5_000)


def test_head_is_of_a_bounded_size() -> None:
    assert len(head_of(b"a" * 1_000_000)) == 8_000
    assert head_of(b"a\n" * 100) == b"a\n" * 40
    assert head_of(b"no newline") == b"no newline"


@given(st.text(max_size=60))
def test_any_path_has_a_kind(path: str) -> None:
    assert kind_of(path) in FileKind


@given(st.text(max_size=80), st.text(max_size=20))
def test_any_attributes_can_be_read(text: str, path: str) -> None:
    assert kind_of(path, attributes_of(text)) in FileKind


HOSTILE = [
    "a/" * 50_000,
    "." * 100_000,
    "test_" * 20_000,
    "config." * 15_000,
    "-" * 100_000,
    ".entire/" * 12_000,
    "LICENSE." * 12_000,
    "mock_" * 20_000,
    "jquery-1." * 10_000,
]


@pytest.mark.parametrize("path", HOSTILE, ids=[path[:8] for path in HOSTILE])
def test_hostile_paths_take_linear_time(path: str) -> None:
    started = time.process_time()
    kind_of(path)
    kind_of(path + "x\n")
    assert time.process_time() - started < 2.0


HOSTILE_HEADS = [
    b"Code generated " * 600,
    b"<meta " * 1_400,
    b"auto-generated by " * 450,
    b"THIS FILE IS " * 600,
    b"<!-- generated by " * 450,
]


@pytest.mark.parametrize("text", HOSTILE_HEADS, ids=[text[:12].decode() for text in HOSTILE_HEADS])
def test_hostile_heads_take_bounded_time(text: bytes) -> None:
    started = time.process_time()
    kind_of_text(text * 50, "html")
    assert time.process_time() - started < 2.0
