"""The name of a server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from ...text import ascii_of
from ..vocabulary import ABBREVIATIONS

SERVER_LIMIT = 16
SERVER_NOISE = frozenset("""
    a an the api apis rest restful http openapi swagger service services server spec specification
    documentation docs public official unofficial reference json web platform definition description
    version for of and in mcp
    """.split())
ROLES = frozenset("""
    admin administration app backend client core data dev developer developers frontend gateway
    internal main management portal web
    """.split())
"""Words that say what an API is for its vendor, and not whose it is."""
HOSTING = frozenset("example git github githubusercontent gitlab google localhost".split())
"""Domains where documents and texts of many lie."""


def server_name(title: str, base_url: str = "", pages: Iterable[str] = ()) -> str:
    """The key clients use for the server, at most 16 characters: the title's telling words. Of
    three and more those that its host says too, where one of them is its domain
    (`api.github.com`). A title without one (`API Reference`) leaves the name to the domain, and one
    that says only what the API is for (`Management API`) has the domain before it.

    `pages` are addresses in the document whose domain is the vendor's where the API has none.
    """
    title_words = _words(title)
    telling = [word for word in title_words if not _is_noise(word)]
    domain, host = _host(base_url)
    if len(telling) > 2 and domain in telling:
        telling = [word for word in telling if word in host]
    name = _joined(telling or title_words or ["api"])
    if not telling or ROLES.issuperset(name.split("_")):
        vendor = _words(domain or _vendor(pages))
        name = _joined([*vendor, *(word for word in telling if word not in vendor)]) or name
    if name[0].isalpha():
        return name
    return f"api_{name}"[:SERVER_LIMIT]


def _vendor(pages: Iterable[str]) -> str:
    """The first domain of pages that is no host of everybody's pages."""
    domains = (_host(page)[0] for page in pages)
    return next((name for name in domains if name and name not in HOSTING | SERVER_NOISE), "")


def _host(base_url: str) -> tuple[str, list[str]]:
    """The domain of a URL without what follows it (`com`, `co.uk`), and the words of its host. An
    address of digits and a machine's name have no domain.
    """
    try:
        labels = urlsplit(base_url).netloc.lower().split(".")[:-1]
    except ValueError:
        return "", []
    domains = [label for label in labels if not _is_suffix(label)]
    return "".join(domains[-1:]), _words(" ".join(labels))


def _is_suffix(label: str) -> bool:
    """Return whether a label but the last belongs to the suffix: `co` in `co.uk`, and digits."""
    return len(label) < 3 or label.isdecimal() or label in ("com", "edu", "gov", "net", "org")


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", ascii_of(text).lower().replace("'s", ""))


def _joined(words: list[str]) -> str:
    """As many words as fit; the beginning of the first where it is longer than that."""
    name = "".join(words[:1])[:SERVER_LIMIT]
    for word in words[1:]:
        spellings = (f"{name}_{word}", f"{name}_{ABBREVIATIONS.get(word, word)}")
        longer = next((text for text in spellings if len(text) <= SERVER_LIMIT), "")
        if not longer:
            break
        name = longer
    return name


def _is_noise(word: str) -> bool:
    """Return whether a word of a title says nothing of this API: `API`, `service`, `v2`."""
    if word in SERVER_NOISE:
        return True
    return re.fullmatch(r"v?\d+", word) is not None
