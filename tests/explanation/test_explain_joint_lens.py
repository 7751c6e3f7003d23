"""Several lenses over one backbone as one."""

from __future__ import annotations

import torch
from explain_model_samples import CHEST, PNEUMONIA, XRAY, detector, photo, retrieving

from radcap.explanation.lenses.joint_lens import JointLens, alike
from radcap.explanation.subjects.concept_lenses import concept_lens
from radcap.explanation.targets import Concept


def test_every_target_is_scored_by_its_own_lens() -> None:
    head, near = (concept_lens(one, photo(), "photo.png") for one in (detector(), retrieving()))
    mine, theirs = (Concept(CHEST), Concept(PNEUMONIA)), Concept(XRAY)
    joint = JointLens({mine[0]: head, theirs: near, mine[1]: head})
    features = head.backbone(head.pixels)
    asked = (mine[1], theirs, mine[0])
    both = joint.scores(features, asked)
    assert torch.equal(both[:, [0, 2]], head.scores(features, (mine[1], mine[0])))
    assert torch.equal(both[:, 1:2], near.scores(features, (theirs,)))
    assert torch.equal(joint.chances(head.pixels, mine), head.chances(head.pixels, mine))
    assert (joint.backbone, joint.pixels, joint.frame) == (head.backbone, head.pixels, head.frame)


def test_lenses_are_alike_with_the_same_eyes_and_image() -> None:
    model = detector()
    one, again = (concept_lens(model, photo(), "photo.png") for _ in range(2))
    assert alike(one, again)
    assert not alike(one, concept_lens(model, photo(50, 20), "other.png"))
    assert not alike(one, concept_lens(detector(), photo(), "photo.png"))
