"""Train a whole system: a model, or the members of an ensemble and the rule that joins them.

Invariant: members are trained one after another, each into its own folder, so a kill costs no more than the
member at work; joining uses only what members said about images they did not learn from.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import UsageError
from radcap.detection.decisions import cross_fit
from radcap.detection.ensembles import combine, ensemble_rule, fitted, search_subsets
from radcap.detection.examples import label_matrix, learnable
from radcap.detection.models.answers import Answers
from radcap.detection.models.ensemble_model import aligned_answers
from radcap.detection.models.folder import ModelFolder
from radcap.detection.system import ConceptSystem, tables
from radcap.detection.training.cards import model_card
from radcap.detection.training.one_model import train_model
from radcap.detection.training.talk import SILENT, Talk
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.detection.decisions import CrossFitted
    from radcap.detection.ensembles import Aligned, Ensemble
    from radcap.detection.system import Member

__all__ = ["train_system"]


def train_system(system: ConceptSystem, dataset: Dataset, out: Path, talk: Talk = SILENT) -> ModelFolder:
    """Train a resolved system into a folder, which may hold what an earlier try left there."""
    folder = ModelFolder(out)
    if folder.is_whole:
        raise UsageError(f"{out} holds a finished model. Choose another folder, or delete that one.")
    place = pick_place(system.train.device, system.train.precision)
    if not system.member:
        train_model(system, dataset, folder, place, talk)
        return folder
    told: dict[str, Answers | None] = {}
    for number, member in enumerate(system.member, 1):
        talk.tell(f"Member {number} of {len(system.member)}: {member.name}")
        told[member.name] = train_model(_alone(member), dataset, folder.member(member.name), place, talk)
    if place.is_first:
        _join(system, dataset, folder, told, talk)
    return folder


def _alone(member: Member) -> ConceptSystem:
    return ConceptSystem(name=member.name, task="concepts", **tables(member))


def _join(
    system: ConceptSystem, dataset: Dataset, folder: ModelFolder, told: dict[str, Answers | None], talk: Talk
) -> None:
    """Fit what joins the members on what they said about the held-out images."""
    known = {name: one for name, one in told.items() if one is not None}
    if len(known) < len(told):
        _write(system, dataset, folder, None, None)
        return
    held = learnable(dataset.split(system.data.held), system.data)
    joined = aligned_answers(list(known), list(known.values()), system.ensemble)
    order = {one: row for row, one in enumerate(held.ids)}
    truth = label_matrix(held, joined.labels)[[order[one] for one in joined.ids]]
    system, joined = _chosen(system, joined, truth, talk)
    answers, crossed = _judged(system, joined, truth, held)
    _write(system, dataset, folder, (answers, held, crossed), crossed)


def _chosen(
    system: ConceptSystem, joined: Aligned, truth: np.ndarray, talk: Talk
) -> tuple[ConceptSystem, Aligned]:
    """The members and weights that serve best, where the system asks for that."""
    ensemble: Ensemble = system.ensemble
    if ensemble.search == "subsets":
        best = search_subsets(ensemble, joined.values, truth, joined.names).best
        talk.tell(f"Best members: {', '.join(best.members)}")
        keep = [number for number, name in enumerate(joined.names) if name in best.members]
        system = replace(system, member=tuple(one for one in system.member if one.name in best.members))
        joined = replace(joined, names=tuple(best.members), values=joined.values[keep])
    if ensemble.rule == "weighted" and not ensemble.weights:
        ensemble = fitted(ensemble, joined.values, truth)
        talk.tell(f"Weights: {', '.join(f'{one:.3f}' for one in ensemble.weights)}")
    return replace(system, ensemble=replace(ensemble, search="none")), joined


def _judged(
    system: ConceptSystem, joined: Aligned, truth: np.ndarray, held: Dataset
) -> tuple[Answers, CrossFitted | None]:
    values = combine(system.ensemble, joined.values, joined.names)
    if ensemble_rule(system.ensemble.rule).over == "decisions":
        return Answers(joined.ids, joined.labels, values), None
    known = dict(zip(held.ids, held.column("group").to_pylist(), strict=True))
    groups = [known[one] or one for one in joined.ids]
    logits = values.astype(np.float32)
    crossed = cross_fit(system.calibration, system.decision, logits, truth, joined.labels, groups)
    return Answers(joined.ids, joined.labels, crossed.decided, logits, crossed.probabilities), crossed


def _write(
    system: ConceptSystem,
    dataset: Dataset,
    folder: ModelFolder,
    held: tuple[Answers, Dataset, CrossFitted | None] | None,
    crossed: CrossFitted | None,
) -> None:
    cards = {one.name: folder.member(one.name).card() for one in system.member}
    labels = held[0].labels if held is not None else _all_labels(system, folder)
    folder.write_system(system)
    folder.write_labels(labels, dataset.names)
    folder.write_decision(*(None, None) if crossed is None else (crossed.calibrator, crossed.rule))
    facts: dict[str, Any] = {"members": {name: card["held_out"] for name, card in cards.items()}}
    folder.write_card(model_card(system, labels, facts, held))
    _forget_others(system, folder)


def _all_labels(system: ConceptSystem, folder: ModelFolder) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cui for one in system.member for cui in folder.member(one.name).labels()))


def _forget_others(system: ConceptSystem, folder: ModelFolder) -> None:
    """Members that a search left out answer nothing, so their weights need not lie there."""
    kept = {folder.member(one.name).path for one in system.member}
    for path in (folder.path / "members").iterdir():
        if path not in kept:
            shutil.rmtree(path)
