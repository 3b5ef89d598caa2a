"""A script that knows nothing of a server but the text of its skill calls a tool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from .conftest import Ended, StandIn

BOOKSHOP = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"

SCRIPT = """
import json, re, subprocess, sys

text = open(sys.argv[1], encoding="utf-8").read()
commands = [line.split() for block in re.findall(r"```sh\\n(.*?)```", text, re.S)
            for line in block.strip().splitlines()]
listing, finding, describing, calling, _ = commands

def run(command, **words):
    command = [words.get(word, word) for word in command]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout

[found] = [line.split()[0] for line in run(finding, WORD="cover").splitlines()]
assert found in run(listing)
described = run(describing, TOOL=found)
assert "only reads" in described
[name] = re.findall(r"^(\\w+) [(]required[)]", described, re.M)
[example] = re.findall(r"e[.]g[.] (\\w+)", described)
print(run(calling, **{"TOOL": found, "KEY=VALUE": f"{name}={example}"}))
"""


@pytest.fixture
def shop(mcpgen: Callable[..., Ended], here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of the bookshop with its skill, as the current folder."""
    assert mcpgen("generate", BOOKSHOP, "-o", "shop", "--quiet").code == 0
    monkeypatch.chdir(here / "shop")
    assert json.loads(mcpgen("add", "skill", "--json").out)["files"] == [
        "skills/bookshop-mcp/SKILL.md"
    ]
    return here / "shop"


def test_the_text_of_a_skill_is_enough_for_a_call(
    shop: Path, here: Path, api: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = here / "bin" / "bookshop-mcp"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bookshop_mcp "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(shop / "src"))
    monkeypatch.setenv("BOOKSHOP_MCP_BASE_URL", api.url)
    monkeypatch.setenv("BOOKSHOP_MCP_ALLOW_PRIVATE", "true")
    monkeypatch.setenv("BOOKSHOP_MCP_API_KEY", "canary0123456789")
    skill = shop / "skills" / "bookshop-mcp" / "SKILL.md"
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(skill)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    [(method, target, _)] = api.requests
    assert (method, target.partition("?")[0]) == ("GET", "/books/bk_1/cover")


def test_a_skill_has_its_head_and_follows_the_project(
    shop: Path, mcpgen: Callable[..., Ended]
) -> None:
    skill = shop / "skills" / "bookshop-mcp" / "SKILL.md"
    head = yaml.safe_load(skill.read_text("utf-8").split("---\n")[1])
    assert set(head) == {"name", "description"}
    assert head["name"] == skill.parent.name
    assert len(head["description"]) <= 1024
    settings = shop / "mcpgen.toml"
    settings.write_text('title = "Corner: \\"shop\\""\n' + settings.read_text())
    assert mcpgen("generate", "--quiet").code == 0
    head = yaml.safe_load(skill.read_text("utf-8").split("---\n")[1])
    assert 'Corner: "shop"' in head["description"]
    assert mcpgen("check").code == 0
