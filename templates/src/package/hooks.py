"""What happens around every call. This file is yours: it was written once and stays as you left it.

Three functions, each optional and each with or without `async`:

    def before(call):          change `call.arguments`, or raise `ToolError("...")` to refuse
    def shape(call, data):     return what the model gets to see of an answer's data
    def after(call, result):   return the finished result (`content`, `isError`, ...)

They run for all tools. With a tool's name at the end they run for that tool only, after the general
one. Write its name for TOOL:

    from . import Call, ToolError

    def before_TOOL(call: Call) -> None:
        if call.arguments.get("id") == "1":
            raise ToolError("1 is refused here: ask the owner of the server")

Arguments have been checked when `before` runs. A hook that returns None changes nothing. A hook
without `async` runs in the event loop, so a slow one holds up every call. The server does not start
with a function `before_...` that names no tool.
"""
