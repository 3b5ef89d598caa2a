"""What is true of the sources themselves: what they may not use, where they may read, what packages
say.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mcpgen.runtime.client.settings import VARIABLES
from mcpgen.runtime.parts import VARIABLES as OF_PARTS

from .shop import document, rendered

ROOT = Path(__file__).parents[2]
RUNTIME, TEMPLATES = ROOT / "mcpgen" / "runtime", ROOT / "templates" / "src" / "package"
MODULES = sorted(RUNTIME.rglob("*.py"))
CALLS = set("""
    eval exec compile __import__ os.system os.popen pickle.loads pickle.load marshal.loads
    shelve.open yaml.load tempfile.mktemp subprocess.run subprocess.Popen jsonschema.validate
    ssl._create_unverified_context
""".split())
IMPORTS = set("""
    pickle marshal shelve subprocess ctypes yaml jsonschema requests urllib.request
""".split())

NAMING = ("variable", "value", "refuse", "items")
"""Functions that are given names of variables, without the server's prefix."""


def dotted(node: ast.expr) -> str:
    """`os.path.join` as text; nothing for what is no name."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


SKIPPED_CHECKS = (("shell", True), ("verify", False), ("follow_redirects", True))


@pytest.mark.parametrize(
    "path",
    [*MODULES, *sorted(TEMPLATES.rglob("*.py"))],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_nothing_in_the_runtime_can_become_code_or_skip_a_check(path: Path) -> None:
    source = path.read_text("utf-8")
    assert source.isascii()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            assert dotted(node.func) not in CALLS, f"{path.name}:{node.lineno}"
            for keyword in node.keywords:
                given = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
                assert (keyword.arg, given) not in SKIPPED_CHECKS, f"{path.name}:{node.lineno}"
                assert keyword.arg != "trust_env" or given is False
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        roots = {name.split(".")[0] for name in names}
        assert not IMPORTS & {*names, *roots}, f"{path.name}: {names}"
        assert isinstance(node, ast.Import) or "mcpgen" not in roots, f"{path.name}: {names}"


def test_no_validator_of_the_runtime_can_fetch() -> None:
    """Every validator is made by one function, offline."""
    sources = "\n".join(path.read_text("utf-8") for path in MODULES)
    made = re.findall(r"jsonschema_rs\.Draft\w+\(([^)]*)\)", sources)
    assert made and all("offline=True" in words for words in made)


FILLED = set("""
    Call Copies Cuts Document Downloads Entry Group Guard Identifiers OneAnswer Outgoing Poll Query Record
    SourceText Walk
""".split())
"""The dataclasses that are filled in as work goes on."""
EVENTS = set("""
    api_left_alone api_works_again audit_failed call call_failed draining idle_hook internal_error login_not_kept
    answer_differs api_fault output_schema_lost keys_not_fetched limits_not_shared limits_shared_again message_refused no_authentication
    refused request search_model_failed settings telemetry_not_sent token_not_introspected tool_left_out
    tools_not_loaded
""".split())
"""The names of lines in a server's log, which alerts of operators wait for."""


def test_facts_do_not_change_and_events_keep_their_names() -> None:
    rooms = "compare load lock runtime workbench write".split()
    paths = [path for room in rooms for path in (ROOT / "mcpgen" / room).rglob("*.py")]
    sources = "\n".join(path.read_text("utf-8") for path in paths)
    made = re.findall(r"dataclass\((.*)\)\nclass (\w+)", sources)
    assert {name for words, name in made if "frozen=True" not in words} == FILLED
    slotless = {name for words, name in made if "slots=True" not in words}
    assert slotless == {"Answer", "Guard"}
    assert set(re.findall(r'\bevent\(\s*"\w+",\s*"(\w+)"', sources)) == EVENTS


OF_THE_SYSTEM = ("'XDG_CACHE_HOME'",)
"""Variables that every program reads: where caches go (XDG Base Directory Specification)."""


def test_the_environment_is_read_by_prefixed_names_alone() -> None:
    """Every read of an environment variable in the runtime names it through `variable(...)`, or is
    of all of them.
    """
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Subscript) and dotted(node.value) == "os.environ":
                raise AssertionError(f"{path.name}:{node.lineno}")
            if isinstance(node, ast.Call) and dotted(node.func) in ("os.environ.get", "os.getenv"):
                name = node.args[0]
                if ast.unparse(name) not in OF_THE_SYSTEM:
                    assert isinstance(name, ast.Call), path.name
                    assert dotted(name.func).endswith("variable"), path.name


def test_messages_name_variables_that_there_are() -> None:
    named = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] in NAMING:
                named |= {str(each.value) for each in node.args if isinstance(each, ast.Constant)}
    named = {name for name in named if name[:2].isupper()}
    assert len(named) > 20
    assert named <= VARIABLES | OF_PARTS.keys()


def test_every_dependency_of_a_server_has_a_lower_and_an_upper_bound(tmp_path: Path) -> None:
    project = tomllib.loads(rendered(tmp_path, document())["pyproject.toml"])["project"]
    assert project["dependencies"]
    assert all(re.search(r">=\d.*,<\d", requirement) for requirement in project["dependencies"])


def test_mcpgen_asks_the_network_for_nothing_when_imported() -> None:
    watch = (
        "import sys; sys.addaudithook(lambda e, a: sys.exit(9) if e.startswith('socket.connect')"
        " else None)"
    )
    code = f"{watch}; import mcpgen.cli, mcpgen.pipeline, mcpgen.project.run"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 0


def test_workflows_name_actions_by_hash_and_get_no_secrets(tmp_path: Path) -> None:
    project = rendered(tmp_path, document())
    files = {path: text for path, text in project.items() if "/workflows/" in path}
    assert files
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        files[str(path)] = path.read_text("utf-8")
    for path, text in files.items():
        uses = [line for line in text.splitlines() if "uses:" in line]
        assert all(re.search(r"@[0-9a-f]{40}\b", line) for line in uses), path
        assert "pull_request_target" not in text and "permissions:" in text, path
        assert "persist-credentials: false" in text or "checkout" not in text, path
