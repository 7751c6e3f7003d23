"""What a captioner is fed: tokens between their marks, images or features, and hints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_training import (
    CPU,
    TINY,
    WIDTH,
    captioner,
    detector,
    drawn,
    known_backbone,
)
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.prompting import Prompter
from radcap.captioning.settings import ConditionSettings, DetectorSettings
from radcap.captioning.tokens import train_bpe
from radcap.captioning.training.encoding import GazeFeed, make_encoder
from radcap.captioning.training.feeds import CaptionFeed, token_rows
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.parts import CaptionParts
from radcap.captioning.training.witnesses import (
    make_recall,
    near_captions,
    told_labels,
    truth_of,
    witness,
)
from radcap.core import MODALITIES
from radcap.detection.examples import groups_of
from radcap.detection.talk import SILENT
from radcap.vision.pictures import Chance
from radcap.vision.settings import AugmentSettings, BackboneSettings, ImageSettings
from radcap.vision.training import FeatureFeed, PictureFeed

__all__ = ["known_backbone"]

TOKENIZER = train_bpe(["CT of the chest.", "CT of the head."], 280)
TURNED = ImageSettings(size=32, augment=AugmentSettings(rotate=90.0))


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.integers(4, 12))
def test_a_caption_stands_between_its_marks(texts: list[str], longest: int) -> None:
    rows, widest = token_rows(texts, TOKENIZER, longest).tolist(), 0
    for row, text in zip(rows, texts, strict=True):
        pieces = TOKENIZER.encode(text)
        whole = [TOKENIZER.begin, *pieces[:longest], *([TOKENIZER.end] if len(pieces) <= longest else [])]
        assert row[: len(whole)] == whole
        assert set(row[len(whole) :]) <= {TOKENIZER.pad}
        widest = max(widest, len(whole))
    assert {len(row) for row in rows} == {widest}


def test_a_caption_of_just_the_longest_has_an_end_and_one_more_token_none() -> None:
    pieces = TOKENIZER.encode("CT of the chest.")
    assert token_rows(["CT of the chest."], TOKENIZER, len(pieces))[0, -1] == TOKENIZER.end
    cut = token_rows(["CT of the chest."], TOKENIZER, len(pieces) - 1)
    assert cut[0].tolist() == [TOKENIZER.begin, *pieces[:-1]]
    assert token_rows([], TOKENIZER, 9).shape == (0, 2)


def test_the_decoder_has_places_for_the_longest_caption_with_its_marks() -> None:
    from radcap.captioning.building import make_top

    longest = len(TOKENIZER.encode("x y z"))
    top = make_top(captioner(decoder={"longest": longest}), TOKENIZER, (), WIDTH)
    rows = token_rows(["x y z"], TOKENIZER, longest)
    assert rows.shape == (1, longest + 2)
    told = top(torch.randn(1, WIDTH, 2, 2), rows[:, :-1])["caption"]
    assert told.shape == (1, longest + 1, TOKENIZER.size)


def feed_of(**keys: Any) -> CaptionFeed:
    features = torch.arange(3).float().view(3, 1, 1, 1)
    images = FeatureFeed(features, torch.eye(3, dtype=torch.uint8))
    tokens = token_rows(["a", "b", "c"], TOKENIZER, 5)
    return CaptionFeed(images, tokens, ("a", "b", "c"), **keys)


def test_a_batch_has_its_images_tokens_labels_and_no_hints_unless_told() -> None:
    feed = feed_of()
    batch = feed.batch(torch.tensor([2, 0]), None)
    assert batch.images.flatten().tolist() == [2.0, 0.0]
    assert torch.equal(batch.tokens, feed.tokens[[2, 0]])
    assert batch.labels.tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert (batch.hints.concepts, batch.hints.words) == (None, None)
    assert len(feed) == 3
    assert torch.equal(feed.labels, torch.eye(3, dtype=torch.uint8))


def test_concepts_are_told_by_number_or_in_the_words_of_a_prompt() -> None:
    told = torch.tensor([[True, True, False], [False, False, False], [False, False, True]])
    plain = feed_of(told=told).batch(torch.arange(3), None).hints
    assert plain.concepts is not None
    assert [sorted(one for one in row if one >= 0) for row in plain.concepts.tolist()] == [[0, 1], [], [2]]
    assert plain.words is None
    prompter = Prompter("{concepts}:", ("Liver", "CT", "Chest"), TOKENIZER)
    hints = feed_of(told=told, prompter=prompter).batch(torch.arange(3), None).hints
    assert hints.concepts is None  # told once is enough
    assert hints.words is not None
    texts = [TOKENIZER.decode(row) for row in hints.words.tolist()]
    assert texts[1:] == ["unknown:", "Chest:"]
    assert texts[0] in {"Liver, CT:", "CT, Liver:"}


def test_neighbours_are_told_beside_the_numbers_of_concepts() -> None:
    prompter = Prompter("{neighbours}", ("Liver", "CT", "Chest"), TOKENIZER)
    near = [["One."], ["Two.", "Three."], []]
    told = torch.eye(3).bool()
    hints = feed_of(told=told, prompter=prompter, near=near).batch(torch.tensor([1, 2]), None).hints
    assert hints.words is not None
    assert [TOKENIZER.decode(row) for row in hints.words.tolist()] == ["Two. Three.", ""]
    assert hints.concepts is not None
    plain = feed_of(prompter=Prompter("Say:", (), TOKENIZER)).batch(torch.tensor([1, 2]), None).hints
    assert plain.words is not None
    assert [TOKENIZER.decode(row) for row in plain.words.tolist()] == ["Say:", "Say:"]


def maker_of(folder: Path, **tables: Any) -> CaptionMaker:
    system = captioner(**tables)
    data = drawn()
    parts = CaptionParts.of(data, system.data)
    return CaptionMaker(system, parts, CaptionFolder(folder / "m"), CPU, SILENT, data.names)


@pytest.mark.parametrize(
    ("frozen", "image", "kind"),
    [
        (False, ImageSettings(size=32), PictureFeed),
        (True, ImageSettings(size=32), FeatureFeed),
        (True, TURNED, GazeFeed),
    ],
)
def test_images_reach_the_writer_as_pixels_or_as_features(
    frozen: bool, image: ImageSettings, kind: type, tmp_path: Path
) -> None:
    maker = maker_of(tmp_path, backbone=BackboneSettings(name=TINY, frozen=frozen), image=image)
    encoder = make_encoder(maker)
    feed, kept = encoder.feed(maker, maker.parts.fit)
    assert isinstance(feed, kind)
    assert encoder.learns is not frozen
    assert kept.images.ids == maker.parts.fit.images.ids
    assert len(feed) == len(kept) == len(feed.labels)
    images, labels = feed.batch(torch.arange(4), None)
    assert images.shape[1] == (WIDTH if frozen else 3)
    assert labels.shape == (4, len(maker.labels))
    if frozen:
        pixels = replace_learning(maker)
        wanted = encoder.backbone(pixels.batch(torch.arange(4), None)[0])
        torch.testing.assert_close(images, wanted, atol=1e-5, rtol=1e-4)
        assert not any(one.requires_grad for one in encoder.backbone.parameters())


def replace_learning(maker: CaptionMaker) -> PictureFeed:
    """The pixels under the features."""
    encoder = replace(make_encoder(maker), learns=True)
    feed, _ = encoder.feed(maker, maker.parts.fit)
    assert isinstance(feed, PictureFeed)
    return feed


def test_a_backbone_that_only_looks_sees_varied_images_anew(tmp_path: Path) -> None:
    maker = maker_of(tmp_path, backbone=BackboneSettings(name=TINY, frozen=True), image=TURNED)
    feed, _ = make_encoder(maker).feed(maker, maker.parts.fit)
    chance = Chance.of(0, 0, CPU.device)
    one, other = (feed.batch(torch.arange(2), chance)[0] for _ in range(2))
    assert not torch.allclose(one, other)
    assert torch.equal(feed.batch(torch.arange(2), None)[0], feed.batch(torch.arange(2), None)[0])


def test_a_backbone_without_weights_is_the_same_each_time(tmp_path: Path) -> None:
    maker = maker_of(tmp_path)
    torch.manual_seed(9)
    first = make_encoder(maker).backbone.state_dict()
    torch.manual_seed(8)
    second = make_encoder(maker).backbone.state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> Path:
    return detector(tmp_path_factory.mktemp("seer") / "d").path


def test_the_eyes_of_a_detector_are_its_own_and_do_not_learn(seer: Path, tmp_path: Path) -> None:
    shared = maker_of(tmp_path, detector=DetectorSettings(str(seer)), image=TURNED)
    encoder = make_encoder(shared)
    assert shared.detector is not None
    assert encoder.backbone is shared.detector.network.backbone
    assert not encoder.learns
    assert encoder.image.augment == TURNED.augment
    assert replace(encoder.image, augment=AugmentSettings()) == shared.detector.view.settings
    apart = maker_of(tmp_path, detector=DetectorSettings(str(seer), share=False))
    assert make_encoder(apart).learns
    assert apart.labels == shared.labels == shared.detector.labels
    assert list(apart.label_names) == list(apart.labels)
    assert apart.label_names["C0040405"]


def test_weights_may_be_those_of_a_model_folder_or_of_the_zoo(
    seer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from radcap.captioning.training import encoding

    monkeypatch.setattr(encoding, "find", lambda name: {"zoo:seer": seer}[name])
    folders = [
        make_encoder(maker_of(tmp_path, backbone=BackboneSettings(name=TINY, weights=one))).backbone
        for one in (str(seer), "zoo:seer")
    ]
    fresh = make_encoder(maker_of(tmp_path)).backbone
    weights = [one.state_dict()["body.0.weight"] for one in (*folders, fresh)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.parametrize("concepts", ["none", "modality", "all"])
def test_what_is_told_is_what_the_settings_say(concepts: Any, seer: Path, tmp_path: Path) -> None:
    maker = maker_of(
        tmp_path, detector=DetectorSettings(str(seer)), condition=ConditionSettings(concepts=concepts)
    )
    truth = truth_of(maker, maker.parts.fit)
    told = told_labels(maker, truth)
    if concepts == "none":
        assert told is None
        return
    assert told is not None
    modalities = [cui in MODALITIES for cui in maker.labels]
    assert any(modalities)
    for row, cuis in enumerate(maker.parts.fit.images.column("cui").to_pylist()):
        found = {cui for cui, is_told in zip(maker.labels, told[row].tolist(), strict=True) if is_told}
        wanted = set(cuis) & set(maker.labels)
        assert found == ({cui for cui in wanted if cui in MODALITIES} if concepts == "modality" else wanted)


def test_a_witness_says_what_the_detector_says(seer: Path, tmp_path: Path) -> None:
    maker = maker_of(tmp_path, detector=DetectorSettings(str(seer)))
    said = witness(maker, maker.parts.fit)
    assert maker.detector is not None
    answers = maker.detector.answers(maker.parts.fit.images)
    assert answers.ids == tuple(maker.parts.fit.images.ids)
    assert (said.decided == answers.decided).all()
    assert said.vectors.shape == (len(maker.parts.fit), WIDTH)


def test_neighbours_of_the_same_group_are_never_told(seer: Path, tmp_path: Path) -> None:
    """Brute force: the nearest by cosine among images of other groups."""
    maker = maker_of(tmp_path, detector=DetectorSettings(str(seer)))
    fit = maker.parts.fit
    vectors = witness(maker, fit).vectors
    groups = groups_of(fit.images, fit.images.ids)
    assert len(set(groups)) < len(groups)  # some images belong together
    recall = make_recall(fit, vectors)
    found = recall.nearest(vectors, 3, groups)
    unit = torch.nn.functional.normalize(torch.from_numpy(vectors), dim=1)
    alike = unit @ unit.T
    for row, near in enumerate(found):
        others = [one for one in range(len(fit)) if groups[one] != groups[row]]
        best = sorted((float(alike[row, one]) for one in others), reverse=True)[:3]
        assert [one.similarity for one in near] == pytest.approx(best, abs=1e-4)
        group = dict(zip(fit.images.ids, groups, strict=True))
        assert all(group[one.image] != groups[row] for one in near)
    captions = near_captions(found)
    assert captions == [[one.caption for one in near] for near in found]
    assert all(
        one.caption == dict(zip(fit.images.ids, fit.captions, strict=True))[one.image] for one in found[0]
    )
