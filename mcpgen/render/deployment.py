"""Files for running a server elsewhere, written on request: manifests for Kubernetes, a
compose file with a load balancer, a systemd unit, a dashboard with alerts.
"""

from __future__ import annotations

import json
import shlex
from typing import Final
from urllib.parse import urlsplit

from ..ir import Server
from .literal import Code, environment, word
from .project_view import project_context

FOLDER: Final = "deploy/"
"""The templates in it are for `deployment` alone."""
TARGETS: Final = {
    "kubernetes": (
        "kustomization.yaml",
        "deployment.yaml",
        "service.yaml",
        "autoscaler.yaml",
        "disruption-budget.yaml",
        "network-policy.yaml",
    ),
    "compose": ("compose.yaml", "haproxy.cfg"),
    "systemd": ("service",),
    "github-workflow": ("mcpgen.yml",),
    "pre-commit": (".pre-commit-config.yaml",),
    "monitoring": ("alerts.yaml", "dashboard.json", "pod-monitor.yaml", "keda.yaml"),
}
"""Target → its templates."""
IN_REPOSITORY: Final = {"github-workflow": ".github/workflows/", "pre-commit": ""}
"""Target → the folder of its files in the repository; those of the others are in the project."""


def deployment(server: Server, target: str, place: str = ".") -> dict[str, str]:
    """Return the files of one of `TARGETS`: path in the project, or in the repository in which the
    project is at a `place` → text.

    Credentials are referred to by the names of their variables; no text of the document occurs.
    """
    context = {
        **project_context(server),
        "api_port": _port(server),
        "place": Code(json.dumps(place)),
        "check": Code(json.dumps(f"mcpgen check {shlex.quote(place)}")),
    }
    home = IN_REPOSITORY.get(target, f"{FOLDER}{target}/")
    files = {}
    for name in TARGETS[target]:
        template = environment().get_template(f"{FOLDER}{target}/{name}.jinja")
        file = name
        if name == "service":
            file = f"{word(server.distribution)}.service"
        files[f"{home}{file}"] = template.render(context)
    return files


def _port(server: Server) -> int:
    """Return the port of the base URL, by default 80 for http, else 443."""
    url = urlsplit(server.base_url or "")
    return url.port or {"http": 80}.get(url.scheme, 443)
