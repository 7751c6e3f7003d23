"""What learning and writing captions costs, radcap beside plain loops, in one process; prints one JSON value.

    python benchmarks/captioning_ways.py --size small --device cpu

The captions are the composed ones of radiology-open. The feature maps are made up from a seed: each holds the
words of its caption, as a network's would, and noise. So nothing is downloaded, and captions that are written
differ. Invariant: both ways begin with the same weights and see the same features and captions.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any, cast

import torch
from captioning_sizes import SIZES
from plain_captioning import learn_plainly, write_plainly

from radcap.captioning.building import make_top
from radcap.captioning.generation import Marks, marks_of, write
from radcap.captioning.settings import (
    CaptionTrainSettings,
    DecoderSettings,
    GenerateSettings,
    ScstSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.tokens import Tokenizer, train_bpe
from radcap.captioning.training.critical import CriticalLesson
from radcap.captioning.training.feeds import CaptionFeed, token_rows
from radcap.captioning.training.lessons import CaptionLesson
from radcap.captioning.training.rewards import Reward
from radcap.core import RadcapError
from radcap.datasets import load_dataset
from radcap.vision.training import FeatureFeed, Place, learn, pick_place

if TYPE_CHECKING:
    from captioning_sizes import Size

    from radcap.captioning.network import Top
    from radcap.captioning.writer import Writer

SEED, SMOOTHING = 2025, 0.1
TOGETHER = {"cpu": 8, "cuda": 256}  # images that `radcap predict` writes about at once
ZOO = ("zoo:captions", "zoo:captions-lm")


@dataclass(frozen=True)
class Bench:
    """Captions, made-up features and settings of one size."""

    size: Size
    place: Place

    @cached_property
    def captions(self) -> list[str]:
        images = load_dataset("radiology-open", "train")[: self.size.images]
        parts = images.column("captions").to_pylist()
        return [next(one["text"] for one in some if one["source"] == "composed") for some in parts]

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return train_bpe(self.captions, self.size.tokens)

    @cached_property
    def tokens(self) -> torch.Tensor:
        return token_rows(self.captions, self.tokenizer, self.size.longest)

    @cached_property
    def features(self) -> torch.Tensor:
        """On the host, in single precision: a vector for each word, summed up, and noise in each place."""
        size, dice = self.size, torch.Generator().manual_seed(SEED)
        words = {word: place for place, word in enumerate(sorted({*" ".join(self.captions).split()}))}
        vectors = torch.randn(len(words), size.seen, generator=dice)
        maps = torch.randn(len(self.captions), size.seen, size.grid, size.grid, generator=dice)
        for place, caption in enumerate(self.captions):
            maps[place] += vectors[[words[word] for word in caption.split()]].sum(dim=0)[:, None, None]
        return maps

    @property
    def marks(self) -> Marks:
        return marks_of(self.tokenizer)

    @property
    def learning(self) -> CaptionTrainSettings:
        size = self.size
        return CaptionTrainSettings(size.epochs, size.batch, lr=7e-4, schedule="constant", keep="last")

    @property
    def writing(self) -> GenerateSettings:
        size = self.size
        return GenerateSettings(method="beam", beams=4, shortest=size.shortest, longest=size.longest)

    def top(self) -> Top:
        """The same first weights each time."""
        torch.manual_seed(SEED)
        size = self.size
        decoder = DecoderSettings(
            width=size.width, layers=size.layers, heads=size.heads, drop=0.1, longest=size.longest
        )
        system = CaptionSystem(name="speed", task="captions", decoder=decoder)
        return make_top(system, self.tokenizer, (), size.seen).to(self.place.device)

    def lesson(self, images: int) -> CaptionLesson:
        """The first images with their captions, where and as radcap keeps them."""
        place, chosen = self.place, slice(images)
        features = self.features[chosen].to(place.device)
        kept = FeatureFeed(
            features.half() if place.half else features, torch.zeros(len(features), 1, device=place.device)
        )
        feed = CaptionFeed(kept, self.tokens[chosen].to(place.device), self.captions[chosen])
        return CaptionLesson(feed, place, self.tokenizer.pad, self.tokenizer.end, SMOOTHING)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    place = pick_place(asked.device)
    bench = Bench(SIZES[asked.size], place)
    top, learnt = learn_both(bench)
    told = {
        "device": torch.cuda.get_device_name() if place.device.type == "cuda" else "CPU",
        "precision": place.precision,
        "threads": torch.get_num_threads(),
        "weights": sum(one.numel() for one in top.parameters()),
        "tokens": bench.tokenizer.size,
        "learn": learnt,
        "write": write_all(bench, top),  # before rewards change the weights
        "reward": reward(bench, top),
        "answer": {name: answer(name, bench) for name in ZOO},
    }
    print(json.dumps(told))


def learn_both(bench: Bench) -> tuple[Top, dict[str, Any]]:
    """Images a second and the last loss of both loops; the top is the one that radcap taught."""
    plain, last = learn_plainly(
        bench.top(),
        bench.features,
        bench.tokens,
        bench.learning,
        bench.place.device,
        pad=bench.tokenizer.pad,
        smoothing=SMOOTHING,
    )
    top = bench.top()
    rows = learn(top, bench.lesson(bench.size.images), bench.learning, bench.place).history.rows
    ours = median(row.images_per_s for row in rows[1:])
    return top, {
        "plain": {"images_per_s": plain, "loss": last},
        "radcap": {"images_per_s": ours, "loss": rows[-1].loss},
    }


def write_all(bench: Bench, top: Top) -> dict[str, Any]:
    """Captions a second of each way, and the share that equal those of the plain loop."""
    features, top = bench.features[: bench.size.written].to(bench.place.device), top.eval()
    whole = replace(bench.place, precision="fp32")
    ways = {
        "plain": lambda some: write_plainly(cast("Writer", top.writer), some, bench.writing, bench.marks),
        "fp32": lambda some: write_together(bench, top, some, whole),
    }
    if bench.place.precision != "fp32":
        ways["radcap"] = lambda some: write_together(bench, top, some, bench.place)
    told: dict[str, Any] = {}
    found: dict[str, list[tuple[int, ...]]] = {}
    for name, way in ways.items():
        way(features[:1] if name == "plain" else features)  # kernels are picked before the clock runs
        _wait(bench.place)
        started = time.perf_counter()
        found[name] = way(features)
        _wait(bench.place)
        seconds = time.perf_counter() - started
        alike = [one == other for one, other in zip(found[name], found["plain"], strict=True)]
        told[name] = {"captions_per_s": len(features) / seconds, "alike": sum(alike) / len(alike)}
    lengths = [len(one) for one in found["plain"]]
    return {**told, "tokens": sum(lengths) / len(lengths), "distinct": len({*found["plain"]})}


@torch.no_grad()
def write_together(bench: Bench, top: Top, features: torch.Tensor, place: Place) -> list[tuple[int, ...]]:
    """The best caption of each image, as a captioner writes them: a batch at a time, keys and values kept."""
    found: list[tuple[int, ...]] = []
    for some in features.split(TOGETHER[place.device.type]):
        with place.autocast():
            memory = top.writer.memory(some, rows=len(some))
            drafts = write(top.writer.decoder, memory, bench.writing, bench.marks)
        found += [one[0].tokens for one in drafts]
    return found


def reward(bench: Bench, top: Top) -> dict[str, float]:
    """Images a second of self-critical training by CIDEr against the greedy caption."""
    plain = bench.lesson(bench.size.rewarded)
    lesson = CriticalLesson(
        plain=plain,
        settings=ScstSettings(batch=bench.size.batch),
        tokenizer=bench.tokenizer,
        writer=top.writer,
        look=lambda features: features,
        reward=Reward.of("cider", plain.feed.captions),
        longest=bench.size.longest,
    )
    settings = replace(bench.learning, epochs=2, lr=1e-5)
    rows = learn(top, lesson, settings, bench.place).history.rows
    return {"images_per_s": rows[-1].images_per_s}


def answer(name: str, bench: Bench) -> dict[str, Any]:
    """Seconds to open a captioner, and images a second from files to captions; or why it cannot be asked."""
    from radcap.systems.predicting import opened_model

    slow = name.endswith("-lm")
    images = bench.size.answered_slowly if slow else bench.size.answered
    data = load_dataset("radiology-open", "test")[:images]
    try:
        started = time.perf_counter()
        model = opened_model(name, bench.place.device.type)
        opened = time.perf_counter() - started
    except RadcapError as error:
        return {"why": str(error)}
    model.answers(data[:1])
    started = time.perf_counter()
    found = model.answers(data)
    seconds = time.perf_counter() - started
    return {"images": len(found.ids), "opened_s": opened, "images_per_s": len(data) / seconds}


def _wait(place: Place) -> None:
    if place.device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
