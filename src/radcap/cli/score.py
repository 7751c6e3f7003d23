"""`radcap score`: what a run is worth, under any edition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_issues, print_json, print_lines, print_table, progress, say
from radcap.cli.options import EditionName, Json, RunFile, names_of
from radcap.cli.outputs import check_output
from radcap.cli.scoring_options import (
    CaptionsOption,
    CoreNlp,
    MetricNames,
    ProfileOption,
    SpacyModel,
    Strict,
    TruthSplit,
)
from radcap.core import CUI_SETS, InputError, Level, Missing, RadcapError, Task
from radcap.formats import CODES
from radcap.metrics import (
    BleuRule,
    CaptionScorer,
    EmptyTruth,
    ProfileName,
    Resources,
    ScoreReport,
    load_captions,
    load_concepts,
    score_loaded,
)
from radcap.metrics.score_tables import habits_table, missing_lines, score_table
from radcap.reading import true_captions
from radcap.report import write_per_image

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["score_app"]

score_app = typer.Typer(help="Score a run exactly as an edition did.", no_args_is_help=True)

PerImage = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write per-image values (.parquet or .csv).")
]


@score_app.command("concepts", epilog="Example: radcap score concepts run.csv truth --edition 2025")
def score_concepts_command(
    run: RunFile,
    truth: Annotated[
        Path, typer.Argument(metavar="TRUTH", help="Label file, or a folder with concepts.csv.")
    ],
    manual: Annotated[
        Path | None, typer.Option(help="Manual labels, if they are not in the truth folder.")
    ] = None,
    cuis: Annotated[
        str | None,
        typer.Option(help=f"Restrict every score to a set: manual (the edition's), {', '.join(CUI_SETS)}."),
    ] = None,
    edition: EditionName = "2025",
    profile: ProfileOption = ProfileName.OFFICIAL,
    empty_truth: Annotated[
        EmptyTruth | None,
        typer.Option(help="Documented profile: an image without true concept is left out, or counts."),
    ] = None,
    strict: Strict = False,
    per_image: PerImage = None,
    json: Json = False,
) -> None:
    """Concept F1, primary and secondary, with precision, recall, micro and macro F1.

    Beside the scores stands what they hide: how many concepts the run names and how often none.
    A run that the edition's evaluator would refuse is not scored; its problems are listed (exit code 1).
    """
    check_output(per_image, [run, truth, manual])
    try:
        loaded = load_concepts(run, truth, edition=edition, manual=manual, strict=strict)
        report = score_loaded(loaded, profile=profile, cuis=cuis, empty_truth=empty_truth)
    except InputError as error:
        _refuse(error, run, ScoreReport(edition, profile, Task.CONCEPTS, 0, issues=error.issues), json=json)
        raise typer.Exit(1) from None
    other = None if json else _other(lambda name: score_loaded(loaded, profile=name, cuis=cuis), profile)
    _finish(report, other, run, manual or truth, per_image, json=json)
    if not report.ok:
        raise typer.Exit(1)


@score_app.command("captions", epilog="Example: radcap score captions run.csv truth --edition 2025")
def score_captions_command(
    run: RunFile,
    truth: Annotated[
        Path,
        typer.Argument(
            metavar="TRUTH", help="Caption file, a folder with captions.csv, or a dataset by name or folder."
        ),
    ],
    captions: CaptionsOption = None,
    split: TruthSplit = None,
    edition: EditionName = "2025",
    profile: ProfileOption = ProfileName.OFFICIAL,
    metrics: MetricNames = None,
    bleu_rule: Annotated[
        BleuRule | None,
        typer.Option(help="What BLEU makes of an order without a match: the rule of another NLTK version."),
    ] = None,
    spacy_model: SpacyModel = None,
    corenlp: CoreNlp = None,
    strict: Strict = False,
    per_image: PerImage = None,
    json: Json = False,
) -> None:
    """The caption metrics of an edition, as far as they can be had here, and their aggregates.

    Beside the scores stands what they hide: length, repeated captions, vocabulary. A metric of the edition
    whose model is absent is listed with the way to get it; one that was named with --metrics ends with
    exit code 3, the rest is scored all the same. See radcap metrics status.

    Of a dataset the truth is one --split and the --captions of one source; a run on all its images is scored
    on those that have such a caption.
    """
    check_output(per_image, [run, truth])
    try:
        labels = true_captions(truth, captions=captions, split=split)
        loaded = load_captions(run, labels, edition=edition, strict=strict)
    except InputError as error:
        _refuse(error, run, ScoreReport(edition, profile, Task.CAPTIONS, 0, issues=error.issues), json=json)
        raise typer.Exit(1) from None
    with progress(len(loaded.truth)) as show:
        resources = Resources(spacy_model, corenlp, show)
        scorer = CaptionScorer(loaded, bleu_rule=bleu_rule, resources=resources)
        report = scorer.report(profile, names_of(metrics))
        other = None if json else _other(lambda name: scorer.report(name, names_of(metrics)), profile)
    wanted = metrics is not None or not report.scores  # what was named, or anything at all
    _finish(report, other, run, truth, per_image, json=json, in_full=wanted)
    if wanted and any(one.absent for one in report.missing):
        raise typer.Exit(3)
    if not report.ok or not report.scores:
        raise typer.Exit(1)


def _finish(
    report: ScoreReport,
    other: ScoreReport | None,
    run: Path,
    truth: Path,
    per_image: Path | None,
    *,
    json: bool,
    in_full: bool = True,
) -> None:
    """Print what was scored; then fail where the per-image file lacks something."""
    lacking = None if per_image is None else _write(report, per_image)
    if json:
        print_json(report.to_json())
    else:
        _print(report, other, run, truth, in_full=in_full)
    if lacking is not None:
        raise lacking


def _write(report: ScoreReport, path: Path) -> Missing | None:
    """What the per-image file would need; the scores are printed all the same."""
    try:
        write_per_image(report.scores, path)
    except Missing as missing:
        return missing
    return None


def _refuse(error: InputError, run: Path, report: ScoreReport, *, json: bool) -> None:
    if json:
        print_json(report.to_json())
    else:
        print_issues(error.path or str(run), error.issues)
    say(str(error))
    errors = [issue for issue in error.issues if issue.level is Level.ERROR]
    if error.path == str(run) and any(CODES[issue.code].fixable for issue in errors):
        say("Repair it with radcap validate --fix OUT, or score it with --edition radcap, which takes more.")


def _other(score: Callable[[ProfileName], ScoreReport], profile: ProfileName) -> ScoreReport | None:
    """The other profile, to be shown beside the chosen one where it can be formed."""
    try:
        return score(next(name for name in ProfileName if name is not profile))
    except RadcapError:
        return None


def _print(report: ScoreReport, other: ScoreReport | None, run: Path, truth: Path, *, in_full: bool) -> None:
    if report.scores:
        print_table(score_table(report, other))
    if report.habits is not None:
        print_table(habits_table(report.habits))
    print_lines(*missing_lines(report.missing, in_full=in_full))
    for path, family in ((run, "RUN"), (truth, "TRU")):
        print_issues(str(path), [issue for issue in report.issues if issue.code.startswith(family)])
    print_lines(*(score.signature for score in report.scores[:1]))
