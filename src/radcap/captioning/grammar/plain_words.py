"""The words that describe a picture without saying what is wrong in it.

Invariant: none of them names a finding. Words that lead to a finding ('showing a') stand apart: they are of
no use where there is none to name.
>>> "axial" in plain_words(), "showing" in plain_words(), "pneumonia" in plain_words()
(True, False, False)
"""

from __future__ import annotations

from functools import cache

from radcap.captioning.grammar.concepts import Role, known_concepts
from radcap.captioning.grammar.wording import words

__all__ = ["LEADING_WORDS", "plain_words", "words_of"]

LEADING_WORDS = frozenset(("showing", "shows", "demonstrates", "a", "an", "on", "in"))
_JOINING = ("of", "the", "with", "without", "and", "after", "before")
_VIEWS = (
    "axial sagittal coronal AP PA frontal lateral oblique transverse longitudinal decubitus supine upright"
    " mediolateral craniocaudal 3D reconstruction T1-weighted T2-weighted T2*-weighted FLAIR STIR"
    " diffusion-weighted proton density-weighted susceptibility-weighted ADC map sinuses great vessels"
)


def words_of(text: str) -> list[str]:
    """The words of a text as they stand between blanks, less what ends them.

    >>> words_of("PET/CT of the chest, axial.")
    ['PET/CT', 'of', 'the', 'chest', 'axial']
    """
    return [word for one in text.split() if (word := one.strip(".,;:()\"'"))]


@cache
def plain_words() -> frozenset[str]:
    """Modalities, views, contrast and regions, and what joins them, as they are written inside a sentence."""
    known, said = known_concepts().values(), words()
    phrases = [one.phrase for one in known if one.role in (Role.MODALITY, Role.DIRECTION, Role.REGION)]
    phrases += [noun for nouns in said.modalities.values() for noun in nouns]
    phrases += [form for forms in said.contrast.values() for form in forms]
    for region, forms in said.regions.items():
        phrases += [region, forms.before, forms.vessels]
    phrases += [*_JOINING, _VIEWS]
    return frozenset(word for phrase in phrases for word in words_of(phrase)) - LEADING_WORDS
