"""Rules of our shop."""

from . import Call, ToolError


def before_cancel_order(call: Call) -> None:
    """Refuse what is on its way."""
    if call.arguments["orderId"] == "or_1":
        raise ToolError("Order 1 is on its way")
