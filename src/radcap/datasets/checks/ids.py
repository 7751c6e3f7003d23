"""Checks of image ids: one for each image, and fit for file names and run files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from radcap.formats import named, shown

if TYPE_CHECKING:
    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings

__all__ = ["check_ids"]

_ODD = r'[\s\p{Z}\p{C}/\\,;|"]|^\.+$'  # in the syntax of RE2: what an id cannot carry through files
_ENDING = r"(?i)\.(?:jpe?g|png|webp|gif|tiff?|bmp|dcm)$"
_PARTS = (("a path", re.compile(r"[/\\]|^\.+$")), ("a blank", re.compile(r"\s")))
_SIGN = re.compile(r'[,;|"]')
_WHERE = 3  # records named of those that share an id


def check_ids(dataset: Dataset, findings: Findings) -> None:
    """Ids that are empty, repeated, or cannot be written elsewhere."""
    ids = dataset.column("image_id")
    findings.add_each("DAT210", _places(pc.equal(ids, "")), lambda _: {})
    _check_repeats(dataset, ids, findings)
    _check_case(ids, findings)
    odd = pc.match_substring_regex(ids, _ODD)
    findings.add_each("DAT213", _places(odd), lambda place: _holding(ids[place].as_py()))
    ending = pc.and_not(pc.match_substring_regex(ids, _ENDING), odd)
    findings.add_each("DAT215", _places(ending), lambda place: _ending(ids[place].as_py()))


def _places(marked: Any) -> list[int]:
    return np.flatnonzero(marked.to_numpy(zero_copy_only=False)).tolist()


def _holding(image_id: str) -> dict[str, object]:
    what = next((name for name, pattern in _PARTS if pattern.search(image_id)), None)
    sign = _SIGN.search(image_id)
    return {"id": shown(image_id), "what": what or (f"the sign {sign[0]}" if sign else "a hidden character")}


def _ending(image_id: str) -> dict[str, object]:
    return {"id": named(image_id), "ending": image_id[image_id.rindex(".") :]}


def _check_repeats(dataset: Dataset, ids: Any, findings: Findings) -> None:
    coded = ids.dictionary_encode()
    numbers = coded.indices.to_numpy()
    times = np.bincount(numbers, minlength=len(coded.dictionary))
    repeated = [code for code in np.flatnonzero(times > 1).tolist() if coded.dictionary[code].as_py()]

    def fields(code: int) -> dict[str, object]:
        places = np.flatnonzero(numbers == code).tolist()
        where = [f"{place + 1:,} ({dataset.table['split'][place].as_py()})" for place in places[:_WHERE]]
        more = ["..."] * (len(places) > _WHERE)
        return {
            "n": len(places),
            "id": named(coded.dictionary[code].as_py()),
            "where": ", ".join(where + more),
        }

    findings.add_each("DAT218", repeated, fields)


def _check_case(ids: Any, findings: Findings) -> None:
    """Different ids that a file system without case takes for one; each is named beside the first."""
    distinct = pc.unique(ids)
    folded = pc.utf8_lower(distinct).dictionary_encode()
    numbers = folded.indices.to_numpy()
    first = np.full(len(folded.dictionary), -1)
    first[numbers[::-1]] = np.arange(len(distinct))[::-1]
    later = np.flatnonzero(first[numbers] != np.arange(len(distinct))).tolist()
    findings.add_each(
        "DAT214",
        later,
        lambda place: {
            "first": named(distinct[int(first[numbers[place]])].as_py()),
            "second": named(distinct[place].as_py()),
        },
    )
