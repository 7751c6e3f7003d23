"""From files to a compiled vocabulary.

Invariant: files are read in the order given, and the names of an earlier one are better. Problems of all
files are collected before anything is refused, and where something is refused nothing is written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.core import InputError, UsageError
from radcap.core.counts import counted
from radcap.vocabulary.drafts import Draft, join_drafts
from radcap.vocabulary.index.compiling import compile_draft
from radcap.vocabulary.sources import kind, kind_of
from radcap.vocabulary.sources.joining import place_terms
from radcap.vocabulary.sources.terms import draft_of_terms
from radcap.vocabulary.stamps import Stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from radcap.vocabulary.findings import Finding, Findings
    from radcap.vocabulary.sources import Input, Reading, UmlsFilters
    from radcap.vocabulary.sources.inputs import Told

__all__ = ["build_vocabulary", "read_inputs"]


def build_vocabulary(
    inputs: Sequence[Input],
    out: Path,
    *,
    findings: Findings,
    name: str = "",
    release: str = "",
    licence: str = "",
    filters: UmlsFilters | None = None,
    told: Told | None = None,
) -> Stamp:
    """Read the inputs, join them and write the index; what the inputs say stands in for what is not given."""
    if not inputs:
        raise UsageError("No file was given. A vocabulary needs names. Give at least one file or folder.")
    chosen = [one if filters is None else replace(one, filters=filters) for one in inputs]
    readings, drafts = read_inputs(chosen, findings, told or _silent)
    if not findings.errors and not any(len(one.names) for one in drafts):
        why = "no term could be placed on a concept"
        findings.add("VOC112", file="the files", why=why, todo="Give a file that has CUIs first.")
    if findings.errors:
        raise _refusal(out, findings.errors)
    stamp = Stamp(
        name or _joined((one.about.name for one in readings), " + "),
        release or _joined((one.about.release for one in readings), " + "),
        licence or _joined((one.about.licence for one in readings), "; "),
        (),
        {f"{one.about.name}.{key}": said for one in readings for key, said in one.filters.items()},
    )
    return compile_draft(join_drafts(drafts), stamp, out, told)


def _joined(texts: Iterable[str], sign: str) -> str:
    return sign.join(filter(None, dict.fromkeys(texts)))


def _silent(_: str, __: int) -> None:
    """Nobody listens."""


def read_inputs(
    inputs: Sequence[Input], findings: Findings, told: Told = _silent
) -> tuple[list[Reading], list[Draft]]:
    """What each input gave, and its draft; terms without CUI are placed by the drafts before."""
    readings: list[Reading] = []
    drafts: list[Draft] = []
    for given in inputs:
        reading = _read(given, findings, told)
        if reading is not None:
            readings.append(reading)
            drafts.append(_draft(reading, given, drafts, findings))
    return readings, drafts


def _read(given: Input, findings: Findings, told: Told) -> Reading | None:
    name = given.kind or ("table" if given.columns else "")  # only tables have columns to name
    found = kind(name) if name else kind_of(given.path, findings)
    if found is None:
        return None
    if not given.path.exists():
        findings.add("VOC101", given.file, path=given.path)
        return None
    before = len(findings.errors)
    reading = found.load()(given, findings, told)
    is_empty = not reading.terms and (reading.draft is None or not len(reading.draft.names))
    if is_empty and len(findings.errors) == before:
        why, todo = "no row of it could be used", "See the other findings."
        findings.add("VOC112", given.file, file=given.file, why=why, todo=todo)
    return None if len(findings.errors) > before else reading


def _draft(reading: Reading, given: Input, before: Sequence[Draft], findings: Findings) -> Draft:
    if reading.draft is not None:
        return reading.draft
    terms = place_terms(reading.terms, before, given.file, findings)
    return draft_of_terms(reading.about, terms, given.file, findings)


def _refusal(out: Path, errors: Sequence[Finding]) -> InputError:
    issues = tuple(replace(one.issue, message=_placed(one)) for one in errors)
    others = len(errors) - 1
    more = f" ({counted(others, 'more finding')})" if others else ""
    first = f"{_placed(errors[0])} {errors[0].issue.hint}"
    return InputError(f"{out} was not written: {first}{more}", issues, str(out))


def _placed(one: Finding) -> str:
    """The message with its file, which some messages name themselves."""
    message = one.issue.message
    return message if one.file in message else f"{one.file}: {message}"
