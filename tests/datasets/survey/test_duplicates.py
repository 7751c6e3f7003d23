"""Which copies are found, and which are not; pairs only on the evidence of pixels."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from dataset_samples import dataset_of, png, row
from phantoms import phantom
from PIL import Image, ImageDraw, ImageOps

from radcap.datasets.survey.differences import differences
from radcap.datasets.survey.duplicates import Duplicates, Way, find_duplicates
from radcap.datasets.survey.hashes import dhashes, phashes
from radcap.datasets.survey.survey import SMALL, Survey
from radcap.datasets.survey.surveying import survey_images

SEEDS = range(20)


def duplicates_of(files: list[bytes]) -> Duplicates:
    return find_duplicates(survey_of(files))


def survey_of(files: list[bytes]) -> Survey:
    rows = [row(f"i{place:03d}") for place in range(len(files))]
    names = {f"i{place:03d}.png": data for place, data in enumerate(files)}
    return survey_images(dataset_of(rows, names), workers=1, keep=False)


def saved(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def cropped(image: Image.Image, share: float) -> Image.Image:
    x, y = round(image.width * share), round(image.height * share)
    return image.crop((x, y, image.width - x, image.height - y))


def framed(image: Image.Image, share: float, grey: int) -> Image.Image:
    return ImageOps.expand(image, round(image.width * share), grey)


def marked(image: Image.Image) -> Image.Image:
    """With a white arrow, as figures in articles have."""
    copy = image.copy()
    draw = ImageDraw.Draw(copy)
    draw.line((100, 80, 120, 100), fill=255, width=2)
    draw.polygon((100, 80, 108, 80, 100, 88), fill=255)
    return copy


# What is done to a copy, and of 20 phantoms how many copies are found at least and at most.
BATTERY: dict[str, tuple[Callable[[Image.Image], bytes], int, int]] = {
    "saved again as JPEG": (lambda image: saved(image, "JPEG", quality=50), 20, 20),
    "saved again, poorly": (lambda image: saved(image, "JPEG", quality=20), 20, 20),
    "grey kept as RGB JPEG": (lambda image: saved(image.convert("RGB"), "JPEG", quality=75), 20, 20),
    "half as large": (lambda image: saved(image.resize((128, 96))), 20, 20),
    "brighter": (lambda image: saved(image.point([min(255, grey + 12) for grey in range(256)])), 20, 20),
    "an arrow": (lambda image: saved(marked(image)), 20, 20),
    "mirrored": (lambda image: saved(ImageOps.mirror(image)), 20, 20),
    "inverted": (lambda image: saved(ImageOps.invert(image)), 20, 20),
    "cropped by 1 % a side": (lambda image: saved(cropped(image, 0.01)), 15, 20),
    "cropped by 2 % a side": (lambda image: saved(cropped(image, 0.02)), 1, 19),
    "cropped by 10 % a side": (lambda image: saved(cropped(image, 0.1)), 0, 0),
    "framed by 1 % in black": (lambda image: saved(framed(image, 0.01, 0)), 5, 19),
    "framed by 5 % in white": (lambda image: saved(framed(image, 0.05, 255)), 0, 0),
    "turned by 90 degrees": (lambda image: saved(image.transpose(Image.Transpose.ROTATE_90)), 0, 0),
    "mirrored and inverted": (lambda image: saved(ImageOps.invert(ImageOps.mirror(image))), 0, 0),
}


@pytest.mark.parametrize("change", BATTERY)
def test_copies_are_found_or_not_as_documented(change: str) -> None:
    make, least, most = BATTERY[change]
    originals = [Image.fromarray(phantom(seed)) for seed in SEEDS]
    found = duplicates_of([*map(saved, originals), *map(make, originals)])
    wanted = [(seed, seed + len(SEEDS)) for seed in SEEDS]
    assert least <= len(found.clusters) <= most
    assert set(found.clusters) <= set(wanted)
    assert {tuple(pair) for pair in found.near.tolist()} <= set(wanted)


@pytest.mark.parametrize(
    ("change", "way"),
    [("an arrow", Way.PLAIN), ("mirrored", Way.MIRRORED), ("inverted", Way.INVERTED)],
)
def test_a_near_pair_says_how_the_copy_was_turned(change: str, way: Way) -> None:
    image = Image.fromarray(phantom(3))
    found = duplicates_of([saved(image), BATTERY[change][0](image)])
    assert found.near.tolist() == [[0, 1]]
    assert found.ways == (way,)
    assert 0 <= found.differences[0] < 0.05


def test_grey_and_rgb_of_one_picture_are_near_and_not_equal_in_pixels() -> None:
    image = Image.fromarray(phantom(1))
    found = duplicates_of([saved(image), saved(image.convert("RGB"))])
    assert (found.files, found.pixels) == ((), ())
    assert found.near.tolist() == [[0, 1]]
    assert found.differences.tolist() == [0.0]


def test_equal_files_and_equal_pixels_are_told_apart() -> None:
    image = Image.fromarray(phantom(1))
    plain, small = saved(image), saved(image, compress_level=0)
    other = png(phantom(2))
    found = duplicates_of([plain, other, small, plain, other])
    assert found.files == ((0, 3), (1, 4))
    assert found.pixels == ((0, 2, 3), (1, 4))
    assert found.near.tolist() == []
    assert found.clusters == ((0, 2, 3), (1, 4))


def test_clusters_join_what_hangs_together_in_any_way() -> None:
    image = Image.fromarray(phantom(1))
    found = duplicates_of([saved(image), saved(image), png(phantom(9)), BATTERY["an arrow"][0](image)])
    assert found.near.tolist() == [[0, 3]]
    assert found.clusters == ((0, 1, 3),)


def test_different_phantoms_are_no_duplicates() -> None:
    found = duplicates_of([png(phantom(seed)) for seed in range(80)])
    assert found.clusters == ()


def test_flat_pictures_of_other_greys_are_not_near() -> None:
    greys = [np.full((40, 40), grey, np.uint8) for grey in (0, 90, 91, 255)]
    assert duplicates_of([png(grey) for grey in greys]).near.tolist() == []


def test_images_that_cannot_be_read_are_not_equal_to_each_other() -> None:
    found = duplicates_of([b"", b"", png(phantom(1))])
    assert found.pixels == ()
    assert found.near.tolist() == []


def test_nothing_and_one_image_have_no_duplicates() -> None:
    for files in ([], [png(phantom(1))]):
        found = duplicates_of(files)
        assert (found.files, found.pixels, found.ways, found.clusters) == ((), (), (), ())
        assert found.near.shape == (0, 2)


def small_survey(small: np.ndarray) -> Survey:
    """A survey of pictures that have only their little copies."""
    n = len(small)
    zeros = {name: np.zeros(n, np.int32) for name in ("widths", "heights")}
    return Survey(
        ids=tuple(map(str, range(n))),
        kinds=("PNG",) * n,
        refused=("",) * n,
        why=("",) * n,
        sizes_bytes=np.zeros(n, np.int64),
        colour=np.zeros(n, bool),
        means=np.zeros(n, np.float32),
        deviations=np.zeros(n, np.float32),
        histograms=np.zeros((n, 128), np.uint32),
        digests=np.array([str(i) for i in range(n)], "S32"),
        pixel_digests=np.array([str(i) for i in range(n)], "S32"),
        phashes=phashes(small),
        dhashes=dhashes(small),
        small=small,
        **zeros,
    )


def test_a_collision_of_hashes_alone_is_no_duplicate() -> None:
    """The same signs of all steps, and quite other pictures: only the pixels tell."""
    rng = np.random.default_rng(0)
    steps = rng.random((SMALL, SMALL)) * 3
    low, high = np.cumsum(steps, axis=1), np.cumsum(steps**3, axis=1) * 2
    pair = np.stack([255 * low / low.max(), 255 * high / high.max()]).astype(np.uint8)
    first, second = dhashes(pair)
    assert first == second
    assert find_duplicates(small_survey(pair)).near.tolist() == []
    assert find_duplicates(small_survey(pair), threshold=1.0).near.tolist() == [[0, 1]]


def test_difference_is_the_standard_deviation_of_the_difference() -> None:
    rng = np.random.default_rng(0)
    small = rng.integers(0, 256, (5, SMALL, SMALL), np.uint8)
    pairs = np.array([[0, 1], [2, 4], [3, 3]])
    wanted = [(small[i] / 255 - small[j] / 255).std() for i, j in pairs]
    assert differences(small, pairs) == pytest.approx(wanted, abs=1e-6)


def test_a_picture_that_is_brighter_everywhere_does_not_differ() -> None:
    small = np.clip(phantom(4, SMALL, SMALL), 0, 200)
    assert differences(np.stack([small, small + 50]), np.array([[0, 1]])) == pytest.approx([0])
