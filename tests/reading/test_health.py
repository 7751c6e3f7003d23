"""The state of an installation: packages, files, machine, and the verdict drawn from them."""

from __future__ import annotations

import importlib
import importlib.util
import webbrowser
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import radcap.captioning.base_models as bases
from radcap.metrics.metric_tables import MetricState
from radcap.reading.health import Verdict, examine, examining, features, machine, packages, shipped_files
from radcap.reading.health.assets import data_assets, model_assets
from radcap.reading.health.features import browser, captions_lm, metric_features, needing
from radcap.reading.health.packages import extras, requirement
from radcap.reading.health.shipped_files import LIST, ROOT, changed_files, sums_text

if TYPE_CHECKING:
    from types import ModuleType

SPEC = importlib.util.find_spec
REQUIRED = ["numpy>=2", "no-such-package>=1; extra == 'read'", 'rich>=1; extra == "dev"']


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Hides modules from one module that asks whether they are there."""

    def hide(where: ModuleType, *names: str) -> None:
        monkeypatch.setattr(where, "find_spec", lambda name: None if name in names else SPEC(name))

    return hide


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A package with two files that ship, and code that is not listed."""
    for name in ("zoo/concepts/card.json", "data/words/list.txt", "zoo/finding.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / LIST).write_text(sums_text(tmp_path), encoding="utf-8")
    return tmp_path


def test_the_list_of_shipped_files_is_up_to_date() -> None:
    assert (ROOT / LIST).read_text("utf-8") == sums_text(), "Run: python scripts/write_digests.py"


def test_a_changed_and_a_missing_file_are_named(tree: Path) -> None:
    assert changed_files(tree) == ()
    (tree / "data/words/list.txt").write_text("other", encoding="utf-8")
    (tree / "zoo/concepts/card.json").unlink()
    assert changed_files(tree) == ("data/words/list.txt", "zoo/concepts/card.json")
    (tree / LIST).unlink()
    assert changed_files(tree) == (LIST,)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("numpy>=2", ("numpy", "")),
        ("uvicorn[standard]>=0.34; extra == 'challenge'", ("uvicorn", "challenge")),
        ('pyright[nodejs]; extra == "dev"', ("pyright", "dev")),
        ("python-multipart", ("python-multipart", "")),
    ],
)
def test_a_requirement_is_a_package_and_its_extra(line: str, expected: tuple[str, str]) -> None:
    assert requirement(line) == expected


def test_extras_know_what_they_lack() -> None:
    base, read = extras(REQUIRED)
    assert (base.name, base.missing) == ("", ())
    assert (read.name, read.missing) == ("read", ("no-such-package",))


def test_a_copy_that_was_never_installed_declares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(_: str) -> None:
        raise PackageNotFoundError

    monkeypatch.setattr(packages, "requires", requires)
    assert [(one.name, one.packages) for one in extras()] == [("", ())]


def test_models_and_data_inside_are_as_shipped() -> None:
    assets = {one.name: one for one in (*model_assets(()), *data_assets(()))}
    assert {one.state for one in assets.values() if one.kind != "base"} == {"as shipped"}
    assert "CC BY 4.0" in assets["zoo:concepts"].licence
    assert assets["radiology-open"].size_bytes > 20_000_000
    assert assets["tf_efficientnet_lite1"].state.startswith(("here", "not here: radcap models get"))


def test_a_changed_file_breaks_its_model_and_no_other(tmp_path: Path) -> None:
    changed = ("zoo/captions/model.safetensors", "data/vocabulary/free/sources.json")
    broken = [one.name for one in (*model_assets(changed), *data_assets(changed)) if one.broken]
    assert broken == ["zoo:captions", "vocabulary free"]
    assert [one.licence for one in data_assets((), tmp_path)] == ["unknown", "unknown"]


def test_a_feature_is_ready_in_part_or_missing(without: Any) -> None:
    assert needing("a", "read", ("json",)).verdict is Verdict.READY
    without(features, "torch", "safetensors")
    lost = needing("a", "read", ("torch", "safetensors"))
    assert (lost.verdict, lost.how) == (Verdict.MISSING, "pip install 'radcap[read]'")
    assert lost.why == "torch, safetensors are not installed."
    part = needing("b", "read", ("torch",), "it is slow")
    assert (part.verdict, part.why) == (Verdict.PART, "torch is not installed: it is slow.")


def test_without_torch_nothing_is_read(without: Any) -> None:
    without(features, "torch")
    verdicts = {one.name: one.verdict for one in features.features(())}
    assert verdicts["read images"] is verdicts["explain"] is verdicts["train"] is Verdict.MISSING
    assert verdicts["validate, score concepts, compare"] is Verdict.READY


def test_a_torch_that_does_not_load_and_a_broken_model_are_told() -> None:
    by_name = {one.name: one for one in features.features((), torch_loads=False)}
    assert "does not load" in by_name["read images"].why
    assert by_name["train"].verdict is Verdict.MISSING
    assets = model_assets(("zoo/concepts/labels.csv",))
    broken = next(one for one in features.features(assets) if one.name == "read images")
    assert (broken.verdict, broken.why) == (
        Verdict.PART,
        "Files of zoo:concepts are not those that shipped.",
    )


def metric(name: str, how: str = "", needs: str = "weights") -> MetricState:
    return MetricState(name, name.upper(), (), needs, not how, how)


def test_metrics_are_told_by_what_they_need() -> None:
    run = "pycocoevalcap is missing. Run: pip install 'radcap[metrics]'"
    states = [
        metric("rouge1", needs="nothing"),
        metric("meteor", run),
        metric("spice", "CoreNLP 3.6 is missing. Get it."),
        metric("bleurt", "x"),
        metric("a"),
    ]
    _, meteor, spice, models = metric_features(states)
    assert (meteor.why, meteor.how) == ("pycocoevalcap is missing.", "pip install 'radcap[metrics]'")
    assert (spice.why, spice.how) == ("CoreNLP 3.6 is missing.", "radcap metrics status")
    assert (models.verdict, models.why) == (Verdict.PART, "Not here: bleurt.")
    assert {one.verdict for one in metric_features([metric("meteor"), metric("a")])} == {Verdict.READY}


def test_the_language_model_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    state = next(one for one in bases.model_states() if one.name == "zoo:captions-lm")
    lacking = replace(state, ready=False, how="smollm2-135m is missing. Run: radcap models get captions-lm.")
    monkeypatch.setattr(bases, "model_states", lambda: [lacking])
    told = captions_lm()
    assert (told.why, told.how) == ("smollm2-135m is missing.", "radcap models get captions-lm")
    monkeypatch.setattr(bases, "model_states", lambda: [replace(state, ready=True, how="")])
    assert captions_lm().verdict is Verdict.READY


def test_without_a_browser_pages_are_still_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", none)
    assert browser().verdict is Verdict.PART
    monkeypatch.setattr(webbrowser, "get", lambda: None)
    assert browser().verdict is Verdict.READY


class Cuda:
    """`torch.cuda` with one GPU."""

    class cuda:  # noqa: N801 - the name in torch
        device_count = staticmethod(lambda: 1)
        get_device_name = staticmethod(lambda _: "A GPU")


def test_the_gpu_is_that_of_torch(monkeypatch: pytest.MonkeyPatch, without: Any) -> None:
    monkeypatch.setattr(machine, "import_module", lambda _: Cuda)
    assert machine.gpu() == ("A GPU", True)
    monkeypatch.setattr(Cuda.cuda, "device_count", staticmethod(lambda: 0))
    assert machine.gpu() == ("none that torch can use", True)

    def fails(_: str) -> None:
        raise OSError("libcudart.so is missing\nmore")

    monkeypatch.setattr(machine, "import_module", fails)
    assert machine.gpu() == ("not looked for: torch does not load (libcudart.so is missing)", False)
    without(machine, "torch")
    assert machine.gpu() == ("not looked for: torch is not installed", True)


def test_memory_is_that_of_the_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = machine.memory_bytes(tmp_path / "none")
    assert whole is not None
    (tmp_path / "memory.max").write_text("1000\n", encoding="ascii")
    assert machine.memory_bytes(tmp_path / "memory.max") == 1000
    (tmp_path / "memory.max").write_text("max\n", encoding="ascii")
    assert machine.memory_bytes(tmp_path / "memory.max") == whole

    def unknown(_: str) -> int:
        raise ValueError

    monkeypatch.setattr("os.sysconf", unknown)
    assert machine.memory_bytes() is None


def test_java_is_told_or_why_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.2\"' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert machine.java() == f"17 ({java})"
    java.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    assert machine.java().startswith("none: ")


def test_a_place_that_is_not_there_yet_is_that_above_it(tmp_path: Path) -> None:
    found = machine.place("cache", tmp_path / "a" / "b")
    assert (found.path, found.writable) == (str(tmp_path / "a" / "b"), True)
    assert found.free_bytes > 0


@pytest.fixture
def quick_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No torch is loaded and nothing hashed."""
    monkeypatch.setattr(machine, "import_module", lambda _: Cuda)
    monkeypatch.setattr(machine, "java", lambda: "17")
    monkeypatch.setattr(examining, "changed_files", lambda: ())


@pytest.mark.usefixtures("quick_machine")
def test_a_whole_installation_has_no_problem() -> None:
    health = examine()
    assert health.problems == ()
    assert {"read images", "train"} <= {one.name for one in health.features}
    assert health.to_json()["features"][0]["verdict"] in list(Verdict)


@pytest.mark.usefixtures("quick_machine")
def test_what_is_missing_of_the_base_install_or_was_changed_is_a_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(examining, "extras", lambda: extras(["no-such-package>=1"]))
    monkeypatch.setattr(examining, "changed_files", lambda: ("zoo/concepts/card.json",))
    health = examine()
    assert [one.split(": ")[0] for one in health.problems] == ["no-such-package", "zoo/concepts/card.json"]
    assert next(one for one in health.assets if one.name == "zoo:concepts").broken


@pytest.mark.usefixtures("quick_machine")
def test_a_base_package_that_does_not_load_ends_the_examination_with_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails() -> None:
        raise ModuleNotFoundError("no pyarrow", name="pyarrow")

    monkeypatch.setattr(bases, "model_states", fails)
    health = examine()
    assert health.problems == ("pyarrow is not installed. Run: pip install pyarrow",)
    assert health.features == ()


def test_the_shipped_list_is_beside_the_package() -> None:
    assert Path(str(importlib.import_module("radcap").__file__)).parent == shipped_files.ROOT
