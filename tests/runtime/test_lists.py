"""What a model sees of a list: what tells items apart, and how to get the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpgen.runtime.client import BadStatus
from mcpgen.runtime.client.report import report_error
from mcpgen.runtime.client.settings import ApiSettings, ListAnswer, Shaping
from mcpgen.runtime.client.side import NOTES, content_of
from mcpgen.runtime.results import lists
from mcpgen.runtime.results.answer import Answer, tokens

LISTED = {
    "name": "list_repos",
    "inputSchema": {"type": "object", "properties": {"fields": {}, "page": {}, "per_page": {}}},
    "outputSchema": {"type": "object", "properties": {"result": {}}},
}
LISTING = ListAnswer(items=(), fields="fields", next="page", size="per_page", how="page")


def repo(number: int) -> dict[str, Any]:
    return {
        "id": number, "node_id": f"MDEwOlJlcG9zaXRvcnk{number}", "name": f"repo-{number}",
        "owner": {"login": "octocat", "id": 1, "avatar_url": "https://example.com/octocat.png"},
        "team": {"id": 7, "name": "Owls", "url": "https://example.com/teams/7"},
        "commit": {"message": f"Fix {number}", "author": {"name": "Mona"}, "url": "https://x.test"},
        "labels": [{"id": 1, "name": "bug"}, {"id": 2, "name": "ui"}],
        "html_url": f"https://example.com/repo-{number}",
        "url": f"https://api.example.com/repos/repo-{number}",
        "forks_url": f"https://api.example.com/repos/repo-{number}/forks", "homepage": None,
        "description": "", "topics": [], "private": number % 2 == 0, "ssn": "123-45-6789",
    }  # fmt: skip


REPOS = [repo(number) for number in range(20)]


def shown(data: Any, *call: dict[str, Any], **facts: Any) -> tuple[list[str], Any]:
    """The texts of an answer's blocks, and its structured content without the notes, which are among
    these texts.
    """
    answer = Answer(200, {"content-type": "application/json"}, json.dumps(data).encode(), data)
    return of(answer, *call, **facts)


def of(
    answer: Answer[Any],
    call: dict[str, Any] | None = None,
    listing: ListAnswer = LISTING,
    shaping: Shaping | None = None,
    **settings: Any,
) -> tuple[list[str], Any]:
    answers = {"list_repos": shaping} if shaping else {}
    made = ApiSettings(name="x", lists={"list_repos": listing}, answers=answers, **settings)
    blocks, structured = content_of(answer, LISTED, made, call or {})
    texts = [block["text"] for block in blocks]
    notes = structured.pop(NOTES, []) if structured else []
    assert notes == [text for text in texts[1:] if text.startswith("[")]
    return texts, structured


def test_a_list_shows_what_tells_items_apart_and_says_how_to_get_the_rest() -> None:
    [text, note], structured = shown(REPOS)
    items = json.loads(text)
    assert structured == {"result": items}
    assert items[3] == {
        "id": 3, "name": "repo-3", "owner": {"login": "octocat", "id": 1},
        "team": {"id": 7, "name": "Owls"}, "commit": {"message": "Fix 3", "author": {"name": "Mona"}},
        "labels": [{"id": 1, "name": "bug"}, {"id": 2, "name": "ui"}],
        "html_url": "https://example.com/repo-3", "private": False, "ssn": "123-45-6789",
    }  # fmt: skip
    assert note.startswith("[20 items, shortened: 6 of 15 fields are left out (node_id, homepage,")
    assert "in part (owner, team, commit)" in note
    assert note.endswith('Name the fields you need in `fields`, or ask for `fields` = ["all"]]')


def test_all_items_stay_where_there_are_many_and_every_cut_is_told() -> None:
    items = [
        repo(number) | {"body": "word " * 200} | {f"flag_{n}": True for n in range(60)}
        for number in range(100)
    ]
    [text, note], _ = shown(items)
    kept = json.loads(text)
    assert len(kept) == 100
    assert {"id", "name", "owner", "team", "labels", "body"} <= kept[99].keys()
    assert all(len(item["body"]) < 210 for item in kept if "body" in item)
    assert "flag_59" not in kept[0] and "fields are left out" in note
    assert tokens(text, 20_000) <= 12_000


def sentence(number: int) -> str:
    return f"Fix {number}: " + "the queue of orders is read again " * 6


def commit(number: int) -> dict[str, Any]:
    """A commit as GitHub lists it."""
    sha = f"{number * 7919:040x}"
    person = {
        "name": f"Mona {number}",
        "email": f"m{number}@x.test",
        "date": "2026-01-02T03:04:05Z",
    }
    user = {"login": f"mona{number}", "id": number, "url": "https://api.x.test/users/mona"}
    url = f"https://api.x.test/repos/octo/hello/commits/{sha}"
    return {
        "sha": sha, "node_id": "MDY6Q29tbWl0", "url": url, "html_url": url,
        "commit": {
            "author": person, "committer": person, "message": sentence(number),
            "tree": {"sha": sha, "url": url}, "comment_count": 0,
            "verification": {"verified": False, "reason": "unsigned", "payload": None},
        },
        "author": user, "committer": user, "parents": [{"sha": sha, "url": url, "html_url": url}],
    }  # fmt: skip


def article(number: int) -> dict[str, Any]:
    """A resource of JSON:API."""
    return {
        "type": "articles",
        "id": f"{number}",
        "attributes": {
            "title": f"Title {number}",
            "body": sentence(number),
            "created": "2026-01-02",
        },
        "relationships": {"author": {"data": {"type": "people", "id": "9"}}},
        "links": {"self": f"https://x.test/articles/{number}"},
    }


def pod(number: int) -> dict[str, Any]:
    """An object of Kubernetes, with more than there is room for."""
    env = [{"name": f"VARIABLE_{n}", "value": "x" * 40} for n in range(20)]
    return {
        "metadata": {
            "name": f"pod-{number}",
            "namespace": "shop",
            "uid": f"0b8a5c1e-0000-4000-8000-{number:012}",
            "creationTimestamp": "2026-01-02T03:04:05Z",
            "managedFields": [{"manager": "kubelet", "fieldsV1": {"f:status": env}}],
        },
        "spec": {"nodeName": f"node-{number % 3}", "containers": [{"name": "app", "env": env}]},
        "status": {"phase": "Running", "podIP": f"10.0.0.{number}"},
    }


def bill(number: int) -> dict[str, Any]:
    """An invoice with flags, an amount of two words, and much that nobody looks at."""
    noise = {f"setting_{n}": f"{n} " + "of a kind that nobody reads " * 2 for n in range(30)}
    told = {"id": f"in_{number}", "amount_due": 40 * number, "customer": f"cus_{number}"}
    return {**noise, **told, "lastTimestamp": "2026-01-02T03:04:05Z", "draft": number % 2 == 0}


@pytest.mark.parametrize(("item", "paths"), [
    (bill, ["id", "amount_due", "customer", "lastTimestamp", "draft"]),
    (commit, ["sha", "commit.message", "commit.author.name", "commit.author.date"]),
    (article, ["id", "attributes.title", "attributes.body", "attributes.created"]),
    (pod, ["metadata.name", "metadata.namespace", "status.phase"]),
])  # fmt: skip
def test_an_object_inside_an_item_is_worth_its_best_fields(item: Any, paths: list[str]) -> None:
    [text, note], structured = shown([item(number) for number in range(100)])
    assert len(structured["result"]) == 100 and tokens(text, 20_000) <= 12_000
    for path in paths:
        value: Any = structured["result"][42]
        whole: Any = item(42)
        for key in path.split("."):
            value, whole = value[key], whole[key]
        assert str(whole).startswith(str(value).rstrip("\u2026")[:60]), path
    assert note.startswith("[100 items, shortened: ")


@pytest.mark.parametrize("other", [None, 7, "text", [{"id": 1}]])
def test_fields_go_from_the_objects_of_a_list_with_other_items(other: Any) -> None:
    [text, note], _ = shown([pod(number) for number in range(100)] + [other])
    items = json.loads(text)
    assert (len(items), items[-1]) == (101, other)
    assert note.startswith("[101 items, shortened: ")


def test_the_call_chooses_fields_and_dotted_paths() -> None:
    texts, structured = shown(REPOS, {"fields": ["id", "commit.author.name", "labels.name"]})
    assert json.loads(texts[0])[3] == {
        "id": 3,
        "commit": {"author": {"name": "Mona"}},
        "labels": [{"name": "bug"}, {"name": "ui"}],
    }
    assert structured == {"result": json.loads(texts[0])} and len(texts) == 1


@pytest.mark.parametrize(("fields", "kept"), [
    (["@odata.etag"], {"@odata.etag": 1}), (["a.b"], {"a": {"b": 2}, "a.b": 3}),
    (["x.y.z"], {"x.y": {"z": 4}}), (["l.p.q"], {"l": [{"p.q": 5}]}), (["a"], {"a": {"b": 2, "": 0}}),
])  # fmt: skip
def test_keys_with_dots_can_be_chosen(fields: list[str], kept: Any) -> None:
    item = {"@odata.etag": 1, "a": {"b": 2, "": 0}, "a.b": 3, "x.y": {"z": 4}, "a.": 6}
    item["l"] = [{"p.q": 5, "r": 6}]
    assert shown([item], {"fields": fields})[1] == {"result": [kept]}
    assert shown([item], {"fields": [*fields, "x.y.q"]})[0][1].startswith("[no item has `x.y.q`;")


def test_items_are_whole_with_all_fields_and_with_those_that_the_api_was_asked_for() -> None:
    asked = ListAnswer(items=(), asked="only")
    for call, listing in (({"fields": ["all"]}, LISTING), ({"only": ["id"]}, asked)):
        assert [*map(json.loads, shown(REPOS, call, listing=listing)[0])] == [REPOS]
    assert shown(REPOS, listing=asked)[0][1].endswith("Name the fields you need in `only`]")


def test_a_field_that_no_item_has_is_named_with_those_there_are() -> None:
    texts, _ = shown(REPOS, {"fields": ["id", "titel"]})
    assert json.loads(texts[0])[0] == {"id": 0}
    assert texts[1].startswith("[no item has `titel`; the fields of items are `id`, `node_id`")
    assert json.loads(shown(REPOS, {"fields": ["titel"]})[0][0])[0]["name"] == "repo-0"
    wide = [{f"f{number}": "x" * 20 for number in range(90)}] * 9
    known = shown(wide, {"fields": ["f1", "titel"]})[0][1].split("items are ")[1]
    assert known.count("`f") == 60


def test_single_objects_small_lists_and_lists_without_the_argument_stay_whole() -> None:
    assert json.loads(shown(repo(1))[0][0]) == repo(1)
    assert json.loads(shown([repo(1)])[0][0]) == [repo(1)]
    repos = [{**each, "homepage": ""} for each in REPOS]
    assert json.loads(shown(repos, listing=ListAnswer(items=()))[0][0]) == repos


def test_a_list_inside_an_answer_keeps_what_stands_beside_it() -> None:
    data = {"ok": True, "data": {"repos": REPOS}, "total": 20}
    listing = ListAnswer(items=("data", "repos"), fields="fields")
    [text, _], structured = shown(data, listing=listing)
    assert structured == json.loads(text)
    assert structured["total"] == 20 and structured["data"]["repos"][1]["team"]["name"] == "Owls"


def test_an_item_keeps_the_only_url_it_has() -> None:
    items = [{"id": n, "photo_url": f"https://example.com/{n}", "x": "y" * 90} for n in range(30)]
    assert "photo_url" in json.loads(shown(items)[0][0])[0]


def test_a_list_is_a_table_where_that_was_asked_for() -> None:
    data = {"data": [{"id": 1, "title": "A\tB\nC", "tags": ["x"]}, {"id": 2, "n": None}], "n": 2}
    listing = ListAnswer(items=("data",), fields="fields")
    [text], structured = shown(data, listing=listing, shaping=Shaping(table=True))
    assert text == 'id\ttitle\ttags\tn\n1\tA B C\t["x"]\t\n2\t\t\t\n{"data":[],"n":2}'
    assert structured == data


@pytest.mark.parametrize("name", ["ssn", "SSN", "s_s_n"])
def test_a_withheld_field_is_nowhere_at_any_depth(name: str) -> None:
    data = {"a": [{"ssn": "123", "b": {"ssn": {"c": 1}, "d": 1}}], "text": '{"ssn": "123"}'}
    [text], structured = shown(data, redact=(name,))
    assert "123" not in text
    assert structured == {
        "a": [{"b": {"d": 1}}],
        "text": "[not shown: it names a field that this server withholds]",
    }
    assert shown(data, shaping=Shaping(redact=(name,)))[1] == structured


@pytest.mark.parametrize(("media_type", "body"), [
    ("text/csv", b"name,ssn\nAda,123"), ("text/xml", b"<a><ssn>123</ssn></a>"),
    ("application/json", b'{"ssn": "123"'), ("text/plain", b"ssn: 123"),
])  # fmt: skip
def test_text_that_names_a_withheld_field_is_withheld(media_type: str, body: bytes) -> None:
    [text], _ = of(Answer(200, {"content-type": media_type}, body), redact=("ssn",))
    assert text == "The API's answer is not shown: it names a field that this server withholds"
    assert "123" in "".join(of(Answer(200, {"content-type": media_type}, body))[0])


def test_an_error_does_not_show_a_withheld_field() -> None:
    data = {"message": "taken", "record": {"ssn": "123"}}
    answer = Answer(422, {"content-type": "application/json"}, json.dumps(data).encode(), data)
    [block] = report_error(BadStatus(answer), ApiSettings(name="x", redact=("ssn",)))
    assert "taken" in block["text"] and "123" not in block["text"]


def test_xml_is_json_where_that_was_asked_for() -> None:
    body = b'<books total="2"><book id="1"><title>A</title></book><book id="2"/></books>'
    answer = Answer(200, {"content-type": "application/xml"}, body)
    [text], _ = of(answer, shaping=Shaping(xml=True))
    assert json.loads(text) == {
        "books": {"@total": "2", "book": [{"@id": "1", "title": "A"}, {"@id": "2"}]}
    }
    assert body.decode() in of(answer)[0]


@pytest.mark.parametrize("body", [
    b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', b"<a><b></a>",
    b"<a>" * 500 + b"</a>" * 500,
])  # fmt: skip
def test_xml_that_declares_entities_or_is_none_stays_text(body: bytes) -> None:
    texts, _ = of(Answer(200, {"content-type": "text/xml"}, body), shaping=Shaping(xml=True))
    assert body.decode()[:60] in "".join(texts)
    assert "root:" not in "".join(texts)


@pytest.mark.parametrize(("body", "part", "note"), [
    (b"abc", "[3:]", "[there is no text from character 3 on]"), (b"\xff\xfe", "", "[there is no text]"),
])  # fmt: skip
def test_a_text_that_is_empty_is_told_so(body: bytes, part: str, note: str) -> None:
    answer = Answer(200, {"content-type": "text/plain"}, body)
    blocks, structured = content_of(answer, LISTED, ApiSettings(name="x"), {"answer_part": part})
    assert ([block["text"] for block in blocks], structured) == (
        [note],
        {"result": "", NOTES: [note]},
    )


CURSORS = ListAnswer(next="cursor", how="cursor", source=("next",))


@pytest.mark.parametrize(("told", "arguments"), [
    ("/wEPabc==", {"cursor": "/wEPabc=="}), ("/books?cursor=2", {"cursor": "2"}),
    ("/v1/books/page/2", {}),
    ("x" * 3_000, {"cursor": "x" * 3_000}), ("x" * 5_000, {}), ("", None),
    ("https://x.test/?cursor=" + "x" * 5_000, {}), ("https://[x.test/?cursor=2", {}),
])  # fmt: skip
def test_a_cursor_is_repeated_whole_or_not_at_all(told: str, arguments: Any) -> None:
    data = {"items": [1], "next": told}
    assert lists.next_part(CURSORS, data, {}, {}, ["cursor"]) == arguments


PAGES = ListAnswer(items=("rows",), next="page", how="page")


@pytest.mark.parametrize("beside", [
    {"last_page": False}, {"info": {"more_records": True}}, {"page_context": {"has_more_page": True}},
    {"list_info": {"has_more_rows": True}}, {"navigation": {"hasNext": True}},
    {"search": {"hasMore": True}}, {"next": {"hasMore": True}},
])  # fmt: skip
def test_a_flag_says_whether_there_is_a_next_page(beside: Any) -> None:
    def following(beside: Any) -> Any:
        return lists.next_part(PAGES, {"rows": [{"id": 1}], **beside}, {}, {}, ["page"])

    assert following(beside) == {"page": 2}
    told = json.dumps({**beside, "total": 9})
    swapped = told.replace("true", "-").replace("false", "true").replace("-", "false")
    assert following(json.loads(swapped)) is None


@pytest.mark.parametrize("call", [{"page": 3}, {"page": 2, "page_size": 2}])
def test_a_page_without_the_url_of_a_next_one_is_the_last_whatever_the_total(call: Any) -> None:
    listing = ListAnswer(
        ("results",), next="page", size="page_size", how="cursor", source=("next",)
    )
    data = {"count": 4, "next": None, "results": [{"id": 3}, {"id": 4}]}
    assert lists.next_part(listing, data, {}, call, [*call]) is None


def test_a_link_to_a_page_without_results_is_none() -> None:
    link = '<https://a.test/?cursor=0:1:0>; rel="next"; results="{}"; cursor="0:1:0"'
    for results, following in (("true", {"cursor": "0:1:0"}), ("false", None)):
        headers = {"link": f'<https://a.test/>; rel="previous", {link.format(results)}'}
        assert lists.next_part(CURSORS, [{"id": 1}], headers, {}, ["cursor"]) == following


@pytest.mark.parametrize(("links", "following"), [
    ('<https://a.test/?page=2>; rel="prev", <https://a.test/?page=1>; rel="first"', None),
    ('<https://a.test/?page=1>; rel="first"', {"page": 4}), ("", {"page": 4}),
])  # fmt: skip
def test_a_full_page_with_a_link_to_the_previous_one_alone_is_the_last(
    links: str, following: Any
) -> None:
    listing = ListAnswer(items=(), next="page", how="page", size="per_page")
    call = {"page": 3, "per_page": 2}
    assert lists.next_part(listing, [{}, {}], {"link": links}, call, [*call]) == following


def test_a_link_that_is_no_url_costs_no_answer() -> None:
    link = {"content-type": "application/json", "link": '<http://[bad?page=2>; rel="next"'}
    [text, note], data = of(Answer(200, link, b"[1]", [1]))
    assert text == "[1]" and data == {"result": [1]} and "more" in note
