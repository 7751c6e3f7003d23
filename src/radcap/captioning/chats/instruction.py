"""What a chat is asked where a system names no prompt.

The elements are those of the zero-shot baseline of the organisers of 2025; the words are ours. Invariant: a
changed text is another version, and the settings of a trained captioner hold the text itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.settings import CONCEPTS, IMAGE, NEIGHBOURS

if TYPE_CHECKING:
    from radcap.captioning.settings import ConditionSettings

__all__ = ["INSTRUCTION", "VERSION", "template_of"]

VERSION = 1
INSTRUCTION = (
    "You are a medical expert who writes the captions of figures for a scientific journal. Write the caption"
    " of this radiology image. Name the imaging modality, the medical concepts that it shows, the anatomy,"
    " markings such as arrows and what they point at, and what is abnormal. Where you use an abbreviation,"
    " give the full term beside it. Write no title, no figure number, no reference and no list. Answer with"
    " the caption and with nothing else."
)
_FOUND = f"A detector found in this image: {CONCEPTS}."
_NEAR = f"Captions of similar images: {NEIGHBOURS}"


def template_of(condition: ConditionSettings) -> str:
    """The prompt of the settings, or the instruction with all that is told beside the image.

    >>> from radcap.captioning.settings import ConditionSettings
    >>> template_of(ConditionSettings(prompt="{image} Describe it."))
    '{image} Describe it.'
    """
    if condition.prompt:
        return condition.prompt
    found = (_FOUND,) if condition.concepts != "none" else ()
    return " ".join((IMAGE, INSTRUCTION, *found, *((_NEAR,) if condition.neighbours else ())))
