"""`mcpgen generate` from the outside."""

import json
import re
from pathlib import Path

import pytest

from .conftest import SPECS


def test_a_first_run_makes_a_project_named_after_the_server(mcpgen, bookshop, here):
    assert mcpgen("generate", bookshop).code == 0
    assert (here / "mcp-bookshop" / "src" / "bookshop_mcp" / "runtime" / "app.py").is_file()
    assert (here / "mcp-bookshop" / "mcpgen.toml").is_file()


def test_the_summary_says_what_came_of_the_operations_and_what_to_do_next(mcpgen, bookshop):
    ended = mcpgen("generate", bookshop)
    assert "13 = 13 tools + 0 filtered + 0 skipped" in ended.out
    assert "https://api.bookshop.example/v1" in ended.out and "BOOKSHOP_MCP_API_KEY" in ended.out
    assert re.search(r"tool list +[0-9.]+ kB, ≈ [0-9,]+ tokens", ended.out)
    assert "make test" in ended.out and ended.err == ""


def test_the_second_run_changes_nothing(mcpgen, bookshop, here):
    def files():
        paths = [path for path in (here / "out").rglob("*") if path.is_file()]
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}

    mcpgen("generate", bookshop, "-o", "out")
    before = files()
    ended = mcpgen("generate", bookshop, "-o", "out")
    assert ended.code == 0 and "created" not in ended.out and "updated" not in ended.out
    assert before == files()


@pytest.mark.parametrize("folder", [".", "src/bookshop_mcp"])
def test_inside_a_project_no_document_has_to_be_named(mcpgen, bookshop, here, monkeypatch, folder):
    mcpgen("generate", bookshop, "-o", "out")
    monkeypatch.chdir(here / "out" / folder)
    ended = mcpgen("generate", "--json")
    assert ended.code == 0 and ended.json["files"]["unchanged"] > 30


def test_the_options_of_the_first_run_are_remembered(mcpgen, bookshop, here, monkeypatch):
    mcpgen(
        "generate", bookshop, "-o", "out", "--exclude-method", "delete", "--base-url",
        "https://other.example/v2",
    )  # fmt: skip
    monkeypatch.chdir(here / "out")
    again = mcpgen("generate", "--json").json
    assert again["operations"] == {"total": 13, "tools": 12, "filtered": 1, "skipped": 0}
    assert again["server"]["base_url"] == "https://other.example/v2"


def test_the_same_command_twice_is_fine_and_another_option_is_refused(mcpgen, bookshop):
    words = ("generate", bookshop, "-o", "out", "--name", "shop")
    assert mcpgen(*words).code == 0 and mcpgen(*words).code == 0
    refused = mcpgen("generate", bookshop, "-o", "out", "--name", "store")
    assert refused.code == 2 and "mcpgen.toml` disagrees with `--name`" in refused.err
    assert 'top of the file: `name = "store"` (`name` is "shop" there now)' in refused.err


def test_the_edit_that_an_option_stands_for_is_shown(mcpgen, bookshop, here):
    mcpgen("generate", bookshop, "-o", "out")
    (here / "other.yaml").write_text(Path(bookshop).read_text())
    refused = mcpgen("generate", "other.yaml", "-o", "out", "--include-tag", "books")
    assert refused.code == 2
    assert '[select]: `include_tags = ["books"]` (`include_tags` is not set there now)' in (
        refused.err
    )
    assert '[source]: `path = "../other.yaml"` (it names another document now)' in refused.err


def test_a_dry_run_writes_nothing_and_lists_what_it_would(mcpgen, bookshop, here):
    ended = mcpgen("generate", bookshop, "-o", "out", "--dry-run")
    assert ended.code == 0 and "create  src/bookshop_mcp/runtime/app.py" in ended.out
    assert not (here / "out").exists()


def test_a_folder_that_is_not_ours_is_left_alone(mcpgen, bookshop, here):
    (here / "out").mkdir()
    names = [f"file{number}.txt" for number in range(7)]
    for name in names:
        (here / "out" / name).write_text("mine")
    for words in ([], ["--force"]):
        ended = mcpgen("generate", bookshop, "-o", "out", *words)
        first = ", ".join(f"`{name}`" for name in names[:5])
        assert ended.code == 4 and f"{first} and 2 more" in " ".join(ended.err.split())
        assert sorted(path.name for path in (here / "out").iterdir()) == names


def test_an_edited_file_is_shown_and_only_force_overwrites_it(mcpgen, bookshop, here):
    mcpgen("generate", bookshop, "-o", "out")
    edited = here / "out" / "src" / "bookshop_mcp" / "tools" / "books.py"
    original = edited.read_text()
    edited.write_text(original + "\nmine = 1\n")
    refused = mcpgen("generate", bookshop, "-o", "out")
    assert refused.code == 4 and "books.py" in refused.err and edited.read_text() != original
    assert mcpgen("generate", bookshop, "-o", "out", "--force").code == 0
    assert edited.read_text() == original


def test_quiet_says_nothing_when_nothing_is_wrong(mcpgen, bookshop):
    ended = mcpgen("generate", bookshop, "--quiet")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_the_json_summary_adds_up(mcpgen, bookshop, here):
    data = mcpgen("generate", bookshop, "--json").json
    counts = data["operations"]
    assert counts["total"] == sum(counts[key] for key in ("tools", "filtered", "skipped"))
    assert len(data["tools"]) == counts["tools"]
    assert sum(toolset["tools"] for toolset in data["toolsets"]) == len(data["tools"])
    assert data["document"]["version"] == "3.1.0" and data["output"] == "mcp-bookshop"
    about = "sent in the header `X-API-Key`. In the API's own words: The key from the back office"
    assert {
        "name": "BOOKSHOP_MCP_API_KEY", "meaning": "API key", "about": about, "required": True,
        "secret": True,
    } in data["environment"]  # fmt: skip
    folder = here / "mcp-bookshop" / "src" / "bookshop_mcp" / "tools"
    written = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    listed = json.dumps([tool for tools in written for tool in tools], separators=(",", ":"))
    assert data["list"]["bytes"] == len(listed.encode())
    assert data["list"]["bytes"] >= sum(tool["bytes"] for tool in data["tools"])


def test_what_is_left_out_is_counted_with_its_reason(mcpgen, bookshop):
    data = mcpgen("generate", bookshop, "--include-tag", "books", "--json").json
    assert data["operations"] == {"total": 13, "tools": 6, "filtered": 7, "skipped": 0}
    assert all(skip["filtered"] and skip["reason"] for skip in data["skips"])


def test_strict_refuses_a_document_with_problems_and_writes_nothing(mcpgen, here):
    ended = mcpgen("generate", SPECS / "faulty.yaml", "-o", "out", "--strict")
    assert ended.code == 1 and "--strict" in ended.err and not (here / "out").exists()


def test_without_strict_a_document_with_problems_still_gives_a_server(mcpgen, here):
    ended = mcpgen("generate", SPECS / "faulty.yaml", "-o", "out")
    assert ended.code == 0
    assert "#/components/schemas/Person" in ended.err
    assert (here / "out" / "mcpgen.lock").is_file()


def test_problems_come_in_the_form_a_program_wants(mcpgen, here):
    sarif = mcpgen("generate", SPECS / "faulty.yaml", "-o", "out", "--quiet", "--format", "sarif")
    assert json.loads(sarif.out)["version"] == "2.1.0"
    annotations = mcpgen(
        "generate", SPECS / "faulty.yaml", "-o", "out2", "--quiet", "--format", "github"
    )
    assert annotations.out.startswith("::")


def test_a_document_on_standard_input(mcpgen, here, bookshop, monkeypatch):
    with bookshop.open("rb") as stream:
        monkeypatch.setattr(
            "sys.stdin",
            type("Stdin", (), {"buffer": stream, "fileno": lambda self: stream.fileno()})(),
        )
        ended = mcpgen("generate", "-", "-o", "out")
    assert ended.code == 0, ended.err
    assert (here / "out" / "mcpgen.lock").is_file()


def test_an_overlay_is_applied(mcpgen, here):
    overlay = SPECS / "bookshop.overlay.yaml"
    ended = mcpgen("generate", SPECS / "bookshop.yaml", "--overlay", overlay, "-o", "out", "--json")
    assert ended.code == 0, ended.err
    assert "remove_book" not in [tool["name"] for tool in ended.json["tools"]]


def test_a_name_that_a_terminal_would_obey_is_shown_escaped(mcpgen, here):
    document = here / "evil.yaml"
    document.write_text(
        'openapi: 3.1.0\ninfo: {title: "a\\e]0;owned\\a\\e[31mb", version: "1\\u202e"}\nservers:'
        " [{url: https://x.example}]\npaths: {/a: {get: {responses: {'200': {description:"
        " ok}}}}}\n"
    )
    ended = mcpgen("generate", document, "-o", "out")
    assert ended.code == 0, ended.err
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", ended.out + ended.err)


def test_paths_of_the_document_are_written_from_the_project(mcpgen, bookshop, here):
    mcpgen("generate", bookshop, "-o", "deep/er")
    text = (here / "deep" / "er" / "mcpgen.toml").read_text()
    assert 'path = "../../bookshop.yaml"' in text and str(here) not in text


def test_nothing_of_this_machine_is_in_what_is_generated(mcpgen, bookshop, here):
    mcpgen("generate", bookshop, "-o", "out")
    for path in (here / "out").rglob("*"):
        if path.is_file():
            assert str(here) not in path.read_text("utf-8"), path
            assert str(Path.home()) not in path.read_text("utf-8"), path


def test_a_long_list_says_what_smaller_ones_cost_and_who_takes_fewer_tools(mcpgen, here):
    paths = {}
    for n in range(50):
        about = {"description": f"Part {n} of many. " * 30, "responses": {"204": {}}}
        paths[f"/things/{n}"] = {"get": about, "delete": about}
    document = {"openapi": "3.1.0", "info": {"title": "Many", "version": "1"}, "paths": paths}
    (here / "many.json").write_text(json.dumps(document))
    text = " ".join(mcpgen("inspect", "many.json").out.split())
    assert "--read-only" in text and "--lazy" in text
    assert "too many for Cursor (80)" in text and "VS Code" not in text
    data = mcpgen("inspect", "many.json", "--json").json
    assert data["list_lazy"]["bytes"] < data["list_read_only"]["bytes"] < data["list"]["bytes"] / 2
