"""A published encoder-decoder on a GPU: learning, and writing beside transformers' own `generate`.

Invariant: all ways run in one process over the same weights and images, and write as many tokens.

    python benchmarks/bench_pretrained.py [--quick | --write]

Without a GPU only --quick runs: it shows that everything works and measures nothing of use. `make bench`
leaves this one out, since it needs a GPU.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from page import write_between
from settings import settings_parser
from stopwatch import Failed
from tables import Goal, goal_table, ratio, table

__all__ = ["measured", "tables"]

WAYS = Path(__file__).parent / "pretrained_ways.py"
BEGIN = "<!-- benchmarks/bench_pretrained.py writes from here -->"
END = "<!-- to here, published captioners on a GPU -->"
TEXT = """A vision transformer of {pixels} pixels (patches of {patch}, {layers} layers, {width} wide) under
GPT-2 of as many layers, with {vocabulary:,} tokens and random weights, on {device}
(`benchmarks/pretrained_ways.py`). Learning: {images:,} pairs in batches of {batch}, {tokens} tokens each,
every weight, the median of the epochs after the first{memory}. Writing: from decoded pixels, {beams} beams,
{written} tokens each, {together} images side by side; `generate` of transformers takes one at a time."""


def measured(size: str, device: str) -> dict[str, Any]:
    """What the ways came to."""
    command = [sys.executable, str(WAYS), "--size", size, "--device", device]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"pretrained_ways.py ended with {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def tables(told: dict[str, Any], *, judged: bool) -> str:
    """All of it as Markdown."""
    peak = f"; {told['peak_gb']:.1f} GB at most" if "peak_gb" in told else ""
    learn, write = told["learn"], told["write"]
    plain, alone = learn["plain"], write["alone"]
    learning = [
        (name, f"{learn[way]:,.0f}", ratio(learn[way] / plain))
        for way, name in (("plain", "as it is"), ("compiled", "compiled"))
        if way in learn
    ]
    writing = [
        ("transformers, one image at a time", f"{alone:,.1f}", ratio(1.0)),
        ("radcap", f"{write['radcap']:,.0f}", ratio(write["radcap"] / alone)),
    ]
    goals = [
        Goal("learning, pairs/s", max(learn.values()), 1500, "", at_least=True),
        Goal("writing, captions/s", write["radcap"], 1000, "", at_least=True),
        Goal("writing against generate", write["radcap"] / alone, 3, "x", at_least=True),
    ]
    parts = [
        TEXT.format(**told["size"], device=told["device"], memory=peak, beams=4),
        table(("Learning", "pairs/s", "against as it is"), learning),
        table(("Writing", "captions/s", "against generate"), writing),
        goal_table(goals, judged=judged),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def main() -> None:
    parser = settings_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    asked = parser.parse_args()
    if asked.write and asked.quick:
        parser.error("--write takes a full run")
    try:
        told = measured("tiny", "cpu") if asked.quick else measured("base", "cuda")
        text = tables(told, judged=not asked.quick)
        print(text)
        if asked.write:
            write_between(BEGIN, END, text)
    except Failed as failure:
        sys.exit(f"FAILED: {failure}")


if __name__ == "__main__":
    main()
