"""What the tables of a network refuse."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import InputError, UsageError
from radcap.core.tables import read_table
from radcap.vision.ranges import ABOVE_ZERO, BELOW_ONE, SHARE, ZERO_OR_MORE, Range
from radcap.vision.settings import (
    AugmentSettings,
    BackboneSettings,
    HeadSettings,
    ImageSettings,
    LossSettings,
    TeacherSettings,
    TrainSettings,
)

REFUSED = [
    (AugmentSettings, {"flip_horizontal": 1.1}, "flip_horizontal is 1.1. Give a number from 0 to 1."),
    (AugmentSettings, {"flip_vertical": -0.1}, "flip_vertical is -0.1. Give a number from 0 to 1."),
    (AugmentSettings, {"erase": math.nan}, "erase is nan. Give a number from 0 to 1."),
    (AugmentSettings, {"shift": 2.0}, "shift is 2.0. Give a number from 0 to 1."),
    (AugmentSettings, {"brightness": 2.0}, "brightness is 2.0. Give a number from 0 to 1."),
    (AugmentSettings, {"contrast": -1.0}, "contrast is -1.0. Give a number from 0 to 1."),
    (AugmentSettings, {"noise": 1.5}, "noise is 1.5. Give a number from 0 to 1."),
    (AugmentSettings, {"rotate": 181.0}, "rotate is 181.0. Give degrees from 0 to 180."),
    (AugmentSettings, {"stretch": -0.5}, "stretch is -0.5. Give 0 to 100."),
    (AugmentSettings, {"gamma": math.inf}, "gamma is inf. Give 0 to 100."),
    (AugmentSettings, {"mixup": -0.5}, "mixup is -0.5. Give 0 to 100."),
    (AugmentSettings, {"cutmix": -0.5}, "cutmix is -0.5. Give 0 to 100."),
    (
        AugmentSettings,
        {"zoom": (1.2, 0.8)},
        "zoom is 1.2 to 0.8. Give the smaller factor first, and both from 0.01 to 100.",
    ),
    (
        AugmentSettings,
        {"zoom": (0.0, 0.8)},
        "zoom is 0.0 to 0.8. Give the smaller factor first, and both from 0.01 to 100.",
    ),
    (
        AugmentSettings,
        {"zoom": (1.0, math.inf)},
        "zoom is 1.0 to inf. Give the smaller factor first, and both from 0.01 to 100.",
    ),
    (ImageSettings, {"size": 15}, "size is 15. Images are 16 to 4,096 pixels wide."),
    (ImageSettings, {"load": 0.9}, "load is 0.9. Images are loaded at 1 to 10 times the size."),
    (ImageSettings, {"clahe": -1.0}, "clahe is -1.0. Give 0 to 1,000."),
    (BackboneSettings, {"drop": 1.1}, "drop is 1.1. Give a number from 0 to 1."),
    (BackboneSettings, {"words": 0}, "words is 0. Give 1 to 65,536."),
    (BackboneSettings, {"levels": 6}, "levels is 6. Give 1 to 5."),
    (BackboneSettings, {"width": 0}, "width is 0. Give 1 to 4,096."),
    (BackboneSettings, {"corruption": 1.0}, "corruption is 1.0. Give 0, or a number below 1."),
    (BackboneSettings, {"sparsity": -1.0}, "sparsity is -1.0. Give 0 to 1,000,000."),
    (HeadSettings, {"drop": -0.1}, "drop is -0.1. Give a number from 0 to 1."),
    (HeadSettings, {"strength": -0.1}, "strength is -0.1. Give 0 to 1,000,000."),
    (HeadSettings, {"kind": "csra", "heads": 3}, "heads is 3. CSRA has 1, 2, 4, 6 or 8."),
    (HeadSettings, {"heads": 3}, "width is 512, and heads is 3. Heads must divide the width."),
    (HeadSettings, {"heads": 0}, "heads is 0. Give 1 to 65,536."),
    (HeadSettings, {"groups": 0}, "groups is 0. Give 1 to 65,536."),
    (HeadSettings, {"width": 0}, "width is 0. Give 1 to 65,536."),
    (HeadSettings, {"nearest": 0}, "nearest is 0. Give 1 to 65,536."),
    (HeadSettings, {"temperature": 0.0}, "temperature is 0.0. Give 0.0001 to 10,000."),
    (HeadSettings, {"layers": 0}, "layers is 0. Give 1 to 100."),
    (HeadSettings, {"length": 0}, "length is 0. Give 1 to 1,000."),
    (HeadSettings, {"beams": 0}, "beams is 0. Give 1 to 1,000."),
    (HeadSettings, {"least": -1}, "least is -1. Give 0 to 1,000."),
    (HeadSettings, {"end_weight": -1.0}, "end_weight is -1.0. Give 0 to 1,000,000."),
    (HeadSettings, {"hide": 1.0}, "hide is 1.0. Give 0, or a number below 1."),
    (HeadSettings, {"critic": -1}, "critic is -1. Give 0 to 65,536."),
    (HeadSettings, {"critic_weight": -1.0}, "critic_weight is -1.0. Give 0 to 1,000,000."),
    (HeadSettings, {"count_weight": -1.0}, "count_weight is -1.0. Give 0 to 1,000,000."),
    (HeadSettings, {"hidden": (512, 0)}, "hidden holds 0. A layer is 1 to 65,536 wide."),
    (LossSettings, {"smoothing": 1.0}, "smoothing is 1.0. Give 0, or a number below 1."),
    (LossSettings, {"clip": 1.0}, "clip is 1.0. Give 0, or a number below 1."),
    (LossSettings, {"gamma": -1.0}, "gamma is -1.0. Give 0 to 100."),
    (LossSettings, {"gamma_positive": -1.0}, "gamma_positive is -1.0. Give 0 to 100."),
    (LossSettings, {"gamma_negative": -1.0}, "gamma_negative is -1.0. Give 0 to 100."),
    (LossSettings, {"alpha": 1.5}, "alpha is 1.5. Give a number from 0 to 1, or one below 0 for no weight."),
    (LossSettings, {"power": -1.0}, "power is -1.0. Give 0 to 100."),
    (LossSettings, {"largest": 0.0}, "largest is 0.0. Give a number above 0, and 1,000,000 at most."),
    (LossSettings, {"image_concept": -1.0}, "image_concept is -1.0. Give 0 to 1,000,000."),
    (LossSettings, {"image_image": -1.0}, "image_image is -1.0. Give 0 to 1,000,000."),
    (LossSettings, {"concept_concept": -1.0}, "concept_concept is -1.0. Give 0 to 1,000,000."),
    (LossSettings, {"contrast": 0.0}, "contrast is 0.0. Give 0.0001 to 10,000."),
    (LossSettings, {"warm": 0}, "warm is 0. Give 1 to 100,000."),
    (LossSettings, {"every": 0}, "every is 0. Give 1 to 100,000."),
    (LossSettings, {"first": 1.5}, "first is 1.5. Give a number from 0 to 1."),
    (TeacherSettings, {"weight": 1.5, "models": ("m",)}, "weight is 1.5. Give a number from 0 to 1."),
    (TeacherSettings, {"temperature": 0.0}, "temperature is 0.0. Give 0.0001 to 10,000."),
    (TrainSettings, {"epochs": -1}, "epochs is -1. Give 0 to 100,000."),
    (TrainSettings, {"batch": 0}, "batch is 0. Give 1 to 1,000,000."),
    (TrainSettings, {"lr": 0.0}, "lr is 0.0. Give a number above 0, and 1,000 at most."),
    (TrainSettings, {"lr": math.inf}, "lr is inf. Give a number above 0, and 1,000 at most."),
    (TrainSettings, {"head_lr": -1.0}, "head_lr is -1.0. Give 0 to 10,000."),
    (TrainSettings, {"weight_decay": -1.0}, "weight_decay is -1.0. Give 0 to 1,000."),
    (TrainSettings, {"momentum": 1.0}, "momentum is 1.0. Give 0, or a number below 1."),
    (TrainSettings, {"warmup": -1.0}, "warmup is -1.0. Give 0 to 100,000."),
    (TrainSettings, {"factor": 0.0}, "factor is 0.0. Give a number above 0, and 1 at most."),
    (TrainSettings, {"patience": -1}, "patience is -1. Give 0 to 100,000."),
    (TrainSettings, {"clip_grad": -1.0}, "clip_grad is -1.0. Give 0 to 1,000,000."),
    (TrainSettings, {"sam": -0.1}, "sam is -0.1. Give 0 to 100."),
    (TrainSettings, {"ema": 1.0}, "ema is 1.0. Give 0, or a number below 1."),
    (TrainSettings, {"early_stop": -1}, "early_stop is -1. Give 0 to 100,000."),
    (ImageSettings, {"size": 4097}, "size is 4097. Images are 16 to 4,096 pixels wide."),
    (ImageSettings, {"load": 10.5}, "load is 10.5. Images are loaded at 1 to 10 times the size."),
    (AugmentSettings, {"stretch": 101.0}, "stretch is 101.0. Give 0 to 100."),
    (BackboneSettings, {"words": 65537}, "words is 65537. Give 1 to 65,536."),
    (BackboneSettings, {"width": 4097}, "width is 4097. Give 1 to 4,096."),
    (HeadSettings, {"width": 65537}, "width is 65537. Give 1 to 65,536."),
    (HeadSettings, {"hidden": (65537, 8)}, "hidden holds 65537. A layer is 1 to 65,536 wide."),
    (HeadSettings, {"layers": 101}, "layers is 101. Give 1 to 100."),
    (HeadSettings, {"length": 1001}, "length is 1001. Give 1 to 1,000."),
    (HeadSettings, {"beams": 1000000000000}, "beams is 1000000000000. Give 1 to 1,000."),
    (HeadSettings, {"critic": 65537}, "critic is 65537. Give 0 to 65,536."),
    (HeadSettings, {"end_weight": 1e30}, "end_weight is 1e+30. Give 0 to 1,000,000."),
    (LossSettings, {"gamma": 101.0}, "gamma is 101.0. Give 0 to 100."),
    (
        LossSettings,
        {"largest": 10000000.0},
        "largest is 10000000.0. Give a number above 0, and 1,000,000 at most.",
    ),
    (LossSettings, {"contrast": 1e-30}, "contrast is 1e-30. Give 0.0001 to 10,000."),
    (LossSettings, {"warm": 1000000}, "warm is 1000000. Give 1 to 100,000."),
    (
        TeacherSettings,
        {"models": ("m",)},
        "It names models, and their weight is 0. Give a weight above 0, or delete models.",
    ),
    (
        TeacherSettings,
        {"weight": 0.5},
        "It has a weight and no models. Name the folders of models, or delete weight.",
    ),
    (TrainSettings, {"epochs": 100001}, "epochs is 100001. Give 0 to 100,000."),
    (TrainSettings, {"batch": 10000000}, "batch is 10000000. Give 1 to 1,000,000."),
    (TrainSettings, {"lr": 1e30}, "lr is 1e+30. Give a number above 0, and 1,000 at most."),
    (TrainSettings, {"head_lr": 1e30}, "head_lr is 1e+30. Give 0 to 10,000."),
    (TrainSettings, {"weight_decay": 1e30}, "weight_decay is 1e+30. Give 0 to 1,000."),
    (TrainSettings, {"sam": 1e30}, "sam is 1e+30. Give 0 to 100."),
    (TrainSettings, {"clip_grad": 1e30}, "clip_grad is 1e+30. Give 0 to 1,000,000."),
    (TrainSettings, {"warmup": 1e30}, "warmup is 1e+30. Give 0 to 100,000."),
    (TrainSettings, {"seed": -1}, "seed is -1. Give a whole number from 0 to 4,294,967,295."),
    (TrainSettings, {"seed": 4294967296}, "seed is 4294967296. Give a whole number from 0 to 4,294,967,295."),
]


@pytest.mark.parametrize(("schema", "wrong", "told"), REFUSED, ids=lambda one: str(one)[:40])
def test_a_number_out_of_range_is_refused_with_what_would_do(schema, wrong, told):
    with pytest.raises(UsageError) as caught:
        schema(**wrong)
    assert str(caught.value) == told


def test_all_that_is_wrong_in_a_table_is_told():
    with pytest.raises(UsageError) as caught:
        HeadSettings(drop=2.0, heads=5, hidden=(-3,))
    assert [
        word for word in ("drop is 2.0", "heads is 5", "hidden holds -3") if word in str(caught.value)
    ] == [
        "drop is 2.0",
        "heads is 5",
        "hidden holds -3",
    ]


@pytest.mark.parametrize(
    "schema", [AugmentSettings, ImageSettings, BackboneSettings, HeadSettings, LossSettings, TrainSettings]
)
def test_defaults_are_in_range(schema):
    assert schema() == schema()


def test_limits_themselves_are_right():
    assert LossSettings(alpha=-1.0, smoothing=0.0).alpha == -1.0
    assert TrainSettings(epochs=0, batch=1, factor=1.0, ema=0.0).epochs == 0
    assert AugmentSettings(zoom=(1.0, 1.0), rotate=180.0, flip_vertical=1.0).rotate == 180.0


def test_a_table_of_a_file_collects_them():
    text = "[train]\nepochs = -1\nbatch = 0\n"
    with pytest.raises(InputError) as caught:
        read_table(TrainSettings, {"epochs": -1, "batch": 0}, "[train]", text=text, path="a.toml")
    (issue,) = caught.value.issues
    assert (issue.code, issue.line) == ("SYS205", 1)
    assert "epochs is -1." in issue.message
    assert "batch is 0." in issue.message


@given(st.floats(-2, 2))
def test_ranges_are_as_inequalities_say(value):
    assert (value in SHARE) == (0 <= value <= 1)
    assert (value in BELOW_ONE) == (0 <= value < 1)
    assert (value in ZERO_OR_MORE) == (value >= 0)
    assert (value in ABOVE_ZERO) == (value > 0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_is_in_no_range(value):
    everything = Range(-math.inf, math.inf, "")
    assert not any(value in one for one in (SHARE, BELOW_ONE, ZERO_OR_MORE, ABOVE_ZERO, everything))
