"""`make demo` tells the truth, fits a terminal of 80 columns, and shows a failing call that
helps.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def demo(folder: Path) -> str:
    """What the demo shows on a terminal of 80 columns, generating into `folder`."""
    done = subprocess.run(
        [sys.executable, "samples/demo.py", str(folder)], cwd=ROOT,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "demo"


@pytest.fixture(scope="module")
def transcript(folder: Path) -> str:
    return demo(folder)


def test_it_generates_starts_lists_and_calls(transcript):
    assert "13 = 13 tools + 0 filtered + 0 skipped" in transcript
    assert "async def place_order(" in transcript and "13 tools, " in transcript
    assert "GET /v1/books?genre=science-fiction&" in transcript and "→ 201" in transcript
    assert "an image, image/png" in transcript


def test_what_fails_says_what_to_do(transcript):
    assert "→ 409" in transcript and "only 2 left of" in transcript
    assert "nothing was sent" in transcript
    assert "science-fiction" in transcript.split("nothing was sent")[1]


def test_clients_of_both_eras_get_the_same_list(transcript):
    assert "gets the same list" in transcript
    assert "2026-07-28" in transcript and "2025-11-25" in transcript


def test_it_fits_eighty_columns(transcript):
    assert max(map(len, transcript.splitlines())) <= 80


def test_the_same_demo_twice_is_no_problem(transcript, folder):
    assert demo(folder).splitlines()[:20] == transcript.splitlines()[:20]
