"""The pages of the workbench, and the actions of their buttons. Functions here call the same code
as the commands.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ..catalogue.model import Catalogue, Row
from ..catalogue.pages import TEMPLATES, environment
from ..catalogue.treemap import Area, treemap
from ..lint.clients import table, tool_limit
from ..problems import McpgenError
from ..render.search import search_facts
from ..report.findings import findings
from ..suggest import suggest
from .bench import Bench
from .calls import ToolRunner
from .changes_page import compared, generate
from .guard import WorkbenchGuard
from .mending import Mending
from .ranking import Ranking
from .tool_page import inputs, settings_fields, tool_fields, tool_page

HERE = Path(__file__).parent
MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript"}
FOUND = 20
"""Tools that the page Find shows."""
SUGGESTED = 40
"""Tools that a model chooses well among: what `suggest` keeps unasked."""
FACETS = ("tag", "method")
PAGES = {
    "/": "overview",
    "/part/overview": "overview_part",
    "/tool/{number:int}": "tool",
    "/function/{name}": "function",
    "/edit/{number:int}": "edit",
    "/part/problems": "problems_part",
    "/part/changes": "changes_part",
    **{f"/{name}": name for name in ("tools", "find", "settings", "problems", "changes")},
    **{f"/{name}": name for name in ("scores", "state")},
}
"""Address → the method that makes its page."""
ACTIONS = ("change", "choose", "suggest", "undo", "save", "repair", "call", "generate")
"""The buttons."""

Answer = dict[str, Any]


class Workbench:
    """The pages of one bench: a method for each of `PAGES`, and of `ACTIONS`, whose `body` is a
    button's JSON.
    """

    def __init__(self, bench: Bench, root: str) -> None:
        """Every address begins with `root`."""
        self.bench, self.root = bench, root
        self.caller = ToolRunner(bench)
        self._mending: Mending | None = None
        self._view: tuple[tuple[str, int], Catalogue] | None = None
        self._index: tuple[Catalogue, Ranking] | None = None
        self._engine = environment(HERE / "templates", TEMPLATES)

    # Pages

    def page(self, name: str, request: Request, **facts: Any) -> Response:
        """Render the template `name` of a page, or of a part of one, with facts."""
        template = self._engine.get_template(f"{name}.html.jinja")
        path = request.url.path.removeprefix(self.root)
        common = {"bench": self.bench, "root": self.root, "path": path, "link": self.link}
        return HTMLResponse(template.render(**common, **facts))

    def link(self, row: Row) -> str:
        """Return the address of a tool's page; `row` may be of any catalogue."""
        return f"{self.root}/tool/{self.bench.numbers[row.tool.origin.operation]}"

    def zoom(self, area: Area) -> str:
        """Return the address of the overview with a map of an area's toolsets alone."""
        return f"{self.root}/?{urlencode([('toolset', name) for name in area.toolsets])}"

    def view(self) -> Catalogue:
        """Return the catalogue of the chosen tools as they are customised, made again after an
        edit.
        """
        made_of = (self.bench.text, self.bench.version)
        if self._view is None or self._view[0] != made_of:
            catalogue = self.bench.catalogue
            if self.bench.customised_server != self.bench.server:
                catalogue = Catalogue(
                    self.bench.document, self.bench.customised_server, self.bench.functions
                )
            self._view = (made_of, catalogue)
        return self._view[1]

    def index(self) -> Ranking:
        """Return the search of the lazy mode over the chosen tools."""
        view = self.view()
        if self._index is None or self._index[0] is not view:
            self._index = (view, Ranking(search_facts(view.server)))
        return self._index[1]

    def overview(self, request: Request) -> Response:
        """Render the size of the list of tools, and a map of the toolsets by size; with the query
        `toolset`, a map of the tools in those toolsets.
        """
        catalogue = self.view()
        known = {row.toolset for row in catalogue.rows}
        chosen = known.intersection(request.query_params.getlist("toolset"))
        scores = catalogue.scores if catalogue.score_known else {}
        facts = {"catalogue": catalogue, "areas": treemap(catalogue, chosen), "scores": scores}
        facts |= {"zoom": self.zoom, "chosen": chosen}
        facts["suggested"] = SUGGESTED
        return self.page("overview", request, **facts)

    def overview_part(self, request: Request) -> Response:
        """Render the slower parts: the limits of clients, and texts to look at."""
        return self.page("overview_part", request, catalogue=self.view())

    def tools(self, request: Request) -> Response:
        """Render the table of all operations."""
        clients = [name for name, client in table().items() if client.counts]
        catalogue = self.bench.catalogue
        costs = {row.number: self.bench.tokens(row) for row in catalogue.rows}
        return self.page("tools", request, catalogue=catalogue, clients=clients, costs=costs)

    def tool(self, request: Request) -> Response:
        """Render the page of a tool. Raises HTTPException (404)."""
        row = self.row(request)
        page = tool_page(self.bench, row)
        form = list(inputs(page["tool"].input_schema))
        return self.page("tool", request, page=page, inputs=form, **self._fields(row))

    def function(self, request: Request) -> Response:
        """Render the page of a function's tool. Raises HTTPException (404)."""
        for tool, kind, tokens in self.bench.catalogue.functions:
            if tool["name"] == request.path_params["name"]:
                form = list(inputs(tool["inputSchema"]))
                facts = {"tool": tool, "kind": kind, "tokens": tokens}
                return self.page("function", request, inputs=form, **facts)
        raise HTTPException(404)

    def edit(self, request: Request) -> Response:
        """Render the fields of a tool, for the table of tools. Raises HTTPException (404)."""
        row = self.row(request)
        return self.page("edit", request, row=row, **self._fields(row))

    def _fields(self, row: Row) -> dict[str, Any]:
        said = self.bench.catalogue.documented_text(row.tool)
        return {**tool_fields(self.bench, row), "documented_text": said}

    def settings(self, request: Request) -> Response:
        """Render the settings: keys of `mcpgen.toml` for the server, an API, or many tools."""
        return self.page("settings", request, tables=settings_fields(self.bench))

    def find(self, request: Request) -> Response:
        """Render the ranking of the chosen tools for a question (`?q=`)."""
        question = request.query_params.get("q", "")
        rows = {row.tool.name: row for row in self.view().rows}
        places = []
        if question.strip():
            places = self.index().places(question, FOUND, rows)
        return self.page("find", request, question=question, places=places, rows=rows)

    def problems(self, request: Request) -> Response:
        """Render the page of the problems, which loads them as a part."""
        return self.page("problems", request)

    def problems_part(self, request: Request) -> Response:
        """Render the problems and their repairs."""
        kinds, others = self.mending().kinds()
        return self.page("problems_part", request, kinds=kinds, others=others)

    def mending(self) -> Mending:
        """Return the repairs of the document, found again when the document is read again."""
        if self._mending is None or self._mending.read_of is not self.bench.document:
            self._mending = Mending(self.bench)
        return self._mending

    def changes(self, request: Request) -> Response:
        """Render the page of the changes, which loads them as a part."""
        document = request.query_params.get("document", "")
        return self.page("changes", request, document=document)

    def changes_part(self, request: Request) -> Response:
        """Render the comparison of the last run with the state now, or with `?document=`."""
        document = request.query_params.get("document", "").strip()
        comparison = compared(self.bench, document)
        is_saved = self.bench.text == self.bench.saved
        return self.page(
            "changes_part", request, comparison=comparison, document=document, is_saved=is_saved
        )

    def scores(self, request: Request) -> Response:
        """Return the score of the list, and row → score; None for unknown ones. With `?chosen`:
        only the chosen tools, by their rows on the map. Without: every operation; for chosen tools
        the score within the chosen list.
        """
        view = self.view()
        total = view.score.score if view.score is not None else None
        if "chosen" in request.query_params:
            rows = {row.number: view.scores.get(row.tool.name) for row in view.rows}
            return JSONResponse({"score": total, "rows": rows})
        scores = self.bench.catalogue.scores
        rows = {row.number: scores.get(row.tool.name) for row in self.bench.catalogue.rows}
        for row in view.rows:
            rows[self.bench.numbers[row.tool.origin.operation]] = view.scores.get(row.tool.name)
        return JSONResponse({"score": total, "rows": rows})

    def missing(self, request: Request, error: Exception) -> Response:
        """Render the page for an unknown address, with status 404."""
        return HTMLResponse(self.page("missing", request).body, 404)

    def row(self, request: Request) -> Row:
        """Return the row whose number is in the path. Raises HTTPException (404)."""
        try:
            return self.bench.row(int(request.path_params["number"]))
        except LookupError:
            raise HTTPException(404) from None

    # What buttons do

    def state(self, request: Request, **facts: Any) -> Response:
        """Return the state for the script as JSON: unsaved lines as HTML, chosen rows, and
        `facts`.
        """
        texts = self.mending().texts() if self._mending is not None else {}
        pending = self._engine.get_template("pending.html.jinja")
        rendered = pending.render(pending=self.bench.pending(), repairs=texts)
        return JSONResponse({"pending": rendered, "chosen": sorted(self.bench.chosen), **facts})

    def change(self, request: Request, body: Answer) -> Response:
        """Edit keys of the tool in row `number`, or of the whole file if that is null. `changes`:
        pairs of path and value; a value of null removes a key.
        """
        changes = [(tuple(map(str, path)), value) for path, value in body["changes"]]
        if body["number"] is None:
            self.bench.change(dict(changes))
            return self.state(request)
        row = self.bench.row(int(body["number"]))
        self.bench.customise_row(row, changes)
        tool, tokens = self.bench.tool(row), self.bench.tokens(row)
        facts = {"name": tool.name, "description": tool.description, "tokens": tokens}
        return self.state(request, row=facts)

    def choose(self, request: Request, body: Answer) -> Response:
        """Keep the rows `numbers` alone (`action` is `only`), leave them out (`out`) or bring them
        back. `facet`: pair of kind and word.
        """
        rows = [self.bench.row(int(number)) for number in body["numbers"]]
        kind, word = body.get("facet") or ("", "")
        facet = (str(kind), str(word)) if kind in FACETS else None
        action = body["action"]
        if action == "only":
            self.bench.keep_only(row.key for row in rows)
        elif action == "out":
            self.bench.leave_out(rows, facet)
        else:
            self.bench.bring_back(rows, facet)
        return self.state(request)

    def suggest(self, request: Request, body: Answer) -> Response:
        """Keep the tools that `mcpgen suggest` proposes: `limit`, 40 by default, within that of a
        `client`.
        """
        limit = int(body.get("limit") or SUGGESTED)
        if body.get("client"):
            limit = min(limit, tool_limit(str(body["client"])))
        choices = suggest(self.bench.server, max(1, limit))
        self.bench.keep_only(choice.key for choice in choices)
        return self.state(request)

    def undo(self, request: Request, body: Answer) -> Response:
        """Take the last change back."""
        self.bench.undo()
        return self.state(request)

    def save(self, request: Request, body: Answer) -> Response:
        """Write `mcpgen.toml`, and the overlays of repairs."""
        self.bench.save()
        if self._mending is not None:
            self._mending.save()
        return self.state(request)

    def repair(self, request: Request, body: Answer) -> Response:
        """Add the repairs `numbers` to the overlays, with the author's `text` if they need it."""
        self.mending().add(map(int, body["numbers"]), str(body.get("text", "")))
        return self.state(request)

    def call(self, request: Request, body: Answer) -> Response:
        """Call the tool of row `number`, or a `function`, and return the outcome as HTML."""
        called = body.get("function") or self.bench.row(int(body["number"]))
        arguments = dict(body["arguments"])
        outcome = self.caller.call(called, arguments, dry_run=bool(body["dry_run"]))
        template = self._engine.get_template("outcome.html.jinja")
        return JSONResponse({"html": template.render(outcome=outcome, dry_run=body["dry_run"])})

    def generate(self, request: Request, body: Answer) -> Response:
        """Generate the project; `accepted`: the changes that were agreed to, `rest`: see
        `generate`.
        """
        accepted = [str(text) for text in body["accepted"]]
        changes = generate(self.bench, accepted, rest=bool(body.get("rest")))
        template = self._engine.get_template("generated.html.jinja")
        html = template.render(changes=changes, folder=str(self.bench.folder))
        return self.state(request, html=html)

    def refusal(self, error: McpgenError) -> Response:
        """Render the problems of an error, with status 422."""
        template = self._engine.get_template("refusal.html.jinja")
        html = template.render(findings=findings(error.problems))
        return JSONResponse({"error": html}, status_code=422)


def application(bench: Bench, *, host: str, token: str) -> tuple[ASGIApp, Workbench]:
    """Return the guarded application for a bench, and its pages. `host` is its own `Host`, with the
    port.
    """
    pages = Workbench(bench, f"/{token}")
    routes = [Route(path, _page(pages, getattr(pages, name))) for path, name in PAGES.items()]
    routes.append(Route("/static/{name}", _static))
    for action in ACTIONS:
        routes.append(Route(f"/{action}", _button(pages, getattr(pages, action)), methods=["POST"]))
    app = Starlette(routes=routes, exception_handlers={404: pages.missing})
    return WorkbenchGuard(app, host=host, token=token), pages


def _page(pages: Workbench, function: Callable[[Request], Response]) -> Any:
    """Return the endpoint of a page, which reads changed files first; a McpgenError is rendered
    (422).
    """

    def answer(request: Request) -> Response:
        pages.bench.refresh()
        return function(request)

    async def endpoint(request: Request) -> Response:
        try:
            return await run_in_threadpool(answer, request)
        except McpgenError as error:
            return pages.refusal(error)

    return endpoint


def _button(pages: Workbench, function: Callable[[Request, Answer], Response]) -> Any:
    """Return the endpoint of an action with a JSON object as its body. A McpgenError gives 422, a
    wrong body 400.
    """

    def answer(request: Request, body: Answer) -> Response:
        pages.bench.refresh()
        return function(request, body)

    async def endpoint(request: Request) -> Response:
        try:
            body = dict(await request.json())
            return await run_in_threadpool(answer, request, body)
        except McpgenError as error:
            return pages.refusal(error)
        except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError):
            raise HTTPException(400, "not a request of the workbench's pages") from None

    return endpoint


async def _static(request: Request) -> Response:
    """Return a style sheet or a script. Raises HTTPException (404)."""
    name = request.path_params["name"]
    for folder in (HERE / "static", TEMPLATES):
        path = folder / name
        if path.suffix in MEDIA_TYPES and path.parent == folder and path.is_file():
            return Response(path.read_bytes(), media_type=MEDIA_TYPES[path.suffix])
    raise HTTPException(404)
