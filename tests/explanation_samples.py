"""Explanations made by hand: a drawn picture with blobs as maps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.faithfulness.values import Curve, Faithfulness, Sanity
from radcap.explanation.pictures import boxes_of
from radcap.explanation.values import Case, Evidence, Explanation, Kind, Origin

if TYPE_CHECKING:
    from numpy.typing import NDArray

CAPTION = "Chest radiograph showing right lower lobe pneumonia with a small pleural effusion."
NAMES = ("chest radiograph", "right lower lobe pneumonia", "pleural effusion", "right")
BLOBS = ((0.5, 0.5, 0.5), (0.3, 0.68, 0.12), (0.75, 0.8, 0.1), (0.3, 0.5, 0.2))


def sample_picture(height: int = 128, width: int = 128) -> NDArray[np.uint8]:
    """Two dark ovals on grey, as a chest looks from afar."""
    down, across = np.mgrid[0:height, 0:width] / np.array([height, width]).reshape(2, 1, 1)
    left = ((across - 0.3) / 0.17) ** 2 + ((down - 0.5) / 0.34) ** 2
    right = ((across - 0.7) / 0.17) ** 2 + ((down - 0.5) / 0.34) ** 2
    grey = 175 - 130 * np.exp(-(np.minimum(left, right) ** 2)) + 12 * np.sin(down * 60)
    return np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def blob(across: float, down: float, wide: float, size: tuple[int, int] = (128, 128)) -> NDArray[np.float32]:
    """A hill of relevance, its middle in shares of width and height."""
    rows, columns = np.mgrid[0 : size[0], 0 : size[1]] / np.array(size).reshape(2, 1, 1)
    far = ((columns - across) ** 2 + (rows - down) ** 2) / wide**2
    return np.exp(-far).astype(np.float32)


def sample_faithfulness(gain: float = 0.2) -> Faithfulness:
    shares = (0.0, 0.5, 1.0)
    return Faithfulness(
        deletion=Curve(shares, (0.9, 0.2, 0.1)),
        insertion=Curve(shares, (0.1, 0.7, 0.9)),
        random_deletion=0.35 - gain / 4,
        random_insertion=0.6 - 5 * gain / 4 + 0.0,
        edge_deletion=0.4,
        edge_insertion=0.3,
        road=0.21,
        infidelity=0.013,
        sensitivity=0.12,
        pointing=True,
        overlap=0.41,
    )


def _place(words: str) -> tuple[int, int]:
    start = CAPTION.lower().index(words) + words.startswith(" ")
    return start, start + len(words.strip())


def sample_evidence(size: tuple[int, int] = (128, 128)) -> tuple[Evidence, ...]:
    """A concept without one place, spans with boxes, each word, a word without a map."""
    maps = [blob(*one, size) for one in BLOBS]
    against = (maps[2] - 0.6 * maps[3]).astype(np.float32)
    places = [_place(name) for name in NAMES]
    return (
        Evidence(
            "plain-x-ray",
            Kind.CONCEPT,
            "plain x-ray",
            maps[0],
            cui="C1306645",
            probability=0.98,
            localisable=False,
            note="the whole image is one",
            place=places[0],
        ),
        Evidence(
            "pneumonia",
            Kind.SPAN,
            NAMES[1],
            maps[1],
            cui="C0032285",
            boxes=boxes_of(maps[1]),
            probability=0.87,
            place=places[1],
            paths=(("the image itself", 0.7), ("the told concept pneumonia", 0.3)),
            faithfulness=sample_faithfulness(),
        ),
        Evidence("pneumonia-logit", Kind.CONCEPT, "pneumonia", maps[1], cui="C0032285", probability=0.87),
        Evidence(
            "effusion",
            Kind.SPAN,
            NAMES[2],
            against,
            cui="C0032227",
            boxes=boxes_of(against),
            probability=0.41,
            place=places[2],
            faithfulness=sample_faithfulness(-0.1),
        ),
        Evidence("word-right", Kind.WORD, "right", maps[3], place=places[3]),
        Evidence(
            "word-small",
            Kind.WORD,
            "small",
            None,
            place=_place("small"),
            note="the word follows from the words before it",
        ),
        Evidence(
            "word-a",
            Kind.WORD,
            "a",
            None,
            place=_place(" a "),
            note="the word follows from the words before it",
        ),
        Evidence("catheter", Kind.CONCEPT, "catheter", None, cui="C0085590", probability=0.03),
    )


def sample_cases() -> tuple[Case, ...]:
    return (
        Case(
            "case-1",
            0.93,
            "Pneumonia of the lower lobe.",
            "original",
            ("pneumonia",),
            "CC BY 4.0",
            "Doe et al. 2020",
            sample_picture(48, 48),
        ),
        Case("case-2", 0.88),
    )


def sample_explanation(
    image: str = "image-1", size: tuple[int, int] = (128, 128), **changes: object
) -> Explanation:
    """An explanation in which every part has something; `changes` replace fields."""
    made = Explanation(
        image=image,
        picture=sample_picture(*size),
        model="zoo:captions",
        method="hires-cam",
        origin=Origin.MODEL,
        evidence=sample_evidence(size),
        caption=CAPTION,
        rationale="Pneumonia is said because of the lower right field; three near training images show it.",
        cases=sample_cases(),
        attribution="Drawn for tests, CC0",
        sanity=Sanity(("head", "last block", "first block"), (0.4, 0.1, 0.05)),
        notes=("The picture was cut to a square before the model saw it.",),
    )
    return replace(made, **changes)  # pyright: ignore[reportArgumentType]
