"""What `radcap train` and `radcap predict` do, whichever parser read their arguments.

Invariant: this module needs neither typer nor rich, so that both commands start on a bare GPU machine.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.cli.console import print_issues, print_json, print_lines, progress, say
from radcap.cli.outputs import check_output
from radcap.core import InputError, Task, UsageError, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from radcap.captioning.models import CaptionAnswers
    from radcap.datasets import Dataset
    from radcap.detection.models import Answers
    from radcap.detection.models.any_folder import AnyFolder

__all__ = ["run_predict", "run_train"]

_SHOWN = 5
_REASONS = 3  # images that are told with theirs
_UNITS = {Task.CONCEPTS: "concepts_per_image", Task.CAPTIONS: "words_per_image"}


def run_train(
    system: str,
    data: str,
    out: Path,
    *,
    changes: Sequence[str] = (),
    device: str | None = None,
    tensorboard: Path | None = None,
    json: bool = False,
) -> int:
    """Train, and tell what came of it; the exit code."""
    settings = dict(_pair(one) for one in changes)
    if device is not None:
        settings["train.device"] = device
    try:
        folder = _trained(system, data, out, settings, tensorboard)
    except InputError as error:
        _print_findings(error, json=json)
        raise
    if not folder.is_whole:  # one of several processes, and not the first
        return 0
    card = folder.card()
    if json:
        print_json(card)
    else:
        print_lines(*_summary(card, out))
    return 1 if card["training"]["stopped"] == "no number" else 0


def _print_findings(error: InputError, *, json: bool) -> None:
    if json:
        print_json({"issues": [one.to_json() for one in error.issues]})
    else:
        print_issues(error.path, error.issues)


def _trained(
    system: str, data: str, out: Path, settings: dict[str, str], tensorboard: Path | None
) -> AnyFolder:
    from radcap.detection.talk import Talk
    from radcap.systems.training import train

    with _bar(None) as show:
        return train(system, data, out, changes=settings, talk=Talk(say, show, tensorboard))


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise UsageError(
            f"--set {text} has no key and value. Write it as TABLE.KEY=VALUE, like train.epochs=5."
        )
    return key.strip(), value.strip()


def _summary(card: dict[str, Any], out: Path) -> list[str]:
    told = _caption_summary(card, out) if card["task"] == "captions" else _concept_summary(card, out)
    return [*told, f"Next: radcap predict {out} DATA --split test --out run.csv"]


def _concept_summary(card: dict[str, Any], out: Path) -> list[str]:
    held = card["held_out"]
    lines = [f"{out}: {card['name']}, {counted(card['labels'], 'label')}"]
    if held:
        f1, manual = f"held-out F1 {held['f1']:.4f}", f"manual concepts {held['f1_manual']:.4f}"
        lines.append(f"{f1}, {manual} ({counted(held['n'])})")
    return lines


def _caption_summary(card: dict[str, Any], out: Path) -> list[str]:
    """A line for each source of captions, since they are never scored together."""
    if "members" in card:
        what = f"{counted(len(card['members']), 'captioner')} in one, {card['join']}"
    else:
        what = f"a captioner of the kind {card['decoder']}"
    lines = [f"{out}: {card['name']}, {what}"]
    figures: dict[str, dict[str, Any]] = card["held_out"] or {}
    for source, held in figures.items():
        scores = ", ".join(f"{name} {one['value']:.4f}" for name, one in held.items() if name != "n")
        lines.append(f"held-out {source} captions: {scores} ({counted(held['n'])})")
    return lines


def run_predict(
    model: str,
    data: str,
    out: Path,
    *,
    split: str | None = None,
    edition: str = "2026",
    scores: Path | None = None,
    log: Path | None = None,
    device: str | None = None,
    json: bool = False,
) -> int:
    """Predict, write the run, and check it as the edition's platform would; the exit code."""
    from radcap.formats import Expected, Reader, dialect, write_run
    from radcap.systems.predicting import task_of

    task = Task(task_of(model))
    dialect(edition, task)  # an unknown edition is refused before any work
    _check_asked(task, scores, log)
    _check_files(Path(data), out, scores or log)
    dataset, started = _images(data, split), time.monotonic()
    answers = _answers(model, dataset, device)
    told = _told(answers, model, out, len(dataset), time.monotonic() - started)
    write_run(answers.run(dataset.ids, out.stem), out, edition=edition)
    _write_beside(answers, scores, log)
    checked = Reader(out, task, edition, Expected.of(dataset.ids)).check()
    if json:
        print_json({**told, "ok": checked.ok, "issues": [one.to_json() for one in checked.issues]})
    else:
        print_issues(str(out), checked.issues)
        mean, unit = (told[_UNITS[task]], _UNITS[task].replace("_per_image", ""))
        print_lines(f"{out}: {counted(told['rows'])}, {mean:.2f} {unit} an image")
    _warn(answers, task)
    return 0 if checked.ok else 1


def _check_asked(task: Task, scores: Path | None, log: Path | None) -> None:
    """Refuse what the other task has, before any work."""
    if scores is not None and task is not Task.CONCEPTS:
        raise UsageError(
            "--scores writes probabilities of concepts, and the model writes captions. Use --log."
        )
    if log is not None and task is not Task.CAPTIONS:
        raise UsageError("--log writes how captions came about, and the model names concepts. Use --scores.")


def _check_files(data: Path, out: Path, beside: Path | None) -> None:
    """Refuse to write over what is read, and two things into one file."""
    check_output(out, [data])
    check_output(beside, [data])
    if beside is not None and beside.resolve() == out.resolve():
        raise UsageError(f"{beside} is to be the run, and something else too. Choose another name for one.")


def _write_beside(answers: Answers | CaptionAnswers, scores: Path | None, log: Path | None) -> None:
    from radcap.detection.models import Answers

    if isinstance(answers, Answers):
        if scores is not None:
            from radcap.detection.models.score_table import write_scores

            write_scores(answers, scores)
    elif log is not None:
        from radcap.captioning.models import write_log

        write_log(answers, log)


def _images(data: str, split: str | None) -> Dataset:
    from radcap.datasets import load_dataset

    dataset = load_dataset(data)
    dataset = dataset if split is None else dataset.split(split)
    if not len(dataset):
        raise UsageError(f"{data} has no image to predict for.")
    return dataset


def _answers(model: str, dataset: Dataset, device: str | None) -> Answers | CaptionAnswers:
    from radcap.systems.predicting import opened_model

    opened = opened_model(model, device or "auto")
    with _bar(len(dataset)) as show:
        return opened.answers(dataset, show)


def _told(
    answers: Answers | CaptionAnswers, model: str, out: Path, rows: int, seconds: float
) -> dict[str, Any]:
    return {
        "model": model,
        "run": str(out),
        "rows": rows,
        **_mean(answers),
        "refused": dict(answers.refused),
        "not_radiology": answers.not_radiology(),
        **_unrefined(answers),
        "seconds": round(seconds, 2),
    }


def _unrefined(answers: Answers | CaptionAnswers) -> dict[str, dict[str, str]]:
    """The images whose captions no refiner had a hand in, though one was wanted; with the reasons."""
    told = getattr(answers, "unrefined", None)
    return {"unrefined": dict(told)} if told else {}


def _mean(answers: Answers | CaptionAnswers) -> dict[str, float]:
    """How much is said of an image."""
    from radcap.detection.models import Answers

    if isinstance(answers, Answers):
        return {_UNITS[Task.CONCEPTS]: float(answers.decided.sum()) / max(1, len(answers.ids))}
    words = [len(one.split()) for one in answers.captions().values()]
    return {_UNITS[Task.CAPTIONS]: sum(words) / max(1, len(words))}


def _warn(answers: Answers | CaptionAnswers, task: Task) -> None:
    if answers.refused:
        some = ", ".join(f"{one} ({code})" for one, code in list(answers.refused.items())[:_SHOWN])
        row = "an empty row" if task is Task.CONCEPTS else "a row that says nothing of it"
        say(f"{counted(len(answers.refused))} cannot be read, each with {row}: {some}")
    unrefined = _unrefined(answers).get("unrefined", {})
    if unrefined:
        few = list(unrefined.items())[:_REASONS]
        count = counted(len(unrefined), "caption")
        say(f"{count} could not be refined and stayed as written:", *(f"  {one}: {why}" for one, why in few))
    others = answers.not_radiology()
    if others:
        more = ", ..." if len(others) > _SHOWN else ""
        say(f"Not like a radiology image ({counted(len(others))}): {', '.join(others[:_SHOWN])}{more}")


@contextmanager
def _bar(total: int | None) -> Generator[Callable[[str, int], None] | None]:
    """A progress bar where rich is there to draw it."""
    with ExitStack() as stack:
        try:
            show = stack.enter_context(progress(total))
        except ModuleNotFoundError:
            show = None
        yield show
