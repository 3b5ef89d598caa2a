"""Credentials that the document leaves out, and headers for fetching it, as they are typed."""

import json

import pytest

OPEN = "openapi: 3.1.0\ninfo: {title: Vault, version: '1'}\nservers: [{url: 'https://vault.example'}]\n"
BOXES = "paths: {/boxes: {get: {operationId: listBoxes, responses: {'%s': {description: D}}}}}\n"


@pytest.fixture
def vault(here):
    """A document that says nothing of credentials."""
    path = here / "vault.yaml"
    path.write_text(OPEN + BOXES % "200")
    return path


@pytest.mark.parametrize(("scheme", "variables", "kind"), [
    ("bearer", ["VAULT_MCP_TOKEN"], "bearer"),
    ("basic", ["VAULT_MCP_USERNAME", "VAULT_MCP_PASSWORD"], "basic"),
    ("header:X-Vault-Key", ["VAULT_MCP_API_KEY"], "api_key"),
    ("query:key", ["VAULT_MCP_API_KEY"], "api_key"),
])  # fmt: skip
def test_a_credential_the_document_leaves_out_can_be_named(mcpgen, vault, scheme, variables, kind):
    ended = mcpgen("generate", vault, "--auth", scheme)
    assert ended.code == 0 and all(variable in ended.out for variable in variables)
    folder = vault.parent / "mcp-vault"
    facts = json.loads((folder / "src" / "vault_mcp" / "api.json").read_text())
    (auth,) = facts["auth"].values()
    assert (auth["kind"], auth["variables"]) == (kind, variables)
    assert f'scheme = "{scheme}"' in (folder / "mcpgen.toml").read_text()
    assert mcpgen("check", folder).code == 0


WRONG_SCHEMES = """digest|header:|header:a b|header:Host|query:|bearer:x||bearer,|bearer, basic
    |header:A,header:a"""


@pytest.mark.parametrize("scheme", map(str.strip, WRONG_SCHEMES.split("|")))
def test_a_credential_that_cannot_be_sent_is_refused(mcpgen, vault, scheme):
    ended = mcpgen("generate", vault, "--auth", scheme)
    assert ended.code == 2 and "E1176" in ended.err and not (vault.parent / "mcp-vault").exists()


def test_a_list_of_tools_takes_no_credential(mcpgen, here):
    tools = [{"name": "add", "inputSchema": {"type": "object"}}]
    (here / "tools.json").write_text(json.dumps(tools))
    ended = mcpgen("generate", here / "tools.json", "--auth", "bearer")
    assert ended.code == 2 and "no API" in ended.err


def test_where_nothing_suggests_a_credential_the_summary_says_how_to_name_one(mcpgen, vault):
    ended = mcpgen("generate", vault)
    assert "--auth bearer" in ended.out and "E0775" not in ended.err


def test_where_answers_suggest_a_credential_a_note_names_its_variable(mcpgen, vault):
    vault.write_text(OPEN + BOXES % "401")
    ended = mcpgen("generate", vault)
    assert "E0775" in ended.err and "`VAULT_MCP_TOKEN`" in ended.err
    assert "VAULT_MCP_TOKEN" in ended.out


def test_headers_of_the_configuration_are_headers(mcpgen, vault):
    mcpgen("generate", vault)
    config = vault.parent / "mcp-vault" / "mcpgen.toml"
    text = config.read_text()
    for line in ('headers = { "Authorization" = "x" }', 'headers = { "a b" = "x" }', "headers = 1"):
        config.write_text(f"{line}\n{text}")
        ended = mcpgen("check", config.parent)
        assert ended.code == 2 and "E1103" in ended.err


def test_the_value_of_a_header_for_fetching_is_never_written_down(mcpgen, here):
    ended = mcpgen("generate", "http://127.0.0.1:9/x", "--header", "Authorization: canary-123456")
    assert ended.code == 2 and "E1175" in ended.err and "canary" not in ended.out + ended.err


SECRETS = {
    "a header's value in the place of a variable": ["--header", "Authorization: Bearer canary"],
    "a header with an equals sign": ["--header", "Authorization=canary"],
    "a token in the place of a way to send it": ["--auth", "Bearer canary"],
    "a header and its value as a way to send it": ["--auth", "header:X-Key: canary"],
    "a parameter and its value as a way to send it": ["--auth", "query:key=canary"],
    "a password in an address": ["--base-url", "https://user:canary@api.example"],
    "a secret in the query of an address": ["--base-url", "https://api.example/?key=canary"],
}


@pytest.mark.parametrize("words", SECRETS.values(), ids=SECRETS)
def test_a_secret_among_the_options_is_refused_and_not_repeated(mcpgen, vault, words):
    assert mcpgen("generate", vault, "-o", "made").code == 0
    for folder in ("new", "made"):  # in a project, too, the value is looked at before its file is
        ended = mcpgen("generate", vault, "-o", folder, *words)
        assert ended.code == 2 and "canary" not in ended.said
        assert any(code in ended.err for code in ("E1175", "E1176", "E0706"))


@pytest.mark.parametrize("lines", [
    '[source]\nheaders = [\n  "Authorization: Bearer canary",\n]', '[source]\nheaders = "canary"',
    '[auth]\nscheme = "Bearer canary"', '[auth]\nscheme = 1\napi_key = "canary"', 'headers = "canary"',
    '[headers]\nno value\nX-Token = "canary"', 'base_url = "https://user:canary@api.example"',
])  # fmt: skip
def test_a_secret_in_the_configuration_is_not_repeated(mcpgen, here, lines):
    (here / "mcpgen.toml").write_text(lines)
    ended = mcpgen("generate")
    assert ended.code == 2 and "mcpgen.toml:" in ended.err and "canary" not in ended.said


def test_what_was_asked_for_is_looked_at_before_it_is_compared(mcpgen, vault):
    assert mcpgen("generate", vault, "-o", "made").code == 0
    for words, reason in (
        (["nothing.yaml"], "no such file: nothing.yaml"),
        ([vault, "--include-tag", "nothing"], "`nothing` matches no tag"),
        ([vault, "--auth", "header"], "`header:` takes the name of a header"),
        ([vault, "--max-bytes", "10"], "larger than 10 bytes"),
    ):
        ended = mcpgen("generate", *words, "-o", "made")
        assert reason in ended.said and "E1107" not in ended.said


MEMBERS = """\
openapi: 3.1.0
info: {title: Club, version: "1"}
servers: [{url: "https://club.example"}]
paths:
  /members:
    delete: {operationId: removeAll, responses: {"204": {description: Gone}}}
    post:
      operationId: addMember
      security: [{pair: []}]
      parameters: [{name: email, in: query, required: true, schema: {type: string}}]
      responses: {"201": {description: Added}}
components: {securitySchemes: {pair: {type: http, scheme: basic}}}
"""


def test_both_halves_of_a_credential_are_named_where_it_is_not_always_needed(
    mcpgen, here, monkeypatch
):
    (here / "club.yaml").write_text(MEMBERS)
    shown = mcpgen("generate", "club.yaml", "-o", "club").out
    monkeypatch.chdir(here / "club")
    assert mcpgen("add", "clients").code == 0
    (settings,) = json.loads((here / "club/clients/cursor.json").read_text())["mcpServers"].values()
    for variable in ("CLUB_MCP_PAIR_USERNAME", "CLUB_MCP_PAIR_PASSWORD"):
        assert variable in shown and variable in settings["env"]
    assert "BASE_URL" not in shown


def test_the_first_call_that_is_proposed_destroys_nothing_and_has_its_arguments(mcpgen, here):
    (here / "club.yaml").write_text(MEMBERS)
    shown = mcpgen("generate", "club.yaml", "-o", "club").out
    assert "cd club && mcpgen call add_member email=..." in shown
