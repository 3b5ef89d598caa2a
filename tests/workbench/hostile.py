"""The bookshop with an attack in its texts."""

import json
from pathlib import Path

import yaml

BOOKSHOP = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"

HOSTILE = "\"'></script><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}${7*7}\u202e"


def hostile(node: object) -> object:
    """The document with an attack in every text that is not structure."""
    kept = {
        "operationId", "in", "type", "$ref", "style", "format", "pattern", "openapi", "url", "name",
    }  # fmt: skip
    if isinstance(node, dict):
        return {
            key: value if key in kept and isinstance(value, str) else hostile(value)
            for key, value in node.items()
        }
    if isinstance(node, list):
        return [hostile(item) if not isinstance(item, str) else item for item in node]
    if isinstance(node, str):
        return f"{node} {HOSTILE}"
    return node


def hostile_document(folder: Path) -> Path:
    """The bookshop with an attack in its texts, tags, names of fields and credentials."""
    twin = hostile(yaml.safe_load(BOOKSHOP.read_text()))
    assert isinstance(twin, dict)
    twin["tags"] = [{"name": f"books{HOSTILE}", "description": HOSTILE}]
    twin["paths"]["/books"]["get"]["tags"] = [f"books{HOSTILE}"]
    twin["paths"]["/books"]["get"]["operationId"] = f"list{HOSTILE}"
    twin["paths"]["/books"]["get"]["parameters"].append(
        {"name": f"q{HOSTILE}", "in": "query", "schema": {"type": "string", "default": HOSTILE}}
    )
    path = folder / "hostile.json"
    path.write_text(json.dumps(twin))
    return path
