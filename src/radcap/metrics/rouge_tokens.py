"""What ROUGE takes for a word.

>>> rouge_tokens("T2-weighted MRI, 3.5 cm")
['t2', 'weighted', 'mri', '3', '5', 'cm']
"""

from __future__ import annotations

import string

__all__ = ["rouge_tokens"]

_KEPT = frozenset((string.ascii_lowercase + string.digits).encode())
_BLANKS = bytes(byte if byte in _KEPT else 32 for byte in range(256))  # what parts words becomes a blank


def rouge_tokens(text: str) -> list[str]:
    """The words that ROUGE counts."""
    return text.lower().encode("ascii", "replace").translate(_BLANKS).decode("ascii").split()
