"""The tables of docs/explainability.md.

Invariant: every figure stands with the number of images it comes from where those are few, and with its 95 %
interval over images where they are not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from explanations.choosing import LEAST, REFERENCES, UNLEARNT, candidates, less, models_of
from explanations.keeping import GAIN, read_copy, read_figures, write_copy
from radcap.explanation.families import DEFAULTS, FAMILIES
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from explanations.choosing import Candidate
    from explanations.keeping import Measured, Study
    from radcap.explanation.faithfulness.intervals import Mean

__all__ = ["BEGIN", "COPY", "END", "PAGE", "report", "write_report"]

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "explainability.md"
COPY = DOCS / "studies" / "explanations.json.gz"
BEGIN, END = "<!-- scripts/study_explanations.py writes from here -->", "<!-- to here -->"

_BY_CONSTRUCTION = "1 by construction"
_SHIPPED = {"real-cnn": "`zoo:concepts`", "real-transformer": "`zoo:captions`"}
_FINE = ", fine"  # behind the name of a method: with more looks at the image than it takes by default
_SHOWN = 3  # methods of a family in the table of the choice


def write_report(figures: Path, *, write: bool) -> str:
    """The tables, from the files of `measure` or from the copy; `write` puts them into the page."""
    fresh = read_figures(figures)
    study = read_copy(COPY) if fresh is None else fresh
    text = report(study)
    if write:
        _put(text)
        if fresh is not None:
            write_copy(fresh, COPY)
    return text


def _put(text: str) -> None:
    """Between the two marks of the page."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text.strip()}\n\n{END}{after}", encoding="utf-8")


def report(study: Study) -> str:
    families = [one for one in FAMILIES if any(study.of(model) for model in models_of(one))]
    parts = ["### The models", _models_table(study).to_markdown(), "### What the rule chooses"]
    parts.append(_choice_table(study, families).to_markdown())
    parts += ["### On phantoms", *_tables(study, families, "phantom", _phantom_table)]
    parts += ["### On bundled images", *_tables(study, families, "real", _real_table)]
    return "\n\n".join(parts) + "\n"


def _tables(
    study: Study, families: list[str], data: str, table: Callable[[list[Measured]], Table]
) -> list[str]:
    found: list[str] = []
    for family in families:
        model = f"{data}-{family}"
        rows = sorted(study.of(model), key=_order)
        if rows and model not in UNLEARNT:
            shown = _SHIPPED.get(model, "")
            title = f"#### {family}: {FAMILIES[family]}{shown and f', {shown}'}"
            found += [title, table(rows).to_markdown()]
    return found


def _order(one: Measured) -> tuple[bool, float]:
    """References last; then by insertion less deletion, best first."""
    mean = one.means.get(GAIN)
    return one.method in REFERENCES, 2.0 if mean is None else -mean.value


def _models_table(study: Study) -> Table:
    columns = ("model", "held-out images", "F1", "ROUGE-1", "CIDEr")
    rows = [
        (name, f"{card['n']:g}", *(_score(card.get(key)) for key in ("f1", "rouge1", "cider")))
        for name, card in study.cards.items()
    ]
    return Table(columns, tuple(rows), right=frozenset(columns[1:]))


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _choice_table(study: Study, families: list[str]) -> Table:
    columns = ("family", "method", "phantoms", "bundled", "mean", "")
    columns += ("above the default, phantoms", "above the default, bundled")
    rows = [row for family in families for row in _choice_rows(study, family)]
    return Table(columns, tuple(rows), right=frozenset(columns[2:5]))


def _choice_rows(study: Study, family: str) -> list[tuple[str, ...]]:
    """The best few of a family, and its default wherever that stands."""
    default = DEFAULTS[family]
    found = candidates(study, family)
    places = {one.method: place for place, one in enumerate(found, 1) if one.mean is not None}
    shown = [one for one in found if places.get(one.method, _SHOWN + 1) <= _SHOWN or one.method == default]
    shown += [one for one in found if one.method == default + _FINE and one not in shown]
    return [_choice_row(study, family, one, places) for one in shown]


def _choice_row(study: Study, family: str, one: Candidate, places: dict[str, int]) -> tuple[str, ...]:
    default = DEFAULTS[family]
    known = dict(zip(models_of(family), one.scores, strict=True))
    scores = [known.get(f"{data}-{family}") for data in ("phantom", "real")]
    place = f"{places[one.method]}." if one.method in places else "too few images"
    told = f"{place}, the default" if one.method == default else place
    gaps = [_gap(study, f"{data}-{family}", one.method, default) for data in ("phantom", "real")]
    return (family, one.method, *(_score(each) or "-" for each in (*scores, one.mean)), told, *gaps)


def _gap(study: Study, model: str, method: str, default: str) -> str:
    """On the statements that both were measured on."""
    base = study.one(model, default)
    base = base if base is not None and base.images else study.one(model, default + _FINE)
    if model in UNLEARNT or base is None or base.method == method:
        return ""
    found = less(study.one(model, method), base)
    return "-" if found is None else f"{_cell(found, sign=True)}{_few(found)}"


def _few(mean: Mean) -> str:
    return f", {mean.images} images" if mean.images >= LEAST else ""


def _phantom_table(rows: list[Measured]) -> Table:
    columns = ("method", "images", "insertion less deletion", "ROAD", "points into the box", "IoU")
    columns += ("infidelity", "sensitivity", "weights made noise", "labels shuffled", "verdict")
    names = (GAIN, "road", "near", "overlap", "infidelity", "sensitivity")
    cells = [
        (*_head(one, names), _weights(one), _likeness(one, one.labels, len(one.twins)), _verdict(one))
        for one in rows
    ]
    return Table(columns, tuple(cells), right=frozenset({"images"}))


def _real_table(rows: list[Measured]) -> Table:
    columns = ("method", "images", "insertion less deletion", "ROAD", "better than noise and edges")
    columns += ("infidelity", "sensitivity", "weights made noise", "verdict", "seconds a map")
    names = (GAIN, "road", "better_than_both", "infidelity", "sensitivity")
    cells = [
        (*_head(one, names), _weights(one), _verdict(one), _seconds(one))
        for one in rows
        if one.images or one.method not in REFERENCES
    ]
    return Table(columns, tuple(cells), right=frozenset({"images", "seconds a map"}))


def _head(one: Measured, names: tuple[str, ...]) -> tuple[str, ...]:
    return (one.method, str(one.images), *(_cell(one.means.get(name)) for name in names))


def _cell(mean: Mean | None, *, sign: bool = False) -> str:
    if mean is None:
        return ""
    form = "{:+.2f}" if sign else "{:.2f}" if abs(mean.value) >= 0.1 else "{:.3f}"
    value, low, high = (form.format(one) for one in (mean.value, mean.low, mean.high))
    return f"{value} [{low}, {high}]" if mean.images >= LEAST else f"{value} ({mean.images})"


def _weights(one: Measured) -> str:
    told = _likeness(one, one.weights, len(one.likeness))
    return f"{told}, no map left" if one.vanished else told


def _likeness(one: Measured, value: float | None, count: int) -> str:
    if one.method in REFERENCES:
        return _BY_CONSTRUCTION
    return "" if value is None else f"{value:.2f} ({count})"


def _verdict(one: Measured) -> str:
    if one.method in REFERENCES:
        return "fails: no model made it"
    if one.fails:
        return f"fails: {' and '.join(one.fails)}"
    return "open: nothing to compare" if one.vanished and one.labels is None else "passes"


def _seconds(one: Measured) -> str:
    mean = one.means.get("seconds")
    return "" if mean is None or one.method in REFERENCES else f"{mean.value:.3f}"
