"""Warnings of other people's decoders, kept in.

Invariant: the warning filters belong to the whole process, so one thread at a time changes them.
"""

from __future__ import annotations

import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["quiet"]

_lock = threading.Lock()


@contextmanager
def quiet() -> Generator[None]:
    """A block whose warnings go nowhere: an odd header is either decoded or refused."""
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
