"""Datasets as people have them by mistake: half copied, renamed, saved by another program, one folder off."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dataset_samples import noise, png, sample

from radcap.datasets import Findings, open_dataset, save

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

LAYOUTS = ("parquet", "hf", "folder", "webdataset", "rocov2", "imageclef-2017", "imageclef-2021")
IMAGE = {"bytes": png(noise(1)), "path": "a.png"}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    return save(sample(), tmp_path / "data", request.param).path


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.mark.parametrize("made", LAYOUTS, indirect=True)
def test_links_to_nowhere_and_to_themselves_are_passed_by(made: Path) -> None:
    before = len(open_dataset(made, Findings()))
    (made / "self").symlink_to(made / "self")
    (made / "train-loop").symlink_to(made)
    (made / "gone").symlink_to(made / "nowhere")
    findings = Findings()
    assert len(open_dataset(made, findings)) == before
    assert not findings.errors


@pytest.mark.parametrize("made", ["webdataset"], indirect=True)
def test_a_shard_that_is_a_link_to_nowhere_is_a_finding(made: Path, radcap: Command) -> None:
    (made / "train-000009.tar").symlink_to(made / "nowhere.tar")
    done = radcap("dataset", "check", made, "--workers", "1")
    assert (done.code, "leads nowhere" in done.out) == (1, True)


@pytest.mark.parametrize("made", ["parquet", "hf", "folder"], indirect=True)
def test_names_in_capitals_are_recognised(made: Path) -> None:
    before = len(open_dataset(made, Findings()))
    for path in sorted(made.rglob("*"), key=lambda one: -len(one.parts)):
        if path.suffix in {".csv", ".parquet"} or path.is_dir():
            path.rename(path.with_name(path.name.upper() if path.is_file() else path.name.title()))
    assert len(open_dataset(made, Findings())) == before


@pytest.mark.parametrize("made", ["parquet", "hf", "folder", "imageclef-2021"], indirect=True)
def test_a_folder_too_high_is_told_which_one_was_meant(made: Path, radcap: Command) -> None:
    (made.parent / "high").mkdir()
    made.rename(made.parent / "high" / "inner")
    done = radcap("dataset", "info", made.parent / "high")
    assert done.code == 1
    assert "its folder 'inner': give that one." in done.err


@pytest.mark.parametrize("made", ["webdataset"], indirect=True)
@pytest.mark.parametrize("name", ["notes.txt", "README.txt", "md5sums.csv", "Thumbs.db"])
def test_files_lying_around_hide_no_shards(made: Path, name: str) -> None:
    (made / name).write_text("a,b\n", encoding="utf-8")
    assert open_dataset(made, Findings()).layout == "webdataset"


@pytest.mark.parametrize("made", ["parquet", "folder"], indirect=True)
def test_a_smaller_copy_is_never_silent(made: Path, radcap: Command) -> None:
    (next(made.rglob("train*.parquet"), None) or made / "train" / "metadata.csv").unlink()
    done = radcap("dataset", "info", made)
    assert "The copy may be half" in done.err


@pytest.mark.parametrize("made", ["rocov2"], indirect=True)
def test_warnings_of_opening_are_told_by_every_command(made: Path, radcap: Command) -> None:
    (made / "train_images.zip").unlink()
    assert "DAT108" in radcap("dataset", "stats", made).err


@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("made", ["parquet", "hf"], indirect=True)
def test_a_cut_shard_is_a_finding_of_check(made: Path, share: float, radcap: Command) -> None:
    shard = next(made.rglob("train*.parquet"))
    data = shard.read_bytes()
    shard.write_bytes(data[: int(len(data) * share)])
    done = radcap("dataset", "check", made, "--workers", "1")
    assert done.code == 1
    assert "DAT104" in done.out


@pytest.mark.parametrize("made", ["rocov2"], indirect=True)
def test_a_zip_copied_again_is_looked_at_again(made: Path, radcap: Command) -> None:
    path = made / "train_images.zip"
    whole = path.read_bytes()
    path.write_bytes(whole[200:])
    first = radcap("dataset", "check", made, "--workers", "1")
    assert "DAT303" in first.out
    assert "Invalid argument" not in first.out
    path.write_bytes(whole)
    assert "DAT303" not in radcap("dataset", "check", made, "--workers", "1").out


TABLES = {
    "no image": ({"image_id": ["a", "b"], "caption": ["x", "y"]}, "DAT301"),
    "no id, no image": ({"caption": ["x"]}, "DAT106"),
    "capitals": ({"Image": [IMAGE], "Image_ID": ["a"]}, "DAT106"),
    "no columns": ({}, "DAT106"),
}


@pytest.mark.parametrize(("columns", "code"), TABLES.values(), ids=TABLES)
def test_parquet_without_its_columns_is_checked(
    empty: Path, columns: dict[str, list[object]], code: str, radcap: Command
) -> None:
    pq.write_table(pa.table(columns), empty / "train.parquet")
    assert code in radcap("dataset", "check", empty, "--workers", "1").out


def test_parquet_with_a_column_twice_is_refused(empty: Path, radcap: Command) -> None:
    ids = pa.array(["a"])
    table = pa.Table.from_arrays([pa.array([IMAGE]), ids, ids], names=["image", "image_id", "image_id"])
    pq.write_table(table, empty / "train.parquet")
    assert "several columns are called 'image_id'" in radcap("dataset", "info", empty).out


def test_parquet_text_that_is_no_utf8_is_refused(empty: Path, radcap: Command) -> None:
    ids = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    pq.write_table(pa.table({"image": pa.array([IMAGE]), "image_id": ids}), empty / "train.parquet")
    done = radcap("dataset", "check", empty, "--workers", "1")
    assert "DAT104" in done.out


DEEP = "[" * 100_000
LINES = {
    "deep cui": f'{{"file_name": "a.png", "cui": "{DEEP}"}}',
    "deep captions": f'{{"file_name": "a.png", "captions": "{DEEP}"}}',
    "long number": f'{{"file_name": "a.png", "n": {"9" * 5000}}}',
    "long name": f'{{"file_name": "{"x" * 10_000}", "image_id": "a"}}',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_lines_of_json_never_break_a_command(empty: Path, line: str, radcap: Command) -> None:
    (empty / "a.png").write_bytes(IMAGE["bytes"])
    (empty / "metadata.jsonl").write_text(line, encoding="utf-8")
    assert radcap("dataset", "info", empty).code in {0, 1}
    assert radcap("dataset", "check", empty, "--workers", "1").code in {0, 1}


SAVED = {
    "semicolons": 'file_name;image_id;cui\na.png;a;"C0000001;C0000002"\n',
    "capitals": "FILE_NAME,Image_ID, Cui \na.png,a,C0000001;C0000002\n",
    "windows": "\ufefffile_name,image_id,cui\r\na.png,a,C0000001;C0000002\r\n",
}


@pytest.mark.parametrize("text", SAVED.values(), ids=SAVED)
def test_metadata_saved_by_a_spreadsheet_is_read(empty: Path, text: str) -> None:
    (empty / "a.png").write_bytes(IMAGE["bytes"])
    (empty / "metadata.csv").write_text(text, encoding="utf-8", newline="")
    findings = Findings()
    dataset = open_dataset(empty, findings)
    assert not findings.errors
    assert dataset.column("image_id").to_pylist() == ["a"]
    assert dataset.column("cui").to_pylist() == [["C0000001", "C0000002"]]


REFUSED = {
    "utf-16": ("file_name\na.png\n".encode("utf-16"), "UTF-16"),
    "latin-1": (b"file_name,caption\na.png,\xe9\n", "line 2 holds the byte 0xE9"),
    "zip": (b"PK\x03\x04\xff\xfe\n\0,\n", "zip under another name"),
    "nothing": (b"", "0 bytes"),
}


@pytest.mark.parametrize(("data", "why"), REFUSED.values(), ids=REFUSED)
def test_metadata_that_is_no_utf8_table_says_what_to_do(
    empty: Path, data: bytes, why: str, radcap: Command
) -> None:
    (empty / "metadata.csv").write_bytes(data)
    done = radcap("dataset", "info", empty)
    assert (done.code, why in done.out) == (1, True)
    assert "Traceback" not in done.err


def test_label_files_with_semicolons_are_read(empty: Path) -> None:
    (empty / "train_captions.csv").write_text('ID;Caption\na;CT, axial\nb;"x;y"\n', encoding="utf-8")
    dataset = open_dataset(empty, Findings())
    assert [one[0]["text"] for one in dataset.column("captions").to_pylist()] == ["CT, axial", "x;y"]


def test_a_row_cut_short_below_a_header_is_refused(empty: Path) -> None:
    (empty / "train_captions.csv").write_text("ID,Caption\na,CT\nROCO", encoding="utf-8")
    findings = Findings()
    open_dataset(empty, findings)
    assert findings.counts["DAT122"] == 1


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # shells may ignore it
    code = f"{listen}; from radcap.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "dataset", "synth", str(out), "--images", "500000", "--size", "256"],
        stderr=subprocess.PIPE,
        env={**os.environ, "RADCAP_CACHE": str(tmp_path / "cache")},
        text=True,
    )
    until = time.monotonic() + 60
    while not list(tmp_path.glob(".radcap-*/*")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode != 0
    assert "Traceback" not in said
    assert not list(tmp_path.glob(".radcap-*"))
    assert not out.exists()


def test_a_zip_given_for_a_folder_is_told_to_be_unpacked(tmp_path: Path, radcap: Command) -> None:
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as file:
        file.writestr("train_captions.csv", "ID,Caption\n")
    done = radcap("dataset", "check", tmp_path / "data.zip")
    assert (done.code, "Unpack it" in done.err) == (1, True)
