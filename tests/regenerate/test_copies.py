"""A project keeps the document it was made from, so that it can be checked wherever it is."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.config import Config, read_config
from mcpgen.customise.bindings import pin
from mcpgen.load.source import copy_path
from mcpgen.lock.text import parse_lock
from mcpgen.paths import check_generated
from mcpgen.pipeline import read
from mcpgen.problems import OutputConflictError, Problems, UsageError
from mcpgen.project.check import check
from mcpgen.project.run import CommandInput, run
from mcpgen.project.save import save as save_run

from .shop import DOCUMENT, changed, contents, generate, project, save, tools


def more(document: dict[str, Any]) -> None:
    """One more operation."""
    document["paths"]["/x"] = {"get": {"operationId": "x", "responses": {}}}


def from_url(folder: Path, url: str = "", *, update: bool = False) -> None:
    """`mcpgen generate URL`, `mcpgen generate`, or `mcpgen generate --update`."""
    config = Config(sources=(url,)) if url else Config()
    save_run(run(CommandInput(config=config, folder=folder, update=update), Problems()))


class Site:
    """An API's address that says what the test wants, or is down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.document: Any = DOCUMENT
        self.fetched = 0
        monkeypatch.setattr("mcpgen.load.fetch.Downloads.fetch", lambda _, url: self.answer(url))

    def answer(self, url: str) -> bytes:
        self.fetched += 1
        if self.document is None:
            raise UsageError.of("E0122", "the server is down", "", file=url)
        return json.dumps(self.document).encode()


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(monkeypatch)


URL = "https://api.shop.example/v1/openapi.json"


def test_a_project_from_a_url_needs_no_network_afterwards(tmp_path: Path, site: Site) -> None:
    folder = tmp_path / "shop"
    from_url(folder, URL)
    copy = folder / "document/api.shop.example/v1/openapi.json"
    assert json.loads(copy.read_bytes()) == DOCUMENT
    site.document = None
    assert check(folder, Problems()).passed
    before = contents(folder)
    from_url(folder)
    assert contents(folder) == before
    assert site.fetched == 1


def test_an_update_fetches_anew_and_keeps_what_it_fetched(tmp_path: Path, site: Site) -> None:
    folder = tmp_path / "shop"
    from_url(folder, URL)
    site.document = changed(more)
    assert check(folder, Problems()).passed
    from_url(folder)
    assert "x" not in tools(folder)
    from_url(folder, update=True)
    assert "x" in tools(folder)
    site.document = None
    assert check(folder, Problems()).passed


def test_naming_the_url_again_fetches_it(tmp_path: Path, site: Site) -> None:
    folder = tmp_path / "shop"
    from_url(folder, URL)
    site.document = changed(more)
    from_url(folder, URL)
    assert "x" in tools(folder)


def test_a_second_run_in_the_same_place_fetches_once(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    request = CommandInput(config=Config(sources=(URL,)))
    save_run(run(request, Problems()))
    (folder,) = tmp_path.iterdir()
    overlay = {"overlay": "1.0.0", "info": {"title": "x", "version": "1"}}
    update = {"target": "$.info", "update": {"version": "9"}}
    save({**overlay, "actions": [update]}, folder / "overlay.json")
    for lines in ("", 'overlays = ["overlay.json"]\n'):
        site.fetched = 0
        path = folder / "mcpgen.toml"
        path.write_text(path.read_text().replace("[source]\n", f"[source]\n{lines}"))
        made = run(request, Problems())
        assert site.fetched == 1
    assert made.server.version == "9"


def test_relative_servers_mean_the_same_in_the_copy(tmp_path: Path, site: Site) -> None:
    site.document = {**DOCUMENT, "servers": [{"url": "/v1"}]}
    folder = tmp_path / "shop"
    from_url(folder, URL)
    before = contents(folder)
    from_url(folder)
    assert contents(folder) == before
    (facts,) = folder.glob("src/*/api.json")
    assert json.loads(facts.read_text())["base_url"] == "https://api.shop.example/v1"


def test_a_document_from_standard_input_can_be_checked_and_generated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def piped(document: Any) -> None:
        stream = SimpleNamespace(buffer=io.BytesIO(json.dumps(document).encode()))
        monkeypatch.setattr(sys, "stdin", stream)

    folder = tmp_path / "shop"
    piped(DOCUMENT)
    from_url(folder, "-")
    monkeypatch.setattr(sys, "stdin", None)
    assert check(folder, Problems()).passed
    before = contents(folder)
    from_url(folder)
    assert contents(folder) == before
    piped(changed(more))
    from_url(folder, "-")
    assert "x" in tools(folder)


def test_a_file_outside_the_project_is_read_and_where_it_is_gone_its_copy(tmp_path: Path) -> None:
    folder = project(tmp_path)
    save(changed(more), tmp_path / "shop.json")
    assert not check(folder, Problems()).passed
    generate(folder)
    assert "x" in tools(folder)
    (tmp_path / "shop.json").unlink()
    assert check(folder, Problems()).passed


def test_an_update_where_the_file_is_not_reads_its_copy_and_says_so(tmp_path: Path) -> None:
    folder = project(tmp_path)
    before = contents(folder)
    (tmp_path / "shop.json").unlink()
    problems = Problems()
    save_run(run(CommandInput(folder=folder, update=True), problems))
    assert contents(folder) == before
    (note,) = [problem for problem in problems if problem.code == "E0128"]
    assert "shop.json` is not here, so its copy in `document/` was read" in note.message


def test_all_files_of_a_document_are_kept(tmp_path: Path) -> None:
    def split(document: dict[str, Any]) -> None:
        document["components"]["schemas"]["Book"] = {"$ref": "schemas/book.json"}

    (tmp_path / "api").mkdir()
    save(DOCUMENT["components"]["schemas"]["Book"], tmp_path / "api" / "schemas" / "book.json")
    save(changed(split), tmp_path / "api" / "shop.json")
    folder = tmp_path / "project"
    generate(folder, tmp_path / "api" / "shop.json")
    kept = {path for path in contents(folder) if path.startswith("document/")}
    assert kept - {
        "document/TOOLS.md",
        "document/VARIABLES.md",
        "document/answers.json",
        "document/mcpgen.schema.json",
    } == {"document/shop.json", "document/schemas/book.json"}
    (tmp_path / "api").rename(tmp_path / "away")
    assert check(folder, Problems()).passed


def test_a_document_inside_the_project_is_not_copied(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    save(DOCUMENT, folder / "api" / "shop.json")
    (folder / "mcpgen.toml").write_text('[source]\npath = "api/shop.json"\n')
    generate(folder)
    names = {path.name for path in (folder / "document").iterdir()}
    assert names == {"TOOLS.md", "VARIABLES.md", "answers.json", "mcpgen.schema.json"}


def test_an_edited_copy_is_an_edit_of_a_generated_file(tmp_path: Path, site: Site) -> None:
    folder = tmp_path / "shop"
    from_url(folder, URL)
    (folder / "document/api.shop.example/v1/openapi.json").write_text(json.dumps(changed(more)))
    report = check(folder, Problems())
    assert "`document/api.shop.example/v1/openapi.json` was edited" in report.stale
    with pytest.raises(OutputConflictError):
        from_url(folder, update=True)


@pytest.mark.parametrize(("origin", "path"), [
    ("https://x.example/a/b.yaml", "document/x.example/a/b.yaml"),
    ("https://x.example:8080/", "document/x.example_8080_"),
    ("https://x.example/api?token=secret", "document/x.example/api_"),
    ("https://x.example/../.ssh/key", "document/x.example/"),
    ("-", "document/stdin.yaml"),
])  # fmt: skip
def test_a_copy_has_a_path_that_mcpgen_may_write(tmp_path: Path, origin: str, path: str) -> None:
    kept = copy_path(origin, tmp_path)
    assert kept is not None
    assert kept.startswith(path)
    assert "secret" not in kept
    check_generated([kept])


def test_every_run_that_reads_a_copy_says_so_with_its_age(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch, mcpgen: Any
) -> None:
    from_url(tmp_path / "shop", URL)
    monkeypatch.chdir(tmp_path / "shop")
    copy = Path("document/api.shop.example/v1/openapi.json")
    os.utime(copy, (1, copy.stat().st_mtime - 3 * 86_400 - 60))
    site.document = changed(more)
    for words in ("generate", "check", "diff", "inspect", "lint", "score", "suggest", "add docker"):
        command = words if words in ("check", "diff") else "generate"
        ended = mcpgen(*words.split())
        assert f"`{URL}` read from the copy in `document/`, fetched 3 days ago" in ended.err
        assert f"`mcpgen {command} --update` fetches it" in ended.err
    [note] = mcpgen("check", "--json").json["problems"]
    assert note["code"] == "E0129" and "3 days" in note["message"]
    assert site.fetched == 1
    update = mcpgen("diff", "--update")
    assert update.code == 11 and "`x` is new" in update.out and "copy" not in update.err
    assert mcpgen("diff", "--update", "--against", "main").code == 2
    stale = mcpgen("check", "--update")
    assert stale.code == 1 and "run `mcpgen generate --update`" in stale.err
    site.document = DOCUMENT
    assert mcpgen("generate", "--update", "-q").code == 0  # the same, so its age counts from now
    assert "fetched a moment ago" in mcpgen("check").err


def test_what_reads_the_copy_needs_no_secret_of_fetching(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch, mcpgen: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("generate", URL, "--header", "X-Key: env:DOCS_KEY", "-o", "shop", "-q")
    assert mcpgen(*words).code == 0
    monkeypatch.chdir(tmp_path / "shop")
    for command in ("check", "generate", "diff", "score", "inspect", "lint"):
        assert mcpgen(command).code == 0


@pytest.mark.parametrize("name", ["elsewhere", "a/b%20c/ü"])
def test_a_clone_in_a_folder_of_another_name_is_up_to_date(tmp_path: Path, name: str) -> None:
    """Own tools beside a document that lies outside of the project are in a folder of its name."""
    folder = project(tmp_path)
    (folder / "parts.json").write_text('{"Word": {"type": "string"}}')
    (folder / "own").mkdir()
    (folder / "own/whole.json").write_text('{"type": "object", "properties": {"n": {}}}')
    parts = {"word": {"$ref": "parts.json#/Word"}, "whole": {"$ref": "own/whole.json"}}
    own = {"name": "count_words", "inputSchema": {"type": "object", "properties": parts}}
    (folder / "tools.json").write_text(json.dumps({"tools": [own]}))
    text = (folder / "mcpgen.toml").read_text()
    both = text.replace('"../shop.json"', '["../shop.json", "tools.json"]')
    (folder / "mcpgen.toml").write_text(both)
    generate(folder)
    [models] = (folder / "src").glob("*/models.py")
    assert "class OwnWholeJson(" in models.read_text()
    clone = tmp_path / name
    shutil.copytree(folder, clone)
    (tmp_path / "shop.json").unlink()
    assert both != text and check(clone, Problems()).passed
    before = contents(clone)
    generate(clone)
    assert contents(clone) == before
    (clone / "parts.json").write_text('{"Word": {"type": "integer"}}')
    assert not check(clone, Problems()).passed


def test_a_class_that_was_named_after_the_project_keeps_its_name(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "whole.json").write_text('{"type": "object", "properties": {"n": {}}}')
    schema = {"type": "object", "properties": {"whole": {"$ref": "whole.json"}}}
    (folder / "tool.json").write_text(json.dumps({"name": "count", "inputSchema": schema}))
    both = ("../shop.json", "tool.json")
    text = (folder / "mcpgen.toml").read_text()
    (folder / "mcpgen.toml").write_text(text.replace('"../shop.json"', json.dumps(both)))
    generate(folder)
    lock = json.loads((folder / "mcpgen.lock").read_text())
    [key] = [key for key in lock["models"] if "whole.json" in key]
    former = {key.replace("/.~1", f"/{folder.name}~1"): "MineWholeJson"}
    config = read_config(folder)
    names = pin(
        config, parse_lock(json.dumps({**lock, "models": former})), read(config, Problems())
    )
    assert names.pinned.models == {key: "MineWholeJson"}


@pytest.mark.parametrize(
    "order", [("../../x/shop.json", "../own.json"), ("../own.json", "../y/shop.json")]
)
def test_a_clone_may_lie_in_folders_of_other_names(tmp_path: Path, order: tuple[str, str]) -> None:
    """The way from one document to the other passes through a folder that the project lies in."""
    folder = tmp_path / "one" / "inner" / "project"
    shutil.move(project(tmp_path), folder)
    schema = {"type": "object", "properties": {"word": {"type": "string"}}}
    own = {"tools": [{"name": "count_words", "inputSchema": schema}]}
    for path in order:
        place = folder / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(own if place.name == "own.json" else DOCUMENT))
    text = (folder / "mcpgen.toml").read_text()
    (folder / "mcpgen.toml").write_text(text.replace('"../shop.json"', json.dumps(order)))
    generate(folder)
    clone = tmp_path / "another" / "place" / "clone"
    shutil.copytree(folder, clone)
    shutil.rmtree(tmp_path / "one")
    assert check(clone, Problems()).passed


WORDS = {
    "shop/openapi.json": {
        "openapi": "3.1.0", "info": {"title": "Word Shop", "version": "1"},
        "servers": [{"url": "https://a.example.com"}],
        "paths": {f"/{name}": {"get": {"operationId": name, "responses": {"200": {
            "description": "ok", "content": {"application/json": {"schema": {"$ref": ref}}}}}}}
            for name, ref in {"books": "inner/book.json", "words": "../shop/types.json#/Word",
                              "other": "types.json#/Word"}.items()}},
    "shop/inner/book.json": {"type": "object", "properties": {
        "title": {"type": "string"}, "price": {"$ref": "../../shared/money.json"}}},
    "shop/types.json": {"Word": {"type": "object", "properties": {"text": {"type": "string"}}}},
    "shared/money.json": {"type": "object", "properties": {
        "cents": {"type": "integer"}, "word": {"$ref": "../shop/types.json#/Word"}}},
}  # fmt: skip
"""Documents in which a file names the folder that it lies in."""


@pytest.mark.parametrize("project", ["shop", "shop/api/mcp"])
def test_a_folder_that_documents_name_may_have_another_name_in_a_clone(
    tmp_path: Path, project: str
) -> None:
    for path, tree in WORDS.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(tree))
    folder = tmp_path / project / "work"
    config = Config(sources=(str(tmp_path / "shop/openapi.json"),), ref_root=str(tmp_path))
    save_run(run(CommandInput(config=config, folder=folder), Problems()))
    before = contents(folder)
    models = next((folder / "src").glob("*/models.py")).read_text()
    assert "class InnerBookJson(" in models and "Shop" not in models
    assert models.count("class Word") == 1
    former = json.loads((folder / "mcpgen.lock").read_text())
    former["models"] = {
        key.replace("files/inner", "files/shop~1inner"): name.replace("InnerBook", "ShopInnerBook")
        for key, name in former["models"].items()
    }
    former = parse_lock(json.dumps(former))
    assert (
        "ShopInnerBookJson" in pin(config, former, read(config, Problems())).pinned.models.values()
    )
    (tmp_path / "shop").rename(tmp_path / "copy")
    clone = tmp_path / project.replace("shop", "copy") / "work"
    found = Problems()
    assert check(clone, found).passed
    assert [item.code for item in found.items] == ["E0128"]
    generate(clone)
    assert contents(clone) == before
    (tmp_path / "copy/types.json").write_text('{"Word": {"type": "string"}}')
    assert not check(clone, Problems()).passed
