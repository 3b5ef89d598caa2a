"""What a change of a JSON Schema means for those who call: does what worked yesterday still work?

Input schemas are compared in the caller's direction: allowing more is `additive`, allowing less is
`breaking`. Only the keywords that input schemas of tools hold are known here; any other difference
is `text`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ..runtime.pointer import split

Kind = Literal["security", "breaking", "additive", "text"]
Finding = tuple[Kind, str]

UPPER = {
    "maximum": "at most",
    "exclusiveMaximum": "below",
    "maxLength": "a length of at most",
    "maxItems": "at most this many items:",
    "maxProperties": "at most this many fields:",
}
LOWER = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "minLength": "a length of at least",
    "minItems": "at least this many items:",
    "minProperties": "at least this many fields:",
}
TEXTS = ("title", "description", "examples", "example", "$comment", "deprecated")
DEPTH = 40


def compare_inputs(old: dict[str, Any], new: dict[str, Any]) -> list[Finding]:
    """Everything that changed for the callers of a tool, between two of its input schemas."""
    walk = _Walk(old, new)
    walk.schema(old, new, "", 0)
    if not walk.found and old != new:
        walk.found.append(("text", "its arguments are described differently"))
    return walk.found


def compare_outputs(old: dict[str, Any] | None, new: dict[str, Any] | None) -> list[Finding]:
    """Everything that changed for those who read a tool's structured answers: what is promised less
    is breaking.
    """
    if old == new:
        return []
    if old is None:
        return [("additive", "answers are structured now")]
    if new is None:
        return [("breaking", "answers are no longer structured")]
    before, after = _properties(old), _properties(new)
    gone = [
        ("breaking", f"answers no longer have `{name}`") for name in before if name not in after
    ]
    added = [("additive", f"answers have `{name}` as well") for name in after if name not in before]
    found: list[Finding] = [*gone, *added]  # type: ignore[list-item]
    return found or [("text", "its answers are described differently")]


def _properties(schema: Any) -> dict[str, Any]:
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


@dataclass(slots=True)
class _Walk:
    """One comparison. The roots hold the `$defs` that references point into."""

    old_root: dict[str, Any]
    new_root: dict[str, Any]
    found: list[Finding] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)

    def say(self, kind: Kind, text: str) -> None:
        self.found.append((kind, text))

    def schema(self, old: Any, new: Any, at: str, depth: int) -> None:
        """Compare two schemas at a place: `author`, `items[].name`, or "" for the arguments as a
        whole.
        """
        same_definitions = self.old_root.get("$defs") == self.new_root.get("$defs")
        if (old == new and same_definitions) or depth > DEPTH or self._entered(old, new):
            return
        old, new = _resolved(old, self.old_root), _resolved(new, self.new_root)
        self._types(old, new, at)
        self._values(old, new, at)
        for table, tighter in ((UPPER, _lower), (LOWER, _higher)):
            self._bounds(old, new, at, table, tighter)
        self._exact(old, new, at)
        self._members(old, new, at, depth)
        if isinstance(old.get("items"), dict) or isinstance(new.get("items"), dict):
            self.schema(old.get("items", {}), new.get("items", {}), f"{at}[]", depth + 1)
        self._unions(old, new, at)

    def _entered(self, old: Any, new: Any) -> bool:
        """Whether this pair of references is being compared already: recursion ends here."""
        pair = (_ref(old), _ref(new))
        if pair == ("", ""):
            return False
        if pair in self.seen:
            return True
        self.seen.add(pair)
        return False

    def _types(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        before, after = _types(old), _types(new)
        if before == after:
            return
        narrowed = [name for name in before if not _allowed(name, after)] if after else []
        if after and (not before or narrowed):
            self.say("breaking", f"{_name(at)} must be {_either(after)}{_instead(before)}")
        else:
            self.say(
                "additive", f"{_name(at)} may be {_either(after) or 'anything'}{_instead(before)}"
            )

    def _values(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        before, after = _enum(old), _enum(new)
        if before == after:
            return
        if before is None:
            self.say("breaking", f"{_name(at)} must be one of {_list(after or [])}")
        elif after is None:
            self.say("additive", f"{_name(at)} may have any value")
        else:
            gone = [value for value in before if value not in after]
            added = [value for value in after if value not in before]
            if gone:
                self.say("breaking", f"{_name(at)} no longer allows {_list(gone)}")
            if added:
                self.say("additive", f"{_name(at)} allows {_list(added)} as well")

    def _bounds(
        self,
        old: dict[str, Any],
        new: dict[str, Any],
        at: str,
        table: dict[str, str],
        tighter: Callable[[Any, Any], bool],
    ) -> None:
        for keyword, words in table.items():
            before, after = old.get(keyword), new.get(keyword)
            if before == after or (keyword == "minLength" and {before, after} == {None, 0}):
                continue
            if after is None:
                self.say("additive", f"{_name(at)} is no longer limited to {words} {before}")
            else:
                kind: Kind = "breaking" if before is None or tighter(after, before) else "additive"
                self.say(kind, f"{_name(at)} must be {words} {after}{_instead([before])}")

    def _exact(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        for keyword in ("pattern", "format", "multipleOf", "uniqueItems"):
            before, after = old.get(keyword), new.get(keyword)
            if (before or None) == (after or None):
                continue
            if after:
                self.say(
                    "breaking",
                    f"{_name(at)} must have the {keyword} {_list([after])}{_instead([before])}",
                )
            else:
                self.say("additive", f"{_name(at)} need not have the {keyword} {_list([before])}")
        if old.get("default") != new.get("default"):
            after = _list([new["default"]]) if "default" in new else "nothing"
            self.say(
                "additive", f"the default of {_name(at)} is {after}{_instead([old.get('default')])}"
            )

    def _members(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        before, after = _properties(old), _properties(new)
        must, must_now = set(_strings(old.get("required"))), set(_strings(new.get("required")))
        closed = new.get("additionalProperties") is False
        for name in before:
            place = f"{at}.{name}" if at else name
            if name not in after:
                kind: Kind = "breaking" if closed or not at else "additive"
                self.say(kind, f"{_name(place)} is gone")
                continue
            if name in must_now - must:
                self.say("breaking", f"{_name(place)} is required now")
            elif name in must - must_now:
                self.say("additive", f"{_name(place)} is optional now")
            self.schema(before[name], after[name], place, depth + 1)
        for name in after:
            if name not in before:
                place = f"{at}.{name}" if at else name
                kind = "breaking" if name in must_now else "additive"
                self.say(
                    kind, f"{_name(place)} is new" + (" and required" if name in must_now else "")
                )
        self._further(
            old.get("additionalProperties", True), new.get("additionalProperties", True), at, depth
        )

    def _further(self, old: Any, new: Any, at: str, depth: int) -> None:
        if isinstance(old, dict) and isinstance(new, dict):
            self.schema(old, new, f"{at}.*", depth + 1)
        elif old != new and at:
            open_before, open_now = old is not False, new is not False
            if open_before and (not open_now or old is True):
                self.say(
                    "breaking", f"{_name(at)} takes {'fewer' if open_now else 'no'} further fields"
                )
            else:
                self.say("additive", f"{_name(at)} takes further fields")

    def _unions(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        for keyword in ("anyOf", "oneOf", "allOf", "not"):
            if keyword not in old and keyword not in new:
                continue
            before, after = list(_branches(old, keyword)), list(_branches(new, keyword))
            if sorted(before) == sorted(after):
                continue
            wider = keyword in ("anyOf", "oneOf") and (
                not after or (before and set(before) <= set(after))
            )
            narrower = keyword in ("allOf", "not") and set(after) <= set(before)
            kind: Kind = "additive" if wider or narrower else "breaking"
            self.say(
                kind, f"{_name(at)} may have {'more' if kind == 'additive' else 'other'} forms"
            )


def _branches(schema: dict[str, Any], keyword: str) -> Iterator[str]:
    """The branches of a union in canonical form, without their texts."""
    given = schema.get(keyword, [])
    for branch in given if isinstance(given, list) else [given]:
        yield json.dumps(_bare(branch), sort_keys=True)


def _bare(value: Any) -> Any:
    """A schema without its texts. A property called `title` is kept, as its value is a schema."""
    if isinstance(value, dict):
        return {
            key: _bare(item)
            for key, item in value.items()
            if key not in TEXTS or isinstance(item, dict)
        }
    return [_bare(item) for item in value] if isinstance(value, list) else value


def _ref(schema: Any) -> str:
    found = schema.get("$ref") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else ""


def _resolved(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    """A schema with a local reference followed; anything that is no object says nothing."""
    for _ in range(16):
        ref = _ref(schema)
        if not ref.startswith("#/"):
            break
        target: Any = root
        for key in split(ref.removeprefix("#")):
            target = target.get(key) if isinstance(target, dict) else None
        schema = (
            {**target, **{key: schema[key] for key in schema if key != "$ref"}}
            if isinstance(target, dict)
            else {}
        )
    return schema if isinstance(schema, dict) else {}


def _types(schema: dict[str, Any]) -> list[str]:
    given = schema.get("type")
    return [given] if isinstance(given, str) else sorted(_strings(given))


def _allowed(name: str, types: list[str]) -> bool:
    return name in types or (name == "integer" and "number" in types)


def _enum(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    given = schema.get("enum")
    return given if isinstance(given, list) else None


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _lower(after: Any, before: Any) -> bool:
    return bool(after < before)


def _higher(after: Any, before: Any) -> bool:
    return bool(after > before)


def _name(at: str) -> str:
    return f"`{at}`" if at else "the arguments"


def _either(types: list[str]) -> str:
    return " or ".join(types)


def _instead(before: list[Any]) -> str:
    said = [str(item) for item in before if item is not None]
    return f" instead of {' or '.join(said)[:80]}" if said else ""


def _list(values: list[Any]) -> str:
    shown = ", ".join(
        f"`{value if isinstance(value, str) else json.dumps(value)}`"[:60] for value in values[:6]
    )
    return f"{shown} and {len(values) - 6} more" if len(values) > 6 else shown
