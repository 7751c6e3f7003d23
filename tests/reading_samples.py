"""Readings made by hand: one chest radiograph in which every part has something, and images not read."""

from __future__ import annotations

from dataclasses import replace

from explanation_samples import CAPTION, sample_cases, sample_evidence, sample_picture

from radcap.captioning.grammar import Role
from radcap.reading.values import Reading, Seen, Unread

MODEL = "zoo:captions"
CONCEPTS = (
    Seen("C1306645", "Plain x-ray", 0.9812, Role.MODALITY),
    Seen("C0817096", "Chest", 0.957, Role.REGION),
    Seen("C0205129", "Sagittal", 0.62, Role.DIRECTION),
    Seen("C0032285", "Pneumonia", 0.8731, Role.FINDING),
    Seen("C0032227", "Pleural effusion", 0.41, Role.FINDING),
    Seen("C0085590", "Catheter", None, Role.OTHER),
)
NOTES = ("The picture was cut to a square before the model saw it.",)


def sample_reading(name: str = "chest.png", maps: bool = True, **changes: object) -> Reading:
    """A reading of a drawn chest, 128 x 128; `changes` replace fields."""
    made = Reading(
        image=name,
        model=MODEL,
        concepts=CONCEPTS,
        caption=CAPTION,
        picture=sample_picture(),
        radiology=0.9987,
        evidence=sample_evidence() if maps else (),
        neighbours=sample_cases(),
        method="hires-cam" if maps else "",
        attribution="Drawn for tests, CC0",
        notes=NOTES,
    )
    return replace(made, **changes)  # pyright: ignore[reportArgumentType]


def empty_reading(name: str = "noise.png") -> Reading:
    """A reading in which nothing was decided for: no concept, no map, no case."""
    return replace(sample_reading(name, maps=False), concepts=(), caption="", neighbours=(), notes=())


def sample_unread(name: str = "cat.jpg") -> Unread:
    """A photograph, refused with its probability."""
    return Unread(
        name,
        f"{name} does not look like a radiology image (probability 0.002)."
        " Give --anyway to read it all the same.",
        "",
        0.002,
    )


def broken_unread(name: str = "broken.png") -> Unread:
    """A file that no decoder takes."""
    return Unread(name, f"{name} cannot be read (IMG003): it is no image. Give an image file.", "IMG003")
