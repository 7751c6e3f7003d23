"""The models of the study: one of each family, over phantoms and over radiology-open, and their twins.

Invariant: a twin differs from its model in nothing but its labels, which were dealt anew over the images.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    DecoderSettings,
    DetectorSettings,
    GenerateSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.datasets import Dataset, load_dataset
from radcap.detection.retrieval.config import Retrieval
from radcap.detection.system import ConceptSystem
from radcap.explanation.phantoms import Phantoms, phantom_dataset, shuffled
from radcap.systems.training import train
from radcap.vision.settings import (
    AugmentSettings,
    BackboneSettings,
    HeadSettings,
    ImageSettings,
    TrainSettings,
)

__all__ = ["HELD_TWINS", "MODELS", "Trained", "model_at", "phantoms", "train_one"]

SEED, COUNT, SIDE = 11, 3000, 192
LITE = "tf_efficientnet_lite0"
VITS = {"phantom": "vit_tiny_r_s16_p8_224", "real": "vit_tiny_patch16_224"}  # few phantoms ask for a stem
SHIPPED = {"real-cnn": "zoo:concepts", "real-transformer": "zoo:captions"}


@dataclass(frozen=True, slots=True)
class Trained:
    """A model of the study. `after` is trained first; a twin has shuffled labels."""

    name: str
    data: str  # phantom or real
    family: str
    after: str = ""
    twin: bool = False


_FAMILIES = ("cnn", "csra", "vit", "neighbours", "recurrent", "transformer", "prefix")
_WRITERS = {"recurrent": "lstm", "transformer": "transformer", "prefix": "prefix"}
HELD_TWINS = ("cnn", "csra", "vit", *_WRITERS)
MODELS = {
    one.name: one
    for one in (
        *(
            Trained(f"phantom-{one}", "phantom", one, "phantom-cnn" if one in _WRITERS else "")
            for one in _FAMILIES
        ),
        *(
            Trained(f"twin-{one}", "phantom", one, "phantom-cnn" if one in _WRITERS else "", twin=True)
            for one in HELD_TWINS
        ),
        *(Trained(f"real-{one}", "real", one) for one in _FAMILIES if f"real-{one}" not in SHIPPED),
    )
}


def phantoms(count: int = COUNT) -> Phantoms:
    """Shapes in the radiographs of radiology-open, each split in hosts of the same split."""
    return phantom_dataset(load_dataset("radiology-open"), count, SEED, size=SIDE)


def model_at(folder: Path, name: str) -> str:
    """Where a model lies: in the folder of the study, or inside radcap."""
    return SHIPPED.get(name, str(folder / name))


def train_one(one: Trained, folder: Path, epochs: float = 1.0, count: int = COUNT) -> None:
    """Train a model of the study; `epochs` scales how long, for trying the script out."""
    data = phantoms(count).dataset if one.data == "phantom" else _few(load_dataset("radiology-open"), epochs)
    data = shuffled(data, SEED) if one.twin else data
    system = _captioner(one, folder, epochs) if one.family in _WRITERS else _detector(one, epochs)
    train(system, data, folder / one.name)


def _few(data: Dataset, epochs: float) -> Dataset:
    return data if epochs >= 1 else data[:: max(1, round(1 / epochs))]


def _detector(one: Trained, epochs: float) -> ConceptSystem:
    phantom, vit = one.data == "phantom", one.family == "vit"
    many = {(True, True): 30, (True, False): 12, (False, True): 20, (False, False): 8}[phantom, vit]
    augment = AugmentSettings(flip_horizontal=0.5, shift=0.1, zoom=(0.85, 1.15))
    return ConceptSystem(
        name=one.name,
        task="concepts",
        image=ImageSettings(size=SIDE if phantom else 224, augment=augment),
        backbone=BackboneSettings(name=VITS[one.data] if vit else LITE, weights="none" if vit else "package"),
        head=HeadSettings(kind="csra", heads=1, strength=0.2) if one.family == "csra" else HeadSettings(),
        train=TrainSettings(epochs=max(1, round(many * epochs)), batch=64, lr=5e-4 if vit else 1e-3),
        retrieval=Retrieval(rule="weighted", k=15) if one.family == "neighbours" else None,
    )


def _captioner(one: Trained, folder: Path, epochs: float) -> CaptionSystem:
    phantom = one.data == "phantom"
    detector = str(folder / one.after) if phantom else "zoo:concepts"
    return CaptionSystem(
        name=one.name,
        task="captions",
        data=CaptionDataSettings(captions="composed"),
        detector=DetectorSettings(detector),
        tokenizer=TokenizerSettings(size=400 if phantom else 2000),
        decoder=DecoderSettings(kind=_WRITERS[one.family], width=160, layers=2, longest=48),
        train=CaptionTrainSettings(epochs=max(1, round((25 if phantom else 15) * epochs)), batch=64, lr=1e-3),
        generate=GenerateSettings(method="greedy", longest=40),
    )
