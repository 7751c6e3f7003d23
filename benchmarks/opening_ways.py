"""Ways to open a release of ROCOv2's shape, each in a process of its own: what `bench_opening.py` times.

Invariant: every way that joins the files prints the same three numbers, so that the same work was done.
Imports are paid before the clock starts, by opening a release of ten records.

    python benchmarks/opening_ways.py make FOLDER IMAGES
    python benchmarks/opening_ways.py radcap FOLDER SMALL
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["AGAIN", "JOINED", "WAYS", "make"]

SPLITS = {"train": 80_091, "valid": 17_277, "test": 19_267}  # of 2025
SEED = 2025
CONCEPTS = 2_000
WORDS = 5_000
_MIB = 1024


def make(folder: Path, images: int) -> None:
    """Captions, concepts, manual concepts and licences, made up from a seed, with long tails."""
    rng = Random(SEED)
    folder.mkdir(parents=True)
    total = sum(SPLITS.values())
    licences = ["ID,PMCID,Attribution,Link"]
    for split, share in SPLITS.items():
        n = round(images * share / total) if split != "test" else images - (len(licences) - 1)
        ids = [f"ROCOv2_2023_{split}_{i:06d}" for i in range(1, n + 1)]
        concepts = [_tail(rng, "C{:07d}", CONCEPTS, rng.randint(1, 6)) for _ in ids]
        captions = [_caption(rng) for _ in ids]
        _write(folder / f"{split}_captions.csv", "ID,Caption", zip(ids, captions, strict=True))
        _write(folder / f"{split}_concepts.csv", "ID,CUIs", zip(ids, map(";".join, concepts), strict=True))
        manual = (one[0] for one in concepts)
        _write(folder / f"{split}_concepts_manual.csv", "ID,CUIs", zip(ids, manual, strict=True))
        licences += [_licence(one, rng.randint(1_000_000, 9_999_999)) for one in ids]
    (folder / "license_information.csv").write_text("\n".join(licences) + "\n", "utf-8")


def _tail(rng: Random, form: str, kinds: int, n: int) -> list[str]:
    return list(dict.fromkeys(form.format(int(kinds * rng.random() ** 3)) for _ in range(n)))


def _caption(rng: Random) -> str:
    """Some 21 words, in quotes where a comma stands between them, as in half of the real ones."""
    words = " ".join(f"word{int(WORDS * rng.random() ** 3)}" for _ in range(rng.randint(4, 38)))
    return f'"{words}, ""seen"" on both sides"' if rng.random() < 0.5 else words


def _licence(image_id: str, article: int) -> str:
    link = f"https://www.ncbi.nlm.nih.gov/pmc/articles/PMC{article}/"
    return f'{image_id},PMC{article},"CC BY [Author et al. ({2000 + article % 25}), a journal]",{link}'


def _write(path: Path, header: str, rows: Iterable[tuple[str, str]]) -> None:
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n", "utf-8")


def _read(folder: Path) -> dict[str, Any]:
    import pandas as pd

    return {path.stem: pd.read_csv(path) for path in sorted(folder.glob("*.csv"))}


def pandas_read(folder: Path) -> Sequence[int]:
    """Every file as a table of its own."""
    return [sum(len(one) for name, one in _read(folder).items() if name.endswith("_captions"))]


def pandas_split(folder: Path) -> Sequence[int]:
    """The same, and concept cells as lists."""
    tables = _read(folder)
    lists = [one["CUIs"].str.split(";") for name, one in tables.items() if "concepts" in name]
    return [sum(len(one) for one in lists) // 2]


def pandas_join(folder: Path) -> Sequence[int]:
    """One table of all records with captions, lists of concepts and licences: what `load_dataset` gives."""
    import pandas as pd

    tables = _read(folder)
    splits: list[Any] = []
    for split in SPLITS:
        joined = tables[f"{split}_captions"].merge(tables[f"{split}_concepts"], on="ID", how="outer")
        manual = tables[f"{split}_concepts_manual"]
        splits.append(
            joined.merge(manual, on="ID", how="outer", suffixes=("", "_manual")).assign(split=split)
        )
    table = pd.concat(splits, ignore_index=True).merge(tables["license_information"], on="ID", how="left")
    for name in ("CUIs", "CUIs_manual"):
        table[name] = table[name].str.split(";")
    characters = int(table["Caption"].str.len().sum())
    return [len(table), int(table["CUIs"].str.len().sum()), characters]


def radcap(folder: Path) -> Sequence[int]:
    import pyarrow.compute as pc

    from radcap.datasets import load_dataset

    table = load_dataset(folder).table
    captions = table["captions"].combine_chunks().flatten().field("text")
    concepts = pc.sum(pc.list_value_length(table["cui"])).as_py()
    return [table.num_rows, concepts, pc.sum(pc.utf8_length(captions)).as_py()]


WAYS: Mapping[str, Callable[[Path], Sequence[int]]] = {
    "pandas-read": pandas_read,
    "pandas-split": pandas_split,
    "pandas-join": pandas_join,
    "radcap": radcap,
    "radcap-again": radcap,
}
JOINED = ("pandas-join", "radcap", "radcap-again")
AGAIN = "radcap-again"  # the records were kept by an earlier process


def _memory_mib(line: str) -> float:
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(one.split()[1]) / _MIB for one in text.splitlines() if one.startswith(line))


def _timed(way: str, folder: Path, small: Path) -> None:
    with tempfile.TemporaryDirectory() as fresh:
        os.environ["RADCAP_CACHE"] = str(folder.parent / "cache") if way == AGAIN else fresh
        WAYS[way](small)
        before = _memory_mib("VmRSS:")
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        values = WAYS[way](folder)
        cost = {"wall_s": time.perf_counter() - wall_s, "cpu_s": time.process_time() - cpu_s}
        print(json.dumps({**cost, "peak_mib": _memory_mib("VmHWM:") - before, "values": list(values)}))


if __name__ == "__main__":
    asked, *rest = sys.argv[1:]
    if asked == "make":
        make(Path(rest[0]), int(rest[1]))
    else:
        _timed(asked, Path(rest[0]), Path(rest[1]))
