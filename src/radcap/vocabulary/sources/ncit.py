"""The NCI Thesaurus as OWL: the free source that has names, synonyms, types and CUIs.

P207 is the CUI of UMLS; P208, that of the NCI Metathesaurus, counts only where it has the form of UMLS. P108
is the preferred name, P90 are synonyms, P106 is the semantic type by name.
Invariant: retired concepts are left out and counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.vocabulary.concepts import cui_number
from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.inputs import Reading
from radcap.vocabulary.sources.terms import Term
from radcap.vocabulary.sources.xml_records import XmlRecords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input, Told
    from radcap.vocabulary.sources.xml_records import Node

__all__ = ["LICENCE", "NAME", "TITLE", "read_ncit"]

NAME, TITLE = "NCIT", "NCI Thesaurus"
LICENCE = "CC BY 4.0, National Cancer Institute"
_RECORDS = frozenset({"Class", "Ontology"})
_RETIRED = frozenset({"Obsolete_Concept", "Retired_Concept"})
_TOLD = 10_000  # terms between two words of progress


def read_ncit(given: Input, findings: Findings, told: Told) -> Reading:
    """The concepts of the thesaurus."""
    checks = Checks(given.file, findings)
    terms: list[Term] = []
    release, retired = "", 0
    for node in XmlRecords(_RECORDS, given.file, findings).read(given.path):
        if node.tag == "Ontology":
            release = node.first("versionInfo") or release
        elif _is_retired(node):
            retired += 1
        elif node.attributes.get("about"):
            terms.append(_term(node, checks))
            if len(terms) % _TOLD == 0:
                told(given.file, len(terms))
    if retired:
        findings.add(
            "VOC116", given.file, n=retired, what="concepts", file=given.file, why="they are retired"
        )
    return Reading(given.about(NAME, TITLE, release, LICENCE), terms=tuple(terms))


def _is_retired(node: Node) -> bool:
    said = any(one.text.strip() in _RETIRED for one in node.all("P310"))
    return said or node.first("deprecated").casefold() == "true"


def _term(node: Node, checks: Checks) -> Term:
    name = node.first("P108") or node.first("label")
    synonyms = (one.text.strip() for one in node.all("P90"))
    return Term(
        _code(node.attributes["about"]),
        tuple(dict.fromkeys((name, *synonyms))),
        tuple(_cuis(node, checks)),
        tuple(_types(node, checks)),
        tuple(dict.fromkeys(_parents(node))),
        node.line,
    )


def _code(address: str) -> str:
    return address.replace("#", "/").rpartition("/")[2]


def _cuis(node: Node, checks: Checks) -> Iterator[int]:
    found = [one.text.strip() for one in node.all("P207")]
    other = [one.text.strip() for one in node.all("P208")]
    for text in dict.fromkeys(found or (one for one in other if cui_number(one) is not None)):
        number = checks.cui(text, node.line)
        if number is not None:
            yield number


def _types(node: Node, checks: Checks) -> Iterator[int]:
    for one in node.all("P106"):
        number = checks.named_type(one.text.strip(), one.line)
        if number is not None:
            yield number


def _parents(node: Node) -> Iterator[str]:
    """Classes above: named ones, and those a definition starts from."""
    for one in node.all("subClassOf"):
        if "resource" in one.attributes:
            yield _code(one.attributes["resource"])
    for equal in node.all("equivalentClass"):
        for whole in (part for one in equal.inside for part in one.all("intersectionOf")):
            for part in whole.inside:
                if "about" in part.attributes:
                    yield _code(part.attributes["about"])
