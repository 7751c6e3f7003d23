"""The `datasets` library of Hugging Face opens what radcap writes, offline.

The library looks at its environment when it is imported, and warns of many things: it runs beside the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dataset_samples import dataset_of, row, sample

from radcap.datasets.layouts.parquet.schema import OWN_ORDER, features, schema, yaml_features

if TYPE_CHECKING:
    from pathlib import Path

_SCRIPT = """
import json, sys
import datasets
from datasets import Features, Image, List, Value
datasets.disable_progress_bars()
root = sys.argv[1]

def seen(data):
    first = data[next(iter(data))][0]
    return {
        "rows": {split: len(part) for split, part in data.items()},
        "ids": {split: list(map(str, part["image_id"])) for split, part in data.items()},
        "columns": list(first),
        "image": [type(first["image"]).__mro__[1].__name__, *first["image"].size],
        "captions": str(first["captions"]),
        "cui": first["cui"],
    }

def files(folder):
    return {split: f"{root}/{folder}/{split}-*.parquet" for split in ("train", "valid", "test")}

found = {
    "hf": seen(datasets.load_dataset(f"{root}/hf")),
    "parquet": seen(datasets.load_dataset(f"{root}/parquet")),
    "files": seen(datasets.load_dataset("parquet", data_files=files("parquet"))),
    "imagefolder": seen(datasets.load_dataset("imagefolder", data_dir=f"{root}/even")),
    "folder": seen(datasets.load_dataset(f"{root}/even")),
    "blank": datasets.load_dataset(f"{root}/blank")["train"][0]["image"],
    "webdataset": len(datasets.load_dataset(f"{root}/webdataset")["train"]),
}
caption = {"text": Value("string"), "source": Value("string"), "language": Value("string")}
own = {name: Value("string") for name in json.loads(sys.argv[2])}
own.update(image=Image(), captions=List(caption), cui=List(Value("string")), cui_manual=List(Value("string")))
own = Features(own)
found["yaml"] = own._to_yaml_list()
found["features"] = own.to_dict()
rows = {name: [] for name in own}
datasets.Dataset.from_dict(rows, features=own).to_parquet(f"{root}/theirs.parquet")
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hugging-face")


@pytest.fixture(scope="module")
def found(root: Path) -> dict[str, Any]:
    """What the library finds in folders of every layout."""
    for layout in ("hf", "parquet", "webdataset"):
        sample().save(root / layout, layout)
    # the builder guesses types split by split, so every column has a value in each
    ids = [row(f"i{n}", ("train", "valid", "test")[n % 3], captions="CT", cui=["C1"]) for n in range(6)]
    even = [one | {"cui_manual": ["C1"], "modality": "DRCT"} for one in ids]
    dataset_of(even).save(root / "even", "folder")
    dataset_of([row("blank", image=""), row("there")]).save(root / "blank", "hf")
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(root), json.dumps(OWN_ORDER)],
        env={**os.environ, "HF_HOME": str(root / "home"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ["hf", "parquet", "files"])
def test_parquet_opens_with_all_splits_columns_and_pictures(name: str, found: dict[str, Any]):
    seen, wanted = found[name], sample()
    assert seen["rows"] == {"train": 6, "valid": 3, "test": 3}
    assert seen["ids"] == {split: wanted.split(split).ids for split in wanted.splits}
    assert seen["image"] == ["ImageFile", 48, 32]
    assert seen["cui"] == ["C0024485"]


def test_the_first_columns_are_those_of_the_published_copy(found: dict[str, Any]):
    assert found["hf"]["columns"][:4] == ["image", "image_id", "caption", "cui"]
    assert found["parquet"]["columns"][:13] == list(OWN_ORDER)


@pytest.mark.parametrize(("name", "valid"), [("imagefolder", "validation"), ("folder", "valid")])
def test_an_image_folder_opens(name: str, valid: str, found: dict[str, Any]):
    seen = found[name]
    assert seen["rows"] == {"train": 2, valid: 2, "test": 2}  # the bare builder renames a split
    assert seen["ids"]["train"] == ["i0", "i3"]
    assert seen["image"] == ["ImageFile", 48, 32]


def test_a_record_without_image_has_none(found: dict[str, Any]):
    assert found["blank"] is None


def test_webdataset_opens(found: dict[str, Any]):
    assert found["webdataset"] == 6


def test_features_are_those_the_library_writes(found: dict[str, Any], root: Path):
    theirs = pq.read_schema(root / "theirs.parquet")
    assert features(OWN_ORDER) == found["features"]
    assert yaml_features(OWN_ORDER) == found["yaml"]
    assert schema(OWN_ORDER).metadata[b"huggingface"] == theirs.metadata[b"huggingface"]
    for field in schema(OWN_ORDER):
        assert pa.types.is_nested(field.type) == pa.types.is_nested(theirs.field(field.name).type)
        if not pa.types.is_nested(field.type):
            assert field.type == theirs.field(field.name).type
