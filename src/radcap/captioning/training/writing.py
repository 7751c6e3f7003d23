"""Train a captioner that writes, from a dataset to a model folder.

In order: the tokenizer; the stages of the writer, judged on the held-out split; what it writes about that
split, scored; all of it once more on both splits, where the system asks for it. The card comes last.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from radcap.captioning.building import kept_weights
from radcap.captioning.models.folder import OWN_DETECTOR, weights_digest
from radcap.captioning.models.opening import PHRASES, is_kept, make_model
from radcap.captioning.models.recall import save_recall
from radcap.captioning.naming import finding_phrases
from radcap.captioning.pretrained.saving import leaning_on, placed, write_published
from radcap.captioning.prompting import make_prompter
from radcap.captioning.training.cards import caption_card, stage_facts
from radcap.captioning.training.detectors import JointJudge, write_detector
from radcap.captioning.training.encoding import make_encoder
from radcap.captioning.training.feeds import CaptionFeed, token_rows
from radcap.captioning.training.finishing import leaning, with_detector
from radcap.captioning.training.judging import held_figures
from radcap.captioning.training.stages import Course, Taught, joint_tasks
from radcap.captioning.training.witnesses import (
    make_recall,
    near_captions,
    told_labels,
    truth_of,
    witness,
)
from radcap.core.counts import counted
from radcap.detection.examples import groups_of
from radcap.vision.training import memory_kept
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.captioning.models.recall import Recall
    from radcap.captioning.models.writer_model import WriterModel
    from radcap.captioning.training.encoding import Encoder
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned
    from radcap.core import Cui
    from radcap.detection.training.judging import Judged

__all__ = ["train_writer"]


def train_writer(maker: CaptionMaker) -> None:
    """Write the folder of a captioner whose words come one after another."""
    with memory_kept(maker.place):
        _Work(maker).make()


@dataclass(frozen=True, eq=False)
class _Work:
    maker: CaptionMaker

    def make(self) -> None:
        started, maker, parts = time.monotonic(), self.maker, self.maker.parts
        maker.tell_data()
        encoder = make_encoder(maker)
        for sentence in () if encoder.published is None else encoder.published.sentences:
            maker.talk.tell(sentence)
        if not maker.system.pretrained.train:
            self._ask(Taught(Course(maker, encoder).begun(), encoder, {}), started)
            return
        fed, fit = self._fed(encoder, parts.fit)
        judged, held = (None, None) if parts.held is None else self._fed(encoder, parts.held, fed.recall)
        taught = Course(maker, encoder).teach(fed.feed, judged.feed if judged else None, maker.system.train)
        phrases = finding_phrases(fit.captions) if maker.system.generate.supported else {}
        model = self._model(taught, phrases, fed.recall)
        figures = (
            None if held is None else held_figures(model.answers(held.images, maker.talk.progress), held)
        )
        joint = JointJudge(maker).judge(taught) if is_joint(maker) else None
        last, recall = taught, fed.recall
        if maker.system.train.refit and parts.held is not None:
            last, recall, phrases = self._refitted(taught, phrases)
        stages = {name: stage_facts(one) for name, one in taught.stages.items()}
        data = {**parts.to_json(), "refused": _refused((parts.fit, fit), (parts.held, held))}
        facts = {"data": data, "stages": stages, "seconds": _since(started)}
        self._write(last, phrases, recall, {**facts, "held_out": figures}, joint)

    def _ask(self, taught: Taught, started: float) -> None:
        """A published captioner as it is: nothing is learnt, and what it writes is judged."""
        maker, held = self.maker, self.maker.parts.held
        phrases = finding_phrases(maker.parts.fit.captions) if maker.system.generate.supported else {}
        model = self._model(taught, phrases, None)
        figures = (
            None if held is None else held_figures(model.answers(held.images, maker.talk.progress), held)
        )
        facts = {"data": maker.parts.to_json(), "stages": {}, "seconds": _since(started)}
        self._write(taught, phrases, None, {**facts, "held_out": figures}, None)

    def _fed(
        self, encoder: Encoder, captioned: Captioned, recall: Recall | None = None
    ) -> tuple[_Fed, Captioned]:
        """A feed with its hints; those of held-out images (with a recall) are what the detector says."""
        maker = self.maker
        condition, is_held = maker.system.condition, recall is not None
        images, kept = encoder.feed(maker, captioned)
        rows = token_rows(kept.captions, maker.tokenizer, maker.system.decoder.longest).to(maker.place.device)
        told, near = None, ()
        if condition.concepts != "none" or condition.neighbours:
            said = witness(maker, kept)
            told = told_labels(maker, said.decided if is_held else truth_of(maker, kept))
            recall = recall or make_recall(kept, said.vectors)
            near = self._near(recall, said.vectors, kept)
        names = tuple(maker.label_names.values())
        prompter = make_prompter(condition, names, maker.tokenizer)
        feed = CaptionFeed(images, rows, kept.captions, told, near, prompter, condition)
        return _Fed(feed, recall), kept

    def _near(self, recall: Recall, vectors: Any, kept: Captioned) -> Sequence[Sequence[str]]:  # noqa: ANN401
        k = self.maker.system.condition.neighbours
        return near_captions(recall, vectors, k, groups_of(kept.images, kept.images.ids)) if k else ()

    def _refitted(
        self, taught: Taught, phrases: Mapping[Cui, Sequence[str]]
    ) -> tuple[Taught, Recall | None, Mapping[Cui, Sequence[str]]]:
        """The same stages on both splits, for as many epochs as were best."""
        maker, epochs = self.maker, taught.epochs
        maker.talk.tell(f"Once more on both splits, for {counted(epochs, 'epoch')}")
        encoder = make_encoder(maker)
        fed, both = self._fed(encoder, maker.parts.both)
        train = replace(maker.system.train, epochs=epochs, keep="last", early_stop=0)
        critical = taught.stages["scst"].epoch + 1 if "scst" in taught.stages else None
        again = Course(maker, encoder, "refit", critical).teach(fed.feed, None, train)
        return again, fed.recall, finding_phrases(both.captions) if phrases else {}

    def _model(
        self, taught: Taught, phrases: Mapping[Cui, Sequence[str]], recall: Recall | None
    ) -> WriterModel:
        maker = self.maker
        wants = maker.system.condition.neighbours > 0
        return make_model(
            maker.system,
            taught.encoder.eyes(maker),
            taught.top.eval(),
            maker.tokenizer,
            maker.label_names,
            phrases=phrases,
            recall=recall if wants else None,
        )

    def _write(
        self,
        taught: Taught,
        phrases: Mapping[Cui, Sequence[str]],
        recall: Recall | None,
        facts: Mapping[str, Any],
        joint: Judged | None,
    ) -> None:
        maker, folder = self.maker, self.maker.folder
        if not maker.place.is_first:
            return
        system, leans = placed(with_detector(maker)), leaning(maker)
        if is_joint(maker):
            leans = {"model": OWN_DETECTOR, "weights": weights_digest(write_detector(maker, taught, joint))}
            system = replace(system, detector=replace(system.detector, model=OWN_DETECTOR, share=True))
        folder.write_system(system)
        published = taught.encoder.published
        if published is not None:
            write_published(published, system, folder, maker.tokenizer)
            facts = {**facts, "pretrained": leaning_on(system)}
        elif system.decoder.kind != "lm" or system.tokenizer.file:  # else it is the language model's own
            maker.tokenizer.save(folder.tokenizer)
        if maker.labels:
            folder.write_labels(maker.labels, maker.label_names)
        if phrases:
            folder.write_phrases(PHRASES, phrases)
        if recall is not None and system.condition.neighbours:
            save_recall(recall, folder)
        kept = taught.encoder.backbone if is_kept(system) else None
        write_weight_file(kept_weights(taught.top, kept, published), folder.weights)
        folder.write_card(caption_card(maker, taught, {**facts, "detector": leans}))
        shutil.rmtree(folder.training, ignore_errors=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Fed:
    feed: CaptionFeed
    recall: Recall | None


def _since(started: float) -> float:
    return round(time.monotonic() - started, 1)


def _refused(*parts: tuple[Captioned | None, Captioned | None]) -> list[str]:
    """The images that will not decode: those of each part that were not kept."""
    return [
        one
        for whole, kept in parts
        if whole is not None and kept is not None
        for one in sorted(set(whole.images.ids) - set(kept.images.ids))
    ]


def is_joint(maker: CaptionMaker) -> bool:
    """Whether the network answers the concept task too."""
    return "concepts" in joint_tasks(maker)
