"""Numbers about sessions that are computed when they are asked for: embeddings, costs at other prices."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from attribution.embedding import Embedder
from attribution.features.list_prices import read_choice
from attribution.features.prices import Prices
from attribution.queries.repositories import all_repositories, known_clones
from attribution.stages.costs import choose_prices, price_repo, prices_of
from attribution.stages.embedding import Embedded, embed_repo
from collector.runtime.locks import writing_database, writing_repository
from collector.runtime.progress import Progress
from collector.runtime.stages import RunContext
from collector.storage.store import Store


def embed_all(store: Store, repo: int | None, with_: Embedder, progress: Progress) -> Embedded:
    """Embeds the sessions of one repository, or of all. Raises WhoWroteError."""
    known = known_clones(store, repo)
    total = Embedded(notes=known.notes)
    for clone in known.clones:
        with writing_database(store, progress), writing_repository(store, clone.repo_id, progress):
            embedded = embed_repo(RunContext(store, clone.clone, clone.repo_id, progress), with_)
        for field in fields(embedded):
            if field.name != "notes":
                setattr(total, field.name, getattr(total, field.name) + getattr(embedded, field.name))
    return total


def repriced(store: Store, table: Path) -> Prices:
    """Computes all costs and scores with this table, which the database keeps to from now on; returns it.

    `table`: a file, or the name of the package of list prices. Raises WhoWroteError.
    """
    choice = read_choice(table)
    with writing_database(store):
        choose_prices(store, choice)
        for repo in all_repositories(store):
            price_repo(store, repo.id)
    return prices_of(store)
