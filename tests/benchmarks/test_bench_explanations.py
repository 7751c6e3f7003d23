"""The benchmark of explanations: on a small network its ways give the same maps, and tables hold the rest."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from bench_files import run_script

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch")

PARTS = ("opening", "answers", "maps", "faithfulness", "sanity", "rest", "files")
LABELS = ("C0000001", "C0000002", "C0000003")


def took(wall: float) -> dict[str, float]:
    return {"wall": wall, "cpu": 2 * wall - 1}


TOLD = {
    "decided": {
        "images": 24,
        "maps": 72,
        "gap": 1e-6,
        "seconds": {"one": took(12), "batch": took(8), "radcap": took(2)},
    },
    "likely": {
        "images": 24,
        "maps": 120,
        "gap": 2e-6,
        "seconds": {"one": took(5), "batch": took(4), "radcap": took(2)},
    },
    "occlusion": {
        "images": 4,
        "maps": 12,
        "covers": 121,
        "gap": 3e-6,
        "seconds": {"captum": took(40), "radcap": took(8)},
    },
    "parts": {
        "zoo:captions": dict.fromkeys(PARTS, 2.5) | {"faithfulness": 10.0},
        "zoo:concepts": dict.fromkeys(PARTS, 1.5) | {"faithfulness": 8.0},
    },
    "threads": 2,
    "versions": {"torch": "2", "grad-cam": "1.5", "captum": "0.9"},
}
MORE = {"times": 3, "load": 0.5, "explained": 16}


@pytest.fixture
def seen(script: Callable[[str], Any]) -> Any:
    """A small image before a small network."""
    from radcap.explanation.lenses.frame import Frame
    from radcap.explanation.lenses.network_lens import NetworkLens
    from radcap.vision.backbones import Backbone
    from radcap.vision.heads import make_head
    from radcap.vision.network import Network
    from radcap.vision.settings import HeadSettings

    torch.set_num_threads(1)
    torch.manual_seed(5)
    body = torch.nn.Sequential(torch.nn.Conv2d(3, 6, 3, stride=4, padding=1), torch.nn.ReLU())
    network = Network(Backbone(body, 6, (0.0,) * 3, (64.0,) * 3), make_head(HeadSettings(), 6, len(LABELS)))
    torch.nn.init.uniform_(network.head.get_parameter("linear.weight"), 0.1, 1)  # every label has a map
    places = {label: place for place, label in enumerate(LABELS)}
    lens = NetworkLens(network.eval(), places, torch.rand(1, 3, 40, 40) * 255, Frame())
    return script("explanation_ways").Seen(lens, LABELS[1:])


@pytest.fixture
def whole(script: Callable[[str], Any]) -> dict[str, Any]:
    made = script("stopwatch").Measured
    return {
        "zoo:captions": made(48.0, 80.0, 900.0, 1, 0, ""),
        "zoo:concepts": made(64.0, 99.0, 800.0, 1, 0, ""),
    }


def test_every_way_of_grad_cam_gives_the_same_maps(script: Callable[[str], Any], seen: Any) -> None:
    told = script("explanation_ways").grad_cams([seen, seen], times=2)
    assert (told["images"], told["maps"]) == (2, 4)
    assert told["gap"] < 1e-5
    assert set(told["seconds"]) == {"one", "batch", "radcap"}
    maps = script("explanation_ways").radcap_maps(seen)
    assert maps.shape == (2, 40, 40)
    assert maps.max(axis=(1, 2)) == pytest.approx([1, 1], abs=1e-3)


def test_both_ways_of_occlusion_lose_the_same(script: Callable[[str], Any], seen: Any) -> None:
    ways = script("explanation_ways")
    told = ways.occlusions([seen])
    assert (told["images"], told["maps"], told["covers"]) == (1, 2, 121)
    assert told["gap"] < 1e-5
    assert abs(ways.radcap_occlusion(seen)).max() > 1e-3  # there is something to lose


def test_maps_of_another_shape_or_of_nothing_are_not_the_same(
    script: Callable[[str], Any], seen: Any
) -> None:
    ways = script("explanation_ways")
    maps = ways.radcap_maps(seen)
    assert ways.gap([maps], [maps]) == 0
    assert ways.gap([maps], [maps + 0.25]) == pytest.approx(0.25)
    assert ways.gap([maps], [maps[:1]]) == float("inf")
    assert ways.gap([maps, 0 * maps], [maps, 0 * maps]) == 0  # one image may have nothing to show
    assert ways.gap([0 * maps], [0 * maps]) == float("inf")


def test_work_is_watched_and_done_all_the_same(script: Callable[[str], Any]) -> None:
    spent = {"maps": 1.0}
    watched = script("explanation_ways")._watched(lambda *words, end: [*words, end], spent, "maps")
    assert watched(1, 2, end=3) == [1, 2, 3]
    assert spent["maps"] > 1


def test_tables_hold_what_was_measured(script: Callable[[str], Any], whole: dict[str, Any]) -> None:
    text = script("bench_explanations").tables({**TOLD, **MORE}, whole, judged=True)
    for row in (
        "| grad-cam, a target at a time | 12.0 | 23.0 | 2.0 | 6.0 | 6.0x | 7.7x |",
        "| grad-cam, targets as a batch | 4.00 | 7.00 | 6.0 | 30.0 | 2.0x | 2.3x |",
        "| radcap | 2.00 | 3.00 | 12.0 | 36.0 |  |  |",
        "| captum | 40.0 | 79.0 | 0.3 | 5.0x | 5.3x |",
        "| `zoo:captions` | 48.0 | 80.0 | 3.0 | 900 |",
        "| faithfulness of the maps, quick | 10.0 | 8.00 |",
        "| Grad-CAM, labels that are decided | at least 3 times | 6.0 times | yes |",
        "| Grad-CAM, labels of p >= 0.05 | at least 3 times | 2.5 times | **no** |",
        "| `radcap explain zoo:captions`, 16 images | at most 60 s | 48.0 s | yes |",
        "| `radcap explain zoo:concepts`, 16 images | at most 60 s | 64.0 s | **no** |",
    ):
        assert row in text
    assert "2.0e-06" in text
    assert "{" not in text


@pytest.mark.parametrize(
    ("part", "gap", "said"),
    [
        ("decided", 0.5, "decided: a map differs from that of the package by 0.5"),
        ("likely", float("inf"), "likely: .* by inf"),
        ("occlusion", float("nan"), "occlusion: .* by nan"),
        ("", 0.0, "ended with 1: no such thing"),
    ],
)
def test_other_maps_fail_loudly(
    script: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, part: str, gap: float, said: str
) -> None:
    bench, stopwatch = script("bench_explanations"), script("stopwatch")
    told: dict[str, Any] = copy.deepcopy(TOLD)
    if part:
        told[part]["gap"] = gap
    done = SimpleNamespace(returncode=int(not part), stdout=json.dumps(told), stderr="no such thing")
    monkeypatch.setattr(bench.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(stopwatch.Failed, match=said):
        bench.measured(2, 1, 1, 1)


def test_the_command_is_measured_as_a_user_types_it(
    script: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, whole: dict[str, Any]
) -> None:
    bench, settings = script("bench_explanations"), script("settings")
    typed: list[list[str]] = []
    done = SimpleNamespace(returncode=0, stdout=json.dumps(TOLD), stderr="")
    monkeypatch.setattr(bench.subprocess, "run", lambda *_, **__: done)
    monkeypatch.setattr(bench, "measure", lambda words: typed.append(words) or whole["zoo:captions"])
    text = bench.report(settings.QUICK)
    assert [words[4] for words in typed] == ["zoo:captions", "zoo:concepts"]
    assert all(words[1:4] == ["-m", "radcap", "explain"] for words in typed)
    assert text.count("not at this size") == 4


@pytest.mark.slow  # whole commands, on the models inside
def test_bench_explanations_finds_the_maps_of_the_packages() -> None:
    done = run_script("bench_explanations.py", "--quick")
    assert done.returncode == 0, done.stderr
    for row in ("| grad-cam, a target at a time |", "| captum |", "| `zoo:captions` |"):
        assert row in done.stdout
