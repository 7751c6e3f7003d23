"""Near pairs of hashes, by radcap and by comparing all with all; and the whole search of a survey.

Invariant: both ways see the same hashes. They are random, with near pairs planted, a crowd of equal ones, and
crowds that share a band as radiographs of one view do.

    python benchmarks/near_hashes.py banded|pairwise|whole --images 100000
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np
from work import show_work

from radcap.datasets.survey.duplicates import find_duplicates
from radcap.datasets.survey.hashes import dhashes, phashes
from radcap.datasets.survey.near_pairs import near_pairs
from radcap.datasets.survey.survey import BINS, SMALL, Survey

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

__all__ = ["banded", "pairwise", "synthetic_hashes", "synthetic_survey", "whole"]

DISTANCE = 3
_SEED = 4
_PLANTED = 50  # one image in so many has a near copy
_CROWDED = 20  # one image in so many shares its lowest 16 bits with many others
_CROWDS = 8
_EQUAL = 200  # one image in so many has the one hash that several share
_ROWS = 8  # compared at once with all others: the quickest of 1 to 256 for 100,000 hashes


def synthetic_hashes(images: int) -> Hashes:
    """Hashes in any order, with what makes a search hard."""
    random = np.random.default_rng(_SEED)
    hashes = random.integers(0, 2**64, images, np.uint64)
    crowded = images // _CROWDED
    hashes[:crowded] = hashes[:crowded] >> np.uint64(16) << np.uint64(16)
    hashes[:crowded] |= random.integers(0, _CROWDS, crowded, np.uint64)
    copies = images // _PLANTED
    hashes[-copies:] = hashes[-2 * copies : -copies] ^ _few_bits(random, copies)
    hashes[crowded : crowded + images // _EQUAL] = hashes[crowded]
    return random.permutation(hashes)


def _few_bits(random: np.random.Generator, n: int) -> Hashes:
    """Words with one to three bits set."""
    bits = np.uint64(1) << random.integers(0, 64, (DISTANCE, n), np.uint64)
    return np.bitwise_or.reduce(bits)


def banded(hashes: Hashes) -> NDArray[np.int64]:
    return near_pairs(hashes, DISTANCE)


def pairwise(hashes: Hashes) -> NDArray[np.int64]:
    """All with all, in blocks, by NumPy's own counting of bits."""
    found: list[NDArray[np.int64]] = []
    for start in range(0, len(hashes), _ROWS):
        block, rest = hashes[start : start + _ROWS, None], hashes[None, start:]
        first, second = np.nonzero(np.bitwise_count(block ^ rest) <= DISTANCE)
        later = second > first
        found.append(np.stack((first[later], second[later]), axis=1) + start)
    return np.concatenate(found)


def synthetic_survey(images: int) -> Survey:
    """Little pictures without files: smooth textures, one in fifty a noisy copy of another."""
    random = np.random.default_rng(_SEED)
    coarse = random.integers(0, 256, (images, SMALL // 4, SMALL // 4), np.uint8)
    copies = images // _PLANTED
    coarse[-copies:] = coarse[:copies]
    small = coarse.repeat(4, axis=1).repeat(4, axis=2)
    small[-copies:] ^= random.integers(0, 4, (copies, SMALL, SMALL), np.uint8)
    texts = ("",) * images
    numbers = np.zeros(images)
    return Survey(
        ids=tuple(map(str, range(images))),
        kinds=texts,
        refused=texts,
        why=texts,
        sizes_bytes=numbers.astype(np.int64),
        widths=numbers.astype(np.int32),
        heights=numbers.astype(np.int32),
        colour=numbers.astype(np.bool_),
        means=numbers.astype(np.float32),
        deviations=numbers.astype(np.float32),
        histograms=np.zeros((images, BINS), np.uint32),
        digests=np.arange(1, images + 1).astype("S32"),
        pixel_digests=np.arange(1, images + 1).astype("S32"),
        phashes=phashes(small),
        dhashes=dhashes(small),
        small=small,
    )


def whole(survey: Survey) -> NDArray[np.int64]:
    """Files, pixels, near pairs by both hashes, mirrored and inverted ones, confirmed by pixels, clusters."""
    return find_duplicates(survey).near


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("way", choices=("banded", "pairwise", "whole"))
    parser.add_argument("--images", type=int, required=True)
    asked = parser.parse_args()
    if asked.way == "whole":
        survey = synthetic_survey(asked.images)
        show_work(lambda: whole(survey).ravel().tolist())
        return
    hashes = synthetic_hashes(asked.images)
    search = banded if asked.way == "banded" else pairwise
    show_work(lambda: search(hashes).ravel().tolist())


if __name__ == "__main__":
    main()
