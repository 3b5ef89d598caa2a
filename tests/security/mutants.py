"""Seeded faults: `python -m tests.security.mutants [--quick] [NAME...]` breaks the kernel, one
fault at a time.

Each entry of `mutants.toml` is a change of a copy of the sources and the tests that must fail for
it. A fault that no test notices survives, and the run fails. `--quick` runs the faults marked
`quick`. With `--seed N`, a program makes the faults (`made_faults.py`).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COPIED = """
    mcpgen templates tests samples docs pyproject.toml README.md SECURITY.md
""".split()
SECONDS = 120


def copy(place: Path) -> None:
    """The sources and their tests, without what tools left behind."""
    ignored = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=ignored)
        else:
            shutil.copy(source, place / name)


def run(words: list[str], place: Path, seconds: float, **more: str) -> tuple[int, str]:
    """Run pytest in a copy, and end whatever it started; the exit code and what it printed."""
    environ = {**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1", **more}
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [*command, *words], cwd=place, env=environ, stdout=said, stderr=said, process_group=0
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        said.seek(0)
        return code, said.read()


def caught(place: Path, tests: list[str]) -> tuple[bool, str]:
    """Whether the tests fail as the copy stands, or run for ever, and what they said."""
    code, said = run(["-x", *(f"tests/{test}" for test in tests)], place, SECONDS)
    if code > 1:
        raise SystemExit(f"pytest could not run {tests}:\n{said[-2000:]}")
    return code != 0, said


def broken(place: Path, fault: dict[str, Any]) -> tuple[bool, str]:
    """Apply one fault to the copy, see whether it is caught, and take it back."""
    path = place / fault["file"]
    whole = path.read_text("utf-8")
    if whole.count(fault["old"]) != 1:
        raise SystemExit(
            f"`{fault['name']}`: its text stands {whole.count(fault['old'])} times in"
            f" {fault['file']}"
        )
    path.write_text(whole.replace(fault["old"], fault["new"]), "utf-8")
    try:
        return caught(place, fault["tests"])
    finally:
        path.write_text(whole, "utf-8")


def main(words: list[str]) -> int:
    """Run the faults asked for; 1 when one survives."""
    if any(word.startswith(("--seed", "--measure")) for word in words):
        return int(importlib.import_module(".made_faults", __package__).main(words))
    faults = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text("utf-8"))["fault"]
    names = [word for word in words if not word.startswith("-")]
    if "--quick" in words:
        faults = [fault for fault in faults if fault.get("quick")]
    if names:
        faults = [fault for fault in faults if any(name in fault["name"] for name in names)]
    survivors = []
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        copy(place)
        for fault in faults:
            began = time.monotonic()
            found, said = broken(place, fault)
            print(
                f"{'caught  ' if found else 'SURVIVED'}  {time.monotonic() - began:5.1f} s "
                f" {fault['name']}",
                flush=True,
            )
            if not found:
                survivors.append(fault["name"])
                print(said[-300:])
    print(
        f"{len(faults)} faults, {len(faults) - len(survivors)} caught,"
        f" {time.monotonic() - started:.0f} s"
    )
    return 1 if survivors or not faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
