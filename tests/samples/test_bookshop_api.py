"""The sample API is what its document says: the demo would lie otherwise."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
import yaml
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

SAMPLES = Path(__file__).parents[2] / "samples"
sys.path.insert(0, str(SAMPLES))

import bookshop_api  # noqa: E402

DOCUMENT = yaml.safe_load(bookshop_api.document(is_next=True))
REGISTRY = Registry().with_resource(
    "urn:bookshop", Resource(contents=DOCUMENT, specification=DRAFT202012)
)
ADDRESS = {"name": "Ana Reis", "street": "Rua Augusta 1", "city": "Lisboa", "country": "PT"}


def operations() -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (method.upper(), path): item[method]
        for path, item in DOCUMENT["paths"].items()
        for method in ("get", "post", "patch", "delete")
        if method in item
    }


def call(app: Any, method: str, path: str, **options: Any) -> httpx2.Response:
    """One call with the key, checked against what the document says of the answer."""

    headers = {"X-API-Key": bookshop_api.KEY, **options.pop("headers", {})}
    answer = httpx2.request(method, app.base_url + path, headers=headers, **options)
    template = next(
        known for verb, known in operations() if verb == method and _fits(known, path.split("?")[0])
    )
    _check(operations()[method, template], answer)
    return answer


def _fits(template: str, path: str) -> bool:
    parts, given = template.split("/"), path.split("/")
    return len(parts) == len(given) and all(
        a == b or a.startswith("{") for a, b in zip(parts, given, strict=True)
    )


def _check(operation: dict[str, Any], answer: httpx2.Response) -> None:
    said = operation["responses"].get(str(answer.status_code)) or operation["responses"].get(
        "default"
    )
    assert said is not None, f"{answer.status_code} is not documented"
    if "$ref" in said:
        said = DOCUMENT["components"]["responses"][said["$ref"].rsplit("/", 1)[1]]
    kinds = said.get("content", {})
    if not kinds:
        assert answer.content == b""
        return
    assert answer.headers["content-type"] in kinds
    if "application/json" in kinds:
        pointer = f"urn:bookshop#/{_pointer(DOCUMENT, kinds['application/json']['schema'])}"
        jsonschema.Draft202012Validator({"$ref": pointer}, registry=REGISTRY).validate(
            answer.json()
        )


def _pointer(node: Any, wanted: Any) -> str | None:
    """Where an object stands in the document, so that its references resolve."""
    if node is wanted:
        return ""
    inside = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node) if isinstance(node, list) else ()
    )
    for key, value in inside:
        below = _pointer(value, wanted)
        if below is not None:
            step = str(key).replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace(
                "}", "%7D",
            )  # fmt: skip
            return f"{step}/{below}" if below else step
    return None


@pytest.fixture
def app() -> Iterator[Any]:
    with bookshop_api.serving() as server:
        yield server


def test_it_implements_every_operation_under_its_operation_id():
    assert {(method, path): name for method, path, name in bookshop_api.ROUTES} == {
        key: operation["operationId"] for key, operation in operations().items()
    }


def test_books_are_found_by_every_filter(app):
    def ids(query: str) -> list[str]:
        return [book["id"] for book in call(app, "GET", f"/books?{query}").json()["items"]]

    assert ids("genre=poetry") == ["bk_3"] and ids("author-id=au_1") == ["bk_2", "bk_1"]
    assert ids("price[min]=14&in-stock=true") == ["bk_7"] and ids("price[max]=8") == ["bk_3"]


def test_pages_follow_each_other_until_there_is_none(app):
    seen, token = [], ""
    while token is not None:
        page = call(app, "GET", f"/books?page-size=3&page-token={token}").json()
        seen += [book["id"] for book in page["items"]]
        token = page["nextPageToken"]
    assert seen == [f"bk_{number}" for number in range(7, 0, -1)]


def test_a_book_lives_from_post_to_delete(app):
    price = {"amount": 1, "currency": "EUR"}
    new = {"title": "T", "authorIds": ["au_1"], "genre": "poetry", "price": price}
    key = call(app, "POST", "/books", json=new).json()["id"]
    changed = call(app, "PATCH", f"/books/{key}", json={"blurb": None, "stock": 3})
    assert changed.json()["stock"] == 3
    assert call(app, "GET", f"/books/{key}").json()["blurb"] is None
    assert call(app, "GET", f"/books/{key}/cover").content.startswith(b"\x89PNG")
    assert call(app, "DELETE", f"/books/{key}").status_code == 204
    assert call(app, "GET", f"/books/{key}").status_code == 404


def test_orders_take_copies_from_the_shelf_and_give_them_back(app):
    body = {"lines": [{"bookId": "bk_1", "quantity": 2}], "deliverTo": ADDRESS}
    order = call(app, "POST", "/orders", json=body, headers={"Idempotency-Key": "a"}).json()
    assert order["total"] == {"amount": 19.0, "currency": "EUR"}
    assert (
        call(app, "POST", "/orders", json=body, headers={"Idempotency-Key": "a"}).json()["id"]
        == order["id"]
    )
    refused = call(app, "POST", "/orders", json=body)
    assert refused.status_code == 409 and "only 0 left" in refused.json()["details"][0]["reason"]
    assert call(app, "GET", "/orders?status=placed,sent").json()["items"][0]["id"] == order["id"]
    assert call(app, "POST", f"/orders/{order['id']}/cancel").json()["status"] == "cancelled"
    assert call(app, "POST", f"/orders/{order['id']}/cancel").status_code == 409
    assert call(app, "GET", "/books/bk_1").json()["stock"] == 2


def test_authors_are_listed_by_name(app):
    names = [author["name"] for author in call(app, "GET", "/authors").json()]
    assert names == sorted(names)
    assert call(app, "GET", "/authors?name=pessoa").json()[0]["books"] == ["bk_3", "bk_4"]
    assert call(app, "GET", "/authors/au_9").status_code == 404


def test_without_the_key_only_the_status_is_open(app):
    status = call(app, "GET", "/status", headers={"X-API-Key": ""})
    assert status.json() == {"open": True, "books": 7}
    assert call(app, "GET", "/books", headers={"X-API-Key": "wrong"}).status_code == 401


def test_it_describes_itself_at_its_own_address(app):
    first = httpx2.get(f"{app.origin}/openapi.yaml").text
    assert "listBooksOfAuthor" not in first
    httpx2.post(f"{app.origin}/next")
    described = yaml.safe_load(httpx2.get(f"{app.origin}/openapi.yaml").text)
    assert described == {**DOCUMENT, "servers": [{**DOCUMENT["servers"][0], "url": "/v1"}]}


def test_it_needs_nothing_but_python():
    script = f"import sys; sys.path.insert(0, {str(SAMPLES)!r}); import bookshop_api"
    subprocess.run([sys.executable, "-IS", "-c", script], check=True)
