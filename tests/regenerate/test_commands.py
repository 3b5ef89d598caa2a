"""`mcpgen check`, `verify` and `diff` as they are typed: what is printed, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpgen.cli import run

from .shop import DOCUMENT, Document, add, changed, contents, package, project, save


def less(document: Document) -> None:
    del document["paths"]["/orders"]


def elsewhere(document: Document) -> None:
    document["servers"][0]["url"] = "https://evil.example"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder is a project."""
    folder = project(tmp_path)
    monkeypatch.chdir(folder)
    return folder


def test_check_is_quiet_and_0_when_nothing_is_to_do(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check"]) == 0
    assert run(["check", "-q"]) == 0
    assert capsys.readouterr().err == "up to date\n"


def test_check_from_a_folder_inside_the_project(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(package(shop))
    assert run(["check"]) == 0


def test_check_is_1_and_says_what_to_do_when_the_document_moved_on(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(changed(less), shop.parent / "shop.json")
    before = contents(shop)
    assert run(["check"]) == 1
    said = capsys.readouterr().err
    assert "not up to date: the document changed" in said
    assert "run `mcpgen generate`" in said
    assert contents(shop) == before


def test_generate_says_what_changes_for_callers_as_diff_said_before(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(changed(less), shop.parent / "shop.json")
    assert run(["diff"]) == 12
    announced = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert run(["generate"]) == 0
    said = capsys.readouterr().out
    assert "`list_orders` `GET /orders` is gone" in said.partition("What changes for callers")[2]
    assert set(announced) <= {line.strip() for line in said.splitlines()}


def test_check_is_1_and_shows_the_line_of_a_hook_that_fits_nothing(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (package(shop) / "hooks.py").write_text("def before_lost(call): ...\n")
    assert run(["check"]) == 1
    assert "src/corner_shop_mcp/hooks.py:1:1" in capsys.readouterr().err


def test_check_for_programs(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (package(shop) / "hooks.py").write_text("def before_lost(call): ...\n")
    assert run(["check", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["passed"], data["stale"], data["problems"][0]["code"]) == (False, [], "E1311")


def test_a_configuration_that_names_nothing_is_2_with_its_line(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(shop, "[tools.lstBooks]\nenabled = false")
    before = contents(shop)
    assert run(["generate"]) == 2
    assert run(["check"]) == 2
    said = capsys.readouterr().err
    assert "did you mean `listBooks`" in said
    assert "mcpgen.toml:" in said
    assert contents(shop) == before


def test_an_edited_file_is_4_and_the_difference_can_be_read(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = package(shop) / "tools" / "books.py"
    path.write_text(path.read_text() + "MINE = 1\n")
    assert run(["generate"]) == 4
    said = capsys.readouterr().err
    assert "\n    +MINE = 1\n" in said
    assert "copy the function into `custom/`" in said
    assert run(["verify"]) == 4
    assert "`src/corner_shop_mcp/tools/books.py` was edited" in capsys.readouterr().err
    assert run(["generate", "--force"]) == 0
    assert run(["verify"]) == 0


def test_another_origin_is_3_until_it_is_accepted(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(changed(elsewhere), shop.parent / "shop.json")
    before = contents(shop)
    assert run(["generate"]) == 3
    assert (
        "requests go to `https://evil.example` instead of `https://api.shop.example`"
        in capsys.readouterr().err
    )
    assert contents(shop) == before
    assert run(["diff"]) == 13
    assert run(["generate", "--accept-changes"]) == 0
    assert run(["diff"]) == 0


def test_diff_of_the_project_with_its_document_with_another_one_and_of_two_documents(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = save(DOCUMENT, shop.parent / "old.json")
    new = save(changed(less), shop.parent / "new.json")
    assert run(["diff"]) == 0
    assert "nothing changes for callers" in capsys.readouterr().out
    assert run(["diff", str(new)]) == 12
    assert run(["diff", str(old), str(new)]) == 12
    assert run(["diff", str(new), str(old)]) == 11
    assert run(["diff", str(shop), str(new), "--exit-zero"]) == 0


def test_diff_for_programs_and_for_pull_requests(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(changed(less), shop.parent / "shop.json")
    assert run(["diff", "--format", "json"]) == 12
    assert json.loads(capsys.readouterr().out)["counts"] == {
        "security": 0, "breaking": 1, "additive": 0, "text": 0,
    }  # fmt: skip
    assert run(["diff", "--format", "markdown"]) == 12
    assert capsys.readouterr().out.startswith("### MCP tools: 1 breaking change\n")


def test_outside_a_project_both_sides_must_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["diff"]) == 2
    assert run(["check"]) == 2
    assert run(["verify"]) == 2
    assert run(["diff", "a", "b", "c"]) == 2
    assert "mcpgen diff OLD NEW" in capsys.readouterr().err
