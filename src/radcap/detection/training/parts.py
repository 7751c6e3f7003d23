"""The parts of a dataset that one model is made from.

Invariant: what is held out is never learnt from before every choice is made. Members of a Monte-Carlo pool
choose their epochs on parts of the training groups, each drawn by the member's seed, and are joined on the
split that all of them hold out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from radcap.core import UsageError
from radcap.detection.examples import groups_of, label_matrix, label_set, learnable
from radcap.detection.training.contents import origins_digest
from radcap.detection.training.fingerprints import training_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptModel, DataSettings

__all__ = ["Parts"]


@dataclass(frozen=True)
class Parts:
    """The training split, the held-out one where there is one, and the labels of the former; `inner` is the
    part of the former that epochs are chosen on in place of what is held out."""

    fit: Dataset
    held: Dataset | None
    labels: tuple[Cui, ...]
    inner: Dataset | None = None
    pixels: Callable[[], str] = str  # by which the images are known again; they are read for it

    @classmethod
    def of(
        cls, dataset: Dataset, data: DataSettings, seed: int = 0, pixels: Callable[[], str] = str
    ) -> Parts:
        """An unknown training split is refused; without the held-out one, nothing can be chosen on it."""
        _check_sources(dataset, data)
        fit = learnable(dataset.split(data.fit), data)
        held = learnable(dataset.split(data.held), data) if data.held in dataset.splits else None
        if held is not None and len(held) and len(set(groups_of(held, held.ids))) == 1:
            raise UsageError(
                f"The split {data.held!r} of {dataset.name} holds images of one group alone: what is fitted"
                " on it cannot be judged. Give it images of several groups, or leave it out."
            )
        inner = _drawn(fit, data.monte_carlo, seed) if data.monte_carlo else None
        held = held if held is not None and len(held) else None
        return cls(fit, held, label_set(fit, data), inner, pixels)

    @cached_property
    def learnt(self) -> Dataset:
        """What is learnt while epochs are chosen."""
        if self.inner is None:
            return self.fit
        left_out = set(self.inner.ids)
        return self.fit.filter(np.array([one not in left_out for one in self.fit.ids], np.bool_))

    @property
    def chosen_on(self) -> Dataset | None:
        """What epochs are chosen on."""
        return self.held if self.inner is None else self.inner

    @cached_property
    def both(self) -> Dataset:
        """The two together, for the last training."""
        if self.held is None:
            return self.fit
        return replace(self.fit, table=pa.concat_tables([self.fit.table, self.held.table]), found=-1)

    @cached_property
    def data_fingerprint(self) -> str:
        """Of images and labels, by their names."""
        digest = hashlib.sha256("\n".join(self.labels).encode())
        for part in (self.fit, self.held, self.inner):
            if part is not None:
                digest.update("\n".join(part.ids).encode())
                digest.update(np.packbits(label_matrix(part, self.labels)).tobytes())
        return digest.hexdigest()

    def fingerprint(self, model: ConceptModel) -> str:
        """Of settings and data, and of what both name, to know an unfinished training again."""
        data = f"{self.data_fingerprint}\n{self.pixels()}\n{origins_digest(model)}"
        return training_fingerprint(model, data)

    def to_json(self) -> dict[str, Any]:
        """What the card says of the data."""
        used = [self.fit] if self.held is None else [self.fit, self.held]
        licences = Counter(one or "unknown" for part in used for one in part.column("licence").to_pylist())
        sources = Counter(one or "unknown" for part in used for one in part.column("source").to_pylist())
        return {
            "name": self.fit.name,
            "fingerprint": self.data_fingerprint,
            "train": len(self.learnt),
            **({} if self.inner is None else {"epochs_chosen_on": len(self.inner)}),
            "held_out": 0 if self.held is None else len(self.held),
            "licences": dict(licences.most_common()),
            "sources": dict(sources.most_common()),
        }


def _check_sources(dataset: Dataset, data: DataSettings) -> None:
    """Refuse to leave out what is not there."""
    if not data.without_sources:
        return
    known = sorted({one for one in dataset.column("source").to_pylist() if one})
    lacking = [repr(one) for one in data.without_sources if one not in known]
    if lacking:
        told = f"It has {', '.join(known)}." if known else "It names none."
        raise UsageError(
            f"[data] without_sources names {', '.join(lacking)}, and {dataset.name} has no such source."
            f" {told} Name one of its sources, or delete the key."
        )


def _drawn(fit: Dataset, part: float, seed: int) -> Dataset:
    """That part of the groups, by lot, and something of either at least."""
    of_each = np.array(groups_of(fit, fit.ids))
    groups = np.unique(of_each)
    if len(groups) == 1:
        raise UsageError(
            f"monte_carlo draws groups, and all training images of {fit.name} are of one."
            " Write monte_carlo = 0, or give images of several groups."
        )
    many = int(np.clip(round(part * len(groups)), 1, len(groups) - 1))
    taken = np.random.default_rng(seed).permutation(groups)[:many]
    return fit.filter(np.isin(of_each, taken))
