"""What each edition measures, as values: the challenge of 2017 to 2026, ROCOv2 and the tolerant `radcap`.

Invariant: an edition has two profiles. `official` is what the organisers' code does, bug for bug;
`documented` is what the paper or the task page says. Where no code is public the nearest known script
stands in and the profile says that it is inferred.
>>> edition("2025").official.concepts.secondary.cuis.name
'manual15'
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from radcap.core import CuiSet, Task, cui_set, unknown_name
from radcap.formats import DIALECTS, RADCAP
from radcap.metrics.aggregates import SIX
from radcap.metrics.bleu_rules import BleuRule
from radcap.metrics.concept_sets import ConceptRules, EmptyTruth
from radcap.metrics.preparation import Preparation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.formats import Dialect

__all__ = [
    "EDITIONS",
    "BothEmpty",
    "CaptionScores",
    "ConceptScores",
    "Edition",
    "Profile",
    "ProfileName",
    "Secondary",
    "edition",
]


class ProfileName(StrEnum):
    """Whose word counts: the organisers' code or their documents."""

    OFFICIAL = "official"
    DOCUMENTED = "documented"


@dataclass(frozen=True, slots=True)
class Secondary:
    """A second concept score on the manual labels. Without a set the evaluator returns a constant 0."""

    name: str
    cuis: CuiSet | None
    empty_truth: EmptyTruth = EmptyTruth.SKIP


@dataclass(frozen=True, slots=True)
class ConceptScores:
    """The concept side of a profile."""

    rules: ConceptRules
    secondary: Secondary | None = None
    more: tuple[Secondary, ...] = ()  # the same with other sets


class BothEmpty(StrEnum):
    """What two empty captions score."""

    PREPARED = "prepared"  # 1 if nothing is left of either after preparation
    WRITTEN = "written"  # 1 if both are empty as written
    FAILS = "fails"  # the evaluator breaks down if nothing is left of either after preparation


@dataclass(frozen=True, slots=True)
class CaptionScores:
    """The caption side of a profile."""

    primary: str  # the metric or aggregate that ranks
    secondary: str | None
    metrics: tuple[str, ...]
    preparation: Preparation
    both_empty: BothEmpty
    aggregates: tuple[str, ...] = ()
    bleu_rule: BleuRule = BleuRule.TRUNCATING
    previous_again: bool = False  # an image without a score counts as the one before it
    constant: bool = False  # the secondary score is 0 for every run

    def preparation_of(self, metric: str) -> Preparation:
        return Preparation.RAW if metric in _AS_WRITTEN else self.preparation


@dataclass(frozen=True, slots=True)
class Profile:
    """One way to score an edition. Every year asked for concepts; captions are None where it did not."""

    concepts: ConceptScores
    captions: CaptionScores | None
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Edition:
    """A year of the challenge, or a way of scoring that has a name of its own."""

    name: str
    title: str
    images: str  # train / valid / test, as far as published
    official: Profile
    documented: Profile

    def profile(self, name: ProfileName | str) -> Profile:
        if name not in list(ProfileName):
            raise unknown_name("profile", name, ProfileName)
        return self.official if name == ProfileName.OFFICIAL else self.documented

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "images": self.images,
            "official": _profile_json(self.official),
            "documented": _profile_json(self.documented),
            "files": {
                form.task.value: _dialect_json(form)
                for task in Task
                if (form := DIALECTS.get((self.name, task))) is not None
            },
        }


def _profile_json(profile: Profile) -> dict[str, Any]:
    concepts = profile.concepts
    secondaries = () if concepts.secondary is None else (concepts.secondary, *concepts.more)
    return {
        "inferred": profile.inferred,
        "concepts": {
            "rules": asdict(concepts.rules),
            "secondary": [
                {
                    "name": one.name,
                    "cuis": one.cuis.to_json() if one.cuis else None,
                    "empty_truth": one.empty_truth,
                }
                for one in secondaries
            ],
        },
        "captions": None if profile.captions is None else asdict(profile.captions),
    }


def _dialect_json(form: Dialect) -> dict[str, Any]:
    return {
        "separators": form.separators,
        "header": form.header.value,
        "columns": form.columns,
        "quoting": form.quoting,
        "zip": form.zipped,
        "ordered": form.ordered,
        "max_cuis": form.max_cuis,
        "max_runs": form.max_runs,
    }


# --- how cells become sets (evaluators of 2017/18 and of 2022-26; the documents) ---
_RULES17 = ConceptRules(
    strip=False, blank_is_concept=False, keep_empty_parts=True, empty_truth=EmptyTruth.SKIP
)
_RULES22 = ConceptRules(strip=True, blank_is_concept=True, keep_empty_parts=True, empty_truth=EmptyTruth.ONE)
_RULES23 = replace(_RULES22, skip_ids_with_id=True)
_PAPER = ConceptRules(strip=True, blank_is_concept=False, keep_empty_parts=False, empty_truth=EmptyTruth.SKIP)
_TOLERANT = replace(_PAPER, empty_truth=EmptyTruth.ONE)

_CONSTANT = Secondary("f1_manual", None)


def _manual(name: str) -> Secondary:
    return Secondary("f1_manual", cui_set(name))


# --- captions ---
_AS_WRITTEN = frozenset({"similarity", "umls_f1", "alignscore", "medcon", "clipscore", "refclipscore"})
_TEXT17 = CaptionScores("bleu", None, ("bleu",), Preparation.P17, BothEmpty.PREPARED)
_TEXT18 = replace(_TEXT17, previous_again=True, constant=True)
_TEXT22 = CaptionScores(
    "bleu",
    "rouge1",
    ("bleu", "rouge1", "meteor", "cider", "spice", "bertscore"),
    Preparation.P22C,
    BothEmpty.PREPARED,
)
_TEXT23 = CaptionScores(
    "bertscore",
    "rouge1",
    ("bertscore", "rouge1", "bleurt", "bleu1", "meteor", "cider", "clipscore"),
    Preparation.P23,
    BothEmpty.FAILS,
)
_TEXT24 = replace(_TEXT23, metrics=(*_TEXT23.metrics, "refclipscore", "clinical_bleurt", "medbertscore"))
_TEXT25 = CaptionScores(
    "overall",
    None,
    SIX,
    Preparation.P23,
    BothEmpty.WRITTEN,
    aggregates=("relevance_platform", "factuality", "relevance", "overall", "overall_platform"),
)
_TEXT25_PAPER = replace(_TEXT25, primary="mean_of_six", aggregates=("relevance", "factuality", "mean_of_six"))
_TEXT26 = replace(_TEXT25, aggregates=("relevance", "factuality", "overall"))


def _paper(scores: CaptionScores) -> CaptionScores:
    """No document has an evaluator that breaks down."""
    return replace(scores, both_empty=BothEmpty.WRITTEN)


_TABLE = (
    Edition(
        "2017",
        "ImageCLEFcaption 2017",
        "164,614 / 10,000 / 10,000",
        official=Profile(ConceptScores(_RULES17), _TEXT17),
        documented=Profile(ConceptScores(_RULES17), _TEXT17),
    ),
    Edition(
        "2018",
        "ImageCLEFcaption 2018",
        "test about 10,000",
        official=Profile(ConceptScores(_RULES17, _CONSTANT), _TEXT18),
        documented=Profile(ConceptScores(_RULES17), _TEXT17),
    ),
    Edition(
        "2019",
        "ImageCLEFmed Caption 2019",
        "test 10,000",
        official=Profile(ConceptScores(_RULES17), None, inferred=True),
        documented=Profile(ConceptScores(_RULES17), None),
    ),
    Edition(
        "2020",
        "ImageCLEFmed Caption 2020",
        "test 3,534",
        official=Profile(ConceptScores(_RULES17), None, inferred=True),
        documented=Profile(ConceptScores(_PAPER), None),
    ),
    Edition(
        "2021",
        "ImageCLEFmed Caption 2021",
        "test 444",
        official=Profile(ConceptScores(_RULES22), _TEXT17, inferred=True),
        documented=Profile(ConceptScores(_PAPER), _TEXT17),
    ),
    Edition(
        "2022",
        "ImageCLEFmedical Caption 2022",
        "83,275 / 7,645 / 7,645",
        official=Profile(ConceptScores(_RULES22, _CONSTANT), _TEXT22),
        documented=Profile(
            ConceptScores(_PAPER, _manual("manual2022-documented")),
            replace(_TEXT22, preparation=Preparation.P22),
        ),
    ),
    Edition(
        "2023",
        "ImageCLEFmedical Caption 2023",
        "60,918 / n/d / about 10,400",
        official=Profile(ConceptScores(_RULES23, _manual("manual14")), _TEXT23),
        documented=Profile(ConceptScores(_PAPER, _manual("manual14")), _paper(_TEXT23)),
    ),
    Edition(
        "2024",
        "ImageCLEFmedical Caption 2024",
        "not published",
        official=Profile(ConceptScores(_RULES23, _manual("manual14")), _TEXT24),
        documented=Profile(ConceptScores(_PAPER, _manual("manual14")), _paper(_TEXT24)),
    ),
    Edition(
        "2025",
        "ImageCLEFmedical Caption 2025",
        "80,091 / 17,277 / 19,267",
        official=Profile(ConceptScores(_RULES23, _manual("manual15")), _TEXT25),
        documented=Profile(ConceptScores(_PAPER, _manual("manual2025-documented")), _TEXT25_PAPER),
    ),
    Edition(
        "2026",
        "ImageCLEFmedical Caption 2026",
        "97,364 / 19,240 / 15,249",
        official=Profile(ConceptScores(_RULES23, _manual("manual15")), _TEXT26),
        documented=Profile(ConceptScores(_PAPER, _manual("manual15")), _TEXT26),
    ),
    Edition(
        "rocov2",
        "ROCOv2, public test split, scored as in 2023",
        "59,958 / 9,904 / 9,927",
        official=Profile(
            ConceptScores(
                _RULES22,
                _manual("rocov2-manual"),
                (Secondary("f1_manual_no_direction", cui_set("rocov2-manual-no-direction")),),
            ),
            _TEXT23,
        ),
        documented=Profile(
            ConceptScores(
                _PAPER,
                _manual("rocov2-manual"),
                (Secondary("f1_manual_no_direction", cui_set("rocov2-manual-no-direction")),),
            ),
            _paper(_TEXT23),
        ),
    ),
    Edition(
        RADCAP,
        "radcap's own: every dialect read, slips accepted with a note",
        "any",
        official=Profile(ConceptScores(_TOLERANT, _manual("manual15")), _TEXT26),
        documented=Profile(ConceptScores(_TOLERANT, _manual("manual15")), _TEXT26),
    ),
)
EDITIONS: Mapping[str, Edition] = {one.name: one for one in _TABLE}


def edition(name: str) -> Edition:
    """The edition of that name; an unknown one is refused with the nearest."""
    try:
        return EDITIONS[name]
    except KeyError:
        raise unknown_name("edition", name, EDITIONS) from None
