"""What the constant files of a generated package never do."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from shop import ROOT, RUNTIME, TEMPLATES

FILES = sorted(
    path
    for folder in (RUNTIME, TEMPLATES)
    for path in folder.rglob("*.py")
    if "__pycache__" not in path.parts
)
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_NAMES = {
    *("os.system", "os.popen", "pickle.loads", "pickle.load", "marshal.loads", "shelve.open",
      "yaml.load"),
    *("tempfile.mktemp", "subprocess.run", "subprocess.Popen", "jsonschema.validate"),
}  # fmt: skip
FORBIDDEN_IMPORTS = {"pickle", "marshal", "shelve", "subprocess", "yaml", "jsonschema"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_runtime_file_is_ascii_relative_and_harmless(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if path.name not in ("answer.py", "shorten.py", "url.py", "settings.py", "limits.py"):
        assert source.isascii() or "§" in source
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            assert name not in FORBIDDEN_CALLS | FORBIDDEN_NAMES, f"{path.name}:{node.lineno}"
            for keyword in node.keywords:
                said = f"{keyword.arg}={ast.unparse(keyword.value)}"
                assert said not in ("shell=True", "verify=False"), f"{path.name}:{node.lineno}"
        if isinstance(node, ast.Import):
            assert not {alias.name.split(".")[0] for alias in node.names} & FORBIDDEN_IMPORTS
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").split(".")[0] not in FORBIDDEN_IMPORTS | {"mcpgen"}
