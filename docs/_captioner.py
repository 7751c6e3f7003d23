"""The page about a shipped captioner: the words of `_captioner.txt` with the figures of its card.

Invariant: every measured figure is read from the card; none is kept by hand. Captions of two sources never
share a table.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["captioner_page"]

METRICS = {
    "rouge1": "ROUGE-1",
    "rougeL": "ROUGE-L",
    "bleu4": "BLEU-4",
    "cider": "CIDEr",
    "concepts": "concepts",
}
OTHERS = {
    "nearest": "the caption of the nearest training image",
    "frequent": "the commonest training caption, for every image",
    "template": "the detector's concepts in the words of the grammar",
}
SOURCES = {"composed": "Composed captions", "original": "Original captions"}


def captioner_page(card: Mapping[str, Any], model: str = "zoo:captions") -> str:
    """The page of a card."""
    words = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    told = {
        "model": model,
        "weights": f"{card['weights']:,}",
        "tokens": f"{card['tokens']:,}",
        "intended_use": card.get("intended_use", "Research on radiology images. Not for diagnosis."),
        "scores": "\n\n".join(_scores(source, told) for source, told in card["test"].items()),
        "others": _others(card["test"]),
        "tests": _tests(card["tests"]),
        "modality": _modality(card["modality"]),
        "support": _support(card.get("support", {})),
        "tried": _tried(card.get("tried", {})),
        "recipe": _recipe(card.get("recipe", {}), str(card.get("held_out_note", ""))),
        "examples": _examples(card["examples"]),
        "speed": _table(["", "figure"], [[_words(key), _figure(one)] for key, one in card["speed"].items()]),
        "data": _data(card["data"]),
        "stages": _stages(card["stages"]),
        "held_out": _held_out(card["held_out"]),
        "licence": str(card["licence"]).rstrip("."),
        "limits": "\n".join(f"- {one}" for one in card["limits"]),
    }
    return words.format_map(told)


def _scores(source: str, told: Mapping[str, Any]) -> str:
    """A table of one source: a row for each captioner."""
    first = next(iter(told.values()))
    header = ["Captioner", "images", *(METRICS.get(name, name) for name in first if name != "n")]
    rows = [_row(name, one, first) for name, one in told.items()]
    return f"### {SOURCES.get(source, source)}\n\n{_table(header, rows)}"


def _row(name: str, one: Mapping[str, Any], like: Mapping[str, Any]) -> list[str]:
    values = [_with_interval(one[key]) if key in one else "" for key in like if key != "n"]
    return [f"**{name}**" if name == "captioner" else name, f"{one['n']:,}", *values]


def _with_interval(one: Mapping[str, float]) -> str:
    return f"{one['value']:.4f} [{one['low']:.4f}, {one['high']:.4f}]"


def _others(test: Mapping[str, Any]) -> str:
    """What the rows beside the captioner are."""
    named = {name for told in test.values() for name in told}
    known = [f"*{name}*: {what}" for name, what in OTHERS.items() if name in named]
    return f"The others: {'; '.join(known)}." if known else ""


def _tests(tests: Mapping[str, Any]) -> str:
    rows = [
        [METRICS.get(metric, metric), against, _difference(one), f"{one['p']:.4g}"]
        for metric, found in tests.items()
        for against, one in found.items()
    ]
    if not rows:
        return ""
    text = "The captioner's lead over each, on composed captions, with paired tests over the same images:"
    return f"{text}\n\n{_table(['Metric', 'against', 'difference', 'p'], rows)}"


def _difference(one: Mapping[str, float]) -> str:
    return f"{one['difference']:+.4f} [{one['low']:+.4f}, {one['high']:+.4f}]"


def _modality(told: Mapping[str, Any]) -> str:
    ours, theirs = (f"{told[who]:.1%}" for who in ("captioner", "detector"))
    return (
        f"Its captions name the right modality in {ours} of {told['n']:,} images that have one; the detector"
        f" it leans on does in {theirs}."
    )


def _support(told: Mapping[str, Any]) -> str:
    """What captions claim, held against the detector."""
    if not told:
        return ""
    return (
        f"{told['claims_unsupported']:,} captions claim a finding or a modality that the detector does not"
        f" support; {told['names_a_finding']:,} name a finding; {told['plain_sentence_instead']:,} are the"
        f" plain sentence of the grammar, since no draft would do. A caption has {told['mean_words']:.1f}"
        f" words in the mean, and {told['distinct_captions']:,} are different."
    )


def _recipe(told: Mapping[str, Any], note: str) -> str:
    lines = [f"- {name}: {what}" for name, what in told.items()]
    return "\n".join([*lines, "", note]).strip()


def _tried(told: Mapping[str, Any]) -> str:
    """What else was tried, with its figures or its fate."""
    if not told:
        return ""
    keys = ("rouge1", "cider", "concepts")
    rows = [
        [name, *(f"{one[key]:.4f}" for key in keys)] for name, one in told.items() if isinstance(one, dict)
    ]
    fates = [f"{name}: {one}." for name, one in told.items() if isinstance(one, str) and name != "note"]
    table = _table(["Captioner", *(METRICS[key] for key in keys)], rows)
    return "\n\n".join(["What was tried. " + str(told.get("note", "")), table, *fates])


def _examples(told: Mapping[str, Any]) -> str:
    good = [[one["image"], one["caption"], one["truth"]] for one in told["good"]]
    bad = [[one["image"], one["caption"], one["truth"], one["why"]] for one in told["bad"]]
    head = ["Image", "Caption", "Truth"]
    parts = [
        "Some that went well:",
        _table(head, good, figures=False),
        "Some that did not, and why:",
        _table([*head, "What is wrong"], bad, figures=False),
    ]
    return "\n\n".join(parts)


def _data(data: Mapping[str, Any]) -> str:
    """What it saw, with sources and licences where the card has them."""
    parts = [f"It saw {data['name']}: {data['train']:,} images of train and {data['held_out']:,} of valid."]
    for key, title in (("captions", "Captions"), ("sources", "Source"), ("licences", "Licence")):
        if data.get(key):
            parts.append(_table([title, "images"], [[name, f"{n:,}"] for name, n in data[key].items()]))
    return "\n\n".join(parts)


def _stages(stages: Mapping[str, Any]) -> str:
    keys = ("epochs", "last_loss", "held_loss", "held_score")
    rows = [[name, *(_figure(one.get(key)) for key in keys)] for name, one in stages.items()]
    return _table(["Stage", "epochs", "last loss", "held-out loss", "held-out score"], rows)


def _held_out(held: Mapping[str, Any]) -> str:
    """The figures that choices were made by."""
    tables = [_scores(f"Held-out, {source}", {"captioner": one}) for source, one in held.items()]
    return "\n\n".join(tables)


def _figure(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.4g}"  # noqa: PLR2004 - digits that say nothing
    return f"{value:,}" if isinstance(value, int) else str(value)


def _words(key: str) -> str:
    """A key of the card as words."""
    return key.replace("_", " ").replace(" per s", " a second")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], *, figures: bool = True) -> str:
    """Columns of figures are aligned to the right."""
    lines = [header, ["---", *["---:" if figures else "---"] * (len(header) - 1)], *rows]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
