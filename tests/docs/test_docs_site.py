"""The site builds without a warning, is complete, and asks no other host for anything."""

from __future__ import annotations

import fcntl
import importlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from doc_pages import ROOT
from mkdocs.config import load_config
from test_docs_facts import COMMANDS


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """One process builds it for all of them."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "site"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "sitemap.xml").is_file():
            build(folder)
    return folder


def build(folder):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert [line for line in done.stderr.splitlines() if not line.startswith("INFO ")] == []


class References(HTMLParser):
    """The addresses a page loads or links to."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [
            value for name, value in attrs if name in {"src", "href", "srcset", "action"} and value
        ]


def test_pages_reference_no_other_host(site):
    external = {}
    for page in site.rglob("*.html"):
        parser = References()
        parser.feed(page.read_text("utf-8"))
        hosts = [one for one in parser.found if re.match(r"(?:[a-z]+:)?//", one)]
        if hosts:
            external[page.name] = hosts
    assert external == {}


def test_styles_and_pictures_of_ours_reference_no_other_host():
    for path in [*(ROOT / "docs" / "stylesheets").iterdir(), *(ROOT / "docs" / "images").glob("*.svg")]:
        addresses = set(re.findall(r"(?:https?:)?//[^\s\"')]+", path.read_text("utf-8")))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path.name


def pages_in(nav):
    for entry in nav:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from pages_in(value)


def test_every_page_is_in_the_navigation_once(site):
    listed = list(pages_in(load_config(str(ROOT / "mkdocs.yml")).nav))
    written = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    built = {str(path.relative_to(site).with_suffix(".md")) for path in site.rglob("*.html")} - {"404.md"}
    assert len(listed) == len(set(listed))
    assert written <= set(listed)
    assert set(listed) == built


def test_no_script_of_the_documentation_is_published(site):
    assert list(site.rglob("*.py")) == []


@pytest.mark.parametrize("command", ["radcap", "radcap score", *COMMANDS])
def test_every_command_is_in_the_reference(site, command):
    page = (site / "reference" / "cli.html").read_text("utf-8")
    assert f'id="{command.replace(" ", "-")}"' in page


@pytest.mark.parametrize(
    "name",
    [
        "radcap",
        *(f"radcap.{part}" for part in ("explanation", "metrics", "report", "stats", "systems")),
        *(f"radcap.reading.{part}" for part in ("serving", "structured", "values")),
        *(
            f"radcap.captioning.{part}"
            for part in (
                *("decoders", "generation", "grammar", "models"),
                *("settings", "system", "texts", "tokens"),
            )
        ),
        *(
            f"radcap.detection.{part}"
            for part in ("calibration", "decisions", "ensembles", "retrieval", "system")
        ),
        *(
            f"radcap.vision.{part}"
            for part in ("backbones", "blocks", "heads", "losses", "pictures", "settings", "training")
        ),
    ],
)
def test_every_public_name_is_in_the_reference(site, name):
    page = (site / "reference" / "api.html").read_text("utf-8")
    homes = [f'id="{home}.{{}}"' for home in ("radcap", "radcap.metrics", name)]
    exported = importlib.import_module(name).__all__
    assert [one for one in exported if not any(home.format(one) in page for home in homes)] == []
    assert f'id="{name.replace(".", "")}"' in page  # its section


@pytest.mark.parametrize(
    "catalogue",
    [
        "radcap.core.tables.codes",
        "radcap.datasets.codes",
        "radcap.formats.codes",
        "radcap.vocabulary.captions.codes",
        "radcap.vocabulary.codes",
        "radcap.vocabulary.rules.codes",
    ],
)
def test_every_code_has_an_anchor(site, catalogue):
    page = (site / "reference" / "issue-codes.html").read_text("utf-8")
    codes = [one.code for one in importlib.import_module(catalogue).CATALOGUE]
    assert codes
    assert [code for code in codes if f'id="{code.lower()}"' not in page] == []


def test_every_edition_has_a_section(site):
    page = (site / "reference" / "editions.html").read_text("utf-8")
    from radcap.metrics import EDITIONS

    assert [name for name in EDITIONS if f'id="{name}"' not in page] == []
