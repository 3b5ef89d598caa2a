"""The sample's workflow, from its document to the order in the shop."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
sys.path.insert(0, str(SAMPLES))

import bookshop_api  # noqa: E402

ADDRESS = {"name": "Ana Reis", "street": "Rua Augusta 1", "city": "Lisboa", "country": "PT"}


@pytest.fixture
def shop() -> Iterator[str]:
    """The sample API; its base URL."""
    with bookshop_api.serving() as server:
        yield server.base_url


@pytest.fixture
def project(make: Any, shop: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = make(SAMPLES / "specs/bookshop.yaml", SAMPLES / "workflows/bookshop.arazzo.yaml")
    monkeypatch.setenv(f"{made.server.env_prefix}_BASE_URL", shop)
    monkeypatch.setenv(f"{made.server.env_prefix}_API_KEY", bookshop_api.KEY)
    return made


def test_one_call_finds_a_book_orders_it_and_reads_the_order_back(project: Any) -> None:
    arguments = {"genre": "poetry", "quantity": 2, "deliverTo": ADDRESS, "maxPrice": 10}
    outputs = project.outputs("order_a_book", arguments)
    assert outputs == {"orderId": "or_1", "title": "Message", "total": 16.0, "status": "placed"}
    assert [message for _, _, message in project.seen] == ["find-book", "place-order", "read-order"]
    assert not project.problems.has_errors
    order = project.call("get_order", {"orderId": "or_1"})
    assert order.structured_content["giftNote"] == "Enjoy Message"


def test_a_refused_order_says_which_step_failed_and_what_had_been_done(project: Any) -> None:
    arguments = {"genre": "poetry", "quantity": 99, "deliverTo": ADDRESS}
    result = project.call("order_a_book", arguments)
    assert result.is_error
    text = "\n".join(block.text for block in result.content)
    assert "409" in text
    assert "It failed at step `place-order`. Done before it:\n- `find-book` (`list_books`)" in text
