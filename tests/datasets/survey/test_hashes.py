"""Perceptual hashes against SciPy's DCT and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from dataset_samples import noise
from phantoms import phantom
from PIL import Image
from scipy.fft import dctn

from radcap.datasets.survey.hashes import dhashes, phashes
from radcap.datasets.survey.survey import SMALL


def pictures(n: int, seed: int = 0) -> np.ndarray:
    """Textures and plain noise, half of each."""
    rng = np.random.default_rng(seed)
    smooth = [noise(seed + i, SMALL, SMALL) for i in range(n // 2)]
    return np.stack([*smooth, *rng.integers(0, 256, (n - n // 2, SMALL, SMALL), np.uint8)])


def number(bits: list[bool]) -> int:
    return int("".join(str(int(bit)) for bit in bits), 2)


def plain_phash(picture: np.ndarray) -> int:
    low = np.asarray(dctn(picture.astype(float), norm="ortho"))[:8, :8].round(3).ravel()
    return number([value > np.median(low) for value in low])


def plain_dhash(picture: np.ndarray) -> int:
    """Averages pixel by pixel of a picture in which each pixel is 72 times as large: 8 and 9 divide 72."""
    large = np.kron(picture.astype(float), np.ones((72, 72)))
    rows, columns = large.shape[0] // 8, large.shape[1] // 9
    bits: list[bool] = []
    for i in range(8):
        strip = large[i * rows : (i + 1) * rows]
        means = [round(float(strip[:, j * columns : (j + 1) * columns].mean()), 3) for j in range(9)]
        bits.extend(means[j] < means[j + 1] for j in range(8))
    return number(bits)


def test_phash_is_the_sign_of_low_frequencies_against_their_median() -> None:
    made = pictures(60)
    assert phashes(made).tolist() == [plain_phash(picture) for picture in made]


def test_dhash_is_the_sign_of_the_step_to_the_right() -> None:
    made = pictures(8)
    assert dhashes(made).tolist() == [plain_dhash(picture) for picture in made]


def test_a_ramp_to_the_right_rises_everywhere_and_its_mirror_nowhere() -> None:
    ramp = np.tile(np.arange(0, 256, 8).astype(np.uint8), (SMALL, 1))
    assert dhashes(np.stack([ramp, ramp[:, ::-1]])).tolist() == [2**64 - 1, 0]


def test_the_first_bit_of_a_phash_is_brightness() -> None:
    flat = np.full((1, SMALL, SMALL), 7, np.uint8)
    assert phashes(flat).tolist() == [1 << 63]


@pytest.mark.parametrize("hashes", [phashes, dhashes])
def test_flat_pictures_have_one_hash_whatever_their_grey(hashes) -> None:
    greys = np.broadcast_to(np.arange(1, 256, dtype=np.uint8)[:, None, None], (255, SMALL, SMALL))
    assert len(set(hashes(greys).tolist())) == 1


@pytest.mark.parametrize("hashes", [phashes, dhashes])
def test_hashes_of_many_are_those_of_each(hashes, monkeypatch: pytest.MonkeyPatch) -> None:
    made = pictures(21)
    whole = hashes(made)
    monkeypatch.setattr("radcap.datasets.survey.hashes._BATCH", 4)
    assert hashes(made).tolist() == whole.tolist()
    assert [int(hashes(made[i : i + 1])[0]) for i in range(21)] == whole.tolist()
    assert hashes(made[:0]).tolist() == []


@pytest.mark.parametrize("hashes", [phashes, dhashes])
def test_a_scaled_picture_keeps_its_hash_nearly(hashes) -> None:
    for seed in range(10):
        large = Image.fromarray(phantom(seed, 640, 480))
        little = large.resize((320, 240), Image.Resampling.BICUBIC)
        small = np.stack(
            [np.asarray(one.resize((SMALL, SMALL), Image.Resampling.BOX)) for one in (large, little)]
        )
        first, second = hashes(small)
        assert np.bitwise_count(first ^ second) <= 3
