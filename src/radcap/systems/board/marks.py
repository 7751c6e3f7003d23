"""By which a result is known again: of what is trained, at what scale, on what data.

Invariant: neither new keys of radcap nor words about a system change a mark; other pixels and other weights
under the same name do. A time of change would not do for these: results go on on other machines.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from radcap.detection.system import ConceptSystem, tables
from radcap.detection.system_reading import system_toml
from radcap.detection.training.contents import origins_digest, pixels_digest
from radcap.systems.board.fitting import fit_system

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets import Dataset
    from radcap.systems.board.scales import Scale

__all__ = ["data_mark", "marks_of", "system_mark"]

# what is learnt, and by what images and captions are chosen and parted
_COLUMNS = ("image_id", "split", "cui", "captions", "group", "source", "licence")


def marks_of(systems: Sequence[ConceptSystem], scale: Scale, dataset: Dataset) -> dict[str, str]:
    """The mark of each system at a scale, by name."""
    data = data_mark(dataset)
    return {one.name: system_mark(fit_system(one, scale).system, scale, data) for one in systems}


def system_mark(fitted: ConceptSystem, scale: Scale, data: str) -> str:
    """Of a system as a board trains it, on data with this mark."""
    trained = ConceptSystem(
        name=fitted.name,
        task=fitted.task,
        ensemble=fitted.ensemble,
        member=fitted.member,
        **tables(fitted),
    )
    origins = [origins_digest(one) for one in (fitted, *fitted.member)]  # files of weights that are named
    text = "\n".join([system_toml(trained), scale.name, data, *origins])
    return hashlib.sha256(text.encode()).hexdigest()


def data_mark(dataset: Dataset) -> str:
    """Of all that is learnt from: labels, captions, names of concepts, and pixels. It reads every image."""
    digest = hashlib.sha256(dataset.name.encode())
    digest.update(repr(sorted(dataset.names.items())).encode())
    for column in _COLUMNS:
        digest.update(repr(dataset.column(column).to_pylist()).encode())
    digest.update(pixels_digest(dataset, dataset.splits).encode())
    return digest.hexdigest()
