"""The surface people import: complete, sorted, lazy."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import radcap

PARTS = (
    *("core", "datasets", "formats", "metrics", "metrics.providers", "report", "reading", "stats", "systems"),
    *(f"detection.{part}" for part in ("calibration", "decisions", "ensembles", "retrieval", "system")),
    *(f"detection.{part}" for part in ("models", "training")),
    *(f"captioning.{part}" for part in ("base_models", "decoders", "generation", "grammar", "models")),
    *(f"captioning.{part}" for part in ("settings", "system", "texts", "tokens", "training")),
    *("explanation", *(f"explanation.{part}" for part in ("external", "faithfulness", "methods"))),
    *(f"explanation.{part}" for part in ("phantoms", "pictures", "rationale", "subjects", "viewer")),
    *(f"systems.{part}" for part in ("predicting", "training")),
    *(
        f"vision.{part}"
        for part in ("backbones", "blocks", "heads", "losses", "pictures", "settings", "training")
    ),
    *("vocabulary", "zoo"),
)
PACKAGES = ["radcap", *(f"radcap.{name}" for name in PARTS)]
EVERY = [found.name for found in pkgutil.walk_packages(radcap.__path__, "radcap.")]
MODULES = [name for name in EVERY if not name.endswith("__main__")]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_exports_what_it_lists(name: str) -> None:
    module = importlib.import_module(name)
    missing = [export for export in module.__all__ if not hasattr(module, export)]
    assert missing == []
    assert len(set(module.__all__)) == len(module.__all__)


@pytest.mark.parametrize("package", sorted({name.rpartition(".")[0] for name in MODULES}))
def test_the_examples_in_the_docstrings_hold(package: str) -> None:
    modules = [name for name in MODULES if name.rpartition(".")[0] == package]
    failed = [name for name in modules if doctest.testmod(importlib.import_module(name)).failed]
    assert failed == []


def test_dir_lists_the_public_names() -> None:
    assert set(dir(radcap)) == set(radcap.__all__)


def test_an_unknown_name_is_refused_with_the_choice() -> None:
    with pytest.raises(AttributeError, match="score_concepts"):
        _ = radcap.no_such_thing  # pyright: ignore[reportAttributeAccessIssue]


def loaded_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_radcap_loads_nothing_heavy() -> None:
    assert not loaded_after("import radcap") & {"numpy", "torch", "typer", "rich", "pyarrow"}


def test_naming_train_predict_and_explain_loads_no_torch() -> None:
    loaded = loaded_after("import radcap; radcap.train, radcap.predict, radcap.explain")
    assert not loaded & {"torch", "timm", "transformers", "typer", "rich"}


def test_validating_and_scoring_need_the_standard_library_alone() -> None:
    loaded = loaded_after("import radcap; radcap.validate, radcap.score_concepts, radcap.write_run")
    assert not loaded & {"numpy", "torch", "typer", "rich", "pyarrow", "sklearn"}


def test_core_and_formats_import_the_standard_library_alone() -> None:
    for part in ("core", "formats"):
        loaded = loaded_after(f"import radcap.{part}") - loaded_after("pass")
        assert loaded - {"radcap"} <= set(sys.stdlib_module_names)
