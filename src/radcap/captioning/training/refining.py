"""The refiner of a captioner that is being trained: what it needs beside, what it learns, how good it is.

Invariant: held-out figures are those of refined captions, by a captioner and a refiner that saw none of the
held-out images. What a refiner learns from are the captioner's own captions of images that the captioner
learnt from too, and the card says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from radcap.captioning.language.local_model import LocalModel
from radcap.captioning.language.pairs import PairExam, PairLesson, PairNetwork, examples_of, save_local
from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.models.opening import open_captioner
from radcap.captioning.refining.opening import (
    NEAREST,
    REFINER,
    make_refiner,
    needs_beside,
    refiner_digest,
)
from radcap.captioning.refining.prompts import filled
from radcap.captioning.refining.refined_model import RefinedModel
from radcap.captioning.refining.refiner import Told
from radcap.captioning.settings import CaptionTrainSettings, DecoderSettings, DetectorSettings
from radcap.captioning.system import CaptionSystem
from radcap.captioning.training.cards import stage_facts
from radcap.captioning.training.judging import held_figures
from radcap.captioning.training.parts import CaptionParts
from radcap.core import UsageError, counted
from radcap.vision.training import CheckpointFolder, learn
from radcap.zoo.finding import PREFIX

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.models.answers import CaptionAnswers
    from radcap.captioning.models.opening import Captioner
    from radcap.captioning.refining.refiner import Refiner
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned

__all__ = ["refined_figures"]

_SAW = (
    "The refiner learnt from captions that the captioner wrote of images it had learnt from, which are better"
    " than those of images that are new to it."
)


def refined_figures(maker: CaptionMaker, model: Captioner, held: Captioned | None) -> dict[str, Any]:
    """The refiner, trained where the system asks for it and written into the folder; what the card says."""
    return _Work(maker, model, held).make()


@dataclass(frozen=True, eq=False)
class _Work:
    maker: CaptionMaker
    model: Captioner
    held: Captioned | None

    def make(self) -> dict[str, Any]:
        maker, settings, beside = self.maker, self.maker.system.refine, self.beside
        facts: dict[str, Any] = {"kind": settings.kind, "model": self.refiner.name}
        if isinstance(self.refiner, Told):
            facts["prompt"] = self.refiner.prompt
        if settings.epochs:
            facts |= self._learnt()
        told: dict[str, Any] = {"held_out": None, "refine": facts}
        if self.held is not None and maker.place.is_first:
            told |= self._judged(self.held)
        if beside is not None and maker.system.train.refit:
            self._remember(maker.folder.path / NEAREST, maker.parts.both)
        return told

    @cached_property
    def refiner(self) -> Refiner:
        """With the weights it begins with, and later with those it learnt."""
        return make_refiner(self.maker.system.refine, self.maker.place, self.maker.system.generate.seed)

    @cached_property
    def beside(self) -> Captioner | None:
        """What finds neighbours and concepts among the images that are learnt from."""
        maker = self.maker
        if not needs_beside(maker.system):
            return None
        return self._remember(maker.folder.path / NEAREST, maker.parts.fit)

    def _remember(self, path: Path, images: Captioned) -> Captioner:
        """A captioner of the kind nearest, in a folder of its own."""
        maker, system = self.maker, self.maker.system
        detector, found = DetectorSettings(), maker.detector_folder
        if found is not None:
            is_zoo = system.detector.model.startswith(PREFIX)
            detector = DetectorSettings(system.detector.model if is_zoo else str(found.path))
        elif system.backbone.is_drawn:
            maker.talk.tell(
                "Neighbours are found by a backbone with random weights. Give [detector] model, or [backbone]"
                " weights."
            )
        k = max(system.decoder.neighbours, system.condition.neighbours)
        nearest = CaptionSystem(
            name=f"{system.name}/{NEAREST}",
            task="captions",
            data=system.data,
            image=system.image,
            backbone=replace(system.backbone, frozen=True),
            detector=detector,
            decoder=DecoderSettings(kind="nearest", neighbours=k),
            head=system.head,
            train=replace(system.train, refit=False),
        )
        from radcap.captioning.training.recalling import train_nearest

        parts = CaptionParts(images, None, maker.parts.labels)
        path.mkdir(parents=True, exist_ok=True)
        train_nearest(replace(maker, system=nearest, parts=parts, folder=CaptionFolder(path)))
        maker.place.agreed(0.0)  # the first has written what all of them open
        return open_captioner(path, str(maker.place.device))

    @cached_property
    def refined(self) -> RefinedModel:
        system, names = self.maker.system, self.maker.label_names
        return RefinedModel(self.model, self.refiner, system.refine, system.post, names, self.beside)

    @cached_property
    def held_drafts(self) -> CaptionAnswers:
        assert self.held is not None  # noqa: S101 - asked only where images are held out
        return self.refined.drafts(self.held.images, self.maker.talk.progress)

    def _judged(self, held: Captioned) -> dict[str, Any]:
        """How good the captions are, and how good they would be without."""
        maker = self.maker
        answers = self.refined.refined(self.held_drafts, maker.talk.progress)
        failed = list(answers.unrefined.values())
        if failed:
            maker.talk.tell(f"{counted(len(failed))} of the held-out split were not refined: {failed[0]}.")
        return {
            "held_out": held_figures(answers, held),
            "held_out_drafts": held_figures(self.held_drafts, held),
            "held_out_unrefined": len(failed),
        }

    def _learnt(self) -> dict[str, Any]:
        """Train the language model on pairs of what it is told and what is true, and write it."""
        maker, settings = self.maker, self.maker.system.refine
        generator = self.refiner.generator if isinstance(self.refiner, Told) else None
        assert isinstance(generator, LocalModel)  # noqa: S101 - others are refused when the system is read
        fit = maker.parts.fit
        lesson = self._lesson(generator, self.refined.apart().drafts(fit.images, maker.talk.progress), fit)
        exam = None
        if self.held is not None:
            exam = PairExam(self._lesson(generator, self.held_drafts, self.held))
        maker.talk.tell(f"refine: {counted(settings.epochs, 'epoch')} over {len(lesson):,}")
        wanted = CaptionTrainSettings(
            epochs=settings.epochs,
            batch=settings.batch,
            lr=settings.lr,
            schedule="constant",
            keep="last" if exam is None else "best",
            seed=maker.system.train.seed,
        )
        trained = learn(
            PairNetwork(generator.model),
            lesson,
            wanted,
            maker.place,
            exam=exam,
            folder=CheckpointFolder(maker.folder.training / REFINER, maker.fingerprint),
            observe=lambda row: maker.talk.epoch(row, settings.epochs),
        )
        facts = {"pairs": len(lesson), "saw": _SAW, "stage": stage_facts(trained)}
        if not maker.place.is_first:
            return facts
        save_local(generator, maker.folder.path / REFINER)
        return {**facts, "weights": refiner_digest(maker.folder.path / REFINER)}

    def _lesson(self, generator: LocalModel, drafts: CaptionAnswers, images: Captioned) -> PairLesson:
        """What is told of images, and what is true."""
        assert isinstance(self.refiner, Told)  # noqa: S101 - others learn nothing
        place = {one: row for row, one in enumerate(images.images.ids)}
        prompts: list[str] = []
        texts: list[str] = []
        why = ""
        for line in drafts.lines:
            material = self.refined.material(line)
            why = self.refined.why_not(material)
            if not why:
                prompts.append(filled(self.refiner.prompt, material))
                texts.append(images.captions[place[line.image]])
        found = examples_of(generator, prompts, texts)
        if not found:
            why = why or "every pair is too long for the language model"
            raise UsageError(
                f"[refine] has nothing to learn from: {why}. Set its epochs to 0, or change its kind."
            )
        return PairLesson(found, generator.pad, self.maker.place)
