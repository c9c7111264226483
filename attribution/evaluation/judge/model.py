"""A model of llm that answers questions."""

from __future__ import annotations

from typing import Any, NamedTuple

from attribution.evaluation.models import failure, llm_model


class ModelAnswer(NamedTuple):
    text: str
    input_tokens: int | None  # as the model reports them
    output_tokens: int | None


class ModelFailed(Exception):
    """The model could not be asked, or gave no answer; the message has no credentials."""


class Model:
    """A model of llm by name or alias. `name` is its full id."""

    def __init__(self, name: str) -> None:
        """Raises WhoWroteError when llm or the model is missing."""
        self._model = llm_model(name)
        self.name = str(self._model.model_id)
        self.has_schemas = bool(self._model.supports_schema)

    def ask(self, system: str, prompt: str, schema: dict[str, Any]) -> ModelAnswer:
        """One answer. Raises ModelFailed."""
        options = {"schema": schema} if self.has_schemas else {}
        try:
            response = self._model.prompt(prompt, system=system, stream=False, **options)
            text, usage = str(response.text()), response.usage()
        except Exception as error:
            raise ModelFailed(failure(error)) from error
        return ModelAnswer(text, usage.input, usage.output)
