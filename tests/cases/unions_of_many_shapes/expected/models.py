"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class CreatePageBlocksItem(TypedDict):
    paragraph_content_in_one_language: str
    paragraph_position_on_the_page: int
    paragraph_style: NotRequired[str]


class CreatePageBlocksItem10(TypedDict):
    code_content_in_one_language: str
    code_position_on_the_page: int
    code_style: NotRequired[str]


class CreatePageBlocksItem11(TypedDict):
    formula_content_in_one_language: str
    formula_position_on_the_page: int
    formula_style: NotRequired[str]


class CreatePageBlocksItem12(TypedDict):
    divider_content_in_one_language: str
    divider_position_on_the_page: int
    divider_style: NotRequired[str]


class CreatePageBlocksItem13(TypedDict):
    bookmark_content_in_one_language: str
    bookmark_position_on_the_page: int
    bookmark_style: NotRequired[str]


class CreatePageBlocksItem14(TypedDict):
    embed_content_in_one_language: str
    embed_position_on_the_page: int
    embed_style: NotRequired[str]


class CreatePageBlocksItem15(TypedDict):
    toggle_content_in_one_language: str
    toggle_position_on_the_page: int
    toggle_style: NotRequired[str]


class CreatePageBlocksItem16(TypedDict):
    callout_content_in_one_language: str
    callout_position_on_the_page: int
    callout_style: NotRequired[str]


class CreatePageBlocksItem17(TypedDict):
    column_content_in_one_language: str
    column_position_on_the_page: int
    column_style: NotRequired[str]


class CreatePageBlocksItem18(TypedDict):
    button_content_in_one_language: str
    button_position_on_the_page: int
    button_style: NotRequired[str]


class CreatePageBlocksItem19(TypedDict):
    comment_content_in_one_language: str
    comment_position_on_the_page: int
    comment_style: NotRequired[str]


class CreatePageBlocksItem2(TypedDict):
    heading_content_in_one_language: str
    heading_position_on_the_page: int
    heading_style: NotRequired[str]


class CreatePageBlocksItem20(TypedDict):
    mention_content_in_one_language: str
    mention_position_on_the_page: int
    mention_style: NotRequired[str]


class CreatePageBlocksItem3(TypedDict):
    quote_content_in_one_language: str
    quote_position_on_the_page: int
    quote_style: NotRequired[str]


class CreatePageBlocksItem4(TypedDict):
    list_content_in_one_language: str
    list_position_on_the_page: int
    list_style: NotRequired[str]


class CreatePageBlocksItem5(TypedDict):
    table_content_in_one_language: str
    table_position_on_the_page: int
    table_style: NotRequired[str]


class CreatePageBlocksItem6(TypedDict):
    image_content_in_one_language: str
    image_position_on_the_page: int
    image_style: NotRequired[str]


class CreatePageBlocksItem7(TypedDict):
    video_content_in_one_language: str
    video_position_on_the_page: int
    video_style: NotRequired[str]


class CreatePageBlocksItem8(TypedDict):
    audio_content_in_one_language: str
    audio_position_on_the_page: int
    audio_style: NotRequired[str]


class CreatePageBlocksItem9(TypedDict):
    file_content_in_one_language: str
    file_position_on_the_page: int
    file_style: NotRequired[str]
