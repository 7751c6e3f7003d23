"""From cells to sets of concepts, by the rules of an edition.

Invariant: what differs between editions is a field of `ConceptRules`; the metrics see sets only.
>>> rules = ConceptRules(True, True, True, EmptyTruth.ONE)
>>> sorted(rules.read("c1; C2;"))
['', 'C1', 'C2']
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from radcap.core import Cui, ImageId

__all__ = ["ConceptRules", "EmptyTruth", "SetPair", "pair_up"]


class EmptyTruth(StrEnum):
    """What becomes of an image whose truth names no concept."""

    SKIP = "skip"  # it leaves numerator and denominator
    ONE = "one"  # it counts: 1 if the run names none either, else 0


class SetPair(NamedTuple):
    """One image: what the truth says and what the run says."""

    id: ImageId
    truth: frozenset[Cui]
    predicted: frozenset[Cui]


@dataclass(frozen=True, slots=True)
class ConceptRules:
    """How an edition turns a cell into a set."""

    strip: bool  # blanks around a part are dropped
    blank_is_concept: bool  # an empty cell is one empty concept, as `"".split(";")` has one part
    keep_empty_parts: bool  # a trailing ';' adds an empty concept
    empty_truth: EmptyTruth
    skip_ids_with_id: bool = False  # rows whose id contains 'ID' are taken for headers

    def read(self, cell: str) -> frozenset[Cui]:
        if not self.blank_is_concept and not cell.strip():
            return frozenset()
        parts = cell.upper().split(";")
        stripped = map(str.strip, parts) if self.strip else parts
        return frozenset(stripped if self.keep_empty_parts else filter(None, stripped))

    def counts(self, image_id: ImageId) -> bool:
        return not (self.skip_ids_with_id and "ID" in image_id)


def pair_up(
    truth: Mapping[ImageId, str | None],
    run: Mapping[ImageId, str | None],
    read: Callable[[str], frozenset[Cui]],
    empty_truth: EmptyTruth,
    allowed: AbstractSet[Cui] | None = None,
) -> list[SetPair]:
    """The images that count, in the order of the truth, restricted to the allowed concepts.

    A row of the run that is an id alone predicts nothing, not even the empty concept.
    """
    pairs: list[SetPair] = []
    for image_id, cell in truth.items():
        wanted = read(cell or "")
        said = run[image_id]
        predicted = frozenset[str]() if said is None else read(said)
        if allowed is not None:
            wanted, predicted = wanted & allowed, predicted & allowed
        if wanted or empty_truth is EmptyTruth.ONE:
            pairs.append(SetPair(image_id, wanted, predicted))
    return pairs
