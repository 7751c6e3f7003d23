"""`radcap metrics`: which caption metrics can be computed here, and how to get the rest."""

from __future__ import annotations

import typer

from radcap.cli.console import print_json, print_lines, print_table
from radcap.cli.options import Json
from radcap.cli.scoring_options import CoreNlp, SpacyModel
from radcap.metrics import Resources
from radcap.metrics.metric_tables import metric_states, metric_table

__all__ = ["metrics_app"]

metrics_app = typer.Typer(help="Which metrics are ready, and how to get the rest.", no_args_is_help=True)


@metrics_app.command("status", epilog="Example: radcap metrics status")
def status_command(spacy_model: SpacyModel = None, corenlp: CoreNlp = None, json: Json = False) -> None:
    """Every caption metric of every edition: ready, or what it lacks and how to get it."""
    states = metric_states(Resources(spacy_model, corenlp))
    if json:
        print_json([state.to_json() for state in states])
    else:
        print_table(metric_table(states))
        print_lines(*(f"{one.name}: {one.how}" for one in states if not one.ready))
