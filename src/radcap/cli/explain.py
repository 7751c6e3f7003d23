"""`radcap explain`: where in the image each concept and word of a model comes from."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from radcap.cli.console import print_json, print_lines, progress, say
from radcap.cli.options import Device, Json, ModelName, SplitName
from radcap.cli.outputs import check_output
from radcap.core import Missing, UsageError, counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from radcap.explanation.writing import Written

__all__ = ["explain_command"]

_SHOWN = 5


def explain_command(
    model: ModelName,
    images: Annotated[
        list[str], typer.Argument(metavar="IMAGE...|DATASET", help="Image files, or one dataset.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for maps, pictures and the page.")],
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="auto takes what suits each network best; others: grad-cam, hires-cam, layer-cam,"
            " ablation-cam, integrated-gradients, lrp, csra-map, rollout, chefer, cross-attention, occlusion,"
            " or a system of radcap systems list --task explain.",
        ),
    ] = "auto",
    targets: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="all, concepts, words, spans, neighbours, a CUI, a word, or THIS:OTHER for why the one and"
            " not the other. May be given again, or with commas.",
        ),
    ] = None,
    split: SplitName = None,
    pick: Annotated[
        int | None,
        typer.Option(min=1, help="Only so many images, spread over the modalities; 16 as in 2025."),
    ] = None,
    faithfulness: Annotated[
        Literal["none", "quick", "full"],
        typer.Option(help="How much is measured: full adds ROAD, infidelity and sensitivity."),
    ] = "quick",
    cases: Annotated[int, typer.Option(min=0, help="Nearest training cases to show.")] = 3,
    case_data: Annotated[
        str | None,
        typer.Option(metavar="DATASET", help="Whose training images are the cases; the zoo has its own."),
    ] = None,
    package: Annotated[
        Path | None,
        typer.Option(metavar="FILE.zip", help="Write a package for the explainability subtask too."),
    ] = None,
    device: Device = None,
    json: Json = False,
) -> None:
    """Show where in the image each concept and word of a model comes from, and how far to trust that.

    Writes maps, one picture an image, explanations.json and viewer.html into a new folder. Maps are computed
    from the model that made the statements, and tested on it: each is held against a map of noise and one of
    edges, and the method against weights made noise. Exit code 1 where an image could not be explained.
    Research software: not for diagnosis.
    """
    started = time.monotonic()
    writing = _writing()
    writing.check_folder(out)
    _check_package(package, images)
    from radcap.reading.explaining import chosen_images, make_explainer

    dataset = chosen_images(images, split, pick)
    with progress(len(dataset)) as show:
        explainer = make_explainer(
            model,
            method=method,
            targets=targets or (),
            faithfulness=faithfulness,
            cases=cases,
            case_data=case_data,
            device=device or "auto",
            progress=show,
        )
        title = f"{model}: where it comes from"
        written = writing.write_explanations(explainer(dataset, show), out, title)
    _pack(written, package)
    if json:
        print_json(_told(written, time.monotonic() - started))
    else:
        seconds = time.monotonic() - started
        print_lines(f"{out}: {counted(len(written.images))} explained in {seconds:.0f} s")
        print_lines(f"Look at {out / 'viewer.html'} in a browser.")
    _warn(written)
    raise typer.Exit(1 if written.failures or written.silent else 0)


def _writing() -> ModuleType:
    """What writes explanations; where torch is missing, how to get it."""
    try:
        from radcap.explanation import writing
    except ModuleNotFoundError as error:
        raise Missing(str(error.name), "A model needs it.", "Run: pip install 'radcap[read]'") from error
    return writing


def _check_package(package: Path | None, images: Sequence[str]) -> None:
    if package is not None and package.suffix.lower() != ".zip":
        raise UsageError(f"The package cannot go to {package.name}. Name a file ending in .zip.")
    check_output(package, map(Path, images))


def _pack(written: Written, package: Path | None) -> None:
    from radcap.explanation.submission import SIXTEEN, write_package

    if package is None:
        return
    write_package(written, package)
    if len(written.images) != SIXTEEN:
        say(f"{package} holds {counted(len(written.images))}; the subtask of 2025 asked for {SIXTEEN}.")


def _told(written: Written, seconds: float) -> dict[str, object]:
    return {
        "out": str(written.folder),
        "images": len(written.images),
        "explanations": list(written.records),
        "failures": [{"image": one.image, "why": one.why} for one in written.failures],
        "nothing_to_show": list(written.silent),
        "seconds": round(seconds, 2),
    }


def _warn(written: Written) -> None:
    """What must be known before the maps are looked at, and what is not among them."""
    checked = next((one["sanity"] for one in written.records if one["sanity"]), None)
    if checked is not None and not checked["passed"]:
        say(
            "The method FAILS its sanity check on this model: its maps stay alike when the weights are noise."
        )
    for one in written.failures[:_SHOWN]:
        say(f"{one.image}: {one.why}")
    if len(written.failures) > _SHOWN:
        more = counted(len(written.failures) - _SHOWN, "more image")
        say(f"{more} could not be explained; see explanations.json.")
    if written.silent:
        say(
            f"Nothing could be shown for {counted(len(written.silent))}: {', '.join(written.silent[:_SHOWN])}"
        )
