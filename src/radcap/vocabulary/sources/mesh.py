"""MeSH descriptors as XML, desc2025.xml and the like.

A descriptor holds concepts, each a group of terms that mean the same; the preferred concept is the descriptor
itself, the narrower ones lie below it. Descriptors stand in trees: one is below another where a tree number
of it is one of the other and one step more.
Invariant: files of today name neither CUI nor type; older ones do, and then they count.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.inputs import Reading
from radcap.vocabulary.sources.terms import Term
from radcap.vocabulary.sources.xml_records import XmlRecords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input, Told
    from radcap.vocabulary.sources.xml_records import Node

__all__ = ["read_mesh"]

_LICENCE = "National Library of Medicine: free to use with attribution"
_RECORDS = frozenset({"DescriptorRecord"})
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)")
_TOLD = 1000  # descriptors between two words of progress


def read_mesh(given: Input, findings: Findings, told: Told) -> Reading:
    """The concepts of all descriptors."""
    checks = Checks(given.file, findings)
    records = XmlRecords(_RECORDS, given.file, findings)
    descriptors: list[tuple[tuple[str, ...], list[Term]]] = []
    for node in records.read(given.path):
        trees = tuple(one.text.strip() for whole in node.all("TreeNumberList") for one in whole.inside)
        descriptors.append((trees, list(_terms(node, checks))))
        if len(descriptors) % _TOLD == 0:
            told(given.file, len(descriptors))
    year = _YEAR.search(given.path.name) or _YEAR.search(records.doctype)
    about = given.about("MSH", "Medical Subject Headings", year[1] if year else "", _LICENCE)
    return Reading(about, terms=tuple(_in_trees(descriptors)))


def _terms(node: Node, checks: Checks) -> Iterator[Term]:
    """The concepts of a descriptor, the preferred one under the descriptor's own code."""
    code = node.first("DescriptorUI")
    concepts = [one for whole in node.all("ConceptList") for one in whole.all("Concept")]
    concepts.sort(key=lambda one: one.attributes.get("PreferredConceptYN") != "Y")
    narrower = {
        one.first("Concept2UI")
        for concept in concepts
        for whole in concept.all("ConceptRelationList")
        for one in whole.all("ConceptRelation")
        if one.attributes.get("RelationName") == "NRW"
    }
    for concept in concepts:
        own = concept.first("ConceptUI")
        is_first = concept.attributes.get("PreferredConceptYN") == "Y"
        yield Term(
            code if is_first else own,
            tuple(dict.fromkeys(_names(concept))),
            tuple(_cuis(concept, checks)),
            tuple(_types(concept, own, checks)),
            (code,) if not is_first and own in narrower else (),
            concept.line,
        )


def _names(concept: Node) -> Iterator[str]:
    yield concept.first("ConceptName", "String")
    for whole in concept.all("TermList"):
        yield from (one.first("String") for one in whole.all("Term"))


def _cuis(concept: Node, checks: Checks) -> Iterator[int]:
    for one in concept.all("ConceptUMLSUI"):
        number = checks.cui(one.text.strip(), one.line)
        if number is not None:
            yield number


def _types(concept: Node, owner: str, checks: Checks) -> Iterator[int]:
    for one in (one for whole in concept.all("SemanticTypeList") for one in whole.all("SemanticType")):
        number = checks.type(one.first("SemanticTypeUI"), owner, one.line)
        if number is not None:
            yield number


def _in_trees(descriptors: list[tuple[tuple[str, ...], list[Term]]]) -> Iterator[Term]:
    """The terms, those of descriptors with the descriptors right above them as parents."""
    codes = {tree: terms[0].code for trees, terms in descriptors if terms for tree in trees}
    for trees, terms in descriptors:
        above = [codes[up] for tree in trees if (up := tree.rpartition(".")[0]) in codes]
        for place, term in enumerate(terms):
            yield term if place else replace(term, parents=tuple(dict.fromkeys(above)))
