"""A server that gets another name takes the user's files with it, or keeps its name."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgen.lock.text import dump, parse_lock
from mcpgen.problems import Problems
from mcpgen.project.check import check
from mcpgen.write.commit import commit
from tests.commands import Command

from .shop import DOCUMENT, Document, changed, contents, generate, project, save

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


def packages(folder: Path) -> list[str]:
    return [path.name for path in (folder / "src").iterdir()]


def test_a_new_title_moves_nothing_where_no_name_is_configured(shop: Path, mcpgen: Command) -> None:
    without_name(shop)
    for document in (DOCUMENT, changed(retitle)):
        save(document, shop.parent / "shop.json")
        assert mcpgen("generate").code == 0
        assert packages(shop) == ["corner_shop_mcp"]
        facts = json.loads((shop / "src/corner_shop_mcp/api.json").read_text())
        assert facts["title"] == document["info"]["title"]
        assert mcpgen("check").code == 0


def test_another_name_is_refused_until_it_is_accepted(shop: Path, mcpgen: Command) -> None:
    rename(shop, "library")
    before = contents(shop)
    code, _, err = mcpgen("generate")
    assert code == 3
    assert "error[E1302]: the server `corner_shop` would be called `library`" in err
    assert "5 files of yours would move" in err
    assert "`LIBRARY_MCP_` instead of `CORNER_SHOP_MCP_`" in err
    assert contents(shop) == before
    assert mcpgen("check").code == 1
    code, out, _ = mcpgen("diff")
    assert code == 12
    assert "`corner-shop-mcp` becomes `library-mcp`" in out


def test_an_accepted_name_moves_every_file_of_the_user(shop: Path, mcpgen: Command) -> None:
    rename(shop, "library")
    said = mcpgen("generate", "--accept-changes")
    assert said.code == 0
    assert packages(shop) == ["library_mcp"]
    package = shop / "src/library_mcp"
    assert (package / "hooks.py").read_text() == HOOK
    assert (package / "custom/deep/data.txt").read_text() == "mine\n"
    assert "environment variables begin with `LIBRARY_MCP_`" in " ".join(said.out.split())
    assert "`pyproject.toml` still says `mcp-corner-shop`" in said.err
    assert "--> pyproject.toml:" in said.err
    assert "`src/library_mcp/mine.py` still says `corner_shop_mcp`" in said.err
    assert "--> src/library_mcp/mine.py:1:8" in said.err
    for path in ("README.md", "Makefile", ".env.example"):
        assert f"`{path}` still says" in said.err
    assert mcpgen("check").code == 1  # the command starts what is not there
    code, _, err = mcpgen("generate")
    assert code == 0 and "still says" not in err


def lock_without_prefix(shop: Path) -> None:
    """Make the lock one of the time when variables began with `MCPGEN_`."""
    path = shop / "mcpgen.lock"
    lock = replace(parse_lock(path.read_text()), env_prefix="MCPGEN_CORNER_SHOP")
    text = dump(lock).replace("CORNER_SHOP_MCP_", "MCPGEN_CORNER_SHOP_")
    path.write_text(dump(parse_lock(text)))
    assert "env_prefix" not in path.read_text()


def variables(shop: Path) -> set[str]:
    return set(re.findall(r"[A-Z0-9_]+_KEY\b", (shop / "document/VARIABLES.md").read_text()))


def test_a_project_keeps_the_variables_that_it_has(shop: Path, mcpgen: Command) -> None:
    assert "CORNER_SHOP_MCP_KEY" in variables(shop)
    lock_without_prefix(shop)
    for _ in range(2):
        assert mcpgen("generate", "--force").code == 0
        assert "MCPGEN_CORNER_SHOP_KEY" in variables(shop)
        assert "CORNER_SHOP_MCP_KEY" not in variables(shop)
        assert mcpgen("check").code == 0 and mcpgen("diff").code == 0


@pytest.mark.parametrize("prefix", ["SHOP", "PATH_MCP", "ACME_EU_1"])
def test_the_owner_chooses_the_beginning_of_the_variables(
    shop: Path, mcpgen: Command, prefix: str
) -> None:
    path = shop / "mcpgen.toml"
    path.write_text(f'env_prefix = "{prefix}"\n{path.read_text()}')
    note = f"environment variables begin with `{prefix}_` instead of `CORNER_SHOP_MCP_`"
    told = mcpgen("diff")
    assert told.code == 12 and note in " ".join(told.out.split())
    said = mcpgen("generate")
    assert said.code == 0 and note in " ".join(said.out.split())
    assert "`.env.example` still says `CORNER_SHOP_MCP_`" in said.err
    assert "still says `corner_shop_mcp`" not in said.err
    assert f"{prefix}_KEY" in variables(shop)
    assert packages(shop) == ["corner_shop_mcp"]
    path.write_text(path.read_text().partition("\n")[2])
    assert mcpgen("generate").code == 0
    assert f"{prefix}_KEY" in variables(shop)


def test_a_file_that_came_where_one_moves_stays(
    shop: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command
) -> None:
    rename(shop, "library")
    theirs = shop / "src/library_mcp/mine.py"
    real = commit.__globals__["_apply"]

    def apply(*arguments: object) -> None:
        theirs.parent.mkdir()
        theirs.write_text("theirs\n")
        real(*arguments)

    monkeypatch.setitem(commit.__globals__, "_apply", apply)
    ended = mcpgen("generate", "--accept-changes")
    assert ended.code == 4
    assert "`src/library_mcp/mine.py` is there now" in ended.said
    assert theirs.read_text() == "theirs\n"
    assert (shop / "src/corner_shop_mcp/mine.py").read_text() == "import corner_shop_mcp\n"


def test_a_dry_run_lists_what_would_move(shop: Path, mcpgen: Command) -> None:
    rename(shop, "library")
    before = contents(shop)
    ended = mcpgen("generate", "--accept-changes", "--dry-run")
    assert ended.code == 0
    assert "move src/corner_shop_mcp/hooks.py -> src/library_mcp/hooks.py" in ended.said
    assert contents(shop) == before
    code, out, _ = mcpgen("generate", "--accept-changes", "--json")
    assert code == 0
    data = json.loads(out)
    assert data["files"]["moved"]["src/corner_shop_mcp/hooks.py"] == "src/library_mcp/hooks.py"
    assert "E1318" in {problem["code"] for problem in data["problems"]}


def test_a_file_of_the_user_never_moves_over_another_one(shop: Path, mcpgen: Command) -> None:
    (shop / "src/library_mcp").mkdir()
    (shop / "src/library_mcp/hooks.py").write_text("# also mine\n")
    rename(shop, "library")
    before = contents(shop)
    code, _, err = mcpgen("generate", "--accept-changes", "--force")
    assert code == 4
    assert "`src/corner_shop_mcp/hooks.py` cannot be moved" in err and "E1203" in err
    assert contents(shop) == before


@pytest.mark.parametrize(("file", "code", "told"), [
    ("notes.txt", 4, 'run `mcpgen generate` there [source] path = "../shop.json"'),
    ("mcpgen.toml", 2, 'add `path = "../shop.json"` to it under `[source]`'),
])  # fmt: skip
def test_the_lines_proposed_for_a_folder_that_is_not_a_project_make_it_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command,
    file: str, code: int, told: str,
) -> None:  # fmt: skip
    save(DOCUMENT, tmp_path / "shop.json")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    Path(file).touch()
    ended = mcpgen("generate", "../shop.json", "-o", ".")
    assert ended.code == code
    assert told in ended.said
    assert code == 2 or "put a `mcpgen.toml` with these lines into it" in ended.said
    Path("mcpgen.toml").write_text('[source]\npath = "../shop.json"\n')
    assert mcpgen("generate").code == 0
    assert mcpgen("check").code == 0


def test_a_lost_lock_has_a_hint_that_works(shop: Path, mcpgen: Command) -> None:
    lock = (shop / "mcpgen.lock").read_text()
    (shop / "mcpgen.lock").unlink()
    (shop / "tests" / "tools.json").write_text("{}\n")
    for command in (["generate"], ["generate", "--force"]):
        ended = mcpgen(*command)
        assert ended.code == 4
        assert "--force" not in ended.said
        assert "if only `mcpgen.lock` was lost, restore it" in ended.said
        assert "mcpgen generate --adopt" in ended.said
    (shop / "mcpgen.lock").write_text(lock)
    assert mcpgen("generate", "--force").code == 0


def test_tools_keep_the_names_of_an_earlier_version(shop: Path, mcpgen: Command) -> None:
    (shop / "src/corner_shop_mcp/hooks.py").write_text("")
    path = shop / "mcpgen.lock"
    lock = json.loads(path.read_text())
    earlier = {"list_books": "books_0b0083", "add_book": "post_books"}
    for tool in lock["tools"]:
        tool["name"] = earlier.get(tool["name"], tool["name"])
    path.write_text(json.dumps(lock))
    assert mcpgen("generate", "--force", "--accept-changes").code == 0
    names = {tool["name"] for tool in json.loads(path.read_text())["tools"]}
    assert names >= {"books_0b0083", "post_books"}
    assert names.isdisjoint(earlier)
    assert mcpgen("check").code == 0


def test_check_says_that_the_command_starts_the_old_package(
    tmp_path: Path, mcpgen: Command
) -> None:
    folder = project(tmp_path)
    rename(folder, "kiosk")
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
    assert mcpgen("generate", "--renew", "-o", folder).code == 0
    assert check(folder, Problems()).problems == ()


def test_a_name_that_somebody_chose_is_taken_as_it_is(tmp_path: Path, mcpgen: Command) -> None:
    tools = {"tools": [{"name": "ping", "inputSchema": {}}]}
    for document, name in ((DOCUMENT, "the_api_mcp"), (tools, "github_mcp")):
        source, folder = save(document, tmp_path / "shop.json"), tmp_path / name
        assert mcpgen("generate", source, "--name", name, "-o", folder).code == 0
        assert (folder / f"src/{name}_mcp/__init__.py").is_file()
        assert f'name = "{name}"' in (folder / "mcpgen.toml").read_text()


@pytest.mark.parametrize("name", ["Book Shop", "my-api", "1a", "a__b", "a_", "seventeen_letters"])
def test_what_no_server_can_be_called_is_refused(shop: Path, name: str, mcpgen: Command) -> None:
    code, _, err = mcpgen("generate", "../shop.json", "--name", name, "-o", "../other")
    assert code == 2
    assert f"error[E1103]: `{name}` cannot be the name of a server" in err
    rename(shop, name)
    code, _, err = mcpgen("generate")
    assert code == 2
    assert "error[E1103]: `name` must be up to 16 letters" in err
