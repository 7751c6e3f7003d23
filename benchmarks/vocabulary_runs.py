"""What `bench_vocabulary.py` measures: data are made, and every way runs in a process of its own.

Invariant: all ways are given the same names and the same captions; costs are medians.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from settings import FULL, say
from stopwatch import measure
from tables import often
from vocabulary_ways import Radcap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from settings import Settings
    from stopwatch import Measured

__all__ = ["EXACT", "QUICKUMLS", "USUAL", "Cost", "Runs", "Sizes"]

Cost: TypeAlias = "dict[str, float]"

HERE = Path(__file__).parent
QUICKUMLS = "RADCAP_QUICKUMLS_PYTHON"  # names an interpreter that has QuickUMLS
USUAL, EXACT = 0.7, 1.0  # how alike names have to be: QuickUMLS's default, and letter by letter
_BUILDS = 3  # times that what takes long is measured; ways of others once


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the measurement is."""

    terms: tuple[int, ...]  # ascending
    captions: int
    alike: int  # captions for QuickUMLS, which takes long for each
    stand_in: int  # and for what stands in for it
    rows: tuple[int, ...]  # of releases, ascending
    times: int

    @classmethod
    def of(cls, settings: Settings) -> Sizes:
        if settings == FULL:
            rows = (500_000, 1_000_000, 2_000_000)
            return cls((10_000, 100_000, 1_000_000), 100_000, 1_000, 100, rows, settings.times)
        return cls((1_000, 10_000), 500, 20, 10, (1_000, 2_000), 1)


class Runs:
    """The measurements, in a folder of their own."""

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        self._folder = folder
        self.sizes = sizes
        self.large = sizes.terms[-1]
        self.ways = ("radcap", *(("ahocorasick",) if find_spec("ahocorasick") else ()))
        self.quickumls = os.environ.get(QUICKUMLS)
        for terms in sizes.terms:
            words = ["--terms", str(terms), "--captions", str(sizes.captions)]
            _script("synthetic_vocabulary.py", self._names(terms), *words)

    def build(self, way: str, terms: int) -> Cost:
        return self._median(way, "build", self._names(terms), times=_BUILDS if way == "radcap" else 1)

    def link(self, way: str, terms: int, most: int) -> Cost:
        """Open what `build` made and link so many captions."""
        times = self.sizes.times if way == "radcap" else 1
        return self._median(way, "link", self._names(terms), "--most", str(most), times=times)

    def command(self, workers: int) -> Measured:
        """`radcap vocab link` of all captions, what it wrote last being its output."""
        names, out = self._names(self.large), self._folder / "run.csv"
        times = min(_BUILDS, self.sizes.times)
        say(f"radcap vocab link, {workers} processes, {often(times)}")
        words = ["--vocab", names / Radcap.file, "--workers", str(workers), "--out", out]
        command = [sys.executable, "-m", "radcap", "vocab", "link", names / "captions.txt", *words]
        return replace(measure(command, times=times), output=out.read_text("utf-8"))

    def build_release(self, rows: int) -> Cost:
        out = self._folder / f"release-{rows}"
        _script("synthetic_release.py", out, "--rows", str(rows))
        size = sum(path.stat().st_size for path in out.iterdir())
        return {**self._median("release", "build", out, times=1), "bytes": size}

    def alike(self) -> dict[float, Cost]:
        """Names by the letters they share, by how alike they have to be."""
        if self.quickumls is None:
            start = [sys.executable, HERE / "quickumls_ways.py", "stand-in", self._names(self.large)]
            most, cost = self.sizes.stand_in, {}
        else:
            compiled, cost = self._compiled(self.quickumls)
            start = [self.quickumls, HERE / "quickumls_ways.py", "quickumls", compiled]
            most = self.sizes.alike
        texts = ["--texts", self._names(self.large), "--most", str(most)]
        return {
            threshold: {**_result([*start, *texts, "--threshold", str(threshold)]), **cost}
            for threshold in (USUAL, EXACT)
        }

    def _compiled(self, python: str) -> tuple[Path, Cost]:
        """What QuickUMLS makes of the same names."""
        release, out = self._folder / "same-names", self._folder / "quickumls"
        _script("synthetic_release.py", release, "--names", self._names(self.large))
        done = _result([python, HERE / "quickumls_ways.py", "install", release, "--out", out])
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        return out, {"install_s": done["wall_s"], "install_bytes": size}

    def _names(self, terms: int) -> Path:
        return self._folder / f"names-{terms}"

    def _median(self, way: str, work: str, folder: Path, *words: str, times: int) -> Cost:
        times = min(times, self.sizes.times)
        say(f"{way} {work} {folder.name}, {often(times)}")
        command = [sys.executable, HERE / "vocabulary_ways.py", way, work, folder, *words]
        done = [_result(command) for _ in range(times)]
        return {name: median(one[name] for one in done) for name in done[0]}


def _script(name: str, *words: str | Path) -> None:
    say(" ".join([name, *(Path(word).name for word in words)]))
    measure([sys.executable, HERE / name, *words])


def _result(command: Sequence[str | Path]) -> Cost:
    """What a script prints last; QuickUMLS talks before."""
    return json.loads(measure(command).output.splitlines()[-1])
