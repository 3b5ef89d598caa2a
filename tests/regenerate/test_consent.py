"""What must be accepted: `generate` refuses it with exit code 3, `diff` shows the same with 13."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import run

from .shop import contents

Document = dict[str, Any]
Change = Callable[[Document], None]

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
    "openapi": "3.1.0",
    "info": {"title": "S", "version": "1"},
    "servers": [{"url": "https://api.example.com/v1"}],
    "security": [{"key": []}],
    "paths": {
        "/a": {"get": {"operationId": "getA", "responses": {}}},
        "/b": {"get": {"operationId": "getB", "security": [{"tok": []}], "responses": {}}},
        "/c": {"get": {"operationId": "getC", "security": [{"client": []}], "responses": {}}},
        "/d": {"get": {"operationId": "getD", "security": [{"person": ["read"]}], "responses": {}}},
    },
    "components": {"securitySchemes": SCHEMES},
}


PLAIN_PATH = {"get": {"operationId": "getA", "responses": {}}}


class Project:
    """A project beside its document, and commands in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.document, self.folder, self.capsys = folder / "api.json", folder / "project", capsys

    def says(self, document: Document) -> None:
        """The document changes."""
        self.document.write_text(json.dumps(document))

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        code = run(list(words))
        printed = self.capsys.readouterr()
        return code, printed.out, printed.err


@pytest.fixture
def project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Document], Project]:
    """Generate a project from a document and go there."""

    def make(document: Document) -> Project:
        made = Project(tmp_path, capsys)
        made.says(document)
        assert run(["generate", str(made.document), "--output", str(made.folder)]) == 0
        monkeypatch.chdir(made.folder)
        capsys.readouterr()
        return made

    return make


def after(change: Change, document: Document = DOCUMENT) -> Document:
    """The document after a change."""
    changed = copy.deepcopy(document)
    change(changed)
    return changed


def root_security(security: list[Any] | None) -> Change:
    def change(document: Document) -> None:
        document.pop("security")
        if security is not None:
            document["security"] = security

    return change


def own_security(path: str, security: list[Any]) -> Change:
    def change(document: Document) -> None:
        document["paths"][path]["get"]["security"] = security

    return change


def no_credentials(document: Document) -> None:
    document["security"] = []
    del document["paths"]["/b"]["get"]["security"]


def scheme(slug: str, **values: Any) -> Change:
    def change(document: Document) -> None:
        document["components"]["securitySchemes"][slug].update(values)

    return change


def flow(**values: Any) -> Change:
    def change(document: Document) -> None:
        flows = document["components"]["securitySchemes"]["client"]["flows"]
        flows["clientCredentials"].update(values)

    return change


def login(**values: Any) -> Change:
    def change(document: Document) -> None:
        flows = document["components"]["securitySchemes"]["person"]["flows"]
        flows["authorizationCode"].update(values)

    return change


def device_login(document: Document) -> None:
    """A second way to log in."""
    flows = document["components"]["securitySchemes"]["person"]["flows"]
    flows["deviceAuthorization"] = {
        "deviceAuthorizationUrl": "https://login.example.com/device",
        "tokenUrl": "https://login.example.com/token",
        "scopes": {},
    }


def server(url: str) -> Change:
    def change(document: Document) -> None:
        document["servers"] = [{"url": url}]

    return change


def new_operation(**values: Any) -> Change:
    def change(document: Document) -> None:
        document["paths"]["/n"] = {"get": {"operationId": "getN", "responses": {}, **values}}

    return change


def method(name: str) -> Change:
    def change(document: Document) -> None:
        document["paths"]["/a"] = {name: document["paths"]["/a"]["get"]}

    return change


def renamed_and_moved_without_credential(document: Document) -> None:
    del document["paths"]["/a"]
    document["paths"]["/moved"] = {
        "get": {"operationId": "getA", "security": [], "responses": {}},
    }


def replaced_by_a_deletion_of_the_same_name(document: Document) -> None:
    del document["paths"]["/a"]
    document["paths"]["/wipe"] = {"delete": {"operationId": "get-a", "responses": {}}}


MUST_BE_ACCEPTED: dict[str, tuple[Change, str, str]] = {
    "the root's credential is another": (
        root_security([{"tok": []}]), "`get_a`", "requests carry `tok` instead of `key`"),
    "the root's credential goes": (
        root_security(None), "`get_a`", "requests carry no credential instead of `key`"),
    "every credential goes, for one tool": (
        no_credentials, "`get_b`", "requests carry no credential instead of `tok`"),
    "an operation gains a credential": (own_security("/b", [{"tok": [], "key": []}]), "`get_b`",
        "requests carry `key` and `tok` instead of `tok`"),
    "an operation may go without": (own_security("/b", [{"tok": []}, {}]), "`get_b`",
        "requests carry `tok` or nothing instead of `tok`"),
    "another alternative comes first": (own_security("/b", [{"key": []}, {"tok": []}]), "`get_b`",
        "requests carry `key` or `tok` instead of `tok`"),
    "a key goes into another header": (scheme("key", name="X-Other"), "`get_a`",
        "credential `key` changes its name on the wire: `X-Key` is now `X-Other`"),
    "a key goes into the query": (scheme("key", **{"in": "query"}), "`get_a`",
        "credential `key` changes its place: `header` is now `query`"),
    "another scheme word": (scheme("tok", scheme="DPoP"), "`get_b`",
        "credential `tok` changes its scheme: `Bearer` is now `DPoP`"),
    "another token URL": (flow(tokenUrl="https://evil.example/token"), "`get_c`",
        "token URL: `https://login.example.com/token` is now `https://evil.example/token`"),
    "a further scope": (flow(scopes={"read": "", "write": "", "admin": ""}), "`get_c`",
        "credential `client` changes its scopes: `+admin`"),
    "an operation needs another scope of the login": (
        own_security("/d", [{"person": ["read", "write"]}]), "`get_d`",
        "credential `person` changes its scopes of the login: `+write`"),
    "another page to log in": (login(authorizationUrl="https://evil.example/authorize"), "`get_d`",
        "authorization URL: `https://login.example.com/authorize` is now `https://evil.example"),
    "another token URL of the login": (login(tokenUrl="https://evil.example/token"), "`get_d`",
        "token URL of the login: `https://login.example.com/token` is now `https://evil.example"),
    "another way to log in": (device_login, "`get_d`",
        "device authorization URL: none is now `https://login.example.com/device`"),
    "another origin": (server("https://evil.example/v1"), "`get_a`, `get_b`, `get_c`, `get_d`",
        "requests go to `https://evil.example` instead of `https://api.example.com`"),
    "another base path": (server("https://api.example.com/admin"),
        "`get_a`, `get_b`, `get_c`, `get_d`", "requests go below `/admin` instead of `/v1`"),
    "another method": (method("post"), "`get_a`", "requests are sent with POST instead of GET"),
    "a tool that only read": (method("put"), "`get_a`", "calls become destructive"),
    "a tool that only read, and does not destroy": (
        method("post"), "`get_a`", "calls no longer only read"),
    "a moved operation loses its credential": (renamed_and_moved_without_credential, "`get_a`",
        "requests carry no credential instead of `key`"),
    "a name stands for a deletion": (
        replaced_by_a_deletion_of_the_same_name, "`get_a`", "calls become destructive"),
    "a new tool calls another origin": (new_operation(servers=[{"url": "https://other.example"}]),
        "`get_n`", "requests of a new tool go to `https://other.example`, where none went before"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "tools", "text"), MUST_BE_ACCEPTED.values(), ids=MUST_BE_ACCEPTED
)
def test_generate_refuses_what_must_be_accepted_and_diff_says_the_same(
    project: Callable[[Document], Project], change: Change, tools: str, text: str
) -> None:
    made = project(DOCUMENT)
    before = contents(made.folder)
    made.says(after(change))
    code, _, err = made.run("generate")
    assert code == 3
    assert f"for {tools}: " in err
    assert text in err
    assert "--accept-changes" in err
    assert contents(made.folder) == before
    code, out, _ = made.run("diff")
    assert code == 13
    assert text in out
    assert made.run("generate", "--accept-changes")[0] == 0
    assert made.run("diff")[0] == 0
    assert made.run("generate")[0] == 0


def a_new_scheme_that_nothing_uses(document: Document) -> None:
    document["components"]["securitySchemes"]["more"] = {"type": "http", "scheme": "basic"}


def requirements_written_out(document: Document) -> None:
    document["paths"]["/a"]["get"]["security"] = [{"key": []}]
    document["security"] = [{"tok": []}]
    del document["paths"]["/b"]["get"]["security"]


HARMLESS: dict[str, Change] = {
    "a scheme that nothing uses": a_new_scheme_that_nothing_uses,
    "the same requirements, inherited by another operation": requirements_written_out,
    "a new tool with the credential of another": new_operation(security=[{"tok": []}]),
    "one of four tools goes": lambda document: document["paths"].pop("/b"),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_changes_no_call_needs_no_acceptance(
    project: Callable[[Document], Project], change: Change
) -> None:
    made = project(DOCUMENT)
    made.says(after(change))
    assert made.run("diff")[0] < 13
    assert made.run("generate")[0] == 0


def test_a_credential_that_no_tool_sent_before_must_be_accepted(
    project: Callable[[Document], Project],
) -> None:
    made = project(after(root_security([{"tok": []}])))
    made.says(after(new_operation(security=[{"key": []}]), after(root_security([{"tok": []}]))))
    code, _, err = made.run("generate")
    assert code == 3
    assert "for `get_n`: a new tool sends the credential `key`, which no tool sent before" in err


def test_a_credential_for_another_origin_must_be_accepted_even_where_both_are_known(
    project: Callable[[Document], Project],
) -> None:
    other = {"servers": [{"url": "https://other.example"}]}
    before = after(new_operation(**other, security=[{"tok": []}]))
    made = project(before)
    before["paths"]["/m"] = {"get": {"operationId": "getM", "responses": {}, **other}}
    made.says(before)
    code, _, err = made.run("generate")
    assert code == 3
    text = "a new tool sends the credential `key` to `https://other.example` as well"
    assert f"for `get_m`: {text}" in err


def test_a_lock_of_0_1_0_records_no_scopes_and_no_logins_and_needs_no_acceptance_of_them(
    project: Callable[[Document], Project],
) -> None:
    made = project(DOCUMENT)
    lock = made.folder / "mcpgen.lock"
    text = lock.read_text()
    old = re.sub(r', "scopes": \[[^]]*\](?=, "variables")|, "login": {[^{}]*}', "", text)
    assert text.count('"scopes"') == 5
    assert '"scopes"' not in old
    lock.write_text(old)
    assert made.run("generate")[0] == 0


# -- tools that go


def many(count: int) -> Document:
    """A document with so many operations."""
    paths = {
        f"/x{number:02}": {"get": {"operationId": f"x{number:02}", "responses": {}}}
        for number in range(count)
    }
    return {**DOCUMENT, "paths": paths}


@pytest.mark.parametrize(
    ("before", "now", "code"),
    [(8, 6, 0), (8, 5, 3), (4, 3, 0), (4, 2, 3), (2, 1, 0), (3, 1, 3), (13, 1, 3)],
    ids=lambda value: str(value),
)
def test_more_than_a_quarter_of_the_tools_and_more_than_one_must_be_accepted(
    project: Callable[[Document], Project], before: int, now: int, code: int
) -> None:
    made = project(many(before))
    files = contents(made.folder)
    made.says(many(now))
    ended, _, err = made.run("generate")
    assert ended == code
    if code == 3:
        assert f"{before - now} of {before} tools are gone: `x{now:02}`, " in err
        assert contents(made.folder) == files
        assert made.run("diff")[0] == 13
        assert made.run("generate", "--accept-changes")[0] == 0


def test_a_screen_full_of_lost_tools_is_named_and_the_rest_counted(
    project: Callable[[Document], Project],
) -> None:
    made = project(many(50))
    made.says(many(10))
    _, _, err = made.run("generate")
    assert "40 of 50 tools are gone" in err
    assert "`x39` and 10 more" in err
    assert "`x40`" not in err


def test_renamed_and_moved_operations_are_not_lost(
    project: Callable[[Document], Project],
) -> None:
    made = project(many(8))
    document = many(8)
    for number in range(4):
        document["paths"][f"/x{number:02}"]["get"]["operationId"] = f"other{number}"
    for number in range(4, 8):
        document["paths"][f"/moved{number}"] = document["paths"].pop(f"/x{number:02}")
    made.says(document)
    assert made.run("generate")[0] == 0


def test_a_document_that_was_cut_off_and_still_is_yaml_is_refused(
    project: Callable[[Document], Project],
) -> None:
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


def test_a_credential_of_the_configuration_is_the_users_own_word(
    project: Callable[[Document], Project],
) -> None:
    made = project({**DOCUMENT, "security": [], "components": {}, "paths": {"/a": PLAIN_PATH}})
    config = made.folder / "mcpgen.toml"
    config.write_text(f'{config.read_text()}\n[auth]\nscheme = "header:X-Key"\n')
    code, _, err = made.run("generate")
    assert code == 0, err
    assert "MCPGEN_S_API_KEY" in (made.folder / "src/s_mcp/api.json").read_text()


def test_a_document_that_takes_over_the_credential_of_the_configuration_must_be_accepted(
    project: Callable[[Document], Project],
) -> None:
    made = project({**DOCUMENT, "security": [], "components": {}, "paths": {"/a": PLAIN_PATH}})
    made.says({**DOCUMENT, "paths": {"/a": PLAIN_PATH}})
    code, _, err = made.run("generate")
    assert code == 3
    assert "requests carry `key` instead of no credential" in err
