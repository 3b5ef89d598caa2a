"""Hooks."""


def before_remove_book(call):
    raise PermissionError("ask first")
