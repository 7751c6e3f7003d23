"""What a file or folder of a release is, told by its name.

Invariant: a name that says nothing, or says two things at once, is left alone; nothing is guessed.
>>> release_file("ConceptDetectionTraining2017-Concepts.txt").split
'train'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from radcap.datasets.concept_names import is_mapping
from radcap.datasets.layouts.split_names import SPLIT_WORDS

__all__ = ["LABELS", "Kind", "NamedFile", "release_file", "split_of", "tokens"]


class Kind(StrEnum):
    """What a file holds."""

    CAPTIONS = "captions"
    CONCEPTS = "concepts"
    MANUAL = "manual concepts"
    NAMES = "names of concepts"
    ATTRIBUTION = "attribution"
    IDS = "ids of images"
    UNKNOWN = "unknown"


LABELS = (Kind.CAPTIONS, Kind.CONCEPTS, Kind.MANUAL)  # in the order in which they name records

_CONCEPTS = frozenset({"concept", "concepts", "cui", "cuis"})
_CAPTIONS = frozenset({"caption", "captions"})
_RIGHTS = frozenset({"licence", "license", "licences", "licenses", "attribution", "attributions"})
_PLAIN = (
    _CONCEPTS
    | _CAPTIONS
    | frozenset(SPLIT_WORDS)
    | {"detection", "prediction", "labels", "label", "set", "manual", "synth", "synthetic", "natural"}
)
_BRAND = re.compile(r"image_?clef(?:_?med(?:ical)?)?|roco(?:_?v?2)?(?![a-z])", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TEXTS = frozenset({".csv", ".tsv", ".txt"})
_TABLES = frozenset({".csv", ".tsv"})


@dataclass(frozen=True, slots=True)
class NamedFile:
    """Kind and split by the name alone. `plain` means that every word of the name was understood."""

    kind: Kind
    split: str
    plain: bool


def tokens(name: str) -> tuple[str, ...]:
    """The words of a name in small letters, without the names of the challenge.

    >>> tokens("ImageCLEFmedical_Caption_2023_concept_detection_train_labels")
    ('caption', '2023', 'concept', 'detection', 'train', 'labels')
    """
    return tuple(word.casefold() for word in _TOKEN.findall(_BRAND.sub("_", name)))


def split_of(name: str) -> str:
    """The one split a name speaks of, or nothing."""
    found = {SPLIT_WORDS[word] for word in tokens(name) if word in SPLIT_WORDS}
    return found.pop() if len(found) == 1 else ""


def release_file(name: str) -> NamedFile | None:
    """What a file is, its folder given before it where there is one; nothing where it is no table of text."""
    path = PurePosixPath(name)
    ending = path.suffix.lower()
    if ending not in _TEXTS:
        return None
    words = tokens(path.stem)
    split = split_of(path.stem) or split_of(path.parent.name)
    plain = all(word in _PLAIN or word.isdigit() for word in words)
    return NamedFile(_kind(path.name, frozenset(words), ending), split, plain)


def _kind(name: str, words: frozenset[str], ending: str) -> Kind:
    if is_mapping(name):
        return Kind.NAMES
    if words & _RIGHTS and ending in _TABLES:
        return Kind.ATTRIBUTION
    if "list" in words:
        return Kind.IDS
    if words & _CONCEPTS:
        return Kind.MANUAL if "manual" in words else Kind.CONCEPTS
    return Kind.CAPTIONS if words & _CAPTIONS else Kind.UNKNOWN
