"""A hostile file costs no more than 2 s of CPU and 64 MiB above what a tiny file costs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from corpus_costly import ALIKE, COSTLY, IDS, write
from corpus_small import GOOD, K
from measured import Done, measure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="costs are read as Unix bills them")

MOST_CPU_S = 10.0  # far above what is needed: a cost that grows with the square is far above that again
MOST_BYTES = 64 * 1024 * 1024


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("task") / "ids.csv", (f"{one}\n".encode() for one in ("ID", *IDS)))


@pytest.fixture(scope="module")
def tiny(ids: Path) -> Done:
    """What a tiny file costs: starting Python and reading the ids."""
    write(ids.parent / "tiny.csv", [GOOD[K]])
    return measure(ids.parent, "validate", "tiny.csv", "--task", "concepts", "--ids", ids)


@pytest.fixture
def costly(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The file of the corpus that a test is named after, for as long as it runs."""
    path = write(tmp_path / "run.csv", COSTLY[request.param].make())
    yield path
    path.unlink()


def assert_cheap(done: Done, tiny: Done) -> None:
    assert b"Traceback" not in done.err
    assert done.code in {0, 1}
    assert done.cpu_s - tiny.cpu_s < MOST_CPU_S
    assert done.peak_bytes - tiny.peak_bytes < MOST_BYTES


@pytest.mark.parametrize(
    ("costly", "name"),
    [pytest.param(name, name, marks=[pytest.mark.slow] * (name in ALIKE), id=name) for name in COSTLY],
    indirect=["costly"],
)
def test_what_it_costs_to_validate(costly: Path, name: str, ids: Path, tiny: Done) -> None:
    task, _, code = COSTLY[name]
    done = measure(costly.parent, "validate", "run.csv", "--task", task, "--ids", ids, "--json")
    assert_cheap(done, tiny)
    assert code in json.loads(done.out)["counts"]
    assert sorted(path.name for path in costly.parent.iterdir()) == ["run.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["radcap", "2018", "2023", "2025"])
@pytest.mark.parametrize(
    ("costly", "name"), [(name, name) for name in COSTLY], indirect=["costly"], ids=COSTLY
)
def test_what_it_costs_in_other_editions(
    costly: Path, name: str, edition: str, ids: Path, tiny: Done
) -> None:
    arguments = ("validate", "run.csv", "--task", COSTLY[name].task, "--ids", ids, "--edition", edition)
    assert_cheap(measure(costly.parent, *arguments), tiny)


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["radcap", "2025"])
@pytest.mark.parametrize(
    ("costly", "name"),
    [pytest.param(name, name, id=name) for name in COSTLY if COSTLY[name].task is K],
    indirect=["costly"],
)
def test_what_it_costs_to_score(costly: Path, name: str, edition: str, ids: Path, tiny: Done) -> None:
    assert_cheap(measure(costly.parent, "score", "concepts", "run.csv", ids, "--edition", edition), tiny)


@pytest.mark.slow
@pytest.mark.parametrize(("costly", "name"), [(name, name) for name in COSTLY], indirect=["costly"])
def test_what_it_costs_to_repair(costly: Path, name: str, ids: Path, tiny: Done) -> None:
    """A repair reads the run twice and its copy once, and holds it: three times the price of a check."""
    arguments = ("validate", "run.csv", "--task", COSTLY[name].task, "--ids", ids, "--fix", "out.csv")
    done = measure(costly.parent, *arguments)
    assert b"Traceback" not in done.err
    assert done.code in {0, 1}
    assert done.cpu_s - tiny.cpu_s < 3 * MOST_CPU_S
    assert done.peak_bytes - tiny.peak_bytes < 2 * MOST_BYTES
