"""Texts by the batch.

Invariant: every item comes once and in its order, and no batch is empty. An item counts as a letter more than
it has, or empty ones would pile up.
>>> list(in_batches(["a chest", "CT", "of", "1990"], len, letters=10))
[['a chest', 'CT'], ['of', '1990']]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["in_batches"]

T = TypeVar("T")


def in_batches(
    items: Iterable[T], length: Callable[[T], int], *, letters: int, most: int | None = None
) -> Iterator[list[T]]:
    """A batch ends where its items have this many letters, or are this many."""
    batch: list[T] = []
    total = 0
    for one in items:
        batch.append(one)
        total += length(one) + 1
        if total >= letters or len(batch) == most:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch
