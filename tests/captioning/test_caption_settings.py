"""What the tables of a captioner refuse."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionLossSettings,
    CaptionTrainSettings,
    ConditionSettings,
    DecoderSettings,
    DetectorSettings,
    GenerateSettings,
    JointSettings,
    LanguageSettings,
    PostSettings,
    ScstSettings,
    TokenizerSettings,
)
from radcap.core import UsageError
from radcap.core.tables import to_plain

KINDS: tuple[Any, ...] = (
    *(CaptionDataSettings, CaptionLossSettings, CaptionTrainSettings, ConditionSettings, DecoderSettings),
    *(DetectorSettings, GenerateSettings, JointSettings, LanguageSettings, PostSettings, ScstSettings),
    TokenizerSettings,
)
REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (CaptionDataSettings, {"words": 0}, "words is 0. Give 1 or more."),
    (CaptionDataSettings, {"fit": "valid"}, "fit and held are both 'valid'."),
    (CaptionDataSettings, {"min_count": 0}, "min_count is 0."),
    (CaptionDataSettings, {"monte_carlo": 0.2}, "captioners choose epochs on the held split. Delete it."),
    (TokenizerSettings, {"size": 259}, "size is 259. Give 260"),
    (TokenizerSettings, {"size": 100_001}, "size is 100001. Give 260"),
    (DecoderSettings, {"width": 0}, "width is 0. Give 1 or more."),
    (DecoderSettings, {"layers": 0}, "layers is 0. Give 1 or more."),
    (DecoderSettings, {"words": 0}, "words is 0. Give 1 or more."),
    (DecoderSettings, {"neighbours": 0}, "neighbours is 0. Give 1 or more."),
    (DecoderSettings, {"heads": 0}, "heads is 0. Give 1 to 64."),
    (DecoderSettings, {"heads": 65}, "heads is 65. Give 1 to 64."),
    (DecoderSettings, {"width": 10}, "width is 10, and heads is 4. Heads must divide the width."),
    (DecoderSettings, {"factor": 0.2}, "factor is 0.2. Give a factor from 0.25 to 16."),
    (DecoderSettings, {"drop": 1.0}, "drop is 1.0. Give 0, or a number below 1."),
    (DecoderSettings, {"longest": 3}, "longest is 3. Give 4 to 1024 tokens."),
    (DecoderSettings, {"longest": 1025}, "longest is 1025. Give 4 to 1024 tokens."),
    (DecoderSettings, {"lora": -1}, "lora is -1. Give 0 or more."),
    (DecoderSettings, {"lora_alpha": 0.0}, "lora_alpha is 0.0."),
    (DecoderSettings, {"grid": -1}, "grid is -1. Give 0 or more."),
    (ConditionSettings, {"drop": 1.5}, "drop is 1.5. Give a number from 0 to 1."),
    (ConditionSettings, {"add": -0.1}, "add is -0.1. Give a number from 0 to 1."),
    (ConditionSettings, {"neighbours": -1}, "neighbours is -1. Give 0 or more."),
    (CaptionLossSettings, {"smoothing": 1.0}, "smoothing is 1.0. Give 0, or a number below 1."),
    (JointSettings, {"region": -1.0}, "region is -1.0. Give 0 or more."),
    (JointSettings, {"concepts": math.nan}, "concepts is nan. Give 0 or more."),
    (CaptionTrainSettings, {"watch": "score"}, "watch is 'score', and no score is measured. Give score"),
    (CaptionTrainSettings, {"watch": "f1"}, "watch is 'f1', and no score is measured."),
    (CaptionTrainSettings, {"epochs": -1}, "epochs is -1"),
    (LanguageSettings, {"epochs": -1}, "epochs is -1. Give 0 or more."),
    (LanguageSettings, {"batch": 0}, "batch is 0. Give 1 or more."),
    (LanguageSettings, {"lr": 0.0}, "lr is 0.0."),
    (ScstSettings, {"epochs": -1}, "epochs is -1. Give 0 or more."),
    (ScstSettings, {"samples": 0}, "samples is 0. Give 1 to 64."),
    (ScstSettings, {"baseline": "mean"}, "baseline is 'mean', and samples is 1: there is no other."),
    (ScstSettings, {"top_k": -1}, "top_k is -1. Give 0 or more."),
    (ScstSettings, {"temperature": 0.0}, "temperature is 0.0."),
    (ScstSettings, {"mix": 1.1}, "mix is 1.1. Give a number from 0 to 1."),
    (GenerateSettings, {"beams": 0}, "beams is 0. Give 1 to 64."),
    (GenerateSettings, {"length_penalty": -1.0}, "length_penalty is -1.0. Give 0 or more."),
    (GenerateSettings, {"samples": -1}, "samples is -1. Give 0 or more."),
    (GenerateSettings, {"temperature": 0.0}, "temperature is 0.0."),
    (GenerateSettings, {"top_p": 0.0}, "top_p is 0.0. Give a number above 0, and 1 at most."),
    (GenerateSettings, {"longest": 0, "shortest": 0}, "longest is 0. Give 1 or more."),
    (GenerateSettings, {"shortest": 9, "longest": 8}, "shortest is 9, and longest is 8."),
    (GenerateSettings, {"support": 2.0}, "support is 2.0. Give a number from 0 to 1."),
    (PostSettings, {"words": 0}, "words is 0. Give 1 or more."),
    (PostSettings, {"fallback": " \n"}, "fallback is empty. Give a sentence."),
]


@pytest.mark.parametrize(("kind", "keys", "told"), REFUSED)
def test_what_cannot_be_is_refused(kind: Any, keys: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        kind(**keys)
    assert told in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_has_a_default_and_the_defaults_go_together(kind: Any) -> None:
    assert kind() == kind(**{one.name: getattr(kind(), one.name) for one in fields(kind)})
    assert set(to_plain(kind())) == {one.name for one in fields(kind)}


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        DecoderSettings(width=0, layers=0, drop=2.0)
    assert all(one in str(caught.value) for one in ("width is 0", "layers is 0", "drop is 2.0"))


def test_a_score_may_be_watched_where_it_is_measured() -> None:
    assert CaptionTrainSettings(watch="score", score="rouge1").score == "rouge1"
    assert CaptionTrainSettings(score="rouge1").watch == "loss"
    assert ScstSettings(baseline="mean", samples=2).baseline == "mean"


@given(width=st.integers(1, 512), heads=st.integers(1, 64))
def test_heads_divide_the_width(width: int, heads: int) -> None:
    if width % heads:
        with pytest.raises(UsageError, match="Heads must divide the width"):
            DecoderSettings(width=width, heads=heads)
    else:
        assert DecoderSettings(width=width, heads=heads).width == width


def test_the_part_that_stays_cross_entropy_changes_in_a_line() -> None:
    assert [ScstSettings(epochs=5, mix=0.25).mix_at(one) for one in (0, 4)] == [0.25, 0.25]
    falling = ScstSettings(epochs=5, mix=1.0, mix_end=0.0)
    assert [falling.mix_at(one) for one in (0, 1, 4, 9)] == [1.0, 0.75, 0.0, 0.0]
    assert ScstSettings(epochs=1, mix=1.0, mix_end=0.0).mix_at(0) == 1.0
    with pytest.raises(UsageError, match="mix_end is 2"):
        ScstSettings(mix=1.0, mix_end=2)
