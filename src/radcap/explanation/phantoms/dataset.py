"""Phantoms: real pictures with planted shapes, so that the true evidence of each label is known to the pixel.

Invariant: the same arguments give the same dataset, to the byte; labels and captions say the shapes and
nothing else; hosts of a split come from that split, and keep their group, licence and attribution.

    phantoms = phantom_dataset(load_dataset("radiology-open"), 4000, seed=0)
    phantoms.truth[phantoms.dataset.ids[0]]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from PIL import Image

from radcap.core import UsageError
from radcap.datasets.cards.card import Card
from radcap.datasets.columns import captions_of_texts, make_table
from radcap.datasets.dataset import Dataset
from radcap.datasets.images.coding import Coding, encode
from radcap.datasets.records import CaptionSource
from radcap.datasets.splits.plan import SHARES, Plan
from radcap.datasets.stores import MemoryImages
from radcap.explanation.phantoms.hosts import hosts_of
from radcap.explanation.phantoms.planting import plant
from radcap.explanation.phantoms.shapes import CLUTTER, NAMES, SHAPES
from radcap.explanation.phantoms.truth import Phantoms, Truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.datasets import Record
    from radcap.explanation.phantoms.hosts import Hosts
    from radcap.explanation.phantoms.planting import Planted
    from radcap.explanation.phantoms.shapes import Shape

__all__ = ["phantom_caption", "phantom_dataset", "shuffled"]

_SMALLEST, _LARGEST = 64, 1024
_COUNTS = 0.2, 0.35, 0.3, 0.15  # pictures with no shape, one, two and three
_MOST_CLUTTER = 3
_LABELLED = "cui", "cui_manual", "captions"
_PNG = Coding("png")


@dataclass(frozen=True, slots=True, eq=False)
class _Phantom:
    """One picture: its host's record, its shapes and its file."""

    id: str
    host: Record
    shapes: tuple[Planted, ...]
    data: bytes

    @property
    def said(self) -> tuple[Shape, ...]:
        """The shapes that are labels, in the order of `SHAPES`."""
        return tuple(sorted((one.shape for one in self.shapes if one.shape.cui), key=lambda one: one.cui))


def phantom_dataset(
    pictures: Dataset,
    count: int,
    seed: int = 0,
    *,
    size: int = 128,
    modality: str = "XR",
    clutter: int = 1,
    splits: Mapping[str, float] = SHARES,
) -> Phantoms:
    """So many phantoms, `size` pixels wide and high, in pictures of one modality ("" for any).

    Each also carries `clutter` shapes that no label names, so that an edge alone does not tell the answer.
    """
    _check(count, size, clutter)
    made: list[_Phantom] = []
    plan = Plan(dict(splits))
    for number, (split, images) in enumerate(_counts(plan, count).items()):
        if images:
            hosts = hosts_of(pictures, split, modality, size, np.random.default_rng([seed, number]))
            made.extend(_phantoms(hosts, split, images, clutter, [seed, number]))
    truth = Truth({one.id: one.shapes for one in made}, size)
    store = MemoryImages({f"{one.id}.png": one.data for one in made})
    card = _card(pictures, seed)
    return Phantoms(Dataset("phantoms", _table(made), store, dict(NAMES), card, "phantoms"), truth)


def shuffled(dataset: Dataset, seed: int = 0, splits: Sequence[str] = ("train", "valid")) -> Dataset:
    """The same images with labels and captions dealt anew among the images of each of these splits.

    A model can learn nothing from them but by heart, so a method that explains it as it explains a model of
    the true labels does not look at the model (label randomisation, Adebayo et al. 2018).
    """
    rng = np.random.default_rng(seed)
    order = np.arange(len(dataset))
    names = np.array(dataset.column("split").to_pylist())
    for split in splits:
        rows = np.flatnonzero(names == split)
        order[rows] = rng.permutation(rows)
    table, places = dataset.table, pa.array(order)
    for name in _LABELLED:
        table = table.set_column(table.column_names.index(name), name, table[name].take(places))
    return replace(dataset, table=table)


def phantom_caption(phrases: Sequence[str]) -> str:
    """What is said of a phantom.

    >>> phantom_caption(["disc", "ring", "bar"]), phantom_caption([])
    ('Radiograph with a disc, a ring and a bar.', 'Radiograph without a shape.')
    """
    if not phrases:
        return "Radiograph without a shape."
    *first, last = [f"a {phrase}" for phrase in phrases]
    return f"Radiograph with {', '.join(first)}{' and ' if first else ''}{last}."


def _check(count: int, size: int, clutter: int) -> None:
    if count < 1:
        raise UsageError(f"count is {count}. There must be 1 phantom or more.")
    if not _SMALLEST <= size <= _LARGEST:
        raise UsageError(f"size is {size}. A phantom can be {_SMALLEST} to {_LARGEST:,} pixels wide.")
    if not 0 <= clutter <= _MOST_CLUTTER:
        raise UsageError(f"clutter is {clutter}. A phantom can carry 0 to {_MOST_CLUTTER} such shapes.")


def _counts(plan: Plan, count: int) -> Mapping[str, int]:
    """How many phantoms each split has; together as many as were asked for."""
    shares = [plan.shares.get(name, 0.0) for name in plan.names]
    cuts = np.round(np.cumsum(shares) * count).astype(int)
    cuts[-1] = count
    return dict(zip(plan.names, np.diff(cuts, prepend=0).tolist(), strict=True))


def _phantoms(hosts: Hosts, split: str, images: int, clutter: int, seed: Sequence[int]) -> Iterator[_Phantom]:
    """Hosts are taken in turn, so each is used as often as any other."""
    records = list(hosts.dataset)
    for image in range(images):
        rng = np.random.default_rng([*seed, image])
        place = image % len(hosts)
        planting = plant(hosts.grey(place), _drawn(clutter, rng), rng)
        data = encode(Image.fromarray(planting.grey), _PNG)
        yield _Phantom(f"Phantom_{split}_{image:06d}", records[place], planting.shapes, data)


def _drawn(clutter: int, rng: np.random.Generator) -> list[Shape]:
    """Different shapes of a picture, in any order, with clutter among them."""
    count = rng.choice(len(_COUNTS), p=_COUNTS)
    labels, others = tuple(SHAPES.values()), CLUTTER
    kinds: list[int] = rng.permutation(len(labels))[:count].tolist()
    rest: list[int] = rng.integers(len(others), size=clutter).tolist()
    chosen = [*(labels[kind] for kind in kinds), *(others[kind] for kind in rest)]
    order: list[int] = rng.permutation(len(chosen)).tolist()
    return [chosen[place] for place in order]


def _table(made: Sequence[_Phantom]) -> pa.Table:
    texts = [phantom_caption([shape.phrase for shape in one.said]) for one in made]
    made_up = [CaptionSource.COMPOSED.value] * len(made)
    columns: dict[str, Any] = {
        "image_id": [one.id for one in made],
        "split": [one.id.split("_")[1] for one in made],
        "image": [f"{one.id}.png" for one in made],
        "captions": captions_of_texts(texts, made_up, ["en"] * len(made)),
        "cui": [[shape.cui for shape in one.said] for one in made],
        "host": [one.host.id for one in made],
    }
    for name in ("group", "source", "licence", "attribution", "modality"):
        columns[name] = [getattr(one.host, name) for one in made]
    return make_table(columns, len(made))


def _card(pictures: Dataset, seed: int) -> Card:
    return Card(
        "phantoms",
        title="Phantoms",
        description=f"Pictures of {pictures.name} with shapes drawn in them by a program (seed {seed}).",
        licence=pictures.card.licence,
        labels="By construction: what is drawn is what is labelled. CUIs from C9910001 on are made up.",
        intended_use="Tests of explanations: the pixels of each label are known.",
        not_for="Anything about patients, or about how well a system reads real images.",
        limitations=("Shapes stand for findings; nothing here looks like a disease.",),
    )
