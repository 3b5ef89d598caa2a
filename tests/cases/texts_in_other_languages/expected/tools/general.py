"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def create_book(api: Api) -> Answer[Any]:
    """Create book."""
    return await api.request("POST", "/books")


async def create_buecher(api: Api) -> Answer[Any]:
    """Neues Buch mit einem Titel."""
    return await api.request("POST", "/buecher")


async def get_buecher(api: Api) -> Answer[Any]:
    """Liste aller Bucher."""
    return await api.request("GET", "/buecher")


async def get_knigi(api: Api) -> Answer[Any]:
    """Get knigi."""
    return await api.request("GET", "/knigi")


async def get_menu(api: Api) -> Answer[Any]:
    """Get cafe menu with its prices."""
    return await api.request("GET", "/menu")


async def list_books(api: Api) -> Answer[Any]:
    """List books."""
    return await api.request("GET", "/books")


async def list_livres(api: Api) -> Answer[Any]:
    """Recuperer les livres."""
    return await api.request("GET", "/livres")


async def list_livros(api: Api) -> Answer[Any]:
    """Consultar livros."""
    return await api.request("GET", "/livros")


async def list_loans(api: Api) -> Answer[Any]:
    """List loans."""
    return await api.request("GET", "/loans")


async def list_revistas(api: Api) -> Answer[Any]:
    """Endpoint para retorno das revistas."""
    return await api.request("GET", "/revistas")
