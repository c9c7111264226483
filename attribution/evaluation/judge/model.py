"""The adapter for llm: a model configured there, or one of a server with OpenAI's interface. Keys stay with llm."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from collector.errors import WhoWroteError
from collector.storage.redaction import secrets_out

KEY = "WHOWROTE_JUDGE_KEY"  # in the environment, for a server that wants a key
INSTALL = "Install it with: pip install 'whowrote[llm]'"
_PATIENCE = 1_800.0  # seconds: a model on a CPU takes minutes for a long session
_HINT = "Give the address up to its version, for example: --server http://localhost:11434/v1"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    text: str
    input_tokens: int | None  # as the model reports them
    output_tokens: int | None


class ModelFailed(Exception):
    """The model could not be asked, or gave no answer; the message has no credentials."""


class Model:
    """A model of llm by name or alias, or one of a server by the server's name for it. `name` is its full id."""

    def __init__(self, name: str, server: str = "") -> None:
        """Raises WhoWroteError when llm or the model is missing, or transcripts would travel readably over the internet."""
        try:
            import llm
        except ImportError as error:
            raise WhoWroteError("the judge needs llm, which is not installed", INSTALL) from error
        try:
            self._model: Any = _server_model(name, _check_address(server)) if server else llm.get_model(name)
        except llm.UnknownModelError as error:
            raise WhoWroteError(
                f"llm has no model {name}",
                "List the models with: llm models\nPlugins for more: https://llm.datasette.io/en/stable/plugins/directory.html",
            ) from error
        self.name = str(self._model.model_id)
        self.has_schemas = bool(self._model.supports_schema)
        self._options = {"temperature": 0} if server else {}

    def ask(self, system: str, prompt: str, schema: dict[str, Any]) -> ModelAnswer:
        """One answer. Raises ModelFailed."""
        options = self._options | ({"schema": schema} if self.has_schemas else {})
        try:
            response = self._model.prompt(prompt, system=system, stream=False, **options)
            text, usage = str(response.text()), response.usage()
        except Exception as error:
            raise ModelFailed(f"{type(error).__name__}: {secrets_out(str(error))[:300]}") from error
        return ModelAnswer(text, usage.input, usage.output)


def _server_model(name: str, address: str) -> Any:
    """Nothing is sent anywhere else: no proxy is used and no redirect followed."""
    import openai
    from llm.default_plugins.openai_models import Chat

    class ServerModel(Chat):  # type: ignore[misc]
        needs_key = None

        def get_client(self, key: str | None, *, async_: bool = False) -> Any:
            client = openai.DefaultHttpxClient(trust_env=False, follow_redirects=False)
            secret = os.environ.get(KEY) or "none"  # openai wants some key
            return openai.OpenAI(base_url=address, api_key=secret, http_client=client, timeout=_PATIENCE, max_retries=0)

    return ServerModel(name, model_name=name, supports_schema=True)


def _check_address(address: str) -> str:
    """The address of a server. Raises WhoWroteError."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise WhoWroteError("--server is not an address", _HINT) from error
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise WhoWroteError("--server is not an address", _HINT)
    if parts.username or parts.password:
        raise WhoWroteError("--server must not contain a name or a password", f"Put a key into the environment: {KEY}")
    if parts.scheme == "http" and not _is_near(host):
        raise WhoWroteError(
            f"transcripts would be sent to {host} without encryption", "Use https for a server outside your network"
        )
    return address


def _is_near(host: str) -> bool:
    """Whether a host is this machine, at a private address, or has a name without dots, which only a local network has."""
    try:
        return ipaddress.ip_address(host).is_private  # loopback too
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal"))
