"""Random bytes and damaged files: refused with a reason, or read as the edition's scorer reads them."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from typing import TYPE_CHECKING

from checks import assert_sound
from corpus_small import GOOD, SMALL_IDS, C, K
from corpus_zips import Member, archive
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import RadcapError, Run
from radcap.formats import DIALECTS, Kind, fix_run, read_ids, read_labels, read_run, write_run
from radcap.metrics import score_concepts

if TYPE_CHECKING:
    from pathlib import Path

    from place import Place

    from radcap.formats import Dialect, Expected

CELLS = {
    K: ("C0040405;C0817096", "C0024485", ""),
    C: ("CT of the chest.", 'MRI, "sagittal" | view', "Plain film"),
}
TRUTH = {"img_1": "C0040405", "img_2": "C0024485;C0817096", "img_3": ""}

dialects = st.sampled_from(list(DIALECTS.values()))
# what files break over: separators, quotes, line ends, marks, ids, CUIs, odd letters, no letters at all
SCRAPS = (
    *(b",", b"\t", b"|", b";", b'"', b'""', b"\n", b"\r", b"\r\n", b" ", b"\0", b"\x0b", b"\x1b[2J", b"\xff"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8", b"\xc2\x85", b"\xc2\xa0", b"\xed\xa0\x80", b"PK\3\4"),
    *(b"ID", b"ID,CUIs\n", b"ID,Caption\n", b"img_1", b"img_2", b"img_3", b"img_1.jpg", b"VID1", b"id"),
    *(b"C0040405", b"c0040405", b"C1;C1", b"C1 C2", b"=1+1", b"a mass", "é日\U0001f600".encode(), b"x" * 40),
)
scraps = st.one_of(st.sampled_from(SCRAPS), st.binary(max_size=4))
soups = st.lists(scraps, max_size=25).map(b"".join)
# where, how many bytes go, what comes in their place
damages = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), scraps), min_size=1, max_size=4)


def damage(data: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    for where, gone, scrap in changes:
        place = int(where * len(data))
        data = data[:place] + scrap + data[place + gone :]
    return data


def good_file(form: Dialect, place: Place) -> bytes:
    run = Run(form.task, dict(zip(SMALL_IDS, CELLS[form.task], strict=True)))
    return write_run(run, place(b"", "good.csv"), edition=form.edition).read_bytes()


@given(form=dialects, content=st.one_of(st.binary(max_size=300), soups))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_refused_or_a_run(
    form: Dialect, content: bytes, place: Place, expected: Expected
) -> None:
    assert_sound(place(content), form, expected)


@given(form=dialects, changes=damages)
@settings(max_examples=150, deadline=None)
def test_a_damaged_run_is_refused_or_still_a_run(
    form: Dialect, changes: list[tuple[float, int, bytes]], place: Place, expected: Expected
) -> None:
    assert_sound(place(damage(good_file(form, place), changes)), form, expected)


@given(changes=damages)
@settings(max_examples=150, deadline=None)
def test_a_damaged_archive_is_refused_or_holds_what_was_packed(
    changes: list[tuple[float, int, bytes]], place: Place, expected: Expected
) -> None:
    run, found = read_run(
        place(damage(archive(Member()), changes), "run.zip"), K, edition="2026", expected=expected
    )
    cells = [line.split(",") for line in GOOD[K].decode().splitlines()[1:]]
    assert not found.ok or dict(run.cells) == {one: cell for one, cell in cells}  # noqa: C416, pairs


@given(form=dialects, changes=damages)
@settings(max_examples=100, deadline=None)
def test_a_repair_keeps_every_prediction_or_refuses(
    form: Dialect, changes: list[tuple[float, int, bytes]], place: Place, small_ids: Path, expected: Expected
) -> None:
    path = place(damage(good_file(form, place), changes))
    out = path.with_name("fixed.csv")
    with suppress(RadcapError):
        fix_run(path, out, form.task, ids=small_ids, edition=form.edition, force=True)
        assert_sound(out, form, expected)


def official_f1(text: str) -> float | None:
    """The evaluator of 2025 as the specification tells it; None where it stops with an error."""
    run: dict[str, list[str]] = {}
    for row in csv.reader(io.StringIO(text, newline=None)):
        if row and "ID" in row[0]:
            continue
        if not 1 <= len(row) <= 2:
            return None
        concepts = [part.strip() for part in row[1].split(";")] if len(row) > 1 else []
        if row[0] not in TRUTH or row[0] in run or len(concepts) > 100 or len(set(concepts)) < len(concepts):
            return None
        run[row[0]] = concepts
    if len(run) != len(TRUTH):
        return None
    total = 0.0
    for image_id, cell in TRUTH.items():
        truth = {part.strip().upper() for part in cell.split(";")}
        predicted = {part.upper() for part in run[image_id]}
        total += 2 * len(truth & predicted) / (len(truth) + len(predicted))
    return total / len(TRUTH)


@given(changes=damages)
@settings(max_examples=150, deadline=None)
def test_no_wrong_score_in_silence(changes: list[tuple[float, int, bytes]], place: Place) -> None:
    content = damage(GOOD[K], changes)
    with suppress(RadcapError):
        report = score_concepts(place(content), TRUTH, edition="2025")
        assert report["f1"].value == official_f1(content.decode())


@given(content=st.one_of(st.binary(max_size=100), soups))
@settings(max_examples=100, deadline=None)
def test_a_truth_of_any_bytes_names_images_or_is_refused(content: bytes, place: Place) -> None:
    path = place(content, "truth.csv")
    with suppress(RadcapError):
        assert read_labels(path, Kind.CONCEPTS, "2025").cells
    with suppress(RadcapError):
        assert len(read_ids(path)) > 0
