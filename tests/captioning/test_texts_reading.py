"""Files of texts: a caption a line, or a column of a table."""

from __future__ import annotations

import csv
import gzip
import io
import os
from pathlib import Path

import pytest
from captioning_samples_texts import texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from radcap.captioning.settings import CaptionDataSettings
from radcap.captioning.texts import cleaned, read_texts, reading
from radcap.core import InputError

PLAIN = CaptionDataSettings()
CASES = [
    ("a.txt", b"CT of the chest\nMR of the head\n", ["CT of the chest", "MR of the head"]),
    ("a.txt", b"\xef\xbb\xbfCT\r\nMR\rUS", ["CT", "MR", "US"]),
    ("a.TXT", "fémur fracture of a leg\n\n".encode(), ["fémur fracture of a leg"]),
    ("noending", b"CT, axial\n", ["CT, axial"]),
    ("a.txt", b'"CT" "a"\n', ['"CT" "a"']),
    ("a.csv", b"ID,Caption\n1,CT\n2,MR\n", ["CT", "MR"]),
    ("a.csv", b'\xef\xbb\xbf"ID","a,b"," CAPTION "\n1,,"CT, axial ""x""\nview"\n', ['CT, axial "x" view']),
    ("a.csv", b"Caption;ID\nCT, axial;1\n", ["CT, axial"]),
    ("a.csv", b"ID\tcaption\n1\tCT\n", ["CT"]),
    ("a.csv", b"ID|Caption\n1|CT\n2\n", ["CT"]),
    ("a.CSV", b"ID,Caption\r\n1,CT\r\n\r\n", ["CT"]),
    ("a.tsv", b'ID\t"Caption"\n1\t"CT ""x"""\n2\t"MR of the\n3\tUS\n', ['CT "x"', '"MR of the', "US"]),
    ("v1.0.texts.txt", b"CT\n", ["CT"]),
]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("name", "data", "expected"), CASES)
def test_files(tmp_path: Path, name: str, data: bytes, expected: list[str], packed: bool) -> None:
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(data) if packed else data)
    assert list(read_texts(path, PLAIN).kept.values()) == expected


def test_what_is_left_out_is_told_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        'ID,Caption\n1,CT\n2,"12\n\n"\n3\n4,Radiographie du thorax\n5,US scan\n', encoding="utf-8"
    )
    texts = read_texts(path, CaptionDataSettings(words=1))
    assert list(texts.kept.values()) == ["CT", "US"]
    assert texts.told() == [
        "1 of 5 captions left out: nothing is written in it (line 6).",
        "1 of 5 captions left out: it has no letters (line 5).",
        "1 of 5 captions left out: it is in another language than English (line 7).",
        "1 of 5 captions cut: it has too many words (line 8).",
    ]


REFUSALS = [
    ("a.csv", b"ID,Text\n1,CT\n", "the header 'ID,Text' names no column Caption"),
    ("a.csv", b"", "the header '' names no column Caption"),
    ("a.tsv", b"ID,Caption\n1,CT\n", "names no column Caption"),
    ("a.csv", b"Captions\nCT\n", "names no column Caption"),
    ("a.txt", b"", "no text is left to learn from"),
    ("a.txt", b"\n12\n", "it has no letters (line 2)"),
    ("a.csv", b"Caption\n", "no text is left to learn from"),
    ("a.txt", "CT".encode("utf-16"), "it is no UTF-8"),
    ("a.txt", b"CT\nf\xe9mur\n", "it is no UTF-8"),
    ("a.txt.gz", b"CT of the chest", "Not a gzipped file"),
    ("a.txt.gz", gzip.compress(b"CT of the chest" * 99, mtime=0)[:-12], "ended before"),
    ("a.txt.gz", gzip.compress(b"CT of the chest" * 99, mtime=0)[:20] + b"x" * 40, "rror"),
    ("a.csv", b'Caption\n"CT' + b" CT\n" * 50_000, "field larger than field limit"),
    ("a.txt", b"x" * (1 << 20), "letters or more"),
]


@pytest.mark.parametrize(("name", "data", "said"), REFUSALS)
def test_refusals(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_texts(path, PLAIN)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path} cannot be used: ")
    assert str(caught.value).endswith(".gz may follow.")
    assert len(str(caught.value)) < 700


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_texts(tmp_path / "none.txt", PLAIN)
    with pytest.raises(InputError, match="it is no regular file"):
        read_texts(tmp_path, PLAIN)
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(InputError, match="it is no regular file"):
        read_texts(tmp_path / "pipe.txt", PLAIN)


def test_a_file_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_ALL", 10_000)
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"CT\n" * 1_000_000))
    with pytest.raises(InputError, match="all lines more than 10,000"):
        read_texts(path, PLAIN)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts.filter(str.isprintable), min_size=1, max_size=8), st.sampled_from([",", "\t"]))
def test_a_table_gives_back_what_was_written(tmp_path: Path, given: list[str], separator: str) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator)
    writer.writerows([["Caption", "ID"], *([f"CT {text}", "1"] for text in given)])
    path = tmp_path / ("a.csv" if separator == "," else "a.tsv")
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    kept = read_texts(path, CaptionDataSettings(english=False, words=1000)).kept
    assert list(kept.values()) == [cleaned(f"CT {text}") for text in given]
