from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import InputError, UsageError
from radcap.vocabulary.index.arrays import open_arrays, places_of, write_arrays

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KINDS = {"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64}
ARRAYS = st.dictionaries(
    st.text(min_size=1),
    st.sampled_from(list(KINDS.values())).flatmap(
        lambda kind: st.lists(st.integers(0, int(np.iinfo(kind).max))).map(lambda ones: np.array(ones, kind))
    ),
)
NOTES = st.dictionaries(st.text(), st.text(st.characters(codec=None)))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arrays") / "some.vocab"


@given(ARRAYS, NOTES)
def test_arrays_and_notes_come_back(file: Path, arrays: Mapping[str, Any], notes: dict[str, str]) -> None:
    write_arrays(file, arrays, notes)
    read, said = open_arrays(file)
    assert said == notes
    assert {name: (one.dtype, one.tolist()) for name, one in read.items()} == {
        name: (one.dtype, one.tolist()) for name, one in arrays.items()
    }
    assert_as_safetensors(file.read_bytes(), arrays, notes)


def assert_as_safetensors(data: bytes, arrays: Mapping[str, Any], notes: Mapping[str, str]) -> None:
    """The rules of the format, read by hand: aligned arrays, one behind the other, nothing else."""
    length = int.from_bytes(data[:8], "little")
    assert length % 8 == 0
    assert data[8:9] == b"{"
    header = json.loads(data[8 : 8 + length])
    assert header.pop("__metadata__") == notes
    assert set(header) == set(arrays)
    end = 0
    for entry in sorted(header.values(), key=lambda one: (one["data_offsets"], one["shape"])):
        kind = np.dtype(KINDS[entry["dtype"]])
        first, last = entry["data_offsets"]
        assert first == end
        assert first % kind.itemsize == 0
        assert [last - first] == [entry["shape"][0] * kind.itemsize]
        end = last
    assert len(data) == 8 + length + end


def test_what_is_read_cannot_be_written_to(file: Path) -> None:
    write_arrays(file, {"x": np.arange(3, dtype=np.uint32)}, {})
    with pytest.raises(ValueError, match="read-only"):
        open_arrays(file)[0]["x"][0] = 1


def test_it_takes_the_place_of_the_old_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.vocab"
    write_arrays(path, {"x": np.arange(1000, dtype=np.uint64)}, {})
    old, _ = open_arrays(path)
    write_arrays(path, {"x": np.zeros(1, np.uint8)}, {})
    assert old["x"].tolist() == list(range(1000)), "who has the old one open keeps it"
    assert open_arrays(path)[0]["x"].tolist() == [0]
    assert [one.name for one in path.parent.iterdir()] == ["x.vocab"]
    with pytest.raises(UsageError, match="no regular file"):
        write_arrays(tmp_path, {}, {})


def header(said: object, body: bytes = b"") -> bytes:
    text = said if isinstance(said, bytes) else json.dumps(said).encode()
    return len(text).to_bytes(8, "little") + text + body


def entry(dtype: object = "U8", shape: object = (4,), offsets: object = (0, 4)) -> dict[str, object]:
    return {"x": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


LYING: dict[str, bytes] = {
    "nothing": b"",
    "one byte": b"\x01",
    "eight bytes": bytes(8),
    "a length of nothing": bytes(16),
    "a length of more than all": (1000).to_bytes(8, "little") + b"{}",
    "the largest length": b"\xff" * 8 + b"{}" * 100,
    "a length of 32 MiB": (1 << 25).to_bytes(8, "little") + b"{}" * 100,
    "text": b"ID,Caption\n1,CT of the chest\n" * 20,
    "a zip": b"PK\x03\x04" + bytes(200),
    "a Parquet file": b"PAR1" + bytes(200) + b"PAR1",
    "JSON alone": b'{"x": {"dtype": "U8"}}',
    "no JSON": header(b"{{{{"),
    "broken UTF-8": header(b'{"\xff": 1}'),
    "UTF-16": header('{"x": 1}'.encode("utf-16")),
    "a list": header([1, 2]),
    "a number": header(1),
    "a text": header("x"),
    "null": header(None),
    "a deep list": header(b"[" * 200_000 + b"]" * 200_000),
    "deep objects": header(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "a number of 10,000 digits": header(b'{"x": ' + b"9" * 10_000 + b"}"),
    "notes of a list": header({"__metadata__": [1]}),
    "notes of a text": header({"__metadata__": "x"}),
    "an entry of a number": header({"x": 1}),
    "an entry of null": header({"x": None}),
    "an entry of a list": header({"x": [1, 2]}),
    "an empty entry": header({"x": {}}),
    "no offsets": header({"x": {"dtype": "U8", "shape": [1]}}, b"1234"),
    "an unknown type": header(entry("F32"), b"1234"),
    "a type of a list": header(entry(["U8"]), b"1234"),
    "one offset": header(entry(offsets=[0]), b"1234"),
    "three offsets": header(entry(offsets=[0, 2, 4]), b"1234"),
    "offsets of texts": header(entry(offsets=["0", "4"]), b"1234"),
    "offsets with halves": header(entry(shape=[3.5], offsets=[0.5, 4.0]), b"1234"),
    "offsets of no number": header(
        b'{"x": {"dtype": "U8", "shape": [4], "data_offsets": [NaN, NaN]}}', b"1234"
    ),
    "offsets without end": header(
        b'{"x": {"dtype": "U8", "shape": [4], "data_offsets": [0, Infinity]}}', b"1234"
    ),
    "a start below nothing": header(entry(offsets=[-4, 0]), b"1234"),
    "an end before its start": header(entry(offsets=[4, 0]), b"1234"),
    "an end behind the file": header(entry(shape=[5], offsets=[0, 5]), b"1234"),
    "an end far behind": header(entry(shape=[1 << 62], offsets=[0, 1 << 62]), b"1234"),
    "half a number": header(entry("U64", [1], [0, 4]), b"1234"),
    "another shape": header(entry(shape=[3]), b"1234"),
    "no shape": header(entry(shape=[]), b"1234"),
    "a shape of a text": header(entry(shape="4"), b"1234"),
    "a shape of two": header(entry(shape=[4, 1]), b"1234"),
}  # fmt: skip


@pytest.mark.parametrize("name", LYING)
def test_a_file_that_lies_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "lying.vocab"
    path.write_bytes(LYING[name])
    with pytest.raises(InputError) as caught:
        open_arrays(path)
    assert str(caught.value).startswith(f"{path} is no compiled vocabulary: it")
    assert str(caught.value).endswith(". Compile it again with `radcap vocab build`.")
    assert caught.value.path == str(path)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_read(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    arrays, why = dict[str, np.ndarray](), f"{file} is no compiled vocabulary: it"
    try:
        arrays, _ = open_arrays(file)
    except InputError as refused:
        why = str(refused)
    assert why.startswith(f"{file} is no compiled vocabulary: it")
    assert all(one.nbytes <= len(data) for one in arrays.values())


@given(st.lists(st.integers(0, 20)).map(sorted), st.integers(0, 20))
def test_where_a_value_stands(values: list[int], wanted: int) -> None:
    for kind in KINDS.values():
        first, last = places_of(np.array(values, kind), wanted)
        assert values[first:last] == [wanted] * values.count(wanted)
        assert first == sum(one < wanted for one in values)
