"""The models that ship inside at work: readings, runs for both tasks, and explanations.

Invariant: one model is opened once and asked about everything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from radcap.reading.demo.judged_systems import judged_systems
from radcap.reading.demo.system_runs import CAPTIONS, system_runs
from radcap.reading.values import Reading

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.explanation.writing import Written
    from radcap.reading.demo.judged_systems import JudgedSystems

__all__ = ["ModelStory", "Sizes", "model_story"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done; the tests do less."""

    readings: int = 8
    explained: int = 16
    test: int | None = None  # all of them


@dataclass(frozen=True, slots=True, eq=False)
class ModelStory:
    """What the models said, how it scores, and where it comes from."""

    readings: tuple[Reading, ...]
    judged: JudgedSystems
    explained: Written


def model_story(
    out: Path, sizes: Sizes | None = None, progress: Callable[[str, int], None] | None = None
) -> ModelStory:
    """Read, write runs, judge them and explain; without torch it is told how to get it."""
    from radcap.datasets import load_dataset
    from radcap.explanation.submission import picked
    from radcap.reading.demo.data_page import NAME
    from radcap.reading.opening import open_reader

    sizes = sizes or Sizes()
    reader = open_reader(CAPTIONS)
    whole = load_dataset(NAME)
    test = whole.split("test")[: sizes.test]
    runs = system_runs(replace(reader, maps=False), test, whole.split("train"), progress)
    judged = judged_systems(runs, test, out)
    shown = picked(test, sizes.explained)
    readings = [one for one in reader(shown[: sizes.readings]) if isinstance(one, Reading)]
    return ModelStory(tuple(readings), judged, _explained(shown, out / "explained", progress))


def _explained(images: Dataset, folder: Path, progress: Callable[[str, int], None] | None) -> Written:
    """Sixteen images, as the explainability task asks for."""
    import shutil

    from radcap.explanation.writing import write_explanations
    from radcap.reading.explaining import make_explainer

    if (folder / "explanations.json").is_file():  # of a demo before this one
        shutil.rmtree(folder)
    explainer = make_explainer(CAPTIONS, faithfulness="quick")
    return write_explanations(explainer(images, progress), folder, "What the demo explains")
