"""A rendered project as it lands: formatted, linted, typed, and the same every time."""

import json
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import black
import pytest

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.ir import Annotation, Argument, Response, Schema, Server, Toolset
from mcpgen.problems import Problems
from mcpgen.render import BlackStyle, ModuleFormatter, formatting, render

from .servers import argument, body, generated_python, hostile, reference, server, tool

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "samples" / "specs"
SAMPLES = [
    *sorted(path for path in SPECS.glob("*.yaml") if ".overlay" not in path.name),
    SPECS / "tools" / "github.json",
]
PAYLOAD = 'x"""\nimport os\n"""\u202e\\'


def every_feature() -> Server:
    """Every kind of argument and body in one toolset, and hostile text in another."""
    nested: Schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b-c": {"type": "array", "items": {"anyOf": [reference("Money"), {"type": "null"}]}},
            "again": reference("Deep"),
            "either": {"anyOf": [reference("Money"), {"type": "string"}, {"enum": [1, -2, True]}]},
        },
    }
    money: Schema = {"type": "object", "properties": {"amount": {"type": "number"}}}
    kinds = [
        Annotation(kind=kind)
        for kind in ("str", "int", "float", "bool", "bytes", "any", "list", "dict")
    ]
    tools = [
        tool(
            f"use_{kind}",
            argument("in_path", "path", required=True),
            *(argument(f"a{number}", annotation=given) for number, given in enumerate(kinds)),
            argument(
                "one_of",
                annotation=Annotation(kind="literal", members=("x", 1, True), nullable=True),
            ),
            argument("header", "header", encode="simple", options=(("explode", True),)),
            argument("cookie", "cookie", default=("c",)),
            argument(
                "field",
                "body",
                Annotation(kind="dict", nullable=True),
                encode="json_part" * (kind == "multipart"),
                type=reference("Deep"),
            ),
            method="POST",
            path="/{in_path}",
            body=body(kind, required=False),
            properties={"field": {"type": "object"}},
            nullable=("/properties/field",),
            response=Response(
                json=True, wrapped=True, type={"type": "array", "items": reference("Deep")}
            ),
        )
        for kind in ("json", "form", "multipart")
    ]
    tools.append(
        tool("put_text", argument("body", "body"), method="PUT", body=body("text", whole=True))
    )
    given = hostile(PAYLOAD)
    both = (
        Toolset(name="plain", title="Plain", description="", tools=tuple(tools)),
        replace(given.toolsets[0], name="hostile"),
    )
    models = {**given.models, "Deep": nested, "Money": money}
    return replace(given, base_url="https://api.example.com", toolsets=both, models=models)


def of_sample(path: Path) -> Callable[[], Server]:
    return lambda: pipeline.understand(Config(sources=(str(path),)), Problems())[1]


SERVERS = {
    "functions": lambda: replace(every_feature(), has_functions=True),
    "every feature": every_feature,
} | {path.stem: of_sample(path) for path in SAMPLES}


def write(files: dict[str, str], folder: Path) -> None:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())


def without_telemetry(folder: Path) -> Path:
    """Return the Python of an environment of this one's packages but for an optional part's."""
    optional = ("exporter", "sdk", "prometheus_client")
    venv.create(folder)
    (packages,) = folder.glob("lib/*/site-packages")
    for path in Path(pytest.__file__).parents[1].iterdir():
        if path.name == "opentelemetry":
            for part in (path, *path.iterdir()):
                (packages / path.name).mkdir(exist_ok=True)
                if part != path and part.name not in optional:
                    (packages / path.name / part.name).symlink_to(part)
        elif path.name not in optional and path.suffix != ".pth":
            (packages / path.name).symlink_to(path)
    return folder / "bin/python"


def run(*command: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    return (done.stdout + done.stderr) if done.returncode else ""


@pytest.mark.parametrize("name", SERVERS)
def test_black_and_ruff_have_nothing_to_say(name: str, tmp_path: Path) -> None:
    """By the project's own settings; black looks at what differs from document to document."""
    files = render(SERVERS[name]())
    for _, text in generated_python(files):
        assert black.format_str(text, mode=black.Mode(line_length=100)) == text, name
    write(files, tmp_path)
    assert run("ruff", "check", "--quiet", ".", folder=tmp_path) == ""


def test_mypy_has_nothing_to_say(tmp_path: Path, mypy_cache: Path) -> None:
    write(render(every_feature()), tmp_path)
    python = without_telemetry(tmp_path / "bare")
    options = ("--strict", "--cache-dir", f"{mypy_cache}", "--python-executable", f"{python}")
    assert run("mypy", *options, "src", folder=tmp_path) == ""


def test_files_come_in_the_order_of_their_paths() -> None:
    paths = list(render(every_feature()))
    assert paths == sorted(paths)


def test_a_module_stays_until_its_source_or_the_style_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = ModuleFormatter()
    files = render(every_feature(), first)
    kept = {path: (source, files[path]) for path, source in first.made.items()}
    for path in ("models.py", "tools/hostile.py", "__init__.py"):
        assert f"src/bookshop_mcp/{path}" in kept
    assert render(every_feature(), ModuleFormatter(BlackStyle(line_length=60), kept)) != files
    monkeypatch.setattr(
        BlackStyle,
        "formatted",
        lambda _, texts, *tell: {} if not texts else pytest.fail(f"{texts}"),
    )
    assert render(every_feature(), ModuleFormatter(kept=kept)) == files


def test_an_edit_of_a_kept_module_does_not_stay() -> None:
    first = ModuleFormatter()
    files = render(every_feature(), first)
    kept = {
        path: (source, files[path].replace('"GET"', '"DELETE"'))
        for path, source in first.made.items()
    }
    assert render(every_feature(), ModuleFormatter(kept=kept)) == files


@pytest.mark.parametrize(
    "style", [BlackStyle(line_length=60), BlackStyle(skip_magic_trailing_comma=True)]
)
def test_modules_have_the_style_of_the_project(style: BlackStyle) -> None:
    files = render(every_feature(), ModuleFormatter(style))
    for _, text in generated_python(files):
        assert style.formatted({"it": text})["it"] == text


def test_a_large_project_is_formatted_in_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ModuleFormatter()
    expected = render(every_feature(), whole)
    formatted: list[str] = []
    own = BlackStyle.formatted

    def here(self: BlackStyle, texts: Mapping[str, str], *tell: Any) -> dict[str, str]:
        formatted.extend(texts)
        return own(self, texts, *tell)

    monkeypatch.setattr(formatting, "LARGE", 1)
    monkeypatch.setattr(BlackStyle, "formatted", here)
    assert render(every_feature()) == expected
    assert 0 < len(formatted) < len(whole.made)
    monkeypatch.setattr(formatting, "CHILD", "raise SystemExit(1)")
    assert render(every_feature()) == expected


def many_tools(count: int) -> Server:
    """A server as large as the largest known ones."""
    given: tuple[Argument, ...] = tuple(
        argument(f"argument_{number}", required=number < 2, annotation=Annotation(kind="int"))
        for number in range(8)
    )
    toolsets = tuple(
        Toolset(
            name=f"set_{number}",
            title="Set",
            description="",
            tools=tuple(tool(f"tool_{number}_{index}", *given) for index in range(count // 40)),
        )
        for number in range(40)
    )
    return server(toolsets=toolsets)


def test_a_thousand_tools_are_rendered_in_seconds() -> None:
    """Against the cost of dumping them as JSON and reading that back, which no generator can do
    without; black takes most of it.
    """
    large = many_tools(1200)
    contracts = json.dumps([tool.input_schema for tool in large.tools])
    started = time.process_time()
    for _ in range(10):
        json.loads(json.dumps(json.loads(contracts), indent=1))
    unit = time.process_time() - started
    started = time.process_time()
    assert len(json.loads(render(large)["src/bookshop_mcp/tools/set_0.json"])) == 30
    assert time.process_time() - started < max(10.0, 200 * unit)
