"""How every dataset command opens its data.

Invariant: all findings of a dataset that cannot be opened are printed, and how many records were left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from radcap.cli.console import print_findings, say, say_warnings
from radcap.core import InputError, counted

if TYPE_CHECKING:
    from radcap.datasets import Dataset, Findings

__all__ = ["Chosen", "open_chosen", "open_named"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a command was asked to take of a dataset."""

    split: str | None = None
    concepts: str = "all"
    direction: bool = True
    min_concepts: int = 0
    captions: str = "all"


def open_named(path: str, findings: Findings) -> Dataset:
    """A dataset with its findings, whatever they are."""
    from radcap.datasets import open_dataset

    return open_dataset(path, findings)


def _warn(dataset: Dataset, findings: Findings) -> None:
    """Tell what a half copy shows at once, for all that look no further than this command."""
    say_warnings(findings.findings, more=": radcap dataset check names them all.")
    said = sum(dataset.card.counts.values())
    if said and said != len(dataset):
        say(
            f"The card of {dataset.name} says {counted(said, 'record')}, {len(dataset):,} found."
            " The copy may be half: radcap dataset check tells where."
        )


def open_chosen(path: str, chosen: Chosen) -> Dataset:
    """The part of a dataset that is wanted; errors in its files refuse it, all of them told."""
    from radcap.datasets import Findings, Selection, open_dataset
    from radcap.datasets.caption_parts import source_named
    from radcap.datasets.selection import concepts_named

    source = None if chosen.captions == "all" else source_named(chosen.captions)
    wanted = Selection(concepts_named(chosen.concepts), chosen.direction, chosen.min_concepts, source)
    findings = Findings()
    dataset = open_dataset(path, findings)
    if findings.errors:
        print_findings(path, findings.findings, findings.counts)
        errors = counted(len(findings.errors), "error")
        raise InputError(f"{path} has {errors} in its files. Nothing was done with it.")
    _warn(dataset, findings)
    before = len(dataset)
    if chosen.split is not None:
        dataset = dataset.split(chosen.split)
    dataset = replace(dataset.select(wanted), found=before)
    left = f", {len(dataset):,} kept" if len(dataset) != before else ""
    say(f"{dataset.name}: {counted(before, 'record')} read{left}")
    return dataset
