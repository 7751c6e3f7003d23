"""A page with a script: the policy knows it by its hash, and a page without one is as it was."""

from __future__ import annotations

import base64
import hashlib
import re

from radcap.report.html import POLICY, page


def test_a_page_without_a_script_has_neither_script_nor_policy_for_one() -> None:
    plain = page("t", "h", "s")
    assert plain == page("t", "h", "s", script="")
    assert "script" not in plain
    assert POLICY.replace("'", "&#x27;") + '"' in plain


def test_the_policy_allows_the_script_of_the_page_and_no_other() -> None:
    script = 'const a = 1 < 2 && "ü";\n'
    made = page("t", "h", "s", script=script)
    written = re.findall(r"<script>(.*?)</script>", made, re.DOTALL)
    assert written == [script]
    code = base64.b64encode(hashlib.sha256(written[0].encode()).digest()).decode()
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', made)
    assert policy == [f"{POLICY}; script-src 'sha256-{code}'".replace("'", "&#x27;")]
    assert made.index("<script>") > made.index("<footer>")
