"""Values of a document never become code (GA), and names are names (GB)."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jinja2
import pytest

from mcpgen.parse.naming import RESERVED
from mcpgen.parse.projection import KEY
from mcpgen.render.gate import GateError, check
from mcpgen.render.literal import make_environment
from mcpgen.text import visible
from tests.generated import written
from tests.render.syntax import syntax

from .conftest import Canary, Generate
from .shop import (
    PAYLOADS,
    around,
    document,
    hostile,
    operation,
    query,
    rendered,
    said,
    single,
    understood,
)


def harmless(text: str, number: int) -> str:
    """A text that is as awkward as `text`: no key that clients take, or with a character nobody
    sees, where that is.
    """
    if visible(text) != text:
        return f"x\x07{number}"
    return f"x{number}" if KEY.fullmatch(text) else f"x {number}"


NEUTRAL = {name: harmless(text, number) for number, (name, text) in enumerate(PAYLOADS.items())}


def modules(files: dict[str, str]) -> dict[str, str]:
    """The Python that differs from document to document."""
    return {
        path: text
        for path, text in files.items()
        if re.fullmatch(r"src/\w+/(tools/\w+|models)\.py", path)
    }


def runtime(files: dict[str, str]) -> dict[str, str]:
    """All other Python of the package, without the package's name."""
    own = {path: text for path, text in files.items() if re.fullmatch(r"src/\w+/[\w/]+\.py", path)}
    return {path.split("/", 2)[2]: text for path, text in own.items() if path not in modules(files)}


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict[str, str]]:
    """The project of the hostile document, and of the same document with its text neutralised."""
    folder = tmp_path_factory.mktemp("hostile")
    return rendered(folder, hostile(PAYLOADS)), rendered(folder, hostile(NEUTRAL))


def listed_tools(files: dict[str, str]) -> dict[str, Any]:
    """The tools of a project by name."""
    return {tool["name"]: tool for tool in json.loads(files["src/shop_mcp/tools/general.json"])}


def functions(source: str) -> dict[str, ast.AsyncFunctionDef]:
    """The functions of a module by name."""
    return {
        node.name: node for node in ast.parse(source).body if isinstance(node, ast.AsyncFunctionDef)
    }


def test_every_payload_in_every_field_leaves_the_syntax_as_it_was(projects: Any) -> None:
    """Function by function, so that a payload that changes something is named."""
    evil, plain = (files["src/shop_mcp/tools/general.py"] for files in projects)
    changed = []
    for number, name in enumerate(PAYLOADS):
        pair = [
            syntax(f'"""x"""\n{ast.unparse(functions(source)[f"hold{number}"])}')
            for source in (evil, plain)
        ]
        changed += [name] if pair[0] != pair[1] else []
    assert changed == []
    assert set(projects[0]) == set(projects[1])
    assert runtime(projects[0]) == runtime(projects[1])


def test_what_is_generated_is_ascii_and_compiles_without_a_warning(
    projects: Any, recwarn: pytest.WarningsRecorder
) -> None:
    for path, source in projects[0].items():
        if path.endswith(".py"):
            assert source.isascii(), path
            compile(source, path, "exec")
    assert not recwarn.list


OTHERS = [
    found for name in ("python3.11", "python3.12", "python3.13") if (found := shutil.which(name))
]


@pytest.mark.parametrize("python", OTHERS, ids=lambda path: Path(path).name)
def test_every_python_compiles_it_without_a_warning(
    projects: Any, tmp_path: Path, python: str
) -> None:
    written({path: text for path, text in projects[0].items() if path.endswith(".py")}, tmp_path)
    words = [python, "-W", "error", "-m", "compileall", "-q", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    if "command not found" in done.stderr:  # a stand-in of a version manager, without that version
        pytest.skip(done.stderr[:80])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "case", ["list of values", "template", "call", "exec", "key", "parameter name"]
)
def test_values_come_back_as_they_were(projects: Any, case: str) -> None:
    number, text = list(PAYLOADS).index(case), PAYLOADS[case]
    listed = json.dumps(listed_tools(projects[0])[f"hold{number}"], ensure_ascii=False)
    assert text in listed.replace('\\"', '"')
    function = functions(projects[0]["src/shop_mcp/tools/general.py"])[f"hold{number}"]
    assert text in [node.value for node in ast.walk(function) if isinstance(node, ast.Constant)]


def test_text_reaches_the_model_unchanged(projects: Any) -> None:
    tools = listed_tools(projects[0])
    for case in ("jinja", "dollar", "percent", "backslash", "escapes"):
        number = list(PAYLOADS).index(case)
        # A first sentence begins with a capital letter, and a template's tag is markup, which is
        # left out; every other character stays.
        expected = PAYLOADS[case].strip()[1:].replace("{% raw %}", "")
        assert expected in tools[f"hold{number}"]["description"], case


def test_extensions_are_dropped(projects: Any) -> None:
    for path, text in projects[0].items():
        if path.endswith((".py", ".json")):
            assert "x-enum" not in text and "varnames" not in text, path


AROUND = ("double quotes", "LS", "jinja", "version statement", "toml", "html", "null")


@pytest.mark.parametrize("name", AROUND)
def test_text_around_the_operations_changes_no_syntax(tmp_path: Path, name: str) -> None:
    evil, plain = (rendered(tmp_path, around(text), name="shop") for text in (PAYLOADS[name], "x"))
    shapes, keys = [], []
    for files in (evil, plain):
        shapes.append({path: syntax(source) for path, source in modules(files).items()})
        keys.append(tomllib.loads(files["pyproject.toml"]).keys())
    assert shapes[0] == shapes[1] and keys[0] == keys[1]
    assert runtime(evil) == runtime(plain)
    assert not re.search(r"\]\((?!https:)[a-z]+:", evil["README.md"])


IMPORT = """
import importlib, pathlib, sys
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.connect", "ctypes.dlopen")
import shop_mcp.runtime.app, shop_mcp.runtime.client.api  # what is constant, with the libraries it needs

def watch(event, arguments):
    if event.startswith(FORBIDDEN) or (event == "open" and set(str(arguments[1] or "")) & set("wax+")):
        raise RuntimeError(f"{event} {arguments}")

sys.dont_write_bytecode = True
sys.addaudithook(watch)
names = [path.stem for path in pathlib.Path("shop_mcp/tools").glob("*.py") if path.stem != "__init__"]
for name in names:
    importlib.import_module(f"shop_mcp.tools.{name}")
import shop_mcp.models
print("imported", *names)
"""


def test_importing_what_is_generated_runs_nothing(projects: Any, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", "-c", IMPORT], timeout=60, check=False,
        cwd=written(projects[0], tmp_path) / "src", capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "imported general\n", done.stderr[-2000:]


HOSTILE_MODULES = """
    argparse.py black.py datamodel_code_generator/__init__.py jinja2.py json.py jsonschema_rs.py
    typer.py yaml.py
""".split()


def test_modules_of_the_current_folder_are_not_imported(tmp_path: Path) -> None:
    """`python -m` puts the current folder first on the import path."""
    written({name: f"raise SystemExit('imported {name}')\n" for name in HOSTILE_MODULES}, tmp_path)
    # A path of 130 characters needs black; an object in an answer needs models
    item = {"type": "object", "properties": {"a": {"type": "string"}}}
    answer = {"description": "OK", "content": {"application/json": {"schema": item}}}
    shop = document({f"/{'x' * 130}": {"get": operation(responses={"200": answer})}})
    (tmp_path / "openapi.json").write_text(json.dumps(shop))
    command = [sys.executable, "-m", "mcpgen", "generate", "openapi.json", "-o", "out"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (models,) = (tmp_path / "out" / "src").glob("*/models.py")
    assert "TypedDict" in models.read_text()


def test_nothing_is_written_outside_the_folder_and_nothing_is_fetched(
    generate: Generate, tmp_path: Path, canary: Canary
) -> None:
    """Names that look like paths, everywhere a name can stand; links to the canary wherever a link
    can stand.
    """
    evil = ["../../../escaped", "../x", "..\\..\\x", "C:\\x", "\\\\host\\x", "x\0y", "．．/x"]
    link, paths, schemas = {"url": canary.url}, {}, {}
    for number, name in enumerate(evil):
        schemas |= {f"s{number}": {"title": name, "type": "object"}, name: {"type": "object"}}
        answer = {"application/json": {"schema": {"$ref": f"#/components/schemas/s{number}"}}}
        paths[f"/p{number}"] = {"get": operation(
            operationId=name, tags=[name], externalDocs=link, parameters=[query(name)],
            responses={"200": {"description": name, "content": answer}},
        )}  # fmt: skip
    info = {"title": "Shop", "version": "1", "contact": link, "termsOfService": canary.url}
    given = document(paths, components={"schemas": schemas}, externalDocs=link, info=info)
    result = generate(given)
    assert result.code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"openapi.json", "out"}
    assert all(re.fullmatch(r"[A-Za-z0-9_./-]+", path) for path in result.files)


# Values that have to be numbers and types.


@pytest.mark.parametrize(("schema", "told"), [
    ({"type": "number", "minimum": "0); import os; ("}, "`minimum` must be a number"),
    ({"type": "string();import os;"}, "unknown type `string();import os;`"),
    ({"type": ["string", "x()"]}, "unknown type `x()`"),
    ({"type": "number", "multipleOf": 0}, "`multipleOf`"),
    ({"type": "string", "minLength": -1}, "`minLength`"),
    ({"type": "array", "items": {}, "maxItems": 1.5}, "`maxItems`"),
    ({"type": "string", "maxLength": True}, "`maxLength`"),
])  # fmt: skip
def test_a_keyword_that_is_no_value_is_left_out_and_told(
    tmp_path: Path, generate: Generate, schema: dict[str, Any], told: str
) -> None:
    given = single(operationId="x", parameters=[query(**schema)])
    server, problems = understood(tmp_path, given)
    assert told in said(problems)
    assert "import os" not in json.dumps(server.tools[0].input_schema)
    kept = server.tools[0].input_schema["properties"]["q"].keys()
    assert not kept & (schema.keys() - {"type", "items"})
    assert generate(given, "--strict").code == 1


@pytest.mark.parametrize("text", ["1e400", "NaN", "Infinity", "-Infinity"])
def test_a_number_no_json_has_is_an_error(generate: Generate, text: str) -> None:
    given = json.dumps(single(parameters=[query(type="number", maximum=7)]))
    result = generate(given.replace('"maximum": 7', f'"maximum": {text}'))
    assert result.code in (1, 3)
    assert "number" in result.err


def test_minus_zero_stays_what_it_is(tmp_path: Path) -> None:
    given = single(parameters=[query(type="number", default=-0.0)])
    schema = understood(tmp_path, given)[0].tools[0].input_schema["properties"]["q"]
    assert str(schema["default"]) == "-0.0"


@pytest.mark.parametrize("path", ["/pet/{id}'+str(exec('import os'))+'", '/a"b', "/a`b", "/a\nb"])
def test_a_path_with_code_in_it_is_skipped(tmp_path: Path, path: str) -> None:
    server, problems = understood(
        tmp_path, document({path: {"get": operation()}, "/ok": {"get": operation()}})
    )
    assert [tool.origin.path for tool in server.tools] == ["/ok"]
    assert "E0402" in said(problems)


def test_quotes_that_a_path_may_have_are_data(tmp_path: Path) -> None:
    path = "/pet/{id}'+str(exec('os'))+'"
    files = rendered(tmp_path, document({path: {"get": operation(operationId="a")}}))
    (function,) = functions(files["src/shop_mcp/tools/general.py"]).values()
    assert path in [node.value for node in ast.walk(function) if isinstance(node, ast.Constant)]


@pytest.mark.parametrize("server", [
    {"url": "http://x/`+require('fs')+`"},
    {"url": "https://{env}.example.com", "variables": {"env": {"default": "x/`+require('fs')+`"}}},
    {"url": "https://a.example.com/\nimport os"},
])  # fmt: skip
def test_a_server_that_is_no_url_is_not_taken_over(tmp_path: Path, server: dict[str, Any]) -> None:
    made, _ = understood(tmp_path, document(servers=[server]))
    assert made.base_url is None and made.base_url_note
    assert "\n" not in made.base_url_note


@pytest.mark.parametrize("word", ["default", "example"])
def test_a_value_nested_too_deep_is_no_value(tmp_path: Path, word: str) -> None:
    value: Any = "x"
    for _ in range(80):
        value = [value]
    given = single(operationId="x", parameters=[query(type="array", items={}, **{word: value})])
    assert "src/shop_mcp/tools/general.py" in rendered(tmp_path, given)


def test_names_of_files_and_options_are_data(generate: Generate) -> None:
    result = generate(document(), "--name", "shop'\"\nimport os", name="x\nimport os.json")
    assert result.code == 2
    other = generate(document(), name="x'\"\nimport os.json", to="a'b\"c")
    assert other.code == 0 and tomllib.loads(other.files["mcpgen.toml"])


# Names.

NAMES = [
    *("class", "match", "None", "print", "self", "__init__", "__import__", "_x", "1a", "", "-", "💥",
      "данные"),
    *("ｅｖａｌ", "𝐞𝐯𝐚𝐥", "ﬁle", "api", "wire", "OMIT", "x" * 10_000, "a" * 200 + "é"),
]  # fmt: skip


@pytest.mark.parametrize("operation_id", NAMES, ids=lambda name: ascii(name)[:20])
def test_a_name_is_a_plain_identifier(tmp_path: Path, operation_id: str) -> None:
    names = {"/a": operation_id, "/b": "b"}
    given = document({path: {"get": operation(operationId=name)} for path, name in names.items()})
    (name,) = (
        each.name for each in understood(tmp_path, given)[0].tools if each.origin.path == "/a"
    )
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name)
    assert name not in RESERVED
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name)


@pytest.mark.parametrize("operation_id", ["bash", "readFile", "fetch", "web_search"])
def test_a_name_that_clients_use_themselves_carries_the_server(
    tmp_path: Path, operation_id: str
) -> None:
    given = document(
        {"/a": {"get": operation(operationId=operation_id)}}, info={"title": "Acme", "version": "1"}
    )
    assert understood(tmp_path, given)[0].tools[0].name.startswith("acme_")


def test_names_are_derived_and_a_repeated_one_is_told(tmp_path: Path) -> None:
    paths = {
        "/a": {"get": operation(operationId="same")},
        "/b": {"get": operation(operationId="same"), "put": operation()},
    }
    server, problems = understood(tmp_path, document(paths))
    names = [tool.name for tool in server.tools]
    assert len(set(names)) == 3 and "replace_b" in names
    assert said(problems).count("operationId `same` is that of") == 1
    turned = document(dict(reversed(paths.items())))
    assert [tool.name for tool in understood(tmp_path, turned)[0].tools] == names


@pytest.mark.parametrize("title", [
    '../../x & calc " $(id) \r\n', "con", "aux.py", "nul", "a" * 300, ".", "..", "requests", "-x",
    "💥", "com1",
])  # fmt: skip
def test_a_title_makes_a_harmless_name(tmp_path: Path, title: str) -> None:
    files = rendered(tmp_path, document(info={"title": title, "version": "1"}))
    project = tomllib.loads(files["pyproject.toml"])["project"]
    assert re.fullmatch(r"mcp-[a-z0-9]+(-[a-z0-9]+)*", project["name"])
    assert len(project["name"]) <= 64
    assert "Private :: Do Not Upload" in project["classifiers"]
    (package,) = {path.split("/")[1] for path in files if path.startswith("src/")}
    assert re.fullmatch(r"[a-z][a-z0-9_]*_mcp", package)


@pytest.mark.parametrize("text", ["é", "\u202e", "\uff45"])
def test_the_gate_takes_ascii_alone(text: str) -> None:
    with pytest.raises(GateError):
        check("tools", f'"""{text}"""\n', "tools/x.py")
    with pytest.raises(GateError):
        check("models", f'"""{text}"""\n', "models.py")


@pytest.mark.parametrize(
    "source", ["{% if missing %}x{% endif %}", "{% for x in missing %}x{% endfor %}"]
)
def test_an_unknown_name_is_an_error_even_where_it_is_not_printed(source: str) -> None:
    template = make_environment(jinja2.DictLoader({"t": source})).get_template("t")
    with pytest.raises(jinja2.UndefinedError):
        template.render({})


FUNCTION = '''"""x"""
from typing import Any
from .. import OMIT, Answer, Api, wire
async def f(api: Api, *, title: {kind} = OMIT) -> Answer[Any]:
    """x"""
    return await api.request("GET", "/x", json={value})
'''


@pytest.mark.parametrize(("kind", "value"), [
    ("str", "title.upper()"),
    ("str", "OMIT.x()"),
    ("os.system('x')", "title"),
    ("str", "wire.csv.x(title)"),
    ("str", "f()"),
])  # fmt: skip
def test_the_gate_takes_no_call_but_of_its_own_objects(kind: str, value: str) -> None:
    check("tools", FUNCTION.format(kind="str", value="wire.csv(title)"), "tools/x.py")
    with pytest.raises(GateError):
        check("tools", FUNCTION.format(kind=kind, value=value), "tools/x.py")
