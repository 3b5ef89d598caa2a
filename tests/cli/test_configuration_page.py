"""The examples of docs/configuration.md, each pasted into the project of the bookshop."""

import re
from pathlib import Path

import pytest

from mcpgen.config.keys import TABLES

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.S | re.M)


def test_every_table_has_an_example():
    assert len(EXAMPLES) == len(TABLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.splitlines()[0])
def test_an_example_works_as_it_stands(mcpgen, bookshop, here, example):
    mcpgen("generate", "bookshop.yaml", "-o", "shop", "-q")
    if "[source]" not in example:
        example += '\n[source]\npath = "../bookshop.yaml"\n'
    (here / "shop" / "mcpgen.toml").write_text(example)
    ended = mcpgen("generate", "-o", "shop", "--accept-changes")
    assert ended.code == 0, ended.err
    assert "error[" not in ended.err and "warning[" not in ended.err
