"""The table of a synthetic dataset: ids, labels and captions of all its images at once.

Invariant: a caption says what the concepts say and nothing else, so its source is `composed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.core import NAMES
from radcap.datasets.columns import captions_of_texts, make_table
from radcap.datasets.records import CaptionSource
from radcap.datasets.synthetic.facts import (
    DIRECTION_CUIS,
    LICENCES,
    MODALITY_CODES,
    MODALITY_CUIS,
    PLAIN,
    REGION_CUIS,
    Facts,
)
from radcap.datasets.synthetic.findings import finding_cui, finding_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["fact_table"]

_SAID = ("CT", "X-ray", "MRI", "Ultrasound", "Angiogram", "PET/CT", "PET", "Optical coherence tomography")
_DIGITS = 7


def fact_table(facts: Facts, splits: Any, findings: int, ending: str, seed: int) -> pa.Table:
    """The columns of `datasets.columns`, and the year."""
    n = len(facts)
    numbers = _numbers(np.arange(n))
    plain = facts.modalities == PLAIN
    manual = _lists(n, [_labels(facts, MODALITY_CUIS, facts.modalities), *_view(facts, plain)])
    named = facts.named & ~plain
    return make_table(
        {
            "image_id": pc.binary_join_element_wise("Synthetic", splits, numbers, "_"),
            "split": splits,
            "image": pc.binary_join_element_wise(numbers, ending, ""),
            "captions": _captions(facts, findings),
            "cui": _all_concepts(facts, manual, named, findings),
            "cui_manual": manual,
            "group": pc.binary_join_element_wise("SYN", _numbers(facts.groups), ""),
            "source": _repeated("synthetic", n),
            "licence": _taken(LICENCES, facts.licences),
            "attribution": _repeated(f"radcap, drawn by lot (seed {seed})", n),
            "modality": _taken(MODALITY_CODES, facts.modalities),
            "year": pa.array(facts.years).cast(pa.string()),
        },
        n,
    )


_Part = tuple["NDArray[np.int64]", Any]  # rows, and a text for each


def _numbers(values: NDArray[np.int64]) -> Any:
    return pc.utf8_lpad(pa.array(values).cast(pa.string()), _DIGITS, "0")


def _repeated(text: str, n: int) -> Any:
    return _taken((text,), np.zeros(n, np.int64))


def _taken(texts: Sequence[str], places: NDArray[Any]) -> Any:
    return pa.array(texts, pa.string()).take(pa.array(places.astype(np.int64)))


def _labels(
    facts: Facts, cuis: Sequence[str], codes: NDArray[Any], where: NDArray[np.bool_] | None = None
) -> _Part:
    rows = np.arange(len(facts)) if where is None else np.flatnonzero(where)
    return rows, _taken(cuis, codes[rows])


def _view(facts: Facts, where: NDArray[np.bool_]) -> list[_Part]:
    return [
        _labels(facts, REGION_CUIS, facts.regions, where),
        _labels(facts, DIRECTION_CUIS, facts.directions, where),
    ]


def _lists(n: int, parts: Sequence[_Part]) -> Any:
    """Lists of texts from parts; within a row the parts keep their order."""
    rows = np.concatenate([rows for rows, _ in parts])
    order = np.argsort(rows, kind="stable")
    values = pa.concat_arrays([values for _, values in parts]).take(pa.array(order))
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(rows, minlength=n))))
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values)


def _found(facts: Facts, texts: Sequence[str]) -> _Part:
    rows = np.repeat(np.arange(len(facts)), np.diff(facts.starts))
    return rows, _taken(texts, facts.findings)


def _all_concepts(facts: Facts, manual: Any, named: NDArray[np.bool_], findings: int) -> Any:
    labelled = np.repeat(np.arange(len(facts)), np.diff(manual.offsets.to_numpy())), manual.flatten()
    region = _labels(facts, REGION_CUIS, facts.regions, named)
    cuis = [finding_cui(number) for number in range(findings)]
    return _lists(len(facts), [labelled, region, _found(facts, cuis)])


def _captions(facts: Facts, findings: int) -> Any:
    """Such as `X-ray of the chest, sagittal, with a bright small disc in the centre.`"""
    n = len(facts)
    regions = [f" of the {NAMES[cui].lower()}" for cui in REGION_CUIS]
    views = [f", {NAMES[cui].lower()}" for cui in DIRECTION_CUIS]
    plain = facts.modalities == PLAIN
    names = [f"a {finding_name(number)}" for number in range(findings)]
    shown = pc.binary_join(_lists(n, [_found(facts, names)]), " and ")
    texts = pc.binary_join_element_wise(
        _taken(_SAID, facts.modalities),
        _taken(["", *regions], np.where(facts.named, facts.regions.astype(np.int64) + 1, 0)),
        _taken(["", *views], np.where(plain, facts.directions.astype(np.int64) + 1, 0)),
        pc.if_else(pc.equal(shown, ""), "", pc.binary_join_element_wise(" with ", shown, "")),
        ".",
        "",
    )
    made = pa.array([CaptionSource.COMPOSED.value], pa.string()).take(pa.array(np.zeros(n, np.int64)))
    return captions_of_texts(texts, made, _repeated("en", n))
