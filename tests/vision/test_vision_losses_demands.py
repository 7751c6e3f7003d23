"""What a head cannot feed, and what would not be heard, is refused."""

from __future__ import annotations

import re

import pytest
from vision_samples import LABELS, WIDTH

from radcap.core import UsageError
from radcap.detection.system import ConceptSystem
from radcap.systems import systems
from radcap.vision.blocks import HEADS, LOSSES
from radcap.vision.heads import make_head
from radcap.vision.losses import check_loss
from radcap.vision.settings import HeadSettings, LossSettings, TeacherSettings

ALONE, TAUGHT = TeacherSettings(), TeacherSettings(("models/a",), 0.5)
OWN = LossSettings(name="own")


def check(
    loss: LossSettings, kind: str = "linear", critic: int = 0, teacher: TeacherSettings = ALONE
) -> None:
    check_loss(loss, make_head(HeadSettings(kind=kind, width=8, critic=critic), WIDTH, LABELS), teacher)


def refusal(loss: LossSettings, kind: str, critic: int = 0, teacher: TeacherSettings = ALONE) -> str:
    with pytest.raises(UsageError) as caught:
        check(loss, kind, critic, teacher)
    return str(caught.value)


def test_concepts_without_vectors_are_refused() -> None:
    settings = LossSettings(name="contrastive", concept_concept=0.5)
    assert refusal(settings, "linear") == (
        "[loss] concept_concept is 0.5, and the head has no vectors of concepts to compare."
        ' Set [head] kind = "label-embedding", or concept_concept = 0.'
    )
    check(LossSettings(name="contrastive"))
    check(LossSettings(concept_concept=0.5))
    check(settings, "label-embedding")


def test_a_head_without_a_loss_of_its_own_is_refused() -> None:
    told = refusal(OWN, "linear")
    assert re.match(r'\[loss\] name is "own", and the head has no loss of its own. Set \[head\]', told)
    check(OWN, critic=4)


@pytest.mark.parametrize(("kind", "critic"), [("sequence", 0), ("linear", 4)])
def test_labels_that_a_loss_never_smooths_are_refused(kind: str, critic: int) -> None:
    assert refusal(LossSettings(name="own", smoothing=0.1), kind, critic) == (
        '[loss] smoothing is 0.1, and the loss "own" has no labels to smooth.'
        " Set smoothing = 0, or another loss."
    )
    check(LossSettings(smoothing=0.1), critic=4)


@pytest.mark.parametrize("name", sorted({*LOSSES.names} - {"own"}))
def test_lists_are_learnt_by_their_own_loss_alone(name: str) -> None:
    assert refusal(LossSettings(name=name), "sequence") == (
        f'[loss] name is "{name}", and a head that writes lists learns by its own loss alone.'
        ' Set [loss] name = "own", or another [head] kind.'
    )


def test_lists_have_neither_critic_nor_teacher() -> None:
    check(OWN, "sequence")
    assert refusal(OWN, "sequence", critic=4).startswith(
        "[head] critic looks at a probability of each label, and a head that writes lists has none"
    )
    assert refusal(OWN, "sequence", teacher=TAUGHT).startswith(
        "[teacher] answers with a probability of each label, and a head that writes lists learns from lists."
    )


@pytest.mark.parametrize("kind", sorted({*HEADS.names} - {"sequence"}))
def test_every_other_head_has_all_of_them(kind: str) -> None:
    check(LossSettings(smoothing=0.1), kind, 4, TAUGHT)


def test_nothing_of_the_catalogue_is_refused() -> None:
    checked = 0
    for system in systems():
        if isinstance(system, ConceptSystem):
            for one in (system, *system.member):
                check_loss(one.loss, make_head(one.head, WIDTH, LABELS), one.teacher)
                checked += one.head.kind == "sequence"
    assert checked
