"""Label files in any layout, lists of ids, and the concepts of the development labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radcap.core import InputError, Run, Task, UsageError
from radcap.formats import Kind, find_truth, read_expected, read_ids, read_labels, read_vocabulary, validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

C, K = Task.CONCEPTS, Task.CAPTIONS


def folder(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


# Where the labels are.


@pytest.mark.parametrize("kind", [Kind.CONCEPTS, Kind.CAPTIONS])
def test_a_file_is_the_truth_it_was_given_for(kind: Kind, place: Callable[..., Path]) -> None:
    path = place("a1,C1\n", "anything.txt")
    assert find_truth(path, kind) == path


def test_a_file_has_no_manual_labels_beside_it(place: Callable[..., Path]) -> None:
    assert find_truth(place("a1,C1\n"), Kind.MANUAL) is None


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("prefix", ["", "test_", "valid_", "ImageCLEF_2025_test_"])
def test_a_folder_answers_with_the_file_of_the_kind(prefix: str, kind: Kind, tmp_path: Path) -> None:
    files = {f"{prefix}{one.value}": "a1,x\n" for one in Kind}
    assert find_truth(folder(tmp_path, **files), kind) == tmp_path / f"{prefix}{kind.value}.csv"


def test_the_plain_name_goes_before_that_of_a_split(tmp_path: Path) -> None:
    found = find_truth(folder(tmp_path, concepts="", test_concepts="", valid_concepts=""), Kind.CONCEPTS)
    assert found == tmp_path / "concepts.csv"


def test_two_candidates_are_refused_by_name(tmp_path: Path) -> None:
    folder(tmp_path, test_concepts="", valid_concepts="", test_concepts_manual="")
    with pytest.raises(UsageError, match=r"test_concepts.csv, valid_concepts.csv.*Give the file itself"):
        find_truth(tmp_path, Kind.CONCEPTS)
    assert find_truth(tmp_path, Kind.MANUAL) == tmp_path / "test_concepts_manual.csv"


def test_a_folder_without_the_kind_has_none(tmp_path: Path) -> None:
    assert find_truth(folder(tmp_path, concepts="a1,C1\n"), Kind.CAPTIONS) is None
    with pytest.raises(InputError, match=r"holds no captions\.csv"):
        read_expected(tmp_path, K)
    (tmp_path / "concepts.csv").unlink()
    with pytest.raises(InputError, match=r"holds no concepts\.csv or concepts_manual\.csv\."):
        read_expected(tmp_path, C)


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"No truth at .*Give a label file or a folder"):
        find_truth(tmp_path / "absent", Kind.CONCEPTS)


# What is in them.

LABELS = {"a1": "C1;C2", "a2": "", "a3": None}


@pytest.mark.parametrize("sign", [",", "\t", "|"])
@pytest.mark.parametrize("header", ["", "ID{}CUIs\n", "ID{}cuis\n", "image_id{}labels\n", "\ufeffID{}CUIs\n"])
@pytest.mark.parametrize("edition", ["2017", "2022", "2025", "2026"])
def test_labels_come_with_any_separator_with_and_without_header(
    sign: str, header: str, edition: str, place: Callable[..., Path]
) -> None:
    path = place(f"{header.format(sign)}a1{sign}C1;C2\na2{sign}\na3\n")
    assert read_labels(path, Kind.CONCEPTS, edition) == Run(C, LABELS, str(path))


def test_captions_are_kept_as_they_are_written(place: Callable[..., Path]) -> None:
    path = place('ID,Caption\na1," x, ""y"" \nz "\na2,\n')
    assert read_labels(path, Kind.CAPTIONS, "2025").cells == {"a1": ' x, "y" \nz ', "a2": ""}


@pytest.mark.parametrize(("edition", "sign"), [("2017", "\t"), ("2022", "|")])
def test_the_labels_of_an_edition_without_quoting_are_not_quoted(
    edition: str, sign: str, place: Callable[..., Path]
) -> None:
    path = place(f'a1{sign}"never closed\na2{sign}y\n')
    assert read_labels(path, Kind.CAPTIONS, edition).cells == {"a1": '"never closed', "a2": "y"}
    assert list(read_expected(path, K, edition).position) == ["a1", "a2"]
    assert validate(path, K, truth=path, edition=edition).ok


def test_the_manual_labels_are_concepts() -> None:
    assert [kind.task for kind in Kind] == [C, C, K]


@pytest.mark.parametrize("reader", ["labels", "ids"])
def test_a_repeated_id_is_refused_with_both_lines(reader: str, place: Callable[..., Path]) -> None:
    path = place("ID,CUIs\na1,C1\na2,C2\n a1 ,C3\na2,C2\n", "concepts.csv")
    with pytest.raises(InputError) as raised:
        read_labels(path, Kind.CONCEPTS, "2025") if reader == "labels" else read_ids(path)
    assert str(raised.value) == (
        "concepts.csv cannot serve as truth: line 4: a1 stands on lines 2, 4. The later row silently wins. "
        "Clean the truth."
    )
    assert [(issue.code, issue.line) for issue in raised.value.issues] == [("TRU103", 4), ("TRU103", 5)]


def test_a_row_without_id_is_refused(place: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="line 2: Line 2 starts with an empty cell"):
        read_ids(place("a1,C1\n,C2\n"))


def test_blank_lines_are_passed_over(place: Callable[..., Path]) -> None:
    assert list(read_ids(place("ID,CUIs\n\na1,C1\n\na2,C2\n\n")).position) == ["a1", "a2"]


def test_a_broken_truth_is_refused_with_the_line(place: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="cannot serve as truth: line 2: A quote opened on line 2"):
        read_ids(place('a1,C1\na2,"C2\n'))


@pytest.mark.parametrize("text", ["ID,CUIs\n", "\n"])
def test_a_truth_without_images_is_refused(text: str, place: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"truth\.csv names no image\. .*Give a label file"):
        read_labels(place(text, "truth.csv"), Kind.CONCEPTS, "2025")


def test_an_empty_truth_is_refused_without_a_line(place: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"truth\.csv cannot serve as truth: truth\.csv holds 0 bytes"):
        read_ids(place("", "truth.csv"))


def test_ids_that_are_not_there_are_refused_in_words_about_ids(tmp_path: Path) -> None:
    for path in (tmp_path / "ids.csv", tmp_path):
        with pytest.raises(InputError, match=r"No file at .* Nothing can be checked against it"):
            read_ids(path)


# The ids of a task.


@pytest.mark.parametrize(
    "text", ["a1\na2\n", "ID\na1\na2\n", "ID,\na1,\na2,\n", "image\tx\ty\na1\t1\t2\na2\t3\t4\n"]
)
def test_the_ids_are_the_first_column_of_any_table(text: str, place: Callable[..., Path]) -> None:
    expected = read_ids(place(text, "ids.csv"))
    assert (list(expected.position), expected.source) == (["a1", "a2"], "ids.csv")


def test_the_ids_of_a_folder_are_those_of_the_task(tmp_path: Path) -> None:
    folder(tmp_path, concepts="a1,C1\n", concepts_manual="a1,C1\na2,C1\n", captions="b1,x\n")
    assert list(read_expected(tmp_path, C).position) == ["a1"]
    assert list(read_expected(tmp_path, K).position) == ["b1"]


@pytest.mark.parametrize("edition", ["2025", "2026"])
def test_the_manual_labels_alone_will_do_for_the_ids(edition: str, tmp_path: Path) -> None:
    expected = read_expected(folder(tmp_path, test_concepts_manual="a1,C1\n"), C, edition)
    assert (list(expected.position), expected.source) == (["a1"], "test_concepts_manual.csv")


def test_2026_adds_the_ids_that_only_the_manual_labels_have(tmp_path: Path) -> None:
    folder(tmp_path, concepts="a3,C1\na1,C1\n", concepts_manual="a0,C1\na1,C1\na2,C1\n")
    expected = read_expected(tmp_path, C, "2026")
    assert expected.position == {"a3": 0, "a1": 1, "a0": 2, "a2": 3}
    assert expected.source == "concepts.csv"


def test_an_id_that_repeats_inside_the_manual_labels_is_refused(tmp_path: Path) -> None:
    folder(tmp_path, concepts="a1,C1\n", concepts_manual="a1,C1\na1,C1\n")
    with pytest.raises(InputError, match=r"concepts_manual\.csv cannot serve as truth: line 2: a1 stands on"):
        read_expected(tmp_path, C, "2026")


# The vocabulary.

VOCABULARIES = [
    ("C1\nC2\n", {"C1", "C2"}),
    ("CUI,Name\nC1,Chest\nC2,Chest C-arm\n", {"C1", "C2"}),
    ("ID,CUIs\nPMC123_C9,C1;C2\na2,C1\n", {"C1", "C2"}),
    ("cui\tname\nC1\tx\n", {"C1"}),
]


@pytest.mark.parametrize(("text", "cuis"), VOCABULARIES)
def test_the_vocabulary_is_every_cui_of_a_table(
    text: str, cuis: set[str], place: Callable[..., Path]
) -> None:
    assert read_vocabulary(place(text)) == cuis


def test_a_vocabulary_without_cuis_is_refused(place: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"names\.csv names no concept"):
        read_vocabulary(place("Chest\nLung\n", "names.csv"))


def test_a_vocabulary_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No file at"):
        read_vocabulary(tmp_path / "absent.csv")


def test_a_caption_of_a_hundred_thousand_letters_is_a_label(tmp_path: Path) -> None:
    path = tmp_path / "captions.csv"
    path.write_text('ID,Caption\na1,"' + "x, " * 33_000 + '"\n', encoding="utf-8")
    assert len(read_labels(path, Kind.CAPTIONS, "2025").cells["a1"] or "") == 99_000


CUT = [
    ("ID,Caption\na1,CT of the chest, showing a mass\na2,MRI\n", Kind.CAPTIONS, 2),
    ("a1,MRI\na2,CT of the chest, showing a mass\n", Kind.CAPTIONS, 2),
    ("a1,CT of the chest, showing a mass\na2,MRI\n", Kind.CAPTIONS, 1),
    ("ID\tCaption\na1\tCT\tof the chest\n", Kind.CAPTIONS, 2),
    ("ID,CUIs\na1,C1,C2\n", Kind.CONCEPTS, 2),
    ("ID\na1,C1,C2\n", Kind.CONCEPTS, 2),
]


@pytest.mark.parametrize(("text", "kind", "line"), CUT)
def test_a_label_that_a_separator_cuts_is_refused(
    text: str, kind: Kind, line: int, place: Callable[..., Path]
) -> None:
    with pytest.raises(InputError, match=f"line {line}: Line {line} has 3 cells") as refused:
        read_labels(place(text, "truth.csv"), kind, "2025")
    assert [issue.code for issue in refused.value.issues] == ["RUN202"]


def test_further_columns_that_the_header_names_are_left_alone(place: Callable[..., Path]) -> None:
    table = place("ID,Caption,Article\na1,CT,PMC1\na2,MRI,PMC2\n", "truth.csv")
    assert read_labels(table, Kind.CAPTIONS, "2025").cells == {"a1": "CT", "a2": "MRI"}


def test_a_list_of_ids_may_have_any_further_cells(place: Callable[..., Path]) -> None:
    assert list(read_ids(place("ID,x\na1,1,2,3\na2\n", "ids.csv")).position) == ["a1", "a2"]
