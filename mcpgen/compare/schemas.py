"""Classification of changes of an input schema, for callers: does yesterday's call still work?

Allowing more is `additive`, allowing less is `breaking`. Only the keywords that input
schemas of tools hold are compared; a difference of others is `text`.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..load.values import as_object, as_text, is_number, texts_in, without
from ..runtime.pointer import escape, split
from ..runtime.results import PART

Kind = Literal["security", "breaking", "additive", "text"]
Finding = tuple[Kind, str]

BOUNDS = {
    "maximum": "at most",
    "exclusiveMaximum": "below",
    "maxLength": "a length of at most",
    "maxItems": "at most this many items:",
    "maxProperties": "at most this many fields:",
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "minLength": "a length of at least",
    "minItems": "at least this many items:",
    "minProperties": "at least this many fields:",
}
"""Keyword → what a value must be."""
WIDTHS = (False, "int64", "float", "double")
"""Formats of numbers that say how they are stored, and none: what may be sent stays the same."""
WIDENED: dict[Any, Kind] = {**dict.fromkeys(WIDTHS, "text"), "int32": "additive"}
"""Former format → the class of a change to one of `WIDTHS`."""
TEXTS = ("title", "description", "examples", "example", "$comment", "deprecated")
WORDS = ("title", "description")
"""Texts whose old and new words are shown."""
NULL = {"type": "null"}
NULL_NOTE = "may be null"
CHOICES = ("anyOf", "oneOf")
UNIONS = (*CHOICES, "allOf", "not")
WIDER = {"integer": "number"}
"""Type → the type that has all its values too."""
DEPTH = 40
LONGEST = 160
"""Most characters shown of a text, around the place of its change."""


def compare_inputs(
    old: dict[str, Any],
    new: dict[str, Any],
    old_whole: dict[str, Any] | None = None,
    new_whole: dict[str, Any] | None = None,
) -> list[Finding]:
    """Return the changes for the callers of a tool as (class, sentence): of texts and defaults in
    the listed input schemas, of all else in the schemas that check calls (`…_whole`; None: the
    listed schema). Empty without changes.
    """
    before, after = old_whole or old, new_whole or new
    if (old_whole is None) != (new_whole is None):
        # Only a schema that is listed says elsewhere where null is taken
        before, after = _without_null(before), _without_null(after)
    findings = [*_Inputs(before, after).all(), *_Words(old, new).all()]
    if None in (old_whole, new_whole):
        findings = _without_forms(findings, but=_Inputs(old, new).all())
    is_another = old != new if None in (old_whole, new_whole) else old_whole != new_whole
    if all([is_another, not findings]):
        return [("text", "its arguments are described differently")]
    return findings


def _without_forms(findings: list[Finding], *, but: list[Finding]) -> list[Finding]:
    """Return the findings without those on the forms of unions, except the findings in `but`. (A
    list may write a union differently from the schema used to check calls.)
    """
    return [each for each in findings if any([not each[1].endswith(" forms"), each in but])]


def _without_null(schema: Any) -> Any:
    """Return a copy of a schema without null among its types, enum values and branches. A single
    branch of `anyOf` is merged in.
    """
    if isinstance(schema, list):
        return [_without_null(item) for item in schema if item != NULL]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _without_null(item) for key, item in schema.items()}
    if isinstance(schema.get("enum"), list):
        kept["enum"] = [value for value in schema["enum"] if value is not None]
    names = [name for name in type_names(kept) if name != "null"]
    if names:
        kept["type"] = names[0] if len(names) == 1 else names
    match kept:
        case {"anyOf": [dict() as only], **others}:
            return {**others, **only}
    return kept


def reworded(label: str, old: Any, new: Any) -> str:
    """Describe a changed text: `its title is “new” instead of “old”`; of long texts the part around
    the change.
    """
    before, after = " ".join(as_text(old).split()), " ".join(as_text(new).split())
    if before == after:
        return f"{label} has other spaces or line ends"
    if not before:
        return f"{label} is new: “{_cut(after, 0)}”"
    if not after:
        return f"{label} is gone: “{_cut(before, 0)}”"
    start = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        start += 1
    return f"{label} is “{_cut(after, start)}” instead of “{_cut(before, start)}”"


def wording(old: dict[str, Any], new: dict[str, Any], subject: str) -> Iterator[Finding]:
    """Yield a change for each changed title or description of a schema, with old and new words."""
    for keyword in WORDS:
        before, after = as_text(old.get(keyword)), as_text(new.get(keyword))
        if before != after:
            yield "text", reworded(f"the {keyword} of {subject}", before, after)


def _cut(text: str, start: int) -> str:
    """Return at most `LONGEST` characters of a text, from a little before `start`."""
    begin = max(0, start - LONGEST // 4)
    if len(text) <= LONGEST:
        begin = 0
    part = text[begin : begin + LONGEST]
    if begin:
        part = f"…{part}"
    if begin + LONGEST < len(text):
        part = f"{part}…"
    return part


@dataclass(slots=True)
class Walk(ABC):
    """A comparison of two schemas, whose roots hold the `$defs` that references point into.

    `causes` gets sentence → sentence as it is true of the type that several schemas share. `shared`
    is (place, name) of the innermost such type.
    """

    old_root: dict[str, Any]
    new_root: dict[str, Any]
    causes: dict[str, str] = field(default_factory=dict)
    shared: tuple[str, str] = ("", "")
    findings: list[Finding] = field(default_factory=list)
    entered: set[tuple[str, str]] = field(default_factory=set)
    is_trial: bool = False
    same_definitions: bool = field(init=False)

    def all(self) -> list[Finding]:
        """Compare the roots, and return all changes as (class, sentence)."""
        self.same_definitions = self.old_root.get("$defs") == self.new_root.get("$defs")
        self.schema(self.old_root, self.new_root, "", 0)
        return self.findings

    def say(self, kind: Kind, text: str) -> None:
        self.findings.append((kind, text))
        place, name = self.shared
        if name and f"`{place}" in text:
            inner = f"{name}." if not place else name
            self.causes[text] = text.replace(f"`{place}", f"`{inner}", 1)

    def schema(self, old: Any, new: Any, at: str, depth: int) -> None:
        """Compare two schemas at a place: `author`, `items[].name`, or "" for the whole. A pair of
        references is compared once, at its first place; nothing is compared below `DEPTH`.
        """
        pair = (reference(old), reference(new))
        if old == new and self.same_definitions:
            return
        if any([depth > DEPTH, pair in self.entered]):
            return
        outer = self.shared
        if any(pair):
            self.entered.add(pair)
            self.shared = (at, pair[1].rpartition("/")[2])
        self.resolved(resolved(old, self.old_root), resolved(new, self.new_root), at, depth)
        if not all(pair):  # another place has another schema on that side
            self.entered.discard(pair)
        self.shared = outer

    @abstractmethod
    def resolved(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        """Compare two schemas without references, and `say` the changes."""

    def fits(self, old: Any, new: Any, at: str, depth: int) -> bool:
        """Return whether nothing breaks from one schema to another; no trial begins another one,
        which would cost a power of the depth.
        """
        if self.is_trial:
            return False
        entered = set(self.entered)
        inner = replace(self, findings=[], causes={}, entered=entered, is_trial=True)
        inner.same_definitions = self.same_definitions
        inner.schema(old, new, at, depth + 1)
        return "breaking" not in dict(inner.findings)

    def items(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        """Compare the items of lists; a missing schema is `{}`."""
        if "items" in (*old, *new):
            self.schema(old.get("items", {}), new.get("items", {}), f"{at}[]", depth + 1)

    def branches(
        self, keyword: str, old: dict[str, Any], new: dict[str, Any], at: str, depth: int
    ) -> tuple[list[Any], list[Any]]:
        """Pair the branches of a union on both sides, by content, by name, or as the only object
        left on each side, and compare the pairs. Return the unpaired branches, old and new.
        """
        before, after = branches(old, keyword), branches(new, keyword)
        if all([before == after, self.same_definitions]):
            return [], []
        labels = _labels({"old": self.old_root, "new": self.new_root})
        gone = {_label(branch, "old", labels, self.old_root): branch for branch in before}
        added = {_label(branch, "new", labels, self.new_root): branch for branch in after}
        pairs = [(label, label) for label in gone if label in added]
        named = {reference(branch): label for label, branch in added.items() if label not in gone}
        named.pop("", None)
        pairs += [
            (label, named[reference(branch)])
            for label, branch in gone.items()
            if label not in added
            if reference(branch) in named
        ]
        for label, other in pairs:
            self.schema(gone.pop(label), added.pop(other), at, depth + 1)
        one, another = [*gone.values()], [*added.values()]
        if all([len(one) == len(another) == 1, *map(_is_object, [*one, *another])]):
            self.schema(one[0], another[0], at, depth + 1)
            return [], []
        return one, another


class _Inputs(Walk):
    """A comparison for callers: they send what fits the old schema."""

    def resolved(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        if becomes_union(old, new):
            forms = forms_of(new, self.new_root)
            if any(self.fits(old, form, at, depth) for form in forms):
                self.say("additive", f"{_name(at)} may have more forms")
                return
        self.types(old, new, at)
        self.values(old, new, at)
        self.bounds(old, new, at)
        self.exact(old, new, at)
        self.members(old, new, at, depth)
        self.further(old, new, at, depth)
        self.items(old, new, at, depth)
        self.unions(old, new, at, depth)

    def types(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        before, after = types_of(old, new)
        if before == after:
            return
        if not after:
            self.say("additive", f"{_name(at)} may be anything{_instead(before)}")
            return
        narrowed = [name for name in before if not allows(after, name)]
        if narrowed or not before:
            self.say("breaking", f"{_name(at)} must be {either(after)}{_instead(before)}")
        else:
            self.say("additive", f"{_name(at)} may be {either(after)}{_instead(before)}")

    def values(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        before, after = allowed_values(old), allowed_values(new)
        if before == after:
            return
        if before is None:
            self.say("breaking", f"{_name(at)} must be one of {listing(after or [])}")
            return
        if after is None:
            self.say("additive", f"{_name(at)} may have any value")
            return
        gone = [value for value in before if value not in after]
        added = [value for value in after if value not in before]
        if gone:
            self.say("breaking", f"{_name(at)} no longer allows {listing(gone)}")
        if added:
            self.say("additive", f"{_name(at)} allows {listing(added)} as well")

    def bounds(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        for keyword, words in BOUNDS.items():
            before, after = _bound(old, keyword), _bound(new, keyword)
            if before == after:
                continue
            if after is None:
                self.say("additive", f"{_name(at)} is no longer limited to {words} {before}")
                continue
            is_upper = "max" in keyword.lower()
            kind: Kind = "additive"
            # An own tool may name a bound by a constant: which of the two is less is unknown then
            is_known = is_number(before) and is_number(after)
            if not is_known or (after < before) == is_upper:
                kind = "breaking"
            self.say(kind, f"{_name(at)} must be {words} {after}{_instead([before])}")

    def exact(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        for keyword in ("pattern", "format", "multipleOf", "uniqueItems"):
            before, after = old.get(keyword, False), new.get(keyword, False)
            if before == after:
                continue
            if after is False:
                self.say("additive", f"{_name(at)} need not have the {keyword} {listing([before])}")
                continue
            text = f"{_name(at)} must have the {keyword} {listing([after])}"
            if keyword in old:
                text += f" instead of {listing([before])}"
            kind: Kind = "breaking"
            if after in WIDTHS:
                kind = WIDENED.get(before, kind)
            self.say(kind, text)

    def members(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        before, after = properties(old), properties(new)
        required, required_now = required_names(old), required_names(new)
        for name in before:
            place = below(at, name)
            if name not in after:
                kind: Kind = "breaking"
                if (at, name) == ("", PART):
                    kind = "text"  # the server takes it unlisted, too
                self.say(kind, f"{_name(place)} is gone")
                continue
            if name in required_now - required:
                self.say("breaking", f"{_name(place)} is required now")
            elif name in required - required_now:
                self.say("additive", f"{_name(place)} is optional now")
            self.schema(before[name], after[name], place, depth + 1)
        for name in after:
            if name in before:
                continue
            if name in required_now:
                self.say("breaking", f"{_name(below(at, name))} is new and required")
            else:
                self.say("additive", f"{_name(below(at, name))} is new")

    def further(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        before = old.get("additionalProperties", True)
        after = new.get("additionalProperties", True)
        if before == after:
            return
        if are_schemas(before, after):
            self.schema(before, after, below(at, "*"), depth + 1)
            return
        if not at:
            return
        if after is False:
            self.say("breaking", f"{_name(at)} takes no further fields")
        elif before is True:
            self.say("breaking", f"{_name(at)} takes fewer further fields")
        else:
            self.say("additive", f"{_name(at)} takes further fields")

    def unions(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        for keyword in UNIONS:
            gone, added = self.branches(keyword, old, new, at, depth)
            if not [*gone, *added]:
                continue
            if keyword in ("allOf", "not"):
                is_wider = not added
            else:
                is_wider = any([not branches(new, keyword), all([keyword in old, not gone])])
            if is_wider:
                self.say("additive", f"{_name(at)} may have more forms")
            else:
                self.say("breaking", f"{_name(at)} may have other forms")


class _Words(Walk):
    """A comparison of the texts and defaults in a listed schema, for readers of the list."""

    def resolved(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        self.default(old, new, at)
        self.null(old, new, at)
        self.findings += wording(old, new, _name(at))
        before, after = properties(old), properties(new)
        for name in before:
            if name in after:
                self.schema(before[name], after[name], below(at, name), depth + 1)
        self.items(old, new, at, depth)

    def default(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        """Compare the defaults: a changed default changes calls that omit the argument."""
        before, after = old.get("default"), new.get("default")
        if before == after:
            return
        word = "nothing"
        if "default" in new:
            word = listing([after])
        if "default" in old:
            text = f"the default of {_name(at)} is {word} instead of {listing([before])}"
            self.say("breaking", text)
        else:
            self.say("additive", f"the default of {_name(at)} is {word}")

    def null(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        """Compare where null is taken, which the end of a description says."""
        before, after = (as_text(each.get("description")).rstrip(".") for each in (old, new))
        if before != after == before.removesuffix(NULL_NOTE).rstrip("; "):
            self.say("breaking", f"{_name(at)} may no longer be null")
        if after != before == after.removesuffix(NULL_NOTE).rstrip("; "):
            self.say("additive", f"{_name(at)} may be null")


# What a schema says


def properties(schema: Any) -> dict[str, Any]:
    """Return the properties of a schema by name."""
    return as_object(as_object(schema).get("properties"))


def required_names(schema: dict[str, Any]) -> set[str]:
    """Return the names of the properties that must be there."""
    return set(texts_in(schema.get("required")))


def are_schemas(*values: Any) -> bool:
    """Return whether all values are objects: no `true`, `false` or None."""
    return all(isinstance(value, dict) for value in values)


def branches(schema: dict[str, Any], keyword: str) -> list[Any]:
    """Return the branches of a union; empty without the keyword. The schema of `not` is a
    branch.
    """
    members = schema.get(keyword, [])
    return members if isinstance(members, list) else [members]


def becomes_union(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether a value has several forms now, and had one."""
    if properties(new) or any(branches(old, keyword) for keyword in UNIONS):
        return False
    return any(branches(new, keyword) for keyword in UNIONS)


def forms_of(union: dict[str, Any], root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema with each of its forms instead of its unions."""
    for form in (form for keyword in CHOICES for form in branches(union, keyword)):
        yield {**without(union, CHOICES), **resolved(form, root)}


def _labels(roots: Mapping[str, Any]) -> dict[str, str]:
    """Return side and reference (`old#/$defs/Book`) → a label of the definition's content, equal
    for equal content under any names. Each round labels definitions by the labels of those they
    refer to, until it distinguishes no more.
    """
    definitions = {
        f"{side}#/$defs/{escape(name)}": (side, schema)
        for side, root in roots.items()
        for name, schema in as_object(root.get("$defs")).items()
    }
    labels = dict.fromkeys(definitions, "")
    while True:
        told = {key: _label(schema, side, labels) for key, (side, schema) in definitions.items()}
        if len({*told.values()}) == len({*labels.values()}):
            return told
        labels = told


def _label(
    schema: Any, side: str, labels: Mapping[str, str], root: dict[str, Any] | None = None
) -> str:
    """Return a label of the content of a schema, without its texts. With a root, a `$ref` is
    resolved first.
    """
    if root is not None:
        schema = resolved(schema, root)
    text = json.dumps(_bare(schema, side, labels), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _bare(value: Any, side: str, labels: Mapping[str, str]) -> Any:
    """Return a schema without its texts, its references as labels. A property called `title` is
    kept, as its value is a schema.
    """
    if isinstance(value, list):
        return [_bare(item, side, labels) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _bare(item, side, labels)
        for key, item in value.items()
        if key not in TEXTS or isinstance(item, dict)
    }
    if isinstance(value.get("$ref"), str):
        kept["$ref"] = labels.get(side + value["$ref"], value["$ref"])
    return kept


def _is_object(schema: Any) -> bool:
    """Return whether a schema has properties, or is a reference."""
    return any([reference(schema), properties(schema)])


def reference(schema: Any) -> str:
    """Return the target of a schema that is a reference, else an empty text."""
    return as_text(as_object(schema).get("$ref"))


def resolved(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its `$ref` into the root followed; keywords beside it win. A missing
    target is `{}`.
    """
    for _ in range(DEPTH):
        target = reference(schema)
        if not target.startswith("#/"):
            break
        node: Any = root
        for part in split(target.removeprefix("#")):
            node = as_object(node).get(part)
        siblings = without(schema, ["$ref"])
        schema = {**as_object(node), **siblings}
    return as_object(schema)


def type_names(schema: dict[str, Any]) -> list[str]:
    """Return the types a schema names, sorted; empty without `type`."""
    names = schema.get("type")
    if isinstance(names, str):
        return [names]
    return sorted(texts_in(names))


def types_of(old: dict[str, Any], new: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the types of both schemas; two empty lists if either has values (`enum`) instead of
    types.
    """
    for schema in (old, new):
        if "type" in schema:
            continue
        if allowed_values(schema) is not None:
            return [], []
    return type_names(old), type_names(new)


def allows(types: list[str], name: str) -> bool:
    """Return whether every value of type `name` is of one of `types`: an integer is a number."""
    return not {name, WIDER.get(name, name)}.isdisjoint(types)


def allowed_values(schema: dict[str, Any]) -> list[Any] | None:
    """Return the values of `const` or `enum`; None without either."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def below(at: str, name: str) -> str:
    """Return the place of a property: `author.name`; at the top its name."""
    return f"{at}.{name}" if at else name


def either(types: list[str]) -> str:
    """Return types joined by `or`."""
    return " or ".join(types)


def listing(values: list[Any]) -> str:
    """Return at most six values in backticks, each cut, and the number of further values."""
    words = []
    for value in values[:6]:
        text = value if isinstance(value, str) else json.dumps(value)
        words.append(f"`{text}`"[:60])
    if len(values) > len(words):
        return f"{', '.join(words)} and {len(values) - 6} more"
    return ", ".join(words)


def _bound(schema: dict[str, Any], keyword: str) -> Any:
    """Return the value of a bound; None if missing, and for `minLength` 0."""
    value = schema.get(keyword)
    if (keyword, value) == ("minLength", 0):
        return None
    return value


def _name(at: str) -> str:
    return f"`{at}`" if at else "the arguments"


def _instead(before: list[Any]) -> str:
    words = [str(item) for item in before if item is not None]
    if not words:
        return ""
    return f" instead of {either(words)[:80]}"
