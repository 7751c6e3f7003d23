"""Records of a large XML file one at a time, with the line each starts on.

Invariant: nothing outside the file is read, entities are plain text of bounded length, and memory holds one
record of bounded depth and size. A file that breaks these rules, or is not well-formed, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat  # a parser with handlers of our own: no tree, no external entities

from radcap.formats import shown
from radcap.vocabulary.sources.streams import read_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from radcap.vocabulary.findings import Findings

__all__ = ["Node", "XmlRecords"]

_DEEPEST = 64
_LARGEST = 16 << 20  # letters of one record
_LONGEST_ENTITY = 4096
_MOST_ENTITIES = 1000


@dataclass(slots=True)
class Node:
    """An element: name and attributes without prefix, text, and what is inside."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    inside: list[Node] = field(default_factory=list["Node"])

    def all(self, tag: str) -> list[Node]:
        """The elements of that name right inside."""
        return [one for one in self.inside if one.tag == tag]

    def first(self, *path: str) -> str:
        """The text of the first element at a path; '' if there is none."""
        node: Node | None = self
        for tag in path:
            node = next((one for one in node.inside if one.tag == tag), None) if node else None
        return node.text.strip() if node else ""


class _Refused(Exception):
    """Why a file is not read on, and what to do."""

    def __init__(self, why: str, todo: str) -> None:
        super().__init__(why)
        self.why = why
        self.todo = todo


class XmlRecords:
    """Reads the elements of some names that are not inside another of them."""

    def __init__(self, tags: frozenset[str], file: str, findings: Findings) -> None:
        self._tags = tags
        self._file = file
        self._findings = findings
        self._open: list[Node] = []
        self._texts: list[list[str]] = []
        self._done: list[Node] = []
        self._depth = self._size = self._entities = 0
        self.doctype = ""  # the address of the document type
        self._parser = self._make_parser()

    def _make_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._take_text
        parser.EntityDeclHandler = self._declare
        parser.SkippedEntityHandler = self._skip
        parser.StartDoctypeDeclHandler = self._note_doctype
        return parser

    def read(self, path: Path) -> Iterator[Node]:
        """The records in the order of the file; what stops the reading is a finding."""
        failed = self._findings.counts["VOC104"]
        try:
            for chunk in read_chunks([path], self._file, self._findings):
                self._parser.Parse(chunk, False)
                yield from self._taken()
            if self._parser.CurrentByteIndex >= 0 and self._findings.counts["VOC104"] == failed:
                self._parser.Parse(b"", True)
                yield from self._taken()
        except _Refused as refused:
            self._refuse(self._parser.CurrentLineNumber, refused.why, refused.todo)
        except expat.ExpatError as error:
            self._refuse(error.lineno, expat.ErrorString(error.code), "Copy it again.")

    def _refuse(self, line: int, why: str, todo: str) -> None:
        self._findings.add("VOC114", self._file, line, file=self._file, why=why, todo=todo)

    def _taken(self) -> list[Node]:
        done, self._done = self._done, []
        return done

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2]
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Refused(f"elements lie more than {_DEEPEST} deep in each other", "Is it the right file?")
        if not self._open and tag not in self._tags:
            return
        held = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        self._grow(sum(map(len, held.values())) + 1)
        node = Node(tag, held, self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].inside.append(node)
        self._open.append(node)
        self._texts.append([])

    def _end(self, _: str) -> None:
        self._depth -= 1
        if not self._open:
            return
        node = self._open.pop()
        node.text = "".join(self._texts.pop())
        if not self._open:
            self._done.append(node)
            self._size = 0

    def _take_text(self, text: str) -> None:
        if self._open:
            self._grow(len(text))
            self._texts[-1].append(text)

    def _grow(self, letters: int) -> None:
        self._size += letters
        if self._size > _LARGEST:
            raise _Refused(f"one record holds more than {_LARGEST:,} letters", "Is it the right file?")

    def _declare(self, *declared: str | int | None) -> None:
        """Entities as ontologies use them are short names of addresses; anything else could be a bomb."""
        name, _, value, _, system, public, _ = declared
        todo = "Save it without entity declarations."
        self._entities += 1
        if system or public or not isinstance(value, str):
            raise _Refused(f"the entity {shown(str(name))} lies outside the file", todo)
        if "&" in value or len(value) > _LONGEST_ENTITY or self._entities > _MOST_ENTITIES:
            raise _Refused(f"the entity {shown(str(name))} is made of others, or too long", todo)

    def _skip(self, name: str, _: bool) -> None:
        self._findings.add("VOC216", self._file, self._parser.CurrentLineNumber, name=name)

    def _note_doctype(self, _: str, system: str | None, *__: object) -> None:
        self.doctype = system or ""
