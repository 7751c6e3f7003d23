"""Arguments that the vocabulary commands share, and how they open what is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["VocabOption", "open_layers", "pairs_of"]

VocabOption = Annotated[
    list[str] | None,
    typer.Option(
        "--vocab",
        metavar="free|FILE",
        help="A vocabulary: free, which ships inside, or a compiled file. May repeat: the first wins.",
    ),
]


def open_layers(names: list[str] | None) -> list[Vocabulary]:
    """The vocabularies that are named, or the free one."""
    from radcap.vocabulary.defaults import FREE, open_vocabulary

    return [open_vocabulary(name) for name in names or [FREE]]


def pairs_of(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """What an option says that is given as NAME=VALUE, once or several times.

    >>> pairs_of(["pack=models/a=b"], "--option")
    {'pack': 'models/a=b'}
    """
    pairs: dict[str, str] = {}
    for one in given or ():
        name, _, value = (part.strip() for part in one.partition("="))
        if not name or not value:
            raise UsageError(f"{option} is {one!r:.60}. It needs a name and a value. Write NAME=VALUE.")
        pairs[name] = value
    return pairs
