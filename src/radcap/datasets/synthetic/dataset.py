"""A dataset of any size that was drawn and not collected, for tests and benchmarks.

Invariant: the same arguments give the same dataset, to the byte; opening it draws no image. Its structure is
planted: modality decides texture and grey curve, region and direction the body, findings their own shapes, so
that what a system should learn is there to be learnt. It shows no patient and proves nothing about one.

    synthetic(1_000_000).split("train")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from radcap.core import NAMES, UsageError
from radcap.datasets.cards.card import Card
from radcap.datasets.dataset import Dataset
from radcap.datasets.splits.plan import SHARES, Plan
from radcap.datasets.synthetic.facts import GROUP_SIZES, draw_facts
from radcap.datasets.synthetic.faults import NO_FAULTS, Faults, plant
from radcap.datasets.synthetic.findings import FINDINGS, finding_cui, finding_name
from radcap.datasets.synthetic.images import ENDINGS, SyntheticImages
from radcap.datasets.synthetic.tables import fact_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["Faults", "synthetic"]

_SMALLEST, _LARGEST = 16, 4096


def synthetic(
    images: int = 1000,
    *,
    seed: int = 0,
    size: int = 256,
    splits: Mapping[str, float] = SHARES,
    concepts: int = 300,
    groups: Sequence[float] = GROUP_SIZES,
    form: str = "PNG",
    faults: Faults = NO_FAULTS,
) -> Dataset:
    """A dataset of so many images, `size` pixels wide and high.

    `concepts` counts all of them: 20 real ones of modality, region and direction, the rest made; `groups` are
    the weights of groups of one image, two images and so on; `faults` are planted for checks to find.
    """
    findings = concepts - len(NAMES)
    _check(images, size, findings, form)
    plan = Plan(dict(splits))
    facts = draw_facts(images, seed, findings, groups)
    placed = _splits(facts.groups, plan)
    column = pa.array(plan.names, pa.string()).take(pa.array(placed))
    table = fact_table(facts, column, findings, ENDINGS[form], seed)
    store = SyntheticImages(facts, seed, size, form)
    dataset = Dataset(
        "synthetic",
        table,
        store,
        {**NAMES, **{finding_cui(number): finding_name(number) for number in range(findings)}},
        _card(seed),
        "synthetic",
    )
    return plant(dataset, store, faults, seed) if faults != NO_FAULTS else dataset


def _check(images: int, size: int, findings: int, form: str) -> None:
    most = FINDINGS + len(NAMES)
    if images < 0:
        raise UsageError(f"images is {images}. A dataset has 0 images or more.")
    if not _SMALLEST <= size <= _LARGEST:
        raise UsageError(f"size is {size}. An image can be {_SMALLEST} to {_LARGEST:,} pixels wide.")
    if not 0 <= findings <= FINDINGS:
        raise UsageError(f"concepts is {findings + len(NAMES)}. There can be {len(NAMES)} to {most}.")
    if form not in ENDINGS:
        raise UsageError(f"form is {form!r}. Images can be drawn as {' or '.join(ENDINGS)}.")


def _splits(groups: NDArray[np.int64], plan: Plan) -> NDArray[np.int64]:
    """The split of each image, by whole groups; they were drawn by lot, so a cut is as good as a draw."""
    n = len(groups)
    shares = [plan.shares.get(name, 0.0) for name in plan.names]
    cuts = np.round(np.cumsum(shares)[:-1] * n).astype(np.int64)
    first = np.searchsorted(groups, groups)  # where the group of each image begins
    return np.searchsorted(cuts, first, side="right")


def _card(seed: int) -> Card:
    return Card(
        "synthetic",
        title="Synthetic radiology",
        description=f"Drawn by a program, from facts drawn by lot (seed {seed}). No patient is shown.",
        licence="CC0 1.0",
        labels="By construction: what is drawn is what is labelled. CUIs from C9900000 on are made up.",
        intended_use="Tests and benchmarks of software.",
        not_for="Anything about patients, or about how well a system reads real images.",
        limitations=("Shapes stand for findings; nothing here looks like a disease.",),
    )
