"""Captioning: learning and writing beside plain loops of the same network, and the captioners inside.

Invariant: all ways run in one process, one after the other, from the same weights; captions of both ways are
compared, and the share that agree is printed.

    python benchmarks/bench_captioning.py [--quick] [--device cuda] [--write]

On a CPU the table is a part of `make bench`. On a GPU more images are taken, and --write puts the tables into
docs/benchmarks.md, where they have a place of their own. It needs torch, numpy, pillow and pyarrow.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from captioning_sizes import SIZES
from page import write_between
from settings import FULL, say, settings_parser
from stopwatch import Failed
from tables import Goal, ratio, seconds, table

if TYPE_CHECKING:
    from captioning_sizes import Size
    from settings import Settings

__all__ = ["report"]

WAYS = Path(__file__).parent / "captioning_ways.py"
BEGIN = "<!-- benchmarks/bench_captioning.py writes from here -->"
END = "<!-- to here, captions on a GPU -->"
FASTER = 3  # wanted of writing on a GPU, against the plain loop
IMAGES_PER_S = {"zoo:captions": 5, "zoo:captions-lm": 0.5}  # wanted on two cores
ALIKE = (
    0.9  # of the captions, in single precision: two sums that are equal but for rounding may change places
)

TEXT = """A Transformer of {weights:,} weights over feature maps of {seen:,} x {grid} x {grid}, with
{tokens:,} tokens, on {device}. Captions are those composed for radiology-open; the feature maps are
made up (`benchmarks/captioning_ways.py`).

Learning by cross-entropy, {images:,} images in batches of {batch}, the median of {counted} epochs. The plain
loop is a DataLoader over the same features in single precision; radcap keeps them on the device{half}.
"""
WRITE = """Writing with 4 beams about {written} images, captions of {length:.0f} tokens on average,
{distinct} of them distinct. The plain loop takes an image at a time and reads the whole caption again for
every token; radcap writes about {together} side by side and keeps keys and values. The last column is the
share of captions that are those of the plain loop, token by token.
"""
REWARD = """Self-critical training by CIDEr: a caption is drawn for each image and one is written greedily,
both are scored, and the drawn one is learnt. A step of {batch} images:
"""
ANSWER = """Captioners inside, from image files of radiology-open to captions, as `radcap predict` does it, on
{device} with {threads} threads:
"""


def report(settings: Settings) -> str:
    """The measurement on a CPU, as a part of all benchmarks."""
    is_full = settings == FULL
    told = measured("small" if is_full else "tiny", "cpu")
    return f"## Captioning\n\n{tables('small' if is_full else 'tiny', told, judged=is_full)}"


def measured(size: str, device: str) -> dict[str, Any]:
    """What the ways came to; raises Failed where captions are not those of the plain loop."""
    say(f"captioning_ways {size} on {device}")
    command = [sys.executable, str(WAYS), "--size", size, "--device", device]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"captioning_ways.py ended with {done.returncode}: {done.stderr[-2000:]}")
    told = json.loads(done.stdout.splitlines()[-1])
    alike = told["write"]["fp32"]["alike"]
    if alike < ALIKE:
        raise Failed(f"only {alike:.0%} of the captions are those of the plain loop.")
    return told


def tables(name: str, told: dict[str, Any], *, judged: bool) -> str:
    """All of it as Markdown."""
    size = SIZES[name]
    facts = {
        **{key: told[key] for key in ("weights", "tokens", "device", "threads")},
        **{key: getattr(size, key) for key in ("seen", "grid", "images", "batch", "written")},
        "counted": size.epochs - 1,
        "half": f" in half, and computes in {told['precision']}" if told["precision"] != "fp32" else "",
        "length": told["write"]["tokens"],
        "distinct": told["write"]["distinct"],
        "together": 8 if told["device"] == "CPU" else 256,
    }
    facts["device"] = f"{told['device']}, {len(os.sched_getaffinity(0))} cores"
    parts = [
        TEXT.format(**facts),
        _learning(told["learn"]),
        WRITE.format(**facts),
        _writing(told["write"], told["precision"]),
        REWARD.format(**facts),
        _rewards(told, size),
        ANSWER.format(**facts),
        _answers(told["answer"]),
        _goals(told, judged=judged),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _learning(told: dict[str, Any]) -> str:
    plain = told["plain"]["images_per_s"]
    rows = [
        (way, f"{one['images_per_s']:,.0f}", f"{one['loss']:.3f}", ratio(one["images_per_s"] / plain))
        for way, one in (("plain loop", told["plain"]), ("radcap", told["radcap"]))
    ]
    return table(("Learning", "images/s", "loss at the end", "against the loop"), rows)


def _writing(told: dict[str, Any], precision: str) -> str:
    plain = told["plain"]["captions_per_s"]
    names = {"plain": "plain loop", "fp32": "radcap", "radcap": f"radcap, {precision}"}
    rows = [
        (
            name,
            f"{told[way]['captions_per_s']:,.1f}",
            ratio(told[way]["captions_per_s"] / plain),
            f"{told[way]['alike']:.1%}",
        )
        for way, name in names.items()
        if way in told
    ]
    return table(("Writing", "captions/s", "against the loop", "alike"), rows)


def _rewards(told: dict[str, Any], size: Size) -> str:
    ways = {"cross-entropy": told["learn"]["radcap"], "self-critical": told["reward"]}
    plain = told["learn"]["radcap"]["images_per_s"]
    rows = [
        (
            way,
            f"{1000 * size.batch / one['images_per_s']:,.0f}",
            f"{one['images_per_s']:,.0f}",
            ratio(plain / one["images_per_s"]),
        )
        for way, one in ways.items()
    ]
    return table(("Step", "ms", "images/s", "costs"), rows)


def _answers(told: dict[str, Any]) -> str:
    rows = [
        (f"`{name}`", str(one["images"]), seconds(one["opened_s"]), f"{one['images_per_s']:.2f}")
        if "why" not in one
        else (f"`{name}`", "not here", "", "")
        for name, one in told.items()
    ]
    return table(("Captioner", "images", "s to open", "images/s"), rows)


def _goals(told: dict[str, Any], *, judged: bool) -> str:
    """On a GPU writing is judged, on a CPU the captioners inside."""
    if told["device"] != "CPU":
        ours = told["write"].get("radcap", told["write"]["fp32"])  # as radcap predict writes
        against = ours["captions_per_s"] / told["write"]["plain"]["captions_per_s"]
        rows = [
            Goal("writing against the plain loop", against, FASTER, "x", at_least=True).row(judged=judged)
        ]
    else:
        rows = [_answer_goal(name, one, judged=judged) for name, one in told["answer"].items()]
    return table(("Goal", "Wanted", "Measured", "Met"), rows)


def _answer_goal(name: str, told: dict[str, Any], *, judged: bool) -> tuple[str, str, str, str]:
    """In seconds an image, which shows how near a miss is."""
    what, limit = f"`{name}`, {IMAGES_PER_S[name]:g} images/s", 1 / IMAGES_PER_S[name]
    if "why" in told:
        return what, f"at most {limit:g} s an image", "not here", "not measured"
    return Goal(what, 1 / told["images_per_s"], limit, "s an image").row(judged=judged)


def main() -> None:
    parser = settings_parser(__doc__)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument(
        "--write", action="store_true", help="put the tables of a GPU into docs/benchmarks.md"
    )
    asked = parser.parse_args()
    if asked.write and (asked.quick or asked.device == "cpu"):
        parser.error("--write takes a full run on a GPU: run.py writes the tables of a CPU")
    size = "tiny" if asked.quick else "small" if asked.device == "cpu" else "large"
    try:
        text = tables(size, measured(size, asked.device), judged=not asked.quick)
        print(text)
        if asked.write:
            write_between(BEGIN, END, text)
    except Failed as failure:
        sys.exit(f"FAILED: {failure}")


if __name__ == "__main__":
    main()
