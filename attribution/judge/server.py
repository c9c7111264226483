"""The adapter for servers with OpenAI's interface (chat completions), as Ollama, llama.cpp, vLLM and LM Studio are.

Nothing is sent anywhere else: no proxy is used and no redirect followed. A key, if needed, comes from the environment.
"""

from __future__ import annotations

import ipaddress
import json
import os
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import IO, Any
from urllib.parse import SplitResult, urlsplit

from attribution.judge.model import ModelAnswer, ModelFailed
from collector.errors import WhoWroteError

KEY = "WHOWROTE_JUDGE_KEY"
_PATIENCE = 1_800  # seconds: a model on a CPU takes minutes for a long session
_LARGEST = 4_000_000  # bytes of an answer
_HINT = "Give the address up to its version, for example: --server http://localhost:11434/v1"
_NO_SCHEMA = (400, 422)  # what servers answer that do not know `response_format`


class ServerModel:
    """A model of such a server, by the server's name for it."""

    def __init__(self, address: str, name: str) -> None:
        """Raises WhoWroteError for an address that is none, or that would carry transcripts readably over the internet."""
        self._url = _checked(address).geturl().rstrip("/") + "/chat/completions"
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
        self.name, self.has_schemas = name, True

    def ask(self, system: str, prompt: str, schema: dict[str, Any]) -> ModelAnswer:
        """One answer. Raises ModelFailed."""
        body = {
            "model": self.name, "stream": False, "temperature": 0,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": prompt}],
        }  # fmt: skip
        form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        try:
            return _answer(self._post({**body, "response_format": form} if self.has_schemas else body))
        except urllib.error.HTTPError as error:
            error.close()
            if not self.has_schemas or error.code not in _NO_SCHEMA:
                raise ModelFailed(f"the server answered {error.code}") from error
        except (OSError, HTTPException) as error:
            raise ModelFailed(f"the server cannot be reached: {error}") from error
        self.has_schemas = False  # asked once more, and from then on, without: answers are checked all the same
        return self.ask(system, prompt, schema)

    def _post(self, body: dict[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "whowrote"}
        if os.environ.get(KEY):
            headers["Authorization"] = f"Bearer {os.environ[KEY]}"
        request = urllib.request.Request(self._url, json.dumps(body).encode("utf-8", "replace"), headers)
        with self._opener.open(request, timeout=_PATIENCE) as answer:
            data: bytes = answer.read(_LARGEST + 1)
        return data


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


def _answer(data: bytes) -> ModelAnswer:
    """Raises ModelFailed, with nothing of what the server said."""
    try:
        given = json.loads(data)
        text, usage = given["choices"][0]["message"]["content"], given.get("usage") or {}
        counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFailed("the server's answer is not one of chat completions") from error
    if not isinstance(text, str):
        raise ModelFailed("the server's answer has no text")
    tokens = [n if isinstance(n, int) and not isinstance(n, bool) and n >= 0 else None for n in counts]
    return ModelAnswer(text, tokens[0], tokens[1])


def _checked(address: str) -> SplitResult:
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
    return parts


def _is_near(host: str) -> bool:
    """This machine, a private address, or a name without dots, which only a local network has."""
    try:
        return ipaddress.ip_address(host).is_private  # loopback too
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal"))
