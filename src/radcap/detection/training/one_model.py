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
from radcap.detection.learners import save_learner
from radcap.detection.retrieval import save_index
from radcap.detection.training.cards import model_card, training_facts
from radcap.detection.training.grid import search
from radcap.detection.training.held_answers import keep_held, read_held
from radcap.detection.training.judging import judge, learnt, neighbour_index
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
    from radcap.detection.training.shelf import Shelf
    from radcap.vision.network import Network
    from radcap.vision.training import PictureFeed, Place, Trained

__all__ = ["ModelMaker", "train_model"]


def train_model(maker: ModelMaker) -> Answers | None:
    """Write the folder of a model without members; what it says about the held-out images, out of fold."""
    folder, held = maker.folder, maker.parts.held
    if not folder.is_whole:
        if maker.system.text is not None:
            from radcap.detection.text.training import make_text_model

            return make_text_model(maker)
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
    shelf: Shelf

    def check(self) -> None:
        """Refuse weights, teachers and words that cannot be had, before anything is trained."""
        if self.folder.is_whole:
            return
        if self.system.text is not None:
            from radcap.detection.text.training import check_text_model

            check_text_model(self)
        else:
            trainer = self._trainer("")  # to know an unfinished one, all images are read
            trainer.check_batches(trainer.check(), len(self.parts.learnt))

    def leave_networks(self) -> None:
        """Train the networks of the model, for whoever takes them from the shelf; nothing else is made."""
        with memory_kept(self.place):
            trainer, feed, _, chosen_on = self._fed()
            model, _ = self._searched(feed, chosen_on)
            trainer = replace(trainer, model=model, fingerprint=self.parts.fingerprint(model))
            _, trained = trainer.train(feed, chosen_on, self.folder.training / "network")
            if model.train.refit and chosen_on is not None:
                self._refitted(trainer, trained)

    def make(self) -> Answers | None:
        started, parts = time.monotonic(), self.parts
        trainer, feed, held, chosen_on = self._fed()
        model, tried = self._searched(feed, chosen_on)
        trainer = replace(trainer, model=model, fingerprint=parts.fingerprint(model))
        network, trained = trainer.train(feed, chosen_on, self.folder.training / "network")
        judged = judge(trainer, network, feed, held, parts)
        refused, last = _refused(feed, held, chosen_on), trained
        if model.train.refit and chosen_on is not None:
            network, feed, last = self._refitted(trainer, trained)
            judged = None if judged is None else replace(judged, learner=None)  # it knew one split alone
        facts = {
            "data": {**parts.to_json(), "refused": refused},
            "training": training_facts(trained, last, self.place, time.monotonic() - started),
            "search": [one.to_json() for one in tried],
        }
        if self.place.is_first:
            self._write(trainer, network, feed, judged, facts)
        return None if judged is None else judged.answers

    def _fed(self) -> tuple[Trainer, PictureFeed, PictureFeed | None, PictureFeed | None]:
        """The trainer, and the images that are learnt, held out, and looked at to choose epochs."""
        parts, trainer = self.parts, self._trainer(self.parts.fingerprint(self.system))
        network = trainer.check()
        self.talk.tell(f"{counted(len(parts.learnt))} to learn from, {counted(len(parts.labels), 'label')}")
        if parts.held is None:
            split = self.system.data.held
            self.talk.tell(f"There is no split {split!r} to choose on: 0.5 decides, uncalibrated")
        feed, held = trainer.feeds(network, parts.learnt, parts.held)
        trainer.check_batches(network, len(feed))  # some may not have been decoded
        return trainer, feed, held, held if parts.inner is None else trainer.feed(parts.inner)

    def _trainer(self, fingerprint: str) -> Trainer:
        log = self.folder.path / "log.csv"
        return Trainer(self.system, self.parts.labels, self.place, self.talk, log, fingerprint, self.shelf)

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
            trainer = Trainer(one, self.parts.labels, self.place, self.talk, log, fingerprint, self.shelf)
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
        backbone = network.backbone.settings_of(self.system.backbone)
        folder.write_system(replace(self.system, train=trainer.model.train, backbone=backbone))
        folder.write_labels(parts.labels, self.names)
        folder.write_decision(*(None, None, None) if judged is None else (*judged.fitted, judged.rescue))
        write_weight_file(network.state_dict(), folder.weights)
        if retrieval is not None:
            try:
                save_index(neighbour_index(trainer, retrieval, network, feed, parts.both), folder.neighbours)
            except SafetensorError as error:
                raise OSError(f"{folder.neighbours} cannot be written: {error}") from error
        if trainer.model.learner is not None:
            known = None if judged is None else judged.learner
            save_learner(known or learnt(trainer, trainer.model.learner, network, feed), folder.learner)
        if judged is not None:
            keep_held(folder, judged.answers, judged.dataset)
        folder.write_card(model_card(self.system, parts.labels, facts, judged))
        shutil.rmtree(folder.training, ignore_errors=True)


def _refused(*feeds: PictureFeed | None) -> dict[str, str]:
    """The images that would not decode, and why."""
    return {name: why for one in feeds if one is not None for name, why in one.pictures.refused.items()}
