"""A caption system at a scale: what stands in for what cannot be had, what is cut, and that it is told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from caption_board_samples import TINY, writer

from radcap.captioning.joining_settings import JoinSettings, RefineSettings, RerankSettings
from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    ConditionSettings,
    DetectorSettings,
    GenerateSettings,
    LanguageSettings,
    ScstSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionMember, CaptionSystem, caption_tables
from radcap.core import UsageError
from radcap.metrics import Resources, caption_metric
from radcap.systems import read_captions, systems_of
from radcap.systems.board.captions.fitting import detectors, fit_caption_system, has_eyes
from radcap.systems.board.captions.telling import is_told
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.scales import SCALES
from radcap.systems.catalogue import read_concepts
from radcap.vision.settings import AugmentSettings, BackboneSettings, ImageSettings

if TYPE_CHECKING:
    from pathlib import Path

SMALL, LARGE, PUBLISHED = (SCALES[name] for name in ("small", "large", "published"))
NAMES = [one.name for one in systems_of("captions")]
BLIP = "Salesforce/blip-image-captioning-base"
ORIGINAL = CaptionDataSettings(captions="original")
LEARNT = BackboneSettings(name="resnet50.tv_in1k", weights="timm")


def published(kind: str, **tables: Any) -> CaptionSystem:
    """As the file of a team has it."""
    given: dict[str, Any] = {
        "data": ORIGINAL,
        "image": ImageSettings(size=224, augment=AugmentSettings(rotate=5.0)),
        "backbone": LEARNT,
        "train": CaptionTrainSettings(epochs=50, batch=4, lr=2e-6),
    }
    return writer(kind, **given | tables)


def member(name: str, **tables: Any) -> CaptionMember:
    return CaptionMember(name=name, **{**caption_tables(published("lstm")), **tables})


@pytest.mark.parametrize("name", NAMES)
def test_at_the_published_scale_nothing_is_changed(name: str) -> None:
    system = read_captions(name)
    fitted = fit_caption_system(system, PUBLISHED)
    assert (fitted.system, fitted.changes) == (system, ())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [SMALL, LARGE])
def test_nothing_that_has_to_be_fetched_or_asked_is_left(name: str, scale: Any) -> None:
    fitted = fit_caption_system(read_captions(name), scale).system
    for one in (fitted, *fitted.member):
        assert one.data.captions == "composed"
        assert one.refine.endpoint == one.pretrained.model == one.pretrained.eyes == one.rerank.model == ""
        assert one.backbone.weights in ("none", "package")
        assert not has_eyes(one) or one.image.size <= 260
        assert one.decoder.kind != "lm" or one.decoder.model == "smollm2-135m"
        assert not one.train.score or caption_metric(one.train.score).why_not(Resources()) is None


def test_a_published_network_is_stood_in_for_and_everything_is_told() -> None:
    fitted = fit_caption_system(published("lstm"), LARGE)
    model = fitted.system
    assert (model.backbone.name, model.backbone.weights) == ("tf_efficientnet_lite0", "package")
    assert (model.image.size, model.train.epochs, model.train.batch, model.train.lr) == (128, 10, 64, 5e-4)
    assert fitted.changes == (
        "composed captions",
        "Lite0 for resnet50",
        "128 pixels for 224",
        "10 epochs for 50",
        "rate 0.0005 for 2e-06",
        "batches of 64 for 4",
    )
    assert not fitted.borrowed
    small = fit_caption_system(published("lstm"), SMALL)
    assert small.system.backbone.frozen
    assert small.system.image.augment == AugmentSettings()
    assert small.system.train.epochs == 5


def test_captions_are_of_the_source_that_is_asked_for() -> None:
    system = published("lstm", data=CaptionDataSettings(captions="original", least=11, most=20))
    composed = fit_caption_system(system, TINY)
    assert (composed.system.data.least, composed.system.data.most) == (6, 10)
    assert "buckets of half the length, as composed captions have it" in composed.changes
    original = fit_caption_system(system, TINY, "original")
    assert original.system.data == system.data
    assert not any("captions" in one for one in original.changes)


@pytest.mark.parametrize("kind", ["encoder-decoder", "blip", "q-former", "chat"])
def test_a_published_model_becomes_a_small_one_of_its_family_with_random_weights(kind: str) -> None:
    pretrained = PretrainedSettings(model=BLIP, freeze=("vision_model.*",), train=False, lora=8)
    system = published(
        kind, backbone=BackboneSettings(), pretrained=pretrained, tokenizer=TokenizerSettings(file="x.json")
    )
    fitted = fit_caption_system(system, LARGE)
    model = fitted.system
    assert model.pretrained == PretrainedSettings(geometry="small")
    eyes = BackboneSettings() if kind == "chat" else BackboneSettings("tf_efficientnet_lite2", "package")
    assert model.backbone == eyes
    assert (model.image.size, model.train.epochs, model.train.lr) == (128, 10, 5e-4)
    assert model.tokenizer.file == ""
    assert model.image.augment == system.image.augment
    assert f"a small {kind} from nothing for {BLIP}" in fitted.changes
    assert "learnt, not asked as it is" in fitted.changes
    small = fit_caption_system(replace(system, pretrained=PretrainedSettings(model=BLIP)), SMALL)
    assert small.system.backbone.frozen == (kind != "chat")
    assert (small.system.image.augment == AugmentSettings()) == (kind != "chat")
    assert "learnt, not asked as it is" not in small.changes


def test_a_model_that_lies_here_is_kept(tmp_path: Path) -> None:
    """Whoever has put it there wants it."""
    here = str(tmp_path)
    system = published(
        "blip",
        backbone=BackboneSettings(),
        pretrained=PretrainedSettings(model=here, lora=4),
        rerank=RerankSettings(by="alignment", model=here),
        refine=RefineSettings(kind="rewrite", model=here, epochs=5),
    )
    fitted = fit_caption_system(system, LARGE)
    assert (fitted.system.pretrained, fitted.system.backbone) == (system.pretrained, system.backbone)
    assert fitted.system.image.size == 128
    assert fitted.system.rerank == system.rerank
    assert fitted.system.refine == replace(system.refine, epochs=1)
    assert "1 epoch of rewrite for 5" in fitted.changes
    own = replace(system, pretrained=PretrainedSettings(geometry="tiny"))
    assert fit_caption_system(own, LARGE).system.pretrained == own.pretrained
    lm = published("lm", decoder={"model": here})
    assert fit_caption_system(lm, LARGE).system.decoder.model == here


def test_language_models_and_tokenizers_of_others() -> None:
    system = published(
        "lm", decoder={"model": "distilgpt2"}, tokenizer=TokenizerSettings(file="no/file.json")
    )
    fitted = fit_caption_system(system, LARGE)
    assert fitted.system.decoder.model == "smollm2-135m"
    assert fitted.system.tokenizer.file == ""
    assert "SmolLM2-135M for distilgpt2" in fitted.changes
    assert "a tokenizer learnt from the captions for no/file.json" in fitted.changes
    base = published("lm", decoder={"model": "zoo:smollm2-135m"})
    assert fit_caption_system(base, LARGE).system.decoder.model == "zoo:smollm2-135m"


def test_rewards_drafts_and_metrics_are_cut_to_what_can_be_had() -> None:
    system = published(
        "lstm",
        train=CaptionTrainSettings(epochs=9, watch="score", score="bertscore"),
        scst=ScstSettings(epochs=20, metric="bertscore", samples=10),
        generate=GenerateSettings(method="mbr", beams=8, samples=40, metric="bleurt", longest=16),
    )
    fitted = fit_caption_system(system, LARGE)
    model = fitted.system
    assert (model.scst.epochs, model.scst.samples, model.scst.metric) == (1, 4, "rouge1")
    assert (model.generate.beams, model.generate.samples, model.generate.metric) == (4, 4, "rouge1")
    assert model.train.score == "rouge1"
    for change in (
        "1 epoch of rewards for 20",
        "4 samples for 10",
        "4 beams for 8",
        "4 drafts for 40",
        "rouge1 for bertscore",
        "rouge1 for bleurt",
    ):
        assert change in fitted.changes
    greedy = published("lstm", generate=GenerateSettings(method="greedy", beams=8, longest=8))
    assert fit_caption_system(greedy, LARGE).system.generate.beams == 8  # which nobody follows
    few = published("lstm", scst=ScstSettings(epochs=1, metric="cider"))
    assert fit_caption_system(few, LARGE).system.scst == few.scst


@pytest.mark.parametrize(
    ("refine", "left", "told"),
    [
        (
            RefineSettings(kind="fuse", model="gpt-4"),
            RefineSettings(kind="fuse", model="consensus"),
            "the draft that agrees most for gpt-4",
        ),
        (
            RefineSettings(kind="summarise", model="google/pegasus-xsum", longest=64),
            RefineSettings(kind="summarise", model="consensus"),
            "the draft that agrees most for google/pegasus-xsum",
        ),
        (
            RefineSettings(kind="rewrite", endpoint="http://localhost:1"),
            RefineSettings(),
            "not refined by http://localhost:1 (rewrite)",
        ),
        (
            RefineSettings(kind="align", model="GanjinZero/biobart-v2-large"),
            RefineSettings(),
            "not refined by GanjinZero/biobart-v2-large (align)",
        ),
        (
            RefineSettings(kind="rewrite", model="smollm2-135m"),
            RefineSettings(kind="rewrite", model="smollm2-135m"),
            "",
        ),
    ],
)
def test_a_language_model_that_is_not_here_has_no_last_word(
    refine: RefineSettings, left: RefineSettings, told: str
) -> None:
    fitted = fit_caption_system(published("lstm", refine=refine), LARGE)
    assert fitted.system.refine == left
    assert not told or told in fitted.changes


@pytest.mark.parametrize(
    ("rerank", "left", "told"),
    [
        (
            RerankSettings("alignment", "MedCLIP"),
            "alignment",
            "an alignment learnt here for MedCLIP",
        ),
        (RerankSettings("centroid", "biobert"), "centroid", "word vectors learnt here for biobert"),
        (RerankSettings("consensus", metric="bleurt"), "consensus", "rouge1 for bleurt"),
    ],
)
def test_drafts_are_chosen_among_by_what_is_learnt_here(rerank: RerankSettings, left: str, told: str) -> None:
    fitted = fit_caption_system(published("lstm", rerank=rerank), LARGE)
    assert fitted.system.rerank == RerankSettings(by=left)
    assert told in fitted.changes


def test_what_is_packaged_is_trained_as_its_file_says_at_the_large_scale() -> None:
    packaged = published("lstm", backbone=BackboneSettings(weights="package"))
    fitted = fit_caption_system(packaged, LARGE)
    assert fitted.changes == ("composed captions",)
    lent = published("transformer", detector=DetectorSettings("zoo:concepts"), scst=ScstSettings(epochs=10))
    assert fit_caption_system(lent, LARGE).changes == ("composed captions",)
    assert fit_caption_system(lent, LARGE).borrowed
    assert "1 epoch of rewards for 10" in fit_caption_system(lent, SMALL).changes
    pretrained = published("blip", backbone=BackboneSettings(weights="package"))
    assert "10 epochs for 50" in fit_caption_system(pretrained, LARGE).changes


@pytest.mark.parametrize("kind", ["nearest", "frequent", "template"])
def test_what_learns_nothing_is_told_no_epochs(kind: str) -> None:
    fitted = fit_caption_system(published(kind, image=ImageSettings(size=64)), SMALL)
    told = ("composed captions", "Lite0 for resnet50", "frozen")
    assert fitted.changes == (told if kind == "nearest" else told[:1])


def test_what_is_not_in_the_dataset_is_not_remembered_or_read(tmp_path: Path) -> None:
    data = CaptionDataSettings(captions="composed", memory="some/folder")
    system = published("nearest", data=data, language=LanguageSettings(epochs=3))
    fitted = fit_caption_system(system, SMALL)
    assert fitted.system.data.memory == ""
    assert fitted.system.language.epochs == 0
    assert fitted.changes[:2] == ("the training split in memory", "no text is read before the captions")
    text = tmp_path / "text.txt"
    text.write_text("A scan.")
    read = published("lstm", language=LanguageSettings(text=str(text), epochs=3))
    assert fit_caption_system(read, SMALL).system.language.epochs == 3


def test_a_pool_keeps_some_of_each_kind_and_a_router_all() -> None:
    seeds = [member(f"plain-{n}", train=CaptionTrainSettings(epochs=9, seed=n)) for n in range(3)]
    other = member("other", decoder=replace(published("gru").decoder))
    pool = published("lstm", member=(*seeds, other))
    fitted = fit_caption_system(pool, LARGE)
    assert [one.name for one in fitted.system.member] == ["plain-0", "plain-1", "other"]
    assert fitted.changes[0] == "3 of 4 members"
    assert len([one for one in fitted.changes if one == "Lite0 for resnet50"]) == 1
    for join in (JoinSettings(rule="router"), JoinSettings(append=("other",))):
        whole = fit_caption_system(replace(pool, join=join), LARGE)
        assert len(whole.system.member) == 4
        assert "members" not in whole.changes[0]


def test_what_is_chosen_of_members_is_told_of_the_whole() -> None:
    members = (member("a"), member("b"))
    fused = published("lstm", member=members, refine=RefineSettings(kind="fuse", model="gpt-4"))
    fitted = fit_caption_system(fused, TINY)
    assert "the draft that agrees most for gpt-4" in fitted.changes
    assert fitted.system.refine.model == "consensus"
    assert all(one.refine == RefineSettings() for one in fitted.system.member)


def test_a_detector_is_fitted_as_on_its_own_board() -> None:
    name = "2022/polimi-concepts"
    system = published("transformer", detector=DetectorSettings(system=name, share=False))
    fitted = fit_caption_system(system, LARGE)
    alone = fit_system(read_concepts(name), LARGE)
    assert detectors(fitted.system, LARGE) == {name: alone}
    assert [one for one in fitted.changes if one.startswith("in its detector")] == [
        f"in its detector {name}: {one}" for one in alone.changes
    ]
    assert has_eyes(system)
    assert not has_eyes(replace(system, detector=DetectorSettings(system=name)))
    with pytest.raises(UsageError, match="There is no system 'nowhere'"):
        fit_caption_system(replace(system, detector=DetectorSettings(system="nowhere")), LARGE)


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        ({}, False),
        ({"condition": ConditionSettings(neighbours=3)}, False),
        ({"condition": ConditionSettings(concepts="modality")}, True),
        ({"condition": ConditionSettings(prompt="{modality} image:")}, True),
        ({"condition": ConditionSettings(prompt="Concepts: {concepts}.")}, True),
        ({"condition": ConditionSettings(neighbours=3, alike=0.9)}, True),
        ({"condition": ConditionSettings(neighbours=3, clusters=9)}, True),
        ({"generate": GenerateSettings(dmmcs=0.15, longest=8)}, True),
        ({"generate": GenerateSettings(supported=True, longest=8)}, True),
        ({"refine": RefineSettings(kind="rewrite", model="m", prompt="{concepts}: {caption}")}, True),
        ({"member": (member("a"), member("b", condition=ConditionSettings(concepts="all")))}, True),
        ({"member": (member("a"), member("b"))}, False),
    ],
)
def test_who_depends_on_concepts(tables: dict[str, Any], told: bool) -> None:
    assert is_told(published("lstm", **tables)) is told
    assert is_told(published("template"))
