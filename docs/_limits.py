"""How much of what comes from others is read, as the code has it.

Invariant: every figure is the one by which something is refused.
"""

from __future__ import annotations

from _markdown import table

__all__ = ["limits_table"]

IMAGES = 19_267  # of the test set of 2025, for an example


def limits_table() -> str:
    rows = [*_run_files(), *_images(), *_others()]
    return table(("What", "Bound", "Beyond it"), rows)


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:,.4g} MiB"


def _run_files() -> list[tuple[str, str, str]]:
    from radcap.formats import Limits

    limits = Limits.for_images(IMAGES)
    packed = f"{limits.zip_members} members, {limits.zip_ratio} to 1"
    return [
        (f"run file, for {IMAGES:,} images", _mib(limits.file_bytes), "`RUN113`"),
        (f"rows of it, for {IMAGES:,} images", f"{limits.rows:,}", "`RUN113`"),
        ("one line or cell of it", f"{limits.line_bytes // 1024} KiB", "`RUN113`"),
        ("zip around it: members, expansion", packed, "`RUN104`, `RUN114`"),
        ("findings that are listed, of each code", f"{limits.issues_per_code:,}", "counted, not listed"),
    ]


def _images() -> list[tuple[str, str, str]]:
    from radcap.datasets.images.limits import LIMITS
    from radcap.datasets.stores.zip_members import LIMIT_BYTES

    return [
        ("image file", _mib(LIMITS.size_bytes), "refused before it is decoded"),
        ("pixels of an image, by its header", f"{LIMITS.pixels:,}", "refused before it is decoded"),
        ("frames of an image", f"{LIMITS.frames:,}", "refused before it is decoded"),
        ("member of a zip of images", _mib(LIMIT_BYTES), "`IMG107`"),
    ]


def _others() -> list[tuple[str, str, str]]:
    from radcap.core.posting import LIMIT_BYTES
    from radcap.reading.serving.desk import WAITING
    from radcap.reading.serving.requests import BODY_BYTES, BODY_S

    return [
        ("answer of an endpoint that you named", f"{LIMIT_BYTES:,} bytes", "refused"),
        ("image brought to the local page", f"{_mib(BODY_BYTES)}, {BODY_S:g} s", "refused"),
        ("images that wait at the local page", str(WAITING), "told to come again"),
    ]
