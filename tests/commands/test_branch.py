"""What to look at in a branch, and what a project asks to be said about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import pick
from support.builder import World, git
from support.commands import Analysed, analyse, run, run_json

from attribution.queries.disclosure import fill_template, refusal_in, trailer_in, trailers

PART = {
    "agents": [("Claude Code", "claude-opus-4-6")],
    "lines": {"agent": 84, "human": 36},
    "added": 120,
    "by_agents": 84,
}
STATED = {
    "BOTH": "Claude Code (claude-opus-4-6)",
    "HOW": "It wrote 84 of 120 added lines.",
    "MODEL": "claude-opus-4-6",
}

# As the policies of these projects show it, and what a careful contributor writes.
TRAILERS = {
    "Linux, August 2026": ("Assisted-by: LLM [TOOL1] [TOOL2]", "Assisted-by: LLM"),
    "Linux, 2025; Nextcloud; ScummVM": (
        "Assisted-by: AGENT_NAME:MODEL_VERSION [TOOL1] [TOOL2]",
        "Assisted-by: Claude Code:claude-opus-4-6",
    ),
    "DMTF libspdm": (
        "An AI must not be named in Co-authored-by: AI\nAssisted-by: Claude Code:claude-opus-4-8",
        "Assisted-by: Claude Code:claude-opus-4-6",
    ),
    "LLVM CIRCT": ("Assisted-by: <tool>:<model>", "Assisted-by: Claude Code:claude-opus-4-6"),
    "boom": (
        "Assisted-by: Some AI Tool https://someai.example.com",
        "Assisted-by: Claude Code (claude-opus-4-6)",
    ),
    "OpenImageIO": (
        'state it as "Assisted-by: TOOL/MODEL" in each commit',
        "Assisted-by: Claude Code/claude-opus-4-6",
    ),
    "a name of its own": (
        "- **`AI-Assisted-By:`** - Human and AI",
        "AI-Assisted-by: Claude Code (claude-opus-4-6)",
    ),
    "Apache Auron": (
        "Generated-by: <tool name and version>",
        "Generated-by: Claude Code (claude-opus-4-6)",
    ),
    "any words for the two": (
        "Assisted-by: <harness>:<which one>",
        "Assisted-by: Claude Code:claude-opus-4-6",
    ),
    "pytest": (
        "If AI agents were used, credit them in `Co-authored-by` trailers",
        "Co-authored-by: Claude Code (claude-opus-4-6) <noreply@anthropic.com>",
    ),
    "the other one refused behind it": (
        "End with Assisted-by: <tool>, never Co-authored-by: Claude",
        "Assisted-by: Claude Code (claude-opus-4-6)",
    ),
    "an AI named before it": (
        "An AI is named as Co-authored-by: NAME",
        "Co-authored-by: Claude Code (claude-opus-4-6) <noreply@anthropic.com>",
    ),
    "GitHub": (
        "add Co-authored-by: Claude <noreply@anthropic.com>",
        "Co-authored-by: Claude Code (claude-opus-4-6) <noreply@anthropic.com>",
    ),
}
# Forms of pull-request templates, in words of our own, and how they are filled in.
TEMPLATES = {
    "none, part or all": (
        "- [] No AI wrote any of this\n"
        "- [] AI wrote all of it\n"
        "- [] AI wrote a part of it\n"
        "**Model(s):**",
        "- [ ] No AI wrote any of this\n"
        "- [ ] AI wrote all of it\n"
        "- [x] AI wrote a part of it\n"
        "**Model(s):** MODEL",
    ),
    "with questions below": (
        "- [ ] This change was NOT assisted by AI tools.\n"
        "- [ ] This change was assisted by AI tools.\n"
        "    - Tools used: <!-- names -->\n"
        "    - How were they used?\n"
        "    - How did you review the output?",
        "- [ ] This change was NOT assisted by AI tools.\n"
        "- [x] This change was assisted by AI tools.\n"
        "    - Tools used: BOTH\n"
        "    - How were they used? HOW\n"
        "    - How did you review the output?",
    ),
    "how much": (
        "- [ ] Written by a human only\n"
        "- [ ] Written with AI assistance\n"
        "- [ ] Written primarily by an AI agent\n"
        "  - **Model/tool**: <value>",
        "- [ ] Written by a human only\n"
        "- [ ] Written with AI assistance\n"
        "- [x] Written primarily by an AI agent\n"
        "  - **Model/tool**: BOTH",
    ),
    "one box to complete": (
        "- [ ] I used AI for... [fill here]\nIf AI was used, name the tool(s) and extent of use:",
        "- [x] I used AI for... BOTH. HOW\n"
        "If AI was used, name the tool(s) and extent of use: BOTH. HOW",
    ),
    "a trailer in a comment": (
        "- [ ] Yes (name the tool below)\n<!--\nGenerated-by: [Tool]\n-->",
        "- [x] Yes (name the tool below)\nGenerated-by: BOTH",
    ),
    "a trailer in a sentence": (
        "<!--\nwrite the words: 'Generated-by: ' and the tool's name.\n-->",
        "Generated-by: BOTH",
    ),
    "a question": (
        "**Did AI assist with this PR?**:",
        "**Did AI assist with this PR?**: Yes: BOTH",
    ),
    "a box that only the contributor can tick": (
        "- [ ] AI assistance was used here\n"
        "- [ ] AI had full control of the code\n"
        "- [ ] I have not used AI\n"
        "- [ ] I have read the AI policy",
        "- [x] AI assistance was used here\n"
        "- [ ] AI had full control of the code\n"
        "- [ ] I have not used AI\n"
        "- [ ] I have read the AI policy",
    ),
    "used or not": (
        "- [ ] AI was not used\n- [ ] AI was used for the following:",
        "- [ ] AI was not used\n- [x] AI was used for the following: BOTH. HOW",
    ),
    "a box with a trailer": (
        "- [ ] Made with AI assistance — Generated-by: <tool>\n- [ ] No AI was used",
        "- [x] Made with AI assistance — Generated-by: BOTH\n- [ ] No AI was used",
    ),
    "an answer that is there": ("- none", "BOTH. HOW"),
    "nowhere to answer": (
        "<!-- Tell us here: describe\nwhat AI did, or disclose that AI did nothing. --!>",
        "BOTH. HOW",
    ),
    "a box for its absence only": (
        "- [ ] Nothing here was made with generative AI",
        "- [ ] Nothing here was made with generative AI\nBOTH. HOW",
    ),
    "a box that asks for more": (
        "- [ ] AI wrote some or all of this, explain how below",
        "- [x] AI wrote some or all of this, explain how below\nBOTH. HOW",
    ),
    "a tick of the template": (
        "* [x] AI helped me\n* [ ] AI did not help me",
        "* [x] AI helped me\n* [ ] AI did not help me",
    ),
    "what is not code": (
        "- [ ] AI gave me ideas or a translation\n- [ ] AI wrote code",
        "- [ ] AI gave me ideas or a translation\n- [x] AI wrote code",
    ),
    "a use and a vow": (
        "- [ ] AI took part. Which:\n"
        "      By ticking it you confirm that each line was read\n"
        "- [ ] No AI took part",
        "- [ ] AI took part. Which:\n"
        "      By ticking it you confirm that each line was read\n"
        "- [ ] No AI took part\n"
        "BOTH. HOW",
    ),
    "what a person did": (
        "- [ ] I have used AI\n- [ ] The author has run what AI wrote\n- [ ] Disclosed AI above",
        "- [x] I have used AI\n- [ ] The author has run what AI wrote\n- [ ] Disclosed AI above\n"
        "BOTH. HOW",
    ),
    "examples in the place of answers": (
        "Tools: {a name, say}\n"
        "Harness / plugins: ____\n"
        "**AI use:** N/A\n"
        "AI was used in this work: yes / no",
        "Tools: BOTH\n"
        "Harness / plugins: BOTH\n"
        "**AI use:** BOTH. HOW\n"
        "AI was used in this work: Yes: BOTH",
    ),
    "a table": (
        "| Is any of it written by AI? | (yes or no) |",
        "| Is any of it written by AI? | Yes: BOTH",
    ),
}


@pytest.mark.parametrize("project", TRAILERS)
def test_a_trailer_is_written_in_the_form_that_a_policy_shows(project: str) -> None:
    policy, stated = TRAILERS[project]
    form = trailer_in(policy)
    assert form is not None and trailers(form, PART) == [stated]
    assert trailers(form, {**PART, "agents": []}) == []


def test_a_policy_that_refuses_what_ai_made_is_quoted() -> None:
    refused = "This project strictly forbids the use of LLMs."
    assert refusal_in(f"Be kind.\n\n{refused}\nTest it.") == refused
    for other in (
        "Do not submit AI code unless you understand it.",
        "Do not use AI to speak for you in a pull request.",
        "This project does not gate on how much AI was used.",
        "Never let an AI respond to those who review your code.",
    ):
        assert refusal_in(other) == ""
    assert trailer_in("No commits co-authored by AI, so no Co-authored-by: Claude") is None


@pytest.mark.parametrize("form", TEMPLATES)
def test_a_template_is_filled_in_as_a_careful_contributor_does(form: str) -> None:
    template, stated = TEMPLATES[form]
    heading = "" if template.startswith("**") else "## AI disclosure\n"
    lines = fill_template(f"## Summary\n- [ ] Tests pass\n{heading}{template}\n## Notes\n", PART)
    for name, value in STATED.items():
        stated = stated.replace(name, value)
    assert "\n".join(lines) == f"{heading}{stated}"
    nothing = fill_template(f"{heading}{template}\n", {**PART, "agents": []})
    assert not any("[x]" in line or "Claude" in line for line in nothing)


def test_what_a_policy_asks_for_in_prose_is_a_sentence() -> None:
    assert fill_template("## Summary\n", PART) == [f"{STATED['BOTH']}. {STATED['HOW']}"]


@pytest.fixture
def branch(tmp_path: Path, db: Path) -> Analysed:
    """Two sessions on a branch, one of which ran the tests; attributed on main."""
    world = World()
    world.human_write("app.py", "a = 1\n")
    world.human_write("CONTRIBUTING.md", "Assisted-by: AGENT_NAME:MODEL_VERSION\n")
    old = world.commit("Start")
    tested = world.session()
    other = world.session()
    tested.prompt("Add the sum")
    tested.write("sum.py", "def total(prices):\n    return sum(prices)\n")
    tested.bash("pytest -q", stdout="1 passed")
    world.commit("Sum", [tested])
    other.prompt("Add the mean")
    other.write("mean.py", "def mean(prices):\n    return sum(prices) / len(prices)\n")
    new = world.commit("Mean", [other])
    repo = world.build(tmp_path / "repo")
    git(repo, "update-ref", "refs/heads/main", old.sha)
    analyse(repo, db)
    work = tmp_path / "work"
    git(repo, "worktree", "add", "-q", "-b", "feature", str(work), new.sha)
    return Analysed(work, db)


def test_a_review_begins_with_what_nobody_approved_and_no_test_followed(
    branch: Analysed,
) -> None:
    repo, db = branch
    found = run_json("review", "main", repo, db=db)
    assert [pick(row, "path", "tested", "prompt") for row in found["blocks"]] == [
        ("mean.py", False, "Add the mean"),
        ("sum.py", True, "Add the sum"),
    ]
    shown = run("review", "main", repo, db=db).stdout
    assert "2 of 4 lines to look at first, 2 more of agents" in shown
    assert len(shown.splitlines()) <= 20


def test_a_statement_names_the_agents_of_the_branch_and_a_hook_those_of_the_index(
    branch: Analysed,
) -> None:
    repo, db = branch
    stated = run_json("disclose", "main", repo, db=db)
    assert (stated["shown_by"], stated["known"]["by_agents"]) == ("CONTRIBUTING.md", 4)
    (line,) = stated["trailers"]
    assert line.startswith("Assisted-by: Claude Code:claude-")
    assert run("disclose", "--hook", "", repo, db=db).stdout == ""
    assert run("disclose", "HEAD", repo, db=db).stdout.startswith("feature, nothing beyond")
    run("disclose", "--form", "unheard", "main", repo, code=2, db=db)
    said = run("log", "main..", repo, "--md", db=db).stdout
    assert "**Lines of an agent, no statement:** 4, in 2 commits." in said
