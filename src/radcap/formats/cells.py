"""What stands in a cell: ids, CUIs, captions, and the one safe reading of a slip in them.

Invariant: the `clean_` functions change how a prediction is written, never which prediction it is.
>>> clean_concepts(" c0040405;;C0817096, C0040405 ")
'C0040405;C0817096'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "CLEAN_CONCEPTS",
    "CUI",
    "HEADER_NAMES",
    "clean_caption",
    "clean_concepts",
    "clean_id",
    "file_ending",
    "join_concepts",
    "split_concepts",
    "wrong_separator",
]

HEADER_NAMES = frozenset(
    {"id", "ids", "image", "images", "image_id", "imageid", "image id", "image_name", "figure_id", "figureid"}
    | {"file", "filename", "file_name", "name", "fname"}
)
CUI = re.compile(r"C\d+", re.ASCII)
CLEAN_CONCEPTS = re.compile(r"C\d+(?:;C\d+)*", re.ASCII)
# possessive, since a stranger may write thirty thousand blanks
_OTHER_SEPARATORS = re.compile(
    r"[Cc]\d++(?:(?=(?P<blank>[\s,|/+&]))\s*+(?P<sign>[,|/+&]?)\s*+[Cc]\d++)+", re.ASCII
)
_SIGNS = re.compile(r"[\s,|/+&]+")
_ENDING = re.compile(r"\.(?:jpe?g|png|gif|bmp|tiff?|webp|dcm|csv|txt)$", re.IGNORECASE)
_BREAKS = re.compile(r"[\r\n]+")


def split_concepts(cell: str, *, strip: bool) -> list[str]:
    """The parts of a concept cell; an empty cell has one empty part, as `str.split` says."""
    parts = cell.split(";")
    return list(map(str.strip, parts)) if strip else parts


def wrong_separator(part: str) -> str | None:
    """The sign that stands where ';' belongs, if all of the part is CUIs parted by it."""
    match = _OTHER_SEPARATORS.fullmatch(part.strip())
    return (match["sign"] or match["blank"]) if match else None


def join_concepts(cells: Sequence[str]) -> str | None:
    """The one cell that was meant where the wrong sign made several of it; None if not all of it is CUIs."""
    parts = [part for cell in cells for part in split_concepts(cell, strip=True) if part]
    return ";".join(parts) if all(CUI.fullmatch(part.upper()) for part in parts) else None


def clean_concepts(cell: str) -> str:
    """CUIs in capitals, once each, parted by ';', on one line. What is no CUI stays as it is."""
    given = list(filter(None, split_concepts(clean_caption(cell), strip=True)))
    if all(map(CUI.fullmatch, given)):  # nearly always
        return ";".join(dict.fromkeys(given))
    parts: dict[str, None] = {}
    for part in given:
        if CUI.fullmatch(part):
            parts[part] = None
        elif wrong_separator(part):
            parts.update(dict.fromkeys(_SIGNS.split(part.upper())))
        else:
            parts[part.upper() if CUI.fullmatch(part.upper()) else part] = None
    return ";".join(parts)


def clean_caption(text: str) -> str:
    """The caption on one line, without outer blanks."""
    lines = (line.strip() for line in _BREAKS.split(text))
    return " ".join(line for line in lines if line)


def file_ending(image_id: str) -> str:
    """The ending of an image file that got into an id, or nothing."""
    match = _ENDING.search(image_id)
    return match[0] if match else ""


def clean_id(image_id: str, known: Callable[[str], bool]) -> str:
    """The id without outer blanks, and without a file ending where that makes it known."""
    trimmed = image_id.strip()
    bare = trimmed.removesuffix(file_ending(trimmed))
    return bare if not known(trimmed) and known(bare) else trimmed
