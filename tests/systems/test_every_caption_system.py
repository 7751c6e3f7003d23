"""Every caption system of the catalogue, from its file to a valid run, in small.

Networks are frozen, tiny, and begin with random weights, so that a system takes a second: what is tested is
that each file can be trained, asked and handed in, not how well it does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from captioning_samples_lm import save_model, tiny_model
from captioning_samples_training import TINY as BACKBONE
from captioning_samples_training import known_backbone

from radcap.captioning.base_models import BASES
from radcap.captioning.base_models.finding import write_note
from radcap.captioning.models import open_captioner
from radcap.captioning.pretrained_settings import PRETRAINED
from radcap.captioning.tokens import train_bpe
from radcap.captioning.training import train_captions
from radcap.datasets.synthetic import synthetic
from radcap.detection.training import train_system
from radcap.formats import validate, write_run
from radcap.systems import read_captions, read_concepts, systems_of
from radcap.systems.board.captions.fitting import LANGUAGE_MODEL, fit_caption_system
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.scales import Scale, Writing
from radcap.vision.settings import BackboneSettings
from radcap.zoo import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptSystem

__all__ = ["known_backbone"]

SIZE, LONGEST, VOCABULARY = 32, 8, 300
TINY = Scale("tiny", SIZE, 1, 2, True, 64, 1e-3, SIZE, 1, writing=Writing(1, samples=2, members=2))
EYES = BackboneSettings(name=BACKBONE, frozen=True)
NAMES = [one.name for one in systems_of("captions")]


@pytest.fixture(scope="module")
def drawings() -> Dataset:
    return synthetic(60, size=SIZE, concepts=40)


@pytest.fixture(scope="module", autouse=True)
def language_model(drawings: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A tiny one lies where the base would, with a tokenizer of the captions."""
    bases = tmp_path_factory.mktemp("bases")
    texts = [cell[0]["text"] for cell in drawings.column("captions").to_pylist()]
    tokenizer = train_bpe(texts, VOCABULARY)
    folder = save_model(
        tiny_model(vocab_size=tokenizer.size, max_position_embeddings=512), bases / LANGUAGE_MODEL
    )
    tokenizer.save(folder / "tokenizer.json")
    write_note(folder, BASES[LANGUAGE_MODEL], {})
    with mock.patch("radcap.captioning.base_models.finding.base_folder", lambda name: bases / name):
        yield


@pytest.fixture(scope="module")
def seer(drawings: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A detector in the place of those that ship inside, which look at more pixels."""
    return train_system(detector("radcap/quick-concepts"), drawings, tmp_path_factory.mktemp("m") / "m").path


@cache
def detector(name: str) -> ConceptSystem:
    """A concept system as a captioner has it trained first."""
    system = fit_system(read_concepts(name), TINY).system
    return replace(system, backbone=EYES, image=replace(system.image, size=SIZE))


def smaller(model: Any, seer: Path) -> Any:
    """A model of a caption system with the least of everything."""
    decoder, generate, train = model.decoder, model.generate, model.train
    changes: dict[str, Any] = {
        "image": replace(model.image, size=SIZE),
        "backbone": EYES,
        "tokenizer": replace(model.tokenizer, size=VOCABULARY),
        "decoder": replace(
            decoder,
            width=16,
            layers=1,
            heads=2,
            factor=2.0,
            longest=16,
            queries=4,
            bridge_layers=1,
            lora=min(decoder.lora, 2),
        ),
        "train": replace(train, epochs=min(train.epochs, 1), batch=64, refit=False, device="cpu"),
        "generate": replace(generate, longest=LONGEST, shortest=min(generate.shortest, 3)),
        "condition": replace(model.condition, clusters=min(model.condition.clusters, 4)),
    }
    if decoder.kind in PRETRAINED:
        changes["pretrained"] = replace(model.pretrained, geometry="tiny")
    if decoder.kind == "chat" and not model.condition.prompt:  # in place of a long instruction
        changes["condition"] = replace(model.condition, prompt="{image} Caption:")
    if model.detector.model.startswith(PREFIX):
        changes["detector"] = replace(model.detector, model=str(seer))
    return replace(model, **changes)


def in_small(name: str, seer: Path) -> CaptionSystem:
    system = fit_caption_system(read_captions(name), TINY).system
    return smaller(replace(system, member=tuple(smaller(one, seer) for one in system.member)), seer)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_becomes_a_model_and_a_valid_run(
    name: str, drawings: Dataset, seer: Path, tmp_path: Path
) -> None:
    system, test = in_small(name, seer), drawings.split("test")
    named = any(one.detector.system for one in (system, *system.member))
    read: dict[str, Any] = {"read": detector} if named else {}
    folder = train_captions(system, drawings, tmp_path / "model", **read)
    answers = open_captioner(folder.path, "cpu").answers(test)
    assert set(answers.ids) == set(test.ids)
    assert all(caption.strip() for caption in answers.captions().values())
    assert folder.system().name == name
    assert set(folder.card()["held_out"]) == {"composed"}
    run = write_run(answers.run(test.ids), tmp_path / "run.csv")
    (tmp_path / "ids.csv").write_text("\n".join(["ID", *test.ids]))
    checked = validate(run, "captions", ids=tmp_path / "ids.csv", edition="2026")
    assert checked.ok, checked.issues[:3]
