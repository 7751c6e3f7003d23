"""`radcap compare`: which runs really differ."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_issues, print_json, print_lines, print_table, progress, say
from radcap.cli.options import EditionName, Json, TaskOption, names_of
from radcap.cli.outputs import check_page
from radcap.cli.scoring_options import (
    CaptionsOption,
    CoreNlp,
    MetricNames,
    ProfileOption,
    SpacyModel,
    TruthSplit,
)
from radcap.core import InputError, Level, UsageError
from radcap.formats import write_lines
from radcap.metrics import ProfileName, RefusedRuns, Resources
from radcap.metrics.caption_loading import NO_CAPTION
from radcap.metrics.comparison_report import beside_table, comparison_html
from radcap.metrics.score_tables import missing_lines
from radcap.reading import compare
from radcap.report import board_table, flat_standings, pair_table, summary
from radcap.stats import Procedure

if TYPE_CHECKING:
    from radcap.metrics import RunComparison

__all__ = ["compare_command"]

_PAIRS_SHOWN = 15  # those of six runs; a page shows more
_DEFAULT = Procedure()


class Output(StrEnum):
    """How the leaderboard is printed."""

    TABLE = "table"
    CSV = "csv"
    MARKDOWN = "markdown"
    LATEX = "latex"
    JSON = "json"


def compare_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files, plain or zip.")],
    truth: Annotated[
        Path,
        typer.Option(help="Label file or folder that all runs are scored on; of captions a dataset too."),
    ],
    task: TaskOption,
    captions: CaptionsOption = None,
    split: TruthSplit = None,
    edition: EditionName = "2025",
    profile: ProfileOption = ProfileName.OFFICIAL,
    metrics: MetricNames = None,
    rank_by: Annotated[
        str | None, typer.Option(metavar="METRIC", help="Rank by another metric than the edition does.")
    ] = None,
    manual: Annotated[
        Path | None, typer.Option(help="Manual concept labels, if they are not in the truth folder.")
    ] = None,
    groups: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DATASET",
            help="Which images hang together: a CSV file with a column `group`, or a dataset.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole comparison as an HTML page.")
    ] = None,
    images: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Pictures for the page, named by image id.")
    ] = None,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples.")] = _DEFAULT.resamples,
    permutations: Annotated[int, typer.Option(help="Draws of the permutation test.")] = _DEFAULT.permutations,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = _DEFAULT.level,
    alpha: Annotated[
        float, typer.Option(help="Level of the tests, after Holm's correction.")
    ] = _DEFAULT.alpha,
    seed: Annotated[int, typer.Option(help="Seed of resamples and draws.")] = _DEFAULT.seed,
    spacy_model: SpacyModel = None,
    corenlp: CoreNlp = None,
    output: Annotated[Output, typer.Option("--format", help="Form of the leaderboard.")] = Output.TABLE,
    json: Json = False,
) -> None:
    """Score runs on one truth and say which of them differ, beyond what chance explains.

    Each run has its value with a bootstrap interval, its rank with the ranks it takes over the resamples, and
    letters: runs that share a letter are not separable by a paired permutation test after Holm's correction.
    Equal values share a rank. Images of one patient or article say less than as many of different ones:
    --groups says which hang together, and whole groups are drawn and tested. For two runs, the page
    (--report) shows the images that changed most.
    """
    _check_page(report, images, [*runs, truth, manual, groups])
    procedure = Procedure(resamples, permutations, level, alpha, seed)
    output = Output.JSON if json else output
    try:
        with progress(None) as show:
            compared = compare(
                runs,
                truth,
                task,
                captions=captions,
                split=split,
                edition=edition,
                profile=profile,
                metrics=names_of(metrics),
                rank_by=rank_by,
                manual=manual,
                procedure=procedure,
                groups=groups,
                resources=Resources(spacy_model, corenlp, show),
            )
    except InputError as error:
        _refuse(error, truth, output)
        raise
    if report is not None:
        title = f"Comparison of {len(runs)} runs" if len(runs) > 1 else f"The run {runs[0].stem}"
        write_lines([comparison_html(compared, title, images)], report)
    _print(compared, output, in_full=metrics is not None)
    if report is not None:
        say(f"The page is {report}.")
    if metrics is not None and any(one.absent for one in compared.missing):
        raise typer.Exit(3)
    if not compared.ok:
        raise typer.Exit(1)


def _check_page(report: Path | None, images: Path | None, inputs: list[Path | None]) -> None:
    check_page(report, inputs)
    if images is not None and report is None:
        raise UsageError("--images puts pictures into the page of --report, and none was asked for. Add it.")
    if images is not None and not images.is_dir():
        raise UsageError(f"{images} is no folder. No picture can be found. Name the folder of the images.")


def _refuse(error: InputError, truth: Path, output: Output) -> None:
    """What was found in each run, or in the truth."""
    errors = error.errors if isinstance(error, RefusedRuns) else {error.path or str(truth): error}
    issues = {path: one.issues for path, one in errors.items()}
    if output is Output.JSON:
        print_json({"issues": {path: [one.to_json() for one in found] for path, found in issues.items()}})
        return
    for path, found in issues.items():
        print_issues(path, found)


def _print(compared: RunComparison, output: Output, *, in_full: bool) -> None:
    if output is Output.JSON:
        print_json(compared.to_json())
    elif output is Output.TABLE:
        _print_tables(compared, in_full=in_full)
    else:
        board = board_table(compared.comparison)
        forms = {
            Output.CSV: lambda: flat_standings(compared.comparison).to_csv(),
            Output.MARKDOWN: board.to_markdown,
            Output.LATEX: board.to_latex,
        }
        print_lines(*forms[output]().rstrip("\n").split("\n"))


def _print_tables(compared: RunComparison, *, in_full: bool) -> None:
    comparison = compared.comparison
    print_table(board_table(comparison))
    pairs = comparison.primary.pairs
    if 0 < len(pairs) <= _PAIRS_SHOWN:
        print_table(pair_table(comparison.primary))
    print_table(beside_table(compared))
    for name, run in compared.runs.items():
        grave = [issue for issue in run.report.issues if issue.level is not Level.INFO]
        print_issues(run.path or name, grave)
    issues = (issue for run in compared.runs.values() for issue in run.report.issues)
    print_lines(*dict.fromkeys(issue.message for issue in issues if issue.code == NO_CAPTION))
    print_lines(*missing_lines(compared.missing, in_full=in_full))
    print_lines(*filter(None, [compared.note, summary(comparison)]))
    print_lines(f"{comparison.primary.signature}|{comparison.how}")
    if len(pairs) > _PAIRS_SHOWN:
        say(f"{len(pairs):,} pairs were tested. See them with --report FILE or --json.")
