"""Decisions: expected F1 for all images at once, against one image after the other.

Invariant: every way must decide the same labels for the same image, and F1 at the best threshold must equal
scikit-learn's. Otherwise there is no table.

    python benchmarks/bench_decisions.py [--quick]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report
from tables import Goal, goal_table, often, ratio, seconds, table
from work import Work, same_values, time_work

if TYPE_CHECKING:
    from settings import Settings

__all__ = ["report"]

LABELS = 2_479  # of the 2025 edition, as many as decision_ways makes up
WAYS = Path(__file__).parent / "decision_ways.py"
SAMPLE = 500  # images that are decided one by one
LOOP = 99  # thresholds 0.01 ... 0.99

TEXT = """## Decisions

Labels of {images:,} images out of {labels:,} (made-up probabilities; {per_image:.1f} labels decided an
image). Expected F1: the set with the highest expected F1 if labels are independent, exact on the 60 likeliest
labels, the rest as one Poisson variable. Plain NumPy is the same formula, image by image, with each candidate
taken out of the law of the count. GFM finds the same set from the joint law of label and count. radcap ran
{often}, the median counts, on all cores; the others decided {sample:,} images once: figures in italics are
extrapolated. All of them decide the same labels.
"""
SWEEP = """### The best global threshold

radcap tries every step of 1 / 16,384 in one pass over sorted rows; a loop of scikit-learn's `f1_score` tries
{loop} thresholds, of which one was measured. The best is {threshold:.4f}, with an F1 that is {equal} to
scikit-learn's.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where two ways disagree."""
    images, sample = settings.images, min(SAMPLE, settings.images)
    ours, batch = _time("expected-f1", images, settings.times), _time("gfm", images, settings.times)
    plain, one_gfm = (_time(way, images, 1, "--first", str(sample)) for way in ("plain", "plain-gfm"))
    same_values("GFM of all images", batch.values, ours.values)
    for name, other in (("plain NumPy", plain), ("GFM, image by image", one_gfm)):
        same_values(name, ours.values[: len(other.values)], other.values)
    said = TEXT.format(
        images=images,
        labels=LABELS,
        per_image=len(ours.values) / 2 / images,
        often=often(settings.times),
        sample=sample,
    )
    rows = [
        _alone("plain NumPy, image by image", plain, ours, images, sample),
        _alone("GFM, image by image", one_gfm, ours, images, sample),
        _row("radcap `gfm`, all images", batch, ours, images),
        _row("radcap `expected-f1`, all images", ours, ours, images),
    ]
    header = ("Rule", "Wall, s", "CPU, s", "ms an image", "radcap is faster by")
    goal = Goal(f"expected F1 of {images:,} x {LABELS:,}", ours.wall_s, 20, "s")
    parts = [said, table(header, rows), goal_table([goal], judged=settings == FULL), *_sweep(settings)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _time(way: str, images: int, times: int, *more: str) -> Work:
    return time_work(WAYS, way, "--images", str(images), *more, times=times)


def _row(name: str, one: Work, ours: Work, images: int) -> tuple[str, ...]:
    faster = "" if one is ours else ratio(one.wall_s / ours.wall_s)
    return name, seconds(one.wall_s), seconds(one.cpu_s), f"{one.wall_s / images * 1000:.3f}", faster


def _alone(name: str, one: Work, ours: Work, images: int, sample: int) -> tuple[str, ...]:
    more = images / sample
    whole = Work(one.wall_s * more, one.cpu_s * more, one.values)
    title, *cells = _row(name, whole, ours, images)
    return title, *(f"*{cell}*" for cell in cells)


def _sweep(settings: Settings) -> list[str]:
    ours = _time("sweep", settings.images, settings.times)
    threshold, f1 = ours.values
    theirs = _time("loop", settings.images, 1, "--at", repr(threshold))
    equal = same_values("F1 at the best threshold", [f1], theirs.values, tolerance=1e-9)
    whole = Work(theirs.wall_s * LOOP, theirs.cpu_s * LOOP, theirs.values)
    name, *cells = _row(f"scikit-learn, {LOOP} thresholds", whole, ours, settings.images)
    rows = [(name, *(f"*{cell}*" for cell in cells)), _row("radcap `global`", ours, ours, settings.images)]
    header = ("Sweep", "Wall, s", "CPU, s", "ms an image", "radcap is faster by")
    return [SWEEP.format(loop=LOOP, threshold=threshold, equal=equal), table(header, rows)]


if __name__ == "__main__":
    print_report(report, __doc__)
