"""Train one model, from a dataset to a model folder.

In order: the grid, where there is one; the network, judged on the held-out split; calibration and rule, fitted
on that split and judged by cross-fitting; the network once more on both splits, where the system asks for it;
the vectors that neighbours are found by. The card comes last.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import Missing, UsageError
from radcap.detection.decisions import cross_fit
from radcap.detection.examples import label_matrix
from radcap.detection.models.answers import Answers
from radcap.detection.retrieval import NeighbourIndex, answer, save_index
from radcap.detection.training.cards import model_card
from radcap.detection.training.grid import search
from radcap.detection.training.networks import Trainer
from radcap.detection.training.parts import Parts
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.detection.decisions import CrossFitted
    from radcap.detection.models.folder import ModelFolder
    from radcap.detection.system import ConceptModel, ConceptSystem
    from radcap.detection.training.talk import Talk
    from radcap.vision.network import Network
    from radcap.vision.training import PictureFeed, Place, Trained

__all__ = ["train_model"]


def train_model(
    system: ConceptSystem, dataset: Dataset, folder: ModelFolder, place: Place, talk: Talk
) -> Answers | None:
    """Write the folder of a model without members; what it says about the held-out images, out of fold."""
    if folder.is_whole:
        talk.tell(f"{folder.path} is trained already")
        return _held_again(folder)
    return _Making(system, dataset, folder, place, talk).make()


@dataclass
class _Making:
    system: ConceptSystem
    dataset: Dataset
    folder: ModelFolder
    place: Place
    talk: Talk

    def make(self) -> Answers | None:
        started = time.monotonic()
        parts = Parts.of(self.dataset, self.system.data)
        self.talk.tell(f"{len(parts.fit):,} images to learn from, {len(parts.labels):,} labels")
        trainer = self._trainer(self.system, parts)
        feed = trainer.feed(parts.fit)
        held = None if parts.held is None else trainer.feed(parts.held)
        model, tried = self._searched(parts, feed, held)
        trainer = self._trainer(model, parts)
        network, trained = trainer.train(feed, held, self.folder.training / "network")
        judged = None if held is None else self._judge(trainer, network, feed, held, parts)
        if model.train.refit and held is not None:
            network, feed = self._refitted(trainer, trained, parts)
        facts = {
            "data": {**parts.to_json(), "refused": dict(feed.pictures.refused)},
            "training": _told(trained, place=self.place, seconds=time.monotonic() - started),
            "search": [one.to_json() for one in tried],
        }
        self._write(model, parts, trainer, network, feed, judged, facts)
        return None if judged is None else judged[0]

    def _trainer(self, model: ConceptModel, parts: Parts) -> Trainer:
        log = self.folder.path / "log.csv"
        return Trainer(model, parts.labels, self.place, self.talk, log, parts.fingerprint(model))

    def _searched(self, parts: Parts, feed: PictureFeed, held: PictureFeed | None) -> Any:  # noqa: ANN401
        model = self.system
        if not model.search.lr and not model.search.optimiser:
            return model, ()
        if held is None:
            raise UsageError(
                f"[search] chooses on the split {model.data.held!r}, and {self.dataset.name} has none."
                " Delete [search], or give a dataset with that split."
            )

        def judge(one: ConceptModel, folder: Path) -> float | None:
            try:
                _, trained = self._trainer(one, parts).train(feed, held, folder)
            except UsageError:  # the loss became no number at once
                return None
            best = trained.history.best
            return None if best is None else best.held_f1

        return search(model, judge, self.folder.training, self.talk)

    def _judge(
        self, trainer: Trainer, network: Network, feed: PictureFeed, held: PictureFeed, parts: Parts
    ) -> tuple[Answers, CrossFitted | None]:
        """The held-out images, decided out of fold."""
        model, ids = trainer.model, held.pictures.ids
        if model.retrieval is not None:
            index = self._index(trainer, network, feed, parts.fit)
            found = answer(model.retrieval, index, trainer.vectors(network, held))
            if found.dtype == np.bool_:
                return Answers(ids, parts.labels, found), None
            logits = found.astype(np.float32)
        else:
            logits = trainer.logits(network, held)
        groups = self._groups(parts.held, ids)
        crossed = cross_fit(
            model.calibration,
            model.decision,
            logits,
            held.labels.cpu().numpy().astype(bool),
            parts.labels,
            groups,
            seed=model.train.seed,
            train_truth=label_matrix(parts.fit, parts.labels),
        )
        return Answers(ids, parts.labels, crossed.decided, logits, crossed.probabilities), crossed

    @staticmethod
    def _groups(dataset: Dataset | None, ids: tuple[str, ...]) -> list[str] | None:
        """The group of each image; images that have none stand for themselves."""
        if dataset is None:
            return None
        known = dict(zip(dataset.ids, dataset.column("group").to_pylist(), strict=True))
        return [known.get(one) or one for one in ids]

    def _refitted(self, trainer: Trainer, trained: Trained, parts: Parts) -> tuple[Network, PictureFeed]:
        """The same recipe on both splits, for as many epochs as were best."""
        epochs = trained.epoch + 1
        self.talk.tell(f"Once more on both splits, for {epochs} epochs")
        again = replace(trainer.model, train=replace(trainer.model.train, epochs=epochs))
        last = replace(trainer, model=again, log=self.folder.path / "log-refit.csv")
        feed = last.feed(parts.both)
        network, _ = last.train(feed, None, self.folder.training / "refit", alone=True)
        return network, feed

    def _index(self, trainer: Trainer, network: Network, feed: PictureFeed, dataset: Dataset) -> NeighbourIndex:
        retrieval = trainer.model.retrieval
        metric = retrieval.metric if retrieval is not None else "cosine"
        ids = feed.pictures.ids
        groups = self._groups(dataset, ids) or []
        truth = feed.labels.cpu().numpy().astype(bool)
        return NeighbourIndex.of(trainer.vectors(network, feed), ids, trainer.labels, truth, groups, metric)

    def _write(  # noqa: PLR0913 - the parts of a folder
        self,
        model: ConceptModel,
        parts: Parts,
        trainer: Trainer,
        network: Network,
        feed: PictureFeed,
        judged: tuple[Answers, CrossFitted | None] | None,
        facts: dict[str, Any],
    ) -> None:
        if not self.place.is_first:
            return
        crossed = None if judged is None else judged[1]
        folder = self.folder
        folder.write_system(replace(self.system, train=model.train))
        folder.write_labels(parts.labels, self.dataset.names)
        folder.write_decision(*(None, None) if crossed is None else (crossed.calibrator, crossed.rule))
        write_weight_file(network.state_dict(), folder.weights)
        if model.retrieval is not None:
            dataset = parts.both if model.train.refit else parts.fit
            save_index(self._index(trainer, network, feed, dataset), folder.neighbours)
        held = None if parts.held is None or judged is None else (judged[0], parts.held, crossed)
        if judged is not None:
            _keep_held(folder, judged[0])
        folder.write_card(model_card(self.system, parts.labels, facts, held))
        shutil.rmtree(folder.training, ignore_errors=True)


def _told(trained: Trained, place: Place, seconds: float) -> dict[str, Any]:
    rows = trained.history.rows
    return {
        "epochs": len(rows),
        "kept_epoch": trained.epoch,
        "stopped": trained.stopped,
        "last_loss": rows[-1].loss if rows else None,
        "seconds": round(seconds, 1),
        "device": place.device.type,
        "precision": place.precision,
        "processes": place.world,
    }


def _keep_held(folder: ModelFolder, answers: Answers) -> None:
    """The answers to the held-out images, for ensembles that are joined later."""
    from safetensors.numpy import save_file

    arrays: dict[str, Any] = {"decided": answers.decided}
    if answers.logits is not None:
        arrays["logits"] = answers.logits
    save_file(arrays, folder.path / "held.safetensors", {"ids": "\n".join(answers.ids)})


def _held_again(folder: ModelFolder) -> Answers | None:
    path = folder.path / "held.safetensors"
    if not path.exists():
        return None
    from safetensors import safe_open

    try:
        with safe_open(path, "numpy") as held:
            ids = tuple((held.metadata() or {}).get("ids", "").split("\n"))
            logits = held.get_tensor("logits") if "logits" in held.keys() else None  # noqa: SIM118
            return Answers(ids, folder.labels(), held.get_tensor("decided"), logits)
    except Exception as error:  # safetensors has errors of its own
        raise Missing(
            f"What {folder.path} said about the held-out images",
            f"{path.name} cannot be read: {error}.",
            "Delete the folder and train it again.",
        ) from error
