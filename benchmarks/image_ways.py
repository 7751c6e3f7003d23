"""The pieces of work that `bench_images.py` compares, each timed in a process of its own.

Invariant: every way ends with the same figures at the same size: plain Pillow decodes whole and resamples
once with the same filter, into the same kind of file.

    python benchmarks/image_ways.py WAY FIGURES OUT [--rows N --size N --workers N --batches N]
"""

from __future__ import annotations

import argparse
import multiprocessing
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image
from work import show_work

from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.datasets.images import ImageCache, cache_images
from radcap.datasets.stores.folder import FolderImages

if TYPE_CHECKING:
    from collections.abc import Sequence

BATCH = 64


def dataset_of(figures: Path, rows: int) -> Dataset:
    """So many records; where there are fewer files, they come round again under other ids."""
    names = sorted(path.name for path in figures.iterdir())
    keys = [names[place % len(names)] for place in range(rows)]
    ids = [f"figure{place:07d}" for place in range(rows)]
    return Dataset("figures", make_table({"image_id": ids, "image": keys}, rows), FolderImages(figures))


def plain_square(path: Path, square: np.ndarray) -> None:
    """The usual four lines with Pillow."""
    size = len(square)
    with Image.open(path) as file:
        image = file.convert("RGB")
    scale = size / max(image.size)
    image = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.BICUBIC)
    top, left = (size - image.height) // 2, (size - image.width) // 2
    square[top : top + image.height, left : left + image.width] = np.asarray(image)


def build_plain(asked: argparse.Namespace) -> list[float]:
    paths = sorted(asked.figures.iterdir())
    shape = (asked.rows, asked.size, asked.size, 3)
    pixels = np.lib.format.open_memmap(asked.out / "plain.npy", "w+", np.uint8, shape)
    for place, square in enumerate(pixels):
        plain_square(paths[place % len(paths)], square)
    return _means(pixels)


def build_radcap(asked: argparse.Namespace) -> list[float]:
    cache = cache_images(
        dataset_of(asked.figures, asked.rows), asked.size, workers=asked.workers, root=asked.out
    )
    if cache.refused or cache.built.decoded != asked.rows:
        raise SystemExit(f"{cache.built} of {asked.rows} rows; refused: {cache.refused}")
    return _means(cache.pixels)


def _means(pixels: np.ndarray) -> list[float]:
    """The mean of some rows, so that two ways can be compared."""
    return [float(pixels[place].mean()) for place in range(0, len(pixels), max(1, len(pixels) // 20))]


def batches_of(rows: int, batches: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, rows, (batches, BATCH))


def serve_cache(asked: argparse.Namespace) -> list[float]:
    (folder,) = asked.out.glob(f"figures-{asked.size}x3-*")
    cache = ImageCache(folder)
    return [float(cache.batch(places)[0].mean()) for places in batches_of(len(cache), asked.batches)]


def serve_decoding(asked: argparse.Namespace) -> list[float]:
    """Worker processes decode files into shared memory, as good data loaders do; nothing is copied back."""
    wanted = batches_of(asked.rows, asked.batches)
    room = SharedMemory(create=True, size=asked.batches * BATCH * asked.size**2 * 3)
    context = multiprocessing.get_context("spawn")
    with context.Pool(asked.workers, _open_room, (room.name, asked.figures, asked.size)) as pool:
        pool.map(_decode_batch, [(-1, [0])] * asked.workers, 1)  # so that the start of Python is not timed
        values: list[float] = []
        show_work(lambda: values.extend(pool.imap(_decode_batch, enumerate(wanted.tolist()))) or values)
    room.close()
    room.unlink()
    return values


class _Worker:
    """What a decoding process holds: the files, and room for all batches."""

    room: SharedMemory
    paths: list[Path]
    size: int


def _open_room(name: str, figures: Path, size: int) -> None:
    _Worker.room, _Worker.paths, _Worker.size = SharedMemory(name), sorted(figures.iterdir()), size


def _decode_batch(job: tuple[int, Sequence[int]]) -> float:
    number, places = job
    size = _Worker.size
    start = max(0, number) * BATCH * size**2 * 3
    squares = np.ndarray((len(places), size, size, 3), np.uint8, _Worker.room.buf, start)
    for place, square in zip(places, squares, strict=True):
        plain_square(_Worker.paths[place % len(_Worker.paths)], square)
    return float(squares[0].mean())


WAYS = {"plain": build_plain, "radcap": build_radcap, "cache": serve_cache}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("way", choices=[*WAYS, "decoding"])
    parser.add_argument("figures", type=Path)
    parser.add_argument("out", type=Path)
    for name, default in (("rows", 0), ("size", 256), ("workers", 1), ("batches", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.way == "decoding":
        serve_decoding(asked)
    else:
        show_work(lambda: WAYS[asked.way](asked))


if __name__ == "__main__":
    main()
