"""`install` and `uninstall`: what they leave in the files of each client, written as in real ones."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from shop import PACKAGE, PREFIX

from mcpgen.runtime.command import main
from mcpgen.runtime.parts.install.files import CLIENTS, FORMS, drop_json, load_json, put_json

FILES = Path(__file__).parent / "client_files"
KEY = "canary-key-0123456789"
Run = Callable[..., int]
EDITED = [name for name, client in CLIENTS.items() if client.form in FORMS]
"""Clients whose settings are edited."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of somebody without any client."""
    monkeypatch.setenv("PATH", "")
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def run(in_process: Any, home: Path) -> Run:
    """The command line of the server."""
    return lambda *words: main(PACKAGE, list(words))


def file_of(client: str, home: Path) -> Path:
    """The settings of a client on Linux."""
    return CLIENTS[client].path({"HOME": str(home)}, "linux")


def place(client: str, home: Path) -> Path:
    """Give the client the settings of the folder `client_files`."""
    path = file_of(client, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((FILES / f"{client}.{CLIENTS[client].form}").read_bytes())
    return path


def load(client: str, path: Path) -> dict[str, Any]:
    """The content of a client's settings."""
    text = path.read_text("utf-8")
    if CLIENTS[client].form == "toml":
        return tomllib.loads(text)
    return load_json(text)


def start_of(entry: dict[str, Any]) -> list[str]:
    """The words by which an entry starts a server, in the form of any client."""
    command = entry.get("command", entry.get("cmd"))
    return [*command] if isinstance(command, list) else [command, *entry["args"]]


def env_of(entry: dict[str, Any]) -> dict[str, str]:
    """The variables of an entry."""
    return dict(next(entry[word] for word in ("env", "envs", "environment") if word in entry))


@pytest.mark.parametrize("client", EDITED)
def test_a_client_gets_one_entry_and_keeps_the_rest(client: str, run: Run, home: Path) -> None:
    path = place(client, home)
    before = load(client, path)
    assert run("install", client) == 0
    after = load(client, path)
    key = CLIENTS[client].key
    entry = after[key].pop("shop")
    assert after == {key: {}, **before}
    assert start_of(entry) == [sys.executable, "-m", PACKAGE]
    assert env_of(entry)[f"{PREFIX}_API_KEY"] == KEY
    kinds = dict.fromkeys(("claude-code", "vscode", "copilot-cli"), "stdio")
    kinds |= {"zed": "custom", "opencode": "local"}
    assert entry.get("type", entry.get("source")) == kinds.get(client)


@pytest.mark.parametrize("client", EDITED)
@pytest.mark.parametrize("called", ["{folder}/shop-mcp", "bin/shop-mcp", "shop-mcp"])
def test_the_installed_command_is_entered_by_its_full_path(
    client: str, called: str, run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "bin" / "shop-mcp"
    script.parent.mkdir()
    script.touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(script.parent))
    monkeypatch.setattr(sys, "argv", [called.format(folder=script.parent)])
    assert run("install", client) == 0
    entry = load(client, file_of(client, home))[CLIENTS[client].key]["shop"]
    assert start_of(entry) == [str(script)]


def test_help_names_every_client(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("install", "--help")
    words = "".join(capsys.readouterr().out.split())
    assert all(client in words for client in CLIENTS)


@pytest.mark.parametrize("client", EDITED)
def test_success_is_told_only_where_the_client_is(
    client: str,
    run: Run,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    title = CLIENTS[client].title
    for other in CLIENTS:  # their files in the same folders are no sign of it
        assert run("install", other) == 0
    run("uninstall", client)
    capsys.readouterr()
    run("install", client)
    said = capsys.readouterr().out
    assert f"Written to {file_of(client, home)}, but {title} was not found here" in said
    assert f"{title} starts" not in said
    run("install", client)
    assert f"already, but {title} was not found here" in capsys.readouterr().out
    folder = CLIENTS[client].folder.format(
        home=home, xdg=home / ".config", config=home / ".config", codex=home / ".codex",
        copilot=home / ".copilot",
    )  # fmt: skip
    Path(folder, "sessions").mkdir(parents=True)
    run("uninstall", client)
    run("install", client)
    assert f"{title} starts `shop` now" in capsys.readouterr().out
    assert not CLIENTS[client].is_here({"HOME": str(tmp_path / "other")}, "linux")


@pytest.mark.parametrize("client", [name for name in CLIENTS if CLIENTS[name].commands])
def test_a_program_of_the_client_is_a_sign_of_it(client: str, tmp_path: Path) -> None:
    program = tmp_path / CLIENTS[client].commands[0]
    program.touch(0o755)
    assert CLIENTS[client].is_here({"HOME": str(tmp_path / "x"), "PATH": str(tmp_path)}, "linux")


def test_a_command_without_a_client_lists_them_and_those_found(
    run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".kiro" / "hooks").mkdir(parents=True)
    with pytest.raises(SystemExit) as ended:
        run("install")
    said = capsys.readouterr().err
    assert ended.value.code == 2 and all(client in said for client in CLIENTS)
    assert "found here: kiro\n" in said


@pytest.mark.parametrize("client", EDITED)
def test_a_second_install_changes_nothing(
    client: str, run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place(client, home)
    run("install", client)
    once = path.read_bytes()
    capsys.readouterr()
    assert run("install", client) == 0
    assert path.read_bytes() == once
    assert "has this entry already" in capsys.readouterr().out


@pytest.mark.parametrize("client", EDITED)
def test_uninstall_gives_back_the_file_byte_for_byte(
    client: str, run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place(client, home)
    before = path.read_bytes()
    run("install", client)
    said = capsys.readouterr().out
    assert f"The file as it was: {path}.shop-mcp.bak" in said
    assert "Values in that file, in plain text: " in said and f"{PREFIX}_API_KEY" in said
    assert path.read_bytes() != before
    run("install", client, "--read-only")
    assert path.with_name(f"{path.name}.shop-mcp.bak").read_bytes() == before
    assert run("uninstall", client) == 0
    assert path.read_bytes() == before
    assert not [file for file in path.parent.iterdir() if KEY in file.read_text("utf-8")]


def test_uninstall_leaves_no_secret_in_the_copies_of_other_servers(run: Run, home: Path) -> None:
    path = place("cursor", home)
    run("install", "cursor")
    other = path.with_name("mcp.json.other-mcp.bak")
    other.write_bytes(path.read_bytes())
    run("uninstall", "cursor")
    assert load("cursor", other) == load("cursor", path)


@pytest.mark.parametrize("client", EDITED)
def test_what_others_write_at_the_same_time_stays(
    client: str, run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place(client, home)
    form = FORMS[CLIENTS[client].form]

    def slow(text: str, key: str, name: str, entry: dict[str, Any]) -> str:
        if "meanwhile" not in path.read_text("utf-8"):
            path.write_text(form.put(text, key, "meanwhile", entry), "utf-8")
        return form.put(text, key, name, entry)

    monkeypatch.setitem(FORMS, CLIENTS[client].form, replace(form, put=slow))  # type: ignore[misc]
    assert run("install", client) == 0
    assert {"meanwhile", "shop"} <= set(load(client, path)[CLIENTS[client].key])
    assert {file.name for file in path.parent.iterdir() if file.is_dir()} <= {".config"}


def test_two_installs_at_once_wait_for_each_other(run: Run, home: Path) -> None:
    path = place("cursor", home)
    entry = path.read_text("utf-8").replace('"mcpServers":{', '"mcpServers":{"other":{},')
    descriptor = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(run, "install", "cursor")
        with pytest.raises(TimeoutError):
            first.result(0.5)
        path.write_text(entry, "utf-8")
        os.close(descriptor)
        assert first.result() == 0
    assert {"other", "shop"} <= set(load("cursor", path)["mcpServers"])


def test_a_file_that_never_rests_stays_as_it_is(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place("cursor", home)
    form = FORMS["json"]

    def restless(text: str, *entry: Any) -> str:
        path.write_text(f"{text}\n", "utf-8")
        return form.put(text, *entry)

    monkeypatch.setitem(FORMS, "json", replace(form, put=restless))  # type: ignore[misc]
    assert run("install", "cursor") == 2
    assert "was not changed: something else writes to it" in capsys.readouterr().err
    assert "shop" not in path.read_text("utf-8")


@pytest.mark.parametrize("client", EDITED)
@pytest.mark.parametrize("has_entry", [False, True])
def test_a_file_that_others_can_read_becomes_private(
    client: str, has_entry: bool, run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place(client, home)
    if has_entry:
        run("install", client)
    path.chmod(0o644)
    capsys.readouterr()
    assert run("install", client) == 0
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir() if file.is_file()} == {
        0o600
    }
    assert f"Others could read {path}; now only its owner can" in capsys.readouterr().out


@pytest.mark.parametrize("client", EDITED)
def test_a_client_without_settings_gets_a_private_file(client: str, run: Run, home: Path) -> None:
    assert run("install", client) == 0
    path = file_of(client, home)
    assert list(load(client, path)) == [CLIENTS[client].key]
    assert path.stat().st_mode & 0o777 == 0o600
    assert run("uninstall", client) == 0
    assert not any(load(client, path).values())


def test_comments_and_their_places_stay(run: Run, home: Path) -> None:
    path = place("zed", home)
    lines = path.read_text().splitlines()
    run("install", "zed")
    now = iter(path.read_text().splitlines())
    assert all(line in now for line in lines)


def test_a_key_written_by_hand_outlives_another_install(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("install", "cursor")
    monkeypatch.delenv(f"{PREFIX}_API_KEY")
    assert run("install", "cursor", "--read-only") == 0
    entry = load("cursor", file_of("cursor", home))["mcpServers"]["shop"]
    assert entry["env"][f"{PREFIX}_API_KEY"] == KEY
    assert entry["args"][-1] == "--read-only"


@pytest.mark.parametrize("client", EDITED)
def test_settings_of_an_entry_outlive_another_install(client: str, run: Run, home: Path) -> None:
    form, key = FORMS[CLIENTS[client].form], CLIENTS[client].key
    path = file_of(client, home)
    run("install", client)
    entry = {**load(client, path)[key]["shop"], "tools": ["list_books"], "timeout": 30}
    path.write_text(form.put(path.read_text(), key, "shop", entry))
    assert run("install", client, "--read-only") == 0
    again = load(client, path)[key]["shop"]
    assert start_of(again)[-1] == "--read-only" and start_of(again) != start_of(entry)
    assert (again["tools"], again["timeout"]) == (["list_books"], 30)
    path.write_text(form.put("", key, "shop", {"type": "http", "url": "https://shop.example"}))
    assert run("install", client) == 0 and "url" not in load(client, path)[key]["shop"]


@pytest.mark.parametrize("client", EDITED)
@pytest.mark.parametrize(("word", "value"), [("disabled", True), ("enabled", False)])
def test_an_entry_that_is_switched_off_is_not_said_to_start(
    client: str, word: str, value: bool, run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form, key, path = FORMS[CLIENTS[client].form], CLIENTS[client].key, place(client, home)
    Path(CLIENTS[client].folder.format(
        home=home, xdg=home / ".config", config=home / ".config", codex=home / ".codex",
        copilot=home / ".copilot",
    ), "sessions").mkdir(parents=True)  # fmt: skip
    run("install", client)
    usual = {**load(client, path)[key]["shop"], word: value}
    remote = {"type": "sse", "source": "extension", "url": "https://shop.example"}
    path.write_text(form.put(path.read_text(), key, "shop", {**usual, **remote}))
    capsys.readouterr()
    for said in ("Written to", "already"):
        assert run("install", client) == 0
        output = capsys.readouterr().out
        assert said in output and f"but the entry is switched off there (`{word}`)" in output
        assert f"{CLIENTS[client].title} starts" not in output
    assert load(client, path)[key]["shop"] == usual


def test_only_what_the_server_reads_on_stdio_is_written(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "redis"
    secret.write_text("redis://:canary-password@cache")
    secret.chmod(0o600)
    read = {"READ_ONLY": "1", "REDIS_URL_FILE": str(secret), "EXCHANGE_CLIENT_SECRET": "canary-e"}
    others = {"EU_API_KEY": "canary-of-another-server", "X_FILE": "canary-x", "APIKEY": "canary"}
    http = {"HTTP_TOKEN": "canary-token-of-the-callers-0123456789", "HTTP_SCOPES": "books"}
    http["HTTP_OTHER_TOKEN_FILE"] = str(secret)
    for name, value in {**read, **others, **http}.items():
        monkeypatch.setenv(f"{PREFIX}_{name}", value)
    assert run("install", "cursor") == 0
    env = load("cursor", file_of("cursor", home))["mcpServers"]["shop"]["env"]
    usual = {"ALLOW_PRIVATE", "API_KEY", "BASE_URL", "RETRIES"}
    assert set(env) == {f"{PREFIX}_{name}" for name in usual | set(read)}


def test_a_list_too_long_for_the_client_is_searched_instead(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import dataclasses

    short = dataclasses.replace(CLIENTS["cursor"], tool_limit=5)
    monkeypatch.setitem(CLIENTS, "cursor", short)  # type: ignore[misc]
    run("install", "cursor")
    path = file_of("cursor", home)
    assert load("cursor", path)["mcpServers"]["shop"]["args"][-1] == "--lazy"
    assert "Cursor takes 5 tools and this server has 11" in capsys.readouterr().err
    run("install", "cursor", "--toolsets", "books")
    assert load("cursor", path)["mcpServers"]["shop"]["args"][-2:] == ["--toolsets", "books"]


def test_print_changes_nothing_and_shows_no_secret(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"{PREFIX}_REDIS_URL", "redis://:canary-key-of-redis@cache")
    assert run("install", "vscode", "--print", "--tools", "get_book") == 0
    shown = capsys.readouterr()
    entry = json.loads(shown.out)["servers"]["shop"]
    assert entry["env"][f"{PREFIX}_API_KEY"] == "REPLACE_ME"
    assert entry["env"][f"{PREFIX}_RETRIES"] == "0"
    assert entry["args"][-2:] == ["--tools", "get_book"]
    assert "canary" not in shown.out + shown.err
    assert not home.exists()


def test_links_that_lead_in_a_circle_are_told(run: Run, home: Path, capsys: Any) -> None:
    file = file_of("cursor", home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(file.with_name("other.json"))
    file.with_name("other.json").symlink_to(file)
    assert run("install", "cursor") != 0
    assert "circle" in capsys.readouterr().err


@pytest.mark.parametrize(("client", "text", "reason"), [
    ("cursor", "{", ""), ("cursor", '{"a": ' * 100_000 + "1" + "}" * 100_000, ""),
    ("cursor", '{"mcpServers": {"a": {}}, "mcpServers": {}}', "`mcpServers` stands in it twice"),
    ("cursor", '{"mcpServers": {"shop": {}, "shop": {"command": "x"}}}', ""),
    ("codex", "a = " + "[" * 5000 + "]" * 5000, ""), ("cursor", "[]", ""),
    ("cursor", '{"mcpServers": []}', "`mcpServers` is no table of servers"), ("codex", "a = \n", ""),
    ("codex", 'mcp_servers = { shop = { command = "x" } }\n', ""),
    ("codex", '[mcp_servers.shop]\nenv = { SINCE = 2026-01-01 }\n', "is not JSON serializable"),
])  # fmt: skip
def test_a_file_that_is_not_understood_stays_as_it_is(
    client: str, text: str, reason: str, run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file_of(client, home)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert run("install", client) == 2
    assert path.read_text() == text
    said = capsys.readouterr().err
    assert f"{path} was not changed" in said and reason in said


def test_a_server_that_could_not_start_is_not_installed(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"{PREFIX}_TIMEOUT", "soon")
    assert run("install", "cursor") == 1
    assert "TIMEOUT" in capsys.readouterr().err
    assert run("install", "zed", "--tools", "get_bok") in (1, 2)
    assert not home.exists()


def test_a_line_of_toml_ends_at_its_newline_alone() -> None:
    comment = "# x\u2028[mcp_servers.shop]\n"
    text = f'{comment}[mcp_servers.shop]\ncommand = "x"\n'
    assert FORMS["toml"].drop(text, "mcp_servers", "shop") == comment


@pytest.mark.parametrize("text", [
    '"my key" = 1\n"a.b" = true\n"ключ" = 0.5\n', 'icons = {"📚" = "\\u007f"}\n',
    'tools = [{name = "a", "b c" = [[1], {}]}]\n',
    '[[mcp_servers.shop.tools]]\nname = "a"\n[[mcp_servers.shop.tools]]\nname = "b"\n',
    "[mcp_servers.shop.'my tools'.search]\napproval_mode = \"approve\"\n",
])  # fmt: skip
def test_every_form_of_toml_in_an_entry_outlives_another_install(
    text: str, run: Run, home: Path
) -> None:
    path = place("codex", home)
    others = path.read_text()
    path.write_text(f'{others}\n[mcp_servers.shop]\ncommand = "old"\n{text}')
    before = load("codex", path)["mcp_servers"]["shop"]
    assert run("install", "codex") == 0
    after = load("codex", path)["mcp_servers"]["shop"]
    assert {word: after[word] for word in before} == {**before, "command": sys.executable}
    assert run("uninstall", "codex") == 0 and path.read_text() == others


def test_uninstall_of_what_is_not_there_says_so(
    run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place("codex", home)
    assert run("uninstall", "codex") == 0
    assert run("uninstall", "zed") == 0
    assert capsys.readouterr().out.count("has no entry `shop`") == 2


def test_the_files_are_where_each_system_keeps_them() -> None:
    mac = {"HOME": "/Users/ada"}
    windows = {"USERPROFILE": "C:/Users/ada", "APPDATA": "C:/Users/ada/AppData/Roaming"}
    desktop = CLIENTS["claude-desktop"]
    name = "Claude/claude_desktop_config.json"
    assert desktop.path(mac, "darwin").as_posix() == (
        f"/Users/ada/Library/Application Support/{name}"
    )
    assert desktop.path(windows, "win32").as_posix() == f"C:/Users/ada/AppData/Roaming/{name}"
    devin = CLIENTS["devin"].path
    assert devin(windows, "win32").as_posix() == (
        "C:/Users/ada/AppData/Roaming/devin/mcp_config.json"
    )
    assert devin(mac, "darwin").as_posix() == "/Users/ada/.config/devin/mcp_config.json"
    assert CLIENTS["zed"].path(mac, "darwin").as_posix() == "/Users/ada/.config/zed/settings.json"
    assert CLIENTS["codex"].path(mac, "linux").as_posix() == "/Users/ada/.codex/config.toml"
    unset = dict.fromkeys(("XDG_CONFIG_HOME", "CODEX_HOME", "COPILOT_HOME"), "")
    for client in CLIENTS.values():
        assert client.path({**mac, **unset}, "linux") == client.path(mac, "linux")
    assert CLIENTS["codex"].path({**mac, "CODEX_HOME": "/srv/codex"}, "linux").as_posix() == (
        "/srv/codex/config.toml"
    )


@pytest.mark.parametrize("text", [
    "{}", "{\n}\n", '{"a": 1}', '{"a": 1, // why\n}', '{"mcpServers": {}, "b": "},{"}',
    '// first\n{\n  "a": "//", /* { */\n  "b": [1,],\n}\n',
    '{"mcpServers": {"other": {"command": "x"}, }, }',
    '{"mcpServers": {"shop": {"command": "old"}, "other": {}}}',
    '{"mcpServers": {"other": {}, "shop": {"command": "old"}}}',
    '{"mcpServers": {// mine\n"shop": {"command": "old"}}}',
    '{"mcpServers": {"other": {}, // }\n  "shop": {"command": "old"} /* , */, // ,\n}, "b": 1}',
    '{"mcpServers": {\n  // why\n  "shop": {} /* { */ , // so\n  "other": {}}}',
])  # fmt: skip
def test_json_with_comments_is_edited_in_place(text: str) -> None:
    before = load_json(text)
    put = put_json(text, "mcpServers", "shop", {"command": "new"})
    servers = {**before.get("mcpServers", {}), "shop": {"command": "new"}}
    assert load_json(put) == {**before, "mcpServers": servers}
    text_left = drop_json(put, "mcpServers", "shop")
    comments = re.compile(r"//.*|/\*.*?\*/")
    assert comments.findall(text_left) == comments.findall(text)
    dropped = load_json(text_left)
    servers.pop("shop")
    assert dropped.pop("mcpServers", {}) == servers
    before.pop("mcpServers", None)
    assert dropped == before


@pytest.mark.parametrize("unit", ["  ", "    ", "\t"])
def test_an_entry_is_indented_as_the_file_is(unit: str) -> None:
    text = f'{{\n{unit}"mcpServers": {{\n{unit}{unit}"a": {{}}\n{unit}}}\n}}\n'
    put = put_json(text, "mcpServers", "shop", {"command": "new"})
    assert put == json.dumps(load_json(put), indent=unit) + "\n"


@pytest.mark.parametrize("words", [("install", "goose"), ("install", "goose", "--print")])
def test_an_entry_in_yaml_is_printed_to_paste(
    words: tuple[str, ...], run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == 0
    shown = capsys.readouterr()
    entry = yaml.safe_load(shown.out)["extensions"]["shop"]
    assert entry["type"] == "stdio" and start_of(entry) == [sys.executable, "-m", PACKAGE]
    assert env_of(entry)[f"{PREFIX}_API_KEY"] == "REPLACE_ME"
    assert f"nothing was changed: paste this into {file_of('goose', home)}" in shown.err
    assert not home.exists()


def test_uninstall_says_which_lines_of_yaml_go(
    run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file_of("goose", home)
    path.parent.mkdir(parents=True)
    path.write_text("extensions:\n  shop:\n    cmd: x\n")
    assert run("uninstall", "goose") == 0
    assert f"Take `shop` and the lines below it out of `extensions` in {path}" in (
        capsys.readouterr().out
    )
    assert path.read_text() == "extensions:\n  shop:\n    cmd: x\n"
