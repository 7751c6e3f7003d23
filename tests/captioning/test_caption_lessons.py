"""The losses of captions and joint tasks, against loops written out, and what exams say."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from captioning_samples_training import CPU, known_backbone
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.captioning.settings import ConditionSettings
from radcap.captioning.training.feeds import CaptionFeed
from radcap.captioning.training.lessons import (
    IGNORED,
    CaptionExam,
    CaptionLesson,
    Task,
    TextExam,
    TextLesson,
    caption_loss,
    targets_of,
)
from radcap.vision.pictures import Chance
from radcap.vision.training import FeatureFeed

__all__ = ["known_backbone"]

PAD, BEGIN, END, SIZE = 0, 1, 2, 7


def plain_targets(row: list[int], pad: int, end: int) -> list[int]:
    """Token by token: up to the first end, and for it; pads never count unless they are that end."""
    found: list[int] = []
    for token in row[1:]:
        is_over = end in found
        found.append(IGNORED if is_over or (token == pad and token != end) else token)
    return found


def plain_loss(logits: torch.Tensor, targets: list[list[int]], smoothing: float) -> float:
    """Mean over the tokens that count of (1 - s) x -log p(right) + s x the mean of -log p over all."""
    losses: list[float] = []
    for row, wanted in zip(logits.double().tolist(), targets, strict=True):
        for scores, target in zip(row, wanted, strict=True):
            if target != IGNORED:
                top = max(scores)
                total = top + math.log(sum(math.exp(one - top) for one in scores))
                all_of_them = sum(total - one for one in scores) / len(scores)
                losses.append((1 - smoothing) * (total - scores[target]) + smoothing * all_of_them)
    return sum(losses) / len(losses)


@pytest.mark.parametrize("end", [END, PAD], ids=["marks apart", "pad is end"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_the_loss_is_that_of_the_tokens_that_are_there(end: int, smoothing: float) -> None:
    tokens = torch.tensor(
        [
            [BEGIN, 3, 4, 5, end, PAD, PAD],
            [BEGIN, 6, end, PAD, PAD, PAD, PAD],
            [BEGIN, 3, 3, 4, 4, 5, 6],  # cut at the longest: it has no end
            [BEGIN, end, PAD, PAD, PAD, PAD, PAD],
        ]
    )
    logits = torch.randn(4, 6, SIZE, generator=torch.Generator().manual_seed(0)) * 2
    wanted = [plain_targets(row, PAD, end) for row in tokens.tolist()]
    assert wanted[0] == [3, 4, 5, end, IGNORED, IGNORED]
    assert wanted[1] == [6, end, *[IGNORED] * 4]
    assert wanted[2] == [3, 3, 4, 4, 5, 6]
    targets = targets_of(tokens, PAD, end)
    assert targets.tolist() == wanted
    loss = caption_loss(logits, targets, smoothing)
    assert float(loss) == pytest.approx(plain_loss(logits, wanted, smoothing), rel=1e-5)


@given(
    rows=st.lists(st.lists(st.integers(3, 6), max_size=5), min_size=1, max_size=4),
    end=st.sampled_from([PAD, END]),
)
def test_targets_are_the_caption_and_one_end_in_any_batch(rows: list[list[int]], end: int) -> None:
    width = max(map(len, rows)) + 2
    tokens = [([BEGIN, *row, end] + [PAD] * width)[:width] for row in rows]
    targets = targets_of(torch.tensor(tokens), PAD, end).tolist()
    assert [[one for one in row if one != IGNORED] for row in targets] == [[*row, end] for row in rows]
    assert targets == [plain_targets(row, PAD, end) for row in tokens]


@pytest.mark.parametrize("end", [PAD, END])
def test_what_comes_after_the_end_changes_neither_loss_nor_gradient(end: int) -> None:
    tokens = torch.tensor([[BEGIN, 3, end, PAD, PAD]])
    other = torch.tensor([[BEGIN, 3, end, 5, end]])
    logits = torch.randn(1, 4, SIZE, requires_grad=True)
    losses = [caption_loss(logits, targets_of(one, PAD, end), 0.1) for one in (tokens, other)]
    assert losses[0].detach() == losses[1].detach()
    losses[0].backward()
    assert logits.grad is not None
    assert logits.grad[:, 2:].abs().sum() == 0
    assert logits.grad[:, :2].abs().sum() > 0


def test_a_task_of_many_questions_is_binary_cross_entropy_over_its_columns() -> None:
    logits = torch.tensor([[0.3, -1.2], [2.0, 0.1]])
    labels = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    task = Task(2.0, torch.tensor([0, 2]))
    losses = [
        -math.log(p if wanted else 1 - p)
        for row, wants in ((logits[0], (1, 1)), (logits[1], (0, 0)))
        for p, wanted in zip(row.sigmoid().tolist(), wants, strict=True)
    ]
    assert float(task.loss(logits, labels)) == pytest.approx(sum(losses) / 4, rel=1e-5)


def test_a_choice_of_one_ignores_images_without_a_label() -> None:
    logits = torch.tensor([[0.3, -1.2], [2.0, 0.1], [-1.0, 0.5]], requires_grad=True)
    labels = torch.tensor([[9.0, 0.0, 1.0], [9.0, 0.0, 0.0], [9.0, 1.0, 0.0]])
    task = Task(1.0, torch.tensor([1, 2]), one_of=True)
    loss = task.loss(logits, labels)
    wanted = F.cross_entropy(logits[[0, 2]].detach(), torch.tensor([1, 0]))
    assert float(loss.detach()) == pytest.approx(float(wanted), rel=1e-6)
    loss.backward()
    assert logits.grad is not None
    assert logits.grad[1].abs().sum() == 0


def test_a_batch_without_any_such_label_costs_nothing_and_is_a_number() -> None:
    logits = torch.randn(2, 2, requires_grad=True)
    loss = Task(1.0, torch.tensor([0, 1]), one_of=True).loss(logits, torch.zeros(2, 2))
    assert float(loss.detach()) == 0.0
    loss.backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()


class Told:
    """A network that says what it was asked, and always the same."""

    def __init__(self, rows: int, width: int, tasks: dict[str, int]) -> None:
        dice = torch.Generator().manual_seed(3)
        self.caption = torch.randn(rows, width, SIZE, generator=dice)
        self.tasks = {name: torch.randn(rows, columns, generator=dice) for name, columns in tasks.items()}
        self.asked: list[tuple[Any, ...]] = []

    def __call__(self, images: Any, tokens: torch.Tensor, *hints: Any) -> Any:
        self.asked.append((images, tokens, *hints))
        rows = slice(None) if images is None else images.flatten(1)[:, 0].long()
        logits = self.caption[rows, : tokens.shape[1]]
        return logits if images is None else {"caption": logits} | {k: v[rows] for k, v in self.tasks.items()}


TOKENS = torch.tensor([[BEGIN, 3, 4, END], [BEGIN, 5, END, PAD], [BEGIN, END, PAD, PAD]])


def a_feed(rows: int = 3) -> CaptionFeed:
    """Features whose first number is the row, so that a network knows which it was shown."""
    features = torch.arange(rows).float().view(rows, 1, 1, 1).expand(rows, 2, 1, 1)
    labels = torch.tensor([[1, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=torch.uint8)
    tokens = TOKENS if rows == 3 else TOKENS.repeat(rows, 1)[:rows]
    labels = labels if rows == 3 else labels.repeat(rows, 1)[:rows]
    told = torch.eye(3).bool() if rows == 3 else None
    return CaptionFeed(FeatureFeed(features, labels), tokens, ["a", "b", "c"], told)


def test_the_joint_loss_is_the_weighted_sum_of_the_tasks() -> None:
    tasks = {
        "concepts": Task(20.0, torch.tensor([0, 1, 2])),
        "modality": Task(0.3, torch.tensor([0, 1]), one_of=True),
    }
    lesson = CaptionLesson(a_feed(), CPU, PAD, END, 0.1, 0.5, tasks)
    network = Told(3, 3, {"concepts": 3, "modality": 2})
    loss = lesson.loss(network, torch.tensor([2, 0]), Chance.of(0, 0, CPU.device))
    rows = [2, 0]
    targets = [plain_targets(TOKENS[one].tolist(), PAD, END) for one in rows]
    labels = a_feed().labels[rows].float()
    caption = plain_loss(network.caption[rows], targets, 0.1)
    concepts = F.binary_cross_entropy_with_logits(network.tasks["concepts"][rows], labels)
    modality = F.cross_entropy(network.tasks["modality"][[0]], torch.tensor([0]))  # 2 has none
    assert float(loss) == pytest.approx(
        0.5 * caption + 20 * float(concepts) + 0.3 * float(modality), rel=1e-5
    )
    (images, tokens, concepts_told, words) = network.asked[0]
    assert images[:, 0, 0, 0].tolist() == [2.0, 0.0]
    assert torch.equal(tokens, TOKENS[rows][:, :-1])
    assert sorted(concepts_told[0].tolist()) == [-1, -1, 2]
    assert words is None
    assert len(lesson) == 3
    assert torch.equal(lesson.labels, a_feed().labels)


def test_without_tasks_the_caption_is_all() -> None:
    network = Told(3, 3, {})
    lesson = CaptionLesson(a_feed(), CPU, PAD, END)
    loss = lesson.loss(network, torch.arange(3), Chance.of(0, 0, CPU.device))
    targets = [plain_targets(row, PAD, END) for row in TOKENS.tolist()]
    assert float(loss) == pytest.approx(plain_loss(network.caption, targets, 0.0), rel=1e-5)


def test_text_alone_is_learnt_over_nothing() -> None:
    network, lesson = Told(3, 3, {}), TextLesson(TOKENS, CPU, PAD, END, 0.1)
    loss = lesson.loss(network, torch.arange(3), Chance.of(0, 0, CPU.device))
    targets = [plain_targets(row, PAD, END) for row in TOKENS.tolist()]
    assert float(loss) == pytest.approx(plain_loss(network.caption, targets, 0.1), rel=1e-5)
    assert network.asked[0][0] is None
    assert len(lesson) == len(lesson.labels) == 3


@pytest.mark.parametrize("rows", [3, 100])
def test_an_exam_is_the_cross_entropy_per_token_whatever_the_batches(rows: int) -> None:
    network: Any = Told(rows, 3, {})
    feed = a_feed(rows)
    lesson = CaptionLesson(feed, CPU, PAD, END, smoothing=0.4)  # of which an exam knows nothing
    loss, score = CaptionExam(lesson)(network)
    targets = [plain_targets(row, PAD, END) for row in feed.tokens.tolist()]
    wanted = plain_loss(network.caption, targets, 0.0)
    assert loss == pytest.approx(wanted, rel=1e-5)
    assert score is None
    assert CaptionExam(lesson, lambda asked: 0.25 if asked is network else 0.0)(network)[1] == 0.25
    assert len(network.asked) == 2 * math.ceil(rows / 64)


def test_an_exam_of_text() -> None:
    class Reader(Told):
        """The same for every row, since text has no image to tell rows apart."""

        def __call__(self, images: Any, tokens: torch.Tensor, *hints: Any) -> Any:
            return self.caption[:1, : tokens.shape[1]].expand(len(tokens), -1, -1)

    network: Any = Reader(1, 3, {})
    tokens = TOKENS.repeat(30, 1)
    loss, score = TextExam(TextLesson(tokens, CPU, PAD, END, 0.3))(network)
    targets = [plain_targets(row, PAD, END) for row in TOKENS.tolist()]
    wanted = plain_loss(network.caption.expand(3, -1, -1), targets, 0.0)
    assert (loss, score) == (pytest.approx(wanted, rel=1e-5), None)
    assert TextExam(TextLesson(tokens[:0], CPU, PAD, END))(network) == (0.0, None)


def test_hints_are_drawn_for_a_lesson_and_exact_for_an_exam() -> None:
    network: Any = Told(3, 3, {})
    plain = a_feed()
    condition = ConditionSettings(drop=1.0)
    feed = CaptionFeed(plain.images, plain.tokens, plain.captions, plain.told, condition=condition)
    lesson = CaptionLesson(feed, CPU, PAD, END)
    lesson.loss(network, torch.arange(3), Chance.of(0, 0, CPU.device))
    CaptionExam(lesson)(network)
    learnt, examined = (one[2] for one in network.asked)
    assert (learnt == -1).all()
    assert (examined >= 0).sum() == 3
