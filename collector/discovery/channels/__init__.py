"""Ways to find repositories, a file per channel."""

from collector.discovery.channels.channel import Channel
from collector.plugins import modules_of


def channels() -> list[Channel]:
    """All channels, in the order in which they are asked."""
    return [module.CHANNEL for module in modules_of(__name__)]
