"""What is made again when it is asked for: repositories whose rows are a mixture of several
runs, and costs at other prices.
"""

from pathlib import Path

from attribution.authorship.options import AttributeOptions
from attribution.ensure.history import lines_followed
from attribution.ensure.writing import claim_repository
from attribution.features.prices import Prices, prices_of, read_choice
from attribution.lineage.requests import HistoryRequest
from attribution.queries.checks import mixed_repositories
from attribution.queries.open_repo import OpenRepo
from attribution.queries.repositories import all_repositories, attributed_repository, known_clones
from attribution.stages.feature_rows import choose_prices, price_repo
from attribution.stages.lines import attribute_repo
from collector.runtime.locks import writing_database
from collector.runtime.progress import Progress
from collector.runtime.stages import StageName, forget_runs, last_run
from collector.storage.store import Store


def repair(store: Store, progress: Progress) -> list[str]:
    """Reads every mixed repository again.

    Notes for people. Raises WhoWroteError when a clone is no longer where it was.
    """
    notes = []
    for repo_id in mixed_repositories(store):
        ((_, name, source),), _ = known_clones(store, repo_id)
        was_followed = last_run(store, repo_id, StageName.HISTORY) is not None
        with claim_repository(store, source, name, progress):
            with store.transaction():
                forget_runs(store, tuple(StageName), repo_id)
            attribute_repo(store, source, AttributeOptions(name=name), progress)
        row = attributed_repository(store, repo_id)
        if was_followed and row is not None and row.head_sha is not None:
            clone = OpenRepo(store, repo_id, row.name, row.head_sha, row.branch or "", repo=source)
            lines_followed(clone, HistoryRequest(), progress)
        notes.append(f"{name} was read again from {source.path}")
    return notes


def reprice(store: Store, table: Path) -> Prices:
    """Computes all costs and scores with this table, which the database keeps to from now on;
    returns it.

    `table`: a file, or the name of the package of list prices. Raises WhoWroteError.
    """
    choice = read_choice(table)
    with writing_database(store):
        choose_prices(store, choice)
        for repo in all_repositories(store):
            price_repo(store, repo.id)
    return prices_of(store)
