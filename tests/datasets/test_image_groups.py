"""Which images hang together: from a dataset, from a table, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dataset_samples import dataset_of, row

from radcap.core import InputError
from radcap.datasets import image_groups, load_dataset, save

if TYPE_CHECKING:
    from pathlib import Path


def test_a_dataset_tells_its_groups_by_value_folder_and_name(tmp_path: Path) -> None:
    dataset = dataset_of(
        [row("a", "test", group="PMC1"), row("b", "test", group=""), row("c", "train", group="PMC1")], {}
    )
    wanted = {"a": "PMC1", "b": "", "c": "PMC1"}
    assert image_groups(dataset) == wanted
    saved = tmp_path / "saved"
    save(dataset, saved)
    assert image_groups(saved) == image_groups(str(saved)) == wanted
    bundled = load_dataset("radiology-open")
    assert set(image_groups("radiology-open")) == set(bundled.ids)


@pytest.mark.parametrize("header", ["ID,group", "group,ID", "ID,Group,more", "ID,PMCID", "id;group"])
def test_a_table_tells_them_in_a_column_of_that_name(tmp_path: Path, header: str) -> None:
    sign = ";" if ";" in header else ","
    cells = {"id": ("a", "b"), "group": (" PMC1 ", ""), "pmcid": ("PMC1", ""), "more": ("x", "y")}
    columns = [cells[name.casefold()] for name in header.split(sign)]
    lines = [header, *(sign.join(one) for one in zip(*columns, strict=True))]
    path = tmp_path / "attribution.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert image_groups(path) == {"a": "PMC1", "b": ""}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ID,caption\na,CT\n", "groups.csv has the columns ID, caption."),
        ("", "groups.csv holds 0 bytes"),
        ("ROCOv2_2023_test_000001,C0040405\n", "groups.csv has no header."),
        ("ID,group\na,\nb,\n", "names no group of any of 2 images"),
        ("ID,group\na,x\na,y\nb,x\nb,y\n", "gives 2 images two groups, e.g. a."),
    ],
)
def test_a_table_that_tells_nothing_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "groups.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        image_groups(path)
    assert why in str(caught.value)


@pytest.mark.parametrize("data", [b"PK\x03\x04rest", b"PAR1rest"])
def test_what_is_no_table_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "groups.csv"
    path.write_bytes(data)
    with pytest.raises(InputError):
        image_groups(path)


def test_the_same_group_twice_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("ID,group\na,x\na,x\n", encoding="utf-8")
    assert image_groups(path) == {"a": "x"}
