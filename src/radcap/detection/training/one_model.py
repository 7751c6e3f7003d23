"""Train one model, from a dataset to a model folder.

In order: the grid, where there is one; the network, judged on the held-out split; calibration and rule,
fitted on that split and judged by cross-fitting; the network once more on both splits, where the system asks
for it; the vectors that neighbours are found by. The card comes last.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError

from radcap.core import UsageError
from radcap.core.counts import counted
from radcap.detection.retrieval import save_index
from radcap.detection.training.cards import model_card, training_facts
from radcap.detection.training.grid import search
from radcap.detection.training.held_answers import keep_held, read_held
from radcap.detection.training.judging import judge, neighbour_index
from radcap.detection.training.networks import Trainer
from radcap.vision.training import memory_kept
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.core import Cui
    from radcap.detection.models.answers import Answers
    from radcap.detection.models.folder import ModelFolder
    from radcap.detection.system import ConceptModel, ConceptSystem
    from radcap.detection.talk import Talk
    from radcap.detection.training.grid import Tried
    from radcap.detection.training.judging import Judged
    from radcap.detection.training.parts import Parts
    from radcap.vision.network import Network
    from radcap.vision.training import PictureFeed, Place, Trained

__all__ = ["ModelMaker", "train_model"]


def train_model(maker: ModelMaker) -> Answers | None:
    """Write the folder of a model without members; what it says about the held-out images, out of fold."""
    folder, held = maker.folder, maker.parts.held
    if not folder.is_whole:
        with memory_kept(maker.place):
            return maker.make()
    maker.talk.tell(f"{folder.path} is trained already")
    return None if held is None else read_held(folder, held)


@dataclass(frozen=True)
class ModelMaker:
    """All that one model is made of, and where it goes."""

    system: ConceptSystem
    parts: Parts
    folder: ModelFolder
    place: Place
    talk: Talk
    names: Mapping[Cui, str]

    def make(self) -> Answers | None:
        started, parts = time.monotonic(), self.parts
        trainer, feed, held = self._fed()
        model, tried = self._searched(feed, held)
        trainer = replace(trainer, model=model, fingerprint=parts.fingerprint(model))
        network, trained = trainer.train(feed, held, self.folder.training / "network")
        judged = judge(trainer, network, feed, held, parts)
        refused, last = dict(feed.pictures.refused) | dict(held.pictures.refused if held else {}), trained
        if model.train.refit and held is not None:
            network, feed, last = self._refitted(trainer, trained)
        facts = {
            "data": {**parts.to_json(), "refused": refused},
            "training": training_facts(trained, last, self.place, time.monotonic() - started),
            "search": [one.to_json() for one in tried],
        }
        if self.place.is_first:
            self._write(trainer, network, feed, judged, facts)
        return None if judged is None else judged.answers

    def _fed(self) -> tuple[Trainer, PictureFeed, PictureFeed | None]:
        """The trainer and the images."""
        parts, log = self.parts, self.folder.path / "log.csv"
        fingerprint = parts.fingerprint(self.system)
        trainer = Trainer(self.system, parts.labels, self.place, self.talk, log, fingerprint)
        network = trainer.check()
        self.talk.tell(f"{counted(len(parts.fit))} to learn from, {counted(len(parts.labels), 'label')}")
        if parts.held is None:
            split = self.system.data.held
            self.talk.tell(f"There is no split {split!r} to choose on: 0.5 decides, uncalibrated")
        return trainer, *trainer.feeds(network, parts.fit, parts.held)

    def _searched(
        self, feed: PictureFeed, held: PictureFeed | None
    ) -> tuple[ConceptModel, tuple[Tried, ...]]:
        model = self.system
        if not model.search.lr and not model.search.optimiser:
            return model, ()
        if held is None:
            raise UsageError(
                f"[search] chooses on the split {model.data.held!r}, and {self.parts.fit.name} has none."
                " Delete [search], or give a dataset with that split."
            )

        def tried(one: ConceptModel, folder: Path) -> float | None:
            log = folder.parent / f"{folder.name}.csv"
            fingerprint = self.parts.fingerprint(one)
            trainer = Trainer(one, self.parts.labels, self.place, self.talk, log, fingerprint)
            try:
                best = trainer.train(feed, held, folder)[1].history.best
            except UsageError:  # the loss became no number at once
                return None
            return None if best is None else best.held_score

        return search(model, tried, self.folder.training, self.talk, writes=self.place.is_first)

    def _refitted(self, trainer: Trainer, trained: Trained) -> tuple[Network, PictureFeed, Trained]:
        """The same recipe on both splits, for as many epochs as were best."""
        epochs = trained.epoch + 1
        self.talk.tell(f"Once more on both splits, for {counted(epochs, 'epoch')}")
        again = replace(trainer.model, train=replace(trainer.model.train, epochs=epochs))
        last = replace(trainer, model=again, log=self.folder.path / "log-refit.csv")
        feed = last.feed(self.parts.both)
        network, refitted = last.train(feed, None, self.folder.training / "refit", alone=True)
        return network, feed, refitted

    def _write(
        self,
        trainer: Trainer,
        network: Network,
        feed: PictureFeed,
        judged: Judged | None,
        facts: dict[str, Any],
    ) -> None:
        folder, parts, retrieval = self.folder, self.parts, trainer.model.retrieval
        folder.write_system(replace(self.system, train=trainer.model.train))
        folder.write_labels(parts.labels, self.names)
        folder.write_decision(*(None, None) if judged is None else judged.fitted)
        write_weight_file(network.state_dict(), folder.weights)
        if retrieval is not None:
            try:
                save_index(neighbour_index(trainer, retrieval, network, feed, parts.both), folder.neighbours)
            except SafetensorError as error:
                raise OSError(f"{folder.neighbours} cannot be written: {error}") from error
        if judged is not None:
            keep_held(folder, judged.answers, judged.dataset)
        folder.write_card(model_card(self.system, parts.labels, facts, judged))
        shutil.rmtree(folder.training, ignore_errors=True)
