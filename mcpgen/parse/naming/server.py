"""The name of a server."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

SERVER_LIMIT = 16
SERVER_NOISE = frozenset("""
    a an the api apis rest restful http openapi swagger service services server spec specification
    documentation docs public official unofficial reference json web platform definition description
    version for of and in
    """.split())


def server_name(title: str, base_url: str | None = None) -> str:
    """The key clients use for the server, at most 16 characters: the title's telling words. Of
    three and more those that its host says too, where one of them is its domain
    (`api.github.com`). A title without one (`API Reference`) leaves the name to the domain.
    """
    title_words = _words(title)
    telling = [word for word in title_words if not _is_noise(word)]
    domain, host = _host(base_url)
    if len(telling) > 2 and domain in telling:
        telling = [word for word in telling if word in host]
    if not telling and domain:
        telling = _words(domain)
    name = _joined(telling or title_words or ["api"])
    if name[0].isalpha():
        return name
    return f"api_{name}"[:SERVER_LIMIT]


def _host(base_url: str | None) -> tuple[str, list[str]]:
    """The domain of a URL without what follows it (`com`, `co.uk`), and the words of its host. An
    address of digits and a machine's name have no domain.
    """
    if base_url is None:
        return "", []
    labels = urlsplit(base_url).netloc.lower().split(".")[:-1]
    domains = [label for label in labels if not _is_suffix(label)]
    return "".join(domains[-1:]), _words(" ".join(labels))


def _is_suffix(label: str) -> bool:
    """Whether a label but the last belongs to the suffix: `co` in `co.uk`, and digits."""
    return len(label) < 3 or label.isdecimal()


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", ascii_of(text).lower().replace("'s", ""))


def _joined(words: list[str]) -> str:
    """As many words as fit; the beginning of the first where it is longer than that."""
    name = words[0][:SERVER_LIMIT]
    for word in words[1:]:
        longer = f"{name}_{word}"
        if len(longer) > SERVER_LIMIT:
            break
        name = longer
    return name


def _is_noise(word: str) -> bool:
    """Whether a word of a title says nothing of this API: `API`, `service`, `v2`."""
    if word in SERVER_NOISE:
        return True
    return re.fullmatch(r"v?\d+", word) is not None


def ascii_of(text: str) -> str:
    """A text without what ASCII has no letters for."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
