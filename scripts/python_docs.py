"""Write `docs/python.md` from the docstrings of what `mcpgen` exports: `make docs`. A test
compares.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import mcpgen
from mcpgen.config.keys import TABLES
from mcpgen.config.model import Selection

PAGE = Path(__file__).parents[1] / "docs" / "python.md"
HEAD = """\
# Python reference

<!-- Written by `make docs` from docstrings. Do not edit. -->

```python
import mcpgen

made = mcpgen.generate("openapi.yaml", "bookshop", config=mcpgen.Config(name="bookshop"))
print(made.folder, len(made.server.tools))
```

`generate`, `check` and `diff` do what the commands of these names do, and print nothing. A notebook shows what
`generate` returns in one line.
"""
CONFIG = """\
## Config

Everything that the options and `mcpgen.toml` say, as one frozen dataclass; all fields are keywords. Filters are in
`selection`: `mcpgen.Config(selection=mcpgen.Selection(include_tags=("books",)))`. Tables of tools and APIs are best
written in [`mcpgen.toml`](configuration.md); the fields `tools`, `globs`, `tags` and `apis` hold them.
"""


def page() -> str:
    """The whole page."""
    functions = [_section(name, getattr(mcpgen, name)) for name in ("generate", "check", "diff")]
    tables = [CONFIG, _fields(mcpgen.Config), "### Selection", _fields(Selection)]
    others = [
        f"## {name}\n\n{inspect.cleandoc(getattr(mcpgen, name).__doc__ or '')}"
        for name in ("McpgenError", "Problem")
    ]
    return "\n\n".join(part.strip() for part in (HEAD, *functions, *tables, *others)) + "\n"


def _section(name: str, function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    words: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "    *," not in words:
            words.append("    *,")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        words.append(f"    {parameter.name}: {parameter.annotation}{default},")
    shown = "\n".join([f"{name}(", *words, f") -> {signature.return_annotation}"])
    return f"## {name}\n\n```python\n{shown}\n```\n\n{inspect.cleandoc(function.__doc__ or '')}"


def _fields(model: type) -> str:
    """The fields of a dataclass that are keys of `mcpgen.toml`: type, default and the key's text."""
    tables = [
        table for table in TABLES if table.name in ("", "source", "auth", "answers", "select")
    ]
    texts = {key.target: " ".join(key.text.split()) for table in tables for key in table.keys}
    rows = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for field in dataclasses.fields(model):
        if field.name in texts:
            default = "" if field.default is dataclasses.MISSING else f"`{field.default!r}`"
            kind = str(field.type).replace("|", "or")
            text = texts[field.name].replace("|", "\\|")
            rows.append(f"| `{field.name}` | `{kind}` | {default} | {text} |")
    return "\n".join(rows)


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
