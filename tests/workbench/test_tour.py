"""Everything that the workbench is for, done in Chromium by clicks and keys alone.

The bookshop stands in for a large document; `make workbench DOCUMENT=github.json` takes the same
way through GitHub's, and makes the pictures of docs/.
"""

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import run
from mcpgen.config import read_config
from mcpgen.workbench.mending import OVERLAY
from tests.live.conftest import StandIn, api

from .browser import Watch, chromium, missing, workbench
from .tour import PICTURE, Course, Tour, source

__all__ = ["api"]

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture(params=[1440, 390])
def page(request: pytest.FixtureRequest) -> Iterator[Any]:
    with chromium() as browser:
        yield browser.new_page(viewport={"width": request.param, "height": 900})


def written_by_commands(document: Path, course: Course, folder: Path) -> tuple[str, list[str]]:
    """`mcpgen.toml` as `generate` writes it, with the lines of `suggest` but for the tool that is
    ticked off, and the tables of the tool that is edited; and the lines that this adds.
    """
    assert run(["generate", str(document), "-o", str(folder), "--quiet"]) == 0
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert run(["suggest", str(document), "--limit", str(course.limit), "--quiet"]) == 0
    lines = output.getvalue().splitlines()
    lines.remove(f'    "{course.out_operation}",')
    text = (folder / "mcpgen.toml").read_text("utf-8")
    with_selection = "\n".join([text, *lines, ""])
    return with_selection + course.tables, ["", *lines, *course.tables.splitlines()]


def test_an_api_is_looked_at_chosen_edited_tried_mended_and_generated(
    page: Any, tmp_path: Path, api: StandIn
) -> None:
    path, course = source()
    document = tmp_path / path.name
    document.write_text(path.read_text("utf-8").replace(course.gap, "", 1), "utf-8")
    width = page.viewport_size["width"]
    pictures = tmp_path
    if width > PICTURE:
        pictures = Path(os.environ.get("PICTURES") or tmp_path)
    prefix = f"{course.server.upper()}_MCP_"
    variables = {f"{prefix}BASE_URL": api.url, f"{prefix}{course.credential}": "of-the-test"}
    tour = Tour(page, width, course, pictures)
    folder = tmp_path / f"mcp-{course.server}"
    with workbench(document.name, tmp_path, **variables) as address:
        watch = Watch(page, address)
        overview = tour.overview(address)
        assert "left out by choice" in overview and "Where requests go" in overview
        assert tour.filter() < 100
        tour.choose()
        lines = tour.edit()
        edited = (folder / "mcpgen.toml").read_text("utf-8")
        request, outcome = tour.try_it()
        assert request.startswith("Request, not sent") and api.url in request
        assert "of-the-test" not in request and "Raw answer: status 200" in outcome
        assert "Answer as the model sees it" in outcome and len(api.requests) == 1
        if course.wide:
            tour.look_at_what_was_cut()
        assert tour.find()
        tour.mend()
        tour.generate()
        watch.nothing_happened()

    text, added = written_by_commands(document, course, tmp_path / "by-commands")
    assert edited == text and lines == added
    source_line = f'path = "../{document.name}"\n'
    repaired = text.replace(source_line, f'{source_line}overlays = ["{OVERLAY}"]\n', 1)
    assert (folder / "mcpgen.toml").read_text("utf-8") == repaired
    assert read_config(folder).tools[course.operation].name == course.name
    assert run(["check", str(folder), "--quiet"]) == 0

    with workbench(folder, tmp_path) as address:
        page.goto(address)
        tour.follow("Tools")
        page.fill("#search", "")
        assert page.inner_text("#kept") == str(course.limit - 1)
        assert page.locator(f"tr[data-name={course.name}] input:checked").count() == 1
        assert page.locator("#pending:empty").count() == 1

    document.write_text(document.read_text("utf-8").replace(*course.moved), "utf-8")
    with workbench(folder, tmp_path) as address:
        page.goto(address)
        assert course.moved[1] in tour.accept()
    assert run(["check", str(folder), "--quiet"]) == 0
