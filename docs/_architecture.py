"""The packages of radcap and what they import, drawn from the import graph.

Invariant: sizes and imports are counted in the source; the order of layers is that of the contract which
`make lint` checks. A package that stands in no layer stops the build.
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from _markdown import plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Package", "architecture_picture", "package_table", "packages"]

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "radcap"
CELL, TOP, LEFT = 24, 92, 84  # of the matrix
GAP, BAR_WIDTH = 46, 130  # from the matrix to the bars, and how long the longest of them is


@dataclass(frozen=True, slots=True)
class Package:
    """A package of radcap."""

    name: str
    modules: int
    lines: int
    imports: dict[str, int]  # packages of ours, and how many modules import them
    needs: tuple[str, ...]  # of others, wherever an import stands


@cache
def packages() -> tuple[Package, ...]:
    """From the top layer to the lowest."""
    import grimp

    graph = grimp.build_graph("radcap", include_external_packages=True, cache_dir=None)
    found: list[Package] = []
    for name in _order():
        whole = f"radcap.{name}"
        modules = {whole, *graph.find_descendants(whole)}
        reached = [
            {_home(one) for one in graph.find_modules_directly_imported_by(module)} for module in modules
        ]
        told = [one for some in reached for one in some]
        ours = {one: told.count(f".{one}") for one in _order() if one != name and f".{one}" in told}
        others = sorted({one for one in told if one[0] != "."} - sys.stdlib_module_names)
        found.append(Package(name, len(modules), _lines(name), ours, tuple(others)))
    return tuple(found)


def _home(module: str) -> str:
    """`.NAME` for a package of ours (`.` for radcap itself), else the name of the package of others."""
    parts = module.split(".")
    return parts[0] if parts[0] != "radcap" else "." + (parts[1] if len(parts) > 1 else "")


@cache
def _order() -> list[str]:
    """The packages in the order of the contract."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(one["layers"] for one in contract if one["name"] == "Layers")
    built = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    order = [name for layer in layers for name in re.findall(r"\w+", layer) if name in built]
    if set(order) != built:
        raise RuntimeError(f"In no layer of pyproject.toml: {', '.join(sorted(built - set(order)))}.")
    return order


def _lines(name: str) -> int:
    files = (SOURCE / name).rglob("*.py")
    return sum(len(one.read_text("utf-8").splitlines()) for one in files)


def package_table() -> str:
    """A row for each package, from the top down."""
    rows = [
        (
            f"`{one.name}`",
            plain((import_module(f"radcap.{one.name}").__doc__ or "").split("\n")[0]),
            f"{one.modules:,}",
            f"{one.lines:,}",
            ", ".join(one.needs),
        )
        for one in packages()
    ]
    header = ("Package", "Holds", "Modules", "Lines", "May import of others")
    return table(header, rows, numbers=("Modules", "Lines"))


def architecture_picture() -> str:
    """Bars for the size of packages, and a dot where the package of a row imports that of a column."""
    from radcap.report.plot import drawing

    found = packages()
    width, height = _bar(found) + BAR_WIDTH + 60, TOP + CELL * len(found) + 10
    parts = [*_names(found), *_bars(found), *_grid(found), *_dots(found)]
    told = "; ".join(f"{one.name} imports {', '.join(one.imports) or 'nothing'}" for one in found)
    about = f"Packages from the top layer to the lowest. {told}."
    picture = drawing("Packages and what they import", about, width, height, *parts)
    label = "Packages and what they import"
    return f'<div class="drawing" tabindex="0" role="region" aria-label="{label}">{picture}</div>'


def _bar(found: Sequence[Package]) -> int:
    """Where the bars begin."""
    return LEFT + CELL * len(found) + GAP


def _middle(row: int) -> float:
    return TOP + CELL * (row + 0.5)


def _text(x: float, y: float, text: str, **more: str | float | None) -> str:
    from radcap.report.markup import element

    return element("text", text, x=x, y=y, fill="currentColor", font_size=12, **more)


def _names(found: Sequence[Package]) -> Iterator[str]:
    yield _text(_bar(found), TOP - 8, "lines of code")
    yield _text(0, TOP - 8, "package")
    for row, one in enumerate(found):
        yield _text(0, _middle(row) + 4, one.name)
        x, y = LEFT + CELL * (row + 0.5), TOP - 8
        yield _text(x + 4, y, one.name, transform=f"rotate(-55 {x + 4:g} {y})")


def _bars(found: Sequence[Package]) -> Iterator[str]:
    from radcap.report.markup import void
    from radcap.report.row_chart import COLOUR

    most, start = max(one.lines for one in found), _bar(found)
    for row, one in enumerate(found):
        long = max(1.0, BAR_WIDTH * one.lines / most)
        yield void("rect", x=start, y=_middle(row) - 7, width=round(long, 1), height=14, fill=COLOUR)
        yield _text(round(start + long + 6, 1), _middle(row) + 4, f"{one.lines:,}")


def _grid(found: Sequence[Package]) -> Iterator[str]:
    """A faint line under each name, and the diagonal below which nothing lies."""
    from radcap.report.markup import void

    last = LEFT + CELL * len(found)
    for row in range(len(found)):
        y = _middle(row)
        yield void("line", x1=LEFT, y1=y, x2=last, y2=y, stroke="currentColor", stroke_opacity="0.12")
        x = LEFT + CELL * (row + 0.5)
        yield void("line", x1=x, y1=TOP, x2=x, y2=_middle(row), stroke="currentColor", stroke_opacity="0.12")
        side = {"x": x - 4, "y": y - 4, "width": 8, "height": 8}
        yield void("rect", **side, fill="none", stroke="currentColor", stroke_opacity="0.5")


def _dots(found: Sequence[Package]) -> Iterator[str]:
    """A dot grows with the modules that import."""
    from radcap.report.markup import element, void

    place = {one.name: n for n, one in enumerate(found)}
    for row, one in enumerate(found):
        for name, count in one.imports.items():
            x, radius = LEFT + CELL * (place[name] + 0.5), min(9.0, 2.5 + count**0.5 * 0.7)
            dot = void("circle", cx=x, cy=_middle(row), r=round(radius, 1), fill="currentColor")
            yield element("g", element("title", f"{one.name} imports {name}: {count} modules"), dot)
