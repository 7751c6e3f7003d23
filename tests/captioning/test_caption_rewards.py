"""What a caption is worth while it is learnt, and how good captions of held-out images are."""

from __future__ import annotations

import numpy as np
import pytest
from dataset_samples import dataset_of, row
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.captioning.models.answers import CaptionAnswers, Line
from radcap.captioning.settings import CaptionDataSettings
from radcap.captioning.training.judging import METRICS, caption_figures, claim_f1, held_figures
from radcap.captioning.training.parts import Captioned
from radcap.captioning.training.rewards import Reward
from radcap.core import Missing, UsageError
from radcap.metrics import score_captions

TRUTH = ["CT of the chest.", "Axial MRI of the brain.", "Chest X-ray with a fracture.", "CT of the chest."]
SAID = ["CT of the Chest", "MRI of the abdomen.", "Nothing, really.", ""]


def scored(metric: str) -> list[float]:
    """By the public scorer, image by image."""
    ids = [str(number) for number in range(len(TRUTH))]
    report = score_captions(
        dict(zip(ids, SAID, strict=True)),
        dict(zip(ids, TRUTH, strict=True)),
        edition="radcap",
        metrics=[metric],
    )
    (found,) = [one for one in report.scores if one.name == metric]
    return list(found.values)


@pytest.mark.parametrize("metric", ["rouge1", "rougeL", "bleu4"])
def test_a_reward_is_the_value_of_the_metric(metric: str) -> None:
    reward = Reward.of(metric, TRUTH)
    assert reward.beside == ()
    assert reward(SAID, TRUTH) == pytest.approx(scored(metric), abs=1e-9)
    assert reward([], []) == []


def test_case_and_punctuation_earn_nothing() -> None:
    reward = Reward.of("rouge1", TRUTH)
    assert reward(["ct, of (the) CHEST!"], ["CT of the chest."]) == pytest.approx([1.0])


def test_cider_is_measured_among_training_captions_so_that_a_batch_may_be_small() -> None:
    many = [*TRUTH, "Ultrasound of the liver.", "Sagittal MRI of the spine.", "PET of the neck."]
    reward = Reward.of("cider", many)
    assert reward.beside == tuple(many)
    alone, (first, second) = reward(["CT of the chest."], ["CT of the chest."]), reward(SAID[:2], TRUTH[:2])
    assert Reward("cider")(["CT of the chest."], ["CT of the chest."]) == pytest.approx(
        [0.0]
    )  # no word is rare
    assert alone[0] > 1.0
    assert first > second > 0


@pytest.mark.parametrize(("references", "beside"), [(3, 3), (512, 512), (700, 512), (2000, 512)])
def test_so_many_training_captions_stand_for_rarity(references: int, beside: int) -> None:
    texts = [f"caption {number}" for number in range(references)]
    held = Reward.of("cider", texts).beside
    assert len(held) == beside
    assert set(held) <= set(texts)


def test_a_metric_that_is_not_there_says_so_before_anything_is_learnt() -> None:
    with pytest.raises(UsageError, match=r"There is no .*'cidre'. Nearest is 'cider'"):
        Reward.of("cidre", TRUTH)
    with pytest.raises(Missing):
        Reward.of("alignscore", TRUTH)


@pytest.mark.parametrize(
    ("caption", "truth", "f1"),
    [
        ("CT with a pneumothorax.", "CT with pneumothorax.", 1.0),
        ("CT.", "CT with pneumothorax.", 2 / 3),
        ("MRI.", "CT with pneumothorax.", 0.0),
        ("An image.", "A picture.", 1.0),
        ("An image.", "CT.", 0.0),
        ("CT without pneumothorax.", "CT.", 1.0),
    ],
)
def test_claims_are_held_against_each_other(caption: str, truth: str, f1: float) -> None:
    assert claim_f1(caption, truth) == pytest.approx(f1)


def test_figures_are_means_with_the_interval_of_a_bootstrap_over_groups() -> None:
    figures = caption_figures(SAID, TRUTH, ["a", "a", "b", "c"])
    assert list(figures) == ["n", *METRICS, "concepts"]
    assert figures["n"] == 4
    for metric in METRICS:
        told = figures[metric]
        assert told["value"] == pytest.approx(np.mean(scored(metric)))
        assert told["low"] <= told["value"] <= told["high"]
    wanted = np.mean([claim_f1(*both) for both in zip(SAID, TRUTH, strict=True)])
    assert figures["concepts"]["value"] == pytest.approx(wanted)
    assert figures == caption_figures(SAID, TRUTH, ["a", "a", "b", "c"])


@settings(max_examples=8)
@given(st.permutations(range(4)))
def test_the_order_of_images_does_not_matter_to_the_values(order: list[int]) -> None:
    plain = caption_figures(SAID, TRUTH, list("abcd"))
    mixed = caption_figures([SAID[one] for one in order], [TRUTH[one] for one in order], list("abcd"))
    for metric in ("rouge1", "bleu4", "concepts"):
        assert mixed[metric]["value"] == pytest.approx(plain[metric]["value"])


def test_captions_of_different_sources_are_never_scored_together() -> None:
    sources = ("original", "composed", "original", "generated")
    rows = [
        row(str(number), "valid", captions=[{"text": text, "source": source, "language": "en"}])
        for number, (text, source) in enumerate(zip(TRUTH, sources, strict=True))
    ]
    held = Captioned.of(dataset_of(rows), CaptionDataSettings())
    lines = tuple(Line(str(number), TRUTH[number], "test") for number in (2, 1, 0))  # 3 cannot be looked at
    figures = held_figures(CaptionAnswers(lines, "x", {"3": "IMG101"}), held)
    assert {source: told["n"] for source, told in figures.items()} == {"composed": 1, "original": 2}
    assert all(told["rouge1"]["value"] == 1.0 for told in figures.values())
