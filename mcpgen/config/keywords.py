"""Raise TypeError about unknown keywords of the library's classes and functions, with the keyword
that may be meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from inspect import signature
from typing import Any


def refuse_fields(cls: type[Any], given: Iterable[str]) -> None:
    """Raise TypeError for the first keyword that is no field of a dataclass."""
    _refuse(cls.__name__, given, written(cls))


def refuse_keywords(function: Callable[..., Any], given: Iterable[str], config: type[Any]) -> None:
    """Raise TypeError for the first keyword that a function does not take; a field of `config` is
    suggested as `config=Config(…)`.
    """
    parameters = signature(function).parameters
    own = {name: f"{name}=..." for name in parameters}
    if "config" in parameters:
        own = _within("config", config) | own
    _refuse(function.__name__, given, own)


def written(cls: type[Any]) -> dict[str, str]:
    """Return field → how it is given: `name=...`, or `selection=Selection(deprecated=...)` for a
    field of an inner dataclass.
    """
    found: dict[str, str] = {}
    for field in fields(cls):
        if is_dataclass(field.default):
            found |= _within(field.name, type(field.default))
    return found | {field.name: f"{field.name}=..." for field in fields(cls)}


def _within(name: str, cls: type[Any]) -> dict[str, str]:
    return {word: f"{name}={cls.__name__}({text})" for word, text in written(cls).items()}


def _refuse(callee: str, given: Iterable[str], known: Mapping[str, str]) -> None:
    """Raise TypeError for the first unknown keyword. `known`: keyword → how it is given."""
    import difflib

    for word in given:
        if known.get(word) == f"{word}=...":
            continue
        close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
        hint = "".join(f"; did you mean `{known[name]}`?" for name in close)
        raise TypeError(f"{callee} takes no `{word}`{hint}")
