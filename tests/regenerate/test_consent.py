"""What must be accepted: `generate` refuses it with exit code 3, `diff` shows the same with 13."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Command, Ended

from .shop import Change, Document, both, changed, contents, cut, get, set_in

SCHEMES = {
    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "tok": {"type": "http", "scheme": "bearer"},
    "client": {
        "type": "oauth2",
        "flows": {"clientCredentials": {
            "tokenUrl": "https://login.example.com/token", "scopes": {"read": "", "write": ""}}}},
    "person": {
        "type": "oauth2",
        "flows": {"authorizationCode": {
            "authorizationUrl": "https://login.example.com/authorize",
            "tokenUrl": "https://login.example.com/token", "scopes": {"read": "", "write": ""}}}},
}  # fmt: skip
DOCUMENT: Document = {
    "openapi": "3.1.0", "info": {"title": "S", "version": "1"},
    "servers": [{"url": "https://api.example.com/v1"}], "security": [{"key": []}],
    "paths": {
        "/a": get("getA"), "/b": get("getB", security=[{"tok": []}]),
        "/c": get("getC", security=[{"client": []}]),
        "/d": get("getD", security=[{"person": ["read"]}])},
    "components": {"securitySchemes": SCHEMES},
}  # fmt: skip


PLAIN_PATH = get("getA")


class Project:
    """A project beside its document, and commands in it."""

    def __init__(self, folder: Path, mcpgen: Command) -> None:
        self.document, self.folder, self.run = folder / "api.json", folder / "project", mcpgen

    def says(self, document: Document) -> None:
        """The document changes."""
        self.document.write_text(json.dumps(document))

    def after(self, document: Document, *words: str) -> Ended:
        """The document changes, and the project is generated again."""
        self.says(document)
        return self.run("generate", *words)


Make = Callable[[Document], Project]


@pytest.fixture
def project(tmp_path: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Generate a project from a document and go there."""

    def make(document: Document) -> Project:
        made = Project(tmp_path, mcpgen)
        made.says(document)
        assert mcpgen("generate", made.document, "--output", made.folder).code == 0
        monkeypatch.chdir(made.folder)
        return made

    return make


def after(change: Change, document: Document = DOCUMENT) -> Document:
    """The document after a change."""
    return changed(change, document)


def own_security(path: str, security: list[Any]) -> Change:
    return set_in("paths", path, "get", "security", to=security)


def scheme(*path: str, to: Any) -> Change:
    return set_in("components", "securitySchemes", *path, to=to)


def new_operation(**values: Any) -> Change:
    return set_in("paths", "/n", to=get("getN", **values))


def method(name: str) -> Change:
    return set_in("paths", "/a", to={name: get("getA")["get"]})


FLOW = ("client", "flows", "clientCredentials")
LOGIN = ("person", "flows", "authorizationCode")
DEVICE = {
    "deviceAuthorizationUrl": "https://login.example.com/device",
    "tokenUrl": "https://login.example.com/token", "scopes": {},
}  # fmt: skip
EVIL = "https://evil.example"
MUST_BE_ACCEPTED: dict[str, tuple[Change, str, str]] = {
    "the root's credential is another": (
        set_in("security", to=[{"tok": []}]), "a", "requests carry `tok` instead of `key`"),
    "the root's credential goes": (
        cut("security"), "a", "requests carry no credential instead of `key`"),
    "every credential goes, for one tool": (
        both(set_in("security", to=[]), cut("paths", "/b", "get", "security")),
        "b", "requests carry no credential instead of `tok`"),
    "an operation gains a credential": (
        own_security("/b", [{"tok": [], "key": []}]),
        "b", "requests carry `key` and `tok` instead of `tok`"),
    "an operation may go without": (
        own_security("/b", [{"tok": []}, {}]),
        "b", "requests carry `tok` or nothing instead of `tok`"),
    "another alternative comes first": (
        own_security("/b", [{"key": []}, {"tok": []}]),
        "b", "requests carry `key` or `tok` instead of `tok`"),
    "a key goes into another header": (
        scheme("key", "name", to="X-Other"),
        "a", "credential `key` changes its name on the wire: `X-Key` is now `X-Other`"),
    "a key goes into the query": (
        scheme("key", "in", to="query"),
        "a", "credential `key` changes its place: `header` is now `query`"),
    "another scheme word": (
        scheme("tok", "scheme", to="DPoP"),
        "b", "credential `tok` changes its scheme: `Bearer` is now `DPoP`"),
    "another token URL": (
        scheme(*FLOW, "tokenUrl", to=f"{EVIL}/token"),
        "c", f"token URL: `https://login.example.com/token` is now `{EVIL}/token`"),
    "a further scope": (
        scheme(*FLOW, "scopes", "admin", to=""),
        "c", "credential `client` changes its scopes: `+admin`"),
    "an operation needs another scope of the login": (
        own_security("/d", [{"person": ["read", "write"]}]),
        "d", "credential `person` changes its scopes of the login: `+write`"),
    "another page to log in": (
        scheme(*LOGIN, "authorizationUrl", to=f"{EVIL}/authorize"),
        "d", f"authorization URL: `https://login.example.com/authorize` is now `{EVIL}"),
    "another token URL of the login": (
        scheme(*LOGIN, "tokenUrl", to=f"{EVIL}/token"),
        "d", f"token URL of the login: `https://login.example.com/token` is now `{EVIL}"),
    "another way to log in": (
        scheme("person", "flows", "deviceAuthorization", to=DEVICE),
        "d", "device authorization URL: none is now `https://login.example.com/device`"),
    "another origin": (
        set_in("servers", 0, "url", to=f"{EVIL}/v1"),
        "abcd", f"requests go to `{EVIL}` instead of `https://api.example.com`"),
    "another base path": (
        set_in("servers", 0, "url", to="https://api.example.com/admin"),
        "abcd", "requests go below `/admin` instead of `/v1`"),
    "another method": (method("post"), "a", "requests are sent with POST instead of GET"),
    "a tool that only read": (method("put"), "a", "calls become destructive"),
    "a tool that only read, and does not destroy": (
        method("post"), "a", "calls no longer only read"),
    "a moved operation loses its credential": (
        both(cut("paths", "/a"), set_in("paths", "/moved", to=get("getA", security=[]))),
        "a", "requests carry no credential instead of `key`"),
    "a name stands for a deletion": (
        both(cut("paths", "/a"), set_in("paths", "/wipe", to={"delete": get("get-a")["get"]})),
        "a", "calls become destructive"),
    "a new tool calls another origin": (
        new_operation(servers=[{"url": "https://other.example"}]),
        "n", "requests of a new tool go to `https://other.example`, where none went before"),
}  # fmt: skip
"""The change, which tools it is of, and the text."""


@pytest.mark.parametrize(
    ("change", "tools", "text"), MUST_BE_ACCEPTED.values(), ids=MUST_BE_ACCEPTED
)
def test_generate_refuses_what_must_be_accepted_and_diff_says_the_same(
    project: Make, change: Change, tools: str, text: str
) -> None:
    made = project(DOCUMENT)
    before = contents(made.folder)
    code, _, err = made.after(after(change))
    assert code == 3
    names = ", ".join(f"`get_{tool}`" for tool in tools)
    assert f"for {names}: " in err
    assert text in err
    assert "--accept-changes" in err
    assert contents(made.folder) == before
    code, out, _ = made.run("diff")
    assert code == 13
    assert text in out
    assert made.run("generate", "--accept-changes")[0] == 0
    assert made.run("diff")[0] == 0
    assert made.run("generate")[0] == 0


HARMLESS: dict[str, Change] = {
    "a scheme that nothing uses": scheme("more", to={"type": "http", "scheme": "basic"}),
    "the same requirements, inherited by another operation": both(
        own_security("/a", [{"key": []}]), set_in("security", to=[{"tok": []}]),
        cut("paths", "/b", "get", "security")),
    "a new tool with the credential of another": new_operation(security=[{"tok": []}]),
    "one of four tools goes": cut("paths", "/b"),
}  # fmt: skip


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_changes_no_call_needs_no_acceptance(project: Make, change: Change) -> None:
    made = project(DOCUMENT)
    made.says(after(change))
    assert made.run("diff")[0] < 13
    assert made.run("generate")[0] == 0


def test_a_credential_that_no_tool_sent_before_must_be_accepted(project: Make) -> None:
    before = after(set_in("security", to=[{"tok": []}]))
    made = project(before)
    both = after(new_operation(security=[{"digest": [], "key": []}]), before)
    both["components"]["securitySchemes"]["digest"] = {"type": "http", "scheme": "digest"}
    code, _, err = made.after(both)
    assert code == 3
    assert "for `get_n`: a new tool sends the credential `key`, which no tool sent before" in err


def test_a_credential_of_a_tool_that_goes_was_agreed_to(project: Make) -> None:
    made = project(DOCUMENT)
    replaced = after(new_operation(security=[{"tok": []}]))
    del replaced["paths"]["/b"]
    assert made.after(replaced).code == 0


def test_a_credential_for_another_origin_must_be_accepted_even_where_both_are_known(
    project: Make,
) -> None:
    other = {"servers": [{"url": "https://other.example"}]}
    before = after(new_operation(**other, security=[{"tok": []}]))
    made = project(before)
    before["paths"]["/m"] = get("getM", **other)
    code, _, err = made.after(before)
    assert code == 3
    text = "a new tool sends the credential `key` to `https://other.example` as well"
    assert f"for `get_m`: {text}" in err


def test_a_new_operation_at_the_new_origin_needs_no_acceptance_of_its_own(project: Make) -> None:
    made = project(DOCUMENT)
    moved = after(set_in("servers", 0, "url", to="https://other.example.com/v1"))
    moved["paths"]["/e"] = get("getE")
    ended = made.after(moved)
    assert ended.code == 3 and "new tool" not in ended.err


# -- tools that go


def many(count: int) -> Document:
    """A document with so many operations."""
    names = [f"x{number:02}" for number in range(count)]
    return {**DOCUMENT, "paths": {f"/{name}": get(name) for name in names}}


@pytest.mark.parametrize(("before", "now", "code"), [
    (8, 6, 0), (8, 5, 3), (4, 3, 0), (4, 2, 3), (2, 1, 0), (3, 1, 3), (13, 1, 3),
], ids=lambda value: str(value))  # fmt: skip
def test_more_than_a_quarter_of_the_tools_and_more_than_one_must_be_accepted(
    project: Make, before: int, now: int, code: int
) -> None:
    made = project(many(before))
    files = contents(made.folder)
    ended, _, err = made.after(many(now))
    assert ended == code
    if code == 3:
        assert f"{before - now} of {before} tools are gone: `x{now:02}`, " in err
        assert contents(made.folder) == files
        assert made.run("diff")[0] == 13
        assert made.run("generate", "--accept-changes")[0] == 0


def test_a_screen_full_of_lost_tools_is_named_and_the_rest_counted(project: Make) -> None:
    _, _, err = project(many(50)).after(many(10))
    assert "40 of 50 tools are gone" in err
    assert "`x39` and 10 more" in err
    assert "`x40`" not in err


def test_renamed_and_moved_operations_are_not_lost(project: Make) -> None:
    made = project(many(8))
    document = many(8)
    for number in range(4):
        document["paths"][f"/x{number:02}"]["get"]["operationId"] = f"other{number}"
    for number in range(4, 8):
        document["paths"][f"/moved{number}"] = document["paths"].pop(f"/x{number:02}")
    assert made.after(document).code == 0


def test_a_document_that_was_cut_off_and_still_is_yaml_is_refused(project: Make) -> None:
    lines = ["openapi: 3.1.0", "info: {title: S, version: '1'}"]
    lines += ["servers: [{url: 'https://api.example.com/v1'}]", "paths:"]
    for number in range(13):
        lines += [f"  /x{number}:", "    get:", f"      operationId: x{number}"]
        lines += ["      responses: {'200': {description: ok}}"]
    text = "\n".join(lines) + "\n"
    made = project(many(1))
    made.document.write_text(text)
    assert made.run("generate", "--accept-changes")[0] == 0
    before = contents(made.folder)
    made.document.write_text(text[: text.index("  /x1:")])
    code, _, err = made.run("generate")
    assert code == 3
    assert "12 of 13 tools are gone: `x1`, `x10`, " in err
    assert contents(made.folder) == before


def test_a_credential_of_the_configuration_is_the_users_own_word(project: Make) -> None:
    made = project({**DOCUMENT, "security": [], "components": {}, "paths": {"/a": PLAIN_PATH}})
    config = made.folder / "mcpgen.toml"
    config.write_text(f'{config.read_text()}\n[auth]\nscheme = "header:X-Key"\n')
    code, _, err = made.run("generate")
    assert code == 0, err
    assert "S_MCP_API_KEY" in (made.folder / "src/s_mcp/api.json").read_text()


def test_a_document_that_takes_over_a_credential_must_be_accepted(project: Make) -> None:
    made = project({**DOCUMENT, "security": [], "components": {}, "paths": {"/a": PLAIN_PATH}})
    code, _, err = made.after({**DOCUMENT, "paths": {"/a": PLAIN_PATH}})
    assert code == 3
    assert "requests carry `key` instead of no credential" in err
