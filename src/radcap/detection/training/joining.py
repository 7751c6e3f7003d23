"""From trained members to an ensemble: which of them, with what weight, and what is fitted on their answers.

Invariant: joining uses only what members said about images they did not learn from, and what the card says
of an image comes from choices that it had no say in.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import UsageError
from radcap.detection.decisions import cross_fit
from radcap.detection.ensembles import combine, ensemble_rule, search_subsets
from radcap.detection.ensembles.reach import check_labels
from radcap.detection.examples import label_matrix
from radcap.detection.models.answers import Answers
from radcap.detection.models.counting import mean_counts
from radcap.detection.models.ensemble_model import voted_scores
from radcap.detection.training.cards import model_card
from radcap.detection.training.choosing import choose, is_chosen, judge_choices
from radcap.detection.training.held_joint import HeldAnswers
from radcap.detection.training.judging import Judged
from radcap.detection.training.rescuing import check_rescue, rescue_judged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.datasets import Dataset
    from radcap.detection.models.folder import ModelFolder
    from radcap.detection.system import ConceptSystem
    from radcap.detection.talk import Talk
    from radcap.detection.training.parts import Parts

__all__ = ["check_joining", "join"]


def check_joining(system: ConceptSystem, parts: Mapping[str, Parts]) -> None:
    """Refuse what would fail after the members were trained."""
    ensemble = system.ensemble
    check_rescue(system, parts)
    if not system.member:
        return
    check_labels(ensemble, {name: one.labels for name, one in parts.items()})
    if ensemble.search == "subsets":
        names = tuple(one.name for one in system.member)
        over = ensemble_rule(ensemble.rule).over
        nothing = np.zeros((len(names), 1, 1), np.bool_ if over == "decisions" else np.float32)
        search_subsets(ensemble, nothing, np.zeros((1, 1), np.bool_), names)
    splits = {one.data.held for one in (system, *system.member)}
    if len(splits) > 1:
        raise UsageError(
            f"The members hold out different splits: {', '.join(sorted(splits))}. They are joined on one:"
            " write the same [data] held in all."
        )
    if is_chosen(ensemble) and any(one.held is None for one in parts.values()):
        raise UsageError(
            f"[ensemble] is fitted on the split {system.data.held!r}, and there is none."
            " Write weights and no search, or give a dataset with that split."
        )


def join(
    system: ConceptSystem,
    dataset: Dataset,
    folder: ModelFolder,
    told: Mapping[str, Answers | None],
    talk: Talk,
) -> None:
    """Fit what joins the members on what they said about the held-out images, and write the folder."""
    known = {name: one for name, one in told.items() if one is not None}
    if not known:  # nothing was held out
        _write(system, dataset, folder, None, None)
        return
    held = HeldAnswers.of(system, dataset, known)
    best = choose(system, held)
    _tell(system, best, talk)
    judged = _judged(best, held)
    reported = judge_choices(system, held, judged) if is_chosen(system.ensemble) else judged
    _write(best, dataset, folder, judged, reported)


def _tell(system: ConceptSystem, best: ConceptSystem, talk: Talk) -> None:
    """What was chosen."""
    if system.ensemble.search != "none":
        talk.tell(f"Best members: {', '.join(one.name for one in best.member)}")
    if best.ensemble.weights != system.ensemble.weights:
        talk.tell(f"Weights: {', '.join(f'{one:.3f}' for one in best.ensemble.weights)}")


def _judged(system: ConceptSystem, held: HeldAnswers) -> Judged:
    joined = held.joined(system)
    values, told = combine(system.ensemble, joined.values, joined.names), held.of_members(joined)
    truth, groups = held.truth(joined), held.groups(joined)
    answers = Answers(joined.ids, joined.labels, values, counts=mean_counts(joined.ids, told))
    if values.dtype == np.bool_:
        likely = values if system.rescue is None else voted_scores(joined, told)
        return rescue_judged(system, Judged(answers, held.images), likely, truth, groups)
    logits = values.astype(np.float32)
    crossed = cross_fit(
        system.calibration,
        system.decision,
        logits,
        truth,
        joined.labels,
        groups,
        seed=system.train.seed,
        train_truth=label_matrix(held.learnt, joined.labels),
    )
    answers = replace(answers, decided=crossed.decided, logits=logits, probabilities=crossed.probabilities)
    judged = Judged(answers, held.images, crossed)
    return rescue_judged(system, judged, crossed.probabilities, truth, groups)


def _write(
    system: ConceptSystem,
    dataset: Dataset,
    folder: ModelFolder,
    judged: Judged | None,
    reported: Judged | None,
) -> None:
    """`judged` has what is for use, `reported` what the card says of it."""
    cards = {one.name: folder.member(one.name).card() for one in system.member}
    labels = judged.answers.labels if judged is not None else _all_labels(system, folder)
    folder.write_system(system)
    folder.write_labels(labels, dataset.names)
    folder.write_decision(*(None, None, None) if judged is None else (*judged.fitted, judged.rescue))
    stopped = [card["training"]["stopped"] for card in cards.values()]
    facts: dict[str, Any] = {
        "members": {name: card["held_out"] for name, card in cards.items()},
        "training": {"stopped": "no number" if "no number" in stopped else "epochs"},
    }
    folder.write_card(model_card(system, labels, facts, reported))
    _forget_others(system, folder)
    shutil.rmtree(folder.training, ignore_errors=True)


def _all_labels(system: ConceptSystem, folder: ModelFolder) -> tuple[str, ...]:
    """In the order in which answers are aligned."""
    return tuple(dict.fromkeys(cui for one in system.member for cui in folder.member(one.name).labels()))


def _forget_others(system: ConceptSystem, folder: ModelFolder) -> None:
    """Members that a search left out answer nothing, so their weights need not lie there."""
    kept = {folder.member(one.name).path for one in system.member}
    for path in (folder.path / "members").iterdir():
        if path not in kept:
            shutil.rmtree(path)
