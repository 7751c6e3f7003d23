"""`radcap dataset concepts`: how frequent concepts are, with what they stand, whether captions agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.cli.console import print_json, print_table, progress, say
from radcap.cli.dataset_opening import Chosen, open_chosen
from radcap.cli.dataset_options import DataPath, SplitOption
from radcap.cli.options import Json
from radcap.cli.outputs import check_page

__all__ = ["concepts_command"]


def concepts_command(
    path: DataPath,
    cuis: Annotated[
        list[str] | None, typer.Argument(metavar="[CUI]...", help="Concepts to tell of; else the top ones.")
    ] = None,
    split: SplitOption = None,
    vocab: Annotated[
        str, typer.Option("--vocab", metavar="free|FILE", help="Vocabulary: free, or a compiled file.")
    ] = "free",
    manual: Annotated[bool, typer.Option("--manual", help="Only labels that people gave.")] = False,
    top: Annotated[int, typer.Option(min=1, help="How many concepts, without CUIs.")] = 50,
    out: Annotated[Path | None, typer.Option("--out", help="Write a page about them (.html).")] = None,
    json: Json = False,
) -> None:
    """Concepts of a dataset: frequency, co-occurrence, captions that agree or not, examples on a page.

    With one CUI everything about it is printed.
    """
    from radcap.datasets.concepts import concept_page, concept_tables, read_concepts
    from radcap.formats import write_lines
    from radcap.vocabulary import open_vocabulary

    check_page(out, [Path(path)])
    vocabulary = open_vocabulary(vocab)
    dataset = open_chosen(path, Chosen(split, "manual" if manual else "all"))
    with progress(len(dataset)) as show:
        read = read_concepts(dataset, cuis or (), vocabulary, top=top, progress=show)
    if json:
        print_json(read.figures.to_json())
    if out is not None:
        made = concept_page(read)
        write_lines(made.text.split("\n"), out)
        say(f"{dataset.name}: {made.told}, page written to {out}")
    elif not json:
        for table in concept_tables(read.figures):
            print_table(table)
