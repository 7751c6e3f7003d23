"""The benchmark of captioning runs at a tiny size, and its plain beam search finds what radcap's finds."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from bench_files import BENCHMARKS, run_script

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch")

TOLD = {
    "device": "CPU",
    "precision": "fp32",
    "threads": 2,
    "weights": 10_028,
    "tokens": 300,
    "learn": {
        "plain": {"images_per_s": 50.0, "loss": 2.5},
        "radcap": {"images_per_s": 100.0, "loss": 2.25},
    },
    "write": {
        "plain": {"captions_per_s": 4.0, "alike": 1.0},
        "fp32": {"captions_per_s": 16.0, "alike": 0.975},
        "tokens": 20.4,
        "distinct": 12,
    },
    "reward": {"images_per_s": 10.0},
    "answer": {
        "zoo:captions": {"images": 48, "opened_s": 1.5, "images_per_s": 8.0},
        "zoo:captions-lm": {"why": "There is no model 'zoo:captions-lm'."},
    },
}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that wait for each other are slow where tests run side by side."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.mark.slow
def test_bench_captioning_compares_with_plain_loops() -> None:
    done = run_script("bench_captioning.py", "--quick")
    assert done.returncode == 0, done.stderr
    for row in ("| plain loop |", "| radcap |", "| self-critical |", "| `zoo:captions` |"):
        assert row in done.stdout
    assert done.stdout.count("| 100.0% |") == 2


@pytest.mark.parametrize("words", [["--quick", "--write"], ["--write"]])
def test_tables_of_a_cpu_are_not_written_as_those_of_a_gpu(words: list[str]) -> None:
    done = run_script("bench_captioning.py", *words)
    assert done.returncode == 2
    assert "a full run on a GPU" in done.stderr


@pytest.mark.slow
def test_the_ways_start_on_a_bare_machine() -> None:
    """With torch, numpy, pillow and pyarrow; the rest is as if it were not installed."""
    absent = ("typer", "rich", "timm", "transformers", "torchvision", "polars", "duckdb", "lxml", "scipy")
    code = (
        f"import sys, runpy; sys.modules.update(dict.fromkeys({absent}));"
        f"sys.path.insert(0, {str(BENCHMARKS)!r});"
        "sys.argv = ['captioning_ways.py', '--size', 'tiny'];"
        "runpy.run_module('captioning_ways', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["write"]["fp32"]["alike"] == 1.0


@pytest.mark.parametrize(
    "changes",
    [{}, {"no_repeat": 1}, {"no_repeat": 0, "shortest": 6}, {"length_penalty": 0.0, "beams": 2}],
    ids=str,
)
def test_plain_beam_search_finds_the_same_captions(
    script: Callable[[str], Any], changes: dict[str, Any]
) -> None:
    from radcap.captioning.decoders import make_decoder
    from radcap.captioning.generation import Marks, write
    from radcap.captioning.settings import DecoderSettings, GenerateSettings
    from radcap.captioning.writer import Writer

    plain = script("plain_captioning")
    torch.manual_seed(7)
    decoder = make_decoder(DecoderSettings(width=16, layers=1, heads=2, longest=12), 14)
    writer = Writer(decoder, 5, 0, pad=0).eval()
    features, marks = torch.randn(6, 5, 2, 2), Marks(pad=0, begin=1, end=2)
    settings = GenerateSettings(method="beam", **{"longest": 8, "shortest": 2, **changes})
    with torch.no_grad():
        ours = write(decoder, writer.memory(features, rows=6), settings, marks)
    found = plain.write_plainly(writer, features, settings, marks)
    assert found == [some[0].tokens for some in ours]
    assert len(set(found)) > 1


def test_tables_hold_what_was_measured(script: Callable[[str], Any]) -> None:
    text = script("bench_captioning").tables("tiny", TOLD, judged=True)
    for row in (
        "| radcap | 100 | 2.250 | 2.0x |",
        "| radcap | 16.0 | 4.0x | 97.5% |",
        "| self-critical | 800 | 10 | 10x |",
        "| `zoo:captions` | 48 | 1.50 | 8.00 |",
        "| `zoo:captions-lm` | not here |  |  |",
        "| `zoo:captions`, 5 images/s | at most 0.2 s an image | 0.12 s an image | yes |",
        "| `zoo:captions-lm`, 0.5 images/s | at most 2 s an image | not here | not measured |",
    ):
        assert row in text
    assert "{" not in text


@pytest.mark.parametrize(("speed", "verdict"), [(16.0, "yes"), (11.0, "**no**")])
def test_on_a_gpu_writing_is_judged_as_it_is_done(
    script: Callable[[str], Any], speed: float, verdict: str
) -> None:
    written = {**TOLD["write"], "radcap": {"captions_per_s": speed, "alike": 0.9}}
    told = {**TOLD, "device": "NVIDIA H200", "precision": "bf16", "write": written}
    text = script("bench_captioning").tables("large", told, judged=True)
    assert f"| writing against the plain loop | at least 3 x | {speed / 4:.1f} x | {verdict} |" in text
    assert "| radcap, bf16 |" in text
    assert "computes in bf16" in text


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (SimpleNamespace(returncode=1, stdout="", stderr="no such thing"), "no such thing"),
        (
            SimpleNamespace(
                returncode=0,
                stderr="",
                stdout=json.dumps({"write": {"fp32": {"alike": 0.5}}}),
            ),
            "only 50% of the captions",
        ),
    ],
)
def test_other_captions_fail_loudly(
    script: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, done: object, said: str
) -> None:
    bench, stopwatch = script("bench_captioning"), script("stopwatch")
    monkeypatch.setattr(bench.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(stopwatch.Failed, match=said):
        bench.measured("tiny", "cpu")
