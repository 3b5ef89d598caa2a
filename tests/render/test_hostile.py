"""Whatever the document says, the generated Python has the syntax it has when the document says
nothing special.
"""

import ast
import json
import subprocess
import sys
import tomllib
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mcpgen.ir import Server
from mcpgen.render import render
from mcpgen.render.code import OBVIOUS
from mcpgen.render.literal import UnsafeValue

from .servers import generated_python, hostile, server, tool
from .syntax import syntax

PAYLOADS = {
    "path out": "../../../escaped", "path of Windows": "C:\\x", "path with a null": "x\0y",
    "end of docstring": 'x"""\nimport os; os.system("touch /tmp/P")\n"""',
    "end of docstring, single": "x'''\nimport os\n'''",
    "carriage return": "safe\rraise SystemExit(1)", "vertical tab": "safe\x0braise SystemExit(1)",
    "form feed": "safe\x0craise SystemExit(1)", "file separator": "safe\x1craise SystemExit(1)",
    "next line": "safe\x85raise SystemExit(1)", "line separator": "safe\u2028raise SystemExit(1)",
    "paragraph separator": "safe\u2029raise SystemExit(1)", "backslash": "ends in \\",
    "quote": 'ends in "', "three quotes": "'''", "named character": "\\N{",
    "broken escapes": "\\u12 \\x4", "jinja": "{{ 7*7 }}{% raw %}{# #}",
    "jinja object": "{{ self.__init__.__globals__ }}", "template string": "${7*7}",
    "percent": "%(x)s", "braces": "{0.__class__}", "enum": "a'] + [__import__('os').getpid()] + ['",
    "default": "__import__('os')", "end of comment": "*/", "assignment": "A=1;import os",
    "newline": "date\nimport os", "exec": "'+exec('')+'",
    "key": "x\": __import__('os').getpid(), \"", "class": "__class__", "prototype": "__proto__",
    "space": " ", "empty": "", "items": "items", "keys": "keys", "get": "get",
    "parameter": "q'];import os;x['", "media type": 'application/json"+x+"',
    "path": "pet/{id}'+str(exec('import os'))+'", "url": "http://x/`+require('fs')+`",
    "version": "1';import os;'", "link": "javascript:alert(1)", "bidirectional": "\u202eevil\u2066",
    "zero width": "a\u200bb\ufeff", "full width": "ｅｖａｌ('1+1')", "surrogate": "\ud800",
    "astral": "💥", "null": "\x00", "escape": "\x1b]0;pwned\x07", "f-string": "{__import__('os')}",
    "comment": "# noqa\n#", "decorator": "\n@evil\n", "continuation": "\\\nimport os",
    "toml": '"\n[tool.x]\ny = "', "shell": "$(touch /tmp/P) `id` ; & | > /tmp/P",
    "html": "<script>alert(1)</script>", "yaml": "a: &b !!python/object/apply:os.system [id]",
    "long": "x" * 300, "long words": "word " * 100, "keyword": "class", "builtin": "print",
    "dunder": "__import__", "vocabulary": "models.wire.api",
}  # fmt: skip
NEUTRAL = "x"


def assignments(files: dict[str, str]) -> list[str]:
    return [line for line in files[".env.example"].splitlines() if not line.startswith("#")]


def keys(data: object, at: str = "") -> set[str]:
    if not isinstance(data, dict):
        return {at}
    return {found for key, value in data.items() for found in keys(value, f"{at}/{key}")}


def structure(files: dict[str, str]) -> list[str]:
    """The kinds of what the README holds, one after the other."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(files["README.md"])
    kinds = [
        f"{token.type} {child.type}" for token in tokens for child in token.children or [token]
    ]
    # A word between backticks is code within the text.
    return [kind for kind, _ in groupby(kind.replace("code_inline", "text") for kind in kinds)]


@pytest.fixture(scope="module")
def usual() -> dict[str, str]:
    """The project of a document that says nothing special."""
    return render(hostile(NEUTRAL))


@pytest.mark.parametrize("text", PAYLOADS.values(), ids=PAYLOADS.keys())
def test_no_file_has_another_structure_and_values_come_back_unchanged(
    text: str, usual: dict[str, str], recwarn: pytest.WarningsRecorder
) -> None:
    """Values: from the JSON a client reads, and from the literals a request is made of."""
    files = render(hostile(text))
    assert files.keys() == usual.keys()
    for path, source in generated_python(files):
        assert syntax(source) == syntax(usual[path]) and source.isascii()
        compile(source, path, "exec")
    of_the_source = (SyntaxWarning, DeprecationWarning)  # not what another test left unclosed
    assert not [each for each in recwarn.list if issubclass(each.category, of_the_source)]
    (wire,) = json.loads(files["src/bookshop_mcp/tools/books.json"])
    assert wire["description"] == text
    assert text in wire["inputSchema"]["properties"]["nested"]["properties"]
    assert json.loads(files["src/bookshop_mcp/api.json"])["title"] == text
    tree = ast.parse(files["src/bookshop_mcp/tools/books.py"])
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert f"/{text}" in constants and constants.count(text) >= 10
    assert assignments(files) == assignments(usual)
    pyproject, usual_pyproject = (tomllib.loads(each["pyproject.toml"]) for each in (files, usual))
    assert keys(pyproject) == keys(usual_pyproject)
    # Only a title of nothing but what is invisible or blank is said differently: by the server's
    # name.
    assert structure(files) == structure(usual)


def test_an_environment_file_has_something_to_fill_in(usual: dict[str, str]) -> None:
    assert any(line.endswith("=") for line in assignments(usual))


@settings(
    derandomize=True, max_examples=100, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_the_syntax_does_not_depend_on_any_text(text: str) -> None:
    # A media type that is the default is not said, and the server has one argument `file`
    assume(text not in {*OBVIOUS.values(), "file"})
    files = render_tools(hostile(text))
    assert {path: syntax(source) for path, source in files.items()} == NEUTRAL_SHAPES


def render_tools(given: Server) -> dict[str, str]:
    """The modules of tools and types alone, by the functions `render` uses for them."""
    from mcpgen.render import models, stage

    modules = stage._modules(given)
    types = {path: models.written(source) for path, source in modules["models"].items()}
    return {**modules["tools"], **types}


NEUTRAL_SHAPES = {
    folder: syntax(source) for folder, source in render_tools(hostile(NEUTRAL)).items()
}


def test_project_files_hold_no_text_of_the_document_but_its_title_and_credentials() -> None:
    marker = "zqmarkerqz"
    files = render(hostile(marker))
    allowed = {"README.md", "pyproject.toml", "server.json", "manifest.json", "tests/tools.json"}
    allowed.add("document/answers.json")  # data, as the document is
    allowed |= {
        ".env.example",
        "clients/vscode.json",
        "document/VARIABLES.md",
    }  # what a credential looks like
    allowed.add("document/TOOLS.md")  # a sentence of each tool
    holding = {path for path, text in files.items() if marker in text}
    assert {path for path in holding if not path.startswith("src/")} <= allowed
    assert {path for path in holding if path.startswith("src/")} == {
        "src/bookshop_mcp/api.json",
        "src/bookshop_mcp/models.py",
        "src/bookshop_mcp/tools/books.json",
        "src/bookshop_mcp/tools/books.py",
    }


def test_runtime_modules_are_the_same_for_every_document() -> None:
    first, second = render(hostile('"""')), render(server(tool()))
    own = dict(generated_python(first))
    modules = {path for path in first.keys() & second if path.endswith(".py") and path not in own}
    assert len(modules) > 10 and all(first[path] == second[path] for path in modules)


@pytest.mark.parametrize("name", [
    "../x", "..\\..\\x", "C:\\x", "\\\\host\\x", "x\0y", "．．/x", "", ".", "..", "a/b", "a.b",
    "__init__", "class",
])  # fmt: skip
def test_a_name_that_is_no_identifier_never_becomes_a_path(name: str) -> None:
    with pytest.raises(UnsafeValue):
        render(server(tool(), toolset=name))
    with pytest.raises(UnsafeValue):
        render(server(tool(name)))


@pytest.mark.parametrize("name", ["../x", "..", "a/b", "", "a b", "-x"])
def test_the_package_is_a_plain_word(name: str) -> None:
    with pytest.raises(UnsafeValue):
        render(server(tool(), package=name))


AUDITED = """
import sys
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect", "ctypes.")
import bookshop_mcp.runtime.client.api  # what a module of tools imports, before anything is watched

def watch(event, arguments):
    if event.startswith(FORBIDDEN) or (event == "open" and set(str(arguments[1] or "")) & set("wax+")):
        raise RuntimeError(f"{event} {arguments}")

sys.dont_write_bytecode = True
sys.addaudithook(watch)
import bookshop_mcp.tools.books, bookshop_mcp.models
print("imported", bookshop_mcp.tools.books.hostile_tool.__name__)
"""


@pytest.mark.parametrize("name", ["end of docstring", "enum", "key", "parameter", "continuation"])
def test_importing_a_module_runs_nothing(name: str, tmp_path: Path) -> None:
    for path, text in render(hostile(PAYLOADS[name])).items():
        if path.startswith("src/"):
            place = tmp_path / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", AUDITED], cwd=tmp_path / "src", capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "imported hostile_tool", done.stderr[-2000:]
