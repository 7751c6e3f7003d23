"""The machine: Python, memory, GPU, Java, and the folders that radcap writes to.

Invariant: what cannot be found out is told as such; nothing here raises.
"""

from __future__ import annotations

import os
import platform
import shutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from radcap.core import Missing, ToolFailed, cache_root
from radcap.reading.health.values import Machine, Place

__all__ = ["examine_machine", "gpu", "java", "memory_bytes", "place"]

_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container


def examine_machine() -> Machine:
    """The machine under radcap."""
    graphics, loads = gpu()
    return Machine(
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count() or 1,
        memory_bytes=memory_bytes(),
        gpu=graphics,
        torch_loads=loads,
        java=java(),
        places=(place("cache", cache_root()), place("working folder", Path.cwd())),
    )


def memory_bytes(limit: Path = _LIMIT) -> int | None:
    """Of the machine, or of the container if that has less."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
    try:
        return min(whole, int(limit.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return whole


def gpu() -> tuple[str, bool]:
    """What torch would compute on, and that nothing is wrong with torch; it is loaded, if it is there."""
    if find_spec("torch") is None:
        return "not looked for: torch is not installed", True
    try:
        cuda = import_module("torch").cuda
        names = [str(cuda.get_device_name(one)) for one in range(cuda.device_count())]
    except (ImportError, OSError, RuntimeError) as error:
        return f"not looked for: torch does not load ({_first_line(error)})", False
    return ", ".join(names) or "none that torch can use", True


def java() -> str:
    """The release that METEOR and SPICE would run on, and where it is."""
    try:
        from radcap.metrics.providers.java import find_java, java_release

        found = find_java()
        return f"{java_release(found)} ({found})"
    except (Missing, ToolFailed, ImportError) as error:
        return f"none: {_first_line(error)}"


def place(what: str, path: Path) -> Place:
    """A folder, or the nearest above it that is there already."""
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    return Place(what, str(path), shutil.disk_usage(there).free, os.access(there, os.W_OK))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
