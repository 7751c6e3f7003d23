"""What detectors said of an image: one network, neighbours, and several networks together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from explain_model_samples import (
    CHEST,
    EFFUSION,
    NAMES,
    PNEUMONIA,
    TRUTH,
    XRAY,
    detector,
    index,
    retrieving,
    some_images,
)

from radcap.captioning.models.plain_models import FrequentModel
from radcap.captioning.settings import PostSettings
from radcap.core import UsageError
from radcap.detection.ensembles import ENSEMBLES, Ensemble
from radcap.detection.models.answers import Answers
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.text.model import TextModel
from radcap.explanation.lenses.neighbour_lens import NeighbourLens
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.mapping import MethodChoice, mapped
from radcap.explanation.subjects.concept_subjects import ConceptVoices, localisable, voices_of
from radcap.explanation.subjects.opening import Photo, check_explainable, labels_of, subject_of
from radcap.explanation.subjects.wanted import Wanted, wanted_from
from radcap.explanation.targets import Concept, Contrast, Neighbour
from radcap.explanation.values import Kind

RULES = {
    "weighted": {"weights": (0.75, 0.25)},
    "votes": {"votes": 1},
    "partial-intersection": {"expression": "a | b"},
}


def photo(place: int = 1) -> Photo:
    data = some_images()
    return Photo.of(data.ids[place], data.image(place), place)


def asked(model: Any, *texts: str, place: int = 1) -> Any:
    return subject_of(model, model.answers(some_images()), photo(place), wanted_from(texts))


def ensemble(rule: str = "mean-logit", b=None, **more) -> EnsembleModel:
    """Two members of different sizes; only the first knows the effusion, only the second the modality."""
    members = {
        "a": detector(seed=1, labels=(CHEST, PNEUMONIA, EFFUSION), bias=1.0),
        "b": b or detector(seed=2, size=48, labels=(XRAY, CHEST, PNEUMONIA), bias=0.5),
    }
    labels = tuple(dict.fromkeys(cui for one in members.values() for cui in one.labels))
    made = Ensemble(rule, **(RULES.get(rule, {}) | more))
    return EnsembleModel(members, made, labels, {cui: NAMES[cui] for cui in labels})


def test_the_concepts_of_a_network_the_most_probable_first():
    model = detector()
    answers = model.answers(some_images())
    subject = asked(model)
    assert subject.image == some_images().ids[1]
    assert [one.cui for one in subject.statements] == answers.concepts()[1]
    assert (subject.caption, subject.neighbours, subject.notes) == ("", (), ())
    assert subject.picture.shape == (32, 32, 3)
    for one in subject.statements:
        assert one.kind is Kind.CONCEPT
        assert one.key == one.cui
        assert one.label == NAMES[one.cui]
        assert one.target == Concept(one.cui)
        ((lens, share),) = one.voices
        assert share == 1
        assert [(path.lens, path.share, path.name) for path in one.paths] == [(lens, 1, "the image itself")]
        # the lens decides as the model did
        chance = float(lens.chances(lens.pixels, [one.target]))
        assert one.probability == pytest.approx(chance, abs=1e-5)
    notes = {one.cui: (one.localisable, one.note) for one in subject.statements}
    assert notes[PNEUMONIA] == (True, "")
    assert not notes[XRAY][0]
    assert "The modality belongs to the whole image" in notes[XRAY][1]
    assert localisable("C0205131", "Axial")[1].startswith("The plane belongs")
    lens = subject.statements[0].voices[0][0]
    np.testing.assert_allclose(subject.vector, model.network.embed(lens.pixels)[0].detach(), atol=1e-6)


def test_single_concepts_and_what_was_not_decided_for():
    subject = asked(detector(bias=-3.0), "pneumonia", XRAY.lower())
    assert [one.cui for one in subject.statements] == [PNEUMONIA, XRAY]
    assert all("did not decide for it" in one.note for one in subject.statements)
    assert subject.statements[1].note.endswith("and no place.")
    assert subject.statements[0].probability == pytest.approx(0.05, abs=0.05)
    assert asked(detector(bias=-3.0)).statements == ()
    with pytest.raises(UsageError, match="Nearest is 'C0032285'"):
        asked(detector(), "C0032284")


def test_why_one_and_not_another():
    (one,) = asked(detector(), f"{PNEUMONIA}:chest").statements
    assert (one.kind, one.key) == (Kind.CONTRAST, f"{PNEUMONIA}-{CHEST}")
    assert one.label == "Pneumonia rather than Chest"
    assert one.target == Contrast(Concept(PNEUMONIA), Concept(CHEST))
    assert [path.target for path in one.paths] == [one.target]
    with pytest.raises(UsageError, match="Nearest is 'Chest'"):
        asked(detector(), f"{PNEUMONIA}:chets")


def test_a_concept_without_a_name_is_its_code():
    model = detector()
    (one,) = asked(replace(model, names={**NAMES, PNEUMONIA: ""}), PNEUMONIA).statements
    assert one.label == PNEUMONIA


@pytest.mark.parametrize("rule", ["weighted", "mean-at-k"])
def test_neighbours_answer_in_place_of_a_head(rule):
    model = retrieving(rule)
    answers = model.answers(some_images())
    subject = asked(model)
    assert [one.image for one in map(photo, range(3))] == list(answers.ids)
    concepts = [one for one in subject.statements if one.kind is Kind.CONCEPT]
    assert [one.cui for one in concepts] == answers.concepts()[1]
    near = [one for one in subject.statements if one.kind is Kind.NEIGHBOUR]
    lens = near[0].voices[0][0]
    assert isinstance(lens, NeighbourLens)
    assert [one.key for one in near] == ["neighbour-1", "neighbour-2", "neighbour-3"]
    assert [one.target for one in near] == [Neighbour(place) for place in lens.near]
    assert near[0].label == f"like train-{lens.near[0]}"
    scores = lens.scores(lens.backbone(lens.pixels), [one.target for one in near])[0].tolist()
    assert [image for image, _ in subject.neighbours] == [f"train-{place}" for place in lens.near]
    np.testing.assert_allclose([likeness for _, likeness in subject.neighbours], scores, atol=1e-5)
    known = [one.probability is not None for one in concepts]
    assert all(known) if rule == "weighted" else not any(known)
    assert len(asked(model, "neighbours").statements) == 3
    assert asked(retrieving(k=1), "neighbours").neighbours == subject.neighbours[:1]


def test_what_no_neighbour_has_cannot_be_shown():
    model = retrieving()
    (one,) = asked(model, EFFUSION).statements
    assert (one.paths, one.voices) == ((), ())
    assert one.note.startswith("No neighbour of the image has it")
    for pair in (f"{CHEST}:{EFFUSION}", f"{EFFUSION}:{CHEST}"):
        (one,) = asked(model, pair).statements
        assert (one.paths, one.voices) == ((), ())
        assert one.note.startswith("The neighbours of the image do not have both")


@pytest.mark.parametrize("rule", ENSEMBLES.names)
def test_members_share_what_they_said_together(rule):
    model = ensemble(rule)
    answers = model.answers(some_images())
    subject = asked(model)
    assert [one.cui for one in subject.statements] == answers.concepts()[1]
    assert subject.vector is None
    for one in subject.statements:
        assert sum(path.share for path in one.paths) == pytest.approx(1)
        assert {path.name for path in one.paths} <= {"the member a", "the member b"}
        knowing = {f"the member {name}" for name, each in model.members.items() if one.cui in each.labels}
        assert {path.name for path in one.paths} <= knowing
    found = mapped(subject.statements, MethodChoice("hires-cam"), 32, 32)
    assert all(one.map is not None for one in found)


def test_the_shares_of_a_mean_are_the_parts_of_the_sum():
    model = ensemble("weighted")
    subject = asked(model, PNEUMONIA)
    told: dict[str, Any] = {name: one.answers(some_images()) for name, one in model.members.items()}
    logits = {name: float(one.logits[1, one.labels.index(PNEUMONIA)]) for name, one in told.items()}
    parts = {"the member a": 0.75 * logits["a"], "the member b": 0.25 * logits["b"]}
    assert all(value > 0 for value in parts.values())
    found = {path.name: path.share for path in subject.statements[0].paths}
    for name, value in parts.items():
        assert found[name] == pytest.approx(value / sum(parts.values()), abs=1e-4)
    sizes = {path.lens.pixels.shape[-1] for path in subject.statements[0].paths}
    assert sizes == {24, 48}


def test_only_members_that_know_both_hold_them_apart():
    model = ensemble()
    both = asked(model, f"{PNEUMONIA}:{EFFUSION}", f"{PNEUMONIA}:{CHEST}").statements
    assert [[path.name for path in one.paths] for one in both] == [
        ["the member a"],
        ["the member a", "the member b"],
    ]
    assert [sum(path.share for path in one.paths) for one in both] == pytest.approx([1, 1])
    assert all(one.map is not None for one in mapped(both, MethodChoice("hires-cam"), 32, 32))
    with pytest.raises(UsageError, match="does not know"):
        asked(model, f"{EFFUSION}:{XRAY}")


@pytest.mark.parametrize("rule", ["weighted", "mean-at-k"])
def test_a_member_may_answer_by_neighbours(rule):
    model = ensemble("union", retrieving(rule))
    subject = asked(model)
    kinds = {type(path.lens) for one in subject.statements for path in one.paths}
    assert kinds == {NetworkLens, NeighbourLens}
    assert len(subject.neighbours) == 3
    assert [one.key for one in subject.statements][-3:] == [f"neighbour-{number}" for number in (1, 2, 3)]
    scored = asked(ensemble("mean-logit", retrieving(rule)), CHEST)
    assert scored.statements[0].paths


def test_two_members_with_neighbours_have_names_of_their_own():
    members = {"a": retrieving(), "b": retrieving(seed=5)}
    model = EnsembleModel(members, Ensemble("union"), tuple(NAMES), NAMES)
    keys = [one.key for one in asked(model, "neighbours").statements]
    assert keys == [f"neighbour-{number}" for number in range(1, 7)]


def test_voices_have_no_paths_where_nobody_has_a_share():
    lens = voices_of(detector(), photo().data, photo().name).lenses[0]
    voices = ConceptVoices((lens,), ("",), np.zeros((1, 4)), NAMES)
    assert voices.paths(Concept(CHEST), CHEST) == ()
    assert index().tags.counts.tolist() == TRUTH.sum(axis=1).tolist()


def test_models_that_do_not_look_are_refused():
    frequent = FrequentModel("Chest radiograph.", PostSettings())
    with pytest.raises(UsageError, match="looks at none"):
        check_explainable(frequent)
    check_explainable(detector())
    assert labels_of(frequent) == {}


def test_answers_that_lead_to_no_place_are_refused():
    told: Any = mock.Mock(spec=TextModel, labels=(CHEST,))
    for model in (told, EnsembleModel({"a": detector(), "b": told}, Ensemble("union"), (CHEST,), NAMES)):
        with pytest.raises(UsageError, match="by way of words"):
            check_explainable(model)
    classic = detector(learner=mock.Mock())
    for model in (classic, ensemble(b=classic)):
        with pytest.raises(UsageError, match="A classic model"):
            check_explainable(model)


def test_labels_of_an_ensemble_have_their_names():
    assert labels_of(ensemble())[PNEUMONIA] == "Pneumonia"


def test_what_is_wanted_of_answers_without_probabilities():
    model = detector()
    decided = np.array([[False, True, True, False]])
    answers = Answers((photo(0).image,), model.labels, decided)
    subject = subject_of(model, answers, photo(0), Wanted())
    assert [(one.cui, one.probability) for one in subject.statements] == [(CHEST, None), (PNEUMONIA, None)]
