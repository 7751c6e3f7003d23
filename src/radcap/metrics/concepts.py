"""Score a concept run as an edition did.

Invariant: a run that the edition's evaluator refuses gets no score; a run it accepts gets the same digits.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from radcap.core import (
    InputError,
    Issue,
    Run,
    Score,
    Task,
    UsageError,
    cui_set,
    mean_in_order,
    signature,
    unknown_name,
)
from radcap.formats import Expected, Findings, Kind, dialect, find_truth, named
from radcap.metrics.concept_f1 import set_f1
from radcap.metrics.concept_habits import concept_habits
from radcap.metrics.concept_macro_f1 import macro_f1
from radcap.metrics.concept_micro_f1 import micro_f1
from radcap.metrics.concept_precision import set_precision
from radcap.metrics.concept_recall import set_recall
from radcap.metrics.concept_sets import ConceptRules, EmptyTruth, SetPair, pair_up
from radcap.metrics.editions import ProfileName, Secondary, edition
from radcap.metrics.loading import fingerprint, labels_of, run_of
from radcap.metrics.reports import NotScored, ScoreReport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import CuiSet
    from radcap.metrics.editions import ConceptScores
    from radcap.metrics.loading import Labels

__all__ = ["LoadedConcepts", "concept_labels", "load_concepts", "score_concepts", "score_loaded"]

Measure: TypeAlias = Callable[[AbstractSet[str], AbstractSet[str]], float]

_PER_IMAGE = {"f1": set_f1, "precision": set_precision, "recall": set_recall}
_OVERALL = {"f1_micro": micro_f1, "f1_macro": macro_f1}


@dataclass(frozen=True, slots=True)
class LoadedConcepts:
    """A run and its truth, read once; both profiles can be scored from it."""

    edition: str
    run: Run
    truth: Run
    manual: Run | None
    issues: tuple[Issue, ...] = ()


def score_concepts(
    run: Labels,
    truth: Labels,
    *,
    edition: str = "2025",
    profile: str = "official",
    manual: Labels | None = None,
    cuis: str | None = None,
    empty_truth: str | None = None,
) -> ScoreReport:
    """F1 of a run against the truth, with everything that stands beside it.

    Files, `Run` values and plain mappings from image id to CUIs are taken alike. A truth folder brings
    its own manual labels. `cuis` restricts every score to a named set ('manual': that of the edition).
    """
    loaded = load_concepts(run, truth, edition=edition, manual=manual)
    return score_loaded(loaded, profile=profile, cuis=cuis, empty_truth=empty_truth)


def load_concepts(
    run: Labels,
    truth: Labels,
    *,
    edition: str = "2025",
    manual: Labels | None = None,
    strict: bool = False,
) -> LoadedConcepts:
    """Read run and truth under the rules of an edition; a run that breaks them is refused with all issues."""
    labels, manual_labels = concept_labels(truth, manual, edition)
    ids = dict.fromkeys(labels.cells)
    if manual_labels is not None and dialect(edition, Task.CONCEPTS).ordered:
        ids.update(dict.fromkeys(manual_labels.cells))  # the check of 2026 asks for these as well
    expected = Expected.of(ids, labels.name or "the truth")
    found, issues = run_of(run, Task.CONCEPTS, edition, expected, strict=strict)
    return LoadedConcepts(edition, found, labels, manual_labels, issues)


def concept_labels(truth: Labels, manual: Labels | None, edition: str) -> tuple[Run, Run | None]:
    """The truth, and the manual labels that were given or that lie in its folder."""
    dialect(edition, Task.CONCEPTS)  # an unknown edition is refused before any file is read
    if manual is None and isinstance(truth, Path | str):
        manual = find_truth(Path(truth), Kind.MANUAL)
    labels = labels_of(truth, Kind.CONCEPTS, edition)
    return labels, None if manual is None else labels_of(manual, Kind.MANUAL, edition)


def score_loaded(
    loaded: LoadedConcepts,
    *,
    profile: str = "official",
    cuis: str | None = None,
    empty_truth: str | None = None,
) -> ScoreReport:
    """Score what was loaded under one profile."""
    chosen = edition(loaded.edition).profile(profile)
    scoring = _Scoring(loaded, profile, chosen.concepts, _empty_rule(profile, empty_truth))
    return scoring.primary() if cuis is None else scoring.restricted(cuis)


def _empty_rule(profile: str, empty_truth: str | None) -> EmptyTruth | None:
    if empty_truth is None:
        return None
    if profile == ProfileName.OFFICIAL:
        raise UsageError(
            "The official profile has its own rule for an empty truth. It cannot be switched. "
            "Choose the documented profile."
        )
    if empty_truth not in list(EmptyTruth):
        raise unknown_name("rule for an empty truth", empty_truth, EmptyTruth)
    return EmptyTruth(empty_truth)


class _Scoring:
    """One run under one profile."""

    def __init__(
        self, loaded: LoadedConcepts, profile: str, concepts: ConceptScores, empty: EmptyTruth | None
    ) -> None:
        self._loaded = loaded
        self._profile = profile
        self._rules = concepts.rules if empty is None else replace(concepts.rules, empty_truth=empty)
        self._concepts = concepts
        self._empty = empty
        self._read = cache(self._rules.read)  # the secondary scores read the same run again
        self._truth = {key: cell for key, cell in loaded.truth.cells.items() if self._rules.counts(key)}
        self._findings = Findings(dialect(loaded.edition, Task.CONCEPTS))
        self._missing: list[NotScored] = []
        self._marks = [fingerprint(loaded.truth), fingerprint(loaded.manual or loaded.truth)]

    def primary(self) -> ScoreReport:
        """All concepts, then the secondary scores on the manual labels."""
        pairs = pair_up(self._truth, self._loaded.run.cells, self._read, self._rules.empty_truth)
        if not pairs:
            raise InputError(
                "No image of the truth names a concept. The mean is undefined. Check the truth file."
            )
        first, *others = self._scores(pairs, "all", self._rules.empty_truth)
        asked = () if self._concepts.secondary is None else (self._concepts.secondary, *self._concepts.more)
        secondary = [score for one in asked if (score := self._secondary(one)) is not None]
        return self._report(pairs, (first, *secondary, *others))

    def restricted(self, cuis: str) -> ScoreReport:
        """Every score on one named set, against the manual labels where there are any."""
        chosen = self._manual_set() if cuis == "manual" else cui_set(cuis)
        empty = self._empty or EmptyTruth.SKIP
        manual = self._loaded.manual
        truth = self._truth if manual is None else self._manual_labels(manual)
        pairs = [] if truth is None else self._pairs(truth, chosen, empty)
        if not pairs:
            raise InputError(f"No score on {chosen.name} can be formed.", self._findings.issues)
        return self._report(pairs, self._scores(pairs, chosen.name, empty))

    def _manual_set(self) -> CuiSet:
        secondary = self._concepts.secondary
        if secondary is None or secondary.cuis is None:
            raise UsageError(
                f"Edition {self._loaded.edition} has no manual set in its {self._profile} profile. "
                "Name a set: see radcap editions."
            )
        return secondary.cuis

    def _secondary(self, secondary: Secondary) -> Score | None:
        if secondary.cuis is None:
            ids = tuple(self._loaded.truth.cells)
            mark = self._signature(secondary.name, "none", constant=0)
            return Score(secondary.name, 0.0, len(ids), mark, ids, (0.0,) * len(ids))
        if self._loaded.manual is None:
            how = "Give a truth folder with concepts_manual.csv, or the file itself (--manual)."
            self._missing.append(NotScored(secondary.name, "No manual labels were given.", how))
            return None
        truth = self._manual_labels(self._loaded.manual)
        empty = self._empty or secondary.empty_truth
        pairs = [] if truth is None else self._pairs(truth, secondary.cuis, empty)
        if not pairs:
            why = self._findings.issues[-1].message
            why = f"The official evaluator fails here: {why}" if self._profile == "official" else why
            self._missing.append(NotScored(secondary.name, why, "Mend the manual labels."))
            return None
        mark = self._signature(secondary.name, secondary.cuis.name, empty=empty.value)
        return self._score(secondary.name, set_f1, pairs, mark, self._unseen(self._loaded.manual))

    def _unseen(self, manual: Run) -> tuple[str, ...]:
        """Images that only the manual labels have: no run names them, the official mean counts them as 0."""
        if self._profile != ProfileName.OFFICIAL:
            return ()
        named_by_run = self._loaded.run.cells
        return tuple(one for one in manual.cells if one not in named_by_run and self._rules.counts(one))

    def _score(
        self, name: str, measure: Measure, pairs: Sequence[SetPair], mark: str, unseen: tuple[str, ...] = ()
    ) -> Score:
        """Per-image values in the order of the truth; their mean is summed as the evaluators' loop runs."""
        ids = (*(pair.id for pair in pairs), *unseen)
        values = (*(measure(pair.predicted, pair.truth) for pair in pairs), *(0.0 for _ in unseen))
        by_id = dict(zip(ids, values, strict=True))
        in_order = [by_id.pop(one) for one in self._loaded.run.cells if one in by_id]
        return Score(name, mean_in_order([*in_order, *by_id.values()]), len(ids), mark, ids, values)

    def _manual_labels(self, manual: Run) -> dict[str, str | None] | None:
        """The manual labels in the order of the truth, or None if an image that counts has none at all."""
        absent = [one for one in self._truth if one not in manual.cells]
        if absent and not self._findings.counts["TRU101"]:
            for image_id in absent:
                self._findings.add(
                    "TRU101", 0, 0, id=named(image_id), file=manual.name or "the manual labels"
                )
        if absent:
            return None
        more = (one for one in manual.cells if one in self._loaded.run.cells and self._rules.counts(one))
        return {one: manual.cells[one] for one in (*self._truth, *more)}

    def _pairs(self, truth: Mapping[str, str | None], cuis: CuiSet, empty: EmptyTruth) -> list[SetPair]:
        pairs = pair_up(truth, self._loaded.run.cells, self._read, empty, cuis.cuis)
        if not pairs:
            self._findings.add("TRU102", 0, 0, n=len(cuis.cuis))
        return pairs

    def _scores(self, pairs: Sequence[SetPair], cuis: str, empty: EmptyTruth) -> tuple[Score, ...]:
        def mark(name: str) -> str:
            return self._signature(name, cuis, empty=empty.value)

        return (
            *(self._score(name, measure, pairs, mark(name)) for name, measure in _PER_IMAGE.items()),
            *(Score(name, total(pairs), len(pairs), mark(name)) for name, total in _OVERALL.items()),
        )

    def _signature(self, name: str, cuis: str, **more: str | int) -> str:
        return signature(
            name,
            edition=self._loaded.edition,
            profile=self._profile,
            cuis=cuis,
            prep=_preparation(self._rules),
            **more,
            truth=self._marks[cuis not in {"all", "none"}],
        )

    def _report(self, pairs: Sequence[SetPair], scores: tuple[Score, ...]) -> ScoreReport:
        return ScoreReport(
            edition=self._loaded.edition,
            profile=self._profile,
            task=Task.CONCEPTS,
            n=len(pairs),
            scores=scores,
            missing=tuple(self._missing),
            issues=(*self._loaded.issues, *self._findings.issues),
            habits=concept_habits(pairs),
        )


def _preparation(rules: ConceptRules) -> str:
    """How cells became sets, in the short form a signature has."""
    marks = {
        "strip": rules.strip,
        "blank1": rules.blank_is_concept,
        "parts1": rules.keep_empty_parts,
        "skipID": rules.skip_ids_with_id,
    }
    return "+".join(["upper", *(name for name, on in marks.items() if on)])
