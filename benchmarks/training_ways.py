"""What training costs on a GPU, one way a process; each prints one JSON value.

    python benchmarks/training_ways.py draw FOLDER --images 80091     files of the synthetic generator
    python benchmarks/training_ways.py plain FOLDER --batches 60      the loop one would write otherwise
    python benchmarks/training_ways.py look FOLDER MODEL              a trained network over cached pictures

`plain` is timm's EfficientNet-B0 behind a DataLoader: a worker for each core decodes, crops and flips with
Pillow and NumPy, and the network runs in bfloat16, channels last, with a fused Adam. Its first batches
do not count. `look` measures the network as it is, and compiled.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from PIL import Image

from radcap.core.processes import default_workers, in_processes
from radcap.datasets import load_dataset
from radcap.datasets.synthetic import synthetic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from radcap.datasets import Dataset
    from radcap.vision.training import PictureFeed, Place

SIDE, SIZE, CONCEPTS = 280, 224, 884
CHUNK = 250  # images a process draws at a time
FIRST = 10  # batches that fill queues and pick kernels, or as many as are measured


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("way", choices=["draw", "plain", "look"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--images", type=int, default=80_091)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--batches", type=int, default=60)
    asked = parser.parse_args()
    ways: dict[str, Callable[[], dict[str, Any]]] = {
        "draw": lambda: draw(asked.folder, asked.images),
        "plain": lambda: plain(asked.folder, asked.batch, asked.batches),
        "look": lambda: look(asked.folder, asked.model, asked.batches),
    }
    print(json.dumps(ways[asked.way]()))


def drawn(images: int) -> Dataset:
    return synthetic(images, size=SIDE, form="JPEG", concepts=CONCEPTS, splits={"train": 1.0})


class Draw:
    """Writes the images of a chunk of places; can be sent to a process."""

    def __init__(self, folder: Path, images: int) -> None:
        self.folder, self.images = folder, images

    def __call__(self, places: Sequence[int]) -> int:
        data = drawn(self.images)
        for place in places:
            record = data[place]
            (self.folder / f"{record.id}.jpg").write_bytes(record.image.bytes)
        return len(places)


def draw(folder: Path, images: int) -> dict[str, Any]:
    """A dataset in the challenge's own layout: a folder of JPEG files and a table of concepts."""
    data, pictures = drawn(images), folder / "train"
    pictures.mkdir(parents=True, exist_ok=True)
    chunks = [range(start, min(start + CHUNK, images)) for start in range(0, images, CHUNK)]
    count = sum(in_processes(Draw(pictures, images), chunks, default_workers()))
    rows = zip(data.ids, data.column("cui").to_pylist(), strict=True)
    lines = [f"{one},{';'.join(cuis)}" for one, cuis in rows]
    # the table comes last: where it stands, all images do
    (folder / "train_concepts.csv").write_text("\n".join(["ID,CUIs", *lines, ""]), encoding="utf-8")
    return {"images": count}


class Files(torch.utils.data.Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Images and labels as a user's own Dataset would give them."""

    def __init__(self, folder: Path) -> None:
        table = (folder / "train_concepts.csv").read_text(encoding="utf-8").splitlines()[1:]
        rows = [line.split(",") for line in table]
        known = {cui: place for place, cui in enumerate(sorted({c for _, r in rows for c in r.split(";")}))}
        self.files = [folder / "train" / f"{one}.jpg" for one, _ in rows]
        self.labels = [[known[cui] for cui in cuis.split(";")] for _, cuis in rows]
        self.width = len(known)

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, place: int) -> tuple[torch.Tensor, torch.Tensor]:
        labels = torch.zeros(self.width)
        labels[self.labels[place]] = 1
        with Image.open(self.files[place]) as picture:
            return torch.from_numpy(changed(picture.convert("RGB"))).permute(2, 0, 1), labels


def changed(picture: Image.Image) -> np.ndarray:
    """A crop by lot, mirrored by lot."""
    left, top, across, down = torch.rand(4).tolist()
    corner = (int(left * (SIDE - SIZE + 1)), int(top * (SIDE - SIZE + 1)))
    square = picture.resize((SIDE, SIDE)).crop((*corner, corner[0] + SIZE, corner[1] + SIZE))
    pixels = np.asarray(square)
    return pixels[:: -1 if down < 0.5 else 1, :: -1 if across < 0.5 else 1].copy()


def plain(folder: Path, batch: int, batches: int) -> dict[str, Any]:
    """Images a second of the plain loop, after its first batches."""
    from radcap.vision.backbones.timm_networks import timm_module

    data, device = Files(folder), _device()
    loader = torch.utils.data.DataLoader(
        data,
        batch,
        shuffle=True,
        num_workers=default_workers(),
        pin_memory=device.type == "cuda",
        drop_last=True,
    )
    network = timm_module().create_model("efficientnet_b0", num_classes=data.width, drop_rate=0.2)
    network.to(device, memory_format=torch.channels_last)
    adam = torch.optim.Adam(network.parameters(), 1e-3, fused=device.type == "cuda")
    first, seen, started = min(FIRST, batches), 0, time.perf_counter()
    for number, (images, labels) in enumerate(islice(_forever(loader), first + batches)):
        if number == first:
            _wait(device)
            seen, started = 0, time.perf_counter()
        shown = images.to(device, non_blocking=True).to(memory_format=torch.channels_last).float()
        with torch.autocast(device.type, torch.bfloat16):
            logits = network((shown - 127) / 128).float()
        loss = torch.nn.functional.multilabel_soft_margin_loss(logits, labels.to(device, non_blocking=True))
        loss.backward()
        adam.step()
        adam.zero_grad()
        seen += len(images)
    _wait(device)
    return {"images_per_s": seen / (time.perf_counter() - started)}


def _forever(loader: torch.utils.data.DataLoader[Any]) -> Iterator[Any]:
    while True:
        yield from loader


@torch.inference_mode()
def look(folder: Path, model: Path, batches: int) -> dict[str, Any]:
    """Images a second of a trained network over pictures that are decoded."""
    from radcap.detection.models.folder import ModelFolder
    from radcap.detection.models.opening import load_network
    from radcap.vision.pictures import load_pictures
    from radcap.vision.training import PictureFeed, pick_place

    place, files = pick_place(), ModelFolder(model)
    system = files.system()
    pictures = load_pictures(load_dataset(folder), system.image, place.device)
    feed = PictureFeed(pictures, torch.zeros(len(pictures), 1, device=place.device), place.half)
    batch = min(1024, len(feed))
    network: Any = load_network(files, system, len(files.labels()))
    network.to(place.device, memory_format=torch.channels_last)
    ways = {"as it is": network}
    if place.device.type == "cuda":
        ways["compiled"] = torch.compile(network)
    told: dict[str, float] = {}
    logits: list[torch.Tensor] = []
    for name, way in ways.items():
        _looked(way, feed, place, batch, 2)  # picks kernels, compiles
        started = time.perf_counter()
        logits.append(_looked(way, feed, place, batch, batches))
        told[name] = batches * batch / (time.perf_counter() - started)
    gap = max(float((one - logits[0]).abs().max()) for one in logits)
    return {"images_per_s": told, "gap": gap, "batch": batch}


def _looked(network: Any, feed: PictureFeed, place: Place, batch: int, batches: int) -> torch.Tensor:  # noqa: ANN401
    """What the network says to the last of so many batches."""
    answered = torch.empty(0)
    for number in range(batches):
        places = torch.arange(number * batch, (number + 1) * batch, device=place.device) % len(feed)
        images, _ = feed.batch(places, None)
        with place.autocast():
            answered = network(images).float()
    _wait(place.device)
    return answered


def _device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
