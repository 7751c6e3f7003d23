"""A learner in its file: what comes back, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from radcap.core import InputError
from radcap.detection.learners import LEARNERS, Learner, fit_learner, load_learner, save_learner
from radcap.detection.learners.faults import tree_faults

KINDS = sorted(LEARNERS.names)
WIDTH, LABELS = 6, 3


def sample():
    draw = np.random.default_rng(0)
    vectors = draw.normal(size=(80, WIDTH)).astype(np.float32)
    return vectors, vectors[:, :LABELS] + draw.normal(size=(80, LABELS)) > 0.3


def stored(folder, kind: str):
    settings = Learner(kind=kind, trees=4, depth=3)
    fitted = fit_learner(settings, *sample())
    save_learner(fitted, folder / "learner.safetensors")
    return settings, fitted, folder / "learner.safetensors"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_back_answers_the_same(tmp_path, kind):
    settings, fitted, path = stored(tmp_path, kind)
    back = load_learner(settings, path, WIDTH, LABELS)
    assert back.kind == kind
    np.testing.assert_array_equal(back.logits(sample()[0]), fitted.logits(sample()[0]))
    assert [one.name for one in tmp_path.iterdir()] == ["learner.safetensors"]
    save_learner(back, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", ["forest", "boosted"])
def test_answering_needs_none_of_the_packages(tmp_path, kind):
    _, fitted, path = stored(tmp_path, kind)
    np.save(tmp_path / "vectors.npy", sample()[0])
    code = (
        "import sys; sys.modules['sklearn'] = sys.modules['xgboost'] = None\n"
        "import numpy as np; from pathlib import Path\n"
        "from radcap.detection.learners import Learner, load_learner\n"
        f"settings = Learner(kind={kind!r}, trees=4, depth=3)\n"
        f"found = load_learner(settings, Path({str(path)!r}), {WIDTH}, {LABELS})\n"
        f"np.save({str(tmp_path / 'out.npy')!r}, found.logits(np.load({str(tmp_path / 'vectors.npy')!r})))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), fitted.logits(sample()[0]))


def test_a_full_disk_is_an_error_of_files(tmp_path):
    fitted = fit_learner(Learner(), *sample())
    full = SafetensorError("No space left on device")
    with (
        mock.patch("radcap.detection.learners.storing.save_file", side_effect=full),
        pytest.raises(OSError, match=r"learner\.safetensors cannot be written: No space"),
    ):
        save_learner(fitted, tmp_path / "learner.safetensors")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_a_file_that_was_cut_off_is_refused(tmp_path, kind, keep):
    settings, _, path = stored(tmp_path, kind)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"learner\.safetensors cannot be used as a learner.*train it again"):
        load_learner(settings, path, WIDTH, LABELS)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"none\.safetensors cannot be used"):
        load_learner(Learner(), tmp_path / "none.safetensors", WIDTH, LABELS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_another_kind_is_refused(tmp_path, kind, other):
    if kind == other:
        return
    _, _, path = stored(tmp_path, kind)
    with pytest.raises(InputError, match=f"of the kind '{kind}', and system.toml says '{other}'"):
        load_learner(Learner(kind=other), path, WIDTH, LABELS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "labels"), [(WIDTH + 1, LABELS), (WIDTH, LABELS + 1), (WIDTH, 1)])
def test_another_width_or_other_labels_are_refused(tmp_path, kind, width, labels):
    settings, _, path = stored(tmp_path, kind)
    with pytest.raises(InputError, match="cannot be used as a learner"):
        load_learner(settings, path, width, labels)


def changed(path, change) -> None:
    arrays = load_file(path)
    change(arrays)
    save_file({name: np.ascontiguousarray(one) for name, one in arrays.items()}, path)


def put(name, place, value):
    def change(arrays):
        arrays[name] = arrays[name].copy()
        arrays[name].flat[place] = value

    return change


LINEAR = {
    "weights hold NaN": put("weights", 3, np.nan),
    "offsets hold NaN or infinity": put("offsets", 0, np.inf),
    "it holds offsets, not offsets, weights": lambda a: a.pop("weights"),
    "weights are float64 in 2 dimensions": lambda a: a.update(weights=a["weights"].astype(float)),
    "offsets are float32 in 2 dimensions": lambda a: a.update(offsets=a["offsets"][None]),
    "its weights are": lambda a: a.update(weights=a["weights"].T),
    "of the kind ''": lambda a: a.pop("kind"),
}
TREES = {
    "values hold NaN": put("values", 0, np.nan),
    "offsets hold NaN": put("offsets", 0, np.nan),
    "a threshold that is no number": put("thresholds", 0, np.nan),
    "children that are none": put("left", 0, -5),
    "a node has children": put("left", -1, 0),
    "features go beyond 6": put("features", 0, WIDTH),
    "features go beyond": put("features", 0, -1),
    "rows go beyond": put("rows", 0, 10**6),
    "roots go beyond": put("roots", 0, -1),
    "asks for [7] features": put("width", 0, 7),
    "not all described": lambda a: a.update(rows=a["rows"][:-1]),
    "it has 0 trees": lambda a: a.update(roots=a["roots"][:0]),
    "it has 3 offsets and 0 values a leaf": lambda a: a.update(values=a["values"][:, :0]),
    "left are float32": lambda a: a.update(left=a["left"].astype(np.float32)),
    "it holds": lambda a: a.update(more=np.zeros(1, np.float32)),
}


@pytest.mark.parametrize("kind", ["logistic", "svm", "perceptron"])
@pytest.mark.parametrize("said", LINEAR)
def test_linear_files_that_do_not_fit_are_refused(tmp_path, kind, said):
    settings, _, path = stored(tmp_path, kind)
    changed(path, LINEAR[said])
    with pytest.raises(InputError) as told:
        load_learner(settings, path, WIDTH, LABELS)
    assert said in str(told.value)


@pytest.mark.parametrize("kind", ["trees", "forest", "boosted"])
@pytest.mark.parametrize("said", TREES)
def test_tree_files_that_do_not_fit_are_refused(tmp_path, kind, said):
    settings, _, path = stored(tmp_path, kind)
    changed(path, TREES[said])
    with pytest.raises(InputError) as told:
        load_learner(settings, path, WIDTH, LABELS)
    assert said in str(told.value)


def test_a_label_too_few_trees_are_refused(tmp_path):
    settings, _, path = stored(tmp_path, "boosted")
    changed(path, lambda a: a.update(roots=a["roots"][:-1]))
    with pytest.raises(InputError, match="it has 11 trees"):
        load_learner(settings, path, WIDTH, LABELS)


def test_trees_deeper_than_the_system_says_are_refused(tmp_path):
    _, _, path = stored(tmp_path, "forest")
    with pytest.raises(InputError, match="deeper than 1"):
        load_learner(Learner(kind="forest", trees=4, depth=1), path, WIDTH, LABELS)


def test_nodes_that_share_their_children_end_in_time(tmp_path):
    """As a tree this would have more ways than there are atoms."""
    nodes = 401
    own = np.arange(nodes, dtype=np.int32)
    is_leaf = own >= nodes - 2
    arrays = {
        "features": np.zeros(nodes, np.int32),
        "left": np.where(is_leaf, own, own + 1).astype(np.int32),
        "rows": np.zeros(nodes, np.int32),
        "roots": np.zeros(1, np.int32),
        "width": np.ones(1, np.int32),
        "thresholds": np.where(is_leaf, np.inf, 0).astype(np.float32),
        "values": np.ones((1, 1), np.float32),
        "offsets": np.zeros(1, np.float32),
        "kind": np.frombuffer(b"trees", np.uint8),
    }
    save_file(arrays, tmp_path / "learner.safetensors")
    with pytest.raises(InputError, match="deeper than 40"):
        load_learner(Learner(kind="trees", depth=40), tmp_path / "learner.safetensors", 1, 1)
    found = load_learner(Learner(kind="trees", depth=1000), tmp_path / "learner.safetensors", 1, 1)
    assert found.logits(np.zeros((2, 1), np.float32)).shape == (2, 1)


def test_the_depth_that_is_allowed_costs_nothing(tmp_path):
    held = load_file(stored(tmp_path, "forest")[2])
    assert not tree_faults({key: one for key, one in held.items() if key != "kind"}, WIDTH, LABELS, 10**15)
