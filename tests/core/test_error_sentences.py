"""Every refusal reads alike: a sentence that begins with a capital or a name, and ends with a full stop."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import radcap

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(radcap.__file__).parent
TREE = ("RadcapError", "UsageError", "InputError", "ToolFailed", "Missing")
PROGRAMS = {"pip", "timm"}  # names that are written small
VALUE = "\0"  # stands for what a sentence is filled with
COMMAND = "Run: "  # how to get what is missing: a line to copy, which a full stop would spoil


class Refusal(NamedTuple):
    """One place that makes an error: its texts as they are written, and the names of the module."""

    place: str
    kind: str
    texts: list[str]
    ends: list[str]  # what the last value of a text is called
    names: set[str]


def text_of(node: ast.expr) -> tuple[str, str]:
    """The text of a literal, values as a mark; and the expression it ends with."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value, ""
    if not isinstance(node, ast.JoinedStr):
        return VALUE, ""
    parts = [str(one.value) if isinstance(one, ast.Constant) else VALUE for one in node.values]
    last = node.values[-1]
    return "".join(parts), ast.unparse(last.value) if isinstance(last, ast.FormattedValue) else ""


def names_in(tree: ast.Module) -> set[str]:
    """What a module calls things: arguments, variables, attributes, words of its tables."""
    found = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg | ast.keyword) and node.arg}
    found |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return found


def refusals(source: str, place: str) -> Iterator[Refusal]:
    if not any(f"{name}(" in source for name in TREE):
        return  # most modules refuse nothing, and need no parsing
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id in TREE and node.args]
    names = names_in(tree) | {Path(place).stem.replace("_", "-")} if made else set[str]()
    for node in made:
        told = [text_of(one) for one in node.args]
        kind = node.func.id if isinstance(node.func, ast.Name) else ""
        texts, ends = [one for one, _ in told], [one for _, one in told]
        yield Refusal(f"{place}:{node.lineno}", kind, texts, ends, names)


def faults(one: Refusal) -> Iterator[str]:
    if one.kind == "Missing":
        sentences = list(zip(one.texts[1:3], one.ends[1:3], strict=True))
        if one.texts[0].endswith("."):
            yield "what is missing is a name, and no sentence"
    else:
        sentences = [(one.texts[0], one.ends[0])]
        yield from start_faults(one.texts[0], one.names)
    for text, end in sentences:
        if end in {"error", "exception"}:
            yield f"ends with what another program says: {text!r}"
        elif not text.endswith((".", VALUE)) and COMMAND not in text:
            yield f"no full stop: {text!r}"


def start_faults(text: str, names: set[str]) -> Iterator[str]:
    """A sentence may begin with an option, a table of a file, or what the code itself calls a thing."""
    word = text.split(maxsplit=1)[0].rstrip(":,").split("=", maxsplit=1)[0]
    if text[0].islower() and word not in names | PROGRAMS:
        yield f"begins with a small letter: {text!r}"


def every_refusal() -> list[Refusal]:
    paths = sorted(SOURCE.rglob("*.py"))
    return [
        found
        for path in paths
        for found in refusals(path.read_text("utf-8"), path.relative_to(SOURCE).as_posix())
    ]


def test_every_refusal_is_a_sentence() -> None:
    found = every_refusal()
    assert len(found) > 300  # or the walk sees nothing
    assert [f"{one.place}: {why}" for one in found for why in faults(one)] == []


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ('UsageError("No full stop")', "no full stop"),
        ('InputError(f"{path} cannot be read: {error}")', "another program"),
        ('UsageError("bad thing. Do this.")', "small letter"),
        ('Missing("A model.", "It is needed.", "Get it.")', "no sentence"),
        ('Missing("A model", "It is needed", "Get it.")', "no full stop"),
    ],
    ids=["stop", "error", "small", "missing name", "missing why"],
)
def test_a_fault_would_be_seen(code: str, why: str) -> None:
    (one,) = refusals(code, "a.py")
    assert [why in told for told in faults(one)] == [True]


@pytest.mark.parametrize(
    "code",
    [
        'UsageError("--out is a folder. Give a file.")',
        'def f(k):\n    raise UsageError(f"k is {k}. Give 1 or more.")',
        'InputError(f"{path} is refused: {why}. {what}")',
        "InputError(message)",
        """Missing("pydicom", "DICOM files need it.", "Run: pip install 'radcap[dicom]'")""",
    ],
    ids=["option", "argument", "values", "variable", "command"],
)
def test_what_is_right_passes(code: str) -> None:
    assert [why for one in refusals(code, "a.py") for why in faults(one)] == []
