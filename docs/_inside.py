"""The page about what ships inside: models, dataset, vocabulary and small data, with licences and sizes.

Invariant: names, licences, counts and limits are those of the cards; sizes are those of the files.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from _markdown import plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["inside_page"]

TEXT = """
The first minute needs no download, because these come with the package. Each has a card; this page is made
from the cards and the files, and `NOTICE` in the repository names every author. The licence of the code,
Apache-2.0, covers none of it but what radcap wrote itself.
""".strip()

MEGABYTE = 1_000_000
PAGES = {"zoo:concepts": "detector.md", "zoo:captions": "captioner.md"}
SMALL = {
    "demo": "labels of real images and captions of published figures, the truth of `radcap demo`",
    "published": "boards that the overviews published, for `radcap editions --board`",
    "words": "English stop words that the evaluators of 2017 to 2022 dropped",
}
KINDS = {
    "demo": "labels as their images; captions CC BY, each article named in `captions_attribution.csv`",
    "published": "facts, with their source",
    "words": "BSD, three clauses (Snowball)",
}


def inside_page() -> str:
    parts = ["# What ships inside", TEXT, "## In short", _short()]
    parts += ["## Models", *_models(), "## Dataset", *_dataset(), "## Vocabulary", *_vocabulary()]
    parts += ["## Small data", _small()]
    return "\n\n".join(parts) + "\n"


def _data() -> Path:
    return Path(str(files("radcap"))) / "data"


def _megabytes(*folders: Path) -> str:
    size = sum(one.stat().st_size for folder in folders for one in folder.rglob("*") if one.is_file())
    return f"{size / MEGABYTE:.1f}" if size >= MEGABYTE else f"{size / MEGABYTE:.2f}"


def _json(path: Path) -> Any:  # noqa: ANN401 - a card
    return json.loads(path.read_text(encoding="utf-8"))


def _cards() -> dict[str, tuple[Path, Mapping[str, Any]]]:
    from radcap.zoo import find, names

    return {name: (find(name), _json(find(name) / "card.json")) for name in names()}


def _short() -> str:
    data = _data()
    open_card = _json(data / "radiology_open" / "card.json")
    free = _json(data / "vocabulary" / "free" / "sources.json")
    rows = [
        [f"`{name}`", f"model for {card['task']}", _megabytes(folder), plain(card["licence"])]
        for name, (folder, card) in _cards().items()
    ]
    rows += [
        ["`radiology-open`", "dataset", _megabytes(data / "radiology_open"), plain(open_card["licence"])],
        ["`free`", "vocabulary, with rules and word lists", _megabytes(data / "vocabulary"), free["licence"]],
        ["", "small data", _megabytes(*(data / name for name in SMALL)), "see below"],
    ]
    return table(("Name", "What", "MB", "Licence"), rows, numbers=("MB",))


def _models() -> Iterator[str]:
    for name, (folder, card) in _cards().items():
        yield f"### {name}"
        title = card.get("title", "Concepts of a radiology image")
        yield f"**{plain(title)}.** {plain(card['intended_use'])}"
        yield _facts(
            {
                "Licence": plain(card["licence"]),
                "Attribution": plain(card["attribution"]),
                "Trained on": _trained_on(card["data"]),
                "Labels it knows": f"{card['labels']:,}",
                "Size": f"{_megabytes(folder)} MB",
            }
        )
        yield "What it cannot do:"
        yield _listed(card["limits"])
        if name in PAGES:
            yield f"Scores and all the rest: [the page of `{name}`]({PAGES[name]})."


def _trained_on(data: Mapping[str, Any]) -> str:
    images = data["train"] + data.get("held_out", data.get("valid", 0))
    sources = ", ".join(f"{name} {count:,}" for name, count in data["sources"].items())
    return f"{images:,} images of {plain(data['name'])}: {plain(sources)}"


def _dataset() -> Iterator[str]:
    folder = _data() / "radiology_open"
    card = _json(folder / "card.json")
    yield f"### {card['name']}"
    yield plain(card["description"])
    yield f"**Labels.** {plain(card['labels'])}"
    yield _facts(
        {
            "Version": plain(card["version"]),
            "Images": ", ".join(f"{split} {n:,}" for split, n in card["counts"].items()),
            "Made for": plain(card["intended_use"]),
            "Not for": plain(card["not_for"]),
            "Cite": plain(card["citation"]),
            "Size": f"{_megabytes(folder)} MB",
        }
    )
    for title, key in (("Source", "sources"), ("Licence", "licences")):
        rows = [[plain(name), f"{count:,}"] for name, count in card[key].items()]
        yield table((title, "Images"), rows, numbers=("Images",))
    yield "What to know before you use it:"
    yield _listed(card["limitations"])


def _vocabulary() -> Iterator[str]:
    from pyarrow.parquet import read_table

    folder = _data() / "vocabulary" / "free"
    free = _json(folder / "sources.json")
    names = read_table(folder / "names.parquet", columns=["cui"])
    yield f"### {free['name']}"
    concepts = len(names.column("cui").unique())
    yield (
        f"{len(names):,} names of {concepts:,} concepts, {plain(free['licence'])}. What it "
        "finds and what not: [How concepts are found](../explanation/vocabulary.md)."
    )
    rows = [
        [plain(one["title"]), plain(one["release"]), plain(one["licence"]), plain(one["attribution"])]
        for one in free["sources"]
    ]
    yield table(("Source", "Release", "Licence", "Attribution"), rows)


def _small() -> str:
    rows = [[f"`data/{name}`", what, KINDS[name], _megabytes(_data() / name)] for name, what in SMALL.items()]
    return table(("Folder", "What", "Licence", "MB"), rows, numbers=("MB",))


def _facts(facts: Mapping[str, str]) -> str:
    return table(("Card", ""), [[f"**{name}**", value] for name, value in facts.items()])


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {plain(one)}" for one in lines)
