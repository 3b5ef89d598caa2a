"""The part of an input that a tool lists: a budget that is spent by priority.

A schema is a tree of places. An argument starts as its bare type; each further thing to list of a
place (its properties, values, limits, text) is an offer with a rank. Offers are taken by rank until
the budget is spent:

* names and types before values, values before limits, limits before the first words of texts;
* within a rank, places nearer to the arguments before deeper places;
* long texts last. All properties of an object are named before any is listed.

The price of an offer is the growth of its place. A property is listed together with what its values
need (their required properties, recursively, their values and patterns), at the full price: a call
that fills in the listed properties is never refused for a missing one. A required property that
costs too much is listed without its long values. Properties beyond the budget are named, with their
needs, or counted, and the object stays open. Arguments are always listed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from ...load.values import without
from ..budget import LARGEST, Texts
from . import texts, unions
from .place import Place, size_of

if TYPE_CHECKING:
    from .node import Member, Node
    from .place import Around, Words
    from .reading import Nodes

RANKS = {"required": 0, "name": 1, "values": 2, "limits": 3, "meaning": 4, "phrase": 5}
RANKS |= {"text": 10, "written": 30}
"""Kind of offer → its rank for an argument. The rank grows by 2 with each level of properties:
the names one level deeper come before the beginnings of texts, and the limits three levels
deeper before long texts.
"""
DEEPER = 2
PHRASE = 60
"""Characters of a text that is offered early; the rest of it is offered late."""
DEEPEST_OPTIONAL = 4
"""Level of an object with optional properties; clients and models lose track below."""
DEEPEST_REQUIRED = 8
SHORT_RULE = 120
"""Bytes of a rule that is listed with the type of an argument: what is listed says for what a call
would be refused.
"""
DEEPEST_ARRAY = 4
"""Arrays and unions directly inside each other."""
SHARE = 3
"""The objects of a union are listed separately if their names take at most one byte in `SHARE` of
the budget.
"""
LONGEST_NOTE = 200
"""Bytes about which values are listed rather than noted."""
LEAST_PLACE = 15
"""Bytes of a property with its type."""
MOST_NAMES = 60
"""Properties of an object that are named without being listed, unless every call needs them."""
LONGEST_NAMES = 1500
"""Characters of names in a description; clients cut one that is much longer."""


class Listing:
    """The arguments of one tool as they are listed.

    `room`: the bytes that are left for it. `lacks_room`: something was left out, or is listed in
    another way, for want of it.
    """

    def __init__(self, nodes: Nodes, room: int, texts_of: Texts) -> None:
        self.nodes, self.room, self.texts_of = nodes, room, texts_of
        self.arguments: dict[str, Place] = {}
        self.lacks_room = False
        self._offers: list[tuple[int, int, Callable[..., object], tuple[Any, ...]]] = []
        self._order = count()
        self._sizes: dict[Place, int] = {}
        """Place → bytes of its frame since its last change."""
        self._most_places = 0
        """Most places in a trial listing; more are over the budget."""

    def add(
        self,
        name: str,
        schema: Any,
        *,
        level: int = 0,
        nulls: bool = True,
        brief: bool = False,
        words: Words | None = None,
    ) -> Place:
        """List an argument by its type, at any price, offer the rest, and return its place. With
        `level` -1 it is the whole body, and its properties count as arguments. Without `nulls` it
        cannot be null, whatever its schema says. Of a text that is `brief` the beginning is listed.
        """
        node = self.nodes.node(schema)
        if node.null and not nulls:
            node = replace(node, null=False)
        place = self._place(node, level)
        place.name, place.words, place.brief = name, words, brief
        if words:
            place.text = words(0, "")
        self.arguments[name] = place
        self.room -= size_of({name: place.schema()})
        self._commit(place)
        return place

    def of_root(self, schema: Any) -> Place:
        """List the schema of all arguments, spend the room, and return its place."""
        root = self.add("", schema, level=-1, words=lambda limit, text: "")
        self.spend()
        return root

    def offer(self, kind: str, level: int, action: Callable[..., object], *arguments: Any) -> None:
        """Add an offer of a `kind` in `RANKS`. `action(*arguments)` makes the change later, if the
        budget allows the price.
        """
        rank = RANKS[kind] + DEEPER * level
        heapq.heappush(self._offers, (rank, next(self._order), action, arguments))

    def pay(self, price: int, most: int = LARGEST) -> bool:
        """Take the price of an offer from the room and return True; if it is over the room or
        `most`, set `lacks_room` and return False.
        """
        if price > min(self.room, most):
            self.lacks_room = True
            return False
        self.room -= price
        return True

    def spend(self) -> None:
        """Take every offer that can be paid for, the most worth first; then name what is left."""
        while self._offers:
            _, _, action, arguments = heapq.heappop(self._offers)
            action(*arguments)
        inside = [place for root in self.arguments.values() for _, place in root.inside("")]
        for place in sorted(inside, key=lambda place: place.level):
            self._name_hidden(place)

    def shortened(self) -> int:
        """Count the authors' texts that are cut, apart from a missing full stop."""
        places = [place for root in self.arguments.values() for _, place in root.inside("")]
        own = [place for place in places if not place.words]
        return sum(len(self._written(place)) > len(place.text) + 1 for place in own)

    def _change(self, place: Place, most: int = LARGEST, inner: Any = None, **changes: Any) -> bool:
        """Set attributes of a place (`changes`) and take from the room what its listing grows by;
        return whether. Over the room or `most`, nothing changes but `lacks_room`. `inner` is the
        JSON of the schemas that come inside it, paid for as well.
        """
        former = {name: getattr(place, name) for name in changes}
        if place not in self._sizes:
            self._sizes[place] = size_of(place.frame())
        for name, value in changes.items():
            setattr(place, name, value)
        after = size_of(place.frame())
        price = after - self._sizes[place] + (size_of(inner) - 1 if inner else 0)
        if self.pay(price, most):
            self._sizes[place] = after
            return True
        for name, value in former.items():
            setattr(place, name, value)
        return False

    # Places.

    def _place(
        self, node: Node, level: int, nesting: int = 0, around: Around = frozenset()
    ) -> Place:
        """Return a place with no more than its type, and short rules. The objects of a union are
        one with the properties of all until there is room for each.
        """
        self._most_places -= 1
        place = Place(node, level, around)
        branches = self.nodes.branches(node)
        if branches == (node,):
            place.node, place.union = self.nodes.common(node), node
            place.note = f"one of {len(node.branches)} shapes"
            if place.repeats():
                place.node, place.union = replace(place.node, members=()), None
        for key, rule in place.unlisted().items():
            if key == "type" or size_of(rule) <= SHORT_RULE:
                place.rules[key] = rule
        if "enum" in place.unlisted():
            place.note = f"one of {len(node.rules['enum'])} values"
        elif "enum" in node.vacuous:
            place.note = texts.values_note(node.rules["enum"])
        if place.node is not node or nesting >= DEEPEST_ARRAY:
            return place
        inside = [self._place(one, level, nesting + 1, place.inner()) for one in branches]
        place.branches = inside
        for items in node.items:
            place.items = self._place(self.nodes.node(items), level, nesting + 1, place.inner())
        return place

    def _completed(self, place: Place, *, bare: bool = False) -> Place:
        """Complete a place with what its values must have, where there is room, and return it;
        `bare`: no long rules.
        """
        for part in place.parts():
            if not bare:
                part.rules |= part.unlisted()
            if "enum" in part.rules:
                part.note = ""
            if part.union:
                part.note = unions.needs_of_shapes(self.nodes, part.union)
            if part.level >= DEEPEST_REQUIRED or part.repeats():
                continue
            if self._most_places >= 0:
                part.members |= self._members(part, part.demands(), bare=bare)
        return place

    def _members(self, place: Place, members: Iterable[Member], *, bare: bool) -> dict[str, Place]:
        """Return key → place of properties, with what their values must have (`bare`: without long
        rules). The places are made, all of them, but not listed yet.
        """
        places = {}
        for member in members:
            node = self.nodes.node(member.schema)
            inner = self._place(node, place.level + 1, around=place.inner())
            inner.name = member.wire_name
            inner.together = place.node.together_with(member)
            places[member.key] = self._completed(inner, bare=bare)
        return places

    def _commit(self, place: Place) -> None:
        """Offer the unlisted parts of a new place and of the places inside."""
        level = place.level
        unlisted = place.unlisted()
        if "enum" in unlisted:
            self.offer("values", level, self._add_values, place)
        if unlisted.keys() - {"enum"} or "default" in place.node.base:
            self.offer("limits", level, self._add_limits, place)
        self._commit_texts(place)
        if place.union:
            self.offer("required", level + 1, self._split, place)
        elif place.hidden():
            self.offer("required", level, self._open, place)
        if isinstance(place.node.extra, dict):
            self.offer("name", level + 1, self._add_extra, place)
        for part in (*place.members.values(), *place.branches):
            self._commit(part)
        if place.items:
            self._commit(place.items)

    def _commit_texts(self, place: Place) -> None:
        """Offer the texts about a place."""
        level, texts_of = place.level, self.texts_of
        if place.node.meanings:
            self.offer("meaning", level, self._add_meaning, place)
        self.offer("phrase", level, self._add_text, place, PHRASE)
        longest = texts_of.nested if level > 0 else texts_of.argument
        if not place.brief:
            self.offer("text", level, self._add_text, place, longest)
        if texts_of.written and not place.words:
            self.offer("written", level, self._add_written, place)

    # What is offered.

    def _open(self, place: Place) -> None:
        """List the required properties of an object together, else one by one; offer the others."""
        demands = place.demands()
        if place.level < DEEPEST_REQUIRED and not self._add_members(place, demands):
            for member in demands:
                self._add_or_say(place, member, forced=place.level <= 0)
        if place.level >= DEEPEST_OPTIONAL or place.repeats():
            return
        self.offer("name", place.level, self._name_hidden, place)
        for member in place.hidden()[: self.room // LEAST_PLACE + MOST_NAMES]:
            self.offer("name", place.level + 1, self._add_or_say, place, member)

    def _add_or_say(self, place: Place, member: Member, *, forced: bool = False) -> None:
        """List a property with the needs of its values, or only name it; a required one is listed
        bare if need be. A property that costs more than a third of the room is offered again later.
        """
        if not self._add_members(place, [member], self.room // SHARE):
            if member.required and self._add_members(place, [member], bare=True):
                return
            self._say(place, member, forced=forced)
            self.offer("phrase", place.level + 1, self._add_members, place, [member])

    def _add_members(
        self, place: Place, members: list[Member], most: int = LARGEST, *, bare: bool = False
    ) -> bool:
        """List properties by names and types, with what their values must have, all or none; return
        whether.
        """
        self._most_places = self.room // LEAST_PLACE
        added = self._members(place, members, bare=bare)
        if self._most_places < 0:
            self.lacks_room = True
            return False
        inner = {key: one.schema() for key, one in added.items()}
        if not self._change(place, most, inner, members=place.members | added):
            return False
        for one in added.values():
            self._commit(one)
        return True

    def _split(self, place: Place) -> None:
        """List the objects of a union: each by itself where its names take no more than their share
        of the room, else one with the properties of all, and a note on what each needs.
        """
        if place.union and not self._add_branches(place, place.union):
            self._change(place, note=unions.needs_of_shapes(self.nodes, place.union))
            self._open(place)

    def _add_branches(self, place: Place, union: Node) -> bool:
        if unions.have_the_same_members(union.branches):
            return False
        names = [member.key for branch in union.branches for member in branch.members]
        if sum(len(name) + LEAST_PLACE for name in names) > self.room // SHARE:
            self.lacks_room = True
            return False
        self._most_places = self.room // LEAST_PLACE
        around = place.around | place.inner()
        branches = [
            self._completed(self._place(branch, place.level, around=around))
            for branch in union.branches
        ]
        added = self._change(
            place,
            most=self.room * 3 // 4,
            inner=[branch.schema() for branch in branches],
            node=union,
            union=None,
            members={},
            note="",
            branches=branches,
        )
        for branch in branches if added else ():
            self._commit(branch)
        return added

    def _add_extra(self, place: Place) -> None:
        """List the schema of a map's values."""
        if place.repeats():
            return
        self._most_places = self.room // LEAST_PLACE
        node = self.nodes.node(place.node.extra)
        extra = self._completed(self._place(node, place.level + 1, around=place.inner()))
        if self._change(place, inner=extra.schema(), extra=extra):
            self._commit(extra)

    def _add_values(self, place: Place) -> None:
        """List all values of an enum, or a note on them."""
        values = place.node.rules["enum"]
        rules = place.rules | {"enum": values}
        if not self._change(place, max(self.room // 2, LONGEST_NOTE), rules=rules, note=""):
            self._change(place, note=texts.values_note(values))

    def _add_meaning(self, place: Place) -> None:
        """List the meanings of listed values: names and descriptions, else names."""
        for text in place.node.meanings_told() if "enum" in place.rules else ():
            if self._change(place, self.room // 2, meaning=text):
                return

    def _add_limits(self, place: Place) -> None:
        """List format, bounds, pattern and default."""
        rules = without(place.unlisted(), ["enum"])
        rules |= texts.default_of(place.node)
        if rules:
            self._change(place, rules=place.rules | rules)

    def _add_text(self, place: Place, limit: int) -> None:
        """Replace a text by one of up to `limit` characters."""
        text = texts.text_of(place.node, limit, place.titled())
        if place.words:
            text = place.words(limit, text)
        if text != place.text:
            self._change(place, text=text)

    def _add_written(self, place: Place) -> None:
        """List the text as its author wrote it."""
        self._change(place, text=self._written(place))

    def _written(self, place: Place) -> str:
        return texts.written_of(place.node, self.texts_of.written, place.titled())

    def _name_hidden(self, place: Place) -> None:
        """Name as many of the properties that are not listed as there is room for."""
        for member in place.hidden():
            if not self._say(place, member):
                return

    def _say(self, place: Place, member: Member, *, forced: bool = False) -> bool:
        """Name a property instead of listing it, with its needs; a forced property at least by its
        name. Return whether it is named.
        """
        name, named = member.wire_name, place.named
        if member.key in named:
            return True
        if not forced and len(named) >= MOST_NAMES:
            return False
        needs = self._needs(self.nodes.node(member.schema))
        text = f"{name} ({needs})" if needs else name
        if self._change(place, named=named | {member.key: text}):
            return True
        if not forced or sum(map(len, named.values())) > LONGEST_NAMES:
            return False
        named[member.key] = name
        self._sizes.pop(place, None)
        self.room -= len(name)
        return True

    def _needs(self, node: Node) -> str:
        """Return what a value must have in words, at any place of the document."""
        if id(node) not in self.nodes.needs:
            parts = self._place(node, 0).parts()
            self.nodes.needs[id(node)] = ", ".join(filter(None, (part.needs() for part in parts)))
        return self.nodes.needs[id(node)]
