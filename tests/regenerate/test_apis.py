"""Several APIs in one server: nothing of one meets anything of another."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client

from mcpgen.config import Config
from mcpgen.customise.bindings import known_apis
from mcpgen.pipeline import generate
from mcpgen.problems import Problems
from mcpgen.runtime.parts.http import share
from mcpgen.runtime.settings import SettingsError, read
from tests.commands import Command
from tests.generated import importable
from tests.loopback import Recorder, recorders

from .shop import add, lock_of

USER = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}


def described(version: str, *fields: str) -> dict[str, Any]:
    """An API of a version with the paths, names, schemas, tags and schemes of every other one; its
    users have fields of their own.
    """
    old = version == "2.0"
    user = {
        **USER,
        "properties": {**USER["properties"], **{key: {"type": "string"} for key in fields}},
    }
    ref = {"$ref": f"#/{'definitions' if old else 'components/schemas'}/User"}
    body: dict[str, Any] = {"requestBody": {"content": {"application/json": {"schema": ref}}}}
    content = {"content": {"application/json": {"schema": {"type": "array", "items": ref}}}}
    if old:
        body = {"parameters": [{"in": "body", "name": "body", "schema": ref}]}
        content = {"schema": {"type": "array", "items": ref}}
    parts = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}
    parts["schemas"] = {"User": user}
    answer = {"200": {"description": "ok", **content}}
    users = {
        "get": {"operationId": "listUsers", "tags": ["users"], "responses": answer},
        "post": {"operationId": "addUser", "tags": ["users"], **body, "responses": answer},
    }
    head: dict[str, Any] = {"openapi": version, "components": parts}
    if old:
        head = {"swagger": version, "definitions": parts["schemas"]}
        head["securityDefinitions"] = parts["securitySchemes"]
    return {
        **head, "info": {"title": "Users", "version": "1"}, "security": [{"key": []}],
        "tags": [{"name": "users", "description": f"Users with {fields}"}], "paths": {"/users": users},
    }  # fmt: skip


VERSIONS = {"shop": "3.0.3", "billing": "2.0", "mail": "3.1.0", "stock": "3.2.0"}


@pytest.fixture
def apis() -> Iterator[dict[str, Recorder]]:
    """A stand-in for each API."""
    with recorders(VERSIONS, b'[{"id": "u1"}]') as apis:
        yield apis


def configuration(apis: dict[str, Recorder], *names: str) -> str:
    """The tables of these APIs."""
    lines = ['name = "office"', "[select]"]
    for name in names:
        lines += [f"[apis.{name}]", f'path = "{name}.yaml"']
        lines += [f'base_url = "{apis[name].url}/v1"', f'headers = {{ "X-{name}" = "yes" }}']
    return "\n".join(lines)


@pytest.fixture
def office(tmp_path: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Generate a project of the APIs that a configuration names."""
    for name, version in VERSIONS.items():
        document = described(version, f"of_{name}")
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    monkeypatch.chdir(tmp_path)

    def generated(text: str) -> Path:
        Path("mcpgen.toml").write_text(text)
        done = mcpgen("generate", "--accept-changes")
        assert done.code == 0, done.said
        return tmp_path / "src"

    return generated


def called(source: Path, **environment: str) -> Any:
    """Call every tool as the official client does; the texts of the answers by the tool."""
    settings = {f"OFFICE_MCP_{name}": value for name, value in environment.items()}
    with importable(source, "office_mcp", **settings) as module:
        app = module("runtime.app").App("office_mcp")

        async def go() -> dict[str, str]:
            async with Client(app.server) as client:
                tools = [tool.name for tool in (await client.list_tools()).tools]
                given = {name: {"id": "7"} if "add_user" in name else {} for name in tools}
                answers = [(name, await client.call_tool(name, given[name])) for name in tools]
            return {name: answer.content[0].text for name, answer in answers}

        return asyncio.run(go())


def test_each_call_reaches_its_own_api_with_its_own_credential(
    apis: dict[str, Recorder], office: Callable[..., Path]
) -> None:
    source = office(configuration(apis, *VERSIONS))
    keys = {f"{name.upper()}_KEY": f"secret-of-{name}" for name in VERSIONS}
    called(source, ALLOW_PRIVATE="true", **keys)
    for name, recorder in apis.items():
        assert {(asked.method, asked.target) for asked in recorder.asked} == {
            ("GET", "/v1/users"), ("POST", "/v1/users"),
        }  # fmt: skip
        for asked in recorder.asked:
            sent = asked.fields
            assert sent["x-key"] == f"secret-of-{name}" and sent[f"x-{name}"] == "yes"
            assert not {f"x-{other}" for other in VERSIONS.keys() - {name}} & sent.keys()


def test_one_api_more_or_less_renames_nothing_of_the_others(
    apis: dict[str, Recorder], office: Callable[..., Path], mcpgen: Command
) -> None:
    lists = []
    for names in (
        ["billing"],
        ["billing", "shop"],
        ["billing", "mail", "shop", "stock"],
        ["billing"],
    ):
        source = office(configuration(apis, *names))
        assert mcpgen("check").code == 0 and mcpgen("diff").code == 0
        package = source / "office_mcp"
        tools = [package / "tools" / f"billing_users.{kind}" for kind in ("py", "json")]
        lists.append([path.read_bytes() for path in tools])
        models = (package / "models.py").read_text()
        assert [f"class {name.capitalize()}User(" in models for name in names] == [True] * len(
            names
        )
    assert lists == [lists[0]] * 4


def test_the_first_api_keeps_its_names_and_a_new_address_moves_one_api_alone(
    apis: dict[str, Recorder], office: Callable[..., Path]
) -> None:
    first = f'name = "office"\nbase_url = "{apis["shop"].url}/v1"\n[source]\npath = "shop.yaml"\n'
    further = configuration(apis, "billing").partition("\n")[2]
    source = office(first)
    alone = (source / "office_mcp" / "tools" / "users.py").read_bytes()
    office(first + further)
    assert (source / "office_mcp" / "tools" / "users.py").read_bytes() == alone
    moved = f"{apis['mail'].url}/v1"
    keys = {"KEY": "secret-of-shop", "BILLING_KEY": "secret-of-billing"}
    called(source, ALLOW_PRIVATE="true", BILLING_BASE_URL=moved, **keys)
    assert {asked.fields["x-key"] for asked in apis["shop"].asked} == {"secret-of-shop"}
    assert {asked.fields["x-key"] for asked in apis["mail"].asked} == {"secret-of-billing"}
    assert not apis["billing"].asked


def test_tables_and_filters_are_about_the_operations_of_one_api(
    apis: dict[str, Recorder], office: Callable[..., Path], mcpgen: Command
) -> None:
    tables = """
    [tools."billing:listUsers"]
    name = "billing_find_users"
    [tools."GET shop:/users"]
    enabled = false
    [tools.tag."mail:users".hints]
    open_world = false
    """
    text = configuration(apis, "billing", "mail", "shop") + tables
    office(text.replace("[select]", '[select]\nexclude_operations = ["billing:addUser"]'))
    names = {line.partition("(")[0] for line in mcpgen("list").out.splitlines()}
    assert names == {"billing_find_users", "mail_add_user", "mail_list_users", "shop_add_user"}
    assert '"openWorldHint":false' in Path("src/office_mcp/tools/mail_users.json").read_text()


def test_each_api_selects_and_mends_its_own_operations(
    apis: dict[str, Recorder], office: Callable[..., Path], mcpgen: Command
) -> None:
    action = {"target": "$.paths['/users'].get", "update": {"operationId": "findUsers"}}
    overlay = {"overlay": "1.0.0", "info": {"title": "x", "version": "1"}, "actions": [action]}
    Path("mail.overlay.yaml").write_text(yaml.safe_dump(overlay))
    own = """[apis.mail]
    overlays = ["mail.overlay.yaml"]
    select = { include_operations = ["find*"], include_tags = ["users"] }"""
    text = configuration(apis, "billing", "mail").replace("[apis.mail]", own)
    office(text)
    names = {line.partition("(")[0] for line in mcpgen("list").out.splitlines()}
    assert names == {"billing_add_user", "billing_list_users", "mail_find_users"}
    Path("mcpgen.toml").write_text(text.replace('"find*"', '"fnd*"'))
    refused = mcpgen("generate")
    assert "of `mail` (`include_operations` in `[apis.mail.select]`)" in refused.said


@pytest.mark.parametrize(("line", "place", "advice"), [
    ("timeout = 3", "3:1", "whoever runs the server sets it"),
    ('allow_origins = ["http://x y"]', "3:1", "an allowed origin cannot be used"),
    ("select = { tags = [] }", "3:1", "its keys are `include_tags`"),
    ("select = 3", "3:1", "must be a table"),
    ("workflows = []", "3:1", "it belongs in `[source]`"),
])  # fmt: skip
def test_a_key_that_an_api_does_not_have_is_named_with_its_place(
    office: Callable[..., Path], mcpgen: Command, line: str, place: str, advice: str
) -> None:
    Path("mcpgen.toml").write_text(f'[apis.billing]\npath = "billing.yaml"\n{line}\n')
    refused = mcpgen("generate")
    assert refused.code == 2 and f"mcpgen.toml:{place}" in refused.said and advice in refused.said


def test_a_certificate_of_one_api_has_its_own_variables(
    apis: dict[str, Recorder], office: Callable[..., Path]
) -> None:
    document = described("3.1.0")
    document["components"]["securitySchemes"]["key"] = {"type": "mutualTLS"}
    Path("mail.yaml").write_text(yaml.safe_dump(document))
    office(configuration(apis, "mail", "shop"))
    variables = Path(".env.example").read_text()
    assert "OFFICE_MCP_MAIL_CLIENT_CERT" in variables
    assert "OFFICE_MCP_CLIENT_CERT" not in variables


def test_limits_and_certificates_of_one_api_are_not_those_of_another() -> None:
    facts = {
        "name": "x", "env_prefix": "X_MCP", "base_url": "https://a.eu",
        "allowed_origins": ["https://every.eu"],
        "apis": {name: {"base_url": f"https://{name}.eu"} for name in ("b", "c")},
    }  # fmt: skip
    facts["apis"]["b"]["allowed_origins"] = ["https://uploads.eu"]  # type: ignore[index]
    variables = {"TIMEOUT": "7", "B_TIMEOUT": "3", "B_RATE_LIMIT": "6/m", "CLIENT_CERT": __file__}
    variables |= {"B_MAX_CONCURRENCY": "4", "C_CLIENT_CERT": __file__}
    settings = read(facts, {f"X_MCP_{name}": value for name, value in variables.items()})
    limits = [settings.of(name) for name in ("", "b", "c")]
    assert [own.timeout for own in limits] == [7, 3, 7]
    assert [own.rate_limit for own in limits] == [0, 0.1, 0]
    assert [own.max_concurrency for own in limits] == [64, 4, 64]
    assert [own.client_cert is not None for own in limits] == [True, False, True]
    assert [len(own.open_origins) for own in limits] == [1, 2, 1] and not settings.notes
    shared = share(settings, 2)
    assert [shared.of(name).max_concurrency for name in ("", "b", "c")] == [32, 2, 32]
    with pytest.raises(SettingsError, match="X_MCP_B_RETRIES"):
        read(facts, {"X_MCP_B_RETRIES": "many"})


def test_calls_are_checked_against_the_schemas_of_their_own_api(
    apis: dict[str, Recorder], office: Callable[..., Path]
) -> None:
    office(configuration(apis, *VERSIONS))
    for name in VERSIONS:
        listed = Path(f"src/office_mcp/tools/{name}_users.json").read_text()
        assert f"of_{name}" in listed
        assert not [other for other in VERSIONS if other != name and f"of_{other}" in listed]


@pytest.mark.parametrize(("text", "message"), [
    ('[source]\npath = "shop.yaml"\n[apis.billing]', "`[apis.billing]` names no document"),
    ('[apis.Billing]\npath = "billing.yaml"', "cannot be the name of an API"),
    ('[source]\npath = ["shop.yaml", "billing.yaml"]\n[apis.billing]\npath = "mail.yaml"',
     "cannot be named after its file"),
    ('[apis.connect]\npath = "mail.yaml"',
     "cannot be called `connect`: `CONNECT_TIMEOUT` is another setting already"),
    ('[apis.mail]\npath = "mail.yaml"\n[apis.mail_connect]\npath = "billing.yaml"',
     "cannot be called `mail_connect`: `MAIL_CONNECT_TIMEOUT` is another setting already"),
])  # fmt: skip
def test_an_api_without_a_name_or_a_document_is_refused(
    office: Callable[..., Path], mcpgen: Command, text: str, message: str
) -> None:
    Path("mcpgen.toml").write_text(text)
    refused = mcpgen("generate")
    assert refused.code == 2 and message in refused.said


def test_an_api_is_added_with_a_command(
    apis: dict[str, Recorder], office: Callable[..., Path], mcpgen: Command
) -> None:
    office('name = "office"\n[source]\npath = "shop.yaml"  # the first\n')
    reader = Path("src/office_mcp/runtime/client/apis.py")
    assert not reader.exists()
    added = mcpgen("add", "api", "mail.yaml", "--prefix", "post")
    assert reader.exists() and added.code == 0, added.said
    text = Path("mcpgen.toml").read_text()
    assert text.endswith('# the first\n\n[apis.post]\npath = "mail.yaml"\n')
    assert Path("src/office_mcp/tools/post_users.py").exists() and mcpgen("check").code == 0
    again = mcpgen("add", "api", "stock.yaml", "--prefix", "post")
    gone = mcpgen("add", "api", "none.yaml")
    assert (again.code, gone.code) == (2, 2) and Path("mcpgen.toml").read_text() == text


def test_the_endpoints_and_trusted_origins_of_one_api_are_not_those_of_another() -> None:
    auth = {"kind": "client_credentials", "variables": ["X_MCP_ID"], "token_url": "https://t.eu"}
    facts = {
        "name": "x", "env_prefix": "X_MCP", "base_url": "https://a.eu",
        "auth": {"a": auth, "b": {**auth, "api": "b"}, "c": {**auth, "api": "c"}},
        "apis": {name: {"base_url": f"https://{name}.eu"} for name in ("b", "c")},
    }  # fmt: skip
    variables = {"TOKEN_URL": "https://first.eu", "B_TOKEN_URL": "https://second.eu"}
    settings = read(facts, {f"X_MCP_{name}": value for name, value in variables.items()})
    urls = [settings.credentials[name].token_url for name in "abc"]
    assert urls == ["https://first.eu", "https://second.eu", "https://t.eu"]
    hosts = {"a": "first.eu", "b": "second.eu", "c": None}
    for name, host in hosts.items():
        own = settings.of("" if name == "a" else name)
        assert list(own.own_credentials) == [name]
        assert [origin.host for origin in own.trusted_origins] == ([host] if host else [])


def boats(name: str, path: str, server: str = "") -> str:
    """A document of one server, which has several."""
    return yaml.safe_dump({
        "openapi": "3.0.3", "info": {"title": name.capitalize(), "version": "1"},
        "servers": [{"url": server or f"/api/v2/{name}"}], "security": [{"token": []}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": {path: {"get": {"summary": f"List the {name}", "responses": {"200": {"description": "ok"}}}}},
    })  # fmt: skip


@pytest.fixture
def port(tmp_path: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the documents of a harbour, beside a project of them, which is here."""
    specs = tmp_path / "specs"
    specs.mkdir()
    for name in ("boats", "crew"):
        (specs / f"{name}.yaml").write_text(boats(name, "/all"))
    (specs / "weather.yaml").write_text(boats("weather", "/today", "https://weather.example.com"))
    monkeypatch.chdir(tmp_path)
    assert mcpgen("generate", specs, "-o", "office", "--name", "office", "-q").code == 0
    monkeypatch.chdir(tmp_path / "office")
    return specs


def variables() -> set[str]:
    """What the operator is asked to set."""
    lines = Path(".env.example").read_text().splitlines()
    return {line.partition("=")[0] for line in lines if re.match(r"[A-Z]+_MCP_", line)}


OWN = {f"OFFICE_MCP_{name}" for name in ("BASE_URL", "TOKEN_TOKEN", "WEATHER_TOKEN_TOKEN")}


def test_documents_of_one_address_share_the_variables_of_one_credential(
    port: Path, apis: dict[str, Recorder]
) -> None:
    assert variables() == OWN
    given = {"ALLOW_PRIVATE": "true", "TOKEN_TOKEN": "the-secret-of-the-harbour"}
    given["WEATHER_BASE_URL"] = apis["mail"].url
    for base, start in (("/api/v2/boats", "/api/v2"), ("/proxy/api/v2/boats/", "/proxy/api/v2")):
        apis["shop"].asked.clear()
        called(Path("src"), BASE_URL=apis["shop"].url + base, **given)
        asked = [(each.target, each.fields["authorization"]) for each in apis["shop"].asked]
        bearer = "Bearer the-secret-of-the-harbour"
        assert {*asked} == {(f"{start}/boats/all", bearer), (f"{start}/crew/all", bearer)}
    assert not any("authorization" in each.fields for each in apis["mail"].asked)


def test_credentials_that_are_shared_go_to_no_other_origin(port: Path) -> None:
    facts = json.loads(next(Path("src").glob("*/api.json")).read_text())
    urls = {"OFFICE_MCP_BASE_URL": "https://port.example.com/api/v2/boats"}
    urls["OFFICE_MCP_CREW_BASE_URL"] = "https://port.example.com"
    assert read(facts, urls).of("crew").base_url == "https://port.example.com"
    with pytest.raises(SettingsError, match="separate = true"):
        read(facts, {**urls, "OFFICE_MCP_CREW_BASE_URL": "https://x.example.com"})


@pytest.mark.parametrize("address", ["", "https://port.example.com/api/v2"])
def test_the_others_keep_the_variables_of_the_first_document_when_it_goes(
    port: Path, mcpgen: Command, apis: dict[str, Recorder], address: str
) -> None:
    for name in ("boats", "crew", "docks"):
        server = address and f"{address}/{name}"
        (port / f"{name}.yaml").write_text(boats(name, "/all", server))
    assert mcpgen("generate", "--accept-changes", "--renew", "-q").code == 0
    before, asked_for = lock_of(Path()), variables()
    (port / "boats.yaml").unlink()
    for name in ("docks", "aground"):
        assert mcpgen("generate", "--accept-changes", "--renew", "-q").code == 0
        assert variables() == asked_for and mcpgen("check").code == 0
        after = lock_of(Path())
        assert after.base_url == before.base_url and after.apis["crew"] == ""
        for other in ("crew", "weather"):
            assert after.auth[f"{other}_token"] == before.auth[f"{other}_token"]
        (port / f"{name}.yaml").unlink(missing_ok=True)
    apis["shop"].asked.clear()
    given = {"ALLOW_PRIVATE": "true", "TOKEN_TOKEN": "of-the-harbour"}
    base = apis["shop"].url + "/proxy/api/v2/boats"
    called(Path("src"), BASE_URL=base, WEATHER_BASE_URL=apis["mail"].url, **given)
    asked = [(each.target, each.fields["authorization"]) for each in apis["shop"].asked]
    assert asked == [("/proxy/api/v2/crew/all", "Bearer of-the-harbour")]


@pytest.mark.parametrize("scheme", ["digest", "basic"])
def test_a_credential_that_becomes_another_keeps_no_variables(
    port: Path, mcpgen: Command, scheme: str
) -> None:
    (port / "boats.yaml").unlink()
    assert mcpgen("generate", "--accept-changes", "--renew", "-q").code == 0
    text = (port / "crew.yaml").read_text().replace("scheme: bearer", f"scheme: {scheme}")
    (port / "crew.yaml").write_text(text)
    assert mcpgen("generate", "--accept-changes", "--renew", "-q").code == 0
    names = {"basic": ["CREW_TOKEN_PASSWORD", "CREW_TOKEN_USERNAME"]}.get(scheme, [])
    kept = lock_of(Path()).auth["crew_token"]["variables"]
    assert sorted(kept) == [f"OFFICE_MCP_{name}" for name in names]


@pytest.mark.parametrize("address", ["https://docks.example.com", "https://docks.example.com/v2"])
def test_the_others_keep_the_variables_of_a_further_document_when_it_goes(
    port: Path, mcpgen: Command, apis: dict[str, Recorder], address: str
) -> None:
    for name in ("docks", "ferries", "quays"):
        (port / f"{name}.yaml").write_text(boats(name, "/all", f"{address}/{name}"))
    assert mcpgen("generate", "--accept-changes", "--renew", "-q").code == 0
    before, asked_for = lock_of(Path()), variables()
    assert before.apis["quays"] == before.apis["ferries"] == "docks"
    assert asked_for == OWN | {"OFFICE_MCP_DOCKS_TOKEN_TOKEN"}
    (port / "docks.yaml").rename(port / "away")
    for gone in ("nothing", "ferries", "weather"):
        (port / f"{gone}.yaml").unlink(missing_ok=True)
        assert mcpgen("generate", "--accept-changes", "--renew", "-q").code == 0
        assert mcpgen("check").code == 0 and variables() <= asked_for
        after = lock_of(Path())
        assert after.apis == before.apis
        assert after.auth["quays_token"] == before.auth["quays_token"]
    given = {"ALLOW_PRIVATE": "true", "DOCKS_TOKEN_TOKEN": "of-the-quays"}
    given["DOCKS_BASE_URL"] = f"{apis['mail'].url}/proxy/{address.partition('.com')[2]}/docks"
    apis["mail"].asked.clear()
    called(Path("src"), BASE_URL=apis["shop"].url, **given)
    asked = [(each.target, each.fields["authorization"]) for each in apis["mail"].asked]
    way = f"/proxy/{address.partition('.com')[2]}/quays/all"
    assert asked == [(way, "Bearer of-the-quays")]


@pytest.mark.parametrize("name", ["anchors", "zebras"])
def test_a_document_that_is_added_takes_no_name_and_no_variable(
    port: Path, mcpgen: Command, name: str
) -> None:
    before = lock_of(Path())
    (port / f"{name}.yaml").write_text(boats(name, "/all", "https://other.example.com"))
    assert mcpgen("generate", "--accept-changes", "--renew").code == 0
    after = lock_of(Path())
    names = [{(tool.identity, tool.name) for tool in lock.tools} for lock in (before, after)]
    assert names[0] < names[1]
    assert before.auth.items() <= after.auth.items() and before.apis.items() <= after.apis.items()
    assert variables() == OWN | {f"OFFICE_MCP_{name.upper()}_TOKEN_TOKEN"}
    assert mcpgen("check").code == 0


def test_the_others_keep_their_names_when_the_first_document_goes(
    port: Path, mcpgen: Command
) -> None:
    before = {tool.name for tool in lock_of(Path()).tools if ":" in tool.path}
    for name in ("boats", "weather"):
        (port / f"{name}.yaml").unlink()
        assert mcpgen("generate", "--accept-changes", "-q").code == 0
    assert {tool.name for tool in lock_of(Path()).tools} == {"crew_list_all"} <= before


def test_the_owner_can_keep_the_variables_of_one_address_apart(port: Path, mcpgen: Command) -> None:
    add(Path(), "[apis.crew]\nseparate = true")
    assert mcpgen("generate", "--accept-changes", "--renew", "-q").code == 0
    apart = {f"OFFICE_MCP_CREW_{name}" for name in ("BASE_URL", "TOKEN_TOKEN")}
    assert variables() == OWN | apart
    older = known_apis(replace(lock_of(Path()), apis={}))
    assert older == {"": "boats", "crew": "crew", "weather": "weather"}
    text = Path("mcpgen.toml").read_text().replace("separate = true", "")
    Path("mcpgen.toml").write_text(text)
    assert mcpgen("diff").code == 0, "what was apart stays apart"


def test_a_base_url_says_whose_it_is(port: Path, mcpgen: Command) -> None:
    text = Path("mcpgen.toml").read_text()
    Path("mcpgen.toml").write_text(f'base_url = "https://port.example.com/v2"\n{text}')
    done = mcpgen("generate", "--accept-changes")
    assert "E0710" in done.err and "that of `boats`, and not of `weather`" in done.said


def test_a_document_keeps_its_names_when_its_file_gets_another(port: Path, mcpgen: Command) -> None:
    before = lock_of(Path())
    (port / "weather.yaml").rename(port / "climate.yaml")
    (port / "boats.yaml").write_text(boats("boats", "/boats"))
    assert mcpgen("generate", "--accept-changes", "-q").code == 0
    (port / "boats.yaml").rename(port / "ships.yaml")
    (port / "anchors.yaml").write_text(boats("anchors", "/anchors", "https://other.example.com"))
    done = mcpgen("generate", "--accept-changes", "--renew")
    assert done.code == 0 and "ships.yaml` has the operations of `boats`" in done.said
    after = lock_of(Path())
    names = [{tool.name for tool in lock.tools} for lock in (before, after)]
    assert names[1] - names[0] == {"list_boats", "anchors_list_anchors"}
    assert before.auth.items() <= after.auth.items()
    assert variables() == OWN | {"OFFICE_MCP_ANCHORS_TOKEN_TOKEN"}
    assert mcpgen("check").code == 0


def test_another_document_does_not_get_the_credential_of_one_that_is_gone(
    port: Path, mcpgen: Command
) -> None:
    (port / "weather.yaml").unlink()
    (port / "tides.yaml").write_text(boats("tides", "/today", "https://tides.example.com"))
    refused = mcpgen("generate")
    assert refused.code == 3 and "https://tides.example.com" in refused.said
    (port / "tides.yaml").write_text(boats("tides", "/hourly", "https://tides.example.com"))
    assert mcpgen("generate", "--accept-changes", "--renew", "-q").code == 0
    assert "OFFICE_MCP_TIDES_TOKEN_TOKEN" in variables()


def test_an_origin_that_is_allowed_to_one_api_gets_no_credential_of_another() -> None:
    facts = {"name": "x", "env_prefix": "X_MCP", "base_url": "https://a.eu", "apis": {
        "b": {"base_url": "https://b.eu"}, "c": {"base_url": "https://c.eu"},
        "d": {"base_url": "https://a.eu/d", "shares": {"api": "", "from": "", "to": "/d"}}}}  # fmt: skip
    variables = {"ALLOW_ORIGINS": "https://first.eu", "B_ALLOW_ORIGINS": "https://b2.eu"}
    variables |= {"D_ALLOW_ORIGINS": "https://d2.eu", "ALLOW_PRIVATE": "1", "C_ALLOW_PRIVATE": "0"}
    settings = read(facts, {f"X_MCP_{name}": value for name, value in variables.items()})
    hosts = {
        api: {origin.host for origin in settings.of(api).trusted_origins} for api in ("", *"bcd")
    }
    assert hosts == {"": {"first.eu"}, "b": {"b2.eu"}, "c": set(), "d": {"first.eu", "d2.eu"}}
    assert [settings.of(api).allow_private for api in ("", *"bc")] == [True, True, False]
    assert settings.of("b").variable("ALLOW_ORIGINS") == "X_MCP_B_ALLOW_ORIGINS"
    assert settings.of("b").variable("LOG_LEVEL") == "X_MCP_LOG_LEVEL"


def test_what_the_tools_of_an_api_repeat_is_said_of_them(tmp_path: Path) -> None:
    for word in ("shop", "bank"):
        told = f"Names one of getOne. Its {word} number is in upper case."
        get = {"description": told, "responses": {}}
        paths = {f"/{word}s/{n}": {"get": get} for n in range(20)}
        paths[f"/{word}s/one"] = {"get": {"operationId": "getOne", "responses": {}}}
        document = {"openapi": "3.1.0", "info": {"title": word, "version": "1"}, "paths": paths}
        (tmp_path / f"{word}.json").write_text(json.dumps(document))
    sources = tuple(str(tmp_path / f"{word}.json") for word in ("shop", "bank"))
    _, server, _ = generate(Config(sources=sources), Problems())
    assert server.instructions.split("\n") == [
        *("Tools that call shop.", "Its shop number is in upper case."),
        *("Tools `bank_*` call bank.", "Its bank number is in upper case."),
    ]
    texts = "".join(tool.description for tool in server.tools)
    assert [texts.count(f"one of {own}get_one") for own in ("", "bank_")] == [20, 20]
