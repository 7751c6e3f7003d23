"""Losses against torch's own and against loops over the published formulas."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from radcap.core import UsageError
from radcap.vision.blocks import LOSSES
from radcap.vision.losses import make_loss
from radcap.vision.settings import LossSettings

LOTS = torch.Generator().manual_seed(7)
LOGITS = 3 * torch.randn(6, 5, generator=LOTS)
HARD = (torch.rand(6, 5, generator=LOTS) < 0.4).float()
SOFT = torch.rand(6, 5, generator=LOTS)  # labels of mixed images
SHARES = torch.tensor([0.5, 0.1, 0.01, 0.0, 1.0])


def pairs(labels):
    """Probability and label of each cell."""
    for logit, label in zip(LOGITS.flatten().tolist(), labels.flatten().tolist(), strict=True):
        yield 1 / (1 + math.exp(-logit)), label


def loss(name, labels=HARD, logits=LOGITS, **settings):
    return float(make_loss(LossSettings(name=name, **settings), SHARES)(logits, labels))


@pytest.mark.parametrize("labels", [HARD, SOFT], ids=["hard", "soft"])
def test_bce_and_soft_margin_are_torchs(labels):
    assert loss("bce", labels) == pytest.approx(
        float(functional.binary_cross_entropy_with_logits(LOGITS, labels))
    )
    expected = float(nn.MultiLabelSoftMarginLoss()(LOGITS, labels))
    assert loss("soft-margin", labels) == pytest.approx(expected)


@pytest.mark.parametrize(("power", "largest"), [(0.5, 50.0), (1.0, 20.0), (0.0, 50.0)])
def test_weights_of_rare_labels_are_torchs(power, largest):
    odds = [1.0, 9.0, 99.0, 1e6, 0.0]
    weights = torch.tensor([min(one**power, largest) for one in odds])
    expected = functional.binary_cross_entropy_with_logits(LOGITS, HARD, pos_weight=weights)
    assert loss("weighted-bce", power=power, largest=largest) == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("alpha", [0.25, 0.75, -1.0])
def test_focal_by_a_loop(gamma, alpha):
    total = 0.0
    for p, label in pairs(HARD):
        right = p if label else 1 - p
        weight = 1.0 if alpha < 0 else alpha if label else 1 - alpha
        total -= weight * (1 - right) ** gamma * math.log(right)
    assert loss("focal", gamma=gamma, alpha=alpha) == pytest.approx(total / 30, rel=1e-4)


@pytest.mark.parametrize(
    ("positive", "negative", "clip"), [(1.0, 4.0, 0.05), (0.0, 0.0, 0.0), (0.5, 0.5, 0.2)]
)
@pytest.mark.parametrize("labels", [HARD, SOFT], ids=["hard", "soft"])
def test_asymmetric_by_a_loop(positive, negative, clip, labels):
    total = 0.0
    for p, label in pairs(labels):
        shifted = max(p - clip, 0)
        total -= label * (1 - p) ** positive * math.log(p)
        total -= (1 - label) * shifted**negative * math.log(1 - shifted)
    found = loss("asymmetric", labels, gamma_positive=positive, gamma_negative=negative, clip=clip)
    assert found == pytest.approx(total / 30, rel=1e-4)


def test_asymmetric_without_its_parts_is_bce():
    plain = loss("asymmetric", gamma_positive=0.0, gamma_negative=0.0, clip=0.0)
    assert plain == pytest.approx(loss("bce"), rel=1e-5)


def test_soft_f1_by_a_loop():
    total = 0.0
    for logits, labels in zip(LOGITS.tolist(), HARD.tolist(), strict=True):
        p = [1 / (1 + math.exp(-logit)) for logit in logits]
        both = sum(a * b for a, b in zip(p, labels, strict=True))
        total += 1 - 2 * both / (sum(p) + sum(labels))
    assert loss("soft-f1") == pytest.approx(total / 6, rel=1e-5)


def test_soft_f1_of_sure_answers_is_that_of_sets():
    answers = torch.tensor([[9e2, 9e2, -9e2], [9e2, -9e2, -9e2]])
    labels = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    found = make_loss(LossSettings(name="soft-f1"), SHARES)(answers, labels)
    assert float(found) == pytest.approx(1 - (2 / 3 + 1) / 2)


@pytest.mark.parametrize("name", sorted(set(LOSSES.names) - {"contrastive", "own"}))
def test_smoothing_moves_labels_towards_one_half(name):
    assert loss(name, smoothing=0.2) == pytest.approx(loss(name, 0.8 * HARD + 0.1), rel=1e-6)


@pytest.mark.parametrize("name", LOSSES.names)
@pytest.mark.parametrize("powers", [1.0, 0.5, 0.0])
def test_slopes_are_numbers_however_sure_the_answer_is(name, powers):
    """A power below 1 has no slope at 0, where a sure answer is."""
    settings = LossSettings(name=name, gamma=powers, gamma_positive=powers, gamma_negative=powers)
    logits = torch.tensor([[-200.0, -30.0, 0.0, 30.0, 200.0]] * 2, requires_grad=True)
    labels = torch.tensor([[0.0] * 5, [1.0] * 5])
    value = make_loss(settings, SHARES)(logits, labels)
    value.backward()
    assert value.isfinite()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()


def test_an_unknown_loss_is_refused():
    with pytest.raises(UsageError, match="There is no loss 'dice'"):
        make_loss(LossSettings(name="dice"), SHARES)
