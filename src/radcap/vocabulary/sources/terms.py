"""Terms of an ontology, and the draft they make.

Invariant: a term stands on the concepts its file names, or on the one that joining found; a parent is the
nearest term above that stands on a concept, so a term without one does not break the hierarchy.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.vocabulary.drafts import PREFERRED, SYNONYM
from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.drafting import Drafting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.stamps import Source

__all__ = ["Term", "draft_of_terms"]

_SHARED = 10  # added to the rank where a term names several concepts: one that names it alone is better
_CLIMBED = 1000  # terms without concept between a term and its parents; no ontology has so many


@dataclass(frozen=True, slots=True)
class Term:
    """Names that mean the same, the preferred one first. `parents` are codes of other terms."""

    code: str
    names: tuple[str, ...]
    cuis: tuple[int, ...] = ()
    types: tuple[int, ...] = ()
    parents: tuple[str, ...] = ()
    line: int = 0


def draft_of_terms(source: Source, terms: Sequence[Term], file: str, findings: Findings) -> Draft:
    """The draft of the terms that stand on a concept."""
    drafting = Drafting(source)
    checks = Checks(file, findings)
    by_code = {term.code: term for term in terms if term.code}
    for term in terms:
        _add(term, drafting, checks)
        for parent in _above(term, by_code) if term.cuis else ():
            for cui in term.cuis:
                if cui != parent:
                    drafting.add_parent(cui, parent)
    return drafting.finish()


def _add(term: Term, drafting: Drafting, checks: Checks) -> None:
    shift = _SHARED * (len(term.cuis) > 1)
    for cui in term.cuis:
        for place, name in enumerate(checks.names(term.names, cui, term.line)):
            drafting.add_name(cui, name, (SYNONYM if place else PREFERRED) + shift)
        for number in term.types:
            drafting.add_type(cui, number)
        if term.code:
            drafting.add_code(cui, term.code)


def _above(term: Term, by_code: Mapping[str, Term]) -> Iterator[int]:
    """The concepts right above a term, climbing over terms that have none."""
    pending = deque(term.parents)
    seen = {term.code}
    while pending and len(seen) < _CLIMBED:
        code = pending.popleft()
        if code in seen or code not in by_code:
            continue
        seen.add(code)
        above = by_code[code]
        if above.cuis:
            yield from above.cuis
        else:
            pending.extend(above.parents)
