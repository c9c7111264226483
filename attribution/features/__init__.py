"""Features of a session, one wide row each: one module per group, found by its `NAME`; columns come
from the registry.

Groups of stage `session` read the transcript alone and are computed while it is in memory; groups
of stage `repository` need the judged commits. NULL is never zero: each feature says when it has no
value.
"""

from functools import lru_cache
from typing import Protocol, cast

from attribution.features.registry import Feature, FeatureGroup, Values, version_of
from attribution.features.view import SessionView, view_of
from attribution.features.word_lists import source
from collector.json_values import Row
from collector.model import Session
from collector.plugins import modules_of


class TranscriptGroup(FeatureGroup, Protocol):
    def compute(self, view: SessionView) -> Values: ...


@lru_cache(maxsize=1)
def groups() -> tuple[FeatureGroup, ...]:
    return tuple(cast(FeatureGroup, module) for module in modules_of(__name__))


@lru_cache(maxsize=1)
def features() -> tuple[Feature, ...]:
    """All columns in order."""
    return tuple(feature for group in groups() for feature in group.FEATURES)


@lru_cache(maxsize=1)
def version() -> str:
    """Of all features, the word lists and the classifier of messages; prices are the key of a
    stage of their own.
    """
    return version_of(features(), source("words.toml"), source("turn_classes.json"))


def of_session(session: Session) -> Row:
    """Values of all features that the transcript alone gives, by name."""
    view = view_of(session)
    values = {}
    for group in groups():
        if group.STAGE == "session":
            values.update(cast(TranscriptGroup, group).compute(view))
    return values


__all__ = ["Feature", "features", "groups", "of_session", "version"]
