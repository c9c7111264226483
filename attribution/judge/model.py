"""The adapter for llm: any model configured there, asked one question at a time. Keys stay with llm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attribution.judge.prompts import without_secrets
from collector.errors import WhoWroteError

INSTALL = "Install it with: pip install 'whowrote[judge]'"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    text: str
    input_tokens: int | None  # as the model reports them
    output_tokens: int | None


class ModelFailed(Exception):
    """The model could not be asked, or gave no answer; the message has no credentials."""


class Model:
    """A model of llm by name or alias. `name` is its full id."""

    def __init__(self, given: str) -> None:
        """Raises WhoWroteError when llm or the model is missing."""
        try:
            import llm
        except ImportError as error:
            raise WhoWroteError("whowrote data judge needs llm, which is not installed", INSTALL) from error
        try:
            self._model: Any = llm.get_model(given)
        except llm.UnknownModelError as error:
            raise WhoWroteError(
                f"llm has no model {given}",
                "List the models with: llm models\nPlugins for more: https://llm.datasette.io/en/stable/plugins/directory.html",
            ) from error
        self.name = str(self._model.model_id)
        self.has_schemas = bool(self._model.supports_schema)

    def ask(self, system: str, prompt: str, schema: dict[str, Any]) -> ModelAnswer:
        """One answer. Raises ModelFailed."""
        try:
            response = self._model.prompt(prompt, system=system, stream=False, **({"schema": schema} if self.has_schemas else {}))
            text, usage = str(response.text()), response.usage()
        except Exception as error:
            raise ModelFailed(f"{type(error).__name__}: {without_secrets(str(error))[:300]}") from error
        return ModelAnswer(text, usage.input, usage.output)
