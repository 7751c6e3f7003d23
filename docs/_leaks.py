"""The kinds of evidence that `radcap dataset leaks` looks for, as the code has them.

Invariant: the table has a row for each kind, in the order of the report.
"""

from __future__ import annotations

from _markdown import table

__all__ = ["MEANINGS", "evidence_table"]

MEANINGS = {
    "group": "both records have the same `group`, PubMed Central number (any version) or DOI",
    "id": "both records have the same image id",
    "file": "the files are equal byte by byte",
    "pixels": "the decoded images are equal, whatever the files look like",
    "near": "two hashes of the images are near, and the pixels confirm it",
    "caption": "the captions are the same letter by letter, four words or more",
    "like-caption": "the same, apart from capitals and blanks",
    "words": "13 words in a row stand in both",
    "inside": "a caption of eight words or more stands inside a longer one",
    "weak-caption": "equal captions of fewer than four words, such as *Preoperative radiograph*",
    "composed-caption": "equal captions that a grammar made of labels: the labels are equal, no more",
}


def evidence_table() -> str:
    from radcap.datasets.leaks import Evidence

    rows = [(one.heading, MEANINGS[one.value], "yes" if one.strong else "no") for one in Evidence]
    return table(("Evidence", "Means", "One makes a leak"), rows)
