"""Who a file belongs to: what is written, what is refused, and what is never touched."""

import os
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from mcpgen.lock import Once, dump, parse_lock, text_hash
from mcpgen.paths import check_paths
from mcpgen.problems import OutputConflictError, RefusedError
from mcpgen.write import ToolLock, changes, read_lock, rename, write

from .folders import MINE, NEW, OLD, facts, project, put, tree


def told(folder: Path, files: dict[str, str] = NEW, **options: bool) -> OutputConflictError:
    """The refusal of a write, after a look at whether anything changed."""
    before = tree(folder)
    with pytest.raises(OutputConflictError) as caught:
        write(files, folder, lock_facts=facts("2"), **options)
    assert tree(folder) == before and caught.value.exit_code == 4
    return caught.value


def test_a_first_run_writes_everything_and_records_what_it_owns(tmp_path: Path) -> None:
    assert set(write(OLD, tmp_path / "shop", lock_facts=facts()).created) == set(OLD)
    lock = read_lock(tmp_path / "shop")
    assert lock is not None
    assert set(lock.files) == {
        "server.json",
        "src/shop_mcp/server.py",
        "src/shop_mcp/tools/authors.py",
        "src/shop_mcp/tools/books.py",
    }


def test_a_later_run_equals_a_fresh_one_and_leaves_the_users_files_alone(
    tmp_path: Path, folder: Path
) -> None:
    changes = write(NEW, folder, lock_facts=facts("2"))
    assert changes.created == ("clients/cursor.json", "src/shop_mcp/models/orders.py")
    assert changes.updated == ("src/shop_mcp/server.py", "src/shop_mcp/tools/books.py")
    assert changes.removed == ("src/shop_mcp/tools/authors.py",)
    assert changes.kept == ("README.md", "src/shop_mcp/hooks.py")
    write(NEW, tmp_path / "fresh", lock_facts=facts("2"))
    lock, fresh = read_lock(folder), read_lock(tmp_path / "fresh")
    assert lock is not None and fresh is not None
    newest = fresh.once["README.md"].hash
    readme = Once(hash=text_hash(OLD["README.md"]), generator="1.0", newest=newest)
    assert lock == replace(fresh, once={**fresh.once, "README.md": readme})
    kept = {"README.md": OLD["README.md"], "mcpgen.lock": dump(lock)}
    assert tree(folder) == {**tree(tmp_path / "fresh"), **MINE, **kept}


def test_a_file_written_once_comes_back_only_when_it_is_missing(folder: Path) -> None:
    (folder / "README.md").write_text("edited\n")
    (folder / "src/shop_mcp/hooks.py").unlink()
    write(NEW, folder, lock_facts=facts("2"))
    assert (folder / "README.md").read_text() == "edited\n"
    assert (folder / "src/shop_mcp/hooks.py").exists()


def test_what_python_compiled_of_a_module_goes_with_it(folder: Path) -> None:
    cache = "src/shop_mcp/tools/__pycache__"
    gone, mine = (f"{cache}/{name}.cpython-311.pyc" for name in ("books", "mine"))
    write({**OLD, "src/shop_mcp/extra/one.py": ""}, folder, lock_facts=facts())
    put(folder, {gone: "", mine: "", "src/shop_mcp/extra/__pycache__/one.cpython-311.pyc": ""})
    kept = {path: text for path, text in OLD.items() if not path.endswith("tools/books.py")}
    write(kept, folder, lock_facts=facts())
    assert not (folder / "src/shop_mcp/extra").exists() and not (folder / gone).exists()
    assert (folder / mine).exists()


@pytest.mark.parametrize(("path", "where"), {
    "src/shop_mcp/tools/books.json": "mcpgen.toml", "src/shop_mcp/tools/books.py": "custom/",
    "src/shop_mcp/api.json": "auth.py", "src/shop_mcp/a/app.py": "hooks.py",
    "VARIABLES.md": "README.md is yours", "src/shop_mcp/README": "hooks.py",
    "document/openapi.yaml": "an overlay", "tests/test_tools.py": "tests in a file of your own",
    "clients/cursor.json": "name of your own", "manifest.json": "name of your own",
}.items())  # fmt: skip
def test_an_edit_belongs_where_it_survives(path: str, where: str) -> None:
    assert where in changes.where_edits_belong(path)


@pytest.mark.parametrize(("count", "shown"), [(5, "`3`, `4`"), (6, "`3`, `4` and 1 more")])
def test_a_folder_of_other_files_is_not_taken(tmp_path: Path, count: int, shown: str) -> None:
    put(tmp_path / "full", {str(number): "" for number in range(count)})
    with pytest.raises(OutputConflictError, match=rf"was not made by mcpgen: .*{shown}$"):
        write(NEW, tmp_path / "full", lock_facts=facts())


def test_nothing_that_python_compiled_goes_through_a_link(folder: Path, tmp_path: Path) -> None:
    put(tmp_path, {"elsewhere/books.cpython-311.pyc": ""})
    (folder / "src/shop_mcp/tools/__pycache__").symlink_to(tmp_path / "elsewhere")
    kept = {path: text for path, text in OLD.items() if not path.endswith("tools/books.py")}
    write(kept, folder, lock_facts=facts())
    assert (tmp_path / "elsewhere/books.cpython-311.pyc").exists()


def test_an_emptied_folder_goes_and_one_with_a_file_of_the_user_stays(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    write(
        {"clients/a.json": "{}", "tests/b.py": "", "server.json": "{}"}, folder, lock_facts=facts()
    )
    put(folder, {"tests/mine.py": "mine"})
    write({"server.json": "{}"}, folder, lock_facts=facts("2"))
    assert not (folder / "clients").exists() and tree(folder / "tests") == {"mine.py": "mine"}


@pytest.mark.parametrize(("path", "text", "code", "detail"), [
    ("src/shop_mcp/tools/books.py", "old = 1\nmine = 2\n", "E1202", "+mine = 2"),
    ("src/shop_mcp/tools/books.py", "\xff", "E1202", "`src/shop_mcp/tools/books.py` is not text"),
    ("src/shop_mcp/tools/authors.py", "authors = 1\nmine = 2\n", "E1202", ""),
    ("clients/cursor.json", '{"mine": true}\n', "E1203", ""),
], ids=["an edit", "bytes", "an edit of what goes", "a stranger"])  # fmt: skip
def test_what_is_the_users_is_refused_with_the_difference_and_where_an_edit_belongs(
    folder: Path, path: str, text: str, code: str, detail: str
) -> None:
    put(folder, {path: text}, "latin-1")
    (problem,) = told(folder).problems
    assert problem.code == code and f"`{path}`" in problem.message and detail in problem.detail
    if code == "E1202":
        assert "was generated and has been edited" in problem.message
        assert "`custom/`" in problem.hint


def test_a_stranger_that_says_the_same_is_taken_over(folder: Path) -> None:
    put(folder, {"clients/cursor.json": NEW["clients/cursor.json"]})
    assert "clients/cursor.json" in write(NEW, folder, lock_facts=facts("2")).unchanged


def test_force_overwrites_edits_and_strangers_and_nothing_else(folder: Path) -> None:
    put(folder, dict.fromkeys(("clients/cursor.json", "src/shop_mcp/tools/books.py"), "mine"))
    put(folder, {"README.md": "mine"})
    write(NEW, folder, lock_facts=facts("2"), force=True)
    expected = {**NEW, **MINE, "README.md": "mine", "mcpgen.lock": ""}
    assert tree(folder) | {"mcpgen.lock": ""} == expected


def test_a_dry_run_says_what_would_happen_and_does_not_do_it(folder: Path) -> None:
    put(folder, {"src/shop_mcp/tools/books.py": "mine"})
    before = tree(folder)
    changes = write(NEW, folder, lock_facts=facts("2"), dry_run=True)
    assert changes.removed == ("src/shop_mcp/tools/authors.py",)
    assert [conflict.path for conflict in changes.conflicts] == ["src/shop_mcp/tools/books.py"]
    assert tree(folder) == before


def test_a_checkout_with_crlf_is_not_an_edit(folder: Path) -> None:
    for path in OLD:
        (folder / path).write_bytes((folder / path).read_bytes().replace(b"\n", b"\r\n"))
    lock = folder / "mcpgen.lock"
    lock.write_bytes(lock.read_bytes().replace(b"\n", b"\r\n"))
    before = tree(folder)
    assert write(OLD, folder, lock_facts=facts()).empty and tree(folder) == before
    assert not write(NEW, folder, lock_facts=facts("2")).conflicts


@pytest.mark.parametrize("files", [{"mcpgen.toml": "", "notes.txt": ""}, {".git/HEAD": ""}, {}])
def test_an_empty_folder_a_fresh_repository_or_one_with_a_configuration_may_become_a_project(
    tmp_path: Path, files: dict[str, str]
) -> None:
    put(tmp_path, files)
    write(OLD, tmp_path, lock_facts=facts())
    assert set(tree(tmp_path)) == {*OLD, *files, "mcpgen.lock"}


def test_force_does_not_overwrite_strangers_where_nothing_is_ours_yet(tmp_path: Path) -> None:
    put(tmp_path, {"mcpgen.toml": "", "server.json": "mine"})
    (problem,) = told(tmp_path, force=True).problems
    assert "server.json" in problem.message


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shop").write_text("a file")
    with pytest.raises(OutputConflictError, match="is a file, not a folder"):
        write(OLD, tmp_path / "shop", lock_facts=facts())


@pytest.mark.parametrize("link", ["src/shop_mcp/server.py", "src/shop_mcp/models", "src"])
def test_nothing_is_written_through_a_link(tmp_path: Path, folder: Path, link: str) -> None:
    outside = tmp_path / "outside"
    (folder / link).parent.mkdir(exist_ok=True)
    if (folder / link).exists():
        (folder / link).rename(outside)
    else:
        outside.mkdir()
    (folder / link).symlink_to(outside)
    before = tree(outside) if outside.is_dir() else outside.read_text()
    (problem,) = told(folder, force=True).problems
    assert "is a symbolic link" in problem.message + problem.detail
    assert (tree(outside) if outside.is_dir() else outside.read_text()) == before


def test_a_project_named_through_a_link_is_written_where_it_is(tmp_path: Path) -> None:
    project(tmp_path / "shop")
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    write(NEW, tmp_path / "link", lock_facts=facts("2"))
    assert (tmp_path / "link").is_symlink() and (tmp_path / "shop/clients/cursor.json").exists()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_files_are_0644_and_folders_0755_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    old = os.umask(mask)
    try:
        write(OLD, tmp_path / "shop", lock_facts=facts())
        write(NEW, tmp_path / "shop", lock_facts=facts("2"))
    finally:
        os.umask(old)
    for path in (tmp_path / "shop").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path


def test_no_file_is_missed_in_a_folder_that_cannot_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "scandir", Mock(side_effect=PermissionError))
    with pytest.raises(PermissionError):
        list(rename._entries(folder, "src/shop_mcp"))


def test_of_a_long_difference_the_rest_is_counted() -> None:
    shown = changes.difference("a", "", "1\n" * 9, "old", "new", most=4).splitlines()
    assert shown[3:] == ["+1", "... 8 more lines"]


@pytest.mark.parametrize("paths", [
    ["src/Books.py", "src/books.py"], ["tools", "tools/books.py"], ["../outside"], ["/etc/passwd"],
    ["a\\b"], ["C:/x"], ["a//b"], ["a/./b"], ["nul\0"], ["caf\u00e9.py"], ["trailing. "], [""],
])  # fmt: skip
def test_paths_the_generator_must_never_make_are_caught_as_a_bug(paths: list[str]) -> None:
    with pytest.raises(ValueError, match=r"path|same file|both a file"):
        check_paths(paths)


def test_a_name_that_only_changes_its_case_is_renamed(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    write({"tests/Books.py": "1"}, folder, lock_facts=facts())
    # Where case is ignored both names lead to one file, which is not removed after it was written
    (folder / "tests/books.py").hardlink_to(folder / "tests/Books.py")
    changes = write({"tests/books.py": "2"}, folder, lock_facts=facts("2"), dry_run=True)
    assert changes.removed == ()
    (folder / "tests/books.py").unlink()
    write({"tests/books.py": "2"}, folder, lock_facts=facts("2"))
    assert tree(folder / "tests") == {"books.py": "2"}


@pytest.mark.parametrize(("text", "reason"), [
    ("<<<<<<< ours\n{}\n=======\n>>>>>>> theirs\n", "unresolved merge conflict"),
    ('{"lock": 99}', "its format is 99"), ("[]", "its format is None"), ("", "JSONDecodeError"),
])  # fmt: skip
def test_a_lock_that_cannot_be_read_says_why(folder: Path, text: str, reason: str) -> None:
    (folder / "mcpgen.lock").write_text(text)
    with pytest.raises(OutputConflictError, match=reason):
        write(NEW, folder, lock_facts=facts("2"))


def tool(**changes: object) -> ToolLock:
    """One tool of a lock."""
    made = ToolLock(
        name="list_books", own_name="list_books", operation_id="listBooks", method="GET",
        path="/books", toolset="books", text="a", schema="b",
        hints={"read_only": True, "destructive": False, "idempotent": True, "open_world": True},
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def test_a_lock_reads_back_as_it_was_written() -> None:
    lock = replace(
        facts(),
        tools=(
            tool(),
            tool(
                name="x", own_name="y", operation_id=None, base_url="https://b",
                security=((), ("key",)),
            ),
        ),
        customised={"listBooks": ("GET /books", "listBooks"), "GET /x": ("GET /x", None)},
        auth={"key": {"kind": "api_key"}}, files={"server.json": "1"}, security=(("key",),),
        name="corner_shop", env_prefix="SHOP",
    )  # fmt: skip
    assert parse_lock(dump(lock)) == lock


API_KEY = {
    "kind": "api_key", "place": "header", "wire_name": "X-Key", "scheme": "", "token_url": None,
    "scopes": ["read"],
}  # fmt: skip
DELETES = {"read_only": False, "destructive": True, "idempotent": True, "open_world": True}


@pytest.mark.parametrize(("changes", "said"), [
    ({"base_url": "https://evil.example"}, "requests go to `https://evil.example` instead of"),
    ({"base_url": "http://api.example.com"}, "`http://api.example.com` instead of"),
    ({"base_url": None}, "nowhere"),
    ({"allowed_origins": ("https://b.example",)}, "may go to `https://b.example`"),
    ({"tools": (tool(base_url="https://b.example/x"),)},
     "for `list_books`: requests go to `https://b.example` instead of"),
    ({"auth": {"key": {**API_KEY, "wire_name": "Authorization"}}}, "changes its name on the wire"),
    ({"auth": {"key": {**API_KEY, "token_url": "https://t"}}},
     "token URL: none is now `https://t`"),
    ({"auth": {"key": {**API_KEY, "scopes": ["write"]}}}, "its scopes: `+write` `-read`"),
    ({"auth": {"key": API_KEY, "other": API_KEY}, "security": (("other",),)},
     "requests carry `other` instead of `key`"),
    ({"auth": {"key": API_KEY, "other": API_KEY}, "security": (("other",), ("key",))},
     "requests carry `other` or `key` instead of `key`"),
    ({"security": ((), ("key",))}, "requests carry `key` or nothing instead of `key`"),
    ({"security": ()}, "requests carry no credential instead of `key`"),
    ({"base_url": "https://api.example.com/v2"}, "requests go below `/v2` instead of `/`"),
    ({"tools": (tool(method="DELETE", hints=DELETES),)}, "sent with DELETE instead of GET"),
    ({"tools": (tool(hints=DELETES),)}, "calls become destructive"),
    ({"tools": (tool(hints={}),)}, "calls no longer only read"),
])  # fmt: skip
def test_another_origin_other_credentials_or_destruction_must_be_accepted(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    known = replace(facts(), tools=(tool(),), auth={"key": API_KEY}, security=(("key",),))
    write(OLD, tmp_path / "shop", lock_facts=known)
    now = replace(known, **{"document": "another", **changes})  # type: ignore[arg-type]
    before = tree(tmp_path / "shop")
    with pytest.raises(RefusedError) as caught:
        write(NEW, tmp_path / "shop", lock_facts=now)
    assert caught.value.exit_code == 3
    assert said in "\n".join(problem.message for problem in caught.value.problems)
    assert tree(tmp_path / "shop") == before
    assert write(NEW, tmp_path / "shop", lock_facts=now, accept=True).created


def test_a_moved_operation_a_new_tool_and_other_words_need_no_acceptance(tmp_path: Path) -> None:
    known = replace(facts(), tools=(tool(),))
    write(OLD, tmp_path / "shop", lock_facts=known)
    new = tool(name="remove", path="/x", method="DELETE", hints=DELETES)
    tools = (tool(text="other", path="/v2/books"), new)
    harmless = replace(known, base_url="https://API.example.com/", tools=tools)
    assert write(NEW, tmp_path / "shop", lock_facts=harmless).updated
