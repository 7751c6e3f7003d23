"""Explain what a model says of images: the call behind `radcap explain` and `radcap.explain`.

Invariant: the model that is explained is the one that answers; what another model draws is marked external.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from radcap.core import UsageError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from radcap.datasets import Dataset
    from radcap.explanation import Explainer, Explanation, Failure
    from radcap.explanation.explaining import Faithful, Settings
    from radcap.explanation.rationale import CaseFinder
    from radcap.explanation.subjects.opening import AnyModel

__all__ = ["case_finder", "chosen_images", "explain", "images_of", "make_explainer"]

_AUTO = "auto"
_CONCEPTS = "zoo:concepts"


def explain(  # noqa: PLR0913 - what a person may choose
    model: AnyModel | str | Path,
    images: Dataset | str | Path | Sequence[str | Path],
    *,
    method: str = _AUTO,
    targets: Sequence[str] = (),
    split: str | None = None,
    faithfulness: Faithful = "quick",
    cases: int = 3,
    device: str = "auto",
    progress: Callable[[str, int], None] | None = None,
) -> Iterator[Explanation | Failure]:
    """An explanation for each image, as it is made; a `Failure` where an image cannot be explained.

    `images` are a dataset, its name or folder, or files. `method` is one of
    `radcap.explanation.methods.METHODS`, `auto`, or a system of the task explain by name or file.
    """
    explainer = make_explainer(
        model, method=method, targets=targets, faithfulness=faithfulness, cases=cases, device=device
    )
    return explainer(images_of(images, split), progress)


def make_explainer(
    model: AnyModel | str | Path,
    *,
    method: str = _AUTO,
    targets: Sequence[str] = (),
    faithfulness: Faithful = "quick",
    cases: int = 3,
    case_data: str | Path | None = None,
    device: str = "auto",
    progress: Callable[[str, int], None] | None = None,
) -> Explainer:
    """A model with the way it is explained; `case_data` is a dataset whose nearest images are shown."""
    from radcap.explanation import Explainer
    from radcap.explanation.external.provider import make_provider
    from radcap.systems.predicting import opened_model

    settings = _settings(method, targets, faithfulness, cases)
    provider = None if settings.external is None else make_provider(settings.external)
    named = isinstance(model, str | Path)
    opened = opened_model(model, device) if named else model
    finder = case_finder(model if named else "", opened, case_data, progress) if cases else None
    return Explainer(opened, str(model) if named else "the model", settings, finder, provider)


def images_of(images: Dataset | str | Path | Sequence[str | Path], split: str | None = None) -> Dataset:
    """A dataset as it is, by name or folder, or one of the files that are named."""
    from radcap.datasets import Dataset, load_dataset
    from radcap.datasets.image_files import image_files

    if isinstance(images, Dataset):
        found = images
    else:
        named = [images] if isinstance(images, str | Path) else list(images)
        files = [one for one in named if Path(one).is_file()]
        found = load_dataset(named[0]) if len(named) == 1 and not files else image_files(named)
    found = found if split is None else found.split(split)
    if not len(found):
        raise UsageError("There is no image to explain. Give image files, or a dataset that has some.")
    return found


def chosen_images(images: Sequence[str], split: str | None, pick: int | None) -> Dataset:
    """The images that are named, or so many of them, spread over the modalities."""
    from radcap.explanation.submission import picked

    found = images_of(images, split)
    return found if pick is None else picked(found, pick)


def _settings(method: str, targets: Sequence[str], faithfulness: Faithful, cases: int) -> Settings:
    """A method by name, or all that a system of the task explain says."""
    from radcap.explanation.explaining import Settings
    from radcap.explanation.methods import METHODS
    from radcap.explanation.system import ExplainSystem
    from radcap.systems import read_system, system_names

    asked = tuple(targets)
    if method == _AUTO or method in METHODS.names:
        return Settings(method, asked, faithfulness=faithfulness, cases=cases)
    if method not in system_names() and not method.endswith(".toml"):
        known = [one for one in system_names() if one.endswith("-explain")]
        raise unknown_name("method", method, [_AUTO, *METHODS.names, *known])
    system = read_system(method)
    if not isinstance(system, ExplainSystem):
        raise UsageError(f"{method} is a system of the task {system.task}, and no way to explain.")
    external = system if system.explain.kind == "external" else None
    told = asked or tuple(system.explain.targets)
    return Settings(
        system.explain.method, told, system.boxes, faithfulness=faithfulness, cases=cases, external=external
    )


def case_finder(
    name: str | Path,
    model: AnyModel,
    data: str | Path | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> CaseFinder | None:
    """Cases beside the model, those of a dataset that was named, or none."""
    from radcap.datasets import load_dataset
    from radcap.detection.models.network_model import NetworkModel
    from radcap.explanation.rationale import cases_of, find_cases

    network = (
        model if isinstance(model, NetworkModel) else getattr(getattr(model, "eyes", None), "detector", None)
    )
    if data is not None:
        if not isinstance(network, NetworkModel):
            raise UsageError("Nearest cases need a model with a detector of its own. Leave --cases out.")
        return cases_of(network, load_dataset(data), progress=progress)
    if not name:
        return None
    return find_cases(_eyes_of(name))


def _eyes_of(model: str | Path) -> str:
    """Whose eyes a model looks with: its own, or those of a detector of the zoo."""
    import tomllib

    from radcap.zoo import find

    try:
        told = tomllib.loads((find(model) / "system.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return str(model)
    detector = cast("dict[str, object]", told.get("detector") or {})
    named = detector.get("model")
    return _CONCEPTS if named == _CONCEPTS else str(model)
