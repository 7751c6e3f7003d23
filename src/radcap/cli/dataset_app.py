"""The group `radcap dataset`."""

from __future__ import annotations

import typer

from radcap.cli.dataset import (
    check_command,
    compare_command,
    info_command,
    leaks_command,
    report_command,
    stats_command,
)
from radcap.cli.dataset_concepts import concepts_command
from radcap.cli.dataset_writing import cache_command, convert_command, split_command, synth_command

__all__ = ["dataset_app"]

dataset_app = typer.Typer(
    help="Opens, checks, describes, converts and splits datasets in every layout.", no_args_is_help=True
)
_COMMANDS = {
    "info": (info_command, "radcap dataset info radiology-open"),
    "check": (check_command, "radcap dataset check radiology-open"),
    "stats": (stats_command, "radcap dataset stats radiology-open"),
    "concepts": (concepts_command, "radcap dataset concepts radiology-open C0032227"),
    "report": (report_command, "radcap dataset report radiology-open --out radiology-open.html"),
    "compare": (compare_command, "radcap dataset compare radiology-open"),
    "leaks": (leaks_command, "radcap dataset leaks radiology-open --no-pixels"),
    "convert": (convert_command, "radcap dataset convert radiology-open out --to rocov2"),
    "split": (split_command, "radcap dataset split radiology-open out --no-pixels"),
    "synth": (synth_command, "radcap dataset synth out --images 100"),
    "cache": (cache_command, "radcap dataset cache radiology-open --size 64"),
}
for _name, (_command, _example) in _COMMANDS.items():
    dataset_app.command(_name, epilog=f"Example: {_example}")(_command)
