"""Files as editors name them: `file:///…`, or the parts of such an address as an object."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from collector.json_values import get_str

_REMOTE = "vscode-remote"


def path_of(uri: object) -> str:
    """The path of a file on its machine; "" for anything that is no file."""
    if isinstance(uri, dict):
        scheme, path = get_str(uri, "scheme") or "file", get_str(uri, "path") or get_str(uri, "fsPath")
    elif isinstance(uri, str):
        try:
            parts = urlsplit(uri)
        except ValueError:
            return ""
        scheme, path = parts.scheme, unquote(parts.path)
    else:
        return ""
    if scheme not in ("file", _REMOTE):
        return ""
    drive = len(path) > 2 and path[0] == "/" and path[2] == ":"
    return path[1:] if drive else path
