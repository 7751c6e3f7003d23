"""Code ensembles: neighbours, learners and heads over the features of several networks, end to end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from training_samples import Heard, drawn, predict_concepts, tiny, trained, whole

from radcap.core import InputError, UsageError
from radcap.detection.learners import Learner
from radcap.detection.models import open_model
from radcap.detection.retrieval import NeighbourIndex, Retrieval
from radcap.detection.system_reading import system_toml
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.scales import SCALES
from radcap.vision.settings import BackboneSettings, TrainSettings
from radcap.vision.weight_files import read_weight_file

NEVER = TrainSettings(epochs=0, batch=16)
WORDS = BackboneSettings(name="visual-words", words=12)
COLOURS = BackboneSettings(name="colour-tree", words=8)


def both(*parts: BackboneSettings, **more) -> BackboneSettings:
    return BackboneSettings(name="joined", part=parts or (WORDS, COLOURS), **{"frozen": True, **more})


def answers(folder):
    return predict_concepts(folder.path, drawn(), split="test")


def test_neighbours_by_joined_codes_are_those_of_the_mean_cosine(tmp_path):
    """What the model says of an image is what the votes say under the mean of the parts' own cosines."""
    near = Retrieval(rule="mean-at-k", k=5)
    folder = trained(tiny(backbone=both(), train=NEVER, retrieval=near), tmp_path / "both")
    index = open_model(folder.path).index  # pyright: ignore[reportAttributeAccessIssue]
    assert isinstance(index, NeighbourIndex)
    vectors = np.asarray(index.vectors, np.float64)
    width = WORDS.words * 5
    parts = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in np.split(vectors, [width], 1)]
    mean = sum(part @ part.T for part in parts) / 2
    np.testing.assert_allclose(vectors @ vectors.T, mean, atol=2e-3)  # kept in half precision


@pytest.mark.parametrize("kind", ["logistic", "forest"])
def test_a_learner_over_the_features_of_all(tmp_path, kind):
    """SSN_MLRG 2023 joins the features of three networks for its trees."""
    learner = Learner(kind=kind, trees=3, depth=3)
    told = answers(trained(tiny(backbone=both(), train=NEVER, learner=learner), tmp_path / "both"))
    assert told.logits is not None
    assert told.logits.std(axis=0).max() > 0


def test_a_head_over_all_of_them_and_what_is_stored(tmp_path):
    folder = trained(tiny(backbone=both()), tmp_path / "one")
    again = trained(tiny(backbone=both()), tmp_path / "two")
    assert folder.weights.read_bytes() == again.weights.read_bytes()
    assert folder.system().backbone == both()
    assert np.array_equal(answers(folder).decided, answers(again).decided)
    assert folder.card()["training"]["epochs"] == 2


def test_networks_that_learn_together(tmp_path):
    parts = [BackboneSettings(name=name, width=4) for name in ("residual-scales", "auto-encoder")]
    folder = trained(whole(backbone=both(*parts, frozen=False)), tmp_path / "whole")
    assert answers(folder).logits is not None


def test_the_codes_of_models_that_were_trained_before(tmp_path):
    """A part begins with the backbone of a model folder; nothing of it is learnt anew."""
    first = trained(tiny(backbone=replace(WORDS, frozen=True)), tmp_path / "words")
    parts = (replace(WORDS, weights=str(first.path)), COLOURS)
    folder = trained(tiny(backbone=both(*parts), train=replace(NEVER, seed=9)), tmp_path / "both")
    ours, theirs = read_weight_file(folder.weights), read_weight_file(first.weights)
    name = "backbone.body.codebook"
    assert bool((ours["backbone.body.parts.0.body.codebook"] == theirs[name]).all())
    first.path.rename(tmp_path / "moved")  # a trained model needs it no more
    assert answers(folder).logits is not None


def test_an_ensemble_is_no_part_and_another_network_does_not_fit(tmp_path):
    from training_samples import member

    pair = trained(tiny("pair", member=(member("a"), member("b", 1))), tmp_path / "pair")
    with pytest.raises(UsageError, match=r"an ensemble\. Name one of its members"):
        trained(tiny(backbone=both(BackboneSettings(weights=str(pair.path)), COLOURS)), tmp_path / "x")
    one = trained(tiny(backbone=replace(WORDS, frozen=True)), tmp_path / "one")
    with pytest.raises(InputError, match="does not fit the backbone"):
        trained(tiny(backbone=both(WORDS, replace(COLOURS, weights=str(one.path)))), tmp_path / "y")


def test_training_goes_on_from_a_joined_model(tmp_path):
    first = trained(tiny(backbone=both()), tmp_path / "first")
    heard = Heard()
    begun = tiny(backbone=both(weights=str(first.path)), train=replace(NEVER, seed=4))
    second = trained(begun, tmp_path / "second", talk=heard.talk)
    assert heard.has(f"Begins with the whole of {first.path}")
    one, two = read_weight_file(first.weights), read_weight_file(second.weights)
    assert all(bool((one[name] == two[name]).all()) for name in one)


def test_parts_have_stand_ins_on_a_board_and_keep_what_can_be_had():
    published = tuple(BackboneSettings(name=f"densenet{n}.tv_in1k", weights="timm") for n in (121, 201))
    system = tiny(backbone=both(*published, WORDS, frozen=False))
    fitted = fit_system(system, SCALES["small"])
    names = [(one.name, one.weights) for one in fitted.system.backbone.part]
    assert names == [
        ("tf_efficientnet_lite1", "package"),
        ("tf_efficientnet_lite2", "package"),
        ("visual-words", "none"),
    ]
    assert fitted.system.backbone.frozen
    assert "Lite1 for densenet121" in fitted.changes
    assert "frozen" in fitted.changes
    packaged = tiny(backbone=both(*(replace(one, weights="package") for one in (BackboneSettings(),) * 2)))
    assert fit_system(packaged, SCALES["large"]).system.backbone == packaged.backbone


def test_a_file_says_its_parts_as_arrays_of_tables():
    assert "[[backbone.part]]" in system_toml(tiny(backbone=both()))
