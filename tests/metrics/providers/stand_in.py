"""Programs that take the place of `java`, for what the real one cannot be made to do."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["hide", "is_gone", "put_java"]


def put_java(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make JAVA_HOME lead to a Python program with this body."""
    java = folder / "home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!{sys.executable} -IS\nimport os, sys\n{body}\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(java.parent.parent))
    return java


def hide(package: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `module` not find an installed package."""
    monkeypatch.setattr(f"{module}.find_spec", lambda name: None if name == package else object())


def is_gone(pid: int) -> bool:
    """Neither running nor waiting to be reaped."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
