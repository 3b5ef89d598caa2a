"""A path as words: its literals and its parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ...text import words
from ..vocabulary import NOISE

_NOISE = re.compile(rf"v?\d+([a-z]+\d*)?|{'|'.join(NOISE)}")

_FORMAT = re.compile(r"\.(json|xml|html|csv)$", re.I)


@dataclass(frozen=True, slots=True)
class Part:
    """A literal or a parameter of a path, as its words."""

    words: tuple[str, ...]
    is_parameter: bool


@lru_cache(maxsize=5_000)
def parts_of(path: str) -> tuple[Part, ...]:
    """The literals and parameters of a path, in order; the query of a path is left out."""
    text = _FORMAT.sub(r"/\1", re.split(r"[?#]", path)[0])
    parts = [
        Part(tuple(words(part)), is_parameter=part.startswith("{"))
        for part in re.findall(r"\{[^{}]*\}|[^{}/]+", text)
    ]
    return tuple(part for part in parts if part.words)


def literals(path: str) -> list[Part]:
    """The literals of a path that name a resource or an action: not `api`, `v2` or `.json`."""
    return [part for part in telling_parts(path) if not part.is_parameter]


def telling_parts(path: str) -> list[Part]:
    """The parameters of a path and the literals that name a resource or an action."""
    return [part for part in parts_of(path) if part.is_parameter or not is_noise(part)]


def path_words(path: str) -> list[str]:
    """Every word of a path."""
    return [word for part in parts_of(path) for word in part.words]


def is_noise(part: Part) -> bool:
    return all(_NOISE.fullmatch(word) for word in part.words)
