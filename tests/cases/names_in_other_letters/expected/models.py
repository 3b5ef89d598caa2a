"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict

CreateTovarySklad = TypedDict(
    "CreateTovarySklad",
    {
        "page size": NotRequired[int],
        "\u0433\u043e\u0440\u043e\u0434": NotRequired[str],
        "\u0443\u043b\u0438\u0446\u0430": NotRequired[str],
    },
)
