"""OBO flat files: HPO, Mondo, Uberon, DOID and the like, with cross-references to UMLS.

Invariant: a term is a stanza [Term]; obsolete terms, synonyms of other scopes and cross-references that do
not say "equal" are left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.inputs import Reading
from radcap.vocabulary.sources.terms import Term
from radcap.vocabulary.sources.text_lines import lost_byte, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input, Told
    from radcap.vocabulary.sources.text_lines import Line
    from radcap.vocabulary.stamps import Source

__all__ = ["read_obo"]

Tag = tuple[int, str, str]  # line, tag, value

_TAG = re.compile(r"([A-Za-z_-]+):\s*(.*)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*([A-Z]+)?')
_UMLS = re.compile(r"(?:UMLS|UMLS_CUI|UMLSCUI):\s*([^\s{\"]+)", re.IGNORECASE)
_EXACT = re.compile(r"(?:skos:|\S*[#/])?exactMatch\s+\"?\S*?(?:UMLS:|/umls/id/)([^\s\"{]+)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "W": " "}
_MONDO, _EQUAL = 'source="MONDO:', 'source="MONDO:equivalentTo"'
_COMMENT = " ! "
_TOLD = 10_000  # terms between two words of progress


def read_obo(given: Input, findings: Findings, told: Told) -> Reading:
    """The terms of an ontology."""
    stanzas = _stanzas(read_lines([given.path], given.file, findings), given.file, findings)
    about = _about(next(stanzas)[1], given)
    reading = _Terms(given, findings)
    for number, (kind, tags) in enumerate(stanzas):
        if kind == "Term":
            reading.take(tags)
        if number % _TOLD == 0:
            told(given.file, number)
    return Reading(about, terms=reading.finish(), filters={"synonyms": ";".join(given.scopes)})


def _stanzas(lines: Iterable[Line], file: str, findings: Findings) -> Iterator[tuple[str, list[Tag]]]:
    """The header, then each stanza: its kind and its tags."""
    kind, tags = "", list[Tag]()
    for number, text in lines:
        byte = lost_byte(text)
        if byte is not None:
            findings.add("VOC202", file, number, byte=byte)
        elif text.startswith("[") and text.rstrip().endswith("]"):
            yield kind, tags
            kind, tags = text.strip()[1:-1], []
        elif match := _TAG.match(text):
            tags.append((number, match[1], match[2].strip()))
    yield kind, tags


def _about(tags: Iterable[Tag], given: Input) -> Source:
    """What the header says: ontology, data-version, and properties for title and licence."""
    said: dict[str, str] = {}
    for _, tag, value in tags:
        if tag == "property_value":
            name, _, rest = value.partition(" ")
            said.setdefault(re.split(r"[:/#]", name)[-1].casefold(), _property(rest))
        else:
            said.setdefault(tag, value)
    version = said.get("data-version") or said.get("date", "")
    release = re.search(r"\d{4}-\d{2}-\d{2}", version)
    return given.about(
        said.get("ontology", given.path.name).partition(".")[0].upper(),  # HPO calls itself hp.obo
        said.get("title", ""),
        release[0] if release else version,
        said.get("license", said.get("licence", "")),
        said.get("remark", ""),
    )


def _property(value: str) -> str:
    """A property's value: a text in quotes with its type behind it, or an address."""
    quoted = _QUOTED.match(value)
    return _unescaped(quoted[1]) if quoted else value.partition(" ")[0]


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)


class _Terms:
    """Terms while they come in, and how much was left out."""

    def __init__(self, given: Input, findings: Findings) -> None:
        self._given = given
        self._findings = findings
        self._checks = Checks(given.file, findings)
        self._terms: list[Term] = []
        self._left: Counter[tuple[str, str]] = Counter()

    def take(self, tags: list[Tag]) -> None:
        first = {tag: (line, value) for line, tag, value in reversed(tags)}
        if first.get("is_obsolete", (0, ""))[1].startswith("true"):
            self._left["terms", "they are obsolete"] += 1
            return
        line, code = first.get("id", (tags[0][0] if tags else 0, ""))
        name = _unescaped(first.get("name", (0, ""))[1].partition(_COMMENT)[0])
        self._terms.append(
            Term(
                _bare(code),
                (name, *self._synonyms(tags)),
                tuple(dict.fromkeys(self._cuis(tags))),
                parents=tuple(_bare(value) for _, tag, value in tags if tag == "is_a"),
                line=line,
            )
        )

    def _synonyms(self, tags: list[Tag]) -> Iterator[str]:
        for _, tag, value in tags:
            match = _QUOTED.match(value) if tag == "synonym" else None
            if match and (match[2] or "RELATED") in self._given.scopes:  # the scope where none is said
                yield _unescaped(match[1])
            elif tag == "synonym":
                scopes = " or ".join(self._given.scopes)
                self._left["synonyms", f"their scope is not {scopes}"] += 1

    def _cuis(self, tags: list[Tag]) -> Iterator[int]:
        for line, tag, value in tags:
            match = _UMLS.match(value) if tag == "xref" else None
            match = _EXACT.match(value) if tag == "property_value" else match
            if match is None:
                continue
            if _MONDO in value and _EQUAL not in value:  # related, broader, narrower
                self._left["cross-references", "they do not say that both are equal"] += 1
                continue
            number = self._checks.cui(match[1], line)
            if number is not None:
                yield number

    def finish(self) -> tuple[Term, ...]:
        file = self._given.file
        for (what, why), n in sorted(self._left.items()):
            self._findings.add("VOC116", file, n=n, what=what, file=file, why=why)
        return tuple(self._terms)


def _bare(value: str) -> str:
    """An id without qualifiers and comment."""
    return value.partition(_COMMENT)[0].partition("{")[0].strip()
