"""radcap predict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch
from commands import Command
from model_samples import write_samples
from PIL import Image

from radcap.datasets import load_dataset
from radcap.formats import read_run, validate
from radcap.vision.weight_files import write_weight_file


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_samples(tmp_path_factory.mktemp("samples"))


@pytest.mark.parametrize("edition", ["2025", "2026"])
@pytest.mark.parametrize("name", ["run.csv", "run.zip"])
def test_a_run_is_written_that_the_platform_would_take(
    samples: Path, tmp_path: Path, radcap: Command, edition: str, name: str
) -> None:
    out = tmp_path / name
    given = ("--split", "valid", "--out", out, "--edition", edition)
    done = radcap("predict", samples / "model", samples / "data", *given)
    assert done.code == 0, done.err
    valid = load_dataset(samples / "data", split="valid")
    assert f"{out}: {len(valid):,} images, " in done.out
    (tmp_path / "ids.csv").write_text("ID\n" + "".join(f"{one}\n" for one in valid.ids))
    assert validate(out, "concepts", ids=tmp_path / "ids.csv", edition=edition).ok


def test_images_that_cannot_be_read_have_an_empty_row_and_are_named(
    samples: Path, tmp_path: Path, radcap: Command
) -> None:
    given = ("--split", "test", "--out", tmp_path / "run.csv", "--json")
    done = radcap("predict", samples / "model", samples / "data", *given)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert len(told["refused"]) == 3
    assert told["rows"] == len(load_dataset(samples / "data", split="test"))
    assert told["ok"] is True
    assert "3 images cannot be read, each with an empty row: " in done.err
    run, _ = read_run(tmp_path / "run.csv", "concepts")
    assert all(run.cells[one] == "" for one in told["refused"])
    assert all(one in done.err for one in told["refused"])


def test_scores_are_a_table_of_every_probability(samples: Path, tmp_path: Path, radcap: Command) -> None:
    given = ("--split", "valid", "--out", tmp_path / "run.csv", "--scores", tmp_path / "scores.parquet")
    assert radcap("predict", samples / "model", samples / "data", *given).code == 0
    table = pq.read_table(tmp_path / "scores.parquet")
    labels = (samples / "model" / "labels.csv").read_text().splitlines()[1:]
    assert table.column_names == ["image_id", *(line.partition(",")[0] for line in labels)]
    assert table.column("image_id").to_pylist() == load_dataset(samples / "data", split="valid").ids


def test_a_model_without_scores_says_so_after_writing_the_run(
    samples: Path, tmp_path: Path, radcap: Command
) -> None:
    given = ("--split", "valid", "--out", tmp_path / "run.csv", "--scores", tmp_path / "scores.parquet")
    done = radcap("predict", samples / "deciding", samples / "data", *given)
    assert done.code == 2
    assert "The run is written. This model decides without scores" in done.err
    assert (tmp_path / "run.csv").exists()
    assert not (tmp_path / "scores.parquet").exists()


def test_images_that_are_no_radiology_images_are_named(
    samples: Path, tmp_path: Path, radcap: Command
) -> None:
    import shutil

    model = Path(shutil.copytree(samples / "model", tmp_path / "gated"))
    for offset, said in ((-5.0, True), (5.0, False)):
        write_weight_file(
            {"weight": torch.zeros(1280), "bias": torch.tensor([offset])}, model / "gate.safetensors"
        )
        given = ("--split", "valid", "--out", tmp_path / "run.csv", "--scores", tmp_path / "s.parquet")
        done = radcap("predict", model, samples / "data", *given)
        assert done.code == 0
        assert ("Not like a radiology image (" in done.err) is said
        assert (", ..." in done.err) is said
        assert "radiology" in pq.read_table(tmp_path / "s.parquet").column_names


def test_a_bare_folder_of_images_is_predicted_for(samples: Path, tmp_path: Path, radcap: Command) -> None:
    (tmp_path / "images").mkdir()
    for number in range(3):
        Image.new("L", (40, 30), 60 * number).save(tmp_path / "images" / f"scan_{number}.png")
    done = radcap("predict", samples / "model", tmp_path / "images", "--out", tmp_path / "run.csv")
    assert done.code == 0, done.out + done.err
    run, _ = read_run(tmp_path / "run.csv", "concepts", edition="2026")
    assert set(run.cells) == {"scan_0", "scan_1", "scan_2"}


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        (("none", "data", "--out", "run.csv"), 2, "is no model folder"),
        (("zoo:none", "data", "--out", "run.csv"), 2, "There is no model 'zoo:none'"),
        (("model", "none", "--out", "run.csv"), 1, "There is no"),
        (("model", "data", "--out", "run.csv", "--split", "vaild"), 2, "Nearest is 'valid'"),
        (("model", "data", "--out", "run.csv", "--edition", "2052"), 2, "There is no edition '2052'"),
        (("model", "data", "--out", "run.csv", "--device", "gpu"), 2, "Write auto, cpu, cuda or cuda:0"),
        (("model", "empty", "--out", "run.csv"), 2, "has no image to predict for"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(
    given: tuple[str, ...],
    code: int,
    told: str,
    samples: Path,
    radcap: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not (samples / "empty").exists():
        load_dataset(samples / "data")[:0].save(samples / "empty")
    monkeypatch.chdir(samples)
    done = radcap("predict", *given)
    assert done.code == code, done.err
    assert told in done.out + done.err
    assert not (samples / "run.csv").exists()


def test_an_output_never_takes_the_place_of_an_input(samples: Path, radcap: Command) -> None:
    image = next(one for one in (samples / "data").rglob("*") if one.is_file())
    done = radcap("predict", samples / "model", image.parent, "--out", image)
    assert done.code == 2
    assert "It is not replaced" in done.err


def test_a_run_that_is_no_valid_one_is_exit_code_1(
    samples: Path, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from radcap.detection.models.answers import Answers

    real: Any = Answers.run
    monkeypatch.setattr(Answers, "run", lambda self, order, name="": real(self, order[1:], name))
    given = ("--split", "valid", "--out", tmp_path / "run.csv")
    done = radcap("predict", samples / "model", samples / "data", *given)
    assert done.code == 1
    assert "RUN" in done.out
