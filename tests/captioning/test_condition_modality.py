"""The modality that a detector decided for, in the words of a prompt."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from captioning_samples_training import captioner, detector, drawn, known_backbone, taught

import radcap
from radcap.captioning.models import CaptionAnswers, open_captioner
from radcap.captioning.models.scribe import Page
from radcap.captioning.models.support import Grounds
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.prompting import Prompter, modality_of, prompt_text
from radcap.captioning.settings import ConditionSettings, DetectorSettings, GenerateSettings
from radcap.captioning.system_reading import read_caption_system
from radcap.captioning.tokens import train_bpe
from radcap.captioning.training.feeds import CaptionFeed, token_rows
from radcap.core import MODALITIES, InputError
from radcap.core.tables import parse_toml
from radcap.vision.pictures import Chance
from radcap.vision.training import FeatureFeed

__all__ = ["known_backbone"]

TOKENIZER = train_bpe(["CT image: MRI", "unknown: Liver"], 270)
CT, MRI, LIVER = "C0040405", "C0024485", "C0023884"
LABELS = (LIVER, CT, MRI)


def test_every_modality_has_a_plain_name() -> None:
    names = {cui: modality_of([LIVER, cui, CT]) for cui in MODALITIES}
    assert names[CT] == "CT"
    assert names[MRI] == "MRI"
    assert names["C1306645"] == "radiograph"
    assert all(names.values())
    assert modality_of([LIVER]) == ""


@pytest.mark.parametrize(
    ("modality", "told"),
    [("CT", "CT image of Liver, by one unknown."), ("", "unknown image of Liver, by one unknown.")],
)
def test_the_prompt_names_it(modality: str, told: str) -> None:
    template = "{modality} image of {concepts}, by one unknown."
    assert prompt_text(template, ["Liver"], [], modality) == told


def feed_of(
    told: list[list[bool]], template: str, condition: ConditionSettings, *, mute: bool
) -> CaptionFeed:
    rows = token_rows(["a"] * len(told), TOKENIZER, 5)
    images = FeatureFeed(torch.zeros(len(told), 1, 1, 1), torch.zeros(len(told), 3, dtype=torch.uint8))
    names = tuple(modality_of([cui]) for cui in LABELS)
    prompter = Prompter(template, ("Liver", "C", "M"), TOKENIZER)
    return CaptionFeed(
        images,
        rows,
        ["a"] * len(told),
        torch.tensor(told),
        (),
        prompter,
        condition,
        modalities=names,
        mute=mute,
    )


def texts(feed: CaptionFeed, chance: Chance | None = None) -> list[str]:
    words = feed.batch(torch.arange(len(feed)), chance).hints.words
    assert words is not None
    return [TOKENIZER.decode(row) for row in words.tolist()]


ROWS = [[True, True, False], [True, False, True], [True, False, False], [False, True, True]]


def test_a_feed_tells_the_first_modality_of_each_row() -> None:
    feed = feed_of(ROWS, "{modality}:", ConditionSettings(prompt="{modality}:"), mute=True)
    assert texts(feed) == ["CT:", "MRI:", "unknown:", "CT:"]
    assert feed.batch(torch.arange(4), None).hints.concepts is None  # nobody asked for them
    both = ConditionSettings(concepts="all", prompt="{modality}:")
    loud = feed_of(ROWS, "{modality}:", both, mute=False).batch(torch.arange(4), None).hints
    assert loud.concepts is not None
    assert texts(replace(feed, told=None)) == ["unknown:"] * 4


def test_by_chance_it_is_not_told_or_another() -> None:
    dropped = ConditionSettings(prompt="{modality}:", drop=1.0)
    chance = Chance.of(0, 0, torch.device("cpu"))
    assert set(texts(feed_of(ROWS, "{modality}:", dropped, mute=True), chance)) == {"unknown:"}
    many = [[False, True, False], [False, False, True]] * 50
    wrong = ConditionSettings(prompt="{modality}:", drop=1.0, add=1.0)
    told = texts(feed_of(many, "{modality}:", wrong, mute=True), chance)
    assert set(told) == {"CT:", "MRI:", "unknown:"}
    right = ["CT:", "MRI:"] * 50
    assert not any(one == other for one, other in zip(told, right, strict=True))


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> Path:
    return detector(tmp_path_factory.mktemp("seer") / "d").path


def test_a_captioner_is_told_what_its_detector_decides(
    seer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def heard(template: str, concepts: list[str], neighbours: list[str], modality: str = "") -> str:
        told.append(modality)
        return prompt_text(template, concepts, neighbours, modality)

    monkeypatch.setattr("radcap.captioning.prompting.prompt_text", heard)
    system = captioner(
        "gru",
        condition=ConditionSettings(prompt="{modality} image:"),
        detector=DetectorSettings(str(seer)),
        generate=GenerateSettings(method="greedy", longest=6),
    )
    folder = taught(system, tmp_path / "m")
    fit = drawn().split("train")
    truth = Counter(modality_of(sorted(row)) for row in fit.column("cui").to_pylist())
    assert Counter(told[: len(fit) // 16 * 16]) <= truth  # whole batches
    told.clear()
    answers = radcap.predict(folder.path, drawn(), split="test")
    assert isinstance(answers, CaptionAnswers)
    assert len(told) == len(answers.lines)
    model = open_captioner(folder.path, "cpu")
    assert isinstance(model, WriterModel)
    page = Page(("a", "b"), torch.zeros(2, 1, 1, 1), [Grounds((LIVER, MRI, CT), {}), Grounds((LIVER,), {})])
    told.clear()
    hints = model.scribe.hints(page)
    assert told == ["MRI", ""]  # the most probable is named first
    assert hints.concepts is None


@pytest.mark.parametrize("concepts", ["none", "all"])
def test_without_a_detector_there_is_none_to_name(concepts: str) -> None:
    text = f"[condition]\nprompt = '{{modality}}:'\nconcepts = '{concepts}'"
    with pytest.raises(InputError) as caught:
        read_caption_system(parse_toml(f'name = "x"\ntask = "captions"\n{text}'))
    (issue,) = caught.value.issues
    assert "tells what a detector says, and there is none" in issue.message
