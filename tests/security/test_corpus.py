"""Real documents: the runtime is the same to the byte for every one, and none is refused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from mcpgen.render.gate import check
from mcpgen.render.parts import parts

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("MCPGEN_CORPUS", ROOT.parent / "shared" / "corpus"))
SPECS = (ROOT / "samples" / "specs").glob("*.yaml")
SAMPLES = sorted(path for path in SPECS if ".overlay." not in path.name)
LIST = ("openapi/*", "swagger2/*", "oai_examples/v*/*.yaml", "oai_examples/v2.0/yaml/*.yaml")
REAL = sorted(path for pattern in LIST for path in CORPUS.glob(pattern) if path.is_file())
SMALL = sorted(REAL, key=lambda path: path.stat().st_size)[:18]


RUNTIME = ROOT / "mcpgen" / "runtime"
OPTIONAL = tuple(
    path.removeprefix("src/package/runtime/") for _, paths in parts() for path in paths
)
"""What only some servers have of the runtime."""
ORIGINAL = {
    path.relative_to(RUNTIME).as_posix(): path.read_text("utf-8") for path in RUNTIME.rglob("*.py")
}
"""The runtime as it stands in mcpgen itself."""


@pytest.mark.parametrize("path", [*SAMPLES, *SMALL[:6]], ids=lambda path: path.name)
def test_the_runtime_is_the_same_to_the_byte(path: Path) -> None:
    files = pipeline.generate(Config(sources=(str(path),)), Problems())[2]
    runtime = {}
    for name, text in files.items():
        if re.fullmatch(r"src/\w+/tools/(?!__init__)\w+\.py", name):
            check("tools", text, name)
        elif re.fullmatch(r"src/\w+/models\.py", name):
            check("models", text, name)
        elif re.fullmatch(r"src/\w+/runtime/.*\.py", name):
            runtime[name.split("/", 3)[3]] = text
    assert runtime.items() <= ORIGINAL.items()
    assert all(path.startswith(OPTIONAL) for path in ORIGINAL.keys() - runtime.keys())


@pytest.mark.parametrize("path", SMALL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_real_document_is_refused(path: Path) -> None:
    """Every operation is a tool, or left out with a reason."""
    problems = Problems()
    _, server = pipeline.understand(Config(sources=(str(path),)), problems)
    assert server.tools or server.skips or len(problems)
    assert all(skip.reason for skip in server.skips)


def test_there_are_real_documents() -> None:
    if not REAL:
        pytest.skip("there is no corpus here: set MCPGEN_CORPUS to a folder of documents")
    assert len(REAL) > 5


OFFLINE = """
import fcntl, socket, struct, sys
from pathlib import Path
from mcpgen.cli import run
try:
    socket.create_connection(("192.0.2.1", 80), 1)
except OSError:
    pass
else:
    sys.exit("there is a network")
for number, path in enumerate(sys.argv[2:]):
    if run(["generate", path, "-o", f"{sys.argv[1]}/{number}", "--quiet"]):
        sys.exit(f"{path} needs a network")
print("generated", len(sys.argv) - 2)
"""


def test_generating_needs_no_network(tmp_path: Path) -> None:
    """In a namespace of its own, where there is none."""
    space = ["unshare", "--user", "--map-root-user", "--net"]
    try:
        subprocess.run([*space, "true"], check=True, capture_output=True, timeout=10)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this machine does not let a process have a network of its own")
    real = [path for path in SMALL if "operationId" in path.read_text("utf-8")]
    paths = [str(path) for path in (*SAMPLES[:3], *real[:2])]
    done = subprocess.run(
        [*space, sys.executable, "-c", OFFLINE, str(tmp_path), *paths], timeout=120, check=False,
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout == f"generated {len(paths)}\n", done.stderr[-2000:]
