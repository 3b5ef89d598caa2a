"""A server that gets another name takes the user's files with it, or keeps its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mcpgen
from mcpgen.cli import run
from mcpgen.write.commit import commit

from .shop import Document, changed, contents, generate, project, save

HOOK = "def before_list_books(arguments):\n    return arguments\n"


def retitle(document: Document) -> None:
    document["info"]["title"] = "Great Library"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a hook, a tool and a module of its user; the current folder."""
    folder = project(tmp_path)
    package = folder / "src/corner_shop_mcp"
    (package / "hooks.py").write_text(HOOK)
    (package / "mine.py").write_text("import corner_shop_mcp\n")
    (package / "custom/deep").mkdir()
    (package / "custom/deep/data.txt").write_text("mine\n")
    monkeypatch.chdir(folder)
    return folder


def without_name(folder: Path) -> None:
    path = folder / "mcpgen.toml"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("name = ")))


def rename(folder: Path, name: str) -> None:
    without_name(folder)
    path = folder / "mcpgen.toml"
    path.write_text(f'name = "{name}"\n{path.read_text()}')


def test_a_new_title_moves_nothing_where_the_configuration_says_no_name(shop: Path) -> None:
    without_name(shop)
    assert run(["generate"]) == 0
    assert run(["check"]) == 0
    save(changed(retitle), shop.parent / "shop.json")
    assert run(["generate"]) == 0
    assert [path.name for path in (shop / "src").iterdir()] == ["corner_shop_mcp"]
    assert run(["check"]) == 0


def test_a_lock_that_does_not_say_the_name_keeps_it_by_the_package(shop: Path) -> None:
    without_name(shop)
    lock = json.loads((shop / "mcpgen.lock").read_text())
    assert lock.pop("name") == "corner_shop"
    (shop / "mcpgen.lock").write_text(json.dumps(lock))
    save(changed(retitle), shop.parent / "shop.json")
    assert run(["generate"]) == 0
    assert [path.name for path in (shop / "src").iterdir()] == ["corner_shop_mcp"]


def test_another_name_is_refused_until_it_is_accepted(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rename(shop, "library")
    before = contents(shop)
    capsys.readouterr()
    assert run(["generate"]) == 3
    said = capsys.readouterr().err
    assert "error[E1302]: the server `corner_shop` would be called `library`" in said
    assert "5 files of yours would move" in said
    assert "`MCPGEN_LIBRARY_` instead of `MCPGEN_CORNER_SHOP_`" in said
    assert contents(shop) == before
    assert run(["check"]) == 1
    assert run(["diff"]) == 12
    assert "`corner-shop-mcp` becomes `library-mcp`" in capsys.readouterr().out


def test_an_accepted_name_moves_every_file_of_the_user(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rename(shop, "library")
    capsys.readouterr()
    assert run(["generate", "--accept-changes"]) == 0
    said = capsys.readouterr()
    assert [path.name for path in (shop / "src").iterdir()] == ["library_mcp"]
    package = shop / "src/library_mcp"
    assert (package / "hooks.py").read_text() == HOOK
    assert (package / "custom/deep/data.txt").read_text() == "mine\n"
    assert "environment variables begin with `MCPGEN_LIBRARY_`" in " ".join(said.out.split())
    assert "`pyproject.toml` still says `mcp-corner-shop`" in said.err
    assert "--> pyproject.toml:" in said.err
    assert "`src/library_mcp/mine.py` still says `corner_shop_mcp`" in said.err
    assert "--> src/library_mcp/mine.py:1:8" in said.err
    for path in ("README.md", "Makefile", ".env.example"):
        assert f"`{path}` still says" in said.err
    assert run(["check"]) == 1  # the command starts what is not there
    assert run(["generate"]) == 0
    assert "still says" not in capsys.readouterr().err


def test_a_file_that_came_where_one_moves_stays(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rename(shop, "library")
    theirs = shop / "src/library_mcp/mine.py"
    real = commit.__globals__["_apply"]

    def apply(*arguments: object) -> None:
        theirs.parent.mkdir()
        theirs.write_text("theirs\n")
        real(*arguments)

    monkeypatch.setitem(commit.__globals__, "_apply", apply)
    assert run(["generate", "--accept-changes"]) == 4
    said = " ".join(capsys.readouterr().err.split())
    assert "`src/library_mcp/mine.py` is there now" in said
    assert theirs.read_text() == "theirs\n"
    assert (shop / "src/corner_shop_mcp/mine.py").read_text() == "import corner_shop_mcp\n"


def test_a_dry_run_lists_what_would_move(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rename(shop, "library")
    before = contents(shop)
    capsys.readouterr()
    assert run(["generate", "--accept-changes", "--dry-run"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "move src/corner_shop_mcp/hooks.py -> src/library_mcp/hooks.py" in said
    assert contents(shop) == before
    assert run(["generate", "--accept-changes", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["files"]["moved"]["src/corner_shop_mcp/hooks.py"] == "src/library_mcp/hooks.py"
    assert "E1318" in {problem["code"] for problem in data["problems"]}


def test_a_file_of_the_user_never_moves_over_another_one(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "src/library_mcp").mkdir()
    (shop / "src/library_mcp/hooks.py").write_text("# also mine\n")
    rename(shop, "library")
    before = contents(shop)
    capsys.readouterr()
    assert run(["generate", "--accept-changes", "--force"]) == 4
    assert "`src/corner_shop_mcp/hooks.py` cannot be moved" in capsys.readouterr().err
    assert contents(shop) == before


def test_the_lines_proposed_for_a_folder_that_is_not_a_project_make_it_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(changed(lambda document: None), tmp_path / "shop.json")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine\n")
    monkeypatch.chdir(folder)
    assert run(["generate", "../shop.json", "-o", "."]) == 4
    said = capsys.readouterr().err
    assert "put a `mcpgen.toml` with these lines into it" in " ".join(said.split())
    lines = [line.strip(" |") for line in said.splitlines() if "path = " in line]
    assert lines == ['path = "../shop.json"']
    (folder / "mcpgen.toml").write_text(f"[source]\n{lines[0]}\n")
    assert run(["generate"]) == 0
    assert run(["check"]) == 0


def test_a_configuration_without_a_document_gets_the_line_to_add(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(changed(lambda document: None), tmp_path / "shop.json")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "mcpgen.toml").touch()
    monkeypatch.chdir(folder)
    assert run(["generate", "../shop.json", "-o", "."]) == 2
    assert 'add `path = "../shop.json"` to it under `[source]`' in capsys.readouterr().err
    (folder / "mcpgen.toml").write_text('[source]\npath = "../shop.json"\n')
    assert run(["generate"]) == 0
    assert run(["check"]) == 0


def test_a_lost_lock_has_a_hint_that_works(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = (shop / "mcpgen.lock").read_text()
    (shop / "mcpgen.lock").unlink()
    (shop / "tests" / "tools.json").write_text("{}\n")
    capsys.readouterr()
    for command in (["generate"], ["generate", "--force"]):
        assert run(command) == 4
        said = " ".join(capsys.readouterr().err.split())
        assert "--force" not in said
        assert "if only `mcpgen.lock` was lost, restore it" in said
        assert "mcpgen generate --adopt" in said
    (shop / "mcpgen.lock").write_text(lock)
    assert run(["generate", "--force"]) == 0


def test_tools_keep_the_names_that_an_earlier_version_gave_them(shop: Path) -> None:
    (shop / "src/corner_shop_mcp/hooks.py").write_text("")
    path = shop / "mcpgen.lock"
    lock = json.loads(path.read_text())
    earlier = {"list_books": "books_0b0083", "add_book": "post_books"}
    for tool in lock["tools"]:
        tool["name"] = earlier.get(tool["name"], tool["name"])
    path.write_text(json.dumps(lock))
    assert run(["generate", "--force", "--accept-changes"]) == 0
    names = {tool["name"] for tool in json.loads(path.read_text())["tools"]}
    assert names >= {"books_0b0083", "post_books"}
    assert names.isdisjoint(earlier)
    assert run(["check"]) == 0


def test_check_goes_on_saying_that_the_command_starts_the_old_package(tmp_path: Path) -> None:
    from mcpgen.problems import Problems
    from mcpgen.project.check import check

    folder = project(tmp_path)
    text = (folder / "mcpgen.toml").read_text()
    (folder / "mcpgen.toml").write_text(text.replace('name = "corner_shop"', 'name = "kiosk"'))
    generate(folder, accept=True)
    (problem,) = [item for item in check(folder, Problems()).problems if item.code == "E1318"]
    assert problem.message == (
        "the command `corner-shop-mcp` in `pyproject.toml` starts `corner_shop_mcp`, which is gone"
    )
    assert problem.severity == "error"
    assert problem.place is not None
    assert "corner-shop-mcp" in problem.place.excerpt[0][1]
    manifest = (folder / "pyproject.toml").read_text().replace("corner_shop_mcp", "kiosk_mcp")
    (folder / "pyproject.toml").write_text(manifest)
    news = check(folder, Problems()).problems
    assert [problem.code for problem in news] == ["E1365", "E1365"]
    assert "`README.md` differently today; nobody edited it" in news[0].message
    assert "`pyproject.toml` differently today; you edited it" in news[1].message
    mcpgen.generate(output=folder, renew=True)
    assert check(folder, Problems()).problems == ()


def test_the_name_that_somebody_chose_is_taken_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(changed(lambda _: None), tmp_path / "shop.json")
    assert run(["generate", "shop.json", "--name", "the_api_mcp", "-o", "project"]) == 0
    assert (tmp_path / "project/src/the_api_mcp_mcp/__init__.py").is_file()
    assert 'name = "the_api_mcp"' in (tmp_path / "project/mcpgen.toml").read_text()
    (tmp_path / "tools.json").write_text('{"tools": [{"name": "ping", "inputSchema": {}}]}')
    assert run(["generate", "tools.json", "--name", "github_mcp", "-o", "tools"]) == 0
    assert (tmp_path / "tools/src/github_mcp_mcp").is_dir()


@pytest.mark.parametrize("name", ["Book Shop", "my-api", "1a", "a__b", "a_", "seventeen_letters"])
def test_what_no_server_can_be_called_is_refused(
    shop: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["generate", "../shop.json", "--name", name, "-o", "../other"]) == 2
    assert f"error[E1103]: `{name}` cannot be the name of a server" in capsys.readouterr().err
    rename(shop, name)
    assert run(["generate"]) == 2
    assert "error[E1103]: `name` must be up to 16 letters" in capsys.readouterr().err
