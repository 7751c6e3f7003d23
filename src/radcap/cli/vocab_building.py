"""`radcap vocab build`: one command from a UMLS release, ontologies or tables to a compiled vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_findings, print_json, print_table, progress, say
from radcap.cli.options import Json, names_of
from radcap.cli.outputs import check_output
from radcap.cli.vocab_options import pairs_of
from radcap.core import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources import Input
    from radcap.vocabulary.stamps import Stamp

__all__ = ["build_command"]

_ENDING = ".vocab"
_ALL = "all"
_PERSONAL = "It holds names of UMLS under your own licence, which is personal: do not pass the file on."


def build_command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT...",
            help="Folder of a UMLS release; or tables, OBO, SSSOM, NCIt, MeSH, RadLex.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The vocabulary to write (.vocab).")],
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="What the INPUT is, if its content does not tell, as in table."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="OURS=THEIRS", help="A column of a table, as in cui=ID; repeats."),
    ] = None,
    name: Annotated[str, typer.Option("--name", help="What the vocabulary is called.")] = "",
    release: Annotated[str, typer.Option("--release", help="Its release, as in 2025AA.")] = "",
    licence: Annotated[str, typer.Option("--licence", help="Its licence.")] = "",
    languages: Annotated[
        list[str] | None,
        typer.Option("--language", metavar="LAT", help="Of UMLS: ENG unless named; may repeat; or all."),
    ] = None,
    sources: Annotated[
        str | None, typer.Option("--sources", metavar="SAB,...", help="Of UMLS: only these sources.")
    ] = None,
    levels: Annotated[
        str, typer.Option("--levels", metavar="N,...", help="Of UMLS: restriction levels, or all.")
    ] = "0,1,2,9",
    types: Annotated[
        str | None, typer.Option("--types", metavar="TUI,...", help="Of UMLS: only these semantic types.")
    ] = None,
    suppressed: Annotated[
        bool, typer.Option("--suppressed", help="Of UMLS: take suppressed names too.")
    ] = False,
    hierarchy: Annotated[
        bool, typer.Option("--hierarchy/--no-hierarchy", help="Of UMLS: read parents from MRREL.RRF.")
    ] = True,
    json: Json = False,
) -> None:
    """Compile a UMLS release, ontologies or tables into a vocabulary that opens in milliseconds.

    Names of an earlier INPUT are better; terms without CUI find their concept by name in those before.
    """
    from radcap.vocabulary.building import build_vocabulary
    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources import UmlsFilters

    if out.suffix.lower() != _ENDING:
        raise UsageError(f"The vocabulary cannot go to {out.name}. Name a file ending in {_ENDING}.")
    check_output(out, paths)
    inputs = _inputs(paths, kind or "", pairs_of(columns, "--column"), release, licence)
    filters = UmlsFilters(
        languages=_chosen(languages, ("ENG",)),
        suppress=None if suppressed else ("N",),
        sources=_chosen(names_of(sources), None),
        levels=_levels(levels),
        types=_chosen(names_of(types), None),
        hierarchy=hierarchy,
    )
    findings = Findings()
    try:
        with progress(None) as show:
            stamp = build_vocabulary(
                inputs,
                out,
                findings=findings,
                name=name,
                release=release,
                licence=licence,
                filters=filters,
                told=show,
            )
    except InputError:
        _tell(None, out, findings, json=json)
        raise
    _tell(stamp, out, findings, json=json)
    if _has_umls(inputs):
        say(_PERSONAL)


def _inputs(
    paths: Sequence[Path], kind: str, columns: Mapping[str, str], release: str, licence: str
) -> list[Input]:
    from radcap.vocabulary.sources import Input

    if len(paths) == 1:
        return [Input(paths[0], kind=kind, release=release, licence=licence, columns=columns)]
    if kind or columns:
        raise UsageError(f"--kind and --column speak of one INPUT, and there are {len(paths)}. Give one.")
    return [Input(path) for path in paths]


def _chosen(given: Sequence[str] | None, default: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """What was named; `all` is everything."""
    if given is None:
        return default
    return None if _ALL in given else tuple(given)


def _levels(given: str) -> tuple[int, ...] | None:
    if given.strip() == _ALL:
        return None
    try:
        return tuple(map(int, names_of(given) or ()))
    except ValueError:
        raise UsageError(f"--levels is {given!r:.60}. Levels are numbers with commas, or all.") from None


def _tell(stamp: Stamp | None, out: Path, findings: Findings, *, json: bool) -> None:
    """The findings, and what was written."""
    from radcap.vocabulary.describing import about_table

    size = out.stat().st_size if stamp is not None else None
    if json:
        print_json(
            {
                "ok": stamp is not None,
                "out": str(out) if stamp is not None else None,
                "size_bytes": size,
                "stamp": stamp and stamp.to_json(),
                "findings": [one.to_json() for one in findings.findings],
                "counts": dict(findings.counts),
            }
        )
        return
    print_findings(str(out), findings.findings, findings.counts)
    if stamp is not None:
        print_table(about_table(stamp, str(out), size))


def _has_umls(inputs: Sequence[Input]) -> bool:
    from radcap.vocabulary.sources.rrf.folder import find_meta

    return any(one.kind == "umls" or find_meta(one.path) is not None for one in inputs)
