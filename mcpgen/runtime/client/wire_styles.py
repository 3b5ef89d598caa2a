"""Rarer styles of values on the wire, cookies, and forms and fields that are one argument."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..facts import TOKEN
from ..pointer import split
from . import Refused, wire
from .wire import (
    OMIT,
    Encoded,
    Fields,
    Omit,
    Pairs,
    Simple,
    defined,
    encode,
    json_of,
    named,
    pairs_of,
    simple_text,
    text_of,
)


def space_delimited(value: Any, within: str = "") -> Simple | Omit:
    """Return `spaceDelimited`, not exploded: `blue%20black`. `within`: see `wire.simple`."""
    return wire.simple(value, False, " ", within)


def pipe_delimited(value: Any, within: str = "") -> Simple | Omit:
    """Return `pipeDelimited`, not exploded: `blue%7Cblack%7Cbrown`. `within`: see `wire.simple`."""
    return wire.simple(value, False, "|", within)


def tab_delimited(value: Any, within: str = "") -> Simple | Omit:
    """Return `collectionFormat: tsv` (Swagger 2.0): `blue%09black`. `within`: see `wire.simple`."""
    return wire.simple(value, False, "\t", within)


def form(
    value: Any, explode: bool = True, within: str = ""
) -> Encoded | Pairs | list[Encoded] | Omit:
    """Return `form`: an object is `R=100&G=200` exploded, else `R,100,G,200`; OMIT for null."""
    return _form(texts_for_lists(value, within), explode, "")


def texts_for_lists(value: Any, separators: str) -> Any:
    """Return a list whose inner lists are texts, joined by the first of `separators`, lists in
    these by the next. Without separators, or for another value, return the value unchanged.
    """
    if not separators or not isinstance(value, list):
        return value
    return [_joined_list(item, separators) for item in value]


def _joined_list(value: Any, separators: str) -> Any:
    if not isinstance(value, list):
        return value
    separator = separators[0]
    texts = [text_of(item) for item in texts_for_lists(value, separators[1:])]
    wire.refuse_separator(texts, separator)
    return separator.join(texts)


# RFC 6570 section 3.2.3 leaves the reserved characters and escapes such as `%2F` alone. Those that
# end a value or begin something else are encoded all the same: `&` and `;` separate pairs, `#`
# begins the fragment, most readers take `+` for a space, and a query has no `[` and `]` (RFC 3986
# section 3.4).
_RESERVED = ":/?@!$'()*,=%"


def reserved(value: Any, explode: bool = True) -> Encoded | Pairs | list[Encoded] | Omit:
    """Return `allowReserved`: `form`, but characters such as `:` `/` `,` that cannot end the value
    stay as they are, and so does what is percent-encoded (OpenAPI 3.1.1 section 4.8.12.2.2).
    """
    return _form(value, explode, _RESERVED)


def label(value: Any, explode: bool = False) -> Encoded | Omit:
    """Return `label` for a path: `.blue,black`, exploded `.blue.black` and `.R=100.G=200` (RFC 6570
    section 3.2.5); OMIT for null and without members.
    """
    value = defined(value)
    if isinstance(value, Omit):
        return value
    separator = "." if explode else ","
    return Encoded("." + separator.join(wire.texts_of(value, explode, encode)))


def matrix(value: Any, explode: bool = False) -> Pairs | Omit:
    """Return `matrix` for a path: `;color=blue,black`, exploded `;color=blue;color=black`,
    `;R=100;G=200` (RFC 6570 section 3.2.7); OMIT for null and without members.
    """
    return _named_pairs(value, explode, encode)


def cookie(value: Any, explode: bool = True) -> Pairs | Omit:
    """Return OpenAPI 3.2 `style: cookie`: `color=blue; color=black`, `R=100; G=200`, without
    explode `color=blue,black`; nothing is percent-encoded. OMIT for null and without members.
    """
    return _named_pairs(value, explode, text_of)


def json_text(value: Any, ascii_only: bool = False) -> str | Omit:
    """Return the JSON text of a `content` parameter or field (OpenAPI 3.1 section 4.8.12.3). A
    header holds ASCII only (`ascii_only`).
    """
    if isinstance(value, Omit):
        return value
    return json_of(value, ascii_only)


def form_text(value: Any, **writers: Fields) -> str | Omit:
    """Return the text of a form, for a parameter with `content` of
    application/x-www-form-urlencoded, which is encoded again at its place (OpenAPI 3.1.1 section
    4.8.12.3). For `writers` see `form_fields`.
    """
    value = defined(value)
    if isinstance(value, Mapping):
        return wire.joined(_form_pairs(value, writers))
    if isinstance(value, Omit):
        return value
    return text_of(value)


def json_lines(value: Any, start: str = "") -> str | Omit:
    """Return the items of a list as a body of JSON values: each on a line, and in a JSON text
    sequence (RFC 7464) behind the control character `start`. OMIT for null.
    """
    if isinstance(value, Omit | None):
        return OMIT
    return "".join(f"{start}{json_of(item)}\n" for item in value)


def query_string(value: Any, media_type: str = "", **writers: Fields) -> Pairs | Omit:
    """Return OpenAPI 3.2 `in: querystring`: an object is the pairs of a form (for `writers` see
    `form_fields`), a text or a value of a JSON media type the whole query, percent-encoded.
    """
    if isinstance(value, Omit):
        return value
    if isinstance(value, str):
        return Pairs(((encode(value), None),))
    if isinstance(value, Mapping) and "json" not in media_type:
        return Pairs(_form_pairs(value, writers))
    return Pairs(((encode(json_of(value)), None),))


def _form_pairs(
    value: Mapping[str, Any], writers: Mapping[str, Fields]
) -> tuple[tuple[str, str], ...]:
    fields = form_fields(value, **writers)
    pairs = (pair for key, item in fields.items() for pair in pairs_of(key, item))
    return wire.bounded((key, text or "") for key, text in pairs)


def with_fields(
    value: Any,
    fixed: Mapping[str, Any] = wire.NO_FIELDS,
    defaults: Mapping[str, Any] = wire.NO_FIELDS,
) -> Any:
    """Return a value with the fields that the server's owner gives, by JSON Pointer (RFC 6901):
    `fixed` replaces fields, `defaults` adds absent fields, in each object that is there. In a list,
    each item is such an object.
    """
    for pointer, item in defaults.items():
        value = _with_field(value, split(pointer), item, False)
    for pointer, item in fixed.items():
        value = _with_field(value, split(pointer), item, True)
    return value


def _with_field(value: Any, path: list[str], item: Any, fixed: bool) -> Any:
    if isinstance(value, list):
        return [_with_field(each, path, item, fixed) for each in value]
    name, *rest = path
    if not isinstance(value, dict):
        return value
    if rest:
        inner = {key: _with_field(value[key], rest, item, fixed) for key in value if key == name}
        return value | inner
    if fixed:
        return {**value, name: item}
    return {name: item, **value}


def form_fields(value: Any, **writers: Fields) -> Any:
    """Return the fields of a form that is a single argument; a text is the whole form.

    Each keyword is the name of a function of this module and has the fields it writes; any other
    object is JSON text (OpenAPI 3.1 section 4.8.15.1). Raises Refused for another value.
    """
    if isinstance(value, str | Omit):
        return value
    if not isinstance(value, Mapping):
        raise Refused("a form is an object of its fields, or its text")
    fields = dict(value)
    for name, item in value.items():
        if isinstance(item, Mapping):
            fields[name] = json_of(item)
    return fields | wire.written_fields(value, writers)


def _form(value: Any, explode: bool, safe: str) -> Encoded | Pairs | list[Encoded] | Omit:
    value = defined(value)
    if not isinstance(value, wire.COMPOUND):
        return wire.scalar(value, safe)
    if not explode:
        # The comma separates items here, so a comma inside an item is always encoded
        safe = safe.replace(",", "")
        return Encoded(",".join(wire.escaped(item, safe) for item in wire.members(value)))
    if isinstance(value, Mapping):
        return Pairs(wire.bounded(wire.exploded(value, safe)))
    return [Encoded(wire.escaped(item, safe)) for item in value]


def _named_pairs(value: Any, explode: bool, write: Callable[[Any], str]) -> Pairs | Omit:
    """Return the pairs of a style that writes the parameter's name; `write` makes the texts."""
    value = defined(value)
    if isinstance(value, Omit):
        return value
    if explode and isinstance(value, Mapping):
        return Pairs(tuple((write(str(key)), write(item)) for key, item in value.items()))
    texts = [",".join(wire.texts_of(value, False, write))]
    if explode and isinstance(value, list):
        texts = [write(item) for item in value]
    return Pairs(tuple(("", text) for text in texts), under_name=True)


# RFC 6265 section 4.1.1, and the comma that joins the items of a list
_COOKIE = re.compile(r"[!#-:<-\[\]-~]*")


def cookie_pairs(cookies: Mapping[str, Any]) -> dict[str, str]:
    """Return cookie name -> text. A repeated cookie is in the text of the first: `red; color=blue`.
    Raises Refused.

    In `form` style a value is percent-encoded, and the items of a list or an object are joined by
    commas.
    """
    pairs: dict[str, str] = {}
    for name, argument in cookies.items():
        value = defined(argument)
        if value is OMIT:
            continue
        if isinstance(value, Pairs):
            pairs |= _plain_cookies(name, value)
        else:
            pairs[_cookie_name(name)] = named(name, simple_text, value)
    return pairs


def _plain_cookies(name: str, pairs: Pairs) -> dict[str, str]:
    """Return name -> text of one argument in OpenAPI 3.2's `cookie` style. Raises Refused."""
    texts = [str(text) for _, text in pairs.items]
    if not all(map(_COOKIE.fullmatch, texts)):
        raise Refused("a cookie holds ASCII text without spaces, quotes, `;` and `\\`", name)
    if pairs.under_name:
        return {_cookie_name(name): f"; {name}=".join(texts)}
    names = [_cookie_name(key) for key, _ in pairs.items]
    return dict(zip(names, texts, strict=True))


def _cookie_name(name: str) -> str:
    if not TOKEN.fullmatch(name):
        raise Refused("not a cookie name", name)
    return name
