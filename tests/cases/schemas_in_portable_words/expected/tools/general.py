"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(
    nullable=(
        "/properties/a_closed_object/properties/a",
        "/properties/a_list_of_anything/items",
        "/properties/a_value_twice_and_null",
        "/properties/anything",
        "/properties/nothing_said",
        "/properties/null_by_alternative",
        "/properties/null_by_type",
    )
)
async def send_words(
    api: Api,
    *,
    a_bound_that_is_none: int | Omit = OMIT,
    a_closed_object: models.SendWordsAClosedObject | Omit = OMIT,
    a_constant: Literal[3] | Omit = OMIT,
    a_default: str | Omit = OMIT,
    a_default_of_another_type: str | Omit = OMIT,
    a_list_of_anything: list[str | float | bool | dict[str, Any]] | Omit = OMIT,
    a_map: dict[str, Any] | Omit = OMIT,
    a_value_twice_and_null: Literal["a", "b"] | None | Omit = OMIT,
    an_example: str | Omit = OMIT,
    an_example_with_markup: str | Omit = OMIT,
    an_unknown_format: str | Omit = OMIT,
    anything: Any | Omit = OMIT,
    binary: str | Omit = OMIT,
    enums_of_objects: dict[str, Any] | Omit = OMIT,
    keywords_that_say_nothing: str | Omit = OMIT,
    no_type: models.SendWordsNoType | Omit = OMIT,
    nothing_said: Any | Omit = OMIT,
    null_by_alternative: int | None | Omit = OMIT,
    null_by_type: int | None | Omit = OMIT,
    numbers_that_are_text: Literal["1", "2"] | Omit = OMIT,
    text_or_one_value: str | Omit = OMIT,
    two_enums: Literal["a", "b"] | Omit = OMIT,
) -> Answer[Any]:
    """Send words."""
    return await api.request(
        "POST",
        "/words",
        json={
            "a_bound_that_is_none": a_bound_that_is_none,
            "a_closed_object": a_closed_object,
            "a_constant": a_constant,
            "a_default": a_default,
            "a_default_of_another_type": a_default_of_another_type,
            "a_list_of_anything": a_list_of_anything,
            "a_map": a_map,
            "a_value_twice_and_null": a_value_twice_and_null,
            "an_example": an_example,
            "an_example_with_markup": an_example_with_markup,
            "an_unknown_format": an_unknown_format,
            "anything": anything,
            "binary": binary,
            "enums_of_objects": enums_of_objects,
            "keywords_that_say_nothing": keywords_that_say_nothing,
            "no_type": no_type,
            "nothing_said": nothing_said,
            "null_by_alternative": null_by_alternative,
            "null_by_type": null_by_type,
            "numbers_that_are_text": numbers_that_are_text,
            "text_or_one_value": text_or_one_value,
            "two_enums": two_enums,
        },
    )
