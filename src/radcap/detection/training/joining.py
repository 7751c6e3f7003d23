"""From trained members to an ensemble: which of them, with what weight, and what is fitted on their answers.

Invariant: joining uses only what members said about images they did not learn from.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import UsageError
from radcap.detection.decisions import cross_fit
from radcap.detection.ensembles import combine, ensemble_rule, fitted, search_subsets
from radcap.detection.ensembles.reach import check_labels
from radcap.detection.examples import groups_of, label_matrix, learnable
from radcap.detection.models.answers import Answers
from radcap.detection.models.counting import mean_counts
from radcap.detection.models.ensemble_model import aligned_answers, voted_scores
from radcap.detection.training.cards import model_card
from radcap.detection.training.judging import Judged
from radcap.detection.training.rescuing import check_rescue, rescue_judged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.ensembles import Aligned
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
    is_fitted = ensemble.search != "none" or (ensemble.rule == "weighted" and not ensemble.weights)
    if is_fitted and any(one.held is None for one in parts.values()):
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
        _write(system, dataset, folder, None)
        return
    system = _best_members(system, dataset, known, talk)
    joined, held = _aligned(system, dataset, known)
    truth = label_matrix(held, joined.labels)
    system = _weighted(system, joined, truth, talk)
    judged = _judged(system, dataset, joined, known, held)
    _write(system, dataset, folder, judged)


def _aligned(
    system: ConceptSystem, dataset: Dataset, known: Mapping[str, Answers]
) -> tuple[Aligned, Dataset]:
    """What the members of a system said, and the images that they said it about, in one order."""
    names = [one.name for one in system.member]
    joined = aligned_answers(names, [known[name] for name in names], system.ensemble)
    if not joined.ids:
        raise UsageError("No held-out image could be looked at by every member. Give them the same [data].")
    every = replace(system.data, free_only=False, without_sources=())
    held = learnable(dataset.split(system.data.held), every)
    place = {one: row for row, one in enumerate(held.ids)}
    return joined, held.take([place[one] for one in joined.ids])


def _best_members(
    system: ConceptSystem, dataset: Dataset, known: Mapping[str, Answers], talk: Talk
) -> ConceptSystem:
    """The system with the members that serve best, where it asks for a search."""
    if system.ensemble.search == "none":
        return system
    joined, held = _aligned(system, dataset, known)
    truth = label_matrix(held, joined.labels)
    best = search_subsets(system.ensemble, joined.values, truth, joined.names).best
    talk.tell(f"Best members: {', '.join(best.members)}")
    members = tuple(one for one in system.member if one.name in best.members)
    return replace(system, member=members, ensemble=replace(system.ensemble, search="none"))


def _weighted(system: ConceptSystem, joined: Aligned, truth: NDArray[np.bool_], talk: Talk) -> ConceptSystem:
    """The system with the weights that serve best, where its rule has weights that are not given."""
    ensemble = fitted(system.ensemble, joined.values, truth)
    if ensemble != system.ensemble:
        talk.tell(f"Weights: {', '.join(f'{one:.3f}' for one in ensemble.weights)}")
    return replace(system, ensemble=ensemble)


def _judged(
    system: ConceptSystem, dataset: Dataset, joined: Aligned, known: Mapping[str, Answers], held: Dataset
) -> Judged:
    values, told = combine(system.ensemble, joined.values, joined.names), [known[one] for one in joined.names]
    truth, groups = label_matrix(held, joined.labels), groups_of(held, joined.ids)
    answers = Answers(joined.ids, joined.labels, values, counts=mean_counts(joined.ids, told))
    if values.dtype == np.bool_:
        likely = values if system.rescue is None else voted_scores(joined, told)
        return rescue_judged(system, Judged(answers, held), likely, truth, groups)
    logits, learnt = values.astype(np.float32), learnable(dataset.split(system.data.fit), system.data)
    crossed = cross_fit(
        system.calibration,
        system.decision,
        logits,
        truth,
        joined.labels,
        groups,
        seed=system.train.seed,
        train_truth=label_matrix(learnt, joined.labels),
    )
    answers = replace(answers, decided=crossed.decided, logits=logits, probabilities=crossed.probabilities)
    return rescue_judged(system, Judged(answers, held, crossed), crossed.probabilities, truth, groups)


def _write(system: ConceptSystem, dataset: Dataset, folder: ModelFolder, judged: Judged | None) -> None:
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
    folder.write_card(model_card(system, labels, facts, judged))
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
