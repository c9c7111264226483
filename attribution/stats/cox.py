"""Cox's proportional hazards model of one group against another, stratified, with standard errors by cluster.

lifelines fits this model, too, and the tests compare the two; but it takes about a thirtieth of a second for each stratum, and here
every file of every repository is one. This one goes through all strata at once. It needs numpy, which the extra `stats` brings.
Ties as Efron has them, weights as case weights; the sandwich estimator of Lin and Wei (1989) over sums by cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float64]
    Numbers: TypeAlias = NDArray[numpy.int64]

_MAX_STEPS = 50
_PRECISION = 1e-9  # of the coefficient


class Subjects(NamedTuple):
    """Columns of the same length, one row for each subject, in any order."""

    stratum: Numbers
    days: Floats  # until death, or until it was seen for the last time
    dead: Floats  # 1: it died; 0: it was alive when last seen
    weight: Floats
    group: Floats  # 1: the group in question; 0: the one it is compared with
    cluster: Numbers  # subjects that may live and die together


class CoxFit(NamedTuple):
    """Logarithm of the hazard ratio, group 1 against group 0, and its standard error."""

    coefficient: float
    error: float


def fit(subjects: Subjects) -> CoxFit | None:
    """None when the likelihood has no maximum: one group always dies first, or no death tells the groups apart."""
    model = _Model.of(subjects)
    found, beta = model.at(0.0), 0.0
    for _ in range(_MAX_STEPS):
        if found.information <= 0:
            return None
        step = found.score / found.information
        while (after := model.at(beta + step)).likelihood < found.likelihood and abs(step) > _PRECISION:
            step /= 2
        found, beta = after, beta + step
        if abs(step) <= _PRECISION:
            return CoxFit(beta, model.error(beta, found.information))
    return None


class _Derivatives(NamedTuple):
    """Of the logarithm of the partial likelihood: itself, its first derivative, and its second one with the sign changed."""

    likelihood: float
    score: float
    information: float


@dataclass(frozen=True)  # without slots: what does not depend on the coefficient is kept
class _Model:
    """Subjects sorted by stratum, days and death; who died at one moment in one stratum are a tie."""

    subjects: Subjects

    @classmethod
    def of(cls, subjects: Subjects) -> _Model:
        import numpy as np

        order = np.lexsort((subjects.dead, subjects.days, subjects.stratum))
        return cls(Subjects(*(column[order] for column in subjects)))

    @cached_property
    def ends(self) -> Numbers:
        """For each subject the place after the last one of its stratum."""
        import numpy as np

        stratum = self.subjects.stratum
        return np.searchsorted(stratum, stratum, side="right")

    @cached_property
    def starts(self) -> Numbers:
        """For each subject the place of the first one of its stratum."""
        import numpy as np

        stratum = self.subjects.stratum
        return np.searchsorted(stratum, stratum, side="left")

    @cached_property
    def moments(self) -> Numbers:
        """The places at which another stratum or another day begins."""
        import numpy as np

        stratum, days = self.subjects.stratum, self.subjects.days
        is_other = (np.diff(stratum) != 0) | (np.diff(days) != 0)
        return np.append(0, np.flatnonzero(is_other) + 1)

    def at(self, beta: float) -> _Derivatives:
        """Each of several deaths at one moment comes first, second and so on with the same chance, as Efron has it."""
        import numpy as np

        one, group = self.subjects, self.subjects.group
        hazard = one.weight * np.exp(beta * group)

        def tied(values: Floats) -> Floats:
            return np.add.reduceat(values * one.dead, self.moments)

        deaths = tied(np.ones_like(hazard)).astype(np.int64)
        times: Numbers = np.repeat(np.arange(len(deaths)), deaths)  # once for each death
        rank = np.arange(len(times)) - np.repeat(deaths.cumsum() - deaths, deaths)
        gone = rank / deaths[times]
        at_risk = self._from_here(hazard)[self.moments][times] - gone * tied(hazard)[times]
        of_group = self._from_here(hazard * group)[self.moments][times] - gone * tied(hazard * group)[times]
        weight = (tied(one.weight) / np.maximum(deaths, 1))[times]
        share = of_group / at_risk
        return _Derivatives(
            float((one.weight * one.dead * group).sum() * beta - (weight * np.log(at_risk)).sum()),
            float((one.weight * one.dead * group).sum() - (weight * share).sum()),
            float((weight * share * (1 - share)).sum()),
        )

    def error(self, beta: float, information: float) -> float:
        """Standard error: what each cluster does to the coefficient, summed up over its subjects."""
        import numpy as np

        one, group = self.subjects, self.subjects.group
        ratio = np.exp(beta * group)
        at_risk = self._from_here(one.weight * ratio)
        share = self._from_here(one.weight * ratio * group) / at_risk
        died = one.dead * one.weight / at_risk
        residual = one.dead * (group - share) - ratio * (group * self._up_to_here(died) - self._up_to_here(died * share))
        _, cluster = np.unique(one.cluster, return_inverse=True)
        influence = np.bincount(cluster, weights=residual * one.weight) / information
        return float(np.sqrt((influence**2).sum()))

    def _from_here(self, values: Floats) -> Floats:
        """For each subject the sum over it and the later ones of its stratum."""
        import numpy as np

        total: Floats = np.append(values[::-1].cumsum()[::-1], 0.0)
        return total[:-1] - total[self.ends]

    def _up_to_here(self, values: Floats) -> Floats:
        """For each subject the sum over it and the earlier ones of its stratum."""
        import numpy as np

        total: Floats = np.append(0.0, values.cumsum())
        return total[1:] - total[self.starts]
