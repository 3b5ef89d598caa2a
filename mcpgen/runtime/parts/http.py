"""The part `http`: Streamable HTTP."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any

from ..http_options import HttpSettings, Listener, add_options, check_options, share
from ..settings import Settings
from . import Part


def _serve(app: Any, options: Namespace, settings: Settings, worker: Callable[[int], Any]) -> int:
    from ..transports.http import serve

    return serve(app, options, settings, worker)


def _application(app: Any, options: Namespace, settings: Settings) -> Any:
    from ..transports.http import worker_application

    return worker_application(app, options, settings)


PART = Part(
    settings=HttpSettings,
    listener=Listener(
        add_options=add_options,
        check_options=check_options,
        share=share,
        serve=_serve,
        application=_application,
    ),
)
