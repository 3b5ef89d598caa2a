"""Print the OpenAPI document of a web app: `python document_of.py MODULE:NAME FOLDER`.

Run by the app's own Python, with the standard library alone. The app is imported from FOLDER. One
JSON object goes to standard output: `{"text": ...}` with the document as JSON or YAML,
`{"missing": MODULE}`, `{"names": [...]}` for a name that the module does not have, `{"kind": ...}`
for an object without a document, or `{"failed": TRACEBACK}`. What the app prints goes to standard
error.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import importlib
import inspect
import io
import json
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Any

WAYS = (
    "openapi()",  # FastAPI and many others
    "openapi_schema.to_schema()",  # Litestar
    "get_openapi_schema()",  # Django Ninja
    "spec.to_dict()",  # flask-smorest's `Api`, apispec
    "spec",  # APIFlask
    "to_dict()",  # apispec
)
"""Expressions from an object to its document; the first with a result is taken."""

PLACES = (
    "/openapi.json",
    "/schema/openapi.json",
    "/api/openapi.json",
    "/api/schema/",
    "/schema/",
    "/schema",
    "/swagger.json",
    "/openapi.yaml",
    "/api/schema",
    "/docs/openapi.json",
    "/docs/specs.json",
    "/swagger/openapi.json",
)
"""The paths at which an app is asked for its document, with no server between."""

_DOCUMENT = re.compile(r'^\s*\{|^\s*["\']?(openapi|swagger)["\']?\s*:', re.M)
_SETTINGS = re.compile(r"DJANGO_SETTINGS_MODULE[\"'],\s*[\"']([\w.]+)[\"']")


def main(target: str, folder: str) -> dict[str, Any]:
    """Import a target `MODULE:NAME` and return the answer (see the module's docstring). Raises what
    the app's import raises.
    """
    module, _, name = target.partition(":")
    sys.path.insert(0, folder)
    os.environ["MCPGEN_READS_APP"] = "1"  # so `mount` of a generated package does nothing
    _set_up_django(Path(folder))
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if f"{module}.".startswith(f"{error.name}."):
            return {"missing": error.name}
        raise
    for part in name.removesuffix("()").split("."):
        if not hasattr(found, part):
            return {"names": _apps_of(found)}
        found = getattr(found, part)
    document = document_of(found)
    if document is None:
        kind = type(found)
        names = _apps_of(sys.modules[module])
        others = [other for other in names if other != name]
        return {"kind": f"{kind.__module__}.{kind.__qualname__}", "names": others}
    return {"text": document}


def _set_up_django(folder: Path) -> None:
    """Start Django if the folder has a `manage.py`, or if `DJANGO_SETTINGS_MODULE` is set."""
    manage = folder / "manage.py"
    if manage.is_file():
        found = _SETTINGS.search(manage.read_text("utf-8", "replace"))
        if found:
            os.environ.setdefault("DJANGO_SETTINGS_MODULE", found[1])
    if os.environ.get("DJANGO_SETTINGS_MODULE"):
        with contextlib.suppress(ImportError):  # an app of another kind; else its import says so
            importlib.import_module("django").setup()


def _apps_of(module: Any) -> list[str]:
    """Return up to five names in a module that look like an app."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, type) and _is_like_an_app(value)
    ][:5]


def _is_like_an_app(value: Any) -> bool:
    ways = {way.partition(".")[0].removesuffix("()") for way in WAYS}
    return _is_asgi(value) or any(hasattr(value, name) for name in ("wsgi_app", *ways))


def document_of(found: Any) -> str | None:
    """Return the document of an app as text, or None if no way to it works."""
    if isinstance(found, dict):
        return _as_json(found)
    with _context(found):
        for way in WAYS:
            value = _followed(found, way)
            if isinstance(value, dict) and value:
                return _as_json(value)
    if _is_factory(found):
        return document_of(found())
    if _is_asgi(found):
        return asyncio.run(_asked(found))
    application = getattr(found, "wsgi_app", found)
    if callable(application):
        return next(filter(None, (_wsgi(application, path) for path in PLACES)), None)
    return None


def _as_json(document: dict[str, Any]) -> str:
    """Return JSON text: enums by their values, sets as lists, pydantic models dumped, the rest as
    text.
    """
    return json.dumps(document, default=_plain, ensure_ascii=True)


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset, tuple)):
        return sorted(value, key=str)
    dump = getattr(value, "model_dump", None)
    return str(value) if dump is None else dump(mode="json", by_alias=True, exclude_none=True)


def _context(found: Any) -> Any:
    """Return the context of an app in which Flask's and Quart's extensions answer."""
    context = getattr(found, "app_context", None)
    made = context() if callable(context) else None
    return made if hasattr(made, "__enter__") else io.BytesIO()


def _followed(found: Any, way: str) -> Any:
    """Return the value of an expression of `WAYS` on an object, or None."""
    for step in way.split("."):
        found = getattr(found, step.removesuffix("()"), None)
        if step.endswith("()"):
            if not _is_factory(found):
                return None
            found = found()
    return found


def _is_factory(found: Any) -> bool:
    """Return whether an object can be called without arguments, and is no class."""
    if not callable(found) or isinstance(found, type):
        return False
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return all(
        parameter.default is not parameter.empty or parameter.kind in kinds
        for parameter in parameters
    ) and not any(parameter.kind is kinds[0] for parameter in parameters)


def _is_asgi(found: Any) -> bool:
    called = found if inspect.isfunction(found) else getattr(found, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(called)


async def _asked(app: Any) -> str | None:
    """Ask an ASGI app for its document; once more within its lifespan if it has none before."""
    found = await _asgi_places(app)
    if found is not None:
        return found
    started = asyncio.Event()
    received: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    received.put_nowait({"type": "lifespan.startup"})

    async def send(message: dict[str, Any]) -> None:
        started.set()

    life = asyncio.create_task(app({"type": "lifespan", "asgi": ASGI}, received.get, send))
    life.add_done_callback(lambda _: started.set())
    await started.wait()
    try:
        return await _asgi_places(app)
    finally:
        received.put_nowait({"type": "lifespan.shutdown"})
        await asyncio.wait([life], timeout=5)


ASGI = {"version": "3.0", "spec_version": "2.3"}


async def _asgi_places(app: Any) -> str | None:
    for path in PLACES:
        found = await _asgi(app, path)
        if found:
            return found
    return None


async def _asgi(app: Any, path: str) -> str | None:
    """Return the answer of an ASGI app to GET, None unless it is a document."""
    body: list[bytes] = []
    status: list[int] = []
    pending = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        return pending.pop() if pending else await asyncio.Event().wait()

    async def send(message: dict[str, Any]) -> None:
        body.append(message.get("body", b""))
        status.append(message.get("status", 0))

    scope = {
        "type": "http",
        "asgi": ASGI,
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"accept", b"application/json, */*;q=0.5")],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    try:
        await app(scope, receive, send)
    except Exception:
        return None
    return _document(max(status, default=0), b"".join(body))


def _wsgi(app: Any, path: str) -> str | None:
    """Return the answer of a WSGI app to GET, None unless it is a document (PEP 3333)."""
    status: list[int] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost",
        "HTTP_ACCEPT": "application/json, */*;q=0.5",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": True,
    }

    def start(line: str, headers: Any, exc_info: Any = None) -> None:
        status.append(int(line.split()[0]))

    try:
        body = b"".join(app(environ, start))
    except Exception:
        return None
    return _document(max(status, default=0), body)


def _document(status: int, body: bytes) -> str | None:
    text = body.decode("utf-8", "replace")
    if status == 200 and _DOCUMENT.search(text) and re.search("openapi|swagger", text[:100_000]):
        return text
    return None


def _told(error: BaseException) -> str:
    """Return an error's traceback from the first frame of the app's own code on."""
    frames, own = error.__traceback__, __file__
    while frames is not None and _is_not_the_apps(frames.tb_frame.f_code.co_filename, own):
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames))


def _is_not_the_apps(file: str, own: str) -> bool:
    return file == own or file.startswith("<frozen") or file == importlib.__file__


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path.pop(0)
    try:
        result = main(*sys.argv[1:3])
    except BaseException as error:
        result = {"failed": _told(error)}
    json.dump(result, answers)
    answers.flush()
    os._exit(0)
