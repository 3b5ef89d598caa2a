"""Hooks."""


def after_remove_book(call, result):
    return result
