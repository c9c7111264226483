"""The action for pull requests: its report step on a clone, and that nothing from outside gets into its scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.builder import git
from support.commands import clone

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def report(action: Any, top: Path, base: str, prompts: str = "false", **inputs: str) -> str:
    """What the report step writes about the commits after `base`."""
    (step,) = [step for step in action["runs"]["steps"] if step["name"] == "Report"]
    place = top.parent
    program = place / "bin" / "whowrote"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!{sys.executable}\nfrom whowrote.cli import main\nif __name__ == '__main__':\n    main()\n")
    program.chmod(0o755)
    env = {
        **os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "BASE": base,
        "CLONE": str(top), "PROMPTS": prompts, "RUNNER_TEMP": str(place), "GITHUB_STEP_SUMMARY": str(place / "summary"),
        "GITHUB_OUTPUT": str(place / "output"), "SCAN": "false", "LIMIT": "", "GITHUB_RUN_ID": "", **inputs,
    }  # fmt: skip
    done = subprocess.run(["bash", "-c", step["run"]], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (place / "output").read_text().startswith(f"report={place}")
    return (place / "whowrote.md").read_text("utf-8")


def test_the_report_of_a_range_without_prompts(action: Any, tmp_path: Path) -> None:
    top = clone("example", tmp_path, bare=False)
    first = git(top, "rev-list", "--max-parents=0", "HEAD").decode().split()[0]
    text = report(action, top, first)
    assert "Lines added in source and test files:" in text and "agent" in text and "No recorded sessions" not in text
    texts = subprocess.run(
        [sys.executable, "-c", "import sys, whowrote; d = whowrote.open(sys.argv[1]); print(d.sql('SELECT prompt FROM turns'))",
         str(tmp_path / "whowrote.db")], cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "birdlog" not in texts and "None" in texts


def test_missing_records_are_said(action: Any, tmp_path: Path) -> None:
    top = clone("example", tmp_path, bare=False)
    for ref in git(top, "for-each-ref", "--format=%(refname)").decode().split():
        if "entire" in ref:
            git(top, "update-ref", "-d", ref)
    first = git(top, "rev-list", "--max-parents=0", "HEAD").decode().split()[0]
    assert "No recorded sessions were found" in report(action, top, first)


def test_a_range_without_commits_is_no_failure(action: Any, tmp_path: Path) -> None:
    top = clone("example", tmp_path, bare=False)
    assert "merges only" in report(action, top, "HEAD")


def test_nothing_from_outside_is_part_of_a_script(action: Any) -> None:
    steps = action["runs"]["steps"]
    assert [step["name"] for step in steps if "${{" in step.get("run", "")] == []
    assert all(len(step["uses"].partition("@")[2]) == 40 for step in steps if "uses" in step)
    assert action["inputs"]["prompts"]["default"] == "false"


def _outputs(place: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (place / "output").read_text().splitlines())


def test_the_report_has_files_and_links_to_the_page(action: Any, tmp_path: Path) -> None:
    top = clone("example", tmp_path, bare=False)
    first = git(top, "rev-list", "--max-parents=0", "HEAD").decode().split()[0]
    given = {"GITHUB_RUN_ID": "7", "GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "o/r"}
    text = report(action, top, first, **given)
    assert "| birdlog/cli.py |" in text and "(https://git.example/o/r/actions/runs/7)" in text
    assert "New weaknesses" not in text
    outputs = _outputs(tmp_path)
    badge = json.loads(Path(outputs["badge"]).read_text("utf-8"))
    assert badge["schemaVersion"] == 1 and badge["message"].endswith(" %")
    assert "<html" in Path(outputs["page"]).read_text("utf-8") and outputs["exceeded"] == "false"


@pytest.mark.parametrize(("limit", "exceeded"), [("10", "true"), ("99.9", "false")])
def test_a_limit_is_judged_after_the_report_was_written(action: Any, tmp_path: Path, limit: str, exceeded: str) -> None:
    top = clone("example", tmp_path, bare=False)
    first = git(top, "rev-list", "--max-parents=0", "HEAD").decode().split()[0]
    assert "Lines added in source and test files:" in report(action, top, first, LIMIT=limit)
    assert _outputs(tmp_path)["exceeded"] == exceeded


def test_a_report_that_fails_is_not_green(action: Any, tmp_path: Path) -> None:
    top = clone("example", tmp_path, bare=False)
    first = git(top, "rev-list", "--max-parents=0", "HEAD").decode().split()[0]
    with pytest.raises(AssertionError, match="Invalid value"):
        report(action, top, first, LIMIT="ten")


def test_without_records_no_limit_is_exceeded_and_the_badge_has_no_number(action: Any, tmp_path: Path) -> None:
    top = clone("example", tmp_path, bare=False)
    for ref in git(top, "for-each-ref", "--format=%(refname)").decode().split():
        if "entire" in ref:
            git(top, "update-ref", "-d", ref)
    first = git(top, "rev-list", "--max-parents=0", "HEAD").decode().split()[0]
    report(action, top, first, LIMIT="0")
    outputs = _outputs(tmp_path)
    assert outputs["exceeded"] == "false" and json.loads(Path(outputs["badge"]).read_text())["message"] == "no records"
