"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Address(TypedDict):
    city: str
    country: str
    street: str


class Bank(TypedDict):
    branch: NotRequired[str]
    token: NotRequired[str]
    type: Literal["ideal", "eps", "giropay"]


class Card(TypedDict):
    holder: NotRequired[str]
    number: str
    token: NotRequired[str]
    type: Literal["card", "scheme", "debit"]


class Cash(TypedDict):
    phone: str
    tag: NotRequired[str]
    token: NotRequired[str]
    type: Literal["cashapp"]


class Debit(TypedDict):
    iban: str
    mandate: NotRequired[str]
    owner: str
    token: NotRequired[str]
    type: Literal["sepa"]


class Mobile(TypedDict):
    country: NotRequired[str]
    phone: str
    token: NotRequired[str]
    type: Literal["mbway", "vipps"]


class Voucher(TypedDict):
    store: NotRequired[str]
    token: NotRequired[str]
    type: Literal["boleto", "oxxo", "konbini"]


class Wallet(TypedDict):
    device: NotRequired[str]
    token: NotRequired[str]
    type: Literal["apple", "google", "samsung"]


class DescribePaymentBody(TypedDict):
    method: NotRequired[Card | Wallet | Bank | Voucher | Mobile | Debit | Cash]
    title: str


class SavePaymentBody(TypedDict):
    address: NotRequired[Address]
    amount: float
    channel: NotRequired[str]
    deliveryDate: NotRequired[str]
    locale: NotRequired[str]
    method: NotRequired[Card | Wallet | Bank | Voucher | Mobile | Debit | Cash]
    reference: NotRequired[str]
    returnAddress: NotRequired[str]
    shopper: NotRequired[str]


class StartPaymentBody(TypedDict):
    address: NotRequired[Address]
    amount: float
    channel: NotRequired[str]
    deliveryDate: NotRequired[str]
    locale: NotRequired[str]
    method: Card | Wallet | Bank | Voucher | Mobile | Debit | Cash
    reference: NotRequired[str]
    returnAddress: NotRequired[str]
    shopper: NotRequired[str]
