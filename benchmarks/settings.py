"""How large a measurement is: in full, quick, or of any size."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stopwatch import Failed
from synthetic import IMAGES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FULL", "QUICK", "Settings", "print_report", "say", "settings_of", "settings_parser"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Sizes of one run of the benchmarks."""

    images: int
    rows: tuple[int, ...]  # of the files that show how time and memory grow, ascending
    times: int
    runs: int  # that are compared
    permutations: int
    java_starts: int  # captions that get a METEOR program of their own

    @property
    def large(self) -> int:
        return self.rows[-1]


FULL = Settings(
    images=IMAGES,
    rows=(10_000, 100_000, 1_000_000),
    times=5,
    runs=11,
    permutations=10_000,
    java_starts=3,
)
QUICK = Settings(images=500, rows=(500, 1_000, 2_000), times=1, runs=3, permutations=2_000, java_starts=1)


def settings_parser(doc: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, once: does everything still run?")
    parser.add_argument("--images", type=int, help="another size of the test set")
    return parser


def settings_of(asked: argparse.Namespace) -> Settings:
    base = QUICK if asked.quick else FULL
    return base if asked.images is None else replace(base, images=asked.images)


def print_report(report: Callable[[Settings], str], doc: str | None) -> None:
    """The command line of one benchmark."""
    settings = settings_of(settings_parser(doc).parse_args())
    try:
        print(report(settings))
    except Failed as failure:
        sys.exit(f"FAILED: {failure}")


def say(line: str) -> None:
    """Progress, on stderr."""
    print(line, file=sys.stderr, flush=True)
