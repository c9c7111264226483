"""What to look at in a branch, and what a project asks to be said about it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.answers import pick
from support.builder import World, git
from support.commands import Analysed, analyse, run, run_json

from attribution.queries.disclosure import fill_template, form_of, refused_trailers, trailers
from attribution.queries.policies import statements

PART = {
    "agents": [("Claude Code", "claude-opus-4-6")],
    "lines": {"agent": 84, "human": 36},
    "kinds": ["source", "test"],
    "parts": {"src/sum.py": 60, "tests/test_sum.py": 24},
    "prompts": 2,
    "refusable": [],
    "added": 120,
    "by_agents": 84,
}
STATED = {
    "TOLD": "BOTH wrote 84 of 120 non-blank added lines.",
    "BOTH": "Claude Code (claude-opus-4-6)",
    "HOW": "How it was used: the lines came from 2 prompts; ____ <!-- yours to say -->",
    "REVIEW": "How a person reviewed and tested it: ____ <!-- yours to say -->",
    "PARTS": "Parts: src/sum.py (60 lines), tests/test_sum.py (24 lines)",
    "MODEL": "claude-opus-4-6",
    "MARK": "<!-- fits the record: yours to tick, as it promises more -->",
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
    "a key of its own": ("AI-Agent: <name>", "AI-Agent: Claude Code (claude-opus-4-6)"),
    "only a model": ("Assisted-by: [Model] ([Version])", "Assisted-by: claude-opus-4-6"),
    "a link below": (
        "Co-developed-by: $AI_NAME $AI_VERSION\n\n[x]: https://a.example",
        "Co-developed-by: Claude Code (claude-opus-4-6)",
    ),
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
        "AI-Assisted-By: Claude Code (claude-opus-4-6)",
    ),
    "Apache Auron": (
        "Generated-by: <tool name and version>",
        "Generated-by: Claude Code (claude-opus-4-6)",
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
}
# What a policy says, in words of our own, and what is made of it: `refused` (all of it), `limits`,
# `asks`, `mentions`, an address, or nothing.
POLICIES = {
    "long words": ("We do not accept patches made with Artificial Intelligence.", "refused"),
    "an adverb": (
        "It is expressly forbidden to submit code of a language model.",
        "refused",
    ),
    "a list": ("Rules:\n\n 1. Be kind.\n 2. No AI-generated code.\n", "refused"),
    "in part as well": ("PRs made wholly or partly by an LLM will be closed.", "refused"),
    "one part of it": ("We do not accept code that AI wrote fully.", "limits"),
    "with a condition": ("Do not submit AI code unless you understand it.", "limits"),
    "a credit": ("PRs that list an LLM as co-author cannot be merged.", "limits"),
    "talk": ("Do not use AI to speak for you in a pull request.", "limits"),
    "a list of talk": ("Text of an LLM must not be used verbatim in:\n\n* comments\n", "limits"),
    "how much is all one": ("This project does not gate on how much AI was used.", "mentions"),
    "a demand": ("AI is welcome. You must state which tools wrote your change.", "asks"),
    "an imperative": ("If an LLM helped you:\n\n1. Disclose it in the pull request.\n", "asks"),
    "a condition": ("If you use an AI tool, state that in your pull request.", "asks"),
    "any use": ("Always state any AI usage in PRs.", "asks"),
    "no need": ("Spelling by AI in a patch does not need to be disclosed.", "mentions"),
    "reports": ("If AI found the bug, say which tool in your report.", ""),
    "a product": ("Every LLM provider must declare which models it has.", ""),
    "elsewhere": (
        "Patches follow [the AI policy](https://example.org/ai).",
        "https://example.org/ai",
    ),
    "all": ("We take no patches that a language model wrote.", "refused"),
    "fully": ("Pull requests made entirely by AI will be closed.", "limits"),
    "issues": ("Please do not use AI to write issues or to answer a review.", "limits"),
    "reviews": ("Never post an AI-written reply to review comments.", "limits"),
    "beginners": ("You may not use AI on a good first issue.", "limits"),
    "unread": ("We reject AI code that its sender has not reviewed.", "limits"),
    "cannot explain": ("Don't submit AI code that you can't explain.", "limits"),
    "author": ("An AI must not be listed as co-author of a commit.", "limits"),
    "on their own": ("Autonomous agents are forbidden to open pull requests.", "limits"),
    "pictures": ("AI-made artwork is not accepted.", "limits"),
    "hidden": ("PRs that hide AI use and do not disclose it will be closed.", "limits"),
    "careless": ("AI slop in a pull request will be closed.", "limits"),
    "be honest about": ("Be honest about AI in your contribution.", "asks"),
    "if ai helped": ("If AI helped with your PR, let us know.", "asks"),
    "none": ("Be kind. Never commit generated files.", ""),
}
# What asks for no statement and refuses nothing, though it speaks of AI.
NO_ASKS = {
    "a feature": "The AI feature must report which model it used to the user.",
    "its own bot": "Our AI bot will label pull requests and mention the maintainers.",
    "not forbidden": "AI in patches is not prohibited.",
    "a likeness": "A patch should look as it would had you not used AI.",
    "an excuse": "An AI made it is never an acceptable answer for a bug in a patch.",
    "only an address": "See https://example.com/ai/rules before you send patches; do not use tabs.",
    "none used": 'If you did not use AI for a patch, write "none".',
    "for agents": "AI agents: run the tests, then list the files of the change.",
    "a package": "Patches to core-ai must describe which modules they use.",
}
# Forms of pull-request templates, in words of our own, and how they are filled in.
TEMPLATES = {
    "none, part or all": (
        "- [ ] No AI wrote any of this\n"
        "- [ ] AI wrote all of it\n"
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
        "    - How were they used? TOLD\n"
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
        "- [x] I used AI for... BOTH\nIf AI was used, name the tool(s) and extent of use: TOLD",
    ),
    "a trailer in a comment": (
        "- [ ] Yes (name the tool below)\n<!--\nGenerated-by: [Tool]\n-->",
        "- [x] Yes (name the tool below)\nGenerated-by: BOTH",
    ),
    "a trailer in a sentence": (
        "<!--\nwrite the words: 'Generated-by: ' and the tool's name.\n-->",
        "Generated-by: BOTH",
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
    "a box with a trailer": (
        "- [ ] Made with AI assistance — Generated-by: <tool>\n- [ ] No AI was used",
        "- [x] Made with AI assistance — Generated-by: BOTH\n- [ ] No AI was used",
    ),
    "an answer that is there": ("- none", "TOLD"),
    "nowhere to answer": (
        "<!-- Tell us here: describe\nwhat AI did, or disclose that AI did nothing. --!>",
        "TOLD\nHOW",
    ),
    "a box for its absence only": (
        "- [ ] Nothing here was made with generative AI",
        "- [ ] Nothing here was made with generative AI\nTOLD",
    ),
    "a box that asks for more": (
        "- [ ] AI wrote some or all of this, explain how below",
        "- [x] AI wrote some or all of this, explain how below\nTOLD\nHOW",
    ),
    "what is not code": (
        "- [ ] AI gave me ideas or a translation\n- [ ] AI wrote code",
        "- [ ] AI gave me ideas or a translation\n- [x] AI wrote code",
    ),
    "a use and a vow": (
        " - [ ] AI took part.\n"
        "      Tools: `<a name>`.\n"
        "      By ticking it you confirm that each line was read\n"
        " - [ ] No AI took part",
        " - [ ] AI took part. MARK\n"
        "      Tools: BOTH\n"
        "      By ticking it you confirm that each line was read\n"
        " - [ ] No AI took part",
    ),
    "a label of several lines": (
        "- [ ] Some of the code here comes\nfrom an AI, and it was\nused as follows:\n"
        "- [ ] Nothing\ndoes",
        "- [x] Some of the code here comes\n  from an AI, and it was\n  used as follows: TOLD\n"
        "- [ ] Nothing\n  does",
    ),
    "what AI made, by kinds": (
        "- [ ] AI generated tests\n- [ ] AI generated documentation",
        "- [x] AI generated tests\n- [ ] AI generated documentation",
    ),
    "a label within a vow": (
        "- [ ] AI was used. Tool and model: <!-- say -->\n  I confirm that I read it",
        "- [ ] AI was used. Tool and model: BOTH MARK\n  I confirm that I read it",
    ),
    "what a person did": (
        "- [ ] I have used AI\n- [ ] The author has run what AI wrote\n- [ ] Disclosed AI above",
        "- [x] I have used AI\n- [ ] The author has run what AI wrote\n- [ ] Disclosed AI above\n"
        "TOLD",
    ),
    "examples in the place of answers": (
        "Tools: {a name, say}\n"
        "Harness / plugins: ____\n"
        "**AI use:** N/A\n"
        "AI was used in this work: yes / no",
        "Tools: BOTH\n"
        "Harness / plugins: BOTH\n"
        "**AI use:** TOLD\n"
        "AI was used in this work: Yes: BOTH",
    ),
    "most, and a vow": (
        "- [ ] AI wrote most of it; I tested it\n- [ ] AI helped; I tested it",
        "- [ ] AI wrote most of it; I tested it MARK\n- [ ] AI helped; I tested it\nTOLD",
    ),
    "kinds of files": (
        "AI was used for:\n- [ ] Code\n- [ ] Tests\n- [ ] Documentation\n[ai]: https://example.org",
        "AI was used for:\n- [x] Code\n- [x] Tests\n- [ ] Documentation",
    ),
    "a table": (
        "| Is any of it written by AI? | (yes or no) |",
        "| Is any of it written by AI? | Yes: BOTH",
    ),
}


def read(**texts: str) -> Any:
    """What texts say: CONTRIBUTING.md, pull_request_template.md."""
    files = {f"{name}.md": text.encode() for name, text in texts.items()}
    repo = SimpleNamespace(paths=lambda sha: {name: name for name in files}, blob=files.get)
    return statements(SimpleNamespace(repo=repo, name="clone"), "")  # type: ignore[arg-type]


@pytest.mark.parametrize("policy, stated", TRAILERS.values(), ids=TRAILERS)
def test_a_trailer_is_written_in_the_form_that_a_policy_shows(policy: str, stated: str) -> None:
    form = form_of(read(CONTRIBUTING=f"# AI\n{policy}"), PART)
    assert trailers(form, PART) == [stated]
    assert trailers(form, {**PART, "agents": []}) == []


@pytest.mark.parametrize("policy, expected", POLICIES.values(), ids=POLICIES)
def test_a_policy_is_quoted_for_what_it_says(policy: str, expected: str) -> None:
    said = read(CONTRIBUTING=policy)
    found = {"refused": "refuses", "limits": "limits", "asks": "asks", "mentions": "mentions"}
    kinds = [word for word, kind in found.items() if said[kind] and not said["links"]]
    assert [*kinds, *said["links"]] == [expected][: len(expected)]


@pytest.mark.parametrize(
    "policy",
    [
        "Never add AI:\n\n    Co-authored-by: Claude\n",
        "Rules for AI tools:\n\n* No `Co-authored-by` of an LLM\n",
        "Using an `Assisted-by: AI` or similar trailer is not allowed.\n",
    ],
)
def test_a_trailer_that_is_refused_is_not_written(policy: str) -> None:
    assert form_of(read(CONTRIBUTING=policy), PART)["name"] == ""


@pytest.mark.parametrize("template, stated", TEMPLATES.values(), ids=TEMPLATES)
def test_a_template_is_filled_in_as_a_careful_contributor_does(template: str, stated: str) -> None:
    heading = "" if template.startswith("**") else "## AI disclosure\n"
    text = f"## Summary\n- [ ] Tests pass\n{heading}{template}\n## Notes\n"
    said = read(pull_request_template=text)
    for name, value in STATED.items():
        stated = stated.replace(name, value)
    assert "\n".join(fill_template(PART, said)) == f"{heading}{stated}"
    assert fill_template({**PART, "agents": []}, said) == []


@pytest.mark.parametrize("policy", NO_ASKS.values(), ids=NO_ASKS)
def test_a_sentence_about_ai_that_asks_contributors_for_nothing(policy: str) -> None:
    said = read(CONTRIBUTING=policy)
    assert not said["asks"] and not said["refuses"] and not said["limits"]
    assert fill_template(PART, said) == []


def test_a_quotation_is_a_whole_sentence_with_its_own_line() -> None:
    long = "We ask " + "you and all of the others " * 12 + "to disclose AI in patches."
    for ends in ("\n", "\r\n"):
        text = f"# AI\n\nPatches are read by people, e.g. by Ada.\nBe kind.\n{long}\nThanks!\n"
        (row,) = read(CONTRIBUTING=text.replace("\n", ends))["asks"]
        assert (row["line"], row["text"]) == (5, long)


@pytest.mark.parametrize(
    "policy, details",
    [
        ("Disclose AI, and specify which parts it wrote.", "PARTS"),
        ("Disclose how AI was used in a patch.", "HOW"),
        ("State the tool and the extent of AI use in patches.", "PARTS"),
        ("Disclose AI use in patches and how you tested the result.", "REVIEW"),
        ("Disclose AI use in a patch.", ""),
    ],
)
def test_what_a_policy_asks_for_has_its_place_in_the_statement(policy: str, details: str) -> None:
    told, *more = fill_template(PART, read(CONTRIBUTING=policy))
    assert (told, more) == (
        STATED["TOLD"].replace("BOTH", STATED["BOTH"]),
        [STATED[name] for name in details.split()],
    )


def test_a_refused_trailer_that_a_commit_has_is_pointed_out() -> None:
    line = ("c" * 40, "Co-Authored-By: Claude <noreply@anthropic.com>")
    other = ("c" * 40, "Assisted-by: Claude")
    known = {**PART, "refusable": [line, other]}
    for policy, refused in {
        "# AI\nDo not add `Co-authored-by` for an AI, use `Assisted-by: AI`.": [line],
        "AI must not be in a commit, with no `Assisted-by: AI` line.": [other],
        "# AI\nNever forget `Assisted-by: <tool>`.": [],
    }.items():
        assert refused_trailers(read(CONTRIBUTING=policy), known) == refused


def test_what_a_policy_asks_for_in_prose_is_a_sentence_and_nothing_else_is() -> None:
    for policy, lines in (("Please disclose AI.", 1), ("AI in patches is fine.", 0)):
        assert len(fill_template(PART, read(CONTRIBUTING=policy))) == lines


@pytest.mark.parametrize(
    "template, stated",
    [
        ("## Notes\n<!-- Anything else?\nIf AI helped you, say so. -->\n", "## Notes\nTOLD"),
        ("**Other:** <!-- Was AI used? -->\n- [ ] Tests\n", "**Other:** \nTOLD"),
        ("<!-- Name the LLM that helped. -->\n## Tests\n", "## Summary\nTOLD"),
        ("## Notes\n<!-- Never paste what AI wrote, and include tests. -->\n", ""),
    ],
)
def test_a_comment_that_asks_about_ai_is_the_question_of_its_field(
    template: str, stated: str
) -> None:
    said = read(pull_request_template=f"## Summary\n\n{template}")
    told = STATED["TOLD"].replace("BOTH", STATED["BOTH"])
    assert "\n".join(fill_template(PART, said)) == stated.replace("TOLD", told)


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


def test_an_agent_that_is_recorded_and_declared_is_named_once(tmp_path: Path, db: Path) -> None:
    world = World()
    world.human_write(
        "CONTRIBUTING.md", "# AI\nDo not add `Co-authored-by` of an LLM to patches.\n"
    )
    old = world.commit("Start")
    session = world.session()
    session.prompt("Add the sum")
    session.write("sum.py", "def total(prices):\n    return sum(prices)\n")
    line = "Co-authored-by: Claude Opus 4.6 <noreply@anthropic.com>"
    world.commit(f"Sum\n\n{line}", [session])
    world.human_write("mean.py", "def mean(prices):\n    return sum(prices) / len(prices)\n")
    new = world.commit(f"Mean\n\n{line}")
    repo = world.build(tmp_path / "repo")
    git(repo, "update-ref", "refs/heads/main", new.sha)
    analyse(repo, db)
    stated = run_json("disclose", old.sha, repo, db=db)
    assert stated["known"]["by_agents"] == 4
    assert [agent for agent, _ in stated["known"]["agents"]] == ["Claude Code"]
    assert [told for _, told in stated["refused_trailers"]] == [line, line]


def test_a_statement_names_the_agents_of_the_branch_and_a_hook_those_of_the_index(
    branch: Analysed,
) -> None:
    repo, db = branch
    stated = run_json("disclose", "main", repo, db=db)
    assert (stated["shown_by"], stated["known"]["by_agents"]) == ("CONTRIBUTING.md:1", 4)
    (line,) = stated["trailers"]
    assert line.startswith("Assisted-by: Claude Code:claude-")
    assert run("disclose", "--hook", "", repo, db=db).stdout == ""
    assert run("disclose", "HEAD", repo, db=db).stdout.startswith("feature, nothing beyond")
    run("disclose", "--form", "unheard", "main", repo, code=2, db=db)
    said = run("log", "main..", repo, "--md", db=db).stdout
    assert "**Lines of an agent, no statement:** 4, in 2 commits." in said
