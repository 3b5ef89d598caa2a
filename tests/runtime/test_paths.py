"""No value leaves its path segment, and no argument changes where a request goes; judged on the
bytes that arrived.
"""

import asyncio
import re
import urllib.parse
from typing import Any

import pytest
from calls import ask, calling, reaching, runtime
from hypothesis import HealthCheck, given
from hypothesis import settings as options
from hypothesis import strategies as some

HOSTILE = [
    "..", ".", "../admin", "..\\admin", "a/../b", "%2e%2e", "%252e%252e", ".%2e", "..;/x", "..;", "./x", "x/.", "..%2f",
    "%2e%2e%2fadmin", "%252e%252e%252fadmin", "%c0%ae%c0%ae", "%u002e%u002e", "\uff0e\uff0e", "\u2025", ". ", " ..",
    "a/..", "a\\..\\b", "..%5cadmin", "%25252e%25252e", ".;a/..;b/x", "a\uff0f..", "..\uff3cadmin", "\u2024\u2024",
]  # fmt: skip
UNSAYABLE = [
    "", None, "\r\n", "a\r\nb", "\0", "a%00b", "\t", "\x7f", "\x85", "%0d%0a", "\ud800", "a" * 2049,
    "é" * 1025,
]  # fmt: skip
ORDINARY = [
    "a/b", "a?x=1", "a#f", "a%2fb", "a b", "é", "@evil", "http://evil", "//evil", "v1.2", "file.tar.gz", "1.0..2.0",
    "...", "~user", ":id", "{other}", "a;b", "a,b", "a+b", "50%", "%", "%zz", "☃", "a" * 2048, "..a", "a..", ".hidden",
    "a&b=c", "\\x", "-", "_", "0", "null", "x/y/z", "javascript:alert(1)", "[::1]", "a:b@c", "'\"<>`|^",
]  # fmt: skip


@pytest.mark.parametrize("value", [*HOSTILE, *UNSAYABLE], ids=ascii)
def test_what_could_be_more_than_a_segment_is_refused_and_nothing_is_sent(value: Any) -> None:
    done = ask("GET", "/u/{id}/posts", path_args={"id": value})
    assert isinstance(done.error, runtime.client.Refused) and "`id`" in str(done.error)
    assert done.requests == []


@pytest.mark.parametrize("value", ORDINARY, ids=lambda value: ascii(value)[:40])
def test_anything_else_is_one_segment_and_decodes_to_itself(value: str) -> None:
    [request] = ask("GET", "/u/{id}/posts", path_args={"id": value}).requests
    segments = request.path.split("/")
    assert segments[:3] == ["", "v1", "u"] and segments[4:] == ["posts"]
    assert urllib.parse.unquote(segments[3]) == value and request.query == ""


@pytest.mark.parametrize(("name", "hint"), [("id", ""), ("path", "; the root of a path is `/`")])
def test_an_empty_value_is_refused_and_a_path_has_a_root(name: str, hint: str) -> None:
    done = ask("GET", f"/x/{{{name}}}", path_args={name: ""})
    assert str(done.error) == f"`{name}`: must not be empty, it is part of the path{hint}"


def test_a_value_is_no_template() -> None:
    done = ask("GET", "/u/{id}/{other}", path_args={"id": "{other}", "other": "x"})
    assert done.requests[0].path == "/v1/u/%7Bother%7D/x"


@pytest.mark.parametrize(("template", "args", "expected"), [
    ("/files/{name}.{ext}", {"name": "a.b", "ext": "gz"}, "/v1/files/a.b.gz"),
    ("/v/{a}...{b}", {"a": 1, "b": 2}, "/v1/v/1...2"),
    ("/r/{id}:cancel", {"id": "x:y"}, "/v1/r/x%3Ay:cancel"),
    ("/g/('{id}')", {"id": "it's"}, "/v1/g/('it%27s')"),
    ("/ids/{ids}", {"ids": [1, "a,b", 2.0]}, "/v1/ids/1,a%2Cb,2"),
    ("/o/{o}", {"o": {"R": 1, "G": True}}, "/v1/o/R,1,G,true"),
    ("/é/{id}", {"id": "é"}, "/v1/%C3%A9/%C3%A9"), ("/", {}, "/v1/"), ("/a/", {}, "/v1/a/"),
])  # fmt: skip
def test_a_segment_holds_several_parameters_lists_and_objects(
    template: str, args: dict[str, Any], expected: str
) -> None:
    assert ask("GET", template, path_args=args).requests[0].target == expected


def test_label_and_matrix_write_their_own_marks_and_keep_the_rules() -> None:
    wire = runtime.wire

    def get(value: Any) -> Any:
        return ask("GET", "/x{id}/y/{id}", path_args={"id": value})

    assert get(wire.label([1, "a/b"], explode=True)).requests[0].path == "/v1/x.1.a%2Fb/y/.1.a%2Fb"
    assert get(wire.matrix({"a&": 1}, explode=True)).requests[0].path == "/v1/x;a%26=1/y/;a%26=1"
    assert get(wire.matrix([1, 2])).requests[0].path == "/v1/x;id=1,2/y/;id=1,2"
    for value in (
        wire.label("."), wire.label("a/../b"), wire.label(""), wire.label([]), wire.matrix("a/../b"),
    ):  # fmt: skip
        assert isinstance(get(value).error, runtime.client.Refused)


@pytest.mark.parametrize("values", [{"a": "%2", "b": "e"}, {"a": "%252", "b": "e"}])
def test_two_parameters_do_not_make_a_dot_together(values: dict[str, str]) -> None:
    done = ask("GET", "/x/{a}{b}/y", path_args=values)
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []


@pytest.mark.parametrize("values", [{"name": "x/", "ext": "/y"}, {"name": "/", "ext": "%2fz"}])
def test_harmless_values_do_not_add_up_to_a_dot_segment(values: dict[str, str]) -> None:
    done = ask("GET", "/f/{name}.{ext}/y", path_args=values)
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []
    assert "`name`: makes a `.` or `..` path segment" in str(done.error)


@pytest.mark.parametrize("template", ["/a/../b", "/a/%2e%2e/b", "/a/.", "/..;x/b", "/a\uff0f../b"])
def test_a_template_that_steers_is_refused_whatever_its_values(template: str) -> None:
    done = ask("GET", template)
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []


def test_a_value_is_decoded_eight_times_and_not_more() -> None:
    def get(count: int) -> Any:
        value = "%" + "25" * count + "41"
        return ask("GET", "/u/{id}", path_args={"id": value})

    # The client's own encoding is one of the eight; `%41` is another
    assert len(get(6).requests) == 1
    done = get(7)
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []
    assert "`id`: is percent-encoded more than 8 times over" in str(done.error)


def test_a_url_has_64_kib_at_most() -> None:
    def get(length: int) -> Any:
        return ask("GET", "/x", query={"q": "a" * length})

    room = 64 * 1024 - len("http://127.0.0.1:12345/v1/x?q=")
    assert len(get(room - 10).requests) == 1
    done = get(room + 10)
    assert isinstance(done.error, runtime.client.Refused) and done.requests == []
    assert "65536 characters" in str(done.error)


@pytest.mark.parametrize(("host", "loopback"), [
    ("localhost", True), ("api.localhost", True), ("127.0.0.1", True), ("127.9.9.9", True),
    ("[::1]", True), ("127.evil.example", False), ("127.0.0.1.evil.example", False),
    ("localhost.evil.example", False), ("notlocalhost", False), ("128.0.0.1", False),
    ("[::2]", False), ("127.1", False),
])  # fmt: skip
def test_only_addresses_and_names_of_this_machine_are_loopback(host: str, loopback: bool) -> None:
    assert runtime.facts.origin_of(f"http://{host}:8080").loopback is loopback


@pytest.mark.parametrize(("one", "other", "same"), [
    ("https://a.test", "https://a.test:443/x?y#z", True),
    ("https://a.test", "HTTPS://A.TEST.", True), ("https://a.test", "http://a.test:443", False),
    ("https://a.test", "https://a.test:8443", False),
    ("https://a.test", "https://b.a.test", False), ("http://[::1]:80", "http://[::1]", True),
])  # fmt: skip
def test_an_origin_is_scheme_host_and_port(one: str, other: str, same: bool) -> None:
    origin_of = runtime.facts.origin_of
    assert (origin_of(one) == origin_of(other)) is same
    assert origin_of(str(origin_of(one))) == origin_of(one)


@pytest.mark.parametrize("url", ["http://./x", "http://", "ftp://a.test", "http://a.test:0"])
def test_an_origin_has_a_host_and_a_port(url: str) -> None:
    with pytest.raises(ValueError, match=r"host|port"):
        runtime.facts.origin_of(url)


def test_arguments_called_like_parts_of_a_url_are_only_values() -> None:
    query = dict.fromkeys(
        ("base_url", "url", "host", "server", "_headers", "scheme"), "http://evil.test"
    )
    [request] = ask("GET", "/x", query=query).requests
    assert dict(urllib.parse.parse_qsl(request.query)) == query
    assert request.header("host").startswith("127.0.0.1:")  # type: ignore[union-attr]


@pytest.mark.parametrize(("base", "expected"), [
    ("", "/books"), ("/", "/books"), ("/v1", "/v1/books"), ("/v1/", "/v1/books"),
    ("/a/b%20c/", "/a/b%20c/books"),
])  # fmt: skip
def test_the_base_path_is_kept(base: str, expected: str) -> None:
    assert (
        calling([], lambda api: api.request("GET", "/books"), base_path=base).requests[0].target
        == expected
    )


def test_bases_that_steer_the_path_are_no_bases() -> None:
    for base in (
        "http://a.test/v1?x=1", "http://a.test/#f", "ftp://a.test", "//a.test", "http://", "http://u:p@a.test/",
        "a.test", "http://a.test/../x", "http://a.test/%2e%2e/x", "http://a.test/a b", "http://a.test\\b", "http://a.test:99999",
        "http://a.test:0", "http://a.test/{x}", "http://a.test/%252e%252e", "http://a.test/..;x", "http://a.test?", "http://é.test",
    ):  # fmt: skip
        with pytest.raises(ValueError):
            runtime.facts.check_base_url(base)


TEXTS = some.one_of(
    some.text(max_size=20),
    some.text(alphabet="./\\%25eEfF;:@?#&=+ \r\n\0a", max_size=12),
    some.sampled_from(HOSTILE + ORDINARY),
)
TEMPLATES = some.sampled_from(["/u/{a}", "/u/{a}/x/{b}", "/{a}.{b}/x", "/x{a}/{b}:go", "/{a}{b}"])


@options(
    max_examples=1500, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(
    TEMPLATES,
    TEXTS,
    TEXTS,
    some.dictionaries(TEXTS, some.one_of(TEXTS, some.lists(TEXTS)), max_size=2),
)
def draw(cases: list[Any], template: str, first: str, second: str, query: dict[str, Any]) -> None:
    cases.append((template, {"a": first, "b": second}, query))


def test_whatever_the_values_the_request_keeps_its_origin_prefix_and_segments() -> None:
    """Thousands of hostile values, judged on the request lines a recorder got."""
    asyncio.run(asyncio.wait_for(send_hostile_values(), 50))


async def send_hostile_values() -> None:
    cases: list[Any] = []
    draw(cases)
    async with reaching(base_path="/base/v1") as (api, upstream):
        sent = 0
        for template, path_args, query in cases:
            before = len(upstream.requests)
            try:
                await api.request("GET", template, path_args=path_args, query=query)
            except runtime.client.Refused:
                assert len(upstream.requests) == before
                continue
            sent += 1
            [request] = upstream.requests[before:]
            assert request.header("host") == f"127.0.0.1:{upstream.port}"
            assert re.fullmatch(r"[!-~]+", request.target) and request.path.startswith("/base/v1/")
            assert request.path.count("/") == template.count("/") + 2
            for segment in request.path.split("/"):
                for _ in range(5):
                    assert not {"..", "."} & set(segment.replace("\\", "/").split("/"))
                    segment = urllib.parse.unquote(segment)
            pairs = [
                (key, one)
                for key, value in query.items()
                for one in (value if isinstance(value, list) else [value])
            ]
            assert urllib.parse.parse_qsl(request.query, keep_blank_values=True) == pairs
        assert sent > 300  # the rules do not refuse everything
