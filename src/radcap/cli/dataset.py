"""`radcap dataset`: look at a dataset, check it, and set several side by side. Nothing here writes one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_findings, print_json, print_table, progress, say
from radcap.cli.dataset_opening import Chosen, open_chosen, open_named
from radcap.cli.dataset_options import (
    ConceptsOption,
    DataPath,
    DirectionOption,
    MinConcepts,
    Pixels,
    SemanticTypes,
    SplitOption,
    Workers,
)
from radcap.cli.options import Json
from radcap.cli.outputs import check_output, check_page
from radcap.core import UsageError, counted

if TYPE_CHECKING:
    from radcap.datasets import Dataset
    from radcap.datasets.survey import Survey

__all__ = [
    "check_command",
    "compare_command",
    "info_command",
    "leaks_command",
    "report_command",
    "stats_command",
    "surveyed",
]


def info_command(
    path: DataPath,
    split: SplitOption = None,
    concepts: ConceptsOption = "all",
    direction: DirectionOption = True,
    min_concepts: MinConcepts = 0,
    json: Json = False,
) -> None:
    """What a dataset is: layout, images by split, labels, licences, limits."""
    from radcap.datasets.describing import describe, description_tables

    dataset = open_chosen(path, Chosen(split, concepts, direction, min_concepts))
    found = describe(dataset)
    if json:
        print_json(found.to_json())
        return
    for table in description_tables(found):
        print_table(table)
    for limit in dataset.card.limitations:
        say(f"Known limit: {limit}")


def check_command(path: DataPath, pixels: Pixels = True, workers: Workers = 0, json: Json = False) -> None:
    """Find every problem of a dataset: files, labels, images, splits.

    Exit code 0: none, or only those its card names. 1: there are. Each finding is one line with a code.
    """
    from radcap.datasets import Findings
    from radcap.datasets.checks import check_dataset, check_table

    findings = Findings()
    dataset = open_named(path, findings)
    with progress(len(dataset)) as show:
        found = check_dataset(dataset, findings, pixels=pixels, workers=workers or None, progress=show)
    if json:
        print_json(found.to_json())
    else:
        print_findings(path, found.findings, found.counts)
        if found.counts:
            print_table(check_table(found))
        verdict = "no problem" if found.ok else "problems that want mending"
        say(f"{dataset.name}: {counted(found.records, 'record')}, {counted(found.images)}, {verdict}")
    raise typer.Exit(0 if found.ok else 1)


def stats_command(
    path: DataPath,
    pixels: Annotated[
        bool, typer.Option("--pixels/--no-pixels", help="Look at the images too: sizes, greys, colours.")
    ] = False,
    types: SemanticTypes = None,
    split: SplitOption = None,
    concepts: ConceptsOption = "all",
    direction: DirectionOption = True,
    min_concepts: MinConcepts = 0,
    workers: Workers = 0,
    json: Json = False,
) -> None:
    """The figures of the ROCOv2 paper for any dataset: lengths, concepts, modalities, licences, years."""
    from radcap.datasets.statistics import semantic_types_of, statistic_tables, statistics

    dataset = open_chosen(path, Chosen(split, concepts, direction, min_concepts))
    survey = surveyed(dataset, workers) if pixels else None
    known, whose = semantic_types_of(dataset, types)
    stats = statistics(dataset, survey, semantic_types=known, types_of=whose)
    if json:
        print_json(stats.to_json())
        return
    for table in statistic_tables(stats):
        print_table(table)


def report_command(
    path: DataPath,
    out: Annotated[Path, typer.Option("--out", help="The page to write (.html).")] = Path("dataset.html"),
    sample: Annotated[int, typer.Option(min=1, max=2000, help="How many images to show.")] = 60,
    seed: Annotated[int, typer.Option(help="Which ones.")] = 0,
    types: SemanticTypes = None,
    split: SplitOption = None,
    concepts: ConceptsOption = "all",
    direction: DirectionOption = True,
    min_concepts: MinConcepts = 0,
    workers: Workers = 0,
) -> None:
    """One page about a dataset: figures, pictures, a sample, outliers, findings. It needs no network."""
    from radcap.datasets.checks import check_dataset
    from radcap.datasets.page import report_page
    from radcap.datasets.statistics import semantic_types_of, statistics
    from radcap.formats import write_lines

    check_page(out, [Path(path)])
    dataset = open_chosen(path, Chosen(split, concepts, direction, min_concepts))
    survey = surveyed(dataset, workers)
    found = check_dataset(dataset, survey=survey)
    known, whose = semantic_types_of(dataset, types)
    stats = statistics(dataset, survey, semantic_types=known, types_of=whose)
    text = report_page(dataset, stats, survey, found, seed=seed, sample=sample)
    write_lines(text.split("\n"), out)
    say(f"{dataset.name}: {counted(len(dataset), 'record')}, page written to {out}")


def compare_command(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help="Datasets; with one alone its splits are set side by side."),
    ],
    concepts: ConceptsOption = "all",
    direction: DirectionOption = True,
    min_concepts: MinConcepts = 0,
    json: Json = False,
) -> None:
    """Set editions, datasets or splits side by side: images, concepts, captions, modality shift."""
    from dataclasses import replace

    from radcap.datasets.statistics import compare_datasets

    datasets = [open_chosen(path, Chosen(None, concepts, direction, min_concepts)) for path in paths]
    if len(datasets) == 1:
        whole = datasets[0]
        datasets = [replace(whole.split(name), name=name) for name in whole.splits]
    found = compare_datasets(datasets)
    if json:
        print_json(found.to_json())
        return
    for table in found.tables():
        print_table(table)


def leaks_command(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help="The data that is learnt from, then the data that tests it."),
    ],
    pairs: Annotated[
        Path | None, typer.Option("--list", metavar="FILE", help="Write every shared pair (.csv).")
    ] = None,
    pixels: Pixels = True,
    workers: Workers = 0,
    json: Json = False,
) -> None:
    """What two datasets share that they should not: articles, images, captions, runs of words.

    With one dataset alone: between its splits. Exit code 1: something is shared.
    """
    from radcap.datasets.leaks import find_leaks, leaks_within, write_pairs

    check_output(pairs, map(Path, paths))
    most = 2
    if len(paths) > most:
        raise UsageError(f"{len(paths)} datasets were named. Leaks run from one to another. Name one or two.")
    datasets = [open_chosen(path, Chosen()) for path in paths]
    surveys = [surveyed(dataset, workers) for dataset in datasets] if pixels else None
    if len(datasets) == 1:
        all_found = leaks_within(datasets[0], survey=surveys[0] if surveys else None)
    else:
        pair = (surveys[0], surveys[1]) if surveys else None
        all_found = (find_leaks(datasets[0], datasets[1], surveys=pair),)
    if pairs is not None:
        write_pairs(all_found, pairs)
    if json:
        print_json([found.to_json() for found in all_found])
    else:
        for table in (table for found in all_found for table in found.tables()):
            print_table(table)
    raise typer.Exit(1 if any(found.leaking for found in all_found) else 0)


def surveyed(dataset: Dataset, workers: int) -> Survey:
    """A look at every image, with a bar while it lasts."""
    from radcap.datasets.survey import survey_images

    with progress(len(dataset)) as show:
        return survey_images(dataset, workers=workers or None, progress=show)
