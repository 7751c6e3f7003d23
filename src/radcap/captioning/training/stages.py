"""What a writer goes through: text alone, captions of images, and the reward of a metric.

Invariant: each stage has a checkpoint folder of its own, so a killed training goes on in the stage it was in;
stages that are over are loaded, not trained again.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from radcap.captioning.building import JOINT, TYPES, make_top, task_labels
from radcap.captioning.generation import marks_of, write
from radcap.captioning.network import CaptionNetwork
from radcap.captioning.settings import GenerateSettings
from radcap.captioning.training.critical import CriticalLesson
from radcap.captioning.training.feeds import token_rows
from radcap.captioning.training.lessons import CaptionExam, CaptionLesson, Task, TextExam, TextLesson
from radcap.captioning.training.rewards import Reward
from radcap.core.counts import counted
from radcap.detection.semantic_kinds import semantic_types_of
from radcap.formats import replacing
from radcap.vision.training import CheckpointFolder, board_writer, learn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import nn

    from radcap.captioning.network import Top
    from radcap.captioning.settings import CaptionTrainSettings
    from radcap.captioning.training.encoding import Encoder
    from radcap.captioning.training.feeds import CaptionFeed
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.writer import AnyWriter
    from radcap.core import Cui
    from radcap.vision.training import EpochRow, Exam, Lesson, Trained

__all__ = ["Course", "Taught", "greedy_captions", "learnt_stage"]

_HELD_TEXT = 20  # of so many texts, one is held out


@dataclass(frozen=True, eq=False)
class Taught:
    """A trained top over its encoder, and how each stage went."""

    top: Top
    encoder: Encoder
    stages: Mapping[str, Trained]

    @property
    def epochs(self) -> int:
        """Of the captions, those that were kept."""
        return self.stages["captions"].epoch + 1

    @property
    def stopped(self) -> str:
        """Why training ended."""
        found = [one.stopped for one in self.stages.values()] or ["not trained"]
        return "no number" if "no number" in found else found[-1]


@dataclass(frozen=True, eq=False)
class Course:
    """The stages of one training; `name` tells the first from the refit."""

    maker: CaptionMaker
    encoder: Encoder
    name: str = "first"
    critical_epochs: int | None = None  # those of the settings, where none are given

    def teach(self, feed: CaptionFeed, held: CaptionFeed | None, train: CaptionTrainSettings) -> Taught:
        """From first weights to the end of the last stage."""
        maker, system = self.maker, self.maker.system
        top = self.begun()
        stages: dict[str, Trained] = {}
        if maker.language is not None:
            stages["language"] = self._read(top.writer)
        network = CaptionNetwork(self.encoder.backbone, top) if self.encoder.learns else top
        plain = self._lesson(feed)
        stages["captions"] = self._learnt(
            "captions", network, plain, train, self._exam(top, held, train.keep)
        )
        if system.scst.epochs:
            stages["scst"] = self._criticised(network, top, plain, held, train)
        return Taught(top, self.encoder, stages)

    def begun(self) -> Top:
        """With first weights."""
        maker, encoder = self.maker, self.encoder
        torch.manual_seed(maker.system.train.seed)
        width = encoder.backbone.width
        top = make_top(maker.system, maker.tokenizer, maker.labels, width, encoder.published)
        return top.to(maker.place.device)

    def _read(self, writer: AnyWriter) -> Trained:
        """Text alone, a part of it held out to see how it goes."""
        maker, wanted = self.maker, self.maker.system.language
        assert maker.language is not None  # noqa: S101 - asked only where there is text
        rows = token_rows(
            list(maker.language.kept.values()), maker.tokenizer, maker.system.decoder.longest
        ).to(maker.place.device)
        held = torch.arange(len(rows), device=rows.device) % _HELD_TEXT == _HELD_TEXT - 1
        fit, others = (self._text_lesson(rows[one]) for one in (~held, held))
        settings = replace(
            maker.system.train,
            epochs=wanted.epochs,
            batch=wanted.batch,
            lr=wanted.lr,
            watch="loss",
            keep="best" if len(others) else "last",
            early_stop=0,
            sampler="shuffle",
            compile=False,
        )
        return self._learnt("language", writer, fit, settings, TextExam(others) if len(others) else None)

    def _text_lesson(self, rows: torch.Tensor) -> TextLesson:
        tokenizer = self.maker.tokenizer
        smoothing = self.maker.system.loss.smoothing
        return TextLesson(rows, self.maker.place, tokenizer.pad, tokenizer.end, smoothing)

    def _lesson(self, feed: CaptionFeed) -> CaptionLesson:
        maker, tokenizer = self.maker, self.maker.tokenizer
        system, marks = maker.system, (tokenizer.pad, tokenizer.end)
        tasks = joint_tasks(maker)
        return CaptionLesson(feed, maker.place, *marks, system.loss.smoothing, system.joint.caption, tasks)

    def _exam(self, top: Top, held: CaptionFeed | None, keep: str) -> Exam | None:
        if held is None or keep == "last":
            return None
        metric = self.maker.system.train.score
        return CaptionExam(self._lesson(held), self._scorer(top, held, metric) if metric else None)

    def _scorer(self, top: Top, held: CaptionFeed, metric: str) -> Callable[[nn.Module], float]:
        reward = Reward.of(metric, held.captions)

        def score(_: nn.Module) -> float:
            values = reward(greedy_captions(top.writer, held, self), held.captions)
            return sum(values) / max(len(values), 1)

        return score

    def _criticised(
        self,
        network: nn.Module,
        top: Top,
        plain: CaptionLesson,
        held: CaptionFeed | None,
        train: CaptionTrainSettings,
    ) -> Trained:
        maker, wanted = self.maker, self.maker.system.scst
        lesson = CriticalLesson(
            plain=plain,
            settings=wanted,
            tokenizer=maker.tokenizer,
            writer=top.writer,
            look=self.look,
            reward=Reward.of(wanted.metric, plain.feed.captions),
            longest=maker.system.generate.longest,
        )
        judged = held is not None and train.keep == "best"
        settings = replace(
            maker.system.train,
            epochs=wanted.epochs if self.critical_epochs is None else self.critical_epochs,
            batch=wanted.batch,
            lr=wanted.lr,
            warmup=0.0,
            schedule="constant",
            early_stop=0,
            watch="score",
            score=wanted.metric,
            keep="best" if judged else "last",
            compile=False,
        )
        exam = None
        if judged and held is not None:
            exam = CaptionExam(self._lesson(held), self._scorer(top, held, wanted.metric))
        return self._learnt("scst", network, lesson, settings, exam)

    @property
    def look(self) -> Callable[[torch.Tensor], torch.Tensor]:
        """From what a feed gives to feature maps."""
        return self.encoder.backbone if self.encoder.learns else _as_it_is

    def _learnt(
        self,
        stage: str,
        network: nn.Module,
        lesson: Lesson,
        settings: CaptionTrainSettings,
        exam: Exam | None,
    ) -> Trained:
        return learnt_stage(self.maker, self.name, stage, network, lesson, settings, exam)


def learnt_stage(
    maker: CaptionMaker,
    name: str,
    stage: str,
    network: nn.Module,
    lesson: Lesson,
    settings: CaptionTrainSettings,
    exam: Exam | None,
) -> Trained:
    """One stage of a training (`name` is first or refit), gone on with where one that was killed left it."""
    # text is the same for both trainings: the second begins with what the first has read
    folder = maker.folder.training / (stage if stage == "language" else f"{name}-{stage}")
    maker.talk.tell(f"{stage}: {counted(settings.epochs, 'epoch')} over {len(lesson):,}")
    trained = learn(
        network,
        lesson,
        settings,
        maker.place,
        exam=exam,
        folder=CheckpointFolder(folder, maker.fingerprint),
        observe=_observer(maker, folder, settings),
    )
    if maker.place.is_first:
        log = "log.csv" if (name, stage) == ("first", "captions") else f"log-{name}-{stage}.csv"
        with replacing(maker.folder.path / log) as part:
            part.write_text(trained.history.to_csv(), encoding="utf-8")
    if trained.stopped == "no number":
        maker.talk.tell(f"{stage}: the loss became no number; the last good weights are kept. Lower lr.")
    return trained


def _observer(
    maker: CaptionMaker, folder: Path, settings: CaptionTrainSettings
) -> Callable[[EpochRow], None]:
    talk = replace(maker.talk, score=settings.score)
    draw = None if talk.board is None else board_writer(talk.board / folder.name)

    def observe(row: EpochRow) -> None:
        talk.epoch(row, settings.epochs)
        if draw is not None:
            draw(row)

    return observe


def joint_tasks(maker: CaptionMaker) -> dict[str, Task]:
    """The tasks beside the caption that have a weight, and labels to learn."""
    weights = {name: float(getattr(maker.system.joint, name)) for name in JOINT}
    wanted = [name for name, weight in weights.items() if weight and task_labels(name, maker.labels)]
    return {name: _task(name, weights[name], maker.labels, maker.place.device) for name in wanted}


def _task(name: str, weight: float, labels: tuple[Cui, ...], device: torch.device) -> Task:
    asked = task_labels(name, labels)
    if name != TYPES:
        columns = torch.tensor([labels.index(cui) for cui in asked], device=device)
        return Task(weight, columns, one_of=JOINT[name] is not None)
    rows = [[float(one in own) for one in asked] for own in semantic_types_of(labels)]
    return Task(weight, torch.arange(len(labels), device=device), kinds=torch.tensor(rows, device=device))


@torch.no_grad()
def greedy_captions(writer: AnyWriter, feed: CaptionFeed, course: Course, batch: int = 256) -> list[str]:
    """The likeliest words for each place of a feed, one after another."""
    maker, tokenizer = course.maker, course.maker.tokenizer
    settings = GenerateSettings(method="greedy", shortest=1, longest=maker.system.generate.longest)
    was_training = writer.training
    writer.eval()
    found: list[str] = []
    for start in range(0, len(feed), batch):
        places = torch.arange(start, min(start + batch, len(feed)), device=maker.place.device)
        one = feed.batch(places, None)
        with maker.place.autocast():
            memory = writer.memory(
                course.look(one.images), one.hints.concepts, one.hints.words, rows=len(places)
            )
            drafts = write(writer.decoder, memory, settings, marks_of(tokenizer))
        found += [tokenizer.decode(some[0].tokens) for some in drafts]
    writer.train(was_training)
    return found


def _as_it_is(features: torch.Tensor) -> torch.Tensor:
    return features
