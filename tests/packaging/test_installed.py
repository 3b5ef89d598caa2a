"""The command that a message gives to install mcpgen with an extra."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from mcpgen import installed

PIP = f"{shlex.quote(sys.executable)} -m pip install"
GIT = {"vcs": "git", "requested_revision": "v0.2.0", "commit_id": "a" * 40}


@pytest.mark.parametrize(("place", "command"), [
    (None, "'mcpgen[eval]'"),
    ({"url": "file:///home/me/my%20clone", "dir_info": {}}, "'/home/me/my clone[eval]'"),
    ({"url": "file:///home/me/mcpgen", "dir_info": {"editable": True}},
     "--editable '/home/me/mcpgen[eval]'"),
    ({"url": "file:///tmp/mcpgen.whl", "archive_info": {}}, "'/tmp/mcpgen.whl[eval]'"),
    ({"url": "https://files.example/mcpgen.whl", "archive_info": {}},
     "'mcpgen[eval] @ https://files.example/mcpgen.whl'"),
    ({"url": "https://git.example/mcpgen", "vcs_info": GIT},
     "'mcpgen[eval] @ git+https://git.example/mcpgen@v0.2.0'"),
    ({"url": "file:///srv/mcpgen.git", "vcs_info": {"vcs": "git", "commit_id": "a"}},
     "'mcpgen[eval] @ git+file:///srv/mcpgen.git'"),
])  # fmt: skip
def test_mcpgen_is_installed_from_where_it_came(
    monkeypatch: pytest.MonkeyPatch, place: Any, command: str
) -> None:
    class Distribution:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return json.dumps(place) if place else None

    monkeypatch.setattr(installed, "distribution", lambda name: Distribution())
    assert installed.install_command("eval") == f"{PIP} {command}"


@pytest.mark.parametrize(("marker", "installer"), [
    ("pipx_metadata.json", "pipx install --force"),
    ("uv-receipt.toml", "uv tool install --force"),
])  # fmt: skip
def test_it_is_installed_by_what_installed_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, marker: str, installer: str
) -> None:
    (tmp_path / marker).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert installed.install_command("eval").startswith(f"{installer} ")


def test_no_message_names_a_package_that_nobody_published() -> None:
    root = Path(installed.__file__).parent
    sources = [path for path in root.rglob("*") if path.suffix in (".py", ".toml", ".jinja")]
    templates = [path for path in (root.parent / "templates").rglob("*") if path.is_file()]
    for path in [*sources, *templates]:
        text = path.read_text("utf-8")
        for name in ("install --upgrade mcpgen", "install 'mcpgen", "-mcp[", "mcpgen[", ":-mcpgen"):
            if path.name != "installed.py":
                assert name not in text, path
