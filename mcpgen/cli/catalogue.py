"""`mcpgen catalogue`: an overview and every tool as one file, to publish or to review."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..config import Config
from . import options as opt
from .screen import Screen, shown

Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write a page for browsers.")
]
Markdown = Annotated[
    Path | None,
    typer.Option("--markdown", metavar="FILE", help="Write Markdown, as for a pull request."),
]


def catalogue(
    *,
    config: Config,
    html: Html = None,
    markdown: Markdown = None,
    quiet: opt.Quiet = False,
) -> int:
    """Write a catalogue of the tools.

    Shows what the list costs, tool by tool, how it fits the limits of clients, what is skipped,
    credentials and scores. The page needs no server and loads nothing. Without a file, prints
    Markdown.
    """
    from ..catalogue import pages
    from ..catalogue.model import Catalogue
    from ..problems import Problems
    from ..project.run import request_of, run

    screen = Screen(quiet=quiet)
    with screen.working("starting") as step:
        made = run(request_of(config), Problems(), step, files=False)
        step("scoring the tools")
        catalogue = Catalogue(made.document, made.server)
        catalogue.scores  # noqa: B018
        forms = {html: pages.html, markdown: pages.markdown}
        texts = {path: write(catalogue) for path, write in forms.items() if path is not None}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
        screen.remark(f"written: {shown(str(path))} ({len(text.encode()) / 1000:,.0f} kB)")
    if not texts:
        screen.data(pages.markdown(catalogue))
    return 0
