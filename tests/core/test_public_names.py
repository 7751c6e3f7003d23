"""Every name that a module of radcap offers says what it is for."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import radcap

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(radcap.__file__).parent
WORKERS = "extractors/workers/"  # programs that another Python runs: nobody imports them
Documented: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def exported(tree: ast.Module) -> set[str]:
    """The names of `__all__`, read and not imported: half of the modules would load torch."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return {str(one.value) for one in ast.walk(node.value) if isinstance(one, ast.Constant)}
    return set()


def silent(tree: ast.Module, place: str) -> Iterator[str]:
    if not ast.get_docstring(tree):
        yield f"{place}: the module"
    names = exported(tree)
    for node in tree.body:
        if isinstance(node, Documented) and node.name in names and not ast.get_docstring(node):
            yield f"{place}:{node.lineno}: {node.name}"


@cache
def modules() -> dict[str, ast.Module]:
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def test_every_module_and_every_public_name_has_a_docstring() -> None:
    found = modules()
    assert len(found) > 500  # or the walk sees nothing
    assert [told for place, tree in found.items() for told in silent(tree, place)] == []


def test_every_module_lists_what_it_offers() -> None:
    lacking = [
        place
        for place, tree in modules().items()
        if WORKERS not in place
        and any(isinstance(node, Documented) and not node.name.startswith("_") for node in tree.body)
        and not exported(tree)
    ]
    assert lacking == []


def test_the_columns_of_tables_are_written_small() -> None:
    """One style of tables; CUI, TUI and MB keep their capitals."""
    calls = [
        (place, node)
        for place, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Table"
    ]
    heads = [(place, one) for place, call in calls if call.args for one in ast.walk(call.args[0])]
    words = [(place, str(one.value)) for place, one in heads if isinstance(one, ast.Constant)]
    assert len(words) > 100  # or the walk sees nothing
    assert [(place, word) for place, word in words if word[:1].isupper() and not word.isupper()] == []


def test_a_name_without_a_word_would_be_seen() -> None:
    tree = ast.parse('"""A module."""\n__all__ = ["f"]\ndef f(): ...\ndef g(): ...\n')
    assert list(silent(tree, "a.py")) == ["a.py:3: f"]
