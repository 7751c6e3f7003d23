"""What people install: the archives are whole, and the wheel works with what it declares and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from script_files import SCRIPTS, script

from radcap.core import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

check = script("check_dist")

ROOT = SCRIPTS.parent
RUN = "ID,CUIs\na,C0040405\nb,C0024485\n"


def test_a_folder_without_both_archives_is_refused(tmp_path: Path) -> None:
    assert "0 wheels and 0 source archives" in check.problems(tmp_path)[0]


def test_what_a_wheel_lacks_or_has_too_much_is_named(tmp_path: Path) -> None:
    wheel = tmp_path / "radcap-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        for name in check.package_files() - {"radcap/py.typed"}:
            packed.writestr(name, "")
        packed.writestr("radcap/secret.txt", "")
        packed.writestr("radcap-0.dist-info/METADATA", "Name: radcap\nVersion: 0\n")
        packed.writestr("radcap-0.dist-info/entry_points.txt", "")
    found = "\n".join(check.wheel_problems(wheel))
    assert f"{wheel.name} lacks radcap/py.typed" in found
    assert "has radcap/secret.txt, which is not in src" in found
    assert "its metadata lacks Summary" in found
    assert "no description" in found
    assert "brings no command radcap" in found


def needed(package: str, found: set[str] | None = None) -> set[str]:
    """A package and what it needs on this machine, extras left out."""
    found = set() if found is None else found
    if package not in found:
        found.add(package)
        for line in distribution(package).requires or ():
            name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
            if "extra ==" not in line and _installed(name):
                needed(name, found)
    return found


def _installed(name: str) -> bool:
    try:
        return bool(distribution(name))
    except ModuleNotFoundError:
        return False


def link(package: str, site: Path) -> None:
    """Lend an environment one package of this one."""
    here = distribution(package)
    tops = {Path(str(file)).parts[0] for file in here.files or () if not str(file).startswith("..")}
    for top in tops - {"__pycache__"}:
        target = Path(str(here.locate_file(top)))
        if target.exists() and not (site / top).exists():
            (site / top).symlink_to(target)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The wheel in an environment of its own, with the packages of a base install and no other."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", ROOT]
    subprocess.run(build, check=True, capture_output=True)
    subprocess.run([sys.executable, SCRIPTS / "check_dist.py", folder / "dist"], check=True)
    venv.create(folder / "venv", with_pip=True, symlinks=True)
    wheel = next((folder / "dist").glob("*.whl"))
    python = [folder / "venv/bin/python", "-m", "pip"]
    install = [*python, "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(install, check=True, capture_output=True)
    site = next((folder / "venv/lib").glob("python*/site-packages"))
    for package in needed("radcap") - {"radcap"}:
        link(package, site)

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        command = [folder / "venv/bin/radcap", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=clean)

    return call


@pytest.mark.slow
def test_the_wheel_works_with_what_it_declares(
    installed: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    assert installed("--version").stdout == f"{VERSION}\n"
    listed = installed("--help")
    assert (listed.returncode, "validate" in listed.stdout) == (0, True)
    demo = installed("demo", "--no-models", "--out", "demo-out")
    assert demo.returncode == 0, demo.stderr
    run = tmp_path / "run.csv"
    run.write_text(RUN, encoding="utf-8")
    checked = installed("validate", str(run), "--task", "concepts", "--ids", str(run))
    assert checked.returncode == 0, checked.stdout
    assert "2 rows, passes" in checked.stderr


@pytest.mark.slow
def test_without_torch_a_reading_says_what_to_install(
    installed: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    healthy = installed("doctor")
    assert (healthy.returncode, healthy.stderr) == (0, "")
    assert "pip install 'radcap[read]'" in healthy.stdout
    refused = installed("read", "radiology-open", "--split", "test")
    assert refused.returncode == 3
    assert "radcap[read]" in refused.stderr
