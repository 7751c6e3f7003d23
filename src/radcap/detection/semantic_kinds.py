"""Of what kind concepts are: their semantic types and groups by the free vocabulary.

Invariant: a concept that the vocabulary does not know has no type and no group, and is of no kind that is
asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.core import Cui

__all__ = ["of_kinds", "semantic_groups", "semantic_types_of"]


def semantic_types_of(labels: Sequence[Cui]) -> tuple[tuple[str, ...], ...]:
    """The semantic types (T047 ...) of each concept: none, one or several."""
    from radcap.vocabulary import open_vocabulary

    vocabulary = open_vocabulary()
    return tuple(vocabulary.types(cui) for cui in labels)


def semantic_groups(labels: Sequence[Cui]) -> tuple[str, ...]:
    """The semantic group of each concept by the free vocabulary, \"\" where it is not known."""
    from radcap.vocabulary import semantic_types

    known, types = semantic_types(), semantic_types_of(labels)
    return tuple(next((known[one].group for one in some if one in known), "") for some in types)


def of_kinds(labels: Sequence[Cui], kinds: Sequence[str]) -> list[Cui]:
    """Those of some semantic groups, in their order; all of them where no group is named."""
    from radcap.vocabulary import semantic_types

    groups = sorted({one.group for one in semantic_types().values()}) if kinds else []
    unknown = [one for one in kinds if one not in groups]
    if unknown:
        raise unknown_name("semantic group", unknown[0], groups)
    if not kinds:
        return list(labels)
    return [cui for cui, group in zip(labels, semantic_groups(labels), strict=True) if group in kinds]
