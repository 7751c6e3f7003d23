"""The catalogue of findings in the files a vocabulary is made from.

VOC1 is about a whole file, VOC2 about one row or term, VOC3 about what was put together.
Invariant: a code is never reused and its meaning never changes; new ones are appended.
A message says what was read and why it is a problem, the hint says what to do. An error stops the building; a
row that is left out is a warning, so that one bad line does not cost a whole release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.formats import Code
from radcap.formats.file_findings import plain_level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Level

__all__ = ["CATALOGUE", "CODES", "level_of"]

CATALOGUE = (
    # files
    Code("VOC101", "E", False, "There is nothing at {path}. No names can be read.", "Check the path."),
    Code("VOC102", "E", False, "{path} holds {found}. That is no source of names radcap knows.", "{todo}"),
    Code("VOC103", "E", False, "{file} holds 0 bytes. No names can be read.", "Copy it again."),
    Code("VOC104", "E", False, "{file} cannot be read: {why}.", "{todo}"),
    Code(
        "VOC105",
        "E",
        False,
        "{file} has the columns {found}. A column for {column} is needed.",
        "Rename one, or say which it is: --column {column}=ITS_NAME.",
    ),
    Code(
        "VOC106",
        "E",
        False,
        "{file} starts with a UTF-16 mark. Release files of UMLS are UTF-8.",
        "Save it as UTF-8.",
    ),
    Code(
        "VOC107",
        "W",
        False,
        "There is no MRSTY.RRF in {path}. Its concepts have no semantic types.",
        "Copy MRSTY.RRF beside MRCONSO.RRF.",
    ),
    Code(
        "VOC108",
        "E",
        False,
        "There is no MRSTY.RRF in {path}. Concepts cannot be chosen by semantic type.",
        "Copy MRSTY.RRF beside MRCONSO.RRF, or drop the choice of types.",
    ),
    Code("VOC109", "E", False, "{file} is one part of several, and {missing} is not there.", "Copy it."),
    Code(
        "VOC110",
        "W",
        False,
        "The last line has no end: {text}. The file may have been cut off.",
        "Compare its size with the release.",
    ),
    Code("VOC111", "I", False, "The columns {columns} were left alone. They name nothing.", "Intended?"),
    Code("VOC112", "E", False, "Nothing of {file} is left: {why}.", "{todo}"),
    Code(
        "VOC113",
        "I",
        False,
        "There is no {file} in {path}. {effect}.",
        "Copy it beside MRCONSO.RRF if it is needed.",
    ),
    Code("VOC114", "E", False, "{file} is refused as XML: {why}.", "{todo}"),
    Code("VOC115", "W", False, "A line has more than {limit:,} bytes. It was left out.", "Is it text?"),
    Code("VOC116", "I", False, "{n:,} {what} were left out of {file}: {why}.", "Intended?"),
    Code(
        "VOC117",
        "I",
        False,
        "{n:,} rows of {file} do not end with '|'. They were read as whole.",
        "Keep files as they were released.",
    ),
    Code(
        "VOC118",
        "I",
        False,
        "{n:,} names have a source and term type that MRRANK.RRF does not list. They come last.",
        "Take MRRANK.RRF from the same release.",
    ),
    Code(
        "VOC119",
        "E",
        False,
        "{file} has no column {name}, which stands for {column}. It has {found}.",
        "Write the name as the header has it.",
    ),
    Code(
        "VOC120",
        "W",
        False,
        "There is no header. The columns that start with {columns} were left alone.",
        "Write a first line such as CUI,name,synonyms,TUI.",
    ),
    # rows
    Code(
        "VOC201",
        "W",
        False,
        "The row has {n} fields. {wanted} are needed, so it is open which is which. It was left out.",
        "Copy the line from the release again.",
    ),
    Code("VOC202", "W", False, "Byte {byte} is no UTF-8. The row was left out.", "Save the file as UTF-8."),
    Code(
        "VOC203",
        "W",
        False,
        "{text} is no CUI. A CUI is C and seven digits. It was left out.",
        "Correct or drop it.",
    ),
    Code(
        "VOC204",
        "W",
        False,
        "{text} is written small. Label files compare it as another. It was left out.",
        "Write {upper}.",
    ),
    Code("VOC205", "W", False, "{cui} has an empty name. It was left out.", "Write it, or delete the row."),
    Code(
        "VOC206",
        "I",
        False,
        "The name {name} of {cui} has one letter. It is kept, and never looked up in text.",
        "Intended?",
    ),
    Code("VOC207", "I", False, "{cui} has the name {name} again. It counts once.", "Delete one."),
    Code(
        "VOC208",
        "W",
        False,
        "{text} of {cui} is no semantic type. A type is T and three digits. It was left out.",
        "Correct or drop it.",
    ),
    Code(
        "VOC209",
        "W",
        False,
        "{text} of {cui} is no type of the UMLS Semantic Network. It is kept.",
        "Check it.",
    ),
    Code(
        "VOC210",
        "W",
        False,
        "{cui} has names and no row in MRSTY.RRF. It is kept without semantic type.",
        "Take MRSTY.RRF from the same release.",
    ),
    Code(
        "VOC211",
        "W",
        False,
        "{cui} has names, and MRCUI.RRF says it was retired. It is kept.",
        "Take both files from the same release.",
    ),
    Code(
        "VOC212",
        "W",
        False,
        "The name {name} of {cui} holds U+FFFD, which stands for letters that were lost. It is kept.",
        "Read its file in the right encoding.",
    ),
    Code(
        "VOC213",
        "W",
        False,
        "A quote opened on this line never closes. The row was left out.",
        "Close or double the quote.",
    ),
    Code(
        "VOC214",
        "W",
        False,
        "The row has {column} {text}, which is none of {known}. Its columns are out of place."
        " It was left out.",
        "Copy the line from the release again.",
    ),
    Code(
        "VOC215",
        "W",
        False,
        "The semantic type {text} has no number radcap knows. It was left out.",
        "Write the name as in the UMLS Semantic Network.",
    ),
    Code(
        "VOC216",
        "W",
        False,
        "The entity &{name}; is defined nowhere. What it stands for is lost.",
        "Write the letter itself.",
    ),
    Code("VOC217", "W", False, "{text} is no {what}. It was left out.", "Correct it."),
    # what was put together
    Code(
        "VOC301",
        "I",
        False,
        "{n:,} terms of {file} have no CUI. By name {placed:,} stand on a concept of the files before,"
        " {several:,} on more than one and were left out, {unknown:,} on none and were left out.",
        "Give a file with more concepts before it.",
    ),
    Code(
        "VOC302",
        "W",
        False,
        "{n:,} terms of {file} have no CUI, and no file before it has concepts. They were left out.",
        "Give a file that has CUIs first.",
    ),
)
CODES: Mapping[str, Code] = {code.code: code for code in CATALOGUE}


def level_of(code: str) -> Level:
    """How grave a finding is; vocabularies know no editions."""
    return plain_level(CODES[code])
