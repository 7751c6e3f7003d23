"""Explanations as files, and the package made of them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dataset_samples import dataset_of, row
from explanation_samples import sample_explanation
from PIL import Image
from safe_pages import Tags

from radcap.core import VERSION, UsageError
from radcap.explanation import writing
from radcap.explanation.explaining import Failure
from radcap.explanation.submission import SIXTEEN, picked, write_package
from radcap.explanation.values import Evidence, Explanation, Kind, Origin
from radcap.explanation.writing import Written, check_folder, write_explanations

SMALL = np.full((24, 32, 3), 90, np.uint8)
BRIGHT = np.linspace(-1e-6, 2e-6, 24 * 32, dtype=np.float32).reshape(24, 32)
HOSTILE = '</script><img src=x onerror="alert(1)"><script>alert(2)</script>&amp;\x00\u202e'


def small(image: str = "one", **changes: object) -> Explanation:
    """An explanation that is quickly drawn: one map with its spread, and one statement without a map."""
    evidence = (
        Evidence("C0032285", Kind.CONCEPT, "pneumonia", BRIGHT, cui="C0032285", spread=np.abs(BRIGHT)),
        Evidence("word-4", Kind.WORD, "the", None, note="Language made it."),
    )
    made = Explanation(image, SMALL, "mine", "grad-cam", Origin.MODEL, evidence, "See the lung.", "Because.")
    return replace(made, **changes)  # pyright: ignore[reportArgumentType]


def files_in(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


def test_what_is_written_and_how_it_is_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "deep"
    done = write_explanations([small(), Failure("two", "It is broken."), small("three", evidence=())], folder)
    assert files_in(folder) == [
        "explanations.json",
        "figures/one.png",
        "figures/three.png",
        "maps/one.npz",
        "maps/three.npz",
        "viewer.html",
    ]
    assert (done.images, done.files) == (("one", "three"), ("figures/one.png", "figures/three.png"))
    assert (done.failures, done.silent) == ((Failure("two", "It is broken."),), ("three",))
    told = json.loads((folder / "explanations.json").read_text("utf-8"))
    assert told["radcap"] == VERSION
    assert told["failures"] == [{"image": "two", "why": "It is broken."}]
    assert told["explanations"] == json.loads(json.dumps(list(done.records)))
    first = told["explanations"][0]
    assert first["figure"] == "figures/one.png"
    assert [one["has_map"] for one in first["evidence"]] == [True, False]
    with np.load(folder / first["maps"]) as maps:
        assert sorted(maps) == ["C0032285", "C0032285-spread"]
        assert maps["C0032285"].dtype == np.float16
        np.testing.assert_allclose(maps["C0032285"], BRIGHT / 2e-6, atol=1e-3)
        assert maps["C0032285-spread"].max() == 1
    with np.load(folder / "maps" / "three.npz") as maps:
        assert list(maps) == []
    with Image.open(folder / "figures" / "one.png") as drawn:
        drawn.verify()


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (["a/b", "a:b", "a b"], ["a-b", "a-b-2", "a-b-3"]),
        (["../../etc/passwd", "/", "", "..", "."], ["etc-passwd", "image", "image-2", "image-3", "image-4"]),
        (["\u80ba", "\u80bax", "CON\x00\n"], ["image", "x", "CON"]),
        (["x" * 3000, "x" * 3001], ["x" * 80, "x" * 80 + "-2"]),
        (["same", "same", "same-2", "same"], ["same", "same-2", "same-2-2", "same-3"]),
        (["Lung", "lung", "LUNG"], ["Lung", "lung-2", "LUNG-2"]),  # one name on some disks
    ],
)
def test_any_id_is_a_file_name_of_its_own(
    ids: list[str], names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "figure", lambda _: Image.new("L", (2, 2)))
    done = write_explanations([small(one) for one in ids], tmp_path / "out")
    lower = [one.lower() for one in done.files]
    assert len(set(lower)) == len(ids)
    if ids[0] != "Lung":
        assert done.files == tuple(f"figures/{one}.png" for one in names)
    assert done.images == tuple(ids)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out"]
    write_package(done, tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert [one for one in archive.namelist() if one.startswith("figures/")] == list(done.files)


def test_nothing_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / ".hidden").write_text("mine")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="is a file"):
        check_folder(tmp_path / "file")
    with pytest.raises(UsageError, match="is not empty"):
        write_explanations([small()], tmp_path / "full")
    assert files_in(tmp_path / "full") == [".hidden"]
    check_folder(tmp_path / "empty")
    assert write_explanations([], tmp_path / "empty").images == ()
    assert files_in(tmp_path / "empty") == ["explanations.json", "viewer.html"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, UsageError])
def test_what_is_interrupted_leaves_whole_files_and_no_page(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explained() -> Iterator[Explanation]:
        yield small()
        raise error("enough")

    with pytest.raises(error):
        write_explanations(explained(), tmp_path / "part")
    assert files_in(tmp_path / "part") == ["figures/one.png", "maps/one.npz"]

    def stop(*_: object, **__: object) -> None:
        raise error("enough")

    monkeypatch.setattr(np, "savez_compressed", stop)
    with pytest.raises(error):
        write_explanations([small()], tmp_path / "cut")
    assert files_in(tmp_path / "cut") == ["figures/one.png"]


def test_a_refusal_before_the_first_image_leaves_nothing(tmp_path: Path) -> None:
    def explained() -> Iterator[Explanation]:
        raise UsageError("There is no such word.")
        yield small()

    with pytest.raises(UsageError):
        write_explanations(explained(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_page_ends_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "PAGE", 2)
    write_explanations([small(f"image-{number}") for number in range(3)], tmp_path / "out")
    page = (tmp_path / "out" / "viewer.html").read_text("utf-8")
    assert "For 1 more image see explanations.json and figures/." in page
    assert "image-1" in page
    assert ">image-2<" not in page


def test_text_of_others_is_never_markup(tmp_path: Path) -> None:
    evil = sample_explanation(image=HOSTILE, size=(32, 32))
    evidence = tuple(replace(one, label=HOSTILE, note=HOSTILE, place=None) for one in evil.evidence)
    cases = tuple(replace(one, image=HOSTILE, caption=HOSTILE, attribution=HOSTILE) for one in evil.cases)
    texts = dict.fromkeys(("caption", "rationale", "attribution", "model", "method"), HOSTILE)
    plain = write_explanations([sample_explanation(size=(32, 32))], tmp_path / "plain")
    hostile = write_explanations(
        [replace(evil, evidence=evidence, cases=cases, notes=(HOSTILE,), **texts)], tmp_path / "out", HOSTILE
    )
    page, quiet = ((one.folder / "viewer.html").read_text("utf-8") for one in (hostile, plain))
    tags, quiet_tags = Tags(page).tags, Tags(quiet).tags
    assert "onerror" in page
    assert not [one for one, held in tags if any(name.startswith("on") for name in held)]
    assert [one for one, _ in tags].count("script") == [one for one, _ in quiet_tags].count("script")
    assert all((held.get("src") or "data:").startswith("data:") for _, held in tags)
    assert "\x00" not in page
    told = json.loads((tmp_path / "out" / "explanations.json").read_text("utf-8"))
    assert told["explanations"][0]["caption"] == HOSTILE


# the package


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    other = small("two, or three", origin=Origin.EXTERNAL, method="boxes", caption='A "quoted"\nline')
    return write_explanations([small(), other], tmp_path_factory.mktemp("written") / "out")


def test_a_package_holds_what_a_rater_needs(written: Written, tmp_path: Path) -> None:
    write_package(written, tmp_path / "sub" / "a.zip")
    write_package(written, tmp_path / "b.zip")
    assert (tmp_path / "sub" / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "explanations.csv",
            "README.txt",
            "explanations.json",
            "viewer.html",
            "figures/one.png",
            "figures/two-or-three.png",
        ]
        rows = list(csv.reader(io.StringIO(archive.read("explanations.csv").decode())))
        about = archive.read("README.txt").decode()
        assert archive.read("viewer.html") == (written.folder / "viewer.html").read_bytes()
    assert rows == [
        ["ID", "Caption", "Figure", "Explanation"],
        ["one", "See the lung.", "figures/one.png", "Because."],
        ["two, or three", 'A "quoted"\nline', "figures/two-or-three.png", "Because."],
    ]
    assert "Explanations of 2 images." in about
    assert "Model: mine. Method: grad-cam, boxes." in about
    assert "(model-intrinsic)" in about
    assert "(external)" in about


@pytest.mark.parametrize(
    ("origin", "said", "silent"), [("model", "intrinsic", "external"), ("external", "external", "intrinsic")]
)
def test_the_note_says_whose_maps_they_are(
    origin: str, said: str, silent: str, written: Written, tmp_path: Path
) -> None:
    records = tuple({**one, "origin": origin} for one in written.records)
    write_package(replace(written, records=records), tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        about = archive.read("README.txt").decode()
    assert said in about
    assert silent not in about


def test_a_package_must_be_whole(written: Written, tmp_path: Path) -> None:
    broken = replace(written, failures=(Failure("three", "It is broken."),))
    with pytest.raises(UsageError, match=r"1 image could not be explained \(three\)"):
        write_package(broken, tmp_path / "a.zip")
    gone = replace(written, files=("figures/one.png", "figures/gone.png"))
    with pytest.raises(FileNotFoundError):
        write_package(gone, tmp_path / "a.zip")
    assert list(tmp_path.iterdir()) == []


def test_images_are_picked_of_each_modality_in_turn() -> None:
    kinds = ["ct"] * 20 + ["mri"] * 2 + [""] * 4 + ["xray"] * 5
    data = dataset_of([row(f"i{place}", modality=kind) for place, kind in enumerate(kinds)])
    found = picked(data, 9)
    counts = {kind: found.column("modality").to_pylist().count(kind) for kind in set(kinds)}
    assert counts == {"ct": 3, "xray": 2, "": 2, "mri": 2}
    assert found.ids == sorted(found.ids, key=data.ids.index)
    assert found.ids == picked(data, 9).ids
    assert found.ids[:3] == ["i0", "i1", "i2"]
    assert len(picked(data)) == SIXTEEN
    assert picked(data, len(data)).ids == data.ids
    with pytest.raises(UsageError, match="has 31 images, and 32 are to be picked"):
        picked(data, 32)
