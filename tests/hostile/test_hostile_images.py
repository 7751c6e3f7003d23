"""Images made to hurt: what decoding them costs, measured in a process of its own."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zlib
from functools import partial
from pathlib import Path

import pytest
from dataset_samples import dataset_of, row
from image_samples import RGB, saved

from radcap.datasets.images import cache_images, decode
from radcap.datasets.refusal import ImageRefused

MOST_S, MOST_BYTES = 20.0, 64 << 20
# A child of pytest would start with its peak of memory, so the growth from after the imports is measured.
SCRIPT = """
import json, sys, time
from pathlib import Path
from radcap.datasets.images import decode, fit
from radcap.datasets.refusal import ImageRefused
data = Path(sys.argv[1]).read_bytes()
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))
before, start = peak(), time.process_time()
codes = []
for work in (lambda: decode(data, "x.png"), lambda: fit(data, "x.png", 256)):
    try:
        work()
        codes.append("")
    except ImageRefused as refused:
        codes.append(refused.code)
print(json.dumps([codes, time.process_time() - start, peak() - before]))
"""


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png_claim(width: int, height: int, pixels: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    end = chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + end


def png_inflating() -> bytes:
    return png_claim(10, 10, bytes(100_000_000))


def png_text_bomb() -> bytes:
    """A comment of 100 MB in 100 KB."""
    text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(100_000_000), 9))
    plain = saved(RGB, "PNG")
    return plain[:33] + text + plain[33:]


def jpeg_claim() -> bytes:
    plain = saved(RGB, "JPEG")
    place = plain.index(b"\xff\xc0")
    return plain[: place + 5] + struct.pack(">HH", 30_000, 30_000) + plain[place + 9 :]


def gif_claim() -> bytes:
    plain = saved(RGB, "GIF")
    return plain[:6] + struct.pack("<HH", 60_000, 60_000) + plain[10:]


def gif_frame_claim() -> bytes:
    """A small canvas with a first frame far larger."""
    plain = bytearray(saved(RGB, "GIF"))
    place = plain.index(b"\x2c\0\0\0\0")
    plain[place + 5 : place + 9] = struct.pack("<HH", 60_000, 60_000)
    return bytes(plain)


def gif_frames() -> bytes:
    frame = b"\x2c" + struct.pack("<HHHH", 0, 0, 1, 1) + b"\0" + b"\x02\x02\x44\x01\0"
    return b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0, 0, 0) + frame * 500_000


def bmp_claim() -> bytes:
    plain = saved(RGB, "BMP")
    return plain[:18] + struct.pack("<ii", 30_000, 30_000) + plain[26:]


def webp_claim() -> bytes:
    body = b"VP8X" + struct.pack("<I", 10) + bytes(4) + (16_382).to_bytes(3, "little") * 2
    frame = saved(RGB, "WEBP")[12:]
    return b"RIFF" + struct.pack("<I", 4 + len(body) + len(frame)) + b"WEBP" + body + frame


def tiff_of(*tags: tuple[int, int]) -> bytes:
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(tags))
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4)


def tiff_claim() -> bytes:
    return tiff_of(
        (256, 30_000), (257, 30_000), (258, 8), (259, 1), (262, 1), (273, 8), (278, 30_000), (279, 9)
    )


def tiff_strip_claim() -> bytes:
    """A small picture whose one strip claims four gigabytes."""
    return tiff_of((256, 9), (257, 9), (258, 8), (259, 5), (262, 1), (273, 8), (278, 9), (279, 2**32 - 1))


def tiff_tag_claim() -> bytes:
    """A tag of two thousand million values."""
    data = bytearray(tiff_of((256, 9), (257, 9), (258, 8), (259, 1), (262, 1), (273, 8), (279, 81)))
    data[10 + 2 * 12 + 4 : 10 + 2 * 12 + 8] = struct.pack("<I", 2_000_000_000)
    return bytes(data)


def tiff_chain() -> bytes:
    """A hundred thousand directories, each pointing to the next."""
    one = b"".join(struct.pack("<HI", 0, 8 + 6 * (place + 1)) for place in range(100_000))
    return b"II*\0" + struct.pack("<I", 8) + one


def dicom_claim() -> bytes:
    def element(group: int, number: int, kind: bytes, value: bytes) -> bytes:
        return struct.pack("<HH2sH", group, number, kind, len(value)) + value

    meta = element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1\0")
    body = element(0x28, 2, b"US", b"\1\0") + element(0x28, 4, b"CS", b"MONOCHROME2 ")
    body += element(0x28, 8, b"IS", b"900 ") + element(0x28, 0x10, b"US", b"\xff\xff")
    body += element(0x28, 0x11, b"US", b"\xff\xff") + element(0x28, 0x100, b"US", b"\x10\0")
    pixels = struct.pack("<HH2sHI", 0x7FE0, 0x10, b"OW", 0, 4) + bytes(4)
    return bytes(128) + b"DICM" + element(2, 0, b"UL", struct.pack("<I", len(meta))) + meta + body + pixels


CLAIMS = {
    "png of 30,000 x 30,000": (partial(png_claim, 30_000, 30_000, bytes(10_000)), "IMG105"),
    "png of 2^31": (partial(png_claim, 2**31 - 1, 2**31 - 1, b""), "IMG105"),
    "png that inflates to 100 MB for 10 x 10": (png_inflating, ""),
    "png with a comment of 100 MB": (png_text_bomb, "IMG109"),
    "jpeg of 30,000 x 30,000": (jpeg_claim, "IMG105"),
    "gif of 60,000 x 60,000": (gif_claim, "IMG105"),
    "gif with a frame of 60,000 x 60,000": (gif_frame_claim, "IMG109"),
    "gif of 500,000 frames": (gif_frames, "IMG106"),
    "bmp of 30,000 x 30,000": (bmp_claim, "IMG105"),
    "webp of 16,383 x 16,383": (webp_claim, "IMG105"),
    "tiff of 30,000 x 30,000": (tiff_claim, "IMG105"),
    "tiff with a strip of 4 GB": (tiff_strip_claim, "IMG104"),
    "tiff with a tag of 2,000,000,000 values": (tiff_tag_claim, ""),
    "tiff of 100,000 directories": (tiff_chain, "IMG106"),
    "dicom of 65,535 x 65,535 x 900": (dicom_claim, "IMG105"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_costs_little_and_is_refused(name: str, tmp_path: Path) -> None:
    make, code = CLAIMS[name]
    data = make()
    file, script = tmp_path / "image", tmp_path / "cost.py"
    file.write_bytes(data)
    script.write_text(SCRIPT, "utf-8")
    done = subprocess.run([sys.executable, script, file], capture_output=True, text=True, check=True)
    codes, seconds, grown = json.loads(done.stdout)
    assert codes == [code, code]
    assert seconds < MOST_S
    assert grown < MOST_BYTES + len(data)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_refusal_says_what_was_read_and_what_to_do(name: str) -> None:
    make, code = CLAIMS[name]
    if code:
        with pytest.raises(ImageRefused) as caught:
            decode(make(), "../\x1b[2Jbad.png")
        assert "\x1b" not in str(caught.value)
        assert str(caught.value).count(".") >= 2


def test_a_cache_of_bombs_is_built_and_lists_them(tmp_path: Path) -> None:
    files = {f"{place}.png": make() for place, (make, code) in enumerate(CLAIMS.values()) if code}
    dataset = dataset_of([row(name.removesuffix(".png")) for name in files], files)
    cache = cache_images(dataset, 16, workers=1, root=tmp_path)
    assert list(cache.refused.values()) == [code for _, code in CLAIMS.values() if code]
    assert not cache.pixels.any()
