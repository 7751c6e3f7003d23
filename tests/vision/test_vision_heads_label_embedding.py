"""The head of KCLIP-Med against its formula written out, and what keeps it in bounds."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from torch.nn import functional
from vision_samples import WIDTH

from radcap.vision.heads import LabelFacts, make_head
from radcap.vision.heads.label_embedding import LabelEmbeddingHead
from radcap.vision.settings import HeadSettings

LOTS = torch.Generator().manual_seed(1)
FEATURES = torch.randn(3, WIDTH, 4, 5, generator=LOTS)


def made(labels: int = 9, **settings) -> LabelEmbeddingHead:
    torch.manual_seed(0)
    given = {"kind": "label-embedding", "width": 16, "heads": 4, "nearest": 3} | settings
    head = make_head(HeadSettings(**given), WIDTH, labels)
    assert isinstance(head, LabelEmbeddingHead)
    nn.init.normal_(head.bias, generator=torch.Generator().manual_seed(2))
    return head.eval()


@torch.no_grad()
def by_torch(head: LabelEmbeddingHead, features: torch.Tensor, nearest: int) -> torch.Tensor:
    """One image at a time, with torch's own attention."""
    attention = nn.MultiheadAttention(16, head.heads, batch_first=True).eval()
    attention.in_proj_weight.copy_(torch.cat([head.ask.weight, head.key.weight, head.value.weight]))
    attention.in_proj_bias.copy_(torch.cat([head.ask.bias, head.key.bias, head.value.bias]))
    attention.out_proj.load_state_dict(head.join.state_dict())
    table = torch.stack([one / one.norm() for one in head.concepts])
    rows = []
    for one in features:
        image = head.project.weight @ one.mean((1, 2)) + head.project.bias
        cosines = torch.stack([torch.dot(image, concept) / image.norm() for concept in table])
        near = sorted(range(len(table)), key=lambda place: -float(cosines[place]))[:nearest]
        attended = attention(image[None, None], table[near][None], table[near][None])[0][0, 0]
        fused = functional.layer_norm(image + attended, (16,), head.norm.weight, head.norm.bias)
        scores = [torch.dot(fused / fused.norm(), concept) for concept in table]
        rows.append(torch.stack(scores) / 0.07 + head.bias)
    return torch.stack(rows)


@pytest.mark.parametrize(("labels", "nearest"), [(9, 3), (9, 9), (2, 3), (1, 1)])
def test_logits_are_those_of_torchs_attention(labels, nearest):
    head = made(labels, nearest=nearest)
    torch.testing.assert_close(head(FEATURES), by_torch(head, FEATURES, nearest), atol=1e-5, rtol=1e-4)


def test_concepts_are_of_length_one_and_images_keep_the_vector_of_the_backbone():
    head = made()
    vectors = head.concept_vectors()
    torch.testing.assert_close(vectors.norm(dim=1), torch.ones(9))
    torch.testing.assert_close(vectors * head.concepts.norm(dim=1, keepdim=True), head.concepts)
    torch.testing.assert_close(head.embed(FEATURES), FEATURES.mean((2, 3)))
    taught = head(FEATURES, torch.zeros(3, 9))
    torch.testing.assert_close(taught.concepts, vectors)


@pytest.mark.parametrize(("temperature", "most"), [(0.07, 100.0), (0.005, 200.0)])
def test_the_scale_starts_from_the_temperature_and_has_a_limit(temperature, most):
    head = made(temperature=temperature)
    assert head.scale.item() == pytest.approx(1 / temperature, rel=1e-5)
    head.scale.backward()
    assert head.log_scale.grad is not None
    assert head.log_scale.grad > 0
    nn.init.constant_(head.log_scale, 20.0)
    assert head.scale.item() == pytest.approx(most, rel=1e-5)


def test_labels_begin_as_likely_as_they_are_frequent():
    head = made(labels=4)
    head.meet(LabelFacts(torch.tensor([0.5, 0.1, 0.0, 1.0]), ("",) * 4, torch.arange(4)))
    expected = [0.0, math.log(1 / 9), math.log(1e-4 / (1 - 1e-4)), -math.log(1e-4 / (1 - 1e-4))]
    assert head.bias.tolist() == pytest.approx(expected, rel=1e-3)


def test_every_weight_learns():
    head = made().train()
    head(FEATURES).square().sum().backward()
    silent = [name for name, one in head.named_parameters() if one.grad is None or not one.grad.any()]
    assert not silent or silent == ["key.bias"]  # a softmax does not see what all keys share


def test_dropout_is_that_of_the_settings():
    head = made(drop=0.5).train()
    assert not torch.equal(head(FEATURES), head(FEATURES))
