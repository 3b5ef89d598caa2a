"""The tool `send_email`: over the server `DESK_SMTP` (`host:port`), from `DESK_SENDER`."""

from __future__ import annotations

import os
import smtplib
from email.message import EmailMessage
from typing import Annotated

from pydantic import Field

from .. import ToolError, tool

SECONDS = 10.0


@tool(destructive=True, title="Send an e-mail")
def send_email(
    to: Annotated[
        str,
        Field(
            description="Address of the one recipient",
            pattern=r"^[^@\s,;<>]+@[^@\s,;<>]+\.[^@\s,;<>]+$",
            max_length=254,
            examples=["ada@example.com"],
        ),
    ],
    subject: Annotated[
        str, Field(description="Subject, in one line", min_length=1, max_length=200)
    ],
    body: Annotated[str, Field(description="The text, without markup", max_length=100_000)],
) -> str:
    """Send an e-mail to one person; it cannot be called back.

    Use it when the user asked for this message to be sent, and has seen its text.
    """
    sender, server = os.environ.get("DESK_SENDER", ""), os.environ.get("DESK_SMTP", "")
    if not sender or not server:
        raise ToolError(
            "mail is not set up: whoever runs this server has to set `DESK_SMTP` and `DESK_SENDER`"
        )
    message = EmailMessage()
    try:
        message["From"], message["To"], message["Subject"] = sender, to, subject
    except ValueError:
        raise ToolError("`to` and `subject` have to be one line each") from None
    message.set_content(body)
    host, _, port = server.partition(":")
    try:
        with smtplib.SMTP(host, int(port or 25), timeout=SECONDS) as connection:
            connection.send_message(message)
    except smtplib.SMTPRecipientsRefused:
        raise ToolError(
            f"the mail server refused the recipient `{to}`; check the address"
        ) from None
    except smtplib.SMTPException as error:
        raise ToolError(f"the mail server refused the message ({type(error).__name__})") from None
    except OSError:
        raise ToolError("the mail server cannot be reached; nothing was sent") from None
    return f"Sent to {to}"
