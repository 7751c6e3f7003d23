"""Checks of captions, concepts and licences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.lists import lengths, rows_of, single, without_rows_of
from radcap.datasets.statistics.licence_terms import licence_of
from radcap.formats import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings

__all__ = ["check_captions", "check_concepts", "check_licences"]

_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}]"  # RE2; tab and line breaks are text
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LOST = "\ufffd"
_CUI = r"^C[0-9]{7}$"
_SMALL_CUI = r"^c[0-9]{7}$"
_EXAMPLES = 3


def check_captions(dataset: Dataset, findings: Findings) -> None:
    """Captions that are blank, or hold what is no text; splits with images that have none."""
    captions = single(dataset.column("captions"))
    texts = captions.flatten().field(0)
    rows = rows_of(captions)

    def of(place: int, **fields: object) -> dict[str, object]:
        return {"id": _id(dataset, int(rows[place])), **fields}

    def control(place: int) -> dict[str, object]:
        return of(place, char=_point(_CONTROLS.findall(texts[place].as_py())[0]))

    findings.add_each("DAT204", _places(pc.match_substring_regex(texts, _CONTROL)), control)
    findings.add_each("DAT216", _places(pc.equal(pc.utf8_trim_whitespace(texts), "")), of)
    lost = _places(pc.match_substring(texts, _LOST))
    findings.add_each("DAT217", lost, lambda place: of(place, char=_point(_LOST)))
    _count_bare(dataset, lengths(captions) == 0, "DAT206", findings)


def check_concepts(dataset: Dataset, findings: Findings) -> None:
    """Concepts that are no CUIs, stand twice, or of which the others know nothing."""
    cui, manual = single(dataset.column("cui")), single(dataset.column("cui_manual"))
    alone = without_rows_of(manual, cui)
    for column in (cui, alone):
        _check_spelling(dataset, column, findings)
    _check_repeats(dataset, cui, manual, findings)
    rows, values = rows_of(alone), alone.flatten()

    def missing(place: int) -> dict[str, object]:
        return {"id": _id(dataset, int(rows[place])), "cui": named(values[place].as_py())}

    findings.add_each("DAT209", range(len(values)), missing)
    _count_bare(dataset, lengths(cui) == 0, "DAT207", findings)
    _check_unseen(dataset, cui, findings)


def check_licences(dataset: Dataset, findings: Findings) -> None:
    """Licences that forbid changed copies, and images without one."""
    without = 0
    for counted in pc.value_counts(dataset.column("licence")).to_pylist():
        text, n = counted["values"], counted["counts"]
        if not text.strip():
            without += n
        elif licence_of(text).no_derivatives:
            findings.add("DAT211", n=n, licence=named(text))
    if without:
        findings.add("DAT212", n=without, total=len(dataset))


def _check_spelling(dataset: Dataset, column: Any, findings: Findings) -> None:
    rows, values = rows_of(column), column.flatten()
    small = pc.match_substring_regex(values, _SMALL_CUI)
    wrong = pc.invert(pc.or_(small, pc.match_substring_regex(values, _CUI)))

    def fields(place: int) -> dict[str, object]:
        text: str = values[place].as_py()
        return {"text": named(text), "id": _id(dataset, int(rows[place])), "upper": text.upper()}

    findings.add_each("DAT202", _places(wrong), fields)
    findings.add_each("DAT203", _places(small), fields)


def _check_repeats(dataset: Dataset, cui: Any, manual: Any, findings: Findings) -> None:
    found = _repeats(manual) | _repeats(cui)
    places = sorted(found)
    findings.add_each(
        "DAT205",
        range(len(places)),
        lambda i: {"cui": named(places[i][1]), "n": found[places[i]], "id": _id(dataset, places[i][0])},
    )


def _repeats(column: Any) -> dict[tuple[int, str], int]:
    """Row and value of what stands more than once in its row, and how often."""
    coded = column.flatten().dictionary_encode()
    width = max(1, len(coded.dictionary))
    numbers = coded.indices.to_numpy().astype(np.int64)
    keys, times = np.unique(rows_of(column) * width + numbers, return_counts=True)
    many = times > 1
    pairs = zip((keys[many] // width).tolist(), (keys[many] % width).tolist(), strict=True)
    names = [(row, coded.dictionary[code].as_py()) for row, code in pairs]
    return dict(zip(names, times[many].tolist(), strict=True))


def _check_unseen(dataset: Dataset, cui: Any, findings: Findings) -> None:
    """Concepts of other splits that train does not have."""
    if "train" not in dataset.splits:
        return
    splits = dataset.column("split").take(pa.array(rows_of(cui)))
    values = cui.flatten()
    known = pc.unique(values.filter(pc.equal(splits, "train")))
    for split in dataset.splits:
        there = pc.unique(values.filter(pc.equal(splits, split)))
        new = sorted(there.filter(pc.invert(pc.is_in(there, known))).to_pylist())
        if new:
            examples = ", ".join(named(one) for one in new[:_EXAMPLES])
            findings.add("DAT208", n=len(new), split=named(split), examples=examples)


def _count_bare(dataset: Dataset, bare: NDArray[np.bool_], code: str, findings: Findings) -> None:
    """One finding for each split that has images without something."""
    splits = dataset.column("split")
    for split in dataset.splits:
        inside = pc.equal(splits, split).to_numpy(zero_copy_only=False)
        n = int(np.count_nonzero(bare & inside))
        if n:
            findings.add(code, n=n, total=int(np.count_nonzero(inside)), split=named(split))


def _places(marked: Any) -> Sequence[int]:
    return np.flatnonzero(marked.to_numpy(zero_copy_only=False)).tolist()


def _id(dataset: Dataset, row: int) -> str:
    return named(dataset.table["image_id"][row].as_py())


def _point(character: str) -> str:
    return f"U+{ord(character):04X}"
