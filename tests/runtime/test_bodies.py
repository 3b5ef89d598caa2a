"""Request bodies, read back by parsers nobody here wrote: bytes in, the same values out."""

import asyncio
import base64
import json
import urllib.parse
from pathlib import Path
from typing import Any

import pytest
from calls import ask, runtime
from python_multipart.multipart import FormParser, parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request as StarletteRequest

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
NAMES = [
    "plain.txt", 'quo"te.txt', "line\r\nX-Evil: 1.txt", "ünï☃.bin", "back\\slash\\",
    "semi;colon=1.txt",
]  # fmt: skip


def starlette_form(request: Any) -> FormData:
    """A body as Starlette's form parser reads it."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": request.body, "more_body": False}

    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in request.fields]
    return asyncio.run(
        _form(StarletteRequest({"type": "http", "method": "POST", "headers": headers}, receive))
    )


async def _form(request: StarletteRequest) -> FormData:
    return await request.form()


def multipart_fields(request: Any) -> list[tuple[str, str | None, bytes]]:
    """A body as python-multipart reads it: name, file name, bytes."""
    found: list[tuple[str, str | None, bytes]] = []
    kind, options = parse_options_header(request.header("content-type"))

    def on_file(part: Any) -> None:
        part.file_object.seek(0)
        found.append((part.field_name.decode(), part.file_name.decode(), part.file_object.read()))

    parser = FormParser(
        kind.decode(),
        lambda part: found.append((part.field_name.decode(), None, part.value or b"")),
        on_file,
        boundary=options.get(b"boundary"),
    )
    parser.write(request.body)
    parser.finalize()
    return found


def test_json_keeps_every_value() -> None:
    body = {"title": "Ünï ☃", "big": 2**70, "whole": 7.0, "half": 0.5, "none": None}
    body["deep"] = [{"a": [1.0, "x"]}]
    got = ask("POST", "/b", json={**body, "left_out": runtime.wire.OMIT}).requests[0]
    assert json.loads(got.body) == body and b"7.0" not in got.body and b"left_out" not in got.body
    assert got.header("content-type") == "application/json"


@pytest.mark.parametrize("body", [[1, 2], "text", 7, None, {"a": {}}, []])
def test_json_need_not_be_an_object(body: Any) -> None:
    got = ask("POST", "/b", json=body, media_type="application/vnd.x+json").requests[0]
    assert json.loads(got.body) == body and got.header("content-type") == "application/vnd.x+json"


def test_an_optional_body_of_nothing_is_no_body() -> None:
    nothing = {"a": runtime.wire.OMIT}
    given = [{kind: nothing} for kind in ("json", "form", "multipart")]
    for body in (*given, {"json": runtime.wire.OMIT}):
        got = ask("POST", "/b", optional_body=True, **body).requests[0]
        assert (got.body, got.header("content-type")) == (b"", None)
    assert ask("POST", "/b", json=nothing).requests[0].body == b"{}"


def test_forms_are_read_back_by_urllib_and_starlette() -> None:
    wire = runtime.wire
    form = {
        "name": "a&admin=1", "tags": ["x y", "é+"], "on": True,
        "meta": wire.deep_object({"k[": 1} if False else {"k": {"n": "v=1"}}),
        "json": wire.json_text({"a": [1]}), "ids": wire.csv([1, 2]), "empty": "",
        "left_out": wire.OMIT,
    }  # fmt: skip
    got = ask("POST", "/b", form=form).requests[0]
    expected = [
        ("name", "a&admin=1"), ("tags", "x y"), ("tags", "é+"), ("on", "true"),
        ("meta[k][n]", "v=1"), ("json", '{"a":[1]}'), ("ids", "1,2"), ("empty", ""),
    ]  # fmt: skip
    assert (
        urllib.parse.parse_qsl(
            got.body.decode("ascii"), keep_blank_values=True, strict_parsing=True
        )
        == expected
    )
    assert starlette_form(got).multi_items() == expected
    assert got.header("content-type") == "application/x-www-form-urlencoded"


def test_multipart_parts_are_read_back_by_both_parsers() -> None:
    wire = runtime.wire
    fields = {
        "title": "Ünï ☃", "pages": 7, "tags": ["a", "b"], "meta": {"k": [1, None]},
        "about": wire.json_part([1, 2]),
        "note": wire.text_part("<p/>", "text/html", headers={"X-Part": "1"}),
        "cover": wire.file(base64.b64encode(PNG).decode(), filename="c.png"),
        "pages[]": wire.file(
            [base64.b64encode(b"one").decode(), base64.b64encode(b"two").decode()], "text/plain",
        ),
        "left_out": wire.OMIT,
    }  # fmt: skip
    got = ask("POST", "/b", multipart=fields).requests[0]
    assert multipart_fields(got) == [
        ("title", None, "Ünï ☃".encode()), ("pages", None, b"7"), ("tags", None, b"a"),
        ("tags", None, b"b"), ("meta", None, b'{"k":[1,null]}'), ("about", None, b"[1,2]"),
        ("note", None, b"<p/>"), ("cover", "c.png", PNG), ("pages[]", "file.txt", b"one"),
        ("pages[]", "file.txt", b"two"),
    ]  # fmt: skip
    form = starlette_form(got)
    cover = form["cover"]
    assert isinstance(cover, UploadFile)
    assert (cover.filename, cover.content_type, cover.file.read()) == ("c.png", "image/png", PNG)
    assert (form["title"], form.getlist("tags")) == ("Ünï ☃", ["a", "b"])
    assert b"Content-Type: text/html\r\nX-Part: 1\r\n\r\n<p/>" in got.body


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_inside_their_quotes(name: str) -> None:
    part = runtime.wire.file(base64.b64encode(b"content").decode(), filename=name)
    got = ask("POST", "/b", multipart={name: part}).requests[0]
    escaped = name
    for letter in '"\\\r\n':
        escaped = escaped.replace(letter, f"%{ord(letter):02X}")
    assert multipart_fields(got) == [(escaped, escaped, b"content")]
    [(key, value)] = starlette_form(got).multi_items()
    assert isinstance(value, UploadFile)
    assert (key, value.filename, value.file.read()) == (escaped, escaped, b"content")


def test_a_boundary_is_in_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = iter(["taken", "free"])
    monkeypatch.setattr(runtime.multipart.secrets, "token_hex", lambda _: next(tokens))
    got = ask("POST", "/b", multipart={"a": "x\r\n--taken\r\n"}).requests[0]
    assert got.header("content-type") == "multipart/form-data; boundary=free"
    assert multipart_fields(got) == [("a", None, b"x\r\n--taken\r\n")]


ENCODED = base64.b64encode(PNG).decode()


@pytest.mark.parametrize(("given", "declared", "name", "sent"), [
    (f"data:text/csv;name=a.csv;base64,{ENCODED}", None, "a.csv", "text/csv"),
    (f'data:image/png;base64;filename="b%20c.png",{ENCODED}', "application/octet-stream", "b c.png",
     "image/png"),
    ("data:text/plain;name=../../n.txt,%89PNG", "*/*", "n.txt", "text/plain"),
    ("data:text/html,%89PNG", "application/octet-stream", "file.html", "text/html"),
    ("data:text/html,%89PNG", "text/csv", "file.csv", "text/csv"),
    (ENCODED, None, "file.png", "image/png"), (ENCODED, "application/pdf", "file.pdf", "application/pdf"),
    ("AAEC", "application/octet-stream", "file", "application/octet-stream"),
    ("AAEC", "audio/x-nothing", "file", "audio/x-nothing"),
])  # fmt: skip
def test_a_file_has_the_name_it_is_given_or_one_with_the_extension_of_its_type(
    given: str, declared: str | None, name: str, sent: str
) -> None:
    part = runtime.wire.file(given, media_type=declared)
    got = ask("POST", "/b", multipart={"f": part}).requests[0]
    value = starlette_form(got)["f"]
    assert isinstance(value, UploadFile)
    assert (value.filename, value.content_type) == (name, sent)
    assert value.file.read() in (PNG, b"\x89PNG", b"\0\1\2")


@pytest.mark.parametrize("given", [
    base64.b64encode(PNG).decode(), base64.urlsafe_b64encode(PNG).decode().rstrip("="),
    "\n".join(base64.encodebytes(PNG).decode().splitlines()),
    "data:image/png;base64," + base64.b64encode(PNG).decode(),
    "data:," + urllib.parse.quote(PNG, safe=""),
])  # fmt: skip
def test_a_binary_body_is_the_bytes_that_were_meant(given: str) -> None:
    content = runtime.wire.from_base64(given)
    for media_type, sent in (("image/png", "image/png"), (None, "image/png"), ("*/*", "image/png")):
        got = ask("PUT", "/b", content=content, media_type=media_type).requests[0]
        assert (got.body, got.header("content-type")) == (PNG, sent)


@pytest.mark.parametrize(("body", "said"), [
    ({"multipart": {"scan": runtime.wire.file("a/b.png")}}, "`scan`: not base64"),
    ({"multipart": {"pages": runtime.wire.file(["aGk=", "b.png"])}}, "`pages[1]`: not base64"),
    ({"multipart": runtime.wire.multipart_fields({"a": 1, "cover": "/tmp/c"}, file=("cover",))},
     "`cover`: the path of a file"),
    ({"multipart": {"f": runtime.wire.file("file:///etc/passwd")}}, "`f`: local files"),
    ({"multipart": {"f": runtime.wire.file(["AAEC"], "image/*")}}, "`f[0]`: the file must be"),
    ({"content": runtime.wire.from_base64("data:nothing")}, "`body`: not a `data:` URL"),
])  # fmt: skip
def test_a_file_that_is_refused_is_named(body: dict[str, Any], said: str) -> None:
    done = ask("POST", "/b", **body)
    assert str(done.error).startswith(said) and done.requests == []


@pytest.mark.parametrize(("text", "media_type", "sent"), [
    ("<b><t>Ünï &amp; ☃</t></b>", "application/xml", "application/xml"),
    ("é\n", "text/csv", "text/csv; charset=utf-8"),
    ('{"a":1}\n{"a":2}\n', "application/x-ndjson", "application/x-ndjson"),
])  # fmt: skip
def test_text_goes_as_it_is(text: str, media_type: str, sent: str) -> None:
    got = ask("POST", "/b", content=text, media_type=media_type).requests[0]
    assert got.body == text.encode() and got.header("content-type").startswith(sent)


@pytest.mark.parametrize("body", [
    {"json": {"a": float("nan")}}, {"json": {"a": "\ud800"}}, {"json": {"a": 10**5000}},
    {"content": "\udfff"}, {"multipart": {"a": "\udfff"}}, {"form": {"a": float("inf")}},
    {"json": {"a": "x" * 1_048_576}}, {"content": b"x" * 1_048_577},
    {"multipart": {"a": "x" * 1_048_576}},
    {"multipart": {"a": runtime.wire.Part(b"a", headers={"X-A\r\nX-B": "b"})}},
])  # fmt: skip
def test_what_no_body_can_hold_is_refused_before_sending(body: dict[str, Any]) -> None:
    done = ask("POST", "/b", **body)
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []


def test_local_files_are_read_only_inside_the_folders_that_were_opened(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "secret.txt"
    root.mkdir()
    (root / "a.bin").write_bytes(PNG)
    outside.write_text("secret")
    (root / "link").symlink_to(outside)

    def upload(path: str, **variables: str) -> Any:
        part = runtime.wire.file(f"file://{path}")
        return ask("POST", "/b", multipart={"f": part}, **variables)

    done = upload(f"{root}/a.bin", FILE_ROOTS=str(root))
    assert multipart_fields(done.requests[0]) == [("f", "a.bin", PNG)]
    for path in (
        f"{root}/link", str(outside), f"{root}/../secret.txt", str(root), f"{root}/missing",
        "/etc/passwd", f"elsewhere.example{root}/a.bin",
    ):  # fmt: skip
        done = upload(path, FILE_ROOTS=str(root))
        assert isinstance(done.error, runtime.client.Refused) and done.requests == []
    assert isinstance(upload(f"{root}/a.bin").error, runtime.client.Refused)
    # Over HTTP the callers are elsewhere: no file of this machine is theirs to name
    facts = {"name": "b", "env_prefix": "B", "base_url": "https://a.example"}
    places = {"B_FILE_ROOTS": str(root), "B_SAVE_DIR": str(root)}
    over_http = runtime.settings.read(facts, places, http=True)
    assert (over_http.file_roots, over_http.save_dir) == ((), None)
    here = runtime.settings.read(facts, places)
    assert (here.file_roots, here.save_dir) == ((root.resolve(),), root.resolve())
