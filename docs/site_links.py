"""A hook of MkDocs: links out of docs/ lead to the repository, which the site does not contain."""

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"\]\((\.\./[^)\s]+)\)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The page's text with such links absolute. Called by MkDocs for each page."""

    def absolute(found: re.Match[str]) -> str:
        target = posixpath.normpath(
            posixpath.join("docs", posixpath.dirname(page.file.src_uri), found[1])
        )
        inside = target.startswith("docs/") and not target.startswith("docs/templates")
        return found[0] if inside else f"]({config['repo_url']}/blob/main/{target})"

    return _LINK.sub(absolute, markdown)
