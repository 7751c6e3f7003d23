"""An index as a folder: `index.safetensors` for numbers, `index.json` for names.

Invariant: what is opened is checked against itself before it is used; vectors stay in the file until they are
searched. Precision `float16` halves the file; `int8` keeps 64 main axes with one step for each: 80,091 images
in 5 MB, for bundles.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from radcap.core import InputError, Missing
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.rank_weights import RankWeights
from radcap.detection.retrieval.reduced import main_axes
from radcap.detection.retrieval.stored_faults import stored_faults
from radcap.detection.retrieval.tags import Tags
from radcap.detection.retrieval.tensors import open_tensors, write_tensors
from radcap.detection.retrieval.vectors import prepared

__all__ = ["Precision", "load_index", "save_index"]

Precision: TypeAlias = Literal["float32", "float16", "int8"]
Arrays: TypeAlias = dict[str, NDArray[Any]]

_KIND, _VERSION = "radcap neighbour index", 1
_TOP = 127


def save_index(
    index: NeighbourIndex, folder: Path, precision: Precision = "float16", dimensions: int = 64
) -> None:
    """Write the index; `dimensions` is how many axes `int8` keeps."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays: Arrays = {"starts": index.tags.starts, "codes": index.tags.codes}
    arrays |= _packed(index, dimensions) if precision == "int8" else _plain(index, precision)
    if index.ranks is not None:
        arrays |= {"ranks": index.ranks.weights, "cut": np.array([index.ranks.cut], np.float32)}
    about = {
        "kind": _KIND,
        "version": _VERSION,
        "metric": index.metric,
        "ids": index.ids,
        "labels": index.labels,
        "groups": index.groups,
    }
    write_tensors(arrays, folder / "index.safetensors")
    text = json.dumps(about, ensure_ascii=False)
    hidden = folder / "index.json.part"
    hidden.write_text(text, encoding="utf-8")
    hidden.replace(folder / "index.json")


def load_index(folder: Path) -> NeighbourIndex:
    """Raises InputError for files that are broken or do not fit together."""
    about = _about(folder / "index.json")
    path = folder / "index.safetensors"
    arrays = open_tensors(path)
    wrong = stored_faults(about, arrays)
    if wrong:
        raise InputError(
            f"{path} and index.json cannot be used: {'; '.join(wrong)}. Build the index again.",
            path=str(path),
        )
    vectors = arrays["vectors"]
    if "steps" in arrays:
        vectors = prepared(vectors * arrays["steps"], about["metric"])
    return NeighbourIndex(
        vectors,
        tuple(about["ids"]),
        tuple(about["labels"]),
        Tags(np.array(arrays["starts"]), np.array(arrays["codes"]), len(about["labels"])),
        tuple(about["groups"]),
        about["metric"],
        np.array(arrays["axes"], np.float32) if "axes" in arrays else None,
        RankWeights(np.array(arrays["ranks"]), float(arrays["cut"][0])) if "ranks" in arrays else None,
    )


def _plain(index: NeighbourIndex, precision: Precision) -> Arrays:
    arrays: Arrays = {"vectors": index.vectors.astype(precision)}
    return arrays if index.axes is None else arrays | {"axes": index.axes}


def _packed(index: NeighbourIndex, dimensions: int) -> Arrays:
    """Main axes, and integers in steps of 1/127 of the largest number on each."""
    vectors = np.asarray(index.vectors, np.float32)
    axes = main_axes(vectors, min(dimensions, vectors.shape[1])) if len(vectors) else np.eye(vectors.shape[1])
    few = vectors @ axes.astype(np.float32)
    steps = np.maximum(np.abs(few).max(axis=0, initial=0) / _TOP, 1e-30).astype(np.float32)
    whole = axes if index.axes is None else index.axes @ axes
    return {
        "vectors": np.rint(few / steps).astype(np.int8),
        "steps": steps,
        "axes": np.ascontiguousarray(whole, np.float16),  # finer than the steps by far
    }


def _about(path: Path) -> dict[str, Any]:
    try:
        about: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Missing(str(path), "An index is a folder with this file.", "Build it first.") from error
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as JSON: {error}. Build the index again.") from error
    about = cast("dict[str, Any]", about if isinstance(about, dict) else {})
    if about.get("kind") != _KIND or about.get("version") != _VERSION:
        raise InputError(f"{path} is no {_KIND} of version {_VERSION}. Build the index with this radcap.")
    return about
