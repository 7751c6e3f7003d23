"""What every test of the run files starts from: a file on disk, and the findings in it."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from radcap.formats import validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from radcap.formats import Validation


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Write a file into a folder of its own; once per session, so that Hypothesis may use it."""
    root, numbers = tmp_path_factory.mktemp("formats"), count()

    def write(content: str | bytes, name: str = "run.csv") -> Path:
        path = root / str(next(numbers)) / name
        path.parent.mkdir()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(scope="session")
def check(place: Callable[..., Path]) -> Callable[..., Validation]:
    """Validate a file against a few ids."""

    def run(
        content: str | bytes,
        edition: str = "2026",
        task: str = "concepts",
        ids: Iterable[str] = ("a1", "a2"),
        **options: Any,
    ) -> Validation:
        wanted = place("\n".join(ids), "ids.csv")
        return validate(place(content), task, ids=wanted, edition=edition, **options)

    return run
