"""Runs for the demo, made from its truth without a model and by a fixed seed.

Invariant: the same bytes every time; they show what scores reward, not what a system can do.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING

from radcap.core import Run, Task

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["broken_lines", "caption_runs", "concept_runs"]

_SEED = 2026
_FREQUENT = "C1306645;C0024485;C0817096"  # the three most frequent concepts of the training images
_CAPTION = "Chest X-ray showing the lesion (arrow)."
_WORD = re.compile(r"\b[a-z]{4,}\b")
_WORDS = 26  # per image, as the run had that won BLEU in 2022


def concept_runs(labels: Run, manual: Run) -> dict[str, Run]:
    """Two noisy copies of the truth, the modality alone, and one list for every image."""
    return {
        "noisy": _noisy(labels, kept=0.7, added=0.5),
        "noisier": _noisy(labels, kept=0.45, added=1.0),
        "modality-only": _first_of(manual),
        "constant": Run(Task.CONCEPTS, dict.fromkeys(labels.cells, _FREQUENT)),
    }


def caption_runs(labels: Run) -> dict[str, Run]:
    """Half of the true words, the caption of the most similar other image, one word list, one caption."""
    captions = {image_id: caption or "" for image_id, caption in labels.cells.items()}
    frequent = [word for word, _ in Counter(_words(captions.values())).most_common(_WORDS)]
    return {
        "captions-half": Run(Task.CAPTIONS, _half(captions)),
        "captions-neighbour": Run(Task.CAPTIONS, _neighbours(captions)),
        "captions-word-list": Run(Task.CAPTIONS, dict.fromkeys(captions, " ".join(frequent))),
        "captions-constant": Run(Task.CAPTIONS, dict.fromkeys(captions, _CAPTION)),
    }


def _noisy(labels: Run, *, kept: float, added: float) -> Run:
    """Keep a true concept with one chance, add a wrong one with another."""
    chance = random.Random(_SEED)  # noqa: S311, a demo needs no secrets
    every = sorted({cui for cell in labels.cells.values() for cui in (cell or "").split(";")})
    cells: dict[str, str | None] = {}
    for image_id, cell in labels.cells.items():
        cuis = [cui for cui in (cell or "").split(";") if chance.random() < kept]
        wrong = [chance.choice(every)] if chance.random() < added else []
        cells[image_id] = ";".join(dict.fromkeys(cuis + wrong))
    return Run(Task.CONCEPTS, cells)


def _first_of(manual: Run) -> Run:
    """The first manual label, which is the modality: few concepts, all of them right."""
    return Run(Task.CONCEPTS, {key: (cell or "").partition(";")[0] for key, cell in manual.cells.items()})


def _words(captions: Iterable[str]) -> list[str]:
    """Words that say something: letters only, and four of them at least."""
    return [word for caption in captions for word in _WORD.findall(caption.lower())]


def _half(captions: dict[str, str]) -> dict[str, str | None]:
    chance = random.Random(_SEED)  # noqa: S311, a demo needs no secrets
    halves: dict[str, str | None] = {}
    for image_id, caption in captions.items():
        first, *rest = caption.split()
        halves[image_id] = " ".join([first, *(word for word in rest if chance.random() < 1 / 2)])
    return halves


def _neighbours(captions: dict[str, str]) -> dict[str, str | None]:
    """For each image the caption of another that shares the largest part of its words."""
    words = {image_id: frozenset(caption.lower().split()) for image_id, caption in captions.items()}

    def shared(one: str, other: str) -> float:
        return len(words[one] & words[other]) / len(words[one] | words[other]) if one != other else -1.0

    return {one: captions[max(captions, key=lambda other: shared(one, other))] for one in captions}


def broken_lines(run: Run) -> list[str]:
    """The slips people make: each line here was seen on some board."""
    rows = [f"{image_id},{cell}" for image_id, cell in run.cells.items()]
    rows[3] = rows[3].lower().replace("radbench", "RadBench")
    rows[10] += ";"
    rows[20] = rows[20].replace(",", ".jpg,")
    rows[30] = rows[30].replace(",", " ,")
    rows[40] = f"{rows[40]};C0817096;C0817096"
    rows[50] = f"{rows[50].split(',')[0]},C0040405 C0817096"
    rows[60], rows[61] = rows[61], rows[60]
    rows.insert(70, "")
    del rows[100]
    rows.append("RadBench_valid_000001,C0040405")
    return ["\ufeffid,cuis", *rows]
