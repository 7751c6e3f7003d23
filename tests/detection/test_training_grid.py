"""The grid of [search]."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from training_samples import Heard, tiny, trained, without_valid

from radcap.core import InputError, UsageError
from radcap.detection.system import ConceptModel, SearchSettings
from radcap.detection.talk import Talk
from radcap.detection.training.grid import combinations, search
from radcap.vision.settings import BackboneSettings, TrainSettings

GRID = SearchSettings(lr=(1e-3, 1e-1), optimiser=("adamw", "sgd"))
TRAIN = TrainSettings(epochs=1, batch=16)
STEEP = TrainSettings(epochs=1, batch=2, weight_decay=100.0)  # 1e3 is too much for it


def test_a_grid_is_every_rate_with_every_optimiser_and_the_best_is_trained(tmp_path: Path) -> None:
    heard = Heard()
    folder = trained(tiny(search=GRID, train=TRAIN), tmp_path / "m", talk=heard.talk)
    tried = folder.card()["search"]
    assert [(one["lr"], one["optimiser"]) for one in tried] == [
        *((1e-3, "adamw"), (1e-3, "sgd"), (1e-1, "adamw"), (1e-1, "sgd"))
    ]
    best = max(tried, key=lambda one: one["f1"])
    chosen = folder.system().train
    assert (chosen.lr, chosen.optimiser) == (best["lr"], best["optimiser"])
    assert heard.has(f"Best: {chosen.optimiser} with lr {chosen.lr:g}")


def test_a_grid_of_one_axis_keeps_the_other_as_it_is() -> None:
    models = list(combinations(tiny(search=SearchSettings(optimiser=("sgd", "adam")))))
    assert [(one.train.lr, one.train.optimiser) for one in models] == [(1e-2, "sgd"), (1e-2, "adam")]


def test_a_rate_that_diverges_has_lost_and_is_no_error(tmp_path: Path) -> None:
    system = tiny(search=SearchSettings(lr=(1e3, 1e-2), optimiser=("sgd",)), train=STEEP)
    folder = trained(system, tmp_path / "m")
    assert [one["f1"] is None for one in folder.card()["search"]] == [True, False]
    assert folder.system().train.lr == 1e-2


def test_a_grid_of_which_nothing_can_be_trained_is_refused(tmp_path: Path) -> None:
    system = tiny(search=SearchSettings(lr=(1e3, 9e2), optimiser=("sgd",)), train=STEEP)
    with pytest.raises(UsageError, match=r"No combination of .search. could be trained"):
        trained(system, tmp_path / "m")


def test_a_grid_needs_a_held_out_split(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"chooses on the split 'valid', and synthetic has none"):
        trained(tiny(search=GRID, train=TRAIN), tmp_path / "m", without_valid())


class Judge:
    """Gives each combination the F1 it is told, and counts."""

    def __init__(self, *f1: float | None) -> None:
        self.f1 = list(f1)
        self.asked: list[tuple[float, str, str]] = []

    def __call__(self, model: ConceptModel, folder: Path) -> float | None:
        self.asked.append((model.train.lr, model.train.optimiser, folder.name))
        return self.f1.pop(0)


def test_what_was_tried_before_a_kill_is_not_tried_again(tmp_path: Path) -> None:
    model = tiny(search=GRID)
    first = Judge(0.1, 0.9)
    with pytest.raises(IndexError):
        search(model, first, tmp_path, Talk())
    assert json.loads((tmp_path / "grid.json").read_text()) == {"adamw 0.001": 0.1, "sgd 0.001": 0.9}
    second = Judge(None, 0.9)
    best, tried = search(model, second, tmp_path, Talk())
    assert second.asked == [(1e-1, "adamw", "grid-2"), (1e-1, "sgd", "grid-3")]
    assert (best.train.lr, best.train.optimiser) == (1e-3, "sgd")  # the first of equals
    assert [one.f1 for one in tried] == [0.1, 0.9, None, 0.9]


def test_another_process_than_the_first_writes_nothing(tmp_path: Path) -> None:
    search(tiny(search=GRID), Judge(0.1, 0.2, 0.3, 0.4), tmp_path / "g", Talk(), writes=False)
    assert not (tmp_path / "g").exists()


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"sgd 1": "x"}', '{"sgd 1": []}', "3"])
def test_a_memory_that_cannot_be_read_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "grid.json").write_text(text)
    judge: Any = Judge()
    with pytest.raises(InputError, match=r"cannot be read: .* tried again"):
        search(tiny(search=GRID), judge, tmp_path, Talk())


def test_an_epoch_without_a_figure_has_lost(tmp_path: Path) -> None:
    """No epoch, nothing to judge by."""
    system = tiny(search=GRID, train=TrainSettings(epochs=0, batch=16))
    with pytest.raises(UsageError, match="No combination"):
        trained(system, tmp_path / "m")


def test_what_is_wrong_with_the_system_is_no_lost_combination(tmp_path: Path) -> None:
    system = tiny(search=GRID, backbone=BackboneSettings(weights="no-such-file", frozen=True))
    heard = Heard()
    with pytest.raises(UsageError, match="weights is 'no-such-file', which is no file or folder here"):
        trained(system, tmp_path / "m", talk=heard.talk)
    assert not heard
