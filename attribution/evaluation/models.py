"""The adapter for llm: its models, which answer questions, and its embedding models. Keys and servers are configured there."""

from __future__ import annotations

from typing import Any, NamedTuple

from collector.errors import WhoWroteError
from collector.storage.redaction import secrets_out

INSTALL = "Install it with: pip install 'whowrote[llm]'"
_LISTS = {
    "model": "llm models\nPlugins for more: https://llm.datasette.io/en/stable/plugins/directory.html",
    "embedding model": "llm embed-models",
}


def llm_model(name: str, kind: str = "model") -> Any:
    """A model of llm by name or alias; `kind`: model or embedding model. Raises WhoWroteError when llm or the model is missing."""
    try:
        import llm
    except ImportError as error:
        raise WhoWroteError(f"a {kind} is run by llm, which is not installed", INSTALL) from error
    try:
        return llm.get_model(name) if kind == "model" else llm.get_embedding_model(name)
    except llm.UnknownModelError as error:
        raise WhoWroteError(f"llm has no {kind} {name}", f"List the models with: {_LISTS[kind]}") from error


def failure(error: Exception) -> str:
    """What a model or its service said, without credentials."""
    return f"{type(error).__name__}: {secrets_out(str(error))[:300]}"


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
