"""`radcap score`: what a run is worth, under any edition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_issues, print_json, print_lines, print_table, say
from radcap.cli.options import EditionName, Json, ProfileOption, RunFile
from radcap.core import CUI_SETS, InputError, Missing, RadcapError, Task
from radcap.formats import CODES
from radcap.metrics import EmptyTruth, ProfileName, ScoreReport, load_concepts, score_loaded
from radcap.metrics.score_tables import habits_table, score_table
from radcap.report import write_per_image

if TYPE_CHECKING:
    from radcap.metrics import LoadedConcepts

__all__ = ["score_app"]

score_app = typer.Typer(help="Score a run exactly as an edition did.", no_args_is_help=True)


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
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse wrong packing (zip or plain) too.")
    ] = False,
    per_image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write per-image values (.parquet or .csv).")
    ] = None,
    json: Json = False,
) -> None:
    """Concept F1, primary and secondary, with precision, recall, micro and macro F1.

    Beside the scores stands what they hide: how many concepts the run names and how often none.
    A run that the edition's evaluator would refuse is not scored; its problems are listed (exit code 1).
    """
    try:
        loaded = load_concepts(run, truth, edition=edition, manual=manual, strict=strict)
        report = score_loaded(loaded, profile=profile, cuis=cuis, empty_truth=empty_truth)
    except InputError as error:
        _refuse(error, run, ScoreReport(edition, profile, Task.CONCEPTS, 0, issues=error.issues), json=json)
        raise typer.Exit(1) from None
    lacking = None if per_image is None else _write(report, per_image)
    if json:
        print_json(report.to_json())
    else:
        _print(report, _other(loaded, profile, cuis), run, manual or truth)
    if lacking is not None:
        raise lacking
    raise typer.Exit(0 if report.ok else 1)


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
    if error.path == str(run) and any(CODES[issue.code].fixable for issue in error.issues):
        say("Repair it with radcap validate --fix OUT, or score it with --edition radcap, which takes more.")


def _other(loaded: LoadedConcepts, profile: ProfileName, cuis: str | None) -> ScoreReport | None:
    """The other profile, to be shown beside the chosen one where it can be formed."""
    other = next(name for name in ProfileName if name is not profile)
    try:
        return score_loaded(loaded, profile=other, cuis=cuis)
    except RadcapError:
        return None


def _print(report: ScoreReport, other: ScoreReport | None, run: Path, truth: Path) -> None:
    print_table(score_table(report, other))
    if report.habits is not None:
        print_table(habits_table(report.habits))
    print_lines(*(f"{one.name}: not scored. {one.why} {one.how}" for one in report.missing))
    for path, family in ((run, "RUN"), (truth, "TRU")):
        print_issues(str(path), [issue for issue in report.issues if issue.code.startswith(family)])
    print_lines(report.scores[0].signature)
