"""A caption as one line of plain signs.

Invariant: `cleaned` is idempotent; its result has no line break, no control or invisible character, no blank
at an end and no two in a row. Units keep their meaning: full compatibility forms (NFKC) would write mm2 for
mm² and 120o for 120º, so only forms that differ in nothing but looks are made one.
>>> cleaned("CT of the chest,\\n 2\\u00a0mm² “nodule”")
'CT of the chest, 2 mm² "nodule"'
"""

from __future__ import annotations

import re
from unicodedata import category, decomposition, normalize

__all__ = ["cleaned"]

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_SAME = {
    "'": "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{SINGLE LOW-9 QUOTATION MARK}"
    "\N{SINGLE HIGH-REVERSED-9 QUOTATION MARK}\N{ACUTE ACCENT}",
    '"': "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{DOUBLE LOW-9 QUOTATION MARK}"
    "\N{DOUBLE HIGH-REVERSED-9 QUOTATION MARK}",
    "-": "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{MINUS SIGN}",
    "\N{GREEK SMALL LETTER MU}": "\N{MICRO SIGN}",
    "\N{DEGREE SIGN}": "\N{MASCULINE ORDINAL INDICATOR}\N{RING OPERATOR}",
    "\N{DEGREE SIGN}C": "\N{DEGREE CELSIUS}",
    "\N{DEGREE SIGN}F": "\N{DEGREE FAHRENHEIT}",
    "~": "\N{TILDE OPERATOR}",
    "*": "\N{ASTERISK OPERATOR}",
    "...": "\N{HORIZONTAL ELLIPSIS}",
    "": "\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}\N{HANGUL FILLER}\N{REPLACEMENT CHARACTER}",
}
_LIGATURES = range(0xFB00, 0xFB07)  # ff, fi, fl ...
_LOOKS = ("<wide>", "<narrow>", "<font>", "<noBreak>")  # of the same letter


class _Signs(dict[int, str]):
    """What each sign becomes; one that was not seen before is looked up."""

    def __missing__(self, code: int) -> str:
        self[code] = _plain(chr(code))
        return self[code]


def _plain(sign: str) -> str:
    kind = category(sign)
    if kind[0] == "Z" or kind == "Cc":
        return " "
    if kind[0] == "C":  # invisible, private, half of a pair, not assigned
        return ""
    if ord(sign) in _LIGATURES or decomposition(sign).startswith(_LOOKS):
        return normalize("NFKC", sign)
    return sign


_SIGNS = _Signs({ord(sign): plain for plain, signs in _SAME.items() for sign in signs})


def cleaned(text: str) -> str:
    """The text on one line, in one spelling of each sign."""
    if text.isascii():
        return " ".join(_CONTROLS.sub(" ", text).split())
    # once more, since what belongs together may have been apart
    plain = normalize("NFC", text.translate(_SIGNS)).translate(_SIGNS)
    return " ".join(plain.split())
