"""Memory that is kept from one step to the next.

glibc gives large blocks back to the system as soon as they are free, so that each step of a network has to
touch all of its pages anew; on a CPU that took 40 % of the time. While memory is kept, the process holds what
it needed most.
"""

from __future__ import annotations

import ctypes
import os
import platform
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Generator

    from radcap.vision.training.devices import Place

__all__ = ["free_memory", "memory_kept"]

_TRIM_THRESHOLD, _MMAP_MAX = -1, -4  # of mallopt(3)
_NEVER, _DEFAULT_TRIM, _DEFAULT_MMAP_MAX = 2**31 - 1, 128 * 1024, 65_536


def free_memory(device: torch.device) -> int:
    """Bytes: of a GPU those that are free, of a machine all, since what it holds for files it gives back."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def memory_kept(place: Place) -> Generator[None]:
    """While the body runs, freed memory stays with the process, where that helps: on a CPU, with glibc."""
    if place.device.type != "cpu" or platform.libc_ver()[0] != "glibc":
        yield
        return
    libc = ctypes.CDLL(None)
    libc.mallopt(_MMAP_MAX, 0)
    libc.mallopt(_TRIM_THRESHOLD, _NEVER)
    try:
        yield
    finally:
        libc.mallopt(_MMAP_MAX, _DEFAULT_MMAP_MAX)
        libc.mallopt(_TRIM_THRESHOLD, _DEFAULT_TRIM)
        libc.malloc_trim(0)
