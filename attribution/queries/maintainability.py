"""What commits do to the maintainability of the code, by who wrote them: the numbers behind `whowrote maintainability`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from attribution.maintainability.means import CLASSES, DMM, LEAST, PROCESS, QualityGap, QualityMean, QualityRow, gap, means
from attribution.stats.accuracy import audited_note
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from collector.storage.store import Store

METRICS = (*DMM, *PROCESS)
REFERENCES = tuple(name for name in CLASSES if name != "agent")


@dataclass(slots=True)
class MaintainabilityReport:
    repos: list[str]
    tools: list[str]
    least: int  # whole commits that a group needs
    commits: int
    unmeasured: dict[str, int]  # reason -> commits
    means: list[QualityMean]
    gaps: list[QualityGap]
    notes: list[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """Everything, JSON-ready."""
        return asdict(self)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each mean."""
        found = []
        for one in self.means:
            row = asdict(one)
            mean = row.pop("mean")
            low, high = mean["interval"] or (None, None)
            found.append({**row, "mean": mean["value"], "low": low, "high": high, "over": mean["over"]})
        return found


def maintainability_report(store: Store, repo: int | None = None, least: int = LEAST) -> MaintainabilityReport:
    """Means and gaps over the measured commits of one repository, or of all. Raises WhoWroteError when none was measured."""
    result = store.rows(
        "SELECT q.*, r.name AS repo FROM commit_quality q JOIN repos r ON r.id = q.repo_id "
        "WHERE ?1 IS NULL OR q.repo_id = ?1 ORDER BY q.repo_id, q.commit_sha",
        (repo,),
    )
    if not result:
        raise WhoWroteError(
            f"no commit in {store.path} has been measured yet", f"Measure with: whowrote maintainability PATH --db {store.path}"
        )
    rows = [QualityRow(r["repo"], {c: r[c] for c in CLASSES}, {m: r[m] for m in METRICS}) for r in result]
    measured = [row for row in rows if row.values["change_set"] is not None]
    reasons = [r["reason"] for r in result if r["reason"]]
    report = MaintainabilityReport(
        sorted({r["repo"] for r in result}),
        sorted({r["measured_by"] for r in result}),
        least,
        len(result),
        {reason: reasons.count(reason) for reason in sorted(set(reasons))},
        [mean for grouping in ("class", "mode") for metric in METRICS for mean in means(measured, grouping, metric, least)],
        [gap(measured, metric, reference, least) for metric in METRICS for reference in REFERENCES],
    )
    if len(report.tools) > 1:
        report.notes.append("commits were measured with different versions; measure the repositories again before comparing")
    report.notes += [note for note in [audited_note("agent", "human")] if note]
    return report
