"""Weights on disk: what each form costs, and files that were made to mislead."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import SafetensorError
from safetensors.torch import save_file

from radcap.core import InputError
from radcap.vision.weight_files import packed, read_weight_file, round_weights, unpacked, write_weight_file


@given(
    rows=st.integers(1, 4),
    columns=st.integers(1, 5),
    seed=st.integers(0, 2**16),
    scale=st.sampled_from([1e-30, 1e-6, 1.0, 1e4, 1e30]),
)
@settings(max_examples=60, deadline=None)
def test_eight_bits_are_off_by_half_a_step_of_their_channel(
    rows: int, columns: int, seed: int, scale: float
) -> None:
    weight = torch.randn(rows, columns, 2, generator=torch.Generator().manual_seed(seed)) * scale
    found = unpacked(packed({"w": weight}, "int8"))["w"]
    step = weight.flatten(1).abs().amax(1) / 127
    error = (found.double() - weight.double()).flatten(1).abs().amax(1)
    assert (error <= step.double() / 2 * (1 + 1e-5)).all()


@given(st.lists(st.floats(-6e4, 6e4, width=32), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_halves_are_off_by_half_a_step(values: list[float]) -> None:
    weight = torch.tensor(values)
    found = unpacked(packed({"w": weight}, "fp16"))["w"]
    step = torch.maximum(weight.abs() * 2.0**-10, torch.tensor(2.0**-24))
    assert ((found - weight).abs() <= step / 2 * 1.0001).all()


def test_what_is_too_large_for_half_keeps_single_precision() -> None:
    held = {"running_var": torch.tensor([1.0, 1e6]), "weight": torch.tensor([1.0, 2.0])}
    done = packed(held, "fp16")
    assert done["running_var"].dtype == torch.float32
    assert done["weight"].dtype == torch.float16
    assert torch.equal(unpacked(done)["running_var"], held["running_var"])


def test_a_rounded_network_is_what_its_file_gives_back(tmp_path: Path) -> None:
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).to(
        memory_format=torch.channels_last  # type: ignore[call-overload]
    )
    network.get_buffer("1.running_var").fill_(1e6)  # too large for half
    before = network.get_parameter("0.weight").detach().clone()
    round_weights(network)
    assert not torch.equal(network.get_parameter("0.weight"), before)
    assert network.get_parameter("0.weight").is_contiguous(memory_format=torch.channels_last)
    write_weight_file(network.state_dict(), tmp_path / "w.safetensors")
    read = read_weight_file(tmp_path / "w.safetensors")
    assert all(torch.equal(read[name], value) for name, value in network.state_dict().items())


def test_vectors_keep_single_precision_in_eight_bits_and_counts_stay_counts() -> None:
    held = {"bias": torch.tensor([0.1, 1e6]), "steps": torch.tensor(3)}
    done = unpacked(packed(held, "int8"))
    assert all(torch.equal(done[name], held[name]) for name in held)


def test_a_file_is_for_everybody_to_read(tmp_path: Path) -> None:
    write_weight_file({"a": torch.ones(2)}, tmp_path / "new" / "a.safetensors")
    mode = stat.S_IMODE((tmp_path / "new" / "a.safetensors").stat().st_mode)
    assert mode == 0o644


def test_a_full_disk_leaves_the_file_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.safetensors"
    write_weight_file({"a": torch.ones(2)}, path)

    def full(_: Any, part: Path) -> None:
        part.write_bytes(b"half")
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("radcap.vision.weight_files.save_file", full)
    with pytest.raises(OSError, match=r"a.safetensors cannot be written: .*No space left"):
        write_weight_file({"a": torch.zeros(2)}, path)
    assert torch.equal(read_weight_file(path)["a"], torch.ones(2))
    assert list(tmp_path.iterdir()) == [path]


def header(told: dict[str, Any], data: bytes = b"") -> bytes:
    text = json.dumps(told).encode()
    return len(text).to_bytes(8, "little") + text + data


HOSTILE = {
    "header longer than the file": (2**62).to_bytes(8, "little") + b"{}",
    "offsets beyond the file": header(
        {"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}, b"1234"
    ),
    "a shape of more than there is": header(
        {"a": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 4]}}, b"1234"
    ),
    "offsets that lie over each other": header(
        {
            "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
            "b": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
        },
        b"1234",
    ),
    "a type that nobody knows": header({"a": {"dtype": "X9", "shape": [1], "data_offsets": [0, 4]}}, b"1234"),
    "a pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00cos\nsystem\n.",
    "no JSON": (4).to_bytes(8, "little") + b"oops",
}


@pytest.mark.parametrize("held", HOSTILE.values(), ids=HOSTILE)
def test_a_file_that_misleads_is_refused(held: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(held)
    with pytest.raises(InputError, match="cannot be read as weights"):
        read_weight_file(tmp_path / "a.safetensors")


def test_a_scale_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_file({"w": torch.ones(3, 2, dtype=torch.int8), "w.scale": torch.ones(2)}, path)
    with pytest.raises(InputError, match="cannot be read as weights"):
        read_weight_file(path)
    with pytest.raises(InputError, match="cannot be read as weights"):
        read_weight_file(tmp_path / "none.safetensors")
