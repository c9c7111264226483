"""What a person can choose about an attribution. Pure."""

from dataclasses import dataclass, field

from collector.local.model import LocalOptions


@dataclass(frozen=True, slots=True)
class AttributeOptions:
    branch: str = ""  # branch, tag or commit; "" for HEAD
    since: float | None = None  # only commits authored at or after this
    # transcripts that agents keep on this machine
    local: LocalOptions = field(default_factory=LocalOptions)
    # under which the repository is stored; "" for owner/name of the remote or the directory's name
    name: str = ""
    jobs: int = 1  # processes that read sessions at the same time

    @property
    def whole(self) -> bool:
        """Whether every commit of the default branch is attributed."""
        return self.since is None and not self.branch
