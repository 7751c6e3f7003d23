"""Which members an ensemble takes and what they weigh, and what such an ensemble is worth.

Invariant: an image that is reported on had no say in what answers it: for each fold, members, weights,
calibration, rule and rescue come from the other folds. What is kept for use is chosen on all images.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.detection.calibration import fit_calibration
from radcap.detection.decisions import fit_rule
from radcap.detection.decisions.crossfit import fold_of_each
from radcap.detection.decisions.rescue import fit_rescue
from radcap.detection.ensembles import combine, fitted, search_subsets
from radcap.detection.examples import label_matrix
from radcap.detection.models.answers import Answers
from radcap.detection.models.counting import mean_counts
from radcap.detection.models.ensemble_model import EnsembleModel

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Ints
    from radcap.detection.ensembles import Aligned, Ensemble
    from radcap.detection.system import ConceptSystem
    from radcap.detection.training.held_joint import HeldAnswers
    from radcap.detection.training.judging import Judged

__all__ = ["choose", "is_chosen", "judge_choices"]

Floats: TypeAlias = NDArray[np.float32]

_FOLDS = 5


def is_chosen(ensemble: Ensemble) -> bool:
    """Whether held-out images have a say in who the members are, or in what they weigh."""
    return ensemble.search != "none" or (ensemble.rule == "weighted" and not ensemble.weights)


def choose(system: ConceptSystem, told: HeldAnswers) -> ConceptSystem:
    """The system with the members and the weights that serve best, where it asks for them."""
    if not is_chosen(system.ensemble):
        return system
    joined = told.joined(system)
    truth = told.truth(joined)
    if system.ensemble.search == "none":
        return replace(system, ensemble=fitted(system.ensemble, joined.values, truth))
    best = search_subsets(system.ensemble, joined.values, truth, joined.names).best
    members = tuple(one for one in system.member if one.name in best.members)
    return replace(system, member=members, ensemble=replace(system.ensemble, search="none"))


def judge_choices(system: ConceptSystem, told: HeldAnswers, judged: Judged) -> Judged:
    """What the system is worth that chooses; `judged` is what it chose on all images, for use.

    Labels are those of all members, since a fold may choose others than all images do.
    """
    joined = told.joined(system)
    truth, groups, seed = told.truth(joined), told.groups(joined), system.train.seed
    folds = fold_of_each(len(truth), groups, _FOLDS, seed)
    decided, probabilities = _by_folds(system, told, joined, folds)
    crossed = judged.crossed
    if crossed is not None:
        crossed = replace(crossed, probabilities=probabilities, folds=folds)
        crossed = crossed.redecided(decided, truth, groups, seed=seed)
    return replace(judged, answers=Answers(joined.ids, joined.labels, decided), crossed=crossed)


def _by_folds(system: ConceptSystem, told: HeldAnswers, joined: Aligned, folds: Ints) -> tuple[Bools, Floats]:
    """Decisions, and probabilities where there are some; a label that a fold does not choose has none."""
    shape = (len(joined.ids), len(joined.labels))
    decided, probabilities = np.zeros(shape, np.bool_), np.zeros(shape, np.float32)
    row, column = ({one: place for place, one in enumerate(some)} for some in (joined.ids, joined.labels))
    for fold in np.unique(folds).tolist():
        inside = {joined.ids[place] for place in np.flatnonzero(folds == fold).tolist()}
        found = _answered(system, told.about(row.keys() - inside), told.about(inside))
        cells = np.ix_([row[one] for one in found.ids], [column[one] for one in found.labels])
        decided[cells] = found.decided
        if found.probabilities is not None:
            probabilities[cells] = found.probabilities
    return decided, probabilities


def _answered(system: ConceptSystem, outside: HeldAnswers, inside: HeldAnswers) -> Answers:
    """What is answered to images by what was chosen and fitted on others."""
    best = choose(system, outside)
    chosen = {one.name: inside.answers[one.name] for one in best.member}
    return _model(best, outside).joined(chosen)


def _model(system: ConceptSystem, told: HeldAnswers) -> EnsembleModel:
    """The model that follows from answers of members that were chosen; it needs none to join others."""
    joined = told.joined(system)
    truth, counts = told.truth(joined), mean_counts(joined.ids, told.of_members(joined))
    rescue = None if system.rescue is None or counts is None else fit_rescue(system.rescue, counts, truth)
    plain = EnsembleModel({}, system.ensemble, joined.labels, {}, rescue=rescue)
    values = combine(system.ensemble, joined.values, joined.names)
    if values.dtype == np.bool_:
        return plain
    logits = values.astype(np.float32)
    calibrator = fit_calibration(system.calibration, logits, truth, joined.labels)
    known = label_matrix(told.learnt, joined.labels)
    rule = fit_rule(system.decision, calibrator(logits), truth, joined.labels, train_truth=known)
    return replace(plain, calibrator=calibrator, rule=rule)
