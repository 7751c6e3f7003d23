"""Each check finds its fault and nothing else; a dataset without fault gives none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from checked_samples import clean_dataset, clean_files, clean_rows
from dataset_samples import dataset_of, png
from phantoms import phantom

from radcap.core import Level, UsageError
from radcap.datasets import Dataset, Findings
from radcap.datasets.checks.checking import Check, check_dataset, check_table
from radcap.datasets.stores import MemoryImages, NoImages
from radcap.datasets.survey.surveying import survey_images


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path))


def captioned(*texts: str) -> list[dict[str, str]]:
    return [{"text": text, "source": "original", "language": "en"} for text in texts]


def dotted() -> bytes:
    """The picture of a1 with one more white pixel."""
    pixels = phantom(0).copy()
    pixels[90, 100] = 255
    return png(pixels)


def recompressed() -> bytes:
    return png(phantom(0), compress_level=0)


def of_rows(**changes: dict[str, object]) -> Callable[[], Dataset]:
    return lambda: clean_dataset(changes)


def of_files(**changes: bytes | None) -> Callable[[], Dataset]:
    return lambda: clean_dataset(files=clean_files(**changes))


def with_orphan() -> Dataset:
    return clean_dataset(files={**clean_files(), "extra.png": png(phantom(77))})


def with_jpeg_named_png() -> Dataset:
    return clean_dataset(files=clean_files(a1=png(phantom(0), "JPEG")))


def with_other_case() -> Dataset:
    files = clean_files()
    files["A1.PNG"] = files.pop("a1.png")
    return clean_dataset({"a1": {"image": "A1.PNG"}}, files)


def twice() -> Dataset:
    """With a seventh record that has the id of the first, and an image of its own."""
    rows = clean_rows()
    return dataset_of([*rows, {**rows[0], "image": "d1.png"}], {**clean_files(), "d1.png": png(phantom(50))})


# The code, how its fault is made, and what the message says.
FAULTS: dict[str, tuple[Callable[[], Dataset], str]] = {
    "DAT202": (of_rows(a1={"cui": ["C0817096", "C1306645", "1234"]}), "1234 of a1 is no CUI"),
    "DAT202 in manual": (
        of_rows(a1={"cui": ["C12"], "cui_manual": ["C12"]}, b1={"cui": ["C0817096"], "cui_manual": []}),
        "C12 of a1",
    ),
    "DAT203": (of_rows(a1={"cui": ["c0817096", "C1306645"]}), "Write C0817096"),
    "DAT204": (of_rows(a1={"captions": "A\x07bell"}), "The caption of a1 holds the control character U+0007"),
    "DAT204 of the second kind": (of_rows(a1={"captions": "A\x9dsign"}), "U+009D"),
    "DAT205": (of_rows(a2={"cui": ["C0817096", "C1306645", "C0817096"]}), "C0817096 stands 2 times on a2"),
    "DAT205 in manual": (of_rows(a2={"cui_manual": ["C1306645"] * 3}), "C1306645 stands 3 times on a2"),
    "DAT206": (of_rows(c1={"captions": []}), "1 of 2 images in test have no caption"),
    "DAT207": (of_rows(c1={"cui": [], "cui_manual": []}), "1 of 2 images in test have no concept"),
    "DAT208": (
        of_rows(c1={"cui": ["C0040405", "C1306645"]}),
        "Concepts of test that train never has: 1, e.g. C0040405",
    ),
    "DAT209": (of_rows(a1={"cui": ["C0817096"]}), "a1 has C1306645 among the manual"),
    "DAT210": (of_rows(a1={"image_id": ""}), "A row has no id"),
    "DAT211": (of_rows(a1={"licence": "CC BY-NC-ND 4.0"}), "Images under 'CC BY-NC-ND 4.0'"),
    "DAT212": (of_rows(a1={"licence": " "}, b1={"licence": ""}), "2 of 6 images name no licence"),
    "DAT213": (of_rows(a1={"image_id": "a/1"}), "'a/1' holds a path"),
    "DAT213 blank": (of_rows(a1={"image_id": "a 1"}), "holds a blank"),
    "DAT213 dots": (of_rows(a1={"image_id": ".."}), "holds a path"),
    "DAT213 sign": (of_rows(a1={"image_id": "a,1"}), "holds the sign ,"),
    "DAT213 hidden": (of_rows(a1={"image_id": "a\u200b1"}), "holds a hidden character"),
    "DAT214": (of_rows(a2={"image_id": "B1"}), "Ids B1 and b1 differ in case only"),
    "DAT215": (of_rows(a1={"image_id": "a1.jpg"}), "Id a1.jpg ends in .jpg"),
    "DAT216": (of_rows(a1={"captions": captioned("A scan.", " \t")}), "A caption of a1 holds nothing"),
    "DAT217": (of_rows(a1={"captions": "na\ufffdve"}), "U+FFFD"),
    "DAT218": (twice, "2 records have the id a1: 1 (train), 7 (train)."),
    "DAT301": (of_files(a1=None), "a1 has labels and no image"),
    "DAT301 no name": (lambda: clean_dataset({"a1": {"image": ""}}, clean_files(a1=None)), "a1 has labels"),
    "DAT302": (with_orphan, "extra.png is an image that no row names"),
    "DAT303": (of_files(a1=clean_files()["a1.png"][:100]), "a1: a1.png"),
    "DAT303 empty": (of_files(a1=b""), "holds 0 bytes"),
    "DAT304": (with_other_case, "a1 is the file A1.PNG. Other programs look for a1.png"),
    "DAT306": (with_jpeg_named_png, "holds JPEG"),
    "DAT307": (of_files(a1=png(np.array([[9]], np.uint8))), "a1 is 1 x 1 pixels"),
    "DAT308": (of_files(a1=png(np.full((40, 40), 9, np.uint8))), "a1 shows one flat colour"),
    "DAT401": (lambda: clean_dataset(counts={"extra": 5}), "The split extra has no images"),
    "DAT402": (of_rows(c1={"split": "dev"}), "The split is called dev"),
    "DAT403": (of_files(c1=clean_files()["a1.png"]), "a1 (train) and c1 (test) are the same file"),
    "DAT404": (of_files(c1=dotted()), "a1 (train) and c1 (test) look the same (difference 0.0"),
    "DAT404 mirrored": (of_files(c1=png(phantom(0)[:, ::-1])), "mirrored)"),
    "DAT405 in versions": (
        of_rows(a1={"group": "PMC7.1"}, c1={"group": "PMC7.2"}),
        "Group PMC7.1 has images in train, test",
    ),
    "DAT405 by DOI": (
        of_rows(
            a1={"doi": "10.1/x"},
            a2={"doi": ""},
            b1={"doi": "https://doi.org/10.1/X"},
            b2={"doi": ""},
            c1={"doi": ""},
            c2={"doi": ""},
        ),
        "has images in train, valid",
    ),
    "DAT405": (
        of_rows(a1={"group": "g"}, a2={"group": "g"}, c1={"group": "g"}),
        "Group g has images in train, test",
    ),
    "DAT406": (of_files(a2=clean_files()["a1.png"]), "a1 and a2 of train are the same file"),
    "DAT407": (of_files(c1=recompressed()), "a1 (train) and c1 (test) are two files with the same pixels"),
    "DAT408": (of_files(a2=recompressed()), "a1 and a2 of train are two files with the same pixels"),
    "DAT409": (
        lambda: clean_dataset(counts={"train": 3}),
        "The card says that train has 3 images. 2 were found",
    ),
    "DAT410": (
        of_rows(c1={"split": "valid"}, c2={"split": "valid"}),
        "There is no split test. There is: train, valid",
    ),
}


def messages(check: Check) -> str:
    return "\n".join(map(str, check.findings))


def test_a_dataset_without_fault_gives_no_finding() -> None:
    check = check_dataset(clean_dataset())
    assert messages(check) == ""
    assert (check.ok, check.records, check.images, check.counts) == (True, 6, 6, {})
    assert check_table(check).rows == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_its_code_alone(fault: str) -> None:
    make, said = FAULTS[fault]
    check = check_dataset(make())
    assert said in messages(check)
    assert check.counts == {fault.partition(" ")[0]: 1}


def test_every_code_of_labels_images_and_splits_has_its_fault() -> None:
    from radcap.datasets.codes import CODES

    of_opening = {"DAT201", "DAT305"}
    wanted = {code for code in CODES if code[:4] in {"DAT2", "DAT3", "DAT4"}} - of_opening
    assert wanted == {fault.partition(" ")[0] for fault in FAULTS}


def test_without_pixels_no_image_is_read() -> None:
    made = clean_dataset(files=dict.fromkeys(clean_files(), b"no image"))
    assert check_dataset(made, pixels=False).counts == {}
    assert check_dataset(made).counts == {"DAT303": 6, "DAT403": 2, "DAT406": 3}


def test_a_dataset_without_images_misses_each() -> None:
    check = check_dataset(replace(clean_dataset(), images=NoImages()))
    assert check.counts == {"DAT301": 6}
    assert check.images == 0


def test_an_empty_dataset_is_one_finding() -> None:
    check = check_dataset(dataset_of(clean_rows(), {}).filter(np.zeros(6, bool)))
    assert check.counts == {"DAT401": 1}
    assert check.records == 0


def test_a_part_of_a_dataset_is_not_held_against_its_card() -> None:
    made = clean_dataset(counts={"train": 2, "valid": 2, "test": 2})
    assert check_dataset(made).counts == {}
    assert check_dataset(made.split("train"), pixels=False).counts == {"DAT302": 4}


def test_errors_that_the_card_knows_are_no_news() -> None:
    faults = {"c1": {"group": "g-a1"}}
    news, known = clean_dataset(faults), clean_dataset(faults, known_issues=("DAT405",))
    assert not check_dataset(news).ok
    check = check_dataset(known)
    assert check.ok
    assert check.known == ("DAT405",)
    assert check_table(check).rows == (("DAT405", "error, known", "1", "group in several splits"),)


def test_warnings_leave_a_dataset_ok() -> None:
    assert check_dataset(clean_dataset({"a1": {"captions": "na\ufffdve"}})).ok


def test_what_opening_found_stays_and_is_not_said_twice() -> None:
    opening = Findings()
    opening.add("DAT218", "train.csv", 4, 1, n=2, id="a1", where="lines 3, 4")
    opening.add("DAT107", "notes.csv", file="notes.csv")
    check = check_dataset(twice(), opening)
    assert check.counts == {"DAT218": 1, "DAT107": 1}
    assert [one.file for one in check.findings] == ["train.csv", "notes.csv"]
    assert opening.counts == {"DAT218": 1, "DAT107": 1}


def test_an_id_that_opening_called_repeated_is_not_counted_again() -> None:
    opening = Findings()
    opening.add("DAT201", "train.csv", 4, 1, id="a1", first="line 3")
    assert check_dataset(twice(), opening).counts == {"DAT201": 1}


def test_what_a_dataset_remembers_of_its_opening_is_reported() -> None:
    opening = Findings()
    opening.add("DAT107", "notes.csv", file="notes.csv")
    check = check_dataset(replace(clean_dataset(), findings=opening.findings))
    assert check.counts == {"DAT107": 1}


def test_findings_about_a_file_name_it() -> None:
    check = check_dataset(clean_dataset(files=clean_files(a1=b"")))
    assert check.findings[0].file == "a1.png"


def test_a_survey_is_used_and_must_be_of_this_dataset() -> None:
    made = clean_dataset()
    survey = survey_images(made, keep=False)
    nothing = replace(made, images=MemoryImages(dict.fromkeys(clean_files(), b"")))
    assert check_dataset(nothing, survey=survey).counts == {}
    with pytest.raises(UsageError, match="Survey this dataset"):
        check_dataset(made[:3], survey=survey)


def test_progress_is_told_how_many_images_are_done() -> None:
    told: list[tuple[str, int]] = []
    check_dataset(clean_dataset(), progress=lambda name, done: told.append((name, done)))
    assert told == [("images", 6)]


def test_copies_are_named_once_each() -> None:
    data = clean_files()["a1.png"]
    check = check_dataset(clean_dataset(files=clean_files(a2=data, b1=data, c1=data, c2=data)))
    assert check.counts == {"DAT403": 2, "DAT406": 2}


def test_near_pictures_inside_a_split_are_no_finding() -> None:
    assert check_dataset(clean_dataset(files=clean_files(a2=dotted()))).counts == {}


def test_a_table_has_errors_first_and_its_numbers_on_the_right() -> None:
    check = check_dataset(
        clean_dataset({"a1": {"captions": [], "licence": ""}}, clean_files(a1=None, b1=None))
    )
    table = check_table(check)
    assert table.columns == ("code", "level", "count", "meaning")
    assert [row[:3] for row in table.rows] == [
        ("DAT301", "error", "2"),
        ("DAT206", "info", "1"),
        ("DAT212", "info", "1"),
    ]
    assert table.right == {"count"}


def test_json_has_everything_in_plain_values() -> None:
    check = check_dataset(clean_dataset(files=clean_files(a1=None)))
    said = json.loads(json.dumps(check.to_json()))
    assert said["issues"][0]["code"] == "DAT301"
    assert said["issues"][0]["level"] == Level.ERROR
    assert {name: said[name] for name in ("ok", "name", "records", "images", "counts", "known")} == {
        "ok": False,
        "name": "sample",
        "records": 6,
        "images": 5,
        "counts": {"DAT301": 1},
        "known": [],
    }
