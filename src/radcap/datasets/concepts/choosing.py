"""Which concepts of a dataset are meant: those that are named, or the most frequent ones.

Invariant: a CUI is taken as it is written, never with other letters; all names that are refused are told at
once, each with the nearest there is.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from radcap.core import InputError, UsageError
from radcap.formats import shown
from radcap.report.names import counted
from radcap.vocabulary.concepts import cui_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import Cui
    from radcap.datasets.concepts.labelling import Labelling

__all__ = ["choose"]

_ALIKE = 0.6
_LONGEST = 100  # letters of a name that is compared with others


def choose(labelling: Labelling, wanted: Sequence[str], top: int) -> tuple[int, ...]:
    """The codes of the concepts that are named, in that order; of none, those of the `top` most frequent."""
    if not len(labelling):
        records = counted(labelling.labels.images, "record")
        raise InputError(
            f"{labelling.dataset.name} has no concepts on its {records}. There is nothing to count. Check "
            "its label files, and the choice of split and labels."
        )
    named = dict.fromkeys(wanted)
    absent = [one for one in named if one not in labelling.code_of]
    if absent:
        near = _near(labelling)
        told = [_refusal(one, labelling, near) for one in absent]
        raise UsageError(" ".join([*told, "Without a CUI the most frequent concepts are listed."]))
    return tuple(labelling.code_of[one] for one in named) or labelling.order[:top]


def _near(labelling: Labelling) -> Mapping[str, Cui]:
    """Every CUI and every name, as texts are compared; a name belongs to its most frequent concept."""
    cuis = [labelling.labels.cuis[code] for code in labelling.order]
    names = {labelling.name(cui).casefold()[:_LONGEST]: cui for cui in reversed(cuis) if labelling.name(cui)}
    return {**names, **{cui.casefold(): cui for cui in cuis}}


def _refusal(text: str, labelling: Labelling, near: Mapping[str, Cui]) -> str:
    found = _nearest(text, labelling, near)
    nearest = f" Nearest is {_told(found, labelling)}." if found else ""
    if cui_number(text) is None:
        return f"{shown(text)} is no CUI, which is a C and seven digits.{nearest}"
    return f"{_told(text, labelling)} stands on no image of {labelling.dataset.name}.{nearest}"


def _nearest(text: str, labelling: Labelling, near: Mapping[str, Cui]) -> Cui | None:
    """A relative in the vocabulary, else what is written most alike: the names of known concepts, or CUIs."""
    vocabulary = labelling.vocabulary
    for cui in (*vocabulary.ancestors(text), *vocabulary.children(text)):
        if cui in labelling.code_of:
            return cui
    written = (labelling.name(text) or text).casefold()[:_LONGEST]
    found = get_close_matches(written, near, n=1, cutoff=_ALIKE)
    return near[found[0]] if found else None


def _told(cui: Cui, labelling: Labelling) -> str:
    name = labelling.name(cui)
    return f"{cui} ({name})" if name else cui
