"""Editions as tables for people: what is measured, how files look, where code and documents disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import Task
from radcap.formats import DIALECTS
from radcap.metrics.boards import board
from radcap.metrics.concept_sets import EmptyTruth
from radcap.metrics.differences import differences
from radcap.metrics.editions import EDITIONS, BothEmpty, Edition, Profile, ProfileName
from radcap.report import Table
from radcap.stats import ranks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.formats import Dialect
    from radcap.metrics.concept_sets import ConceptRules
    from radcap.metrics.editions import CaptionScores, Secondary

__all__ = ["board_table", "difference_table", "edition_table", "editions_table", "file_table"]

_SEPARATORS = {"\t": "tab", "|": "|", ",": "comma"}
_BOTH_EMPTY = {
    BothEmpty.PREPARED: "1 where nothing is left of either caption",
    BothEmpty.WRITTEN: "1 where both captions are written empty",
    BothEmpty.FAILS: "the evaluator fails where nothing is left of either caption",
}
_PACKING = {True: "zip with submission.csv", False: "plain", None: "plain or zip"}


def editions_table() -> Table:
    """All editions, one row each, as the official profile has them."""
    rows = tuple(
        (
            one.name,
            one.images,
            _primary_concepts(one.official),
            _primary_captions(one.official),
            "inferred" if one.official.inferred else "",
        )
        for one in EDITIONS.values()
    )
    return Table(("edition", "train / valid / test images", "concepts", "captions", "note"), rows)


def edition_table(one: Edition) -> Table:
    """What one edition measures, both profiles side by side."""
    facts = [_facts(one.profile(name)) for name in ProfileName]
    rows = tuple((name, facts[0][name], facts[1][name]) for name in facts[0])
    return Table(
        ("measured", "official", "documented"),
        rows,
        f"{one.title}, train / valid / test images: {one.images}",
    )


def file_table(one: Edition) -> Table:
    """How the run files of one edition are written."""
    forms = [form for task in Task if (form := DIALECTS.get((one.name, task))) is not None]
    described = [_describe(form) for form in forms]
    rows = tuple((name, *(facts[name] for facts in described)) for name in described[0])
    return Table(("run files", *(form.task.value for form in forms)), rows)


def difference_table(name: str) -> Table:
    """Where code and documents disagree."""
    rows = tuple(
        (str(one.number), one.task, one.topic, one.official, one.documented) for one in differences(name)
    )
    return Table(("no.", "task", "topic", "official", "documented"), rows, right=frozenset({"no."}))


def board_table(name: str, task: Task) -> Table:
    """The published board with ranks computed from its values; external data and baselines rank apart."""
    rows = board(name, task)
    metrics = list(dict.fromkeys(metric for row in rows for metric in row.scores))
    cells: list[tuple[str, ...]] = []
    for group in (False, True):
        listed = [row for row in rows if not row.baseline and bool(row.external) is group]
        places = ranks([row.scores[metrics[0]] for row in listed])
        cells += [
            (str(place), row.team, *_values(row.scores, metrics), row.external or "-")
            for place, row in zip(places, listed, strict=True)
        ]
    cells += [
        ("-", row.team, *_values(row.scores, metrics), "organisers' baseline") for row in rows if row.baseline
    ]
    return Table(
        ("rank", "team", *metrics, "external data"), tuple(cells), right=frozenset({"rank", *metrics})
    )


def _values(scores: Mapping[str, float], metrics: list[str]) -> list[str]:
    return [f"{scores[metric]:.4f}" if metric in scores else "-" for metric in metrics]


def _primary_concepts(profile: Profile) -> str:
    secondary = profile.concepts.secondary
    return "f1" if secondary is None else f"f1, {_secondary(secondary)}"


def _primary_captions(profile: Profile) -> str:
    captions = profile.captions
    if captions is None:
        return "not held"
    second = "secondary (constant 0)" if captions.constant else captions.secondary
    return captions.primary if second is None else f"{captions.primary}, {second}"


def _facts(profile: Profile) -> dict[str, str]:
    concepts = profile.concepts
    secondary = "none"
    if concepts.secondary is not None:
        secondary = "; ".join(_secondary(one) for one in (concepts.secondary, *concepts.more))
    return {
        "concepts, primary": "f1, mean over images",
        "concepts, secondary": secondary,
        "concepts, cells": _cells(concepts.rules),
        "concepts, empty truth": _empty(concepts.rules),
        "captions, ranked by": _primary_captions(profile),
        **_caption_facts(profile.captions),
        "source": "inferred from the nearest public script" if profile.inferred else "published",
    }


def _caption_facts(captions: CaptionScores | None) -> dict[str, str]:
    facts = ("metrics", "figures", "preparation", "both empty", "BLEU")
    if captions is None:
        return {f"captions, {name}": "-" for name in facts}
    told = (
        ", ".join(captions.metrics),
        ", ".join(captions.aggregates) or "none",
        _preparation(captions),
        _BOTH_EMPTY[captions.both_empty],
        _bleu(captions),
    )
    return {f"captions, {name}": fact for name, fact in zip(facts, told, strict=True)}


def _bleu(captions: CaptionScores) -> str:
    """The rule for an order without a match, where the edition has BLEU of sentences."""
    if "bleu" not in captions.metrics:
        return "-"
    again = "; an image without a score counts as the one before it" if captions.previous_again else ""
    return f"{captions.bleu_rule} (NLTK 3.2.2 to 3.2.5){again}"


def _secondary(secondary: Secondary) -> str:
    if secondary.cuis is None:
        return f"{secondary.name} (constant 0)"
    return f"{secondary.name} on {secondary.cuis.name} ({len(secondary.cuis.cuis)} CUIs)"


def _preparation(captions: CaptionScores) -> str:
    """Each preparation with the metrics it is for, where there is more than one."""
    groups: dict[str, list[str]] = {}
    for metric in captions.metrics:
        groups.setdefault(captions.preparation_of(metric), []).append(metric)
    if len(groups) == 1:
        return captions.preparation
    return "; ".join(f"{how} for {', '.join(metrics)}" for how, metrics in groups.items())


def _cells(rules: ConceptRules) -> str:
    marks = (
        "blanks around a CUI dropped" if rules.strip else "blanks around a CUI kept",
        "an empty part is a concept" if rules.keep_empty_parts else "empty parts dropped",
        "rows whose id contains 'ID' skipped" if rules.skip_ids_with_id else "",
    )
    return "upper-cased; " + "; ".join(filter(None, marks))


def _empty(rules: ConceptRules) -> str:
    if rules.blank_is_concept:
        return "counts: the empty cell is one empty concept"
    return (
        "image left out" if rules.empty_truth is EmptyTruth.SKIP else "counts: 1 if the run names none either"
    )


def _describe(form: Dialect) -> dict[str, str]:
    return {
        "separator": " or ".join(_SEPARATORS[one] for one in form.separators),
        "quoting": "CSV quotes" if form.quoting else "none",
        "header": {"none": "none", "contains ID": "optional"}.get(form.header.value, form.header.value),
        "columns": ",".join(form.columns),
        "packing": _PACKING[form.zipped],
        "order of rows": "that of the truth" if form.ordered else "any",
        "CUIs per image": "-" if form.task is Task.CAPTIONS else str(form.max_cuis or "not stated"),
        "runs per team": str(form.max_runs or "not stated"),
    }
