"""Let real clients list and call the tools of generated servers: `make clients`.

Every client of `clients.toml` has an environment of its own below `.clients/`, which this makes. It
is given two servers, on stdio and over HTTP: the bookshop in front of its API, and all of GitHub in
front of a stand-in. The table is written to docs/clients.md. Names of clients limit the run to
them, and write nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.judges.node import CHECKOUT, SHARED
from tests.loopback import Loopback, free_port

HERE = Path(__file__).parent
FOLDER = CHECKOUT / ".clients"
PAGE = CHECKOUT / "docs" / "clients.md"
START, END = "<!-- written by `make clients` -->\n", "<!-- end -->\n"
SECONDS = 240
ZEN = "Keep it logically awesome."


@dataclass(frozen=True, kw_only=True)
class Client:
    """One row of `clients.toml`."""

    name: str
    title: str
    driver: str
    requirements: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    def install(self) -> str:
        """Make the environment, unless it is there; why that failed, or nothing."""
        if (self.folder / "ready").is_file():
            return ""
        if self.packages and shutil.which("npm") is None:
            return "npm is not installed"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if self.packages:
            (self.folder / "package.json").write_text('{"private": true}')
            words = ["npm", "install", "--no-audit", "--no-fund", *self.packages]
        else:
            venv.create(self.folder, with_pip=True)
            words = [self.interpreter, "-m", "pip", "install", "-q", *self.requirements]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            return f"not installed: {last_line(done.stderr)}"
        (self.folder / "ready").touch()
        return ""

    @property
    def interpreter(self) -> str:
        if self.packages:
            return "node"
        return str(self.folder / "bin" / "python")

    def version(self) -> str:
        """The version of the client that is installed."""
        if self.packages:
            name = self.packages[0].rpartition("@")[0]
            package = self.folder / "node_modules" / name / "package.json"
            return str(json.loads(package.read_text())["version"])
        name = self.requirements[0].partition(">")[0].partition("[")[0]
        code = f"from importlib.metadata import version; print(version({name!r}))"
        return subprocess.check_output([self.interpreter, "-c", code], text=True).strip()

    def verdict(self, server: Server, task: dict[str, Any]) -> str:
        """`ok`, or what went wrong with one server on one transport."""
        order = {
            **task, "tool": server.tool, "arguments": server.arguments, "options": self.options,
        }  # fmt: skip
        driver = self.driver if self.packages else "drivers.py"
        words = [self.interpreter, str(HERE / driver), json.dumps(order), self.driver]
        try:
            done = subprocess.run(
                words, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"no answer in {SECONDS} seconds"
        if done.returncode:
            return f"failed: {last_line(done.stderr)}"
        outcome = json.loads(done.stdout.strip().splitlines()[-1])
        if outcome["tools"] != server.tools:
            return f"lists {outcome['tools']} of {server.tools} tools"
        if server.answer not in outcome["answer"]:
            return f"answered {outcome['answer'][:60]}"
        return "ok"


@dataclass(frozen=True, kw_only=True)
class Server:
    """A generated server, and a call that has a known answer."""

    name: str
    document: Path
    tool: str
    arguments: dict[str, str]
    answer: str
    environment: dict[str, str]

    @property
    def source(self) -> Path:
        return FOLDER / "servers" / self.name / "src"

    @property
    def package(self) -> str:
        return next(self.source.glob("*/api.json")).parent.name

    @property
    def tools(self) -> int:
        """The tools of the document, and `describe_tool` where a schema was too large to list."""
        lists = [json.loads(path.read_text()) for path in self.source.glob("*/tools/*.json")]
        [facts] = (json.loads(path.read_text()) for path in self.source.glob("*/api.json"))
        return sum(map(len, lists)) + ("describe" in facts["parts"])

    def generate(self) -> None:
        folder = self.source.parent
        words = [sys.executable, "-m", "mcpgen", "generate", str(self.document), "-o", str(folder)]
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([*words, "--quiet"], check=True, stderr=subprocess.DEVNULL)

    def stdio(self, settings: dict[str, str]) -> dict[str, Any]:
        """How a client starts it."""
        prefix = f"{self.name.upper()}_MCP"
        variables = self.environment | settings
        env = {f"{prefix}_{name}": value for name, value in variables.items()}
        env |= {"PYTHONPATH": str(self.source), "PATH": os.environ["PATH"]}
        return {"command": sys.executable, "args": ["-m", self.package], "env": env}

    @contextmanager
    def http(self, settings: dict[str, str]) -> Iterator[str]:
        """Serve it over HTTP with further settings; gives the address."""
        port = free_port()
        start = self.stdio(settings)
        words = [start["command"], *start["args"], "--http", "--port", str(port)]
        process = subprocess.Popen(words, env=start["env"], stderr=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/ready")
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.wait(30)


class Api:
    """An API in a thread or a process; `url` is its address."""

    @staticmethod
    @contextmanager
    def bookshop() -> Iterator[str]:
        port = free_port()
        script = CHECKOUT / "samples" / "bookshop_api.py"
        process = subprocess.Popen([sys.executable, str(script), str(port)])
        try:
            wait_for(f"http://127.0.0.1:{port}/")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(30)

    @staticmethod
    @contextmanager
    def zen() -> Iterator[str]:
        server = Loopback(lambda asked: (200, {"Content-Type": "text/plain"}, ZEN.encode()))
        yield server.url
        server.close()


def wait_for(url: str) -> None:
    """Wait until somebody answers there, whatever it is."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(url)


def last_line(text: str) -> str:
    """The last line of an output that says something, short enough for a table."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line] or lines or ["nothing was said"]
    return telling[-1].replace("|", "/")[:120]


def row(client: Client, servers: list[Server]) -> list[str]:
    """The cells of a client: title, version, settings of the servers, and a verdict for each server
    and transport.
    """
    settings = " ".join(f"`…_{name}={value}`" for name, value in client.settings.items())
    fault = client.install()
    if fault:
        return [client.title, "", settings, *[fault] * (2 * len(servers))]
    cells = [client.title, client.version(), settings]
    for server in servers:
        cells.append(client.verdict(server, {"stdio": server.stdio(client.settings)}))
        with server.http(client.settings) as url:
            cells.append(client.verdict(server, {"url": url}))
    return cells


def table(rows: list[list[str]], servers: list[Server]) -> str:
    """The table in Markdown."""
    heads = [f"{server.name}, {way}" for server in servers for way in ("stdio", "HTTP")]
    lines = [["client", "version", "set", *heads], ["---"] * (3 + len(heads)), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def write(text: str) -> None:
    """Put the table into its page."""
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{START}\n{text}\n{END}{after}", "utf-8")


def main(names: list[str]) -> int:
    """Run every client, or those that are named; the exit code is 1 where one of them fails."""
    listed = tomllib.loads((HERE / "clients.toml").read_text("utf-8"))["clients"]
    clients = [Client(**each) for each in listed if not names or each["name"] in names]
    with Api.bookshop() as bookshop, Api.zen() as zen:
        servers = [
            Server(name="bookshop", document=CHECKOUT / "samples" / "specs" / "bookshop.yaml",
                tool="get_author", arguments={"authorId": "au_2"}, answer="Pessoa",
                environment={"BASE_URL": bookshop, "API_KEY": "demo-key"}),
            Server(name="github", document=SHARED / "corpus" / "openapi" / "github.json",
                tool="meta_get_zen", arguments={}, answer=ZEN, environment={"BASE_URL": zen}),
        ]  # fmt: skip
        servers = [server for server in servers if server.document.is_file()]
        for server in servers:
            server.generate()
        rows = []
        for client in clients:
            rows.append(row(client, servers))
            print(" | ".join(rows[-1]), flush=True)
    if not names:
        write(table(rows, servers))
    return int(any(cell not in ("ok",) for cells in rows for cell in cells[3:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
