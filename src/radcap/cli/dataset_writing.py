"""`radcap dataset convert|split|synth|cache`: the commands that write data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_json, print_lines, print_table, progress, say
from radcap.cli.dataset import surveyed
from radcap.cli.dataset_opening import Chosen, open_chosen
from radcap.cli.dataset_options import (
    CaptionSources,
    ConceptsOption,
    DataPath,
    DirectionOption,
    MinConcepts,
    Pixels,
    SplitOption,
    Workers,
)
from radcap.cli.options import Json
from radcap.core import UsageError, counted

if TYPE_CHECKING:
    from radcap.datasets import Dataset, Saved
    from radcap.datasets.images import Coding

__all__ = ["cache_command", "convert_command", "split_command", "synth_command"]

OutFolder = Annotated[Path, typer.Argument(metavar="OUT", help="A new or empty folder.")]
LayoutOption = Annotated[
    str,
    typer.Option(
        "--to", metavar="LAYOUT", help="parquet, hf, folder, webdataset, rocov2, imageclef-2017 to -2026."
    ),
]


def convert_command(
    path: DataPath,
    out: OutFolder,
    layout: LayoutOption = "parquet",
    image_format: Annotated[
        str | None,
        typer.Option("--images", metavar="jpeg|png|webp", help="Code images anew."),
    ] = None,
    quality: Annotated[int, typer.Option(min=1, max=100, help="Of JPEG and WebP.")] = 85,
    size: Annotated[int, typer.Option(min=0, help="Longest side in pixels; 0 leaves it.")] = 0,
    split: SplitOption = None,
    concepts: ConceptsOption = "all",
    direction: DirectionOption = True,
    min_concepts: MinConcepts = 0,
    captions: CaptionSources = "all",
    json: Json = False,
) -> None:
    """Write a dataset in another layout, with its card, Croissant metadata and attribution.

    Files that cannot say who wrote a caption hold those of one source: the original ones where there are
    several. Every caption stands with its source beside them.
    """
    coding = _coding(image_format, quality, size)
    dataset = open_chosen(path, Chosen(split, concepts, direction, min_concepts, captions))
    _save(dataset, out, layout, coding, json=json)


def split_command(
    path: DataPath,
    out: OutFolder,
    layout: LayoutOption = "parquet",
    train: Annotated[float, typer.Option(min=0, max=1, help="Share of train.")] = 0.8,
    valid: Annotated[float, typer.Option(min=0, max=1, help="Share of valid.")] = 0.1,
    test: Annotated[float, typer.Option(min=0, max=1, help="Share of test.")] = 0.1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same split.")] = 0,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="SPLIT", help="Leave this split alone; may repeat."),
    ] = None,
    from_year: Annotated[
        int | None,
        typer.Option(metavar="YEAR", help="Groups of that year or later go to test."),
    ] = None,
    drop_unseen: Annotated[
        bool, typer.Option("--drop-unseen/--keep-unseen", help="Take labels that train lacks from the rest.")
    ] = True,
    pixels: Pixels = True,
    workers: Workers = 0,
    json: Json = False,
) -> None:
    """Split by group, so that no article or patient is on two sides, with labels in even shares.

    Images that look the same count as one group too, unless --no-pixels.
    """
    from radcap.datasets.splits import split_dataset
    from radcap.datasets.survey import find_duplicates

    dataset = open_chosen(path, Chosen())
    same = find_duplicates(surveyed(dataset, workers)).clusters if pixels else ()
    shares = {"train": train, "valid": valid, "test": test}
    found = split_dataset(
        dataset,
        shares,
        seed=seed,
        same=same,
        fixed=keep or (),
        temporal=from_year,
        drop_unseen=drop_unseen,
    )
    if not json:
        for table in found.tables():
            print_table(table)
    _save(found.dataset, out, layout, None, json=json)


def synth_command(
    out: OutFolder,
    images: Annotated[int, typer.Option(min=1, help="How many.")] = 1000,
    size: Annotated[int, typer.Option(min=16, max=4096, help="Longest side in pixels.")] = 256,
    seed: Annotated[int, typer.Option(help="The same seed gives the same data.")] = 0,
    layout: LayoutOption = "parquet",
    json: Json = False,
) -> None:
    """Write a made-up dataset with planted, learnable structure, for tests and measurements."""
    from radcap.datasets.synthetic import synthetic

    _save(synthetic(images, seed=seed, size=size), out, layout, None, json=json)


def cache_command(
    path: DataPath,
    size: Annotated[int, typer.Option(min=16, max=2048, help="Side of the square pictures.")] = 256,
    channels: Annotated[int, typer.Option(min=1, max=3, help="1: grey, 3: RGB.")] = 3,
    workers: Workers = 0,
    json: Json = False,
) -> None:
    """Decode every image once into one array that training and serving share; resumes where it stopped."""
    from radcap.datasets.images.cache import cache_images

    grey, rgb = 1, 3
    if channels not in {grey, rgb}:
        raise UsageError(f"{channels} channels were asked for. A picture has 1 (grey) or 3 (RGB).")
    dataset = open_chosen(path, Chosen())
    with progress(len(dataset)) as show:
        made = cache_images(dataset, size, channels, workers=workers or None, progress=show)
    refused = dict(made.refused)
    if json:
        print_json({"path": str(made.path), "shape": list(made.pixels.shape), "refused": refused})
        return
    print_lines(str(made.path))
    shape = " x ".join(f"{n:,}" for n in made.pixels.shape)
    say(f"{dataset.name}: {shape} pixels, {counted(len(refused))} refused")
    for image_id, code in list(refused.items())[:20]:
        say(f"  {image_id}: {code}")


def _coding(image_format: str | None, quality: int, size: int) -> Coding | None:
    from radcap.datasets.images import Coding

    if image_format is None:
        if size:
            raise UsageError("--size codes images anew. Say in which format, as in --images webp.")
        return None
    return Coding(image_format, quality, size)


def _save(dataset: Dataset, out: Path, layout: str, coding: Coding | None, *, json: bool) -> None:
    from radcap.datasets import save

    with progress(len(dataset)) as show:
        saved = save(dataset, out, layout, coding=coding, progress=show)
    if json:
        print_json(saved.to_json())
    else:
        print_lines(str(saved.path))
    say(_summary(dataset, saved))


def _summary(dataset: Dataset, saved: Saved) -> str:
    missing = f", {counted(len(saved.missing), 'record')} without an image" if saved.missing else ""
    records = f"{counted(len(dataset), 'record')} in, {saved.records:,} written"
    written = f"{records} with {counted(saved.images)}{missing}"
    return f"{dataset.name} -> {saved.path} ({saved.layout}): {written}"
