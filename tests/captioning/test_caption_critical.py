"""Self-critical training: what is better becomes likelier, and what is worse less likely."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from captioning_samples_training import CPU, WIDTH, known_backbone, make_tiny
from torch import nn

from radcap.captioning.decoders import make_decoder
from radcap.captioning.hints import Hints
from radcap.captioning.network import CaptionNetwork, Top
from radcap.captioning.settings import DecoderSettings, ScstSettings
from radcap.captioning.tokens import train_bpe
from radcap.captioning.training.critical import CriticalLesson, critical_loss, log_probabilities
from radcap.captioning.training.feeds import CaptionBatch, token_rows
from radcap.captioning.training.lessons import IGNORED, CaptionLesson, targets_of
from radcap.captioning.writer import Writer
from radcap.vision.pictures import Chance
from radcap.vision.settings import BackboneSettings

__all__ = ["known_backbone"]

CAPTIONS = ("aa", "ab", "ba", "bb")
TOKENIZER = train_bpe(CAPTIONS, 260)
LONGEST = 6
ALIKE = torch.ones(4, WIDTH, 2, 2)


def test_log_probabilities_are_summed_over_the_tokens_that_count() -> None:
    logits = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    targets = torch.tensor([[4, 0, IGNORED], [1, IGNORED, IGNORED]])
    wanted = [
        sum(
            row[place] - math.log(sum(map(math.exp, row)))
            for row, place in zip(rows, places, strict=True)
            if place != IGNORED
        )
        for rows, places in zip(logits.double().tolist(), targets.tolist(), strict=True)
    ]
    torch.testing.assert_close(log_probabilities(logits, targets), torch.tensor(wanted))


def test_the_loss_by_hand() -> None:
    log_p, rewards, baseline = (torch.tensor(one) for one in ([-1.0, -2.0], [3.0, 1.0], [1.0, 2.0]))
    # -(2 x -1) = 2 and -(-1 x -2) = -2, whose mean is 0; a better second sample costs 2 more
    assert float(critical_loss(log_p, rewards, baseline)) == 0.0
    assert float(critical_loss(log_p, torch.tensor([3.0, 3.0]), baseline)) == 2.0


def test_the_gradient_is_the_policy_gradient_written_out() -> None:
    """d loss / d logit = -(r - b) / n x (one of the token - softmax), at each token that counts."""
    logits = torch.randn(3, 4, 6, generator=torch.Generator().manual_seed(1), requires_grad=True)
    targets = torch.tensor([[1, 2, 3, IGNORED], [5, 0, IGNORED, IGNORED], [4, 4, 4, 4]])
    rewards, baseline = torch.tensor([1.0, 0.2, 0.5]), torch.tensor([0.4, 0.9, 0.5])
    critical_loss(log_probabilities(logits, targets), rewards, baseline).backward()
    wanted = torch.zeros_like(logits)
    chances = logits.detach().softmax(dim=-1)
    for row in range(3):
        for place in range(4):
            token = int(targets[row, place])
            if token != IGNORED:
                chosen = torch.zeros(6)
                chosen[token] = 1.0
                worth = float(rewards[row] - baseline[row])
                wanted[row, place] = -worth / 3 * (chosen - chances[row, place])
    assert logits.grad is not None
    torch.testing.assert_close(logits.grad, wanted)


class Liking:
    """A reward that is known: 1 for captions that begin with a sign, -1 for the rest."""

    def __init__(self, sign: str, scale: float = 1.0) -> None:
        self.sign, self.scale = sign, scale
        self.heard: list[tuple[list[str], list[str]]] = []

    def __call__(self, captions: list[str], references: list[str]) -> list[float]:
        self.heard.append((list(captions), list(references)))
        return [self.scale * (1.0 if one.startswith(self.sign) else -1.0) for one in captions]


class Lot:
    """A feed of feature maps, with a hint and words for those who ask."""

    def __init__(self, images: torch.Tensor, hints: Hints | None = None) -> None:
        self.images, self.captions, self.given = images, CAPTIONS, hints or Hints()
        self.tokens = token_rows(CAPTIONS, TOKENIZER, LONGEST)
        self.labels = torch.zeros(len(CAPTIONS), 1)

    def __len__(self) -> int:
        return len(CAPTIONS)

    def batch(self, places: torch.Tensor, chance: Any) -> CaptionBatch:
        def of(one: torch.Tensor | None) -> torch.Tensor | None:
            return None if one is None else one[places]

        hints = Hints(of(self.given.concepts), of(self.given.words))
        return CaptionBatch(self.images[places], self.tokens[places], self.labels[places], hints)


def a_top(drop: float = 0.0, kind: str = "gru") -> Top:
    torch.manual_seed(0)
    settings = DecoderSettings(kind=kind, width=12, layers=1, heads=2, longest=12, drop=drop, attention=False)
    return Top(Writer(make_decoder(settings, TOKENIZER.size), WIDTH, 3, pad=TOKENIZER.pad))


def a_lesson(
    top: Top, reward: Any, look: Any = None, feed: Lot | None = None, longest: int = LONGEST, **keys: Any
) -> CriticalLesson:
    dice = torch.Generator().manual_seed(2)
    lot: Any = feed or Lot(torch.randn(4, WIDTH, 2, 2, generator=dice))
    plain = CaptionLesson(lot, CPU, TOKENIZER.pad, TOKENIZER.end)
    settings = replace(ScstSettings(top_k=0), **keys)
    eyes = look or (lambda images: images)
    return CriticalLesson(plain, settings, TOKENIZER, top.writer, eyes, reward, longest)


def chances(top: Top, lesson: CriticalLesson, texts: list[str]) -> torch.Tensor:
    """Log probability of each text (columns) for each image (rows)."""
    batch = lesson.plain.feed.batch(torch.arange(4), None)
    rows = token_rows(texts, TOKENIZER, LONGEST)
    found: list[torch.Tensor] = []
    with torch.no_grad():
        for row in rows:
            tokens = row.expand(4, -1)
            told = top(batch.images, tokens[:, :-1])["caption"]
            found.append(log_probabilities(told, targets_of(tokens, TOKENIZER.pad, TOKENIZER.end)))
    return torch.stack(found, dim=1)


def first_signs(top: Top, lesson: CriticalLesson) -> torch.Tensor:
    """The probability that a caption begins with a."""
    batch = lesson.plain.feed.batch(torch.arange(4), None)
    begin = torch.full((4, 1), TOKENIZER.begin)
    with torch.no_grad():
        logits = top(batch.images, begin)["caption"][:, 0]
    return logits.softmax(dim=1)[:, TOKENIZER.encode("a")[0]]


def learn_to_say_a_or_b(top: Top) -> None:
    """A few steps of cross-entropy, so that samples begin with a or b about evenly: the images are alike."""
    lesson = a_lesson(top, Liking("a"), feed=Lot(ALIKE))
    optimiser = torch.optim.Adam(top.parameters(), 3e-2)
    for _ in range(40):
        optimiser.zero_grad()
        lesson.plain.loss_of(top, lesson.plain.feed.batch(torch.arange(4), cast("Any", None))).backward()
        optimiser.step()


@pytest.mark.parametrize(
    "keys",
    [
        {"baseline": "greedy", "samples": 1},
        {"baseline": "greedy", "samples": 4},
        {"baseline": "mean", "samples": 4},
    ],
    ids=lambda keys: f"{keys['baseline']} of {keys['samples']}",
)
@pytest.mark.parametrize("liked", ["a", "b"])
def test_what_is_rewarded_becomes_likelier_under_both_baselines(keys: dict[str, Any], liked: str) -> None:
    top = a_top()
    learn_to_say_a_or_b(top)
    lesson = a_lesson(top, Liking(liked), feed=Lot(ALIKE), **keys)
    optimiser = torch.optim.SGD(top.parameters(), 0.05)
    before = first_signs(top, lesson).mean()
    assert 0.3 < before < 0.7
    for step in range(12):
        optimiser.zero_grad()
        lesson.loss(top, torch.arange(4), Chance.of(0, step, CPU.device)).backward()
        optimiser.step()
    after = first_signs(top, lesson).mean()
    assert (after > before + 0.02) if liked == "a" else (after < before - 0.02)


@pytest.mark.parametrize("baseline", ["greedy", "mean"])
@pytest.mark.parametrize("scale", [1.0, -1.0], ids=["better", "worse"])
def test_one_step_moves_the_sample_itself(baseline: str, scale: float, monkeypatch: Any) -> None:
    """One image, samples that are given: the one above the baseline rises, those below fall."""
    top = a_top()
    samples = 1 if baseline == "greedy" else 2
    reward = Liking("a", scale)
    lesson = a_lesson(top, reward, baseline=baseline, samples=samples)
    texts = ["ab", "ba"][:samples]
    rows = token_rows(texts, TOKENIZER, LONGEST)
    monkeypatch.setattr(CriticalLesson, "_written", lambda *_: (rows, ["ba"]))
    before = chances(top, lesson, texts)[0]
    lesson.loss(top, torch.tensor([0]), Chance.of(0, 0, CPU.device)).backward()
    with torch.no_grad():
        for weight in top.parameters():
            if weight.grad is not None:
                weight.sub_(weight.grad, alpha=1e-3)
    moved = chances(top, lesson, texts)[0] - before
    assert moved[0] * scale > 0
    if samples == 2:
        assert moved[1] * scale < 0
    assert lesson.seen == [-scale]


def test_the_whole_loss_is_that_of_its_samples() -> None:
    """The same draws, scored and summed by hand."""
    top = a_top().eval()
    reward = Liking("a")
    lesson = a_lesson(top, reward, samples=3)
    places = torch.tensor([1, 3])
    loss = lesson.loss(top, places, Chance.of(5, 0, CPU.device))
    batch = lesson.plain.feed.batch(places, cast("Any", None))
    tokens, greedy = lesson._written(batch, Chance.of(5, 0, CPU.device))
    texts = [TOKENIZER.decode(row[1:]) for row in tokens.tolist()]
    assert reward.heard[0] == ([*texts, *greedy], [*["ab"] * 3, *["bb"] * 3, "ab", "bb"])
    told = top(batch.images.repeat_interleave(3, dim=0), tokens[:, :-1])["caption"].detach().log_softmax(-1)
    total = 0.0
    for row, text in enumerate(texts):
        worth = Liking("a")([text], [""])[0] - Liking("a")([greedy[row // 3]], [""])[0]
        line = tokens[row, 1:].tolist()
        length = line.index(TOKENIZER.end) + 1 if TOKENIZER.end in line else len(line)
        log_p = sum(float(told[row, at, line[at]]) for at in range(min(length, LONGEST)))
        total += -worth * log_p
    assert float(loss.detach()) == pytest.approx(total / 6, rel=1e-4, abs=1e-6)
    assert len(lesson) == 4
    assert lesson.labels is lesson.plain.labels


def test_an_end_that_was_forced_teaches_nothing() -> None:
    """All captions are as long as they may be: nothing is drawn but the end, which was not chosen."""
    top = a_top().eval()
    with torch.no_grad():  # the end is never said
        name, bias = next((k, v) for k, v in top.named_parameters() if v.shape == (TOKENIZER.size,))
        bias[TOKENIZER.end] = -30.0
    lesson = a_lesson(top, Liking("a"), longest=2)
    tokens, _ = lesson._written(
        lesson.plain.feed.batch(torch.arange(4), cast("Any", None)), Chance.of(0, 0, CPU.device)
    )
    assert (tokens[:, 3] == TOKENIZER.end).all()
    log_p = lesson._log_p(top, lesson.plain.feed.batch(torch.arange(4), cast("Any", None)), tokens)
    assert name
    assert (log_p > -25).all()


def test_a_part_of_the_loss_may_stay_cross_entropy() -> None:
    top, places, chance = a_top().eval(), torch.arange(4), Chance.of(0, 0, CPU.device)
    critical = a_lesson(top, Liking("a"))
    own = critical.loss(top, places, Chance.of(0, 0, CPU.device))
    plain = critical.plain.loss(top, places, chance)
    mixed = a_lesson(top, Liking("a"), mix=0.25).loss(top, places, Chance.of(0, 0, CPU.device))
    assert float(mixed.detach()) == pytest.approx(0.75 * float(own.detach()) + 0.25 * float(plain.detach()))


def test_hints_are_repeated_with_their_images() -> None:
    top = a_top().eval()
    images = torch.randn(4, WIDTH, 2, 2, generator=torch.Generator().manual_seed(2))
    hints = Hints(torch.tensor([[0], [1], [2], [-1]]), torch.tensor([[5], [6], [7], [TOKENIZER.pad]]))
    lesson = a_lesson(top, Liking("a"), feed=Lot(images, hints), samples=2, baseline="mean")
    asked: list[tuple[torch.Tensor, ...]] = []

    def module(*given: torch.Tensor) -> dict[str, torch.Tensor]:
        asked.append(given)
        return top(*given)

    lesson.loss(module, torch.tensor([2, 0]), Chance.of(0, 0, CPU.device))
    _, _, concepts, words = asked[0]
    assert concepts.tolist() == [[2], [2], [0], [0]]
    assert words.tolist() == [[7], [7], [5], [5]]


def test_draws_are_those_of_the_epoch() -> None:
    top = a_top().eval()
    lesson = a_lesson(top, Liking("a"))
    batch = lesson.plain.feed.batch(torch.arange(4), cast("Any", None))
    first, again, other = (lesson._written(batch, Chance.of(0, epoch, CPU.device))[0] for epoch in (0, 0, 1))
    assert torch.equal(first, again)
    assert first.shape != other.shape or not torch.equal(first, other)


def test_while_it_writes_the_network_neither_drops_nor_counts() -> None:
    """The norms of a backbone that learns keep their counts, and everything learns again afterwards."""
    backbone, top = make_tiny(BackboneSettings(), size=32), a_top(drop=0.5)
    network = CaptionNetwork(backbone, top).train()
    pixels = torch.rand(4, 3, 32, 32, generator=torch.Generator().manual_seed(0)) * 255
    lesson = a_lesson(top, Liking("a"), look=backbone, feed=Lot(pixels))
    norm = next(one for one in backbone.modules() if isinstance(one, nn.BatchNorm2d))
    batch = lesson.plain.feed.batch(torch.arange(4), cast("Any", None))
    counts = norm.num_batches_tracked
    assert counts is not None
    before = int(counts)
    drafts = [lesson._written(batch, Chance.of(0, 0, CPU.device)) for _ in range(2)]
    assert int(counts) == before
    assert torch.equal(drafts[0][0], drafts[1][0])
    assert drafts[0][1] == drafts[1][1]
    assert all(one.training for one in network.modules())
    top.writer.eval()
    lesson._written(batch, Chance.of(0, 0, CPU.device))
    assert not top.writer.training


def test_a_caption_that_never_ends_is_all_its_tokens() -> None:
    lesson = a_lesson(a_top(), Liking("a"))
    ids = TOKENIZER.encode("ab")
    assert lesson._text(ids) == "ab"
    assert lesson._text([*ids, TOKENIZER.end, *ids]) == "ab"
    other = SimpleNamespace(decode=list, end=9)
    assert replace(lesson, tokenizer=cast("Any", other))._text([1, 2]) == [1, 2]
