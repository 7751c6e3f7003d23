"""Answers as runs, and models on machines without torch."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from radcap.core import InputError, Missing, Task
from radcap.detection.calibration.platt import sigmoid
from radcap.detection.ensembles import Ensemble, Member, align
from radcap.detection.models.answers import Answers, scored
from radcap.detection.models.ensemble_model import aligned_answers, voted_scores
from radcap.systems.predicting import opened_model

DECIDED = np.array([[True, False, True], [False, False, False]])
SCORES = np.array([[-1.0, 0.0, 2.0], [-3.0, -2.0, -1.0]], np.float32)


def test_concepts_come_by_probability_where_it_is_known() -> None:
    answers = Answers(("a", "b"), ("C1", "C2", "C3"), DECIDED)
    assert answers.concepts() == [["C1", "C3"], []]
    ranked = Answers(("a", "b"), ("C1", "C2", "C3"), DECIDED, SCORES, SCORES)
    assert ranked.concepts() == [["C3", "C1"], []]


def test_a_run_has_a_row_for_every_id_in_their_order() -> None:
    answers = Answers(("a", "b"), ("C1", "C2", "C3"), DECIDED, refused={"x": "IMG104"})
    run = answers.run(["x", "b", "a"], "mine")
    assert (run.task, run.name) == (Task.CONCEPTS, "mine")
    assert run.cells == {"x": "", "b": "", "a": "C1;C3"}
    assert answers.to_json() == {
        "concepts": {"a": ["C1", "C3"], "b": []},
        "radiology": None,
        "refused": {"x": "IMG104"},
    }


def test_scores_without_a_rule_are_cut_at_a_half_and_never_overflow() -> None:
    huge = np.array([[-1e4, 1e4, 0.0]], np.float32)
    answers = scored(Answers(("a",), ("C1", "C2", "C3"), huge > 0), huge, None, None)
    assert answers.probabilities is not None
    np.testing.assert_allclose(answers.probabilities, [[0, 1, 0.5]])
    np.testing.assert_array_equal(answers.decided, [[False, True, True]])


def test_what_a_model_needs_and_lacks_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "radcap.detection.models", None)
    with pytest.raises(Missing, match=r"is missing. A model needs it. Run: pip install 'radcap\[read\]'"):
        opened_model("zoo:concepts")


@pytest.mark.parametrize(
    ("call", "extra"),
    [
        ("radcap.predict('zoo:concepts', 'radiology-open')", "read"),
        ("radcap.train('radcap/quick-concepts', 'radiology-open', 'never')", "train"),
    ],
)
def test_without_torch_the_install_line_is_said(call: str, extra: str) -> None:
    code = f"import sys, radcap\nsys.modules['torch'] = None\n{call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("radcap.core.errors.Missing: torch is missing.")
    assert last.endswith(f"Run: pip install 'radcap[{extra}]'")


def test_importing_the_models_loads_neither_timm_nor_transformers() -> None:
    code = "import radcap.detection.models, radcap.detection.training, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "torch" in loaded
    assert not loaded & {"timm", "transformers", "torchvision", "typer", "rich", "sklearn", "faiss", "polars"}


# members that vote


def voters(members: int, images: int, labels: int) -> list[Answers]:
    """Each over other images and labels, in another order; the last only decides."""
    draw, told = np.random.default_rng(2), list[Answers]()
    for number in range(members):
        ids = [f"i{one}" for one in draw.permutation(images + number)]
        cuis = [f"C{one}" for one in draw.permutation(labels + number % 3)]
        logits = draw.normal(0, 3, (len(ids), len(cuis))).astype(np.float32)
        told.append(Answers(tuple(ids), tuple(cuis), logits > 1, logits))
    told[-1] = replace(told[-1], logits=None)
    return told


def stacked(names: list[str], told: list[Answers]) -> np.ndarray:
    """Votes and the mean probability of all members at once."""
    common = set[str].intersection(*(set(one.ids) for one in told))
    both: list[np.ndarray] = []
    for kind in ("decisions", "scores"):
        members: list[Member] = []
        for name, one in zip(names, told, strict=True):
            keep = [row for row, image in enumerate(one.ids) if image in common]
            scores = (
                np.where(one.decided, np.float32(4), np.float32(-4)) if one.logits is None else one.logits
            )
            values = one.decided if kind == "decisions" else scores
            members.append(Member(name, tuple(one.ids[row] for row in keep), one.labels, values[keep]))
        both.append(align(members, apart=True).values)
    return both[0].sum(axis=0) + sigmoid(both[1].astype(np.float64)).mean(axis=0)


@pytest.mark.parametrize("members", [1, 2, 9])
def test_members_that_are_added_one_by_one_say_what_they_say_together(members: int) -> None:
    told, names = voters(members, 20, 7), [f"m{one}" for one in range(members)]
    joined = aligned_answers(names, told, Ensemble("union"))
    np.testing.assert_array_equal(voted_scores(joined, told), stacked(names, told))


def test_many_members_take_the_memory_of_few() -> None:
    told, names = voters(24, 300, 200), [f"m{one}" for one in range(24)]
    joined = aligned_answers(names, told, Ensemble("union"))
    one = 8 * len(joined.ids) * len(joined.labels)
    tracemalloc.start()
    try:
        voted_scores(joined, told)
        assert tracemalloc.get_traced_memory()[1] < 8 * one
    finally:
        tracemalloc.stop()


def test_scores_that_are_no_number_rescue_nobody() -> None:
    told = voters(2, 3, 2)
    joined = aligned_answers(["one", "two"], told, Ensemble("union"))
    wrong = replace(told[0], logits=np.full_like(told[0].logits, np.nan))
    with pytest.raises(InputError, match="Member one has no number for i"):
        voted_scores(joined, [wrong, told[1]])
