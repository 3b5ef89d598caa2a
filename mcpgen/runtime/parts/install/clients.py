"""The settings file of each MCP client, and its format.

Locations and formats are those of the clients' own documentation, as of November 2026.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

_USUAL = {"command": "command", "args": "args", "env": "env"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client, and the file of a user's settings in which it looks for servers."""

    title: str
    file: str
    """The path: `{home}`, `{config}` (where the system keeps applications' settings) and `{xdg}`
    (`~/.config` on macOS too) are filled in, or a variable of the environment.
    """
    file_on_windows: str = ""
    """The path on Windows, where it differs."""
    form: Literal["json", "toml", "yaml"] = "json"
    key: str = "mcpServers"
    """The member of the file that holds a server under each name."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    """Members that are the same in every entry."""
    members: Mapping[str, str] = field(default_factory=_USUAL.copy)
    """Our words (`name`, `command`, `args`, `env`) by the client's."""
    reference: str = "REPLACE_ME"
    """Notation in the file for a variable's value that comes from elsewhere, if the client has
    one.
    """
    tool_limit: int | None = None
    """Most tools that the client takes, if a limit is known."""
    afterwards: str = "Restart it to see the tools"

    def lists(self, count: int) -> bool:
        """Return whether the client takes that many tools."""
        return self.tool_limit is None or count <= self.tool_limit

    def entry(self, name: str, start: list[str], env: Mapping[str, str]) -> dict[str, Any]:
        """The entry of a server that is started by these words."""
        values = {"name": name, "command": start[0], "args": start[1:], "env": dict(env)}
        own = {word: values[ours] for word, ours in self.members.items() if values[ours] != {}}
        return {**self.constants, **own}

    def path(self, environ: Mapping[str, str], platform: str = sys.platform) -> Path:
        """Return the path of the file for the user of this environment."""
        home = Path(environ.get("HOME", Path.home()))
        pattern = self.file
        if platform == "win32":
            home = Path(environ.get("USERPROFILE", Path.home()))
            pattern = self.file_on_windows or self.file
        xdg = environ.get("XDG_CONFIG_HOME", home / ".config")
        folders = {
            "darwin": home / "Library" / "Application Support",
            "win32": environ.get("APPDATA", home / "AppData" / "Roaming"),
        }
        path = pattern.format(
            home=home,
            xdg=xdg,
            config=folders.get(platform, xdg),
            claude=environ.get("CLAUDE_CONFIG_DIR", home),
            codex=environ.get("CODEX_HOME", home / ".codex"),
        )
        return Path(path)


_STDIO = {"type": "stdio"}
_NEW_SESSIONS = "Sessions that start from now on have the tools; `/mcp` shows them"

CLIENTS: Mapping[str, Client] = {
    "claude-desktop": Client(
        title="Claude Desktop", file="{config}/Claude/claude_desktop_config.json"
    ),
    "claude-code": Client(
        title="Claude Code",
        file="{claude}/.claude.json",
        constants=_STDIO,
        reference="${{{name}}}",
        afterwards=_NEW_SESSIONS,
    ),
    "cursor": Client(
        title="Cursor",
        file="{home}/.cursor/mcp.json",
        reference="${{env:{name}}}",
        tool_limit=80,
        afterwards="Switch it on in Settings > MCP",
    ),
    "vscode": Client(
        title="VS Code",
        file="{config}/Code/User/mcp.json",
        key="servers",
        constants=_STDIO,
        reference="${{input:{key}}}",
        tool_limit=128,
        afterwards="`MCP: List Servers` in the command palette starts it",
    ),
    "gemini-cli": Client(
        title="Gemini CLI",
        file="{home}/.gemini/settings.json",
        reference="${{{name}}}",
        afterwards=_NEW_SESSIONS,
    ),
    "codex": Client(
        title="Codex",
        file="{codex}/config.toml",
        form="toml",
        key="mcp_servers",
        afterwards=_NEW_SESSIONS,
    ),
    "windsurf": Client(
        title="Windsurf",
        file="{home}/.codeium/windsurf/mcp_config.json",
        reference="${{env:{name}}}",
        tool_limit=100,
        afterwards="Press Refresh in its list of MCP servers",
    ),
    "zed": Client(
        title="Zed",
        file="{xdg}/zed/settings.json",
        file_on_windows="{config}/Zed/settings.json",
        key="context_servers",
        constants={"source": "custom"},
        afterwards="Zed starts it at once; the Agent Panel shows it",
    ),
    "goose": Client(
        title="Goose",
        file="{xdg}/goose/config.yaml",
        file_on_windows="{config}/Block/goose/config/config.yaml",
        form="yaml",
        key="extensions",
        constants={"type": "stdio", "enabled": True, "timeout": 300, "description": ""},
        members={"name": "name", "cmd": "command", "args": "args", "envs": "env"},
        afterwards="Sessions that start from now on have the tools",
    ),
}
