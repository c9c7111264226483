"""The doctor makes ten requests, and tells what differs from what discovery assumes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.git_answers import make_repo
from support.github_server import TOKEN, GitHubServer, Repo, World

from collector.cli import cli
from collector.discover import channels

V1 = "refs/heads/entire/checkpoints/v1"
TRAILER = "x\n\nEntire-Checkpoint: 0123456789ab"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubServer]:
    repo = make_repo(tmp_path / "r.git", {"refs/heads/main": "m", V1: "v1"})
    files = {".entire/settings.json": "{}".ljust(200)}
    world = World([Repo("entireio/cli", git_dir=repo, files=files, commits=[("1", "2026-03-01T00:00:00Z", TRAILER)])])
    world.repos.append(Repo("jestjs/jest", git_dir=repo))
    world.renamed["facebook/jest"] = "jestjs/jest"
    with GitHubServer(world) as running:
        monkeypatch.setenv("GITHUB_API_URL", running.api_url)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        yield running


def doctor() -> tuple[int, dict[str, dict[str, Any]]]:
    done = CliRunner().invoke(cli, ["doctor", "--github", "--json"], prog_name="collect")
    return done.exit_code, {row["check"]: row for row in json.loads(done.stdout)}


def test_ten_requests_and_all_as_assumed(server: GitHubServer) -> None:
    code, rows = doctor()
    assert len(server.log) == 10
    asked = {name: row for name, row in rows.items() if not name.startswith("dry run")}
    assert len(asked) == 10 and {row["result"] for row in asked.values()} == {"as assumed"}
    plans = [row for name, row in rows.items() if name.startswith("dry run")]
    assert len(plans) == len(channels()) and code == 0


def test_what_differs_is_told(server: GitHubServer) -> None:
    server.moved_post, server.ignored = 404, {"size"}
    server.limits["search"] = (12, 6, 60)
    code, rows = doctor()
    differing = {name for name, row in rows.items() if row["result"] == "differs"}
    assert code == 3 and differing == {
        "limits of the API", "code search looks at size:", "POST of git to the old name facebook/jest",
    }  # fmt: skip
    assert rows["POST of git to the old name facebook/jest"]["found"] == "404"


def test_a_server_that_fails_is_said_for_each_check(server: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collector.github.client.FIRST_BACKOFF", 0.0)
    server.faults.extend(["500"] * 100)
    code, rows = doctor()
    assert code == 3 and rows["Search for commits"]["result"] == "not asked"
