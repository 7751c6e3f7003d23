"""The words of a caption as they are counted: small letters, no signs at their ends.

>>> spoken_words("Axial T2-weighted MRI of the patient's brain, PET/CT.")
['axial', 't2-weighted', 'mri', 'of', 'the', "patient's", 'brain', 'pet/ct']
"""

from __future__ import annotations

import re

__all__ = ["spoken_words"]

_WORD = re.compile(r"[^\W_]+(?:[-'/][^\W_]+)*")


def spoken_words(text: str) -> list[str]:
    """In their order, as often as they stand there."""
    return _WORD.findall(text.lower())
