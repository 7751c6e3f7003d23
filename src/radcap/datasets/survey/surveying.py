"""The pass over all images of a dataset that fills a survey.

Invariant: every image is read and decoded once, in as many processes as there are cores; what was seen is
kept in the cache until ids or images change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core.processes import default_workers, in_processes
from radcap.datasets.refusal import refuse
from radcap.datasets.survey.facts import NEEDS_PACKAGE, ImageFacts, facts_of
from radcap.datasets.survey.files import keep_survey, read_survey, survey_path
from radcap.datasets.survey.hashes import dhashes, phashes
from radcap.datasets.survey.survey import BINS, SMALL, Survey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.stores import ImageStore

__all__ = ["survey_images"]

_CHUNK = 64  # images sent to a process at a time
_FEW = 256  # images for which starting processes costs more than it saves

_Item = tuple[int, str]  # place and key


def survey_images(
    dataset: Dataset,
    *,
    workers: int | None = None,
    progress: Callable[[str, int], None] | None = None,
    root: Path | None = None,
    keep: bool = True,
) -> Survey:
    """The survey of a dataset. `progress` is told after each part how many images are done.

    `keep=False` neither reads nor writes the cache; `root` is another place for it.
    """
    path = survey_path(dataset, root) if keep else None
    kept = read_survey(path) if path is not None else None
    if kept is not None and kept.ids == tuple(dataset.ids):
        return kept
    survey = _gather(dataset, workers, progress)
    if path is not None and NEEDS_PACKAGE not in survey.refused:
        keep_survey(survey, path)
    return survey


@dataclass(frozen=True, slots=True)
class _Look:
    """The work of one process."""

    store: ImageStore

    def __call__(self, items: Sequence[_Item]) -> list[tuple[int, ImageFacts]]:
        return [(place, facts_of(self.store, key)) for place, key in items]


def _gather(dataset: Dataset, workers: int | None, progress: Callable[[str, int], None] | None) -> Survey:
    keys: list[str] = dataset.column("image").to_pylist()
    items = list(enumerate(keys))
    chunks = [items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK)]
    if workers is None:
        workers = 1 if len(items) < _FEW else default_workers()
    rows = _Rows(tuple(dataset.ids))

    def lost(item: _Item) -> None:
        place, key = item
        error = refuse("IMG109", dataset.images.name(key), why="a process died of it")
        rows.put(place, ImageFacts(refused="IMG109", why=str(error)))

    for seen in in_processes(_Look(dataset.images), chunks, workers, lost):
        for place, facts in seen:
            rows.put(place, facts)
        if progress is not None:
            progress("images", rows.done)
    return rows.survey()


class _Rows:
    """The columns of a survey while they are filled."""

    def __init__(self, ids: tuple[str, ...]) -> None:
        n = len(ids)
        self.done = 0
        self._texts: dict[str, Any] = {name: [""] * n for name in ("kinds", "refused", "why")}
        self._texts["ids"] = ids
        self._columns: dict[str, Any] = {
            "sizes_bytes": np.zeros(n, np.int64),
            "widths": np.zeros(n, np.int32),
            "heights": np.zeros(n, np.int32),
            "colour": np.zeros(n, np.bool_),
            "means": np.zeros(n, np.float32),
            "deviations": np.zeros(n, np.float32),
            "histograms": np.zeros((n, BINS), np.uint32),
            "digests": np.zeros(n, "S32"),
            "pixel_digests": np.zeros(n, "S32"),
            "small": np.zeros((n, SMALL, SMALL), np.uint8),
        }

    def put(self, place: int, facts: ImageFacts) -> None:
        self.done += 1
        for name, attribute in _SOURCES.items():
            column = self._texts if name in self._texts else self._columns
            column[name][place] = getattr(facts, attribute)

    def survey(self) -> Survey:
        texts = {name: tuple(values) for name, values in self._texts.items()}
        small = self._columns["small"]
        hashes: dict[str, Any] = {"phashes": phashes(small), "dhashes": dhashes(small)}
        for one in hashes.values():
            one[[bool(code) for code in texts["refused"]]] = 0
        return Survey(**texts, **self._columns, **hashes)


_SOURCES = {
    "kinds": "kind",
    "refused": "refused",
    "why": "why",
    "sizes_bytes": "size_bytes",
    "widths": "width",
    "heights": "height",
    "colour": "colour",
    "means": "mean",
    "deviations": "deviation",
    "histograms": "histogram",
    "digests": "digest",
    "pixel_digests": "pixel_digest",
    "small": "small",
}
