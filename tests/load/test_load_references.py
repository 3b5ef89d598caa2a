"""References to other files: followed within the document's folder, and nowhere else."""

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.load import Limits, UnresolvedReference
from mcpgen.load.document import References
from mcpgen.load.files import suspicious
from mcpgen.load.text import SourceText
from mcpgen.problems import Problems

from .conftest import Write, loaded, refused

HEAD = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"
SECRET = "the-content-of-the-secret"

PLACES = {
    "schema": "components:\n  schemas:\n    A: {$ref: 'REF'}\n",
    "nested schema": (
        "components:\n  schemas:\n    A: {properties: {x-b: {items: {$ref: 'REF'}}}}\n"
    ),
    "path item": "paths:\n  /a: {$ref: 'REF'}\n",
    "parameter": "paths:\n  /a:\n    get: {parameters: [{$ref: 'REF'}]}\n",
    "response": "paths:\n  /a:\n    get: {responses: {default: {$ref: 'REF'}}}\n",
    "example": "components: {examples: {default: {$ref: 'REF'}}}\n",
    "example value": "components: {schemas: {A: {example: {$ref: 'REF'}}}}\n",
    "link": "components: {links: {a: {$ref: 'REF'}}}\n",
    "callback": "components: {callbacks: {a: {'{$url}': {$ref: 'REF'}}}}\n",
    "header": "components: {responses: {a: {headers: {x-rate: {$ref: 'REF'}}}}}\n",
    "mapping": (
        "components: {schemas: {A: {discriminator: {propertyName: p, mapping: {a: 'REF'}}}}}\n"
    ),
    "dynamic": "components: {schemas: {A: {$dynamicRef: 'REF'}}}\n",
    "webhook": "x-webhooks: {a: {$ref: 'REF'}}\n",
    "tab": "components:\n  schemas:\n    A:\n      $ref:\t'REF'\n",
    "escaped key": "components: {schemas: {A: {\"\\x24ref\": 'REF'}}}\n",
    "explicit key": "components:\n  schemas:\n    A:\n      ? $ref\n      : 'REF'\n",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_reference_to_a_url_is_not_followed(write: Write, canary: Any, place: str) -> None:
    path = write("x.yaml", HEAD + PLACES[place].replace("REF", canary.at()))
    found = [problem for problem in loaded(path)[1] if problem.code == "E0201"]
    assert found and all(problem.place is not None for problem in found)
    assert {problem.severity for problem in found} <= {"warning", "note"}
    assert f"--ref-map {canary.at('/')}=FOLDER" in found[0].hint and canary.asked == []


@pytest.mark.parametrize("scheme", ["http:", "https:", "HTTP:", " http:"])
def test_a_url_that_many_references_name_is_one_warning(
    write: Write, canary: Any, scheme: str
) -> None:
    ref = f"{scheme}//127.0.0.1:{canary.port}/x"
    schemas = {name: {"$ref": f"{ref}#/{name}"} for name in "abc"}
    content = {"openapi": "3.1.0", "components": {"schemas": schemas}}
    found = loaded(write("x.json", json.dumps(content)))[1]
    assert [problem.code for problem in found] == ["E0201"]
    assert found[0].message.endswith(", in 3 places") and canary.asked == []


@pytest.mark.parametrize("scheme", ["ftp:", "gopher:", "", "data:text/plain,"])
def test_every_scheme_is_refused(write: Write, canary: Any, scheme: str) -> None:
    address = f"{scheme}//127.0.0.1:{canary.port}/x"
    refusal = refused(
        write("x.json", '{"openapi": "3.1.0", "x-webhooks": {"a": {"$ref": "' + address + '"}}}')
    )
    assert refusal.codes == ["E0201"] and canary.asked == []


@pytest.mark.parametrize("ref", [
    "file:///etc/passwd", "/etc/passwd", "../secret.yaml", "..%2fsecret.yaml",
    "sub/../../secret.yaml", "..\\secret.yaml", "C:\\x", "c:/x", "\\\\host\\share", "link.yaml",
    "folder/secret.yaml#/a",
])  # fmt: skip
def test_a_reference_out_of_the_folder_is_refused_unread(write: Write, ref: str) -> None:
    secret = write("secret.yaml", f"a: {SECRET}\n")
    main = write("api/x.yaml", HEAD + f"paths:\n  /a: {{$ref: '{ref}'}}\n")
    main.with_name("link.yaml").symlink_to(secret)
    main.with_name("folder").symlink_to(secret.parent)
    refusal = refused(main)
    assert refusal.exit_code == 3 and refusal.codes[0] in ("E0201", "E0202")
    assert refusal.where[0] == 4 and SECRET not in refusal.text


def test_the_object_that_holds_a_reference_is_found(write: Write) -> None:
    document = loaded(write("x.yaml", HEAD + "x-a: [{b/c: {$ref: '#/nothing'}}]\n"))[0]
    assert References(document, Problems()).holder("#/nothing") == "/x-a/0/b~1c"


def test_all_refused_references_are_told_at_once(write: Write) -> None:
    refusal = refused(
        write("x.yaml", HEAD + "paths:\n  /a: {$ref: '/a'}\n  /b: {$ref: 'ftp://h/b'}\n")
    )
    assert refusal.codes == ["E0202", "E0201"]


def test_a_url_is_read_from_the_folder_it_is_mapped_to(write: Write, canary: Any) -> None:
    write("secret.yaml", "S: {type: string}\n")
    part = write("parts/deep/part.yaml", "P: {type: integer, x-up: 1}\n")
    things = (
        "T: {properties: {p: {$ref: 'deep/part.yaml#/P'}, q: {$ref: 'URL/deep/part.yaml#/P'}}}\n"
    )
    write("parts/things.yaml", things.replace("URL", canary.at("/v1")))
    refs = "components: {schemas: {A: {$ref: 'URL/things.yaml#/T'}}}\n"
    main = write("x.yaml", HEAD + refs.replace("URL", canary.at("/v1")))
    mapped = {canary.at("/v1/"): part.parents[1]}
    document, problems = loaded(main, mapped=mapped)
    assert list(problems) == []
    thing = document.resolve("#/components/schemas/A")[0]
    for name in ("p", "q"):
        ref = thing["properties"][name]["$ref"]
        assert document.resolve(ref)[0] == {"type": "integer", "x-up": 1}
    out = "components: {schemas: {A: {$ref: 'URL/../secret.yaml#/S'}}}\n"
    for way in ("/v1", "/v1/deep/../..", "/v1/%2e%2e/x/.."):
        refusal = refused(write("y.yaml", HEAD + out.replace("URL", canary.at(way))), mapped=mapped)
        assert refusal.codes == ["E0202"]
    (part.parents[1] / "link.yaml").symlink_to(main.parent / "secret.yaml")
    linked = HEAD + refs.replace("URL/things.yaml#/T", canary.at("/v1/link.yaml#/S"))
    assert refused(write("z.yaml", linked), mapped=mapped).codes == ["E0202"] and canary.asked == []


def test_a_mapped_prefix_ends_where_a_segment_does(write: Write, canary: Any) -> None:
    part = write("parts/.evil/part.yaml", "P: {type: integer}\n")
    write("parts-of/part.yaml", "P: {type: integer}\n")
    for further in (".evil/part.yaml", "-of/part.yaml"):
        ref = f"components: {{schemas: {{A: {{$ref: '{canary.at('/v1')}{further}#/P'}}}}}}\n"
        mapped = {canary.at("/v1"): part.parents[1]}
        problems = loaded(write("x.yaml", HEAD + ref), mapped=mapped)[1]
        assert [problem.code for problem in problems] == ["E0201"]
    assert canary.asked == []


def test_the_user_may_say_how_far_references_reach(write: Write) -> None:
    common = write("common/error.yaml", "type: object\n")
    main = write("spec/x.yaml", HEAD + "components: {schemas: {E: {$ref: ../common/error.yaml}}}\n")
    document = loaded(main, folder=common.parents[1])[0]
    assert document.resolve("#/components/schemas/E")[0] == {"type": "object"}


def test_a_refused_reference_names_the_folder_that_would_hold_it(write: Write) -> None:
    text = HEAD + "components: {schemas: {E: {$ref: ../../common/error.yaml}}}\n"
    refusal = refused(write("apis/pets/x.yaml", text))
    folder = write("y", "").parent
    assert refusal.problems[0].hint.endswith(f"`--ref-root {folder}`")


def test_files_are_embedded_and_references_made_local(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        "schemas/pet.yaml",
        "Pet:\n  type: object\n  properties:\n    owner: {$ref: 'owner.json'}\n    me: {$ref:"
        " '#/Pet'}\n",
    )
    write(
        "schemas/owner.json",
        '{"type": "string", "x-up": 1, "not": {"$ref": "../openapi.yaml#/info"}}',
    )
    write(
        "openapi.yaml",
        HEAD + "components:\n  schemas:\n    P: {$ref: './schemas/pet.yaml#/Pet'}\n    a%b: {}\n",
    )
    monkeypatch.chdir(write("elsewhere/x", "").parent)
    document, problems = loaded("../openapi.yaml")
    assert problems == []
    pet, pointer = document.resolve("#/components/schemas/P")
    assert pointer == "/x-mcpgen-files/schemas~1pet.yaml/Pet"
    assert pet["properties"]["me"] == {"$ref": "#/x-mcpgen-files/schemas~1pet.yaml/Pet"}
    owner, _ = document.deref(pet["properties"]["owner"], "")
    assert owner["type"] == "string"
    assert document.deref(owner["not"], "")[0] == document.root["info"]


def test_files_that_refer_to_each_other_are_read_once(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcpgen.load import files

    write("a.yaml", "A: {properties: {b: {$ref: 'b.yaml#/B'}}}\n")
    write(
        "b.yaml",
        "B: {properties: {a: {$ref: './sub/../a.yaml#/A'}, m: {$ref: 'x.yaml#/components'}}}\n",
    )
    main = write(
        "x.yaml", HEAD + "components: {schemas: {A: {$ref: 'a.yaml#/A'}, B: {$ref: 'b.yaml#/B'}}}\n"
    )
    read: list[str] = []
    original = files.read_file

    def counted(path: Path, *rest: Any) -> bytes:
        read.append(path.name)
        return original(path, *rest)

    monkeypatch.setattr(files, "read_file", counted)
    document = loaded(main)[0]
    assert sorted(read) == ["a.yaml", "b.yaml"]
    assert (
        document.resolve("#/components/schemas/A")[0]
        is document.root["x-mcpgen-files"]["a.yaml"]["A"]
    )


def test_names_with_spaces_percent_signs_and_slashes_are_found(write: Write) -> None:
    write("odd folder/100%.yaml", "'a/b': {type: object}\n")
    main = write(
        "x.yaml", HEAD + "components: {schemas: {A: {$ref: 'odd%20folder/100%25.yaml#/a~1b'}}}\n"
    )
    assert loaded(main)[0].resolve("#/components/schemas/A")[0] == {"type": "object"}


def test_a_reference_in_data_is_data(write: Write) -> None:
    text = (
        "components: {schemas: {A: {default: {a: {$ref: 'http://h/x'}}, enum: [{$ref: '../x'}]}}}\n"
        "x-any: {$ref: '/etc/x'}\n"
    )
    document, problems = loaded(write("x.yaml", HEAD + text))
    assert problems == [] and document.root["x-any"] == {"$ref": "/etc/x"}


def test_a_description_in_a_file_stands_in_its_place(write: Write) -> None:
    write("intro.md", "# Hello\n")
    write("texts.yaml", "one: first\n")
    text = (
        "tags:\n  - {name: a, description: {$ref: intro.md}}\n  - {name: b, description: {$ref:"
        " 'texts.yaml#/one'}}\n"
    )
    document = loaded(write("x.yaml", HEAD + text))[0]
    assert [tag["description"] for tag in document.root["tags"]] == ["# Hello\n", "first"]


@pytest.mark.parametrize("word", ["a: 1", "$id: 1", "mapping: 1"])
def test_a_value_of_the_same_file_replaces_its_reference(write: Write, word: str) -> None:
    """Whatever else the text holds: the hash of an unchanged document depends on it."""
    text = "components:\n  examples: {a: {value: {b: 1}}, c: {value: {\"$ref\": '#/x-d'}}}\nx-d: {"
    document = loaded(write("x.yaml", f"{HEAD}{text}{word}}}\n"))[0]
    assert "$ref" not in document.root["components"]["examples"]["c"]["value"]


@pytest.mark.parametrize(("schema", "severity", "hint"), [
    ("{$ref: 'schemas/pets.yaml'}", "warning", "pet.yaml"),
    (f"{{$ref: '{'x' * 300}.yaml'}}", "warning", "relative to the file with the reference"),
    (f"{{$ref: '{'x' * 300}/{'y' * 5_000}'}}", "warning", "relative to the file with"),
    ("{$ref: 'status.yml'}", "warning", "relative to the file with the reference"),
    ("{$ref: 'parts/gone.yaml'}", "warning", "relative to the file with the reference"),
    ("{type: string, example: {$ref: examples/a.yaml}}", "note", ""),
])  # fmt: skip
def test_a_missing_file_is_one_problem_with_a_suggestion(
    write: Write, schema: str, severity: str, hint: str
) -> None:
    write("schemas/pet.yaml", "type: object\n")
    write("mistral.yaml", "type: object\n")  # the ending alone is no likeness
    schemas = f"components:\n  schemas:\n    A: {schema}\n    B: {{$ref: schemas/pet.yaml}}\n"
    document, (problem,) = loaded(write("x.yaml", HEAD + schemas))
    assert (problem.code, problem.severity) == ("E0204", severity) and hint in problem.hint
    assert "mistral" not in f"{problem.message} {problem.hint}"
    assert problem.place is not None and problem.place.line == 5
    place = "/example/$ref" if severity == "note" else "/$ref"
    assert problem.pointer == f"/components/schemas/A{place}"
    if severity == "note":
        example = document.root["components"]["schemas"]["A"]["example"]
        assert example == {"$ref": "examples/a.yaml"}


def test_errors_in_other_files_end_the_run_and_are_shown_there(write: Write) -> None:
    write("twice.yaml", "a: 1\na: 2\n")
    write("open.json", '{"a": ')
    references = "components: {schemas: {A: {$ref: twice.yaml}, B: {$ref: open.json}}}\n"
    refusal = refused(write("x.yaml", HEAD + references))
    assert (refusal.exit_code, refusal.codes) == (1, ["E0113", "E0111"])
    places = [(Path(each.place.file).name, each.place.line) for each in refusal.problems]
    assert places == [("twice.yaml", 2), ("open.json", 1)]


def test_limits_hold_for_all_files_together(write: Write) -> None:
    write("big.yaml", "x: [" + "0, " * 400 + "0]\n")
    main = write("x.yaml", HEAD + "components: {schemas: {A: {$ref: big.yaml}}}\n")
    assert refused(main, limits=Limits(nodes=300)).exit_code == 3
    assert refused(main, limits=Limits(bytes=600)).exit_code == 3
    assert refused(main, limits=Limits(files=0)).codes == ["E0205"]


def test_an_id_is_a_name_and_never_fetched(write: Write, canary: Any) -> None:
    text = (
        f"components:\n  schemas:\n    A: {{$id: '{canary.at('/base/')}', items: {{$ref:"
        " item.yaml}}\n"
    )
    assert [problem.code for problem in loaded(write("x.yaml", HEAD + text))[1]] == ["E0204"]
    write("item.yaml", "type: string\n")
    document = loaded(write("x.yaml", HEAD + text))[0]
    assert document.resolve("#/components/schemas/A/items")[0] == {"type": "string"}
    named = (
        "components:\n  schemas:\n    A: {$id: 'https://example.com/a', $anchor: here, $defs: {x:"
        " {type: integer}}, items: {$ref: '#/$defs/x'}}\n    B: {$ref:"
        " 'https://example.com/a#/$defs/x'}\n    C: {$ref: '#here'}\n"
        "    D: {$ref: 'https://example.com/a#here'}\n    E: {$ref: 'parts.yaml#there'}\n"
    )
    write("parts.yaml", "$defs: {x: {$anchor: there, type: boolean}}\n")
    document = loaded(write("y.yaml", HEAD + named))[0]
    assert document.resolve("#/components/schemas/B")[0] == {"type": "integer"}
    assert document.resolve("#/components/schemas/E")[0]["type"] == "boolean"
    for name in "CD":
        assert document.resolve(f"#/components/schemas/{name}")[1] == "/components/schemas/A"
    assert document.resolve("#/components/schemas/A/items")[0] == {"type": "integer"}
    assert canary.asked == []


def test_what_is_only_named_is_not_fetched(write: Write, canary: Any) -> None:
    text = (
        f"jsonSchemaDialect: '{canary.at()}'\ncomponents:\n  schemas: {{A: {{$schema:"
        f" '{canary.at()}', $id: '{canary.at()}'}}}}\n  examples: {{e: {{externalValue:"
        f" '{canary.at()}'}}}}\n  links: {{l: {{operationRef: '{canary.at()}'}}}}\n"
    )
    _, problems = loaded(write("x.yaml", HEAD + text))
    assert {problem.code for problem in problems} == {"E0207"} and canary.asked == []


@pytest.mark.parametrize(("ref", "suggestion"), [
    ("#/components/schemas/Pett", "#/components/schemas/Pet"),
    ("#/components/schemas/pet", "#/components/schemas/Pet"),
    ("#/definitions/Pet", "#/components/schemas/Pet"),
    ("#/components/schema/Pet", "#/components/schemas/Pet"), ("#/info/titel", "#/info/title"),
])  # fmt: skip
def test_a_reference_to_nothing_suggests_what_exists(
    write: Write, ref: str, suggestion: str
) -> None:
    document = loaded(write("x.yaml", HEAD + "components: {schemas: {Pet: {}, Other: {}}}\n"))[0]
    with pytest.raises(UnresolvedReference) as caught:
        document.resolve(ref)
    assert caught.value.suggestions[0] == suggestion


@pytest.mark.parametrize("ref", ["a%2Fb", "a~1b", "c%2Fd"])
def test_an_encoded_slash_may_be_one_in_a_key(write: Write, ref: str) -> None:
    schemas = "{a/b: {type: string}, c: {d: {type: string}}, e: {$ref: '#/components/schemas/REF'}}"
    text = f"{HEAD}components: {{schemas: {schemas.replace('REF', ref)}}}\n"
    document = loaded(write("x.yaml", text))[0]
    assert document.resolve("#/components/schemas/e")[0] == {"type": "string"}


@pytest.mark.parametrize("hops", [3, 65, 1000])
def test_chains_are_followed_up_to_the_limit(write: Write, hops: int) -> None:
    chain = "".join(f"    C{n}: {{$ref: '#/components/schemas/C{n + 1}'}}\n" for n in range(hops))
    document = loaded(
        write("x.yaml", HEAD + f"components:\n  schemas:\n{chain}    C{hops}: {{type: string}}\n")
    )[0]
    if hops < 64:
        assert document.resolve("#/components/schemas/C0")[1] == f"/components/schemas/C{hops}"
    else:
        with pytest.raises(UnresolvedReference, match="more than 64"):
            document.resolve("#/components/schemas/C0")


def test_a_circle_of_references_is_an_unresolved_one(write: Write) -> None:
    text = (
        "components: {schemas: {A: {$ref: '#/components/schemas/B'}, B: {$ref:"
        " '#/components/schemas/A'}}}\n"
    )
    document = loaded(write("x.yaml", HEAD + text))[0]
    with pytest.raises(UnresolvedReference, match="is circular"):
        document.resolve("#/components/schemas/A")
    with pytest.raises(UnresolvedReference):
        document.resolve("#/components/schemas/A/properties/x")


def test_a_reference_may_lead_through_another(write: Write) -> None:
    text = (
        "components: {responses: {A: {$ref: '#/components/responses/B'},"
        " B: {content: {a/b: {schema: {type: string}}}}}}\n"
    )
    document = loaded(write("x.yaml", HEAD + text))[0]
    assert document.resolve("#/components/responses/A/content/a~1b/schema")[0] == {"type": "string"}


# URLs, which only the user names.


def test_a_url_is_read_and_so_are_files_beside_it(canary: Any) -> None:
    canary.files["/v1/openapi.yaml"] = (
        HEAD + "components: {schemas: {A: {$ref: 'sub/a.yaml#/A'}}}\n"
    ).encode()
    canary.files["/v1/sub/a.yaml"] = b"A: {type: string, not: {$ref: '../openapi.yaml#/info'}}\n"
    document = loaded(canary.at("/v1/openapi.yaml?branch=secret"))[0]
    assert document.resolve("#/components/schemas/A")[0]["type"] == "string"
    assert document.source.url == canary.at("/v1/openapi.yaml")
    assert "secret" not in document.source.name
    assert canary.asked == ["/v1/openapi.yaml?branch=secret", "/v1/sub/a.yaml"]


@pytest.mark.parametrize(
    "ref", ["../up.yaml", "/up.yaml", "ftp://127.0.0.1:PORT/up.yaml", "//127.0.0.1/x", "a/../../x"]
)
def test_a_document_from_a_url_stays_in_its_folder(canary: Any, ref: str) -> None:
    ref = ref.replace("PORT", str(canary.port))
    canary.files["/v1/openapi.yaml"] = (
        HEAD + f"components: {{schemas: {{A: {{$ref: '{ref}'}}}}}}\n"
    ).encode()
    assert refused(canary.at("/v1/openapi.yaml")).exit_code == 3
    assert canary.asked == ["/v1/openapi.yaml"]


def test_a_redirect_stays_on_its_host(canary: Any) -> None:
    canary.redirects["/old.yaml"] = "/new.yaml"
    canary.redirects["/away.yaml"] = f"http://localhost:{canary.port}/new.yaml"
    canary.files["/new.yaml"] = HEAD.encode()
    assert loaded(canary.at("/old.yaml"))[0].version == "3.1.0"
    refusal = refused(canary.at("/away.yaml"))
    assert refusal.exit_code == 3 and f"http://localhost:{canary.port}/new.yaml" in refusal.text
    assert canary.asked.count("/new.yaml") == 1


def test_a_url_that_fails_says_how(canary: Any) -> None:
    assert "404" in refused(canary.at("/none.yaml")).text
    canary.files["/big.yaml"] = b"x" * 2000
    assert refused(canary.at("/big.yaml"), limits=Limits(bytes=1000)).codes == ["E0105"]
    assert refused("http://127.0.0.1:1/x").codes == ["E0122"]
    assert refused("http://user:s3cret@127.0.0.1/x").exit_code == 2
    assert "s3cret" not in refused("http://user:s3cret@127.0.0.1/x").text
    assert refused("ftp://127.0.0.1/x").exit_code == 2


@pytest.mark.parametrize("reference", [
    "$ref: #comment\n          ADDRESS", "$ref: #/comment\n          ADDRESS",
    "'$ref': #/comment\n          ADDRESS", "? $ref\n        : ADDRESS",
    '? "$re\\\n          f"\n        : ADDRESS',
])  # fmt: skip
def test_no_spelling_hides_where_a_reference_leads(
    write: Write, canary: Any, reference: str
) -> None:
    schema = "components:\n  schemas:\n    A:\n        "
    main = write("x.yaml", HEAD + schema + reference.replace("ADDRESS", canary.at()) + "\n")
    assert [problem.code for problem in loaded(main)[1]] == ["E0201"] and canary.asked == []


def test_a_reference_behind_a_comment_is_followed(write: Write) -> None:
    write("pet.yaml", "type: object\n")
    schema = "components:\n  schemas:\n    A:\n      $ref: #/comment\n        pet.yaml\n"
    document, problems = loaded(write("x.yaml", HEAD + schema))
    assert problems == []
    assert document.resolve("#/components/schemas/A")[0] == {"type": "object"}


def test_a_tag_in_another_file_ends_the_run(write: Write) -> None:
    write("bad.yaml", "a: !!python/object/apply:os.system ['true']\n")
    refusal = refused(write("x.yaml", HEAD + "components: {schemas: {A: {$ref: 'bad.yaml'}}}\n"))
    assert (refusal.exit_code, refusal.codes) == (1, ["E0119"]) and refusal.where == (1, 4)
    assert "bad.yaml" in refusal.text


def test_aliases_may_not_outgrow_the_text_in_another_file_either(write: Write) -> None:
    write("bomb.yaml", "a: &a [" + "0, " * 200 + "0]\nb: [" + "*a, " * 1000 + "*a]\n")
    main = write("x.yaml", HEAD + "components: {schemas: {A: {$ref: bomb.yaml}}}\n")
    refusal = refused(main)
    assert (refusal.exit_code, refusal.codes) == (3, ["E0117"])


@pytest.mark.parametrize(("text", "needs_a_walk"), [
    ('"mapping": {}', False), ('"mapping": {"a": "#/b", "c": "#/d"}', False),
    ('"mapping": {"a": "#/b", "c": "d"}', True), ('"mapping": {"a": "d.json"}', True),
    ('"mapping": {"a": "#\\u002fb"}', True), ('"properties": {"$ref": {"type": "string"}}', False),
    ('"items": {"$ref": "a.json"}', True), ("mapping:\n  a: '#/b'", True),
    ("mapping: {a: '#/b'}", True),
])  # fmt: skip
def test_local_references_need_no_walk(text: str, needs_a_walk: bool) -> None:
    assert suspicious(SourceText("x", text), has_tools=False) is needs_a_walk
