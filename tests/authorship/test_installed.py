"""Commits of programs are known by their account or their subject; what an installer of skills
brings is its own.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.builder import World
from support.line_answers import answers

ACTIONS = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>"
ADA = "Ada <ada@example.org>"


def _sources(directory: Path, subject: str, author: str) -> set[str]:
    world = World("programs")
    world.human_write("docs/report.md", "# Report\nAll rows are paid\n")
    found = answers(world, world.commit(subject, author=author), directory)
    return {line.source for line in found["docs/report.md"] if line.text.strip()}


@pytest.mark.parametrize(
    ("subject", "author", "is_own"),
    [
        ("chore(release): 1.4.0 [skip ci]", ACTIONS, True),
        ("chore: version packages", ACTIONS, True),
        ("Deployed 3e03bd6e to 1.0 with MkDocs 1.6.1 and mike 2.1.3", ACTIONS, True),
        ("chore(main): release ledger 0.2.26", ACTIONS, True),
        ("chore(release): 1.4.0 [skip ci]", ADA, False),
        ("chore: release the hold on rows", ACTIONS, False),
        ("chore: release notes", ACTIONS, False),
        ("chore: release main", ACTIONS, True),
        (
            "[StepSecurity] Apply security best practices",
            "StepSecurity Bot <bot@stepsecurity.io>",
            True,
        ),
        ("[StepSecurity] Apply security best practices", ADA, False),
    ],
)
def test_programs_are_known_by_the_subjects_that_they_give(
    subject: str, author: str, is_own: bool, tmp_path: Path
) -> None:
    found = _sources(tmp_path, subject, author)
    assert (found == {f"tool {author.partition(' <')[0]} unknown"}) is is_own


def _lock(source: str) -> str:
    return json.dumps(
        {
            "version": 1,
            "skills": {"tidy": {"source": "ada/skills", "sourceType": source, "computedHash": "0"}},
        }
    )


@pytest.mark.parametrize("directory", ["", "web/"])
@pytest.mark.parametrize("name", [".agents", ".claude"])
def test_what_an_installer_of_skills_brings_is_its_own(
    directory: str, name: str, tmp_path: Path
) -> None:
    world = World("skills")
    path = f"{directory}{name}/skills/tidy/SKILL.md"
    own = f"{directory}{name}/skills/own/SKILL.md"
    world.human_write(f"{directory}skills-lock.json", _lock("github"))
    world.human_write(path, "# Tidy\nKeep rows short\n")
    world.human_write(own, "# Own\nKeep sums right\n")
    first = answers(world, world.commit("Add skills", author=ADA), tmp_path / "first")
    assert {line.source for line in first[path]} == {"tool skills unknown"}
    assert not [line for line in first[own] if line.source.startswith("tool")]
    world.human_write(path, "# Tidy\nKeep rows very short\n")
    edited = answers(world, world.commit("Reword", author=ADA), tmp_path / "edited")
    assert not [line for line in edited[path] if line.source.startswith("tool")]
    world.human_write(f"{directory}skills-lock.json", _lock("github").replace('"0"', '"1"'))
    world.human_write(path, "# Tidy\nKeep rows shorter still\n")
    updated = answers(world, world.commit("Update skills", author=ADA), tmp_path / "updated")
    assert {line.source for line in updated[path]} == {"tool skills unknown"}


def test_skills_of_the_repository_itself_are_nobodys(tmp_path: Path) -> None:
    world = World("skills")
    world.human_write("skills-lock.json", _lock("local"))
    world.human_write(".agents/skills/tidy/SKILL.md", "# Tidy\nKeep rows short\n")
    found = answers(world, world.commit("Add skills", author=ADA), tmp_path)
    assert not [
        line for line in found[".agents/skills/tidy/SKILL.md"] if line.source.startswith("tool")
    ]


def test_a_skill_that_an_agent_is_recorded_to_have_written_stays_its_own(tmp_path: Path) -> None:
    world = World("skills")
    session = world.session(prompt="Write the skill")
    session.write(".agents/skills/tidy/SKILL.md", "# Tidy\nKeep rows short\n")
    session.end_turn()
    world.human_write("skills-lock.json", _lock("github"))
    found = answers(world, world.commit("Add skills", [session]), tmp_path)
    assert {line.source for line in found[".agents/skills/tidy/SKILL.md"]} == {"agent"}
