"""The catalogue of findings in datasets: IMG about one image file, DAT about the dataset.

Invariant: a code is never reused and its meaning never changes; new ones are appended.
A message says what was read and why it is a problem, the hint says what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.formats import Code
from radcap.formats.file_findings import plain_level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Level

__all__ = ["CATALOGUE", "CODES", "level_of"]

CATALOGUE = (
    # one image file
    Code(
        "IMG101",
        "E",
        False,
        "There is no image {name}. Nothing can be shown or learnt from it.",
        "Copy it again.",
    ),
    Code("IMG102", "E", False, "{name} holds 0 bytes. It is no image.", "Copy it again."),
    Code("IMG103", "E", False, "{name} holds {kind}. It is no image radcap reads.", "Give one of {known}."),
    Code("IMG104", "E", False, "{name} breaks off: {why}. The picture is not whole.", "Copy it again."),
    Code(
        "IMG105",
        "E",
        False,
        "{name} claims {width:,} x {height:,} pixels. At most {limit:,} pixels are decoded.",
        "Make it smaller.",
    ),
    Code("IMG106", "E", False, "{name} holds {frames:,} frames. At most {limit:,} are read.", "Split it."),
    Code("IMG107", "E", False, "{name} has {size:,} bytes. At most {limit:,} are read.", "Make it smaller."),
    Code(
        "IMG108",
        "E",
        False,
        "{name} says that names of people are burnt into its pixels. It is not read.",
        "De-identify the pixels first.",
    ),
    Code("IMG109", "E", False, "{name} cannot be decoded: {why}.", "Save it again as PNG or JPEG."),
    Code("IMG110", "E", False, "{name} cannot be read on this machine: {why}", ""),
    # opening
    Code("DAT101", "E", False, "There is nothing at {path}. No dataset can be opened.", "Check the path."),
    Code("DAT102", "E", False, "{path} is {kind}. A dataset is a folder.", "{todo}"),
    Code(
        "DAT103",
        "E",
        False,
        "{path} holds {names}. That is no layout radcap knows.",
        "{todo}",
    ),
    Code("DAT104", "E", False, "{file} cannot be read: {why}.", "Copy it again."),
    Code("DAT105", "E", False, "Column {column} of {file} holds {found}. {wanted} is needed.", "Convert it."),
    Code("DAT106", "E", False, "{file} has the columns {found}. {column} is missing.", "Add or rename it."),
    Code(
        "DAT107",
        "I",
        False,
        "{file} was left alone. Its name tells neither split nor kind.",
        "Rename it if it counts.",
    ),
    Code(
        "DAT108",
        "W",
        False,
        "{split} has labels for {n:,} images, but no image lies in {where}. The copy may be half.",
        "Copy the images of that split.",
    ),
    Code(
        "DAT109",
        "E",
        False,
        "{file} is one part of {n}, and {missing} is not there.",
        "Copy the other parts.",
    ),
    Code(
        "DAT110",
        "W",
        False,
        "{member} of {file} is {kind}. It was left alone.",
        "Pack plain files only.",
    ),
    Code(
        "DAT111",
        "E",
        False,
        "{file} is a compressed tar. Its images cannot be reached one by one.",
        "Unpack it to a plain .tar.",
    ),
    Code(
        "DAT112",
        "W",
        False,
        "Column {column} of {file} holds {found}. A record cannot carry it, and it was left alone.",
        "Convert it to text if it counts.",
    ),
    Code(
        "DAT113",
        "W",
        False,
        "Captions of a source such as {text}, which is none of {known}: {n:,}. They count as original.",
        "Correct the source.",
    ),
    Code("DAT120", "I", False, "{file} has a header and no rows. It adds no record.", "Intended?"),
    Code(
        "DAT121",
        "E",
        False,
        "{file} is split into {n} parts. A zip is read whole.",
        "Join them: cat {parts} > {file}",
    ),
    Code(
        "DAT122",
        "E",
        False,
        "A row has {n} cells, the first line {width}. It is open which is which.",
        "Write the row again, with quotes around text that holds the separator.",
    ),
    Code(
        "DAT123",
        "W",
        False,
        "Images without a split, by file, column or id: {n:,}. They are taken as train.",
        "Add a column split to attribution.csv.",
    ),
    Code(
        "DAT124",
        "I",
        False,
        "Rows of {file} for images that no label file has: {n:,}. They add no record.",
        "Intended?",
    ),
    Code("DAT125", "W", False, "The header stands here again. The row names no image.", "Delete the line."),
    # labels
    Code(
        "DAT201",
        "E",
        False,
        "Id {id} stands in {first} and again here. An id names one image.",
        "Delete one.",
    ),
    Code(
        "DAT202", "E", False, "{text} of {id} is no CUI. A CUI is C and seven digits.", "Correct or drop it."
    ),
    Code(
        "DAT203",
        "W",
        False,
        "{text} of {id} is written small. Label files compare it as another.",
        "Write {upper}.",
    ),
    Code(
        "DAT204",
        "W",
        False,
        "The caption of {id} holds the control character {char}. Text metrics count it as a word.",
        "Remove it.",
    ),
    Code(
        "DAT205", "W", False, "Concept {cui} stands {n} times on {id}. It counts once.", "Delete the others."
    ),
    Code("DAT206", "I", False, "{n:,} of {total:,} images in {split} have no caption.", "Intended?"),
    Code("DAT207", "W", False, "{n:,} of {total:,} images in {split} have no concept.", "Intended?"),
    Code(
        "DAT208",
        "W",
        False,
        "Concepts of {split} that train never has: {n:,}, e.g. {examples}. No system can learn them.",
        "Delete them, or move images to train.",
    ),
    Code(
        "DAT209",
        "W",
        False,
        "{id} has {cui} among the manual concepts and not among all of them.",
        "Merge the manual labels into the concepts.",
    ),
    Code("DAT210", "E", False, "A row has no id. It names no image.", "Write the id, or delete the row."),
    Code(
        "DAT211",
        "W",
        False,
        "Images under {licence}, which forbids sharing changed copies: {n:,}.",
        "Leave them out of a release.",
    ),
    Code("DAT212", "I", False, "{n:,} of {total:,} images name no licence.", "Add it before you share them."),
    Code(
        "DAT213",
        "W",
        False,
        "Id {id} holds {what}. Run files and file names cannot carry it.",
        "Rename the image.",
    ),
    Code(
        "DAT214",
        "W",
        False,
        "Ids {first} and {second} differ in case only. Some file systems keep one of them.",
        "Rename one.",
    ),
    Code(
        "DAT215",
        "W",
        False,
        "Id {id} ends in {ending}. Run files name images without ending.",
        "Drop the ending.",
    ),
    Code("DAT216", "W", False, "A caption of {id} holds nothing but blanks.", "Write it, or leave it out."),
    Code(
        "DAT217",
        "W",
        False,
        "The caption of {id} holds {char}, which stands for letters that were lost.",
        "Read its file in the right encoding.",
    ),
    Code(
        "DAT218",
        "E",
        False,
        "{n:,} records have the id {id}: {where}. An id names one image.",
        "Delete the others.",
    ),
    # images
    Code("DAT301", "E", False, "{id} has labels and no image.", "Copy the image, or delete the row."),
    Code("DAT302", "W", False, "{name} is an image that no row names.", "Add its row, or delete it."),
    Code("DAT303", "E", False, "{id}: {why}", ""),
    Code("DAT304", "W", False, "{id} is the file {name}. Other programs look for {wanted}.", "Rename it."),
    Code("DAT305", "E", False, "{id} could be {first} or {second}. It is open which.", "Delete one."),
    Code("DAT306", "W", False, "{name} holds {kind}. Programs that trust the ending fail.", "Rename it."),
    Code(
        "DAT307",
        "W",
        False,
        "{id} is {width} x {height} pixels. There is nothing to see.",
        "Check the image.",
    ),
    Code("DAT308", "W", False, "{id} shows one flat colour. There is nothing to see.", "Check the image."),
    # splits
    Code("DAT401", "E", False, "The split {split} has no images.", "Copy its files, or leave it out."),
    Code(
        "DAT402",
        "W",
        False,
        "The split is called {split}. Programs look for train, valid and test.",
        "Rename it.",
    ),
    Code(
        "DAT403",
        "E",
        False,
        "{first} ({first_split}) and {second} ({second_split}) are the same file.",
        "Keep one.",
    ),
    Code(
        "DAT404",
        "W",
        False,
        "{first} ({first_split}) and {second} ({second_split}) look the same (difference {distance}).",
        "Look at both, keep one.",
    ),
    Code(
        "DAT405",
        "E",
        False,
        "Group {group} has images in {splits}. A system is tested on what it has seen.",
        "Split by group: radcap dataset split.",
    ),
    Code("DAT406", "I", False, "{first} and {second} of {split} are the same file.", "Keep one."),
    Code(
        "DAT407",
        "E",
        False,
        "{first} ({first_split}) and {second} ({second_split}) are two files with the same pixels.",
        "Keep one.",
    ),
    Code(
        "DAT408",
        "I",
        False,
        "{first} and {second} of {split} are two files with the same pixels.",
        "Keep one.",
    ),
    Code(
        "DAT409",
        "E",
        False,
        "The card says that {split} has {said:,} images. {n:,} were found.",
        "Copy the dataset again, or correct its card.",
    ),
    Code("DAT410", "I", False, "There is no split {split}. There is: {there}.", "Intended?"),
)
CODES: Mapping[str, Code] = {code.code: code for code in CATALOGUE}


def level_of(code: str) -> Level:
    """How grave a finding is; datasets know no editions."""
    return plain_level(CODES[code])
