"""The names of a server and of its toolsets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from ...text import ascii_of, words
from ..vocabulary import ABBREVIATIONS
from .identifiers import NOT_FOR_TOOLSETS, digest

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
"""Words for an API's role at its vendor, without the vendor's name."""
HOSTING = frozenset("example git github githubusercontent gitlab google localhost".split())
"""Domains where documents and texts of many lie."""

TOOLSET_LIMIT = 40
GENERAL = "general"
"""The toolset of tools without a tag."""
GENERAL_TOOLS = "general_tools"
"""The name of the general toolset if a tag has its usual name."""


def server_name(title: str, base_url: str = "", pages: Iterable[str] = ()) -> str:
    """Return the key clients use for the server, at most 16 characters: the title's distinguishing
    words.

    Of three words or more, only words in the host are kept, if one is its domain
    (`api.github.com`). A title without such words (`API Reference`) is replaced by the domain; a
    role alone (`Management API`) gets the domain before it. `pages` are addresses in the document;
    their domain is the vendor's if the API has none.
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
    """Return the first domain of pages that is no host of everybody's pages; empty without one."""
    domains = (_host(page)[0] for page in pages)
    return next((name for name in domains if name and name not in HOSTING | SERVER_NOISE), "")


def _host(base_url: str) -> tuple[str, list[str]]:
    """Return the domain of a URL without what follows it (`com`, `co.uk`), and the words of its
    host. An address of digits and a machine's name have no domain.
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
    """Join words by `_`, as many as fit, abbreviated if need be; a first word that is too long is
    cut.
    """
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


def toolset_names(
    tags: Iterable[str], last: Mapping[str, Counter[str]] = MappingProxyType({})
) -> dict[str, str]:
    """Return tag → name of its module and JSON file; the tag of untagged tools is empty.

    `last` has, for each tag, the toolsets of its tools at the last run, counted. A name stays with
    the tag of most of its tools, and any other tag gives way: a new `Books` is `books_9da7f7`
    beside `books`.
    """
    spellings = {tag: _spellings(tag) for tag in tags}
    claims = []
    for tag, names in spellings.items():
        counts = last.get(tag, Counter())
        spelt = [name for name in counts if _is_spelt(name, names)]
        claims += [(-counts[name], tag != name, tag, name) for name in spelt]
    kept: dict[str, str] = {}
    for _, _, tag, name in sorted(claims):
        if tag not in kept.values():
            kept.setdefault(name, tag)
    out = {tag: name for name, tag in kept.items()}
    rivals = Counter(names[0] for tag, names in spellings.items() if tag and tag not in out)
    for tag, (plain, longer) in spellings.items():
        is_free = rivals[plain] == bool(tag) and plain not in kept
        out.setdefault(tag, plain if is_free else longer)
    return out


def _spellings(tag: str) -> tuple[str, str]:
    """Return the name of a tag's toolset, and the one that no other tag can have."""
    if not tag:
        return GENERAL, GENERAL_TOOLS
    name = toolset_name(tag)
    return name, f"{name}_{digest(tag)}"


def _is_spelt(name: str, names: tuple[str, str]) -> bool:
    """Return whether a name is one of `names`, underscores aside, and not reserved."""
    if name in NOT_FOR_TOOLSETS:
        return False
    if name != name.strip("_"):
        return False
    return name.replace("_", "") in [each.replace("_", "") for each in names]


def toolset_name(tag: str) -> str:
    """Return the module name of one tag, at most 40 characters, `Gift cards` → `gift_cards`; a
    reserved name gets `_tools`.
    """
    name = "_".join(words(tag))
    if not name:
        return f"toolset_{digest(tag)}"
    if not name[0].isalpha():
        name = f"t_{name}"
    if len(name) > TOOLSET_LIMIT:
        name = f"{shorten_words(name, TOOLSET_LIMIT - 7)}_{digest(tag)}"
    if name in NOT_FOR_TOOLSETS:
        name = f"{name}_tools"
    return name


def shorten_words(name: str, limit: int) -> str:
    """Return as many whole words of a snake_case name as fit in `limit` characters; a piece of the
    name where that is less than half.
    """
    if len(name) <= limit:
        return name
    head = name[: limit + 1].rpartition("_")[0]
    return head if len(head) >= limit // 2 else name[:limit].rstrip("_")
