"""The command that reinstalls mcpgen from its own source.

No index is assumed to have mcpgen: an unpublished name is free for anyone to register.
"""

from __future__ import annotations

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname


def install_command(extra: str = "") -> str:
    """Return the command that reinstalls mcpgen, with an `extra` if named."""
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        installer = "pipx install --force"
    elif (prefix / "uv-receipt.toml").is_file():
        installer = "uv tool install --force"
    else:
        installer = f"{shlex.quote(sys.executable)} -m pip install"
    extras = f"[{extra}]" if extra else ""
    return f"{installer} {_requirement(_direct_url(), extras)}"


def _direct_url() -> dict[str, Any]:
    """Return where the distribution came from (PEP 610); nothing where it came from an index."""
    try:
        text = distribution("mcpgen").read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    found: dict[str, Any] = json.loads(text or "{}")
    return found


def _requirement(place: dict[str, Any], extras: str) -> str:
    url = str(place.get("url", ""))
    if not url:
        return shlex.quote(f"mcpgen{extras}")
    if url.startswith("file:") and "vcs_info" not in place:
        path = shlex.quote(url2pathname(urlsplit(url).path) + extras)
        is_editable = place.get("dir_info", {}).get("editable", False)
        return f"--editable {path}" if is_editable else path
    version_control = place.get("vcs_info")
    if version_control:
        revision = version_control.get("requested_revision")
        url = f"{version_control['vcs']}+{url}" + (f"@{revision}" if revision else "")
    return shlex.quote(f"mcpgen{extras} @ {url}")
