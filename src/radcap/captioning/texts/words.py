"""The words of a caption as they are counted: small letters, no signs at their ends.

>>> spoken_words("Axial T2-weighted MRI of the patient's brain, PET/CT.")
['axial', 't2-weighted', 'mri', 'of', 'the', "patient's", 'brain', 'pet/ct']
"""

from __future__ import annotations

import re

__all__ = ["begun_words", "spoken_words"]

_WORD = re.compile(r"[^\W_]+(?:[-'/][^\W_]+)*")
_JOINTS = ("", "-", "'", "/")  # after which a word may go on


def spoken_words(text: str) -> list[str]:
    """In their order, as often as they stand there."""
    return _WORD.findall(text.lower())


def begun_words(text: str) -> tuple[list[str], str]:
    """The words that are over, and the end of the text from a word on that may go on.

    >>> begun_words("Axial T2-")
    (['axial'], 't2-')
    >>> begun_words("Axial T2 ")
    (['axial', 't2'], '')
    """
    text = text.lower()
    found = list(_WORD.finditer(text))
    if not found or text[found[-1].end() :] not in _JOINTS:
        return [one[0] for one in found], ""
    return [one[0] for one in found[:-1]], text[found[-1].start() :]
