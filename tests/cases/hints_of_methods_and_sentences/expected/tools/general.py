"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def book_replace(api: Api) -> Answer[Any]:
    """Books by PUT."""
    return await api.request("PUT", "/books")


async def book_update(api: Api) -> Answer[Any]:
    """Books by PATCH."""
    return await api.request("PATCH", "/books")


async def cancel_order(api: Api) -> Answer[Any]:
    """Cancel order."""
    return await api.request("POST", "/orders/cancel")


async def check_books(api: Api) -> Answer[Any]:
    """Books by HEAD."""
    return await api.request("HEAD", "/books")


async def create_book(api: Api) -> Answer[Any]:
    """Create book."""
    return await api.request("POST", "/books/new")


async def delete_books(api: Api) -> Answer[Any]:
    """Books by DELETE."""
    return await api.request("DELETE", "/books")


async def describe_books(api: Api) -> Answer[Any]:
    """Books by OPTIONS."""
    return await api.request("OPTIONS", "/books")


async def find_orders(api: Api) -> Answer[Any]:
    """Find orders."""
    return await api.request("POST", "/orders/find")


async def get_login(api: Api) -> Answer[Any]:
    """Login page."""
    return await api.request("GET", "/login")


async def get_logout(api: Api) -> Answer[Any]:
    """Get logout."""
    return await api.request("GET", "/logout")


async def get_pki_crl_rotate(api: Api) -> Answer[Any]:
    """Rotate pki crl."""
    return await api.request("GET", "/pki/crl/rotate")


async def get_queue(api: Api) -> Answer[Any]:
    """Clear episode download queue."""
    return await api.request("GET", "/queue")


async def get_queue_clear(api: Api) -> Answer[Any]:
    """Get the queue to clear."""
    return await api.request("GET", "/queue/clear")


async def get_sentence_a(api: Api) -> Answer[Any]:
    """List the books."""
    return await api.request("GET", "/sentences/a")


async def get_sentence_b(api: Api) -> Answer[Any]:
    """Get book by ISBN."""
    return await api.request("GET", "/sentences/b")


async def get_sentence_c(api: Api) -> Answer[Any]:
    """Returns all books."""
    return await api.request("GET", "/sentences/c")


async def get_sentence_d(api: Api) -> Answer[Any]:
    """Find a book."""
    return await api.request("GET", "/sentences/d")


async def get_sentence_e(api: Api) -> Answer[Any]:
    """Fetch one."""
    return await api.request("GET", "/sentences/e")


async def get_sentence_f(api: Api) -> Answer[Any]:
    """\"Read" the table."""
    return await api.request("GET", "/sentences/f")


async def get_status(api: Api) -> Answer[Any]:
    """Update status."""
    return await api.request("GET", "/status")


async def get_user_logout(api: Api) -> Answer[Any]:
    """Logs out current logged in user session."""
    return await api.request("GET", "/user/logout")


async def get_webhook(api: Api) -> Answer[Any]:
    """Trigger a new execution by GET webhook."""
    return await api.request("GET", "/webhook")


async def list_books(api: Api) -> Answer[Any]:
    """Books by GET."""
    return await api.request("GET", "/books")


async def list_deleted(api: Api) -> Answer[Any]:
    """List what was deleted."""
    return await api.request("GET", "/deleted")


async def list_sliders(api: Api) -> Answer[Any]:
    """Resets all sliders."""
    return await api.request("GET", "/sliders")


async def orders_bulk_delete(api: Api) -> Answer[Any]:
    """Bulk delete orders."""
    return await api.request("POST", "/orders/bulk")


async def query_books(api: Api) -> Answer[Any]:
    """Books by QUERY."""
    return await api.request("QUERY", "/books")


async def search(api: Api) -> Answer[Any]:
    """Get the search lets you send a query to the index."""
    return await api.request("GET", "/search")
