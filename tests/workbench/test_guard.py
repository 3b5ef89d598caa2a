"""Nobody but the person who started the workbench can drive it."""

import pytest

from .conftest import HOST, TOKEN, Pages

OWN = {"Origin": f"http://{HOST}", "Content-Type": "application/json"}
PAGES = tuple("/ /tools /tool/0 /edit/0 /find?q=book /settings /problems /changes /scores".split())  # fmt: skip


@pytest.mark.parametrize("path", [*PAGES, "/state", "/static/page.css"])
@pytest.mark.parametrize(
    "root", ["", "/", "/x", f"/{TOKEN[:-1]}", f"/{TOKEN}x", "/tök", f"//{TOKEN}"]
)
def test_without_the_token_nothing_is_shown(bookshop: Pages, path: str, root: str) -> None:
    answer = bookshop.visitor(root).get(path)
    assert answer.status_code == 403 and "Bookshop" not in answer.text
    assert bookshop.visitor(root).get(path, params={"token": TOKEN}).status_code == 403


def test_nothing_but_the_address_lets_in(bookshop: Pages) -> None:
    answer = bookshop.client.get("/")
    assert answer.status_code == 200 and "set-cookie" not in answer.headers
    assert f'href="/{TOKEN}/tools"' in answer.text


@pytest.mark.parametrize("host", ["evil.example:8123", "localhost:8123", "127.0.0.1"])
def test_a_name_that_was_made_to_point_here_is_refused(bookshop: Pages, host: str) -> None:
    assert bookshop.client.get("/", headers={"Host": host}).status_code == 421
    assert bookshop.client.post("/undo", json={}, headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9", None])
def test_another_page_changes_nothing(bookshop: Pages, origin: str | None) -> None:
    headers = {"Origin": origin} if origin is not None else {}
    body = {"action": "out", "numbers": [0], "facet": None}
    before = bookshop.bench.text
    assert bookshop.client.post("/choose", json=body, headers=headers).status_code == 403
    assert bookshop.bench.text == before


def test_a_form_of_another_site_is_refused_even_with_the_right_origin(bookshop: Pages) -> None:
    headers = {**OWN, "Content-Type": "text/plain"}
    assert bookshop.client.post("/undo", content="{}", headers=headers).status_code == 415


@pytest.mark.parametrize(("headers", "status"), [
    ([("Sec-Fetch-Site", "cross-site")], 403),
    ([("Sec-Fetch-Site", "same-site")], 403),  # a page of another port of this machine
    ([("Sec-Fetch-Site", "same-origin")], 400),
    ([("Host", HOST), ("Host", "evil.example")], 421), ([("Host", HOST), ("Host", HOST)], 421),
])  # fmt: skip
def test_a_request_comes_from_a_page_of_the_workbench_and_is_for_it(
    bookshop: Pages, headers: list[tuple[str, str]], status: int
) -> None:
    answer = bookshop.client.post("/undo", content="x", headers=[*OWN.items(), *headers])
    assert answer.status_code == status


def test_a_body_whose_length_is_not_known_is_not_read(bookshop: Pages) -> None:
    answer = bookshop.client.post("/undo", content=iter([b"{", b"}"]), headers=OWN)
    assert answer.status_code == 413


def test_a_body_that_no_page_sends_is_refused_without_a_traceback(bookshop: Pages) -> None:
    for path in ("/change", "/choose", "/suggest", "/repair", "/call", "/generate"):
        for content in (
            *("[1]", "{", '"x"', "[" * 100_000, '{"number": "a", "numbers": 3, "limit": "x"}'),
            '{"number": 1e400, "numbers": [1e400], "limit": 1e400}',
        ):
            answer = bookshop.client.post(path, content=content, headers=OWN)
            assert answer.status_code == 400, (path, content, answer.text)
    nowhere = '{"number": -1, "numbers": [-1], "changes": []}'
    for path in ("/change", "/repair", "/call"):
        answer = bookshop.client.post(path, content=nowhere, headers=OWN)
        assert answer.status_code == 400, path
    assert bookshop.client.post("/undo", content="x" * 1_000_001, headers=OWN).status_code == 413
    for path in ("/tool/99999", "/nothing"):
        answer = bookshop.client.get(path)
        assert answer.status_code == 404 and "no such page" in answer.text


@pytest.mark.parametrize("path", ["/static/..%2fbench.py", "/static/app.py", "/static/none.js"])
def test_only_styles_and_scripts_are_files(bookshop: Pages, path: str) -> None:
    assert bookshop.client.get(path).status_code == 404


@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_no_script_of_a_document_and_loads_nothing(bookshop: Pages, path: str) -> None:
    answer = bookshop.client.get(path)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store" and "style=" not in answer.text
    assert "onclick" not in answer.text
