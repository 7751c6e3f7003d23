"""What each code of the catalogue means, in a few words, for tables.

Invariant: every code has its words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.datasets.codes import CODES
from radcap.formats import CODES as RUN_CODES

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WORDS", "words_of"]

WORDS: Mapping[str, str] = {
    "IMG101": "image is not there",
    "IMG102": "image file is empty",
    "IMG103": "content is no image",
    "IMG104": "image breaks off",
    "IMG105": "too many pixels",
    "IMG106": "too many frames",
    "IMG107": "image file too large",
    "IMG108": "names of people in the pixels",
    "IMG109": "image cannot be decoded",
    "IMG110": "a package to read it is missing",
    "DAT101": "nothing at that path",
    "DAT102": "no folder",
    "DAT103": "no known layout",
    "DAT104": "file cannot be read",
    "DAT105": "column of the wrong type",
    "DAT106": "column is missing",
    "DAT107": "file left alone",
    "DAT108": "split without any image",
    "DAT109": "part of an archive is missing",
    "DAT110": "member of an archive left alone",
    "DAT111": "compressed tar",
    "DAT112": "column left alone",
    "DAT113": "unknown source of captions",
    "DAT120": "file without rows",
    "DAT121": "zip in parts",
    "DAT122": "row with other cells than the first",
    "DAT123": "images without split",
    "DAT124": "rows of images without labels",
    "DAT125": "header repeated",
    "DAT201": "id repeats",
    "DAT202": "no CUI",
    "DAT203": "CUI in small letters",
    "DAT204": "control character in a caption",
    "DAT205": "concept repeats on an image",
    "DAT206": "images without caption",
    "DAT207": "images without concept",
    "DAT208": "concepts that train lacks",
    "DAT209": "manual concept is not among all",
    "DAT210": "row without id",
    "DAT211": "licence forbids changed copies",
    "DAT212": "images without licence",
    "DAT213": "id with path, blank or odd sign",
    "DAT214": "ids differ in case only",
    "DAT215": "id with the ending of a file",
    "DAT216": "caption of blanks",
    "DAT217": "lost letters in a caption",
    "DAT218": "several records with one id",
    "DAT301": "labels without image",
    "DAT302": "image without labels",
    "DAT303": "image cannot be used",
    "DAT304": "file name differs in case or ending",
    "DAT305": "two files for one id",
    "DAT306": "content and ending disagree",
    "DAT307": "image of very few pixels",
    "DAT308": "image of one flat colour",
    "DAT401": "split without images",
    "DAT402": "unusual name of a split",
    "DAT403": "same file in two splits",
    "DAT404": "nearly the same picture in two splits",
    "DAT405": "group in several splits",
    "DAT406": "same file twice in a split",
    "DAT407": "same pixels in two splits",
    "DAT408": "same pixels twice in a split",
    "DAT409": "card and records disagree in number",
    "DAT410": "split is not there",
}


def words_of(code: str) -> str:
    """The words of a code; those of run files have their first sentence, with dots for what varies."""
    if code in WORDS:
        return WORDS[code]
    entry = CODES.get(code) or RUN_CODES[code]
    return re.sub(r"\{[^}]*\}", "...", entry.message.partition(". ")[0].rstrip("."))
