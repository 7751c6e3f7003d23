"""Small vocabularies and datasets whose labels and captions agree and disagree, for tests about concepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dataset_samples import dataset_of, row
from vocabulary_samples import draft_of, vocabulary_of

if TYPE_CHECKING:
    from radcap.datasets import Dataset
    from radcap.vocabulary import Vocabulary

__all__ = ["CT", "EFFUSION", "LUNG", "PNEUMONIA", "UNKNOWN", "VIRAL", "chest_dataset", "chest_vocabulary"]

CT, LUNG, EFFUSION = "C0040405", "C0024109", "C0032227"
PNEUMONIA, VIRAL, CHEST_CT = "C0032285", "C0032310", "C0202823"
UNKNOWN = "C9999999"


def chest_vocabulary() -> Vocabulary:
    """Six concepts; viral pneumonia stands below pneumonia, and 'shadow' means two of them."""
    names = {
        CT: ["Computed tomography", "CT"],
        CHEST_CT: ["chest CT"],
        LUNG: ["Lung", "lungs"],
        EFFUSION: ["Pleural effusion", "hydrothorax", "shadow"],
        PNEUMONIA: ["Pneumonia", "shadow"],
        VIRAL: ["Viral pneumonia"],
    }
    types = [(CT, 60), (CHEST_CT, 60), (LUNG, 23), (EFFUSION, 47), (PNEUMONIA, 47), (VIRAL, 999)]
    return vocabulary_of(draft_of(names, types=types, parents=[(VIRAL, PNEUMONIA), (CHEST_CT, CT)]))


def chest_dataset(**more: Any) -> Dataset:
    """Eight images: every way in which label and caption can agree or not about pleural effusion."""
    rows = [
        row("a", "train", captions="CT with pleural effusion.", cui=[CT, EFFUSION], cui_manual=[CT]),
        row("b", "train", captions="Chest CT without pleural effusion.", cui=[CT, EFFUSION]),
        row("c", "train", captions="CT of the lungs.", cui=[CT, EFFUSION, LUNG]),
        row("d", "valid", captions="A hydrothorax, and viral pneumonia.", cui=[PNEUMONIA]),
        row("e", "valid", captions="CT: no pleural effusion.", cui=[CT, UNKNOWN]),
        row("f", "test", captions="A shadow.", cui=[PNEUMONIA, LUNG]),
        row("g", "test", captions=[_caption("Pleural effusion", "generated")], cui=[EFFUSION]),
        row("h", "test", captions=[_caption("Pleuraerguss", "original", "de")], cui=[LUNG, LUNG]),
    ]
    return dataset_of(rows, **more)


def _caption(text: str, source: str, language: str = "en") -> dict[str, str]:
    return {"text": text, "source": source, "language": language}
