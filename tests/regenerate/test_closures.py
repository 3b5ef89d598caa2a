"""The definitions that schemas refer to, by way of shared sets."""

import random

import pytest

from mcpgen.compare.closures import Closures
from mcpgen.runtime.pointer import referred_to


def to(name: int) -> dict[str, str]:
    return {"$ref": f"#/$defs/T{name}"}


@pytest.mark.parametrize("seed", range(40))
def test_a_closure_is_what_a_walk_from_the_schema_reaches(seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(1, 12)
    definitions = {
        f"T{name}": {"anyOf": [to(chance.randrange(count + 1)) for _ in range(chance.randrange(3))]}
        for name in range(count)
    }
    closures = Closures(definitions)
    for _ in range(8):
        schema = {"items": to(chance.randrange(count)), "not": to(chance.randrange(count))}
        assert closures.of(schema) == referred_to(schema, definitions)
        assert list(closures.of(schema)) == sorted(closures.of(schema))


def test_definitions_in_a_circle_share_one_dictionary() -> None:
    closures = Closures({"T0": to(1), "T1": to(2), "T2": to(0), "T3": to(0)})
    assert closures.of(to(0)) is closures.of(to(1)) is closures.of(to(2))
    assert closures.of(to(3)).keys() == {"T0", "T1", "T2", "T3"}
