"""Images, names and captions of every kind through `radcap explain`: maps that fit, or a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from commands import Command
from dataset_samples import noise
from explain_model_samples import CHEST, detector, writer
from explain_pipeline_samples import saying
from image_samples import KINDS, RGB, exif_turn, saved
from PIL import Image
from safe_pages import HOSTILE, Tags
from test_hostile_images import CLAIMS

from radcap.explanation import writing
from radcap.systems import predicting

torch.set_num_threads(1)  # networks this small only wait for threads

QUICKLY = ("--method", "hires-cam", "--targets", CHEST, "--cases", "0", "--faithfulness", "none")
SPANS = tuple(f"spans,{CHEST}" if one == CHEST else one for one in QUICKLY)
TURNS = {
    1: None,
    3: Image.Transpose.ROTATE_180,
    6: Image.Transpose.ROTATE_90,
    8: Image.Transpose.ROTATE_270,
}  # how the pixels lie on the disk, for a picture that is upright once it is turned

SOME = {
    "jpeg grey": (40, 60),
    "jpeg turned": (60, 40),
    "jpeg cmyk": (40, 60),
    "png palette": (40, 60),
    "png alpha": (40, 60),
    "png deep": (32, 48),
    "gif animated": (40, 60),
    "tiff float": (32, 48),
}


@pytest.fixture
def explain(tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`radcap explain` in a folder of its own; gives what was written, too."""
    monkeypatch.chdir(tmp_path)
    made = {"model": detector(), "writer": writer(reads=detector(), concepts="all")}
    monkeypatch.setattr(predicting, "opened_model", lambda name, _: made[name])

    def call(*images: str, model: str = "model", options: tuple[str, ...] = QUICKLY) -> tuple[Any, Any]:
        done = radcap("explain", model, *images, *options, "--out", "out")
        assert "Traceback" not in done.err
        return done, json.loads(Path("out/explanations.json").read_text("utf-8"))

    return call


def map_of(record: dict[str, Any]) -> np.ndarray:
    with np.load(Path("out") / record["maps"]) as maps:
        return maps[CHEST]


def test_images_of_every_kind_have_maps_of_their_shape(explain: Any) -> None:
    wanted = {f"{number}.png": shape for number, shape in enumerate(SOME.values())}
    for name, kind in zip(wanted, SOME, strict=True):
        Path(name).write_bytes(KINDS[kind])
    Image.fromarray(noise(5, 6000, 40)).save("huge.png")
    wanted["huge.png"] = (2, 320)
    Image.fromarray(noise(6, 700, 500)).save("large.png")
    wanted["large.png"] = (229, 320)
    done, told = explain(*wanted)
    assert told["failures"] == []
    assert done.code == 0, done.err
    assert len(told["explanations"]) == len(wanted)
    for record, shape in zip(told["explanations"], wanted.values(), strict=True):
        found = map_of(record)
        assert found.shape == shape, record["image"]
        assert np.isfinite(found).all()
        with Image.open(Path("out") / record["figure"]) as figure:
            assert max(figure.size) < 4000


def test_a_turned_copy_has_the_map_of_the_upright_one(explain: Any) -> None:
    for value, turn in TURNS.items():
        lying = RGB if turn is None else RGB.transpose(turn)
        Path(f"turn{value}.png").write_bytes(saved(lying, "PNG", exif=exif_turn(value)))
    _, told = explain(*(f"turn{value}.png" for value in TURNS))
    first, *others = (map_of(one) for one in told["explanations"])
    assert first.any()
    for other in others:
        np.testing.assert_array_equal(other, first)


def test_the_same_image_in_other_colours_has_the_same_map(explain: Any) -> None:
    grey = RGB.convert("L")
    for name, mode in {"l": "L", "rgb": "RGB", "rgba": "RGBA", "la": "LA"}.items():
        grey.convert(mode).save(f"{name}.png")
    grey.quantize(256).save("palette.png")
    names = ("l.png", "rgb.png", "rgba.png", "la.png")
    done, told = explain(*names, "palette.png")
    assert done.code == 0, done.err
    first, *others, palette = (map_of(one) for one in told["explanations"])
    for other in others:
        np.testing.assert_allclose(other, first, atol=2e-3)
    np.testing.assert_allclose(palette, first, atol=0.05)


def test_bombs_and_broken_files_are_told_and_the_rest_is_explained(explain: Any) -> None:
    few = ("png of 30,000 x 30,000", "gif with a frame of 60,000 x 60,000", "bmp of 30,000 x 30,000")
    for number, name in enumerate(few):
        Path(f"{number}.png").write_bytes(CLAIMS[name][0]())
    Path("empty.png").write_bytes(b"")
    Path("text.png").write_text("no image")
    Path("cut.png").write_bytes(KINDS["png"][:300])
    Image.new("L", (1, 1)).save("dot.png")
    Image.new("L", (5000, 3)).save("strip.png")
    Image.new("L", (64, 64)).save("black.png")
    Path("fine.png").write_bytes(KINDS["png"])
    names = [
        *(f"{number}.png" for number in range(3)),
        "empty.png",
        "text.png",
        "cut.png",
        "dot.png",
        "strip.png",
    ]
    done, told = explain(*names, "black.png", "fine.png")
    assert done.code == 1
    assert [f"{one['image']}.png" for one in told["failures"]] == names
    assert all(len(one["why"]) > 20 for one in told["failures"])
    assert [one["image"] for one in told["explanations"]] == ["black", "fine"]


def test_names_that_hurt_stay_in_their_folder(explain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        writing, "figure", lambda _: Image.new("L", (2, 2))
    )  # figures have tests of their own
    names = [
        *("a/x.png", "b/x.png", "c/x.png", "a/X.png"),
        *("\u80ba \U0001fac1.png", "..x.png", "-x.png", "'; rm -rf *.png", "<b>&amp;.png", "line\nbreak.png"),
        "n" * 200 + ".png",
        *(f"{text.replace('/', '_')[:60]}.png" for text in HOSTILE),
    ]
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(KINDS["png"])
    before = {str(one) for one in Path().rglob("*") if one.is_file()}
    given = [f"./{name}" for name in names]  # a name may look like an option
    done, told = explain(*given)
    assert done.code == 0, done.err
    assert all(line.isprintable() for line in (done.out + done.err).splitlines())
    records = told["explanations"]
    assert len({one["figure"].lower() for one in records}) == len(names)
    assert len({one["image"] for one in records}) == len(names)
    after = {str(one) for one in Path().rglob("*") if one.is_file()}
    made = {str(Path("out") / one[key]) for one in records for key in ("figure", "maps")}
    assert after - before == made | {"out/explanations.json", "out/viewer.html"}
    tags = Tags(Path("out/viewer.html").read_text("utf-8")).tags
    assert not [one for one, held in tags if any(name.startswith("on") for name in held)]


@pytest.mark.parametrize("caption", [*HOSTILE, "", "pneumonia " * 9], ids=range(len(HOSTILE) + 2))
def test_captions_that_hurt_are_text(caption: str, explain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch, caption)
    Path("a.png").write_bytes(KINDS["png"])
    done, told = explain("a.png", model="writer", options=SPANS)
    assert done.code in (0, 1)
    assert all(line.isprintable() for line in (done.out + done.err).splitlines())
    (record,) = told["explanations"]
    assert record["caption"] == caption
    tags = Tags(Path("out/viewer.html").read_text("utf-8")).tags
    assert [one for one, _ in tags].count("script") == 1
    assert not [one for one, held in tags if any(name.startswith("on") for name in held)]


def test_a_caption_longer_than_its_writer_can_read_is_a_failure(
    explain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    saying(monkeypatch, "pneumonia " * 60)
    Path("a.png").write_bytes(KINDS["png"])
    done, told = explain("a.png", model="writer", options=SPANS)
    assert done.code == 1
    assert told["explanations"] == []
    (failed,) = told["failures"]
    assert "tokens" in failed["why"], failed["why"]
