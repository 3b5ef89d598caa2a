"""A path as words: its literals and its parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ...text import words
from ..vocabulary import NOISE

PATHS = 30_000
"""The paths that are kept as words; Microsoft Graph has 16,000."""
_VERSION = re.compile(r"v?\d+([a-z]+\d*)?")
_KEY = re.compile(r"(?<=[a-z])[-_](?=[A-Za-z]*\d[A-Z]{2})[A-Za-z\d]{8,}(?![A-Za-z\d])")
"""A key that the API made up, behind a name: `classification-6VMVochwUWo`."""
_FORMAT = re.compile(r"\.(json|xml|html|csv)$", re.I)


@dataclass(frozen=True, slots=True)
class PathPart:
    """A literal or a parameter of a path, as its words."""

    words: tuple[str, ...]
    is_parameter: bool


@lru_cache(maxsize=PATHS)
def parts_of(path: str) -> tuple[PathPart, ...]:
    """The literals and parameters of a path, in order; the query of a path is left out."""
    text = _FORMAT.sub(r"/\1", re.split(r"[?#]", path)[0])
    parts = [
        PathPart(route_words(part), is_parameter=part.startswith("{"))
        for part in re.findall(r"\{[^{}]*\}|[^{}/]+", text)
    ]
    return tuple(part for part in parts if part.words)


def route_words(text: str) -> tuple[str, ...]:
    """Return the words of a part of a path, or of an operationId, without keys."""
    return tuple(words(_KEY.sub("", text)))


def literals(path: str) -> list[PathPart]:
    """The literals of a path that name a resource or an action: not `api`, `v2` or `.json`."""
    return [part for part in telling_parts(path) if not part.is_parameter]


@lru_cache(maxsize=PATHS)
def telling_parts(path: str) -> tuple[PathPart, ...]:
    """The parameters of a path and the literals that name a resource or an action: where all are
    like `api`, the last of these.
    """
    parts = parts_of(path)
    words_only = [part for part in parts if not part.is_parameter and not _is_version(part)]
    telling = {part for part in words_only if not is_noise(part)} or {*words_only[-1:]}
    return tuple(part for part in parts if part.is_parameter or part in telling)


def path_words(path: str) -> list[str]:
    """Every word of a path."""
    return [word for part in parts_of(path) for word in part.words]


def is_noise(part: PathPart) -> bool:
    """Return whether a literal is a version, or a word like `api`, that names no resource."""
    return all(word in NOISE or _VERSION.fullmatch(word) for word in part.words)


def _is_version(part: PathPart) -> bool:
    return all(_VERSION.fullmatch(word) for word in part.words)
