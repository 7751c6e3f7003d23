"""The reference pages that the code writes itself: command line, Python API, issue codes, editions, models.

Invariant: nothing on these pages is kept by hand, so a page cannot say what the code does not do.
"""

from __future__ import annotations

import json
import os
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from _architecture import architecture_picture, package_table
from _captioner import captioner_page
from _contradictions import difference_tables, parted_values
from _detector import detector_page
from _inside import inside_page
from _leaders import leaders_picture
from _leaks import evidence_table
from _limits import limits_table
from _markdown import drawn, plain, table
from mkdocs.structure.files import File

from radcap.zoo import find, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

# As wide as the code blocks of a page on a small laptop; no colours.
PLAIN_TERMINAL = {"COLUMNS": "86", "TERMINAL_WIDTH": "86", "NO_COLOR": "1", "TERM": "dumb"}

API_PACKAGES = (
    "radcap",
    "radcap.datasets",
    "radcap.datasets.images",
    "radcap.vocabulary",
    "radcap.systems",
    "radcap.reading.values",
    "radcap.reading.structured",
    "radcap.reading.serving",
    "radcap.explanation",
    "radcap.captioning.system",
    "radcap.captioning.settings",
    "radcap.captioning.models",
    "radcap.captioning.generation",
    "radcap.captioning.decoders",
    "radcap.captioning.tokens",
    "radcap.captioning.texts",
    "radcap.captioning.grammar",
    "radcap.detection.system",
    "radcap.vision.settings",
    "radcap.detection.decisions",
    "radcap.detection.calibration",
    "radcap.detection.ensembles",
    "radcap.detection.retrieval",
    "radcap.vision.blocks",
    "radcap.vision.backbones",
    "radcap.vision.heads",
    "radcap.vision.losses",
    "radcap.vision.pictures",
    "radcap.vision.training",
    "radcap.core",
    "radcap.formats",
    "radcap.metrics",
    "radcap.stats",
    "radcap.report",
)

CAPTIONS = "zoo:captions"  # its page is written once it ships

# What the code writes into pages that are otherwise written by hand, by the name in their marks.
MADE: Mapping[str, Callable[[], str]] = {
    "architecture": architecture_picture,
    "packages": package_table,
    "parted values": parted_values,
    "differences": difference_tables,
    "evidence": evidence_table,
    "limits": limits_table,
    "leaders": leaders_picture,
}
MARK = re.compile(r"^<!-- made by the code: (.+) -->$", re.MULTILINE)

PACKAGE_TEXT_ONLY = "{members: false, show_root_heading: false, show_root_toc_entry: false}"

API_TEXT = """
`import radcap` brings the names of the first section, each loaded when it is first used. The packages below
hold the parts they are made of. Paths may be `str` or `Path`; results are frozen values, and most have
`to_json()`.
""".strip()

CODE_FAMILIES = {
    "RUN1": "The file",
    "RUN2": "Rows and ids",
    "RUN3": "Concepts",
    "RUN4": "Captions",
    "TRU1": "The truth",
}
DATASET_FAMILIES = {
    "DAT1": "Datasets: opening",
    "DAT2": "Datasets: labels",
    "DAT3": "Datasets: images",
    "DAT4": "Datasets: splits",
    "IMG1": "Datasets: one image file",
}
VOCABULARY_FAMILIES = {
    "VOC1": "Vocabularies: files",
    "VOC2": "Vocabularies: rows",
    "VOC3": "Vocabularies: joining",
    "RUL1": "Concept rules: the file",
    "RUL2": "Concept rules: keys",
    "CAP1": "Captions to link",
}
SYSTEM_FAMILIES = {
    "SYS1": "Systems: the file",
    "SYS2": "Systems: keys",
    "SYS3": "Systems: members of an ensemble",
}

CODES_TEXT = """
Every finding of `radcap validate`, `radcap dataset check` and `radcap vocab`, and every one in a system file,
has a code. A code is never reused, and its meaning never changes. The message says what was read and why it
is refused, the last column what to do; words in braces are filled in from the file.

For runs the level depends on the edition: **E** error, the official evaluator or its pre-check refuses it
or fails; **W** warning, the run is taken but its score suffers, or another edition refuses it; **I**
information. The clauses are tried from left to right, and the first that fits decides. `RUN103` and `RUN104`
are errors with `--strict`.
""".strip()

EDITIONS_TEXT = """
What each edition measured and how it read its files, as `radcap editions` knows it. The profile `official` is
what the code of the organisers does, `documented` what their papers and pages say. The code of 2019 to 2021
is not public; `inferred` marks that the nearest known script stands in.

Captions are prepared before they are compared. **P17**: lower case, no punctuation, no English stop words,
stems. **P22**: lower case, no punctuation, no stop words, lemmas; **P22c** is P22 without lemmas. **P23**:
lower case, each run of digits becomes `number`, no ASCII punctuation. **RAW**: as written. See
[How captions are scored](../explanation/captions.md); which metrics can be computed stands under
[Score a caption run](../how-to/score-captions.md).
""".strip()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    pages = {
        "reference/cli.md": command_line_page,
        "reference/api.md": api_page,
        "reference/issue-codes.md": issue_codes_page,
        "reference/editions.md": editions_page,
        "reference/detector.md": shipped_detector_page,
        "reference/inside.md": inside_page,
    }
    if CAPTIONS in names():
        pages["reference/captioner.md"] = shipped_captioner_page
    for path, write in pages.items():
        files.append(File.generated(config, path, content=write()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Marks give way to what the code says; a mark that nobody knows stops the build."""
    return MARK.sub(lambda found: MADE[found[1]](), markdown)


def command_line_page() -> str:
    sections = [f"## {name}\n\n```text\n{text.rstrip()}\n```\n" for name, text in _helps()]
    return "# Command line\n\nWhat `--help` says, for every command.\n\n" + "\n".join(sections)


def _helps() -> Iterator[tuple[str, str]]:
    from typer.main import get_command
    from typer.testing import CliRunner

    from radcap.cli.main import app

    runner = CliRunner()
    for words in _commands(get_command(app), ()):
        with patch.dict(os.environ, PLAIN_TERMINAL):
            result = runner.invoke(app, [*words, "--help"], prog_name="radcap")
        if result.exit_code != 0:
            message = f"'radcap {' '.join(words)} --help' ended with {result.exit_code}: {result.output}"
            raise RuntimeError(message)
        yield " ".join(("radcap", *words)), result.output


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:  # noqa: ANN401 - Typer's own classes
    yield words
    for name, child in getattr(command, "commands", {}).items():
        if not child.hidden:
            yield from _commands(child, (*words, name))


def api_page() -> str:
    """Every public name once: under `radcap` if it stands there, else under its package."""
    parts = ["# Python API", API_TEXT]
    shown: list[object] = []
    for package in API_PACKAGES:
        module = import_module(package)
        values = {name: getattr(module, name) for name in module.__all__}
        new = [name for name, value in values.items() if not any(value is one for one in shown)]
        shown += values.values()
        parts += [f"## {package}", f"::: {package}\n    options: {PACKAGE_TEXT_ONLY}"]
        parts += [f"::: {package}.{name}" for name in sorted(new, key=lambda name: _kind(values[name]))]
    return "\n\n".join(parts) + "\n"


def _kind(value: object) -> int:
    """Functions first, then classes, then constants."""
    if isinstance(value, type):
        return 1
    return 0 if callable(value) else 2


def issue_codes_page() -> str:
    from radcap.formats.codes import CATALOGUE

    parts = ["# Issue codes", CODES_TEXT]
    for family, title in CODE_FAMILIES.items():
        rows = [
            (
                _anchor(code.code),
                plain(code.levels),
                "yes" if code.fixable else "",
                plain(code.message),
                plain(code.hint),
            )
            for code in CATALOGUE
            if code.code.startswith(family)
        ]
        parts += [f"## {title}", table(("Code", "Level", "`--fix`", "What was read", "What to do"), rows)]
    return "\n\n".join([*parts, *_tolerant_levels(), *_plain_codes()]) + "\n"


def _anchor(code: str) -> str:
    """A code that links lead to."""
    return f'<span id="{code.lower()}">`{code}`</span>'


def _plain_codes() -> Iterator[str]:
    """Codes that are equally grave in every edition."""
    from radcap.core.tables.codes import CATALOGUE as SYSTEMS
    from radcap.datasets.codes import CATALOGUE as DATASETS
    from radcap.vocabulary.captions.codes import CATALOGUE as CAPTIONS
    from radcap.vocabulary.codes import CATALOGUE as VOCABULARIES
    from radcap.vocabulary.rules.codes import CATALOGUE as RULES

    for family, title in {**DATASET_FAMILIES, **VOCABULARY_FAMILIES, **SYSTEM_FAMILIES}.items():
        yield f"## {title}"
        rows = [
            (_anchor(one.code), one.levels, plain(one.message), plain(one.hint))
            for one in (*DATASETS, *VOCABULARIES, *RULES, *CAPTIONS, *SYSTEMS)
            if one.code.startswith(family)
        ]
        yield table(("Code", "Level", "What was read", "What to do"), rows)


def _tolerant_levels() -> Iterator[str]:
    from radcap.formats.codes import TOLERANT

    yield "## The tolerant edition"
    yield (
        "`--edition radcap` accepts what can be read in one way only. It has levels of its own for these "
        "codes, and for the others those of 2025."
    )
    rows = [(f"[`{code}`](#{code.lower()})", level.value) for code, level in TOLERANT.items()]
    yield table(("Code", "Level under `--edition radcap`"), rows)


def editions_page() -> str:
    from radcap.metrics import EDITIONS, differences
    from radcap.metrics.edition_tables import difference_table, edition_table, editions_table, file_table

    parts = ["# Editions", EDITIONS_TEXT, drawn(editions_table())]
    for name, edition in EDITIONS.items():
        parts += [f"## {name}", plain(edition.title) + ".", drawn(edition_table(edition))]
        parts.append(drawn(file_table(edition)))
        if differences(name):
            parts += [f"### Code and documents of {name}", drawn(difference_table(name))]
    return "\n\n".join([*parts, *_cui_sets()]) + "\n"


def shipped_detector_page() -> str:
    from collections import Counter

    from radcap.datasets import load_dataset
    from radcap.detection.models import ModelFolder

    data = load_dataset("radiology-open")
    kinds = zip(data.column("source").to_pylist(), data.column("modality").to_pylist(), strict=True)
    return detector_page(ModelFolder(find("zoo:concepts")).card(), Counter(kinds))


def shipped_captioner_page() -> str:
    card = find(CAPTIONS) / "card.json"
    return captioner_page(json.loads(card.read_text(encoding="utf-8")), CAPTIONS)


def _cui_sets() -> Iterator[str]:
    from radcap.core import CUI_SETS, NAMES

    yield "## Sets of concepts"
    yield "The secondary scores keep these CUIs only."
    cuis = sorted(set().union(*(one.cuis for one in CUI_SETS.values())))
    rows = [
        [f"`{cui}`", plain(NAMES[cui]), *("x" if cui in one.cuis else "" for one in CUI_SETS.values())]
        for cui in cuis
    ]
    yield table(["CUI", "Name", *CUI_SETS], rows)
    yield "\n".join(f"- `{one.name}`: {plain(one.source)}" for one in CUI_SETS.values())
