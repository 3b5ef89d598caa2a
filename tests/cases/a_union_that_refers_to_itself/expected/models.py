"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Average(TypedDict):
    average: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    average_weight: NotRequired[float]


class Choice(TypedDict):
    choice: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    choice_weight: NotRequired[float]


class Condition(TypedDict):
    condition: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    condition_weight: NotRequired[float]


class Decay(TypedDict):
    decay: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    decay_weight: NotRequired[float]


class Difference(TypedDict):
    difference: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    difference_weight: NotRequired[float]


class Distance(TypedDict):
    distance: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    distance_weight: NotRequired[float]


class Maximum(TypedDict):
    maximum: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    maximum_weight: NotRequired[float]


class Minimum(TypedDict):
    minimum: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    minimum_weight: NotRequired[float]


class Power(TypedDict):
    power: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    power_weight: NotRequired[float]


class Product(TypedDict):
    product: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    product_weight: NotRequired[float]


class Quotient(TypedDict):
    quotient: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    quotient_weight: NotRequired[float]


class Sum(TypedDict):
    sum: list[
        float
        | str
        | Sum
        | Product
        | Difference
        | Quotient
        | Power
        | Minimum
        | Maximum
        | Choice
        | Condition
        | Decay
        | Distance
        | Average
    ]
    sum_weight: NotRequired[float]
