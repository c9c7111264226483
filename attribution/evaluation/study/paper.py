"""What SWE-chat published (arXiv 2604.20779): v1 of April 2026, v2 of September 2026 where it has them. Shares as fractions."""

from __future__ import annotations

from collections.abc import Mapping

TwoVersions = Mapping[str, tuple[float | None, float | None]]
"""What -> the number of v1 and of v2, None where a version has none."""

POPULATION: TwoVersions = {  # what -> (v1, v2)
    "repositories": (205, 707), "sessions": (5_851, 17_819), "checkpoints": (13_406, 54_918), "commits": (14_459, None),
    "user prompts": (63_000, 229_909), "tool calls": (355_000, 2_028_951),
}  # fmt: skip
# The abstract of v2 names the other two shares; the 0.34 that would be left for collaborative is nowhere in it.
MODES: TwoVersions = {"human_only": (0.227, 0.25), "collaborative": (0.365, None), "vibe": (0.408, 0.41)}
AGENT_SHARE_MEAN, AGENT_SHARE_MEDIAN = 0.558, 0.733  # v1, of session percentages
V2_SURVIVES = 0.59  # abstract of v2; without a definition, so it is neither the efficiency nor the survival of v1
EFFICIENCY: TwoVersions = {"all": (0.443, None), "collaborative": (0.382, None), "vibe": (0.590, None)}
SURVIVAL: TwoVersions = {"all": (0.503, None), "collaborative": (0.441, None), "vibe": (0.646, None)}
SELF_OVERWRITE = {"all": 0.093, "collaborative": 0.101, "vibe": 0.071}
HUMAN_DELETION = {"all": 0.422, "collaborative": 0.469, "vibe": 0.309}
CLEAN = 0.486  # share of sessions with a clean mapping to commits
USD_MEDIAN = {"human_only": 0.07, "collaborative": 0.05, "vibe": 0.13}
# Means are in the legends of figures 7 and 29, in the order of the modes there.
USD_MEAN = {"human_only": 1.1, "collaborative": 0.574, "vibe": 0.916}
TYPED_MEAN = {"human_only": 22_364, "collaborative": 9_903, "vibe": 14_810}
AGENT_MINUTES_MEAN = {"human_only": 74.0, "collaborative": 47.7, "vibe": 71.2}
MINUTES_MEDIAN = {"human_only": 8.6, "collaborative": 4.8, "vibe": 12.6}
TOKENS_MEDIAN = {"vibe": 204_000}
INTRODUCED = {"human_only": 0.08, "collaborative": 0.14, "vibe": 0.76, "all": 0.11}  # per 1,000 added lines
FIXED = {"human_only": 0.04, "collaborative": 0.08, "vibe": 0.52, "all": 0.06}
INTERRUPTED = {"human_only": 0.060, "collaborative": 0.050, "vibe": 0.033}  # of Claude Code's turns
# Which of the three columns is which mode is inferred: with the other outcomes each sums to 100.
PUSHBACK: Mapping[str, Mapping[str, float]] = {  # class -> coding mode -> share of Claude Code's turns, v1
    "any": {"human_only": 0.419, "collaborative": 0.384, "vibe": 0.396},
    "correction": {"human_only": 0.320, "collaborative": 0.302, "vibe": 0.316},
    "rejection": {"human_only": 0.009, "collaborative": 0.010, "vibe": 0.013},
    "failure_report": {"human_only": 0.089, "collaborative": 0.073, "vibe": 0.067},
}
LAST_TOOL: Mapping[str, float] = {"ExitPlanMode": 0.32}  # before an interruption, of v1; the others are in a figure without numbers
ASKED = {"human_only": 0.014, "collaborative": 0.016, "vibe": 0.011}
TOOLS: TwoVersions = {  # category -> share of calls in v1 and v2
    "read": (0.198, 0.147), "grep": (0.101, 0.077), "glob": (0.014, 0.007), "bash:file": (0.069, 0.123),
    "bash:build": (0.080, 0.059), "bash:net": (0.012, 0.016), "bash": (0.054, 0.157), "git/gh": (0.119, 0.105),
    "write": (0.029, 0.023), "edit": (0.196, 0.140), "web": (0.005, 0.003), "agent": (0.067, 0.057), "mcp": (0.019, 0.014),
    "todo": (0.010, 0.004), "ask": (0.007, 0.004), "plan": (0.005, 0.0018), "skill": (0.005, 0.004), "other": (0.011, 0.059),
}  # fmt: skip
# (label here, class here) -> share; of a number its mean. Pushback is the mean over the three coding modes of figure 8.
LABELS = {
    ("intent", "understand"): 0.190, ("intent", "create"): 0.134, ("intent", "git"): 0.136, ("intent", "debug"): 0.130,
    ("intent", "refactor"): 0.092, ("intent", "test"): 0.040, ("intent", "connect"): 0.010, ("intent", "other"): 0.266,
    ("pushback", "correction"): 0.313, ("pushback", "rejection"): 0.011, ("pushback", "failure_report"): 0.076,
    ("persona", "expert_nitpicker"): 0.397, ("persona", "vague_requester"): 0.335, ("persona", "other"): 0.199,
    ("persona", "mind_changer"): 0.070, ("paper_persona", "expert_nitpicker"): 0.397, ("paper_persona", "vague_requester"): 0.335,
    ("paper_persona", "other"): 0.199, ("paper_persona", "mind_changer"): 0.070, ("paper_success_score", ""): 82.0,
    ("domain", "application"): 0.528, ("domain", "developer_tool"): 0.320, ("domain", "other"): 0.151,
    ("audience", "developers"): 0.588, ("audience", "end_users"): 0.352, ("audience", "research"): 0.035,
    ("audience", "education"): 0.025,
}  # fmt: skip
AGENTS = {
    "claude-code": 4_852, "opencode": 624, "codex": 213, "gemini-cli": 59, "cursor": 19, "copilot-cli": 2,
}  # fmt: skip
OTHER_AGENTS = 52 + 24  # sessions of which the label is "unknown" or "Agent"
