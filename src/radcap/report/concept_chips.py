"""Predicted concepts beside the true ones, as chips: hit, wrong, missed.

Invariant: each chip bears a sign and a word for its kind, so that its colour can be left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.report.markup import Markup, element

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["concept_chips", "is_concepts", "true_chips"]

_MOST = 60  # chips of one cell
_CELL = re.compile(r"\s*C\d+\s*(?:;\s*C\d+\s*)*;?\s*", re.ASCII | re.IGNORECASE)
_SIGNS = {"hit": "\u2713", "wrong": "\u2717", "missed": "\u25cb"}


def is_concepts(*cells: str) -> bool:
    """Whether cells hold CUIs rather than captions; the first that holds anything decides."""
    told = next((cell for cell in cells if cell.strip()), "")
    return _CELL.fullmatch(told) is not None


def concept_chips(prediction: str, truth: str, names: Mapping[str, str]) -> Markup:
    """What was predicted, hits first, and what was missed."""
    given, wanted = _concepts(prediction), _concepts(truth)
    kinds = [
        *(("hit", cui) for cui in given if cui in wanted),
        *(("wrong", cui) for cui in given if cui not in wanted),
        *(("missed", cui) for cui in wanted if cui not in given),
    ]
    return _list([_chip(cui, names, kind) for kind, cui in kinds[:_MOST]], len(kinds))


def true_chips(truth: str, names: Mapping[str, str]) -> Markup:
    """The concepts of the truth."""
    cuis = _concepts(truth)
    return _list([_chip(cui, names) for cui in [*cuis][:_MOST]], len(cuis))


def _concepts(cell: str) -> dict[str, None]:
    return dict.fromkeys(part.strip().upper() for part in cell.split(";") if part.strip())


def _chip(cui: str, names: Mapping[str, str], kind: str = "") -> Markup:
    return element(
        "li", *_kind(kind), element("code", cui), f" {names.get(cui, '')}".rstrip(), class_=kind or None
    )


def _kind(kind: str) -> Iterator[Markup]:
    if kind:
        yield element("span", _SIGNS[kind], aria_hidden="true")
        yield element("span", f"{kind}: ", class_="said")


def _list(chips: list[Markup], n: int) -> Markup:
    if not chips:
        return element("em", "none")
    more = [element("li", f"and {n - _MOST:,} more")] if n > _MOST else []
    return element("ul", *chips, *more, class_="chips")
