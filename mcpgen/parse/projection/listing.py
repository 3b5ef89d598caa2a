"""The part of an input that a tool lists: a budget that is spent by priority.

A schema is a tree of places. A place starts as its bare type; everything else that can be
listed of it (its properties, its values, its limits, its text) is an offer with a rank and
a price in bytes. Offers are taken by rank until the budget is spent: names and types before
values, values before limits, limits before the beginnings of texts, and each of these
nearer to the arguments before it is deeper; long texts come last. The properties of an
object are named before any of them is listed. An offer over the remaining budget is
skipped. Unlisted parts are counted in a description, and the object stays open, so that
every value the document accepts can still be sent.

A property is listed with the requirements of its values (their required properties,
recursively, their values and patterns), or not at all: a call that fills in the listed
properties is not refused for a missing one. An unlisted property is named, with its
requirements. An argument is always listed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from ..detail import LARGEST, Texts
from ..pattern import pattern_of
from . import texts, unions
from .node import Member, Node
from .place import Place, identity_of, size_of

if TYPE_CHECKING:
    from ...ir import Schema
    from .place import Around, Words
    from .reading import Nodes

RANKS = {
    "needed": -2,
    "required": 0,
    "name": 1,
    "values": 2,
    "limits": 3,
    "phrase": 5,
    "text": 10,
    "written": 30,
}
"""Kind of offer → its rank for an argument. The rank grows by 2 with each level of properties:
the names one level deeper come before the beginnings of texts, and the limits three levels
deeper before long texts.
"""
DEEPER = 2
PHRASE = 60
"""Characters of a text that is offered early; the rest of it is offered late."""
DEEPEST_OPTIONAL = 5
"""Properties around an optional property, itself included; clients and models lose track below."""
DEEPEST_REQUIRED = 9
SHORT_RULE = 120
"""Bytes of a rule that is listed with the type: what is listed says for what a call would be
refused.
"""
DEEPEST_ARRAY = 4
"""Arrays and unions directly inside each other."""
SHARE = 3
"""The objects of a union are listed one by one where their names take no more than one in so many
bytes of the room."""
MOST_NAMES = 60
"""Properties of an object that are named without being listed, unless its names are forced."""
LONGEST_NAMES = 1500
"""Characters of names in a description; clients cut one that is much longer."""


class Listing:
    """The arguments of one tool as they are listed.

    `room`: the bytes that are left for it. Names and types of the arguments are listed even where
    there is none, up to `LARGEST` bytes. `lacks_room`: something was left out, or is listed in
    another way, for want of it.
    """

    def __init__(self, nodes: Nodes, room: int, texts_of: Texts) -> None:
        self.nodes, self.room, self.texts_of = nodes, room, texts_of
        self.arguments: dict[str, Place] = {}
        self._overdraft = LARGEST - room
        self.lacks_room = False
        self._offers: list[tuple[int, int, Callable[..., object], tuple[Any, ...]]] = []
        self._order = count()
        self._places: list[Place] = []

    def add(
        self,
        name: str,
        schema: Any,
        *,
        required: bool = False,
        level: int = 0,
        depth: int = 1,
        nulls: bool = True,
        words: Words | None = None,
    ) -> Place:
        """An argument. With `level` -1 it is the whole body, and its properties count as
        arguments. Without `nulls` it cannot be null, whatever its schema says.
        """
        node = self.nodes.node(schema)
        if not nulls:
            node = replace(node, null=False)
        place = self._place(node, level, depth)
        place.name = name
        place.is_needed = required or level < 0
        if words:
            place.words = words
            place.text = words(0, "")
        self.arguments[name] = place
        self.room -= size_of({name: place.schema()})
        self._commit(place)
        return place

    def of_root(self, schema: Any) -> Place:
        """The schema of all arguments, listed: its properties are the arguments."""
        root = self.add("", schema, required=True, level=-1, depth=0, words=lambda limit, text: "")
        self.spend()
        return root

    def offer(self, kind: str, level: int, action: Callable[..., object], *arguments: Any) -> None:
        """Remember what can be listed. `action` does it where it can be paid for."""
        rank = RANKS[kind] + DEEPER * level
        heapq.heappush(self._offers, (rank, next(self._order), action, arguments))

    def pay(self, price: int, *, most: int = LARGEST, forced: bool = False) -> bool:
        """Take the price of an offer from the room, if it is there and the offer costs no more than
        `most`.
        """
        limit = self.room + self._overdraft if forced else self.room
        if price > min(limit, most):
            self.lacks_room = True
            return False
        self.room -= price
        return True

    def spend(self) -> None:
        """Take every offer that can be paid for, the most worth first; then name what is left."""
        while self._offers:
            _, _, action, arguments = heapq.heappop(self._offers)
            action(*arguments)
        for place in sorted(self._places, key=lambda place: place.level):
            self._name_hidden(place)

    def shortened(self) -> int:
        """Count the authors' texts that are cut, apart from a missing full stop."""
        places = [place for root in self.arguments.values() for _, place in root.inside("")]
        own = [place for place in places if not place.words]
        return sum(len(self._written(place)) > len(place.text) + 1 for place in own)

    def _written(self, place: Place) -> str:
        return texts.written_of(place.node, self.texts_of.written, place.titled())

    # Places.

    def _place(
        self,
        node: Node,
        level: int,
        depth: int,
        nesting: int = 0,
        around: Around = frozenset(),
    ) -> Place:
        """A place with no more than its type, and rules that are short."""
        place = Place(node, level, depth, around=around, repeats=identity_of(node) in around)
        for key, rule in node.rules.items():
            if key not in node.unlisted and _comes_with_type(key, rule):
                place.rules[key] = rule
        values = node.rules.get("enum", ())
        if values and "enum" not in place.rules:
            place.note = f"one of {len(values)} values"
        if node.branches:
            self._split(place, nesting)
        if node.items and nesting < DEEPEST_ARRAY:
            items = self.nodes.node(node.items[0])
            place.items = self._place(items, level, depth, nesting + 1, place.inner())
        elif node.items:
            place.wider = True
        return place

    def _split(self, place: Place, nesting: int) -> None:
        """The branches of a union as places; its objects are one place until there is room for
        each.
        """
        objects = tuple(branch for branch in place.node.branches if branch.kind == "object")
        if len(objects) == len(place.node.branches):
            _group(place, objects)
            return
        for branch in place.node.branches:
            if branch.kind != "object" or len(objects) == 1:
                inner = self._place(branch, place.level, place.depth, nesting + 1, place.inner())
                inner.repeats |= place.repeats
                place.branches.append(inner)
            elif branch is objects[0]:
                node = Node({}, {"type": "object"})
                group = Place(node, place.level, place.depth, around=place.inner())
                group.repeats = place.repeats
                _group(group, objects)
                place.branches.append(group)

    def _commit(self, place: Place) -> None:
        """Offer what can be listed of a new place and of those inside it."""
        inner = [*place.members.values(), *place.branches]
        if place.items:
            inner.append(place.items)
        self._places.append(place)
        self._offer_rules(place)
        self.offer("phrase", place.level, self._add_text, place, PHRASE)
        self.offer("text", place.level, self._add_text, place, self._longest_text(place))
        if self.texts_of.written:
            self.offer("written", place.level, self._add_written, place)
        if place.shapes:
            self._offer_objects(place, self._add_shapes, place.level + 1)
        elif place.hidden():
            self._offer_objects(place, self._open, place.level)
        if isinstance(place.node.extra, dict):
            self.offer("name", place.level + 1, self._add_extra, place)
        for part in inner:
            self._commit(part)

    def _offer_rules(self, place: Place) -> None:
        """Offer the rules of the schema itself."""
        rules = set(place.unlisted())
        if "enum" in rules:
            if place.is_needed:
                self.offer("needed", 0, self._add_values, place)
            else:
                self.offer("values", place.level, self._add_values, place)
        if rules - {"enum"} or "default" in place.node.base:
            self.offer("limits", place.level, self._add_limits, place)

    def _offer_objects(self, place: Place, action: Callable[[Place], None], level: int) -> None:
        """Offer the properties of an object, those that every call needs first."""
        if place.is_needed:
            self.offer("needed", 0, action, place)
        else:
            self.offer("required", level, action, place)

    def _longest_text(self, place: Place) -> int:
        if place.level > 0:
            return self.texts_of.nested
        return self.texts_of.argument

    # What is offered.

    def _open(self, place: Place) -> None:
        """The required properties of an object together, then each of the others."""
        demands = place.demands()
        if demands and place.depth < DEEPEST_REQUIRED:
            self._add_members(place, demands, forced=place.is_needed)
        if place.demands():
            for member in demands:
                self._say(place, member, forced=place.level <= 0)
            return
        if place.depth >= DEEPEST_OPTIONAL or place.repeats:
            return
        self.offer("name", place.level, self._name_hidden, place)
        for member in place.hidden():
            kind = "values" if self._has_long_rules(member) else "name"
            self.offer(kind, place.level + 1, self._add_or_say, place, member)

    def _add_or_say(self, place: Place, member: Member) -> None:
        """A property with what its values must have, else its name with what it needs."""
        if not self._add_members(place, [member]):
            self._say(place, member)

    def _add_members(self, place: Place, members: list[Member], *, forced: bool = False) -> bool:
        """Properties by their names and types with what their values must have, all or none. Where
        they are forced, what the values must have is offered by itself.
        """
        if not self._pay_for_members(place, members, forced, frozenset()):
            return False
        for member in members:
            self._commit(place.members[member.key])
        return True

    def _pay_for_members(
        self, place: Place, members: list[Member], forced: bool, around: frozenset[int]
    ) -> bool:
        added, room, before = self._members(place, members), self.room, _price_of_frame(place)
        place.members |= added
        price = size_of({key: member.schema() for key, member in added.items()}) - 1
        paid = self.pay(price + _price_of_frame(place) - before, forced=forced)
        if paid and not forced:
            paid = all(self._pay_for_demands(inner, around) for inner in added.values())
        if paid:
            return True
        self.room = room
        for key in added:
            del place.members[key]
        return False

    def _pay_for_demands(self, place: Place, around: frozenset[int]) -> bool:
        """Pay for the requirements of the values at a place; a schema that is already `around` it
        is not listed again.
        """
        for part in place.parts():
            if not self._pay_for_rules(part):
                return False
            demands = part.demands()
            if not demands or part.depth >= DEEPEST_REQUIRED or id(part.node) in around:
                continue
            if not self._pay_for_members(part, demands, False, around | {id(part.node)}):
                return False
        return True

    def _members(self, place: Place, members: Iterable[Member]) -> dict[str, Place]:
        """Properties of an object as places."""
        level, depth = place.level + 1, place.depth + 1
        places = {}
        for member in members:
            node = self.nodes.node(member.schema)
            inner = self._place(node, level, depth, around=place.inner())
            inner.name = member.wire_name
            inner.together = place.node.together_with(member)
            inner.is_needed = place.is_needed and member.required
            places[member.key] = inner
        return places

    def _add_shapes(self, place: Place) -> None:
        """The objects of a union: each by itself, with all names, where that takes no more than its
        share of the room; else one with the properties of all.
        """
        if place.repeats:
            return
        objects = place.shapes
        place.shapes = ()
        if self._add_objects(place, objects):
            return
        place.wider = True
        before = _price_of_text(place)
        place.around = place.inner()
        place.node = replace(unions.in_common(objects), base=place.node.base, null=place.node.null)
        self.pay(_price_of_text(place) - before, forced=True)
        tag = unions.tag_of(self.nodes, objects)
        self._name_shapes(place, objects, tag)
        self._open(place)

    def _add_objects(self, place: Place, objects: tuple[Node, ...]) -> bool:
        """The objects of a union one by one, if there is room for them. Where they differ in what
        they require alone, the texts stand in the first.
        """
        if unions.have_the_same_members(objects):
            return self._add_alternatives(place, objects)
        share = self.room // SHARE
        if sum(_price_of_names(branch.members) for branch in objects) <= share:
            branches = self._branches(place, objects)
            if self._pay_for_branches(place, branches, branches):
                return True
        self.lacks_room = True
        return False

    def _add_alternatives(self, place: Place, objects: tuple[Node, ...]) -> bool:
        """Objects that differ in what they require alone; the texts stand in the first."""
        alternatives = unions.alternatives(objects, exclusive=place.node.exclusive)
        if len(alternatives) < 2:
            return False
        branches = self._branches(place, alternatives)
        place.wider = self._pay_for_branches(place, branches, branches[:1], in_full=True)
        return place.wider

    def _branches(self, place: Place, objects: tuple[Node, ...]) -> list[Place]:
        """The objects of a union as places with their properties, but for those that are optional
        and ask for something.
        """
        branches = []
        for node in objects:
            branch = self._place(node, place.level, place.depth, around=place.inner())
            if place.depth < DEEPEST_OPTIONAL:
                branch.members = self._members(branch, filter(self._comes_at_once, node.members))
            branches.append(branch)
        return branches

    def _pay_for_branches(
        self,
        place: Place,
        branches: list[Place],
        committed: list[Place],
        *,
        in_full: bool = False,
    ) -> bool:
        """The objects of a union, all or none, in at most three fourths of the room, and with
        `in_full` what their values must have. More is offered of those that are `committed`.
        """
        room = self.room
        price = size_of([branch.schema() for branch in branches])
        paid = self.pay(price, most=room * 3 // 4)
        inner = [one for branch in branches for one in branch.members.values() if in_full]
        if paid and all(self._pay_for_demands(one, frozenset()) for one in inner):
            place.note, place.branches = "", branches
            for branch in committed:
                self._commit(branch)
            return True
        self.room = room
        return False

    def _name_shapes(self, place: Place, objects: tuple[Node, ...], tag: str) -> None:
        """Name the properties of each object of a union that not all of them have, or what each
        needs, or at least the objects.
        """
        own = frozenset(unions.own_keys(objects))
        fields = unions.fields_text(self.nodes, objects, tag)
        if not self._reword(place, fields, own, self.room // 2):
            note = unions.fields_text(self.nodes, objects, tag, with_fields=False)
            self._reword(place, note, frozenset(), self.room)

    def _reword(self, place: Place, note: str, named: frozenset[str], most: int) -> bool:
        """Describe with a note that names properties, if it costs no more than `most`."""
        before, former = _price_of_text(place), (place.note, place.named)
        place.note, place.named = note, named
        if self.pay(_price_of_text(place) - before, most=most):
            return True
        place.note, place.named = former
        return False

    def _add_extra(self, place: Place) -> None:
        """List the schema of a map's values."""
        if place.repeats:
            return
        node = self.nodes.node(place.node.extra)
        extra = self._place(node, place.level + 1, place.depth, around=place.inner())
        room = self.room
        paid = self.pay(size_of({"additionalProperties": extra.schema()}))
        if paid and self._pay_for_demands(extra, frozenset()):
            place.extra = extra
            self._commit(extra)
        else:
            self.room = room

    def _add_values(self, place: Place) -> None:
        """All values of an enum, or a note on them."""
        if "enum" not in place.unlisted() or self._pay_for_values(place):
            return
        note = texts.values_note(place.node.rules["enum"])
        if self.pay(len(note) - len(place.note)):
            place.note = note

    def _pay_for_values(self, place: Place) -> bool:
        """All values of an enum, else a pattern that takes nothing but them."""
        values = place.node.rules["enum"]
        most = max(self.room // 2, 2 * PHRASE)
        note, before, place.note = place.note, _price_of_text(place), ""
        saved = before - _price_of_text(place)
        rule: Schema = {"enum": values}
        paid = self.pay(size_of(rule) - saved, most=most)
        if not paid and place.node.kind == "string":
            rule, most = {"pattern": pattern_of(values)}, max(most, self.room)
            paid = self.pay(size_of(rule) - saved, most=most)
        if paid:
            place.rules |= rule
        else:
            place.note = note
        return paid

    def _pay_for_rules(self, place: Place) -> bool:
        """The rules that do not come with the type."""
        rules = {key: place.node.rules[key] for key in place.unlisted()}
        if "enum" in rules:
            del rules["enum"]
            if not self._pay_for_values(place):
                return False
        if not rules:
            return True
        place.rules |= rules
        return self.pay(size_of(rules))

    def _add_limits(self, place: Place) -> None:
        """Format, bounds, pattern and default."""
        rules = {key: place.node.rules[key] for key in place.unlisted() if key != "enum"}
        rules |= texts.default_of(place.node)
        if rules and self.pay(size_of(rules)):
            place.rules |= rules

    def _add_text(self, place: Place, limit: int) -> None:
        text = texts.text_of(place.node, limit, place.titled())
        if place.words:
            text = place.words(limit, text)
        self._put_text(place, text)

    def _add_written(self, place: Place) -> None:
        """The text as its author wrote it."""
        if not place.words:
            self._put_text(place, self._written(place))

    def _put_text(self, place: Place, text: str) -> None:
        """A text in place of a shorter one, where there is room."""
        if text == place.text:
            return
        before, shorter = _price_of_text(place), place.text
        place.text = text
        if not self.pay(_price_of_text(place) - before):
            place.text = shorter

    def _name_hidden(self, place: Place) -> None:
        """Name as many of the properties that are not listed as there is room for."""
        for member in place.unnamed():
            if not self._say(place, member):
                return

    def _say(self, place: Place, member: Member, *, forced: bool = False) -> bool:
        """Name a property that is not listed, with what it needs; one that is forced at least by
        its name, and one that is required with all of it.
        """
        if member.key in place.said:
            return True
        if not self._takes_names(place, forced):
            return False
        before = _price_of_text(place)
        needs = self._needs(member)
        place.said[member.key] = f"{member.wire_name} ({needs})" if needs else member.wire_name
        if self.pay(_price_of_text(place) - before, forced=forced and member.required):
            return True
        if forced:
            place.said[member.key] = member.wire_name
            return self.pay(_price_of_text(place) - before, forced=True)
        del place.said[member.key]
        return False

    def _takes_names(self, place: Place, forced: bool) -> bool:
        """Return whether one more property may be named."""
        if forced:
            return sum(len(text) + 2 for text in place.said.values()) < LONGEST_NAMES
        return len(place.said) < MOST_NAMES

    def _needs(self, member: Member) -> str:
        """Describe the requirements of a property's values."""
        return ", ".join(filter(None, (part.needs() for part in self._parts(member))))

    def _has_long_rules(self, member: Member) -> bool:
        """Return whether the values of a property have rules that do not come with the type."""
        return any(part.unlisted() for part in self._parts(member))

    def _comes_at_once(self, member: Member) -> bool:
        """Return whether a property is required, or its values need no more than comes with the
        type.
        """
        return member.required or not any(
            part.needs() or part.unlisted() for part in self._parts(member)
        )

    def _parts(self, member: Member) -> Iterator[Place]:
        return self._place(self.nodes.node(member.schema), 0, 0).parts()


def _comes_with_type(key: str, rule: Any) -> bool:
    """Return whether a rule is listed wherever the type is."""
    return key == "type" or size_of(rule) <= SHORT_RULE


def _group(place: Place, objects: tuple[Node, ...]) -> None:
    """Make a place that of several objects of a union, of which nothing is listed yet."""
    place.rules["type"] = "object"
    place.shapes = objects
    place.note = f"one of {len(objects)} shapes"


def _price_of_frame(place: Place) -> int:
    """The bytes of an object around its properties."""
    price = _price_of_text(place)
    if place.members:
        price += len('"properties":{},')
    if place.required():
        price += size_of({"required": place.required()})
    if place.is_closed():
        price += len('"additionalProperties":false,')
    return price


def _price_of_text(place: Place) -> int:
    """The bytes of a place's description."""
    description = place.description()
    return size_of({"description": description}) if description else 0


def _price_of_names(members: tuple[Member, ...]) -> int:
    """About the bytes of an object with the names and types of its properties."""
    return 40 + sum(len(member.key) + 25 for member in members)
