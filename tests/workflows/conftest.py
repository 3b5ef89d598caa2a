"""A project with workflows, the API that it calls, and calls through the official client."""

import asyncio
import contextlib
import importlib
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client

sys.path.append(str(Path(__file__).parent))  # importlib mode leaves the folder of the tests out

from workflow_things import API, arazzo, text_of, workflow

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.ir import Server
from mcpgen.problems import Problems
from tests.generated import written
from tests.loopback import JSON, Asked, Loopback

_NUMBERS = itertools.count(1)


class StandIn(Loopback):
    """An API whose answers are given in order for each `METHOD /path`; the last one stays.

    An answer is (status, data) or (status, data, header fields).
    """

    def __init__(self) -> None:
        self.answers: dict[str, list[tuple[Any, ...]]] = {}
        self.requests: list[tuple[str, Any]] = []
        """Every request: `METHOD /path?query`, and its body as data."""
        super().__init__(self.take)

    def take(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Note one request and answer it."""
        content: Any = asked.body.decode()
        with contextlib.suppress(ValueError):
            content = json.loads(content)
        line = f"{asked.method} {asked.target}"
        self.requests.append((line, content))
        answers = self.answers.get(line.partition("?")[0])
        status, data, *fields = (answers or [(404, {"message": "not here"})])[0]
        if answers and len(answers) > 1:
            answers.pop(0)
        return status, {**JSON, **(fields[0] if fields else {})}, json.dumps(data).encode()

    @property
    def lines(self) -> list[str]:
        """The first lines of the requests."""
        return [line for line, _ in self.requests]


@pytest.fixture
def api() -> Iterator[StandIn]:
    """The API behind the tools."""
    stand_in = StandIn()
    stand_in.answers["GET /things"] = [(200, {"items": [{"id": "t1"}]})]
    stand_in.answers["POST /things"] = [(200, {"id": "t1"})]
    yield stand_in
    stand_in.close()


@dataclass
class Project:
    """What a run made: the server, the text of the workflows' module, and the problems."""

    server: Server
    problems: Problems
    folder: Path
    package: str
    seen: list[tuple[float, float | None, str | None]] = field(default_factory=list)
    """The progress that the last call reported."""

    @property
    def code(self) -> str:
        return (self.folder / "src" / self.package / "tools" / "workflows.py").read_text()

    @property
    def codes(self) -> list[str]:
        return [problem.code for problem in self.problems]

    def call(self, name: str, arguments: dict[str, Any] | None = None, **options: Any) -> Any:
        """The result of one call."""
        self.seen.clear()

        async def note(progress: float, total: float | None, message: str | None) -> None:
            self.seen.append((progress, total, message))

        async def go() -> Any:
            app = importlib.import_module(f"{self.package}.runtime.app").App(
                self.package, **options
            )
            async with Client(app.server) as client:
                return await client.call_tool(name, arguments or {}, progress_callback=note)

        return asyncio.run(go())

    def outputs(self, name: str, arguments: dict[str, Any] | None = None, **options: Any) -> Any:
        """The outputs of a call that works."""
        result = self.call(name, arguments, **options)
        assert not result.is_error, text_of(result)
        return result.structured_content


Make = Callable[..., Project]


@pytest.fixture
def make(tmp_path: Path, api: StandIn, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """A function that generates a project of an API and its workflows, both data or paths."""
    packages: list[str] = []

    def generated(document: Any, workflows: Any, **options: Any) -> Project:
        name = f"flows{next(_NUMBERS)}"
        paths = []
        for file, content in (("openapi.yaml", document), ("flows.arazzo.yaml", workflows)):
            path = content
            if not isinstance(content, Path):
                path = tmp_path / file
                path.write_text(yaml.safe_dump(content, sort_keys=False))
            paths.append(str(path))
        problems = Problems()
        config = Config(sources=(paths[0],), workflows=(paths[1],), name=name, **options)
        _, server, files = pipeline.generate(config, problems)
        folder = written(files, tmp_path / name)
        for key, value in (("BASE_URL", api.url), ("ALLOW_PRIVATE", "true"), ("RETRIES", "0")):
            monkeypatch.setenv(f"{server.env_prefix}_{key}", value)
        monkeypatch.syspath_prepend(str(folder / "src"))
        importlib.invalidate_caches()
        packages.append(server.package)
        return Project(server, problems, folder, server.package)

    yield generated
    for module in list(sys.modules):
        if module.partition(".")[0] in packages:
            del sys.modules[module]


@pytest.fixture
def flow(make: Make) -> Callable[..., Project]:
    """A function that generates a project of the API and one workflow: its name and its steps."""
    return lambda *given, **more: make(API, arazzo(workflow(*given, **more)))
