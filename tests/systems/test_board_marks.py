"""Results are known again by what was trained, at what scale, on what data; others are on no board."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
import torch
from board_samples import SIZE, TINY, board_of, handed_in, labelled, pictures, tiny

from radcap.core import UsageError
from radcap.datasets import Dataset
from radcap.detection.training import train_system
from radcap.detection.training.kept_networks import network_key
from radcap.systems.board import running
from radcap.systems.board.board import make_board
from radcap.systems.board.marks import data_mark, marks_of
from radcap.systems.board.results import BoardFolder, Result
from radcap.systems.board.running import Reproduction
from radcap.systems.board.scales import Scale
from radcap.vision.settings import BackboneSettings
from radcap.vision.training.loop import fit

torch.set_num_threads(1)

WHOLE = Scale("whole", SIZE, 1, 3, False, 16, 1e-3, SIZE, 1)
LEARNT = BackboneSettings()
ONE = tiny("one", backbone=LEARNT)
ALIKE = tiny("alike", backbone=LEARNT)
QUICK = tiny("quick")
OTHER = "Not trained yet: its result in the folder is of other settings, other data or another scale."


@pytest.fixture(autouse=True)
def in_one_process() -> Iterator[None]:
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        yield


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> mock.Mock:
    """Counts the networks that are trained."""
    counted = mock.Mock(wraps=fit)
    monkeypatch.setattr("radcap.detection.training.networks.fit", counted)
    return counted


def with_column(data: Dataset, name: str, values: list[Any]) -> Dataset:
    place = data.table.schema.get_field_index(name)
    column = pa.array(values, data.table.schema.field(name).type)
    return replace(data, table=data.table.set_column(place, name, column))


def other_pixels(data: Dataset) -> Dataset:
    """Every image is the first."""
    key = data.column("image")[0].as_py()
    return replace(data, images=mock.Mock(wraps=data.images, read=lambda _: data.images.read(key)))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("captions", [{"text": "A scan.", "source": "original", "language": "en"}]),
        ("group", "another"),
        ("source", "another"),
        ("licence", "CC0"),
        ("cui", ["C0000001"]),
        ("split", "train"),
        ("image_id", "another"),
    ],
)
def test_each_column_that_is_learnt_from_is_part_of_the_data(column: str, value: object) -> None:
    data = pictures()
    values = data.column(column).to_pylist()
    assert values[-1] != value
    assert data_mark(with_column(data, column, [*values[:-1], value])) != data_mark(data)
    assert data_mark(with_column(data, column, values)) == data_mark(data)


def test_names_of_concepts_are_part_of_the_data_and_an_attribution_is_not() -> None:
    data = pictures()
    assert data_mark(replace(data, names={"C0000001": "another"})) != data_mark(data)
    thanks = with_column(data, "attribution", ["somebody"] * len(data))
    assert data_mark(thanks) == data_mark(data)


def test_a_scale_is_part_of_a_mark_also_where_it_changes_nothing() -> None:
    again = replace(TINY, name="again")
    marks = [marks_of([QUICK], scale, pictures()) for scale in (TINY, again)]
    assert marks[0] != marks[1]
    assert marks[0] == Reproduction(pictures(), TINY, BoardFolder(Path("none"))).marks([QUICK])


def test_results_of_other_settings_data_and_scales_are_on_no_board(tmp_path: Path) -> None:
    folder, data = BoardFolder(tmp_path), pictures()
    systems = (QUICK, replace(QUICK, name="second"))
    made = Reproduction(data, TINY, folder)
    assert made.run(systems)
    edited = (replace(QUICK, train=replace(QUICK.train, lr=0.5)), systems[1])
    board = make_board(edited, folder, data, made.marks(edited))
    assert [one.name for one in board.rows] == ["second"]
    assert [(one.name, one.why_not) for one in board.not_trained] == [("quick", OTHER)]
    others = (
        replace(made, dataset=with_column(data, "group", ["other"] * len(data))),
        replace(made, dataset=other_pixels(data)),
        replace(made, scale=replace(TINY, name="other")),
    )
    for one in others:
        marks = one.marks(systems)
        assert [told.why_not for told in folder.results(marks)] == [OTHER, OTHER]
        with pytest.raises(UsageError, match="holds no score yet"):
            make_board(systems, folder, data, marks)


def test_a_kill_between_a_run_and_its_result_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the result of other settings beside it, whose run is another."""
    folder, data = BoardFolder(tmp_path), pictures()
    made = Reproduction(data, TINY, folder)
    assert made.run((QUICK,))
    before = folder.run("quick").read_bytes()
    edited = replace(QUICK, train=replace(QUICK.train, lr=0.5, epochs=0))
    trained = mock.Mock(wraps=train_system)
    monkeypatch.setattr(running, "train_system", trained)
    with monkeypatch.context() as killed:
        killed.setattr(BoardFolder, "write", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            made.run((edited,))
    assert folder.run("quick").read_bytes() != before
    assert folder.known("quick") is None
    assert made.run((edited,))
    assert trained.call_count == 1  # the model was there still
    assert folder.read("quick", made.marks((edited,))["quick"])
    assert not folder.model("quick").exists()


def test_a_run_of_other_settings_beside_an_old_result_is_no_damage(tmp_path: Path) -> None:
    data = labelled([["C0040405"]] * 4, [["C0040405"]] * 4)
    folder = handed_in(tmp_path, {"one": [["C0040405"]] * 4}, data)
    folder.write(Result("one", "old", "tiny", run_sha256="of another run"))
    assert [one.why_not for one in folder.results({"one": "new"})] == [OTHER]
    folder.write(Result("one", "mark", "tiny"))
    assert board_of([tiny("one")], folder, data).rows[0].f1 == 1.0


def test_networks_of_other_pixels_are_not_taken(
    tmp_path: Path, fits: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoardFolder, "forget_networks", lambda _: None)
    folder, data = BoardFolder(tmp_path), pictures()
    assert Reproduction(data, WHOLE, folder).run((ONE,))
    assert Reproduction(data, WHOLE, folder).run((ALIKE,))
    assert fits.call_count == 1
    assert Reproduction(other_pixels(data), WHOLE, folder).run((ALIKE,))
    assert fits.call_count == 2
    feed: Any = mock.Mock()
    feed.pictures.ids, feed.labels = ("a",), torch.ones(1, 2)
    assert len({network_key(ONE, ("C1", "C2"), feed, None, "cpu", data) for data in ("one", "other")}) == 2


def test_another_command_leaves_the_networks_of_a_board_that_is_not_done(
    tmp_path: Path, fits: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = BoardFolder(tmp_path)
    made = Reproduction(pictures(), WHOLE, folder)
    make = running.Worker._make

    def first_alone(worker: running.Worker, work: running._Work) -> None:
        if work.number > 1:
            raise running.TimeUp
        make(worker, work)

    with monkeypatch.context() as patch:
        patch.setattr(running.Worker, "_make", first_alone)
        assert not made.run((ONE, ALIKE))
    assert len(list(folder.networks.glob("*.safetensors"))) == 1
    assert made.run((QUICK,))
    assert made.run((QUICK,))
    assert len(list(folder.networks.glob("*.safetensors"))) == 1
    assert set(json.loads((folder.networks / "wanted.json").read_text())) == {"alike"}
    fits.reset_mock()
    assert made.run((ONE, ALIKE))
    assert fits.call_count == 0
    assert not folder.networks.exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"one": 7}'])
def test_a_damaged_list_of_who_wants_networks_stops_nothing(text: str, tmp_path: Path) -> None:
    folder = BoardFolder(tmp_path)
    folder.networks.mkdir()
    (folder.networks / "wanted.json").write_text(text)
    assert Reproduction(pictures(), TINY, folder).run((QUICK,))
    assert not folder.networks.exists()


def test_other_weights_under_the_same_name_are_another_system(tmp_path: Path) -> None:
    weights = tmp_path / "weights.safetensors"
    system = tiny("own", backbone=BackboneSettings(weights=str(weights)))
    weights.write_bytes(b"one")
    first = marks_of([system], WHOLE, pictures())
    assert marks_of([system], WHOLE, pictures()) == first
    weights.write_bytes(b"others")
    assert marks_of([system], WHOLE, pictures()) != first
