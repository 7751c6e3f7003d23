"""The image cache: making it against plain Pillow, and serving from it against decoding in worker processes.

Invariant: the pixels of both ways must agree, row by row, or there is no table.

    python benchmarks/bench_images.py [--quick]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report
from stopwatch import measure
from tables import Goal, goal_table, ratio, seconds, table
from work import same_values, time_work

if TYPE_CHECKING:
    from settings import Settings
    from work import Work

__all__ = ["report"]

HERE = Path(__file__).parent
BATCH, SERVED = 64, 8  # images in a batch; rounds of the cache for one round of decoding
APART = 1.0  # grey levels that the mean of a row may differ by
SMALL = 64  # pixels of the rows that show growth

TEXT = """## Image cache

{rows:,} rows are filled with made-up figures of 960 x 720 pixels, decoded and fitted into 256 x 256 x 3
({figures:,} JPEG files of {kilobytes:.0f} KB, which come round again). Plain Pillow decodes each figure whole
and resamples it once, on one core. radcap lets the JPEG decoder scale by 1/2, 1/4 or 1/8 first, never below
the size asked for; it also writes checksums and digests and can be resumed. Means of rows: {agree}.
"""
SERVING = """### Serving

Random batches of 64 images as numpy arrays: one gather from the mapped cache in one process, against two
processes that decode the same JPEG files with plain Pillow into shared memory (their start is not counted).
"""
GROWTH = """### Growth

Small figures of 96 x 72 pixels, fitted into 64 x 64 x 3 by two processes; where there are fewer files than
rows, they come round again. {many:g} times the rows take {times:.0f} times the time.
"""


class _Bench:
    """The figures and caches of one run of this benchmark."""

    def __init__(self, folder: Path, *, full: bool) -> None:
        self._folder = folder
        self.figures = 256 if full else 40
        self.rows = 2048 if full else 80
        self.batches = 16 if full else 2
        self.growth = (1_000, 10_000, 100_000) if full else (50, 100, 200)
        self.times = 3 if full else 1
        self.large = self._make("large", self.figures, 960, 720)
        self.small = self._make("small", min(1000, self.growth[0]), 96, 72)

    def _make(self, name: str, figures: int, width: int, height: int) -> Path:
        folder = self._folder / name
        sizes = ["--figures", str(figures), "--width", str(width), "--height", str(height)]
        measure([sys.executable, HERE / "synthetic_figures.py", folder, *sizes])
        return folder

    def build(self, way: str, workers: int = 1) -> Work:
        """The median of several builds, each from nothing."""
        done = [self._build(way, self.large, self.rows, 256, workers) for _ in range(self.times)]
        return sorted(done, key=lambda one: one.wall_s)[len(done) // 2]

    def _build(self, way: str, figures: Path, rows: int, size: int, workers: int) -> Work:
        out = self._folder / "cache"
        shutil.rmtree(out, ignore_errors=True)
        words = ["--rows", str(rows), "--size", str(size), "--workers", str(workers)]
        return time_work(HERE / "image_ways.py", way, figures, out, *words)

    def serve(self, way: str, batches: int) -> Work:
        """From the cache that was built last, or from the files."""
        words = ["--rows", str(self.rows), "--batches", str(batches), "--workers", "2"]
        return time_work(HERE / "image_ways.py", way, self.large, self._folder / "cache", *words)

    def grow(self, rows: int) -> Work:
        return self._build("radcap", self.small, rows, SMALL, 2)

    @property
    def kilobytes(self) -> float:
        sizes = [path.stat().st_size for path in self.large.iterdir()]
        return sum(sizes) / len(sizes) / 1000


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where two ways disagree."""
    full = settings == FULL
    with tempfile.TemporaryDirectory() as folder:
        bench = _Bench(Path(folder), full=full)
        parts = [*_building(bench, full=full), *_serving(bench, full=full), *_growing(bench)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _building(bench: _Bench, *, full: bool) -> list[str]:
    plain, one, two = bench.build("plain"), bench.build("radcap"), bench.build("radcap", 2)
    agree = same_values("rows", one.values, plain.values, APART)
    same_values("rows of two processes", two.values, one.values)
    goal = Goal("cache against Pillow, per core", plain.cpu_s / one.cpu_s, 1.3, "times", at_least=True)
    return [
        TEXT.format(rows=bench.rows, figures=bench.figures, kilobytes=bench.kilobytes, agree=agree),
        _build_table(bench.rows, plain, one, two),
        goal_table([goal], judged=full),
    ]


def _serving(bench: _Bench, *, full: bool) -> list[str]:
    cached, decoded = bench.serve("cache", SERVED * bench.batches), bench.serve("decoding", bench.batches)
    same_values("batches", cached.values[: bench.batches], decoded.values, APART)
    cached_s = cached.wall_s / SERVED
    goal = Goal("batches against decoding", decoded.wall_s / cached_s, 10, "times", at_least=True)
    return [
        SERVING,
        _serve_table(bench.batches * BATCH, cached_s, decoded.wall_s),
        goal_table([goal], judged=full),
    ]


def _growing(bench: _Bench) -> list[str]:
    grown = {rows: bench.grow(rows) for rows in bench.growth}
    (few, least), *_, (many, most) = grown.items()
    return [GROWTH.format(many=many / few, times=most.wall_s / least.wall_s), _growth_table(grown)]


def _build_table(images: int, plain: Work, one: Work, two: Work) -> str:
    ways = (("Pillow, one process", plain), ("radcap, one process", one), ("radcap, two processes", two))
    rows = [
        (
            name,
            seconds(done.wall_s),
            seconds(done.cpu_s),
            f"{images / done.wall_s:,.0f}",
            ratio(plain.wall_s / done.wall_s),
            ratio(plain.cpu_s / done.cpu_s),
        )
        for name, done in ways
    ]
    return table(("Into the cache", "Wall, s", "CPU, s", "Images/s", "Ratio, wall", "Ratio, CPU"), rows)


def _serve_table(images: int, cached_s: float, decoded_s: float) -> str:
    rows = [
        ("decoding, two processes", seconds(decoded_s), f"{images / decoded_s:,.0f}", ""),
        (
            "the cache, one process",
            seconds(cached_s),
            f"{images / cached_s:,.0f}",
            ratio(decoded_s / cached_s),
        ),
    ]
    return table((f"{images:,} images", "Wall, s", "Images/s", "Ratio"), rows)


def _growth_table(grown: dict[int, Work]) -> str:
    rows = [
        (f"{rows:,}", seconds(done.wall_s), seconds(done.cpu_s), f"{done.wall_s / rows * 1e6:,.0f}")
        for rows, done in grown.items()
    ]
    return table(("Rows", "Wall, s", "CPU, s", "µs a row"), rows)


if __name__ == "__main__":
    print_report(report, __doc__)
