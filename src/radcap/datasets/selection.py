"""Which part of a dataset is wanted, as the ROCOv2 paper advises its users to choose.

Invariant: a selection only leaves out; it says how many images there were before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from radcap.core import UsageError, unknown_name
from radcap.core.cui_sets import DIRECTIONS
from radcap.datasets.caption_parts import caption_part
from radcap.datasets.columns import NAMES
from radcap.datasets.lists import lengths, without, without_rows_of

if TYPE_CHECKING:
    import pyarrow as pa

    from radcap.datasets.records import CaptionSource

__all__ = ["Concepts", "Selection", "concepts_named", "select"]


class Concepts(StrEnum):
    """Which labels of an image count as its concepts."""

    ALL = "all"
    AUTOMATIC = "automatic"  # those that a program found in the caption
    MANUAL = "manual"  # modality, and for X-rays region and direction


def concepts_named(name: str) -> Concepts:
    """The choice of that name."""
    try:
        return Concepts(name)
    except ValueError:
        raise unknown_name("choice of concepts", name, (one.value for one in Concepts)) from None


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked of `load_dataset`."""

    concepts: Concepts = Concepts.ALL
    direction: bool = True  # the manual label whose agreement was only moderate (kappa 0.557)
    min_concepts: int = 0
    captions: CaptionSource | None = None  # of one source alone; images without one stay

    def __post_init__(self) -> None:
        if self.min_concepts < 0:
            raise UsageError(f"min_concepts is {self.min_concepts}. It counts concepts: give 0 or more.")


def select(table: pa.Table, wanted: Selection) -> pa.Table:
    """The rows and labels that are wanted."""
    cui, manual = table["cui"], table["cui_manual"]
    if not wanted.direction:
        cui, manual = without(cui, DIRECTIONS), without(manual, DIRECTIONS)
    if wanted.concepts is Concepts.MANUAL:
        cui = manual
    elif wanted.concepts is Concepts.AUTOMATIC:
        cui = without_rows_of(cui, manual)
    table = _replaced(_replaced(table, "cui", cui), "cui_manual", manual)
    if wanted.captions is not None:
        table = _replaced(table, "captions", caption_part(table["captions"], wanted.captions))
    if not wanted.min_concepts:
        return table
    return table.filter(lengths(cui) >= wanted.min_concepts)


def _replaced(table: pa.Table, name: str, column: Any) -> pa.Table:
    return table.set_column(NAMES.index(name), name, column)
