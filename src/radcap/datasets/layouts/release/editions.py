"""How each edition calls and writes its files.

Invariant: an edition is a value; one reader and one writer serve all of them. An empty name means that the
edition had no such file: what belongs there travels in `attribution.csv`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from radcap.datasets.layouts.release.names import Kind
from radcap.datasets.text_tables.writing import Form

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EDITIONS", "Edition"]

_SHORT = {"train": "train", "valid": "valid", "test": "test"}
_LONG = {"train": "Training", "valid": "Validation", "test": "Test"}
_TAB, _COMMA = Form("\t", quoted=False), Form(",")
_TAB_QUOTED = Form("\t")


@dataclass(frozen=True, slots=True)
class Edition:
    """Names with `{split}` in them, the word each split has there, and the form of the label files."""

    name: str
    captions: str
    concepts: str
    manual: str
    images: str  # a folder, or a zip
    words: Mapping[str, str]
    form: Form
    headers: Mapping[Kind, tuple[str, str]] = field(default_factory=dict[Kind, tuple[str, str]])
    image_words: Mapping[str, str] | None = None  # where folders of images call the splits otherwise
    modality_folders: bool = False
    licence_file: bool = False

    def file(self, kind: Kind, split: str) -> str:
        """The name of a label file; splits the edition does not know go together into one without a split."""
        pattern = {Kind.CAPTIONS: self.captions, Kind.CONCEPTS: self.concepts, Kind.MANUAL: self.manual}[kind]
        if pattern and split not in self.words:
            return {Kind.MANUAL: "concepts_manual.csv"}.get(kind, f"{kind.value}.csv")
        return pattern.format(split=self.words.get(split, ""))

    def has(self, kind: Kind) -> bool:
        return bool(self.file(kind, "train"))


_CAPITALS = {Kind.CAPTIONS: ("ID", "Caption"), Kind.CONCEPTS: ("ID", "CUIs"), Kind.MANUAL: ("ID", "CUIs")}
_SMALL = {Kind.CAPTIONS: ("ID", "caption"), Kind.CONCEPTS: ("ID", "cuis")}
_PLAIN = ("{split}_captions.csv", "{split}_concepts.csv", "{split}_concepts_manual.csv")
_SET_2021 = "ImageCLEF2021_{task}_{{split}}-Set/"
_CAPTIONS_2021 = _SET_2021.format(task="CaptionPrediction")
_CONCEPTS_2021 = _SET_2021.format(task="ConceptDetection")
_LABELS_2023 = "ImageCLEFmedical_Caption_2023_{task}_{{split}}_labels.csv"

EDITIONS: Mapping[str, Edition] = {
    one.name: one
    for one in (
        Edition("rocov2", *_PLAIN, "{split}_images.zip", _SHORT, _COMMA, _CAPITALS, licence_file=True),
        Edition(
            "imageclef-2017",
            "CaptionPrediction{split}2017-Captions.txt",
            "ConceptDetection{split}2017-Concepts.txt",
            "",
            "CaptionPrediction{split}2017",
            _LONG,
            _TAB,
        ),
        Edition(
            "imageclef-2018",
            "CaptionPrediction{split}2018-Captions.csv",
            "ConceptDetection{split}2018-Concepts.csv",
            "",
            "Caption{split}2018",
            _LONG,
            _TAB,
        ),
        Edition(
            "imageclef-2019",
            "",
            "{split}_concepts.csv",
            "",
            "{split}-set",
            {"train": "train", "valid": "val", "test": "test"},
            _TAB,
            image_words={"train": "training", "valid": "validation", "test": "test"},
        ),
        Edition(
            "imageclef-2020",
            "",
            "{split}_Concepts.csv",
            "",
            "{split}",
            _LONG,
            _TAB,
            image_words={"train": "training", "valid": "validation", "test": "test"},
            modality_folders=True,
        ),
        Edition(
            "imageclef-2021",
            _CAPTIONS_2021 + "{split}_Set_Captions.csv",
            _CONCEPTS_2021 + "{split}_Set_Concepts.csv",
            "",
            _CAPTIONS_2021 + "{split}-Images",
            _LONG,
            _COMMA,
        ),
        Edition(
            "imageclef-2022",
            "caption_prediction_{split}.csv",
            "concept_detection_{split}.csv",
            "",
            "{split}",
            _SHORT,
            _TAB_QUOTED,
            _SMALL,
        ),
        Edition(
            "imageclef-2023",
            _LABELS_2023.format(task="caption_prediction"),
            _LABELS_2023.format(task="concept_detection"),
            "",
            "{split}",
            _SHORT,
            _TAB_QUOTED,
            _SMALL,
        ),
        *(
            Edition(f"imageclef-{year}", *_PLAIN, "{split}", _SHORT, _COMMA, _CAPITALS)
            for year in (2024, 2025, 2026)
        ),
    )
}
