"""What a refiner is told: a template, with the texts of one image in the places of its slots.

Invariant: a text is put in as it is, and a slot that is spelled in a text stays text. Several texts stand one
a line; what is not known of an image stands as `unknown`.
>>> slots_of("Rewrite {caption} for {audience}.")
('caption', 'audience')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BARE", "INSTRUCTIONS", "SLOTS", "Material", "filled", "slots_of"]

SLOTS = ("caption", "captions", "neighbours", "concepts", "modality")
_SLOT = re.compile(r"\{([^{}]*)\}")
_UNKNOWN = "unknown"
_FORM = (
    "Write it as the caption of a figure in a medical journal, in 50 words at most. Answer with the caption"
    " alone: no title, no figure number, no list, no remark."
)
# For a model that does what it is told, by kind.
INSTRUCTIONS: Mapping[str, str] = {
    "rewrite": (
        "This is a caption of a radiology image:\n{caption}\n\nSay the same in better words: keep its"
        f" modality, its anatomy and its findings, and add none. {_FORM}"
    ),
    "summarise": (
        "These are captions of radiology images that look like another one:\n{neighbours}\n\nWrite one"
        f" caption for that other image, from what most of them say. {_FORM}"
    ),
    "fuse": (
        "These captions were written of one radiology image, and each may err:\n{captions}\n\nMake one"
        f" caption of them: keep what they agree on, and what one alone says only where it fits. {_FORM}"
    ),
    "align": (
        "This caption of a radiology image was written by a machine:\n{caption}\n\nWrite what the authors of"
        f" the figure would have written. {_FORM}"
    ),
}
# For a model that turns one text into another: an instruction would be a part of the text.
BARE: Mapping[str, str] = {
    "rewrite": "{caption}",
    "summarise": "{neighbours}",
    "fuse": "{captions}",
    "align": "{caption}",
}


@dataclass(frozen=True, slots=True)
class Material:
    """What is known of one image; `caption` is what is rewritten."""

    caption: str
    captions: tuple[str, ...] = ()
    neighbours: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    modality: str = ""

    def source(self, kind: str) -> tuple[str, ...]:
        """The texts that a kind of refiner works on."""
        return {"summarise": self.neighbours, "fuse": self.captions}.get(kind, (self.caption,))


def slots_of(template: str) -> tuple[str, ...]:
    """What stands in braces, in its order."""
    return tuple(_SLOT.findall(template))


def filled(template: str, material: Material) -> str:
    """The template about one image."""
    texts = {
        "caption": material.caption,
        "captions": _listed(material.captions),
        "neighbours": _listed(material.neighbours),
        "concepts": ", ".join(material.concepts) or _UNKNOWN,
        "modality": material.modality or _UNKNOWN,
    }
    return _SLOT.sub(lambda found: texts[found[1]], template)


def _listed(texts: tuple[str, ...]) -> str:
    """One a line."""
    return "\n".join(" ".join(one.split()) for one in texts)
