"""From paths to one map a statement, and how much each member of an ensemble has in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from explain_model_samples import CHEST, PNEUMONIA, XRAY, detector, photo
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from radcap.core import UsageError
from radcap.detection.ensembles import ENSEMBLES, Ensemble, combine, ensemble_rule
from radcap.explanation import mapping
from radcap.explanation.families import DEFAULTS
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.mapping import AUTO, MethodChoice
from radcap.explanation.methods import make_method
from radcap.explanation.methods.occlusion import Occlusion
from radcap.explanation.subjects import Path, Statement
from radcap.explanation.subjects.concept_lenses import concept_lens
from radcap.explanation.subjects.shares import member_shares
from radcap.explanation.targets import Concept, Span
from radcap.explanation.values import Kind

HEIGHT, WIDTH = 15, 20
HIRES = MethodChoice("hires-cam")


def mapped(*arguments: Any) -> list[Any]:
    return mapping.mapped(*arguments)


def lens_of(seed: int = 0, size: int = 24) -> NetworkLens:
    found = concept_lens(detector(seed=seed, size=size), photo(), "photo.png")
    assert isinstance(found, NetworkLens)
    return found


def dead() -> NetworkLens:
    """A network whose scores do not change with the image."""
    lens = lens_of()
    with torch.no_grad():
        lens.network.head.get_parameter("linear.weight").zero_()
    return lens


def said(*paths: Path, note: str = "") -> Statement:
    return Statement("key", Kind.CONCEPT, "label", paths, note=note)


def over(lens: NetworkLens, target: Concept, method: str = "hires-cam") -> np.ndarray:
    """The map of one target over the picture."""
    maps = make_method(method)(lens, [target]).maps
    return lens.frame.over_picture(maps.detach(), HEIGHT, WIDTH)[0].numpy()


def test_one_path_is_its_map_brought_to_a_whole_of_one():
    lens = lens_of()
    (found,) = mapped([said(Path(lens, Concept(PNEUMONIA)))], HIRES, HEIGHT, WIDTH)
    wanted = over(lens, Concept(PNEUMONIA))
    assert found.map is not None
    assert found.map.shape == (HEIGHT, WIDTH)
    assert found.map.dtype == np.float32
    np.testing.assert_allclose(found.map, wanted / np.abs(wanted).sum(), atol=1e-6)
    assert np.abs(found.map).sum() == pytest.approx(1, abs=1e-5)
    assert (found.why, found.methods, found.spread) == ("", ("hires-cam",), None)


def test_paths_are_added_by_their_shares():
    a, b = lens_of(), lens_of(3, 48)
    statement = said(Path(a, Concept(PNEUMONIA), 0.25), Path(b, Concept(CHEST), 0.75))
    (found,) = mapped([statement], HIRES, HEIGHT, WIDTH)
    one, other = over(a, Concept(PNEUMONIA)), over(b, Concept(CHEST))
    wanted = 0.25 * one / np.abs(one).sum() + 0.75 * other / np.abs(other).sum()
    np.testing.assert_allclose(found.map, wanted, atol=1e-6)


def test_the_targets_of_a_network_are_explained_in_one_call(monkeypatch):
    calls: list[int] = []
    inner = make_method("hires-cam")

    def counted(name):
        def method(lens, targets):
            calls.append(len(targets))
            return inner(lens, targets)

        return method

    monkeypatch.setattr("radcap.explanation.mapping.make_method", counted)
    a, b = lens_of(), lens_of(1)
    statements = [said(Path(a, Concept(one)), Path(b, Concept(XRAY))) for one in (PNEUMONIA, CHEST, CHEST)]
    found = mapped(statements, HIRES, HEIGHT, WIDTH)
    assert sorted(calls) == [1, 2]
    np.testing.assert_array_equal(found[1].map, found[2].map)


def test_what_a_method_does_not_serve_is_told_and_the_rest_is_shown():
    alive, refused = lens_of(), lens_of(2)
    words = Path(refused, Span((1, 2), 0, 1), 0.6)
    both, none = mapped([said(Path(alive, Concept(CHEST), 0.4), words), said(words)], HIRES, HEIGHT, WIDTH)
    wanted = over(alive, Concept(CHEST))
    np.testing.assert_allclose(both.map, wanted / np.abs(wanted).sum(), atol=1e-6)
    assert "no score for Span" in both.why
    assert none.map is None
    assert none.why == both.why
    (other,) = mapped([said(Path(alive, Concept(CHEST)))], MethodChoice("csra-map"), HEIGHT, WIDTH)
    assert other.map is None
    assert "this model has none" in other.why


def test_a_score_that_does_not_change_has_no_map():
    still, alive = dead(), lens_of()
    paths = Path(still, Concept(CHEST), 0.9), Path(alive, Concept(CHEST), 0.1)
    nothing, some = mapped([said(paths[0]), said(*paths)], HIRES, HEIGHT, WIDTH)
    assert nothing.map is None
    assert "finds nothing in the image that speaks for it" in nothing.why
    assert np.abs(some.map).sum() == pytest.approx(1, abs=1e-5)


def test_a_map_of_no_numbers_is_none():
    lens = lens_of()
    with torch.no_grad():
        lens.network.head.get_parameter("linear.weight").fill_(torch.nan)
    paths = Path(lens, Concept(CHEST)), Path(lens_of(1), Concept(CHEST))
    broken, part = mapped([said(paths[0]), said(*paths)], HIRES, HEIGHT, WIDTH)
    assert broken.map is None
    assert part.map is not None
    assert np.isfinite(part.map).all()


def test_a_statement_without_paths_keeps_its_note():
    (found,) = mapped([said(note="Language made it.")], HIRES, HEIGHT, WIDTH)
    assert (found.map, found.why, found.methods) == (None, "Language made it.", ())
    assert mapped([], HIRES, HEIGHT, WIDTH) == []


def test_spreads_add_as_squares(monkeypatch):
    method = Occlusion(covers=("blur", "mean"))
    monkeypatch.setattr("radcap.explanation.mapping.make_method", lambda _: method)
    choice, a, b = MethodChoice("occlusion"), lens_of(), lens_of(3, 48)
    parts = []
    for lens, share in ((a, 0.5), (b, 0.5)):
        told = method(lens, [Concept(CHEST)])
        assert told.spread is not None
        maps, spread = (
            lens.frame.over_picture(one, HEIGHT, WIDTH)[0].numpy() for one in (told.maps, told.spread)
        )
        parts.append(spread * share / np.abs(maps).sum())
    (found,) = mapped([said(*(Path(one, Concept(CHEST), 0.5) for one in (a, b)))], choice, HEIGHT, WIDTH)
    np.testing.assert_allclose(found.spread, np.hypot(*parts), atol=1e-6)


def test_the_method_of_a_kind_is_chosen_unless_one_is_named():
    lens = lens_of()
    assert MethodChoice().name == AUTO
    assert MethodChoice().for_lens(lens) == DEFAULTS["cnn"]
    assert MethodChoice("lrp").for_lens(lens) == "lrp"
    with pytest.raises(UsageError, match="Nearest is 'rollout'"):
        MethodChoice("rolout").make(lens)


# shares of members

LOGITS = np.array([[2.0, -1.0, 0.5, -3.0], [1.0, 3.0, -2.0, -1.0], [-4.0, 1.0, 1.5, -0.5]], np.float32)
DECIDED = LOGITS > 0


def _chance(value: float) -> float:
    return 1 / (1 + np.exp(-float(value)))


def _by_rule(rule: str, weights: tuple[float, ...]) -> list[list[float]]:
    """Label by label, with numbers of plain Python."""
    columns: list[list[float]] = []
    first = next(member for member in range(3) if DECIDED[member].any())
    for label in range(LOGITS.shape[1]):
        values = [float(LOGITS[member, label]) for member in range(3)]
        if rule in ("mean-logit", "weighted"):
            parts = [max(0.0, weight * value) for weight, value in zip(weights, values, strict=True)]
            otherwise = list(weights)
        elif rule == "mean-probability":
            parts = otherwise = [_chance(value) for value in values]
        else:
            yes = [bool(DECIDED[member, label]) for member in range(3)]
            if rule == "fallback":
                yes = [member == first and one for member, one in enumerate(yes)]
            parts, otherwise = [float(one) for one in yes], [_chance(value) for value in values]
        told = parts if sum(parts) > 0 else otherwise
        columns.append([one / sum(told) for one in told])
    return [list(row) for row in zip(*columns, strict=True)]


RULES = {
    "weighted": {"weights": (0.5, 0.2, 0.3)},
    "votes": {"votes": 2},
    "partial-intersection": {"expression": "(a & b) | c"},
}


@pytest.mark.parametrize("rule", ENSEMBLES.names)
def test_members_count_by_what_they_added(rule):
    ensemble = Ensemble(rule, **RULES.get(rule, {}))
    found = member_shares(ensemble, LOGITS, DECIDED)
    np.testing.assert_allclose(found, _by_rule(rule, ensemble.weights or (1.0,) * 3), atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=0), 1)
    values = DECIDED if ensemble_rule(rule).over == "decisions" else LOGITS
    joint = combine(ensemble, values[:, None], ("a", "b", "c"))[0]
    for label in np.flatnonzero(joint > 0):  # what is said is said by somebody who said it
        assert all(DECIDED[member, label] for member in np.flatnonzero(found[:, label] > 0.5))


@given(
    arrays(np.float32, (3, 2), elements=st.floats(-20, 20, width=32)),
    st.sampled_from([one for one in ENSEMBLES.names if one != "partial-intersection"]),
)
def test_shares_are_parts_of_one(logits, rule):
    found = member_shares(Ensemble(rule, **RULES.get(rule, {})), logits, logits > 0)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=0), 1, atol=1e-6)
