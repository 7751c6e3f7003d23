"""Our own linker, under the name `dictionary`.

Invariant: it needs nothing and takes no options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.vocabulary.defaults import open_vocabulary
from radcap.vocabulary.extractors.options import read_options
from radcap.vocabulary.linking.linker import Linker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["open_dictionary"]


@dataclass(frozen=True, slots=True)
class _NoOptions:
    """There are none."""


def open_dictionary(vocabularies: Sequence[Vocabulary], options: Mapping[str, str]) -> Linker:
    """The linker over these vocabularies, or over the free one."""
    read_options("dictionary", _NoOptions, options)
    return Linker(vocabularies or (open_vocabulary(),))
