"""`mlcroissant` finds our description valid, and reads records by it.

The library leaves a cache and warns: it runs beside the tests.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from dataset_samples import dataset_of, row, sample

from radcap.datasets.cards.croissant import croissant
from radcap.datasets.cards.markdown import counted_card

if TYPE_CHECKING:
    from pathlib import Path

LAYOUTS = ("parquet", "hf", "folder", "webdataset")
_SCRIPT = """
import json, sys
import mlcroissant
found = {}
for name in sys.argv[2:]:
    dataset = mlcroissant.Dataset(jsonld=f"{sys.argv[1]}/{name}/croissant.json")
    issues = dataset.metadata.ctx.issues
    found[name] = {"errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "sets": {}}
    for one in dataset.metadata.record_sets:
        rows = [{key: str(value) for key, value in row.items()} for row in dataset.records(one.uuid)]
        found[name]["sets"][one.uuid] = rows
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("croissant")
    for layout in LAYOUTS:
        sample().save(root / layout, layout)
    odd = dataset_of([row("a", cui=["C1"], **{"odd name, with: signs": "x"})])
    card = replace(odd.card, version="1.0.0", homepage="https://example.org/x", citation="Cite me.")
    replace(odd, card=card).save(root / "odd", "parquet")
    return root


@pytest.fixture(scope="module")
def found(root: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(root), *LAYOUTS, "odd"],
        env={**os.environ, "CROISSANT_CACHE": str(root / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", [*LAYOUTS, "odd"])
def test_every_layout_is_valid(name: str, found: dict[str, Any]):
    assert found[name]["errors"] == []
    left = [one for one in found[name]["warnings"] if "is recommended" not in one]
    assert left == []


@pytest.mark.parametrize("name", ["parquet", "hf"])
def test_records_of_parquet_come_with_pictures(name: str, found: dict[str, Any]):
    rows = {one["records/image_id"]: one for one in found[name]["sets"]["records"]}
    assert set(rows) == {repr(image_id.encode()) for image_id in sample().ids}
    first = rows["b'Sample_000001'"]
    assert "PngImageFile image mode=L size=48x32" in first["records/image"]
    assert first["records/cui"] == "[b'C0040405', b'C0817096']"
    assert first["records/year"] == "b'2016'"


def test_records_of_an_image_folder_come_from_its_tables(found: dict[str, Any]):
    rows = found["folder"]["sets"]["records"]
    assert len(rows) == 12
    assert {one["records/cui"] for one in rows} == {"[b'C0024485']", "[b'C0040405', b'C0817096']"}


def test_samples_of_webdataset_come_with_their_labels(found: dict[str, Any]):
    rows = found["webdataset"]["sets"]["records"]
    assert len(rows) == 12
    assert "Sample_0000" in rows[0]["records/labels"]


def test_names_of_columns_may_be_odd(found: dict[str, Any]):
    rows = found["odd"]["sets"]["records"]
    assert [one["records/odd%20name%2C%20with%3A%20signs"] for one in rows] == ["b'x'"]


def test_every_file_has_its_digest(root: Path):
    described = json.loads((root / "parquet" / "croissant.json").read_text())
    files = {one["@id"]: one for one in described["distribution"] if one["@type"] == "cr:FileObject"}
    assert set(files) == {
        *(f"{split}-00000-of-00001.parquet" for split in ("train", "valid", "test")),
        "cui_mapping.csv",
    }
    for name, one in files.items():
        data = (root / "parquet" / name).read_bytes()
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
        assert one["contentSize"] == f"{len(data)} B"


def test_licences_are_addresses_where_they_are_known(root: Path):
    described = json.loads((root / "parquet" / "croissant.json").read_text())
    assert described["license"] == [
        "https://creativecommons.org/licenses/by-nc/4.0/",
        "https://creativecommons.org/licenses/by/4.0/",
    ]
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"


def test_what_the_card_knows_stands_in_it(root: Path):
    described = json.loads((root / "odd" / "croissant.json").read_text())
    assert (described["version"], described["url"]) == ("1.0.0", "https://example.org/x")
    assert described["citeAs"] == "Cite me."


def test_another_layout_has_a_set_for_each_table(tmp_path: Path):
    (tmp_path / "train").mkdir()
    for name in ("a.jpg", "b.jpg", "c.PNG"):
        (tmp_path / "train" / name).write_bytes(b"x")
    (tmp_path / "captions.csv").write_text("ID,Caption\r\na,x\r\n")
    (tmp_path / "bare.csv").write_text("a\n")
    (tmp_path / "twice.csv").write_text("a,a\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "other.bin").write_bytes(b"x")
    dataset = sample()
    described = croissant(replace(dataset, card=counted_card(dataset)), tmp_path, "rocov2")
    sets = [one["includes"] for one in described["distribution"] if one["@type"] == "cr:FileSet"]
    assert sets == ["train/*.PNG", "train/*.jpg"]
    assert [one["@id"] for one in described["recordSet"]] == ["records/captions.csv"]
    fields = described["recordSet"][0]["field"]
    assert [one["name"] for one in fields] == ["ID", "Caption"]
    assert fields[1]["source"] == {"fileObject": {"@id": "captions.csv"}, "extract": {"column": "Caption"}}
