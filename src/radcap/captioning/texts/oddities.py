"""What no caption should say: a word twice, or contrast twice, both ways or of a kind the image has not.

>>> sorted(oddities("PA chest X-ray showing COVID-19 PA chest pneumonia."))
['chest', 'pa']
>>> sorted(oddities("Axial non-contrast CT of the head with intravenous contrast."))
['contrast', 'non-contrast']
>>> oddities("CT of the face, sinuses and neck, without contrast.")
set()
"""

from __future__ import annotations

from collections import Counter

__all__ = ["oddities"]

_SMALL = frozenset(("a", "an", "and", "at", "from", "in", "of", "on", "or", "the", "to", "with", "without"))
_CONTRAST = ("contrast", "gadolinium")
# Contrast that an image is not made with.
_NEVER = (
    (
        frozenset(("x-ray", "radiograph", "mammogram", "ultrasound")),
        ("intravenous", "gadolinium", "contrast"),
    ),
    (frozenset(("mri", "mr")), ("gastrointestinal", "oral")),
    (frozenset(("ct",)), ("gadolinium",)),
)


def oddities(text: str) -> set[str]:
    """The words that should not be there together, in small letters."""
    said = [one.strip(".,;:()").lower() for one in text.split()]
    twice = {word for word, times in Counter(said).items() if times > 1 and word and word not in _SMALL}
    contrast = {word for word in said if any(one in word for one in _CONTRAST)}
    wrong = twice | contrast if len(contrast) > 1 else twice
    for images, media in _NEVER:
        if contrast and images & set(said):
            wrong |= {word for word in said if any(one in word for one in media)}
    return wrong
