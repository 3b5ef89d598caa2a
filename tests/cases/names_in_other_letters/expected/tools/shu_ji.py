"""The toolset `shu_ji`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def shu_jio_qu_de(api: Api, *, FanHao: str) -> Answer[Any]:
    """Get shu jio qu de."""
    return await api.request(
        "GET", "/\u66f8\u7c4d/{\u756a\u53f7}", path_args={"\u756a\u53f7": FanHao}
    )
