"""The kinds of files names come from, by name.

Invariant: a kind is a name and a dotted path, so nothing is imported before it is asked for. Plug-ins add
kinds through the entry point `radcap.source` (a `SourceReader` under the kind's name).
>>> kind("obo").title
'OBO ontology'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from radcap.core import unknown_name
from radcap.core.dotted import load_dotted
from radcap.formats import shown
from radcap.formats.lines import UTF8_MARK, UTF16_MARKS
from radcap.vocabulary.concepts import cui_number
from radcap.vocabulary.sources.rrf.folder import MRCONSO, find_meta
from radcap.vocabulary.sources.streams import Unreadable, first_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import SourceReader

__all__ = ["KINDS", "SourceKind", "kind", "kind_of"]

_PLUG_IN = "radcap.source"
_OWN = "radcap.vocabulary.sources."
_TABLE = re.compile(r"(?:^|[\t,;|\"_ ])(?:cuis?|concepts?)(?:$|[\t,;|\"])", re.IGNORECASE)
_CELL = re.compile(r"[\t,;|\"\s]+")
_FLAT = re.compile(r"C\d+\t(?:<http|[^\t]*\t)")


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of input; `path` is 'module:function'."""

    name: str
    title: str
    path: str = ""

    def load(self) -> SourceReader:
        """What reads it: a plug-in first, then radcap."""
        for plug_in in entry_points(group=_PLUG_IN, name=self.name):
            return plug_in.load()
        return load_dotted(self.path)


_KINDS = (
    SourceKind("umls", "UMLS release", f"{_OWN}rrf.reading:read_umls"),
    SourceKind("table", "table of CUIs and names", f"{_OWN}table:read_table"),
    SourceKind("obo", "OBO ontology", f"{_OWN}obo:read_obo"),
    SourceKind("sssom", "SSSOM mapping", f"{_OWN}sssom:read_sssom"),
    SourceKind("ncit", "NCI Thesaurus, OWL", f"{_OWN}ncit:read_ncit"),
    SourceKind("ncit_flat", "NCI Thesaurus, FLAT", f"{_OWN}ncit_flat:read_ncit_flat"),
    SourceKind("mesh", "MeSH descriptors", f"{_OWN}mesh:read_mesh"),
    SourceKind("bioportal", "BioPortal table, as of RadLex", f"{_OWN}bioportal:read_bioportal"),
)
KINDS: Mapping[str, SourceKind] = {one.name: one for one in _KINDS}


def kind(name: str) -> SourceKind:
    """The kind of that name: one of the table, or one that a plug-in adds."""
    if name in KINDS:
        return KINDS[name]
    plug_ins = entry_points(group=_PLUG_IN)
    if name in plug_ins.names:
        return SourceKind(name, f"{name}, by a plug-in")
    raise unknown_name("kind of source", name, [*KINDS, *sorted(plug_ins.names)])


def kind_of(path: Path, findings: Findings) -> SourceKind | None:
    """What a file or folder is, told by its content; nothing where that is open."""
    if find_meta(path) is not None:
        return KINDS["umls"]
    if not path.exists():
        findings.add("VOC101", str(path), path=path)
    elif not path.is_file():
        todo = f"Give the folder with {MRCONSO}, or a file."
        findings.add("VOC102", str(path), path=path, found=f"no {MRCONSO}", todo=todo)
    elif path.stat().st_size == 0:
        findings.add("VOC103", path.name, file=path.name)
    else:
        return _kind_of_file(path, findings)
    return None


def _kind_of_file(path: Path, findings: Findings) -> SourceKind | None:
    try:
        start = first_bytes(path)
    except Unreadable as error:
        findings.add("VOC104", path.name, file=path.name, why=error.why, todo=error.todo)
        return None
    encoding = "utf-16" if start.startswith(UTF16_MARKS) else "utf-8"
    text = start.removeprefix(UTF8_MARK).decode(encoding, "replace")
    name = _told(text)
    if name is None:
        first = shown(text.partition("\n")[0].strip())
        todo = f"Say its kind, one of {', '.join(KINDS)}, or name its columns cui and name."
        findings.add("VOC102", path.name, path=path.name, found=f"{first} in its first line", todo=todo)
        return None
    return KINDS[name]


def _told(text: str) -> str | None:
    """The kind, from the start of a file."""
    if text.lstrip().startswith("<"):
        return _of_xml(text)
    lines = [line for line in text.splitlines() if line.strip()]
    header = next((line for line in lines if not line.startswith("#")), "")
    if header.startswith(("format-version:", "[Term]")) or "\n[Term]" in text:
        return "obo"
    if "subject_id" in header and "object_id" in header:
        return "sssom"
    if "Class ID" in header and "Preferred Label" in header:
        return "bioportal"
    if _FLAT.match(header) and cui_number(header.partition("\t")[0]) is None:
        return "ncit_flat"
    is_table = _TABLE.search(header) or any(cui_number(cell) is not None for cell in _CELL.split(header))
    return "table" if is_table else None


def _of_xml(text: str) -> str | None:
    if "DescriptorRecordSet" in text:
        return "mesh"
    return "ncit" if "rdf:RDF" in text and "Thesaurus.owl" in text else None
