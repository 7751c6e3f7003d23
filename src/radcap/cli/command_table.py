"""The commands of `radcap`: where each lives, what it does in one line, and an example.

Invariant: nothing of a command is imported here; its line is the first line of its own help.
>>> next(one.target for one in ENTRIES if one.name == "validate")
'radcap.cli.validate:validate_command'
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ENTRIES", "Entry"]

_READ, _DATA, _RUNS, _HERE = "Images", "Data and systems", "Runs", "This installation"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command or a group of them; `panel` is the part of the help that it stands in."""

    name: str
    target: str  # module:name of a function, or of a Typer application
    line: str
    example: str
    panel: str


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "read",
        "radcap.cli.read:read_command",
        "Read radiology images: concepts, caption, where in the image they come from, cases alike.",
        "radcap read scan.png",
        _READ,
    ),
    Entry(
        "explain",
        "radcap.cli.explain:explain_command",
        "Show where in the image each concept and word of a model comes from, and how far to trust that.",
        "radcap explain zoo:captions radiology-open --pick 2 --out explained",
        _READ,
    ),
    Entry(
        "predict",
        "radcap.cli.train:predict_command",
        "Write a run for the images of a dataset, and check it as the platform would.",
        "radcap predict zoo:concepts radiology-open --split test --out run.csv",
        _READ,
    ),
    Entry(
        "demo",
        "radcap.cli.demo:demo_command",
        "Read images, write runs, check, score, compare and explain them, on what ships inside; one report.",
        "radcap demo --out demo-out",
        _READ,
    ),
    Entry(
        "validate",
        "radcap.cli.validate:validate_command",
        "Find every problem of a run file in one pass, without stopping at the first.",
        "radcap validate run.csv --task concepts --truth truth",
        _RUNS,
    ),
    Entry(
        "score",
        "radcap.cli.score:score_app",
        "Score a run exactly as an edition did.",
        "radcap score concepts run.csv truth",
        _RUNS,
    ),
    Entry(
        "compare",
        "radcap.cli.compare:compare_command",
        "Score runs on one truth and say which of them differ, beyond what chance explains.",
        "radcap compare a.csv b.csv --truth truth --task concepts",
        _RUNS,
    ),
    Entry(
        "editions",
        "radcap.cli.editions:editions_command",
        "What an edition measures: scores, files, and where the code and the documents disagree.",
        "radcap editions 2025",
        _RUNS,
    ),
    Entry(
        "metrics",
        "radcap.cli.metrics:metrics_app",
        "Which metrics are ready, and how to get the rest.",
        "radcap metrics status",
        _RUNS,
    ),
    Entry(
        "dataset",
        "radcap.cli.dataset_app:dataset_app",
        "Opens, checks, describes, converts and splits datasets in every layout.",
        "radcap dataset info radiology-open",
        _DATA,
    ),
    Entry(
        "vocab",
        "radcap.cli.vocab_app:vocab_app",
        "From words to UMLS concepts: link texts, search names, describe and build vocabularies.",
        "radcap vocab search pleural effusion",
        _DATA,
    ),
    Entry(
        "systems",
        "radcap.cli.systems:systems_app",
        "Published systems and our own, each a TOML file that trains it.",
        "radcap systems list",
        _DATA,
    ),
    Entry(
        "train",
        "radcap.cli.train:train_command",
        "Train a system on a dataset; what was begun in the folder before is gone on with.",
        "radcap train radcap/quick-concepts --data radiology-open --out mine",
        _DATA,
    ),
    Entry(
        "models",
        "radcap.cli.models:models_app",
        "Which models are here, what they lack, and how to get it.",
        "radcap models list",
        _HERE,
    ),
    Entry(
        "doctor",
        "radcap.cli.doctor:doctor_command",
        "What is installed here, what each part of radcap can do with it, and how to get the rest.",
        "radcap doctor",
        _HERE,
    ),
    Entry(
        "completion",
        "radcap.cli.completion:completion_command",
        "Print the script that completes commands, options and names in your shell.",
        "radcap completion bash",
        _HERE,
    ),
)
