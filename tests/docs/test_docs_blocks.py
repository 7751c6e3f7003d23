"""Every block of README and documentation runs, and prints what the page says it prints."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from doc_pages import (
    PAGES,
    ROOT,
    Block,
    Session,
    agrees,
    has_meteor,
    make_targets,
    read_blocks,
    recipe,
    tidy,
)

TUTORIALS = ["README.md", *sorted(f"docs/tutorials/{p.name}" for p in (ROOT / "docs/tutorials").iterdir())]
OUTDATED = "If the new output is right: .venv/bin/python tests/docs/doc_pages.py writes it into the pages."


def name_of(page):
    return str(page.relative_to(ROOT))


SLOW = [page for page in PAGES if any(block.slow for block in read_blocks(page.read_text("utf-8")))]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_run_in_order_and_print_what_is_shown(page, tmp_path):
    blocks = read_blocks(page.read_text("utf-8"))
    run_page(page, Session(tmp_path, hurried=True), [block.hurried for block in blocks])


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW, ids=name_of)
def test_blocks_that_take_long_print_what_is_shown(page, tmp_path):
    run_page(page, Session(tmp_path), read_blocks(page.read_text("utf-8")))


def run_page(page, session, blocks):
    for block in blocks:
        if block.language == "console":
            for command, shown, printed in session.console(block):
                assert tidy(printed) == tidy(shown), f"{page.name}:{block.line}: $ {command}"
            continue
        if not block.can_run:
            continue
        printed = session.run(block)
        if block.shown is not None:
            assert agrees(printed, block), f"{page.name}:{block.line}: {OUTDATED}\n{printed}"


@pytest.mark.parametrize("page", TUTORIALS)
def test_blocks_have_a_language_that_is_run_or_shown(page):
    text = (ROOT / page).read_text("utf-8")
    opened = [line for line in text.splitlines() if line.startswith("```")][::2]
    assert set(opened) <= {"```python", "```shell", "```console", "```text"}


def test_readme_and_tutorials_show_python_and_shell_with_outputs():
    for page in TUTORIALS:
        blocks = read_blocks((ROOT / page).read_text("utf-8"))
        assert {"python", "shell"} <= {block.language for block in blocks if block.shown is not None}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=name_of)
def test_targets_named_in_a_page_exist(page):
    named = re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE)
    assert set(named) <= make_targets()


def test_one_block_may_start_java():
    marked = [
        (page.name, block)
        for page in PAGES
        for block in read_blocks(page.read_text("utf-8"))
        if block.needs_java
    ]
    assert [name for name, _ in marked] == ["score-captions.md"]
    assert "JAVA_TOOL_OPTIONS" not in marked[0][1].environment


def test_java_refuses_to_start_under_any_other_block(tmp_path):
    if not has_meteor():
        pytest.skip("there is no Java")
    scored = "import radcap\nreport = radcap.score_captions({'a': 'ct'}, {'a': 'ct'}, metrics=['meteor'])\n"
    printed = Session(tmp_path).run(Block("python", scored + "print(report.missing[0].why)", 1))
    assert "METEOR 1.5 failed" in printed


def test_models_of_the_reader_are_not_seen(monkeypatch):
    monkeypatch.setenv("RADCAP_SPACY_MODEL", "somewhere")
    for block in (Block("shell", "", 1), Block("shell", "", 1, needs_java=True)):
        assert "RADCAP_SPACY_MODEL" not in block.environment


def test_readme_names_the_two_commands_and_they_exist():
    set_up = [block for block in read_blocks((ROOT / "README.md").read_text("utf-8")) if block.sets_up]
    typed = [line for block in set_up for line in block.lines]
    assert typed == ["make demo", "make test"]
    assert {"demo", "test"} <= make_targets()


def test_make_demo_is_the_command_the_pages_run():
    assert recipe("demo") == "radcap demo --out demo-out"


PAGE = """\
```shell
make demo
```

```shell
# a comment
echo one
```

```text
one
```

```python
x = 1
```

Some words.

```text
not an output
```

```console
$ echo two
two
$ false
```

<!-- needs Java -->
```shell
java -version
```
"""


def test_outputs_belong_to_the_block_right_before_them():
    found = [(block.language, block.line, block.shown) for block in read_blocks(PAGE)]
    assert found == [
        ("shell", 1, None),
        ("shell", 5, "one\n"),
        ("python", 14, None),
        ("console", 24, None),
        ("shell", 31, None),
    ]
    assert [block.sets_up for block in read_blocks(PAGE)] == [True, False, False, False, False]
    assert [block.needs_java for block in read_blocks(PAGE)] == [False, False, False, False, True]


HURRIED = """\
<!-- slow -->
```shell
sleep 100
```

<!-- slow: echo few > run.csv -->
```shell
echo many > run.csv
```

<!-- slow output -->
```shell
cat run.csv
```

```text
many
```
"""


def test_in_a_hurry_slow_blocks_are_replaced_and_what_hangs_on_them_is_not_compared(tmp_path):
    blocks = read_blocks(HURRIED)
    assert [block.hurried.text for block in blocks] == ["", "echo few > run.csv", "cat run.csv\n"]
    assert [block.hurried.shown for block in blocks] == [None, None, None]
    assert [Session(tmp_path, hurried=True).run(block.hurried) for block in blocks] == ["", "", "few\n"]
    assert Session(tmp_path).run(blocks[1]) + Session(tmp_path).run(blocks[2]) == blocks[2].shown


def test_a_failing_command_fails_the_page(tmp_path):
    session = Session(tmp_path)
    commands = session.console(read_blocks(PAGE)[-2])
    assert next(commands) == ("echo two", "two\n", "two\n")
    with pytest.raises(AssertionError, match="exit code 1"):
        next(commands)


@pytest.mark.parametrize(
    ("printed", "agreed"),
    [
        ("run.zip  f1 0.73 of 700 images\n", True),
        ("run.zip  f1  0.7412 of 695 images", True),
        ("run.zip  f1 0.78 of 700 images", False),
        ("run.zip  f1 0.73 of 800 images", False),
        ("run.zip  f1 0.73 of 700", False),
        ("run2.zip  f1 0.73 of 700 images", False),
    ],
)
def test_figures_of_slow_blocks_may_be_a_little_off(printed, agreed):
    block = Block("shell", "", 1, shown="run.zip  f1 0.73 of 700 images\n")
    assert agrees(printed, replace(block, slow=True)) is agreed
    assert agrees(printed, block) is (tidy(printed) == tidy(block.shown or ""))


def test_versions_in_signatures_and_trailing_blanks_are_not_compared():
    assert tidy("\nf1|radcap:1.2.3  \n") == tidy("f1|radcap:0.1.0") == "f1|radcap:VERSION"
