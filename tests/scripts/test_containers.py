"""The files of the container: what can be known of them without building it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture
def services() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile, an instruction each."""
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]


def test_the_image_is_made_by_the_makefile_and_runs_without_rights() -> None:
    known = instructions()
    assert ("RUN", "make dist") in known
    assert [value for kind, value in known if kind == "USER"] == ["1000"]
    assert known[-2:] == [("ENTRYPOINT", '["radcap"]'), ("CMD", '["--help"]')]


def test_the_wheel_is_built_from_what_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert {".git", ".venv", "dist"} <= set(ignored)
    assert not {"src", "scripts", "Makefile", "README.md", "pyproject.toml", "LICENSE"} & set(ignored)


def test_services_have_no_rights_and_no_open_port(services: dict[str, Any]) -> None:
    assert set(services) == {"radcap", "page"}
    for one in services.values():
        assert (one["cap_drop"], one["read_only"]) == (["ALL"], True)
        assert "no-new-privileges:true" in one["security_opt"]
        assert "ports" not in one
    assert services["radcap"]["network_mode"] == "none"


def test_the_page_is_a_command_that_exists(services: dict[str, Any]) -> None:
    from typer.main import get_command

    from radcap.cli.main import app

    name, *options = services["page"]["command"]
    command: Any = getattr(get_command(app), "commands")[name]  # noqa: B009, click's own attribute
    known = {text for one in command.params for text in one.opts}
    assert {one for one in options if one.startswith("--")} <= known


def test_the_linter_has_nothing_to_say() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("needs hadolint")
    done = subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
