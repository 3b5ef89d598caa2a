"""Faults of a call's arguments, in words a model can act on.

Each line names the argument, the rule, and the value that was given, with the allowed values if
there are any. A name that is not known gets a hint: the name that is meant, or the object it
belongs to.
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
MAX_FIELDS = 200
"""Fields that are looked at in the search for the object of a name."""
DEEPEST = 3
"""Levels of objects that are searched."""

_DAY = r"[0-9]{4}-?(0[1-9]|1[0-2])-?(0[1-9]|[12][0-9]|3[01])"
DATE_PATTERNS = {"date-time": rf"^({_DAY}|[0-9]{{9,}})", "date": rf"^{_DAY}"}
"""Format -> what a value must begin with. APIs take more than RFC 3339 (a date without a time, the
seconds of an epoch), and none takes words.
"""
DATE_WITH_TIME = re.compile(rf"^({_DAY})[Tt ][0-9].*\Z")
FORMATS = {
    "date-time": (rf"^{_DAY}[Tt ][0-9:.]+([Zz]|[+-][0-9:]+)$",
                  "a date and time such as `2026-01-31T09:00:00Z`"),
    "date": (rf"^{_DAY}", "a date such as `2026-01-31`"),
    "email": (r"^[^@]+@[^@]+$", "an e-mail address such as `ada@example.com`"),
    "uuid": ("^[0-9A-Fa-f-]{32,}$", "a UUID such as `123e4567-e89b-12d3-a456-426614174000`"),
    "uri": ("^[A-Za-z][A-Za-z0-9+.-]*:", "a URI such as `https://example.com/a`"),
}  # fmt: skip
"""Format -> what its values look like, and its name in a text; others are sent with a remark."""
_DATES = {pattern: FORMATS[form][1] for form, pattern in DATE_PATTERNS.items()}
_NAMES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_OPEN = frozenset(
    "additionalProperties anyOf dependentSchemas else if oneOf patternProperties then"
    " unevaluatedProperties".split()
)
"""Keys of a schema whose object may have names that are not among its properties."""

Resolve = Callable[[Any], Any]
"""Follows the local references of a schema."""


def explain(heading: str, schema: Mapping[str, Any], errors: Iterable[Any]) -> str:
    """Return the text of a refused call: at most `MAX_LINES` faults, and the required arguments if
    one is missing. `errors` are `jsonschema_rs.ValidationError`s in the validator's order.
    """
    lines: dict[str, None] = {}
    missing = False
    more = 0
    for error in errors:
        if error.kind.name == "required" and not list(error.instance_path):
            missing = bool(schema)
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
    if missing:
        text += f"\nRequired arguments: {_listed(schema.get('required', ()))}"
    return text


def suggest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean ...?` with the known name that is close (case, punctuation and order
    of words aside), else the only one with the same beginning or a word (`organization`, `org`); or
    nothing.
    """
    own = _words(name)
    words = {candidate: _words(candidate) for candidate in known}
    in_order = {" ".join(sorted(each)): candidate for candidate, each in words.items() if each}
    close = difflib.get_close_matches(" ".join(sorted(own)), in_order, n=1, cutoff=0.7)
    near = [candidate for candidate, each in words.items() if own and "".join(each) == "".join(own)]
    near += [in_order[one] for one in close]
    related = [candidate for candidate, each in words.items() if _is_related(own, each)]
    if not near and len(related) == 1:
        near = related
    return f"; did you mean `{near[0]}`?" if near else ""


_READS = frozenset("fetch find get list query read retrieve search show view".split())
"""Verbs of tools that read."""


def suggest_tool(name: str, tools: Iterable[str]) -> str:
    """`; did you mean ...?` as `suggest` says it, for the name of a tool. No tool is proposed with
    a word of its own that is not misspelt in the name: `get_book` is not meant by `delete_book`.
    Words that begin names of reads (`get`, `list`) mean the same, and may be left out.
    """
    own = _words(name)
    return suggest(name, [tool for tool in tools if _does_the_same(own, _words(tool))])


def _does_the_same(own: list[str], words: list[str]) -> bool:
    """Return whether a tool of these words does what a name of its own words asks for."""
    if "".join(words) == "".join(own):
        return True
    if _says(own, words):
        return True
    if _READS.isdisjoint(words[:1]):
        return False
    if _READS.isdisjoint(own[:1]):
        return own == words[1:]
    return own[1:2] == words[1:2] and _says(own[1:], words[1:])


def _says(own: list[str], words: list[str]) -> bool:
    """Return whether all `words` are among a name's own, misspelt or not, or follow them."""
    other, unsaid = {*own} - {*words}, {*words} - {*own}
    if unsaid and not other:
        return words[:1] == own[:1]
    return all(any(_is_misspelt(one, word) for one in other) for word in unsaid)


def _is_misspelt(one: str, word: str) -> bool:
    """Return whether one word may be another with slips: `un` and the like are none."""
    if one[0] != word[0]:
        return False
    alike = difflib.SequenceMatcher(None, one, word).ratio() >= 0.75
    return alike or _is_related([one], [word])


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case: `searchOrders` has `search` and `orders`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name[:100])
    return re.findall(r"[a-z0-9]+", spaced.lower())


def _is_related(one: list[str], other: list[str]) -> bool:
    """Return whether two names share a word of at least 3 letters, or one of at least 3 begins the
    other or, without vowels, abbreviates it (`qty`, `quantity`).
    """
    if any(len(word) > 2 for word in {*one} & {*other}):
        return True
    short, long = sorted(map("".join, (one, other)), key=len)
    begun = short if re.search("[aeiou]", short) else short[:1]
    letters = iter(long)  # a pattern of all letters would try every way to place them
    in_order = long.startswith(begun) and all(letter in letters for letter in short)
    return len(short) > 2 and in_order


def belongs(
    name: str, given: Mapping[str, Any], schema: Mapping[str, Any], resolve: Resolve
) -> str:
    """Return a hint on `name`, an unknown argument: `; it is a field of ...`, or `; give ...
    without it` if the fields of its value are arguments not given; empty without a hint.

    Some APIs wrap a body (`{"data": {...}}`), and models forget the wrapper or add one.
    """
    value = given[name]
    inside = [one for one in _fields_inside(schema, resolve) if one[1] == name]
    taking = [path for path, _, field in inside if may_take(field, value, resolve)]
    found = list(dict.fromkeys(filter(None, taking or [path for path, _, _ in inside])))
    outermost = [path for path in found if len(path) == len(found[0])]
    if len(outermost) == 1:
        return f"; it is a field of {place(found[0])}"
    fields = list(value) if isinstance(value, dict) else []
    if fields and schema.get("properties", {}).keys() - given.keys() >= set(fields):
        return f"; give {_listed(fields[:MAX_LINES])} without it"
    return ""


_SHAPES: Mapping[type, str] = {dict: "object", list: "array"}


def may_take(schema: Any, value: Any, resolve: Resolve) -> bool:
    """Return whether a value may be meant for a schema: with an `enum` only its values; an object
    or a list only if the schema takes its type; any other value.
    """
    schema = resolve(schema)
    if not isinstance(schema, Mapping):
        return True
    if "enum" in schema:
        return value in schema["enum"]
    shape = _SHAPES.get(type(value), "")
    kinds = schema.get("type", shape)
    if isinstance(kinds, str):
        kinds = [kinds]
    return shape in ("", *kinds)


def _fields_inside(
    schema: Mapping[str, Any], resolve: Resolve
) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Yield (path of the object, field, its schema) for the objects in a schema, at most
    `MAX_FIELDS`, the outermost first.
    """
    pending: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    left = MAX_FIELDS
    for path, one in pending:
        for field, inner in _fields_of_all(one, resolve):
            left -= 1
            if left < 0:
                return
            yield path, field, inner
            if len(path) < DEEPEST:
                pending.append(((*path, field), inner))


def _fields_of_all(schema: Any, resolve: Resolve) -> Iterator[tuple[str, Any]]:
    """Yield (field, schema) of an object or a list's items, and of each branch of a union."""
    schema = resolve(schema)
    if not isinstance(schema, Mapping):
        return
    yield from fields_of(schema, resolve).items()
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), schema.get("items")]
    for branch in branches:
        yield from fields_of(branch, resolve).items()


def fields_of(schema: Any, resolve: Resolve) -> dict[str, Any]:
    """Return field -> schema of an object, with those of `allOf`, but no field that is `false`."""
    schema = resolve(schema)
    if not isinstance(schema, Mapping):
        return {}
    fields = dict(schema.get("properties", {}))
    for part in map(resolve, schema.get("allOf", ())):
        if isinstance(part, Mapping):
            fields |= part.get("properties", {})
    return {name: field for name, field in fields.items() if field is not False}


def slips(schema: Any, value: Any, resolve: Resolve) -> Iterator[str]:
    """Yield a line for each name in an open object that its schema lacks, and for each text that
    does not look like its format: both were sent. Objects inside are open unless their schema
    closes them: an API ignores unknown names.
    """
    pending: list[tuple[list[str | int], Any, Any]] = [([], schema, value)]
    while pending:
        path, one, item = pending.pop()
        one = resolve(one)
        if not isinstance(one, Mapping):
            continue
        if "format" in one and is_odd(one, item):
            what = FORMATS[one["format"]][1]
            yield f"{place(path)} was sent as it is, but the API describes {what}"
        if isinstance(item, list):
            pending += [([*path, at], one.get("items"), each) for at, each in enumerate(item)]
        if not isinstance(item, dict):
            continue
        fields = fields_of(one, resolve)
        pending += [([*path, name], fields[name], item[name]) for name in item if name in fields]
        parts = [one, *map(resolve, one.get("allOf", ()))]
        if fields and all(isinstance(part, dict) and _OPEN.isdisjoint(part) for part in parts):
            for name in [name for name in item if name not in fields]:
                yield (
                    f"{place([*path, name])} was sent as it is, but the API does not describe it,"
                    f" and may have ignored it{_field_meant(name, fields, item)}"
                )


def is_odd(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a text does not look like the format that its schema names."""
    pattern, _ = FORMATS.get(schema["format"], ("", ""))
    return isinstance(value, str) and not re.match(pattern, value) and _stands_for(pattern, schema)


def date_form(schema: Mapping[str, Any]) -> str | None:
    """Return the pattern for the beginning of a date or date-time; None for a schema of anything
    else, with a `pattern`, enum or constant, or with an example or default that does not match.
    """
    if schema.get("type") not in ("string", ["string", "null"], ["null", "string"]):
        return None
    pattern = DATE_PATTERNS.get(schema.get("format", ""))
    return pattern if pattern and _stands_for(pattern, schema) else None


def _stands_for(pattern: str, schema: Mapping[str, Any]) -> bool:
    """Return whether a pattern may check a schema: no rule, example or default is against it."""
    if not schema.keys().isdisjoint(("pattern", "enum", "const")):
        return False
    own = [*schema.get("examples", ()), schema.get("default")]
    return all(re.match(pattern, str(value)) for value in own if value is not None)


def dropped_nulls(given: Any, sent: Any, path: tuple[str | int, ...] = ()) -> Iterator[str]:
    """Yield a line for each null in the arguments `given` that is missing in `sent`."""
    pairs: Iterable[tuple[Any, Any]] = ()
    match given, sent:
        case dict(), dict():
            pairs = given.items()
        case list(), list():
            pairs = enumerate(given)
    for key, item in pairs:
        if isinstance(sent, list) or key in sent:
            yield from dropped_nulls(item, sent[key], (*path, key))
        elif item is None:
            yield f"{place([*path, key])} was not sent: null is not a value of it"


def _field_meant(name: str, known: Iterable[str], given: Iterable[str]) -> str:
    """Return a hint on an unknown name: the known field that is meant, or all known fields."""
    known = list(known)
    hint = suggest(name, [other for other in known if other not in given])
    if known and not hint:
        hint = f"; the fields there are {_listed(known)}"
    return hint


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    text = ", ".join(f"`{name[:100]}`" for name in names[:MAX_CHOICES])
    more = len(names) - MAX_CHOICES
    return f"{text} and {more} more" if more > 0 else text


def show(value: Any) -> str:
    """Return a value as JSON, cut to `MAX_VALUE` characters with a note of its length."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}... ({len(text):,} characters)"


def place(path: Iterable[Any]) -> str:
    """Return a path as "`author.names[2]`"; "the arguments" for an empty path."""
    text = ""
    for token in path:
        if isinstance(token, int):
            text += f"[{token}]"
        else:
            text += f".{token}" if text else str(token)
    return f"`{text[:200]}`" if text else "the arguments"


def _lines(error: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for a fault; a union is explained by the branch that comes nearest."""
    kind = error.kind.name
    path = list(error.instance_path)
    if kind in ("anyOf", "oneOf") and any(getattr(error.kind, "context", ())):
        yield from _union(error, path, schema)
    elif kind == "required":
        yield f"{place([*path, error.kind.property])} is required"
    elif kind in ("additionalProperties", "unevaluatedProperties"):
        yield from _unknown(error, path, _schema_of(error, schema))
    elif kind == "propertyNames":
        named = f"the name of {place([*path, error.kind.error.instance])}"
        for line in _lines(error.kind.error, {}):
            yield line.replace(place(path), named, 1)
    else:
        yield f"{place(path)} {_told(error, schema)}"


def _unknown(error: Any, path: list[Any], rules: Mapping[str, Any]) -> Iterator[str]:
    """One line for each field that an object does not know. `rules` are those of the object."""
    known = [name for name, rule in rules.get("properties", {}).items() if rule is not False]
    further = rules.get(error.kind.name)
    for name in list(error.kind.unexpected)[:MAX_LINES]:
        fault = f"is not known{_field_meant(name, known, error.instance)}"
        if further:
            fault = f"must fit {show(further)}, got {show(error.instance[name])}"
        yield f"{place([*path, name])} {fault}"


def _told(error: Any, schema: Mapping[str, Any]) -> str:
    """Say what a value must be. `schema` is that of all arguments."""
    kind = error.kind.name
    rules = _schema_of(error, schema)
    if kind == "enum":
        told = rules.get("$comment")
        return _choices(error) + (f" ({told})" if told else "")
    if kind == "contains":
        return _contained(error, rules)
    if kind == "falseSchema":
        around = _schema_of(error, schema, 2).get("properties", {})
        allowed = [name for name, rule in around.items() if rule is not False]
        fields = f"; the fields there are {_listed(allowed)}" if allowed else ""
        return f"cannot be given: leave it out{fields}"
    if kind == "type":
        return f"must be {_typed(_kinds(error), rules)}, got {show(error.instance)}"
    return _RULES.get(kind, _plain)(error)


def _typed(kinds: list[str], rules: Mapping[str, Any]) -> str:
    """Say which types a value may have: `an object with the fields ...`, `a date`."""
    what = _either(kinds)
    names = rules.get("properties")
    if names and kinds == ["object"]:
        what += f" with the fields {_listed(names)}"
    elif kinds == ["string"]:
        _, what = FORMATS.get(rules.get("format", ""), ("", what))
    return what


def _schema_of(error: Any, schema: Any, up: int = 1) -> Mapping[str, Any]:
    """Return the schema that an error is in, or `up - 1` levels higher; empty if unknown."""
    for token in list(error.schema_path)[:-up]:
        try:
            schema = schema[token]
        except (KeyError, IndexError, TypeError):
            return {}
    return schema if isinstance(schema, Mapping) else {}


def _union(error: Any, path: list[Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on a value that fits no branch of a union, by the branch with the fewest faults
    among those that take the value's type and, if possible, the value of its discriminator.
    """
    branches = [list(branch) for branch in error.kind.context if branch]
    firsts = [(branch[0].kind.name, list(branch[0].instance_path)) for branch in branches]
    inside = [each for each, first in zip(branches, firsts, strict=True) if first != ("type", path)]
    if not inside:
        kinds = [kind for branch in branches for kind in _kinds(branch[0])]
        yield f"{place(path)} must be {_either(kinds)}, got {show(error.instance)}"
        return
    tags = [[fault for fault in branch if _is_tag(fault, path)] for branch in inside]
    meant = [branch for branch, own in zip(inside, tags, strict=True) if not own]
    wrong = [fault for own in tags for fault in own]
    if not meant and len({str(fault.instance_path) for fault in wrong}) == 1:
        yield f"{place(wrong[0].instance_path)} {_choices(*wrong)}"
        return
    for fault in min(meant or inside, key=len):
        yield from _lines(fault, schema)


def _is_tag(fault: Any, path: list[Any]) -> bool:
    """Return whether a fault is of an enum or constant in a field at `path`: a discriminator."""
    return len(fault.instance_path) == len(path) + 1 if _options(fault) else False


def _options(error: Any) -> list[Any]:
    """Return the values that an enum or a constant allows; none for other errors."""
    if error.kind.name == "enum":
        return list(error.kind.options)
    return [error.kind.expected_value] if error.kind.name == "const" else []


def _kinds(error: Any) -> list[str]:
    types = error.kind.types
    return [types] if isinstance(types, str) else list(types)


def _either(types: Iterable[str]) -> str:
    return " or ".join(_NAMES.get(kind, kind) for kind in dict.fromkeys(types))


def _pattern(error: Any) -> str:
    example = _DATES.get(error.kind.pattern)
    if example is not None:
        return f"must be {example} (RFC 3339), got {show(error.instance)}"
    return f"must match the pattern {show(error.kind.pattern)}, got {show(error.instance)}"


def _format(error: Any) -> str:
    _, what = FORMATS.get(error.kind.format, ("", f"a text of the format `{error.kind.format}`"))
    return f"must be {what}, got {show(error.instance)}"


def _choices(*errors: Any) -> str:
    """Return `must be one of ...; got ...`, with all allowed values and perhaps a suggestion."""
    value = errors[0].instance
    options = list({show(option): option for one in errors for option in _options(one)}.items())
    shown = ", ".join(text for text, _ in options[:MAX_CHOICES])
    if len(options) > MAX_CHOICES:
        shown += f" and {len(options) - MAX_CHOICES} more"
    advice = ""
    if isinstance(value, str):
        advice = suggest(value, [option for _, option in options if isinstance(option, str)])
    return f"must be one of {shown}; got {show(value)}{advice.replace('`', chr(34))}"


def _forbidden(error: Any) -> str:
    """Return what a schema of `not` forbids, as `must be none of ...` or `cannot have ...`."""
    match error.kind.schema:
        case {"enum": [*values], **more} if not more:
            return f"must be none of {', '.join(map(show, values[:MAX_CHOICES]))}"
        case {"required": [*names], **more} if more in ({}, {"type": "object"}):
            return f"cannot have {' and '.join(f'`{name}`' for name in names)}"
    refused = error.kind.schema
    return "takes no value" if refused in ({}, True) else f"must not fit {show(refused)}"


def _contained(error: Any, rules: Mapping[str, Any]) -> str:
    """Say how many items of one kind a list must have. `rules` are those of the list."""
    keyword = list(error.schema_path)[-1]
    bound = "at most" if keyword == "maxContains" else "at least"
    count = 1 if keyword == "contains" else rules.get(keyword, 1)
    what = f"{_number(count)} of the items that fit {show(rules.get('contains', {}))}"
    return f"must have {bound} {what}, got {show(error.instance)}"


def _limit(rule: str, noun: str = "") -> Callable[[Any], str]:
    """Return a function that explains an error of a limit, on a value or (`noun`) its length."""

    def explained(error: Any) -> str:
        limit, value = error.kind.limit, error.instance
        if not noun:
            return f"must be {rule} {_number(limit)}, got {show(value)}"
        return f"must have {rule} {limit} {noun if limit == 1 else f'{noun}s'}, got {len(value)}"

    return explained


def _number(limit: float) -> str:
    """Return a number as a schema has it: the checker makes `0` to `0.0`."""
    return str(limit).removesuffix(".0")


def _plain(error: Any) -> str:
    message = str(error.message)
    return message if len(message) <= 300 else f"{message[:300]}..."


_RULES: dict[str, Callable[[Any], str]] = {
    "const": lambda error: f"must be {show(error.kind.expected_value)}, got {show(error.instance)}",
    "minimum": _limit("at least"),
    "maximum": _limit("at most"),
    "exclusiveMinimum": _limit("more than"),
    "exclusiveMaximum": _limit("less than"),
    "minLength": _limit("at least", "character"),
    "maxLength": _limit("at most", "character"),
    "minItems": _limit("at least", "item"),
    "maxItems": _limit("at most", "item"),
    "minProperties": _limit("at least", "field"),
    "maxProperties": _limit("at most", "field"),
    "multipleOf": lambda error: (
        f"must be a multiple of {_number(error.kind.multiple_of)}, got {show(error.instance)}"
    ),
    "not": _forbidden,
    "oneOf": lambda _: "fits more than one of its alternatives, and may fit only one",
    "unevaluatedItems": lambda error: (
        f"cannot have the items {', '.join(error.kind.unexpected[:MAX_CHOICES])[:MAX_VALUE]}"
    ),
    "uniqueItems": lambda _: "must not have the same item twice",
    "pattern": _pattern,
    "format": _format,
}
