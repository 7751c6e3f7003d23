"""An index in a folder: what comes back, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from radcap.core import InputError, Missing
from radcap.detection.retrieval import Metric, NeighbourIndex, load_index, save_index

TRUTH = np.random.default_rng(5).random((60, 6)) < 0.3


def made(metric: Metric = "cosine", width: int = 100):
    draw = np.random.default_rng(0)
    vectors = (draw.normal(size=(60, 12)) @ draw.normal(size=(12, width))).astype(np.float32)
    ids, groups = [f"i{place}" for place in range(60)], [f"g{place}" for place in range(60)]
    return NeighbourIndex.of(vectors, ids, tuple("ABCDEF"), TRUTH, groups, metric), vectors


@pytest.mark.parametrize("metric", ["cosine", "euclid"])
@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
def test_a_stored_index_finds_the_same(tmp_path, metric, precision):
    index, vectors = made(metric)
    save_index(index, tmp_path / "deep" / "index", precision)
    back = load_index(tmp_path / "deep" / "index")
    assert (back.ids, back.labels, back.groups, back.metric) == (
        index.ids,
        index.labels,
        index.groups,
        metric,
    )
    np.testing.assert_array_equal(back.tags.codes, index.tags.codes)
    np.testing.assert_array_equal(back.tags.starts, index.tags.starts)
    found, wanted = back.search(vectors, 3), index.search(vectors, 3)
    assert (found.places == wanted.places).mean() > (0.85 if precision == "int8" else 0.99)
    assert (found.places[:, 0] == np.arange(60)).all()
    assert sorted(path.name for path in (tmp_path / "deep" / "index").iterdir()) == [
        "index.json",
        "index.safetensors",
    ]


def test_vectors_stay_in_the_file(tmp_path):
    index, _ = made()
    save_index(index, tmp_path, "float32")
    vectors = load_index(tmp_path).vectors
    assert not vectors.flags.owndata
    assert not vectors.flags.writeable


def test_integers_of_64_axes_are_small(tmp_path):
    draw = np.random.default_rng(0)
    index = NeighbourIndex.of(
        draw.normal(size=(200, 300)).astype(np.float32), ["i"] * 200, ["A"], np.ones((200, 1), bool)
    )
    save_index(index, tmp_path, "int8")
    arrays = load_file(tmp_path / "index.safetensors")
    assert (arrays["vectors"].dtype, arrays["vectors"].shape) == (np.int8, (200, 64))
    assert (arrays["axes"].dtype, arrays["axes"].shape) == (np.float16, (300, 64))
    axes = load_index(tmp_path).axes
    assert axes is not None
    assert axes.dtype == np.float32
    np.testing.assert_allclose(axes.T @ axes, np.eye(64), atol=2e-3)  # still at right angles
    assert load_index(tmp_path).width == 300


@pytest.mark.parametrize("precision", ["float16", "int8"])
def test_a_reduced_index_can_be_stored_again(tmp_path, precision):
    index, vectors = made()
    save_index(index, tmp_path / "one", "int8")
    save_index(load_index(tmp_path / "one"), tmp_path / "two", precision)
    back = load_index(tmp_path / "two")
    assert (back.search(vectors, 1).places[:, 0] == np.arange(60)).all()


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_an_empty_index_is_stored_too(tmp_path, precision):
    save_index(
        NeighbourIndex.of(np.zeros((0, 8), np.float32), [], ["A"], np.zeros((0, 1), bool)),
        tmp_path,
        precision,
    )
    back = load_index(tmp_path)
    assert len(back) == 0
    assert back.search(np.ones((1, 8), np.float32), 2).places.tolist() == [[-1, -1]]


@pytest.mark.parametrize("name", ["index.json", "index.safetensors"])
def test_a_missing_file_is_named(tmp_path, name):
    save_index(made()[0], tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(Missing, match=name):
        load_index(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "[1]", "{}", '{"kind": "radcap neighbour index", "version": 9}', "[" * 100_000]
)
def test_broken_json_is_refused(tmp_path, text):
    save_index(made()[0], tmp_path)
    (tmp_path / "index.json").write_text(text)
    with pytest.raises(InputError, match=r"index\.json"):
        load_index(tmp_path)


@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_a_cut_file_is_refused(tmp_path, keep):
    save_index(made()[0], tmp_path)
    path = tmp_path / "index.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match="no safetensors file"):
        load_index(tmp_path)


def test_random_bytes_are_refused(tmp_path):
    save_index(made()[0], tmp_path)
    (tmp_path / "index.safetensors").write_bytes(np.random.default_rng(0).bytes(1000))
    with pytest.raises(InputError, match="no safetensors file"):
        load_index(tmp_path)


CHANGES = {
    "the metric is 'manhattan'": lambda a, j: j.update(metric="manhattan"),
    "ids are no list of names": lambda a, j: j.update(ids="abc"),
    "labels are no list of names": lambda a, j: j.update(labels=[1]),
    "groups are no list of names": lambda a, j: j.pop("groups"),
    "vectors are missing": lambda a, j: a.pop("vectors"),
    "starts have the shape (1, 61)": lambda a, j: a.update(starts=a["starts"][None]),
    "codes are no integers": lambda a, j: a.update(codes=a["codes"].astype(np.float32)),
    "60 vectors have 1 ids": lambda a, j: j.update(ids=["x"], groups=[]),
    "60 ids have 1 groups": lambda a, j: j.update(groups=["x"]),
    "vectors of integers need steps": lambda a, j: a.pop("steps"),
    "steps have the shape (3,)": lambda a, j: a.update(steps=np.ones(3, np.float32)),
    "axes have the shape (100, 2)": lambda a, j: a.update(axes=np.ones((100, 2), np.float32)),
    "axes hold NaN": lambda a, j: a.update(axes=a["axes"] * np.float32(np.nan)),
    "begin at places that do not fit": lambda a, j: a.update(starts=a["starts"][::-1].copy()),
    "beyond the 6 labels": lambda a, j: a.update(codes=a["codes"] + 5),
    "holds numbers of type F64": lambda a, j: a.update(axes=a["axes"].astype(float)),
}


@pytest.mark.parametrize("said", CHANGES)
def test_files_that_do_not_fit_are_refused(tmp_path, said):
    save_index(made()[0], tmp_path, "int8")
    arrays, about = (
        load_file(tmp_path / "index.safetensors"),
        json.loads((tmp_path / "index.json").read_text()),
    )
    CHANGES[said](arrays, about)
    save_file(arrays, tmp_path / "index.safetensors", {"made": "by hand"})
    (tmp_path / "index.json").write_text(json.dumps(about))
    with pytest.raises(InputError) as refused:
        load_index(tmp_path)
    assert said in str(refused.value)
