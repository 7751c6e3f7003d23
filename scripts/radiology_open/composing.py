"""Captions composed for the images of radiology-open, each from what people said of it.

VQA-Med 2019: answers to fixed questions. VQA-RAD: answers to free questions, read for vqa_rad.csv, an image a
line. Other collections: their labels. What answers leave open, labels fill in.
Invariant: every image has one composed caption, and the same folder gives the same captions.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.captioning.grammar import Contrast, Facts, sentence
from radiology_open.answers import FAMILIES, facts_of_answers, sensible
from radiology_open.labels import chest_facts, lung_facts, other_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from radcap.core import Cui

    Pair = tuple[str, str]

_READINGS = Path(__file__).parent / "vqa_rad.csv"
_OF_SOURCE: Mapping[str, Callable[[Sequence[Cui], str], Facts]] = {
    "NIH ChestX-ray8": chest_facts,
    "COVID-19 image data collection": chest_facts,
    "POCUS lung ultrasound": lung_facts,
    "ARCADE": other_facts,
    "OpenStax Anatomy & Physiology": other_facts,
}
_ADC = "ADC map"


def composed(row: Mapping[str, Any], pairs: Sequence[Pair]) -> str:
    """The caption of an image from its row of the dataset and from questions with answers."""
    return sentence(facts_of_image(row, pairs), row["image_id"])


def facts_of_image(row: Mapping[str, Any], pairs: Sequence[Pair]) -> Facts:
    """All that answers, or else labels, say of an image."""
    source: str = row["source"]
    if source in _OF_SOURCE:
        return _OF_SOURCE[source](row["cui"], row["source_path"])
    told = replace(other_facts(row["cui"], ""), modality=FAMILIES[row["modality"]])
    if source == "VQA-RAD":
        return _read(_readings()[row["image_id"]], told)
    return facts_of_answers(pairs, row["modality"], told.region)


def _read(line: Mapping[str, str], told: Facts) -> Facts:
    """The facts of a line of vqa_rad.csv; modality and region are those of the labels."""
    whole = line["sequence"] == _ADC
    facts = Facts(
        modality=_ADC if whole else told.modality,
        sequence="" if whole else line["sequence"],
        contrast=Contrast(line["contrast"]),
        plane=line["plane"] or told.plane,
        region=told.region,
        findings=tuple(part for part in line["findings"].split("|") if part),
        normal={"": None, "True": True, "False": False}[line["normal"]],
    )
    return sensible(facts)


@cache
def _readings() -> Mapping[str, Mapping[str, str]]:
    with _READINGS.open(encoding="utf-8", newline="") as file:
        return {row["image_id"]: row for row in csv.DictReader(file)}


def read_pairs(path: Path) -> Mapping[str, Sequence[Pair]]:
    """Questions with answers by image."""
    found: dict[str, list[tuple[str, str]]] = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["ID"], []).append((row["Question"], row["Answer"]))
    return found
