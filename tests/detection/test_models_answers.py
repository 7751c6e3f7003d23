"""Answers as runs, and models on machines without torch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from radcap.core import Missing, Task
from radcap.detection.models.answers import Answers, scored
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
