"""The program of the tools' processes, here in this one; `test_isolated` runs it in its own."""

from __future__ import annotations

import ast
import io
import json
import os
import runpy
import signal
import sys
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from extractor_samples import write_tool

from radcap.vocabulary.extractors import workers
from radcap.vocabulary.extractors.workers import conversation

if TYPE_CHECKING:
    from collections.abc import Callable

GREETING = {"options": {}, "check": False}


def converse(module: object, *lines: object) -> list[Any]:
    asked: Queue[bytes | None] = Queue()
    for line in lines:
        asked.put(json.dumps(line).encode())
    asked.put(None)
    spoken = io.BytesIO()
    conversation.converse(module, asked, spoken)
    return [json.loads(line) for line in spoken.getvalue().splitlines()]


def tool(
    entities: Callable[[list[str]], Any] = lambda texts: [[] for _ in texts], **more: Any
) -> SimpleNamespace:
    opened = SimpleNamespace(about={"name": "told"}, entities=entities, **more)
    return SimpleNamespace(absent=lambda options: [], open_tool=lambda options: opened)


def fail(error: BaseException) -> Callable[..., Any]:
    def raising(*_: object) -> Any:
        raise error

    return raising


def test_a_greeting_and_questions() -> None:
    module = tool(lambda texts: ([{"start": len(text)}] for text in texts), double=lambda given: given * 2)
    assert converse(
        module, GREETING, {"do": "entities", "given": ["ab", ""]}, {"do": "double", "given": 4}
    ) == [
        {"ready": {"name": "told"}},
        {"answer": [[{"start": 2}], [{"start": 0}]]},
        {"answer": 8},
    ]


@pytest.mark.parametrize(
    ("module", "check", "answer"),
    [
        (SimpleNamespace(absent=lambda _: ["medcat"]), False, {"missing": ["medcat"]}),
        (SimpleNamespace(absent=lambda _: []), True, {"ready": {}}),
        (SimpleNamespace(absent=fail(ImportError("no", name="x"))), False, {"missing": ["x"]}),
        (SimpleNamespace(absent=fail(ImportError("no"))), False, {"missing": ["ImportError: no"]}),
        (SimpleNamespace(absent=fail(ValueError("bad"))), False, {"failed": "ValueError: bad"}),
        (SimpleNamespace(absent=fail(SystemExit(2))), False, {"failed": "SystemExit: 2"}),
    ],
)
def test_what_cannot_be_opened_ends_the_conversation(module: object, check: bool, answer: object) -> None:
    assert converse(module, {"options": {}, "check": check}, {"do": "entities", "given": ["a"]}) == [answer]


def test_one_bad_text_does_not_spoil_the_others() -> None:
    def entities(texts: list[str]) -> list[list[int]]:
        return [[10 // int(text)] for text in texts]

    asked = {"do": "entities", "given": ["5", "0", "x", "2"]}
    _, answer = converse(tool(entities), GREETING, asked)
    assert answer["answer"][0] == [2]
    assert answer["answer"][1]["failed"].startswith("ZeroDivisionError: ")
    assert answer["answer"][2]["failed"].startswith("ValueError: ")
    assert answer["answer"][3] == [5]


def test_a_failing_question_is_answered() -> None:
    module = tool(odd=lambda given: {1, 2}, wrong=fail(KeyError("k")))
    answers = converse(module, GREETING, *({"do": do, "given": 0} for do in ("odd", "wrong", "fly")))
    assert [next(iter(one)) for one in answers] == ["ready", "failed", "failed", "failed"]


def test_the_program_speaks_over_what_it_was_given(tmp_path: Path) -> None:
    """The two streams are taken out of reach: what the tool prints goes to the error stream."""
    path = write_tool(tmp_path, "print('noise'); return [[] for _ in texts]").file
    lines = [GREETING, {"do": "entities", "given": ["a"]}]
    said, left = _with_streams(
        "".join(json.dumps(line) + "\n" for line in lines),
        lambda leave: conversation.main(["conversation.py", str(path)], leave),
    )
    assert [next(iter(json.loads(line))) for line in said.splitlines()] == ["ready", "answer"]
    assert left == [0]


def test_the_file_is_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_tool(tmp_path, "return []", absent="['thing']").file
    monkeypatch.setattr(sys, "argv", ["conversation.py", str(path)])

    def run(leave: Callable[[int], None]) -> None:
        monkeypatch.setattr(os, "_exit", leave)
        runpy.run_path(str(conversation.__file__), run_name="__main__")

    said, _ = _with_streams(json.dumps(GREETING) + "\n", run)
    assert json.loads(said) == {"missing": ["thing"]}


def _with_streams(given: str, run: Callable[[Callable[[int], None]], None]) -> tuple[str, list[int]]:
    """What is written to descriptor 1 while descriptor 0 holds a text, and how the program wants to end."""
    left: list[int] = []
    kept = os.dup(0), os.dup(1)
    interrupt = signal.getsignal(signal.SIGINT)
    (asked, ask), (answered, answer) = os.pipe(), os.pipe()
    try:
        os.dup2(asked, 0)
        os.dup2(answer, 1)
        os.write(ask, given.encode())
        os.close(ask)
        run(left.append)
    finally:
        signal.signal(signal.SIGINT, interrupt)
        os.dup2(kept[0], 0)
        os.dup2(kept[1], 1)
        for one in (*kept, asked, answer):
            os.close(one)
    with os.fdopen(answered) as heard:
        return heard.read(), left


def test_a_file_that_is_no_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="is no Python file"):
        conversation._load(str(tmp_path / "tool.txt"))


@pytest.mark.parametrize("path", sorted(Path(workers.__path__[0]).glob("*.py")), ids=lambda path: path.name)
def test_workers_are_files_of_their_own_for_old_interpreters(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"), feature_version=(3, 8))
    imported = {
        name
        for node in ast.walk(tree)
        for name in (
            [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else [str(node.module)]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    standard = {"argparse", "collections", "hashlib", "importlib", "json", "os", "pathlib", "queue", "signal"}
    standard |= {"__future__", "sys", "threading", "traceback", "typing"}
    assert {name.partition(".")[0] for name in imported} <= standard
