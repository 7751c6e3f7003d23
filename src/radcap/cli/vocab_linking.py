"""`radcap vocab link`: the concepts of texts on a terminal, or of a whole file of captions."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_findings, print_json, print_lines, print_table, say
from radcap.cli.dataset_options import Workers
from radcap.cli.options import Json
from radcap.cli.outputs import check_output
from radcap.cli.vocab_captions import FileLinking, caption_file
from radcap.cli.vocab_options import VocabOption, open_layers, pairs_of
from radcap.cli.vocab_spans import bracketed, coloured, has_colours
from radcap.core import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary.extractors import Extractor
    from radcap.vocabulary.linking.mentions import Mention
    from radcap.vocabulary.rules import ConceptRules

__all__ = ["link_command"]


def link_command(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...|FILE|-",
            help="Texts; or a file of captions (.csv, .tsv, .txt, .zip); or - for stdin, one text a line.",
        ),
    ],
    vocab: VocabOption = None,
    rules: Annotated[
        str | None,
        typer.Option("--rules", metavar="NAME|FILE", help="What an edition keeps, as in rocov2-2023."),
    ] = None,
    cut: Annotated[
        bool, typer.Option("--cut/--no-cut", help="Drop what the rules call rare, of a file.")
    ] = True,
    extractor: Annotated[
        str, typer.Option("--extractor", metavar="NAME", help="dictionary, medcat, quickumls or neural.")
    ] = "dictionary",
    options: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="An option of the extractor; may repeat."),
    ] = None,
    trace: Annotated[bool, typer.Option("--all", help="Tell dropped mentions too, and why.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where ID,CUIs rows go (.csv); else stdout.")
    ] = None,
    mentions: Annotated[
        Path | None,
        typer.Option("--mentions", metavar="FILE", help="Write a row for each mention (.csv, .parquet)."),
    ] = None,
    workers: Workers = 0,
    json: Json = False,
) -> None:
    """Find the concepts of texts, or of every caption of a file.

    Words without quotes are one text. Of a file a run is written: a row for each caption, in its order.
    """
    from radcap.vocabulary.captions import check_names

    check_names(out, mentions)
    path = caption_file(given)
    if path is None and (out or mentions):
        raise UsageError("--out and --mentions are for a file of captions. Name one, or - for stdin.")
    if path is not None and json and not (out or mentions):
        raise UsageError("--json tells what was done with a file. Say with --out where its rows go.")
    named = [Path(one) for one in (*(vocab or ()), *filter(None, [rules]))]
    for output in (out, mentions):
        check_output(output, [path, *(one for one in named if one.is_file())])
    chosen = _rules(rules) if rules else None
    with _open(extractor, vocab, pairs_of(options, "--option")) as tool:
        if path is None:
            _warn_of_file(given)
            _link_texts(_texts(given), tool, chosen, trace=trace, json=json)
        else:
            FileLinking(tool, chosen, cut, trace, out, mentions, workers, json).run(path)


def _open(name: str, vocab: list[str] | None, options: Mapping[str, str]) -> Extractor:
    from radcap.vocabulary.extractors import extractor_kind

    kind = extractor_kind(name)
    return kind.open(open_layers(vocab), options)


def _rules(name: str) -> ConceptRules:
    """The rules; every problem of a file of them is told, with its line."""
    from radcap.formats.file_findings import Finding
    from radcap.vocabulary.rules import read_rules

    try:
        return read_rules(name)
    except InputError as error:
        findings = [Finding("", one) for one in error.issues]
        print_findings(name, findings, Counter(one.code for one in error.issues))
        raise


def _warn_of_file(given: Sequence[str]) -> None:
    """A name such as captions.csv.gz is a text, and was hardly meant as one."""
    from radcap.vocabulary.captions import ENDINGS

    name = given[0] if len(given) == 1 else ""
    if Path(name).suffix and os.path.isfile(name):  # noqa: PTH113 - it takes any text, however long
        say(f"{name} is a file, and its name was read as a text. Captions are in {', '.join(ENDINGS)}.")


def _texts(given: Sequence[str]) -> list[str]:
    """Words that a shell took apart are one text; what was put in quotes stays what it is."""
    apart = len(given) > 1 and not any(char.isspace() for one in given for char in one)
    return [" ".join(given)] if apart else list(given)


def _link_texts(
    texts: Sequence[str], tool: Extractor, rules: ConceptRules | None, *, trace: bool, json: bool
) -> None:
    from radcap.vocabulary.captions import link_texts

    found = zip(texts, link_texts(tool, texts, rules, trace=trace), strict=True)
    chosen = [(text, [one for one in some if trace or one.kept]) for text, some in found]
    if json:
        print_json([_to_json(*one) for one in chosen])
    else:
        for text, mentions in chosen:
            _show(text, mentions)
    if rules is not None and rules.frequency is not None:
        say(f"The frequency cut of {rules.name} is for whole files and was not made.")


def _to_json(text: str, mentions: Sequence[Mention]) -> dict[str, object]:
    concepts = list(dict.fromkeys(one.cui for one in mentions if one.kept))
    return {"text": text, "concepts": concepts, "mentions": [one.to_json() for one in mentions]}


def _show(text: str, mentions: Sequence[Mention]) -> None:
    from radcap.vocabulary.mention_table import mention_table

    if has_colours():
        print(coloured(text, mentions))
    else:
        print_lines(bracketed(text, mentions))
    if mentions:
        print_table(mention_table(mentions))
    else:
        say("No concept was found. Layers with more names are added with --vocab.")
