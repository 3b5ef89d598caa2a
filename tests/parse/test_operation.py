"""An operation becomes a tool."""

import json
from typing import Any

import pytest

from mcpgen.config import Config, Selection, ToolConfig
from mcpgen.load.operations import DocumentedPath, operations_of
from mcpgen.parse import describe
from mcpgen.parse.budget import size
from mcpgen.parse.servers import address, own_network
from mcpgen.render.manifests import to_set

from .conftest import one_tool, parse_document


def body(
    schema: Any, media_type: str = "application/json", *, required: bool = True, **more: Any
) -> dict[str, Any]:
    """An operation whose request body has that schema."""
    return {
        "requestBody": {"required": required, "content": {media_type: {"schema": schema, **more}}}
    }


def test_every_operation_is_counted_once() -> None:
    keep, drop = ({"tags": [tag], "responses": {}} for tag in ("keep", "drop"))
    paths = {"/a": {"get": keep, "post": drop}, "/b ": {"get": keep}}
    server, _ = parse_document(paths, config=Config(selection=Selection(exclude_tags=("drop",))))
    filtered = [skip for skip in server.skips if skip.filtered]
    assert (len(server.tools), len(filtered), len(server.skips) - len(filtered)) == (1, 1, 1)


@pytest.mark.parametrize(("file", "media_type"), [
    ({"contentMediaType": "image/png"}, "image/png"), ({"format": "binary"}, ""),
    ({"contentMediaType": "application/octet-stream"}, ""),
])  # fmt: skip
def test_a_list_of_files_is_sent_as_what_its_items_are(file: Any, media_type: str) -> None:
    one = {"type": "string", **file}
    fields = {"one": one, "many": {"type": "array", "items": one}}
    tool = one_tool(
        body({"type": "object", "properties": fields}, "multipart/form-data"), method="post"
    )
    for argument in tool.arguments:
        assert (argument.encode, dict(argument.options).get("media_type", "")) == (
            "file", media_type)  # fmt: skip


def test_leaving_operations_out_renames_none_of_the_others() -> None:
    paths = {
        f"/{tag}": {"get": {"operationId": f"foo{mark}list", "tags": [tag], "responses": {}}}
        for tag, mark in ("a/", "b.")
    }
    both, _ = parse_document(paths)
    one, _ = parse_document(paths, config=Config(selection=Selection(include_tags=("a",))))
    [name] = [tool.name for tool in both.tools if tool.origin.path == "/a"]
    assert [tool.name for tool in one.tools] == [name]


def answering(schema: Any) -> dict[str, Any]:
    """An operation whose answer has that schema."""
    media = {"application/json": {"schema": schema}}
    return {"responses": {"200": {"description": "", "content": media}}}


def thing(*required: str, **properties: Any) -> dict[str, Any]:
    """An object's schema."""
    return {"type": "object", "required": list(required), "properties": properties}


def test_an_answer_that_is_an_object_is_told_by_its_telling_fields() -> None:
    names = "avatar_url created node_id status title url weight id zone".split()
    tool = one_tool(answering(thing("zone", **{name: {"type": "integer"} for name in names})))
    assert tool.description.endswith("Returns title, status, created, weight, id, …")
    assert tool.output_schema == {"type": "object"} and not tool.response.wrapped


ROWS = {"type": "array", "items": {"type": "object"}}
BASE, TREE = {"$ref": "#/components/schemas/Base"}, {"$ref": "#/components/schemas/Tree"}


@pytest.mark.parametrize(("path", "schema", "listed"), [
    ("/report", thing(rows=ROWS, until={}), True), ("/reports/{id}", thing(rows=ROWS, until={}), False),
    ("/report", thing(data=thing(a=thing(rows=ROWS), n={})), True),
    ("/report", thing(tags={"type": "array", "items": {"type": "string"}}, n={}), False),
    ("/report", {"type": "object"}, True), ("/report", {}, False), ("/me", thing(more={"type": "object"}), False),
    ("/report", thing(a=BASE, b={"allOf": [BASE, thing(rows=ROWS)]}), True),
    ("/trees/{id}", TREE, True), ("/trees/{id}", thing(root=TREE), True),
    ("/pages/{id}", thing(id={}, body={"type": "string"}), True),
    ("/pages/{id}", thing(id={}, body={"type": "string", "maxLength": 80}), False),
    ("/pages/{id}", thing(own={"type": "string", "contentMediaType": "text/html"}), True),
])  # fmt: skip
def test_the_rest_of_an_object_can_be_asked_for_where_it_may_be_long(
    path: str, schema: Any, listed: bool
) -> None:
    tree = thing(below={"type": "array", "items": TREE}, n={})
    components = {"schemas": {"Base": thing(n={}, m={}), "Tree": tree}}
    server, _ = parse_document({path: {"get": answering(schema)}}, components=components)
    assert ("answer_part" in server.tools[0].input_schema["properties"]) is listed


@pytest.mark.parametrize("verb", ["Fetch", "Retrieves", "List", "Look up"])
def test_a_post_that_reads_beside_a_get_is_no_update_by_its_name(verb: str) -> None:
    done = {"responses": {"200": {"description": "OK"}}}
    methods = {
        "get": {"summary": "Table partition", **done},
        "post": {
            "summary": "Table partition",
            "description": f"{verb} a part of the rows.",
            **done,
        },
    }
    server, _ = parse_document({"/table/partition/{path}": methods})
    names = {tool.origin.method: tool.name for tool in server.tools}
    assert names["GET"] == "get_table_partition"
    assert "table_partition" in names["POST"] and "update" not in names["POST"]


def test_fields_in_alphabetical_order_are_told_with_the_required_ones_first() -> None:
    fields = {
        name: {"type": "integer"} for name in "arms body_height eyes legs teeth wings".split()
    }
    tool = one_tool(answering(thing("wings", **fields)))
    assert tool.description.endswith("Returns wings, arms, body_height, eyes, legs, …")


def test_the_rich_profile_types_the_fields_of_an_answer_and_requires_none() -> None:
    schema = thing("id", id={"type": "integer"}, on={"type": "boolean"}, any={})
    server, _ = parse_document({"/b": {"get": answering(schema)}}, config=Config(profile="rich"))
    types = {"id": {"type": ["integer", "null"]}, "on": {"type": ["boolean", "null"]}, "any": {}}
    assert server.tools[0].output_schema == {"type": "object", "properties": types}


@pytest.mark.parametrize(
    "schema", [{"type": "array", "items": {"type": "object"}}, {"type": "string"}]
)
def test_an_answer_that_is_no_object_stands_under_result(schema: Any) -> None:
    tool = one_tool(answering(schema))
    assert tool.output_schema is not None and tool.output_schema["type"] == "object"
    assert list(tool.output_schema["properties"]) == ["result"] and tool.response.wrapped


def test_json_of_no_known_shape_is_a_structured_answer_all_the_same() -> None:
    tool = one_tool(answering({}))
    assert tool.output_schema == {"type": "object"} and "Returns" not in tool.description


def test_what_dozens_of_operations_say_with_other_names_goes_first_where_a_text_is_long() -> None:
    scopes = ["Needs the scope `read`.", "Needs the scope `write`."]
    own = "The parts come in the order in which they were bound. " * 4
    texts = [f"{scopes[number % 2]} {own if number < 5 else ''}" for number in range(50)]
    paths = {
        f"/books/{number}": {"get": {"summary": f"Get part {number}", "description": text}}
        for number, text in enumerate(texts)
    }
    server, _ = parse_document(paths)
    short = [tool.description for tool in server.tools if "bound" not in tool.description]
    long = [tool.description for tool in server.tools if "bound" in tool.description]
    assert (len(short), len(long)) == (45, 5) and all("Needs the scope" in text for text in short)
    assert not any("Needs the scope" in text for text in long)


def test_in_a_list_of_hundreds_a_tool_is_shorter_but_for_warnings() -> None:
    own = Config(tools={"PUT /books/0/binding": ToolConfig(budget=2048)})
    text = {"type": "string", "description": "How the binding is done. " * 6}
    body = {"type": "object", "properties": {f"part_{number}": text for number in range(60)}}
    texts = [
        f"Bind a book. Needs the scope `{scope}`. Deprecated: use `/{scope}` instead."
        for scope in ("read", "write")
    ]
    for count, largest in ((499, 4096), (500, 3072)):
        paths = {
            f"/books/{number}/binding": {"put": {"description": texts[number % 2], "responses": {}}}
            for number in range(count - 1)
        }
        put = {"requestBody": {"content": {"application/json": {"schema": body}}}, "responses": {}}
        paths["/bindings"] = {"put": put}
        server, _ = parse_document(paths, config=own)
        assert largest - 300 < max(map(size, server.tools)) <= largest
        descriptions = [tool.description for tool in server.tools if not tool.arguments[2:]]
        assert all("Deprecated: use" in each for each in descriptions)
        assert {"Needs the scope" in each for each in descriptions} == {count < 500}


def test_a_sentence_that_most_operations_repeat_stands_in_the_instructions_once() -> None:
    owner = "Who owns it. The name is not case sensitive. For more information, see [this](x)."
    owner += f" It is {'really ' * 200}short."  # no room for it, but no tool says it either
    scope = "Needs the scope `shelf`."
    paths = {
        f"/books/{{owner}}/{number}": {
            "get": {
                "summary": f"Get part {number}",
                "description": f"Part {number}. {scope if number < 15 else ''} Counts as a call.",
                "parameters": [
                    {
                        "name": "owner",
                        "in": "path",
                        "required": True,
                        "description": owner,
                        "schema": {"type": "string"},
                    }
                ],
                "responses": {},
            }
        }
        for number in range(25)
    }
    server, _ = parse_document(paths)
    lines = server.instructions.split("\n")
    assert lines[1:] == ["`owner`: The name is not case sensitive.", "Counts as a call."]
    for tool in server.tools:
        assert tool.input_schema["properties"]["owner"]["description"] == "Who owns it"
        assert "Counts as a call" not in tool.description
    # What holds for some is said of these.
    assert sum(scope in tool.description for tool in server.tools) == 15


def test_what_a_thing_is_used_to_do_stays_in_the_sentence() -> None:
    tool = one_tool({"description": "bookTree returns the key that is used to sort books."})
    assert tool.description.startswith("Returns the key that is used to sort books.")
    tool = one_tool({"description": "sortBooks can be used to sort books."})
    assert tool.description.startswith("Sort books.")


def test_arguments_that_share_a_sentence_stand_in_the_order_of_the_document() -> None:
    names = ["zeta", "owner", "alpha", "shelf", "mu", "beta", "repo", "kappa"]
    text = "The {} of it. The name is not case sensitive."
    query = {"in": "query", "schema": {"type": "string"}}
    parameters = [{**query, "name": name, "description": text.format(name)} for name in names]
    operation = {"summary": "Get a part", "parameters": parameters, "responses": {}}
    paths = {f"/parts/{number}": {"get": operation} for number in range(25)}
    server, _ = parse_document(paths)
    written = ", ".join(f"`{name}`" for name in names)
    assert f"{written}: The name is not case sensitive." in server.instructions


def test_a_description_stays_under_what_clients_cut() -> None:
    tool = one_tool(
        {
            "summary": "List " + "very " * 100 + "old books",
            "description": "Words and more words. " * 900,
        }
    )
    assert len(tool.description) <= 1900 and len(tool.description.split("\n")[0]) <= 120


def test_one_operations_two_hundred_fields_still_fit_the_budget_or_are_noted() -> None:
    nested = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "description": "x" * 300} for n in range(30)},
    }
    schema = {"type": "object", "properties": {f"field{n}": nested for n in range(20)}}
    config = Config(tools={"POST /x": ToolConfig(budget=4096)})
    paths = {"/x": {"post": {**body(schema), "responses": {}}}}
    server, problems = parse_document(paths, config=config)
    (tool,) = server.tools
    assert len(tool.input_schema["properties"]) == 20
    assert len(json.dumps(tool.input_schema, separators=(",", ":"))) <= 4096
    assert not any(problem.code == "E0801" for problem in problems)


@pytest.mark.parametrize(("servers", "base_url"), [
    ([{"url": "https://api.example.com/v1/"}], "https://api.example.com/v1"),
    ([{"url": "https://{r}.example.com", "variables": {"r": {"default": "eu"}}}],
     "https://eu.example.com"),
    ([{"url": "https://{host}"}], None), ([{"url": "http://api.example.com"}], None),
    ([{"url": "http://169.254.169.254/"}], None), ([{"url": "https://user:pw@example.com"}], None),
    ([{"url": "ftp://example.com"}], None), ([{"url": "/v1"}], None),
    ([{"url": "http://x/`+require('fs')+`"}], None), ([], None),
])  # fmt: skip
def test_only_a_public_https_server_is_taken_over_unasked(
    servers: list[Any], base_url: str | None
) -> None:
    server, _ = parse_document({"/x": {"get": {"responses": {}}}}, servers=servers)
    assert server.base_url == base_url and bool(server.base_url_note) == (base_url is None)


LOCAL, PUBLIC = "http://localhost:8000/openapi.json", "https://docs.example.com/openapi.json"


@pytest.mark.parametrize(("source_url", "servers", "base_url"), [
    (LOCAL, None, "http://localhost:8000"), (LOCAL, [], "http://localhost:8000"),
    (LOCAL, [{"url": "/"}], "http://localhost:8000"),
    (LOCAL, [{"url": "/v1"}], "http://localhost:8000/v1"),
    (LOCAL, [{"url": ""}], "http://localhost:8000"), (LOCAL, [{"url": "?"}], "http://localhost:8000"),
    (LOCAL, [{"url": "{a}", "variables": {"a": {"default": ""}}}], "http://localhost:8000"),
    (PUBLIC, [{"url": "#x"}], "https://docs.example.com"), (PUBLIC, [{"url": "."}],
     "https://docs.example.com"),
    (LOCAL, [{"url": "http://localhost:8000/v2"}], "http://localhost:8000/v2"),
    (LOCAL, [{"url": "http://localhost:9000"}], None),
    (LOCAL, [{"url": "http://169.254.169.254"}], None), (PUBLIC, None, None),
    (PUBLIC, [{"url": "/v1"}], "https://docs.example.com/v1"),
    (PUBLIC, [{"url": "http://localhost:8000"}], None),
    ("http://docs.example.com/openapi.json", [{"url": "/v1"}], None),
    (None, None, None),
])  # fmt: skip
def test_a_document_of_this_network_has_its_api_beside_it(
    source_url: str | None, servers: Any, base_url: str | None
) -> None:
    assert address(servers, source_url, own_network(source_url)).url == base_url


def test_the_server_of_a_path_that_is_empty_is_told() -> None:
    own = address([{"url": ""}], "https://docs.example.com/a/openapi.json")
    assert own.url == "https://docs.example.com"
    assert own.said == "the server's URL is empty: `https://docs.example.com` is taken"
    assert not address([{"url": "/"}], PUBLIC).said


def test_where_a_document_was_fetched_is_named_as_a_possibility() -> None:
    note = address(None, PUBLIC, own_network(PUBLIC)).note
    assert note.endswith("if the API is where it came from, name `https://docs.example.com`")


def test_what_must_be_there_and_cannot_be_sent_empty_is_not_empty() -> None:
    many = {"type": "array", "items": {"type": "string"}}
    parameters = [
        {"name": "ids", "in": "query", "required": True, "schema": many},
        {"name": "more", "in": "query", "schema": many},
        {"name": "json", "in": "query", "required": True,
         "content": {"application/json": {"schema": many}}},
    ]  # fmt: skip
    properties = one_tool({"parameters": parameters}).input_schema["properties"]
    assert [name for name, schema in properties.items() if schema.get("minItems")] == ["ids"]
    fields = {"type": "object", "required": ["list"], "properties": {"list": many}}
    for media_type, least in (("application/x-www-form-urlencoded", 1), ("application/json", None)):
        tool = one_tool(body(fields, media_type), method="post")
        assert tool.input_schema["properties"]["list"].get("minItems") == least
    place = {"type": "object", "properties": {"city": {"type": "string"}}}
    address = {"type": "object", "required": ["place"], "properties": {"place": place}}
    for required in (True, False):
        parameter = {"name": "x", "in": "query", "required": required, "style": "deepObject"}
        listed = one_tool({"parameters": [{**parameter, "schema": address}]}).input_schema
        assert listed["properties"]["x"]["properties"]["place"]["minProperties"] == 1
        listed = one_tool({"parameters": [{**parameter, "schema": place}]}).input_schema
        assert ("minProperties" in listed["properties"]["x"]) is required


def test_the_objects_of_a_large_union_are_told_by_their_fields() -> None:
    def shape(kind: str, **more: Any) -> dict[str, Any]:
        properties = {"kind": {"type": "string", "const": kind}, **more}
        return {"type": "object", "required": list(properties), "properties": properties}

    inner = {
        "anyOf": [
            shape(f"inner{n}", **{f"field_{n}_{m}": {"type": "string"} for m in range(12)})
            for n in range(9)
        ]
    }
    outer = {"anyOf": [shape("plain", name={"type": "string"}), shape("nested", child=inner)]}
    fields = {"type": "object", "required": ["shape"], "properties": {"shape": outer}}
    config = Config(tools={"POST /books": ToolConfig(budget=4096)})
    tool = one_tool(body(fields), method="post", config=config)
    plain, nested = tool.input_schema["properties"]["shape"]["anyOf"]
    assert plain["required"] == ["kind", "name"]
    child = nested["properties"]["child"]
    assert child["properties"]["kind"]["enum"] == [f"inner{n}" for n in range(9)]
    assert child["required"] == ["kind"]
    for n in range(9):
        assert f"inner{n} (needs field_{n}_0, field_{n}_1," in child["description"]
    assert tool.contract is not None
    exact = tool.contract["properties"]["shape"]["anyOf"][1]["properties"]["child"]["anyOf"]
    assert [set(branch["required"]) for branch in exact] == [
        {"kind", *(f"field_{n}_{m}" for m in range(12))} for n in range(9)
    ]


def test_a_first_sentence_that_is_cut_goes_on_where_it_was_cut() -> None:
    written = "Lists the images of a stream " + "and more and more pictures " * 5
    sentence, rest = describe.fitted(written.strip(), "Or none.")
    assert f"{sentence} {rest}".replace("… …", " ") == f"{written.strip()}.\nOr none."
    shorter, longer = describe.fitted(sentence, rest, 60)
    assert f"{shorter} {longer}".replace("… …", " ") == f"{written.strip()}.\nOr none."
    assert (
        describe.describe(sentence, rest, ["Returns images."], 0) == f"{sentence}\nReturns images."
    )


@pytest.mark.parametrize(("written", "below"), [
    (f"Returns the state; -1 means that {'nothing is known ' * 9}yet", "…-1 means that nothing"),
    (f"Returns the state - it is {'not known ' * 12}yet", "…it is not known"),
    (f"Returns the (old) state {'of one thing ' * 12}or two", "Returns the (old) state"),
])  # fmt: skip
def test_a_sentence_that_is_cut_twice_is_said_once(written: str, below: str) -> None:
    sentence, rest = describe.fitted(written, "")
    assert rest.startswith(below)
    _, longer = describe.fitted(sentence, rest, 40)
    assert longer.replace(" …", " ").count(written[-20:]) == 1
    assert ("…" in longer) == (below[0] == "…")


def test_one_of_several_credentials_is_told_to_be_one_of_them() -> None:
    schemes = {name: {"type": "http", "scheme": "bearer"} for name in ("person", "service")}
    server, _ = parse_document(
        {"/books": {"get": {"responses": {}}}},
        servers=[{"url": "https://books.example"}],
        components={"securitySchemes": schemes},
        security=[{"person": []}, {"service": []}],
    )
    assert [(each.required, each.one_of) for each in to_set(server)] == [(False, True)] * 2


def test_of_a_text_that_dozens_of_operations_have_the_beginning_is_listed() -> None:
    text = "Where the pages of the answer go on, which is what the last one ended with."
    own = "What the shelf is called, in the language of whoever reads what stands on it."
    parameters = [{"name": "page", "in": "query", "description": text}]
    paths = {f"/shelves{n}": {"get": {"parameters": parameters}} for n in range(20)}
    paths["/shelves0"]["get"]["parameters"] = [
        *parameters, {"name": "name", "in": "query", "description": own},
    ]  # fmt: skip
    server, _ = parse_document(paths)
    listed = [tool.input_schema["properties"] for tool in server.tools]
    assert {each["page"]["description"] for each in listed} == {
        "Where the pages of the answer go on, which is what the…"
    }
    assert [each["name"]["description"] for each in listed if "name" in each] == [own[:-1]]


@pytest.mark.parametrize(("says", "extension", "noted"), [
    (None, {}, True), (True, {}, False), (False, {}, False),
    (None, {"x-mcp": {"readOnly": True}}, False), (None, {"x-mcp": {"title": "Books"}}, True),
])  # fmt: skip
def test_a_post_that_reads_is_noted_until_the_user_or_the_author_says_what_it_does(
    says: bool | None, extension: dict[str, Any], noted: bool
) -> None:
    paths = {"/books/search": {"post": {"summary": "Find books", "responses": {}, **extension}}}
    tools = {"POST /books/search": ToolConfig(read_only=says)}
    server, problems = parse_document(paths, config=Config(tools=tools))
    assert server.tools[0].hints.read_only
    assert ("E0420" in {problem.code for problem in problems}) is noted


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("says", ["readOnly", "destructive"])
def test_what_its_author_calls_read_only_is_not_destructive(method: str, says: str) -> None:
    hints = one_tool({"summary": "Run the report", "x-mcp": {says: True}}, "/x", method).hints
    assert (hints.read_only, hints.destructive) == (says == "readOnly", says == "destructive")


@pytest.mark.parametrize(("operation_id", "path", "destructive"), [
    ("createOrder", "/orders", False), ("orders/bulk-create", "/orders", False),
    ("orders_create_or_update", "/orders", True), ("changeOrder", "/orders", True),
    ("createOrder", "/orders/{id}/cancel", True), ("queryOrders", "/orders", False),
    ("orders/generate-release-notes", "/notes", False), ("pulls/request-reviewers", "/x", False),
    (None, "/orders/{id}/merge", True), (None, "/orders/send", False), (None, "/orders", True),
])  # fmt: skip
def test_a_post_is_additive_only_by_its_verb(
    operation_id: str | None, path: str, destructive: bool
) -> None:
    named = {"operationId": operation_id} if operation_id else {}
    assert one_tool(named, path, "post").hints.destructive is destructive


@pytest.mark.parametrize(("operation_id", "summary", "description", "destructive"), [
    ("post_legal_hold_policies", "Create legal hold policy", "", False),
    ("CalculateOrder", "CalculateOrder", "Enables applications to preview prices.", False),
    ("revokeKeys", "Submit a list of keys", "", True), (None, "Keys", "Adds a key.", False),
])  # fmt: skip
def test_a_verb_of_a_sentence_counts_before_a_word_that_may_be_a_noun(
    operation_id: str | None, summary: str, description: str, destructive: bool
) -> None:
    texts = {"summary": summary, "description": description}
    named = {"operationId": operation_id} if operation_id else {}
    assert one_tool(named | texts, "/x", "post").hints.destructive is destructive


def test_a_fixed_method_among_the_additional_operations_is_no_second_operation() -> None:
    twice = {"POST": {}, "COPY": {}, "Copy": {}, "SUMMARY": {}}
    node = {"summary": "", "post": {"operationId": "a"}, "additionalOperations": twice}
    path = DocumentedPath("/a", "#/paths/~1a", "#/paths/~1a", node, "")
    found = list(operations_of(path, lambda item, pointer: (item, pointer)))
    methods = [(each.method, each.operation_id) for each in found]
    assert methods == [("COPY", None), ("SUMMARY", None), ("POST", "a")]


@pytest.mark.parametrize("parameters", [
    ";\N{NO-BREAK SPACE}charset=utf-8", ";\n charset=utf-8", ';title="é"', r';title="a\"',
])  # fmt: skip
def test_parameters_that_no_header_holds_are_not_asked_for(parameters: str) -> None:
    media = {f"text/html{parameters}": {}, "text/html": {}}
    tool = one_tool({"responses": {"200": {"description": "", "content": media}}})
    assert tool.request is not None and tool.request.accept == "text/html, */*;q=0.5"


def test_a_credential_by_its_name_and_by_its_uri_is_one() -> None:
    key = {"type": "apiKey", "in": "query", "name": "key"}
    security = [{"key": [], "#/components/securitySchemes/key": []}]
    tool = one_tool({"security": security}, components={"securitySchemes": {"key": key}})
    assert tool.request is not None and tool.request.security == (("key",),)
