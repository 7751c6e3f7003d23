"""The parts of a dataset that one captioner is made from.

Invariant: an image is learnt from where it has a caption that can be learnt; what is left out is counted and
told. What is held out is never learnt from before every choice is made.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.captioning.texts import chosen_captions, learnable_captions
from radcap.core import UsageError
from radcap.detection.examples import label_matrix, label_set, learnable
from radcap.detection.training.fingerprints import training_fingerprint

if TYPE_CHECKING:
    from radcap.captioning.settings import CaptionDataSettings
    from radcap.captioning.system import CaptionSystem
    from radcap.core import Cui
    from radcap.datasets import Dataset

__all__ = ["CaptionParts", "Captioned"]


@dataclass(frozen=True)
class Captioned:
    """Images with their captions, in one order; `sources` says where each caption comes from."""

    images: Dataset
    captions: tuple[str, ...]
    sources: tuple[str, ...]
    told: tuple[str, ...] = ()  # sentences on what was left out

    @classmethod
    def of(cls, dataset: Dataset, data: CaptionDataSettings) -> Captioned:
        rows = learnable(dataset, data)
        chosen = chosen_captions(rows, data)
        texts = learnable_captions(chosen, data, rows.ids)
        places = list(texts.kept)
        sources = tuple(str(one.source) for place in places if (one := chosen[place]) is not None)
        return cls(rows.take(places), tuple(texts.kept.values()), sources, tuple(texts.told()))

    def __len__(self) -> int:
        return len(self.captions)

    def __add__(self, other: Captioned) -> Captioned:
        table = pa.concat_tables([self.images.table, other.images.table])
        images = replace(self.images, table=table, found=-1)
        return Captioned(images, self.captions + other.captions, self.sources + other.sources)

    def only(self, ids: tuple[str, ...]) -> Captioned:
        """The images of these ids, in their order."""
        place = {one: row for row, one in enumerate(self.images.ids)}
        rows = [place[one] for one in ids]
        captions, sources = (tuple(told[row] for row in rows) for told in (self.captions, self.sources))
        return Captioned(self.images.take(rows), captions, sources)


@dataclass(frozen=True)
class CaptionParts:
    """What is learnt from, what is held out where there is such a split, and the labels of the former."""

    fit: Captioned
    held: Captioned | None
    labels: tuple[Cui, ...]
    others: Dataset | None = None  # all records of other splits: those that are asked about

    @classmethod
    def of(cls, dataset: Dataset, data: CaptionDataSettings) -> CaptionParts:
        """An unknown training split is refused, and one without captions; labels may be missing."""
        fit = Captioned.of(dataset.split(data.fit), data)
        if not len(fit):
            left = " ".join(fit.told)
            raise UsageError(
                f"{dataset.name} has no caption to learn from in the split {data.fit!r}. {left}"
                " Look at [data] captions, english and free_only."
            )
        held = Captioned.of(dataset.split(data.held), data) if data.held in dataset.splits else None
        has_labels = any(fit.images.column("cui").to_pylist())
        labels = label_set(fit.images, data) if has_labels else ()
        others = dataset.filter(pc.not_equal(dataset.column("split"), data.fit))
        return cls(fit, held if held is not None and len(held) else None, labels, others)

    @cached_property
    def both(self) -> Captioned:
        """The two together, for the last training."""
        return self.fit if self.held is None else self.fit + self.held

    @cached_property
    def data_fingerprint(self) -> str:
        """Of images, captions and labels."""
        digest = hashlib.sha256("\n".join(self.labels).encode())
        for part in (self.fit, self.held):
            if part is not None:
                digest.update("\n".join(part.images.ids).encode())
                digest.update("\n".join(part.captions).encode())
                digest.update(np.packbits(label_matrix(part.images, self.labels)).tobytes())
        return digest.hexdigest()

    def fingerprint(self, system: CaptionSystem) -> str:
        """Of settings and data, to know an unfinished training again."""
        return training_fingerprint(system, self.data_fingerprint)

    def to_json(self) -> dict[str, Any]:
        """What the card says of the data."""
        used = [self.fit] if self.held is None else [self.fit, self.held]

        def counted(column: str) -> dict[str, int]:
            found = (one or "unknown" for part in used for one in part.images.column(column).to_pylist())
            return dict(Counter(found).most_common())

        captions = Counter(one for part in used for one in part.sources)
        return {
            "name": self.fit.images.name,
            "fingerprint": self.data_fingerprint,
            "train": len(self.fit),
            "held_out": 0 if self.held is None else len(self.held),
            "captions": dict(captions.most_common()),
            "left_out": [*self.fit.told, *(self.held.told if self.held else ())],
            "licences": counted("licence"),
            "sources": counted("source"),
        }
