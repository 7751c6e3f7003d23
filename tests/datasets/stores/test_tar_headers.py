"""Our walk over a tar finds what `tarfile` finds, and never takes a broken tar for a shorter one."""

from __future__ import annotations

import io
import tarfile
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets.stores.tar_headers import BrokenTar, walk

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}


def packed(
    members: list[tuple[str, bytes]], form: int = tarfile.GNU_FORMAT, pax: dict[str, str] | None = None
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, pax_headers=pax) as tar:
        for name, data in members:
            header = tarfile.TarInfo(name)
            header.size = len(data)
            tar.addfile(header, io.BytesIO(data))
    return out.getvalue()


def by_tarfile(data: bytes) -> list[tuple[str, str, int, int]]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return [(one.name, one.type.decode(), one.offset_data, one.size) for one in tar]


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_names_places_and_sizes_are_those_of_tarfile(form: int):
    long = "a" * 60 + "/" + "b" * 90
    data = packed([("x.jpg", b"1" * 513), (long, b""), ("ü.png", b"2" * 512), ("z/y.txt", b"3")], form)
    assert list(walk(data)) == by_tarfile(data)


@pytest.mark.parametrize("form", ["gnu", "pax"])
def test_names_of_any_length_are_read(form: str):
    data = packed([("d/" + "n" * 400 + ".jpg", b"x"), ("after.jpg", b"y")], FORMATS[form])
    assert list(walk(data)) == by_tarfile(data)


_NAME = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1, max_size=150
)


@settings(max_examples=60, deadline=None)
@given(
    members=st.lists(st.tuples(_NAME, st.binary(max_size=1200)), max_size=6),
    form=st.sampled_from(["gnu", "pax"]),
)
def test_any_tar_reads_as_tarfile_reads_it(members: list[tuple[str, bytes]], form: str):
    data = packed(members, FORMATS[form])
    assert list(walk(data)) == by_tarfile(data)


def test_a_pax_header_for_all_members_counts_until_one_says_otherwise():
    data = packed([("one", b"x"), ("n" * 200, b"y")], tarfile.PAX_FORMAT, {"comment": "words"})
    assert list(walk(data)) == by_tarfile(data)


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_links_devices_and_folders_have_no_bytes(form: int):
    out = io.BytesIO()
    kinds = {"s": tarfile.SYMTYPE, "h": tarfile.LNKTYPE, "p": tarfile.FIFOTYPE, "d": tarfile.DIRTYPE}
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for name, kind in kinds.items():
            header = tarfile.TarInfo(name)
            header.type, header.linkname = kind, "x" * (100 if form == tarfile.USTAR_FORMAT else 150)
            tar.addfile(header)
        header = tarfile.TarInfo("last")
        header.size = 1
        tar.addfile(header, io.BytesIO(b"x"))
    found = [(one.name, one.kind, one.size) for one in walk(out.getvalue())]
    assert found == [("s", "2", 0), ("h", "1", 0), ("p", "6", 0), ("d/", "5", 0), ("last", "0", 1)]


def test_a_size_beyond_octal_digits_is_read():
    header = tarfile.TarInfo("huge")
    header.size = 9 * 1024**3
    block = header.tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(BrokenTar, match="it ends within huge"):
        list(walk(block + bytes(1024)))
    pax = header.tobuf(tarfile.PAX_FORMAT)
    with pytest.raises(BrokenTar, match="it ends within huge"):
        list(walk(pax + bytes(1024)))


def test_a_sparse_file_is_told_apart():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        header = tarfile.TarInfo("holes")
        header.pax_headers = {"GNU.sparse.major": "1"}
        tar.addfile(header)
    assert [one.kind for one in walk(out.getvalue())] == ["S"]


@pytest.mark.parametrize("cut", [100, 512, 700, 1024, 1400, 1536, 2048])
def test_a_tar_that_breaks_off_says_so(cut: int):
    data = packed([("a.jpg", b"x" * 600), ("b.jpg", b"y")])
    with pytest.raises(BrokenTar, match="it ends"):
        list(walk(data[:cut]))


def test_one_block_of_the_end_mark_is_enough():
    data = packed([("a.jpg", b"x")])
    assert len(list(walk(data[:1536]))) == 1


@pytest.mark.parametrize("place", [0, 90, 130, 150, 200, 400])
def test_a_damaged_header_is_refused(place: int):
    data = bytearray(packed([("a.jpg", b"x")]))
    data[place] ^= 0x15
    with pytest.raises(BrokenTar, match="the header at byte 0 is damaged"):
        list(walk(bytes(data)))


@pytest.mark.parametrize("body", [b"no length", b"99 path=x\n", b"2 x", b"x path=y\n"])
def test_a_damaged_pax_header_is_refused(body: bytes):
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, len(body)
    data = header.tobuf() + body.ljust(512, b"\0") + packed([("a", b"x")])
    with pytest.raises(BrokenTar, match="pax header is damaged"):
        list(walk(data))


def test_a_pax_size_that_is_no_number_is_refused():
    body = b"10 size=x\n"
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, len(body)
    data = header.tobuf() + body.ljust(512, b"\0") + packed([("a", b"x")])
    with pytest.raises(BrokenTar, match="header before byte 1,024 is damaged"):
        list(walk(data))


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=2000))
def test_any_bytes_are_a_tar_or_broken(data: bytes):
    with suppress(BrokenTar):
        assert all(one.offset + one.size <= len(data) for one in walk(data))
