"""The action for pull requests: its report step on a clone, and that nothing from outside gets
into its scripts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from support import ROOT, fake_semgrep
from support.answers import column
from support.builder import commit_by_ada, git, object_id
from support.commands import clone

from collector.json_values import JsonObject, Texts

yaml = pytest.importorskip("yaml")


@pytest.fixture
def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return clone("example", tmp_path, bare=False)


def _drop_records(top: Path) -> None:
    for ref in git(top, "for-each-ref", "--format=%(refname)").decode().split():
        if "entire" in ref:
            git(top, "update-ref", "-d", ref)


def report(action: Any, top: Path, base: str = "", prompts: str = "false", **inputs: str) -> str:
    """What the report step writes about the commits after `base`, or else after the first."""
    (step,) = [step for step in action["runs"]["steps"] if step["name"] == "Report"]
    place = top.parent
    program = place / "bin" / "whowrote"
    program.parent.mkdir(exist_ok=True)
    program.write_text(
        f"#!{sys.executable}\nfrom whowrote.cli import main\nif __name__ == '__main__':\n   "
        " main()\n"
    )
    program.chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "BASE": base or git(top, "rev-list", "--max-parents=0", "HEAD").decode().split()[0],
        "CLONE": str(top),
        "PROMPTS": prompts,
        "RUNNER_TEMP": str(place),
        "GITHUB_STEP_SUMMARY": str(place / "summary"),
        "GITHUB_OUTPUT": str(place / "output"),
        "SCAN": "false",
        "LIMIT": "",
        "FAIL_ON": "",
        "GITHUB_RUN_ID": "",
        **inputs,
    }
    done = subprocess.run(["bash", "-c", step["run"]], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (place / "output").read_text().startswith(f"report={place}")
    return (place / "whowrote.md").read_text("utf-8")


def test_the_report_of_a_range_without_prompts(action: Any, top: Path, tmp_path: Path) -> None:
    text = report(action, top)
    assert (
        "lines added in source and test files" in text
        and "**Agents wrote " in text
        and "No recorded sessions" not in text
    )
    prompts = column(tmp_path / "whowrote.db", "SELECT prompt FROM turns")
    assert None in prompts and "birdlog" not in str(prompts)


def test_missing_records_are_said(action: Any, top: Path) -> None:
    _drop_records(top)
    assert "No recorded sessions were found" in report(action, top)


def test_a_range_without_commits_is_no_failure(action: Any, top: Path) -> None:
    assert "merges only" in report(action, top, "HEAD")


def test_nothing_from_outside_is_part_of_a_script(action: Any) -> None:
    steps = action["runs"]["steps"]
    assert [step["name"] for step in steps if "${{" in step.get("run", "")] == []
    assert all(len(step["uses"].partition("@")[2]) == 40 for step in steps if "uses" in step)
    assert action["inputs"]["prompts"]["default"] == "false"


def _outputs(place: Path) -> Texts:
    return dict(line.split("=", 1) for line in (place / "output").read_text().splitlines())


def test_the_report_has_files_and_links_to_the_page(action: Any, top: Path, tmp_path: Path) -> None:
    given = {
        "GITHUB_RUN_ID": "7",
        "GITHUB_SERVER_URL": "https://git.example",
        "GITHUB_REPOSITORY": "o/r",
    }
    text = report(action, top, **given)
    assert (
        "birdlog/cli.py" in text.split("<details>")[0]
        and "| birdlog/cli.py |" in text
        and "(https://git.example/o/r/actions/runs/7)" in text
    )
    assert "New weaknesses" not in text
    outputs = _outputs(tmp_path)
    badge = json.loads(Path(outputs["badge"]).read_text("utf-8"))
    assert badge["schemaVersion"] == 1 and badge["message"].endswith(" %")
    assert "<html" in Path(outputs["page"]).read_text("utf-8") and outputs["exceeded"] == "false"


@pytest.mark.parametrize(("limit", "exceeded"), [("10", "true"), ("99.9", "false")])
def test_a_limit_is_judged_after_the_report_was_written(
    action: Any, top: Path, tmp_path: Path, limit: str, exceeded: str
) -> None:
    text = report(action, top, LIMIT=limit)
    assert (
        f"**Limit {float(limit):g} %**" in text
        and ("exceeded." if exceeded == "true" else "kept.") in text
    )
    assert _outputs(tmp_path)["exceeded"] == exceeded


@pytest.mark.parametrize(("least", "weak"), [("high", "true"), ("", "false")])
def test_a_weakness_that_the_pull_request_brings_in_fails_it(
    action: Any, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: str, weak: str
) -> None:
    program = fake_semgrep.install(tmp_path / "tools")
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    base = object_id(top)
    (top / "run.py").write_text("import os\n\nos.system(input())\n", "utf-8")
    git(top, "add", "run.py")
    commit_by_ada(top, "Run what is typed")
    report(action, top, base, SCAN="true", FAIL_ON=least)
    outputs = _outputs(tmp_path)
    assert outputs["weak"] == weak
    (found,) = json.loads(Path(outputs["sarif"]).read_text("utf-8"))["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in found["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"run.py"}


def test_a_report_that_fails_is_not_green(action: Any, top: Path) -> None:
    with pytest.raises(AssertionError, match="Invalid value"):
        report(action, top, LIMIT="ten")


def test_without_records_no_limit_is_exceeded_and_the_badge_has_no_number(
    action: Any, top: Path, tmp_path: Path
) -> None:
    _drop_records(top)
    report(action, top, LIMIT="0")
    outputs = _outputs(tmp_path)
    assert (
        outputs["exceeded"] == "false"
        and json.loads(Path(outputs["badge"]).read_text())["message"] == "no records"
    )


# --- the comment ----------------------------------------------------------------------------------


class Server:
    """Comments of one pull request as GitHub's and GitLab's interfaces show them, on loopback."""

    def __init__(self, account: str) -> None:
        self.account = account
        self.comments: list[JsonObject] = []
        self.status = 200
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def add(self, account: str, body: str) -> None:
        who = {"login": account, "username": account}
        self.comments.append(
            {"id": len(self.comments) + 1, "user": who, "author": who, "body": body}
        )

    def _answer(self, method: str, path: str, body: JsonObject) -> Any:

        if path == "/graphql":
            return {"data": {"viewer": {"login": self.account}}}
        if path == "/user":
            return {"username": self.account}
        if method == "GET":
            page = int(parse_qs(urlsplit(path).query)["page"][0])
            return self.comments[100 * page - 100 : 100 * page]
        if method == "POST":
            self.add(self.account, body["body"])
            return {}
        self.comments[int(path.rsplit("/", 1)[1]) - 1]["body"] = body["body"]
        return {}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def _any(self) -> None:
                body = json.loads(
                    self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}"
                )
                answer = json.dumps(server._answer(self.command, self.path, body)).encode()
                self.send_response(server.status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_PATCH = do_PUT = _any

            def log_message(self, *args: object) -> None:
                pass

        return Handler


@pytest.fixture(params=["github", "gitlab"])
def forge(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server("whowrote-bot")
    github = {
        "GITHUB_API_URL": server.url,
        "GITHUB_GRAPHQL_URL": f"{server.url}/graphql",
        "GITHUB_REPOSITORY": "o/r",
        "NUMBER": "7",
        "GH_TOKEN": "secret-token",
    }
    gitlab = {
        "CI_API_V4_URL": server.url,
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "WHOWROTE_TOKEN": "secret-token",
    }
    for name in (*github, *gitlab):
        monkeypatch.delenv(name, raising=False)
    for name, value in (github if request.param == "github" else gitlab).items():
        monkeypatch.setenv(name, value)
    yield server
    server.server.shutdown()
    server.server.server_close()


def posted(place: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Runs the program that the action and the job for GitLab run."""
    (place / "report.md").write_text(text, "utf-8")
    command = [sys.executable, "-m", "attribution.browse.post_comment", str(place / "report.md")]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_the_first_run_writes_a_comment_and_the_next_one_edits_it(
    forge: Server, tmp_path: Path
) -> None:
    for number in range(120):  # more than a page
        forge.add("ada", f"looks good {number}")
    assert posted(tmp_path, "<!-- whowrote -->\nfirst").returncode == 0
    assert posted(tmp_path, "<!-- whowrote -->\nsecond").returncode == 0
    assert len(forge.comments) == 121 and forge.comments[-1]["body"].endswith("second")


@pytest.mark.parametrize(
    ("account", "body"),
    [
        ("whowrote-bot", "coverage: 80 %"),
        ("mallory", "<!-- whowrote -->\nforged"),
        ("whowrote-bot", "I quote <!-- whowrote -->"),
    ],
)
def test_a_comment_of_another_program_or_person_is_never_edited(
    forge: Server, tmp_path: Path, account: str, body: str
) -> None:
    forge.add(account, body)
    assert posted(tmp_path, "<!-- whowrote -->\nours").returncode == 0
    assert [comment["body"] for comment in forge.comments] == [body, "<!-- whowrote -->\nours"]


def test_a_server_that_refuses_is_said_without_the_token(forge: Server, tmp_path: Path) -> None:
    forge.status = 403
    done = posted(tmp_path, "<!-- whowrote -->\nours")
    assert (
        done.returncode == 1
        and "status 403" in done.stderr
        and "secret-token" not in done.stderr + done.stdout
    )


def test_a_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GITHUB_API_URL", raising=False)
    monkeypatch.delenv("CI_API_V4_URL", raising=False)
    assert "GITHUB_API_URL is not set" in posted(tmp_path, "x").stderr


def test_both_examples_post_with_the_same_program(action: Any) -> None:
    (step,) = [step for step in action["runs"]["steps"] if step["name"] == "Comment"]
    job = (ROOT / "docs" / "examples" / "gitlab-ci.yml").read_text("utf-8")
    assert all("-m attribution.browse.post_comment" in script for script in (step["run"], job))
