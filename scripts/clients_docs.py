"""Write the table of clients in `docs/clients.md` from that of `install`: `make docs`. A test
compares.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mcpgen.runtime.parts.install.files import CLIENTS, TABLE

PAGE = Path(__file__).parents[1] / "docs" / "clients.md"
MARKS = ("<!-- written by `make docs` -->", "<!-- end of the clients -->")
HOMES = {
    "linux": ({"HOME": "~"}, "linux"),
    "macOS": ({"HOME": "~"}, "darwin"),
    "Windows": ({"USERPROFILE": "%USERPROFILE%", "APPDATA": "%APPDATA%"}, "win32"),
}


def table() -> str:
    """Every client with its name, its files on three systems, and its limit of tools."""
    lines = ["| client | name | Linux | macOS | Windows | most tools | seen |", "|---" * 7 + "|"]
    for name, client in sorted(CLIENTS.items(), key=lambda item: item[1].title.lower()):
        linux, mac, windows = (
            client.path(environ, platform).as_posix() for environ, platform in HOMES.values()
        )
        windows = windows.replace("/", "\\")
        same = "the same" if mac == linux else f"`{mac}`"
        most = str(client.tool_limit or "")
        seen = TABLE[name]["checked"].isoformat()
        lines.append(
            f"| {client.title} | `{name}` | `{linux}` | {same} | `{windows}` | {most} | {seen} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Write the table between its marks."""
    start, end = map(re.escape, MARKS)
    block = "\n\n".join((MARKS[0], table(), MARKS[1]))
    text = re.sub(rf"{start}.*?{end}", lambda _: block, PAGE.read_text("utf-8"), flags=re.S)
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
