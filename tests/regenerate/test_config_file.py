"""`mcpgen.toml`: strict to read, helpful on the first run, and edited without losing a comment."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from mcpgen import config
from mcpgen.config import AnswerConfig, ArgumentConfig, Config, Selection, ToolConfig
from mcpgen.config.file import parse_config, read_config
from mcpgen.config.keys import TABLES, Key
from mcpgen.config.options import edit, new_text
from mcpgen.config.positions import place_of
from mcpgen.problems import Problem, UsageError
from scripts import config_docs


def told(text: str) -> list[Problem]:
    """What is wrong with a file."""
    with pytest.raises(UsageError) as caught:
        parse_config(text)
    assert caught.value.exit_code == 2
    return list(caught.value.problems)


FULL = Path(__file__).with_name("full.toml").read_text("utf-8")


def test_every_part_of_a_file_arrives() -> None:
    assert parse_config(FULL, folder=Path("there")) == Config(
        name="shop", profile="rich", base_url="https://api.example.com",
        allow_origins=("https://b.example.com",), sources=("shop.yaml",),
        overlays=("there/fix.yaml",),
        selection=Selection(include_methods=("get",), deprecated=False),
        tools={
            "listBooks": ToolConfig(name="find_books", toolset="catalogue", aliases=("list_books",),
                read_only=True, arguments={"tenant": ArgumentConfig(hidden=True, value={"id": 1})},
                answer=AnswerConfig(keep=("items.id",))),
            "GET /books/{id}": ToolConfig(enabled=False)},
    )  # fmt: skip


@pytest.mark.parametrize(("text", "line", "message", "hint"), [
    ('nam = "x"', 1, "unknown key `nam` at the top of the file", "did you mean `name`?"),
    ('\n\n[sorce]\npath = "x"', 3, "unknown key `sorce`", "did you mean `source`?"),
    ("[select]\ninclude_tag = []", 2, "unknown key `include_tag` in `[select]`",
     "did you mean `include_tags`?"),
    ("[select]\nenabled = true", 2, "unknown key `enabled`",
     'it belongs in `[tools."<operation>"]`'),
    ('# \n[tools."a.b"]\ndescripton = ""', 3, "unknown key `descripton`",
     "did you mean `description`?"),
    ("[tools.a.hints]\nreadonly = true", 2, "unknown key `readonly`", "did you mean `read_only`?"),
    ("[tools.a.arguments.b]\nhide = true", 2, "unknown key `hide`", "did you mean `hidden`?"),
    ("[source]\nxyz = true", 2, "unknown key `xyz`", "its keys are `path`, `url`, "),
    ("tools.a.enabled = 1", 1, "`tools.a.enabled` must be `true` or `false`, not `1`", ""),
    *[(f'# \nenv_prefix = "{prefix}"', 2, f"as in `BOOKSHOP_MCP`, and no word of the system (`PATH`,"
       f" `HOME`, `LD`, `PYTHON` …), not `{prefix}`", "")
      for prefix in ("PATH", "HOME", "LD", "LD_AUDIT", "PYTHON", "PYTHONHOME", "PYTHON_X", "HTTP",
                     "DYLD_MCP_X", "9LIVES", "__", "shop", "SHOP_", "A" * 41)],
    ('profile = "small"', 1, "`profile` must be `portable` or `rich`", ""),
    ('[select]\ninclude_tags = "books"', 2, "must be a list of texts", ""),
    ("[source]\nmax_bytes = 0", 2, "whole number of at least 1", ""),
    ("[tools.a.arguments.b]\nhidden = true\nvalue = 1979-05-27", 3, "a value that JSON has", ""),
    ("[tools.a.arguments.b]\nvalue = 1", 1, "`value` needs `hidden = true`", ""),
    ("[tools.a.arguments.b]\nhidden = true\ndefault = 1", 1, "is never used", "use `value`"),
    ("tools = 3", 1, "`tools` must be a table", ""),
    ("[tools]\na = 3", 2, "`tools.a` must be a table", ""),
    ('x = """\nname = 1\n"""\nnme = "x"', 4, "unknown key `nme`", "did you mean `name`?"),
    ("name = \n", 1, "is not TOML: ", ""),
    ('name = "a"\nname = "b"', 2, "is not TOML: ", ""),
])  # fmt: skip
def test_what_is_not_known_is_an_error_with_its_line_and_what_was_meant(
    text: str, line: int, message: str, hint: str
) -> None:
    problems = [problem for problem in told(text) if message in problem.message]
    assert problems, [problem.message for problem in told(text)]
    assert problems[0].place is not None
    assert problems[0].place.line == line
    assert hint in problems[0].hint


def test_every_fault_is_told_at_once_in_the_order_of_the_file() -> None:
    problems = told('[tools.a]\nenable = true\n[select]\ntags = []\n[source]\nfile = "x"')
    assert [problem.place.line for problem in problems if problem.place] == [2, 4, 6]


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_config(tmp_path)
    assert "mcpgen generate openapi.yaml" in caught.value.problems[0].hint


def test_a_link_is_not_followed_and_nothing_of_its_target_is_shown(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("canary of another file\n", "utf-8")
    (tmp_path / "mcpgen.toml").symlink_to("secret")
    with pytest.raises(UsageError, match="it is a symbolic link") as refused:
        read_config(tmp_path)
    assert "canary" not in str(refused.value.problems)


def test_the_first_file_says_what_was_asked_for_and_no_more(tmp_path: Path) -> None:
    asked = Config(
        sources=(str(tmp_path / "api" / "shop.yaml"), "https://example.com/more.json"),
        overlays=(str(tmp_path / "fix.yaml"),),
        base_url='https://example.com/"quoted"\\',
        selection=Selection(include_tags=("caf\u00e9", "a\nb\x7f\U0001f4da"), deprecated=False),
    )
    text = new_text(asked, tmp_path / "project", name="shop")
    assert tomllib.loads(text) == {
        "name": "shop", "parts": ["http"], "profile": "portable", "base_url": 'https://example.com/"quoted"\\',
        "source": {
            "path": "../api/shop.yaml", "url": "https://example.com/more.json",
            "overlays": ["../fix.yaml"]},
        "select": {"include_tags": ["caf\u00e9", "a\nb\x7f\U0001f4da"], "deprecated": False},
    }  # fmt: skip
    assert text.isascii()


def test_the_comments_of_the_first_file_are_right(tmp_path: Path) -> None:
    """Taken out of their comments, the examples are a configuration."""
    lines = new_text(Config(sources=("a.yaml",)), tmp_path, name="shop").splitlines()
    code = [
        line.removeprefix("# ")
        for line in lines
        if "=" in line or line.removeprefix("# ").startswith("[")
    ]
    found = parse_config("\n".join(line for line in code if not line.startswith("#")))
    assert found.tools["listBooks"].arguments["tenant"].value == "acme"


def test_an_edit_keeps_comments_order_and_line_ends() -> None:
    text = (
        "# mine\nname = 'shop'   # the name\n\n[tools.b]\nenabled = true # b\n[tools.a] # a\ntitle"
        ' = "A"\n'
    )
    changed = edit(text, {
        ("tools", "b", "enabled"): False, ("tools", "a", "title"): None,
        ("select", "deprecated"): False,
    })  # fmt: skip
    assert changed.startswith(
        "# mine\nname = 'shop'   # the name\n\n[tools.b]\nenabled = false # b\n[tools.a] # a\n"
    )
    assert tomllib.loads(changed) == {
        "name": "shop",
        "tools": {"b": {"enabled": False}, "a": {}},
        "select": {"deprecated": False},
    }


@pytest.mark.parametrize(("table", "rest"), [
    ("[tools.a]\ntitle = 'A' # goes with it\n", ""),
    ("[tools.a] # mine\ntitle = 'A'\n", "[tools.a] # mine\n"),
    ("[tools.a]\n# mine\ntitle = 'A'\n", "[tools.a]\n# mine\n"),
    ("[tools.a]\ntitle = 'A'\n# about b\n", "[tools.a]\n# about b\n"),
    ("[tools.a]\nname = 'x'\ntitle = 'A'\n", "[tools.a]\nname = 'x'\n"),
])  # fmt: skip
def test_a_table_goes_with_its_last_key_unless_it_has_a_comment(table: str, rest: str) -> None:
    other = "[tools.b]\nenabled = true\n"
    assert edit(table + other, {("tools", "a", "title"): None}) == rest + other


def test_tables_around_the_last_key_go_too() -> None:
    other = "[tools.b]\nenabled = true\n"
    changes = {("tools", "a", "hints", "read_only"): None}
    assert edit(f"[tools.a.hints]\nread_only = true\n{other}", changes) == other


def test_a_table_in_several_places_keeps_its_comments() -> None:
    text = "[tools.a]\n# mine\n[tools.b]\nenabled = true\n"
    hints = "[tools.a.hints]\nread_only = true\n"
    assert edit(text + hints, {("tools", "a", "hints", "read_only"): None}) == text


@pytest.mark.parametrize(("path", "line"), [
    (("name",), 1), (("tools", "a.b", "title"), 5), (("tools", "a.b"), 4),
    (("tools", "c", "hints", "read_only"), 7), (("tools", "c", "nowhere"), 7),
    (("nowhere",), 0),
])  # fmt: skip
def test_a_key_is_found_where_it_stands(path: tuple[str, ...], line: int) -> None:
    text = (
        "name = 'x'\n[select]\ntitle = 'no'\n[tools.'a.b']\n title = 1\n[tools]\nc.hints.read_only"
        " = true\n"
    )
    assert place_of(text, "mcpgen.toml", path).line == line


# -- schema, dataclasses and documentation agree


def test_the_schema_and_the_documentation_are_up_to_date() -> None:
    for path, text in config_docs.files().items():
        assert path.read_text("utf-8") == text, f"run `make docs`: {path.name} is out of date"


@pytest.mark.parametrize(
    "name", ["Config", "Selection", "ToolConfig", "ArgumentConfig", "AnswerConfig"]
)
def test_every_field_has_a_key_and_every_key_a_field(name: str) -> None:
    known = {item.name for item in fields(getattr(config, name))}
    listed = [key for table in TABLES if table.dataclass == name for key in table.keys]
    keys = {key.target for key in listed if key.name != "obtained"}
    tables = {"selection", "tools", "globs", "tags", "arguments", "answer", "apis"}
    runs = {"pinned", "places", "project", "folder", "anew"}
    runs |= {"known_apis", "known_operations", "known_servers"}
    assert keys == known - tables - runs


def test_the_example_of_every_key_is_accepted_by_reader_and_schema() -> None:
    schema = jsonschema_rs.validator_for(config_docs.schema())
    needed = {("ArgumentConfig", "value"): "hidden = true\n"}
    needed["Config", "description"] = "scheme = 'bearer'\n"
    for table in TABLES:
        for key in table.keys:
            header = table.header.replace("<operation>", "op").replace("<argument>", "arg")
            more = needed.get((table.dataclass, key.name), "")
            text = (f"{header}\n" if table.name else "") + f"{more}{key.name} = {key.example}\n"
            parse_config(text)
            assert schema.is_valid(tomllib.loads(text)), text


@pytest.mark.parametrize("value", ["3", '""', "[1]", '[""]', "-1", "1.5", "{ a = 1 }"])
def test_reader_and_schema_refuse_the_same_values(value: str) -> None:
    schema = jsonschema_rs.validator_for(config_docs.schema())
    for table in TABLES:
        for key in table.keys:
            if key.kind == "any" or table.name == "tools.*.arguments.*":
                continue
            header = table.header.replace("<operation>", "op")
            text = (f"{header}\n" if table.name else "") + f"{key.name} = {value}\n"
            assert accepted(text) == schema.is_valid(tomllib.loads(text)), text


def accepted(text: str) -> bool:
    """Whether the reader takes a file."""
    try:
        parse_config(text)
    except UsageError:
        return False
    return True


@pytest.mark.parametrize(("text", "code", "line"), [
    ('[source]\npath = "a\\u0000b"\n', "E1103", 2), ('title = "\\\\\\u0000"\n', "E1103", 1),
    ("[auth]\ndescription = 'x'\n", "E1104", 2),
    ("[apis.b]\npath = 'a'\nurl = 'http://b'\n", "E1104", 3),
])  # fmt: skip
def test_what_no_run_could_use_is_refused(text: str, code: str, line: int) -> None:
    (problem,) = told(text)
    assert (problem.code, problem.place and problem.place.line) == (code, line)
    assert accepted('title = "\\\\u0000"\n')


def test_the_documentation_explains_every_key() -> None:
    page = config_docs.page()
    missing: list[Any] = [
        key for table in TABLES for key in table.keys if not _explained(key, page)
    ]
    assert missing == []


def _explained(key: Key, page: str) -> bool:
    return f"| `{key.name}` |" in page and key.text in page


@pytest.mark.parametrize("path", [("lazzy",), ("source", "ulr"), ("tools", "listBooks", "nmae")])
def test_the_schema_marks_the_wrong_key_alone(path: tuple[str, ...]) -> None:
    schema = config_docs.schema()
    data: dict[str, Any] = {"name": "shop", "source": {"path": "shop.json"}}
    table = data
    for name in path[:-1]:
        table = table.setdefault(name, {})
    table[path[-1]] = True
    errors = list(jsonschema_rs.validator_for(schema).iter_errors(data))
    assert [tuple(error.instance_path) for error in errors] == [path]
