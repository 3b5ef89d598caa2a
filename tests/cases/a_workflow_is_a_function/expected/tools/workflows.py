"""The workflows: one function for each, which calls the functions of other tools step by step."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Context, Omit, Steps, values
from . import general


async def send_and_follow(
    context: Context,
    *,
    grams: int | Omit = OMIT,
    to: str,
) -> dict[str, Any]:
    """Send a parcel and wait until it has left."""
    steps = Steps(context, total=2, undo={"send": "stop_parcel"})

    # Hand it in
    send = await steps.call("send", general.send_parcel, grams=grams, to=to)
    steps.expect(send, send.status == 201, "$statusCode == 201")
    send_id = values.at(send.data, "/id")

    # Look every two seconds whether it has left
    while True:
        follow = await steps.attempt("follow", general.get_parcel, id=send_id)
        if not values.same(values.at(follow.data, "/state"), "waiting"):
            break
        if follow.status == 200 and await steps.retry(follow, limit=10, after=2):
            continue
        if follow.status == 404:
            return values.pruned({"id": send_id})
        steps.fail(follow, "the answer does not meet `$response.body#/state != 'waiting'`")
    state = values.at(follow.data, "/state")

    return values.pruned(
        {
            "id": send_id,
            "state": state,
        }
    )


async def send_unless_stopped(
    context: Context,
    *,
    to: str,
) -> dict[str, Any]:
    """Send a parcel and take it back where it goes nowhere."""
    steps = Steps(context, total=3)
    send_id: Any = OMIT
    state: Any = OMIT
    send: Any = OMIT
    next_step = "send"
    while True:
        match next_step:
            case "send":
                send = await steps.run("send", send_and_follow, to=to)
                send_id = values.at(send, "/id")
                state = values.at(send, "/state")
                if values.matches("^(sent|delivered)$", values.at(send, "/state")):
                    return values.pruned({"state": state})
                next_step = "stop"
                continue
            case "never":
                await steps.call("never", general.get_parcel, id="none")
                next_step = "stop"
            case "stop":
                await steps.call("stop", general.stop_parcel, id=send_id)
                return values.pruned({"state": state})
