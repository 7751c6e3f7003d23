"""What the systems that exist say of the test images, from one look at each.

Invariant: the test images are those that no shipped model learnt from; every system has a row for every one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.grammar import facts_of, sentence
from radcap.core import Run, Task
from radcap.explanation.rationale import IndexedCases
from radcap.reading.looking import looks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.reading.looking import Look
    from radcap.reading.reader import Reader

__all__ = ["CAPTIONS", "CONCEPTS", "SystemRuns", "system_runs"]

CONCEPTS, CAPTIONS = "zoo:concepts", "zoo:captions"
_NEAREST, _FREQUENT, _TEMPLATE = "nearest case", "commonest", "template"


@dataclass(frozen=True, slots=True)
class SystemRuns:
    """Runs by the name of their system, for both tasks."""

    concepts: Mapping[str, Run]
    captions: Mapping[str, Run]


def system_runs(
    reader: Reader, test: Dataset, train: Dataset, progress: Callable[[str, int], None] | None = None
) -> SystemRuns:
    """Ask the reader and the baselines about every test image."""
    said, written = _frequent(test, train)
    near = _near(reader, train)
    for look in looks(reader.model, test):
        _add(said[CONCEPTS], look.ids, [";".join(one) for one in look.answers.concepts()])
        _add(written[CAPTIONS], look.ids, [one.caption for one in look.lines])
        _add(written[_TEMPLATE], look.ids, _templates(look, reader.labels))
        nearest = near(look)
        _add(said[_NEAREST], look.ids, [cuis for cuis, _ in nearest])
        _add(written[_NEAREST], look.ids, [caption for _, caption in nearest])
        if progress is not None:
            progress("images", sum(map(bool, said[CONCEPTS].values())))
    return SystemRuns(
        {name: Run(Task.CONCEPTS, dict(cells), name) for name, cells in said.items()},
        {name: Run(Task.CAPTIONS, dict(cells), name) for name, cells in written.items()},
    )


_Cells = dict[str, dict[str, str]]


def _frequent(test: Dataset, train: Dataset) -> tuple[_Cells, _Cells]:
    """Cells for every image, those of the commonest set and the commonest caption filled already."""
    concepts = Counter(";".join(record.concepts) for record in train).most_common(1)[0][0]
    caption = Counter(record.caption for record in train).most_common(1)[0][0]
    said: _Cells = {name: dict.fromkeys(test.ids, "") for name in (CONCEPTS, _NEAREST)}
    written: _Cells = {name: dict.fromkeys(test.ids, caption) for name in (CAPTIONS, _TEMPLATE, _NEAREST)}
    said[_FREQUENT] = dict.fromkeys(test.ids, concepts)
    written[_FREQUENT] = dict.fromkeys(test.ids, caption)
    return said, written


def _add(cells: dict[str, str], ids: tuple[str, ...], told: list[str]) -> None:
    cells |= dict(zip(ids, told, strict=True))


def _templates(look: Look, names: Mapping[Cui, str]) -> list[str]:
    """The detector's concepts in a plain sentence."""
    return [sentence(facts_of(cuis, names)) for cuis in look.answers.concepts()]


def _near(reader: Reader, train: Dataset) -> Callable[[Look], list[tuple[str, str]]]:
    """The concepts and the caption of the nearest training image."""
    finder = reader.finder
    assert isinstance(finder, IndexedCases)  # noqa: S101 - they ship beside the detector
    index = finder.index
    known = {one.id: (";".join(one.concepts), one.caption) for one in train}

    def nearest(look: Look) -> list[tuple[str, str]]:
        if look.vectors is None or not look.ids:
            return []
        places: list[int] = index.search(look.vectors, 1).places[:, 0].tolist()
        return [known[index.ids[place]] for place in places]

    return nearest
