"""Check a wheel and a source archive before anybody gets them.

Every file of the package is in the wheel, nothing else is, and the metadata is whole; the archive has what
its Makefile needs. Run it on the folder of both: python scripts/check_dist.py dist
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIELDS = ("Name", "Version", "Summary", "License-Expression", "Requires-Python", "Description-Content-Type")
NEEDED = ("Makefile", "Dockerfile", "pyproject.toml", "constraints.txt", "README.md", "LICENSE", "NOTICE")
LARGEST_MB = 100  # what package indexes take


def package_files() -> set[str]:
    """What belongs to the package, by its path in a wheel."""
    source = ROOT / "src"
    found = (
        one for one in (source / "radcap").rglob("*") if one.is_file() and "__pycache__" not in one.parts
    )
    return {one.relative_to(source).as_posix() for one in found}


def wheel_problems(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
        told = {Path(name).name: name for name in packed.namelist() if name.count("/") == 1}
        metadata = Parser().parsestr(packed.read(told["METADATA"]).decode("utf-8"))
        commands = packed.read(told["entry_points.txt"]).decode("utf-8")
    expected = package_files()
    problems = [f"{wheel.name} lacks {name}" for name in sorted(expected - names)]
    problems += [f"{wheel.name} has {name}, which is not in src" for name in sorted(names - expected)]
    problems += [f"{wheel.name}: its metadata lacks {name}" for name in FIELDS if not metadata[name]]
    if not str(metadata.get_payload()).strip():
        problems.append(f"{wheel.name}: its metadata has no description")
    if "radcap = radcap.cli.main:main" not in commands:
        problems.append(f"{wheel.name} brings no command radcap")
    return problems


def archive_problems(archive: Path) -> list[str]:
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    wanted = {*NEEDED, *(f"src/{name}" for name in package_files())}
    return [f"{archive.name} lacks {name}" for name in sorted(wanted - names)]


def problems(folder: Path) -> list[str]:
    wheels, archives = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(archives) != 1:
        return [f"{folder} has {len(wheels)} wheels and {len(archives)} source archives, not one of each"]
    large = [one.name for one in (*wheels, *archives) if one.stat().st_size > LARGEST_MB * 1e6]
    found = [f"{name} is larger than {LARGEST_MB} MB" for name in large]
    return [*found, *wheel_problems(wheels[0]), *archive_problems(archives[0])]


def main() -> None:
    folder = Path(sys.argv[1])
    found = problems(folder)
    if found:
        sys.exit("\n".join(found))
    for one in sorted(folder.iterdir()):
        print(f"{one.name}: {one.stat().st_size / 1e6:.1f} MB, whole")


if __name__ == "__main__":
    main()
