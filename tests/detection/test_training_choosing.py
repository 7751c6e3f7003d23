"""What ensembles are worth whose members or weights were chosen: images that are reported on had no say."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training_samples import drawn, member, tiny, trained

from radcap.datasets.columns import make_table
from radcap.detection.calibration import fit_calibration
from radcap.detection.decisions import Decision, Rescue, fit_rule, sample_f1
from radcap.detection.decisions.crossfit import fold_of_each
from radcap.detection.decisions.rescue import fit_rescue
from radcap.detection.ensembles import Ensemble, combine, fit_weights, search_subsets
from radcap.detection.examples import label_matrix
from radcap.detection.models.answers import Answers
from radcap.detection.system import DataSettings
from radcap.detection.training.choosing import choose, is_chosen, judge_choices
from radcap.detection.training.held_joint import HeldAnswers
from radcap.detection.training.joining import _judged

NAMES = tuple("abcdefgh")
SEARCHED: dict[str, Any] = {"search": "subsets"}
WAYS = [
    Ensemble("union", **SEARCHED),
    Ensemble("votes", votes=2, **SEARCHED),
    Ensemble("mean-logit", threshold=-1.0, **SEARCHED),
    Ensemble("weighted"),
]


def system(ensemble: Ensemble, **given: Any) -> Any:
    members = tuple(member(name) for name in NAMES)
    return tiny("many", member=members, ensemble=ensemble, decision=Decision("global"), **given)


@cache
def labels() -> tuple[str, ...]:
    return tuple(sorted({cui for cuis in drawn(300).column("cui").to_pylist() for cui in cuis})[:12])


def told(signal: float, seed: int = 0) -> HeldAnswers:
    """Members that see something of the truth, each over an order of its own; counts are near to it."""
    draw, images = np.random.default_rng(seed), drawn(300).split("train")
    truth = label_matrix(images, labels())
    answers: dict[str, Answers] = {}
    for name in NAMES:
        order = draw.permutation(len(images))
        logits = signal * np.where(truth, 1, -1) + draw.normal(-1, 1.5, truth.shape)
        counts = (truth.sum(axis=1) + draw.normal(0, 0.5, len(truth))).astype(np.float32)
        ids = tuple(images.ids[row] for row in order)
        scores = logits[order].astype(np.float32)
        answers[name] = Answers(ids, labels(), scores > 0, scores, counts=counts[order])
    return HeldAnswers(answers, images, images)


def reported(one: Any, held: HeldAnswers) -> Any:
    return judge_choices(one, held, _judged(choose(one, held), held))


@pytest.mark.parametrize("ensemble", WAYS, ids=lambda one: one.rule)
@pytest.mark.parametrize("rescue", [None, Rescue(0.5)])
def test_what_is_reported_is_chosen_and_fitted_within_folds(ensemble: Ensemble, rescue: Any) -> None:
    """Written out over arrays, fold by fold."""
    one, held = system(ensemble, rescue=rescue), told(0.5)
    joined = held.joined(one)
    truth, folds = held.truth(joined), fold_of_each(len(joined.ids), held.groups(joined), 5, 0)
    wanted, likely = np.zeros_like(truth), np.zeros(truth.shape)
    place = {name: {image: row for row, image in enumerate(held.answers[name].ids)} for name in NAMES}

    def of(name: str, what: str) -> Any:
        return getattr(held.answers[name], what)[[place[name][image] for image in joined.ids]]

    for fold in range(5):
        inside, outside = folds == fold, folds != fold
        rule, names = ensemble, NAMES
        if ensemble.search == "subsets":
            names = search_subsets(ensemble, joined.values[:, outside], truth[outside], NAMES).best.members
        else:
            rule = replace(
                ensemble, weights=fit_weights(joined.values[:, outside], truth[outside], "sample-f1")
            )
        values = joined.values[[NAMES.index(name) for name in names]]
        scores = combine(rule, values, names)
        if scores.dtype == np.bool_:
            decided = scores[inside]
            chances = [1 / (1 + np.exp(-of(name, "logits").astype(np.float64))) for name in names]
            ranked = (values.sum(axis=0) + np.mean(chances, axis=0))[inside]
        else:
            calibrator = fit_calibration(one.calibration, scores[outside], truth[outside], labels())
            cut = fit_rule(
                one.decision, calibrator(scores[outside]), truth[outside], labels(), train_truth=truth
            )
            ranked = likely[inside] = calibrator(scores[inside])
            decided = cut(ranked)
        if rescue is not None:
            counts = np.stack([of(name, "counts") for name in names]).mean(axis=0, dtype=np.float32)
            decided = fit_rescue(rescue, counts[outside], truth[outside])(decided, ranked, counts[inside])
        wanted[inside] = decided
    found = reported(one, held)
    np.testing.assert_array_equal(found.answers.decided, wanted)
    if found.crossed is not None:
        np.testing.assert_allclose(found.crossed.probabilities, likely, rtol=1e-5)
        np.testing.assert_array_equal(found.crossed.decided, wanted)
        np.testing.assert_array_equal(found.crossed.f1, sample_f1(wanted, truth))
        assert found.crossed.interval.low < found.crossed.mean < found.crossed.interval.high


@pytest.mark.parametrize("ensemble", WAYS, ids=lambda one: one.rule)
def test_an_image_has_no_say_in_what_it_is_answered(ensemble: Ensemble) -> None:
    one, held = system(ensemble, rescue=Rescue(0.5)), told(0.5)
    joined = held.joined(one)
    inside = fold_of_each(len(joined.ids), held.groups(joined), 5, 0) == 2
    turned = {image for image, is_inside in zip(joined.ids, inside.tolist(), strict=True) if is_inside}
    cells = held.images.column("cui").to_pylist()
    other = [
        sorted(set(labels()) - set(cuis)) if image in turned else cuis
        for image, cuis in zip(held.images.ids, cells, strict=True)
    ]
    columns = {name: held.images.table.column(name) for name in held.images.table.column_names}
    images = replace(held.images, table=make_table({**columns, "cui": other}, len(other)))
    before, after = (reported(one, some).answers.decided for some in (held, replace(held, images=images)))
    np.testing.assert_array_equal(before[inside], after[inside])
    assert (before[~inside] != after[~inside]).any()  # they have a say in the others


def test_the_best_of_members_that_know_nothing_is_not_reported_as_good() -> None:
    one, chosen, found = system(Ensemble("votes", votes=2, **SEARCHED)), list[float](), list[float]()
    for seed in range(12):
        held = told(0.0, seed)
        best = choose(one, held)
        joined, truth = held.joined(best), held.truth(held.joined(one))
        decided = combine(best.ensemble, joined.values, joined.names)
        chosen.append(float(sample_f1(decided, truth).mean()))
        found.append(float(sample_f1(reported(one, held).answers.decided, truth).mean()))
    assert np.mean(found) < np.mean(chosen) - 2 * np.std(np.subtract(chosen, found)) / len(found) ** 0.5


def test_members_that_few_folds_choose_keep_their_labels(tmp_path: Path) -> None:
    """A fold may choose members whose labels the final choice has not: the card is over all of them."""
    short = member("few", data=DataSettings(top=2))
    ensemble = Ensemble("mean-logit", search="subsets", threshold=-2.0)
    one = tiny("some", member=(member("a"), short), ensemble=ensemble)
    folder = trained(one, tmp_path / "m")
    figures = folder.card()["held_out"]
    assert figures["n"] == len(drawn().split("valid"))
    assert figures["cross_fitted"]["n"] == figures["n"]
    assert 0 <= figures["f1"] <= 1


def test_what_is_given_is_not_chosen() -> None:
    assert [is_chosen(one) for one in WAYS] == [True] * 4
    given = (Ensemble("weighted", weights=(1.0, 2.0)), Ensemble("union"), Ensemble())
    assert [is_chosen(one) for one in given] == [False] * 3
    one = system(Ensemble())
    assert choose(one, told(1.0)) is one
