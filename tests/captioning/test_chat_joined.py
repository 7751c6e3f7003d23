"""A chat with all that other captioners have beside them: a guide of words, kin, a reranker, siblings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from captioning_samples_training import detector, drawn, known_backbone, taught
from chat_samples import qwen2_vl
from test_chat_training import system

from radcap.captioning.joining_settings import RerankSettings
from radcap.captioning.models import CaptionFolder, open_captioner
from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import ConditionSettings, DetectorSettings, GenerateSettings
from radcap.captioning.training.judging import held_figures
from radcap.captioning.training.parts import Captioned

assert known_backbone  # a fixture that is used by being here
FILES = {"card.json", "system.toml", "labels.csv", "concepts", "neighbours", "captions.json", "clusters.json"}
FILES |= {"dmmcs.json", "dmmcs.safetensors", "medians.json", "reranker"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> CaptionFolder:
    root = tmp_path_factory.mktemp("joined")
    one = system(
        pretrained=PretrainedSettings(model=str(qwen2_vl(root / "base")), train=False),
        detector=DetectorSettings(str(detector(root / "seer").path)),
        condition=ConditionSettings(neighbours=2, alike=0.2, clusters=2),
        generate=GenerateSettings(method="sample", samples=3, longest=8, dmmcs=0.2),
        rerank=RerankSettings(by="alignment"),
    )
    return taught(one, root / "model", drawn(24))


def test_all_of_it_is_kept_and_answers_as_it_was_judged(folder: CaptionFolder) -> None:
    assert {one.name for one in folder.path.iterdir()} == FILES
    held = Captioned.of(drawn(24).split("valid"), folder.system().data)
    answers = open_captioner(folder.path, "cpu").answers(held.images)
    assert held_figures(answers, held) == folder.card()["held_out"]
    for line in answers.lines:
        assert line.by == "alignment"
        assert len(line.drafts) == 3
        assert [one.score for one in line.drafts] == sorted((one.score for one in line.drafts), reverse=True)
        assert line.neighbours


def test_the_guide_prefers_other_words(folder: CaptionFolder) -> None:
    model = open_captioner(folder.path, "cpu")
    data = drawn(24).split("test")[:4]
    guided = model.answers(data)
    plain = replace(model, scribe=replace(model.scribe, guide=None))  # type: ignore[attr-defined, type-var]
    assert {one.text for line in guided.lines for one in line.drafts} != {
        one.text for line in plain.answers(data).lines for one in line.drafts
    }
