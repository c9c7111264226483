"""What a project asks to be said about AI, and what `whowrote disclose` fills in."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.builder import World, git
from support.commands import Analysed, analyse, run, run_json

from attribution.disclosure.filled_in import fill_template, forms_shown, marked_commits, trailers
from attribution.disclosure.policies import statements

PART = {
    "agents": [("Claude Code", "claude-opus-4-6")],
    "lines": {"agent": 84, "human": 36},
    "kinds": ["source", "test"],
    "parts": {"src/sum.py": 60, "tests/test_sum.py": 24},
    "added": 120,
    "by_agents": 84,
    "declared": 0,
    "open": 0,
    "commits": [],
}
TOLD = (
    "Claude Code (claude-opus-4-6) wrote 84 of 120 non-blank added lines"
    " (src/sum.py, tests/test_sum.py)."
)

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
    "a key of its own": ("AI-Agent: <name>", "AI-Agent: Claude Code"),
    "only a model": ("Assisted-by: [Model] ([Version])", "Assisted-by: claude-opus-4-6"),
    "a name of its own": (
        "- **`AI-Assisted-By:`** - Human and AI",
        "AI-Assisted-By: Claude Code (claude-opus-4-6)",
    ),
    "pytest": (
        "If AI agents were used, credit them in `Co-authored-by` trailers",
        "Co-authored-by: Claude Code (claude-opus-4-6) <noreply@anthropic.com>",
    ),
    "the model first": (
        "Add `Assisted-by: [Model Name] via [Tool Name]`",
        "Assisted-by: claude-opus-4-6 via Claude Code",
    ),
    "the other one refused in the lead": (
        "No AI may sign `Signed-off-by`, instead, add this:\n```\nAssisted-by: Claude\n```",
        "Assisted-by: Claude Code",
    ),
    "with an address": (
        'Always use "Co-Authored-By: <Tool Name> (<Model Name or Version>) <email address>"',
        "Co-Authored-By: Claude Code (claude-opus-4-6) <noreply@anthropic.com>",
    ),
}
# Policies in words of our own: which of their lines are quoted as refusals, and which at all.
POLICIES = {
    "a sentence in its paragraph": (
        "Be kind.\n\nCode that\nan LLM wrote is not accepted. Agent mode is that.\n\nThanks!",
        "3",
        "",
    ),
    "a section, to the next heading of its level": (
        "# Go\n\n## On AI\n\nAll are to tell.\n\n### How\n\n- Name it.\n\n---\n\nBye.\n\n## End",
        "",
        "3 5 7 9 13",
    ),
    "an item, with its lead and without its siblings": (
        "## Rules\n\nPlease:\n\n- Be kind.\n- Use AI with care:\n  - say so\n- Test.",
        "",
        "1 3 6 7",
    ),
    "all below a heading that refuses": (
        "## Use of AI\n\n### What is not allowed\n\n- Speed.\n\n### What is\n\n- Care.",
        "3 5",
        "1 7 9",
    ),
    "an item that refuses, with its own": (
        "## AI\n\n- No AI art is accepted:\nnone.\n  - photos\n- Test.",
        "3 5",
        "1 6",
    ),
    "a list that a paragraph leads to": (
        "With AI tools:\n\n- Disclose.\n- Test.\n\nThe end.",
        "",
        "1 3 4",
    ),
    "a comment, and underlined headings": (
        "Start\n=====\n\n<!-- No AI,\n\nplease. -->\n\nOn LLMs\n-------\n\nSay so.\n\nEnd\n---\nx",
        "4",
        "1 8 11",
    ),
    "neither contents nor code nor what AI is for": (
        "- [AI](#ai)\n\nThe parser calls an LLM.\n\n```\nask(AI)  # use\n# AI\n```\n\nx",
        "",
        "",
    ),
    "no ban": ("We neither forbid nor ban AI in patches.", "", "1"),
}
# Forms of pull-request templates, in words of our own: which of their boxes are ticked.
TEMPLATES = {
    "none, part or all": (
        "- [ ] No AI wrote any of this\n- [ ] AI wrote all of it\n- [ ] AI wrote a part of it",
        "",
    ),
    "yes or no, with questions below": (
        "- [ ] This change was NOT assisted by AI tools.\n"
        "- [ ] This change was assisted by AI tools.\n"
        "    - Tools used: <!-- names -->\n"
        "    - How did you review the output?",
        "- [x] This change was assisted by AI tools.\n    - Tools used: Claude Code",
    ),
    "how much": (
        "- [ ] Written by a human only\n"
        "- [ ] Written with AI assistance\n"
        "- [ ] Written primarily by an AI agent",
        "",
    ),
    "what only the contributor can say": (
        "- [ ] AI assistance was used here\n"
        "- [ ] I have not used AI\n"
        "- [ ] I have read the AI policy\n"
        "- [ ] The author has run what AI wrote\n"
        "- [ ] If you used AI, you checked it",
        "- [x] AI assistance was used here",
    ),
    "what is not code": (
        "- [ ] AI gave me ideas or a translation\n- [ ] AI helped to write code",
        "- [x] AI helped to write code",
    ),
    "a use and a vow": (
        " - [ ] AI took part.\n   By ticking it you confirm that each line was read\n"
        " - [ ] No AI took part",
        "",
    ),
    "a label of several lines": (
        "- [ ] Some of the code here comes\nfrom an AI that was used\n- [ ] Nothing\ndoes",
        "- [x] Some of the code here comes",
    ),
    "labels": (
        "- [ ] AI was used\n\n---\n- Tool(s) used: <!-- -->\n- **Model**: [e.g. one]\n- Extent:",
        "- [x] AI was used\n- Tool(s) used: Claude Code\n- **Model**: claude-opus-4-6",
    ),
    "kinds of files": (
        "AI was used for:\n- [ ] Code\n- [ ] Tests\n- [ ] Documentation\n[ai]: https://a.example",
        "- [x] Code\n- [x] Tests",
    ),
}


def read(*links: tuple[str, str], **texts: str) -> Any:
    """What texts say: CONTRIBUTING.md, pull_request_template.md; and links to other paths."""
    files = {f"{name}.md": text.encode() for name, text in texts.items()}
    repo = SimpleNamespace(
        paths=lambda sha: {name: name for name in files},
        links=lambda sha: dict(links),
        content=files.__getitem__,
    )
    return statements(SimpleNamespace(repo=repo, name="clone"), "")  # type: ignore[arg-type]


def lines_of(rows: Any) -> str:
    return " ".join(str(row["line"]) for row in rows)


@pytest.mark.parametrize("policy, stated", TRAILERS.values(), ids=TRAILERS)
def test_a_trailer_is_written_in_the_form_that_a_policy_shows(policy: str, stated: str) -> None:
    form = forms_shown(read(CONTRIBUTING=f"# AI\n{policy}"))
    assert trailers(form, PART) == [stated]
    assert trailers(form, {**PART, "agents": []}) == []


@pytest.mark.parametrize("policy, refused, quoted", POLICIES.values(), ids=POLICIES)
def test_what_names_ai_is_quoted_with_all_that_stands_below(
    policy: str, refused: str, quoted: str
) -> None:
    for ends in ("\n", "\r\n"):
        said = read(CONTRIBUTING=policy.replace("\n", ends))
        assert (lines_of(said["refuses"]), lines_of(said["quoted"])) == (refused, quoted)


@pytest.mark.parametrize(
    "policy",
    [
        "Never add AI:\n\n    Co-authored-by: Claude\n",
        "Rules for AI tools:\n\n* No `Co-authored-by` of an LLM\n",
        "Using an `Assisted-by: AI` or similar trailer is not allowed.\n",
        "Naming AI as co-author, or assisted-by and similar trailers, is not allowed.\n",
    ],
)
def test_a_trailer_that_is_refused_is_not_written(policy: str) -> None:
    assert forms_shown(read(CONTRIBUTING=policy)) == []


@pytest.mark.parametrize("template, ticked", TEMPLATES.values(), ids=TEMPLATES)
def test_boxes_are_ticked_where_the_record_decides_and_the_sentence_stands_below_its_heading(
    template: str, ticked: str
) -> None:
    text = f"## Summary\n- [ ] Tests pass\n## AI disclosure\n{template}\n## Notes\n"
    said = read(pull_request_template=text)
    filled = "\n".join(fill_template(PART, said))
    assert filled.startswith(f"## AI disclosure\n{TOLD}\n")
    unchanged = "\n".join(fill_template({**PART, "agents": []}, said)).split("\n")
    changed = [row for row in filled.split("\n") if row not in (TOLD, *unchanged)]
    assert changed == ticked.split("\n") * bool(ticked)


def test_what_a_declaration_says_is_not_said_to_be_on_record() -> None:
    known = {**PART, "by_agents": 0, "declared": 84, "kinds": [], "parts": {}, "open": 36}
    text = "## AI\n- [ ] AI wrote code\n- [ ] AI wrote all of it\n"
    filled = "\n".join(fill_template(known, read(pull_request_template=text)))
    assert "took part in commits with 84 of 120" in filled and "36 is not known" in filled
    assert "[x]" not in filled and " wrote 84" not in filled


def test_a_model_that_is_not_known_leaves_no_gap() -> None:
    known = {**PART, "agents": [("Claude Code", "")]}
    for shape, value in {
        "AGENT_NAME:MODEL_VERSION": "Claude Code",
        "<Tool> (<model>)": "Claude Code",
        "[Model] via [Tool]": "Claude Code",
        "<AI-name> <model> <email>": "Claude Code <noreply@anthropic.com>",
    }.items():
        shown = forms_shown(read(CONTRIBUTING=f"# AI\nAdd `Assisted-by: {shape}`"))
        assert trailers(shown, known) == [f"Assisted-by: {value}"]


def test_of_two_trailers_the_record_decides() -> None:
    policy = "Add `Assisted-by: AI`, or `Generated-by: AI` when AI wrote all."
    shown = forms_shown(read(CONTRIBUTING=policy))
    assert trailers(shown, PART) == ["Assisted-by: AI"]
    assert trailers(shown, {**PART, "by_agents": 120}) == ["Generated-by: AI"]


def test_a_refused_trailer_that_a_commit_has_is_pointed_out() -> None:
    lines = ["Co-Authored-By: Claude <noreply@anthropic.com>", "Assisted-by: Claude"]
    known = {"commits": [{**PART, "commit": "c" * 40, "subject": "Sum", "trailers": lines}]}
    for policy, refused in {
        "# AI\nDo not add `Co-authored-by` for an AI, use `Assisted-by: AI`.": lines[:1],
        "AI must not be in a commit, with no `Assisted-by: AI` line.": lines[1:],
        "# AI\nNever forget `Assisted-by: <tool>`.": [],
    }.items():
        marked = marked_commits([], known, read(CONTRIBUTING=policy))
        assert [line for row in marked for line in row["refused"]] == refused


def test_a_form_elsewhere_is_used_where_a_text_refers_to_it() -> None:
    link = "[Linux kernel AI\npolicy](https://docs.kernel.org/process/coding-assistants.html)"
    for policy, lines in {
        f"# AI\nAdd an `Assisted-by` tag as defined in the {link}.": ["Assisted-by: LLM"],
        f"# AI\nWe follow the {link}.": ["Assisted-by: LLM"],
        f"# AI\nAdd `Assisted-by: <tool>`, as in the {link}.": ["Assisted-by: Claude Code"],
        f"# AI\nThis text was inspired by the {link}.": [],
        f"# AI\nWe follow the {link}, but do not use `Assisted-by`.": [],
    }.items():
        assert trailers(forms_shown(read(CONTRIBUTING=policy)), PART) == lines


def test_a_trailer_that_a_template_asks_for_is_for_the_pull_request() -> None:
    comment = "<!-- If AI helped, write 'Generated-by: ' and the tool. -->"
    said = read(pull_request_template=f"## Notes\n{comment}\n")
    stated = ["Generated-by: Claude Code (claude-opus-4-6)"]
    assert fill_template(PART, said, forms_shown(said)) == stated


def test_the_box_that_agrees_to_a_limit_is_filled_in_with_it() -> None:
    text = "<!-- No AI, please. -->\n- [ ] I have read this\n- [ ] Tests pass\n"
    assert fill_template(PART, read(pull_request_template=text)) == text.split("\n")[:2]


def test_texts_are_found_where_they_stand_and_where_links_lead() -> None:
    told = "AI helps.\n\nIf AI helped, disclose it.\n"
    for path in ("website/src/docs/contributing", "docs/contribute", ".github/CONTRIBUTING"):
        assert lines_of(read(**{path: f"# AI\n{told}"})["quoted"]) == "1 2 4"
    assert not read(**{"docs/vertex-ai": told, "vendor/x/CONTRIBUTING": told})["quoted"]
    links = ("CONTRIBUTING.md", "docs/new.md"), ("AI_POLICY.md", "../gone.md")
    found = read(*links, **{"docs/new": told})
    assert [row["path"] for row in found["quoted"]] == ["docs/new.md"]
    assert [(row["path"], row["text"]) for row in found["absent"]] == [
        ("AI_POLICY.md", "../gone.md")
    ]


def test_an_agent_that_is_recorded_and_declared_is_named_once(tmp_path: Path, db: Path) -> None:
    world = World()
    policy = "# AI\nDo not add `Co-authored-by` of an LLM to patches.\n" + "- Never rush.\n" * 20
    world.human_write("CONTRIBUTING.md", policy)
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
    assert (stated["known"]["by_agents"], stated["known"]["declared"]) == (2, 2)
    assert [agent for agent, _ in stated["known"]["agents"]] == ["Claude Code"]
    assert [row["refused"] for row in stated["marked"]] == [[line], [line]]
    told = run("disclose", "--form", "co-authored-by", old.sha, repo, db=db)
    assert (
        told.stdout.count("Never rush") == 11 and "CONTRIBUTING.md, rules: 12 of 21" in told.stdout
    )
    assert "the project refuses" in told.stderr


def test_a_statement_names_the_agents_of_the_branch_and_a_hook_those_of_the_index(
    branch: Analysed,
) -> None:
    repo, db = branch
    stated = run_json("disclose", "main", repo, db=db)
    assert (stated["forms"][0]["path"], stated["known"]["by_agents"]) == ("CONTRIBUTING.md", 4)
    assert [row["of"][10:] for row in stated["marked"]] == ["Mean", "Sum"]
    (line,) = stated["trailers"]
    assert line.startswith("Assisted-by: Claude Code:claude-")
    assert run("disclose", "--hook", "", repo, db=db).stdout == ""
    assert run("disclose", "HEAD", repo, db=db).stdout.startswith("feature, 0 commits since")
    run("disclose", "--form", "unheard", "main", repo, code=2, db=db)
    said = run("log", "main..", repo, "--md", db=db).stdout
    assert "**Lines of an agent, no statement:** 4, in 2 commits." in said
