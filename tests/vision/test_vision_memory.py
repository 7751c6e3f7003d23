"""Memory is kept where that helps, and given back afterwards."""

from __future__ import annotations

import ctypes
import platform
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from vision_samples import CPU

from radcap.vision.training import memory_kept

needs_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back at once"
)
BLOCK = 64 * 2**20
PAGE = 4096


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def use_and_free() -> None:
    torch.ones(BLOCK, dtype=torch.uint8)


@needs_glibc
def test_freed_memory_stays_until_the_end():
    with memory_kept(CPU):  # at its end goes back what tests before this one have freed
        use_and_free()
    before = resident()
    with memory_kept(CPU):
        use_and_free()
        kept = resident() - before
    assert kept > BLOCK * 0.9
    assert resident() - before < BLOCK * 0.1
    use_and_free()
    assert resident() - before < BLOCK * 0.1


@pytest.mark.parametrize("place", [CPU, replace(CPU, device=torch.device("cuda"))])
def test_elsewhere_nothing_is_changed(place, monkeypatch):
    if place is CPU:
        monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    opened = []
    monkeypatch.setattr(ctypes, "CDLL", opened.append)
    with memory_kept(place):
        use_and_free()
    assert opened == []


@needs_glibc
def test_an_error_gives_it_back_too():
    before = resident()
    with pytest.raises(ValueError, match="stop"):
        fail_meanwhile()
    assert resident() - before < BLOCK * 0.1


def fail_meanwhile() -> None:
    with memory_kept(CPU):
        use_and_free()
        raise ValueError("stop")
