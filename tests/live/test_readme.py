"""The transcript in the README: from a clone to the first answered call, as it is printed there."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import Ended

ROOT = Path(__file__).parents[2]
PUBLISHED = "https://api.bookshop.example/v1"


def transcript() -> list[tuple[str, list[str]]]:
    """The commands of the README's transcript, each with the lines that it shows."""
    text = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"```console\n(.*?)```", text, re.S)
    assert block is not None
    steps: list[tuple[str, list[str]]] = []
    for line in block[1].splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif line not in ("", "..."):
            steps[-1][1].append(line)
    return steps


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The base URL of the sample API."""
    monkeypatch.syspath_prepend(str(ROOT / "samples"))
    import bookshop_api

    with bookshop_api.serving() as server:
        yield server.base_url
    sys.modules.pop("bookshop_api")


def test_from_a_clone_to_an_answer_it_takes_four_commands_and_one_decision() -> None:
    commands = [command for command, _ in transcript()]
    assert len(commands) <= 4
    assert [command for command in commands if command.startswith("export ")] == [commands[2]]


def test_the_transcript_in_the_readme_is_what_happens(
    mcpgen: Callable[..., Ended], here: Path, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "samples").symlink_to(ROOT / "samples")
    monkeypatch.setenv("MCPGEN_BOOKSHOP_BASE_URL", shop)
    install, *steps = transcript()
    assert install[0] == "pipx install ."
    for command, lines in steps:
        name, *words = shlex.split(command)
        if name == "export":
            variable, _, value = words[0].partition("=")
            monkeypatch.setitem(os.environ, variable, value)
            continue
        ended = mcpgen(*words)
        assert ended.code == 0, ended.err
        printed = f"{ended.err}\n{ended.out}".replace(shop, PUBLISHED)
        shown = {line.rstrip() for line in printed.splitlines()}
        assert [line for line in lines if line not in shown] == []
