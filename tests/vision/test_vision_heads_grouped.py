"""Heads of groups against a loop over labels, and how labels come into groups."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from vision_samples import WIDTH

from radcap.vision.heads import LabelFacts, make_head
from radcap.vision.heads.grouped import GroupedHead, groups_by_kind, groups_by_share
from radcap.vision.settings import HeadSettings

FEATURES = torch.randn(3, WIDTH, 4, 5, generator=torch.Generator().manual_seed(1))
SHARES = torch.tensor([0.1, 0.9, 0.2, 0.5, 0.2, 0.01, 0.7])
KINDS = ("ANAT", "PROC", "DISO", "DISO", "", "DISO", "PROC")
FACTS = LabelFacts(SHARES, KINDS, torch.arange(7))


def made(labels: int = 7, **given) -> GroupedHead:
    torch.manual_seed(0)
    head = make_head(HeadSettings(kind="grouped", **given), WIDTH, labels)
    assert isinstance(head, GroupedHead)
    return head.eval()


@pytest.mark.parametrize("given", [{"groups": 3}, {"groups": 2, "hidden": (6, 5)}, {"by": "kind"}], ids=str)
@torch.no_grad()
def test_a_label_is_a_layer_over_the_trunk_of_its_group(given):
    head = made(**given)
    head.meet(FACTS)
    values, expected = FEATURES.mean((2, 3)), torch.zeros(3, 7)
    for label, group in enumerate(head.group.tolist()):
        hidden = values
        for layer in head.trunks[group].children():
            if isinstance(layer, nn.Linear):
                hidden = torch.relu(hidden @ layer.weight.T + layer.bias)
        expected[:, label] = hidden @ head.last.weight[label] + head.last.bias[label]
    torch.testing.assert_close(head(FEATURES), expected, atol=1e-5, rtol=1e-4)


def test_layers_are_those_of_the_settings():
    widths = [
        one.out_features for one in made(hidden=(8, 5)).trunks[0].children() if isinstance(one, nn.Linear)
    ]
    assert widths == [8, 5]
    plain = made()
    assert [one.out_features for one in plain.trunks[0].children() if isinstance(one, nn.Linear)] == [256]
    assert len(plain.trunks) == 4
    assert len(made(labels=2).trunks) == 2  # never more groups than labels
    assert len([one for one in made(drop=0.5).modules() if isinstance(one, nn.Dropout) and one.p == 0.5]) == 4


def test_groups_by_frequency():
    assert groups_by_share(SHARES, 3).tolist() == [2, 0, 1, 0, 1, 2, 0]
    head = made(groups=3)
    assert head.group.tolist() == [0, 0, 0, 1, 1, 2, 2]  # before labels are met
    head.meet(FACTS)
    assert head.group.tolist() == [2, 0, 1, 0, 1, 2, 0]


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.9]), min_size=1, max_size=20), st.data())
def test_groups_are_equal_in_size_and_descend(shares, data):
    groups = data.draw(st.integers(1, len(shares)))
    found = groups_by_share(torch.tensor(shares), groups).tolist()
    sizes = [found.count(group) for group in range(groups)]
    assert max(sizes) - min(sizes) <= 1
    pairs = list(zip(shares, found, strict=True))
    by_group = [[share for share, mine in pairs if mine == group] for group in range(groups)]
    assert all(min(one) >= max(other) for one, other in pairwise(by_group))


def test_groups_by_kind_are_the_largest_and_the_rest():
    # DISO has three labels, PROC two; of those with one, the unknown comes first
    assert groups_by_kind(KINDS, 9).tolist() == [3, 1, 0, 0, 2, 0, 1]
    assert groups_by_kind(KINDS, 3).tolist() == [2, 1, 0, 0, 2, 0, 1]
    assert groups_by_kind(KINDS, 1).tolist() == [0] * 7
    head = made(by="kind", groups=2)
    head.meet(FACTS)
    assert head.group.tolist() == [1, 1, 0, 0, 1, 0, 1]


def test_groups_are_kept_with_the_weights():
    head, other = made(groups=3), made(groups=3)
    head.meet(FACTS)
    other.load_state_dict(head.state_dict())
    assert torch.equal(other(FEATURES), head(FEATURES))
    assert "group" in head.state_dict()


def test_a_trunk_without_labels_has_a_slope_of_zero():
    head = made(by="kind", groups=7)
    head.meet(FACTS)
    head(FEATURES).sum().backward()
    slopes = [[one.grad for one in trunk.parameters()] for trunk in head.trunks]
    assert all(grad is not None for trunk in slopes for grad in trunk)
    assert [any(grad is not None and bool(grad.any()) for grad in trunk) for trunk in slopes] == [
        True
    ] * 4 + [False] * 3


def test_groups_do_not_disturb_each_other():
    head = made(groups=3)
    head.meet(FACTS)
    head(FEATURES)[:, 1].sum().backward()  # of the first group
    slopes = [next(trunk.parameters()).grad for trunk in head.trunks]
    assert [one is not None and bool(one.any()) for one in slopes] == [True, False, False]
