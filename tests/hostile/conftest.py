"""Where the files of the corpus are put."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from corpus_small import SMALL_IDS

from radcap.formats import Expected

if TYPE_CHECKING:
    from pathlib import Path

    from place import Place


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """For the whole session, since property tests share it between their examples."""
    folder = tmp_path_factory.mktemp("hostile")
    numbers = count()

    def put(content: bytes, name: str = "run.csv") -> Path:
        path = folder / str(next(numbers) % 50) / name  # a few folders, used again
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    return put


@pytest.fixture(scope="session")
def small_ids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ids") / "ids.csv"
    path.write_text("".join(f"{one}\n" for one in ("ID", *SMALL_IDS)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def expected() -> Expected:
    return Expected.of(SMALL_IDS)
