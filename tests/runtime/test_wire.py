"""Values on the wire, to the byte, against the tables of the specifications."""

import base64
from typing import Any

import pytest
from calls import runtime

from mcpgen.runtime.client import wire_files

EMPTY, STRING = "", "blue"
ARRAY = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}

# OpenAPI 3.1.1 §4.8.12.3 "Style Examples": the parameter is called `color`
STYLES = [
    ("matrix", False, EMPTY, ";color"), ("matrix", False, STRING, ";color=blue"),
    ("matrix", False, ARRAY, ";color=blue,black,brown"),
    ("matrix", False, OBJECT, ";color=R,100,G,200,B,150"), ("matrix", True, EMPTY, ";color"),
    ("matrix", True, STRING, ";color=blue"),
    ("matrix", True, ARRAY, ";color=blue;color=black;color=brown"),
    ("matrix", True, OBJECT, ";R=100;G=200;B=150"), ("label", False, EMPTY, "."),
    ("label", False, STRING, ".blue"), ("label", False, ARRAY, ".blue,black,brown"),
    ("label", False, OBJECT, ".R,100,G,200,B,150"), ("label", True, EMPTY, "."),
    ("label", True, STRING, ".blue"), ("label", True, ARRAY, ".blue.black.brown"),
    ("label", True, OBJECT, ".R=100.G=200.B=150"), ("simple", False, EMPTY, ""),
    ("simple", False, STRING, "blue"), ("simple", False, ARRAY, "blue,black,brown"),
    ("simple", False, OBJECT, "R,100,G,200,B,150"), ("simple", True, EMPTY, ""),
    ("simple", True, STRING, "blue"), ("simple", True, ARRAY, "blue,black,brown"),
    ("simple", True, OBJECT, "R=100,G=200,B=150"), ("form", False, EMPTY, "color="),
    ("form", False, STRING, "color=blue"), ("form", False, ARRAY, "color=blue,black,brown"),
    ("form", False, OBJECT, "color=R,100,G,200,B,150"), ("form", True, EMPTY, "color="),
    ("form", True, STRING, "color=blue"),
    ("form", True, ARRAY, "color=blue&color=black&color=brown"),
    ("form", True, OBJECT, "R=100&G=200&B=150"),
    ("spaceDelimited", False, ARRAY, "color=blue%20black%20brown"),
    ("spaceDelimited", False, OBJECT, "color=R%20100%20G%20200%20B%20150"),
    ("pipeDelimited", False, ARRAY, "color=blue%7Cblack%7Cbrown"),
    ("pipeDelimited", False, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("deepObject", True, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
]  # fmt: skip


def written(wire: Any, style: str, explode: bool, name: str, value: Any) -> str:
    """The value in that style: of a path parameter as it stands in the path, of others as they
    stand in the query.
    """
    if style in ("matrix", "label", "simple"):
        made = getattr(wire, style)(value, explode=explode)
        return "" if made is wire.OMIT else str(wire.path_text(name, made))
    functions = {
        "form": lambda: wire.form(value) if explode else wire.csv(value),
        "spaceDelimited": lambda: wire.space_delimited(value),
        "pipeDelimited": lambda: wire.pipe_delimited(value),
        "deepObject": lambda: wire.deep_object(value),
    }
    return str(wire.joined(list(wire.pairs_of(name, functions[style]()))))


@pytest.mark.parametrize(("name", "style", "value", "expected"), [
    # What has no style is in form style
    ("color", None, "", "color="), ("color", None, "blue", "color=blue"),
    ("color", None, ARRAY, "color=blue&color=black&color=brown"),
    ("color", None, OBJECT, "R=100&G=200&B=150"),
    # Reserved lists and objects follow form style
    ("p", "reserved", ["a/b", "c,d"], "p=a/b&p=c,d"),
    ("p", "reserved", {"a&b": "c/d"}, "a%26b=c/d"),
    # Deep objects go as deep as they are
    ("f", "deep_object", {"a": {"b": {"c": 1}}}, "f%5Ba%5D%5Bb%5D%5Bc%5D=1"),
    ("f", "deep_object", {"tags": ["x", "y"]}, "f%5Btags%5D%5B0%5D=x&f%5Btags%5D%5B1%5D=y"),
    ("f", "deep_object", {"items": [{"id": 1, "n": True}]},
     "f%5Bitems%5D%5B0%5D%5Bid%5D=1&f%5Bitems%5D%5B0%5D%5Bn%5D=true"),
    ("f", "deep_object", ["x", "y"], "f%5B0%5D=x&f%5B1%5D=y"),
    ("f", "deep_object", {"a&admin=1": "x&y"}, "f%5Ba%26admin%3D1%5D=x%26y"),
    ("f", "deep_object", {"a": None, "b": {}, "c": [None], "d": 0}, "f%5Bd%5D=0"),
    ("f", "deep_object", {}, ""), ("f", "deep_object", "scalar", "f=scalar"),
    # Keys are encoded like values
    ("filter[eq]", None, "a b", "filter%5Beq%5D=a%20b"),
    ("p", None, {"a&admin=1": "x"}, "a%26admin%3D1=x"),
    ("p", "form", {"a&admin=1": ["x", "y"]}, "a%26admin%3D1=x&a%26admin%3D1=y"),
    # A parameter with content is JSON
    ("f", "json_text", [1], "f=%5B1%5D"),
])  # fmt: skip
def test_a_value_stands_in_the_query(
    name: str, style: str | None, value: Any, expected: str
) -> None:
    wire = runtime.wire
    made = value if style is None else getattr(wire, style)(value)
    assert wire.joined(list(wire.pairs_of(name, made))) == expected


def test_reserved_lists_may_be_one_value() -> None:
    wire = runtime.wire
    made = wire.reserved(["a/b", "c,d"], explode=False)
    assert wire.joined(list(wire.pairs_of("p", made))) == "p=a/b,c%2Cd"
    made = wire.csv([["a", "b"], ["c"]], within="|")
    assert wire.joined(list(wire.pairs_of("p", made))) == "p=a%7Cb,c"
    assert wire.simple([["a", "b"]]).value == [["a", "b"]]


# RFC 6570 §3.2 with the variables of that section
LIST = ["red", "green", "blue"]
KEYS = {"semi": ";", "dot": ".", "comma": ","}


RFC6570 = [
    ("simple", False, "var", "value", "value"),
    ("simple", False, "hello", "Hello World!", "Hello%20World%21"),
    ("simple", False, "half", "50%", "50%25"), ("simple", False, "list", LIST, "red,green,blue"),
    ("simple", True, "list", LIST, "red,green,blue"),
    ("simple", False, "keys", KEYS, "semi,%3B,dot,.,comma,%2C"),
    ("simple", True, "keys", KEYS, "semi=%3B,dot=.,comma=%2C"),
    ("label", False, "who", "fred", ".fred"), ("label", False, "half", "50%", ".50%25"),
    ("label", False, "list", LIST, ".red,green,blue"),
    ("label", True, "list", LIST, ".red.green.blue"),
    ("label", False, "keys", KEYS, ".semi,%3B,dot,.,comma,%2C"),
    ("label", True, "keys", KEYS, ".semi=%3B.dot=..comma=%2C"),
    ("label", False, "empty_keys", {}, ""), ("label", True, "empty_keys", {}, ""),
    ("matrix", False, "who", "fred", ";who=fred"), ("matrix", False, "half", "50%", ";half=50%25"),
    ("matrix", False, "empty", "", ";empty"),
    ("matrix", False, "list", LIST, ";list=red,green,blue"),
    ("matrix", True, "list", LIST, ";list=red;list=green;list=blue"),
    ("matrix", False, "keys", KEYS, ";keys=semi,%3B,dot,.,comma,%2C"),
    ("matrix", True, "keys", KEYS, ";semi=%3B;dot=.;comma=%2C"),
    ("form", False, "who", "fred", "who=fred"), ("form", False, "half", "50%", "half=50%25"),
    ("form", False, "empty", "", "empty="), ("form", False, "list", LIST, "list=red,green,blue"),
    ("form", True, "list", LIST, "list=red&list=green&list=blue"),
    ("form", False, "keys", KEYS, "keys=semi,%3B,dot,.,comma,%2C"),
    ("form", True, "keys", KEYS, "semi=%3B&dot=.&comma=%2C"),
    ("form", False, "empty_keys", {}, ""), ("form", True, "empty_keys", {}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("style", "explode", "name", "value", "expected"), [
    *((style, explode, "color", value, expected) for style, explode, value, expected in STYLES),
    *RFC6570,
])  # fmt: skip
def test_every_style_is_written_as_the_specifications_show(
    style: str, explode: bool, name: str, value: Any, expected: str
) -> None:
    assert written(runtime.wire, style, explode, name, value) == expected


@pytest.mark.parametrize(("value", "expected"), [
    ("Hello World!", "Hello%20World!"),  # RFC 6570 §3.2.3
    ("50%", "50%25"), ("/foo/bar", "/foo/bar"), ("a#f;b[c]", "a%23f%3Bb%5Bc%5D"), ("%26", "%26"),
    ("http://example.com/home/", "http://example.com/home/"), ("a&admin=1", "a%26admin=1"),
    ("2024-01-01T00:00:00+02:00", "2024-01-01T00:00:00%2B02:00"), ("a%2Fb %2", "a%2Fb%20%252"),
])  # fmt: skip
def test_allowed_reserved_characters_stay_unless_they_could_end_the_value(
    value: str, expected: str
) -> None:
    assert runtime.wire.reserved(value).text == expected


@pytest.mark.parametrize(("value", "expected"), [
    (True, "true"), (False, "false"), (None, ""), (0, "0"), (-7, "-7"),
    (2**64 + 1, "18446744073709551617"), (10**40, "1" + "0" * 40), (1.0, "1"), (-0.0, "0"),
    (0.5, "0.5"), (1e-7, "0.0000001"), (1e21, "1000000000000000000000"), (1.1, "1.1"),
    (123456789.125, "123456789.125"), ("Ünï ☃", "%C3%9Cn%C3%AF%20%E2%98%83"),
    ("a+b&c=d#e", "a%2Bb%26c%3Dd%23e"), ("-._~", "-._~"),
    ("!*'();:@&=+$,/?#[]%", "%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%25"),
])  # fmt: skip
def test_a_scalar_is_written_the_way_apis_read_it(value: Any, expected: str) -> None:
    assert runtime.wire.encode(value) == expected


def test_json_in_a_text_keeps_every_value() -> None:
    text = runtime.wire.json_text({"ids": [2**60, None, True], "q": "é"})
    assert text == '{"ids":[1152921504606846976,null,true],"q":"é"}'
    assert runtime.wire.json_text({"q": "é"}, ascii_only=True) == '{"q":"\\u00e9"}'


@pytest.mark.parametrize(("given", "expected"), [
    (({"a": 1, "b": ["x", "y"]},), "a=1&b=x&b=y"),
    (("$.a.b[1:1]",), "%24.a.b%5B1%3A1%5D"),  # OpenAPI 3.2, Parameter Object Examples
    (({"numbers": [1, 2], "flag": None}, "application/json"),
     "%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D"),
])  # fmt: skip
def test_a_whole_query_is_pairs_or_one_text(given: tuple[Any, ...], expected: str) -> None:
    wire = runtime.wire
    assert wire.joined(list(wire.pairs_of("ignored", wire.query_string(*given)))) == expected


def test_headers_are_not_percent_encoded() -> None:
    wire = runtime.wire
    assert wire.header_text(["a b", 2, True]) == "a b,2,true"
    assert wire.header_text({"R": 100, "G": 200}) == "R,100,G,200"
    assert wire.header_text(wire.simple({"R": 100, "G": 200})) == "R=100,G=200"


@pytest.mark.parametrize(
    ("function", "separator"),
    [("csv", ","), ("space_delimited", "%20"), ("pipe_delimited", "%7C"), ("tab_delimited", "%09")],
)
def test_a_list_inside_a_list_is_json_where_nothing_else_is_said(
    function: str, separator: str
) -> None:
    made = getattr(runtime.wire, function)([["a"], "c"])
    assert runtime.wire.simple_text(made) == f"%5B%22a%22%5D{separator}c"


@pytest.mark.parametrize(
    "function", "csv space_delimited pipe_delimited form deep_object reserved label matrix".split()
)
def test_what_was_not_given_stays_left_out(function: str) -> None:
    wire = runtime.wire
    assert getattr(wire, function)(wire.OMIT) is wire.OMIT and not wire.OMIT
    assert list(wire.pairs_of("p", getattr(wire, function)([]))) == []


OTHERS = """
    cookie simple json_text form_text json_lines query_string form_fields multipart_fields defined
    file json_part json_parts text_part from_base64
""".split()


def test_no_encoder_writes_what_was_not_given() -> None:
    omitted = runtime.wire.OMIT
    for name in OTHERS:
        encoder = getattr(runtime.wire, name)
        assert encoder(omitted) is omitted, name
    assert runtime.wire.json_lines(None) is omitted


@pytest.mark.parametrize("make", [
    lambda wire: wire.simple_text(wire.csv(["\ud800"])),
    lambda wire: wire.encode(float("nan")), lambda wire: wire.encode(float("inf")),
    lambda wire: wire.encode(10**5000), lambda wire: wire.encode(object()),
    lambda wire: wire.json_text({"a": float("nan")}),
    lambda wire: wire.simple_text(wire.space_delimited(["a b", "c"])),
    lambda wire: wire.simple_text(wire.pipe_delimited(["a|b", "c"])),
    lambda wire: wire.deep_object({"a][b": 1}), lambda wire: wire.header_text(["a,b", "c"]),
    lambda wire: wire_files.opened(wire.file("iVBORw0KGgoAAAANSUhEUgAAA")),
    lambda wire: wire.file(7), lambda wire: wire_files.opened(wire.file("data:image/png;base64")),
])  # fmt: skip
def test_what_cannot_be_said_is_refused_and_not_sent_wrong(make: Any) -> None:
    with pytest.raises(runtime.client.Refused):
        make(runtime.wire)


def test_a_function_carries_what_its_schema_cannot_say() -> None:
    @runtime.wire.sends(nullable=("/properties/a",), names={"/properties/b": "[b]"})
    def tool() -> None: ...

    facts = vars(tool)["sends"]
    assert (facts.nullable, dict(facts.names)) == (("/properties/a",), {"/properties/b": "[b]"})


@pytest.mark.parametrize("text", [
    "hello", "id,name\n1,Ann", "report.csv", "/home/ann/report", "/tmp/a", "~/a.txt", "C:\\a.txt",
    "uploads/a.csv", "/Users/ann/x.png", "uploads/report", "notes", "aGVsbG8",
])  # fmt: skip
def test_a_text_or_a_path_is_no_file_and_is_told_how_to_be_one(text: str) -> None:
    for write in (runtime.wire.file, runtime.wire.from_base64):
        with pytest.raises(runtime.client.Refused, match="as base64, or as `data:"):
            wire_files.opened(write(text))
    for content in (b"\xff\xd8\xff\xe0", b"\xff\xfb\x90", b"\xff\xfe"):  # begin with / in base64
        part = runtime.wire.file(base64.b64encode(content).decode())
        assert wire_files.opened(part).content == content


def test_a_form_that_is_one_argument_keeps_the_names_of_its_fields() -> None:
    given = {"a": {"b": 1}, "tags": ["x", "y"], "meta": {"k": "v"}, "n": 1}
    fields = runtime.wire.form_fields(given, csv=("tags",), deep_object=("meta", "absent"))
    assert runtime.request.query_text(fields) == "a=%7B%22b%22%3A1%7D&tags=x,y&meta%5Bk%5D=v&n=1"


def test_a_multipart_body_that_is_one_argument_holds_files() -> None:
    fields = runtime.wire.multipart_fields({"cover": "aGk=", "title": "T"}, file=("cover", "back"))
    assert wire_files.opened(fields["cover"]).content == b"hi"
    assert fields["title"] == "T" and "back" not in fields
