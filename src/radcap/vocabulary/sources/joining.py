"""Places terms without CUI on concepts that other files brought, by name.

Invariant: a term is placed only where all concepts that have one of its names are one and the same; others
are counted, never guessed. Abbreviations do not count as names here, since they mean too much.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.vocabulary.index.keys import is_guarded
from radcap.vocabulary.words import ARTICLES, normal, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.terms import Term

__all__ = ["name_key", "place_terms"]

_BATCH = 65_536  # names as Python objects at a time


class _Normal(dict[str, str]):
    """Normal forms of words, each worked out once."""

    def __missing__(self, word: str) -> str:
        form = self[word] = "" if word in ARTICLES else normal(word)
        return form


def name_key(name: str, forms: dict[str, str]) -> str:
    """The words of a name in normal form, articles left out."""
    return " ".join(filter(None, map(forms.__getitem__, split(name)[1::2])))


def place_terms(
    terms: Sequence[Term], base: Sequence[Draft], file: str, findings: Findings
) -> tuple[Term, ...]:
    """The terms, those without CUI on the concept their names lead to, if it is one."""
    lacking = [term for term in terms if not term.cuis]
    if not lacking:
        return tuple(terms)
    if not any(len(one.names) for one in base):
        findings.add("VOC302", file, n=len(lacking), file=file)
        return tuple(terms)
    forms = _Normal()
    keys = {id(term): tuple(_keys(term, forms)) for term in lacking}
    owners = _owners({key for some in keys.values() for key in some}, base, forms)
    found = {one: set[int]().union(*(owners.get(key, ()) for key in some)) for one, some in keys.items()}
    _tell(found.values(), file, findings)
    return tuple(_placed(term, found.get(id(term), ())) for term in terms)


def _keys(term: Term, forms: dict[str, str]) -> Iterator[str]:
    for name in term.names:
        key = name_key(name, forms)
        if key and not is_guarded(name):
            yield key


def _owners(wanted: set[str], base: Sequence[Draft], forms: dict[str, str]) -> dict[str, set[int]]:
    """The concepts that have a name of one of these keys; no other name is held."""
    owners: dict[str, set[int]] = {}
    for draft in base:
        for start in range(0, len(draft.names), _BATCH):
            part = draft.names.slice(start, _BATCH)
            pairs = zip(part.column("cui").to_pylist(), part.column("name").to_pylist(), strict=True)
            for cui, name in pairs:
                key = name_key(name, forms)
                if key in wanted:
                    owners.setdefault(key, set()).add(cui)
    return owners


def _placed(term: Term, found: Iterable[int]) -> Term:
    cuis = tuple(found)
    return replace(term, cuis=cuis) if len(cuis) == 1 else term


def _tell(found: Iterable[set[int]], file: str, findings: Findings) -> None:
    counts = [min(len(one), 2) for one in found]
    findings.add(
        "VOC301",
        file,
        n=len(counts),
        file=file,
        placed=counts.count(1),
        several=counts.count(2),
        unknown=counts.count(0),
    )
