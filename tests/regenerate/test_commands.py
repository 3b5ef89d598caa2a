"""`mcpgen check`, `verify` and `diff` as they are typed: what is printed, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Command

from .shop import DOCUMENT, Document, add, changed, contents, package, save


def less(document: Document) -> None:
    del document["paths"]["/orders"]


def test_check_is_quiet_and_0_when_nothing_is_to_do(shop: Path, mcpgen: Command) -> None:
    assert mcpgen("check") == (0, "", "up to date\n")
    assert mcpgen("check", "-q") == (0, "", "")


def test_check_from_a_folder_inside_the_project(
    shop: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(package(shop))
    assert mcpgen("check").code == 0


def test_check_is_1_and_says_what_to_do_about_a_new_document(shop: Path, mcpgen: Command) -> None:
    save(changed(less), shop.parent / "shop.json")
    before = contents(shop)
    code, _, err = mcpgen("check")
    assert code == 1
    assert "not up to date: the document changed" in err
    assert "run `mcpgen generate`" in err
    assert contents(shop) == before


def test_generate_says_what_changes_for_callers_as_diff_did(shop: Path, mcpgen: Command) -> None:
    save(changed(less), shop.parent / "shop.json")
    code, out, _ = mcpgen("diff")
    assert code == 12
    announced = {line.strip() for line in out.splitlines() if line.strip()}
    code, out, _ = mcpgen("generate")
    assert code == 0
    assert "`list_orders` `GET /orders` is gone" in out.partition("What changes for callers")[2]
    assert announced <= {line.strip() for line in out.splitlines()}


def test_check_is_1_and_shows_the_line_of_an_idle_hook(shop: Path, mcpgen: Command) -> None:
    (package(shop) / "hooks.py").write_text("def before_lost(call): ...\n")
    code, _, err = mcpgen("check")
    assert code == 1
    assert "src/corner_shop_mcp/hooks.py:1:1" in err
    code, out, _ = mcpgen("check", "--json")
    data = json.loads(out)
    assert code == 1
    assert (data["passed"], data["stale"], data["problems"][0]["code"]) == (False, [], "E1311")


def test_a_configuration_that_names_nothing_is_2_with_its_line(shop: Path, mcpgen: Command) -> None:
    add(shop, "[tools.lstBooks]\nenabled = false")
    before = contents(shop)
    for command in ("generate", "check"):
        code, _, err = mcpgen(command)
        assert code == 2
        assert "did you mean `listBooks`" in err and "mcpgen.toml:" in err
    assert contents(shop) == before


def test_an_edited_file_is_4_and_the_difference_can_be_read(shop: Path, mcpgen: Command) -> None:
    path = package(shop) / "tools" / "books.py"
    path.write_text(path.read_text() + "MINE = 1\n")
    code, _, err = mcpgen("generate")
    assert code == 4
    assert "\n    +MINE = 1\n" in err
    assert "copy the function into `custom/`" in err
    code, _, err = mcpgen("verify")
    assert code == 4
    assert "`src/corner_shop_mcp/tools/books.py` was edited" in err
    assert mcpgen("generate", "--force").code == 0
    assert mcpgen("verify").code == 0


def test_diff_of_the_project_with_its_document_with_another_one_and_of_two_documents(
    shop: Path, mcpgen: Command
) -> None:
    old = save(DOCUMENT, shop.parent / "old.json")
    new = save(changed(less), shop.parent / "new.json")
    code, out, _ = mcpgen("diff")
    assert code == 0
    assert "nothing changes for callers" in out
    assert mcpgen("diff", new).code == 12
    assert mcpgen("diff", old, new).code == 12
    assert mcpgen("diff", new, old).code == 11
    assert mcpgen("diff", shop, new, "--exit-zero").code == 0


def test_diff_for_programs_and_for_pull_requests(shop: Path, mcpgen: Command) -> None:
    save(changed(less), shop.parent / "shop.json")
    code, out, _ = mcpgen("diff", "--format", "json")
    assert code == 12
    assert json.loads(out)["counts"] == {"security": 0, "breaking": 1, "additive": 0, "text": 0}
    code, out, _ = mcpgen("diff", "--format", "markdown")
    assert code == 12
    assert out.startswith("### MCP tools: 1 breaking change\n")


def test_outside_a_project_both_sides_must_be_named(
    tmp_path: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["check"], ["verify"], ["diff", "a", "b", "c"]):
        assert mcpgen(*words).code == 2
    code, _, err = mcpgen("diff")
    assert code == 2
    assert "mcpgen diff OLD NEW" in err
