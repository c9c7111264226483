"""Which commits of a history come before which. Pure."""

from collections.abc import Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar


class _Unrelated(NamedTuple):
    """The commits with smaller numbers that a commit does not come after: bit i stands for
    commit `first + i`.
    """

    first: int
    bits: int


_NONE = _Unrelated(0, 0)
Id = TypeVar("Id", bound=Hashable)


class Ancestry(Generic[Id]):
    """Answers whether one commit comes after another.

    With parents numbered before children, a commit comes after nearly all commits of smaller
    numbers. Kept are the exceptions: side branches that were not merged yet. A line of commits
    shares one set of them, so that memory grows with the number of commits and how long branches
    stand side by side, not with the square of the number of commits.
    """

    def __init__(self, commits: Iterable[tuple[Id, Iterable[Id]]] = ()) -> None:
        """`commits`: (id, ids of the parents), parents first.

        Parents that are not among them are passed over.
        """
        self._numbers: dict[Id, int] = {}
        self._unrelated: list[_Unrelated] = []
        for commit, parents in commits:
            self.add(commit, parents)

    def add(self, commit: Id, parents: Iterable[Id]) -> None:
        """One more commit, after its parents."""
        numbers = {self._numbers[parent] for parent in parents if parent in self._numbers}
        self._unrelated.append(self._of(len(self._unrelated), numbers))
        self._numbers[commit] = len(self._numbers)

    def is_ancestor(self, ancestor: Id, descendant: Id) -> bool:
        """Whether `descendant` comes after `ancestor`; False for a commit and itself, and for
        unknown ones.
        """
        above = self._numbers.get(ancestor)
        below = self._numbers.get(descendant)
        if above is None or below is None or above >= below:
            return False
        unrelated = self._unrelated[below]
        return above < unrelated.first or not unrelated.bits >> (above - unrelated.first) & 1

    def _of(self, number: int, parents: set[int]) -> _Unrelated:
        """What no parent comes after, and is no parent."""
        if not parents:
            if number:
                return _Unrelated(0, (1 << number) - 1)
            return _NONE
        if parents == {number - 1}:
            return self._unrelated[number - 1]
        first = max(map(self._first, parents))
        bits = (1 << max(0, number - first)) - 1
        for parent in parents:
            bits &= self._beside(parent, first, number)
        if not bits:
            return _NONE
        unused = (bits & -bits).bit_length() - 1
        return _Unrelated(first + unused, bits >> unused)

    def _first(self, parent: int) -> int:
        """The smallest number that a child of `parent` alone would not come after."""
        unrelated = self._unrelated[parent]
        if unrelated.bits:
            return unrelated.first
        return parent + 1

    def _beside(self, parent: int, first: int, number: int) -> int:
        """What commit `number` would not come after if `parent` were its only parent; bit 0
        stands for commit `first`.
        """
        unrelated = self._unrelated[parent]
        later = (1 << (number - parent - 1)) - 1
        shift = parent + 1 - first
        later = later << shift if shift >= 0 else later >> -shift
        if unrelated.bits:
            return unrelated.bits >> (first - unrelated.first) | later
        return later
