"""Write `docs/configuration.md` and `mcpgen/data/mcpgen.schema.json` from the table of keys: `make
docs`. A test compares.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mcpgen.config import SCHEMA
from mcpgen.config.keys import BY_NAME, NAME_PATTERN, TABLES, Key, Table

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = {
    "": """
title = "Corner Bookshop"
headers = { "X-Api-Version" = "2" }
""",
    "source": """
[source]
path = "../bookshop.yaml"
obtained = "exported from the developer portal, version 7"
""",
    "apis.*": """
[apis.staging]
path = "../bookshop.yaml"
base_url = "https://staging.bookshop.example.com/v1"
toolset = "staging"
""",
    "auth": """
[auth]
scheme = "header:X-Api-Key"
description = "The key from the back office, as in `bk_...`"
""",
    "select": """
[select]
include_tags = ["books", "authors"]
exclude_methods = ["delete"]
deprecated = false
""",
    "answers": """
[answers]
redact = ["born"]
""",
    "tools.*": """
[tools."listBooks"]
name = "find_books"
title = "Find books"
description = "Search the catalogue by genre, author and price."
aliases = ["list_books"]

[tools."cancelOrder"]
enabled = false

[tools."list_*".answer]
strip_nulls = true

[tools.tag."orders".hints]
open_world = false
""",
    "tools.*.hints": """
[tools."placeOrder".hints]
destructive = true
idempotent = false
""",
    "tools.*.arguments.*": """
[tools."listBooks".arguments.genre]
name = "shelf"
description = "The shelf to look at. Leave it out for all of them."

[tools."listBooks".arguments.page-size]
default = 20

[tools."listBooks".arguments.in-stock]
hidden = true
value = true
""",
    "tools.*.answer": """
[tools."listBooks".answer]
keep = ["items.id", "items.title", "nextPageToken"]
strip_nulls = true
""",
}
"""By table, lines for the configuration of the sample `bookshop.yaml`. A test runs each of them."""


NO_SUCH_KEY = {"not": {"description": "no key has this name"}}
"""The schema of a key that is not in the table. With `false` Taplo, and the editors that use it,
would mark every key beside the wrong one.
"""


def schema() -> dict[str, Any]:
    """The JSON Schema of `mcpgen.toml`: draft-07, the newest that editors of TOML understand."""
    tool = _table(BY_NAME["tools.*"])
    tool["properties"]["hints"] = _table(BY_NAME["tools.*.hints"])
    tool["properties"]["answer"] = _table(BY_NAME["tools.*.answer"])
    tool["properties"]["arguments"] = _named(
        BY_NAME["tools.*.arguments.*"], "The tool's arguments by name."
    )
    top = _table(BY_NAME[""])
    for name in ("source", "auth", "select", "answers"):
        top["properties"][name] = _table(BY_NAME[name])
    apis = _named(BY_NAME["apis.*"], "Further APIs by their names.")
    apis["additionalProperties"]["properties"]["select"] = _table(BY_NAME["select"])
    top["properties"]["apis"] = apis | {"propertyNames": {"pattern": NAME_PATTERN}}
    same = {"$ref": "#/properties/tools/additionalProperties"}
    tags = {"type": "object", "description": "Tools with a tag.", "additionalProperties": same}
    tools = {"type": "object", "description": "Single operations, and globs."}
    tools |= {"additionalProperties": tool, "properties": {"tag": tags}}
    top["properties"]["tools"] = tools
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "mcpgen.toml", **top}


def _named(table: Table, text: str) -> dict[str, Any]:
    return {"type": "object", "description": text, "additionalProperties": _table(table)}


def _table(table: Table) -> dict[str, Any]:
    return {
        "type": "object",
        "description": table.text,
        "additionalProperties": NO_SUCH_KEY,
        "properties": {key.name: {**key.schema, "description": key.text} for key in table.keys},
    }


def page() -> str:
    """The documentation of every key."""
    lines = [
        "# Configuration",
        "",
        (
            "`mcpgen.toml` stands in the generated project and is yours: the first run writes it,"
            " later runs only read it."
        ),
        (
            "Every key is optional. A key or an operation that mcpgen does not know is an error"
            " with the line and, where"
        ),
        (
            "one is near, the name that was meant. `document/mcpgen.schema.json` lets editors"
            " complete and explain them."
        ),
        "",
        (
            "After an edit run `mcpgen generate` in the project; `mcpgen check` in CI says when"
            " that was forgotten."
        ),
        "The examples are for the sample `samples/specs/bookshop.yaml`; each works as it stands.",
        "",
    ]
    for table in TABLES:
        lines += [
            f"## {_title(table)}",
            "",
            table.text,
            "",
            "| key | holds | means |",
            "|---|---|---|",
        ]
        lines += [f"| `{key.name}` | {_holds(key)} | {key.text} |" for key in table.keys]
        lines += ["", "```toml", EXAMPLES[table.name].strip("\n"), "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _title(table: Table) -> str:
    return "At the top of the file" if not table.name else f"`{table.header}`"


def _holds(key: Key) -> str:
    if key.choices:
        choices = " or ".join(f'`"{choice}"`' for choice in key.choices)
        return f"list of {choices}" if key.kind == "texts" else choices
    return {
        "text": "text",
        "name": "name",
        "prefix": "capital letters",
        "texts": "list of texts",
        "text or texts": "text or list of texts",
        "flag": "`true` or `false`",
        "count": "whole number",
        "rate": "text such as `10/m`",
        "headers": "table of texts",
        "any": "any value",
    }[key.kind]


def files() -> dict[Path, str]:
    """The two files by path in a checkout."""
    return {
        ROOT / "mcpgen" / "data" / Path(SCHEMA).name: json.dumps(schema(), indent=2) + "\n",
        ROOT / "docs" / "configuration.md": page(),
    }


def main() -> int:
    """Write both files; the exit code is 1 when one of them was out of date."""
    stale = 0
    for path, text in files().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
