"""Make `articles.parquet` from the two tables of ROCO v1.

    python tests/golden/roco_v1_articles/make_roco_v1_articles.py TEXT.csv.gz TRAIN_LICENCES.csv.gz

TEXT holds validation and test (columns `split`, `subset`, `pmcid`), TRAIN_LICENCES the training images
(column `pmcid`). Kept are the split and the number of the article of every radiology image, and nothing else.
"""

from __future__ import annotations

import csv
import gzip
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

TARGET = Path(__file__).with_name("articles.parquet")
NAMES = {"validation": "valid", "test": "test"}


def rows_of(path: str) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main(text: str, train: str) -> None:
    rows = [("train", row["pmcid"]) for row in rows_of(train)]
    rows += [
        (NAMES[row["split"]], row["pmcid"])
        for row in rows_of(text)
        if row["subset"] == "radiology" and row["split"] in NAMES
    ]
    rows = sorted((split, int(article.removeprefix("PMC"))) for split, article in rows)
    table = pa.table(
        {
            "split": pa.array([split for split, _ in rows]).dictionary_encode(),
            "article": pa.array([article for _, article in rows], pa.int32()),
        }
    )
    pq.write_table(
        table,
        TARGET,
        compression="zstd",
        compression_level=19,
        use_dictionary=["split"],
        column_encoding={"article": "DELTA_BINARY_PACKED"},
        store_schema=False,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
