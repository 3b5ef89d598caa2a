"""A run that would write a server without tools, or one that cannot call its API, writes nothing."""

import json

import pytest

HEAD = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"
EMPTY = {
    "no paths": HEAD + "components: {}\n",
    "empty paths": HEAD + "paths: {}\n",
    "paths without operations": HEAD + "paths: {/a: {summary: nothing}}\n",
}
UNREADABLE = HEAD + "paths: {/a: 5, /b: {get: 7}, /c: {$ref: '#/gone'}}\n"
BROKEN = {
    "a key that comes twice": ("get: {}\nget: []\n", "error[E0113]: the key `get` comes twice"),
    "YAML that is none": ("get: [\n", "error[E0112]"),
    "bytes that are no text": (b"get: \xff\n", "error[E0108]"),
}

ADDRESSES = {
    "not a url": "`not a url` is not a URL",
    "api.foo.com": "did you mean `https://api.foo.com`?",
    "api.foo.com:8443/v1": "did you mean `https://api.foo.com:8443/v1`?",
    "//api.foo.com": "did you mean `https://api.foo.com`?",
    "localhost:8080": "did you mean `http://localhost:8080`?",
    "127.0.0.1:8080": "did you mean `http://127.0.0.1:8080`?",
    "javascript:x": "`javascript:x` is not an http or https URL",
    "ftp://api.foo.com": "`ftp://api.foo.com` is not an http or https URL",
    "https://": "`https://` is not an http or https URL",
    "https://me:secret@api.foo.com": "carries credentials",
    "https://api.foo.com/v1?key=1": "a query", "https://api.foo.com/a/../b": "dot segments",
}  # fmt: skip

FILTERS = {
    ("--include-tag", "boks"): "did you mean `books`",
    ("--include-tag", "Nope"): "the document has `authors`, `books`, `orders`, `shop`",
    ("--exclude-tag", "boks"): "did you mean `books`",
    ("--include-method", "FETCH"): "did you mean `PATCH`?",
    ("--exclude-method", "FETCH"): "did you mean `PATCH`?",
    ("--include-method", "TRACE"): "`TRACE` matches no method",
    ("--include-path", "/bok/*"): "did you mean `/books`?",
    ("--exclude-path", "/bok/*"): "did you mean `/books`?",
    ("--include-operation", "listBoks"): "did you mean `listBooks`",
    ("--exclude-operation", "listBoks"): "did you mean `listBooks`",
    ("--exclude-operation", "GET /boks"): "did you mean `GET /books`",
}




@pytest.mark.parametrize(("name", "text", "said"), [
    *(("api.yaml", text, ["error[E0432]: the document has no operations: nothing was written"])
      for text in EMPTY.values()),
    ("tools.json", '{"tools": []}', ["error[E0432]: the list is empty, there is no tool in it"]),
    ("api.yaml", UNREADABLE,
     ["warning[E0401]: path `/a` is not an object",
      "no tool came of the 3 operations of the document"]),
], ids=[*EMPTY, "no tools", "nothing that can be read"])  # fmt: skip
def test_a_document_that_makes_no_tool_is_an_error(mcpgen, here, name, text, said):
    (here / name).write_text(text)
    ended = mcpgen("generate", name, "-o", "out")
    assert ended.code == 1 and [part for part in said if part not in ended.err] == []
    assert not (here / "out").exists()


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("command", ["generate", "inspect", "lint"])
def test_an_error_in_a_referenced_file_is_an_error_of_the_document(
    mcpgen, here, command, content, message
):
    (here / "api.yaml").write_text(HEAD + "paths: {/a: {get: {}}, /b: {$ref: other.yaml}}\n")
    (here / "other.yaml").write_bytes(content.encode() if type(content) is str else content)
    ended = mcpgen(command, "api.yaml")
    assert ended.code == 1 and message in ended.err
    assert [path.name for path in here.iterdir() if path.is_dir()] == []


def test_a_missing_file_costs_what_stands_in_it(mcpgen, here):
    (here / "api.yaml").write_text(HEAD + "paths: {/a: {get: {}}, /b: {$ref: other.yaml}}\n")
    ended = mcpgen("inspect", "api.yaml")
    assert (ended.code, "1 tool + 0 filtered + 1 skipped" in ended.out) == (0, True)
    assert "/b: the path is a reference that points to nothing" in ended.out
    for command in ("generate", "lint"):
        first, *_ = mcpgen(command, "api.yaml").err.splitlines()
        assert first == "warning[E0204]: `$ref`: no such file: other.yaml"
    (here / "api.yaml").write_text(
        HEAD + "paths: {/a: {get: {}}, /b: {$ref: other.yaml}, /c: {$ref: other.yaml}}\n"
    )
    first, *_ = mcpgen("lint", "api.yaml").err.splitlines()
    assert first == "warning[E0204]: `$ref`: no such file: other.yaml, in 2 places"


def test_what_cannot_be_read_is_counted(mcpgen, here):
    (here / "api.yaml").write_text(UNREADABLE.replace("}}\n", "}, /d: {get: {}}}\n"))
    ended = mcpgen("inspect", "api.yaml", "--json")
    assert ended.json["operations"] == {"total": 4, "tools": 1, "filtered": 0, "skipped": 3}
    skips = {skip["operation"]: skip["reason"] for skip in ended.json["skips"]}
    assert skips == {
        "* /a": "the path is not an object",
        "GET /b": "the operation is not an object",
        "* /c": "the path is a reference that points to nothing",
    }


def test_a_project_whose_document_loses_everything_stays_as_it_is(mcpgen, bookshop, here):
    mcpgen("generate", "bookshop.yaml", "-o", "out")
    before = (here / "out" / "mcpgen.lock").read_bytes()
    bookshop.write_text(EMPTY["empty paths"])
    assert mcpgen("generate", "-o", "out", "--accept-changes").code == 1
    assert (here / "out" / "mcpgen.lock").read_bytes() == before


@pytest.mark.parametrize(("option", "url", "text"), [
    *(("--base-url", url, text) for url, text in ADDRESSES.items()),
    ("--allow-origin", "http://[", "error[E0706]: an allowed origin cannot be used: `http://[` is not a URL"),
], ids=[*ADDRESSES, "an origin"])  # fmt: skip
def test_a_url_that_is_none_is_wrong_usage(mcpgen, bookshop, here, option, url, text):
    ended = mcpgen("generate", "bookshop.yaml", "-o", "out", option, url)
    assert ended.code == 2 and "error[E0706]: " in ended.err and text in ended.err
    assert option != "--base-url" or "the base URL cannot be used: " in ended.err
    assert not (here / "out").exists()


def test_a_base_url_of_the_configuration_is_told_with_its_line(mcpgen, bookshop, here):
    mcpgen("generate", "bookshop.yaml", "-o", "out")
    path = here / "out" / "mcpgen.toml"
    path.write_text('base_url = "javascript:x"\n' + path.read_text())
    ended = mcpgen("generate", "-o", "out")
    assert ended.code == 2 and "mcpgen.toml:1:1" in ended.err
    assert "`javascript:x` is not an http or https URL" in ended.err


@pytest.mark.parametrize("url", ["http://localhost:8080/v1", "https://api.foo.com/v1/"])
def test_a_base_url_that_is_one_is_taken(mcpgen, bookshop, url):
    assert mcpgen("generate", "bookshop.yaml", "-o", "out", "--base-url", url).code == 0


@pytest.mark.parametrize(("words", "hint"), FILTERS.items(), ids=" ".join)
def test_a_filter_that_matches_nothing_is_wrong_usage(mcpgen, bookshop, here, words, hint):
    ended = mcpgen("generate", "bookshop.yaml", "-o", "out", *words)
    assert ended.code == 2 and f"error[E1121]: `{words[1]}` matches no " in ended.err
    assert f"`{words[0]}`" in ended.err and hint in ended.err and not (here / "out").exists()


def test_a_filter_of_the_configuration_that_matches_nothing_writes_nothing(mcpgen, bookshop, here):
    mcpgen("generate", "bookshop.yaml", "-o", "out")
    before = (here / "out" / "mcpgen.lock").read_bytes()
    config = here / "out" / "mcpgen.toml"
    config.write_text(
        config.read_text().replace("# [select]", '[select]\nexclude_operations = ["listBoks"]', 1)
    )
    ended = mcpgen("generate", "-o", "out")
    assert ended.code == 2 and "`exclude_operations` in `mcpgen.toml`" in ended.err
    assert (here / "out" / "mcpgen.lock").read_bytes() == before


def test_a_method_may_be_excluded_before_an_operation_has_it(mcpgen, bookshop):
    ended = mcpgen("generate", "bookshop.yaml", "-o", "out", "--exclude-method", "trace")
    assert ended.code == 0


def test_one_is_counted_as_one(mcpgen, here):
    """Operations, tools, problems and lines."""
    (here / "api.yaml").write_text(HEAD + "paths: {/a: 5}\n")
    assert "no tool came of the 1 operation of the document" in mcpgen("generate", "api.yaml").err
    (here / "api.yaml").write_text(
        HEAD + "servers: [{url: 'https://a.example'}]\npaths: {/a: {get: {}}}\n"
    )
    mcpgen("generate", "api.yaml", "-o", "out", "-q")
    assert "\n1 of 1 tool\n" in f"\n{mcpgen('list', '--project', 'out').err}"
    assert "(1 tool: mean" in mcpgen("score", "api.yaml").out
    assert "1 of 1 tool, about" in mcpgen("suggest", "api.yaml").err


def test_filters_that_leave_nothing_together_are_wrong_usage(mcpgen, bookshop, here):
    words = ("--include-tag", "books", "--exclude-path", "/books*")
    ended = mcpgen("generate", "bookshop.yaml", "-o", "out", *words)
    assert ended.code == 2
    assert "the filters leave nothing of the 13 operations of the document" in ended.err
    assert not (here / "out").exists()


def test_an_included_operation_keeps_its_place_under_a_new_operation_id(mcpgen, bookshop, here):
    mcpgen("generate", "bookshop.yaml", "-o", "out", "--include-operation", "listBooks")
    bookshop.write_text(bookshop.read_text().replace("operationId: listBooks", "operationId: all"))
    assert mcpgen("generate", "-o", "out").code == 0
    assert "list_books" in (here / "out" / "mcpgen.lock").read_text()


def test_a_later_run_says_which_tools_came_went_and_were_renamed(mcpgen, here):
    def say(names):
        paths = {f"/{name}": {"get": {"operationId": name, "responses": {}}} for name in names}
        document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}
        (here / "api.json").write_text(json.dumps(document))

    say(["one", "two", "three", "four"])
    assert "added" not in mcpgen("generate", "api.json", "-o", "out").out
    say(["one", "two", "three", "five"])
    with (here / "out" / "mcpgen.toml").open("a") as file:
        file.write('\n[tools.two]\nname = "second"\n')
    dry = mcpgen("generate", "-o", "out", "--dry-run", "--json").json
    assert dry["tools_moved"] == {
        "added": ["five"],
        "gone": ["four"],
        "renamed": [{"from": "two", "to": "second"}],
    }
    out = mcpgen("generate", "-o", "out").out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "added `five`" in lines and "gone `four`" in lines
    assert "renamed `two` to `second`" in lines
    again = mcpgen("generate", "-o", "out", "--json").json
    assert again["tools_moved"] == {"added": [], "gone": [], "renamed": []}
