"""The adapter for llm: its models, which answer questions, and its embedding models. Keys and servers are configured there."""

from __future__ import annotations

from typing import Any

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
