"""What the core asks of discovery: mirrors of repositories."""

from typing import Any

HOOKS = {
    "mirror": "collector.discovery.mirrors.update:mirror",
    "mirrors": "collector.discovery.mirrors.table:items",
}


def browse_tables() -> dict[str, dict[str, Any]]:
    return {"cursors": {"hidden": True}, "mirrors": {"hidden": True}}
