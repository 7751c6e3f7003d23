"""Licences by the names people write."""

from __future__ import annotations

import pytest

from radcap.datasets.cards.spdx import hub_licence, licence_url, spdx

CC = "https://creativecommons.org"


@pytest.mark.parametrize(
    ("text", "code", "url", "hub"),
    [
        ("CC BY 4.0", "CC-BY-4.0", f"{CC}/licenses/by/4.0/", "cc-by-4.0"),
        ("cc-by-nc-sa-4.0", "CC-BY-NC-SA-4.0", f"{CC}/licenses/by-nc-sa/4.0/", "cc-by-nc-sa-4.0"),
        ("CC  BY-NC 3.0", "CC-BY-NC-3.0", f"{CC}/licenses/by-nc/3.0/", "cc-by-nc-3.0"),
        ("CC BY 3.0 IGO", "CC-BY-3.0-IGO", f"{CC}/licenses/by/3.0/igo/", "other"),
        ("CC BY-ND 2.0", "CC-BY-ND-2.0", f"{CC}/licenses/by-nd/2.0/", "other"),
        ("CC0", "CC0-1.0", f"{CC}/publicdomain/zero/1.0/", "cc0-1.0"),
        ("CC0 1.0 Universal", "CC0-1.0", f"{CC}/publicdomain/zero/1.0/", "cc0-1.0"),
        ("MIT", "MIT", "https://opensource.org/license/mit", "mit"),
        ("no restrictions", "", "", "other"),
        ("CC BY", "", "", "other"),
        ("", "", "", "unknown"),
    ],
)
def test_a_licence_has_a_code_only_where_it_is_certain(text: str, code: str, url: str, hub: str):
    assert (spdx(text), licence_url(text), hub_licence(text)) == (code, url, hub)
