"""Every benchmark, and the tables of docs/benchmarks.md.

Invariant: what stands in the documentation was printed by a full run of these scripts, never typed.

    python benchmarks/run.py [--quick | --write]
"""

from __future__ import annotations

import sys

import bench_board
import bench_captioning
import bench_captions
import bench_compare
import bench_concepts
import bench_decisions
import bench_duplicates
import bench_explanations
import bench_images
import bench_meteor
import bench_opening
import bench_predict
import bench_read
import bench_readings_page
import bench_retrieval
import bench_startup
import bench_validate
import bench_vocabulary
from page import write_between
from settings import FULL, settings_of, settings_parser
from stopwatch import Failed
from tables import machine

# Memory is measured first: a child cannot report less than this process has needed so far.
BENCHES = (
    bench_startup,
    bench_concepts,
    bench_validate,
    bench_captions,
    bench_meteor,
    bench_compare,
    bench_opening,
    bench_images,
    bench_duplicates,
    bench_vocabulary,
    bench_decisions,
    bench_predict,
    bench_read,
    bench_readings_page,
    bench_captioning,
    bench_explanations,
    bench_board,
    bench_retrieval,  # in this process, which is large from then on
)
BEGIN, END = "<!-- benchmarks/run.py writes from here -->", "<!-- to here -->"


def main() -> None:
    parser = settings_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    asked = parser.parse_args()
    settings = settings_of(asked)
    if asked.write and settings != FULL:
        parser.error("--write takes a full run only: figures of small sizes would mislead")
    context = f"Measured on {machine()}"
    try:
        text = "\n".join([f"{context}\n", *(bench.report(settings) for bench in BENCHES)])
        print(text)
        if asked.write:
            write_between(BEGIN, END, text)
    except Failed as failure:
        sys.exit(f"FAILED: {failure}")


if __name__ == "__main__":
    main()
