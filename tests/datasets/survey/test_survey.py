"""The survey: what an image says, for every kind of image, kept and read again."""

from __future__ import annotations

import hashlib
import io
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from dataset_samples import dataset_of, noise, png, row, sample
from PIL import Image

from radcap.core import InputError, Missing
from radcap.datasets import Dataset
from radcap.datasets.refusal import refuse
from radcap.datasets.stores import MemoryImages, NoImages
from radcap.datasets.survey.facts import ImageFacts, facts_of
from radcap.datasets.survey.files import keep_survey, read_survey, survey_path
from radcap.datasets.survey.hashes import dhashes, phashes
from radcap.datasets.survey.survey import BINS, SMALL, Survey
from radcap.datasets.survey.surveying import survey_images


def surveyed(**files: bytes) -> Survey:
    rows = [row(name, image=f"{name}.png") for name in files]
    made = dataset_of(rows, {f"{name}.png": data for name, data in files.items()})
    return survey_images(made, workers=1, keep=False)


def equal(first: Survey, second: Survey) -> bool:
    pairs = [(getattr(first, one.name), getattr(second, one.name)) for one in fields(Survey)]
    return all(
        np.array_equal(a, b) and a.dtype == b.dtype if isinstance(a, np.ndarray) else a == b for a, b in pairs
    )


class CountingImages(MemoryImages):
    """Says how often it was read."""

    reads = 0

    def read(self, key: str) -> bytes:
        type(self).reads += 1
        return super().read(key)


def test_an_image_says_its_size_greys_and_digests() -> None:
    pixels = noise(3, 40, 30)
    data = png(pixels)
    seen = surveyed(a=data)
    assert (seen.ids, seen.kinds, seen.refused, seen.why) == (("a",), ("PNG",), ("",), ("",))
    assert (seen.sizes_bytes[0], seen.widths[0], seen.heights[0]) == (len(data), 40, 30)
    assert seen.means[0] == pytest.approx(pixels.mean(), rel=1e-6)
    assert seen.deviations[0] == pytest.approx(pixels.std(), rel=1e-6)
    assert seen.histograms[0].tolist() == np.histogram(pixels, BINS, (0, 256))[0].tolist()
    assert bytes(seen.digests[0]) == hashlib.sha256(data).digest().rstrip(b"\0")
    wanted = hashlib.sha256(b"L 40 30 " + pixels.tobytes()).digest()
    assert bytes(seen.pixel_digests[0]) == wanted.rstrip(b"\0")


def test_the_little_copy_is_an_average_and_gives_the_hashes() -> None:
    pixels = noise(4, 4 * SMALL, 2 * SMALL)
    seen = surveyed(a=png(pixels))
    averages = pixels.reshape(SMALL, 2, SMALL, 4).mean(axis=(1, 3))
    assert np.abs(seen.small[0] - averages).max() <= 1
    assert seen.phashes.tolist() == phashes(seen.small).tolist()
    assert seen.dhashes.tolist() == dhashes(seen.small).tolist()


@pytest.mark.parametrize(
    ("pixels", "colour"),
    [
        (noise(1), False),
        (np.repeat(noise(1)[:, :, None], 3, axis=2), False),
        (noise(1, colour=True), True),
    ],
)
def test_colour_is_some_pixel_that_is_not_grey(pixels: np.ndarray, colour: bool) -> None:
    assert surveyed(a=png(pixels)).colour.tolist() == [colour]


@pytest.mark.parametrize(("blue", "colour"), [(0, False), (16, False), (17, True), (155, True)])
def test_one_blue_pixel_is_colour_and_the_noise_of_lossy_coding_is_none(blue: int, colour: bool) -> None:
    pixels = np.full((12, 12, 3), 100, np.uint8)
    pixels[5, 5, 2] += blue
    assert surveyed(a=png(pixels)).colour.tolist() == [colour]


def test_a_grey_picture_in_a_lossy_file_is_grey() -> None:
    assert surveyed(a=png(noise(1), "WEBP", quality=75)).colour.tolist() == [False]


def test_the_same_pixels_in_another_file_have_another_digest_and_the_same_of_pixels() -> None:
    seen = surveyed(a=png(noise(1)), b=png(noise(1), compress_level=0), c=png(noise(1), "BMP"))
    assert len(set(seen.digests.tolist())) == 3
    assert len(set(seen.pixel_digests.tolist())) == 1
    assert seen.kinds == ("PNG", "PNG", "BMP")


def test_the_digest_of_pixels_knows_their_shape() -> None:
    flat = np.zeros((4, 6), np.uint8)
    seen = surveyed(a=png(flat), b=png(flat.reshape(6, 4)), c=png(np.zeros((4, 2, 3), np.uint8)))
    assert len(set(seen.pixel_digests.tolist())) == 3


def test_an_exif_turn_is_done_before_anything_is_measured() -> None:
    pixels = noise(2, 30, 20)
    image, turned = Image.fromarray(pixels), Image.Exif()
    turned[0x0112] = 6
    out = io.BytesIO()
    image.save(out, "PNG", exif=turned)
    seen = surveyed(a=out.getvalue())
    assert (seen.widths[0], seen.heights[0]) == (20, 30)


BROKEN = {
    "empty": (b"", "IMG102", ""),
    "html": (b"<html><body>404</body></html>", "IMG103", ""),
    "cut": (png(noise(1))[:200], "IMG104", "PNG"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_image_has_its_code_and_sentence_and_no_pixels(name: str) -> None:
    data, code, kind = BROKEN[name]
    seen = surveyed(good=png(noise(1)), bad=data)
    assert seen.refused == ("", code)
    assert seen.kinds == ("PNG", kind)
    assert "bad.png" in seen.why[1]
    assert seen.sizes_bytes[1] == len(data)
    assert (seen.widths[1], seen.means[1], seen.phashes[1], seen.dhashes[1]) == (0, 0, 0, 0)
    assert not seen.small[1].any()
    assert bytes(seen.pixel_digests[1]) == b""
    assert bytes(seen.digests[1]) == hashlib.sha256(data).digest().rstrip(b"\0")


def test_an_image_that_is_not_there_says_so() -> None:
    made = dataset_of([row("a"), row("b", image="")], {})
    seen = survey_images(made, workers=1, keep=False)
    assert seen.refused == ("IMG101", "IMG101")
    assert "There is no image a.png" in seen.why[0]
    assert seen.digests.tolist() == [b"", b""]


def test_a_dataset_without_images_has_a_survey_too() -> None:
    seen = survey_images(replace(sample(3), images=NoImages()), workers=1, keep=False)
    assert set(seen.refused) == {"IMG101"}


class FailingImages(MemoryImages):
    error: Exception = OSError(5, "Input/output error")

    def read(self, key: str) -> bytes:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OSError(5, "Input/output error"), "IMG109", "Input/output error"),
        (OSError("gone"), "IMG109", "gone"),
        (refuse("IMG107", "a.png", size=9, limit=5), "IMG107", "9 bytes"),
        (InputError("The archive is damaged."), "IMG109", "The archive is damaged."),
    ],
)
def test_an_image_that_cannot_be_fetched_is_refused(
    error: Exception, code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FailingImages, "error", error)
    facts = facts_of(FailingImages({"a.png": b"x"}), "a.png")
    assert facts.refused == code
    assert said in facts.why


def test_what_needs_a_package_is_told_and_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(data: bytes, name: str) -> Image.Image:
        raise Missing("pydicom", "It reads DICOM files.", "Install it: pip install pydicom")

    monkeypatch.setattr("radcap.datasets.survey.facts.decode", absent)
    seen = survey_images(sample(2), workers=1, root=tmp_path)
    assert seen.refused == ("IMG110", "IMG110")
    assert "pip install pydicom" in seen.why[0]
    assert list(tmp_path.rglob("*.parquet")) == []


def test_no_images_make_an_empty_survey(tmp_path: Path) -> None:
    none = sample(2).filter(np.zeros(2, bool))
    made = survey_images(none, root=tmp_path)
    assert made.ids == ()
    assert made.small.shape == (0, SMALL, SMALL)
    assert made.histograms.shape == (0, BINS)
    assert equal(survey_images(none, root=tmp_path), made)


def test_a_survey_is_kept_and_read_again_without_a_look_at_the_images(tmp_path: Path) -> None:
    base = sample(8)
    made = replace(base, images=CountingImages(base.images.files))  # type: ignore[attr-defined]
    CountingImages.reads = 0
    first = survey_images(made, workers=1, root=tmp_path)
    assert CountingImages.reads == 8
    assert equal(survey_images(made, workers=1, root=tmp_path), first)
    assert CountingImages.reads == 8
    assert len(list((tmp_path / "surveys").iterdir())) == 1


def test_surveys_lie_in_the_cache_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path))
    survey_images(sample(2), workers=1)
    assert survey_path(sample(2)).parent == tmp_path / "surveys"
    assert survey_path(sample(2)).is_file()


def test_nothing_is_kept_when_nobody_wants_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path))
    survey_images(sample(2), workers=1, keep=False)
    assert list(tmp_path.iterdir()) == []


def changed_bytes(made: Dataset) -> Dataset:
    files = {**made.images.files, "Sample_000001.png": png(noise(99))}  # type: ignore[attr-defined]
    return replace(made, images=MemoryImages(files))


def one_less(made: Dataset) -> Dataset:
    return made[1:]


def other_order(made: Dataset) -> Dataset:
    return made.take([1, 0, 2])


@pytest.mark.parametrize("change", [changed_bytes, one_less, other_order])
def test_a_changed_dataset_has_another_survey(change, tmp_path: Path) -> None:
    made = sample(3)
    assert survey_path(change(made), tmp_path) != survey_path(made, tmp_path)
    survey_images(made, workers=1, root=tmp_path)
    assert survey_images(change(made), workers=1, root=tmp_path).ids == tuple(change(made).ids)


def cut_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-50])


def no_parquet(path: Path) -> None:
    path.write_bytes(b"nothing of the kind")


def column_lost(path: Path) -> None:
    pq.write_table(pq.read_table(path).drop_columns(["means"]), path)


def rows_lost(path: Path) -> None:
    pq.write_table(pq.read_table(path).slice(1), path)


def other_width(path: Path) -> None:
    table = pq.read_table(path)
    digests = table["digests"].cast("binary")
    place = table.column_names.index("small")
    small = digests.combine_chunks().cast(table["digests"].type)
    pq.write_table(table.set_column(place, "small", small), path)


@pytest.mark.parametrize("damage", [cut_file, no_parquet, column_lost, rows_lost, other_width])
def test_a_damaged_file_is_made_anew(damage, tmp_path: Path) -> None:
    made = sample(4)
    first = survey_images(made, workers=1, root=tmp_path)
    path = survey_path(made, tmp_path)
    whole = path.read_bytes()
    damage(path)
    assert equal(survey_images(made, workers=1, root=tmp_path), first)
    assert path.read_bytes() == whole


def test_a_digest_that_ends_in_zeros_is_kept(tmp_path: Path) -> None:
    seen = surveyed(a=png(noise(1)), b=png(noise(2)))
    digests = np.array([b"\x01" + bytes(31), b"a" * 31 + b"\0"], "S32")
    odd = replace(seen, digests=digests)
    keep_survey(odd, tmp_path / "odd.parquet")
    kept = read_survey(tmp_path / "odd.parquet")
    assert kept is not None
    assert equal(kept, odd)


def test_several_processes_see_what_one_sees(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("radcap.datasets.survey.surveying._CHUNK", 4)
    told: list[tuple[str, int]] = []
    made = sample(12)
    many = survey_images(made, workers=2, root=tmp_path, progress=lambda *one: told.append(one))
    assert equal(many, survey_images(made, workers=1, keep=False))
    assert told == [("images", 4), ("images", 8), ("images", 12)]


def test_many_images_are_looked_at_in_processes_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.datasets.survey.surveying._FEW", 3)
    asked: list[int] = []

    def here(work, chunks, workers, lost):
        asked.append(workers)
        return map(work, chunks)

    monkeypatch.setattr("radcap.datasets.survey.surveying.in_processes", here)
    monkeypatch.setattr("radcap.datasets.survey.surveying.default_workers", lambda: 7)
    for n in (2, 3):
        survey_images(sample(n), keep=False)
    assert asked == [1, 7]


def test_an_image_that_kills_its_process_is_named_and_the_others_are_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def here(work, chunks, workers, lost):
        """As `in_processes` does when the fourth item is deadly."""
        for chunk in chunks:
            lost(chunk[3])
            yield work([item for place, item in enumerate(chunk) if place != 3])

    monkeypatch.setattr("radcap.datasets.survey.surveying.in_processes", here)
    seen = survey_images(sample(6), workers=2, keep=False)
    assert seen.refused == ("", "", "", "IMG109", "", "")
    assert "a process died of it" in seen.why[3]


def test_facts_of_nothing_are_zeros() -> None:
    facts = ImageFacts()
    assert not facts.histogram.any()
    assert not facts.small.any()
    assert facts.digest == bytes(32)
