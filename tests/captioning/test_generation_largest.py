"""The largest of very many values, beside torch's own."""

from __future__ import annotations

import pytest
import torch

from radcap.captioning.generation.largest import largest


@pytest.mark.parametrize("size", [7, 512 * 64 * 4 - 1, 512 * 64 * 4, 512 * 64 * 4 + 3, 200_000])
def test_they_are_those_of_topk(size: int) -> None:
    values = torch.rand(3, size, generator=torch.Generator().manual_seed(size))
    values[1, -2:] = 2.0  # in the rest behind the last piece
    values[2] = float("-inf")
    values[2, 5] = 0.0
    best, places = largest(values, 4)
    assert torch.equal(best, values.topk(4, dim=1).values)
    assert torch.equal(values.gather(1, places), best)
    assert all(len(set(row)) == 4 for row in places.tolist())
