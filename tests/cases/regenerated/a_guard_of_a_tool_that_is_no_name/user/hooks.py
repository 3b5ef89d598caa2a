"""Hooks."""


def before_get_book(call):
    raise PermissionError("ask first")
