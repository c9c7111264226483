"""Editors that grew out of VS Code: where they keep their users' data, which folders a window
showed, and how they name files.
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from collector.agents.machine import files
from collector.json_values import first_text, get_list, get_str

_REMOTE = "vscode-remote"


# The data of editors' users on Linux, macOS and Windows
USERS = "{${XDG_CONFIG_HOME:-~/.config},~/Library/Application Support,~/AppData/Roaming}"


def folders(workspace: Path) -> list[str]:
    """Directories that a window showed: one, or those of a file that lists several."""
    about = files.document(workspace / "workspace.json")
    listed = path_of(get_str(about, "workspace"))
    several = files.document(Path(listed)) if listed.endswith(".code-workspace") else None
    inside = [
        str(Path(listed).parent / get_str(entry, "path")) for entry in get_list(several, "folders")
    ]
    return [entry for entry in (path_of(get_str(about, "folder")), *inside) if entry]


def path_of(uri: object) -> str:
    """The path of a file: of `file:///…`, or of the parts of such an address as an object; ""
    for anything that is no file.
    """
    if isinstance(uri, dict):
        scheme = get_str(uri, "scheme") or "file"
        path = first_text(uri, "path", "fsPath")
    elif isinstance(uri, str):
        try:
            parts = urlsplit(uri)
        except ValueError:
            return ""
        scheme = parts.scheme
        path = unquote(parts.path)
    else:
        return ""
    if scheme not in ("file", _REMOTE):
        return ""
    if len(path) > 2 and path[0] == "/" and path[2] == ":":
        return path[1:]
    return path
