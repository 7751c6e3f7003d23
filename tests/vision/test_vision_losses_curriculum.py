"""How hard labels are, when they are let in, and the loss over those that are."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from torch.nn import functional

from radcap.vision.heads import Taught
from radcap.vision.losses import InnerLoss, make_loss
from radcap.vision.losses.curriculum import CurriculumLoss, label_difficulty
from radcap.vision.settings import LossSettings

LOTS = torch.Generator().manual_seed(7)
LOGITS = torch.randn(40, 5, generator=LOTS)
LABELS = (torch.rand(40, 5, generator=LOTS) < 0.4).to(torch.uint8)
SEEN = (torch.rand(30, 5, generator=LOTS) < 0.3).to(torch.uint8)
BCE = functional.binary_cross_entropy_with_logits


def made(**settings) -> CurriculumLoss:
    loss = make_loss(LossSettings(name="curriculum", **settings), torch.tensor([0.1, 0.2, 0.3, 0.3, 0.5]))
    assert isinstance(loss, CurriculumLoss)
    assert isinstance(loss, InnerLoss)
    return loss


def test_difficulty_by_a_loop_over_sklearns_f1():
    logits, labels, seen = LOGITS.clone(), LABELS.clone(), SEEN.clone()
    logits[:, 2], labels[:, 2] = -9.0, 0  # neither there nor said
    seen[:, 4] = 0
    seen[0] = torch.tensor([0, 0, 0, 0, 1])  # in company of none
    none: Any = 0.0
    own = [1 - f1_score(labels[:, place], logits[:, place] >= 0, zero_division=none) for place in range(5)]
    assert own[2] == 1
    expected = []
    for label in range(5):
        mine = [row for row in seen.tolist() if row[label]]
        shares = {other: sum(row[other] for row in mine) / len(mine) for other in range(5) if other != label}
        weights = {other: math.exp(share) for other, share in shares.items() if share}
        total = sum(weights.values())
        others = sum(weight / total * own[other] for other, weight in weights.items())
        expected.append((own[label] + others) / 2 if weights else own[label])
    assert label_difficulty(logits, labels, seen).tolist() == pytest.approx(expected, rel=1e-5)
    assert expected[4] == own[4]


def test_easy_labels_come_first_and_of_equals_the_more_frequent():
    loss = made().knowing(torch.tensor([0.5, 0.5, 0.1, 0.9, 0.5]), 8)
    assert loss.ranks is not None
    assert loss.ranks.tolist() == [3, 2, 0, 4, 1]


def test_labels_are_let_in_as_in_2025():
    """Five warm epochs of twenty, and a mask every two epochs."""
    loss = made().knowing(torch.zeros(5), 15)
    assert [loss.let_in(epoch, 100) for epoch in range(15)] == [25, 25, 44, 44, 63, 63, 82] + [100] * 8


@given(st.integers(1, 40), st.integers(1, 9), st.floats(0, 1), st.integers(1, 50))
def test_labels_only_come_in_and_all_are_there_from_the_middle_on(epochs, every, first, labels):
    loss = made(every=every, first=first).knowing(torch.zeros(5), epochs)
    counts = [loss.let_in(epoch, labels) for epoch in range(epochs)]
    assert counts == sorted(counts)
    assert counts[0] >= 1
    assert set(counts[epochs // 2 :]) == {labels}
    before = counts[: epochs // 2]
    assert all(count == before[epoch - epoch % every] for epoch, count in enumerate(before))


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_only_labels_that_are_in_count(smoothing):
    loss = made(smoothing=smoothing, first=0.4).knowing(torch.tensor([0.5, 0.5, 0.1, 0.9, 0.5]), 8)
    logits = LOGITS.clone().requires_grad_()
    seen, labels = Taught(logits, LOGITS, torch.zeros(())), LABELS.float()
    smooth = labels * (1 - smoothing) + smoothing / 2
    value = loss.inner(seen, labels, 0)
    torch.testing.assert_close(value, BCE(logits[:, [2, 4]], smooth[:, [2, 4]]))
    value.backward()
    assert logits.grad is not None
    assert [bool(one.any()) for one in logits.grad.T] == [False, False, True, False, True]
    torch.testing.assert_close(loss.inner(seen, labels, 4), BCE(logits, smooth))
    torch.testing.assert_close(made(smoothing=smoothing).inner(seen, labels, 0), BCE(logits, smooth))
    torch.testing.assert_close(loss(logits, labels), BCE(logits, smooth))
