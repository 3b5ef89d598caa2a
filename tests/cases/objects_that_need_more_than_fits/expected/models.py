"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Address(TypedDict):
    city: str
    country: str
    postalCode: str
    street: str


class Amount(TypedDict):
    currency: str
    value: int


class Bank(TypedDict):
    iban: str
    kind: Literal[
        "account_of_the_customer",
        "mandate_of_the_customer",
        "account_of_the_company",
        "mandate_of_the_company",
    ]


class Browser(TypedDict):
    acceptHeader: str
    colorDepth: int
    javaEnabled: bool
    language: str
    userAgent: str


class Card(TypedDict):
    kind: Literal[
        "visa_of_the_customer",
        "mastercard_of_the_customer",
        "jcb_of_the_customer",
        "visa_of_the_company",
        "mastercard_of_the_company",
        "jcb_of_the_company",
    ]
    number: NotRequired[str]


class CartBuyer(TypedDict):
    address: Address
    name: str


class CartParcel(TypedDict):
    to: Address


class DonationCompany(TypedDict):
    name: NotRequired[str]
    type: NotRequired[str]


class DonationMethod(TypedDict):
    token: str


class DonationMethod2(TypedDict):
    iban: str
    token: Any


class DonationSplitsItem(TypedDict):
    amount: Amount
    type: Literal["fee", "rest"]


class ScoreGrader(TypedDict):
    input: list[str]
    model_of_the_score: NotRequired[str]
    range: list[float]
    temperature_of_the_score: NotRequired[float]
    type: Literal["score"]


class TextGrader(TypedDict):
    input: str
    language_of_the_text: NotRequired[str]
    operation_on_the_text: NotRequired[str]
    reference_of_the_text: NotRequired[str]
    type: Literal["text"]


class Cart(TypedDict):
    buyer: CartBuyer
    note: NotRequired[str]
    parcel: NotRequired[CartParcel]


class Donation(TypedDict):
    address: NotRequired[Address]
    amount: Amount
    born: NotRequired[str]
    browser: NotRequired[Browser]
    company: NotRequired[DonationCompany]
    method: NotRequired[DonationMethod | DonationMethod2]
    splits: NotRequired[list[DonationSplitsItem]]
