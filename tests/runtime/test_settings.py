"""What the operator may set, and what is said of it before the first call: the variable, never the
value.
"""

from pathlib import Path
from typing import Any

import pytest
from calls import api_key, runtime, settings

from mcpgen.runtime.client.apis import OF_EACH_API
from mcpgen.runtime.client.settings import ApiReader, ApiSettings
from mcpgen.runtime.parts import NAMED, PARTS, parts_of
from mcpgen.runtime.settings import settings_with

P = "BOOKSHOP_MCP"
KEY = {"auth": {"key": api_key("header", "X-Key", "KEY")}}


def problems(*args: Any, **variables: str) -> list[str]:
    with pytest.raises(runtime.settings.SettingsError) as caught:
        settings(*args, **variables)
    return list(caught.value.problems)


def test_each_variable_is_of_a_group_and_a_kind_that_there_is() -> None:
    every = settings_with(ApiSettings, parts_of({"parts": sorted(PARTS)}))
    http = {each.name for each in every if each.name.startswith(("HTTP_", "INTROSPECTION_"))}
    assert {each.name for each in every if each.group == "http"} == http - {"HTTP_READY_API"}
    assert {each.group for each in every} == {"main", "calls", "api", "http"}
    assert {each.kind for each in every} == {"secret", *ApiReader.readers}
    assert all(each.low <= each.high for each in every)
    named = "asgi audit exchange http install oauth redis search-model shell telemetry"
    assert tuple(named.split()) == NAMED
    shared = "MAX_CALLS CALL_RATE MAX_CONCURRENCY MAX_WAITING RATE_LIMIT HTTP_MAX_CONNECTIONS"
    assert [each.name for each in every if each.shared] == shared.split()


def test_without_an_api_its_settings_are_read_where_a_part_does() -> None:
    alone = {"calls_api": False, "parts": []}
    ignored = settings(facts=alone, CA_FILE="/missing", MAX_RESULT_TOKENS="900")
    assert ignored.unread == (f"{P}_CA_FILE", f"{P}_MAX_RESULT_TOKENS")
    for name, note in zip(ignored.unread, ignored.notes, strict=True):
        assert note.startswith(f"`{name}` is not a setting of this server")
    assert settings(facts={**alone, "parts": ["code"]}, MAX_RESULT_TOKENS="900").unread == ()
    parts = {**alone, "parts": ["http", "oauth"]}
    assert f"`{P}_CA_FILE` names a file that is not there" in problems(
        None, parts, CA_FILE="/missing"
    )


WRONG = {
    "TIMEOUT=0 TIMEOUT=soon TIMEOUT=nan TIMEOUT=inf": "has to be a number from 0.1 to 3600",
    "TOTAL_TIMEOUT=-1": "has to be a number from 0.1 to 86400",
    "RETRIES=11 RETRIES=1.5": "has to be a whole number from 0 to 10",
    "MAX_CONCURRENCY=0": "has to be a whole number from 1 to 1000",
    "MAX_RESULT_TOKENS=10": "has to be a whole number from 200 to 10000000",
    "RATE_LIMIT=-1 RATE_LIMIT=5/d": "has to be a rate such as `5`, `100/m` or `1000/h`",
    "READ_ONLY=maybe ALLOW_PRIVATE=2": "has to be `true` or `false`",
    "ALLOW_ORIGINS=example.com":
        "has to hold origins such as `https://uploads.example.com`, with commas",
    "FILE_ROOTS=relative FILE_ROOTS=/missing/folder":
        "has to hold absolute paths of folders that are there",
    "SAVE_DIR=: SAVE_DIR=/tmp:/usr": "has to hold the absolute path of one folder that is there",
    "PROXY_URL=https://x PROXY_URL=proxy:1 PROXY_URL=http://x/y":
        "has to be a URL such as `http://proxy.example.com:3128`",
    "CA_FILE=/missing": "names a file that is not there",
    f"CA_FILE=/{'x' * 5_000}": "names a file that is not there",
    f"FILE_ROOTS=/{'x' * 5_000}": "has to hold absolute paths of folders that are there",
    f"KEY_FILE=/{'x' * 5_000}": "names a file that cannot be read",
    "KEY_FILE=/missing": "names a file that cannot be read",
    "KEY_FILE=/": "has to name a file that only its owner can read (mode 0600)",
    "BASE_URL=ftp://x TOKEN_URL=x": "cannot be used: not an http or https URL with a host",
    "BASE_URL=http://u:p@x/": "cannot be used: has a user name or password in it",
}  # fmt: skip


@pytest.mark.parametrize("given", WRONG)
def test_a_value_that_cannot_be_used_is_named_by_its_variable(given: str) -> None:
    for setting in given.split():
        name, value = setting.split("=")
        assert problems(None, KEY, **{name: value}) == [f"`{P}_{name}` {WRONG[given]}"]


@pytest.mark.parametrize("value", [
    "<your key>", "changeme", "CHANGE_ME", "your-api-key", "xxxx", "${KEY}", "TODO", "...", "a\nb",
    "a\r", "é", " padded",
])  # fmt: skip
def test_a_secret_that_is_none_stops_the_start_without_being_shown(value: str) -> None:
    [problem] = problems(None, KEY, KEY=value)
    assert f"`{P}_KEY`" in problem and value not in problem.replace(f"`{P}_KEY`", "")


def test_every_problem_is_told_at_once() -> None:
    assert len(problems(None, KEY, KEY="changeme", TIMEOUT="x", READ_ONLY="x", BASE_URL="x")) == 4


def test_a_secret_that_is_missing_or_empty_is_a_note() -> None:
    for variables in ({}, {"KEY": ""}):
        [note] = settings(None, KEY, **variables).notes
        assert f"`{P}_KEY` is not set" in note
    assert settings(None, KEY, KEY="real-key").notes == ()


def test_what_works_and_should_not_go_unnoticed_is_noted() -> None:
    [note] = settings("http://api.test", KEY, KEY="real-key").notes
    assert "without TLS" in note
    assert settings("http://localhost:80", KEY, KEY="real-key").notes == ()
    login = {"kind": "client_credentials", "token_url": "https://login.test/t"}
    variables = [f"{P}_CLIENT_ID", f"{P}_CLIENT_SECRET", f"{P}_TOKEN"]
    facts = {"auth": {"o": {**login, "variables": variables}}}
    [note] = settings(None, facts, CLIENT_ID="a", CLIENT_SECRET="bbbb").notes
    assert f"`{P}_ALLOW_ORIGINS=https://login.test`" in note
    assert settings(None, facts, TOKEN="ready").notes == ()
    facts = {"auth": {"o": {**login, "variables": variables, "token_url": "/t"}}}
    assert settings(None, facts, CLIENT_ID="a", CLIENT_SECRET="bbbb").notes == ()


def test_an_empty_password_is_one_when_it_was_set() -> None:
    facts = {"auth": {"b": {"kind": "basic", "variables": [f"{P}_USERNAME", f"{P}_PASSWORD"]}}}
    assert settings(None, facts, USERNAME="me", PASSWORD="").credentials["b"].present
    assert not settings(None, facts, USERNAME="me").credentials["b"].present
    assert not settings(None, facts, PASSWORD="x").credentials["b"].present


def test_a_secret_can_stand_in_a_file_of_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from-a-file\n")
    file.chmod(0o600)
    [secret] = settings(None, KEY, KEY_FILE=str(file)).credentials["key"].values
    assert secret.reveal() == "from-a-file"
    file.chmod(0o644)
    for path in (file, tmp_path / "missing"):
        [problem] = problems(None, KEY, KEY_FILE=str(path))
        assert f"`{P}_KEY_FILE`" in problem


def test_no_base_url_says_which_variable_to_set() -> None:
    facts = {"base_url": None, "base_url_note": "the document names `/v1` only"}
    [problem] = problems(None, facts)
    assert f"`{P}_BASE_URL`" in problem and "the document names" in problem
    assert settings("https://a.test/v1/", facts).base_url == "https://a.test/v1"


def test_a_misspelt_variable_is_noted_with_the_right_name() -> None:
    [note] = settings(None, None, TIMOUT="5").notes
    assert f"`{P}_TIMOUT`" in note and f"did you mean `{P}_TIMEOUT`?" in note
    further = {"apis": {"billing": {"base_url": "https://b.test"}}, "parts": ["http"]}
    known = dict.fromkeys(OF_EACH_API, "1") | {"TOKEN_URL": "https://b.test"}
    known |= {"BASE_URL": "https://b.test", "CLIENT_CERT": __file__, "CLIENT_KEY": __file__}
    assert settings(None, further, **{f"BILLING_{name}": known[name] for name in known}).notes == ()
    assert len(settings(None, further, BILLING_OTHER="1").notes) == 1


@pytest.mark.parametrize(("spec", "noted"), [
    (None, ["BREAKER_FAILURES", "HTTP_READY_API", "MAX_WAITING"]), (object(), ["HTTP_READY_API"]),
])  # fmt: skip
def test_a_limit_of_many_callers_is_noted_where_nothing_reads_it(
    monkeypatch: pytest.MonkeyPatch, spec: Any, noted: list[str]
) -> None:
    monkeypatch.setattr("mcpgen.runtime.client.settings.find_spec", lambda *_: spec)
    given = {"MAX_WAITING": "2", "BREAKER_FAILURES": "3", "HTTP_READY_API": "true"}
    notes = settings(None, {"parts": []}, **given).notes
    told = [note.partition(" has no effect without `http`")[0] for note in notes]
    assert told == [f"`{P}_{name}`" for name in noted]
    assert settings(None, {"parts": ["http"]}, **given).notes == ()


def test_a_variable_of_a_part_that_is_not_there_says_how_to_add_it() -> None:
    for part in PARTS:
        [kind] = [made.settings for made in parts_of({"parts": [part]})]
        for setting in runtime.settings.settings_of(kind) if kind else ():
            for name in (setting.name, f"{setting.name}_FILE"):
                [problem] = problems(None, {"parts": []}, **{name: "1"})
                assert problem.startswith(f"`{P}_{name}` is read by the part `{part}`, which")
                assert "`mcpgen " in problem.partition(":")[2]
    _, of_redis = problems(None, {"parts": []}, AUDIT="1", REDIS_URL="1")
    assert of_redis.endswith("run `mcpgen add redis` in its project")


def test_settings_have_their_values() -> None:
    facts = {"answers": {"list": {"drop": ["a"]}}, "wrapped": ["list"]}
    made = settings(
        "http://[::1]:8000/", facts, TIMEOUT="1.5", RATE_LIMIT="90/m", TOOLSETS="books, orders",
        READ_ONLY="yes", ALLOW_ORIGINS="https://A.example.com:443/x,http://b.test:81",
    )  # fmt: skip
    url = "http://[::1]:8000"
    assert (made.base_url, made.base_url_given, str(made.origin)) == (url, True, url)
    assert (made.timeout, made.rate_limit, made.read_only) == (1.5, 1.5, True)
    assert made.toolsets == ("books", "orders")
    trusted = {str(origin) for origin in made.trusted_origins}
    assert trusted == {"https://a.example.com", "http://b.test:81"}
    assert made.answers["list"].drop == ("a",) and "list" in made.wrapped
    assert made.variable("TIMEOUT") == f"{P}_TIMEOUT"
    for words, meant in (("1 true YES on", True), ("0 False no off", False)):
        assert {settings(None, None, READ_ONLY=word).read_only for word in words.split()} == {meant}


def test_only_variables_of_the_package_are_read() -> None:
    facts = {"name": "b", "env_prefix": "B", "base_url": "https://a.test", "auth": {}}
    seen: list[str] = []

    class Watched(dict[str, str]):
        def __getitem__(self, name: str) -> str:
            seen.append(name)
            return super().__getitem__(name)

    runtime.settings.read(
        facts, Watched({"PATH": "x", "AWS_SECRET_ACCESS_KEY": "y", "B_TIMEOUT": "1"})
    )
    assert set(seen) <= {"B_TIMEOUT"}


def test_the_token_endpoint_of_an_api_is_read_once() -> None:
    login = {"kind": "client_credentials", "api": "billing", "variables": [f"{P}_A", f"{P}_B"]}
    facts = {"apis": {"billing": {"base_url": "https://b.test"}}, "auth": {"b": login, "c": login}}
    [problem] = problems(None, facts, BILLING_TOKEN_URL="x")
    assert f"`{P}_BILLING_TOKEN_URL`" in problem
