from __future__ import annotations

import pytest
from support.commands import Analysed, analyse_case


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    """The shipped example as a bare clone, and its database."""
    return analyse_case("example", tmp_path_factory.mktemp("example"))
