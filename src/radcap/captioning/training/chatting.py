"""Train a chat vision-language model to write captions, or take it as it is.

In order: the chat; what it learns, judged on the held-out split; what it writes about that split, scored; all
of it once more on both splits, where the system asks for it. The card comes last.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from radcap.captioning.chats.chat_scribe import no_room
from radcap.captioning.chats.freezing import freeze
from radcap.captioning.chats.instruction import VERSION
from radcap.captioning.chats.keeping import keep_chat
from radcap.captioning.chats.opening import begin_chat, chat_eyes, make_chat_model
from radcap.captioning.chats.questions import questions_of
from radcap.captioning.generation.dmmcs import Guide
from radcap.captioning.models.opening import PHRASES
from radcap.captioning.models.page import Page
from radcap.captioning.models.recall import save_recall
from radcap.captioning.naming import finding_phrases
from radcap.captioning.texts.concept_medians import fit_medians
from radcap.captioning.training.cards import plain_card, stage_facts
from radcap.captioning.training.chat_lessons import ChatExam, ChatFeed, ChatLesson, batches
from radcap.captioning.training.choosing import fit_reranker
from radcap.captioning.training.finishing import leaning, with_detector
from radcap.captioning.training.judging import judged
from radcap.captioning.training.rewards import Reward
from radcap.captioning.training.stages import learnt_stage
from radcap.captioning.training.witnesses import beside, truth_of
from radcap.core.counts import counted
from radcap.detection.examples import label_matrix
from radcap.detection.training.decoding import decoded_pictures
from radcap.vision.training import PictureFeed, Place, memory_kept

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from radcap.captioning.chats.chat import Chat
    from radcap.captioning.chats.chat_scribe import ChatModel
    from radcap.captioning.chats.opening import BaseChat
    from radcap.captioning.models.recall import Recall
    from radcap.captioning.settings import CaptionTrainSettings
    from radcap.captioning.texts.concept_medians import ConceptMedians
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned
    from radcap.core import Cui
    from radcap.vision.training import Trained

__all__ = ["train_chat"]

_HOST = Place(torch.device("cpu"))
_HINT = "Lower [train] batch or the size of [image], or write [pretrained] lora = 8."


def train_chat(maker: CaptionMaker) -> None:
    """Write the folder of a captioner that is a chat."""
    with memory_kept(maker.place):
        _Work(maker).make()


@dataclass(frozen=True, slots=True, eq=False)
class _Fed:
    """A feed, and who remembers the captions of neighbours."""

    feed: ChatFeed
    kept: Captioned
    recall: Recall | None


@dataclass(frozen=True)
class _Work:
    maker: CaptionMaker

    def make(self) -> None:
        started, maker, parts = time.monotonic(), self.maker, self.maker.parts
        maker.tell_data()
        begun = self._begun()
        fit = self._fed(begun.chat, parts.fit)
        held = None if parts.held is None else self._fed(begun.chat, parts.held, fit.recall)
        trained = self._taught("first", begun, fit, held, maker.system.train) if self._learns else None
        medians = self._medians(fit)
        model = self._model(begun, fit, medians)
        chooser = fit_reranker(maker, fit.kept, model.eyes)
        figures = judged(maker, model.choosing(chooser), None if held is None else held.kept)
        if maker.system.train.refit and parts.held is not None:
            begun, fit = self._again(begun, fit, trained)
            chooser = fit_reranker(maker, fit.kept, model.eyes)
        if maker.place.is_first:
            facts = {**figures, "seconds": round(time.monotonic() - started, 1)}
            if medians is not None:
                medians.save(maker.folder.path)
            if chooser is not None:
                chooser.save(maker.folder.reranker)
            self._write(begun, fit, {**self._facts(begun, trained), **facts})

    @cached_property
    def _learns(self) -> bool:
        return self.maker.system.pretrained.train

    def _begun(self) -> BaseChat:
        """The chat before it learns anything here."""
        maker, wanted = self.maker, self.maker.system.pretrained
        torch.manual_seed(maker.system.train.seed)  # low-rank weights are drawn
        begun = begin_chat(maker.system, maker.place, maker.parts.fit.captions)
        if self._learns:
            begun.chat.check_reads()
            freeze(begun.chat.model, wanted.freeze)
        return begun

    def _fed(self, chat: Chat, captioned: Captioned, recall: Recall | None = None) -> _Fed:
        """A feed with what is told; of held-out images (with a recall) that is what the detector says."""
        maker, system = self.maker, self.maker.system
        pictures = decoded_pictures(captioned.images, system.image, _HOST, where="host", talk=maker.talk)
        kept = captioned.only(pictures.ids)
        truth = label_matrix(kept.images, maker.labels).astype(np.uint8)
        told, near = None, ()
        if system.condition.asks and maker.detector is not None:
            known = beside(maker, kept, recall)
            told, near, recall = torch.from_numpy(known.labels), known.near, known.recall
        feed = ChatFeed(
            PictureFeed(pictures, torch.from_numpy(truth)),
            [_answer(chat, one, system.decoder.longest) for one in kept.captions],
            kept.captions,
            questions_of(system.condition, maker.label_names),
            system.condition,
            told,
            near,
        )
        return _Fed(feed, kept, recall)

    def _taught(
        self, name: str, begun: BaseChat, fit: _Fed, held: _Fed | None, train: CaptionTrainSettings
    ) -> Trained:
        chat, smoothing = begun.chat, self.maker.system.loss.smoothing
        exam = None
        if held is not None and train.keep == "best":
            score = self._scorer(chat, held) if train.score else None
            exam = ChatExam(ChatLesson(chat, held.feed), train.batch, score)
        lesson = ChatLesson(chat, fit.feed, smoothing)
        try:
            return learnt_stage(self.maker, name, "captions", chat.model, lesson, train, exam)
        except torch.OutOfMemoryError as error:
            raise no_room(_HINT) from error

    def _scorer(self, chat: Chat, held: _Fed) -> Callable[[], float]:
        """The score of greedy captions of the held-out split."""
        system = self.maker.system
        generate = replace(system.generate, method="greedy", supported=False, no_repeat=0, dmmcs=0.0)
        plain, eyes = replace(system, generate=generate), chat_eyes(system, self.maker.place, None)
        scribe = make_chat_model(plain, eyes, chat, self.maker.label_names).scribe
        reward = Reward.of(system.train.score, held.feed.captions)

        def score() -> float:
            captions: list[str] = []
            for places in batches(len(held.feed), system.train.batch):
                ids = tuple(held.kept.images.ids[int(places[0]) : int(places[-1]) + 1])
                page = Page(ids, held.feed.pixels(places, None))
                captions += scribe.plainly(page, held.feed.briefs(places, None))
            values = reward(captions, held.feed.captions)
            return sum(values) / max(len(values), 1)

        return score

    def _again(self, begun: BaseChat, fit: _Fed, trained: Trained | None) -> tuple[BaseChat, _Fed]:
        """The same on both splits, for as many epochs as were best; what does not learn may remember both."""
        maker = self.maker
        if trained is None:
            return begun, self._fed(begun.chat, maker.parts.both) if fit.recall is not None else fit
        again = self._begun()
        fit = self._fed(again.chat, maker.parts.both)
        train = replace(maker.system.train, epochs=trained.epoch + 1, keep="last", early_stop=0)
        maker.talk.tell(f"Once more on both splits, for {counted(train.epochs, 'epoch')}")
        self._taught("refit", again, fit, None, train)
        return again, fit

    def _model(self, begun: BaseChat, fit: _Fed, medians: ConceptMedians | None) -> ChatModel:
        maker, system = self.maker, self.maker.system
        return make_chat_model(
            system,
            chat_eyes(system, maker.place, maker.detector),
            begun.chat,
            maker.label_names,
            phrases=self._phrases(fit),
            recall=fit.recall if system.condition.neighbours else None,
            guide=None if medians is None else Guide.of(medians, begun.chat.tokenizer, system.generate),
        )

    def _medians(self, fit: _Fed) -> ConceptMedians | None:
        """How near captions come to the concepts that they carry, where captions are written by that."""
        maker = self.maker
        if not maker.system.generate.dmmcs:
            return None
        truth = truth_of(maker, fit.kept)
        return fit_medians(fit.kept.captions, truth, maker.label_names, maker.system.train.seed)

    def _phrases(self, fit: _Fed) -> Mapping[Cui, Sequence[str]]:
        return finding_phrases(fit.feed.captions) if self.maker.system.generate.supported else {}

    def _facts(self, begun: BaseChat, trained: Trained | None) -> dict[str, Any]:
        maker, weights = self.maker, [*begun.chat.model.parameters()]
        learnt = sum(one.numel() for one in weights if one.requires_grad) if self._learns else 0
        return {
            "decoder": maker.system.decoder.kind,
            "weights": sum(one.numel() for one in weights),
            "learnt_weights": learnt,
            "tokens": begun.chat.tokenizer.size,
            "labels": len(maker.labels),
            "instruction": None if maker.system.condition.prompt else VERSION,
            "data": maker.parts.to_json(),
            "stages": {} if trained is None else {"captions": stage_facts(trained)},
            "training": {"stopped": "nothing is learnt" if trained is None else trained.stopped},
            "base": begun.base,
        }

    def _write(self, begun: BaseChat, fit: _Fed, facts: Mapping[str, Any]) -> None:
        maker, folder, phrases = self.maker, self.maker.folder, self._phrases(fit)
        system, leans = with_detector(maker), leaning(maker)
        folder.write_system(system)
        if maker.labels:
            folder.write_labels(maker.labels, maker.label_names)
        if phrases:
            folder.write_phrases(PHRASES, phrases)
        if fit.recall is not None and system.condition.neighbours:
            save_recall(fit.recall, folder)
        keep_chat(begun, folder, system)
        folder.write_card(plain_card(maker, {**facts, "detector": leans}))
        shutil.rmtree(folder.training, ignore_errors=True)


def _answer(chat: Chat, caption: str, longest: int) -> list[int]:
    """The tokens that are learnt; a caption that is longer has no end."""
    tokens = chat.tokenizer.encode(caption)
    return [*tokens, chat.tokenizer.end] if len(tokens) <= longest else tokens[:longest]
