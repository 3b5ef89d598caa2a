"""A project that version 0.1.0 made, in `made_by_0.1.0`: what is compared of it is as it was left."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgen.config import read_config
from mcpgen.load import load
from mcpgen.lock import config_hash
from mcpgen.problems import Problems
from tests.commands import Command

MADE = Path(__file__).parent / "made_by_0.1.0"
SPECS = Path(__file__).parents[2] / "samples/specs"


@pytest.mark.parametrize(("name", "digest"), [
    ("swagger2.yaml", "b484a51a28596ac6"),
    ("tools/github.json", "cdbc491e398e6a7c"),
    ("many_files/openapi.yaml", "993952809fa03771"),
])  # fmt: skip
def test_an_unchanged_document_has_the_hash_that_version_0_1_0_wrote(
    name: str, digest: str
) -> None:
    assert load(SPECS / name, problems=Problems()).source.sha256.startswith(digest)


def test_an_unchanged_configuration_has_the_hash_that_version_0_1_0_wrote() -> None:
    config = read_config(MADE)
    assert config_hash(config) == json.loads((MADE / "mcpgen.lock").read_text())["config"]
    assert config_hash(replace(config, catalogue=True)) != config_hash(config)


def test_an_unchanged_document_breaks_nothing_and_a_field_that_is_gone_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command
) -> None:
    monkeypatch.chdir(shutil.copytree(MADE, tmp_path / "project"))
    code, out, _ = mcpgen("diff")
    assert code == 11
    assert out.startswith("The document is the same; mcpgen ")
    assert "1 additive, 1 text changes" in out
    assert "in 3 tools: its texts, arguments or answers are listed in another way" in out
    document = json.loads(Path("shop.json").read_text())
    del document["components"]["schemas"]["Book"]["properties"]["price"]
    Path("shop.json").write_text(json.dumps(document))
    code, out, _ = mcpgen("diff")
    assert code == 12
    assert "  `get_book` answers no longer have `price`\n" in out
