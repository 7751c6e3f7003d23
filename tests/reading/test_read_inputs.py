"""The names of images: what they stand for, and what is said of those that stand for none."""

import os
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import radcap
from radcap.core import RadcapError, UsageError
from radcap.reading.inputs import images_of


def picture(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.zeros((20, 20), np.uint8)).save(path)
    return path


def names(dataset):
    return [str(record.image.path) for record in dataset]


def test_files_folders_patterns_and_lists_in_their_order(tmp_path):
    b, a = picture(tmp_path / "scans" / "b.png"), picture(tmp_path / "scans" / "deep" / "a.PNG")
    picture(tmp_path / "scans" / ".hidden" / "c.png")
    (tmp_path / "scans" / "notes.txt").write_text("nothing")
    (tmp_path / "scans" / "noend").write_bytes(b"\0" * 128 + b"DICM" + b"\0" * 200)
    single = picture(tmp_path / "single.png")
    dicom = tmp_path / "scans" / "noend"
    assert names(images_of([tmp_path / "scans"])) == [str(b), str(dicom), str(a)]
    assert names(images_of([str(tmp_path / "**" / "*.png")])) == sorted([str(b), str(single)])
    assert names(images_of([single, tmp_path / "scans" / "deep"])) == [str(single), str(a)]
    assert names(images_of(["-"], [f"{single}\n", "\n", f"{a}\r\n"])) == [str(single), str(a)]


def test_a_file_is_taken_whatever_it_is_called(tmp_path):
    odd = tmp_path / "odd[1].txt"
    odd.write_text("x")
    assert names(images_of([odd])) == [str(odd)]


def test_datasets_by_name_and_by_folder(tmp_path):
    assert len(images_of(["radiology-open"])) == 5254
    radcap.load_dataset("radiology-open", split="test")[:2].save(tmp_path / "kept", layout="folder")
    kept = images_of([tmp_path / "kept"])
    assert kept.layout == "folder"
    assert len(kept) == 2


def test_all_that_is_wrong_is_told_at_once(tmp_path):
    (tmp_path / "empty").mkdir()
    wrong = ["away.png", str(tmp_path / "empty"), str(tmp_path / "*.gif"), "a" * 5000, "nul\0byte"]
    with pytest.raises(UsageError) as caught:
        images_of([*wrong, "one-more.png"])
    told = str(caught.value)
    for part in ("away.png is not there", "empty holds no image", "fits the pattern", "And 1 more"):
        assert part in told
    assert "Nothing was read" in told


@pytest.mark.parametrize(
    ("given_names", "told"), [([], "No image was named"), (["-"], "The list names no image")]
)
def test_no_name_at_all(given_names, told):
    with pytest.raises(UsageError, match=told):
        images_of(given_names)


@pytest.mark.skipif(os.geteuid() == 0, reason="whoever is root may read everything")
def test_a_folder_that_may_not_be_read(tmp_path):
    closed = tmp_path / "closed"
    picture(closed / "a.png")
    closed.chmod(0)
    try:
        with pytest.raises(RadcapError, match="cannot be read"):
            images_of([closed])
    finally:
        closed.chmod(0o700)


@settings(max_examples=40)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_any_names_are_a_dataset_or_a_sentence(some):
    with suppress(RadcapError):  # a folder of the demo may lie here
        assert len(images_of(some))
