"""What is laid out here is what black would make of it: nothing generated has to be formatted."""

import black
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpgen.render.layout import (
    Expression,
    Group,
    call,
    declare,
    dictionary,
    lay_out,
    subscript,
    union,
    value,
)
from mcpgen.render.literal import quoted

MODE = black.Mode(line_length=100)
NAMES = st.text("abcdefgh_", min_size=1, max_size=64).map(lambda name: "n" + name)
TEXTS = st.text(st.sampled_from("abc '\"\\é{%|,()[]#"), max_size=40)
TYPES: st.SearchStrategy[Expression] = st.recursive(
    st.sampled_from(["str", "int", "Any", "None"]) | NAMES.map(lambda name: f"models.{name}"),
    lambda inner: st.one_of(
        st.lists(TEXTS, min_size=1, max_size=8).map(
            lambda items: subscript("Literal", *map(quoted, items))
        ),
        st.lists(inner, min_size=1, max_size=3).map(union),
        inner.map(lambda item: subscript("list", item)),
        inner.map(lambda item: subscript("dict", "str", item)),
    ),
    max_leaves=4,
)
PLAIN: st.SearchStrategy[Expression] = st.one_of(
    NAMES,
    TEXTS.map(quoted),
    st.lists(st.lists(NAMES, max_size=3).map(tuple), max_size=3).map(tuple).map(value),
    st.tuples(NAMES, st.dictionaries(NAMES, TEXTS.map(quoted), max_size=2)).map(
        lambda it: call("wire.csv", it[0], **it[1])
    ),
)
VALUES: st.SearchStrategy[Expression] = PLAIN | st.dictionaries(TEXTS, PLAIN, max_size=4).map(
    dictionary
)


@settings(
    derandomize=True, max_examples=400, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(
    st.lists(st.tuples(NAMES, TYPES), min_size=1, max_size=6),
    st.lists(st.tuples(NAMES, VALUES), min_size=1, max_size=4),
    st.lists(st.tuples(NAMES, TYPES), min_size=1, max_size=6),
    st.dictionaries(TEXTS, TYPES, min_size=1, max_size=4),
)
def test_black_changes_nothing(
    parameters: list[tuple[str, Expression]],
    keywords: list[tuple[str, Expression]],
    fields: list[tuple[str, Expression]],
    entries: dict[str, Expression],
) -> None:
    typed = Group("TypedDict(", (("", quoted("X")), ("", dictionary(entries))), ")")
    source = "\n".join(
        [
            lay_out("X = ", typed, depth=0),
            "\n",
            lay_out("@", call("wire.sends", **dict(keywords)), depth=0),
            "async def f(",
            "    api: Api,",
            "    *,",
            *(
                "    "
                + lay_out(f"{name}: ", union([item, "Omit"]) if index % 2 else item, end, depth=1)
                for index, (name, item) in enumerate(parameters)
                for end in [" = OMIT," if index % 2 else ","]
            ),
            ") -> None:",
            "    return await api.request(",
            *("        " + lay_out(f"{name}=", item, ",", depth=2) for name, item in keywords),
            "    )",
            "\n",
            "class A:",
            *("    " + declare(name, item, depth=1) for name, item in fields),
            "",
        ]
    )
    assert black.format_str(source, mode=MODE) == source
