"""Manual labels and publication data: the tables of the ROCOv2 paper, found again in data made from them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from dataset_samples import dataset_of, row, sample

from radcap.datasets import Dataset
from radcap.datasets.columns import CUIS, make_table
from radcap.datasets.statistics.counting import Count
from radcap.datasets.statistics.figures import group_codes
from radcap.datasets.statistics.labels import label_statistics
from radcap.datasets.statistics.publications import publication_statistics, year_column

TABLES = Path(__file__).parents[2] / "golden" / "rocov2_tables"
REGIONS = {
    "chest": "C0817096",
    "cranium": "C0037303",
    "lower_extremity": "C0023216",
    "abdomen": "C0000726",
    "pelvis": "C0030797",
    "upper_extremity": "C1140618",
    "spine": "C0037949",
    "breast": "C0006141",
}
DIRECTIONS = {
    "coronal_ap": "C1999039",
    "coronal_pa": "C1996865",
    "sagittal": "C0205129",
    "transversal": "C0205131",
}
MODALITIES = {
    "DRCT": "C0040405",
    "DRXR": "C1306645",
    "DRMR": "C0024485",
    "DRUS": "C0041618",
    "DRAN": "C0002978",
    "DRPE": "C0032743",
}


def lines_of(table: str) -> list[str]:
    return (TABLES / f"{table}.csv").read_text("utf-8").splitlines()


def printed(table: str) -> tuple[dict[str, int], int]:
    """The rows of a table of the paper, and the total below them."""
    rows = [*csv.reader(lines_of(table))][1:]
    counts = {name: int(n) for name, n, *_ in rows}
    return counts, counts.pop("Total")


def repeated(counts: dict[str, int], length: int) -> list[str]:
    """Each name as often as it was counted, then nothing."""
    names = np.repeat(list(counts), list(counts.values())).tolist()
    return [*names, *[""] * (length - len(names))]


def rocov2() -> Dataset:
    """As many images of each label as the paper prints; X-rays first, since only they have a region."""
    modalities, total = printed("modalities")
    order = {"DRXR": modalities["DRXR"], **modalities}
    kinds = repeated(order, total)
    regions = repeated(printed("body_regions")[0], total)
    views = repeated(printed("directions")[0], total)
    manual = [
        [cui for cui in (MODALITIES.get(kind), REGIONS.get(region), DIRECTIONS.get(view)) if cui]
        for kind, region, view in zip(kinds, regions, views, strict=True)
    ]
    columns = {"cui_manual": pa.array(manual, CUIS), "modality": kinds}
    return Dataset("rocov2", make_table(columns, total))


def test_labels_of_rocov2_are_those_of_the_paper() -> None:
    found = label_statistics(rocov2())
    modalities, total = printed("modalities")
    assert total == 79_789
    assert {one.name: one.n for one in found.modality_column} == modalities
    assert sum(one.n for one in found.modality_column) == total
    assert {one.cui: one.images for one in found.modalities} == {
        cui: modalities[code] for code, cui in MODALITIES.items()
    }
    assert found.without_modality == modalities["DRCO"]
    for table, cuis, counted in (
        ("body_regions", REGIONS, found.regions),
        ("directions", DIRECTIONS, found.directions),
    ):
        counts, total = printed(table)
        assert {one.cui: one.images for one in counted} == {cuis[name]: n for name, n in counts.items()}
        assert sum(one.images for one in counted) == total
    assert (found.xrays, found.xrays_without_region, found.xrays_without_direction) == (21_997, 652, 5_613)


def test_the_papers_top_list_leaves_regions_out_as_well() -> None:
    """Chest stands on 7,535 X-rays, yet the list without modalities begins with 1,779 images of fluid."""
    top = list(csv.DictReader(lines_of("top_cuis")))
    xray = {one["UMLS Term"]: int(one["Images"]) for one in csv.DictReader(lines_of("top_cuis_xray"))}
    assert xray["Chest"] > int(top[0]["Images"])
    assert "C0817096" not in {one["CUI"] for one in top}


@pytest.mark.parametrize(
    ("table", "total", "of_rows"), [("languages", 1_528, 1_528), ("publication_types", 59_446, 59_436)]
)
def test_totals_of_the_paper(table: str, total: int, of_rows: int) -> None:
    """Ten single publication types are printed in the total alone."""
    counts, said = printed(table)
    assert (said, sum(counts.values())) == (total, of_rows)


def test_images_with_several_modalities_are_told() -> None:
    rows = [row("a", cui_manual=["C0040405", "C0032743"]), row("b", cui_manual=["C0817096"]), row("c")]
    found = label_statistics(dataset_of(rows))
    assert (found.several_modalities, found.without_modality, found.xrays) == (1, 2, 0)


def test_publication_types_of_rocov2_count_articles() -> None:
    counts, _ = printed("publication_types")
    several = {f"{name}; English Abstract": 1 for name in ["Case Reports"]}
    cells = repeated({**counts, **several}, sum(counts.values()) + 1)
    columns = {"publication_type": cells, "group": [f"PMC{n}" for n in range(len(cells))]}
    dataset = Dataset("types", make_table(columns, len(cells)))
    found = publication_statistics(dataset, group_codes(dataset))
    assert {one.name: one.n for one in found.types} == {
        **counts,
        "Case Reports": 26_475,
        "English Abstract": 6,
    }
    assert found.types[0] == Count("Journal Article", 26_757)


def test_articles_count_once_however_many_images_they_have() -> None:
    rows = [
        row("a", group="x", Pub_Year="2019", journal="Cureus"),
        row("b", group="x", Pub_Year="2019", journal="Cureus"),
        row("c", group="", Pub_Year="2018", journal="Cureus"),
        row("d", group="", Pub_Year="2018", journal=""),
        row("e", group="y", Pub_Year="", journal="Other"),
    ]
    dataset = dataset_of(rows)
    found = publication_statistics(dataset, group_codes(dataset))
    assert year_column(dataset) == "Pub_Year"
    assert found.years == (Count("2018", 2), Count("2019", 1))
    assert found.journals == (Count("Cureus", 2), Count("Other", 1))
    assert found.types == ()


def test_a_dataset_that_says_nothing_of_articles() -> None:
    dataset = dataset_of([row("a")])
    found = publication_statistics(dataset, group_codes(dataset))
    assert (found.years, found.journals, found.types) == ((), (), ())
    assert year_column(dataset) is None


def test_the_sample_names_year_and_journal() -> None:
    dataset = sample()
    found = publication_statistics(dataset, group_codes(dataset))
    assert [one.name for one in found.years] == ["2015", "2016", "2017", "2018", "2019"]
    assert found.journals == (Count("Cureus", 6),)
