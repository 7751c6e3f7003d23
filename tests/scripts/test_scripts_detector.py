"""The parts that put the shipped detector together, against other libraries and plain counting."""

from __future__ import annotations

import io
import json
import tarfile

import numpy as np
import pytest
from PIL import Image
from script_files import SCRIPTS, script
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from radcap.datasets import load_dataset
from radcap.detection.models import ModelFolder
from radcap.systems import read_system

card, gate, gate_vectors, marks, measuring = (
    script(f"detector.{one}") for one in ("card", "gate", "gate_vectors", "marks", "measuring")
)

ZOO = SCRIPTS.parent / "src" / "radcap" / "zoo" / "concepts"


@pytest.fixture(scope="module")
def data():
    return load_dataset("radiology-open")


@pytest.fixture(scope="module")
def two_kinds():
    draw = np.random.default_rng(3)
    yes, no = draw.normal(0.7, 1, (120, 5)), draw.normal(-0.7, 1, (60, 5))
    return yes.astype(np.float32), no.astype(np.float32)


def test_the_gate_is_a_balanced_logistic_regression(two_kinds):
    yes, no = two_kinds
    weight, bias = gate.logistic(yes, no, penalty=0.01)
    x, y = np.concatenate([yes, no]), np.repeat([1, 0], [len(yes), len(no)])
    # ours: balanced mean loss + 0.01 |w|^2; theirs: sum of weighted losses + |w|^2 / 2C
    other = LogisticRegression(C=1 / (2 * 0.01 * len(y)), class_weight="balanced", tol=1e-10, max_iter=5000)
    other.fit(x, y)
    np.testing.assert_allclose(weight, other.coef_[0], atol=1e-3)
    assert bias == pytest.approx(float(np.ravel(other.intercept_)[0]), abs=1e-3)


def test_auc_is_that_of_scikit_learn(two_kinds):
    yes, no = (one[:, 0] for one in two_kinds)
    truth = np.repeat([1, 0], [len(yes), len(no)])
    assert gate.auc(yes, no) == pytest.approx(roc_auc_score(truth, np.concatenate([yes, no])), abs=1e-9)


def test_the_cut_leaves_a_share_below():
    scores = np.random.default_rng(1).normal(size=1000).astype(np.float32)
    assert ((scores - gate.lower_cut(scores, 0.01)) < 0).sum() == 10


def looks(draw, mean):
    """Vectors of three parts, none like another; the second look is like the first."""
    parts = {name: draw.normal(mean, 1, (200, 5)).astype(np.float32) for name in ("train", "valid", "test")}
    return gate_vectors.Vectors(parts, parts["train"] + np.float32(0.01))


def test_the_gate_refuses_its_share_of_valid_and_is_measured_on_test():
    draw = np.random.default_rng(2)
    yes, no = looks(draw, 1.5), [looks(draw, -1.5), looks(draw, -1.2)]
    weight, bias, penalty = gate.fitted(yes, no)
    assert ((yes.plain["valid"] @ weight + bias) < 0).mean() == 0.01
    assert penalty in gate.PENALTIES
    told = gate.measured_gate(weight, bias, yes, no)
    taken = [((one.plain["test"] @ weight + bias) >= 0).mean() for one in no]
    assert [told["others_taken_for_radiology"], told["grey_others_taken_for_radiology"]] == taken
    assert told["radiology_refused"] == ((yes.plain["test"] @ weight + bias) < 0).mean()
    assert min(told["auc"], told["auc_grey"]) > 0.99


def test_figures_are_seen_in_parts_that_share_none_in_colour_and_in_grey(tmp_path):
    names = [f"NonRad_{number:05d}.png" for number in range(1, 13)]
    with tarfile.open(tmp_path / "images.tar", "w") as tar:
        for number, name in enumerate(names):
            content = io.BytesIO()
            Image.new("RGB", (30, 20), (200, 10 * number, 30)).save(content, "png")
            content = content.getvalue() if number else b"no image"
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    shots = {
        part: list(gate_vectors._figures(tmp_path / "images.tar", 16, part)) for part in gate_vectors.PARTS
    }
    seen = [name for part in shots.values() for shot in part for name in shot.ids]
    assert sorted(seen) == names[1:]
    assert all(
        gate_vectors.figure_part(name) == part for part in shots for one in shots[part] for name in one.ids
    )
    squares = shots["train"][-1].squares
    grey = gate_vectors.greyed(squares)
    assert grey.shape == squares.shape
    assert (grey[..., 0] == grey[..., 1]).all()
    luma = np.array(Image.fromarray(squares[0].numpy()).convert("L"), np.int16)
    assert abs(grey[0, ..., 0].numpy() - luma).max() <= 1


def test_f1_counts_labels_that_were_not_learnt():
    every = ("C0040405", "C1", "C2")
    wide = measuring.widened(np.array([[True, False], [True, True]]), ("C0040405", "C2"), every)
    truth = np.array([[True, True, False], [False, True, True]])
    asked = measuring.Asked(truth, every, np.array(["p", "q"]))
    found = measuring.figures(wide, asked)
    assert wide.tolist() == [[True, False, False], [True, False, True]]
    assert found["f1"]["value"] == pytest.approx(f1_score(truth, wide, average="samples"))
    assert found["f1_manual"]["value"] == 0.5  # right about the first image, wrong about the second
    assert found["f1"]["low"] <= found["f1"]["value"] <= found["f1"]["high"]
    sliced = measuring.slices_of(["b", "a"], wide, asked)
    assert [(name, one["n"], one["f1_manual"]["value"]) for name, one in sliced.items()] == [
        ("a", 1, 0.0),
        ("b", 1, 1.0),
    ]


def test_intervals_are_over_groups():
    lots = np.random.default_rng(0)
    patients = lots.random(40)
    values, groups = np.repeat(patients, 5), np.repeat([f"p{n}" for n in range(40)], 5)
    alone = measuring.interval(patients, groups[::5])
    together = measuring.interval(values, groups)  # five equal images say no more than one
    assert together == pytest.approx(alone)
    apart = measuring.interval(values, np.arange(200).astype(str))
    assert apart["high"] - apart["low"] < 0.6 * (together["high"] - together["low"])


def test_sources_left_out_are_counted(data, tmp_path):
    labels = ("C0040405", "C0024485", "C1306645", "C0041618")
    test = data.split("test")
    modality = np.array(test.column("modality").to_pylist())
    sources = np.array(test.column("source").to_pylist())
    for source, said in (("NIH ChestX-ray8", 2), ("VQA-Med-2019", 0)):  # always X-ray, always CT
        rows = np.flatnonzero(sources == source)
        logits = np.zeros((len(rows), 4), np.float16)
        logits[:, said] = 1
        np.savez(tmp_path / f"loso-{source[:3]}.npz", ids=np.array(test.ids)[rows], logits=logits)
    found = measuring.left_out(tmp_path, data, labels)
    four = np.isin(modality, ["CT", "MR", "XR", "US"])
    share = (modality == "CT")[four & (sources == "VQA-Med-2019")].mean()
    assert found["sources"]["NIH ChestX-ray8"] == {"n": 57, "accuracy": 1.0}
    assert found["sources"]["VQA-Med-2019"]["accuracy"] == pytest.approx(share, abs=0.02)
    assert found["pooled"]["n"] == sum(one["n"] for one in found["sources"].values())


def test_only_marked_images_are_painted(data):
    test = data.split("test")
    painted = marks.without_marks(test)
    sources = test.column("source").to_pylist()
    keys = test.column("image").to_pylist()
    marked, other = sources.index("VQA-Med-2019"), sources.index("NIH ChestX-ray8")
    before, after = (
        np.array(Image.open(io.BytesIO(one.images.read(keys[marked]))).convert("RGB"))
        for one in (test, painted)
    )
    high, wide = after.shape[:2]
    assert not after[: round(0.1 * high), round(0.55 * wide) :].any()
    assert not after[round(0.9 * high) :].any()
    inner = (slice(round(0.1 * high), round(0.9 * high)), slice(None))
    np.testing.assert_array_equal(after[inner], before[inner])
    assert painted.images.read(keys[other]) == test.images.read(keys[other])
    assert painted.images.name(keys[marked]).endswith(".png")
    assert painted.images.name(keys[other]) == test.images.name(keys[other])
    assert painted.images.stamp(keys[marked]) != test.images.stamp(keys[marked])
    assert painted.images.stamp(keys[other]) == test.images.stamp(keys[other])
    assert painted.images.path(keys[marked]) is None
    assert painted.images.has(keys[marked])
    assert list(painted.images.keys()) == list(test.images.keys())


def test_the_words_of_the_card_are_those_of_the_shipped_one(data):
    folder = ModelFolder(ZOO)
    shipped = json.loads((ZOO / "card.json").read_text("utf-8"))
    system = read_system("radcap/detector-concepts")
    made = card.card_of(system, {"recipe": shipped["recipe"]}, folder, data, folder.labels())
    assert made == {key: shipped[key] for key in made}
