"""radcap explain."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from commands import Command, Done
from explain_model_samples import CHEST, PNEUMONIA, detector, photo, some_images, writer
from explain_pipeline_samples import add_methods, saying
from PIL import Image

from radcap.captioning.models.plain_models import FrequentModel
from radcap.captioning.settings import PostSettings
from radcap.explanation import Box
from radcap.explanation.external import FoundBox, provider
from radcap.systems import predicting

torch.set_num_threads(1)  # networks this small only wait for threads

MODELS: dict[str, Callable[[], Any]] = {
    "detector": detector,
    "silent": lambda: detector(bias=-9.0),
    "writer": lambda: writer(reads=detector(), concepts="all"),
    "alone": lambda: writer("lstm"),
    "frequent": lambda: FrequentModel("Chest radiograph.", PostSettings()),
}
QUICKLY = ("--method", "hires-cam", "--targets", CHEST, "--cases", "0")


@pytest.fixture
def explain(tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """`radcap explain` of a model by its name here, in a folder with three images."""
    monkeypatch.setattr(predicting, "opened_model", lambda name, _: MODELS[name]())
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.png").write_bytes(photo())
    (tmp_path / "bad.png").write_bytes(b"\x89PNG no")
    Image.new("L", (1, 1)).save(tmp_path / "dot.png")

    def call(model: str, *given: str | Path, out: str = "out") -> Done:
        return radcap("explain", model, *given, "--out", out)

    return call


def told(out: str | Path = "out") -> dict[str, Any]:
    return json.loads((Path(out) / "explanations.json").read_text("utf-8"))


def test_what_a_call_writes_and_says(explain: Any) -> None:
    done = explain("detector", "a.png", "b.png", *QUICKLY)
    assert done.code == 0, done.err
    assert "out: 2 images explained in " in done.out
    assert "Look at out/viewer.html in a browser." in done.out
    first, second = told()["explanations"]
    assert (first["image"], second["image"]) == ("a", "b")
    assert (first["model"], first["method"], first["origin"]) == ("detector", "hires-cam", "model")
    assert first["sanity"]["test"] == "cascading weight randomisation"
    assert first["evidence"][0]["faithfulness"]["road"] is None
    with np.load(Path("out") / first["maps"]) as maps:
        assert {key: maps[key].shape for key in maps} == {CHEST: (30, 40)}
    page = Path("out/viewer.html").read_text("utf-8")
    assert "detector: where it comes from" in page


def test_json_is_all_that_was_written(explain: Any) -> None:
    given = ("a.png", "--faithfulness", "none", "--targets", f"{CHEST},{PNEUMONIA}:{CHEST}", "--json")
    done = explain("detector", *given, "--method", "hires-cam", "--cases", "0")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["out"], found["images"], found["failures"], found["nothing_to_show"]) == ("out", 1, [], [])
    assert found["explanations"] == told()["explanations"]
    assert found["seconds"] >= 0
    assert [one["kind"] for one in found["explanations"][0]["evidence"]] == ["concept", "contrast"]


def test_images_that_fail_are_named_and_the_rest_is_written(explain: Any) -> None:
    for number in range(5):
        Path(f"bad{number}.png").write_bytes(b"")
    bad = [f"bad{number}.png" for number in range(5)]
    done = explain("detector", "bad.png", "a.png", "dot.png", *bad, *QUICKLY, "--faithfulness", "none")
    assert done.code == 1
    assert "out: 1 image explained" in done.out
    assert "bad: The image cannot be read (IMG" in done.err
    assert "dot: dot.png has 1 x 1 pixels" in done.err
    assert "2 more images could not be explained; see explanations.json." in done.err
    assert [one["image"] for one in told()["failures"]] == ["bad", "dot", *(one[:4] for one in bad)]
    package = explain("detector", "bad.png", "a.png", *QUICKLY, "--package", "p.zip", out="again")
    assert package.code == 2
    assert "1 image could not be explained (bad), and a package must be whole" in package.err
    assert not Path("p.zip").exists()


def test_nothing_to_show_is_a_finding(explain: Any) -> None:
    done = explain("silent", "a.png", "b.png", "--method", "grad-cam", "--cases", "0")
    assert done.code == 1
    assert "Nothing could be shown for 2 images: a, b" in done.err
    assert told()["explanations"][0]["evidence"] == []


def test_a_package_is_the_same_twice(explain: Any) -> None:
    some_images().save(Path("data"))
    for number in (1, 2):
        given = ("data", "--pick", "2", "--package", f"{number}.zip", *QUICKLY)
        done = explain("detector", *given, out=f"out{number}")
        assert done.code == 0, done.err
        assert f"{number}.zip holds 2 images; the subtask of 2025 asked for 16." in done.err
    assert Path("1.zip").read_bytes() == Path("2.zip").read_bytes()
    with zipfile.ZipFile("1.zip") as archive:
        assert len([one for one in archive.namelist() if one.startswith("figures/")]) == 2
        for name in ("explanations.json", "viewer.html"):
            assert archive.read(name) == (Path("out2") / name).read_bytes()


def test_sixteen_images_are_nothing_to_talk_about(explain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.explanation.submission.SIXTEEN", 1)
    done = explain("detector", "a.png", *QUICKLY, "--faithfulness", "none", "--package", "p.zip")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("model", "given", "told"),
    [
        ("detector", ("a.png", "--targets", "C0032284"), "Nearest is 'C0032285'"),
        ("detector", ("a.png", "--targets", "pnuemonia"), "Nearest is 'Pneumonia'"),
        ("alone", ("a.png", "--targets", "sesquipedalian"), "'sesquipedalian'"),
        ("detector", ("a.png", "--targets", "a:"), "is no contrast"),
        ("detector", ("a.png", "--method", "grad-cma"), "Nearest is 'grad-cam'"),
        ("detector", ("a.png", "--method", "2025/aubnlp-explain"), "Nearest is '2025/auebnlp-explain'"),
        ("detector", ("a.png", "--method", "csra-map"), "this model has none"),
        ("alone", ("a.png", "--method", "rollout"), "no attention over the whole image"),
        ("detector", ("a.png", "--method", "radcap/quick-concepts"), "no way to explain"),
        ("frequent", ("a.png",), "looks at none"),
        ("detector", ("a.png", "missing.png"), "1 of 2 images cannot be found: missing.png"),
        ("detector", ("a.png", "--split", "test"), "There is no split 'test'"),
        ("detector", ("a.png", "--pick", "2"), "images has 1 image, and 2 are to be picked"),
        ("detector", ("a.png", "--pick", "0"), "--pick"),
        ("detector", ("a.png", "--cases", "-1"), "--cases"),
        ("detector", ("a.png", "--faithfulness", "half"), "--faithfulness"),
        ("detector", ("a.png", "--package", "p.tar"), "Name a file ending in .zip"),
        ("alone", ("a.png", "--case-data", "radiology-open", "--cases", "1"), "a detector of its own"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_left(
    model: str, given: tuple[str, ...], told: str, explain: Any
) -> None:
    more = () if "--cases" in given else ("--cases", "0")
    method = () if "--method" in given else ("--method", "grad-cam")
    done = explain(model, *given, *more, *method)
    assert done.code == 2, done.err
    assert told in done.err
    assert done.out == ""
    assert not Path("out").exists()


def test_what_is_there_is_not_replaced(explain: Any) -> None:
    Path("full").mkdir()
    Path("full/mine.txt").write_text("mine")
    done = explain("detector", "a.png", *QUICKLY, out="full")
    assert (done.code, "full is not empty" in done.err) == (2, True)
    done = explain("detector", "a.png", *QUICKLY, out="a.png")
    assert (done.code, "a.png is a file" in done.err) == (2, True)
    done = explain("detector", "a.png", *QUICKLY, out="a.png/out")
    assert (done.code, "cannot be used" in done.err) == (2, True)
    Path("data.zip").write_bytes(b"mine")
    done = explain("detector", "data.zip", *QUICKLY, "--package", "data.zip")
    assert (done.code, "It is not replaced" in done.err) == (2, True)
    assert Path("data.zip").read_bytes() == b"mine"
    assert [one.name for one in Path("full").iterdir()] == ["mine.txt"]


def test_boxes_of_another_model_are_said_to_be_its_own(explain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Seeing:
        def boxes(self, picture: Any, phrases: Any) -> list[FoundBox]:
            return [FoundBox(one, Box(0.1, 0.2, 0.5, 0.5, 0), 0.9) for one in phrases]

    saying(monkeypatch)
    monkeypatch.setattr(provider, "make_provider", lambda _: Seeing())
    given = ("a.png", "--method", "2025/auebnlp-explain", "--cases", "0", "--package", "p.zip")
    done = explain("writer", *given)
    assert done.code == 0, done.err
    (one,) = told()["explanations"]
    assert (one["origin"], one["method"], one["sanity"]) == ("external", "2025/auebnlp-explain", None)
    shown = [each for each in one["evidence"] if each["has_map"]]
    assert shown
    assert all(each["faithfulness"] and "Not of the model" in each["note"] for each in shown)
    with zipfile.ZipFile("p.zip") as archive:
        assert "The boxes are drawn by another model (external)" in archive.read("README.txt").decode()
    refused = explain("detector", *given[:-2], out="other")
    assert (refused.code, "Give a captioner" in refused.err) == (2, True)


def test_a_method_that_fails_its_check_is_said_everywhere(
    explain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_methods(monkeypatch)
    figure, drawn = import_module("radcap.explanation.pictures.figure"), list[str]()
    real = figure.text_block
    monkeypatch.setattr(figure, "text_block", lambda text, *more: drawn.append(text) or real(text, *more))
    done = explain("detector", "a.png", "--method", "edges", "--targets", CHEST, "--cases", "0", "--json")
    assert done.code == 0, done.err
    assert "The method FAILS its sanity check on this model" in done.err
    (one,) = told()["explanations"]
    assert one["sanity"]["passed"] is False
    assert "FAILS its sanity check" in Path("out/viewer.html").read_text("utf-8")
    assert json.loads(done.out)["explanations"] == [one]
    assert drawn[0].startswith("FAILS its sanity check")


def test_an_interrupt_leaves_no_page(explain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from radcap.explanation import Explainer

    real = Explainer.__call__

    def stopping(*given: Any) -> Any:
        yield next(real(*given))
        raise KeyboardInterrupt

    monkeypatch.setattr(Explainer, "__call__", stopping)
    done = explain("detector", "a.png", "b.png", *QUICKLY, "--faithfulness", "none", "--package", "p.zip")
    assert done.code not in (0, 1, 2, 3)
    left = sorted(str(one) for one in Path("out").rglob("*") if one.is_file())
    assert left == ["out/figures/a.png", "out/maps/a.npz"]
    assert not Path("p.zip").exists()


def test_without_torch_the_way_to_get_it_is_said(tmp_path: Path) -> None:
    call = "import sys; sys.modules['torch'] = None; from radcap.cli.main import main; main()"
    given = ("explain", "zoo:concepts", "radiology-open", "--out", tmp_path / "out")
    done = subprocess.run([sys.executable, "-c", call, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == "radcap: torch is missing. A model needs it. Run: pip install 'radcap[read]'\n"
    assert not (tmp_path / "out").exists()


def test_a_terminal_sees_how_far_it_is(explain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []

    @contextmanager
    def shown(total: int) -> Any:
        yield lambda name, done: seen.append((name, done))

    monkeypatch.setattr("radcap.cli.explain.progress", shown)
    assert explain("detector", "a.png", "b.png", *QUICKLY, "--faithfulness", "none").code == 0
    assert seen[-1] == ("explained", 2)
