"""The catalogue of findings in run and truth files.

Invariant: a code is never reused and its meaning never changes; new ones are appended.
A message says what was read and why it is refused, the hint says what to do. Levels differ by edition:
the clauses of `levels` are tried in order, the first that fits the dialect decides.
>>> level_of("RUN208", 2026, Task.CONCEPTS), level_of("RUN208", 2023, Task.CONCEPTS)
(<Level.ERROR: 'error'>, <Level.INFO: 'info'>)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from radcap.core import Level, Task

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CATALOGUE", "CODES", "TOLERANT", "Code", "level_of"]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding. `levels` reads e.g. '2026 E; 2025 captions E; W'."""

    code: str
    levels: str
    fixable: bool
    message: str
    hint: str


CATALOGUE = (
    Code(
        "RUN101", "E", False, "No file at {path}. Nothing can be checked.", "Give the path of the run file."
    ),
    Code(
        "RUN102", "E", False, "{file} holds {what}. A run needs one row per image.", "Write the file again."
    ),
    Code("RUN103", "I", True, "{file} is {kind}. Edition {edition} takes {wanted}.", "{todo}"),
    Code(
        "RUN104",
        "I",
        True,
        "The zip holds {names}. Exactly one member submission.csv is allowed.",
        "Remove the others and rename.",
    ),
    Code(
        "RUN105",
        "E",
        True,
        "Byte {byte} at offset {offset} (line {line}). It is not UTF-8.",
        "Save the file as UTF-8.",
    ),
    Code(
        "RUN106",
        "2026 E; 2025 captions E; W",
        True,
        "The file starts with a byte-order mark. Edition {edition} {consequence}.",
        "Save as UTF-8 without mark.",
    ),
    Code(
        "RUN107",
        "E",
        True,
        "Line {line} is {row}. Edition {edition} expects the header {header}.",
        "Put that line first.",
    ),
    Code(
        "RUN108",
        "2026 E; W",
        True,
        "The header is {cells}. It must be exactly {header}, same case.",
        "Rename the columns.",
    ),
    Code(
        "RUN109",
        "E",
        True,
        "Line {line} is {row}. Edition {edition} has no header and reads it as an image.",
        "Delete the line.",
    ),
    Code("RUN110", "E", False, "Only a header was found. Rows for {n} images are missing.", "Add them."),
    Code(
        "RUN111",
        "E",
        True,
        "Cells are split by {found}. Edition {edition} uses {wanted}.",
        "Convert the separator.",
    ),
    Code(
        "RUN112",
        "E",
        False,
        "A quote opened on line {line} never closes. Rows after it cannot be read.",
        "Close or double the quote.",
    ),
    Code("RUN113", "E", False, "{size} was read. The limit is {limit}.", "Send one run only."),
    Code(
        "RUN114",
        "E",
        False,
        "Zip member {name} {reason}. It is not unpacked.",
        "Pack a plain submission.csv.",
    ),
    Code("RUN115", "E", False, "Byte {byte} on line {line}. Text files hold no such byte.", "Remove it."),
    Code(
        "RUN116",
        "E",
        False,
        "This is run {n} of team {team}. Edition {edition} grades {limit}.",
        "Withdraw a run first.",
    ),
    Code(
        "RUN201",
        "E",
        True,
        "Line {line} is blank. Blank lines are refused, also inside quoted captions.",
        "Delete it.",
    ),
    Code(
        "RUN202",
        "2026 E; 2023-2025 captions W; E",
        False,
        "Line {line} has {n} cells. Two are allowed{consequence}.",
        "Quote the second cell.",
    ),
    Code("RUN203", "E", True, "Line {line} has 1 cell. {why}", "Add the separator and a caption."),
    Code("RUN204", "E", True, "The id is {id}. Blanks make it another id.", "Trim it."),
    Code(
        "RUN205",
        "E",
        False,
        "Id {id} on line {line}. It is not in the {split} set of {edition}.",
        "Use the ids of {ids_file}.",
    ),
    Code("RUN206", "E", False, "Id {id} is on lines {first} and {line}. One row per image.", "Delete one."),
    Code(
        "RUN207",
        "E",
        False,
        "{n} of {total} ids are absent, e.g. {examples}. Every image needs a row.",
        "Add them.",
    ),
    Code(
        "RUN208",
        "2026 E; I",
        True,
        "Position {position} holds {id}. {expected} is expected there.",
        "Sort rows as in {ids_file}.",
    ),
    Code("RUN209", "E", False, "Rows after the last id: {n}. {total} images exist.", "Delete them."),
    Code(
        "RUN210", "E", False, "Line {line} starts with an empty cell. A row needs an image id.", "Fill it in."
    ),
    Code("RUN211", "E", True, "Id {id} on line {line}. Ids carry no file ending.", "Remove {ending}."),
    Code(
        "RUN212",
        "W",
        False,
        "Id {id} contains the letters ID. The official scorer skips such rows.",
        "Tell the organisers.",
    ),
    Code(
        "RUN213",
        "E",
        False,
        "Ids of {other}: {n}. This task scores {split}.",
        "Send the matching run.",
    ),
    Code("RUN301", "E", False, "Line {line} has {n} CUIs. {limit} are allowed.", "Keep the surest."),
    Code("RUN302", "E", True, "{cui} stands {n} times on line {line}. Each CUI once.", "Delete repeats."),
    Code(
        "RUN303",
        "2026 E; W",
        True,
        "Line {line} ends with or doubles ';'. The empty part counts as a wrong concept.",
        "Remove the ';'.",
    ),
    Code(
        "RUN304", "2026 E; W", False, "{text} on line {line}. A CUI is C and digits.", "Correct or drop it."
    ),
    Code("RUN305", "2026 E; I", True, "{cui} on line {line}. 2026 wants a capital C.", "Upper-case it."),
    Code("RUN306", "2026 E; I", True, "The cell is {cell}. 2026 refuses outer blanks.", "Trim it."),
    Code(
        "RUN307", "2026 E; W", True, "{cell} on line {line}. CUIs are parted by ';'.", "Replace {separator}."
    ),
    Code(
        "RUN308",
        "W",
        True,
        "{first} and {second} on line {line} are one concept. Only one counts.",
        "Keep one.",
    ),
    Code(
        "RUN309",
        "W",
        False,
        "{cui} on line {line}. It never occurs in the development labels.",
        "Check it.",
    ),
    Code(
        "RUN310",
        "I",
        False,
        "Images without a CUI: {n}. They score 0 wherever the truth names one.",
        "Intended?",
    ),
    Code(
        "RUN311", "2026 E; I", True, "Line {line} is only {id}. 2026 needs two cells.", "Add the separator."
    ),
    Code("RUN312", "I", False, "Rows without a modality: {n}. The secondary F1 loses there.", "Add one."),
    Code(
        "RUN401",
        "2025-2026 E; W",
        False,
        "The caption of {id} is empty. Text metrics give 0, AlignScore (2025-26) fails on it.",
        "Write a caption.",
    ),
    Code(
        "RUN402",
        "E",
        True,
        "Line {line} has a bare comma in the caption. It splits the cell.",
        "Put the caption in double quotes.",
    ),
    Code(
        "RUN403",
        "W",
        True,
        "Line {line}: only {kept} of the caption is scored. An unquoted {separator} cut it.",
        "Quote it.",
    ),
    Code(
        "RUN404",
        "W",
        True,
        "The caption of {id} spans lines {line}-{last}. Line-wise checks break.",
        "Use one line.",
    ),
    Code(
        "RUN405",
        "W",
        False,
        "The caption {caption} has no letters or digits. Text metrics give 0.",
        "Rewrite it.",
    ),
    Code(
        "RUN406", "W", False, "Line {line} has {separator} in the caption. The rest is dropped.", "Remove it."
    ),
    Code("RUN407", "I", False, "The caption of {id} has {n} tokens. BLEURT reads 512.", "Shorten it."),
    Code(
        "RUN408",
        "I",
        True,
        "The caption of {id} starts or ends with blanks. They are scored as written by raw-text metrics.",
        "Trim it.",
    ),
    Code(
        "RUN409",
        "W",
        False,
        "One caption stands on {percent} % of rows. A constant run is likely.",
        "Check the export.",
    ),
    Code("RUN410", "E", True, "Line {line} {row} is taken for data. It is never counted.", "Add the header."),
    Code(
        "TRU101",
        "E",
        False,
        "{id} has no row in {file}. Secondary F1 cannot be formed.",
        "Add it to the truth.",
    ),
    Code(
        "TRU102",
        "E",
        False,
        "0 images carry one of the {n} CUIs. The mean is undefined.",
        "Check the truth file.",
    ),
    Code(
        "TRU103",
        "E",
        False,
        "{id} stands on lines {first}, {line}. The later row silently wins.",
        "Clean the truth.",
    ),
    Code(
        "TRU104",
        "E",
        False,
        "Nothing is left of either caption of {id} after preparation. The evaluator of {edition} fails.",
        "Write a caption, or mend the truth.",
    ),
    Code(
        "TRU105",
        "I",
        False,
        "{n} of {total} images of the run have no {source} caption in {file}. It is scored on {kept}.",
        "Other captions are scored apart, see --captions.",
    ),
)
CODES: Mapping[str, Code] = {code.code: code for code in CATALOGUE}

# What the tolerant edition accepts with a note, because only one reading is possible.
TOLERANT: Mapping[str, Level] = {
    "RUN106": Level.INFO,
    "RUN108": Level.INFO,
    "RUN111": Level.INFO,
    "RUN201": Level.INFO,
    "RUN202": Level.ERROR,
    "RUN204": Level.WARNING,
    "RUN208": Level.INFO,
    "RUN211": Level.WARNING,
    "RUN302": Level.WARNING,
    "RUN303": Level.INFO,
    "RUN307": Level.WARNING,
    "RUN308": Level.INFO,
    "RUN401": Level.WARNING,
    "RUN402": Level.WARNING,
    "RUN404": Level.INFO,
}

_LEVELS = {"E": Level.ERROR, "W": Level.WARNING, "I": Level.INFO}
_CLAUSE = re.compile(
    r"(?:(?P<first>\d{4})(?:-(?P<last>\d{4}))? )?(?:(?P<task>concepts|captions) )?(?P<level>[EWI])"
)


@cache
def level_of(code: str, year: int, task: Task) -> Level:
    """The level of a code under the rules of a year; the last clause of every code fits them all."""
    clauses = (_CLAUSE.fullmatch(clause) for clause in CODES[code].levels.split("; "))
    return next(_LEVELS[clause["level"]] for clause in clauses if clause and _fits(clause, year, task))


def _fits(clause: re.Match[str], year: int, task: Task) -> bool:
    first, last = clause["first"], clause["last"] or clause["first"]
    return clause["task"] in {None, task.value} and (first is None or int(first) <= year <= int(last))
