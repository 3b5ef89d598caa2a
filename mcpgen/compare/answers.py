"""Classification of changes of an output schema, for readers of structured answers.

A weaker promise is `breaking`: a field that is gone or may be missing, a value of another
type. A stronger one is `additive`. Bounds and patterns of answers are not compared.
"""

from __future__ import annotations

from typing import Any

from .schemas import (
    UNIONS,
    Finding,
    Kind,
    Walk,
    allowed_values,
    allows,
    are_schemas,
    becomes_union,
    below,
    branches,
    either,
    forms_of,
    listing,
    properties,
    required_names,
    types_of,
    wording,
)


def compare_outputs(
    old: dict[str, Any] | None, new: dict[str, Any] | None, causes: dict[str, str] | None = None
) -> list[Finding]:
    """Return the changes for the readers of answers as (class, sentence); empty for equal schemas.
    None: no output schema.

    `causes` gets sentence → the sentence on the type that tools share: `items[].price` of a tool,
    like `price` of another, is `Book.price`.
    """
    if old == new:
        return []
    if old is None:
        return [("additive", "answers are structured now")]
    if new is None:
        return [("breaking", "answers are no longer structured")]
    findings = _Outputs(old, new, {} if causes is None else causes).all()
    return findings or [("text", "its answers are described differently")]


class _Outputs(Walk):
    """A comparison for those who read answers: the new schema is what they get."""

    def resolved(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        if becomes_union(old, new):
            # One sentence: its fields are not gone, they are those of one form among others
            self.say("breaking", f"{_name(at)} may have other forms")
            return
        if becomes_union(new, old):
            forms = forms_of(old, self.old_root)
            if any(self.fits(form, new, at, depth) for form in forms):
                self.say("additive", f"{_name(at)} has fewer forms")
                return
        self.types(old, new, at)
        self.values(old, new, at)
        for kind, text in wording(old, new, _name(at)):
            self.say(kind, text)
        self.members(old, new, at, depth)
        self.items(old, new, at, depth)
        before, after = old.get("additionalProperties"), new.get("additionalProperties")
        if are_schemas(before, after):
            self.schema(before, after, below(at, "*"), depth + 1)
        for keyword in UNIONS:
            gone, added = self.branches(keyword, old, new, at, depth)
            if all([gone, not added, branches(new, keyword)]):
                self.say("additive", f"{_name(at)} has fewer forms")
            elif [*gone, *added]:
                self.say("breaking", f"{_name(at)} may have other forms")

    def types(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        before, after = types_of(old, new)
        if before == after:
            return
        if not after:
            self.say("breaking", f"{_name(at)} may be anything instead of {either(before)}")
            return
        kind: Kind = "breaking"
        if not before or all(allows(before, name) for name in after):
            kind = "additive"
        instead = ""
        if before:
            instead = f" instead of {either(before)}"
        self.say(kind, f"{_name(at)} is {either(after)}{instead}")

    def values(self, old: dict[str, Any], new: dict[str, Any], at: str) -> None:
        before, after = allowed_values(old), allowed_values(new)
        if before in (None, after):
            return
        if after is None:
            self.say("breaking", f"{_name(at)} may have any value")
            return
        added = [value for value in after if value not in before]
        gone = [value for value in before if value not in after]
        if added:
            self.say("additive", f"{_name(at)} may be {listing(added)} as well")
        if gone:
            self.say("additive", f"{_name(at)} is never {listing(gone)}")

    def members(self, old: dict[str, Any], new: dict[str, Any], at: str, depth: int) -> None:
        before, after = properties(old), properties(new)
        for name in before:
            place = below(at, name)
            if name not in after:
                self.say("breaking", f"answers no longer have `{place}`")
                continue
            if name in required_names(old) - required_names(new):
                self.say("breaking", f"{_name(place)} may be missing")
            self.schema(before[name], after[name], place, depth + 1)
        for name in after:
            if name not in before:
                self.say("additive", f"answers have `{below(at, name)}` as well")


def _name(at: str) -> str:
    if not at:
        return "the answer"
    return f"`{at}` of the answer"
