"""What happens around every call. This file is yours: it was written once and stays as you left it.

Three functions, each optional and each with or without `async`:

    def before(call):          change `call.arguments`, or raise `ToolError("...")` to refuse
    def shape(call, data):     return what the model gets to see of an answer's data
    def after(call, result):   return the finished result (`content`, `isError`, ...)

They run for all tools. With a tool's name at the end they run for that tool only, after the general
one:

    from . import Call, ToolError

    def before_delete_book(call: Call) -> None:
        if call.arguments["book_id"] == "1":
            raise ToolError("Book 1 must not be deleted; ask a librarian")

Arguments have been checked when `before` runs. A hook that returns None changes nothing.
"""
