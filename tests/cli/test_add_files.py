"""`mcpgen add docker`, `registry`, `bundle` and `clients`: files that few projects need."""

import json

import pytest

GROUPS = {
    "docker": {".dockerignore", "Dockerfile"},
    "registry": {"server.json"},
    "bundle": {".mcpbignore", "manifest.json"},
}


@pytest.fixture
def shop(mcpgen, bookshop, tmp_path, monkeypatch):
    """The project of the bookshop, as the current folder."""
    assert mcpgen("generate", bookshop, "-o", tmp_path / "shop", "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "shop"


@pytest.mark.parametrize("group", GROUPS)
def test_files_come_when_they_are_asked_for_and_stay(mcpgen, shop, group):
    before = {path.name for path in shop.iterdir()}
    assert set(json.loads(mcpgen("add", group, "--json").out)["files"]) == GROUPS[group]
    assert {path.name for path in shop.iterdir()} - before == GROUPS[group]
    assert "are here already: nothing was written" in mcpgen("add", group).out
    assert mcpgen("check").code == 0
    settings = shop / "mcpgen.toml"
    settings.write_text('title = "Corner shop"\n' + settings.read_text())
    assert mcpgen("generate", "--quiet").code == 0
    assert {path.name for path in shop.iterdir()} - before == GROUPS[group]
    for name in GROUPS[group] & {"server.json", "manifest.json"}:
        assert "Corner shop" in (shop / name).read_text()


def test_files_that_were_removed_do_not_come_back(mcpgen, shop):
    before = {path.name for path in shop.iterdir()}
    for group, names in GROUPS.items():
        assert mcpgen("add", group).code == 0
        for name in names:
            (shop / name).unlink()
    assert mcpgen("generate", "--quiet").code == 0
    assert {path.name for path in shop.iterdir()} == before and mcpgen("check").code == 0


def test_a_file_with_a_byte_order_mark_is_edited(mcpgen, shop):
    settings = shop / "mcpgen.toml"
    settings.write_text(settings.read_text(), encoding="utf-8-sig")
    assert mcpgen("add", "audit").code == 0
    assert '"audit"' in settings.read_text("utf-8-sig") and mcpgen("check").code == 0


def test_what_runs_an_image_brings_its_file(mcpgen, shop):
    files = json.loads(mcpgen("add", "compose", "--json").out)["files"]
    written = ["deploy/compose/compose.yaml", "deploy/compose/haproxy.cfg"]
    assert files == [*written, ".dockerignore", "Dockerfile"]


def test_consent_is_asked_for_what_may_delete_or_overwrite(mcpgen, shop):
    assert not list(shop.glob("src/*/runtime/parts/confirm"))
    asked = json.loads(mcpgen("add", "confirm", "--json").out)["confirm"]
    assert asked == ["cancel_order", "remove_book", "update_book"]
    settings = shop / "mcpgen.toml"
    settings.write_text(settings.read_text() + "\n[tools.updateBook]\nconfirm = false\n")
    assert mcpgen("generate", "--quiet").code == 0
    facts = json.loads((shop / "src/bookshop_mcp/api.json").read_text())["confirm"]
    assert facts["tools"]["remove_book"] == "DELETE /books/{bookId}"
    assert facts["tools"]["update_book"] is None
    assert "`BOOKSHOP_MCP_CONFIRM_OPTIONAL`" in (shop / "document/VARIABLES.md").read_text()
    assert mcpgen("check").code == 0
