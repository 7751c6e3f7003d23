from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radcap.datasets.text_tables.writing import Form, write_csv

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("form", "cell", "line", "fits"),
    [
        (Form(), "plain", "i,plain", True),
        (Form(), 'say "x", y', 'i,"say ""x"", y"', True),
        (Form(), "two\rlines", 'i,"two\rlines"', True),
        (Form(), "=1+1", "i,=1+1", True),
        (Form(), "a\0b", "i,a b", False),
        (Form("\t"), "a\tb", 'i\t"a\tb"', True),
        (Form("\t"), "a,b", "i\ta,b", True),
        (Form("\t", quoted=False), "a\tb\nc\r", "i\ta b c ", False),
        (Form("\t", quoted=False), 'a, "b"', 'i\ta, "b"', True),
    ],
)
def test_a_cell_is_written_as_its_form_can_hold_it(form: Form, cell: str, line: str, fits: bool):
    assert (form.line(("i", cell)), form.fits(cell)) == (line, fits)


def test_a_table_is_written_with_plain_line_ends(tmp_path: Path):
    write_csv(tmp_path / "deep" / "x.csv", [("ID", "Caption"), ("ä", "b")], Form())
    assert (tmp_path / "deep" / "x.csv").read_bytes() == "ID,Caption\nä,b\n".encode()
