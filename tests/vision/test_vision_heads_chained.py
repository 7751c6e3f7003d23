"""Chained heads against a loop over labels and blocks."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from vision_samples import WIDTH

from radcap.vision.heads import LabelFacts, make_head
from radcap.vision.heads.chained import ChainedHead
from radcap.vision.settings import HeadSettings

FEATURES = torch.randn(3, WIDTH, 4, 5, generator=torch.Generator().manual_seed(1))
SHARES = torch.tensor([0.1, 0.9, 0.2, 0.5, 0.2, 0.01, 0.7])
FACTS = LabelFacts(SHARES, ("",) * 7, torch.arange(7))
BLOCKS = ((1, 6), (3, 2), (4, 0, 5))  # by frequency, in three parts


def made(labels: int = 7, groups: int = 3, noise: float = 1.0, **given) -> ChainedHead:
    torch.manual_seed(0)
    head = make_head(HeadSettings(kind="chained", groups=groups, **given), WIDTH, labels)
    assert isinstance(head, ChainedHead)
    if noise:
        for link in head.links:
            nn.init.normal_(link.get_parameter("weight"), std=noise)
    return head.eval()


@torch.no_grad()
def test_a_block_sees_the_features_and_the_blocks_before_it():
    head = made()
    head.meet(FACTS)
    values = FEATURES.mean((2, 3))
    for image, row in zip(values, head(FEATURES), strict=True):
        known: list[tuple[int, float]] = []
        for number, block in enumerate(BLOCKS):
            came = []
            for place, label in enumerate(block):
                logit = float(head.linear.weight[label] @ image + head.linear.bias[label])
                for before, (_, other) in enumerate(known):
                    weight = float(head.links[number - 1].get_parameter("weight")[place, before])
                    logit += weight / (1 + torch.exp(torch.tensor(-other)).item())
                came.append((label, logit))
            known += came
        assert row.tolist() == pytest.approx([logit for _, logit in sorted(known)], abs=1e-4)


def test_no_label_sees_its_own_block_or_a_later_one():
    head = made()
    head.meet(FACTS)
    number = {label: place for place, block in enumerate(BLOCKS) for label in block}
    for label in range(7):
        head.zero_grad()
        head(FEATURES)[:, label].sum().backward()
        slope = head.linear.weight.grad
        assert slope is not None
        seen = [other for other in range(7) if slope[other].any()]
        assert seen == [one for one in range(7) if one == label or number[one] < number[label]]


def test_it_begins_as_a_linear_head():
    head = made(noise=0)
    plain = FEATURES.mean((2, 3)) @ head.linear.weight.T + head.linear.bias
    torch.testing.assert_close(head(FEATURES), plain)
    head(FEATURES).sum().backward()
    slopes = [link.get_parameter("weight").grad for link in head.links]
    assert all(one is not None and bool(one.any()) for one in slopes)  # and learns to chain


@pytest.mark.parametrize(("labels", "groups", "sizes"), [(7, 3, [2, 2, 3]), (2, 4, [1, 1]), (5, 1, [5])])
def test_blocks_are_equal_in_size(labels, groups, sizes):
    head = made(labels, groups)
    assert [end - start for start, end in head.spans] == sizes
    assert head(FEATURES).shape == (3, labels)


def test_seventeen_blocks_of_a_hundred_and_twenty_five():
    """VCMI 2023."""
    head = made(2125, 17)
    assert {end - start for start, end in head.spans} == {125}
    assert len(head.links) == 16


def test_the_order_is_kept_with_the_weights():
    head, other = made(), made()
    before = other(FEATURES)
    head.meet(FACTS)
    other.load_state_dict(head.state_dict())
    assert torch.equal(other(FEATURES), head(FEATURES))
    assert not torch.equal(other(FEATURES), before)
    assert head.order.tolist() == [1, 6, 3, 2, 4, 0, 5]


def test_dropout_is_that_of_the_settings():
    head = made(drop=0.5).train()
    assert not torch.equal(head(FEATURES), head(FEATURES))
