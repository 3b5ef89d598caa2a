"""mcpgen as it is shipped: a wheel, a source distribution, the wheel of that, and an editable
install find everything.

The environments share this one's packages, so nothing is downloaded; what is tested is what the
distributions contain.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = {
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "templates").rglob("*")
    if path.is_file() and "cache" not in str(path)
}
pytest.importorskip("build")
pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist, the wheel of the checkout, and the wheel of the unpacked sdist."""
    place = tmp_path_factory.mktemp("dist")
    made = {
        "wheel": _build(ROOT, place / "checkout", "--wheel"),
        "sdist": _build(ROOT, place / "sdist", "--sdist"),
    }
    with tarfile.open(made["sdist"]) as archive:
        archive.extractall(place / "unpacked", filter="data")
    (unpacked,) = (place / "unpacked").iterdir()
    made["wheel of the sdist"] = _build(unpacked, place / "again", "--wheel")
    return made


def _build(source: Path, target: Path, kind: str) -> Path:
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", kind, "--outdir", str(target),
         str(source)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    (found,) = target.iterdir()
    return found


@pytest.mark.parametrize("kind", ["wheel", "wheel of the sdist"])
def test_every_template_and_data_file_is_in_the_wheel(distributions, kind):
    names = set(zipfile.ZipFile(distributions[kind]).namelist())
    data = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mcpgen" / "data").iterdir()}
    assert {f"mcpgen/{name}" for name in TEMPLATES} <= names
    assert data <= names
    assert "mcpgen/py.typed" in names


def test_both_wheels_hold_the_same(distributions):
    one, other = (zipfile.ZipFile(distributions[kind]) for kind in ("wheel", "wheel of the sdist"))
    assert set(one.namelist()) == set(other.namelist())
    assert all(
        one.read(name) == other.read(name)
        for name in one.namelist()
        if name.endswith((".py", ".jinja"))
    )


def test_the_wheel_holds_nothing_else(distributions):
    names = zipfile.ZipFile(distributions["wheel"]).namelist()
    assert {name.split("/")[0] for name in names} == {"mcpgen", names[-1].split("/")[0]}
    assert not [name for name in names if "cache" in name]


def test_the_sdist_holds_what_the_readme_points_at(distributions):
    with tarfile.open(distributions["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "README.md", "LICENSE", "Makefile", "SECURITY.md", "docs/cli.md", "samples/demo.py",
    } <= names  # fmt: skip
    assert names >= TEMPLATES


@pytest.mark.parametrize("kind", ["wheel", "wheel of the sdist"])
def test_an_installed_wheel_generates(distributions, kind, tmp_path):
    site = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site),
         distributions[kind]],
        check=True, timeout=120,
    )  # fmt: skip
    _generates({"PYTHONPATH": str(site)}, tmp_path, site)


def test_a_checkout_generates(tmp_path):
    _generates({"PYTHONPATH": str(ROOT)}, tmp_path, ROOT)


def _generates(environment: dict[str, str], place: Path, home: Path) -> None:
    """Generate from far away, with the `mcpgen` that stands in `home`."""
    script = (
        "import mcpgen, sys; from mcpgen.cli import run; print(mcpgen.__file__);"
        " sys.exit(run(sys.argv[1:]))"
    )
    document = ROOT / "samples" / "specs" / "bookshop.yaml"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, "generate", str(document), "-o", "out", "--quiet"],
        cwd=place, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(home))
    assert (place / "out" / "src" / "bookshop_mcp" / "server.py").is_file()
    assert (place / "out" / ".github" / "workflows" / "mcpgen.yml").is_file()
    assert (place / "out" / ".gitignore").is_file()
