"""A project that version 0.1.0 made, in `made_by_0.1.0`: what is compared of it is as it was left."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mcpgen.cli import run

MADE = Path(__file__).parent / "made_by_0.1.0"


def test_an_unchanged_document_breaks_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(MADE)
    assert run(["diff"]) == 11
    said = capsys.readouterr().out
    assert said.startswith("The document is the same; mcpgen ")
    assert "2 additive, 11 text changes" in said
    assert "in 2 tools: its answers are described differently" in said


def test_a_field_that_is_gone_since_is_breaking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    shutil.copytree(MADE, project)
    document = json.loads((project / "shop.json").read_text())
    del document["components"]["schemas"]["Book"]["properties"]["price"]
    (project / "shop.json").write_text(json.dumps(document))
    monkeypatch.chdir(project)
    assert run(["diff"]) == 12
    assert "  `get_book` answers no longer have `price`\n" in capsys.readouterr().out
