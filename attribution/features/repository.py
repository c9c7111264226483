"""Features that need the repository: what the session's edits did to files, what became of them,
and the sessions around it. Pure.

They are computed when the commits have been judged, by `attribution/stages/outcomes.py`.
"""

from attribution.features.registry import HEURISTIC, Feature

NAME = "repository"
TITLE = "In the repository"
ORDER = 60
STAGE = "repository"
_NOTHING = ("wrote_nothing",)
_OTHERS = ("no_repo_edit",)

FEATURES = (
    Feature(
        "touched_files",
        "json",
        "list of paths",
        "files of the repository that calls changed, commands whose text gives the effect included",
    ),
    Feature(
        "diff_lines",
        "integer",
        "lines",
        "lines of the difference that the session made: its own that stand at its end, and lines of"
        " others that are gone",
        null=_OTHERS,
        version=2,
    ),
    Feature(
        "localized_correct_file",
        "boolean",
        "0 or 1",
        "1: of the files that the first call with a change changed, one is one that a commit linked"
        " to the session changed",
        HEURISTIC,
        null=("no_linked_commit", "no_file_seen", "no_edit", "no_change_seen"),
    ),
    Feature(
        "bash_mediated_edits",
        "boolean",
        "0 or 1",
        "1: no edit tool changed a file but a command did, as its text shows or as lines of commits"
        " show",
    ),
    Feature(
        "output_applied",
        "boolean",
        "0 or 1",
        "1: a line the session wrote stands in a commit, of the attributed branch, another branch"
        " or a pull request",
        null=_NOTHING,
        version=3,
    ),
    Feature(
        "output_applied_elsewhere",
        "text",
        "commit",
        "the first commit of another branch or pull request that adds lines of the session to their"
        " file which the replay did not find in the attributed branch",
        null=("wrote_nothing", "not_elsewhere"),
        version=2,
    ),
    Feature(
        "output_applied_fraction",
        "real",
        "share",
        "of the lines the agent left (`final` of session_stats), those that stand in a commit of"
        " any branch or pull request: `survived`, `reformatted`, and those that a commit adds to"
        " the same file although the replay did not find them there; a commit shows that it has a"
        " session's work by a line of 12 letters or more that no other session wrote into that"
        " file",
        null=("left_nothing",),
        version=2,
    ),
    Feature(
        "landed_lines",
        "integer",
        "lines",
        "non-blank lines of the session, the ones it overwrote later included, that stand in a"
        " commit of any branch or pull request; where none is followed there, the lines of its"
        " commits that are its own",
        null=_NOTHING,
    ),
    Feature(
        "landed_share",
        "real",
        "share",
        "landed_lines / `produced` of session_stats",
        null=("wrote_nothing", "shell_only"),
    ),
    Feature(
        "changes_reverted",
        "boolean",
        "0 or 1",
        "1: reverted_lines is above 0",
        null=_NOTHING,
        version=4,
    ),
    Feature(
        "reverted_lines",
        "integer",
        "lines",
        "lines of the session alive at the peak that went by its close, so that the text from"
        " before is back: in files that existed before and ended as they were and in files that an"
        " undo command reached, of these also what it threw away and nobody wrote again; in every"
        " place, when half of the peak went so; or the lines the session had removed that are back"
        " there, if these are more",
        null=_NOTHING,
        version=4,
    ),
    Feature(
        "reverted_by",
        "text",
        "agent, human, unknown",
        "who took most of them back",
        null=("wrote_nothing", "not_reverted"),
        version=4,
    ),
    Feature(
        "reverted_later_lines",
        "integer",
        "lines",
        "lines of the session in commits of the attributed branch that a later commit's message"
        " says to revert, unless that was reverted itself",
        null=_NOTHING,
    ),
    Feature(
        "session_outcome",
        "text",
        "class",
        "explicitly_rejected (the user took back half of the lines or typed an undo command, the"
        " last message refuses, or half of its committed lines are in reverted commits), accepted"
        " (output_applied_fraction from 0.5; where only commits show its lines, any; or the last"
        " message welcomes), restarted_same_task (the same person's next session within 30 minutes"
        " on the same files), answered (it wrote nothing and ended with the agent's words),"
        " abandoned_mid_session; the first that holds",
        HEURISTIC,
        null=("spawned", "no_turn"),
        version=3,
    ),
    Feature(
        "session_reopened_within_s",
        "real",
        "seconds",
        "to the same person's next session on the repository",
        null=("no_times", "no_next"),
    ),
    Feature(
        "prior_sessions_same_repo",
        "integer",
        "sessions",
        "sessions of people on the repository that began earlier, also those whose transcript is"
        " not on record",
        null=("no_times",),
        version=2,
    ),
    Feature(
        "region_count",
        "integer",
        "regions",
        "regions that the session edited",
        null=_OTHERS,
        version=2,
    ),
    Feature(
        "region_re_edit_count",
        "integer",
        "regions",
        "of those, the ones that two or more calls edited",
        null=_OTHERS,
        version=2,
    ),
    Feature(
        "region_edit_convergence",
        "json",
        "list of classes",
        "converging, oscillating or expanding for each re-edited region",
        null=_OTHERS,
        version=2,
    ),
    Feature(
        "prior_sessions_same_region",
        "integer",
        "sessions",
        "earlier sessions whose lines this one changes, as far as the replayed worktree remembers"
        " who wrote them",
        null=_OTHERS,
    ),
)
