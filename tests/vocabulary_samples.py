"""Small vocabularies: concepts with their names, compiled in memory or into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import VERSION
from radcap.vocabulary.concepts import cui_number
from radcap.vocabulary.drafts import Draft, make_draft
from radcap.vocabulary.index.compiling import compile_draft, make_arrays
from radcap.vocabulary.stamps import Source, Stamp
from radcap.vocabulary.vocabulary import Vocabulary
from radcap.vocabulary.words import digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["STAMP", "draft_of", "number", "vocabulary_of", "write_vocabulary"]

SOURCES = (Source("test", "A vocabulary of tests", "1", "CC0", "nobody"), Source("other"))
STAMP = Stamp("small", "2026", "CC0", SOURCES, radcap=VERSION, words=digest())


def number(cui: str) -> int:
    found = cui_number(cui)
    assert found is not None
    return found


def draft_of(
    concepts: Mapping[str, Sequence[str]],
    *,
    types: Sequence[tuple[str, int]] = (),
    parents: Sequence[tuple[str, str]] = (),
    codes: Sequence[tuple[str, int, str]] = (),
    retired: Sequence[tuple[str, str, int]] = (),
) -> Draft:
    """The names of each concept, the best first; CUIs as text."""
    return make_draft(
        SOURCES,
        [(number(cui), name, 0, rank) for cui, names in concepts.items() for rank, name in enumerate(names)],
        [(number(cui), one) for cui, one in types],
        [(number(cui), number(parent)) for cui, parent in parents],
        [(number(cui), source, code) for cui, source, code in codes],
        [(number(cui), relation, now) for cui, relation, now in retired],
    )


def vocabulary_of(concepts: Mapping[str, Sequence[str]] | Draft) -> Vocabulary:
    """Compiled in memory."""
    draft = concepts if isinstance(concepts, Draft) else draft_of(concepts)
    return Vocabulary(make_arrays(draft)[0], STAMP)


def write_vocabulary(path: Path, concepts: Mapping[str, Sequence[str]] | Draft) -> Path:
    """Compiled into a file."""
    compile_draft(concepts if isinstance(concepts, Draft) else draft_of(concepts), STAMP, path)
    return path
