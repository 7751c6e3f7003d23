"""Semantic types as sources write them: by number, or by name.

Invariant: names are compared without regard to case and blanks, as sources write them differently.
>>> type_of_name("body part, organ, or organ component")
23
"""

from __future__ import annotations

from functools import cache

from radcap.vocabulary.semantic_types import semantic_types

__all__ = ["known_types", "type_of_name"]


@cache
def _numbers() -> dict[str, int]:
    return {_folded(one.name): int(tui[1:]) for tui, one in semantic_types().items()}


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


@cache
def known_types() -> frozenset[int]:
    """The number of every type."""
    return frozenset(_numbers().values())


def type_of_name(name: str) -> int | None:
    """The number of a type, or nothing if no type is called so."""
    return _numbers().get(_folded(name))
