"""The catalogue as files, and the map."""

import base64
import hashlib
import html
import json
import re
import sys
from pathlib import Path

import pytest

from mcpgen.catalogue.treemap import HEIGHT, WIDTH, Box, squarified
from mcpgen.cli import run
from mcpgen.live.tools import running_tools
from tests.workbench.hostile import hostile_document

BOOKSHOP = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"


def test_the_page_allows_its_own_style_and_script_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "tools.html"
    assert run(["inspect", str(BOOKSHOP), "--html", str(path), "--quiet"]) == 0
    page = path.read_text("utf-8")
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', page)[0])
    assert policy.startswith("default-src 'none'; ")
    for element in ("style", "script"):
        (inner,) = re.findall(f"<{element}>(.*?)</{element}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy
    assert "http://" not in page
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', page)


def test_the_page_and_the_markdown_name_every_tool_and_its_cost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["inspect", str(BOOKSHOP), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    path, text = tmp_path / "tools.html", tmp_path / "tools.md"
    files = ["--html", str(path), "--markdown", str(text)]
    assert run(["inspect", str(BOOKSHOP), *files, "--quiet"]) == 0
    plain = text.read_text("utf-8").replace("\\", "")
    page = path.read_text("utf-8")
    for tool in facts["tools"]:
        assert f"| {tool['name']} |" in plain and f">{tool['name']}</span>" in page
        assert f'data-tokens="{tool["tokens"]}"' in page
    assert f"{facts['list']['tokens']:,} tokens" in plain and str(BOOKSHOP.parent) not in page


def test_a_project_may_be_named_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["generate", str(BOOKSHOP), "--quiet", "--include-tag", "books"]) == 0
    assert run(["inspect", "mcp-bookshop", "--markdown", "tools.md"]) == 0
    law = "13 operations = 6 tools + 7 left out by choice + 0 skipped"
    assert law in Path("tools.md").read_text("utf-8")


def test_functions_have_their_part_of_the_page_and_of_the_sum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    monkeypatch.chdir(tmp_path)
    assert run(["new", "demo", "--yes", "--quiet"]) == 0
    monkeypatch.chdir("demo")
    capsys.readouterr()
    assert run(["inspect", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    listed = json.dumps(running_tools(Path()), separators=(",", ":")).encode()
    assert facts["list"]["bytes"] == len(listed) > 200
    assert facts["function_sizes"]["count_words"]["bytes"] == len(listed) - 2
    assert run(["inspect", "--html", "tools.html", "--markdown", "tools.md"]) == 0
    text = Path("tools.md").read_text("utf-8")
    assert "; 1 function\n" in text and "## Functions" in text and "count\\_words" in text
    assert ">count_words</span>" in Path("tools.html").read_text("utf-8")
    Path("src/demo_mcp/api.json").write_text("{}")
    capsys.readouterr()
    assert run(["inspect", "--html", "tools.html"]) == 0
    assert "functions are not counted: the tools of" in capsys.readouterr().err
    page = Path("tools.html").read_text("utf-8")
    assert "(not shown here)" in page and "nothing to score" in page


def test_workflows_are_counted_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = {"stepId": "one", "operationId": "listBooks"}
    good = {"workflowId": "good", "summary": "List", "steps": [step]}
    bad = {**good, "workflowId": "bad", "steps": [{**step, "operationId": "noSuch"}]}
    source = {"name": "shop", "url": str(BOOKSHOP), "type": "openapi"}
    flows = {
        "arazzo": "1.0.1",
        "info": {"title": "Flows", "version": "1"},
        "sourceDescriptions": [source],
        "workflows": [good, bad],
    }
    (tmp_path / "flows.json").write_text(json.dumps(flows), "utf-8")
    monkeypatch.chdir(tmp_path)
    files = ["--markdown", "tools.md"]
    assert run(["inspect", str(BOOKSHOP), "--workflows", "flows.json", *files]) == 0
    law = "13 operations = 13 tools + 0 left out by choice + 0 skipped"
    assert f"{law}; 2 workflows = 1 tool + 1 skipped" in Path("tools.md").read_text("utf-8")


def test_a_server_brings_the_page_when_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["generate", str(BOOKSHOP), "--quiet"]) == 0
    project = tmp_path / "mcp-bookshop"
    page = project / "src" / "bookshop_mcp" / "catalogue.html"
    served = project / "src" / "bookshop_mcp" / "runtime" / "transports" / "catalogue.py"
    assert (page.exists(), served.exists()) == (False, False)
    config = project / "mcpgen.toml"
    config.write_text(f"catalogue = true\n{config.read_text('utf-8')}", "utf-8")
    monkeypatch.chdir(project)
    assert run(["generate", "--quiet"]) == 0 and served.exists()
    assert run(["inspect", "--html", str(tmp_path / "tools.html"), "--quiet"]) == 0
    assert page.read_text("utf-8") == (tmp_path / "tools.html").read_text("utf-8")
    assert run(["check", "--quiet"]) == 0
    config.write_text(config.read_text("utf-8").replace("catalogue = true\n", ""), "utf-8")
    assert run(["generate", "--quiet"]) == 0 and (page.exists(), served.exists()) == (False, False)


def test_texts_of_a_hostile_document_are_text_in_both_forms(tmp_path: Path) -> None:
    document = hostile_document(tmp_path)
    page, plain = tmp_path / "tools.html", tmp_path / "tools.md"
    assert run(["inspect", str(document), "--html", str(page), "--markdown", str(plain), "-q"]) == 0
    written = page.read_text("utf-8")
    assert written.count("<script>") == 1 and "<img" not in written and "\u202e" not in written
    assert not re.findall(r"(?<!\\)<(?:script|img)", plain.read_text("utf-8"))


def test_nothing_in_a_text_is_markup(tmp_path: Path) -> None:
    written = json.loads(hostile_document(tmp_path).read_text("utf-8"))
    written["info"]["title"] = "*Shop* [log in](https://evil.example) | `x` ~~@all~~ <b> #1"
    (tmp_path / "api.json").write_text(json.dumps(written), "utf-8")
    plain = tmp_path / "tools.md"
    assert run(["inspect", str(tmp_path / "api.json"), "--markdown", str(plain), "-q"]) == 0
    title = plain.read_text("utf-8").splitlines()[0].removeprefix("# ")
    assert title.startswith("Shop log in")
    assert not re.findall(r"(?<!\\)[*\[\]`|~@<>#]", title), title


@pytest.mark.parametrize("sizes", [[1.0], [6, 6, 4, 3, 2, 2, 1], [1000, 1, 1, 1], [1.0] * 1223])
def test_rectangles_fill_the_map_in_proportion(sizes: list[float]) -> None:
    boxes = squarified(sizes, Box(0, 0, WIDTH, HEIGHT))
    scale = WIDTH * HEIGHT / sum(sizes)
    for size, box in zip(sizes, boxes, strict=True):
        assert box.width * box.height == pytest.approx(size * scale)
        assert box.x >= -1e-6 and box.x + box.width <= WIDTH + 1e-6
        assert box.y >= -1e-6 and box.y + box.height <= HEIGHT + 1e-6


def test_the_example_of_the_paper_is_laid_out_as_there() -> None:
    boxes = squarified([6, 6, 4, 3, 2, 2, 1], Box(0, 0, 6, 4))
    assert [(round(box.width, 2), round(box.height, 2)) for box in boxes[:4]] == [
        (3, 2), (3, 2), (1.71, 2.33), (1.29, 2.33),
    ]  # fmt: skip


def test_an_empty_list_has_an_empty_map() -> None:
    assert squarified([], Box(0, 0, 10, 10)) == []
    assert squarified([0, 0], Box(0, 0, 10, 10))[1] == Box(0, 0, 0, 0)
