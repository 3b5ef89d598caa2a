"""`import mcpgen`: what the commands do, for programs."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mcpgen

ROOT = Path(__file__).parents[1]
BOOKSHOP = ROOT / "samples" / "specs" / "bookshop.yaml"


def test_the_example_in_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("## As a library")[2]
    example = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert example is not None
    (tmp_path / "openapi.yaml").write_bytes(BOOKSHOP.read_bytes())
    monkeypatch.chdir(tmp_path)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(example.group(1), "README.md", "exec"), {})
    first, *_, last = output.getvalue().splitlines()
    assert first.startswith("bookshop ") and first.endswith(" 13") and last == "None"


def test_importing_mcpgen_imports_no_stage() -> None:
    code = "import sys, mcpgen; print(*[name for name in sys.modules if 'mcpgen' in name])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert sorted(result.stdout.split()) == ["mcpgen", "mcpgen.version"]


def test_every_name_of_the_face_is_there() -> None:
    for name in mcpgen.__all__:
        assert getattr(mcpgen, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = mcpgen.nothing


def test_a_document_without_operations_is_an_error_and_writes_nothing(tmp_path: Path) -> None:
    document = tmp_path / "empty.json"
    document.write_text('{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}}')
    with pytest.raises(mcpgen.McpgenError, match="has no operations") as raised:
        mcpgen.generate(document, tmp_path / "out")
    assert [problem.code for problem in raised.value.problems] == ["E0432"]
    assert not (tmp_path / "out").exists()


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    result = mcpgen.generate(BOOKSHOP, tmp_path / "out", dry_run=True)
    assert result.changes.created and not (tmp_path / "out").exists()


def test_a_selection_chooses_among_the_operations(tmp_path: Path) -> None:
    config = mcpgen.Config(selection=mcpgen.Selection(include_tags=("authors",)))
    made = mcpgen.generate(BOOKSHOP, tmp_path / "shop", config=config)
    assert [toolset.name for toolset in made.server.toolsets] == ["authors"]


@pytest.mark.parametrize(("callee", "wrong", "meant"), [
    (mcpgen.Config, "include_tags", "; did you mean `selection=Selection(include_tags=...)`?"),
    (mcpgen.Config, "profil", "; did you mean `profile=...`?"), (mcpgen.Config, "zzzz", ""),
    (mcpgen.Selection, "exclude_path", "; did you mean `exclude_paths=...`?"),
    (mcpgen.generate, "base_url", "; did you mean `config=Config(base_url=...)`?"),
    (mcpgen.generate, "include_tag", "; did you mean `config=Config(selection=Selection(include_tags=...))`?"),
    (mcpgen.check, "updated", "; did you mean `update=...`?"),
])  # fmt: skip
def test_an_unknown_keyword_gets_the_one_that_was_meant(
    callee: Any, wrong: str, meant: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(f"takes no `{wrong}`{meant}") + "$"):
        callee(**{wrong: True})
