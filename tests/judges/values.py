"""Values for a JSON Schema, and near misses: what a document's schema and a tool's schema are
compared with.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

TEXTS = {
    "date-time": "2024-02-29T12:34:56Z", "date": "2024-02-29", "time": "12:34:56Z",
    "uuid": "123e4567-e89b-12d3-a456-426614174000", "email": "ann@example.com",
    "uri": "https://example.com/a", "url": "https://example.com/a", "hostname": "example.com",
    "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "aGVsbG8=", "binary": "aGVsbG8=",
    "duration": "P1D",
}  # fmt: skip


class Sampler:
    """Values of the schemas of one document (`root`), chosen by a seed. `writing`: readOnly
    properties are left out.
    """

    def __init__(self, root: Any, seed: str, *, writing: bool = True) -> None:
        self.root, self.random, self.writing = root, random.Random(seed), writing
        self.budget = 0

    def deref(self, schema: Any) -> Any:
        """A schema, its references followed; what stands beside a reference is kept."""
        beside: dict[str, Any] = {}
        for _ in range(30):
            if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
                break
            ref = schema["$ref"]
            beside |= {key: value for key, value in schema.items() if key != "$ref"}
            node = self.root
            try:
                for token in ref.partition("#")[2].split("/")[1:]:
                    key = unquote(token).replace("~1", "/").replace("~0", "~")
                    node = node[int(key)] if isinstance(node, list) else node[key]
            except (KeyError, IndexError, TypeError, ValueError):
                return {}
            schema = node
        return {**schema, **beside} if beside and isinstance(schema, dict) else schema

    def whole(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """A schema with its `allOf` merged and one branch of its union chosen."""
        schema = self.deref(schema)
        if not isinstance(schema, dict) or depth > 8:
            return {}
        out = {
            key: value for key, value in schema.items() if key not in ("allOf", "anyOf", "oneOf")
        }
        parts = list(schema.get("allOf") or ())
        for keyword in ("anyOf", "oneOf"):
            branches = [
                part for part in schema.get(keyword) or () if self.deref(part) != {"type": "null"}
            ]
            if branches:
                parts.append(self.random.choice(branches))
        for part in parts:
            for key, value in self.whole(part, depth + 1).items():
                if key == "properties" and isinstance(out.get(key), dict):
                    out[key] = {**value, **out[key]}
                elif key == "required" and isinstance(out.get(key), list):
                    out[key] = [*out[key], *(name for name in value if name not in out[key])]
                else:
                    out.setdefault(key, value)
        return out

    def value(self, schema: Any, *, full: bool, depth: int = 0) -> Any:
        """A value; with `full`, optional properties too. It may be wrong where keywords interact:
        check it.
        """
        self.budget += 1
        if self.budget > 3000:
            raise ValueError("too large")
        whole = self.whole(schema)
        if "const" in whole:
            return whole["const"]
        values = whole.get("enum")
        if isinstance(values, list) and values:
            return self.random.choice(values)
        kind = whole.get("type")
        if isinstance(kind, list):
            kind = self.random.choice([name for name in kind if name != "null"] or ["null"])
        if kind is None:
            kind = (
                "object"
                if "properties" in whole or whole.get("required")
                else "array" if "items" in whole else None
            )
        if kind == "object":
            return self.object(whole, full, depth)
        if kind == "array":
            least = int(whole.get("minItems") or 0)
            most = whole.get("maxItems")
            size = max(least, 2 if full and depth < 4 else least or (1 if depth < 2 else 0))
            size = min(size, int(most)) if most is not None else size
            return [
                self.value(whole.get("items", {}), full=full, depth=depth + 1) for _ in range(size)
            ]
        if kind in ("integer", "number"):
            return self.number(whole, kind)
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "null":
            return None
        return self.text(whole)

    def object(self, schema: dict[str, Any], full: bool, depth: int) -> dict[str, Any]:
        """An object's required properties, and the optional ones with `full`, four levels deep."""
        properties = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
        required = [name for name in schema.get("required") or () if isinstance(name, str)]
        out = {}
        for name, child in properties.items():
            target = self.deref(child)
            if isinstance(target, dict) and target.get("readOnly" if self.writing else "writeOnly"):
                continue
            if target is not False and (name in required or (full and depth < 4)):
                out[name] = self.value(child, full=full, depth=depth + 1)
        for name in required:
            if name not in properties:
                out[name] = "k1"
        extra = schema.get("additionalProperties")
        wanted = int(schema.get("minProperties") or 0)
        if isinstance(extra, dict) and not properties and full and depth < 4:
            wanted = max(wanted, 1)
        for index in range(wanted - len(out)):
            out[f"key{index}"] = self.value(
                extra if isinstance(extra, dict) else {}, full=full, depth=depth + 1
            )
        return out

    def number(self, schema: dict[str, Any], kind: str) -> float:
        """A number inside its bounds."""
        step = schema.get("multipleOf") or 1
        low, high = schema.get("minimum"), schema.get("maximum")
        above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        if isinstance(above, (int, float)) and not isinstance(above, bool):
            low = above + step
        elif above is True and low is not None:
            low += step
        if isinstance(below, (int, float)) and not isinstance(below, bool):
            high = below - step
        elif below is True and high is not None:
            high -= step
        start = low if low is not None else (high - 5 * step if high is not None else 1)
        value = start + step * self.random.randint(0, 3)
        if step != 1:
            value = (value // step) * step
            value += step if value < start else 0
        if high is not None and value > high:
            value = start
        return int(value) if kind == "integer" and float(value).is_integer() else value

    def text(self, schema: dict[str, Any]) -> str:
        """A text of the right format and length; a pattern is left to chance."""
        least, most = int(schema.get("minLength") or 0), schema.get("maxLength")
        told = TEXTS.get(str(schema.get("format")))
        if told is None:
            told = f"k{self.random.randint(0, 99)}"
            pattern = schema.get("pattern")
            if isinstance(pattern, str):
                told = next((text for text in self.guesses(least) if _matches(pattern, text)), told)
        told += "abcdefghij" * (-(-(least - len(told)) // 10)) if len(told) < least else ""
        return told[: int(most)] if most is not None and len(told) > int(most) else told

    def guesses(self, least: int) -> Iterator[str]:
        """Texts that common patterns are for."""
        yield from (
            "a1", "a", "1", "12345", "ABC", "abc-def", "a_b", "1.5", "USD", "us-east-1", "#a1b2c3",
            "a@b.co",
        )  # fmt: skip
        yield from tuple("12:00 2024-01 v1 arn:aws:s3:us-east-1:123456789012:a 123456789012 https://a.co/b".split())  # fmt: skip
        for alphabet in (
            string.digits,
            string.ascii_lowercase,
            string.ascii_uppercase,
            "abcdef0123456789",
        ):
            for length in {max(least, 1), 3, 8, 10, 16, 24, 32, 40, 64}:
                yield "".join(self.random.choice(alphabet) for _ in range(length))


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except (re.error, RecursionError):
        return False


def near_misses(value: Any, depth: int = 0) -> Iterator[Any]:
    """Values one step from `value`: of another type, without a key, with another key, a little
    larger or smaller.
    """
    wrong: tuple[Any, ...] = ("__wrong__", 12.5, True, ["__wrong__"], {"__wrong__": 1})
    yield from (other for other in wrong if type(other) is not type(value))
    if isinstance(value, str):
        yield from ("", "__not_in_enum__", value * 400)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from (-1, 0, value + 10**6, value + 0.5)
    elif isinstance(value, list):
        yield from ([], value * 50)
        for other in list(near_misses(value[0], depth + 1))[:6] if value and depth < 2 else ():
            yield [other, *value[1:]]
    elif isinstance(value, dict):
        yield {}
        yield {**value, "__other__": "x"}
        for key in list(value)[:8]:
            yield {name: child for name, child in value.items() if name != key}
            for other in list(near_misses(value[key], depth + 1))[:6] if depth < 2 else ():
                yield {**value, key: other}
