"""Faults of a call's arguments, in words a model can act on.

Each line names the argument, the rule, and the value that was given, with the allowed
values if there are any.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

MAX_LINES = 5
MAX_CHOICES = 40
MAX_VALUE = 100
SHORTEST_SLIP = 4
"""Letters of a name below which another letter makes another name."""

_DAY = r"[0-9]{4}-?(0[1-9]|1[0-2])-?(0[1-9]|[12][0-9]|3[01])"
DATE_PATTERNS = {"date-time": rf"^({_DAY}|[0-9]{{9,}})", "date": rf"^{_DAY}"}
"""Format -> what a value must begin with. APIs take more than RFC 3339 (a date without a time, the
seconds of an epoch), and none takes words.
"""
DATE_WITH_TIME = re.compile(rf"({_DAY})[Tt ][0-9].*")
DATES_BY_PATTERN = {
    DATE_PATTERNS["date-time"]: "a date and time such as `2026-01-31T09:00:00Z`",
    DATE_PATTERNS["date"]: "a date such as `2026-01-31`",
}

EXAMPLES = {"duration": "a duration such as `PT1H30M` (ISO 8601)"}
"""Format of a text -> what it is, where a value of another type is given."""

_NAMES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


def explain(heading: str, schema: Mapping[str, Any], errors: Iterable[Any]) -> str:
    """The text of a refused call. `errors` are `jsonschema_rs.ValidationError`s in the validator's
    order.
    """
    lines: dict[str, None] = {}
    missing = False
    more = 0
    for error in _telling(errors):
        if error.kind.name == "required" and not list(error.instance_path):
            missing = True
        for line in _lines(error, schema):
            if line in lines:
                continue
            if len(lines) == MAX_LINES:
                more += 1  # a line that is not shown is not written either
                break
            lines[line] = None
    if more:
        lines[f"and {more} more"] = None
    text = "\n- ".join([f"{heading}:", *lines])
    required = schema.get("required", ())
    if missing:
        text += "\nRequired arguments: " + ", ".join(f"`{name}`" for name in required[:MAX_CHOICES])
    return text


def _telling(errors: Iterable[Any]) -> Iterator[Any]:
    """The errors without those that advise to join a list of which one value is to be chosen."""
    every = list(errors)
    chosen = [list(error.instance_path) for error in every if _options(error)]
    for error in every:
        is_list = error.kind.name == "type" and isinstance(error.instance, list)
        if not is_list or list(error.instance_path) not in chosen:
            yield error


def spelling(name: str, known: Iterable[str]) -> str:
    """`; did you mean ...?` where a known name differs in case and punctuation alone, or
    nothing.
    """
    for candidate in known:
        if _fold(candidate) == _fold(name):
            return f"; did you mean `{candidate}`?"
    return ""


def suggest(name: str, known: Iterable[str]) -> str:
    """`; did you mean ...?` where a known name is close (case, punctuation and the order of its
    words aside), or nothing.
    """
    candidates = list(known)
    same = spelling(name, candidates)
    if same:
        return same
    in_order = {_in_order(candidate): candidate for candidate in candidates}
    close = difflib.get_close_matches(_in_order(name[:100]), in_order, n=1, cutoff=0.9)
    close = [in_order[one] for one in close if one]
    close += difflib.get_close_matches(name[:100], candidates, n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""


def argument_meant(name: str, free: Iterable[str]) -> str:
    """`; did you mean ...?` for an argument that is not known, among those that are not given: a
    close name, or the only one that shares its beginning or a word (`organization`, `org`).
    """
    candidates = list(free)
    near = suggest(name, candidates)
    if near:
        return near
    related = [candidate for candidate in candidates if _is_related(name, candidate)]
    if len(related) != 1:
        return ""
    return f"; did you mean `{related[0]}`?"


def is_slip(name: str, known: str) -> bool:
    """Return whether a name differs from a known one in case and punctuation alone, or in one
    letter.
    """
    one, other = _fold(name), _fold(known)
    if min(len(one), len(other)) < SHORTEST_SLIP:
        return False
    while one and one[:1] == other[:1]:
        one, other = one[1:], other[1:]
    return one[1:] == other[1:] or one[1:] == other or one == other[1:]


def _is_related(name: str, other: str) -> bool:
    short, long = sorted((_fold(name), _fold(other)), key=len)
    if len(short) >= 3 and long.startswith(short):
        return True
    return not _words(name).isdisjoint(_words(other))


def _words(name: str) -> set[str]:
    return {word for word in _in_order(name).split() if len(word) >= 3}


def _in_order(name: str) -> str:
    """The words of a name in the order of the alphabet: `search_orders` is `orders_search`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    return " ".join(sorted(re.findall(r"[a-z0-9]+", spaced)))


def show(value: Any) -> str:
    """A value as JSON, cut to a length worth reading."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}... ({len(text):,} characters)"


def _fold(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _lines(error: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    """One line per fault; a union is told by the branch that comes nearest."""
    kind = error.kind.name
    path = list(error.instance_path)
    if kind in ("anyOf", "oneOf") and getattr(error.kind, "context", None):
        yield from _union(error, schema)
    elif kind == "required":
        yield f"{place([*path, error.kind.property])} is required"
    elif kind in ("additionalProperties", "unevaluatedProperties"):
        known = _properties_of(error, schema)
        for name in list(error.kind.unexpected)[:MAX_LINES]:
            free = [other for other in known if other not in error.instance]
            hint = argument_meant(name, free)
            if known and not hint:
                names = ", ".join(f"`{other}`" for other in known[:MAX_CHOICES])
                hint = f"; the fields there are {names}"
            yield f"{place([*path, name])} is not known{hint}"
    elif kind == "type" and _example(error, schema):
        yield f"{place(path)} must be {_example(error, schema)}, got {show(error.instance)}"
    else:
        say = _RULES.get(kind, _plain)
        yield f"{place(path)} {say(error)}"


def _example(error: Any, schema: Any) -> str:
    """Return the meaning of the format of an error's schema, with an example; empty without one."""
    found = _schema_of(error, schema)
    if not isinstance(found, Mapping):
        return ""
    return EXAMPLES.get(str(found.get("format")), "")


def _schema_of(error: Any, schema: Any) -> Any:
    """The schema that a value does not fit; None where the way to it is not known."""
    for token in list(error.schema_path)[:-1]:
        try:
            schema = schema[token]
        except (KeyError, IndexError, TypeError):
            return None
    return schema


def _properties_of(error: Any, schema: Any) -> list[str]:
    """The names of the properties that the schema of an error knows, as far as it says."""
    schema = _schema_of(error, schema)
    if not isinstance(schema, Mapping):
        return []
    return [name for name, rule in schema.get("properties", {}).items() if rule is not False]


def _union(error: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    branches = [list(branch) for branch in error.kind.context if branch]
    if not branches:
        yield f"{place(error.instance_path)} does not fit: {_plain(error)}"
        return
    path = list(error.instance_path)
    wrong_kind = [branch for branch in branches if _is_kind(branch, path)]
    if len(wrong_kind) == len(branches):
        chosen = [fault for branch in branches for fault in branch if _options(fault)]
        if chosen and isinstance(error.instance, list):
            yield f"{place(path)} {_choices(chosen)}"
            return
        types: list[str] = []
        for branch in branches:
            types.extend(kind for kind in _kinds(branch[0]) if kind not in types)
        yield f"{place(path)} {_of_another_type(types, error.instance)}"
        return
    inside = [branch for branch in branches if branch not in wrong_kind]
    tags = _tags(inside, path)
    meant = [branch for branch in inside if not any(fault in tags for fault in branch)]
    if len({str(fault.instance_path) for fault in tags}) == 1 and not meant:
        yield f"{place(tags[0].instance_path)} {_choices(tags)}"
        return
    nearest = min(meant or inside, key=len)
    for fault in nearest:
        yield from _lines(fault, schema)


def _tags(branches: list[list[Any]], path: list[Any]) -> list[Any]:
    """The errors of properties that have not the values by which a branch is told from the others:
    it has one value, or others than another branch.
    """
    errors = [
        error
        for branch in branches
        for error in branch
        if _options(error) and len(error.instance_path) == len(path) + 1
    ]
    options: dict[str, list[list[Any]]] = {}
    for error in errors:
        options.setdefault(str(error.instance_path), []).append(_options(error))
    return [error for error in errors if _tells(options[str(error.instance_path)])]


def _tells(options: list[list[Any]]) -> bool:
    """Return whether the values that branches have for one property tell them apart."""
    if any(len(values) == 1 for values in options):
        return True
    return any(values != options[0] for values in options)


def _options(error: Any) -> list[Any]:
    """The values of an enum or of a constant; none for other errors."""
    if error.kind.name == "enum":
        return list(error.kind.options)
    if error.kind.name == "const":
        return [error.kind.expected_value]
    return []


def _is_kind(branch: list[Any], path: list[Any]) -> bool:
    if branch[0].kind.name != "type":
        return False
    return list(branch[0].instance_path) == path


def _kinds(error: Any) -> list[str]:
    types = error.kind.types
    return [types] if isinstance(types, str) else list(types)


def _either(types: Iterable[str]) -> str:
    return " or ".join(_NAMES.get(kind, kind) for kind in types)


def place(path: Iterable[Any]) -> str:
    """`author.names[2]`, as a reader would write it."""
    text = ""
    for token in path:
        if isinstance(token, int):
            text += f"[{token}]"
        else:
            text += f".{token}" if text else str(token)
    return f"`{text[:200]}`" if text else "the arguments"


def _type(error: Any) -> str:
    return _of_another_type(_kinds(error), error.instance)


def _of_another_type(types: list[str], value: Any) -> str:
    text = f"must be {_either(types)}, got {show(value)}"
    rewritten = [text for text in (_rewritten(kind, value) for kind in types) if text]
    if len(rewritten) != 1:
        return text
    return f"{text}; write {rewritten[0]}"


_QUOTED: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}
"""JSON type -> what models put in quotes by mistake."""


def _rewritten(kind: str, value: Any) -> str:
    """The value as one of another type, if it is plain what that would be."""
    if kind == "array":
        return _as_list(value)
    if kind == "string":
        return _as_string(value)
    if not isinstance(value, str):
        return ""
    try:
        meant = json.loads(value.strip().lower())
    except (ValueError, RecursionError):
        return ""
    if type(meant) in _QUOTED.get(kind, ()):
        return f"{show(meant)} without quotes"
    return ""


def _as_list(value: Any) -> str:
    if value is None:
        return ""
    items = [value]
    if isinstance(value, str):
        items = [part.strip() for part in value.split(",")]
    return f"a list: {show(items)}"


def _as_string(value: Any) -> str:
    if isinstance(value, bool | int | float):
        return f"it in quotes: {show(json.dumps(value))}"
    if not isinstance(value, list):
        return ""
    if not all(isinstance(item, str | int | float) for item in value):
        return ""
    if len(value) == 1:
        return f"it without the list: {show(str(value[0]))}"
    return f"several values as one string: {show(','.join(str(item) for item in value))}"


def _pattern(error: Any) -> str:
    example = DATES_BY_PATTERN.get(error.kind.pattern)
    if example is not None:
        return f"must be {example} (RFC 3339), got {show(error.instance)}"
    return f"must match the pattern {show(error.kind.pattern)}, got {show(error.instance)}"


def _choices(errors: list[Any]) -> str:
    """The values that one of the errors asks for."""
    error = errors[0]
    options = [option for one in errors for option in _options(one)]
    shown = ", ".join(show(option) for option in options[:MAX_CHOICES])
    if len(options) > MAX_CHOICES:
        shown += f" and {len(options) - MAX_CHOICES} more"
    advice = ""
    if isinstance(error.instance, str):
        near = suggest(error.instance, [option for option in options if isinstance(option, str)])
        advice = near.replace("`", '"')
    elif isinstance(error.instance, list):
        advice = "; write one of them, without a list"
        if len(error.instance) == 1 and error.instance[0] in options:
            advice = f"; write it without the list: {show(error.instance[0])}"
    return f"must be one of {shown}; got {show(error.instance)}{advice}"


def _count(error: Any) -> int:
    return len(error.instance)


def _things(error: Any, noun: str) -> str:
    """Return the required number of items and the actual one."""
    if error.kind.limit != 1:
        noun += "s"
    return f"{error.kind.limit} {noun}, got {_count(error)}"


def _too_short(error: Any) -> str:
    if not error.instance:
        return "must not be empty"
    return f"must have at least {_things(error, 'character')}"


def _forbidden(error: Any) -> str:
    """Describe the values that are not allowed."""
    schema = error.kind.schema
    if schema in (True, {}):
        return "takes no value"
    if schema.keys() == {"enum"}:
        values = ", ".join(show(value) for value in schema["enum"][:MAX_CHOICES])
        return f"must be none of {values}"
    if schema.keys() == {"required"}:
        names = " and ".join(f"`{name}`" for name in schema["required"])
        return f"cannot have {names}"
    return f"must not fit {show(schema)}"


def _plain(error: Any) -> str:
    message = str(error.message)
    return message if len(message) <= 300 else f"{message[:300]}..."


_RULES: dict[str, Callable[[Any], str]] = {
    "type": _type,
    "enum": lambda error: _choices([error]),
    "const": lambda error: f"must be {show(error.kind.expected_value)}, got {show(error.instance)}",
    "minimum": lambda error: f"must be at least {error.kind.limit}, got {show(error.instance)}",
    "maximum": lambda error: f"must be at most {error.kind.limit}, got {show(error.instance)}",
    "exclusiveMinimum": lambda error: (
        f"must be more than {error.kind.limit}, got {show(error.instance)}"
    ),
    "exclusiveMaximum": lambda error: (
        f"must be less than {error.kind.limit}, got {show(error.instance)}"
    ),
    "multipleOf": lambda error: (
        f"must be a multiple of {error.kind.multiple_of}, got {show(error.instance)}"
    ),
    "minLength": _too_short,
    "maxLength": lambda error: f"must have at most {_things(error, 'character')}",
    "minItems": lambda error: f"must have at least {_things(error, 'item')}",
    "maxItems": lambda error: f"must have at most {_things(error, 'item')}",
    "minProperties": lambda error: f"must have at least {_things(error, 'field')}",
    "maxProperties": lambda error: f"must have at most {_things(error, 'field')}",
    "not": _forbidden,
    "falseSchema": lambda error: (
        "is one item too many: leave it out"
        if error.instance_path and isinstance(error.instance_path[-1], int)
        else "cannot be given (the API sets it itself): leave it out"
    ),
    "uniqueItems": lambda error: "must not have the same item twice",
    "pattern": _pattern,
}
