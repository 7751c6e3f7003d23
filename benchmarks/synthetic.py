"""A truth and a run as large as an edition's, made up from a seed: no label of a real image is in them.

Invariant: the same size and seed give the same bytes. Labels have the shape of the 2025 test set: 3.84
concepts an image with a long tail over 2,000 CUIs, one modality each, a body region for plain x-rays.

    python benchmarks/synthetic.py OUT --images 19267
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import accumulate, cycle
from math import exp, factorial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["ID", "IMAGES", "SEED", "Dataset", "Lottery", "images", "write_dataset"]

T = TypeVar("T")

IMAGES = 19_267  # the test set of 2025
SEED = 2025
CONCEPTS = 2_000

HEADER = "ID,CUIs\n"
ID = "ImageCLEFmedical_Caption_2025_test_{:06d}"

# How often ROCOv2 (79,789 images) names each modality and, for plain x-rays, each region. PET/CT is in no
# secondary set, so its images fall out of the secondary score; optical coherence tomography came in 2025.
PLAIN_XRAY = "C1306645"
MODALITIES = {
    "C0040405": 27_747,
    PLAIN_XRAY: 21_997,
    "C0024485": 12_657,
    "C0041618": 11_429,
    "C0002978": 4_799,
    "C1699633": 728,
    "C0032743": 432,
    "C0920367": 300,
}
REGIONS = {
    "C0817096": 7_388,
    "C0037303": 3_973,
    "C0023216": 3_167,
    "C0000726": 2_301,
    "C0030797": 1_573,
    "C1140618": 1_478,
    "C0037949": 1_363,
    "C0006141": 102,
}

# Chances that a run names what is true, near what the leading runs of 2025 reached; the rest it invents.
_SEES_MODALITY = 0.95
_SEES_REGION = 0.9
_SEES_OTHER = 0.33
_INVENTED = 1.2  # wrong concepts an image, on average
_SAYS_NOTHING = 0.001
_OTHERS = 2.56  # true concepts an image beside modality and region, on average


class Lottery(Generic[T]):
    """Draws values by weight."""

    def __init__(self, weights: Mapping[T, float]) -> None:
        self._values = tuple(weights)
        self._sums = tuple(accumulate(weights.values()))

    def draw(self, random: Random) -> T:
        return random.choices(self._values, cum_weights=self._sums)[0]

    def draw_distinct(self, random: Random, n: int) -> list[T]:
        found: dict[T, None] = {}
        while len(found) < n:
            found[self.draw(random)] = None
        return list(found)


def _counts(mean: float) -> Lottery[int]:
    """Small whole numbers as Poisson has them."""
    return Lottery({n: exp(-mean) * mean**n / factorial(n) for n in range(15)})


def _long_tail(random: Random) -> Lottery[str]:
    """CUIs whose n-th is about n times rarer than the first."""
    named = {*MODALITIES, *REGIONS}
    numbers = random.sample(range(10_000, 5_000_000), CONCEPTS)
    cuis = [cui for number in numbers if (cui := f"C{number:07d}") not in named]
    return Lottery({cui: 1 / rank for rank, cui in enumerate(cuis[: CONCEPTS - len(named)], 1)})


@dataclass(frozen=True, slots=True)
class Image:
    """One image: all labels, the manual ones among them, and what the run says."""

    id: str
    truth: tuple[str, ...]
    manual: tuple[str, ...]
    predicted: tuple[str, ...]


def images(n: int, seed: int = SEED) -> Iterator[Image]:
    """Images one after the other, so that a million need no memory."""
    random = Random(seed)
    modalities, regions, tail = Lottery(MODALITIES), Lottery(REGIONS), _long_tail(random)
    others, invented = _counts(_OTHERS), _counts(_INVENTED)
    for number in range(1, n + 1):
        modality = modalities.draw(random)
        manual = (modality, regions.draw(random)) if modality == PLAIN_XRAY else (modality,)
        other = tail.draw_distinct(random, others.draw(random))
        said = [modality if random.random() < _SEES_MODALITY else modalities.draw(random)]
        said += [cui for cui in manual[1:] if random.random() < _SEES_REGION]
        said += [cui for cui in other if random.random() < _SEES_OTHER]
        said += tail.draw_distinct(random, invented.draw(random))
        if random.random() < _SAYS_NOTHING:
            said = []
        yield Image(ID.format(number), (*manual, *other), manual, tuple(dict.fromkeys(said)))


# One slip a line, none of them the same as its neighbour's.
_SLIPS: Sequence[Callable[[str, str], str]] = (
    lambda image_id, cell: f"{image_id},{cell.lower()}",
    lambda image_id, cell: f"{image_id},{cell};",
    lambda image_id, cell: f"{image_id},{cell};{cell}",
    lambda image_id, cell: f" {image_id},{cell}",
    lambda image_id, cell: f"{image_id}.jpg,{cell}",
    lambda image_id, cell: f"{image_id},{cell} C0000001",
    lambda image_id, cell: f"{image_id},{cell},and more",
    lambda image_id, cell: f"{image_id},{cell};chest",
)


@dataclass(frozen=True, slots=True)
class Dataset:
    """The files of one folder."""

    folder: Path

    @property
    def truth(self) -> Path:
        return self.folder / "truth"

    @property
    def run(self) -> Path:
        return self.folder / "run.csv"

    @property
    def broken(self) -> Path:
        """The same run with a slip in every line, and in no order."""
        return self.folder / "broken.csv"


def write_dataset(folder: Path, n: int, seed: int = SEED) -> Dataset:
    """Truth, manual labels, a run, and a run with an error in every line."""
    made = Dataset(folder)
    made.truth.mkdir(parents=True)
    slips = cycle(_SLIPS)
    broken: list[str] = []
    with (
        (made.truth / "concepts.csv").open("w", encoding="utf-8") as truth,
        (made.truth / "concepts_manual.csv").open("w", encoding="utf-8") as manual,
        made.run.open("w", encoding="utf-8") as run,
    ):
        for file in (truth, manual, run):
            file.write(HEADER)
        for image in images(n, seed):
            truth.write(f"{image.id},{';'.join(image.truth)}\n")
            manual.write(f"{image.id},{';'.join(image.manual)}\n")
            run.write(f"{image.id},{';'.join(image.predicted)}\n")
            broken.append(next(slips)(image.id, ";".join(image.predicted or image.manual)))
    Random(seed).shuffle(broken)
    made.broken.write_text(HEADER + "\n".join(broken) + "\n", encoding="utf-8")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a made-up truth and runs.")
    parser.add_argument("out", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    write_dataset(asked.out, asked.images, asked.seed)


if __name__ == "__main__":
    main()
