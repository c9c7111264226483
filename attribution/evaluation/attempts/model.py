"""An attempt as harnesses record it, and the documents it is read from. Pure."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from collector.json_values import JsonObject

# How much a source knows: where two differ, the one that knows more is believed.
PATCH_ONLY = 0
TRAJECTORY = 1
SUMMARY = 2
RESULT = 3
TREATMENT = ("attempt1_tool_cap", "retry_tool_cap", "concurrency", "timeout_s")


class Document(NamedTuple):
    """One JSON value of a file.

    `value` is data of strangers: any shape, any size below the limit.
    """

    source: str  # path of the file, relative to the directory that is imported
    # names of the directories above the file, those above the imported one included
    folders: tuple[str, ...]
    name: str
    value: Any
    sibling: Callable[[str], str | None] = lambda _: None  # text of a file beside it
    # the nearest document of a file name, so many directories up
    context: Callable[[str, int], JsonObject] = lambda *_: {}

    def folder(self, depth: int) -> str:
        """Name of the directory `depth` levels above the file, from 1; empty when there is none."""
        return self.folders[-depth] if len(self.folders) >= depth else ""


@dataclass(slots=True)
class Attempt:
    """One uninterrupted run of an agent at a task.

    `values`: columns of the table `attempts` that are known. `treatment`: everything else that was
    set for the run. `tests`: category -> [succeeded, failed]. Only the files that `patch` touches
    are stored.
    """

    harness: str
    source: str
    instance: str
    run: str = ""
    trial: str = ""
    agent: str = ""
    model: str = ""
    dataset: str = ""
    strength: int = RESULT
    values: JsonObject = field(default_factory=dict)
    treatment: JsonObject = field(default_factory=dict)
    tests: dict[str, list[int]] = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)
    patch: str | None = None
    alias: str = ""  # name of a run and model written as one

    @property
    def key(self) -> str:
        """What makes two records the same attempt."""
        return json.dumps(
            [self.harness, self.run, self.agent, plain_model(self.model), self.instance, self.trial]
        )

    @property
    def directory(self) -> str:
        """Directory of the source: what is found below that of a trial belongs to it."""
        return self.source.rpartition("/")[0]

    def all_treatment(self) -> str:
        """The independent variables, as JSON that is equal for equal treatments.

        Without a model only a run is like itself.
        """
        columns = {
            name: self.values[name] for name in TREATMENT if self.values.get(name) is not None
        }
        heads = {
            "agent_type": self.agent,
            "model_id": self.model,
            "dataset": self.dataset,
            "run": "" if self.model else self.run,
        }
        named = {
            name: value
            for name, value in heads.items()
            if value or (name == "run" and not self.model)
        }
        return json.dumps(
            {**self.treatment, **columns, **named}, sort_keys=True, ensure_ascii=False, default=str
        )


def plain_model(model: str) -> str:
    """Models are directories in some layouts: `/` is written as `__` there."""
    return model.replace("/", "__")
