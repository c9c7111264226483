"""Sessions and commits, evaluated: what the core asks of this plug-in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from attribution.evaluation.versions import FAILURE_MODES, SCORES
from attribution.hooks import Chapters, OfRepository, OfSession, Plugin, Section, Subject
from collector.hooks import TableSettings

if TYPE_CHECKING:
    from collector.storage.store import Store


class Evaluation(Plugin):
    tables: ClassVar[TableSettings] = {
        "scores": {"facets": ["tier", "task_type"], "sort_desc": "q"},
        "session_embeddings": {"hidden": True},
        "judgements": {"hidden": True},
    }
    version: ClassVar[str] = f"{SCORES} {FAILURE_MODES}"

    def settled(self, store: Store, repo_id: int) -> None:
        """Scores of sessions, how they failed, and labels of judges in the rows of turns."""
        from attribution.evaluation.failure_modes.stage import fill_failure_modes
        from attribution.evaluation.judge.stage import fill_turn_labels
        from attribution.evaluation.scores.stage import fill_scores

        fill_scores(store, repo_id)
        fill_failure_modes(store, repo_id)
        fill_turn_labels(store, repo_id)

    def sections(self, store: Store, subject: Subject) -> Iterable[Section]:
        if not isinstance(subject, OfSession | OfRepository):
            return ()
        from attribution.evaluation.scores.report import section

        return section(store, subject)

    def chapters(self) -> Chapters:
        from attribution.evaluation.grades.report import grades
        from attribution.evaluation.maintainability.report import maintainability
        from attribution.evaluation.study import study

        return {"study": study, "grades": grades, "maintainability": maintainability}


PLUGIN = Evaluation()
