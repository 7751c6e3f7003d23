"""The contrastive loss against loops over pairs, and batches that have nothing to contrast."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from radcap.vision.heads import Taught
from radcap.vision.losses import InnerLoss, make_loss
from radcap.vision.losses.contrastive import alike, image_concept, overlap
from radcap.vision.settings import LossSettings

LOTS = torch.Generator().manual_seed(7)
LOGITS = torch.randn(5, 6, generator=LOTS)
LABELS = (torch.rand(5, 6, generator=LOTS) < 0.4).float()
LABELS[2] = 0  # an image without concepts
LABELS[:, 4] = 0  # a concept without images
VECTORS = torch.randn(5, 8, generator=LOTS)
CONCEPTS = torch.randn(6, 3, generator=LOTS)
SHARES = LABELS.mean(0)


def rows_by_loop(similar, wanted, skips=()):
    """The mean of -sum t log softmax, one number at a time; `skips` are pairs that are never compared."""
    found = []
    for row, (near, mine) in enumerate(zip(similar, wanted, strict=True)):
        places = [place for place in range(len(near)) if (row, place) not in skips]
        total = sum(mine[place] for place in places)
        if total:
            norm = math.log(sum(math.exp(near[place]) for place in places))
            found.append(-sum(mine[place] / total * (near[place] - norm) for place in places))
    return sum(found) / len(found)


def jaccard(one, other):
    first, second = ({place for place, there in enumerate(row) if there} for row in (one, other))
    return len(first & second) / len(first | second) if first | second else 0.0


def test_images_and_concepts_find_each_other():
    there = rows_by_loop(LOGITS.tolist(), LABELS.tolist())
    back = rows_by_loop(LOGITS.T.tolist(), LABELS.T.tolist())
    assert float(image_concept(LOGITS, LABELS)) == pytest.approx((there + back) / 2, rel=1e-5)


def test_with_one_positive_each_it_is_torchs_cross_entropy_both_ways():
    """CLIP's loss."""
    logits, pairs = torch.randn(6, 6, generator=torch.Generator().manual_seed(0)), torch.arange(6)
    cross = functional.cross_entropy
    expected = (cross(logits, pairs) + cross(logits.T, pairs)) / 2
    torch.testing.assert_close(image_concept(logits, torch.eye(6)), expected)


@pytest.mark.parametrize(
    ("vectors", "sets"), [(VECTORS, LABELS), (CONCEPTS, LABELS.T)], ids=["images", "cuis"]
)
def test_what_shares_is_drawn_together(vectors, sets):
    n, rows = len(sets), sets.tolist()
    empty = [place for place in range(n) if not any(rows[place])]
    skips = {(row, place) for row in range(n) for place in range(n) if row == place or place in empty}
    cosine = functional.cosine_similarity(vectors[:, None], vectors[None], dim=-1)
    wanted = [[jaccard(one, other) for other in rows] for one in rows]
    expected = rows_by_loop((cosine / 0.2).tolist(), wanted, skips)
    assert float(alike(vectors, sets, 0.2)) == pytest.approx(expected, rel=1e-5)


def test_overlap_is_that_of_sets_and_of_parts():
    found = overlap(LABELS).tolist()
    assert found == [pytest.approx([jaccard(one, other) for other in LABELS]) for one in LABELS]
    mixed = torch.tensor([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])
    assert overlap(mixed)[0].tolist() == pytest.approx([1.0, 1.0, 0.5 / (0.5 + 1 - 0.5)])


def taught(n: int = 5) -> tuple[Taught, list[torch.Tensor]]:
    parts = [one.clone().requires_grad_() for one in (LOGITS[:n], VECTORS[:n], CONCEPTS)]
    return Taught(parts[0], parts[1], torch.zeros(()), parts[2]), parts


def inner(loss, seen, labels):
    assert isinstance(loss, InnerLoss)
    return loss.inner(seen, labels, 0)


def test_the_loss_is_its_parts_by_their_weights():
    bce = functional.binary_cross_entropy_with_logits
    settings = LossSettings(
        name="contrastive",
        smoothing=0.1,
        image_concept=0.5,
        image_image=0.3,
        concept_concept=0.2,
        contrast=0.2,
    )
    loss = make_loss(settings, SHARES)
    seen, _ = taught()
    plain = bce(LOGITS, 0.9 * LABELS + 0.05) + 0.5 * image_concept(LOGITS, LABELS)
    torch.testing.assert_close(loss(LOGITS, LABELS), plain)
    more = 0.3 * alike(VECTORS, LABELS, 0.2) + 0.2 * alike(CONCEPTS, LABELS.T, 0.2)
    torch.testing.assert_close(inner(loss, seen, LABELS), plain + more)
    alone = make_loss(LossSettings(name="contrastive", image_concept=0.0), SHARES)
    torch.testing.assert_close(inner(alone, seen, LABELS), bce(LOGITS, LABELS))


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("labels", [LABELS, torch.zeros(5, 6), torch.ones(5, 6)], ids=["some", "none", "all"])
def test_batches_with_nothing_to_contrast_have_a_slope(n, labels):
    settings = LossSettings(name="contrastive", image_image=1.0, concept_concept=1.0)
    seen, parts = taught(n)
    value = inner(make_loss(settings, SHARES), seen, labels[:n])
    value.backward()
    assert value.isfinite()
    for one in parts:
        assert one.grad is not None
        assert one.grad.isfinite().all()
    assert parts[0].grad is not None
    assert parts[0].grad.any()


def test_similarities_are_in_single_precision():
    settings = LossSettings(name="contrastive", image_image=1.0, concept_concept=1.0)
    seen, _ = taught()
    loss = make_loss(settings, SHARES)
    expected = inner(loss, seen, LABELS)
    with torch.autocast("cpu", torch.bfloat16):
        torch.testing.assert_close(inner(loss, seen, LABELS), expected)


def test_descending_draws_images_that_share_together():
    sets = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    vectors = nn.Parameter(torch.randn(4, 8, generator=torch.Generator().manual_seed(0)))
    optimiser = torch.optim.Adam([vectors], lr=0.1)
    for _ in range(60):
        optimiser.zero_grad()
        alike(vectors, sets, 0.1).backward()
        optimiser.step()
    normed = functional.normalize(vectors.detach(), dim=1)
    similar = normed @ normed.T
    assert min(similar[0, 1], similar[2, 3]) > 0.7
    assert max(similar[0, 2], similar[0, 3], similar[1, 2], similar[1, 3]) < 0.3


def test_concepts_without_vectors_add_nothing():
    settings = LossSettings(name="contrastive", concept_concept=0.5)
    seen = Taught(LOGITS, VECTORS, torch.zeros(()))
    expected = make_loss(LossSettings(name="contrastive"), SHARES)(LOGITS, LABELS)
    torch.testing.assert_close(inner(make_loss(settings, SHARES), seen, LABELS), expected)
