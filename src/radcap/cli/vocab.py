"""`radcap vocab info|search`: what a vocabulary is, and what it knows. Nothing here writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_json, print_lines, print_table, say
from radcap.cli.options import Json
from radcap.cli.vocab_options import VocabOption, open_layers
from radcap.core import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.vocabulary.searching import Hit
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["info_command", "search_command"]


def info_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME|FILE]...", help="free, or compiled vocabularies; free unless named."),
    ] = None,
    json: Json = False,
) -> None:
    """What a vocabulary holds, where it comes from, under which licence, and the notices of its sources."""
    from radcap.vocabulary.describing import describe

    found = [describe(one) for one in open_layers(names)]
    if json:
        print_json([one.to_json() for one in found])
        return
    for one in found:
        for table in one.tables():
            print_table(table)
        print_lines(*one.notices())


def search_command(
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS|CUI", help="A name or a part of it, or one CUI.")
    ],
    vocab: VocabOption = None,
    limit: Annotated[int, typer.Option(min=1, help="How many concepts at most.")] = 10,
    tui: Annotated[
        str | None, typer.Option("--type", metavar="TUI", help="Only this semantic type, as in T047.")
    ] = None,
    json: Json = False,
) -> None:
    """Find concepts by a name, or print all about one CUI.

    Exit code 1: nothing was found.
    """
    from radcap.vocabulary.concepts import cui_number
    from radcap.vocabulary.semantic_types import semantic_type

    query = " ".join(words).strip()
    if tui is not None:
        tui = semantic_type(tui.upper()).tui
    layers = open_layers(vocab)
    if cui_number(query.upper()) is not None:
        _show_concept(layers, query.upper(), json=json)
    else:
        _show_hits(layers, query, limit, tui, json=json)


def _show_concept(layers: Sequence[Vocabulary], cui: str, *, json: bool) -> None:
    from radcap.vocabulary.concept_sheets import concept_sheet

    sheet = concept_sheet(layers, cui)
    if sheet is None:
        raise InputError(f"{cui} is not in {_named(layers)}. Search by a name, or add a layer with --vocab.")
    if json:
        print_json(sheet.to_json())
    else:
        print_table(sheet.table())


def _show_hits(layers: Sequence[Vocabulary], query: str, limit: int, tui: str | None, *, json: bool) -> None:
    from radcap.vocabulary.layered_search import search_layers
    from radcap.vocabulary.searching import can_correct

    hits = search_layers(layers, query, limit, tui)
    if json:
        print_json([one.to_json() for one in hits])
    elif hits:
        _print_hits(hits)
    if not can_correct():
        say("Misspelt words are not understood without rapidfuzz. Run: pip install 'radcap[vocabulary]'")
    if not hits:
        among = f" of type {tui}" if tui else ""
        raise InputError(f"Nothing{among} is called {query!r:.60} in {_named(layers)}. Try other words.")


def _print_hits(hits: Sequence[Hit]) -> None:
    from radcap.report import Table
    from radcap.vocabulary.describing import type_label

    rows = tuple(
        (
            one.concept.cui,
            one.concept.name,
            one.found,
            ", ".join(map(type_label, one.concept.types)),
            ", ".join(one.concept.sources),
        )
        for one in hits
    )
    print_table(Table(("CUI", "name", "found as", "types", "sources"), rows))


def _named(layers: Sequence[Vocabulary]) -> str:
    return ", ".join(one.stamp.name for one in layers)
